//! The player: what keys mean, what is being typed, what is reported.
//!
//! Keys and the time of day come in as arguments, so all of it can be tested without a terminal
//! and without waiting.

use std::time::Duration;

use gametape_scene::stage::Playback;
use gametape_wire::{Moment, View, When};
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::keys::{self, Action};
use super::panels::Panels;
use crate::commands::stage::Stage;
use crate::tape::TapeFile;

/// Nobody types a longer answer.
const PROMPT_CHARS: usize = 60;

/// A recording and the moment of it that is shown.
pub(super) struct Player {
    pub(super) play: Playback<TapeFile>,
    pub(super) panels: Panels,
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
            panels: Panels::new(&stage),
            play: Playback::new(stage),
            prompt: None,
            help: false,
            message: None,
            over: false,
        }
    }

    /// Time has passed: goes on, if it is playing.
    pub(super) fn tick(&mut self, now: Duration) {
        match self.play.tick(now) {
            Ok(false) => {}
            Ok(true) => self.panels.show(self.play.since()),
            Err(error) => self.failed(&error),
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
            Action::Last => self.go(self.play.stage.end()),
            Action::PlayOrPause => {
                let done = self.play.play_or_pause(now);
                self.arrived(done);
            }
            Action::Faster(by) => {
                self.play.change_speed(by, now);
                self.message = Some(self.play.speed());
            }
            Action::AskTime => {
                self.ask(Question::Time, "go to (3:37.6, 50%, tick:120, turn:4, end)");
            }
            Action::AskSearch => self.ask(Question::Search, "search"),
            Action::SearchOn => self.message = self.panels.search(&self.play.stage, ""),
            Action::Help => self.help = true,
            Action::Quit => self.over = true,
        }
    }

    /// Keys for what is shown, not for when it is.
    fn press_panels(&mut self, key: KeyEvent) {
        let view = match key.code {
            KeyCode::Char('v') => Some(self.play.next_view(true)),
            KeyCode::Char('V') => Some(self.play.next_view(false)),
            KeyCode::Char(digit @ '0'..='9') => View::new(digit as u8 - b'0'),
            _ => None,
        };
        match view {
            Some(_) if self.play.stage.is_gamelog() => {
                self.message = Some("a gamelog has no views".to_owned());
            }
            Some(view) => match self.play.stage.change_view(view) {
                Ok(()) => self.panels.forget(),
                Err(error) => self.message = Some(error.to_string()),
            },
            None => self.message = self.panels.press(key.code, &self.play.stage),
        }
    }

    /// Steps to moments at which something changes.
    fn step(&mut self, by: i64) {
        let done = self.play.step(by);
        if let Ok(false) = done {
            let end = if by < 0 { "this is the first moment" } else { "this is the last moment" };
            self.message = Some(end.to_owned());
        }
        self.arrived(done.map(drop));
    }

    /// Shows a moment and what changed in it alone.
    pub(super) fn go(&mut self, moment: Moment) {
        let done = self.play.go(moment);
        self.arrived(done);
    }

    fn arrived(&mut self, done: gametape_wire::Result<()>) {
        match done {
            Ok(()) => self.panels.show(self.play.since()),
            Err(error) => self.failed(&error),
        }
    }

    fn failed(&mut self, error: &gametape_wire::Error) {
        self.play.pause();
        self.message = Some(error.to_string());
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
            Question::Search => self.message = self.panels.search(&self.play.stage, answer),
            Question::Time if answer.is_empty() => {}
            Question::Time => {
                match answer.parse::<When>().and_then(|when| self.play.stage.find(when)) {
                    Ok(moment) => self.go(moment),
                    Err(error) => self.message = Some(error.to_string()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
