//! The publisher: makes messages of a journal, and hands them to relays.

use std::collections::BTreeMap;
use std::time::Duration;

use gametape_minewars::{Class, Generation};
use gametape_replay::metadata::{for_views, text_field};
use gametape_replay::streams::{FRAMES, SETUP_OF_VIEWS, keyframes_of};
use gametape_tape::limits::TICK;
use gametape_tape::{Chunk, ChunkDraft, ChunkHeader, ChunkKind, Gap, TapeFrames, TapeHeader};
use gametape_wire::{Error, Result, Tick, TickLength, Time, View, ViewSet, Writer};

use crate::classify::{Classify, MinewarsClasses, OneClass};
use crate::events::{Window, Windows};
use crate::hub::{About, Hub, Outgoing, SeatId};
use crate::lane::{Classes, Lane, PerLane};
use crate::limits::PAYLOADS;
use crate::message::{
    Again, Announce, Data, Mark, Message, Shared, StartAt, fits_datagram, part_bytes,
};
use crate::name::MatchName;
use crate::pass::{Grant, Pass};

/// Marks are this far apart.
const MARKS: Time = Time::from_millis(50);
/// Marks that are sent at once at most.
const MOST_MARKS: u64 = 4096;

/// Ticks between marks.
pub(crate) fn mark_ticks(length: TickLength) -> u64 {
    (MARKS.micros() / u64::from(length.micros())).max(1)
}

/// Ticks of a slot of segments, and of a window of events.
pub(crate) fn slot_ticks(length: TickLength) -> u64 {
    (1_000_000 / u64::from(length.micros())).max(1)
}

/// What knows the classes of a match with this metadata.
#[must_use]
pub fn classes_of(metadata: &str) -> Box<dyn Classify> {
    let named = |generation: &Generation| {
        text_field(metadata, "generation").as_deref() == Some(generation.name())
    };
    match Generation::ALL.into_iter().find(named) {
        Some(generation) => Box::new(MinewarsClasses::new(generation)),
        None => Box::new(OneClass),
    }
}

/// Makes messages of what is recorded, and hands them to relays.
///
/// Give it the journal ([`follow`](Self::follow)), or what the game gives to its recorder: equal
/// journals make equal messages. It keeps them in memory up to a budget; a connection to a relay is a
/// [link](Self::connect), which is polled when the transport has room.
#[derive(Debug)]
pub struct Publisher {
    hub: Hub,
    classes: Box<dyn Classify>,
    tracks: BTreeMap<View, Track>,
    windows: Windows,
    /// Did frames or keyframes begin?
    has_begun: bool,
    /// The highest tick that anything has.
    last_tick: Option<Tick>,
    /// The last tick that a mark was made for.
    marked: Option<Tick>,
    is_over: bool,
    journal: Journal,
    pass: Vec<u8>,
    /// Do frames come before the chunks that they are in?
    has_given_frames: bool,
}

/// What has come of the journal.
#[derive(Debug, Default)]
struct Journal {
    partial: Vec<u8>,
    offset: u64,
}

/// What is made of one view.
#[derive(Debug, Default)]
struct Track {
    next: PerLane,
    tick: Tick,
    /// Payloads of the tick so far.
    index: u32,
    /// Chunks without a tick, until the next keyframe.
    waiting: Vec<Vec<u8>>,
}

impl Publisher {
    /// A publisher of some views of a match whose journal has this header and metadata.
    pub fn new(
        name: MatchName,
        header: TapeHeader,
        metadata: &str,
        views: ViewSet,
        window: usize,
    ) -> Result<Self> {
        if views.is_empty() {
            return Err(Error::misuse("publisher", "the match has no views"));
        }
        gametape_tape::check_metadata(metadata.as_bytes(), 0)?;
        let about = About { name, header, metadata: metadata.to_owned() };
        Ok(Self {
            hub: Hub::new(about, views, window),
            classes: classes_of(metadata),
            tracks: views.iter().map(|view| (view, Track::default())).collect(),
            windows: Windows::new(slot_ticks(header.tick_length)),
            has_begun: false,
            last_tick: None,
            marked: None,
            is_over: false,
            journal: Journal::default(),
            pass: Vec::new(),
            has_given_frames: false,
        })
    }

