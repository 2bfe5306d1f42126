//! `gametape anonymize`: a tape without what tells who played.

mod game;
mod gamelog;
mod metadata;
mod minewars;
mod names;
mod removed;

use gametape_replay::streams::{REPORTED_EVENTS, REPORTS, TALK};
use gametape_tape::{Chunk, ChunkKind, Depth, NameTable, Tape, TapeFrames, TapeWriter};
use gametape_wire::{Error, Result as WireResult, View};

use crate::failure::{Failure, Outcome};
use crate::output::Output;
use crate::rewrite::TapeResultArgs;
use crate::tape::{TapeFile, new_front};
use game::Game;
use names::Names;
use removed::Removed;

/// Take out of a tape what tells who played
///
/// Players are called Player 1 and so on wherever their names are known: in the metadata, in the
/// setup and frames of MineWars messages, in the fields and deltas of gamelogs. Chat, what players'
/// own machines reported, attachments, chunks of unknown kinds, and all metadata but content, game,
/// generation and outcome are left out. What is left verifies and plays as before; keyframes are made
/// anew where names were in them. Signatures are dropped: the tape is another one now.
///
/// What is in the bytes of an unknown game stays as it is. Where a known name is still found in such
/// bytes, a warning says so.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: TapeResultArgs,
}

const EXAMPLES: &str = r#"Strings of a gamelog that contain a player's name as a word are changed too, whatever they mean.

With --json:
  {"file","output","removed":[{"what","count"}],"remaining":[text]}

Examples:
  gametape anonymize match.tape for-the-paper.tape
  gametape anonymize --json match.tape for-the-paper.tape | jq .removed"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let target = self.files.result.target()?;
        let mut file = self.files.tape.source.tape()?;
        let tape = file.open(Depth::Index)?;
        if !tape.damages.is_empty() || !tape.missing.is_empty() {
            let problem = "it is damaged: `gametape recover` it first";
            return Err(Failure::refused(&file.source, problem));
        }
        let mut scrubber = Scrubber::new(&mut file, &tape)?;
        let mut out = target.open(&file.source)?;
        scrubber.run(&mut file, &tape, &mut out)?;
        let Scrubber { writer, removed, .. } = scrubber;
        out.put(&writer.finish().map_err(|error| file.failure(&error))?)?;
        out.finish()?;
        removed.tell((&file.source, target), self.files.result.json)
    }
}

/// Writes the new tape.
struct Scrubber {
    names: Names,
    game: Game,
    writer: TapeWriter,
    removed: Removed,
    buffer: Vec<u8>,
}

impl Scrubber {
    fn new(file: &mut TapeFile, tape: &Tape) -> Result<Self, Failure> {
        let mut names = Names::default();
        let mut removed = Removed::default();
        let source = file.source.clone();
        let failed = |error: Error| Failure::of(&source, &error);
        metadata::collect(tape, &mut names);
        let mut game = Game::of(tape);
        file.visit("looking for names", game.places_of_names(tape), |chunk| {
            game.collect(chunk, &mut names).map_err(failed)
        })?;
        let front = new_front(&[tape.header], "anonymize").map_err(failed)?;
        let metadata = metadata::scrubbed("metadata", &tape.metadata, &names, &mut removed);
        let writer = TapeWriter::new(front, metadata.as_bytes()).map_err(failed)?;
        Ok(Self { names, game, writer, removed, buffer: Vec::new() })
    }

    fn run(&mut self, file: &mut TapeFile, tape: &Tape, out: &mut Output) -> Result<(), Failure> {
        let source = file.source.clone();
        file.visit("anonymizing", &tape.chunks, |chunk| {
            self.chunk(chunk, tape).map_err(|error| Failure::of(&source, &error))?;
            out.put(&self.writer.take())
        })
    }

