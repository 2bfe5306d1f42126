//! `gametape pass`: who may see what of a live match.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use gametape_live::{Classes, Grant, MatchName, Pass};
use gametape_minewars::Class;
use gametape_replay::text::{count, date, epoch_of};
use gametape_wire::{View, ViewSet};
use serde::Serialize;

use crate::failure::{Done, Failure, Outcome, warn};
use crate::output::{print, print_json};
use crate::tape::{PublicKeyArg, read_secret};
use crate::text::Fields;

/// Make a pass to a live match, or show what one allows
///
/// A pass is a line of text that is signed with a key of `gametape keygen`. Whoever has it may see
/// these views of the match, with at least this delay, or publish them, until it expires. A server that is given the
/// public key checks it; nothing needs to be stored anywhere.
///
/// Without --match, shows what a pass allows. With --trusted, it must be signed by that key; a pass
/// that is not valid ends with exit code 1.
#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "gametape pass [OPTIONS] --match MATCH --view VIEW,… --until TIME --key FILE\n       gametape pass [OPTIONS] PASS"
)]
pub(crate) struct Args {
    /// The pass to look at
    #[arg(value_name = "PASS", conflicts_with = "name")]
    pass: Option<String>,

    /// The match: 1 to 64 of the letters A-Z a-z 0-9 _ -
    #[arg(long = "match", value_name = "MATCH", requires_all = ["view", "until", "key"])]
    name: Option<MatchName>,

    /// The views that may be seen, by number: 0 is the spectator's
    #[arg(
        long,
        visible_alias = "views",
        value_name = "VIEW,…",
        value_delimiter = ',',
        requires = "name"
    )]
    view: Vec<u8>,

    /// The least delay, in ticks of the match
    #[arg(long, value_name = "TICKS", default_value_t = 0, requires = "name")]
    delay: u64,

    /// When it expires: a time such as 2026-11-16T13:39:06Z, or 90m, 12h, 7d from now
    #[arg(long, value_name = "TIME", requires = "name")]
    until: Option<Until>,

    /// The file with the secret key, as written by `gametape keygen`
    #[arg(long, value_name = "FILE", requires = "name")]
    key: Option<PathBuf>,

    /// Leave out messages of this class, which may be missed
    #[arg(long, value_name = "CLASS", requires = "name")]
    without: Option<super::cut::Without>,

    /// Let its holder publish these views of the match, instead of seeing them
    #[arg(long, requires = "name", conflicts_with_all = ["delay", "without"])]
    publish: bool,

    /// The public key that must have signed it: its digits, or a file that has them
    #[arg(long, value_name = "KEY", conflicts_with = "name")]
    trusted: Option<PublicKeyArg>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"With --json:
  {"pass","match","views":[number],"publishes","classes":[name],"delay","until","expired","key","valid"}

Examples:
  gametape keygen league
  gametape pass --match finals --view 2 --until 12h --key league
  gametape pass --match finals --view 0 --delay 1200 --until 2026-11-16T20:00:00Z --key league
  gametape pass --match finals --view 0,1,2 --publish --until 12h --key league
  gametape pass gtp1_… --trusted league.pub"#;

/// When a pass expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// Seconds since 1970.
    At(u64),
    /// Seconds from now on.
    In(u64),
}

impl FromStr for Until {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(at) = epoch_of(text).and_then(|millis| u64::try_from(millis / 1000).ok()) {
            return Ok(Self::At(at));
        }
        let units = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400)];
        let span = units.iter().find_map(|(unit, seconds)| {
            text.strip_suffix(*unit)?.parse::<u32>().ok().map(|n| u64::from(n) * seconds)
        });
        span.map(Self::In).ok_or("a time is written as 2026-11-16T13:39:06Z, 90m, 12h or 7d")
    }
}

