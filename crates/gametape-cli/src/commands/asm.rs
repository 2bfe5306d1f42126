//! `gametape asm`: assembly text to a MineWars recording.

use gametape_minewars::Generation;
use gametape_minewars::{Dialect, Fit, Inexact, Messages, Packer, assemble_file, assemble_payload};
use gametape_wire::{self as wire, Error};

use crate::failure::{Done, Failure, Outcome, warn_of_each};
use crate::input::{Source, one_of};
use crate::output::{Kind, Target};

/// Assemble text into a MineWars recording
///
/// Takes what `gametape disasm` prints. Mistakes are shown with line, column and the line itself,
/// and then nothing is written. A duration that can only be written approximately is a warning, and
/// the exit code is 3.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Text to read, `-` for standard input
    #[arg(value_name = "TEXT", default_value = "-")]
    source: Source,

    /// Where the recording goes, `-` for standard output
    #[arg(short, long, value_name = "OUT")]
    output: Target,

    /// The text is messages without setup and frames, in --dialect or else current
    #[arg(long)]
    bare: bool,

    /// Write the messages in this dialect; a recording's text names its own
    #[arg(long, requires = "bare", value_parser = one_of(&Generation::ALL, Generation::name))]
    dialect: Option<Generation>,

    /// Merge neighbouring messages of one kind where they then take fewer bytes
    #[arg(long, requires = "bare")]
    pack: bool,
}

const EXAMPLES: &str = "\
Examples:
  gametape asm match.asm -o match.minewars
  gametape disasm old.minewars | sed 's/Ana/Anna/' | gametape asm -o new.minewars
  echo 'OWNER 1 -7,2' | gametape asm --bare -o - | xxd";

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let text = self.source.read_text()?;
        let assembled = if self.bare { self.payload(&text) } else { file(&text) };
        let (bytes, inexact) =
            assembled.map_err(|errors| Failure::of_all(&self.source, &errors))?;
        let kind = if self.bare { Kind::Messages } else { Kind::MineWars };
        self.output.write(kind, &self.source, &bytes)?;
        self.warn_of(&inexact);
        Ok(Done::lost_if(!inexact.is_empty()))
    }

    fn payload(&self, text: &str) -> Result<Bytes, Vec<Error>> {
        let dialect = self.dialect.unwrap_or(Generation::Current).into();
        let (payload, inexact) = assemble_payload(text, dialect)?;
        if !self.pack {
            return Ok((payload, inexact));
        }
        let packed = pack(&payload, dialect).map_err(|error| vec![error])?;
        Ok((packed, inexact))
    }

    fn warn_of(&self, inexact: &[Inexact]) {
        let line = |Inexact { line, fit, .. }: &Inexact| match fit {
            Fit::Saturated => {
                format!("line {line}: the longest duration that can be written is used")
            }
            _ => format!("line {line}: the nearest duration that can be written is used"),
        };
        warn_of_each(&self.source, inexact.iter().map(line), inexact.len() as u64, "line");
    }
}

type Bytes = (Vec<u8>, Vec<Inexact>);

fn file(text: &str) -> Result<Bytes, Vec<Error>> {
    let assembled = assemble_file(text)?;
    let bytes = assembled.to_file().map_err(|error| vec![error])?;
    Ok((bytes, assembled.inexact))
}

fn pack(payload: &[u8], dialect: Dialect) -> wire::Result<Vec<u8>> {
    let mut packer = Packer::new(dialect.generation());
    for message in Messages::new(payload, 0, dialect) {
        packer.push(&message?)?;
    }
    packer.finish()
}
