//! Session messages as bytes. Normative: `spec/live.md`, section 4.

use std::ops::Range;
use std::sync::Arc;

use gametape_tape::limits::{METADATA_BYTES, TICK};
use gametape_tape::{Chunk, ChunkHeader, TapeHeader};
use gametape_wire::{Error, ErrorKind, Reader, Result, Tick, View, ViewSet, Writer};

use crate::lane::{Classes, Lane, PerLane};
use crate::limits::{
    AGAIN, DATAGRAM_BYTES, MESSAGE_BYTES, NUMBER, PASS_BYTES, PAYLOADS, PRELUDE, RUNS,
    SMALL_MESSAGE_BYTES,
};
use crate::name::MatchName;

/// A message that is made once and shared by everybody who gets it.
pub type Shared = Arc<[u8]>;

/// The version of the messages.
pub const VERSION: u8 = 1;

/// The most views that there are.
const VIEWS: u8 = View::MAX + 1;

/// Any message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Message<'a> {
    /// A publisher says what it has.
    Announce(Announce),
    /// A relay says what it lacks.
    Have(Vec<(View, PerLane)>),
    /// A spectator asks for a seat.
    Join(Join),
    /// A relay gives a seat.
    Welcome(Welcome),
    /// A relay gives none.
    Refuse(Refusal),
    /// A receiver lacks messages.
    Again(Again),
    /// A spectator wants to go to a tick.
    Seek(StartAt),
    /// Something of a match.
    Data(Data<'a>),
    /// All ticks up to one are over.
    Mark(Mark),
    /// What follows begins with another group.
    Moved(Moved),
}

/// What a publisher has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announce {
    /// What the match is called.
    pub name: MatchName,
    /// The views that it has.
    pub views: ViewSet,
    /// The header of the journal.
    pub header: TapeHeader,
    /// Its metadata.
    pub metadata: String,
    /// The pass to publish it; empty where none is needed.
    pub pass: Vec<u8>,
}

/// Where somebody wants to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StartAt {
    /// With the newest group.
    #[default]
    Live,
    /// With the group that has this tick.
    Tick(Tick),
}

/// What a seat is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Any views; ticks are shown when they are complete.
    #[default]
    Spectator,
    /// One view, all classes; parts are used when they come.
    Player,
}

/// What a spectator asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Join {
    /// What the seat is for.
    pub profile: Profile,
    /// The match.
    pub name: MatchName,
    /// The views that it wants.
    pub views: ViewSet,
    /// The classes that it wants.
    pub classes: Classes,
    /// Where it wants to begin.
    pub from: StartAt,
    /// The bytes of a pass, or none.
    pub pass: Vec<u8>,
    /// Where it goes on: the first number that it lacks of each lane.
    pub lacks: Vec<(View, PerLane)>,
}

/// What a seat gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Welcome {
    /// The match.
    pub name: MatchName,
    /// The views that the seat gets.
    pub views: ViewSet,
    /// The classes that the seat gets.
    pub classes: Classes,
    /// Ticks between what is played and what is released to it.
    pub delay: u64,
    /// The header of the journal.
    pub header: TapeHeader,
    /// Its metadata.
    pub metadata: String,
}

/// Why somebody gets nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Another version of the messages.
    Version,
    /// There is no such match for this pass.
    NoMatch,
    /// The pass is not valid.
    BadPass,
    /// Too many seats or requests.
    TooMany,
    /// A message that is not as it must be.
    Malformed,
}

impl Refusal {
    const ALL: [Self; 5] =
        [Self::Version, Self::NoMatch, Self::BadPass, Self::TooMany, Self::Malformed];

    fn number(self) -> u8 {
        Self::ALL.iter().zip(1..).find(|(other, _)| **other == self).map_or(0, |(_, n)| n)
    }

    /// What to say to people.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Version => "the other side speaks another version",
            Self::NoMatch => "there is no such match for this pass",
            Self::BadPass => "the pass is not valid",
            Self::TooMany => "there are too many connections or requests",
            Self::Malformed => "the other side did not understand a message",
        }
    }
}

