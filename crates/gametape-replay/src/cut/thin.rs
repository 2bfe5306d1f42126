//! A tape without the messages that are fine to miss; normative text: `spec/live.md`, section 12.

use std::collections::BTreeMap;
use std::ops::Range;

use gametape_minewars::{Dialect, Generation, Setup, SetupView, without_unreliable};
use gametape_tape::{
    Chunk, ChunkDraft, ChunkKind, Gap, KeyframeChecker, KeyframeMaker, Resource, Tape, TapeFrames,
    TapeWriter,
};
use gametape_wire::{Error, Result, Tick, View, ViewSet};

use crate::game::GameState;
use crate::metadata::field;
use crate::minewars::MinewarsView;
use crate::minewars::exact::RESOURCE;
use crate::source::concerns;
use crate::streams::{FRAMES, SETUP_OF_VIEWS, view_of_keyframes};

/// Takes the chunks of a tape in their order, and hands on what is left of them.
pub(super) struct Thinner {
    dialect: Dialect,
    tape_id: u32,
    header: gametape_tape::TapeHeader,
    setup: Option<Setup>,
    views: BTreeMap<View, Known>,
    /// Ticks whose frames are not in the tape.
    lost: Vec<(ViewSet, Range<Tick>)>,
    left_out: u64,
}

/// What a view knows of what is left.
struct Known {
    state: Option<MinewarsView>,
    recorded: KeyframeChecker,
    maker: KeyframeMaker,
    /// The tick of the last keyframe.
    last: Option<Tick>,
}

impl Thinner {
    /// For a tape whose frames are MineWars messages, of which those from `start` on are given; another is
    /// refused.
    pub(super) fn new(tape: &Tape, start: Tick) -> Result<Self> {
        let (content, generation) = (field(tape, "content"), field(tape, "generation"));
        if content.as_deref() != Some("minewars") && generation.is_none() {
            let problem = "only MineWars messages have classes, and this tape holds none";
            return Err(Error::misuse("cut without unreliable messages", problem));
        }
        let named = Generation::ALL.into_iter().find(|g| generation.as_deref() == Some(g.name()));
        let lost = tape.gaps_when_finished().into_iter().filter_map(of_frames);
        let lost = lost.chain([(ViewSet::ALL, Tick::ZERO..start)]).collect();
        Ok(Self {
            dialect: named.unwrap_or(Generation::Current).into(),
            tape_id: tape.header.tape_id,
            header: tape.header,
            setup: None,
            views: BTreeMap::new(),
            lost,
            left_out: 0,
        })
    }

