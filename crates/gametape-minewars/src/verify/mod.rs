//! Checking a recording against every rule of its format; normative text:
//! `spec/minewars-tools.md`, section 1.

mod finding;
mod messages;
mod rule;
mod survey;

use std::borrow::Cow;

use crate::{Frame, FrameLayout, Frames, Irregularity};
use gametape_wire::{
    Error, ErrorClass, ErrorKind, Finding, Part, Place, Reader, Report, Severity, Tick, ViewSet,
};

pub use finding::{FrameRef, Located, Space};
pub use rule::Rule;
pub use survey::Survey;

use crate::file::{FrameStorage, ReplayFile};
use crate::map::{ItemKind, TileKind};
use crate::message::{Message, Messages};
use crate::setup::{SetupHeader, SetupPart};
use finding::Location;
use messages::{Bounds, MessageCheck};

/// How many findings of each rule are kept; all are counted.
const KEPT_PER_RULE: u64 = 1000;

/// What a check of a whole recording found; made by [`verify`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {
    /// How many frames were read.
    pub frames: u64,
    /// How many messages were read; one in a homogenous frame counts once.
    pub messages: u64,
    report: Report,
    /// Where each finding of the report is.
    locations: Vec<Location>,
    counts: [u64; Rule::ALL.len()],
}

impl Verification {
    fn new() -> Self {
        let report = Report::keeping(usize::MAX);
        let counts = [0; Rule::ALL.len()];
        Self { frames: 0, messages: 0, report, locations: Vec::new(), counts }
    }

    /// What was found, file and setup first, then frame by frame. Of each rule the first 1000 findings
    /// are kept, and all are counted.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The findings that were kept, with their location in the file.
    pub fn findings(&self) -> impl ExactSizeIterator<Item = Located<'_>> {
        let located = self.report.findings().iter().zip(&self.locations);
        located.map(|(finding, &Location { space, frame })| Located { finding, space, frame })
    }

    /// Is no rule broken? Warnings do not count.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.report.is_sound()
    }

    /// How often a rule is broken, findings that were not kept included.
    #[must_use]
    pub fn count(&self, rule: Rule) -> u64 {
        self.counts[rule as usize]
    }

    /// How many findings of a rule were counted but not kept.
    #[must_use]
    pub fn omitted(&self, rule: Rule) -> u64 {
        self.count(rule).saturating_sub(KEPT_PER_RULE)
    }

    /// Counts a finding, and makes its error only if it is kept.
    fn add(&mut self, rule: Rule, location: Location, error: impl FnOnce() -> Error) {
        let count = &mut self.counts[rule as usize];
        *count += 1;
        if *count > KEPT_PER_RULE {
            return self.report.add_omitted(rule.severity(), 1);
        }
        let finding = Finding::new(rule.severity(), rule.name(), error());
        self.report.add(match location.frame {
            Some(frame) => finding.at_tick(Tick(frame.time)),
            None => finding,
        });
        self.locations.push(location);
    }

    fn add_in_file(&mut self, rule: Rule, error: Error) {
        self.add(rule, Location { space: Space::File, frame: None }, || error);
    }
}

/// Checks everything that a file says against the rules of its format.
///
/// Never fails: what cannot be read is a finding, and the rest is checked all the same.
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::{ReplayFile, Rule, WriteOptions, verify, write_file};
/// use gametape_minewars::Generation;
///
/// let (setup, frames) = Sample::default().build(Generation::Current)?;
/// let mut bytes = write_file(&setup, &frames, &WriteOptions::default())?;
/// assert!(verify(&ReplayFile::open(&bytes)?).is_ok());
///
/// let last = bytes.len() - 1;
/// bytes[last] ^= 1;
/// let found = verify(&ReplayFile::open(&bytes)?);
/// assert_eq!(found.count(Rule::Checksum), 1);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[must_use]
pub fn verify(file: &ReplayFile<'_>) -> Verification {
    let mut found = Verification::new();
    check_file(file, &mut found);
    check_reserved_values(file, &mut found);
    if let Ok(layout) = file.frame_layout() {
        check_frames(file, layout, &mut found);
    }
    found
}

fn check_file(file: &ReplayFile<'_>, found: &mut Verification) {
    for error in file.checks().iter().filter_map(crate::file::Check::error) {
        found.add_in_file(Rule::Checksum, error);
    }
    for error in file.setup().faults() {
        found.add_in_file(Rule::Setup, error);
    }
    let end = file.frames_range().end;
    if let Err(error) = Reader::with_base(file.trailing(), end).finish("file") {
        found.add_in_file(Rule::Trailing, error);
    }
}

/// Values of the setup that have no meaning yet.
fn check_reserved_values(file: &ReplayFile<'_>, found: &mut Verification) {
    let setup = file.setup();
    let header = setup.header();
    let mut reserved = |offset, item: &'static str, value: u8, expected| {
        let kind = ErrorKind::BadValue { found: value.into(), expected };
        found.add_in_file(Rule::ReservedValue, Error::at(offset, item, kind));
    };
    if header.reserved_flags() != 0 {
        reserved(header.offset + 4, "flags", header.flags, "only bit 3");
    }
    if header.max_sub_player > 14 {
        reserved(header.offset + 6, "highest player sub id", 15, "0 to 14");
    }
    let mut offset = setup.part_range(SetupPart::CityNames).start;
    for name in setup.city_names().unwrap_or_default() {
        if let Some(index) = name.codes().iter().position(|code| *code > 47) {
            reserved(offset + 1 + index as u64, "city name", name.codes()[index], "up to 47");
        }
        offset += 1 + name.codes().len() as u64;
    }
    check_reserved_kinds(file, found);
}

