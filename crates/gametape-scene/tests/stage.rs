//! Recordings as stages: every way to a moment shows the same, whatever the format.

#![cfg(feature = "stage")]
#![allow(clippy::unwrap_used, missing_docs)]

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use gametape_cadre::{Log, Options, sample};
use gametape_minewars::sample::Sample;
use gametape_minewars::{Generation, Grid, ReplayFile, WriteOptions, write_file};
use gametape_replay::open::{KeptStart, MinewarsBytes, OpenOptions, open};
use gametape_replay::{ConvertOptions, Direction, cadre, minewars};
use gametape_scene::stage::{Marks, PlayingStage, Shown, Stage, Tree, line_rows, search};
use gametape_tape::pack_bytes;
use gametape_wire::{Moment, Result, Source, Tick, View, When};

/// A small session on a square map.
fn minewars_bytes() -> Vec<u8> {
    let sample = Sample { grid: Grid::Square, radius: 3, moments: 40, ..Sample::default() };
    let (setup, frames) = sample.build(Generation::Current).unwrap();
    write_file(&setup, &frames, &WriteOptions::default()).unwrap()
}

fn minewars_tape() -> Vec<u8> {
    let bytes = minewars_bytes();
    let options = ConvertOptions::new(1).with_spacing(300);
    minewars::to_tape(&ReplayFile::open(&bytes).unwrap(), &options).unwrap()
}

fn gamelog(bytes: &[u8]) -> Log {
    Log::open(bytes, &Options::default()).unwrap()
}

/// The same way in for every format.
fn stage(bytes: Vec<u8>) -> Stage<KeptStart<Vec<u8>>> {
    let opened = open(bytes, &OpenOptions::default()).unwrap();
    Stage::open(opened, &[], &Options::default()).unwrap()
}

#[test]
fn every_moment_is_the_same_on_every_way() {
    let log = sample::log(60, 2);
    let log_tape = cadre::to_tape(&gamelog(&log), &ConvertOptions::new(1)).unwrap();
    for bytes in [minewars_bytes(), minewars_tape(), log, log_tape] {
        let mut stage = stage(bytes);
        stage.seek(Moment::START).unwrap();
        let mut scenes = vec![(stage.position(), stage.scene(), Vec::new(), Vec::new())];
        while stage.step(Direction::Forward).unwrap() {
            let (lines, messages) = (stage.lines().unwrap(), stage.messages());
            scenes.push((stage.position(), stage.scene(), lines, messages));
        }
        assert!(scenes.len() > 30 && scenes.iter().any(|(.., lines, _)| !lines.is_empty()));
        for (moment, scene, lines, messages) in scenes.iter().rev() {
            stage.seek(*moment).unwrap();
            assert_eq!(stage.scene(), *scene);
            if *moment != Moment::START {
                assert_eq!((&stage.lines().unwrap(), &stage.messages()), (lines, messages));
            }
        }
    }
}

#[test]
fn a_tape_shows_what_the_file_shows_that_it_was_made_of() {
    let mut file: Stage<&[u8]> =
        Stage::of_minewars(MinewarsBytes::new(minewars_bytes(), None)).unwrap();
    let mut tape = stage(minewars_tape());
    assert_eq!(file.views(), tape.views());
    for view in [0, 1, 3, 2].into_iter().filter_map(View::new) {
        file.change_view(view).unwrap();
        tape.change_view(view).unwrap();
        for text in ["start", "0:01", "50%", "2.5s", "end", "0.2s"] {
            let moment = file.find(text.parse().unwrap()).unwrap();
            file.seek(moment).unwrap();
            tape.seek(moment.min(tape.end())).unwrap();
            let [a, b] = [tape.scene(), file.scene()];
            assert_eq!((a.board, a.players), (b.board, b.players), "{view} {text}");
            assert_eq!(tape.messages(), file.messages(), "{view} {text}");
        }
    }
}

