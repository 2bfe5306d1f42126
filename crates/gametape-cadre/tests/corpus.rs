//! The real logs, if the environment says where they are.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::PathBuf;

use gametape_cadre::{
    Live, LiveEvent, Log, Markers, Options, Outcome, Summary, Timeline, diff, path_in_game, rules,
    verify,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The folder of real logs; a line says so where there is none.
fn corpus() -> Option<PathBuf> {
    let root = std::env::var_os("GAMETAPE_CORPUS");
    if root.is_none() {
        println!("skipped: GAMETAPE_CORPUS is not set");
    }
    Some(PathBuf::from(root?).join("cadre"))
}

fn json(path: PathBuf) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every log with what is expected of it.
fn logs() -> Vec<(String, Vec<u8>, Value)> {
    let Some(folder) = corpus() else { return Vec::new() };
    let expected = json(folder.join("EXPECTED.json"));
    let read = |(name, expected): (&String, &Value)| {
        (name.clone(), std::fs::read(folder.join(name)).unwrap(), expected.clone())
    };
    expected.as_object().unwrap().iter().map(read).collect()
}

#[test]
fn every_expected_state_has_its_hash() {
    for (name, input, expected) in logs() {
        let log = Log::open(&input, &Options::default()).unwrap();
        assert_eq!(log.len() as u64, expected["deltas"].as_u64().unwrap(), "{name}");
        assert_eq!(log.header().game_name().unwrap(), expected["gameName"].as_str().unwrap());
        let mut timeline = Timeline::load(log, &Options::default()).unwrap();
        for (index, state) in expected["states"].as_object().unwrap() {
            timeline.seek(index.parse::<usize>().unwrap() + 1).unwrap();
            let canonical = timeline.state().canonical();
            assert_eq!(canonical.len() as u64, state["canonical_bytes"].as_u64().unwrap());
            assert_eq!(
                timeline.state().hash_hex(),
                state["sha256"].as_str().unwrap(),
                "{name} {index}"
            );
        }
    }
}

#[test]
fn every_corner_case_merges_as_expected() {
    let Some(folder) = corpus() else { return };
    let cases = json(folder.join("CORNER_CASES.json"));
    for case in cases["cases"].as_array().unwrap() {
        let text = case["deltas_json"].as_str().unwrap();
        let mut timeline = Timeline::empty(Markers::default()).unwrap();
        let raw = gametape_cadre::Raw::parse(text.as_bytes()).unwrap();
        let outcome: Result<(), _> =
            raw.elements().try_for_each(|game| timeline.push_game(game?.as_bytes()));
        let found = match outcome {
            Ok(()) => String::from_utf8(timeline.state().canonical()).unwrap(),
            Err(_) => "error".to_owned(),
        };
        assert_eq!(found, case["expect"].as_str().unwrap(), "{}", case["name"]);
    }
}

#[test]
fn the_summary_has_the_outcome_of_the_last_state() {
    for (name, input, expected) in logs() {
        let log = Log::open(&input, &Options::default()).unwrap();
        let timeline = Timeline::load(log, &Options::default()).unwrap();
        let outcome = Outcome::of(timeline.state(), timeline.log().header());
        let summary = Summary::read(&input, &Options::default()).unwrap();
        assert_eq!(*summary.outcome(), outcome, "{name}");
        assert_eq!(outcome.players.len(), 2, "{name}");
        assert_eq!(summary.delta_count() as u64, expected["deltas"].as_u64().unwrap());
        assert_eq!(summary.json_bytes() as u64, expected["json_bytes"].as_u64().unwrap());
    }
}

/// How many states of a log are compared.
const SAMPLES: usize = 20;

#[test]
fn stepping_to_the_end_and_back_passes_the_same_states() {
    for (name, input, _) in logs() {
        let log = Log::open(&input, &Options::default()).unwrap();
        let mut timeline = Timeline::load(log, &Options::default()).unwrap();
        let every = timeline.len() / SAMPLES + 1;
        let mut hashes = Vec::new();
        timeline.seek(0).unwrap();
        loop {
            if timeline.position().is_multiple_of(every) {
                hashes.push(timeline.state().hash());
            }
            if !timeline.step().unwrap() {
                break;
            }
        }
        loop {
            let position = timeline.position();
            if position.is_multiple_of(every) {
                assert_eq!(timeline.state().hash(), hashes[position / every], "{name} {position}");
            }
            if !timeline.step_back().unwrap() {
                break;
            }
        }
        assert_eq!(timeline.state().canonical(), b"{}");
    }
}

#[test]
fn logs_are_written_as_they_were_read() {
    for (name, input, expected) in logs() {
        let log = Log::open(&input, &Options::default()).unwrap();
        let json = log.to_json();
        assert_eq!(
            hex(&Sha256::digest(&json)),
            expected["json_sha256"].as_str().unwrap(),
            "{name}"
        );
        let again = Log::open(log.to_gzip(1).unwrap(), &Options::default()).unwrap();
        assert_eq!(again.to_json(), json);
    }
}

#[test]
fn a_live_game_has_the_states_of_its_log() {
    let Some(folder) = corpus() else { return };
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let mut stream = Vec::new();
    let packed = read("Coreminer-live3.spectator-stream.eot.gz");
    std::io::Read::read_to_end(&mut flate2::bufread::GzDecoder::new(&*packed), &mut stream)
        .unwrap();
    let input = read("Coreminer-live3-2026.11.15.19.58.38.174.json.gz");
    let log = Log::open(&input, &Options::default()).unwrap();
    let sent: Vec<_> = log
        .deltas()
        .filter(|delta| delta.game().is_some_and(|game| game.as_bytes() != b"{}"))
        .map(|delta| delta.raw().as_bytes().to_vec())
        .collect();
    assert_eq!(sent.len(), 586);

    let mut live = Live::new(&Options::default()).unwrap();
    let mut events = Vec::new();
    for piece in stream.chunks(977) {
        events.extend(live.receive(piece).unwrap());
    }
    assert_eq!(events.iter().filter(|event| matches!(event, LiveEvent::Delta(_))).count(), 586);
    assert!(events.contains(&LiveEvent::Lobbied));
    assert_eq!(live.pending(), 0);
    let received: Vec<_> =
        live.timeline().log().deltas().map(|delta| delta.raw().as_bytes().to_vec()).collect();
    assert_eq!(received, sent);

    let mut file = Timeline::load(log, &Options::default()).unwrap();
    assert_eq!(live.timeline().state().hash(), file.state().hash());
    file.seek(0).unwrap();
    live.timeline_mut().seek(0).unwrap();
    while file.step().unwrap() {
        let game = file.log().delta(file.position() - 1).unwrap().game().unwrap();
        if game.as_bytes() == b"{}" {
            continue;
        }
        assert!(live.timeline_mut().step().unwrap());
        if live.timeline().position().is_multiple_of(586 / SAMPLES) {
            assert_eq!(live.timeline().state().canonical(), file.state().canonical());
        }
    }
    let header = live.timeline().log().header();
    assert_eq!(header.game_session().unwrap(), "live3");
}

#[test]
fn real_logs_have_oddities_but_no_errors() {
    for (name, input, expected) in logs() {
        let log = Log::open(&input, &Options::default()).unwrap();
        let verdict = verify(&log, 100_000).unwrap();
        let is_stray = |rule, path: &str| rule == rules::STRAY_REMOVAL && !path.contains('.');
        let findings = verdict.report.findings().iter();
        let stray_at_the_top = findings.filter(|f| is_stray(f.rule, path_in_game(f))).count();
        assert!(verdict.report.is_sound(), "{name} {:?}", verdict.counts);
        assert_eq!(hex(&verdict.last_hash), expected["final"]["sha256"].as_str().unwrap());
        if name.starts_with("Pirates") {
            assert_eq!(stray_at_the_top, 21_378);
        }
        assert!(!verdict.counts.contains_key("unknown type"), "{name}");
    }
}

#[test]
fn a_difference_of_real_states_leads_from_one_to_the_other() {
    for (name, input, _) in logs() {
        let log = Log::open(&input, &Options::default()).unwrap();
        let mut timeline = Timeline::load(log, &Options::default()).unwrap();
        let markers = timeline.log().markers().clone();
        let last = timeline.snapshot();
        timeline.seek(timeline.len() / 3).unwrap();
        let forward = diff(timeline.state(), timeline.view(&last), &markers).unwrap();
        let back = diff(timeline.view(&last), timeline.state(), &markers).unwrap();
        let mut merged = Timeline::empty(markers.clone()).unwrap();
        let whole = diff(merged.state(), timeline.state(), &markers).unwrap();
        for delta in whole {
            merged.push_game(&delta).unwrap();
        }
        for (deltas, expected) in [(forward, timeline.view(&last)), (back, timeline.state())] {
            for delta in deltas {
                merged.push_game(&delta).unwrap();
            }
            assert_eq!(merged.state().canonical(), expected.canonical(), "{name}");
        }
    }
}

/// Canonical bytes to hash at most: of games that are longer, [`every_expected_state_has_its_hash`] has ten states.
const HASHED_BYTES: u64 = 120_000_000;

#[test]
fn all_states_of_a_log_have_the_expected_hash() {
    for (name, input, expected) in logs() {
        let per_state = expected["final"]["canonical_bytes"].as_u64().unwrap();
        if per_state * expected["deltas"].as_u64().unwrap() > HASHED_BYTES {
            continue;
        }
        let log = Log::open(&input, &Options::default()).unwrap();
        let mut timeline = Timeline::load(log, &Options::default()).unwrap();
        let mut all = Sha256::new();
        timeline.seek(0).unwrap();
        while timeline.step().unwrap() {
            all.update(timeline.state().hash());
        }
        assert_eq!(hex(&all.finalize()), expected["all_states_sha256"].as_str().unwrap(), "{name}");
    }
}
