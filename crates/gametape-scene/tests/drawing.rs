//! Drawing of any scene: never a panic, and pixels of the right colours.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use gametape_scene::{
    Board, Colour, Kind, Layer, Look, Palette, Piece, Player, Position, Scene, Shape, TextMap,
    TileAt,
};
use proptest::prelude::*;

fn looks() -> impl Strategy<Value = Look> {
    prop_oneof![
        Just(Look::Fill),
        Just(Look::Tint),
        Just(Look::Dot),
        Just(Look::Flag),
        Just(Look::Text),
        Just(Look::Disc),
        Just(Look::Token),
        Just(Look::Counter),
        Just(Look::Crowned),
        any::<char>().prop_map(Look::Symbol),
    ]
}

prop_compose! {
    fn kinds()(name in ".{0,12}", glyph in any::<Option<char>>(), rgb in any::<u32>(), look in looks()) -> Kind {
        Kind::new(&name, glyph, Colour::hex(rgb), look)
    }
}

prop_compose! {
    fn layers()(name in ".{0,5}", kinds in prop::collection::vec(kinds(), 0..4), cells in prop::collection::vec(any::<u8>(), 0..20)) -> Layer {
        Layer { name, kinds, cells }
    }
}

fn coordinate() -> impl Strategy<Value = i32> {
    prop_oneof![4 => -8..8i32, 1 => any::<i32>()]
}

prop_compose! {
    fn pieces()(id in ".{0,4}", kind in 0..4u8, x in prop_oneof![4 => -9f32..9.0, 1 => any::<f32>()], y in prop_oneof![4 => -9f32..9.0, 1 => any::<f32>()],
                owner in any::<u8>(), facing in any::<Option<f32>>(), label in any::<Option<String>>()) -> Piece {
        let mut piece = Piece::new(id, kind, Position { x, y });
        (piece.owner, piece.facing, piece.label) = (owner, facing, label);
        piece
    }
}