    /// How many messages were left out, as they are stored: one that several views received counts once.
    pub(super) fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The next chunk of the tape.
    pub(super) fn chunk(
        &mut self,
        chunk: &Chunk<'_>,
        put: &mut dyn FnMut(&Chunk<'_>) -> Result<()>,
    ) -> Result<()> {
        let header = &chunk.header;
        match header.kind {
            ChunkKind::SETUP if header.stream == SETUP_OF_VIEWS && self.setup.is_none() => {
                let setup = SetupView::parse(&chunk.raw()?, self.dialect, 0)?.to_setup()?;
                self.setup = Some(setup);
                put(chunk)
            }
            ChunkKind::FRAMES if header.stream == FRAMES => self.frames(chunk, put),
            kind if kind.is_keyframe() => match view_of_keyframes(header.stream) {
                Some(view) => self.keyframe(view, chunk, put),
                None => put(chunk),
            },
            ChunkKind::GAP => {
                self.lost.extend(of_frames(Gap::read(chunk)?));
                put(chunk)
            }
            // It says how frames were written that are other ones now.
            ChunkKind::RESOURCE if Resource::read(chunk)?.name() == RESOURCE => Ok(()),
            _ => put(chunk),
        }
    }

    fn frames(
        &mut self,
        chunk: &Chunk<'_>,
        put: &mut dyn FnMut(&Chunk<'_>) -> Result<()>,
    ) -> Result<()> {
        let raw = chunk.raw()?;
        let mut writer = TapeWriter::new(self.header, b"{}")?;
        for frame in TapeFrames::new(&chunk.header, &raw) {
            let frame = frame?;
            let mut kept: Vec<(View, Vec<u8>)> = Vec::new();
            for part in frame.parts() {
                let thin = without_unreliable(part.payload, self.dialect);
                self.left_out += thin.as_ref().map_or(0, |(_, left_out)| *left_out);
                let payload = thin.map_or_else(|| part.payload.to_vec(), |(payload, _)| payload);
                if payload.is_empty() && !part.payload.is_empty() {
                    continue;
                }
                kept.extend(part.views.iter().map(|view| (view, payload.clone())));
            }
            for (view, payload) in &kept {
                self.apply(*view, frame.tick, payload);
            }
            kept.sort_by_key(|(view, _)| *view);
            let parts: Vec<(View, &[u8])> =
                kept.iter().map(|(view, payload)| (*view, &payload[..])).collect();
            if !parts.is_empty() {
                writer.frame(FRAMES, frame.tick, &parts)?;
            }
        }
        writer.flush()?;
        let (entries, bytes) = (writer.chunks().to_vec(), writer.take());
        for entry in entries.iter().filter(|entry| entry.header.kind == ChunkKind::FRAMES) {
            let own = &bytes[entry.range().start as usize..entry.range().end as usize];
            put(&Chunk::read(own, chunk.offset)?)?;
        }
        Ok(())
    }

    fn known(&mut self, view: View) -> &mut Known {
        let state = self.setup.as_ref().map(|setup| MinewarsView::new(setup, view));
        self.views.entry(view).or_insert_with(|| Known {
            state,
            recorded: KeyframeChecker::default(),
            maker: KeyframeMaker::default(),
            last: None,
        })
    }

    fn apply(&mut self, view: View, tick: Tick, payload: &[u8]) {
        if let Some(state) = &mut self.known(view).state {
            // What is wrong with a message is wrong in the tape, and stays so.
            let _ = state.apply(tick, payload);
        }
    }

    /// A keyframe, made again of what is left. Where frames before it are not there, the recorded one counts.
    fn keyframe(
        &mut self,
        view: View,
        chunk: &Chunk<'_>,
        put: &mut dyn FnMut(&Chunk<'_>) -> Result<()>,
    ) -> Result<()> {
        let (tick, tape_id) = (chunk.header.first_tick, self.tape_id);
        let after = self.known(view).last;
        let is_lost = |(views, lost): &(ViewSet, Range<Tick>)| {
            views.contains(view) && lost.start < tick && lost.end > after.unwrap_or_default()
        };
        let lacks_input = (after.is_none() && tick > Tick::ZERO) || self.lost.iter().any(is_lost);
        let known = self.known(view);
        known.last = Some(tick);
        known.recorded.add(chunk)?;
        let Some(state) = &mut known.state else { return put(chunk) };
        if let Some(recorded) = known.recorded.state().filter(|_| lacks_input) {
            state.restore(recorded)?;
        }
        let keyframe = known.maker.make(state.snapshot(tick));
        let distance = keyframe.baseline_distance()?;
        let kind = match distance {
            None => ChunkKind::FULL_KEYFRAME,
            Some(_) => ChunkKind::DELTA_KEYFRAME,
        };
        let draft = ChunkDraft::new(kind)
            .with_stream(chunk.header.stream)
            .with_views(chunk.header.views)
            .with_ticks(tick, 0)
            .with_detail(distance.unwrap_or(0));
        let bytes = draft.encode(tape_id, chunk.header.sequence, &keyframe.raw)?;
        put(&Chunk::read(&bytes, chunk.offset)?)
    }
}

/// The ticks of a gap that concerns frames of views.
fn of_frames(gap: Gap) -> Option<(ViewSet, Range<Tick>)> {
    concerns(&gap, ChunkKind::FRAMES).then(|| (gap.views, gap.ticks()))
}