    fn chunk(&mut self, chunk: &Chunk<'_>, tape: &Tape) -> WireResult<()> {
        let header = &chunk.header;
        match (header.kind, header.stream) {
            (ChunkKind::METADATA, 0) => Ok(()),
            (ChunkKind::METADATA, _) => {
                let json = tape.closing.as_deref().unwrap_or("{}");
                let closing =
                    metadata::scrubbed("closing metadata", json, &self.names, &mut self.removed);
                self.writer.closing_metadata(closing.as_bytes())
            }
            (ChunkKind::ORDERS, TALK) => self.leave_out("orders of chat", header.detail),
            (ChunkKind::ORDERS, REPORTS) => {
                self.leave_out("orders that players' machines reported", header.detail)
            }
            (ChunkKind::EVENTS, REPORTED_EVENTS) => {
                self.leave_out("events that players' machines reported", header.detail)
            }
            (ChunkKind::SIGNATURE, _) => self.leave_out("signatures", 1),
            (ChunkKind::RESOURCE, _) => self.leave_out("attachments", 1),
            (ChunkKind::SETUP, _) => self.setup(chunk),
            (ChunkKind::NAMES, _) => self.name_table(chunk),
            (ChunkKind::FRAMES, 0) if self.game.is_known() => self.frames(chunk),
            (kind, stream) if kind.is_keyframe() && self.game.makes_keyframes(stream) => {
                self.keyframe(chunk)
            }
            (kind, _) if !kind.is_known() => self.leave_out("chunks of unknown kinds", 1),
            _ => self.copy(chunk),
        }
    }

    fn leave_out(&mut self, what: &'static str, count: u32) -> WireResult<()> {
        self.removed.add(what, count.into());
        Ok(())
    }

    /// A chunk that stays as it is; a name may still be in it.
    fn copy(&mut self, chunk: &Chunk<'_>) -> WireResult<()> {
        let raw = chunk.raw_in(&mut self.buffer)?;
        for name in self.names.found_in(raw) {
            let (kind, stream) = (chunk.header.kind, chunk.header.stream);
            self.removed.remains(format!("the name of {name} in {kind} of stream {stream}"));
        }
        self.writer.copy(chunk, chunk.header.views)
    }

    fn setup(&mut self, chunk: &Chunk<'_>) -> WireResult<()> {
        let raw = chunk.raw()?;
        match self.game.setup(chunk.header.stream, &raw, &self.names, &mut self.removed)? {
            Some(scrubbed) => self.writer.setup(chunk.header.stream, chunk.header.views, &scrubbed),
            None => self.copy(chunk),
        }
    }

    /// The string table of events.
    fn name_table(&mut self, chunk: &Chunk<'_>) -> WireResult<()> {
        let mut table = NameTable::default();
        table.add(chunk)?;
        let first = table.len().saturating_sub(chunk.header.detail as usize);
        let texts = (first as u32..table.len() as u32).map(|id| table.get(id).unwrap_or_default());
        let scrubbed: Vec<_> = texts.map(|text| self.names.replaced(text)).collect();
        let changed = scrubbed.iter().filter(|text| text.is_some()).count();
        if changed == 0 {
            return self.copy(chunk);
        }
        self.removed.add("names of players in the string table", changed as u64);
        let texts = (first as u32..).zip(&scrubbed).map(|(id, scrubbed)| match scrubbed {
            Some(text) => text.clone(),
            None => table.get(id).unwrap_or_default().to_owned(),
        });
        let texts: Vec<String> = texts.collect();
        self.writer.names(&texts).map(drop)
    }

    fn frames(&mut self, chunk: &Chunk<'_>) -> WireResult<()> {
        let header = &chunk.header;
        let raw = chunk.raw()?;
        for frame in TapeFrames::new(header, &raw) {
            let frame = frame?;
            let mut scrubbed: Vec<(View, Vec<u8>)> = Vec::new();
            for part in frame.parts() {
                let payload = self.game.payload(part.payload, &self.names, &mut self.removed);
                if payload.is_empty() && !part.payload.is_empty() {
                    continue;
                }
                scrubbed.extend(part.views.iter().map(|view| (view, payload.clone())));
            }
            scrubbed.sort_by_key(|(view, _)| *view);
            for (view, payload) in &scrubbed {
                self.game.apply(frame.tick, *view, payload);
            }
            let parts: Vec<(View, &[u8])> =
                scrubbed.iter().map(|(view, payload)| (*view, &payload[..])).collect();
            if !parts.is_empty() {
                self.writer.frame(header.stream, frame.tick, &parts)?;
            }
        }
        Ok(())
    }

    /// A keyframe of what a view knows, made anew of what it is told now.
    fn keyframe(&mut self, chunk: &Chunk<'_>) -> WireResult<()> {
        let header = &chunk.header;
        match self.game.keyframe(header.stream, header.first_tick) {
            Some(keyframe) => self.writer.keyframe(header.stream, header.views, &keyframe),
            None => self.leave_out("keyframes that cannot be made anew", 1),
        }
    }
}
