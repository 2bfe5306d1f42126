//! The player: which moment is shown, whether it plays and how fast, what is being typed.
//!
//! Keys and the time of day come in as arguments, so all of it can be tested without a terminal
//! and without waiting.

use std::time::Duration;

use gametape_replay::{Clock, Direction};
use gametape_wire::{Moment, Time, View, When};
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::keys::{self, Action};
use super::panels::Panels;
use crate::commands::stage::Stage;

/// Speeds go from 2 to the power of this, to its opposite.
const SPEED_RANGE: i32 = 8;
/// Thousandths: the speed of the recording.
const NORMAL_RATE: i64 = 1024;

/// Nobody types a longer answer.
const PROMPT_CHARS: usize = 60;

/// A recording and the moment of it that is shown.
pub(super) struct Player {
    pub(super) stage: Stage,
    pub(super) panels: Panels,
    clock: Clock,
    speed: i32,
    /// Play pauses when it comes to this moment.
    pause: Option<Moment>,
    pub(super) prompt: Option<Prompt>,
    pub(super) help: bool,
    /// What the last key came to, if there is something to say.
    pub(super) message: Option<String>,
    pub(super) over: bool,
}

/// A question at the bottom of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prompt {
    kind: Question,
    pub(super) label: &'static str,
    pub(super) answer: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    Time,
    Search,
}

impl Player {
    /// A player that shows where a recording is, and waits.
    pub(super) fn new(stage: Stage) -> Self {
        Self {
            clock: Clock::new(stage.tick_length()),
            panels: Panels::new(&stage),
            stage,
            speed: 0,
            pause: None,
            prompt: None,
            help: false,
            message: None,
            over: false,
        }
    }

    /// Play pauses when it comes to this time from before; it can go on from there.
    pub(super) fn pause_at(&mut self, time: Option<Time>) {
        let length = self.stage.tick_length();
        self.pause = time.map(|time| Moment::after(length.tick_at(time)).min(self.stage.end()));
    }

    pub(super) fn is_playing(&self) -> bool {
        !self.clock.is_paused()
    }

    /// How fast it plays, in words.
    pub(super) fn speed(&self) -> String {
        match self.speed {
            0.. => format!("×{}", 1u64 << self.speed),
            _ => format!("×1/{}", 1u64 << -self.speed),
        }
    }

    fn rate(&self) -> i64 {
        match self.speed {
            0.. => NORMAL_RATE << self.speed,
            _ => NORMAL_RATE >> -self.speed,
        }
    }

    /// Time has passed: goes on, if it is playing.
    pub(super) fn tick(&mut self, now: Duration) {
        if !self.is_playing() {
            return;
        }
        let position = self.stage.position();
        let end = self.pause.filter(|pause| position < *pause).unwrap_or(self.stage.end());
        let due = self.clock.due(now, position, end);
        if due > position {
            self.go_since(due, position);
        }
        if self.stage.position() >= end {
            self.pause();
        }
    }

    /// A key was pressed.
    pub(super) fn press(&mut self, key: KeyEvent, now: Duration) {
        self.message = None;
        let action = keys::action(key);
        if self.help {
            // Any key closes the help; those that quit do no more than that.
            self.help = false;
        } else if let Some(prompt) = self.prompt.take() {
            self.type_on(prompt, key, action);
        } else if let Some(action) = action {
            self.act(action, now);
        } else {
            self.press_panels(key);
        }
    }

    fn act(&mut self, action: Action, now: Duration) {
        match action {
            Action::Step(by) => self.step(by),
            Action::First => self.go(Moment::START),
            Action::Last => self.go(self.stage.end()),
            Action::PlayOrPause => self.play_or_pause(now),
            Action::Faster(by) => self.change_speed(by, now),
            Action::AskTime => {
                self.ask(Question::Time, "go to (3:37.6, 50%, tick:120, turn:4, end)");
            }
            Action::AskSearch => self.ask(Question::Search, "search"),
            Action::SearchOn => self.message = self.panels.search(&self.stage, ""),
            Action::Help => self.help = true,
            Action::Quit => self.over = true,
        }
    }

