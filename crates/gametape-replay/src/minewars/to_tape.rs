//! From a MineWars file to a tape.

use std::borrow::Cow;

use gametape_minewars::{
    Dialect, FrameStorage, PlayerState, ReplayFile, Setup, ViewState, convert,
};
use gametape_minewars::{Frame, FrameKind, FrameLayout, Frames, Generation};
use gametape_tape::{TapeHeader, TapeWriter};
use gametape_wire::{Result, Tick, View, ViewSet};
use serde::Serialize;

use super::exact::{ExactWriter, RESOURCE, What};
use super::view::MinewarsView;
use super::{CONTENT, TICK_LENGTH};
use crate::convert::{ConvertOptions, RECORDER, ViewKeyframes, metadata_json, small_metadata};
use crate::game::GameState;
use crate::rewrite::Put;

/// A MineWars file as a tape, nothing lost: see `spec/tape-contents.md`, section 3.
///
/// Refused where setup or frames cannot be read: such a file is to be repaired first.
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::{ReplayFile, WriteOptions, write_file};
/// use gametape_replay::{ConvertOptions, Recording, minewars};
/// use gametape_minewars::Generation;
///
/// let (setup, frames) = Sample::default().build(Generation::Current)?;
/// let bytes = write_file(&setup, &frames, &WriteOptions::default())?;
/// let tape = minewars::to_tape(&ReplayFile::open(&bytes)?, &ConvertOptions::new(1))?;
///
/// let mut recording = Recording::open(&tape[..])?;
/// let back = minewars::from_tape(&mut recording, None)?;
/// assert_eq!(back.bytes, bytes);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
pub fn to_tape(file: &ReplayFile<'_>, options: &ConvertOptions) -> Result<Vec<u8>> {
    let mut tape = Vec::new();
    write_tape(file, options, &mut |bytes| {
        tape.extend_from_slice(bytes);
        Ok(())
    })?;
    Ok(tape)
}

/// Writes a MineWars file as a tape, piece by piece.
pub fn write_tape(
    file: &ReplayFile<'_>,
    options: &ConvertOptions,
    put: &mut Put<'_>,
) -> Result<()> {
    let frames = file.frames()?;
    let storage = frames.storage;
    let setup = file.setup().to_setup()?;
    if file.dialect() != Dialect::MwDatatool {
        let match_ = Match { setup, setup_bytes: file.setup_bytes().into(), storage };
        return match_.write(&frames.bytes, options, put);
    }
    let current = convert(&setup, &frames.bytes, file.dialect(), Generation::Current)?;
    let encoded = current.setup.encode(file.setup().is_map_compressed())?;
    let setup_bytes = encoded.into_bytes().into();
    Match { setup: current.setup, setup_bytes, storage }.write(&current.frames, options, put)
}

/// Everything of a file but its frames.
struct Match<'a> {
    setup: Setup,
    setup_bytes: Cow<'a, [u8]>,
    storage: FrameStorage,
}

impl Match<'_> {
    fn write(&self, frames: &[u8], options: &ConvertOptions, put: &mut Put<'_>) -> Result<()> {
        let header = TapeHeader::new(TICK_LENGTH, options.tape_id);
        let mut writer = TapeWriter::new(header, &self.metadata()?)?;
        self.write_setups(&mut writer)?;
        let layout = FrameLayout::new(self.setup.generation, self.setup.max_view())?;
        let mut converter = Converter {
            keyframes: ViewKeyframes::new(layout.views().iter(), options),
            views: layout.views().iter().map(|view| MinewarsView::new(&self.setup, view)).collect(),
            writer,
            exact: ExactWriter::default(),
            tick: 0,
        };
        converter.write_keyframes(0)?;
        let mut frames = Frames::new(layout, frames);
        for frame in frames.by_ref().map_while(Result::ok) {
            converter.frame(&frame)?;
            put(&converter.writer.take())?;
        }
        converter.exact.lone(frames.rest());
        let closing = match &self.setup.player_names {
            Some(_) => None,
            None => closing(&self.setup, converter.views[0].state())?,
        };
        converter.finish(closing.as_deref(), put)
    }

    fn metadata(&self) -> Result<Vec<u8>> {
        let names = self.setup.player_names.as_ref();
        metadata_json(&Metadata {
            content: CONTENT,
            game: "MineWars",
            generation: self.setup.generation.name(),
            storage: self.storage.name(),
            players: names.map(|names| {
                (1..).zip(names).map(|(view, name)| PlayerRow { view, name }).collect()
            }),
            recorder: RECORDER,
        })
    }

    /// The items of the map are for the spectator alone.
    fn write_setups(&self, writer: &mut TapeWriter) -> Result<()> {
        let mut shown = self.setup.clone();
        if shown.map.remove_items()? == 0 || self.setup.max_player == 0 {
            return writer.setup(0, ViewSet::ALL, &self.setup_bytes);
        }
        let spectator = ViewSet::EMPTY.with(View::SPECTATOR);
        writer.setup(0, spectator, &self.setup_bytes)?;
        writer.setup(0, ViewSet::ALL.without(spectator), &shown.encode(true)?.into_bytes())
    }
}