/// Messages that somebody lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Again {
    /// Of which view.
    pub view: View,
    /// Of which lane.
    pub lane: Lane,
    /// Their numbers; at most 1,024.
    pub numbers: Range<u64>,
}

/// All ticks up to one are over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Of which view.
    pub view: View,
    /// The last tick that is over.
    pub tick: Tick,
    /// Was it the last of the match?
    pub is_last: bool,
    /// How many messages each lane has up to this tick; of events 0 unless it is the last.
    pub counts: PerLane,
}

/// What follows begins with another group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// Of which view.
    pub view: View,
    /// The first tick of the group.
    pub tick: Tick,
    /// The first number of the group in each lane.
    pub first: PerLane,
    /// The numbers of the chunks that come before it, ascending.
    pub prelude: Vec<u64>,
}

/// A numbered message: something of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Data<'a> {
    /// For which view.
    pub view: View,
    /// In which lane.
    pub lane: Lane,
    /// Its number in the lane.
    pub number: u64,
    /// When it may be known.
    pub tick: Tick,
    /// What it holds.
    pub body: Body<'a>,
}

/// What a numbered message holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body<'a> {
    /// The runs of one class of a payload.
    Part(Part<'a>),
    /// A chunk of the tape; of a keyframe with the first numbers of its group.
    Chunk(Chunk<'a>, Option<PerLane>),
}

/// The runs of one class of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a> {
    /// Which payload of the view at this tick.
    pub index: u32,
    count: u32,
    table: &'a [u8],
    bytes: &'a [u8],
}

impl<'a> Part<'a> {
    /// Positions in the payload and bytes of the runs, ascending.
    pub fn runs(&self) -> impl Iterator<Item = (u32, &'a [u8])> + use<'a> {
        let (mut table, mut bytes) = (Reader::new(self.table), Reader::new(self.bytes));
        (0..self.count).map_while(move |_| {
            // Both were there when the message was read.
            let position = table.varint("position").ok()? as u32;
            let length = table.varint("length").ok()? as usize;
            Some((position, bytes.take(length, "run").ok()?))
        })
    }
}

const ANNOUNCE: u8 = 0x01;
const HAVE: u8 = 0x02;
const JOIN: u8 = 0x03;
const WELCOME: u8 = 0x04;
const REFUSE: u8 = 0x05;
const AGAIN_KIND: u8 = 0x06;
const SEEK: u8 = 0x07;
const PART: u8 = 0x10;
const CHUNK: u8 = 0x11;
const EVENTS: u8 = 0x12;
const MARK: u8 = 0x13;
const MOVED: u8 = 0x14;

fn bad<T>(offset: u64, item: &'static str, found: u64, expected: &'static str) -> Result<T> {
    Err(Error::at(offset, item, ErrorKind::BadValue { found: found as i64, expected }))
}

fn read_version(r: &mut Reader<'_>) -> Result<()> {
    let offset = r.offset();
    match r.u8("version")? {
        VERSION => Ok(()),
        other => Err(Error::at(offset, "version", ErrorKind::Unknown { code: other.into() })),
    }
}

fn read_view(r: &mut Reader<'_>) -> Result<View> {
    let offset = r.offset();
    let number = r.u8("view")?;
    View::new(number).map_or_else(|| bad(offset, "view", number.into(), "0..=15"), Ok)
}

fn read_views(r: &mut Reader<'_>) -> Result<ViewSet> {
    let offset = r.offset();
    match r.u16_le("views")? {
        0 => bad(offset, "views", 0, "at least one view"),
        bits => Ok(ViewSet::from_bits(bits)),
    }
}

fn read_classes(r: &mut Reader<'_>) -> Result<Classes> {
    let offset = r.offset();
    let bits = r.u8("classes")?;
    Classes::from_bits(bits).map_or_else(|| bad(offset, "classes", bits.into(), "five bits"), Ok)
}

fn read_lane(r: &mut Reader<'_>) -> Result<Lane> {
    let offset = r.offset();
    let number = r.u8("lane")?;
    Lane::new(number).map_or_else(|| bad(offset, "lane", number.into(), "0..=6"), Ok)
}

fn read_number(r: &mut Reader<'_>) -> Result<u64> {
    let offset = r.offset();
    NUMBER.check(r.varint("number of a message")?, offset)
}

fn read_seven(r: &mut Reader<'_>) -> Result<PerLane> {
    let mut seven = [0; Lane::COUNT];
    for number in &mut seven {
        *number = read_number(r)?;
    }
    Ok(seven)
}

fn read_ticks(r: &mut Reader<'_>) -> Result<u64> {
    let offset = r.offset();
    TICK.check(r.varint("tick")?, offset)
}

fn read_tick(r: &mut Reader<'_>) -> Result<Tick> {
    read_ticks(r).map(Tick)
}

fn read_from(r: &mut Reader<'_>) -> Result<StartAt> {
    Ok(read_tick(r)?.previous().map_or(StartAt::Live, StartAt::Tick))
}

fn read_tape_header(r: &mut Reader<'_>) -> Result<TapeHeader> {
    TapeHeader::read(r.take(TapeHeader::LENGTH, "header of a tape")?)
}

fn read_bytes<'a>(
    r: &mut Reader<'a>,
    limit: gametape_wire::Limit,
    item: &'static str,
) -> Result<&'a [u8]> {
    let offset = r.offset();
    let length = limit.check(r.varint(item)?, offset)?;
    r.take(length as usize, item)
}