    /// The same with the pass that relays ask for.
    #[must_use]
    pub fn with_pass(mut self, pass: &Pass) -> Self {
        self.pass = pass.to_bytes();
        self
    }

    /// The same with other classes, for a game whose messages are its own.
    #[must_use]
    pub fn with_classes(mut self, classes: impl Classify + 'static) -> Self {
        self.classes = Box::new(classes);
        self
    }

    /// The same for who gives frames and ends of ticks when they happen, and then the journal as it grows:
    /// the frames in it are not taken a second time.
    #[must_use]
    pub fn with_given_frames(mut self) -> Self {
        self.has_given_frames = true;
        self
    }

    /// The match, and the views that it has.
    #[must_use]
    pub fn about(&self) -> (&MatchName, ViewSet) {
        (&self.hub.about.name, self.hub.views())
    }

    /// The Announce that a connection to a relay begins with.
    #[must_use]
    pub fn announce(&self) -> Shared {
        let About { name, header, metadata } = self.hub.about.clone();
        let (views, pass) = (self.hub.views(), self.pass.clone());
        Message::Announce(Announce { name, views, header, metadata, pass }).to_bytes()
    }

    /// Takes bytes of the journal, from its first byte on, in pieces of any size.
    ///
    /// Everything with a tick is published when its tick is over, or at once where nothing later is
    /// needed to know that. When the index of the journal begins, the match is over.
    pub fn follow(&mut self, bytes: &[u8], now: Duration) -> Result<()> {
        let mut all = std::mem::take(&mut self.journal.partial);
        all.extend_from_slice(bytes);
        let mut used = 0;
        if self.journal.offset == 0 && all.len() >= TapeHeader::LENGTH {
            used = TapeHeader::LENGTH;
            self.journal.offset = used as u64;
        }
        while self.journal.offset > 0 && !self.is_over {
            let rest = &all[used..];
            match Chunk::read(rest, self.journal.offset) {
                Ok(chunk) => {
                    let length = ChunkHeader::LENGTH + chunk.stored.len();
                    self.chunk(&chunk, now)?;
                    used += length;
                    self.journal.offset += length as u64;
                }
                Err(error) if error.class() == gametape_wire::ErrorClass::Truncated => break,
                Err(error) => return Err(error),
            }
        }
        if !self.is_over {
            all.drain(..used);
            self.journal.partial = all;
        }
        Ok(())
    }

    /// Takes the next chunk of the journal. The first chunk of the index ends the match.
    pub fn chunk(&mut self, chunk: &Chunk<'_>, now: Duration) -> Result<()> {
        let header = &chunk.header;
        match header.kind {
            ChunkKind::METADATA if header.stream == 0 => Ok(()),
            ChunkKind::METADATA => {
                let closing = chunk.raw()?;
                self.closing(&String::from_utf8_lossy(&closing))
            }
            ChunkKind::FRAMES if self.has_given_frames => Ok(()),
            ChunkKind::FRAMES if header.stream == FRAMES => {
                let raw = chunk.raw()?;
                for frame in TapeFrames::new(header, &raw) {
                    let frame = frame?;
                    let tick = frame.tick;
                    self.over_before(tick, now)?;
                    for part in frame.parts() {
                        part.views
                            .iter()
                            .try_for_each(|view| self.part(view, tick, part.payload))?;
                    }
                }
                Ok(())
            }
            kind if kind.is_keyframe() => self.keyframe(chunk, now),
            ChunkKind::EVENTS => {
                let windows = self.windows.chunk(chunk)?;
                windows.iter().try_for_each(|window| self.events(window))
            }
            ChunkKind::GAP => self.gap(&Gap::read(chunk)?),
            ChunkKind::SETUP | ChunkKind::NAMES | ChunkKind::RESOURCE => self.tickless(chunk),
            ChunkKind::INDEX => self.end(now),
            _ => Ok(()),
        }
    }

