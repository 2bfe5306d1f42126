//! `gametape recover`: what is left of a damaged or unfinished recording.

use gametape_files::Rewriting;
use gametape_minewars::{RepairOptions, Repaired, ReplayFile, repair, verify};
use gametape_replay::open::{Format, MinewarsBytes, SNIFFED_BYTES, likely_format, sniff};
use gametape_replay::recover::{FoundTape, TapeRecovery};
use gametape_wire::{Error, TickLength};

use crate::failure::{Done, Failure, Outcome, note, warn, warn_of_each};
use crate::input::{FormatArgs, Source};
use crate::output::{Destination, Kind, print_json};
use crate::rewrite::{Report, RewriteArgs, Written};
use crate::tape::TapeFile;
use crate::text::count;

/// Save what is whole of a damaged or unfinished recording, and say what was lost
///
/// Takes tapes and MineWars recordings, by their content. Nothing is invented. If anything was lost,
/// the exit code is 3.
///
/// Of a tape, every sound chunk is kept, chunks that were mixed up are put in order, the index is
/// rebuilt, and a gap declares whatever is missing; `gametape verify` passes the result. Where no
/// chunk is lost, tape id, chain and signatures stay as they are. Otherwise the result is a new tape
/// with an id of its own and without signatures. A tape that was never finished cannot say what its
/// recorder had not written yet.
///
/// Of a MineWars recording, checksums are computed again, every whole frame before the damage is kept,
/// and what follows it, cannot be read or breaks a rule is dropped; `gametape verify` passes the result.
/// Tiles that are lost are of a reserved kind, lost names are empty. A wrong checksum does not say what
/// is wrong: what it covers and can be read is kept, and nobody can vouch for it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "gametape recover [OPTIONS] FILE OUT\n       gametape recover [OPTIONS] FILE… --out-dir DIR\n       gametape recover [OPTIONS] FILE… --in-place"
)]
pub(crate) struct Args {
    #[command(flatten)]
    files: RewriteArgs,

    #[command(flatten)]
    format: FormatArgs,

    /// Keep what cannot be read or breaks a rule, in setup and payloads, as it is; the result may then
    /// fail `gametape verify` (MineWars)
    #[arg(long)]
    keep_unreadable: bool,

    /// How long a tick lasts, in microseconds: needed only where the header and the summary of a tape
    /// are both lost
    #[arg(long, value_name = "US", value_parser = clap::value_parser!(u32).range(1..))]
    tick_us: Option<u32>,
}

const EXAMPLES: &str = r#"With --json, of a tape:
  {"file","output","finished","kept_chunks","lost_chunks","lost_bytes","lost_ticks",
   "dropped":{kind: chunks},"damages":[{"start","end","what","kind","chunk","first_tick",
   "end_tick"}],"missing":[{"first","last"}]}
"unwritten":{"first_tick","end_tick"} is there where events go on after the last frames and orders.
"finished" says whether the tape had a trailer; "dropped" is what was whole and could not be copied,
signatures most of all; "missing" are numbers of chunks of which nothing is left. Of MineWars:
  {"file","output","changes":[text],"lost":[text]}

