//! The relay: takes a match from its publisher, holds back what is too young, and hands the rest to seats.

use std::time::Duration;

use gametape_wire::{Error, Result, Tick, View, ViewSet};

use crate::hub::{About, Hub, Outgoing, SeatId};
use crate::lane::{Classes, PerLane};
use crate::message::{Announce, Join, Message, Profile, Refusal, Shared, Welcome};
use crate::name::MatchName;
use crate::pass::Grant;

/// Something missing is asked for after this time.
const FIRST_ASK: Duration = Duration::from_millis(250);
/// And again after each of these.
const NEXT_ASK: Duration = Duration::from_millis(500);
/// Ranges that are asked for at once.
const ASKED: usize = 64;

/// When to ask for what is missing.
#[derive(Debug, Default)]
pub(crate) struct AskTimer {
    due: Option<Duration>,
}

impl AskTimer {
    /// Is it time to ask, if something is missing?
    pub(crate) fn is_due(&mut self, is_missing: bool, now: Duration) -> bool {
        match (is_missing, self.due) {
            (false, _) => self.due = None,
            (true, None) => self.due = Some(now + FIRST_ASK),
            (true, Some(due)) if now >= due => {
                self.due = Some(now + NEXT_ASK);
                return true;
            }
            _ => {}
        }
        false
    }
}

/// One match on an edge: everything that its publisher sent, and the seats that watch it.
///
/// It holds back per seat what is younger than its delay, and sends each seat what it may have and
/// has not got yet, by priority, as fast as the transport takes it.
#[derive(Debug)]
pub struct Relay {
    hub: Hub,
    /// All views that the match has.
    announced: ViewSet,
    asks: AskTimer,
    most_seats: usize,
}

impl Relay {
    /// A relay of those views of a match that are wanted from its start on: others may be
    /// [wanted](Self::want) later. About `window` bytes are kept of each view.
    #[must_use]
    pub fn new(announce: Announce, views: ViewSet, window: usize) -> Self {
        let Announce { name, header, metadata, views: there, .. } = announce;
        let about = About { name, header, metadata };
        let hub = Hub::new(about, views.and(there), window);
        Self { hub, announced: there, asks: AskTimer::default(), most_seats: usize::MAX }
    }

    /// The same with a limit on its seats.
    #[must_use]
    pub fn with_most_seats(mut self, most: usize) -> Self {
        self.most_seats = most;
        self
    }

    /// The match.
    #[must_use]
    pub fn name(&self) -> &MatchName {
        &self.hub.about.name
    }

    /// The views that it has: those that somebody wants.
    #[must_use]
    pub fn views(&self) -> ViewSet {
        self.hub.views()
    }

    /// All views of the match, wanted or not.
    #[must_use]
    pub fn announced(&self) -> ViewSet {
        self.announced
    }

    /// Somebody wants these views, and may see them: those that the match has and this relay had not are to be
    /// asked for with another [Have](Self::have). True where there are any.
    pub fn want(&mut self, views: ViewSet, now: Duration) -> bool {
        let new = views.and(self.announced).without(self.hub.views());
        new.iter().for_each(|view| self.hub.want(view, now));
        !new.is_empty()
    }

    /// Nobody wants a view any more; false where a seat has it, and it stays.
    pub fn forget(&mut self, view: View) -> bool {
        let is_free = !self.hub.is_seated(view);
        if is_free {
            self.hub.forget(view);
        }
        is_free
    }

    /// Does a seat have this view?
    #[must_use]
    pub fn is_seated(&self, view: View) -> bool {
        self.hub.is_seated(view)
    }

    /// Did this view come in the middle of the match, and is what was before still missing?
    pub fn is_filling(&mut self, view: View, now: Duration) -> bool {
        self.hub.look_at_filling(now);
        self.hub.is_filling(ViewSet::EMPTY.with(view))
    }

    /// Is it the same match that a publisher announces again?
    #[must_use]
    pub fn is_of(&self, announce: &Announce) -> bool {
        self.hub.about.name == announce.name && self.hub.about.header == announce.header
    }

