//! What several views know together: `spec/scene.md`, section 8.

use crate::model::{Board, Kind, Layer, Piece, Player, Scene, Sight, Value};

/// More kinds than these do not fit into the byte of a cell or piece.
const MOST_KINDS: usize = 254;

/// What the views of these scenes know together. Each scene comes with the player whose view it is; the scenes are of one
/// moment of one match, the lowest view first.
#[must_use]
pub fn together(scenes: &[(u8, Scene)]) -> Scene {
    let Some((_, first)) = scenes.first() else { return Scene::default() };
    let mut all = first.clone();
    let names: Vec<String> = scenes.iter().filter_map(|(_, one)| one.title.view.clone()).collect();
    all.title.view = (!names.is_empty()).then(|| names.join(" + "));
    all.players = players(scenes);
    for (_, scene) in &scenes[1..] {
        add_values(&mut all.facts, &scene.facts);
        let new = scene.lines.iter().filter(|line| !first.lines.contains(line));
        all.lines.extend(new.cloned());
    }
    let tiles = first.board.as_ref().map(|board| &board.tiles);
    let boards = scenes.iter().filter_map(|(player, scene)| Some((*player, scene.board.as_ref()?)));
    let boards: Vec<(u8, &Board)> =
        boards.filter(|(_, board)| Some(&board.tiles) == tiles).collect();
    if boards.len() > 1 {
        all.board = Some(Merged::of(&boards).board());
    }
    all
}

/// Which of several looks at a tile counts, given how well each view knows the tile and whether it owns it: the most certain
/// one, of those that are as certain that of the owner, else the first.
pub(crate) fn best(looks: impl IntoIterator<Item = (Sight, bool)>) -> usize {
    let ranked = looks.into_iter().map(|(sight, is_own)| (sight.code(), !is_own));
    ranked.enumerate().min_by_key(|(index, rank)| (*rank, *index)).map_or(0, |(index, _)| index)
}

/// How the view of a player knows a tile: for [`best`].
pub(crate) fn look(player: u8, board: &Board, tile: usize) -> (Sight, bool) {
    (board.sight(tile), board.owner(tile) == player)
}

/// Players by number: each as their own view has them, where it is among them, with what others know in addition.
fn players(scenes: &[(u8, Scene)]) -> Vec<Player> {
    let most = scenes.iter().map(|(_, scene)| scene.players.len()).max().unwrap_or(0);
    (1..=most.min(u8::MAX.into()) as u8)
        .filter_map(|number| {
            let own = scenes.iter().filter(|(view, _)| *view == number);
            let others = scenes.iter().filter(|(view, _)| *view != number);
            let mut known = own.chain(others).filter_map(|(_, scene)| scene.player(number));
            let mut player = known.next()?.clone();
            for other in known {
                player.eliminated |= other.eliminated;
                add_values(&mut player.values, &other.values);
            }
            Some(player)
        })
        .collect()
}

/// Adds the values whose names are not there yet.
fn add_values(values: &mut Vec<Value>, others: &[Value]) {
    for value in others {
        if values.iter().all(|own| own.name != value.name) {
            values.push(value.clone());
        }
    }
}

/// Boards with the same tiles, and the view that counts on each tile.
struct Merged<'a> {
    boards: &'a [(u8, &'a Board)],
    /// By tile.
    best: Vec<usize>,
}