#[test]
fn a_view_that_is_not_there_changes_nothing() {
    let mut stage = stage(minewars_tape());
    let before = stage.scene();
    let error = stage.change_view(View::new(9).unwrap()).unwrap_err();
    assert!(error.to_string().contains("there are views 0 to 3, not 9"));
    assert_eq!((stage.scene(), stage.view()), (before, View::SPECTATOR));
}

#[test]
fn messages_are_the_disassembly_of_what_happened() {
    let mut stage = stage(minewars_bytes());
    stage.seek(Moment::START).unwrap();
    let _ = stage.step(Direction::Forward).unwrap();
    let shown = Shown::at(&mut stage, Moment::START).unwrap();
    let messages: Vec<String> =
        shown.messages.iter().map(gametape_scene::stage::Row::text).collect();
    assert!(messages[0].starts_with("PLAYER"), "{messages:?}");
    assert!(shown.first_message.is_some_and(|time| time.starts_with("0:00")));
    assert!(line_rows(&shown.lines).iter().any(|row| row.text() == "Ada joins"));
}

#[test]
fn a_tape_whose_metadata_is_damaged_is_refused() {
    let log = gamelog(&sample::log(5, 1));
    let mut tape = cadre::to_tape(&log, &ConvertOptions::new(1)).unwrap();
    let at = tape.windows(9).position(|window| window == b"\"gamelog\"").unwrap();
    tape[at..at + 9].copy_from_slice(b"\"gamebox\"");
    // The checksum of the metadata does not fit: nobody knows what it was.
    assert!(Stage::of_tape(tape, &[], &Options::default()).is_err());
}

#[test]
fn the_tree_opens_down_to_what_is_sought() {
    let mut stage = stage(sample::log(60, 1));
    let last = stage.end();
    stage.seek(last).unwrap();
    let shown = Shown::at(&mut stage, last).unwrap();
    let state = stage.gamelog().unwrap().state();
    let path = search(state, "gameobjectname", "").unwrap();
    let mut tree = Tree::default();
    tree.open_down_to(&path);
    tree.refresh(state, &Marks::of(&shown.changes));
    tree.select(&path);
    assert_eq!(tree.selected_path(), path);
    let row = tree.row(tree.selected()).unwrap().text();
    assert!(row.contains("gameObjectName: "), "{row}");
    tree.close_all();
    tree.refresh(state, &Marks::default());
    assert!(path.starts_with(&tree.selected_path()));
}

#[test]
fn playing_follows_the_clock_and_pauses_where_it_should() {
    let mut play = PlayingStage::new(stage(minewars_bytes()));
    play.go(Moment::START).unwrap();
    play.pause_at(Some(gametape_wire::Time::from_millis(1500)));
    play.play_or_pause(Duration::ZERO).unwrap();
    assert!(play.tick(Duration::from_secs(1)).unwrap());
    assert_eq!((play.stage.position().next_tick(), play.since()), (Tick(1000), Moment::START));
    assert!(play.tick(Duration::from_secs(10)).unwrap() && !play.is_playing());
    assert_eq!(play.stage.position(), Moment::after(Tick(1500)));
    assert!(!play.tick(Duration::from_secs(20)).unwrap());
    let end = play.stage.find(When::End).unwrap();
    play.go(end).unwrap();
    assert!(!play.step(1).unwrap() && play.step(-1).unwrap());
}

/// Bytes that note what is fetched of them.
#[derive(Debug, Clone)]
struct Counting {
    tape: Rc<Vec<u8>>,
    fetched: Rc<RefCell<Vec<Range<u64>>>>,
}

impl Source for Counting {
    fn length(&self) -> u64 {
        self.tape.len() as u64
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.fetched.borrow_mut().push(range.clone());
        Ok(Cow::Borrowed(&self.tape[range.start as usize..range.end as usize]))
    }
}