impl Args {
    pub(crate) fn run(self) -> Outcome {
        match (&self.pass, &self.name) {
            (Some(text), None) => self.show(text),
            (None, Some(name)) => self.make(name.clone()),
            _ => Err(Failure::usage("give a pass to look at, or --match to make one")),
        }
    }

    fn make(&self, name: MatchName) -> Outcome {
        let views: Option<ViewSet> = self.view.iter().map(|number| View::new(*number)).collect();
        let views = views.filter(|views| !views.is_empty());
        let views = views.ok_or_else(|| Failure::usage("views are numbers from 0 to 15"))?;
        let classes = match self.without {
            Some(_) => Classes::ALL.without(Class::Unreliable),
            None => Classes::ALL,
        };
        let (Some(key), Some(until)) = (&self.key, self.until) else {
            return Err(Failure::usage("a pass needs --key and --until"));
        };
        let key = read_secret(key)?;
        let expiry = match until {
            Until::At(at) => at,
            Until::In(seconds) => now().saturating_add(seconds),
        };
        let grant = Grant { views, classes, delay: self.delay };
        let pass = match self.publish {
            true => Pass::sign_publishing(name, views, expiry, &key),
            false => Pass::sign(name, grant, expiry, &key),
        };
        if self.json {
            print_json(&About::of(&pass, true))?;
        } else {
            print(&format!("{pass}\n"))?;
        }
        Ok(Done::Fine)
    }

    fn show(&self, text: &str) -> Outcome {
        let pass: Pass = text.parse().map_err(|error| Failure::of(&"the pass", &error))?;
        let trusted = self.trusted.as_ref().map(PublicKeyArg::read).transpose()?;
        let is_trusted = trusted.is_none_or(|key| key == pass.key);
        let is_valid = is_trusted && pass.is_signed() && now() < pass.expiry;
        if self.json {
            print_json(&About::of(&pass, is_valid))?;
        } else {
            print(&about(&pass))?;
        }
        if is_valid {
            return Ok(Done::Fine);
        }
        let problem = match (pass.is_signed(), is_trusted) {
            (false, _) => "its signature is wrong",
            (_, false) => "it is signed by another key",
            _ => "it has expired",
        };
        warn(&"the pass", problem);
        Err(Failure::printed())
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}

/// What a pass is good for.
#[derive(Serialize)]
struct About {
    pass: String,
    #[serde(rename = "match")]
    name: String,
    views: Vec<u8>,
    publishes: bool,
    classes: Vec<&'static str>,
    delay: u64,
    until: u64,
    expired: bool,
    key: String,
    valid: bool,
}

impl About {
    fn of(pass: &Pass, valid: bool) -> Self {
        let Grant { views, classes, delay } = pass.grant;
        let of = |class: &Class| classes.contains(*class);
        Self {
            pass: pass.to_string(),
            name: pass.name.to_string(),
            views: views.iter().map(View::number).collect(),
            publishes: pass.is_publishing,
            classes: Class::ALL
                .iter()
                .filter(|class| of(class))
                .map(|class| class.name())
                .collect(),
            delay,
            until: pass.expiry,
            expired: now() >= pass.expiry,
            key: pass.key.to_string(),
            valid,
        }
    }
}

/// For people.
fn about(pass: &Pass) -> String {
    let Grant { views, delay, .. } = pass.grant;
    let purpose = if pass.is_publishing { "publish" } else { "see" };
    let mut fields = Fields::new(&format!("pass to {purpose} {}", pass.name));
    fields.add("views", views.to_string());
    if !pass.is_publishing {
        fields.add("classes", About::of(pass, true).classes.join(", "));
        fields.add("delay", count(delay, "tick"));
    }
    let millis = i64::try_from(pass.expiry).ok().and_then(|seconds| seconds.checked_mul(1000));
    let until = millis.and_then(date).unwrap_or_else(|| format!("{} s after 1970", pass.expiry));
    fields.add("until", until);
    fields.add("key", pass.key.to_string());
    fields.into_text()
}
