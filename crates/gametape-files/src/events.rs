//! The events of tapes, for those who look into them: nothing else of a tape is read.

use std::ops::Range;

use gametape_analysis::report::Copies;
use gametape_analysis::{AnalysisEvent, EventStream, KindSet, MatchInfo, NameReader, TapeEvents};
use gametape_tape::{ChunkKind, Depth, Tape};
use gametape_wire::text::count;
use gametape_wire::{Error, Tick};

use crate::host::{note, warn_of_each};
use crate::outcome::{Done, Failure, Outcome};
use crate::source::Source;
use crate::tape::{TapeFile, warn_of_losses};

/// A recorded match, seen through its events.
#[derive(Debug)]
pub struct Observed {
    file: TapeFile,
    /// The tape.
    pub tape: Tape,
    /// What its events are about.
    pub info: MatchInfo,
    problems: Vec<Error>,
}

impl Observed {
    /// Opens a tape and reads the names that its events use.
    pub fn open(source: &Source) -> Result<Self, Failure> {
        let mut file = source.tape()?;
        let tape = file.open(Depth::Index)?;
        warn_of_losses(source, &tape);
        let mut names = NameReader::new(&tape);
        names.read_from(&mut file).map_err(|error| file.failure(&error))?;
        let problems = names.problems().to_vec();
        let info = MatchInfo::of(&tape, source.to_string(), names.finish());
        Ok(Self { file, tape, info, problems })
    }

    /// The same, but a tape without events is refused.
    pub fn open_with_events(source: &Source) -> Result<Self, Failure> {
        let observed = Self::open(source)?;
        match observed.has_events() {
            true => Ok(observed),
            false => Err(Failure::refused(source, "there are no events in this tape")),
        }
    }

    /// Are there events at all?
    #[must_use]
    pub fn has_events(&self) -> bool {
        let of_stream = |stream: EventStream| self.tape.stream(ChunkKind::EVENTS, stream.number());
        EventStream::ALL.into_iter().any(|stream| of_stream(stream).next().is_some())
    }

    /// Shows events to `visit`, ascending by tick. Blocks that are damaged are reported and left out.
    pub fn visit(
        &mut self,
        kinds: KindSet,
        ticks: Range<Tick>,
        mut visit: impl FnMut(&AnalysisEvent, &MatchInfo) -> Result<(), Failure>,
    ) -> Outcome {
        let Self { file, tape, info, problems } = self;
        let source = file.source.clone();
        let mut events = TapeEvents::new(tape, kinds, ticks, file);
        for event in &mut events {
            visit(&event.map_err(|error| Failure::of(&source, &error))?, info)?;
        }
        problems.extend_from_slice(events.problems());
        let skipped = events.skipped();
        if skipped > 0 {
            let skipped = count(skipped, "event");
            note(&self.file.source, format_args!("passed over {skipped} of unknown kinds"));
        }
        let all = self.problems.len() as u64;
        warn_of_each(&self.file.source, &self.problems, all, "message");
        Ok(Done::lost_if(all > 0))
    }

    /// The tape itself.
    pub fn file(&mut self) -> (&mut TapeFile, &Tape) {
        (&mut self.file, &self.tape)
    }
}

/// Is it the first of the copies of its match? A note says what is passed over.
pub fn is_new(copies: &mut Copies, info: &MatchInfo) -> bool {
    let original = copies.original(info);
    if let Some(original) = &original {
        note(&info.source, format_args!("the same match as {original}; counted once"));
    }
    original.is_none()
}