fn read_metadata(r: &mut Reader<'_>) -> Result<String> {
    let offset = r.offset();
    let bytes = read_bytes(r, METADATA_BYTES, "metadata")?;
    Ok(gametape_tape::check_metadata(bytes, offset)?.to_owned())
}

fn read_lacks(r: &mut Reader<'_>) -> Result<Vec<(View, PerLane)>> {
    let offset = r.offset();
    let count = r.u8("views")?;
    if count > VIEWS {
        return bad(offset, "views", count.into(), "at most 16");
    }
    (0..count).map(|_| Ok((read_view(r)?, read_seven(r)?))).collect()
}

impl<'a> Message<'a> {
    /// The message in these bytes, all of them.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut r = Reader::new(bytes);
        let kind = r.u8("kind of a message")?;
        let limit =
            if matches!(kind, PART | CHUNK | EVENTS) { MESSAGE_BYTES } else { SMALL_MESSAGE_BYTES };
        limit.check(bytes.len() as u64, 0)?;
        let message = Self::read_body(kind, &mut r)?;
        r.finish("message")?;
        Ok(message)
    }

    fn read_body(kind: u8, r: &mut Reader<'a>) -> Result<Self> {
        Ok(match kind {
            ANNOUNCE => Self::Announce(Announce::read(r)?),
            HAVE => Self::Have(read_lacks(r)?),
            JOIN => Self::Join(Join::read(r)?),
            WELCOME => Self::Welcome(Welcome::read(r)?),
            REFUSE => Self::Refuse(read_refusal(r)?),
            AGAIN_KIND => Self::Again(Again::read(r)?),
            SEEK => Self::Seek(read_from(r)?),
            PART | CHUNK | EVENTS => Self::Data(Data::read_as(kind, r)?),
            MARK => Self::Mark(Mark::read(r)?),
            MOVED => Self::Moved(Moved::read(r)?),
            _ => {
                let kind = ErrorKind::Unknown { code: kind.into() };
                return Err(Error::at(0, "kind of a message", kind));
            }
        })
    }

    /// The bytes of a message that is not numbered: numbered ones are made by the publisher alone.
    #[must_use]
    pub fn to_bytes(&self) -> Shared {
        let mut w = Writer::new();
        match self {
            Self::Announce(announce) => announce.write(&mut w),
            Self::Have(lacks) => {
                w.u8(HAVE);
                write_lacks(&mut w, lacks);
            }
            Self::Join(join) => join.write(&mut w),
            Self::Welcome(welcome) => welcome.write(&mut w),
            Self::Refuse(refusal) => drop(w.u8(REFUSE).u8(refusal.number())),
            Self::Again(again) => again.write(&mut w),
            Self::Seek(from) => drop(w.u8(SEEK).varint(from.code())),
            Self::Mark(mark) => mark.write(&mut w),
            Self::Moved(moved) => moved.write(&mut w),
            Self::Data(data) => data.write(&mut w),
        }
        w.into_bytes().into()
    }
}

