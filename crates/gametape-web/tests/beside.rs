//! Several views together, two sessions side by side, clips, and what can be followed.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use gametape_minewars::Generation;
use gametape_minewars::sample::Sample;
use gametape_minewars::{WriteOptions, write_file};
use gametape_skirmish::{Config, Match, Style, metadata, record_match};
use gametape_web::{Answered, Session};
use gametape_wire::Tick;
use serde_json::{Value, json};

struct Page(Session, Vec<u8>);

impl Page {
    fn new(name: &str, file: &[u8]) -> Self {
        let mut page = Self(Session::new(name, file.len() as u64), file.to_vec());
        page.ask(&json!({"do": "open"}));
        page
    }

    fn ask(&mut self, request: &Value) -> Value {
        for _ in 0..100 {
            if let Answered::Ready(json) = self.0.call(&request.to_string()).unwrap() {
                return serde_json::from_str(&json).unwrap();
            }
            for range in self.0.missing() {
                let bytes = &self.1[range.start as usize..range.end as usize];
                self.0.supply(range.start, bytes);
            }
        }
        panic!("{request} is never answered");
    }

    fn seen_as(name: &str, file: &[u8], view: &Value) -> Self {
        let mut page = Self::new(name, file);
        page.ask(&json!({"do": "view", "view": view}));
        page
    }

    /// What is known of a tile, by name.
    fn tile(&mut self, at: [i32; 2], name: &str) -> Option<Value> {
        let card = self.ask(&json!({"do": "inspect", "tile": at}));
        let values = card["values"].as_array()?;
        values.iter().find(|value| value["name"] == name).map(|value| value["value"].clone())
    }
}

fn skirmish() -> Vec<u8> {
    let config = Config::new(3, 12, 2);
    let mut game = Match::new(config.clone(), &Style::ALL, Generation::Current).unwrap();
    record_match(&mut game, &metadata(&config, Generation::Current), 7, Tick(1500)).unwrap()
}

fn tiles() -> impl Iterator<Item = [i32; 2]> {
    (-12..=12).step_by(2).flat_map(|x| (-12..=12).step_by(2).map(move |y| [x, y]))
}

#[test]
fn together_views_know_what_any_of_them_knows_and_no_more() {
    let file = skirmish();
    let both = json!([1, 2]);
    let mut pages: Vec<Page> = [json!(1), json!(2), both.clone(), json!(0)]
        .iter()
        .map(|view| Page::seen_as("a.tape", &file, view))
        .collect();
    let [ana, ben, union, all] = &mut pages[..] else { panic!() };
    assert_eq!(union.ask(&json!({"do": "view", "view": both}))["seen"], json!([1, 2]));
    for page in [&mut *ana, &mut *ben, &mut *union, &mut *all] {
        page.ask(&json!({"do": "seek", "to": 1200}));
    }
    let (mut seen_by_one, mut better) = (0, 0);
    for at in tiles() {
        let sights = [&mut *ana, &mut *ben, &mut *union].map(|page| page.tile(at, "sight"));
        let [by_ana, by_ben, by_both] = sights;
        // A tile that is seen has no `sight`.
        assert_eq!(by_both.is_none(), by_ana.is_none() || by_ben.is_none(), "{at:?}");
        if by_both.is_none() {
            seen_by_one += 1;
            better += usize::from(by_ana.is_some());
            for name in ["owner", "structure"] {
                assert_eq!(union.tile(at, name), all.tile(at, name), "{at:?} {name}");
            }
        }
    }
    assert!(seen_by_one > 10 && better > 2, "{seen_by_one} {better}");
    let values = |page: &mut Page, player: usize| {
        let shown = page.ask(&json!({"do": "seek", "to": 1200}));
        let values = shown["players"][player]["values"].as_array().unwrap().clone();
        values
            .into_iter()
            .find(|value| value["name"] == "money")
            .map(|value| value["value"].clone())
    };
    for (page, player) in [(&mut *ana, 0), (&mut *ben, 1)] {
        let own = values(page, player);
        assert!(own.is_some());
        assert_eq!(values(union, player), own, "each player as by themselves");
    }
    assert_eq!(union.ask(&json!({"do": "hash"}))["hash"], Value::Null);
    // Lines, steps and the story are those of both.
    let steps = |page: &mut Page| {
        let (mut at, mut moments, mut lines) = (1000, Vec::new(), Vec::new());
        while at < 1040 {
            let step = json!({"do": "step", "from": at, "forward": true, "by": "change"});
            let shown = page.ask(&step);
            at = shown["moment"].as_u64().unwrap();
            moments.push(at);
            lines.extend(shown["lines"].as_array().unwrap().iter().map(|line| (at, line.clone())));
        }
        moments.retain(|moment| *moment < 1040);
        lines.retain(|(moment, _)| *moment < 1040);
        (moments, lines)
    };
    let (mut apart, mut lines_apart) = steps(ana);
    let (of_ben, lines_of_ben) = steps(ben);
    apart.extend(of_ben);
    apart.sort_unstable();
    apart.dedup();
    lines_apart.extend(lines_of_ben);
    let (moments, lines) = steps(union);
    assert_eq!(moments, apart);
    assert!(lines.iter().all(|line| lines_apart.contains(line)));
    assert!(lines_apart.iter().all(|line| lines.contains(line)));
    let curves = union.ask(&json!({"do": "story"}))["curves"].as_array().unwrap().clone();
    assert!(!curves.is_empty());
    for curve in curves {
        for player in curve["players"].as_array().unwrap() {
            assert_ne!(player["player"], 3, "of the third player nobody knows");
        }
    }
}

