//! `gametape disasm`: a MineWars recording as text that can be read, edited and assembled again.

use gametape_minewars::{Dialect, Disassembled, Listing, disassemble_file, disassemble_payload};
use gametape_replay::open::Content;
use gametape_replay::{ViewName, players_of_minewars, view_in_tape};
use gametape_tape::Depth;
use gametape_wire::Error;

use crate::failure::{Done, Failure, Outcome, warn};
use crate::input::{Opened, RecordingsArgs, Source};
use crate::output::{Kind, Output, Target};
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

    /// Only what this view receives, its frames counted from 0: the name or number of a player, or 0
    /// for the spectator
    #[arg(long, value_name = "VIEW", conflicts_with = "bare")]
    view: Option<ViewName>,

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
  gametape disasm --json --view Ana match.minewars | jq -r .asm
  gametape disasm --bare --dialect v0.1 messages.bin"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        if self.recordings.files.are_many() && self.output != Target::Stdout {
            return Err(Failure::usage("--output is for one file, and there are several"));
        }
        self.recordings.files.each("read", |source| self.list(source))
    }

    fn list(&self, source: &Source) -> Outcome {
        if self.bare { self.list_payload(source) } else { self.list_file(source) }
    }

    fn list_payload(&self, source: &Source) -> Outcome {
        let (bytes, dialect) = (source.read()?, self.recordings.format.dialect);
        let dialect = dialect.unwrap_or(Dialect::Current);
        let mut out = self.open(source)?;
        let mut progress = Progress::new("disassembling", bytes.len() as u64);
        let done = out.fill(source, |put| {
            disassemble_payload(&bytes, dialect, self.listing(), &mut |piece, read| {
                progress.at(read);
                put(piece)
            })
        })?;
        out.finish()?;
        Ok(report(source, &done))
    }

    fn list_file(&self, source: &Source) -> Outcome {
        let failed = |error: Error| Failure::of(source, &error);
        let mut opened = source.open_with(&self.recordings.format)?;
        self.check_view(&mut opened)?;
        let inner = source.inner_of(opened, ("disasm", Content::MineWars))?;
        let bytes = inner.into_minewars().map_err(failed)?;
        let mut out = self.open(source)?;
        let file = bytes.file().map_err(failed)?;
        let players = || players_of_minewars(&file).unwrap_or_default();
        let view = self.view.as_ref().map(|view| view.find(players));
        let view = view.transpose().map_err(failed)?;
        let mut progress = Progress::new("disassembling", file.header().frames_raw.into());
        let done = out.fill(source, |put| {
            disassemble_file(&file, view, self.listing(), &mut |piece, read| {
                progress.at(read);
                put(piece)
            })
        })?;
        out.finish()?;
        Ok(report(source, &done))
    }

    /// Refuses a view that a tape does not have.
    fn check_view(&self, opened: &mut Opened) -> Result<(), Failure> {
        let (Opened::Tape(file), Some(name)) = (opened, &self.view) else { return Ok(()) };
        let tape = file.open(Depth::Index)?;
        view_in_tape(&tape, Some(name)).map(drop).map_err(|error| file.failure(&error))
    }

    fn listing(&self) -> Listing {
        if self.json { Listing::Json } else { Listing::Text }
    }

    /// The target, without lines yet; of many files each begins with its name.
    fn open(&self, source: &Source) -> Result<Output, Failure> {
        let kind = if self.json { Kind::Json } else { Kind::Assembly };
        let mut out = self.output.open(kind, source)?;
        if self.recordings.files.are_many() {
            let name = source.to_string();
            let line = if self.json {
                format!("{}\n", serde_json::json!({ "file": name }))
            } else {
                format!("; {}\n", printable(&name))
            };
            out.put(line.as_bytes())?;
        }
        Ok(out)
    }
}

/// Warns of what could not be decoded.
fn report(source: &Source, done: &Disassembled) -> Done {
    done.problems.iter().for_each(|problem| warn(source, problem));
    if done.unreadable > 0 {
        let many = count(done.unreadable as u64, "payload");
        warn(source, format_args!("{many} cannot be read to the end: see BYTES"));
    }
    Done::lost_if(done.unreadable > 0 || !done.problems.is_empty())
}