impl StartAt {
    fn code(self) -> u64 {
        match self {
            Self::Live => 0,
            Self::Tick(tick) => tick.0.min(TICK.max - 1) + 1,
        }
    }
}

fn read_refusal(r: &mut Reader<'_>) -> Result<Refusal> {
    let offset = r.offset();
    let number = r.u8("reason")?;
    let found = usize::from(number).checked_sub(1).and_then(|index| Refusal::ALL.get(index));
    found.copied().map_or_else(|| bad(offset, "reason", number.into(), "1..=5"), Ok)
}

fn write_lacks(w: &mut Writer, lacks: &[(View, PerLane)]) {
    w.u8(lacks.len() as u8);
    for (view, seven) in lacks {
        w.u8(view.number());
        write_seven(w, seven);
    }
}

fn write_seven(w: &mut Writer, seven: &PerLane) {
    for number in seven {
        w.varint(*number);
    }
}

impl Announce {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        read_version(r)?;
        Ok(Self {
            name: MatchName::read(r)?,
            views: read_views(r)?,
            header: read_tape_header(r)?,
            metadata: read_metadata(r)?,
            pass: read_bytes(r, PASS_BYTES, "pass")?.to_vec(),
        })
    }

    fn write(&self, w: &mut Writer) {
        w.u8(ANNOUNCE).u8(VERSION);
        self.name.write(w);
        w.u16_le(self.views.bits()).bytes(&self.header.to_bytes());
        w.varint(self.metadata.len() as u64).bytes(self.metadata.as_bytes());
        w.varint(self.pass.len() as u64).bytes(&self.pass);
    }
}

impl Join {
    /// A spectator that wants to see these views of a match, live, without a pass.
    #[must_use]
    pub fn new(name: MatchName, views: ViewSet) -> Self {
        Self {
            profile: Profile::Spectator,
            name,
            views,
            classes: Classes::ALL,
            from: StartAt::Live,
            pass: Vec::new(),
            lacks: Vec::new(),
        }
    }

    fn read(r: &mut Reader<'_>) -> Result<Self> {
        read_version(r)?;
        let offset = r.offset();
        let profile = match r.u8("profile")? {
            0 => Profile::Spectator,
            1 => Profile::Player,
            other => return bad(offset, "profile", other.into(), "0 or 1"),
        };
        Ok(Self {
            profile,
            name: MatchName::read(r)?,
            views: read_views(r)?,
            classes: read_classes(r)?,
            from: read_from(r)?,
            pass: read_bytes(r, PASS_BYTES, "pass")?.to_vec(),
            lacks: read_lacks(r)?,
        })
    }

    fn write(&self, w: &mut Writer) {
        w.u8(JOIN).u8(VERSION).u8(u8::from(self.profile == Profile::Player));
        self.name.write(w);
        w.u16_le(self.views.bits()).u8(self.classes.bits()).varint(self.from.code());
        w.varint(self.pass.len() as u64).bytes(&self.pass);
        write_lacks(w, &self.lacks);
    }
}