#[derive(Serialize)]
struct Metadata<'a> {
    content: &'static str,
    game: &'static str,
    generation: &'static str,
    storage: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    players: Option<Vec<PlayerRow<'a>>>,
    recorder: &'static str,
}

#[derive(Serialize)]
struct Closing<'a> {
    players: Vec<PlayerRow<'a>>,
}

#[derive(Serialize)]
struct PlayerRow<'a> {
    view: u8,
    name: &'a str,
}

/// Who played, by what the spectator received; nothing where no names were.
fn closing(setup: &Setup, spectator: &ViewState) -> Result<Option<Vec<u8>>> {
    let named = spectator.players().filter(|(id, _)| (1..=setup.max_player).contains(id));
    let players: Vec<_> = named.filter_map(|(id, known)| player_row(id, known)).collect();
    if players.is_empty() {
        return Ok(None);
    }
    small_metadata(&Closing { players })
}

fn player_row(view: u8, known: &PlayerState) -> Option<PlayerRow<'_>> {
    let client = known.clients.values().next()?;
    Some(PlayerRow { view, name: std::str::from_utf8(&client.name).ok()? })
}

struct Converter {
    writer: TapeWriter,
    /// What each view knows, by its number.
    views: Vec<MinewarsView>,
    keyframes: ViewKeyframes,
    exact: ExactWriter,
    /// The tick of the last frame.
    tick: u64,
}

impl Converter {
    fn write_keyframes(&mut self, tick: u64) -> Result<()> {
        let views = &self.views;
        self.keyframes
            .write(&mut self.writer, |view| views[usize::from(view.number())].snapshot(Tick(tick)))
    }

    fn frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        if frame.views().is_empty() {
            self.exact.lone(frame.bytes());
        } else {
            self.received_frame(frame)?;
        }
        if let Some(much) = self.exact.take_much() {
            self.writer.resource(RESOURCE, ViewSet::EMPTY, &much)?;
        }
        Ok(())
    }

    fn received_frame(&mut self, frame: &Frame<'_>) -> Result<()> {
        let tick = frame.time();
        if tick != self.tick && self.keyframes.pace.is_due() {
            self.write_keyframes(tick)?;
        }
        self.tick = tick;
        let parts: Vec<(View, &[u8])> = frame
            .parts()
            .flat_map(|part| part.views.iter().map(move |view| (view, part.payload)))
            .collect();
        self.writer.frame(0, Tick(tick), &parts)?;
        self.tell_exactly(frame, &parts);
        for &(view, payload) in &parts {
            if let Some(known) = self.views.get_mut(usize::from(view.number())) {
                // What is wrong with a message is wrong in the file, and stays so.
                let _ = known.apply(Tick(tick), payload);
            }
        }
        Ok(())
    }

    fn tell_exactly(&mut self, frame: &Frame<'_>, parts: &[(View, &[u8])]) {
        let payloads: usize = frame.parts().map(|part| part.payload.len()).sum();
        self.keyframes.pace.note(payloads);
        let shared = frame.kind() == FrameKind::Homogenous;
        let equal = parts.iter().all(|part| part.1 == parts[0].1);
        let filled = parts.iter().all(|part| !part.1.is_empty());
        if frame.is_canonical() && filled && shared == equal {
            return self.exact.plain();
        }
        let head = &frame.bytes()[..frame.bytes().len() - payloads];
        self.exact.head(if shared { What::SharedHead } else { What::HeadForEach }, head);
    }

    fn finish(mut self, closing: Option<&[u8]>, put: &mut Put<'_>) -> Result<()> {
        self.writer.flush()?;
        self.writer.resource(RESOURCE, ViewSet::EMPTY, &self.exact.finish())?;
        closing.map_or(Ok(()), |closing| self.writer.closing_metadata(closing))?;
        put(&self.writer.take())?;
        put(&self.writer.finish()?)
    }
}
