use gametape_wire::{self as wire, Error};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyModifiers;
use ratatui::layout::Rect;

use super::*;
use crate::moment::At;

/// Five hundred moments, one in 100 ms; moment 13 cannot be shown.
#[derive(Default)]
struct Numbers {
    shown: (usize, usize),
    pressed: Vec<KeyCode>,
    searched: Vec<String>,
}

impl Show for Numbers {
    fn moments(&self) -> usize {
        500
    }
    fn go(&mut self, moment: usize, since: usize) -> wire::Result<()> {
        if moment == 13 {
            return Err(Error::misuse("moment", "unlucky"));
        }
        self.shown = (moment, since);
        Ok(())
    }
    fn title(&self) -> String {
        String::new()
    }
    fn label(&self) -> String {
        self.shown.0.to_string()
    }
    fn find(&self, _: At) -> Result<usize, String> {
        Ok(0)
    }
    fn find_index(&self, number: u64) -> Result<usize, String> {
        usize::try_from(number).ok().filter(|n| *n < 500).ok_or("too far".into())
    }
    fn clock_name(&self) -> &'static str {
        "seconds"
    }
    fn find_clock(&self, text: &str) -> Result<usize, String> {
        text.parse::<usize>().map(|seconds| seconds * 10).map_err(|error| error.to_string())
    }
    fn time(&self, moment: usize) -> u64 {
        moment as u64 * 100
    }
    fn moment_at(&self, time: u64) -> usize {
        (time / 100) as usize
    }
    fn speed(&self, exponent: i32) -> String {
        format!("2^{exponent}")
    }
    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
    fn hints(&self) -> &'static str {
        ""
    }
    fn press(&mut self, key: KeyEvent) -> Option<String> {
        self.pressed.push(key.code);
        None
    }
    fn search(&mut self, text: &str) -> Option<String> {
        self.searched.push(text.to_owned());
        Some("not found".to_owned())
    }
    fn draw(&mut self, _: Rect, _: &mut Buffer) {}
}

