//! Somebody who looks at a recording: what is asked for, what is shown, what is reported.
//!
//! Which key or button asks for what is up to the screen. The time of day comes in as an argument, so
//! all of it can be tested without a terminal and without waiting.

use std::time::Duration;

use gametape_replay::ViewName;
use gametape_wire::{Error, Moment, Result, Source, View, When};

use super::Stage;
use super::panels::Panels;
use super::playing::PlayingStage;

/// What somebody who looks asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// To go over this many moments at which something changes; back below zero.
    Step(i64),
    /// The first moment.
    First,
    /// The last moment; of a recording that grows, to stay there.
    Last,
    /// To go to the end of a recording that grows, and to stay there.
    CatchUp,
    /// To play, or to pause.
    PlayOrPause,
    /// This many times twice as fast; slower below zero.
    Faster(i32),
    /// The view after the present one.
    NextView,
    /// The view before the present one.
    PreviousView,
    /// A view.
    View(View),
    /// To move by rows and columns: scroll the board, move the pointer, select a row.
    Move(isize, isize),
    /// To move in the other panel from now on.
    SwitchFocus,
    /// Board or tree.
    SwitchMain,
    /// What happened in words or as messages.
    SwitchList,
    /// To begin or end pointing at tiles.
    SwitchInspecting,
    /// To scroll to what changed, or to see the next change in the tree.
    ShowChange,
    /// To open or close a branch, follow a reference, or see the selected change.
    Enter,
    /// To close all branches.
    CloseAll,
    /// To search on for the last text.
    SearchAgain,
}

/// A recording that somebody looks at.
#[derive(Debug)]
#[non_exhaustive]
pub struct Viewer<S> {
    /// The recording and its clock.
    pub play: PlayingStage<S>,
    /// What is shown of it.
    pub panels: Panels,
    /// What the last action came to, if there is something to say.
    pub message: Option<String>,
    /// A moment that somebody wants to see, and that is before a recording begins which grows: who has it takes this,
    /// and shows that.
    pub before: Option<Moment>,
}

impl<S: Source> Viewer<S> {
    /// Shows where a recording is, and waits.
    #[must_use]
    pub fn new(stage: Stage<S>) -> Self {
        let (panels, play) = (Panels::new(&stage), PlayingStage::new(stage));
        Self { panels, play, message: None, before: None }
    }

    /// The recording.
    #[must_use]
    pub fn stage(&self) -> &Stage<S> {
        &self.play.stage
    }

    /// Goes on with another recording of the same match: plays or waits as before.
    pub fn replace(&mut self, stage: Stage<S>) {
        self.play.replace(stage);
        self.panels.forget();
        self.before = None;
    }

    /// Time has passed: goes on, if it plays.
    pub fn tick(&mut self, now: Duration) {
        match self.play.tick(now) {
            Ok(false) => {}
            Ok(true) => self.panels.show(self.play.since()),
            Err(error) => self.failed(&error),
        }
    }

    /// Does what somebody asks for.
    pub fn act(&mut self, action: Action, now: Duration) {
        self.message = None;
        let stage = &self.play.stage;
        let done = match action {
            Action::Step(by) => return self.step(by),
            Action::First => return self.go(Moment::START),
            Action::Last | Action::CatchUp => return self.catch_up(action, now),
            Action::PlayOrPause => {
                let done = self.play.play_or_pause(now);
                return self.arrived(done);
            }
            Action::Faster(by) => {
                self.play.change_speed(by, now);
                self.message = Some(self.play.speed());
                return;
            }
            Action::NextView | Action::PreviousView => {
                let view = self.play.next_view(action == Action::NextView);
                self.see_as(view)
            }
            Action::View(view) => self.see_as(view),
            Action::Move(rows, columns) => return self.panels.move_by((rows, columns)),
            Action::SwitchFocus => return self.panels.switch_focus(),
            Action::SwitchMain => self.panels.switch_main(stage),
            Action::SwitchList => self.panels.switch_list(stage),
            Action::SwitchInspecting => return self.panels.switch_inspecting(),
            Action::ShowChange => return self.panels.show_change(stage),
            Action::Enter => return self.panels.enter(stage),
            Action::CloseAll => return self.panels.close_all(stage),
            Action::SearchAgain => self.panels.search(stage, ""),
        };
        self.report(done);
    }

