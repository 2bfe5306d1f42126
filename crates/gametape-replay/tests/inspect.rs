//! What there is to say about a recording.
#![allow(clippy::unwrap_used)]

use gametape_cadre::Options;
use gametape_minewars::sample::Sample;
use gametape_minewars::{Generation, ReplayFile, WriteOptions, write_file};
use gametape_replay::inspect::{GamelogSummary, Inspected, MinewarsSummary};

/// Lines of facts, those of one label after each other.
fn lines(of: &impl Inspected) -> Vec<String> {
    of.facts().iter().map(|fact| format!("{} {}", fact.label, fact.value)).collect()
}

#[test]
fn a_minewars_file_is_described_with_names_length_and_result() {
    for generation in Generation::ALL {
        let (setup, frames) = Sample::default().build(generation).unwrap();
        let bytes = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
        let file = ReplayFile::open(&bytes).unwrap();
        let summary = MinewarsSummary::of("file", &file, false).with_ending(&file);
        let (lines, row) = (lines(&summary), summary.row());
        assert!(!row.length.is_empty() && lines.contains(&format!("length {}", row.length)));
        let result = if row.result.is_empty() { "not decided" } else { &row.result };
        assert!(lines.contains(&format!("result {result}")), "{lines:?}");
        for name in row.players.split(", ") {
            assert!(lines.iter().any(|line| line.ends_with(name)), "{name} in {lines:?}");
        }
    }
}

#[test]
fn the_result_of_a_gamelog_is_said_once_unless_its_lists_disagree() {
    let log = String::from_utf8(gametape_cadre::sample::log(30, 1)).unwrap();
    let facts = |log: &str| {
        lines(&GamelogSummary::of("log", log.as_bytes(), &Options::default(), false).unwrap())
    };
    let said =
        |lines: &[String], text: &str| lines.iter().filter(|line| line.contains(text)).count();
    let agreed = facts(&log);
    assert_eq!((said(&agreed, "Fewer units."), said(&agreed, "log's own list")), (1, 0));
    assert!(said(&agreed, "lost: Fewer units.") == 1, "{agreed:?}");

    let left = log.replacen("\"disconnected\":false", "\"disconnected\":true", 1);
    assert_eq!(said(&facts(&left), "lost, disconnected: Fewer units."), 1);

    let swapped = log.replace("\"losers\":", "\"x\":").replace("\"winners\":", "\"losers\":");
    let disagreeing = facts(&swapped.replace("\"x\":", "\"winners\":"));
    assert!(said(&disagreeing, "log's own list") == 2, "{disagreeing:?}");
}