Examples:
  gametape recover crashed.tape whole.tape
  gametape recover --json crashed.tape whole.tape | jq .lost_ticks
  gametape recover --in-place match.minewars"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let rewriting = Rewriting { with_remains: true, ..self.files.rewriting() };
        rewriting.for_each("recovered", &[Format::Tape, Format::MineWars], |source, destination| {
            self.recover(source, destination)
        })
    }

    fn recover(&self, source: &Source, destination: &Destination) -> Outcome {
        // Whatever it begins with: that may be what is damaged.
        let mut file = source.open_as_tape()?;
        let Some(is_tape) = file.is_tape()? else {
            return Err(Failure::refused(source, "nothing to recover: it is empty"));
        };
        let found = file.watched("searching", FoundTape::search);
        let found = found.map_err(|error| file.failure(&error))?;
        match found.filter(|found| is_tape || found.has_chunks()) {
            Some(found) => {
                let unreadable = ("--keep-unreadable", self.keep_unreadable, Format::MineWars);
                source.check_options(Format::Tape, &[unreadable])?;
                self.format.check(source, Format::Tape)?;
                self.recover_tape(&mut file, &found, destination)
            }
            None if is_tape => {
                let problem = "nothing to recover: no chunk of this tape is whole";
                Err(Failure::refused(source, problem))
            }
            None => {
                let bytes = file.into_bytes()?;
                let start = &bytes[..bytes.len().min(SNIFFED_BYTES)];
                if likely_format(start, Some(bytes.len() as u64)) == Some(Format::Gamelog) {
                    let problem = "is a gamelog; `recover` reads tapes and MineWars recordings";
                    return Err(Failure::usage(format_args!("{source} {problem}")));
                }
                self.recover_minewars(source, &bytes, destination)
            }
        }
    }

    fn recover_tape(
        &self,
        file: &mut TapeFile,
        found: &FoundTape,
        destination: &Destination,
    ) -> Outcome {
        let source = file.source.clone();
        let mut out = destination.open(Kind::Tape, &source)?;
        let result = file.watched("recovering", |file| {
            let length = self.tick_us.and_then(TickLength::from_micros);
            out.fill(&source, |put| found.write(file, length, put))
        })?;
        out.finish()?;
        if self.files.json() {
            let output = destination.target.to_string();
            print_json(&Written { file: source.to_string(), output, result: &result })?;
        } else {
            print_report(&source, &result);
        }
        Ok(Done::lost_if(result.is_lossy()))
    }

    fn recover_minewars(
        &self,
        source: &Source,
        damaged: &[u8],
        destination: &Destination,
    ) -> Outcome {
        let format = &self.format;
        let failed = |error: Error| Failure::of(source, &error);
        source.check_options(
            Format::MineWars,
            &[("--tick-us", self.tick_us.is_some(), Format::Tape)],
        )?;
        let options = RepairOptions::new()
            .with_keep_unreadable(self.keep_unreadable)
            .with_headerless(format.headerless);
        let Repaired { bytes, changes, lost, .. } = repair(damaged, format.dialect, options)
            .map_err(|error| {
                let is_asked_for = format.dialect.is_some() || format.headerless;
                match sniff(damaged, Some(damaged.len() as u64)) {
                    None | Some(Format::Gamelog) if !is_asked_for => Failure::refused(
                        source,
                        "nothing to recover: it is neither a tape nor a MineWars file",
                    ),
                    _ => failed(error),
                }
            })?;
        if !destination.is_in_place() || bytes != damaged {
            let mut out = destination.open(Kind::MineWars, source)?;
            out.put(&bytes)?;
            out.finish()?;
        }
        let mut report = Report::new(source, Some(&destination.target));
        report.changes = changes.iter().map(ToString::to_string).collect();
        report.lost = lost.iter().map(ToString::to_string).collect();
        let done = report.print(self.files.json())?;
        if changes.is_empty() && lost.is_empty() {
            note(source, "nothing to recover");
        }
        let repaired = MinewarsBytes::new(bytes, format.dialect);
        warn_if_unsound(source, &repaired.file().map_err(failed)?);
        Ok(done)
    }
}

/// Says so where what was kept is not sound.
fn warn_if_unsound(source: &Source, repaired: &ReplayFile<'_>) {
    let found = verify(repaired);
    if !found.is_ok() {
        let errors = count(found.report().errors(), "error");
        let advice = "`gametape verify` on the result shows them";
        warn(source, format_args!("{errors} kept; {advice}"));
    }
}

fn print_report(source: &Source, result: &TapeRecovery) {
    let (damages, missing) = result.losses();
    let all = (damages.len() + missing.len()) as u64;
    let lost = damages.into_iter().map(ToOwned::to_owned).chain(missing);
    let lines = lost.map(|what| format!("lost: {what}"));
    warn_of_each(source, lines, all, "damage");
    for row in result.left_out() {
        note(source, format_args!("left out: {row}"));
    }
    note(source, result.conclusion());
}
