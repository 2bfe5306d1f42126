//! `gametape chunks`: the chunks of a tape, and what is in them.

use gametape_replay::inspect::{ChunkKinds, ChunkLine, PartLine};
use gametape_replay::open::Format;
use gametape_tape::{Chunk, ChunkEntry, ChunkHeader, Depth, TapeFrames};
use gametape_wire::{Error, Source as _};

use crate::failure::{Done, Failure, Outcome, warn_of_loss};
use crate::input::Source;
use crate::many::FilesArgs;
use crate::output::{Lines, Output};
use crate::tape::{TapeFile, warn_of_losses};

/// List the chunks of tapes, or print what is in them
///
/// One line for each chunk, in the order of recording: its number, kind, stream, ticks, size, and
/// who may know it. The index says so, and contents are not looked at. Of a tape whose index is
/// damaged, and with --frames or --raw of damaged chunks, what is whole is printed, and the exit code
/// is 3.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FilesArgs,

    /// Only chunks of these kinds, such as frames,orders; a number for a kind without a name, and
    /// `keyframe` for both kinds of keyframes
    #[arg(long, value_name = "KIND,…", value_delimiter = ',')]
    kind: Vec<ChunkKinds>,

    /// Only chunks of these streams
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    stream: Vec<u16>,

    /// Only the chunks with these numbers
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    chunk: Vec<u32>,

    /// Print the payloads of frames and orders, one a line, instead of chunks
    #[arg(long, conflicts_with = "raw")]
    frames: bool,

    /// Print the raw bytes of the chunks, unpacked, and nothing else
    #[arg(long, conflicts_with = "json")]
    raw: bool,

    /// Print one JSON object for each chunk or payload
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"With --json there is one object a line:
  {"chunk","offset","kind","stream","views","first_tick","ticks","items","raw_bytes",
   "stored_bytes","codec"}
and with --frames:
  {"chunk","kind","stream","tick","views","bytes","payload"}
Of many tapes each line begins with "file".
"payload" is hexadecimal; of a delta keyframe "items" is how many ticks before it its baseline is.

Examples:
  gametape chunks match.tape
  gametape chunks --kind orders --stream 1 --frames --json match.tape | jq -r .payload
  gametape chunks --kind metadata --raw match.tape | jq ."#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        if self.raw && self.files.are_many() {
            return Err(Failure::usage("--raw is for one tape, and there are several"));
        }
        self.files.only(&[Format::Tape]).each("read", |source| self.list(source))
    }

    fn list(&self, source: &Source) -> Outcome {
        let mut file = source.tape()?;
        let tape = file.open(Depth::Index)?;
        if !self.json && !self.raw {
            self.files.title(source)?;
        }
        let is_there =
            |number: &u32| tape.chunks.iter().any(|entry| entry.header.sequence == *number);
        if let Some(number) = self.chunk.iter().find(|number| !is_there(number)) {
            return Err(Failure::usage(format_args!("{source}: it has no chunk {number}")));
        }
        let wanted: Vec<&ChunkEntry> =
            tape.chunks.iter().filter(|entry| self.wants(&entry.header)).collect();
        if self.raw {
            print_raw(&mut file, &wanted)?;
        } else if self.frames {
            self.print_frames(&mut file, &wanted)?;
        } else {
            let mut lines = Lines::new(self.json);
            for entry in wanted {
                let line = ChunkLine::of(&entry.header, entry.offset);
                lines.add(&self.files.row(source, line))?;
            }
            lines.finish()?;
        }
        warn_of_losses(source, &tape);
        Ok(Done::Fine)
    }

    fn wants(&self, header: &ChunkHeader) -> bool {
        let of_kind = |kinds: &ChunkKinds| kinds.contain(header.kind);
        (self.kind.is_empty() || self.kind.iter().any(of_kind))
            && (self.stream.is_empty() || self.stream.contains(&header.stream))
            && (self.chunk.is_empty() || self.chunk.contains(&header.sequence))
    }

    fn print_frames(&self, file: &mut TapeFile, wanted: &[&ChunkEntry]) -> Result<(), Failure> {
        let source = file.source.clone();
        let mut lines = Lines::new(self.json);
        let framed = wanted.iter().copied().filter(|entry| entry.header.kind.is_framed());
        visit_whole(file, framed, |chunk, raw| {
            for frame in TapeFrames::new(&chunk.header, raw) {
                let Ok(frame) =
                    frame.map_err(|error| warn_of_chunk(&source, &chunk.header, &error))
                else {
                    break;
                };
                PartLine::of(&chunk.header, &frame)
                    .try_for_each(|line| lines.add(&self.files.row(&source, line)))?;
            }
            Ok(())
        })?;
        lines.finish()
    }
}

fn print_raw(file: &mut TapeFile, wanted: &[&ChunkEntry]) -> Result<(), Failure> {
    let mut out = Output::stdout();
    visit_whole(file, wanted.iter().copied(), |_, raw| out.put(raw))?;
    out.finish()
}

/// Shows every chunk that is whole to `visit`, unpacked; of each of the others there is a warning.
fn visit_whole<'e>(
    file: &mut TapeFile,
    wanted: impl IntoIterator<Item = &'e ChunkEntry>,
    mut visit: impl FnMut(&Chunk<'_>, &[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let source = file.source.clone();
    let mut buffer = Vec::new();
    for entry in wanted {
        let bytes = file.fetch(entry.range()).map_err(|error| Failure::of(&source, &error))?;
        let read = entry.read(&bytes);
        match read.and_then(|chunk| chunk.raw_in(&mut buffer).map(|raw| (chunk, raw))) {
            Ok((chunk, raw)) => visit(&chunk, raw)?,
            Err(error) => warn_of_chunk(&source, &entry.header, &error),
        }
    }
    Ok(())
}

fn warn_of_chunk(source: &Source, header: &ChunkHeader, error: &Error) {
    warn_of_loss(source, format_args!("chunk {}: {error}", header.sequence));
}
