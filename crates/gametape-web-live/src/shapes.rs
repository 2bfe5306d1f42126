//! What the page receives.

use gametape_live::{Notice, Refusal, Welcome};
use gametape_wire::View;
use serde::Serialize;

/// Something that the page must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum LiveNotice {
    /// A seat was given.
    Welcome(Welcomed),
    /// No seat was given.
    Refused(Refused),
    /// A tape begins with this tick; its bytes follow from the first one on.
    Began(#[cfg_attr(test, ts(type = "number"))] u64),
    /// All ticks up to this one can be shown.
    Shown(#[cfg_attr(test, ts(type = "number"))] u64),
    /// Something is lost and will not come.
    Lost(Lost),
    /// The match is over, and everything of it is there.
    Over(bool),
}

/// What a seat gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Welcomed {
    /// The views.
    pub views: Vec<u8>,
    /// Ticks between what is played and what is released.
    #[cfg_attr(test, ts(type = "number"))]
    pub delay: u64,
    /// How long a tick takes, in microseconds.
    pub tick_micros: u32,
}

/// Why no seat was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Refused {
    /// Which reason.
    #[cfg_attr(
        test,
        ts(type = "\"version\" | \"match\" | \"pass\" | \"many\" | \"malformed\" | \"other\"")
    )]
    pub why: &'static str,
    /// In words.
    pub text: &'static str,
}

/// What is lost of a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Lost {
    /// Of which view.
    pub view: u8,
    /// From which tick on.
    #[cfg_attr(test, ts(type = "number"))]
    pub first: u64,
    /// Up to which tick.
    #[cfg_attr(test, ts(type = "number"))]
    pub last: u64,
    /// How many unreliable parts; 0 where whole ticks are lost.
    #[cfg_attr(test, ts(type = "number"))]
    pub parts: u64,
}

impl From<Welcome> for Welcomed {
    fn from(welcome: Welcome) -> Self {
        Self {
            views: welcome.views.iter().map(View::number).collect(),
            delay: welcome.delay,
            tick_micros: welcome.header.tick_length.micros(),
        }
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        let why = match refusal {
            Refusal::Version => "version",
            Refusal::NoMatch => "match",
            Refusal::BadPass => "pass",
            Refusal::TooMany => "many",
            Refusal::Malformed => "malformed",
            _ => "other",
        };
        Self { why, text: refusal.text() }
    }
}

/// A notice as the page gets it; none where it has no meaning there.
fn shape_of(notice: Notice) -> Option<LiveNotice> {
    Some(match notice {
        Notice::Welcome(welcome) => LiveNotice::Welcome((*welcome).into()),
        Notice::Refused(refusal) => LiveNotice::Refused(refusal.into()),
        Notice::Began { tick } => LiveNotice::Began(tick.0),
        Notice::Shown { tick } => LiveNotice::Shown(tick.0),
        Notice::Lost { view, first, last, parts } => {
            LiveNotice::Lost(Lost { view: view.number(), first: first.0, last: last.0, parts })
        }
        Notice::Over => LiveNotice::Over(true),
        _ => return None,
    })
}

/// Notices as a JSON array, in their order; of several that say how far it can be shown, the last one alone.
pub(crate) fn to_json(notices: Vec<Notice>) -> String {
    let mut all: Vec<LiveNotice> = Vec::new();
    for notice in notices.into_iter().filter_map(shape_of) {
        if let (Some(LiveNotice::Shown(_)), LiveNotice::Shown(_)) = (all.last(), &notice) {
            all.pop();
        }
        all.push(notice);
    }
    serde_json::to_string(&all).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape_wire::Tick;
    use ts_rs::{Config, TS};

    /// The file in which the page has these shapes.
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../viewer/src/generated/live.ts");

    #[test]
    fn the_page_has_the_shapes_of_today() {
        let config = Config::default();
        let all = [
            LiveNotice::decl(&config),
            Welcomed::decl(&config),
            Refused::decl(&config),
            Lost::decl(&config),
        ];
        let heading = "// Made of the Rust shapes by a test of gametape-web-live: `BLESS=1 cargo test -p gametape-web-live shapes`.\n";
        let exported = all.iter().map(|declaration| format!("\nexport {declaration}\n"));
        let made = heading.to_owned() + &exported.collect::<String>();
        if std::env::var("BLESS").is_ok_and(|value| value == "1") {
            std::fs::write(FILE, &made).unwrap();
        }
        let found = std::fs::read_to_string(FILE).unwrap_or_default();
        assert!(found == made, "viewer/src/generated/live.ts is not up to date: BLESS=1 writes it");
    }

    #[test]
    fn notices_are_json_and_only_the_last_of_a_run_says_how_far() {
        let shown = |tick| Notice::Shown { tick: Tick(tick) };
        let all = vec![shown(1), shown(2), Notice::Refused(Refusal::NoMatch), shown(3)];
        assert_eq!(
            to_json(all),
            r#"[{"shown":2},{"refused":{"why":"match","text":"there is no such match for this pass"}},{"shown":3}]"#
        );
    }
}