fn at(moment: usize) -> Player<Numbers> {
    Player::new(Numbers::default(), moment)
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn press(player: &mut Player<Numbers>, codes: &[KeyCode]) {
    codes.iter().for_each(|code| player.press((*code).into(), ms(0)));
}

fn type_text(player: &mut Player<Numbers>, text: &str) {
    text.chars().for_each(|c| player.press(KeyCode::Char(c).into(), ms(0)));
    player.press(KeyCode::Enter.into(), ms(0));
}

#[test]
fn arrows_step_by_one_ten_and_a_hundred_and_stop_at_the_ends() {
    let steps = [
        (KeyModifiers::NONE, KeyCode::Right, 201),
        (KeyModifiers::NONE, KeyCode::Left, 199),
        (KeyModifiers::SHIFT, KeyCode::Right, 210),
        (KeyModifiers::NONE, KeyCode::PageUp, 190),
        (KeyModifiers::NONE, KeyCode::PageDown, 210),
        (KeyModifiers::CONTROL, KeyCode::Left, 100),
        (KeyModifiers::CONTROL, KeyCode::Right, 300),
        (KeyModifiers::NONE, KeyCode::Home, 0),
        (KeyModifiers::NONE, KeyCode::End, 499),
    ];
    for (modifiers, code, expected) in steps {
        let mut player = at(200);
        player.press(KeyEvent::new(code, modifiers), ms(0));
        let since = usize::saturating_sub(expected, 1);
        assert_eq!((player.moment(), player.show.shown), (expected, (expected, since)));
        assert_eq!(player.message, None);
    }
    let mut player = at(499);
    press(&mut player, &[KeyCode::PageDown]);
    assert_eq!((player.moment(), player.message.is_some()), (499, true));
    press(&mut player, &[KeyCode::Home, KeyCode::Left]);
    assert_eq!((player.moment(), player.message.is_some()), (0, true));
}

#[test]
fn a_moment_that_cannot_be_shown_is_told_and_not_gone_to() {
    let mut player = at(12);
    press(&mut player, &[KeyCode::Right]);
    assert_eq!(player.moment(), 12);
    assert!(player.message.as_deref().unwrap().contains("unlucky"));
}

#[test]
fn playing_follows_the_clock_and_marks_everything_since_the_moment_before() {
    let mut player = at(100);
    player.press(KeyCode::Char(' ').into(), ms(5_000));
    player.tick(ms(5_099));
    assert_eq!(player.moment(), 100);
    player.tick(ms(5_100));
    assert_eq!(player.show.shown, (101, 100));
    player.tick(ms(5_450));
    assert_eq!(player.show.shown, (104, 101));
    player.press(KeyCode::Char(' ').into(), ms(5_499));
    player.tick(ms(9_000));
    assert_eq!((player.moment(), player.is_playing()), (104, false));
}

#[test]
fn speed_changes_take_effect_at_once_and_lose_no_time() {
    let mut player = at(100);
    player.press(KeyCode::Char(' ').into(), ms(0));
    player.press(KeyCode::Char('+').into(), ms(50));
    assert_eq!(player.message.as_deref(), Some("2^1"));
    // 50 ms at normal speed and 25 ms twice as fast make the next moment due.
    player.tick(ms(74));
    assert_eq!(player.moment(), 100);
    player.tick(ms(75));
    assert_eq!(player.moment(), 101);
    for _ in 0..30 {
        player.press(KeyCode::Char('-').into(), ms(75));
    }
    assert_eq!(player.speed(), "2^-8");
    player.tick(ms(75 + 25_599));
    assert_eq!(player.moment(), 101);
    player.tick(ms(75 + 25_600));
    assert_eq!(player.moment(), 102);
}

#[test]
fn playing_goes_on_from_where_a_key_led() {
    let mut player = at(100);
    player.press(KeyCode::Char(' ').into(), ms(0));
    player.press(KeyCode::Home.into(), ms(1_000));
    player.tick(ms(1_099));
    assert_eq!(player.moment(), 0);
    player.tick(ms(1_300));
    assert_eq!(player.moment(), 3);
}

#[test]
fn playing_ends_with_the_last_moment_and_begins_anew_from_there() {
    let mut player = at(498);
    player.press(KeyCode::Char(' ').into(), ms(0));
    player.tick(ms(100_000));
    assert_eq!((player.moment(), player.is_playing()), (499, false));
    player.press(KeyCode::Char(' ').into(), ms(200_000));
    assert_eq!((player.moment(), player.is_playing()), (0, true));
    player.tick(ms(200_200));
    assert_eq!(player.moment(), 2);
}

#[test]
fn playing_pauses_at_the_end_of_a_window_and_can_go_on() {
    let mut player = at(100);
    player.pause_at(Some(110));
    player.press(KeyCode::Char(' ').into(), ms(0));
    player.tick(ms(900));
    assert_eq!((player.moment(), player.is_playing()), (109, true));
    player.tick(ms(5_000));
    assert_eq!((player.moment(), player.is_playing()), (110, false));
    player.press(KeyCode::Char(' ').into(), ms(6_000));
    player.tick(ms(6_500));
    assert_eq!((player.moment(), player.is_playing()), (115, true));
}

#[test]
fn a_moment_that_cannot_be_shown_stops_playing() {
    let mut player = at(12);
    player.press(KeyCode::Char(' ').into(), ms(0));
    player.tick(ms(100));
    assert_eq!((player.moment(), player.is_playing()), (12, false));
}

#[test]
fn numbers_and_times_can_be_typed() {
    let mut player = at(0);
    type_text(&mut player, "g321");
    assert_eq!((player.moment(), player.prompt.clone()), (321, None));
    type_text(&mut player, "t7");
    assert_eq!(player.moment(), 70);
    for (typed, message) in [("g500", "too far"), ("gx", "x is no number"), ("t", "")] {
        type_text(&mut player, typed);
        assert_eq!(player.moment(), 70);
        assert_eq!(player.message.as_deref().unwrap_or_default(), message);
    }
}

#[test]
fn an_answer_can_be_corrected_and_given_up() {
    use KeyCode::{Backspace, Char, Enter, Esc};
    let mut player = at(7);
    press(&mut player, &[Char('g'), Char('9'), Backspace, Char('4'), Enter]);
    assert_eq!(player.moment(), 4);
    press(&mut player, &[Char('g'), Char('9'), Esc]);
    assert_eq!((player.moment(), player.prompt.is_none(), player.over), (4, true, false));
    press(&mut player, &[Char('g'), Backspace]);
    assert_eq!(player.prompt, None);
    // While typing, letters are letters.
    press(&mut player, &[Char('/'), Char('q'), Char('?'), Char(' ')]);
    assert_eq!(player.prompt.as_ref().unwrap().answer, "q? ");
    press(&mut player, &[Enter, Char('n')]);
    assert_eq!(player.show.searched, ["q?", ""]);
    assert_eq!(player.message.as_deref(), Some("not found"));
}

#[test]
fn any_key_closes_the_help_and_does_nothing_else() {
    let mut player = at(7);
    press(&mut player, &[KeyCode::Char('?')]);
    assert!(player.help);
    press(&mut player, &[KeyCode::Esc]);
    assert!(!player.help && !player.over);
    press(&mut player, &[KeyCode::Char('?'), KeyCode::Right]);
    assert_eq!(player.moment(), 7);
}

#[test]
fn q_escape_and_control_c_quit() {
    let keys = [
        KeyCode::Char('q').into(),
        KeyCode::Esc.into(),
        KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL),
    ];
    for key in keys {
        let mut player = at(0);
        player.press(key, ms(0));
        assert!(player.over);
    }
}

#[test]
fn keys_without_a_meaning_of_their_own_go_to_the_show() {
    let mut player = at(0);
    press(&mut player, &[KeyCode::Tab, KeyCode::Up, KeyCode::Char('c'), KeyCode::Char('3')]);
    let pressed = [KeyCode::Tab, KeyCode::Up, KeyCode::Char('c'), KeyCode::Char('3')];
    assert_eq!(player.show.pressed, pressed);
}
