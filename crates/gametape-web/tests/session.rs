//! Sessions as the page uses them: JSON in, JSON out, bytes supplied when they are missing.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::{Path, PathBuf};

use gametape_minewars::Generation;
use gametape_minewars::sample::Sample;
use gametape_minewars::{WriteOptions, write_file};
use gametape_web::{Answered, Session};
use gametape_wire::Tick;
use serde_json::{Value, json};

/// A page with a file: it counts what it is asked for.
struct Page {
    session: Session,
    file: Vec<u8>,
    requests: usize,
    bytes: u64,
}

impl Page {
    fn new(name: &str, file: Vec<u8>) -> Self {
        let session = Session::new(name, file.len() as u64);
        Self { session, file, requests: 0, bytes: 0 }
    }

    fn try_ask(&mut self, request: &Value) -> Result<Value, String> {
        for _ in 0..100 {
            if let Answered::Ready(json) = self.session.call(&request.to_string())? {
                return Ok(serde_json::from_str(&json).unwrap());
            }
            for range in self.session.missing() {
                self.requests += 1;
                self.bytes += range.end - range.start;
                let bytes = &self.file[range.start as usize..range.end as usize];
                self.session.supply(range.start, bytes);
            }
        }
        panic!("{request} is never answered");
    }

    fn ask(&mut self, request: &Value) -> Value {
        self.try_ask(request).unwrap()
    }
}

fn minewars() -> Vec<u8> {
    let (setup, frames) = Sample::default().build(Generation::Current).unwrap();
    write_file(&setup, &frames, &WriteOptions::default()).unwrap()
}

fn gamelog() -> Vec<u8> {
    gametape_cadre::sample::log(60, 1)
}

#[test]
fn a_recording_says_what_it_is() {
    let about = Page::new("a.minewars", minewars()).ask(&json!({"do": "open"}));
    assert_eq!(about["format"], "minewars");
    assert_eq!(about["views"][0]["name"], "All");
    assert_eq!(about["position"], 1);
    assert!(about["end"].as_u64().unwrap() > 1 && about["has_board"].as_bool().unwrap());
    let about = Page::new("a.json", gamelog()).ask(&json!({"do": "open"}));
    assert_eq!(about["format"], "gamelog");
    assert!(about["view"].is_null() && about["has_tree"].as_bool().unwrap());
    assert_eq!(about["length_text"], "60 deltas");
}

#[test]
fn what_cannot_be_answered_is_a_sentence() {
    let mut page = Page::new("a.minewars", minewars());
    let refused = |page: &mut Page, request: Value| page.try_ask(&request).unwrap_err();
    assert!(refused(&mut page, json!({"do": "seek", "to": 1})).contains("not open"));
    page.ask(&json!({"do": "open"}));
    assert!(refused(&mut page, json!({"do": "dance"})).starts_with("not a request"));
    assert!(refused(&mut page, json!({"do": "find", "text": "noon"})).contains("noon"));
    assert!(refused(&mut page, json!({"do": "view", "view": 15})).contains("15"));
    assert!(
        refused(&mut page, json!({"do": "tree", "open": [], "first": 0, "count": 1}))
            .contains("has none")
    );
    let mut nothing = Page::new("zeros", vec![0; 200_000]);
    assert!(refused(&mut nothing, json!({"do": "open"})).contains("neither a tape"));
    assert!(refused(&mut Page::new("empty", Vec::new()), json!({"do": "open"})).contains("empty"));
}

#[test]
fn steps_forward_and_back_pass_the_same_moments() {
    for (name, file) in [("a.minewars", minewars()), ("a.json", gamelog())] {
        let mut page = Page::new(name, file);
        page.ask(&json!({"do": "open"}));
        let mut passed = vec![];
        let mut shown = page.ask(&json!({"do": "seek", "to": 0}));
        assert!(shown["at_begin"].as_bool().unwrap());
        for _ in 0..20 {
            let hash = page.ask(&json!({"do": "hash"}));
            passed.push((shown["moment"].as_u64().unwrap(), hash));
            let step =
                json!({"do": "step", "from": shown["moment"], "forward": true, "by": "change"});
            shown = page.ask(&step);
        }
        for (moment, hash) in passed.iter().rev() {
            let step =
                json!({"do": "step", "from": shown["moment"], "forward": false, "by": "change"});
            shown = page.ask(&step);
            assert_eq!(shown["moment"], *moment, "{name}");
            assert_eq!(page.ask(&json!({"do": "hash"})), *hash, "{name}");
        }
    }
}

