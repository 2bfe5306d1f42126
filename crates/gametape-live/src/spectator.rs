//! The spectator: makes a tape that can be played of what a relay sends.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use gametape_minewars::Class;
use gametape_wire::{Result, Tick, View, ViewSet};

use crate::assembler::Assembler;
use crate::lane::PerLane;
use crate::message::{Body, Data, Join, Message, Profile, Refusal, Shared, StartAt, Welcome};
use crate::receiver::{Receiver, Step, malformed};
use crate::relay::AskTimer;

/// What is fine to miss is waited for this long.
const LINGER: Duration = Duration::from_millis(100);

/// Something that a spectator must know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// A seat was given.
    Welcome(Box<Welcome>),
    /// No seat was given: the session is over.
    Refused(Refusal),
    /// A tape begins with this tick. [`Spectator::take_tape`] gives it from its first byte on.
    Began {
        /// The first tick that can be shown.
        tick: Tick,
    },
    /// All ticks up to this one can be shown.
    Shown {
        /// The last of them.
        tick: Tick,
    },
    /// Something is lost, and will not come: what is shown of these ticks, up to the view's next keyframe,
    /// may not be what the source has.
    Lost {
        /// Of which view.
        view: View,
        /// From which tick on.
        first: Tick,
        /// Up to which tick.
        last: Tick,
        /// Unreliable parts; 0 where whole ticks are lost, because it went on with a later group.
        parts: u64,
    },
    /// The match is over, and everything of it was received.
    Over,
}

/// A part of a payload that came, for who cannot wait for whole ticks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arrived {
    /// The class: parts of one class above Background come in their order.
    pub class: Class,
    /// When it happened.
    pub tick: Tick,
    /// The messages.
    pub payload: Vec<u8>,
}

/// Watches a match: makes a tape of what a relay sends.
///
/// The tape is a valid one after every [`take_tape`](Self::take_tape), and is played while it grows, by
/// [`Player::extend`](gametape_replay::Player::extend). What is lost is declared in it, and
/// [noticed](Self::notices).
#[derive(Debug)]
pub struct Spectator {
    join: Join,
    welcome: Option<Box<Welcome>>,
    views: BTreeMap<View, Receiver>,
    /// Groups that were entered and are not in the tape yet, with the chunks before them.
    starts: BTreeMap<(Tick, View), Vec<Shared>>,
    tape: Option<Assembler>,
    /// What was lost before the tape began.
    early: Vec<Loss>,
    /// The last bytes of the tape.
    done: Vec<u8>,
    shown: Option<Tick>,
    asks: AskTimer,
    notices: VecDeque<Notice>,
    is_over: bool,
}

impl Spectator {
    /// A spectator that will ask for this.
    #[must_use]
    pub fn new(join: Join) -> Self {
        Self {
            join,
            welcome: None,
            views: BTreeMap::new(),
            starts: BTreeMap::new(),
            tape: None,
            early: Vec::new(),
            done: Vec::new(),
            shown: None,
            asks: AskTimer::default(),
            notices: VecDeque::new(),
            is_over: false,
        }
    }

    /// The first message of a connection, also of one that replaces another: it goes on where that ended.
    #[must_use]
    pub fn join(&self) -> Shared {
        let of = |(view, receiver): (&View, &Receiver)| Some((*view, receiver.lacks()?));
        let lacks: Vec<(View, PerLane)> = self.views.iter().filter_map(of).collect();
        let is_whole = lacks.len() == self.views.len();
        let lacks = if is_whole { lacks } else { Vec::new() };
        Message::Join(Join { lacks, ..self.join.clone() }).to_bytes()
    }

    /// A message of the relay. An error ends the connection; another one may go on.
    pub fn receive(&mut self, bytes: &Shared, now: Duration) -> Result<()> {
        match Message::read(bytes)? {
            // Other streams may be faster: what they bring is asked for again.
            Message::Data(_) | Message::Mark(_) | Message::Moved(_) if self.welcome.is_none() => {}
            Message::Welcome(welcome) => self.welcomed(welcome)?,
            Message::Refuse(refusal) => self.notices.push_back(Notice::Refused(refusal)),
            Message::Data(data) => drop(self.receiver(data.view)?.data(&data, bytes)?),
            Message::Mark(mark) => self.receiver(mark.view)?.mark(mark)?,
            Message::Moved(moved) => {
                self.receiver(moved.view)?.moved(moved);
            }
            _ => return Err(malformed("a relay does not send it")),
        }
        self.advance(now)
    }

