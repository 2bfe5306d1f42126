//! A tape without what says who played.

use std::collections::BTreeMap;

use gametape_cadre::Names;
use gametape_tape::{
    Chunk, ChunkEntry, ChunkKind, Depth, Gap, KeyframeChecker, NameTable, Tape, TapeFrames,
    TapeWriter,
};
use gametape_wire::{Arrange, Error, ErrorKind, Place, Result, Source, View};

use super::Anonymized;
use super::game::Game;
use super::metadata::{pseudonym, scrubbed};
use super::search::Search;
use crate::games::{self, KnownGame};
use crate::metadata::{field, players};
use crate::open::{Content, open_tape, visit_chunks};
use crate::recover::unwritten_text;
use crate::rewrite::{Put, derived_header};
use crate::source::concerns;
use crate::streams::{FRAMES, REPORTED_EVENTS, REPORTS, SETUP_OF_SIMULATION, SETUP_OF_VIEWS, TALK};

pub(super) fn anonymize<S: Source>(
    mut source: S,
    games: &[&dyn KnownGame],
    put: &mut Put<'_>,
) -> Result<Anonymized> {
    let tape = open_tape(&mut source, Depth::Index)?;
    if !tape.damages.is_empty() || !tape.missing.is_empty() {
        let problem = "it is damaged: recover it first".into();
        return Err(Error::new(Place::Nowhere, "tape", ErrorKind::BadSyntax { problem }));
    }
    let mut scrubber = Scrubber::new(&mut source, &tape, games)?;
    scrubber.recorded = lacks_frames(&mut source, &tape)?.then(BTreeMap::new);
    visit_chunks(&mut source, &tape.chunks, |chunk| {
        scrubber.chunk(chunk, &tape)?;
        scrubber.hand_on(put)
    })?;
    scrubber.finish(&tape, put)
}

/// Writes the new tape.
struct Scrubber<'g> {
    names: Names,
    game: Game<'g>,
    writer: TapeWriter,
    search: Search,
    result: Anonymized,
    /// The recorded states of each view, by stream, where some frames that led to them are not in the tape.
    recorded: Option<BTreeMap<u16, KeyframeChecker>>,
}

