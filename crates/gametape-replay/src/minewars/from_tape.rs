//! From a tape with MineWars messages to a MineWars file.

use gametape_minewars::{
    Dialect, FrameStorage, Losses, Setup, SetupView, WriteOptions, convert, whole_messages,
    write_file, write_file_around,
};
use gametape_minewars::{FrameLayout, FrameWriter, Generation};
use gametape_tape::{ChunkEntry, ChunkKind, Resource, TapeFrame, TapeFrames};
use gametape_wire::{Error, Limit, Reader, Result, TickLength, View};

use super::exact::{Entries, Entry, RESOURCE, What};
use crate::source::{Recording, concerns};
use gametape_wire::Source;

/// The last time of a file: keepalives up to here take few megabytes.
const LAST_TIME: Limit = Limit::new("time of a frame in milliseconds", 1 << 35);
/// All of the resource that has the exact bytes of frames.
const EXACT_BYTES: Limit = Limit::new("length of minewars/frames", 256 << 20);

/// A MineWars file that was made of a tape.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MinewarsFile {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its generation.
    pub generation: Generation,
    /// What another generation cannot express.
    pub losses: Losses,
    /// Are the frames those of the file that the tape was made of, byte for byte? If not, each view
    /// still receives the same messages at the same times.
    pub exact: bool,
    /// Payloads for views that the setup does not have; they are left out.
    pub left_out: u64,
}

/// The MineWars file that a tape holds, in another generation where one is asked for.
///
/// Every tape whose frames are MineWars messages can be converted, whatever the length of its ticks;
/// see `spec/tape-contents.md`, section 3.
pub fn from_tape<S: Source>(
    recording: &mut Recording<S>,
    target: Option<Generation>,
) -> Result<MinewarsFile> {
    let generation = generation_of(recording);
    let setup_bytes = recording.needed_setup(0)?;
    let setup = read_setup(&setup_bytes, generation)?;
    let mut frames = write_frames(recording, &setup)?;
    let options = write_options(recording.field("storage").as_deref(), generation);
    let mut losses = Losses::default();
    let target = target.unwrap_or(generation);
    let bytes = if target == generation {
        write_file_around(&setup_bytes, &setup, frames.out.as_bytes(), &options)?
    } else {
        let converted = convert(&setup, frames.out.as_bytes(), setup.dialect(), target)?;
        losses = converted.losses;
        frames.exact = false;
        let options = options.with_dictionary(false);
        write_file(&converted.setup, &converted.frames, &options)?
    };
    let FrameMaker { exact, left_out, .. } = frames;
    Ok(MinewarsFile { bytes, generation: target, losses, exact, left_out })
}

/// The setup of the views of a tape with MineWars messages.
pub fn setup_of<S: Source>(recording: &mut Recording<S>) -> Result<Setup> {
    let generation = generation_of(recording);
    let bytes = recording.needed_setup(0)?;
    read_setup(&bytes, generation)
}

/// The setup in these bytes, and nothing after it.
fn read_setup(bytes: &[u8], generation: Generation) -> Result<Setup> {
    let setup = SetupView::parse(bytes, generation.into(), 0)?;
    let end = usize::try_from(setup.end_offset()).unwrap_or(usize::MAX);
    let rest = bytes.get(end..).unwrap_or_default();
    Reader::with_base(rest, setup.end_offset()).finish("setup")?;
    setup.to_setup()
}

fn generation_of<S: Source>(recording: &Recording<S>) -> Generation {
    let named = recording.field("generation");
    let named = Generation::ALL.into_iter().find(|g| named.as_deref() == Some(g.name()));
    named.unwrap_or(Generation::Current)
}

fn write_options(storage: Option<&str>, generation: Generation) -> WriteOptions {
    let is = |known: FrameStorage| storage == Some(known.name());
    WriteOptions::new()
        .with_compress(!is(FrameStorage::Raw))
        .with_dictionary(is(FrameStorage::Lz4Dictionary) && generation == Generation::V01)
}

fn write_frames<S: Source>(recording: &mut Recording<S>, setup: &Setup) -> Result<FrameMaker> {
    let layout = FrameLayout::new(setup.generation, setup.max_view())?;
    let chunks = recording.entries(ChunkKind::FRAMES, 0);
    let stored = exact_bytes(recording)?;
    let gaps = recording.gaps().iter().any(|gap| concerns(gap, ChunkKind::FRAMES));
    let frames = chunks.iter().map(|chunk| u64::from(chunk.header.detail)).sum();
    let mut maker = FrameMaker {
        out: FrameWriter::new(layout),
        dialect: setup.dialect(),
        tick_length: recording.tape().header.tick_length,
        exact: !gaps && Entries::new(&stored).name_frames(frames),
        left_out: 0,
    };
    let stored = if maker.exact { &stored[..] } else { &[] };
    maker.write(recording, &chunks, &mut ExactEntries::new(stored))?;
    Ok(maker)
}

