//! The player: which moment is shown, whether it plays and how fast, what is being typed.
//!
//! Keys and the time of day come in as arguments, so all of it can be tested without a terminal
//! and without waiting.

use std::time::Duration;

use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::keys::{self, Action};
use super::show::Show;

/// Speeds go from 2 to the power of this, to its opposite.
const SPEED_RANGE: i32 = 8;

/// Nobody types a longer answer.
const PROMPT_CHARS: usize = 60;

/// A recording and the moment of it that is shown.
pub(super) struct Player<S> {
    pub(super) show: S,
    moment: usize,
    /// From when on it has been playing.
    playing: Option<Start>,
    speed: i32,
    /// Play pauses when it comes to this moment.
    pause: Option<usize>,
    pub(super) prompt: Option<Prompt>,
    pub(super) help: bool,
    /// What the last key came to, if there is something to say.
    pub(super) message: Option<String>,
    pub(super) over: bool,
}

/// When playing began, and at what time of the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Start {
    now: Duration,
    time: u64,
}

/// A question at the bottom of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prompt {
    kind: Question,
    pub(super) label: String,
    pub(super) answer: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    Index,
    Clock,
    Search,
}

impl<S: Show> Player<S> {
    /// A player that shows a moment and waits.
    pub(super) fn new(show: S, moment: usize) -> Self {
        let mut player = Self {
            show,
            moment: 0,
            playing: None,
            speed: 0,
            pause: None,
            prompt: None,
            help: false,
            message: None,
            over: false,
        };
        player.go(moment);
        player
    }

    /// Play pauses when it comes to this moment from before; it can go on from there.
    pub(super) fn pause_at(&mut self, moment: Option<usize>) {
        self.pause = moment;
    }

    /// The moment that is shown.
    pub(super) fn moment(&self) -> usize {
        self.moment
    }

    /// The last moment.
    pub(super) fn last(&self) -> usize {
        self.show.moments().saturating_sub(1)
    }

    pub(super) fn is_playing(&self) -> bool {
        self.playing.is_some()
    }

    /// How fast it plays, in words.
    pub(super) fn speed(&self) -> String {
        self.show.speed(self.speed)
    }

    /// Time has passed: goes on, if it is playing.
    pub(super) fn tick(&mut self, now: Duration) {
        let Some(start) = self.playing else { return };
        let passed = now.saturating_sub(start.now).as_millis() as u64;
        let time = start.time.saturating_add(scaled(passed, self.speed));
        let end = self.pause.filter(|pause| self.moment < *pause).unwrap_or(self.last());
        let moment = self.show.moment_at(time).min(end);
        if moment > self.moment {
            self.go_since(moment, self.moment);
        }
        if self.moment >= end {
            self.playing = None;
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
            self.message = self.show.press(key);
        }
        if self.is_playing() {
            self.start(now);
        }
    }

    fn act(&mut self, action: Action, now: Duration) {
        match action {
            Action::Step(by) => self.step(by),
            Action::First => self.go(0),
            Action::Last => self.go(self.last()),
            Action::PlayOrPause => self.play_or_pause(now),
            Action::Faster(by) => self.change_speed(by, now),
            Action::AskIndex => self.ask(Question::Index, "go to number"),
            Action::AskClock => {
                let label = format!("go to {}", self.show.clock_name());
                self.ask(Question::Clock, &label);
            }
            Action::AskSearch => self.ask(Question::Search, "search"),
            Action::SearchOn => self.message = self.show.search(""),
            Action::Help => self.help = true,
            Action::Quit => self.over = true,
        }
    }

    fn step(&mut self, by: i64) {
        let target = self.moment.saturating_add_signed(by as isize).min(self.last());
        if target == self.moment {
            let end = if by < 0 { "this is the first moment" } else { "this is the last moment" };
            self.message = Some(end.to_owned());
        } else {
            self.go(target);
        }
    }

    /// Shows a moment and what changed in it alone.
    fn go(&mut self, moment: usize) {
        self.go_since(moment, moment.saturating_sub(1));
    }

    fn go_since(&mut self, moment: usize, since: usize) {
        match self.show.go(moment, since) {
            Ok(()) => self.moment = moment,
            Err(error) => {
                self.playing = None;
                self.message = Some(error.to_string());
            }
        }
    }

    /// Plays on from here; from the first moment if this is the last.
    fn play_or_pause(&mut self, now: Duration) {
        if self.playing.take().is_some() {
            return;
        }
        if self.moment == self.last() {
            self.go(0);
        }
        self.start(now);
    }

    fn start(&mut self, now: Duration) {
        self.playing = Some(Start { now, time: self.playing_time(now) });
    }

    /// The time of the recording that playing has come to: at least that of the moment.
    fn playing_time(&self, now: Duration) -> u64 {
        let shown = self.show.time(self.moment);
        let Some(start) = self.playing else { return shown };
        let passed = now.saturating_sub(start.now).as_millis() as u64;
        let next = self.show.time((self.moment + 1).min(self.last()));
        // Somewhere between this moment and the next, unless a key led elsewhere.
        let reached = start.time.saturating_add(scaled(passed, self.speed));
        if (shown..next).contains(&reached) { reached } else { shown }
    }

    fn change_speed(&mut self, by: i32, now: Duration) {
        let time = self.playing_time(now);
        self.speed = (self.speed + by).clamp(-SPEED_RANGE, SPEED_RANGE);
        if self.is_playing() {
            self.playing = Some(Start { now, time });
        }
        self.message = Some(self.speed());
    }

    fn ask(&mut self, kind: Question, label: &str) {
        self.prompt = Some(Prompt { kind, label: label.to_owned(), answer: String::new() });
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
        let found = match prompt.kind {
            Question::Search => {
                self.message = self.show.search(answer);
                return;
            }
            _ if answer.is_empty() => return,
            Question::Index => match answer.parse() {
                Ok(number) => self.show.find_index(number),
                Err(_) => Err(format!("{answer} is no number")),
            },
            Question::Clock => self.show.find_clock(answer),
        };
        match found {
            Ok(moment) => self.go(moment),
            Err(problem) => self.message = Some(problem),
        }
    }
}

/// Milliseconds times 2 to the power of `exponent`.
fn scaled(milliseconds: u64, exponent: i32) -> u64 {
    let factor = 1u64 << exponent.unsigned_abs().min(32);
    if exponent < 0 { milliseconds / factor } else { milliseconds.saturating_mul(factor) }
}

#[cfg(test)]
mod tests;
