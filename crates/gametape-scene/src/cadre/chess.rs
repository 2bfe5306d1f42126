//! A chess board from its FEN.

use gametape_cadre::Node;

use super::board::chequered;
use super::values::text;
use crate::model::{Board, Datum, Kind, Look, Piece, Shape, TileAt, Value};
use crate::palette::Palette;

/// The most ranks and files that a board can have.
const MOST: usize = 26;

/// The pieces by their letters, with their symbols for white and black.
const PIECES: [(char, &str, char); 6] = [
    ('k', "king", '♚'),
    ('q', "queen", '♛'),
    ('r', "rook", '♜'),
    ('b', "bishop", '♝'),
    ('n', "knight", '♞'),
    ('p', "pawn", '♟'),
];

/// The board of a root with `fen`; none where there is none, or it makes no sense.
pub(super) fn board(root: Node<'_>, players: &[(String, Node<'_>)]) -> Option<Board> {
    let fen = root.get("fen").and_then(text)?;
    let ranks: Vec<&str> = fen.split_whitespace().next()?.split('/').collect();
    if ranks.len() > MOST {
        return None;
    }
    let ranks: Vec<Vec<Option<char>>> = ranks.into_iter().map(squares).collect::<Option<_>>()?;
    let width = ranks.iter().map(Vec::len).max().filter(|width| (1..=MOST).contains(width))?;
    let height = ranks.len();
    let tiles = (0..height).rev().flat_map(|y| (0..width).map(move |x| tile(x, y))).collect();
    let mut board = Board::new(Shape::Square, tiles);
    board.up = true;
    // a1, at 0,0, is dark.
    board.layers.extend(chequered(&board.tiles, "dark"));
    let white = white(players);
    board.kinds = [false, true].into_iter().flat_map(kinds).collect();
    for (rank, y) in ranks.iter().zip((0..height).rev()) {
        let there = rank.iter().enumerate().filter_map(|(x, letter)| Some((x, (*letter)?)));
        board.pieces.extend(there.filter_map(|(x, letter)| piece(letter, tile(x, y), white)));
    }
    Some(board)
}

/// The number of the move and whose it is, as the FEN says after the board.
pub(super) fn facts(root: Node<'_>, players: &[(String, Node<'_>)]) -> Vec<Value> {
    let fen = root.get("fen").and_then(text).unwrap_or_default();
    let mut fields = fen.split_whitespace().skip(1);
    let (white, black) = white(players);
    let to_move = fields.next().and_then(|side| match side {
        "w" => Some(white),
        "b" => Some(black),
        _ => None,
    });
    let number = fields.nth(3).and_then(|number| number.parse::<i64>().ok());
    let to_move = to_move.map(|player| Value::new("to move", Datum::Player { player }));
    number.map(|number| Value::new("move", number)).into_iter().chain(to_move).collect()
}

fn tile(x: usize, y: usize) -> TileAt {
    TileAt::new(x as i32, y as i32)
}

/// The squares of a rank: digits are empty ones.
fn squares(rank: &str) -> Option<Vec<Option<char>>> {
    let mut squares = Vec::new();
    for letter in rank.chars() {
        match letter.to_digit(10) {
            Some(empty) => squares.extend(std::iter::repeat_n(None, empty as usize)),
            None => squares.push(Some(letter)),
        }
        if squares.len() > MOST {
            return None;
        }
    }
    Some(squares)
}

/// The number of the player with the white pieces, and of the other.
fn white(players: &[(String, Node<'_>)]) -> (u8, u8) {
    let is_white = |node: &Node<'_>| {
        node.get("color").and_then(text).is_some_and(|colour| colour.eq_ignore_ascii_case("white"))
    };
    match players.iter().position(|(_, node)| is_white(node)) {
        Some(1) => (2, 1),
        _ => (1, 2),
    }
}

fn kinds(black: bool) -> impl Iterator<Item = Kind> {
    PIECES.iter().map(move |(letter, name, symbol)| {
        let glyph = if black { *letter } else { letter.to_ascii_uppercase() };
        let colour = if black { Palette::INK } else { Palette::TEXT };
        let side = if black { "black" } else { "white" };
        Kind::new(&format!("{side} {name}"), Some(glyph), colour, Look::Symbol(*symbol))
    })
}

fn piece(letter: char, at: TileAt, (white, black): (u8, u8)) -> Option<Piece> {
    let row = PIECES.iter().position(|(own, ..)| *own == letter.to_ascii_lowercase())? as u8;
    let is_black = letter.is_ascii_lowercase();
    let kind = row + 1 + if is_black { PIECES.len() as u8 } else { 0 };
    // A FEN does not say which piece came from where: the square is all that identifies it.
    let file = char::from(b'a' + u8::try_from(at.x).ok()?.min(25));
    let mut piece = Piece::new(format!("{file}{}", at.y + 1), kind, at);
    piece.owner = if is_black { black } else { white };
    Some(piece)
}