    fn receiver(&mut self, view: View) -> Result<&mut Receiver> {
        self.views.get_mut(&view).ok_or_else(|| malformed("a view that nobody asked for"))
    }

    fn welcomed(&mut self, welcome: Welcome) -> Result<()> {
        if welcome.name != self.join.name || !welcome.views.without(self.join.views).is_empty() {
            return Err(malformed("a welcome to something else"));
        }
        let same = self.welcome.as_ref().is_some_and(|known| {
            (known.views, known.classes, known.header)
                == (welcome.views, welcome.classes, welcome.header)
        });
        if !same {
            let is_player = self.join.profile == Profile::Player;
            let receiver = |view| {
                let receiver = Receiver::new(view, welcome.classes, LINGER);
                (view, if is_player { receiver.eager() } else { receiver })
            };
            self.views = welcome.views.iter().map(receiver).collect();
            self.drop_tape();
        }
        let welcome = Box::new(welcome);
        self.notices.push_back(Notice::Welcome(welcome.clone()));
        self.welcome = Some(welcome);
        Ok(())
    }

    /// The parts that came since the last call, for a player.
    pub fn arrived(&mut self) -> Vec<Arrived> {
        let came = self.views.values_mut().filter_map(|receiver| receiver.arrived.as_mut());
        let came: Vec<Shared> = came.flat_map(std::mem::take).collect();
        came.iter().filter_map(arrived_in).collect()
    }

    /// Lets time pass: what does not come is given up. Gives messages to send to the relay.
    pub fn poll(&mut self, now: Duration) -> Result<Vec<Shared>> {
        self.advance(now)?;
        let missing: Vec<_> = self.views.values().flat_map(Receiver::missing).take(64).collect();
        if !self.asks.is_due(!missing.is_empty(), now) {
            return Ok(Vec::new());
        }
        Ok(missing.into_iter().map(|again| Message::Again(again).to_bytes()).collect())
    }

    /// Goes to a tick, or to the newest that is released: another tape begins. Gives the message to send.
    pub fn seek(&mut self, to: StartAt) -> Shared {
        self.join.from = to;
        self.restart();
        Message::Seek(to).to_bytes()
    }

    fn restart(&mut self) {
        self.views.values_mut().for_each(Receiver::reset);
        self.drop_tape();
    }

    fn drop_tape(&mut self) {
        self.starts.clear();
        self.early.clear();
        self.done.clear();
        (self.tape, self.shown, self.is_over) = (None, None, false);
    }

    fn advance(&mut self, now: Duration) -> Result<()> {
        if self.is_over {
            return Ok(());
        }
        let views: Vec<View> = self.views.keys().copied().collect();
        for view in views {
            let mut last = self.receiver(view)?.claimed();
            for step in self.receiver(view)?.advance(now)? {
                self.step(view, &step, &mut last);
            }
        }
        self.begin()?;
        self.write()?;
        self.finish()
    }

    /// Notes what happened in a view whose last complete tick is `last`.
    fn step(&mut self, view: View, step: &Step, last: &mut Option<Tick>) {
        let first = last.map_or(Tick::ZERO, |last| last + 1);
        match step {
            Step::Entered { tick, prelude } => {
                // Before the first group nothing is lost: the tape begins there.
                let has_begun =
                    self.tape.is_some() || self.starts.keys().any(|(_, of)| *of == view);
                if has_begun && let Some(before) = tick.previous().filter(|tick| *tick >= first) {
                    self.lose(Loss { view, first, last: before, parts: 0, left_out: false });
                }
                self.starts.insert((*tick, view), prelude.clone());
                *last = (*last).max(tick.previous());
            }
            Step::Claimed { tick, lost, left_out } => {
                for (parts, left_out) in [(*lost, false), (*left_out, true)] {
                    if parts > 0 {
                        self.lose(Loss { view, first, last: *tick, parts, left_out });
                    }
                }
                *last = Some(*tick);
            }
        }
    }

    fn lose(&mut self, loss: Loss) {
        let Loss { view, first, last, parts, left_out } = loss;
        self.notices.push_back(Notice::Lost { view, first, last, parts });
        match &mut self.tape {
            Some(tape) => tape.lose(view, first, last, parts, left_out),
            None => self.early.push(loss),
        }
    }

