//! `gametape convert`: a recording in another format, generation or storage.

use std::ffi::OsStr;

use gametape_replay::convert::{Conversion, Form, Layout, Storage, convert};
use gametape_replay::open::Format;

use crate::failure::{Failure, Outcome, warn};
use crate::games::GAMES;
use crate::input::{FormatArgs, Source, one_of};
use crate::output::Target;
use crate::progress::waiting;
use crate::rewrite::{EachArgs, Report};

/// Convert a recording to a tape and back, to another generation or storage
///
/// MineWars recordings and gamelogs become tapes, with keyframes to start playing from, and tapes
/// become what they were made of: the same frames and the same deltas. A tape of Skirmish also becomes
/// a gamelog: the match is simulated again.
///
/// The name of OUT says what to convert to: .tape, .minewars, .json or .gz (a gamelog). Other names
/// need --to.
///
/// Every MineWars view receives the same messages at the same times. What the target cannot express
/// is counted and reported, and then the exit code is 3. Within one generation, frames are the same
/// byte for byte, and only the storage changes.
///
/// The fields and deltas of a gamelog are the same byte for byte, unless a new layout is asked for.
///
/// With --out-dir, which needs --to, each result has the name of its file, with .tape, .minewars, .json, .jsonl or
/// .json.gz added unless the name ends so.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "gametape convert [OPTIONS] FILE OUT\n       gametape convert [OPTIONS] --to FORMAT FILE… --out-dir DIR"
)]
pub(crate) struct Args {
    #[command(flatten)]
    files: EachArgs,

    #[command(flatten)]
    format: FormatArgs,

    /// What to convert to [default: by the name of OUT; of a tape, what it holds; else the format and
    /// generation of the recording]
    #[arg(long, value_name = "FORMAT", value_parser = one_of(&Form::ALL, Form::name))]
    to: Option<Form>,

    /// Compress map and frames where that makes them smaller, or gzip the gamelog; `dictionary` is
    /// for v0.1 only [default: yes, but no with --pretty and --lines]
    #[arg(long, value_name = "HOW", value_parser = one_of(&STORAGES, storage_name))]
    compress: Option<Storage>,

    /// Indent the JSON, one value per line (gamelogs)
    #[arg(long, conflicts_with = "lines")]
    pretty: bool,

    /// Write only the deltas, one per line (gamelogs)
    #[arg(long)]
    lines: bool,

    /// Leave out the `data` of all deltas, which states never need (gamelogs)
    #[arg(long)]
    drop_data: bool,
}

const EXAMPLES: &str = r#"With --json:
  {"file","output","changes":[text],"lost":[text]}

Examples:
  gametape convert match.minewars match.tape
  gametape convert match.tape back.minewars
  gametape convert match.tape old.minewars --to v0.1
  gametape convert skirmish.tape match.json.gz
  gametape convert game.json.gz game.tape
  gametape convert match.minewars old.minewars --to v0.1
  gametape convert match.minewars raw.minewars --compress no
  gametape convert tool.minewars match.minewars --dialect mw-datatool --to current
  gametape convert game.json.gz - --pretty | less
  gametape convert game.json.gz - --lines | jq -r .type | sort | uniq -c
  gametape convert game.json small.json.gz --drop-data
  gametape convert --to tape finals/ --out-dir tapes"#;

const STORAGES: [Storage; 3] = [Storage::Compressed, Storage::Plain, Storage::Dictionary];

fn storage_name(storage: Storage) -> &'static str {
    match storage {
        Storage::Compressed => "yes",
        Storage::Plain => "no",
        _ => "dictionary",
    }
}

impl Args {
    pub(crate) fn run(self) -> Outcome {
        if self.files.has_folder() && self.to.is_none() {
            return Err(Failure::usage("--out-dir needs --to: what are the files converted to?"));
        }
        // In folders, what is a tape already is no work.
        let formats: &[Format] = match self.to {
            Some(Form::Tape) => &[Format::MineWars, Format::Gamelog],
            _ => &[],
        };
        self.files.rewriting(self.ending()).for_each("converted", formats, |source, destination| {
            let conversion = self.conversion(&destination.target)?;
            self.convert(source, &destination.target, &conversion)
        })
    }

    /// How names of results end in a folder.
    fn ending(&self) -> &'static str {
        let is_text = self.pretty || self.lines;
        let is_plain = self.compress.map_or(is_text, |how| how == Storage::Plain);
        match self.to {
            None => "",
            Some(Form::Tape) => ".tape",
            Some(Form::Gamelog) if is_plain && self.lines => ".jsonl",
            Some(Form::Gamelog) if is_plain => ".json",
            Some(Form::Gamelog) => ".json.gz",
            Some(_) => ".minewars",
        }
    }

    /// What is asked for, by options and by the name of the result.
    fn conversion(&self, target: &Target) -> Result<Conversion, Failure> {
        let extension = match target {
            Target::File(path) => path.extension().map(OsStr::to_ascii_lowercase),
            Target::Stdout => None,
        };
        let named = match extension.as_ref().map(|extension| extension.to_str()) {
            None => None,
            Some(Some("tape")) => Some(Form::Tape),
            Some(Some("minewars")) => Some(Form::MineWars),
            Some(Some("json" | "gz" | "jsonl" | "ndjson" | "gamelog")) => Some(Form::Gamelog),
            Some(_) if self.to.is_some() => None,
            Some(_) => {
                let problem = "its name does not say what to convert to: end it in .tape, .minewars, \
                               .json or .gz, or give --to";
                return Err(Failure::usage(format_args!("{target}: {problem}")));
            }
        };
        if let (Some(named), Some(to)) = (named, self.to)
            && !named.includes(to)
        {
            let to = to.name();
            return Err(Failure::usage(format_args!("{target}: its name contradicts --to {to}")));
        }
        let is_plain = extension.is_some_and(|extension| extension == "json");
        let layout = Layout::default().with_pretty(self.pretty).with_lines(self.lines);
        Ok(Conversion::default()
            .with_form(self.to.or(named))
            .with_storage(self.compress.or(is_plain.then_some(Storage::Plain)))
            .with_layout(layout.with_drop_data(self.drop_data)))
    }

    fn convert(&self, source: &Source, target: &Target, conversion: &Conversion) -> Outcome {
        let opened = source.open_with(&self.format)?;
        // What the name says was compared with what is asked for.
        let mut out = target.open_named(source)?;
        let converted = waiting("converting", || {
            out.fill(source, |put| convert(opened, conversion, &GAMES, put))
        })?;
        out.finish()?;
        converted.wrong_checksums.iter().for_each(|error| warn(source, error));
        let mut report = Report::new(source, Some(target));
        report.lost = converted.lost;
        report.print(self.files.json)
    }
}
