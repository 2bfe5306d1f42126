//! Every recording of the corpus gives scenes, and they are sensible.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::{Path, PathBuf};

use gametape_cadre::{Log, Options, Timeline};
use gametape_minewars::{Dialect, Frames, ReplayFile, replay_view};
use gametape_scene::{Context, Scene, Shape, TextMap, Visible, minewars};
use gametape_wire::Tick;

fn corpus() -> Option<PathBuf> {
    let found = std::env::var_os("GAMETAPE_CORPUS").map(PathBuf::from);
    if found.is_none() {
        eprintln!("skipped: GAMETAPE_CORPUS is not set");
    }
    found
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    files
}

/// What every scene must be, whatever it is of.
fn check(scene: &Scene, name: &str) {
    if let Some(board) = &scene.board {
        let count = board.tiles.len();
        for layer in &board.layers {
            assert_eq!(layer.cells.len(), count, "{name}: {}", layer.name);
            let used = layer.cells.iter().map(|cell| usize::from(*cell)).max().unwrap_or(0);
            assert!(used <= layer.kinds.len(), "{name}: {}", layer.name);
        }
        assert!(board.owners.is_empty() || board.owners.len() == count, "{name}");
        assert!(board.owners.iter().all(|owner| usize::from(*owner) <= scene.players.len()));
        let mut ids: Vec<&str> = board.pieces.iter().map(|piece| &*piece.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), board.pieces.len(), "{name}: two pieces with one id");
        assert!(board.pieces.iter().all(|piece| board.kind(piece).is_some()), "{name}");
    }
    let json = serde_json::to_string(scene).unwrap();
    assert_eq!(serde_json::from_str::<Scene>(&json).unwrap(), *scene, "{name}");
    let text = TextMap::of(scene).to_string();
    assert!(text.contains(&scene.title.headline()), "{name}");
}

#[test]
fn every_view_of_every_minewars_file_gives_a_scene() {
    let Some(corpus) = corpus() else { return };
    let mut seen = 0;
    for (folder, dialect) in [
        ("current", Dialect::Current),
        ("v0.1", Dialect::V01),
        ("mw-datatool", Dialect::MwDatatool),
    ] {
        for path in files(&corpus.join("minewars").join(folder), ".minewars") {
            let name = path.display().to_string();
            let bytes = std::fs::read(&path).unwrap();
            let file = ReplayFile::open_as(&bytes, dialect).unwrap();
            let context = minewars::context_of_file(&file);
            let map = file.setup().map().unwrap();
            let layout = file.frame_layout().unwrap();
            let frames = file.frames().unwrap().bytes;
            for view in layout.views().iter() {
                let played =
                    replay_view(&map, Frames::new(layout, &frames), dialect, view, u64::MAX);
                let scene = played.state.scene(&context);
                check(&scene, &name);
                let board = scene.board.as_ref().unwrap();
                assert_ne!(board.shape, Shape::Free);
                let land: i64 = board.owners.iter().filter(|owner| **owner != 0).count() as i64;
                let said: i64 = scene
                    .players
                    .iter()
                    .map(|player| match &player.values[0].value {
                        gametape_scene::Datum::Integer(land) => *land,
                        other => panic!("{other:?}"),
                    })
                    .sum();
                assert_eq!(land, said, "{name}");
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn every_gamelog_gives_a_board_at_every_tenth() {
    let Some(corpus) = corpus() else { return };
    let mut logs = 0;
    for path in files(&corpus.join("cadre"), ".json.gz") {
        let name = path.display().to_string();
        let log = Log::open(std::fs::read(&path).unwrap(), &Options::default()).unwrap();
        let mut timeline = Timeline::load(log, &Options::default()).unwrap();
        let context = Context::new().at_delta(Tick(1));
        for tenth in 1..=10 {
            timeline.seek(timeline.len() * tenth / 10).unwrap();
            let scene = timeline.scene(&context);
            check(&scene, &name);
            let Some(board) = &scene.board else {
                assert!(tenth < 5, "{name}: no board");
                continue;
            };
            assert_eq!(board.shape, Shape::Square, "{name}");
            assert_eq!(scene.players.len(), 2, "{name}");
            let game = &*scene.title.game;
            let (tiles, width) =
                (board.tiles.len(), board.tiles.iter().map(|t| t.x).max().unwrap());
            let expected = match game {
                "Chess" => (64, 7),
                "Anarchy" | "Pirates" => (800, 39),
                "Catastrophe" => (468, 25),
                "Coreminer" => (900, 29),
                "Saloon" | "Stumped" => (512, 31),
                game => panic!("{name}: {game}"),
            };
            assert_eq!((tiles, width), expected, "{name}");
            assert!(!board.pieces.is_empty(), "{name}");
        }
        let delta = timeline.log().delta(timeline.len() / 2).unwrap().raw().as_bytes().to_vec();
        timeline.seek(timeline.len() / 2).unwrap();
        let lines = timeline.lines(&delta, &context);
        assert!(lines.iter().all(|line| !line.text.is_empty()) && !lines.is_empty(), "{name}");
        logs += 1;
    }
    assert!(logs >= 11, "{logs}");
}
