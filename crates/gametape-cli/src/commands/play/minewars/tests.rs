use gametape_minewars::Generation;
use gametape_minewars::sample::Sample;
use gametape_minewars::{Grid, WriteOptions, write_file};
use gametape_replay::{ConvertOptions, minewars};
use gametape_tape::{ChunkKind, Tape, cut_bytes};
use ratatui::crossterm::event::KeyModifiers;
use ratatui::style::Modifier;

use super::*;
use crate::commands::play::player::Player;
use crate::commands::play::testing::{Screen, press};
use crate::input::Source;

/// A small session on a square map, whose frames can be counted by hand.
fn with_sample(look: impl FnOnce(Player<MineWars<FileReel<'_>>>)) {
    let sample = Sample { grid: Grid::Square, radius: 3, moments: 40, ..Sample::default() };
    let (setup, frames) = sample.build(Generation::Current).unwrap();
    let bytes = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let file = ReplayFile::open(&bytes).unwrap();
    let show = MineWars::open("a.minewars", &file, &frames, View::SPECTATOR).unwrap();
    look(Player::new(show, 0));
}

/// Places of cells in reversed colours, inside of the map.
fn reversed(screen: &Screen) -> usize {
    screen.count(|cell| {
        cell.modifier.contains(Modifier::REVERSED) && cell.bg != ratatui::style::Color::Reset
    })
}

#[test]
fn the_map_the_legend_and_the_messages_are_on_the_screen() {
    with_sample(|mut player| {
        let start = Screen::of(&mut player, 100, 24);
        start.assert_has(&[
            "a.minewars   MineWars, square, radius 3   views 0 to 3",
            "View 0, spectator",
            "Legend",
            "Messages to view 0",
            "start  0:00",
            "×1",
            "? help",
        ]);
        assert_eq!(reversed(&start), 0);
        press(&mut player, "→");
        Screen::of(&mut player, 100, 24).assert_has(&["frame 0 of ", "PLAYER 1/0 JOIN \"Ada\""]);
    });
}

#[test]
fn tiles_that_changed_stand_out_two_columns_each() {
    with_sample(|mut player| {
        press(&mut player, "→→");
        let screen = Screen::of(&mut player, 100, 24);
        let changed = player.show.changed.len();
        assert!(changed > 0);
        assert_eq!(reversed(&screen), 2 * changed);
        screen.assert_has(&["OWNER "]);
    });
}

#[test]
fn other_views_know_other_things_at_the_same_moment() {
    with_sample(|mut player| {
        press(&mut player, "$");
        let moment = player.moment();
        let spectator = player.show.reel.state().hash();
        press(&mut player, "v");
        Screen::of(&mut player, 100, 24).assert_has(&["View 1, player", "Messages to view 1"]);
        assert_ne!(player.show.reel.state().hash(), spectator);
        press(&mut player, "V");
        assert_eq!(player.show.reel.state().hash(), spectator);
        assert_eq!((player.moment(), player.show.reel.position()), (moment, moment));
        press(&mut player, "V");
        Screen::of(&mut player, 100, 24).assert_has(&["View 3, player"]);
        press(&mut player, "9");
        assert_eq!(player.message.as_deref(), Some("view: there are views 0 to 3, not 9"));
    });
}

#[test]
fn moments_are_found_by_number_and_by_seconds() {
    with_sample(|mut player| {
        let show = &player.show;
        let last = show.moments() - 1;
        assert_eq!(show.find(When::End), Ok(last));
        assert_eq!(show.find(When::Number(u64::MAX)), Ok(last));
        assert!(show.find(When::Turn(3)).is_err());
        assert!(show.find_index(last as u64).is_err() && show.find_clock("soon").is_err());
        let time = show.time(10);
        press(&mut player, "g9⏎");
        assert_eq!(player.moment(), 10);
        let seconds = format!("t{}.{:03}⏎", time / 1000, time % 1000);
        press(&mut player, &format!("0{seconds}"));
        assert!(player.moment() >= 10 && player.show.time(player.moment()) == time);
    });
}

#[test]
fn a_small_screen_shows_a_part_of_the_map_that_scrolls() {
    with_sample(|mut player| {
        let before = Screen::of(&mut player, 20, 9).text();
        press(&mut player, "jjjjllll");
        let after = Screen::of(&mut player, 20, 9).text();
        assert_ne!(before, after);
        // Tiny screens have no room for anything; nothing breaks.
        for (width, height) in [(1, 1), (3, 2), (9, 4), (200, 3)] {
            Screen::of(&mut player, width, height);
        }
    });
}

#[test]
fn while_playing_everything_since_the_last_picture_is_told() {
    with_sample(|mut player| {
        player.show.go(5, 2).unwrap();
        Screen::of(&mut player, 100, 24);
        let heads =
            player.show.messages.iter().filter(|line| line.to_string().contains("to views"));
        assert_eq!(heads.count(), 3);
        let key = KeyEvent::new(KeyCode::Tab, KeyModifiers::NONE);
        assert_eq!(player.show.press(key), None);
        assert_eq!(player.show.focus, Focus::Messages);
    });
}

/// The same session as a tape with many keyframes, and as a file.
fn with_tape(
    change: impl FnOnce(Vec<u8>) -> Vec<u8>,
    look: impl FnOnce(Player<MineWars<TapeReel>>, Player<MineWars<FileReel<'_>>>),
) {
    let sample = Sample { grid: Grid::Square, radius: 3, moments: 40, ..Sample::default() };
    let (setup, frames) = sample.build(Generation::Current).unwrap();
    let bytes = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let file = ReplayFile::open(&bytes).unwrap();
    let options = ConvertOptions { spacing: 300, ..ConvertOptions::new(1) };
    let tape = change(minewars::to_tape(&file, &options).unwrap());
    let tape = TapeFile::in_memory(&Source::Stdin, tape);
    // Keepalives are no frames of a tape.
    let layout = file.frame_layout().unwrap();
    let kept = gametape_minewars::select_views(
        gametape_minewars::Frames::new(layout, &frames),
        layout.views(),
        gametape_minewars::Tail::Drop,
    );
    let kept = kept.unwrap();
    let show = MineWars::open("a", &file, &kept, View::SPECTATOR).unwrap();
    let tape = MineWars::open_tape("a", tape, None).unwrap();
    look(Player::new(tape, 0), Player::new(show, 0));
}

#[test]
fn a_tape_is_shown_as_the_file_that_it_was_made_of() {
    with_tape(std::convert::identity, |mut tape, mut file| {
        assert_eq!(tape.last(), file.last());
        let mut compared = 0;
        for keys in ["→", "→→", "g9⏎", "g30⏎", "←", "v", "←←", "$", "V", "^", "→", "2", "t3⏎"]
        {
            press(&mut tape, keys);
            press(&mut file, keys);
            assert_eq!(tape.moment(), file.moment());
            let screens =
                [Screen::of(&mut tape, 100, 30).text(), Screen::of(&mut file, 100, 30).text()];
            // Frames of one tick are shown together.
            let moment = tape.moment();
            if tape.show.time(moment) != tape.show.time(moment + 1) || moment == tape.last() {
                assert_eq!(tape.show.reel.state(), file.show.reel.state(), "{keys}");
                compared += usize::from(screens[0] == screens[1]);
            }
        }
        assert!(compared > 6, "{compared}");
        assert_eq!(tape.show.problems().1, 0);
    });
}

#[test]
fn a_tape_that_is_cut_shows_its_own_views_and_what_is_wrong() {
    let cut = |tape: Vec<u8>| {
        let views = [1, 3].into_iter().filter_map(View::new).collect();
        let mut cut = cut_bytes(&tape, views, 7).unwrap().bytes;
        let parsed = Tape::open(&cut).unwrap();
        let chunks: Vec<_> = parsed.stream(ChunkKind::FRAMES, 0).collect();
        let place = chunks[1].offset as usize + 60;
        cut[place] ^= 1;
        cut
    };
    with_tape(cut, |mut tape, _| {
        Screen::of(&mut tape, 100, 24).assert_has(&["views 1,3", "View 1, player"]);
        press(&mut tape, "v");
        Screen::of(&mut tape, 100, 24).assert_has(&["View 3, player"]);
        press(&mut tape, "v0");
        assert_eq!(tape.message.as_deref(), Some("view: there are views 1,3, not 0"));
        // The lost frames are no moments, and the keyframe behind them ends the doubt.
        press(&mut tape, "$");
        assert_eq!(tape.show.problems().1, 1);
        Screen::of(&mut tape, 100, 24).assert_has(&["1 problem"]);
        assert_eq!(tape.show.reel.doubt(), None);
    });
}

#[test]
fn a_tape_without_its_last_keyframes_says_what_is_in_doubt() {
    let damaged = |mut tape: Vec<u8>| {
        let parsed = Tape::open(&tape).unwrap();
        let frames: Vec<_> =
            parsed.stream(ChunkKind::FRAMES, 0).map(|entry| entry.offset).collect();
        let keyframes = parsed
            .chunks
            .iter()
            .filter(|chunk| chunk.header.kind.is_keyframe() && chunk.header.first_tick > 0);
        for offset in keyframes.map(|chunk| chunk.offset).chain([frames[1]]) {
            tape[offset as usize + 60] ^= 1;
        }
        tape
    };
    with_tape(damaged, |mut tape, _| {
        press(&mut tape, "→");
        assert!(!tape.show.label().contains("doubt"));
        press(&mut tape, "$");
        assert!(tape.show.label().contains("in doubt: ticks "), "{}", tape.show.label());
    });
}
