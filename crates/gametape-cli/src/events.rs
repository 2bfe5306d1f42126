//! The events of a tape, for commands that look into them: nothing else of the tape is read.

use std::borrow::Cow;
use std::ops::Range;

use gametape_analysis::{AnalysisEvent, EventStream, KindSet, NameTable, TapeEvents, read_names};
use gametape_tape::{ChunkKind, Depth, Tape};
use gametape_wire::{Error, Result as WireResult};

use crate::failure::{Done, Failure, note};
use crate::input::Source;
use crate::moment::warn_of_problems;
use crate::tape::{Metadata, PlayerName, Seat, TapeFile, milliseconds, warn_of_losses};
use crate::text::{clock, count};

/// A recorded match, seen through its events.
pub(crate) struct Observed {
    file: TapeFile,
    pub(crate) tape: Tape,
    pub(crate) names: NameTable,
    players: Vec<PlayerName>,
    problems: Vec<Error>,
}

impl Observed {
    /// Opens a tape and reads the names that its events use.
    pub(crate) fn open(source: &Source) -> Result<Self, Failure> {
        let mut file = source.tape()?;
        let tape = file.open(Depth::Index)?;
        warn_of_losses(source, &tape);
        let mut problems: Vec<Error> = Vec::new();
        let names = read_names(&tape, |range| fetch(&mut file, range));
        let names = names.unwrap_or_else(|error| {
            problems.push(error);
            NameTable::default()
        });
        let players = Metadata::of(&tape).players();
        Ok(Self { file, tape, names, players, problems })
    }

    /// The same, but a tape without events is refused.
    pub(crate) fn open_with_events(source: &Source) -> Result<Self, Failure> {
        let observed = Self::open(source)?;
        match observed.has_events() {
            true => Ok(observed),
            false => Err(Failure::refused(source, "there are no events in this tape")),
        }
    }

    /// Are there events at all?
    pub(crate) fn has_events(&self) -> bool {
        let of_stream = |stream: EventStream| self.tape.stream(ChunkKind::EVENTS, stream.number());
        EventStream::ALL.into_iter().any(|stream| of_stream(stream).next().is_some())
    }

    /// Shows events to `visit`, ascending by tick. Blocks that cannot be read are told and left out.
    pub(crate) fn visit(
        &mut self,
        kinds: KindSet,
        ticks: Range<u64>,
        mut visit: impl FnMut(&AnalysisEvent, &NameTable) -> Result<(), Failure>,
    ) -> Result<Done, Failure> {
        let Self { file, tape, names, problems, .. } = self;
        let mut events = TapeEvents::new(tape, kinds, ticks, |range| fetch(file, range));
        for event in &mut events {
            match event {
                Ok(event) => visit(&event, names)?,
                Err(problem) => problems.push(problem),
            }
        }
        let skipped = events.skipped();
        if skipped > 0 {
            let skipped = count(skipped, "event");
            note(&self.file.source, format_args!("passed over {skipped} of unknown kinds"));
        }
        Ok(warn_of_problems(&self.file.source, &self.problems, self.problems.len() as u64))
    }

    /// What stands between these ticks: `0:01:05.250`.
    pub(crate) fn clock(&self, tick: u64) -> String {
        clock(self.milliseconds(tick))
    }

    /// When a tick begins.
    pub(crate) fn milliseconds(&self, tick: u64) -> u64 {
        milliseconds(&self.tape.header, tick)
    }

    /// The name of a player, if the tape has one.
    pub(crate) fn player_name(&self, player: u8) -> Option<&str> {
        let named = self.players.iter().find(|named| named.seat == Seat::View(player.into()));
        named.map(|named| named.name.as_str())
    }

    /// The tape itself.
    pub(crate) fn file(&mut self) -> (&mut TapeFile, &Tape) {
        (&mut self.file, &self.tape)
    }
}

fn fetch<'b>(file: &mut TapeFile, range: Range<u64>) -> WireResult<Cow<'b, [u8]>> {
    gametape_wire::Source::fetch(file, range).map(|bytes| Cow::Owned(bytes.into_owned()))
}