    /// Begins the tape when every view has entered a group.
    fn begin(&mut self) -> Result<()> {
        let Some(welcome) = self.welcome.as_ref().filter(|_| self.tape.is_none()) else {
            return Ok(());
        };
        let mut starts = Vec::new();
        for view in self.views.keys() {
            let first = self.starts.keys().find(|(_, of)| of == view).copied();
            let Some(first) = first else { return Ok(()) };
            starts.push(first);
        }
        let mut tape = Assembler::new(&welcome.header, &welcome.metadata, welcome.views)?;
        let begins: Vec<(View, Tick, Vec<Shared>)> = starts
            .iter()
            .map(|key| (key.1, key.0, self.starts.remove(key).unwrap_or_default()))
            .collect();
        tape.begin(&begins)?;
        for Loss { view, first, last, parts, left_out } in std::mem::take(&mut self.early) {
            tape.lose(view, first, last, parts, left_out);
        }
        self.tape = Some(tape);
        let tick = starts.iter().map(|(tick, _)| *tick).max().unwrap_or_default();
        self.notices.push_back(Notice::Began { tick });
        Ok(())
    }

    /// Writes the ticks that are complete in every view.
    fn write(&mut self) -> Result<()> {
        let Some(tape) = &mut self.tape else { return Ok(()) };
        let claimed = self.views.values().map(Receiver::claimed).min().flatten();
        let Some(claimed) = claimed else { return Ok(()) };
        loop {
            let ready = self.views.values().filter_map(Receiver::first_ready).min();
            let entered = self.starts.keys().next().map(|(tick, _)| *tick);
            let next = ready.into_iter().chain(entered).min();
            let Some(tick) = next.filter(|tick| *tick <= claimed) else { break };
            let mut contents = Vec::new();
            for (view, receiver) in &mut self.views {
                let mut content = receiver.take(tick).unwrap_or_default();
                if let Some(mut prelude) = self.starts.remove(&(tick, *view)) {
                    prelude.append(&mut content.chunks);
                    content.chunks = prelude;
                }
                contents.push((*view, content));
            }
            tape.tick(tick, &contents)?;
        }
        for receiver in self.views.values_mut() {
            let events = std::mem::take(&mut receiver.events);
            events.iter().try_for_each(|events| tape.events(events))?;
        }
        if self.shown.is_none_or(|shown| shown < claimed) {
            self.shown = Some(claimed);
            self.notices.push_back(Notice::Shown { tick: claimed });
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let is_over = !self.views.is_empty() && self.views.values().all(|view| view.is_over);
        if is_over && let Some(tape) = self.tape.take() {
            self.done = tape.finish()?;
            self.is_over = true;
            self.notices.push_back(Notice::Over);
        }
        Ok(())
    }

    /// Everything that happened since the last call, in its order.
    pub fn notices(&mut self) -> Vec<Notice> {
        self.notices.drain(..).collect()
    }

    /// The bytes that follow those of the last call in the tape. Each call that has frames ends a chunk,
    /// so ten times a second is enough for a screen.
    pub fn take_tape(&mut self) -> Result<Vec<u8>> {
        match &mut self.tape {
            Some(tape) => tape.flush(),
            None => Ok(std::mem::take(&mut self.done)),
        }
    }

    /// Ends the tape here, with its index, and the session with it; gives the last bytes.
    pub fn close(mut self) -> Result<Vec<u8>> {
        match self.tape.take() {
            Some(tape) => tape.finish(),
            None => Ok(self.done),
        }
    }

    /// The last tick that can be shown.
    #[must_use]
    pub fn shown(&self) -> Option<Tick> {
        self.shown
    }

    /// The newest tick that the relay says is over: what is up to it is still to be shown.
    #[must_use]
    pub fn newest(&self) -> Option<Tick> {
        self.views.values().filter_map(Receiver::newest).max()
    }

    /// Was everything received, up to the end of the match?
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The views of the tape.
    #[must_use]
    pub fn views(&self) -> ViewSet {
        self.views.keys().copied().collect()
    }
}

/// Something that will not come.
#[derive(Debug, Clone, Copy)]
struct Loss {
    view: View,
    first: Tick,
    last: Tick,
    parts: u64,
    left_out: bool,
}

fn arrived_in(bytes: &Shared) -> Option<Arrived> {
    let data = Data::read(bytes).ok()??;
    let Body::Part(part) = data.body else { return None };
    let payload = part.runs().flat_map(|(_, run)| run.iter().copied()).collect();
    Some(Arrived { class: data.lane.class(), tick: data.tick, payload })
}