impl<'a> Merged<'a> {
    fn of(boards: &'a [(u8, &'a Board)]) -> Self {
        let tiles = boards.first().map_or(0, |(_, board)| board.tiles.len());
        let best_of = |tile| best(boards.iter().map(|(player, board)| look(*player, board, tile)));
        Self { boards, best: (0..tiles).map(best_of).collect() }
    }

    fn board(&self) -> Board {
        let first = self.boards[0].1;
        let (kinds, pieces) = self.pieces();
        Board {
            sight: self.sight(),
            owners: self.owners(),
            layers: self.layer_names().iter().map(|name| self.layer(name)).collect(),
            kinds,
            pieces,
            ..first.clone()
        }
    }

    /// The boards that know a tile as well as the one that counts, that one first.
    fn as_certain(&self, tile: usize) -> impl Iterator<Item = &'a Board> {
        let best = self.best[tile];
        let certain = self.boards[best].1.sight(tile);
        let others = self.boards.iter().enumerate().filter(move |(index, _)| *index != best);
        let others = others.map(|(_, (_, board))| *board);
        std::iter::once(self.boards[best].1)
            .chain(others.filter(move |board| board.sight(tile) == certain))
    }

    fn sight(&self) -> Vec<u8> {
        let sight = |(tile, best): (usize, &usize)| self.boards[*best].1.sight(tile).code();
        let sight: Vec<u8> = self.best.iter().enumerate().map(sight).collect();
        if sight.iter().all(|code| *code == Sight::Seen.code()) { Vec::new() } else { sight }
    }

    fn owners(&self) -> Vec<u8> {
        let owner =
            |tile| self.as_certain(tile).map(|board| board.owner(tile)).find(|one| *one != 0);
        let owners: Vec<u8> = (0..self.best.len()).map(|tile| owner(tile).unwrap_or(0)).collect();
        if owners.iter().all(|owner| *owner == 0) { Vec::new() } else { owners }
    }

    /// The names of all layers, the lowest first.
    fn layer_names(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = Vec::new();
        for (_, board) in self.boards {
            let mut after = 0;
            for layer in &board.layers {
                match names.iter().position(|name| *name == layer.name) {
                    Some(at) => after = at + 1,
                    None => {
                        names.insert(after, &layer.name);
                        after += 1;
                    }
                }
            }
        }
        names
    }

    /// A layer: on each tile what the view that counts has there, else what another has that is as certain.
    fn layer(&self, name: &str) -> Layer {
        let mut kinds = Kinds::default();
        let in_layer = |board: &'a Board| board.layers.iter().find(|layer| layer.name == name);
        let on = |tile: usize| self.as_certain(tile).find_map(|board| in_layer(board)?.kind(tile));
        let cells = (0..self.best.len()).map(|tile| on(tile).map_or(0, |kind| kinds.number(kind)));
        let cells = cells.collect();
        Layer { name: name.to_owned(), kinds: kinds.0, cells }
    }

    /// Pieces as the view has them that counts on their tile; each once, as the most certain of those has it.
    fn pieces(&self) -> (Vec<Kind>, Vec<Piece>) {
        let index = self.boards[0].1.index();
        let mut kinds = Kinds::default();
        let mut found: Vec<(Sight, Piece)> = Vec::new();
        for (at, (_, board)) in self.boards.iter().enumerate() {
            for piece in &board.pieces {
                let tile = piece.at.tile().and_then(|tile| index.get(&tile)).copied();
                if tile.is_some_and(|tile| self.best[tile] != at) {
                    continue;
                }
                let sight = tile.map_or(Sight::Seen, |tile| board.sight(tile));
                let kind = board.kind(piece).map_or(0, |kind| kinds.number(kind));
                let piece = Piece { kind, ..piece.clone() };
                match found.iter_mut().find(|(_, other)| other.id == piece.id) {
                    Some(other) if other.0.code() <= sight.code() => {}
                    Some(other) => *other = (sight, piece),
                    None => found.push((sight, piece)),
                }
            }
        }
        (kinds.0, found.into_iter().map(|(_, piece)| piece).collect())
    }
}

/// Kinds of several boards, each once.
#[derive(Default)]
struct Kinds(Vec<Kind>);

impl Kinds {
    /// The number of a kind, which is added where it is new; 0 where there is no room.
    fn number(&mut self, kind: &Kind) -> u8 {
        if let Some(at) = self.0.iter().position(|own| own == kind) {
            return at as u8 + 1;
        }
        if self.0.len() >= MOST_KINDS {
            return 0;
        }
        self.0.push(kind.clone());
        self.0.len() as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Datum, Look, Shape, TileAt};
    use crate::palette::Palette;

    fn kind(name: &str) -> Kind {
        Kind::new(name, None, Palette::TEXT, Look::Block)
    }

