//! What must hold for every log, however odd.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Plain, dump, game, games, timeline};
use gametape_cadre::{
    Live, Log, Markers, Options, Outcome, Summary, Timeline, diff, find, play, sample, verify,
};
use proptest::prelude::*;

/// A whole log around these bodies.
fn log_text(games: &[common::Json]) -> Vec<u8> {
    let delta = |game: &common::Json| format!(r#"{{"type":"ran","game":{}}}"#, game.text());
    let deltas: Vec<String> = games.iter().map(delta).collect();
    format!(r#"{{"gameName":"P","deltas":[{}],"winners":[]}}"#, deltas.join(",")).into_bytes()
}

/// A reader that gives a few bytes at a time.
struct Slowly<'a>(&'a [u8], usize);

impl std::io::Read for Slowly<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(self.0.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

/// Keys that a summary has to follow.
const OUTCOME_KEYS: &[&str] =
    &["gameObjects", "players", "0", "1", "won", "lost", "name", "id", "reasonWon"];

/// How deltas begin: as most do, and otherwise.
const DELTA_HEADS: &[&str] = &[
    r#"{"type":"ran","data":{"a":["}",{"game":{"players":0}}],"name":"\\\""},"#,
    r#"{"type":"finished","data":{},"#,
    r#"{"type":"a type of more than a word","data":{"player":{"id":"0"}},"#,
    r#"{"type":"over","#,
    r#"{ "#,
];

/// A body of a few fields that a summary has to distinguish.
fn fields_of_outcome() -> impl Strategy<Value = String> {
    let fields = [
        r#""gameObjects":{"0":{"won":true}}"#,
        r#""gameObjects":{"0":{"gold":7,"list":{"0":{"id":"won"},"&LEN":1}}}"#,
        r#""gameObjects":{"5":{"won":true},"1":{"lost":true,"reasonLost":"because"}}"#,
        r#""gameObjects":{"7":{"a":{"won":true}},"0":{"\u006eame":"Ann"}}"#,
        r#""gameObjects":{"01":{"won":true},"1":"&RM"}"#,
        r#""gameObjects":{"0":null}"#,
        r#""gameObjects":{"12":{"gold":1},"13":5}"#,
        r#""gameObjects":{"12":{"gold":1},"13":{"gold":2}}"#,
        r#""gameObjects":"&RM""#,
        r#""game\u004fbjects":{"1":{"won":true}}"#,
        r#""gameObjects":{}"#,
        r#""players":{"1":"&RM","&LEN":1}"#,
        r#""currentTurn":12"#,
        r#""name":"won""#,
        r#""units":{"0":{"id":"0"},"&LEN":1}"#,
    ];
    prop::collection::vec(prop::sample::select(fields.as_slice().to_vec()), 0..4)
        .prop_map(|fields| format!("{{{}}}", fields.join(",")))
}

fn first_of_outcome() -> impl Strategy<Value = String> {
    prop::sample::select(
        [
            r#"{"players":{"0":{"id":"0"},"1":{"id":"1"},"&LEN":2},"gameObjects":{"0":{"id":"0","won":false},"1":{"id":"1","won":false}}}"#,
            r#"{"gameObjects":{"1":{"id":"1","won":false}},"players":{"0":{"id":"0"},"1":{"id":"1"},"&LEN":2}}"#,
            r#"{"gameObjects":{"&LEN":0},"players":{"0":{"id":"x"},"&LEN":2}}"#,
            r#"{"players":{"0":{"id":"0"}},"gameObjects":{"0":{"gameObjectName":"Player"}}}"#,
            r#"{}"#,
        ]
        .as_slice(),
    )
    .prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn merging_is_what_the_specification_says(games in games()) {
        let mut plain = Plain::empty();
        let mut timeline = Timeline::empty(Markers::default()).unwrap();
        for game in &games {
            plain.merge(game);
            timeline.push_game(game.text().as_bytes()).unwrap();
            prop_assert_eq!(dump(timeline.state()), plain.dump(), "{}", game.text());
        }
    }

    #[test]
    fn stepping_back_restores_every_state(games in games()) {
        let mut timeline = Timeline::empty(Markers::default()).unwrap();
        let mut dumps = vec![dump(timeline.state())];
        for game in &games {
            timeline.push_game(game.text().as_bytes()).unwrap();
            dumps.push(dump(timeline.state()));
        }
        for expected in dumps.iter().rev().skip(1) {
            prop_assert!(timeline.step_back().unwrap());
            prop_assert_eq!(&dump(timeline.state()), expected);
        }
        prop_assert!(!timeline.step_back().unwrap());
        for expected in &dumps[1..] {
            prop_assert!(timeline.step().unwrap());
            prop_assert_eq!(&dump(timeline.state()), expected);
        }
    }

    #[test]
    fn a_difference_merged_gives_the_other_state(a in games(), b in games()) {
        let (mut a, b) = (timeline(&a), timeline(&b));
        let deltas = diff(a.state(), b.state(), &Markers::default()).unwrap();
        prop_assert!(deltas.len() <= 3);
        for delta in &deltas {
            a.push_game(delta).unwrap();
        }
        let shown: Vec<_> = deltas.iter().map(|delta| String::from_utf8_lossy(delta)).collect();
        prop_assert_eq!(dump(a.state()), dump(b.state()), "{:?}", shown);
        prop_assert!(diff(a.state(), b.state(), &Markers::default()).unwrap().is_empty());
    }

    #[test]
    fn a_log_is_written_as_it_was_read(games in games(), step in 1usize..50) {
        let text = log_text(&games);
        let log = Log::open(&text, &Options::default()).unwrap();
        prop_assert_eq!(log.to_json(), text.clone());
        let packed = log.to_gzip(6).unwrap();
        let again = Log::read(Slowly(&packed, step), &Options::default()).unwrap();
        prop_assert_eq!(again.to_json(), text);
    }

    #[test]
    fn a_cut_log_is_an_error_and_never_a_panic(games in games(), at in any::<prop::sample::Index>()) {
        let text = log_text(&games);
        let packed = Log::open(&text, &Options::default()).unwrap().to_gzip(6).unwrap();
        for whole in [&text, &packed] {
            let cut = &whole[..at.index(whole.len())];
            prop_assert!(Log::open(cut, &Options::default()).is_err());
            prop_assert!(Summary::read(cut, &Options::default()).is_err());
        }
    }

    #[test]
    fn live_messages_may_be_cut_anywhere(games in games(), sizes in prop::collection::vec(1usize..40, 1..20)) {
        let mut stream = b"{\"event\":\"named\",\"data\":\"P\"}\x04".to_vec();
        for game in &games {
            let message = format!(r#"{{"event":"meta-delta","data":{{"type":"ran","game":{}}}}}"#, game.text());
            stream.extend_from_slice(message.as_bytes());
            stream.push(0x04);
        }
        let mut live = Live::new(&Options::default()).unwrap();
        let mut rest = &stream[..];
        for size in sizes.iter().cycle() {
            let (now, later) = rest.split_at((*size).min(rest.len()));
            live.receive(now).unwrap();
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(live.pending(), 0);
        prop_assert_eq!(live.timeline().len(), games.len());
        prop_assert_eq!(dump(live.timeline().state()), dump(timeline(&games).state()));
    }

    #[test]
    fn a_summary_has_the_outcome_of_the_last_state(
        first in first_of_outcome(),
        games in prop::collection::vec(prop_oneof![game(OUTCOME_KEYS).prop_map(|game| game.text()), fields_of_outcome()], 0..6),
        head in prop::sample::select(DELTA_HEADS),
    ) {
        let mut deltas = vec![format!(r#"{{"type":"start","game":{first}}}"#)];
        deltas.extend(games.iter().map(|game| format!(r#"{head}"game":{game}}}"#)));
        let text = format!(r#"{{"deltas":[{}],"winners":[{{"id":"0"}}]}}"#, deltas.join(","));
        let log = Log::open(text.as_bytes(), &Options::default()).unwrap();
        let timeline = Timeline::load(log, &Options::default()).unwrap();
        let outcome = Outcome::of(timeline.state(), timeline.log().header());
        let summary = Summary::read(text.as_bytes(), &Options::default()).unwrap();
        prop_assert_eq!(summary.outcome(), &outcome, "{}", text);
        prop_assert_eq!(summary.delta_count(), deltas.len());
    }

    #[test]
    fn looking_on_does_not_change_the_states(games in games()) {
        let log = Log::open(log_text(&games), &Options::default()).unwrap();
        let last = timeline(&games).state().hash();
        prop_assert_eq!(verify(&log, 9).unwrap().last_hash, last);
        prop_assert_eq!(play(&log).unwrap().filter(Result::is_ok).count(), games.len());
        let query = gametape_cadre::Query::new("*").unwrap();
        for change in find(&log, query).unwrap() {
            let change = change.unwrap();
            prop_assert_ne!(change.before, change.after);
        }
    }

    #[test]
    fn the_changes_of_a_position_are_those_that_finding_gives(games in games()) {
        let mut timeline = timeline(&games);
        let query = gametape_cadre::Query::new("*").unwrap();
        let log = Log::open(log_text(&games), &Options::default()).unwrap();
        let found: Vec<_> = find(&log, query).unwrap().map(Result::unwrap).collect();
        for position in (0..=games.len()).rev() {
            timeline.seek(position).unwrap();
            let before = timeline.state().hash();
            let changes = timeline.changes().unwrap();
            prop_assert_eq!((timeline.position(), timeline.state().hash()), (position, before));
            let expected = found.iter().filter(|change| change.delta + 1 == position);
            prop_assert!(changes.iter().eq(expected), "{:?}", changes);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[\\[\\]{}:,\"\\\\ a-c0-9.eE+-]{0,60}") {
        let _ = Log::open(text.as_bytes(), &Options::default());
        let mut timeline = Timeline::empty(Markers::default()).unwrap();
        let before = timeline.state().canonical();
        if timeline.push_game(text.as_bytes()).is_err() {
            prop_assert_eq!(timeline.state().canonical(), before);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_way_to_a_position_leads_to_the_same_state(
        seed in any::<u64>(),
        targets in prop::collection::vec(0usize..=600, 1..30),
        keyframe_bytes in prop::sample::select([0usize, 100_000, 64 << 20].as_slice()),
    ) {
        let options = Options::default().with_keyframe_bytes(keyframe_bytes);
        let log = Log::open(sample::log(600, seed), &options).unwrap();
        let mut linear = Timeline::load(log.clone(), &options).unwrap();
        linear.seek(0).unwrap();
        let mut hashes = vec![linear.state().hash()];
        while linear.step().unwrap() {
            hashes.push(linear.state().hash());
        }
        let mut timeline = Timeline::load(log, &options).unwrap();
        for target in targets {
            timeline.seek(target).unwrap();
            prop_assert_eq!(timeline.state().hash(), hashes[target]);
            if timeline.step_back().unwrap() {
                prop_assert_eq!(timeline.state().hash(), hashes[target - 1]);
            }
        }
    }
    #[test]
    fn a_timeline_that_grew_in_pieces_is_one_that_was_opened_whole(
        seed in any::<u64>(),
        pieces in prop::collection::vec((0usize..60, 0usize..=160, any::<bool>()), 1..12),
        keyframe_bytes in prop::sample::select([0usize, 64 << 20].as_slice()),
    ) {
        let options = Options::default().with_keyframe_bytes(keyframe_bytes);
        let log = Log::open(sample::log(160, seed), &options).unwrap();
        let mut whole = Timeline::load(log.clone(), &options).unwrap();
        whole.seek(0).unwrap();
        let mut hashes = vec![whole.state().hash()];
        while whole.step().unwrap() {
            hashes.push(whole.state().hash());
        }
        let empty = Log::new(log.markers().clone(), &options);
        let mut grown = Timeline::load(empty, &options).unwrap();
        let mut deltas = log.deltas();
        let rest = (log.len(), 0, false);
        for (count, target, back) in pieces.into_iter().chain([rest]) {
            let (position, length) = (grown.position(), grown.len());
            for delta in deltas.by_ref().take(count) {
                grown.push(delta.raw().as_bytes()).unwrap();
                for bad in [&b"{\"game\":{\"x\":{\"&LEN\":-1}}}"[..], b"{"] {
                    let refused = grown.push(bad);
                    prop_assert!(refused.is_err());
                }
            }
            let expected = if position == length { grown.len() } else { position };
            prop_assert_eq!(grown.position(), expected);
            prop_assert_eq!(grown.state().hash(), hashes[expected]);
            let target = target.min(grown.len());
            grown.seek(target).unwrap();
            prop_assert_eq!(grown.state().hash(), hashes[target]);
            if back && grown.step_back().unwrap() {
                prop_assert_eq!(grown.state().hash(), hashes[target - 1]);
            }
        }
        prop_assert_eq!(grown.turns(), whole.turns());
        prop_assert_eq!(grown.len(), whole.len());
        for position in (0..=grown.len()).step_by(37).chain([grown.len()]) {
            grown.seek(position).unwrap();
            prop_assert_eq!(grown.state().hash(), hashes[position]);
        }
    }
}