impl Welcome {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        read_version(r)?;
        Ok(Self {
            name: MatchName::read(r)?,
            views: read_views(r)?,
            classes: read_classes(r)?,
            delay: read_ticks(r)?,
            header: read_tape_header(r)?,
            metadata: read_metadata(r)?,
        })
    }

    fn write(&self, w: &mut Writer) {
        w.u8(WELCOME).u8(VERSION);
        self.name.write(w);
        w.u16_le(self.views.bits()).u8(self.classes.bits()).varint(self.delay.min(TICK.max));
        w.bytes(&self.header.to_bytes());
        w.varint(self.metadata.len() as u64).bytes(self.metadata.as_bytes());
    }
}

impl Again {
    /// Is all of it in another one?
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        (self.view, self.lane) == (other.view, other.lane)
            && self.numbers.start >= other.numbers.start
            && self.numbers.end <= other.numbers.end
    }

    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let (view, lane, first) = (read_view(r)?, read_lane(r)?, read_number(r)?);
        let offset = r.offset();
        let count = AGAIN.check(r.varint("messages to repeat")?, offset)?;
        if count == 0 {
            return bad(offset, "messages to repeat", 0, "1..=1024");
        }
        Ok(Self { view, lane, numbers: first..first + count })
    }

    fn write(&self, w: &mut Writer) {
        let Range { start, end } = self.numbers;
        w.u8(AGAIN_KIND).u8(self.view.number()).u8(self.lane.number());
        w.varint(start).varint(end.saturating_sub(start).clamp(1, AGAIN.max));
    }
}

impl Mark {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let (view, tick) = (read_view(r)?, read_tick(r)?);
        let offset = r.offset();
        let flags = r.u8("flags")?;
        if flags > 1 {
            return bad(offset, "flags", flags.into(), "0 or 1");
        }
        Ok(Self { view, tick, is_last: flags == 1, counts: read_seven(r)? })
    }

    fn write(&self, w: &mut Writer) {
        w.u8(MARK).u8(self.view.number()).varint(self.tick.0).u8(self.is_last.into());
        write_seven(w, &self.counts);
    }
}

impl Moved {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let (view, tick, first) = (read_view(r)?, read_tick(r)?, read_seven(r)?);
        let offset = r.offset();
        let count = PRELUDE.check(r.varint("chunks before a group")?, offset)?;
        // Each takes at least a byte.
        let mut prelude = Vec::with_capacity((count as usize).min(r.remaining()));
        let mut last = None;
        for _ in 0..count {
            let offset = r.offset();
            let step = read_number(r)?;
            let number = last.map_or(step, |last: u64| last + step);
            if last.is_some() && step == 0 {
                return bad(offset, "chunks before a group", 0, "ascending numbers");
            }
            last = Some(NUMBER.check(number, offset)?);
            prelude.push(number);
        }
        Ok(Self { view, tick, first, prelude })
    }

    fn write(&self, w: &mut Writer) {
        w.u8(MOVED).u8(self.view.number()).varint(self.tick.0);
        write_seven(w, &self.first);
        w.varint(self.prelude.len() as u64);
        let mut last = 0;
        for number in &self.prelude {
            w.varint(number - last);
            last = *number;
        }
    }
}

impl<'a> Data<'a> {
    /// The numbered message in these bytes; `None` for any other message.
    pub fn read(bytes: &'a [u8]) -> Result<Option<Self>> {
        match Message::read(bytes)? {
            Message::Data(data) => Ok(Some(data)),
            _ => Ok(None),
        }
    }

    fn read_as(kind: u8, r: &mut Reader<'a>) -> Result<Self> {
        let view = read_view(r)?;
        let offset = r.offset();
        let lane = read_lane(r)?;
        let fits = match kind {
            PART => lane.has_parts(),
            CHUNK => lane == Lane::TAPE,
            _ => lane == Lane::EVENTS,
        };
        if !fits {
            return bad(offset, "lane", lane.number().into(), "the lane of its kind");
        }
        let (number, tick) = (read_number(r)?, read_tick(r)?);
        let body = match kind {
            PART => Body::Part(read_part(r)?),
            CHUNK => read_chunk(r)?,
            _ => Body::Chunk(read_whole_chunk(r)?, None),
        };
        Ok(Self { view, lane, number, tick, body })
    }