    /// Goes to a moment that somebody wrote.
    pub fn go_to(&mut self, text: &str) {
        self.message = None;
        match text.parse::<When>().and_then(|when| self.play.stage.find(when)) {
            Ok(moment) => self.go(moment),
            Err(error) => self.report(Err(error)),
        }
    }

    /// Looks for a text in the tree.
    pub fn search(&mut self, text: &str) {
        self.message = None;
        let done = self.panels.search(&self.play.stage, text);
        self.report(done);
    }

    /// Shows a moment and what changed in it alone.
    pub fn go(&mut self, moment: Moment) {
        let stage = &self.play.stage;
        self.before = Some(moment).filter(|moment| stage.is_growing() && *moment < stage.begin());
        let done = self.play.go(moment);
        self.arrived(done);
    }

    fn catch_up(&mut self, action: Action, now: Duration) {
        if action == Action::CatchUp && !self.play.stage.is_growing() {
            self.message = Some("nothing more comes: this is the end".to_owned());
        }
        let done = self.play.catch_up(now);
        self.arrived(done);
    }

    /// Adds what came since to a recording that grows: bytes of a tape, or one delta.
    pub fn extend(&mut self, piece: &[u8]) -> Result<()> {
        let was_growing = self.play.stage.is_growing();
        let grown = self.play.stage.extend(piece);
        self.grown(was_growing, grown)
    }

    /// Adds what the source of a tape has more than before. True where there was more.
    pub fn read_on(&mut self) -> Result<bool> {
        let was_growing = self.play.stage.is_growing();
        let read = self.play.stage.read_on();
        let has_more = *read.as_ref().unwrap_or(&false);
        self.grown(was_growing, read.map(drop))?;
        Ok(has_more)
    }

    /// Says that nothing more comes.
    pub fn stop_growing(&mut self, why: impl Into<String>) {
        if self.play.stage.is_growing() {
            self.play.stage.stop_growing();
            self.message = Some(why.into());
        }
    }

    fn grown(&mut self, was_growing: bool, done: Result<()>) -> Result<()> {
        if let Err(error) = &done {
            self.message = Some(error.to_string());
        } else if was_growing && !self.play.stage.is_growing() {
            self.message = Some("the recording was finished: this is all of it".to_owned());
        }
        done
    }

    fn see_as(&mut self, view: View) -> Result<()> {
        self.play.stage.look_as(&ViewName::Number(view))?;
        self.panels.forget();
        Ok(())
    }

    /// Steps to moments at which something changes.
    fn step(&mut self, by: i64) {
        let done = self.play.step(by);
        let begin = self.play.stage.begin();
        if let (Ok(false), true, Some(tick)) = (&done, by < 0, begin.last_tick()) {
            self.before = Some(Moment::before(tick)).filter(|_| self.play.stage.is_growing());
        }
        if let Ok(false) = done {
            let end = if by < 0 { "this is the first moment" } else { "this is the last moment" };
            self.message = Some(end.to_owned());
        }
        self.arrived(done.map(drop));
    }

    fn arrived(&mut self, done: Result<()>) {
        match done {
            Ok(()) => self.panels.show(self.play.since()),
            Err(error) => self.failed(&error),
        }
    }

    fn failed(&mut self, error: &Error) {
        self.play.pause();
        self.message = Some(error.to_string());
    }

    fn report(&mut self, done: Result<()>) {
        if let Err(error) = done {
            self.message = Some(error.to_string());
        }
    }
}
