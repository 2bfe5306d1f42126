//! `gametape export`: a recording and the viewer as one HTML file.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use gametape_replay::inspect::MatchEntry;
use gametape_replay::open::{OpenOptions, open};
use gametape_server::{Assets, Embedded, one_file};
use gametape_wire::Error;
use serde::Serialize;

use crate::failure::{Done, Failure, Outcome, note};
use crate::games::GAMES;
use crate::global::max_memory;
use crate::input::Source;
use crate::many::{FilesArgs, JobsArg};
use crate::output::{Kind, Target, print_json};
use crate::rewrite::{Written, check_apart};
use crate::text::count;
use crate::viewer::{BeginArgs, ViewerArg, whole};

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
    /// Recordings to read, `-` for standard input. Of two files without --output or --out-dir, the
    /// second is where the page goes
    #[arg(value_name = "FILE", required = true)]
    files: Vec<OsString>,

    /// Where the page goes, `-` for standard output
    #[arg(short, long, value_name = "OUT.html", conflicts_with = "out_dir")]
    output: Option<Target>,

    /// Write a page for each recording into this folder, under its name and .html; recordings may be
    /// folders then
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,

    #[command(flatten)]
    begin: BeginArgs,

    #[command(flatten)]
    jobs: JobsArg,

    /// Print one JSON object for each page that says what was made
    #[arg(long)]
    json: bool,

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
        let sources = || self.files.iter().cloned().map(Source::from);
        if let Some(folder) = &self.out_dir {
            let made = Mutex::new(BTreeSet::new());
            let files = FilesArgs::of(sources().collect(), self.jobs);
            return files.each("exported", |source| {
                let target = in_folder(source, folder)?;
                let is_new =
                    made.lock().unwrap_or_else(PoisonError::into_inner).insert(target.to_string());
                if !is_new {
                    let problem =
                        format_args!("{target} would be the page of {source} and of another");
                    return Err(Failure::usage(problem));
                }
                self.export(&assets, source, &target)
            });
        }
        let (source, target) = match (&*self.files, &self.output) {
            ([file], Some(target)) => (file, target.clone()),
            ([file, target], None) => (file, Target::from(target.clone())),
            ([_], None) => {
                return Err(Failure::usage(
                    "where does the page go? Name a second file, or give --out-dir",
                ));
            }
            _ => return Err(Failure::usage("the pages of several recordings need --out-dir DIR")),
        };
        self.export(&assets, &Source::from(source.clone()), &target)
    }

    fn export(&self, assets: &Assets, source: &Source, target: &Target) -> Outcome {
        check_apart(target, self.json)?;
        target.check_extension(Kind::Page)?;
        let failed = |error: Error| Failure::of(source, &error);
        let bytes = whole(source)?;
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
        if self.json {
            let (file, output) = (source.to_string(), target.to_string());
            print_json(&Written { file, output, result: &made })?;
        } else if *target != Target::Stdout {
            note(target, format_args!("{}: {}", made.title, count(made.bytes as u64, "byte")));
        }
        Ok(Done::Fine)
    }
}

/// The page of a recording in a folder. Recordings of one name and several formats have pages of several names.
fn in_folder(source: &Source, folder: &std::path::Path) -> Result<Target, Failure> {
    match Target::in_folder(source, folder)? {
        Target::File(path) => {
            let mut name = path.into_os_string();
            name.push(".html");
            Ok(Target::File(name.into()))
        }
        target => Ok(target),
    }
}