impl<'g> Scrubber<'g> {
    fn new<S: Source>(source: &mut S, tape: &Tape, games: &[&'g dyn KnownGame]) -> Result<Self> {
        let (content, generation) = (field(tape, "content"), field(tape, "generation"));
        let known = games::find(games, content.as_deref());
        let frames = Content::named(content.as_deref(), generation.as_deref(), games);
        let mut game = Game::new(frames, generation.as_deref(), known);
        let mut names = Names::default();
        for player in players(tape) {
            names.add(&player.name, &pseudonym(player.seat));
            game.learn_name(&player.name, &pseudonym(player.seat));
        }
        let named = tape.chunks.iter().filter(|entry| has_names(entry));
        visit_chunks(source, named, |chunk| learn(chunk, &mut game, &mut names))?;
        let header = derived_header(&[tape.header], "anonymize")?;
        let mut result = Anonymized::default();
        let metadata = scrubbed("metadata", &tape.metadata, &names, &mut result);
        let writer = TapeWriter::new(header, metadata.as_bytes())?;
        Ok(Self { names, game, writer, search: Search::default(), result, recorded: None })
    }

    /// Hands on what was written, after a search in it.
    fn hand_on(&mut self, put: &mut Put<'_>) -> Result<()> {
        let bytes = self.writer.take();
        self.search.read(&bytes, &mut self.game, &self.names, &mut self.result)?;
        put(&bytes)
    }

    fn finish(mut self, tape: &Tape, put: &mut Put<'_>) -> Result<Anonymized> {
        if let Some(ticks) = tape.unwritten() {
            tape.gaps_when_finished().iter().try_for_each(|gap| self.writer.gap(gap))?;
            self.result.lost.push(unwritten_text(&ticks));
        }
        self.writer.flush()?;
        self.hand_on(put)?;
        put(&self.writer.finish()?)?;
        self.game.finish(&mut self.result);
        Ok(self.result)
    }

    fn chunk(&mut self, chunk: &Chunk<'_>, tape: &Tape) -> Result<()> {
        let header = &chunk.header;
        match (header.kind, header.stream) {
            (ChunkKind::METADATA, 0) => Ok(()),
            (ChunkKind::METADATA, _) => {
                let json = tape.closing.as_deref().unwrap_or("{}");
                let closing = scrubbed("closing metadata", json, &self.names, &mut self.result);
                self.writer.closing_metadata(closing.as_bytes())
            }
            (ChunkKind::ORDERS, TALK) => self.drop("orders of chat", header.detail),
            (ChunkKind::ORDERS, REPORTS) => {
                self.drop("orders that players' machines reported", header.detail)
            }
            (ChunkKind::EVENTS, REPORTED_EVENTS) => {
                self.drop("events that players' machines reported", header.detail)
            }
            (ChunkKind::SIGNATURE, _) => self.drop("signatures", 1),
            (ChunkKind::RESOURCE, _) => self.drop("attachments", 1),
            (ChunkKind::SETUP, _) => self.setup(chunk),
            (ChunkKind::NAMES, _) => self.name_table(chunk),
            (ChunkKind::FRAMES, FRAMES) if self.game.is_known() => self.frames(chunk),
            (kind, stream) if kind.is_keyframe() && self.game.makes_keyframes(stream) => {
                self.keyframe(chunk)
            }
            (kind, _) if !kind.is_known() => self.drop("chunks of unknown kinds", 1),
            _ => self.writer.copy(chunk, chunk.header.views),
        }
    }

    fn drop(&mut self, what: &'static str, count: u32) -> Result<()> {
        self.result.add(what, count.into());
        Ok(())
    }

    fn setup(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let raw = chunk.raw()?;
        let stream = chunk.header.stream;
        let scrubbed = match stream {
            SETUP_OF_VIEWS => self.game.setup(&raw, &mut self.result)?,
            SETUP_OF_SIMULATION => self.game.simulation_setup(&raw, &mut self.result)?,
            _ => None,
        };
        match scrubbed {
            Some(scrubbed) => self.writer.setup(stream, chunk.header.views, &scrubbed),
            None => self.writer.copy(chunk, chunk.header.views),
        }
    }

    /// The string table of events.
    fn name_table(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let mut table = NameTable::default();
        table.add(chunk)?;
        let first = table.len().saturating_sub(chunk.header.detail as usize);
        let mut changed = 0;
        let mut texts = Vec::new();
        for id in first as u32..table.len() as u32 {
            let text = table.get(id).unwrap_or_default();
            let replaced = self.names.replaced(text);
            changed += u64::from(replaced.is_some());
            texts.push(replaced.unwrap_or_else(|| text.to_owned()));
        }
        if changed == 0 {
            return self.writer.copy(chunk, chunk.header.views);
        }
        self.result.add("names of players in the string table", changed);
        self.writer.names(&texts).map(drop)
    }

    fn frames(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let header = &chunk.header;
        let raw = chunk.raw()?;
        for frame in TapeFrames::new(header, &raw) {
            let frame = frame?;
            let mut scrubbed: Vec<(View, Vec<u8>)> = Vec::new();
            for part in frame.parts() {
                let payload = self.game.payload(part.payload, &mut self.result);
                if payload.is_empty() && !part.payload.is_empty() {
                    continue;
                }
                scrubbed.extend(part.views.iter().map(|view| (view, payload.clone())));
            }
            scrubbed.arrange_by_key(|(view, _)| *view);
            for (view, payload) in &scrubbed {
                self.game.apply(frame.tick.0, *view, payload);
            }
            let parts: Vec<(View, &[u8])> =
                scrubbed.iter().map(|(view, payload)| (*view, &payload[..])).collect();
            if !parts.is_empty() {
                self.writer.frame(header.stream, frame.tick, &parts)?;
            }
        }
        Ok(())
    }

    /// A keyframe of what a view knows, made again of what it receives now.
    fn keyframe(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let header = &chunk.header;
        if let Some(recorded) = &mut self.recorded
            && self.game.makes_keyframes(header.stream)
        {
            let recorded = recorded.entry(header.stream).or_default();
            if recorded.add(chunk).is_err() {
                return self.drop("keyframes that cannot be made again", 1);
            }
            if let Some(state) = recorded.state() {
                self.game.enter(header.stream, state)?;
            }
        }
        match self.game.keyframe(header.stream, header.first_tick.0) {
            Some(keyframe) => self.writer.keyframe(header.stream, header.views, &keyframe),
            None => self.drop("keyframes that cannot be made again", 1),
        }
    }
}

/// Does the tape say that frames are not in it: lost, or cut away?
fn lacks_frames<S: Source>(source: &mut S, tape: &Tape) -> Result<bool> {
    let mut gaps = tape.gaps();
    visit_chunks(source, tape.stream(ChunkKind::GAP, 0), |chunk| {
        gaps.push(Gap::read(chunk)?);
        Ok(())
    })?;
    Ok(gaps.iter().any(|gap| concerns(gap, ChunkKind::FRAMES)))
}

/// Can names be learned from a chunk?
fn has_names(entry: &ChunkEntry) -> bool {
    let stream = (entry.header.kind, entry.header.stream);
    entry.header.kind == ChunkKind::SETUP || stream == (ChunkKind::FRAMES, FRAMES)
}

fn learn(chunk: &Chunk<'_>, game: &mut Game<'_>, names: &mut Names) -> Result<()> {
    let raw = chunk.raw()?;
    match (chunk.header.kind, chunk.header.stream) {
        (ChunkKind::SETUP, SETUP_OF_VIEWS) => game.learn_setup(&raw, names),
        (ChunkKind::SETUP, SETUP_OF_SIMULATION) => game.learn_simulation(&raw, names),
        (ChunkKind::FRAMES, _) if game.is_known() => {
            for frame in TapeFrames::new(&chunk.header, &raw) {
                frame?.parts().for_each(|part| game.learn(part.payload, names));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