    /// Keys for what is shown, not for when it is.
    fn press_panels(&mut self, key: KeyEvent) {
        let view = match key.code {
            KeyCode::Char('v') => Some(self.next_view(true)),
            KeyCode::Char('V') => Some(self.next_view(false)),
            KeyCode::Char(digit @ '0'..='9') => View::new(digit as u8 - b'0'),
            _ => None,
        };
        match view {
            Some(_) if self.stage.is_gamelog() => {
                self.message = Some("a gamelog has no views".to_owned());
            }
            Some(view) => match self.stage.change_view(view) {
                Ok(()) => self.panels.forget(),
                Err(error) => self.message = Some(error.to_string()),
            },
            None => self.message = self.panels.press(key.code, &self.stage),
        }
    }

    /// The view after or before the present one; after the last comes the first.
    fn next_view(&self, forward: bool) -> View {
        let views: Vec<View> = self.stage.views().iter().collect();
        let now = views.iter().position(|view| *view == self.stage.view()).unwrap_or(0);
        let step = if forward { 1 } else { views.len().saturating_sub(1) };
        views.get((now + step) % views.len().max(1)).copied().unwrap_or(View::SPECTATOR)
    }

    /// Steps to moments at which something changes.
    fn step(&mut self, by: i64) {
        let direction = if by < 0 { Direction::Backward } else { Direction::Forward };
        let before = self.stage.position();
        for _ in 0..by.unsigned_abs() {
            match self.stage.step(direction) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return self.failed(&error),
            }
        }
        if self.stage.position() == before {
            let end = if by < 0 { "this is the first moment" } else { "this is the last moment" };
            self.message = Some(end.to_owned());
        }
        self.arrived(moment_before(self.stage.position()));
    }

    /// Shows a moment and what changed in it alone.
    pub(super) fn go(&mut self, moment: Moment) {
        self.go_since(moment, moment_before(moment));
    }

    fn go_since(&mut self, moment: Moment, since: Moment) {
        match self.stage.seek(moment) {
            Ok(()) if self.is_playing() && since < moment => self.panels.show(since),
            Ok(()) => self.arrived(since),
            Err(error) => self.failed(&error),
        }
    }

    fn arrived(&mut self, since: Moment) {
        self.clock.moved();
        self.panels.show(since);
    }

    fn failed(&mut self, error: &gametape_wire::Error) {
        self.pause();
        self.message = Some(error.to_string());
    }

    /// Plays on from here; from the first moment if this is the last.
    fn play_or_pause(&mut self, now: Duration) {
        if self.is_playing() {
            return self.pause();
        }
        if self.stage.position() >= self.stage.end() {
            self.go(Moment::START);
        }
        self.clock.play(self.rate(), now, self.stage.position());
    }

    fn pause(&mut self) {
        self.clock.play(0, Duration::ZERO, self.stage.position());
    }

    fn change_speed(&mut self, by: i32, now: Duration) {
        self.speed = (self.speed + by).clamp(-SPEED_RANGE, SPEED_RANGE);
        if self.is_playing() {
            self.clock.play(self.rate(), now, self.stage.position());
        }
        self.message = Some(self.speed());
    }

    fn ask(&mut self, kind: Question, label: &'static str) {
        self.prompt = Some(Prompt { kind, label, answer: String::new() });
    }

    /// Goes on with an answer.
    fn type_on(&mut self, mut prompt: Prompt, key: KeyEvent, action: Option<Action>) {
        match key.code {
            KeyCode::Enter => return self.answer(&prompt),
            KeyCode::Esc => return,
            KeyCode::Char(_) if action == Some(Action::Quit) && !key.modifiers.is_empty() => return,
            KeyCode::Backspace if prompt.answer.pop().is_none() => return,
            KeyCode::Char(letter) if prompt.answer.chars().count() < PROMPT_CHARS => {
                prompt.answer.push(letter);
            }
            _ => {}
        }
        self.prompt = Some(prompt);
    }

    fn answer(&mut self, prompt: &Prompt) {
        let answer = prompt.answer.trim();
        match prompt.kind {
            Question::Search => self.message = self.panels.search(&self.stage, answer),
            Question::Time if answer.is_empty() => {}
            Question::Time => match answer.parse::<When>().and_then(|when| self.stage.find(when)) {
                Ok(moment) => self.go(moment),
                Err(error) => self.message = Some(error.to_string()),
            },
        }
    }
}

/// Before the last tick that happened.
fn moment_before(moment: Moment) -> Moment {
    moment.last_tick().map_or(Moment::START, Moment::before)
}

#[cfg(test)]
mod tests;