#[test]
fn turns_are_stepped_to() {
    let mut page = Page::new("a.json", gamelog());
    page.ask(&json!({"do": "open"}));
    let turn = page.ask(&json!({"do": "find", "text": "turn:1"}))["moment"].clone();
    let shown = page.ask(&json!({"do": "step", "from": turn, "forward": true, "by": "turn"}));
    assert!(shown["moment"].as_u64() > turn.as_u64());
    let back =
        page.ask(&json!({"do": "step", "from": shown["moment"], "forward": false, "by": "turn"}));
    assert!(back["moment"].as_u64() < shown["moment"].as_u64());
}

#[test]
fn the_board_is_drawn_and_tiles_are_found_in_it() {
    let mut page = Page::new("a.minewars", minewars());
    let about = page.ask(&json!({"do": "open"}));
    let (wide, high) =
        (about["board"]["width"].as_f64().unwrap(), about["board"]["height"].as_f64().unwrap());
    let (width, height) = ((wide * 10.0) as u32, (high * 10.0) as u32);
    let camera =
        json!({"do": "draw", "width": width, "height": height, "scale": 10.0, "x": 0.0, "y": 0.0});
    assert_eq!(page.ask(&camera), json!({"drawn": true}));
    assert_eq!(page.session.pixels().len(), (width * height * 4) as usize);
    let colours: std::collections::HashSet<&[u8]> = page.session.pixels().chunks(4).collect();
    assert!(colours.len() > 3, "something is on it");
    let pick =
        json!({"do": "pick", "px": width / 2, "py": height / 2, "scale": 10.0, "x": 0.0, "y": 0.0});
    let tile = page.ask(&pick)["tile"].clone();
    assert_eq!(tile, json!([0, 0]));
    let inspected = page.ask(&json!({"do": "inspect", "tile": tile}));
    assert!(!inspected["values"].as_array().unwrap().is_empty());
    let outside = json!({"do": "pick", "px": -50, "py": -50, "scale": 10.0, "x": 0.0, "y": 0.0});
    assert!(page.ask(&outside)["tile"].is_null());
    // Whatever somebody asks for, nothing breaks and nothing large is made.
    for odd in [
        json!({"width": 0, "height": 5}),
        json!({"width": 4_000_000_000u32, "height": 4_000_000_000u32}),
    ] {
        let mut camera = camera.clone();
        (camera["width"], camera["height"]) = (odd["width"].clone(), odd["height"].clone());
        assert_eq!(page.ask(&camera), json!({"drawn": false}));
    }
}

#[test]
fn a_history_names_the_moment_at_which_a_tile_changed() {
    let mut page = Page::new("a.minewars", minewars());
    let about = page.ask(&json!({"do": "open"}));
    let end = about["end"].as_u64().unwrap();
    let tiles: Vec<Value> = (-3..=3).flat_map(|x| (-3..=3).map(move |y| json!([x, y]))).collect();
    let mut seen = 0;
    for tile in tiles {
        let look = |page: &mut Page, moment: u64| {
            page.ask(&json!({"do": "seek", "to": moment}));
            page.ask(&json!({"do": "inspect", "tile": tile}))
        };
        let changes = page.ask(&json!({"do": "history", "tile": tile}))["changes"].clone();
        for change in changes.as_array().unwrap() {
            let moment = change["moment"].as_u64().unwrap();
            assert!(moment <= end && !change["text"].as_str().unwrap().is_empty());
            assert_ne!(look(&mut page, moment), look(&mut page, moment - 1), "{tile} at {moment}");
            seen += 1;
        }
    }
    assert!(seen > 5, "{seen} changes");
}

#[test]
fn lines_since_a_moment_are_those_of_all_steps() {
    let mut page = Page::new("a.json", gamelog());
    page.ask(&json!({"do": "open"}));
    let mut one_by_one = Vec::new();
    for moment in 11..=20 {
        let shown = page.ask(&json!({"do": "seek", "to": moment}));
        one_by_one.extend(shown["lines"].as_array().unwrap().clone());
    }
    let at_once = page.ask(&json!({"do": "seek", "to": 20, "since": 10}));
    assert_eq!(at_once["lines"], Value::Array(one_by_one));
}

