//! `gametape export`: a recording and the viewer as one HTML file.

use gametape_replay::inspect::MatchEntry;
use gametape_replay::open::{OpenOptions, open};
use gametape_server::{Assets, Embedded, one_file};
use gametape_wire::Error;
use serde::Serialize;

use crate::failure::{Done, Failure, Outcome, note};
use crate::games::GAMES;
use crate::global::max_memory;
use crate::input::Source;
use crate::output::{Destination, Kind, Target, print_json};
use crate::rewrite::{EachArgs, Written};
use crate::text::count;
use crate::viewer::{BeginArgs, ViewerArg};

/// Make one HTML file of a recording, with the viewer inside
///
/// The file opens by double click in any current browser, without a network: it asks for nothing, and
/// its own policy forbids it to. Everybody who has it has the whole recording, every view included:
/// `gametape cut` makes recordings of some views.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "gametape export [OPTIONS] FILE OUT.html\n       gametape export [OPTIONS] FILE… --out-dir DIR"
)]
pub(crate) struct Args {
    #[command(flatten)]
    files: EachArgs,

    #[command(flatten)]
    begin: BeginArgs,

    #[command(flatten)]
    viewer: ViewerArg,
}

const EXAMPLES: &str = r#"With --json:
  {"file","output","title","bytes"}

Examples:
  gametape export match.tape match.html
  gametape export --at 3:37.6 --view Ana match.tape match.html
  gametape export finals/ --out-dir pages"#;

/// What was made.
#[derive(Debug, Serialize)]
struct Made {
    title: String,
    bytes: usize,
}

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let assets = self.viewer.needed()?;
        self.files.rewriting(".html").for_each("exported", &[], |source, destination| {
            self.export(&assets, source, destination)
        })
    }

    fn export(&self, assets: &Assets, source: &Source, destination: &Destination) -> Outcome {
        let target = &destination.target;
        target.check_extension(Kind::Page)?;
        let failed = |error: Error| Failure::of(source, &error);
        let bytes = source.read_recording()?;
        let options = OpenOptions::default().with_max_bytes(max_memory());
        let opened = || open(&bytes[..], &options).map_err(failed);
        let name = source.short_name();
        let entry = MatchEntry::of(&name, &mut opened()?, &GAMES);
        let begin = self.begin.find(source, opened()?)?;
        let title = entry.heading();
        let (at, view) = (begin.at.as_deref(), begin.view.as_deref());
        let recording = Embedded { title: &title, name: &name, bytes: &bytes, at, view };
        let page = one_file(assets, &recording);
        let page = page.map_err(|missing| Failure::refused(&"viewer", &missing.to_string()))?;
        target.write(Kind::Page, source, &page)?;
        let made = Made { title, bytes: page.len() };
        if self.files.json {
            let (file, output) = (source.to_string(), target.to_string());
            print_json(&Written { file, output, result: &made })?;
        } else if *target != Target::Stdout {
            note(target, format_args!("{}: {}", made.title, count(made.bytes as u64, "byte")));
        }
        Ok(Done::Fine)
    }
}
