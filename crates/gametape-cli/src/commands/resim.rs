//! `gametape resim`: run a recorded match again, and compare.

use std::fmt;

use gametape_replay::{
    DeepVerification, Difference, Divergence, KnownGame, PlayFinding, PlayerOptions, Recording,
};
use gametape_wire::Error;
use serde::Serialize;

use crate::failure::{Done, Failure, Outcome};
use crate::games::{known, titles};
use crate::input::{Source, TapeArgs};
use crate::output::{print, print_json};
use crate::progress::waiting;
use crate::tape::{TapeFile, warn_of_losses};
use crate::text::{Fields, count, hex};

/// Run a match of Skirmish again from its orders, and compare it with its keyframes
///
/// Nothing but what the match started from and the orders of the tape are used. The state is compared
/// hash by hash with every keyframe of the simulation; the first that differs is shown, with the
/// places where it does. Exit code 0: it is the same match; 1: it is not, or nobody can say; 3: it is
/// the same as far as the tape goes, which is torn.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    tape: TapeArgs,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"With --json:
  {"file","same","keyframes","ticks","findings":[text],
   "divergence":{"agreed_tick","tick","places":[{"where","recorded","found"}]}}
"divergence" is null where there is none, "agreed_tick" where no keyframe agreed before it; values
are hexadecimal, null where nothing is there.

Examples:
  gametape resim match.tape && echo "nothing was made up"
  gametape resim --json match.tape | jq .divergence.tick"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let source = &self.tape.source;
        let failed = |error: Error| Failure::of(source, &error);
        let recording = Recording::open(source.tape()?).map_err(failed)?;
        warn_of_losses(source, recording.tape());
        let game = game_of(source, &recording)?;
        let mut file = recording.into_source();
        let options = PlayerOptions { check: false, ..PlayerOptions::default() };
        let verified = waiting("simulating", || game.resimulate(&mut file, options));
        let comparison = Comparison::of(source, &verified.map_err(failed)?);
        match self.json {
            true => print_json(&comparison)?,
            false => print(&comparison.to_text())?,
        }
        if comparison.same { Ok(Done::Fine) } else { Err(Failure::told()) }
    }
}

/// The game that can run the match again.
fn game_of(
    source: &Source,
    recording: &Recording<TapeFile>,
) -> Result<&'static dyn KnownGame, Failure> {
    let content = recording.field("content");
    if let Some(game) = known(content.as_deref()) {
        return Ok(game);
    }
    let content = content.map_or("not said".to_owned(), |name| format!("`{name}`"));
    let titles = titles();
    let problem = format!("only {titles} can be run again, and what it holds is {content}");
    Err(Failure::refused(source, &problem))
}

/// What is printed.
#[derive(Debug, Serialize)]
struct Comparison {
    file: String,
    same: bool,
    keyframes: usize,
    ticks: u64,
    findings: Vec<String>,
    divergence: Option<Differs>,
}

#[derive(Debug, Serialize)]
struct Differs {
    agreed_tick: Option<u64>,
    tick: u64,
    places: Vec<DiffersAt>,
}

#[derive(Debug, Serialize)]
struct DiffersAt {
    r#where: String,
    recorded: Option<String>,
    found: Option<String>,
}

impl Comparison {
    fn of(source: &Source, verified: &DeepVerification) -> Self {
        let divergence = verified.findings.iter().find_map(|finding| match finding {
            PlayFinding::Divergence(divergence) => Some(Differs::of(divergence)),
            _ => None,
        });
        let is_other = |finding: &&PlayFinding| !matches!(finding, PlayFinding::Divergence(_));
        let others = verified.findings.iter().filter(is_other);
        Self {
            file: source.to_string(),
            // Without a single keyframe there was nothing to compare with.
            same: verified.passed() && verified.keyframes > 0,
            keyframes: verified.keyframes,
            ticks: verified.tick,
            findings: others.map(ToString::to_string).collect(),
            divergence,
        }
    }

    fn to_text(&self) -> String {
        let mut fields = Fields::new(&self.file);
        let keyframes = count(self.keyframes as u64, "keyframe");
        let verdict = match (self.same, self.keyframes) {
            (true, _) => format!("the same match, compared with {keyframes}"),
            (false, 0) => "it has no keyframes to compare with".to_owned(),
            (false, _) => format!("not the same: compared with {keyframes}"),
        };
        fields.add("result", verdict);
        fields.add("played", count(self.ticks, "tick"));
        if let Some(divergence) = &self.divergence {
            fields.add("differs", divergence.to_string());
            divergence.places.iter().for_each(|place| fields.more(place.to_string()));
        }
        for (place, finding) in self.findings.iter().enumerate() {
            fields.add(if place == 0 { "findings" } else { "" }, finding);
        }
        fields.into_text()
    }
}

impl Differs {
    fn of(divergence: &Divergence) -> Self {
        let places = divergence.differences.iter().map(DiffersAt::of).collect();
        Self { agreed_tick: divergence.agreed, tick: divergence.tick, places }
    }
}

impl fmt::Display for Differs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at tick {}", self.tick)?;
        match self.agreed_tick {
            Some(agreed) => write!(f, "; the last keyframe that agrees is at tick {agreed}"),
            None => f.write_str("; no keyframe before it agrees"),
        }
    }
}

impl DiffersAt {
    fn of(difference: &Difference) -> Self {
        let Difference { site, expected, found } = difference;
        let [recorded, found] = [expected, found].map(|value| value.as_deref().map(hex));
        Self { r#where: site.to_string(), recorded, found }
    }
}

/// More of a value is too much for a line.
const SHOWN_DIGITS: usize = 32;

impl fmt::Display for DiffersAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &Option<String>| match value.as_deref() {
            Some("") => "empty".to_owned(),
            Some(digits) => crate::text::shortened(digits, SHOWN_DIGITS),
            None => "nothing".to_owned(),
        };
        let (recorded, found) = (shown(&self.recorded), shown(&self.found));
        write!(f, "{}: recorded {recorded}, now {found}", self.r#where)
    }
}

#[cfg(test)]
mod tests {
    use gametape_replay::{DeepLevel, Site};

    use super::*;

    fn comparison(findings: Vec<PlayFinding>, keyframes: usize) -> Comparison {
        let level = DeepLevel::Simulation;
        let verified = DeepVerification { level, keyframes, tick: 600, findings, unlisted: 0 };
        Comparison::of(&Source::File("a.tape".into()), &verified)
    }

    #[test]
    fn a_difference_is_shown_with_its_tick_and_places() {
        let site = Site::Section("clock".to_owned());
        let differences = vec![Difference { site, expected: Some(vec![0, 9]), found: None }];
        let divergence = Divergence { agreed: Some(300), tick: 600, differences };
        let comparison = comparison(vec![PlayFinding::Divergence(divergence)], 2);
        assert!(!comparison.same);
        let text = anstream::adapter::strip_str(&comparison.to_text()).to_string();
        assert!(text.contains("not the same: compared with 2 keyframes"), "{text}");
        assert!(
            text.contains("at tick 600; the last keyframe that agrees is at tick 300"),
            "{text}"
        );
        assert!(text.contains("section clock: recorded 0009, now nothing"), "{text}");
    }

    #[test]
    fn nothing_to_compare_with_is_no_agreement() {
        assert!(comparison(Vec::new(), 3).same && !comparison(Vec::new(), 0).same);
    }
}