#[test]
fn the_tree_opens_where_it_is_asked_to() {
    let mut page = Page::new("a.json", gamelog());
    page.ask(&json!({"do": "open"}));
    let tree = |page: &mut Page, open: &[&str]| {
        page.ask(&json!({"do": "tree", "open": open, "first": 0, "count": 500}))
    };
    let closed = tree(&mut page, &[]);
    let opened = tree(&mut page, &["gameObjects"]);
    assert!(opened["total"].as_u64() > closed["total"].as_u64());
    let rows = opened["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["depth"] == 1));
    let found = page.ask(&json!({"do": "search", "text": "GAMEOBJECTS"}));
    assert!(found["found"].as_array().unwrap().iter().any(|found| found["path"] == "gameObjects"));
}

/// A match of two players, and the same cut to the view of the first.
fn whole_and_cut() -> (Vec<u8>, Vec<u8>) {
    use gametape_replay::cut::{CutRequest, cut_tape};
    use gametape_skirmish::{Config, Match, Style, metadata, record_match};
    let config = Config::new(2, 12, 2);
    let mut game = Match::new(config.clone(), &Style::ALL, Generation::Current).unwrap();
    let metadata = metadata(&config, Generation::Current);
    let whole = record_match(&mut game, &metadata, 7, Tick(1500)).unwrap();
    let tape = gametape_tape::Tape::open(&whole).unwrap();
    let views = gametape_wire::ViewSet::EMPTY.with(gametape_wire::View::new(1).unwrap());
    let mut cut = Vec::new();
    let request = CutRequest::default().with_views(views);
    let _ = cut_tape(&mut &whole[..], &tape, &request, &mut |bytes| {
        cut.extend_from_slice(bytes);
        Ok(())
    })
    .unwrap();
    (whole, cut)
}

#[test]
fn a_seat_is_shown_what_a_tape_of_that_seat_alone_holds() {
    let (whole, cut) = whole_and_cut();
    let mut pages = [Page::new("a.tape", whole), Page::new("a.tape", cut)];
    for page in &mut pages {
        page.ask(&json!({"do": "open"}));
        page.ask(&json!({"do": "view", "view": 1}));
    }
    let mut same = |request: Value| {
        let [whole, cut] = &mut pages;
        let (shown, alone) = (whole.ask(&request), cut.ask(&request));
        assert_eq!(shown, alone, "{request}");
        shown
    };
    let mut lines = 0;
    for moment in (1..1500).step_by(37) {
        let shown = same(json!({"do": "seek", "to": moment, "since": moment - 1}));
        lines += shown["lines"].as_array().unwrap().len();
        same(json!({"do": "messages"}));
        for tile in [[0, 0], [3, -2], [-5, 5], [8, 0]] {
            same(json!({"do": "inspect", "tile": tile}));
        }
    }
    assert!(lines > 10, "{lines} lines say something");
    let mut story = same(json!({"do": "story"}));
    while story["reported"].as_f64().unwrap() < 1.0 {
        story = same(json!({"do": "story"}));
    }
    assert!(story["markers"].as_array().unwrap().len() > 20);
    same(json!({"do": "lines", "until": 900, "count": 50}));
    assert!(!story["curves"].as_array().unwrap().is_empty());
    assert!(story["highlights"].as_array().unwrap().is_empty());
    same(json!({"do": "history", "tile": [3, -2]}));
    same(json!({"do": "search", "text": "a"}));
    for kind in ["deaths", "fights", "ownership", "attention"] {
        let mut same = |request: &Value| pages.each_mut().map(|page| page.ask(request));
        let heat = json!({"kind": kind, "from": 100, "to": 1500});
        let mut draw =
            json!({"do": "draw", "width": 300, "height": 300, "scale": 12.0, "x": 0, "y": 0});
        same(&draw);
        let plain = pages.each_ref().map(|page| page.session.pixels().to_vec());
        draw["heat"] = heat;
        let [whole, cut] = &mut pages;
        let drawn = whole.ask(&draw);
        assert_eq!(drawn, cut.ask(&draw), "{kind}");
        let warm = pages.each_ref().map(|page| page.session.pixels().to_vec());
        assert!(warm[0] == warm[1] && plain[0] == plain[1], "{kind}");
        assert!(warm[0] != plain[0]);
        assert_eq!(drawn["heat"]["colours"].as_array().unwrap().len(), 5);
    }
}

#[test]
fn the_all_seeing_view_counts_what_the_events_of_a_match_say() {
    let (whole, _) = whole_and_cut();
    let mut page = Page::new("a.tape", whole);
    let about = page.ask(&json!({"do": "open"}));
    assert_eq!(about["heats"], json!(["deaths", "fights", "ownership", "attention"]));
    let mut high = |kind: &str, from: u64, to: u64| {
        let heat = json!({"kind": kind, "from": from, "to": to});
        let drawn = page.ask(&json!({"do": "draw", "width": 100, "height": 100, "scale": 4.0,
            "x": 0, "y": 0, "heat": heat}));
        drawn["heat"]["high"].as_str().unwrap().to_owned()
    };
    let number = |text: &str| text.split(' ').next().unwrap().parse::<f64>().unwrap_or(0.0);
    assert!(high("attention", 0, 1500).ends_with("% of the looks"));
    assert!(number(&high("ownership", 1, 1500)) > 50.0);
    assert_eq!(high("deaths", 5, 5), "");
    assert_eq!(high("ownership", 1400, 1500), "100 % of the time");
    let mut seat = Page::new("a.tape", page.file.clone());
    seat.ask(&json!({"do": "open"}));
    let about = seat.ask(&json!({"do": "view", "view": 2}));
    assert_eq!(about["heats"], json!(["deaths", "fights", "ownership", "attention"]));
}

#[test]
fn stories_of_files_without_events_are_told_whole() {
    for file in [minewars(), gamelog()] {
        let mut page = Page::new("a", file);
        let about = page.ask(&json!({"do": "open"}));
        let (mut story, mut asked) = (page.ask(&json!({"do": "story"})), 1);
        while story["reported"].as_f64().unwrap() < 1.0 {
            story = page.ask(&json!({"do": "story"}));
            asked += 1;
            assert!(asked < 1000);
        }
        let reported = page.ask(&json!({"do": "lines", "until": about["end"], "count": 200}));
        let lines = reported["lines"].as_array().unwrap();
        let markers = story["markers"].as_array().unwrap();
        assert!(markers.len() > 5 && lines.len() == markers.len().min(200));
        // The same as what is said on the way.
        let mut moment = 0;
        for line in lines.iter().take(40) {
            let seen = page.ask(&json!({"do": "seek", "to": line["moment"]}));
            assert!(seen["lines"].as_array().unwrap().contains(&line["line"]), "{line}");
            assert!(line["moment"].as_u64().unwrap() >= moment);
            moment = line["moment"].as_u64().unwrap();
        }
        let word = markers[0]["text"].as_str().unwrap().split(' ').next_back().unwrap().to_owned();
        let found = page.ask(&json!({"do": "search", "text": word}));
        assert!(found["found"].as_array().unwrap().iter().any(|found| !found["moment"].is_null()));
    }
}

#[test]
fn a_tape_is_opened_and_sought_with_few_requests() {
    let (whole, _) = whole_and_cut();
    let mut page = Page::new("a.tape", whole);
    page.ask(&json!({"do": "open"}));
    page.ask(&json!({"do": "seek", "to": 700}));
    assert!(page.requests <= 4, "{} requests", page.requests);
}

/// The recordings of the corpus; none where there is none.
fn corpus() -> Vec<PathBuf> {
    let Some(root) = std::env::var_os("GAMETAPE_CORPUS") else {
        println!("skipped: GAMETAPE_CORPUS is not set");
        return Vec::new();
    };
    let folders = ["minewars/current", "minewars/v0.1", "cadre"];
    let files =
        folders.iter().flat_map(|folder| std::fs::read_dir(Path::new(&root).join(folder)).unwrap());
    let files = files.map(|entry| entry.unwrap().path());
    let is_recording = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.ends_with(".minewars") || (name.ends_with(".json.gz") && !name.contains("asm"))
    };
    files.filter(is_recording).filter(|path| path.metadata().unwrap().len() < 400_000).collect()
}

#[test]
fn every_recording_of_the_corpus_opens_plays_and_is_drawn() {
    for path in corpus() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut page = Page::new(&name, std::fs::read(&path).unwrap());
        let about = page.ask(&json!({"do": "open"}));
        let end = about["end"].as_u64().unwrap();
        for tenth in [0, 3, 7, 10] {
            let shown = page.ask(&json!({"do": "seek", "to": end * tenth / 10}));
            assert!(shown["moment"].as_u64().unwrap() <= end, "{name}");
            let draw =
                json!({"do": "draw", "width": 320, "height": 200, "scale": 6.0, "x": 0, "y": 0});
            assert_eq!(page.ask(&draw)["drawn"], about["has_board"], "{name}");
        }
        let story = page.ask(&json!({"do": "story"}));
        assert!(story["curves"].is_array(), "{name}");
    }
}