    /// The Have that a publisher's connection is answered with, and which is sent again when other views are wanted: what is
    /// here is not sent again.
    #[must_use]
    pub fn have(&self) -> Shared {
        let of = |view: View| Some((view, self.hub.log(view)?.have));
        let have: Vec<(View, PerLane)> = self.hub.views().iter().filter_map(of).collect();
        Message::Have(have).to_bytes()
    }

    /// A message of the publisher, or of a bus. False where it is nothing new.
    pub fn receive_published(&mut self, bytes: &Shared, now: Duration) -> Result<bool> {
        match Message::read(bytes)? {
            Message::Data(data) => self.hub.add(&data, bytes),
            Message::Mark(mark) => Ok(self.hub.mark(mark, now)),
            Message::Moved(moved) => {
                if let Some(log) = self.hub.log_mut(moved.view) {
                    log.begin_at(&moved.first);
                }
                Ok(true)
            }
            Message::Announce(_) => Ok(false),
            _ => Err(Error::misuse("message", "a publisher does not send it")),
        }
    }

    /// What to ask the publisher for now: something is missing.
    pub fn poll_publisher(&mut self, now: Duration) -> Vec<Shared> {
        self.hub.look_at_filling(now);
        let mut missing = self.hub.missing(ASKED);
        missing.retain(|again| !self.hub.is_steady(again.view, now));
        if !self.asks.is_due(!missing.is_empty(), now) {
            return Vec::new();
        }
        missing.into_iter().map(|again| Message::Again(again).to_bytes()).collect()
    }

    /// Gives a seat to who asks for it and has this permission.
    pub fn join(
        &mut self,
        join: &Join,
        permitted: &Grant,
        now: Duration,
    ) -> std::result::Result<SeatId, Refusal> {
        let grant = Grant {
            views: join.views.and(permitted.views).and(self.hub.views()),
            classes: join.classes.and(permitted.classes),
            delay: permitted.delay,
        };
        let is_player = join.profile == Profile::Player;
        if join.name != self.hub.about.name || grant.views.is_empty() {
            return Err(Refusal::NoMatch);
        }
        if !grant.classes.has_all(Classes::NEEDED) || (is_player && grant.views.len() != 1) {
            return Err(Refusal::Malformed);
        }
        if self.hub.seat_count() >= self.most_seats {
            return Err(Refusal::TooMany);
        }
        let seat = self.hub.sit(grant, join.from, &join.lacks, false, now);
        let About { name, header, metadata } = self.hub.about.clone();
        let Grant { views, classes, delay } = grant;
        let welcome = Welcome { name, views, classes, delay, header, metadata };
        self.hub.send_first(seat, &Message::Welcome(welcome));
        Ok(seat)
    }

    /// The seat is that of who keeps the match: what is fine to miss for others is waited for, as long as for the rest.
    pub fn miss_nothing(&mut self, seat: SeatId) {
        self.hub.miss_nothing(seat);
    }

    /// A message of a seat after its Join. Who sends anything else loses the seat.
    pub fn receive(
        &mut self,
        seat: SeatId,
        bytes: &[u8],
        now: Duration,
    ) -> std::result::Result<(), Refusal> {
        match Message::read(bytes) {
            Ok(Message::Again(again)) => self.hub.again(seat, &again, now),
            Ok(Message::Seek(from)) => self.hub.seek(seat, from, now),
            _ => {
                self.hub.leave(seat);
                return Err(Refusal::Malformed);
            }
        }
        Ok(())
    }

    /// What to send to a seat now, about `budget` bytes of it, the most urgent first.
    pub fn poll(&mut self, seat: SeatId, now: Duration, budget: usize) -> Vec<Outgoing> {
        self.hub.poll(seat, now, budget)
    }

    /// The seat's connection ended.
    pub fn leave(&mut self, seat: SeatId) {
        self.hub.leave(seat);
    }

    /// How many seats there are.
    #[must_use]
    pub fn seats(&self) -> usize {
        self.hub.seat_count()
    }

    /// Is the match over, whether anybody may know it or not? Then what is left is released by the clock.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        self.hub.is_ended()
    }

    /// The last tick that may be known to who has this delay; `None` where nothing may. What lists, the
    /// `now` document and figures say about the match must not be younger.
    #[must_use]
    pub fn released(&self, delay: u64, now: Duration) -> Option<Tick> {
        self.hub.known_released(delay, now)
    }
}