    /// Two tiles, seen and owned as given, with structures by name.
    fn scene(sight: [Sight; 2], owners: [u8; 2], structures: [&str; 2]) -> Scene {
        let mut board = Board::new(Shape::Square, vec![TileAt::new(0, 0), TileAt::new(1, 0)]);
        board.sight = sight.map(Sight::code).to_vec();
        board.owners = owners.to_vec();
        let kinds: Vec<Kind> =
            structures.iter().filter(|name| !name.is_empty()).map(|name| kind(name)).collect();
        let number = |name: &&str| kinds.iter().position(|kind| kind.name == **name);
        let cells = structures.iter().map(|name| number(name).map_or(0, |at| at as u8 + 1));
        let cells = cells.collect();
        board.layers.push(Layer { name: "structure".into(), kinds, cells });
        let mut scene = Scene::new("test");
        scene.players = (1..=2).map(|n| Player::new(n, n.to_string(), format!("P{n}"))).collect();
        scene.board = Some(board);
        scene
    }

    fn structures(scene: &Scene) -> Vec<String> {
        let board = scene.board.as_ref().unwrap();
        let layer = &board.layers[0];
        (0..2)
            .map(|tile| layer.kind(tile).map_or(String::new(), |kind| kind.name.clone()))
            .collect()
    }

    const SEEN: Sight = Sight::Seen;
    const OLD: Sight = Sight::Remembered;

    #[test]
    fn what_is_seen_beats_what_is_remembered() {
        let ana = scene([SEEN, OLD], [1, 2], ["", "road"]);
        let ben = scene([OLD, SEEN], [2, 0], ["tower", ""]);
        let all = together(&[(1, ana), (2, ben)]);
        assert_eq!(structures(&all), ["", ""]);
        let board = all.board.unwrap();
        assert_eq!((board.owners, board.sight), (vec![1, 0], vec![]));
    }

    #[test]
    fn of_two_that_are_as_certain_the_owner_counts_and_nothing_that_one_knows_is_lost() {
        let ana = scene([OLD, OLD], [1, 1], ["wall", ""]);
        let ben = scene([OLD, OLD], [2, 2], ["road", "tower"]);
        let all = together(&[(1, ana.clone()), (2, ben.clone())]);
        assert_eq!(structures(&all), ["wall", "tower"]);
        assert_eq!(all.board.unwrap().owners, [1, 1]);
        // Whoever is first: the owner of a tile knows it best.
        let mut other = ana;
        other.board.as_mut().unwrap().owners = vec![2, 1];
        let all = together(&[(1, other), (2, ben)]);
        assert_eq!(structures(&all), ["road", "tower"]);
    }

    #[test]
    fn a_piece_is_where_it_is_seen_and_not_where_it_was() {
        let mut ana = scene([SEEN, OLD], [0, 0], ["", ""]);
        let mut ben = scene([OLD, SEEN], [0, 0], ["", ""]);
        for (scene, name, at) in [(&mut ana, "knight", 1), (&mut ben, "rider", 1)] {
            let board = scene.board.as_mut().unwrap();
            board.kinds.push(kind(name));
            board.pieces.push(Piece::new("a", 1, TileAt::new(at, 0)));
        }
        let all = together(&[(1, ana), (2, ben)]).board.unwrap();
        assert_eq!(all.pieces.len(), 1);
        assert_eq!(all.kind(&all.pieces[0]).unwrap().name, "rider");
    }

    #[test]
    fn each_player_is_known_as_by_themselves() {
        let [mut ana, mut ben] = [0, 0].map(|_| scene([SEEN; 2], [0; 2], ["", ""]));
        ana.players[0].values = vec![Value::new("money", 5i64)];
        ana.players[1].values = vec![Value::new("money", 1i64), Value::new("lives", 3i64)];
        ben.players[1].values = vec![Value::new("money", 9i64)];
        ben.players[0].eliminated = true;
        (ana.title.view, ben.title.view) = (Some("Ana".into()), Some("Ben".into()));
        let all = together(&[(1, ana), (2, ben)]);
        assert_eq!(all.title.view.as_deref(), Some("Ana + Ben"));
        let value = |player: usize, name: &str| {
            let values = &all.players[player].values;
            values.iter().find(|value| value.name == name).map(|value| value.value.clone())
        };
        assert_eq!(value(0, "money"), Some(Datum::Integer(5)));
        assert_eq!(
            (value(1, "money"), value(1, "lives")),
            (Some(Datum::Integer(9)), Some(Datum::Integer(3)))
        );
        assert!(all.players[0].eliminated);
    }
}