prop_compose! {
    fn scenes()(shape in prop_oneof![Just(Shape::Hex), Just(Shape::Square), Just(Shape::Free)], up in any::<bool>(),
                tiles in prop::collection::vec((coordinate(), coordinate()), 0..20),
                owners in prop::collection::vec(any::<u8>(), 0..20), sight in prop::collection::vec(any::<u8>(), 0..20),
                layers in prop::collection::vec(layers(), 0..4), kinds in prop::collection::vec(kinds(), 0..3),
                pieces in prop::collection::vec(pieces(), 0..6), names in prop::collection::vec(".{0,9}", 0..3)) -> Scene {
        let mut board = Board::new(shape, tiles.into_iter().map(|(x, y)| TileAt::new(x, y)).collect());
        (board.up, board.owners, board.sight, board.layers) = (up, owners, sight, layers);
        (board.kinds, board.pieces) = (kinds, pieces);
        let mut scene = Scene::new("Any");
        scene.players = names.into_iter().zip(1..).map(|(name, n)| Player::new(n, "1", name)).collect();
        scene.title.players = scene.players.iter().map(|player| player.name.clone()).collect();
        scene.board = Some(board);
        scene
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_never_panics_is_bounded_and_harmless(scene in scenes()) {
        let map = TextMap::of(&scene);
        prop_assert!(map.height() <= 1100 && map.width() <= 3300);
        for text in [map.to_string(), map.coloured().replace('\u{1b}', "")] {
            prop_assert!(text.chars().all(|c| !c.is_control() || c == '\n'));
        }
    }
}

#[cfg(feature = "png")]
mod pixels {
    use gametape_scene::png;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn pictures_never_panic(scene in scenes()) {
            let _ = png::draw(&scene, &png::Options::default().with_scale(Some(3)));
        }
    }

    /// The width of a PNG file, and the colours of its pixels by row.
    fn decoded(file: &[u8]) -> (usize, Vec<Colour>) {
        let mut reader = ::png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let colours = bytes.chunks_exact(3).map(|pixel| Colour(pixel[0], pixel[1], pixel[2]));
        (info.width as usize, colours.collect())
    }

    /// Four tiles: forest, Ana's forest, remembered forest, unknown.
    fn four_tiles(shape: Shape) -> Scene {
        let tiles = (0..4).map(|x| TileAt::new(x, 0)).collect();
        let forest = Kind::new("forest", Some('&'), Palette::terrain("forest"), Look::Fill);
        let mut board = Board::new(shape, tiles);
        board.owners = vec![0, 1, 0, 0];
        board.sight = vec![0, 0, 1, 2];
        board.layers.push(Layer { name: "ground".into(), kinds: vec![forest], cells: vec![1; 4] });
        let mut scene = Scene::new("Test");
        scene.players.push(Player::new(1, "1", "Ana"));
        scene.board = Some(board);
        scene
    }

    fn colours(scene: &Scene) -> Vec<Colour> {
        let picture = png::draw(scene, &png::Options::default().with_scale(Some(40))).unwrap();
        let (width, pixels) = decoded(&picture);
        // The heading is 96 pixels high, the margin 24.
        let row = 96 + 20;
        (0..4).map(|tile| pixels[row * width + 24 + 20 + 40 * tile]).collect()
    }

    #[test]
    fn tiles_have_the_colours_of_ground_owner_and_sight() {
        let forest = Palette::terrain("forest");
        for shape in [Shape::Square, Shape::Hex] {
            let found = colours(&four_tiles(shape));
            let owned = forest.mixed(Palette::player(1), 128);
            let remembered = forest.mixed(Palette::BACKGROUND, 128);
            assert_eq!(found, [forest, owned, remembered, Palette::BACKGROUND], "{shape:?}");
        }
    }

    #[test]
    fn men_and_kings_of_draughts_are_discs_in_the_colours_of_their_owners() {
        let mut scene = four_tiles(Shape::Square);
        scene.players.push(Player::new(2, "2", "Ben"));
        let board = scene.board.as_mut().unwrap();
        board.sight.clear();
        let kind = |name: &str, look| Kind::new(name, None, Palette::TEXT, look);
        board.kinds = vec![kind("man", Look::Counter), kind("king", Look::Crowned)];
        board.pieces = [(1, 1), (2, 1), (1, 2), (2, 2)]
            .iter()
            .zip(0..)
            .map(|((kind, owner), x)| {
                let mut piece = Piece::new(x.to_string(), *kind, TileAt::new(x, 0));
                piece.owner = *owner;
                piece
            })
            .collect();
        let picture = png::draw(&scene, &png::Options::default().with_scale(Some(40))).unwrap();
        let (width, pixels) = decoded(&picture);
        // Pixels of a tile, from its middle.
        let pixel = |tile: usize, dx: i32, dy: i32| {
            let (x, y) = (24 + 20 + 40 * tile as i32 + dx, 96 + 20 + dy);
            pixels[y as usize * width + x as usize]
        };
        for (man, player) in [(0, 1), (2, 2)] {
            let (king, colour) = (man + 1, Palette::player(player));
            // The disc has a radius of 16.4, its groove one of 9.8, its rim is dark.
            assert_eq!((pixel(man, 0, 0), pixel(man, 0, -13)), (colour, colour));
            assert_eq!(pixel(man, 0, -10), colour.mixed(Palette::INK, 110));
            assert_eq!(
                (pixel(king, 0, -1), pixel(king, 0, 6)),
                (colour.readable(), colour.readable())
            );
            assert_eq!((pixel(king, 0, -13), pixel(king, 0, 11)), (colour, colour));
        }
    }

    #[test]
    fn a_scale_that_is_too_large_is_refused_with_the_largest() {
        let mut scene = four_tiles(Shape::Square);
        let tiles = (0..1000).map(|x| TileAt::new(x, 0)).collect();
        scene.board.as_mut().unwrap().tiles = tiles;
        let refused = png::draw(&scene, &png::Options::default().with_scale(Some(200)));
        assert_eq!(refused, Err(png::PictureError::ScaleTooLarge { most: 6 }));
        assert!(png::draw(&scene, &png::Options::default().with_scale(Some(6))).is_ok());
    }

    #[test]
    fn letters_that_cannot_be_drawn_are_listed_once() {
        let mut scene = four_tiles(Shape::Hex);
        assert_eq!(png::missing_letters(&scene), "");
        scene.players.push(Player::new(2, "2", "Chen 陈陈"));
        scene.players.push(Player::new(3, "3", "你 Борис"));
        assert_eq!(png::missing_letters(&scene), "你陈");
    }

    #[test]
    fn the_legend_has_the_colours_of_the_board() {
        let scene = four_tiles(Shape::Square);
        let picture = png::draw(&scene, &png::Options::default()).unwrap();
        let (_, pixels) = decoded(&picture);
        let forest = Palette::terrain("forest");
        let is = |colour: Colour| pixels.iter().filter(|pixel| **pixel == colour).count();
        // A tile is 56 × 56; the swatch 20 × 20 more, less its border.
        assert!(is(forest) > 56 * 56 - 400 && is(forest) < 56 * 56 + 420, "{}", is(forest));
        assert!(is(forest.mixed(Palette::player(1), 128)) > 2300);
    }
}