    /// What views receive at a tick, as the game gives it to its recorder.
    pub fn frame(&mut self, tick: Tick, parts: &[(View, &[u8])], now: Duration) -> Result<()> {
        self.over_before(tick, now)?;
        parts.iter().try_for_each(|(view, payload)| self.part(*view, tick, payload))
    }

    /// Nothing more of this tick comes.
    pub fn end_tick(&mut self, tick: Tick, now: Duration) -> Result<()> {
        self.reach(tick)?;
        self.put_marks(tick, now);
        Ok(())
    }

    /// All ticks before this one are over.
    fn over_before(&mut self, tick: Tick, now: Duration) -> Result<()> {
        self.has_begun = true;
        self.reach(tick)?;
        if let Some(over) = tick.previous() {
            self.put_marks(over, now);
        }
        Ok(())
    }

    fn reach(&mut self, tick: Tick) -> Result<()> {
        TICK.check((tick + 2).0, 0)?;
        if self.is_over || self.last_tick.is_some_and(|last| tick < last) {
            let problem = format!("tick {tick} is before what was published");
            return Err(Error::misuse("publisher", problem));
        }
        self.last_tick = Some(tick);
        Ok(())
    }

    fn put_marks(&mut self, over: Tick, now: Duration) {
        let apart = mark_ticks(self.hub.about.header.tick_length);
        let until = |tick: Tick| (tick + 1).0 / apart;
        let (due, done) = (until(over), self.marked.map_or(0, until));
        let first = if due - done > MOST_MARKS { due } else { done + 1 };
        for number in first..=due {
            self.put_mark(Tick(number * apart - 1), false, now);
        }
    }

    fn put_mark(&mut self, tick: Tick, is_last: bool, now: Duration) {
        self.marked = Some(tick);
        for (view, track) in &self.tracks {
            let mut counts = track.next;
            if !is_last {
                counts[Lane::EVENTS.index()] = 0;
            }
            self.hub.mark(Mark { view: *view, tick, is_last, counts }, now);
        }
    }

    /// One payload of a view, divided into its classes.
    fn part(&mut self, view: View, tick: Tick, payload: &[u8]) -> Result<()> {
        let Some(track) = self.tracks.get_mut(&view) else { return Ok(()) };
        if track.tick != tick {
            (track.tick, track.index) = (tick, 0);
        }
        PAYLOADS.check(track.index.into(), 0)?;
        let mut runs = Vec::new();
        self.classes.split(view, payload, &mut runs);
        let index = track.index;
        track.index += 1;
        for class in Class::ALL.into_iter().rev() {
            let own: Vec<(u32, &[u8])> = (0..)
                .zip(&runs)
                .filter(|(_, (of, _))| *of == class)
                .map(|(position, (_, bytes))| (position, *bytes))
                .collect();
            if own.is_empty() {
                continue;
            }
            let is_too_long = class == Class::Unreliable && !fits_datagram(tick, index, &own);
            let lane = if is_too_long { Lane::BACKGROUND } else { Lane::of(class) };
            let number = self.number(view, lane);
            self.put(&part_bytes(view, lane, number, tick, index, &own))?;
        }
        Ok(())
    }

    /// The next number of a lane.
    fn number(&mut self, view: View, lane: Lane) -> u64 {
        let next = self.tracks.get_mut(&view).map(|track| &mut track.next[lane.index()]);
        next.map_or(0, |next| {
            *next += 1;
            *next - 1
        })
    }

    fn put(&mut self, bytes: &Shared) -> Result<()> {
        match Data::read(bytes)? {
            Some(data) => self.hub.add(&data, bytes).map(drop),
            None => Ok(()),
        }
    }

    fn keyframe(&mut self, chunk: &Chunk<'_>, now: Duration) -> Result<()> {
        let header = &chunk.header;
        let of = |view: &View| keyframes_of(*view) == header.stream && header.views.contains(*view);
        let view = self.tracks.keys().copied().find(of);
        // A keyframe after what it holds the state of is one that nobody can start from.
        let tick = header.first_tick;
        if self.last_tick.is_some_and(|last| tick < last) {
            return Ok(());
        }
        self.over_before(tick, now)?;
        let Some(view) = view else { return Ok(()) };
        self.put_waiting(view, tick)?;
        let mut first = self.tracks.get(&view).map_or([0; Lane::COUNT], |track| track.next);
        first[Lane::EVENTS.index()] = 0;
        let bytes = for_view(chunk, view);
        self.put_chunk(view, tick, Some(&first), &bytes)
    }