fn exact_bytes<S: Source>(recording: &mut Recording<S>) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    for entry in recording.entries(ChunkKind::RESOURCE, 0) {
        recording.chunk(&entry, |chunk| {
            let resource = Resource::read(chunk)?;
            if resource.name() == RESOURCE {
                EXACT_BYTES.check((all.len() + resource.content().len()) as u64, chunk.offset)?;
                all.extend_from_slice(resource.content());
            }
            Ok(())
        })?;
    }
    Ok(all)
}

/// The entries of the resource, consumed along with the frames.
struct ExactEntries<'a> {
    entries: Entries<'a>,
    next: Option<Entry<'a>>,
}

impl<'a> ExactEntries<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut exact = Self { entries: Entries::new(bytes), next: None };
        exact.turn();
        exact
    }

    fn turn(&mut self) {
        self.next = self.entries.read().ok();
    }

    /// The bytes that come before the next frame, of one entry.
    fn lone(&mut self) -> Option<&'a [u8]> {
        let entry = self.next.filter(|entry| entry.plain == 0 && entry.what == What::Lone)?;
        self.turn();
        Some(entry.bytes)
    }

    /// How the next frame is to be written, if it is not plain.
    fn head(&mut self) -> Option<(What, &'a [u8])> {
        let entry = self.next.as_mut()?;
        if entry.plain > 0 {
            entry.plain -= 1;
            return None;
        }
        let (what, bytes) = (entry.what, entry.bytes);
        if what.has_frame() {
            self.turn();
        }
        what.has_frame().then_some((what, bytes))
    }
}

struct FrameMaker {
    out: FrameWriter,
    dialect: Dialect,
    tick_length: TickLength,
    exact: bool,
    left_out: u64,
}

impl FrameMaker {
    fn write<S: Source>(
        &mut self,
        recording: &mut Recording<S>,
        chunks: &[ChunkEntry],
        exact: &mut ExactEntries<'_>,
    ) -> Result<()> {
        for entry in chunks {
            let raw = match recording.raw_or_damage(entry)? {
                Ok(raw) => raw,
                Err(error) if self.exact => return Err(error),
                Err(_) => continue,
            };
            for frame in TapeFrames::new(&entry.header, &raw) {
                self.frame(&frame?, exact)?;
            }
        }
        while let Some(bytes) = exact.lone() {
            self.out.raw(bytes);
        }
        Ok(())
    }

    fn frame(&mut self, frame: &TapeFrame<'_>, exact: &mut ExactEntries<'_>) -> Result<()> {
        while let Some(bytes) = exact.lone() {
            self.out.raw(bytes);
        }
        match exact.head() {
            None => self.moment(frame),
            Some((what, head)) => {
                let mut bytes = head.to_vec();
                self.put_payloads(frame, what, &mut bytes)?;
                self.out.raw(&bytes);
                Ok(())
            }
        }
    }

    fn put_payloads(&self, frame: &TapeFrame<'_>, what: What, out: &mut Vec<u8>) -> Result<()> {
        let most = Limit::new("frame payload", self.out.layout().payload_limit() as u64);
        for part in frame.parts() {
            most.check(part.payload.len() as u64, part.offset)?;
            let copies = if what == What::HeadForEach { part.views.len() } else { 1 };
            (0..copies).for_each(|_| out.extend_from_slice(part.payload));
        }
        Ok(())
    }

    fn moment(&mut self, frame: &TapeFrame<'_>) -> Result<()> {
        let time = LAST_TIME.check(self.tick_length.millis_of(frame.tick), frame.offset)?;
        let known = self.out.layout().views();
        let mut views: Vec<(View, &[u8])> = Vec::with_capacity(frame.views.len());
        for part in frame.parts() {
            self.left_out += part.views.without(known).len() as u64;
            views.extend(part.views.and(known).iter().map(|view| (view, part.payload)));
        }
        if views.is_empty() {
            return Ok(());
        }
        let dialect = self.dialect;
        let moment =
            self.out.moment(time, &views, |payload, limit| whole_messages(payload, limit, dialect));
        moment.map_err(|error: Error| error.within(format_args!("tick {}", frame.tick)))
    }
}