#[test]
fn the_all_seeing_view_is_alone_and_a_missing_one_is_refused() {
    let mut page = Page::new("a.tape", &skirmish());
    assert_eq!(page.ask(&json!({"do": "view", "view": [2, 0]}))["seen"], json!([0]));
    assert_eq!(page.ask(&json!({"do": "view", "view": [3, 1]}))["seen"], json!([1, 3]));
    let refused = page.0.call(r#"{"do":"view","view":[1,9]}"#).unwrap_err();
    assert!(refused.contains("view"), "{refused}");
    assert_eq!(page.ask(&json!({"do": "open"}))["seen"], json!([1, 3]));
}

#[test]
fn two_sessions_mark_the_tiles_on_which_they_differ() {
    let file = skirmish();
    let mut one = Page::seen_as("a.tape", &file, &json!(1));
    let mut other = Page::seen_as("a.tape", &file, &json!(2));
    let draw = json!({"do": "draw", "width": 400, "height": 400, "scale": 16.0, "x": 0, "y": 0, "differences": true});
    one.ask(&json!({"do": "seek", "to": 1200}));
    one.ask(&draw);
    let plain = one.0.pixels().to_vec();
    let own = one.0.looks().unwrap();
    assert_eq!(one.0.compare(&own), Ok(0));
    one.ask(&draw);
    assert!(one.0.pixels() == plain, "nothing is marked");
    other.ask(&json!({"do": "seek", "to": 1200}));
    let looks = other.0.looks().unwrap();
    let found = one.0.compare(&looks).unwrap();
    assert!(found > 0);
    assert_eq!(other.0.compare(&own), Ok(found), "the same from either side");
    one.ask(&draw);
    assert!(one.0.pixels() != plain, "they are marked");
    // Half a look, and nonsense, are no reason to fail.
    one.0.compare(&looks[..13]).unwrap();
    one.0.compare(&[255; 24]).unwrap();
}

/// A clip, opened.
fn clip(page: &mut Page, from: u64, to: u64) -> Page {
    let made = page.ask(&json!({"do": "clip", "from": from, "to": to}));
    let file = page.0.take_file();
    assert_eq!(made["bytes"], file.len());
    assert!(page.0.take_file().is_empty(), "it is given once");
    Page::new("clip.tape", &file)
}

#[test]
fn a_clip_is_a_tape_that_shows_the_same() {
    let file = skirmish();
    for view in [json!(0), json!(2), json!([1, 3])] {
        let mut page = Page::seen_as("a.tape", &file, &view);
        let mut part = clip(&mut page, 600, 900);
        let about = part.ask(&json!({"do": "view", "view": view}));
        assert_eq!(about["format"], "tape");
        // It ends with the last thing that happens in it.
        assert!((850..=900).contains(&about["end"].as_u64().unwrap()));
        let views = about["views"].as_array().unwrap().len();
        assert_eq!(views, if view == 0 { 4 } else { view.as_array().map_or(1, Vec::len) });
        for moment in [600, 700, 850] {
            let seek = json!({"do": "seek", "to": moment});
            let (whole, cut) = (page.ask(&seek), part.ask(&seek));
            assert_eq!(whole["players"], cut["players"], "{view} {moment}");
            assert_eq!(page.0.looks(), part.0.looks(), "{view} {moment}");
        }
        assert!(part.1.len() < file.len());
    }
}

#[test]
fn a_clip_of_any_format_is_a_tape() {
    let (setup, frames) = Sample::default().build(Generation::Current).unwrap();
    let minewars = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let mut page = Page::new("a.minewars", &minewars);
    let end = page.ask(&json!({"do": "open"}))["end"].as_u64().unwrap();
    let mut part = clip(&mut page, end / 2, end);
    assert_eq!(part.ask(&json!({"do": "open"}))["format"], "tape");
    page.ask(&json!({"do": "seek", "to": end}));
    let last = part.ask(&json!({"do": "open"}))["end"].as_u64().unwrap();
    part.ask(&json!({"do": "seek", "to": last}));
    assert_eq!(page.0.looks(), part.0.looks());

    let log = gametape_cadre::sample::log(60, 1);
    let mut page = Page::new("a.json", &log);
    let mut part = clip(&mut page, 10, 40);
    let about = part.ask(&json!({"do": "open"}));
    assert_eq!((&about["is_gamelog"], &about["end"]), (&json!(true), &json!(40)));
    for moment in [12, 39] {
        let seek = json!({"do": "seek", "to": moment});
        assert_eq!(page.ask(&seek)["players"], part.ask(&seek)["players"], "{moment}");
    }
}

#[test]
fn a_city_stays_and_a_camera_moves() {
    let file = skirmish();
    let mut page = Page::new("a.tape", &file);
    let at = |page: &mut Page, moment: u64, follow: Value| {
        page.ask(&json!({"do": "seek", "to": moment, "follow": follow}))["follow"].clone()
    };
    let city = at(&mut page, 10, json!({"piece": "city 1"}));
    assert!(city.is_array(), "{city}");
    assert_eq!(at(&mut page, 1200, json!({"piece": "city 1"})), city);
    assert_eq!(at(&mut page, 10, json!({"piece": "nobody"})), Value::Null);
    let cameras = page.ask(&json!({"do": "open"}))["cameras"].clone();
    if cameras.as_array().unwrap().is_empty() {
        return;
    }
    let places: std::collections::BTreeSet<String> = (100..1400)
        .step_by(100)
        .map(|moment| at(&mut page, moment, json!({"camera": 1})).to_string())
        .collect();
    assert!(places.len() > 2, "{places:?}");
    // Nobody but player 2 knows where player 2 looks.
    page.ask(&json!({"do": "view", "view": 1}));
    assert_eq!(page.ask(&json!({"do": "open"}))["cameras"], json!([1]));
    assert_eq!(at(&mut page, 1200, json!({"camera": 2})), Value::Null);
}