    /// Chunks that waited for a tick.
    fn put_waiting(&mut self, view: View, tick: Tick) -> Result<()> {
        let waiting = self.tracks.get_mut(&view).map(|track| std::mem::take(&mut track.waiting));
        waiting
            .unwrap_or_default()
            .iter()
            .try_for_each(|chunk| self.put_chunk(view, tick, None, chunk))
    }

    fn put_chunk(
        &mut self,
        view: View,
        tick: Tick,
        first: Option<&PerLane>,
        chunk: &[u8],
    ) -> Result<()> {
        let number = self.number(view, Lane::TAPE);
        let mut w = Writer::new();
        w.u8(0x11).u8(view.number()).u8(Lane::TAPE.number()).varint(number).varint(tick.0);
        w.u8(first.is_some().into());
        for number in first.into_iter().flatten() {
            w.varint(*number);
        }
        w.bytes(chunk);
        self.put(&w.into_bytes().into())
    }

    fn tickless(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let header = &chunk.header;
        let views: Vec<View> = self.tracks.keys().copied().collect();
        for view in views.into_iter().filter(|view| header.views.contains(*view)) {
            if (header.kind, header.stream) == (ChunkKind::SETUP, SETUP_OF_VIEWS) {
                self.classes.setup(view, &chunk.raw()?);
            }
            self.wait(view, for_view(chunk, view))?;
        }
        Ok(())
    }

    /// A chunk without a tick.
    fn wait(&mut self, view: View, chunk: Vec<u8>) -> Result<()> {
        if !self.has_begun {
            return self.put_chunk(view, Tick::ZERO, None, &chunk);
        }
        if let Some(track) = self.tracks.get_mut(&view) {
            track.waiting.push(chunk);
        }
        Ok(())
    }

    fn made(&self, draft: &ChunkDraft, raw: &[u8]) -> Result<Vec<u8>> {
        draft.encode(self.hub.about.header.tape_id, 0, raw)
    }

    fn gap(&mut self, gap: &Gap) -> Result<()> {
        let views: Vec<View> = self.tracks.keys().copied().collect();
        for view in views.into_iter().filter(|view| gap.views.contains(*view)) {
            let own = ViewSet::EMPTY.with(view);
            let is_public = gap.views == ViewSet::ALL;
            // How much it was would reveal something about the others.
            let bytes = if gap.views == own { gap.bytes } else { 0 };
            let views = if is_public { ViewSet::ALL } else { own };
            let own = gap.with_views(views).with_size(gap.count, bytes);
            let chunk = self.made(&own.draft(), &own.to_bytes())?;
            self.wait(view, chunk)?;
        }
        Ok(())
    }

    fn closing(&mut self, closing: &str) -> Result<()> {
        let views: Vec<View> = self.tracks.keys().copied().collect();
        for view in views {
            let own = for_views(closing, &self.hub.about.metadata, ViewSet::EMPTY.with(view));
            let draft = ChunkDraft::new(ChunkKind::METADATA).with_stream(1);
            let chunk = self.made(&draft, own.as_bytes())?;
            self.wait(view, chunk)?;
        }
        Ok(())
    }

    fn events(&mut self, window: &Window) -> Result<()> {
        let views: Vec<View> = self.tracks.keys().copied().collect();
        for view in views {
            for (draft, raw) in window.of(view)? {
                let draft = draft.with_views(ViewSet::EMPTY.with(view));
                let chunk = self.made(&draft, &raw)?;
                let number = self.number(view, Lane::EVENTS);
                let mut w = Writer::new();
                w.u8(0x12).u8(view.number()).u8(Lane::EVENTS.number());
                w.varint(number).varint(window.last_tick.0).bytes(&chunk);
                self.put(&w.into_bytes().into())?;
            }
        }
        Ok(())
    }