#[test]
fn a_stage_reads_what_it_needs_and_opens_its_tape_once() {
    let sample = Sample { radius: 3, moments: 2500, ..Sample::default() };
    let (setup, frames) = sample.build(Generation::Current).unwrap();
    let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let options = ConvertOptions::new(1).with_spacing(4000);
    let tape = minewars::to_tape(&ReplayFile::open(&file).unwrap(), &options).unwrap();
    let source = Counting { tape: Rc::new(pack_bytes(&tape).unwrap()), fetched: Rc::default() };
    let length = source.length();
    assert!(length > 100_000, "{length}");
    let requests = || source.fetched.borrow_mut().drain(..).collect::<Vec<_>>();
    let opened = open(source.clone(), &OpenOptions::default()).unwrap();
    let mut stage = Stage::open(opened, &[], &Options::default()).unwrap();
    // Two to open it, two at most to see its first tick.
    let first = requests();
    assert!(first.len() <= 4, "{first:?}");
    assert!(first[..2].iter().map(|range| range.end - range.start).sum::<u64>() <= 64 << 10);
    let few = |what: &str| {
        let fetched = requests();
        assert!(fetched.len() <= 2, "{what}: {fetched:?}");
        let is_index = |range: &Range<u64>| range.start == 0 || range.end == length;
        assert!(!fetched.iter().any(is_index), "{what}: {fetched:?}");
    };
    for share in ["50%", "10%", "90%", "33%"] {
        let moment = stage.find(share.parse().unwrap()).unwrap();
        stage.seek(moment).unwrap();
        few(share);
        for view in stage.views().iter() {
            stage.change_view(view).unwrap();
            few(&format!("view {view} at {share}"));
            assert_eq!((stage.view(), stage.position()), (view, moment));
        }
    }
}

/// What is known of a tile, without whether it is seen.
fn known(stage: &Stage<KeptStart<Vec<u8>>>, at: gametape_scene::TileAt) -> String {
    let found = stage.inspect(at).unwrap();
    let own = found.values.iter().filter(|value| value.name != "sight");
    format!("{:?}", own.collect::<Vec<_>>())
}

#[test]
fn a_history_has_every_change_also_those_that_are_taken_back() {
    for bytes in [minewars_bytes(), minewars_tape()] {
        let mut stage = stage(bytes);
        let board = stage.scene().board.unwrap();
        let has_piece = |tile: &_| board.pieces.iter().any(|piece| piece.at.tile() == Some(*tile));
        let mut most = 0;
        for tile in board.tiles.iter().copied().filter(|tile| !has_piece(tile)).step_by(3) {
            let history = stage.history(tile).unwrap();
            stage.seek(stage.begin()).unwrap();
            let (mut before, mut changes) = (known(&stage, tile), Vec::new());
            while stage.step(Direction::Forward).unwrap() {
                let now = known(&stage, tile);
                if now != before {
                    changes.push(stage.position());
                }
                before = now;
            }
            let noticed: Vec<Moment> = history.changes.iter().map(|change| change.moment).collect();
            assert!(
                history.is_exact && history.changes.iter().all(|change| !change.text.is_empty())
            );
            for change in changes.iter().rev().take(noticed.len()) {
                assert!(noticed.contains(change), "{tile:?} at {change:?}: {noticed:?}");
            }
            most = most.max(changes.len());
        }
        assert!(most >= 3, "{most}");
    }
}

#[test]
fn what_is_told_in_parts_is_what_is_said_on_the_way() {
    let log = sample::log(60, 2);
    for bytes in [minewars_bytes(), minewars_tape(), log] {
        let mut stage = stage(bytes);
        let here = stage.position();
        while !stage.report_more(100).unwrap() {
            assert_eq!(stage.position(), here);
            assert!((0.0..1.0).contains(&stage.reported_share()));
        }
        assert_eq!((stage.reported_share(), stage.position()), (1.0, here));
        let reported: Vec<_> = stage
            .reported()
            .iter()
            .map(|reported| (reported.moment, reported.line.clone()))
            .collect();
        stage.seek(stage.begin()).unwrap();
        let mut said = Vec::new();
        while stage.step(Direction::Forward).unwrap() {
            let moment = stage.position();
            said.extend(stage.lines().unwrap().into_iter().map(|line| (moment, line)));
        }
        assert!(said.len() > 20);
        assert_eq!(reported, said);
    }
}