    fn write(&self, w: &mut Writer) {
        let kind = match self.lane {
            Lane::TAPE => CHUNK,
            Lane::EVENTS => EVENTS,
            _ => PART,
        };
        w.u8(kind).u8(self.view.number()).u8(self.lane.number());
        w.varint(self.number).varint(self.tick.0);
        match &self.body {
            Body::Part(part) => {
                w.varint(part.index.into()).varint(part.count.into());
                w.bytes(part.table).bytes(part.bytes);
            }
            Body::Chunk(chunk, first) => {
                if kind == CHUNK {
                    w.u8(first.is_some().into());
                }
                if let Some(first) = first {
                    write_seven(w, first);
                }
                w.bytes(&chunk.header.to_bytes()).bytes(chunk.stored);
            }
        }
    }

    /// Is it a keyframe?
    #[must_use]
    pub fn is_keyframe(&self) -> bool {
        matches!(self.body, Body::Chunk(_, Some(_)))
    }
}

fn read_part<'a>(r: &mut Reader<'a>) -> Result<Part<'a>> {
    let offset = r.offset();
    let index = PAYLOADS.check(r.varint("index of a payload")?, offset)? as u32;
    let offset = r.offset();
    let count = RUNS.check(r.varint("runs of a part")?, offset)? as u32;
    if count == 0 {
        return bad(offset, "runs of a part", 0, "at least one");
    }
    let table = r.clone();
    let (mut total, mut next) = (0u64, 0);
    for _ in 0..count {
        let offset = r.offset();
        let position = RUNS.check(r.varint("position of a run")?, offset)?;
        if position < next {
            return bad(offset, "position of a run", position, "ascending positions");
        }
        next = position + 1;
        total = total.saturating_add(r.varint("length of a run")?);
    }
    let table = r.since(&table);
    let bytes = r.take(usize::try_from(total).unwrap_or(usize::MAX), "runs")?;
    Ok(Part { index, count, table, bytes })
}

fn read_chunk<'a>(r: &mut Reader<'a>) -> Result<Body<'a>> {
    let offset = r.offset();
    let first = match r.u8("kind of a chunk")? {
        0 => None,
        1 => Some(read_seven(r)?),
        other => return bad(offset, "kind of a chunk", other.into(), "0 or 1"),
    };
    let offset = r.offset();
    let chunk = read_whole_chunk(r)?;
    if chunk.header.kind.is_keyframe() != first.is_some() {
        return bad(offset, "kind of a chunk", chunk.header.kind.0.into(), "what was announced");
    }
    Ok(Body::Chunk(chunk, first))
}

fn read_whole_chunk<'a>(r: &mut Reader<'a>) -> Result<Chunk<'a>> {
    let chunk = Chunk::read(r.rest(), r.offset())?;
    r.take(ChunkHeader::LENGTH + chunk.stored.len(), "chunk")?;
    Ok(chunk)
}

/// The bytes of a part: the runs of one class of a payload.
pub(crate) fn part_bytes(
    view: View,
    lane: Lane,
    number: u64,
    tick: Tick,
    index: u32,
    runs: &[(u32, &[u8])],
) -> Shared {
    let mut w = Writer::new();
    w.u8(PART).u8(view.number()).u8(lane.number()).varint(number).varint(tick.0);
    w.varint(index.into()).varint(runs.len() as u64);
    for (position, bytes) in runs {
        w.varint((*position).into()).varint(bytes.len() as u64);
    }
    for (_, bytes) in runs {
        w.bytes(bytes);
    }
    w.into_bytes().into()
}

/// Would a part of these runs fit into a datagram, whatever its number?
pub(crate) fn fits_datagram(tick: Tick, index: u32, runs: &[(u32, &[u8])]) -> bool {
    let number = NUMBER.max;
    part_bytes(View::SPECTATOR, Lane::UNRELIABLE, number, tick, index, runs).len() <= DATAGRAM_BYTES
}
