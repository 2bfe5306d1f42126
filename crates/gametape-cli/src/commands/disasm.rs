//! `gametape disasm`: a MineWars recording as text that can be read, edited and assembled again.

mod objects;

use gametape_minewars::{Dialect, Line, Lines, print_frame, print_raw, print_setup};
use gametape_minewars::{FrameLayout, Frames, Tail, select_views};
use gametape_wire::{self as wire, Error, View, ViewSet};
use objects::Objects;

use crate::failure::{Done, Failure, Outcome, warn};
use crate::input::{Input, RecordingsArgs, Source};
use crate::output::{Output, Target};
use crate::progress::Progress;
use crate::text::{count, printable};

/// Turn a MineWars recording into assembly text
///
/// The text begins with directives for the setup, then come the frames with their messages;
/// `gametape asm` makes the same recording of it. What cannot be decoded is given as bytes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    recordings: RecordingsArgs,

    /// Where the text goes
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: Target,

    /// Only what this view receives, its frames counted anew: 0 is the spectator, 1 to 15 are the
    /// players
    #[arg(long, value_name = "N", value_parser = crate::input::parse_view, conflicts_with = "bare")]
    view: Option<View>,

    /// The input is a stream of messages without setup and frames, in --dialect or else current
    #[arg(long)]
    bare: bool,

    /// Print one JSON object for each frame and message
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"With --json there is one object a line: each frame, then its messages.
  {"t":195,"frame":0,"kind":"homogenous","views":[0,1]}
  {"t":195,"frame":0,"view":[0,1],"asm":"OWNER 1 -7,2"}
t is in milliseconds; frames count from 0; kinds are homogenous, heterogenous and keepalive; in a
heterogenous frame "view" is a number; "bytes" are the exact bytes of a message that a writer would
write in another way; "error" says why the rest of a payload is only bytes.

Of many files, {"file"} comes before the frames of each.

Examples:
  gametape disasm match.minewars -o match.asm
  gametape disasm --json --view 1 match.minewars | jq -r .asm
  gametape disasm --bare --dialect v0.1 messages.bin"#;

/// Text is handed on in pieces of this size.
const PIECE_BYTES: usize = 128 << 10;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        if self.recordings.files.are_many() && self.output != Target::Stdout {
            return Err(Failure::usage("--output is for one file, and there are several"));
        }
        self.recordings.files.each("read", |source| self.list(source))
    }

    fn list(&self, source: &Source) -> Outcome {
        if self.bare {
            let (bytes, dialect) = (source.read()?, self.recordings.dialect);
            let mut listing = self.listing(source)?;
            listing.bare(&bytes, dialect.unwrap_or(Dialect::Current))?;
            return listing.finish(source);
        }
        let input = Input::of_opened(self.recordings.open(source)?)?;
        let mut listing = self.listing(source)?;
        listing.file(&input, self.view)?;
        listing.finish(source)
    }

    /// No lines yet; of many files each begins with its name.
    fn listing(&self, source: &Source) -> Result<Listing, Failure> {
        let mut listing = Listing::new(self.output.open(source)?, self.json);
        if self.recordings.files.are_many() {
            let name = source.to_string();
            let line = if self.json {
                format!("{}\n", serde_json::json!({ "file": name }))
            } else {
                format!("; {}\n", printable(&name))
            };
            listing.out.put(line.as_bytes())?;
        }
        Ok(listing)
    }
}

/// The lines on their way out.
struct Listing {
    out: Output,
    json: bool,
    buffer: Vec<u8>,
    /// What could not be decoded.
    problems: Vec<Error>,
    /// Payloads that could not be read to their end.
    unreadable: usize,
}

impl Listing {
    fn new(out: Output, json: bool) -> Self {
        let buffer = Vec::with_capacity(2 * PIECE_BYTES);
        Self { out, json, buffer, problems: Vec::new(), unreadable: 0 }
    }

    fn file(&mut self, input: &Input, view: Option<View>) -> Result<(), Failure> {
        let file = input.minewars()?;
        let failed = |error: Error| Failure::of(&input.source, &error);
        let layout = file.frame_layout().map_err(failed)?;
        if !self.json {
            self.problems = print_setup(&file, &mut self.buffer);
        }
        let frames = match file.frames() {
            Ok(frames) => frames.bytes,
            // The setup alone is worth having.
            Err(error) if !self.json => {
                self.buffer.extend_from_slice(format!("; {error}\n").as_bytes());
                self.problems.push(error);
                return Ok(());
            }
            Err(error) => return Err(failed(error)),
        };
        let frames = match view {
            Some(view) => self.only(view, layout, &frames).map_err(failed)?.into(),
            None => frames,
        };
        self.frames(layout, &frames, file.dialect())
    }

    /// The frames of one view, as far as they can be read.
    fn only(&mut self, view: View, layout: FrameLayout, bytes: &[u8]) -> wire::Result<Vec<u8>> {
        let mut all = Frames::new(layout, bytes);
        self.problems.extend(all.by_ref().find_map(Result::err));
        let whole = &bytes[..bytes.len() - all.rest().len()];
        select_views(Frames::new(layout, whole), ViewSet::EMPTY.with(view), Tail::Keep)
    }

    fn frames(
        &mut self,
        layout: FrameLayout,
        bytes: &[u8],
        dialect: Dialect,
    ) -> Result<(), Failure> {
        let mut progress = Progress::new("disassembling", bytes.len() as u64);
        let mut frames = Frames::new(layout, bytes);
        let mut objects = Objects::new(dialect);
        while let Some(frame) = frames.next() {
            match frame {
                Ok(frame) if self.json => {
                    self.unreadable += objects.push_frame(&frame, &mut self.buffer);
                }
                Ok(frame) => self.unreadable += print_frame(&frame, dialect, &mut self.buffer),
                Err(error) => self.cut(frames.rest(), error),
            }
            progress.at(frames.offset());
            self.hand_on(PIECE_BYTES)?;
        }
        Ok(())
    }

    fn cut(&mut self, rest: &[u8], error: Error) {
        if !self.json {
            print_raw(rest, &error, &mut self.buffer);
        }
        self.problems.push(error);
    }

    fn bare(&mut self, payload: &[u8], dialect: Dialect) -> Result<(), Failure> {
        let mut objects = Objects::new(dialect);
        let mut progress = Progress::new("disassembling", payload.len() as u64);
        let mut lines = Lines::new(payload, 0, dialect);
        while let Some(line) = lines.next() {
            if self.json {
                objects.push_bare(&line, &mut self.buffer);
            } else {
                line.print(dialect, &mut self.buffer);
                line.print_comment(dialect, &mut self.buffer);
                self.buffer.push(b'\n');
            }
            if let Line::Unreadable(error, _) = line {
                self.problems.push(error);
            }
            progress.at(lines.offset());
            self.hand_on(PIECE_BYTES)?;
        }
        Ok(())
    }

    /// Hands the buffer on once it has `enough` bytes.
    fn hand_on(&mut self, enough: usize) -> Result<(), Failure> {
        if self.buffer.len() >= enough {
            self.out.put(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn finish(mut self, source: &Source) -> Outcome {
        self.hand_on(0)?;
        self.out.finish()?;
        for problem in &self.problems {
            warn(source, problem);
        }
        if self.unreadable > 0 {
            let many = count(self.unreadable as u64, "payload");
            warn(source, format_args!("{many} cannot be read to the end: see BYTES"));
        }
        Ok(Done::lost_if(self.unreadable > 0 || !self.problems.is_empty()))
    }
}