fn check_reserved_kinds(file: &ReplayFile<'_>, found: &mut Verification) {
    let offset = file.setup().part_range(SetupPart::Map).start;
    let Ok(map) = file.setup().map() else { return };
    for (coord, tile) in map.tiles() {
        let kind = matches!(tile.kind, TileKind::Unknown(_)).then(|| tile.kind.code());
        let item = matches!(tile.item, ItemKind::Unknown(_)).then(|| tile.item.code());
        for (what, code) in [("tile", kind), ("item", item)] {
            let Some(code) = code else { continue };
            let location = Location { space: Space::File, frame: None };
            found.add(Rule::ReservedValue, location, || {
                let problem = format!("kind {code} of {what} {coord} is reserved").into();
                Error::at(offset, "map", ErrorKind::BadSyntax { problem })
            });
        }
    }
}

fn check_frames(file: &ReplayFile<'_>, layout: FrameLayout, found: &mut Verification) {
    let frames = match file.frames() {
        Ok(frames) => frames,
        Err(error) => return found.add_in_file(Rule::Unpack, error),
    };
    let (space, offset) = match frames.storage {
        FrameStorage::Raw => (Space::File, file.frames_range().start),
        FrameStorage::Lz4 | FrameStorage::Lz4Dictionary => (Space::UnpackedFrames, 0),
    };
    let bounds = Bounds::of(file.setup().header());
    let mut walk = FrameWalk { found, bounds, space };
    let mut frames = Frames::new(layout, &frames.bytes).at_offset(offset);
    while let Some(frame) = frames.next() {
        match frame {
            Ok(frame) => walk.check_frame(&frame),
            Err(error) => {
                let (number, time) = (walk.found.frames, frames.time());
                let at = FrameRef { number, time, views: ViewSet::EMPTY };
                walk.report(Rule::FrameCut, at, error);
            }
        }
    }
}

/// A check on its way through the frames.
struct FrameWalk<'v> {
    found: &'v mut Verification,
    bounds: Bounds,
    space: Space,
}

impl FrameWalk<'_> {
    fn check_frame(&mut self, frame: &Frame<'_>) {
        let number = self.found.frames;
        for irregularity in frame.irregularities() {
            let rule = rule_of(irregularity);
            let at = FrameRef { number, time: frame.time(), views: frame.views() };
            let problem = irregularity.to_string().into();
            let error = Error::at(frame.offset(), "frame", ErrorKind::BadSyntax { problem });
            self.report(rule, at, error);
        }
        for part in frame.parts() {
            self.check_payload(&part, FrameRef { number, time: frame.time(), views: part.views });
        }
        self.found.frames += 1;
    }

    fn check_payload(&mut self, part: &Part<'_>, frame: FrameRef) {
        let mut messages = Messages::new(part.payload, part.offset, self.bounds.dialect);
        let mut offset = part.offset;
        let read = messages.visit_dyn(&mut |message, wire| {
            self.check_message(&message, wire, offset, frame);
            offset += wire.len() as u64;
        });
        if let Err(error) = read {
            let cut = error.class() == ErrorClass::Truncated;
            let rule = if cut { Rule::MessageCut } else { Rule::ReservedOpcode };
            self.report(rule, frame, error);
        }
    }

    fn check_message(&mut self, message: &Message<'_>, wire: &[u8], offset: u64, frame: FrameRef) {
        self.found.messages += 1;
        let Self { found, bounds, space } = self;
        let location = Location { space: *space, frame: Some(frame) };
        let report = |rule, make: &dyn Fn() -> Error| {
            found.add(rule, location, || make().with_place(Place::Byte(offset)));
        };
        MessageCheck { bounds, message, report }.run(wire);
    }

    fn report(&mut self, rule: Rule, frame: FrameRef, error: Error) {
        let location = Location { space: self.space, frame: Some(frame) };
        self.found.add(rule, location, || error);
    }
}

/// Says which messages and frames of a recording break no rule of severity *error*.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Soundness(Bounds);

impl Soundness {
    /// Of a recording with this setup.
    pub(crate) fn of(header: &SetupHeader) -> Self {
        Self(Bounds::of(header))
    }

    /// The messages of a payload that are sound, up to the first that cannot be read.
    pub(crate) fn messages<'a>(&self, payload: &'a [u8]) -> Cow<'a, [u8]> {
        let mut sound = Vec::new();
        let mut messages = Messages::new(payload, 0, self.0.dialect);
        // What cannot be read is not among them.
        let _ = messages.visit_dyn(&mut |message, wire| {
            if self.is_sound(&message, wire) {
                sound.extend_from_slice(wire);
            }
        });
        if sound.len() == payload.len() { Cow::Borrowed(payload) } else { Cow::Owned(sound) }
    }

    fn is_sound(&self, message: &Message<'_>, wire: &[u8]) -> bool {
        let mut is_sound = true;
        let report =
            |rule: Rule, _: &dyn Fn() -> Error| is_sound &= rule.severity() != Severity::Error;
        MessageCheck { bounds: &self.0, message, report }.run(wire);
        is_sound
    }

    /// Is a frame sound, whatever its payloads say?
    pub(crate) fn is_frame_sound(frame: &Frame<'_>) -> bool {
        let mut rules = frame.irregularities().map(rule_of);
        rules.all(|rule| rule.severity() != Severity::Error)
    }
}

fn rule_of(irregularity: Irregularity) -> Rule {
    match irregularity {
        Irregularity::SpectatorBit { .. } => Rule::SpectatorBit,
        Irregularity::KeepaliveTopBit => Rule::KeepaliveBit,
        Irregularity::NoReceiver => Rule::NoReceiver,
        // Whatever else a frame may be accused of names views that are not there.
        _ => Rule::AbsentView,
    }
}
