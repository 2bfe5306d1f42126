//! What keys mean for a viewer: commands, and answers that are typed.

use std::time::Duration;

use gametape_scene::stage::Viewer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::keys::{self, Command};
use crate::tape::TapeFile;

/// Nobody types a longer answer.
const PROMPT_CHARS: usize = 60;

/// A recording on a terminal.
pub(super) struct App {
    pub(super) viewer: Viewer<TapeFile>,
    pub(super) prompt: Option<Prompt>,
    /// The page of the help that is shown.
    pub(super) help: Option<usize>,
    /// How many pages the help has on the present screen.
    pub(super) help_pages: usize,
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

impl App {
    pub(super) fn new(viewer: Viewer<TapeFile>) -> Self {
        Self { viewer, prompt: None, help: None, help_pages: 1, over: false }
    }

    /// A key was pressed.
    pub(super) fn press(&mut self, key: KeyEvent, now: Duration) {
        let was_reported = self.viewer.message.take().is_some();
        if let Some(page) = self.help {
            // Any key turns the page or closes the help; those that quit do no more than that.
            let closes = keys::command(key) == Some(Command::Quit);
            self.help = Some(page + 1).filter(|page| !closes && *page < self.help_pages);
        } else if key.code == KeyCode::Esc && self.prompt.is_none() && was_reported {
            // It was a message that somebody wanted to be rid of.
        } else if let Some(prompt) = self.prompt.take() {
            self.type_on(prompt, key);
        } else {
            match keys::command(key) {
                Some(Command::Act(action)) => self.viewer.act(action, now),
                Some(Command::AskTime) => {
                    self.ask(Question::Time, "go to (3:37.6, 50%, tick:120, turn:4, end)");
                }
                Some(Command::AskSearch) => self.ask(Question::Search, "search"),
                Some(Command::Help) => self.help = Some(0),
                Some(Command::Quit) => self.over = true,
                None => {}
            }
        }
    }

    fn ask(&mut self, kind: Question, label: &'static str) {
        self.prompt = Some(Prompt { kind, label, answer: String::new() });
    }

    /// Goes on with an answer.
    fn type_on(&mut self, mut prompt: Prompt, key: KeyEvent) {
        let quits = keys::command(key) == Some(Command::Quit) && !key.modifiers.is_empty();
        match key.code {
            KeyCode::Enter => return self.answer(&prompt),
            KeyCode::Esc => return,
            KeyCode::Char(_) if quits => return,
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
            Question::Search => self.viewer.search(answer),
            Question::Time if answer.is_empty() => {}
            Question::Time => self.viewer.go_to(answer),
        }
    }
}

#[cfg(test)]
mod tests;