    /// The match is over.
    pub fn end(&mut self, now: Duration) -> Result<()> {
        if self.is_over {
            return Ok(());
        }
        let after = self.last_tick.map_or(Tick::ZERO, |last| last + 1);
        if let Some(last) = self.last_tick {
            self.put_marks(last, now);
        }
        for view in self.hub.views().iter() {
            self.put_waiting(view, after)?;
        }
        let windows = self.windows.finish();
        windows.iter().try_for_each(|window| self.events(window))?;
        self.put_mark(after, true, now);
        self.is_over = true;
        Ok(())
    }

    /// Is the match over?
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// A connection to a relay which has these numbers of these views, and gets no others.
    pub fn connect(&mut self, have: &[(View, PerLane)], now: Duration) -> SeatId {
        let named: ViewSet = have.iter().map(|(view, _)| *view).collect();
        let views = named.and(self.hub.views());
        let grant = Grant { views, classes: Classes::ALL, delay: 0 };
        self.hub.sit(grant, StartAt::Live, have, true, now)
    }

    /// A connection to somebody who has nothing, and gets everything from the start.
    pub fn connect_all(&mut self, now: Duration) -> SeatId {
        let of = |view| (view, [0; Lane::COUNT]);
        self.connect(&self.hub.views().iter().map(of).collect::<Vec<_>>(), now)
    }

    /// Is the match over, and does a relay with these numbers lack nothing of it?
    #[must_use]
    pub fn is_all(&self, have: &[(View, PerLane)]) -> bool {
        let has_all = |(view, have): &(View, PerLane)| {
            let track = self.tracks.get(view);
            track.is_none_or(|track| have.iter().zip(&track.next).all(|(have, next)| have >= next))
        };
        self.is_over && have.iter().all(has_all)
    }

    /// A message of a relay on a link.
    pub fn receive(&mut self, link: SeatId, bytes: &[u8], now: Duration) -> Result<()> {
        match Message::read(bytes)? {
            Message::Again(again) => self.hub.again(link, &again, now),
            Message::Have(have) => self.hub.link(link, &have, now),
            Message::Refuse(_) => {}
            _ => return Err(Error::misuse("message", "a relay does not send it")),
        }
        Ok(())
    }

    /// What to send on a link now, about `budget` bytes of it.
    pub fn poll(&mut self, link: SeatId, now: Duration, budget: usize) -> Vec<Outgoing> {
        self.hub.poll(link, now, budget)
    }

    /// The newest marks of the views that a link gets, for transports that may lose one: sent now and then they end
    /// every doubt about what there is.
    #[must_use]
    pub fn heartbeat(&self, link: SeatId) -> Vec<Shared> {
        self.hub.newest_marks(link)
    }

    /// The connection ended.
    pub fn disconnect(&mut self, link: SeatId) {
        self.hub.leave(link);
    }

    /// Messages that links need and memory has no more: a publisher that reads the journal from its
    /// start makes them again, and [`recall`](Self::recall) takes them.
    #[must_use]
    pub fn missing(&self) -> Vec<Again> {
        self.hub.missing(64)
    }

    /// The messages of a lane that are there, for who makes another publisher's memory whole.
    #[must_use]
    pub fn messages(&self, again: &Again) -> Vec<Shared> {
        let log = self.hub.log(again.view);
        let range = log.map(|log| log.lane(again.lane).range(again.numbers.clone()));
        range.into_iter().flatten().map(|(_, entry)| entry.bytes.clone()).collect()
    }

    /// Takes back a message that was made before.
    pub fn recall(&mut self, bytes: &Shared) -> Result<()> {
        self.put(bytes)
    }
}

/// A chunk as a view gets it: without a number, and for nobody else.
fn for_view(chunk: &Chunk<'_>, view: View) -> Vec<u8> {
    let mut header = chunk.header;
    header.sequence = 0;
    if header.views != ViewSet::ALL {
        header.views = ViewSet::EMPTY.with(view);
    }
    [&header.to_bytes()[..], chunk.stored].concat()
}
