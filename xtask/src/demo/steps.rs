//! What the demo does, step by step.

/// Steps that belong together.
pub(super) struct Chapter {
    pub(super) title: &'static str,
    pub(super) steps: Vec<Step>,
}

/// One command, and what it is for.
pub(super) struct Step {
    /// What is done, in plain words.
    pub(super) words: &'static str,
    pub(super) command: Vec<&'static str>,
    /// A file that is there afterwards.
    pub(super) makes: Option<&'static str>,
    /// May it say that something does not fit into the target? The exit code is 3 then.
    pub(super) may_lose: bool,
}

impl Step {
    fn new(words: &'static str, command: &'static str) -> Self {
        let command = command.split_whitespace().collect();
        Self { words, command, makes: None, may_lose: false }
    }

    fn makes(self, path: &'static str) -> Self {
        Self { makes: Some(path), ..self }
    }

    fn may_lose(self) -> Self {
        Self { may_lose: true, ..self }
    }
}

pub(super) fn chapters() -> Vec<Chapter> {
    vec![
        Chapter { title: "A match is played and recorded", steps: recorded() },
        Chapter { title: "What happened in it", steps: observed() },
        Chapter { title: "How it looks", steps: seen() },
        Chapter { title: "The same match in other formats", steps: exported() },
        Chapter { title: "Sharing it, and proving that nobody touched it", steps: shared() },
        Chapter { title: "A MineWars session", steps: minewars() },
    ]
}

/// What is done with the viewer, where it could be built.
pub(super) fn browser() -> Chapter {
    let steps = vec![
        Step::new(
            "The match and the viewer in one file, which opens by double click, without a network.",
            "gametape export demo/match/match.tape demo/match.html",
        )
        .makes("demo/match.html"),
        Step::new(
            "A page of matches for any web host: players, results, best moments, pictures.",
            "gametape view --site demo/site demo/match/match.tape demo/exports/match.minewars \
             demo/exports/match.json.gz demo/minewars/session.minewars",
        )
        .makes("demo/site/index.html"),
    ];
    Chapter { title: "In the browser", steps }
}

fn recorded() -> Vec<Step> {
    vec![
        Step::new(
            "Four bots play on a map of radius 16; orders, views, keyframes and events are recorded.",
            "gametape record --players 4 --radius 16 --seed 5 --minutes 15 demo/match/match.tape",
        )
        .makes("demo/match/match.tape"),
        Step::new("What the tape is.", "gametape info demo/match/match.tape"),
        Step::new(
            "Is it sound? Every checksum, every keyframe of every view.",
            "gametape verify demo/match/match.tape",
        ),
        Step::new(
            "The match is run again from its orders alone; every state must have the recorded hash.",
            "gametape resim demo/match/match.tape",
        ),
    ]
}

fn observed() -> Vec<Step> {
    vec![
        Step::new(
            "How many events of each kind there are.",
            "gametape events --count demo/match/match.tape",
        ),
        Step::new(
            "Events as JSON lines.",
            "gametape events --json -o demo/events/events.jsonl demo/match/match.tape",
        )
        .makes("demo/events/events.jsonl"),
        Step::new(
            "Events as CSV, a table for each kind.",
            "gametape events --csv -o demo/events/csv/ demo/match/match.tape",
        )
        .makes("demo/events/csv/MatchEnded.csv"),
        Step::new(
            "Events as one wide Parquet table, for any tool of data science.",
            "gametape events --parquet demo/events/events.parquet demo/match/match.tape",
        )
        .makes("demo/events/events.parquet"),
        Step::new(
            "Events as Parquet, a table for each kind.",
            "gametape events --parquet demo/events/parquet/ demo/match/match.tape",
        )
        .makes("demo/events/parquet/UnitDestroyed.parquet"),
        Step::new(
            "The best moments and why, each also cut out as a small tape.",
            "gametape highlights --why --count 5 --cut demo/moments demo/match/match.tape",
        ),
    ]
}

fn seen() -> Vec<Step> {
    vec![
        Step::new(
            "What each player did, and the curves of the match as a picture.",
            "gametape stats --plot demo/pictures/curves.png demo/match/match.tape",
        )
        .makes("demo/pictures/curves.png"),
        Step::new(
            "The same curves as SVG.",
            "gametape stats --plot demo/pictures/curves.svg demo/match/match.tape",
        )
        .makes("demo/pictures/curves.svg"),
        Step::new(
            "The map as it begins, as the spectator sees it.",
            "gametape map --png demo/pictures/start.png demo/match/match.tape",
        )
        .makes("demo/pictures/start.png"),
        Step::new(
            "The map after a minute.",
            "gametape map --at 60000 --png demo/pictures/minute-1.png demo/match/match.tape",
        )
        .makes("demo/pictures/minute-1.png"),
        Step::new(
            "The same minute as player 1 sees it: what is hidden from a player stays hidden.",
            "gametape map --at 60000 --view 1 --png demo/pictures/minute-1-player-1.png \
             demo/match/match.tape",
        )
        .makes("demo/pictures/minute-1-player-1.png"),
        Step::new(
            "The map at the end.",
            "gametape map --at end --png demo/pictures/end.png demo/match/match.tape",
        )
        .makes("demo/pictures/end.png"),
    ]
}

fn exported() -> Vec<Step> {
    vec![
        Step::new(
            "As a MineWars file of today.",
            "gametape convert demo/match/match.tape demo/exports/match.minewars",
        )
        .makes("demo/exports/match.minewars"),
        Step::new(
            "Its first three minutes: files of the first generation have room for 64 KiB of frames.",
            "gametape cut --to 180000 demo/exports/match.minewars demo/exports/minutes-1-3.minewars",
        )
        .makes("demo/exports/minutes-1-3.minewars"),
        Step::new(
            "These as a MineWars file of the first generation; what that one cannot say is counted.",
            "gametape convert --to v0.1 demo/exports/minutes-1-3.minewars \
             demo/exports/minutes-1-3.v01.minewars",
        )
        .makes("demo/exports/minutes-1-3.v01.minewars")
        .may_lose(),
        Step::new(
            "As a Cadre gamelog, which every state of the match can be had from.",
            "gametape convert --to gamelog demo/match/match.tape demo/exports/match.json.gz",
        )
        .makes("demo/exports/match.json.gz"),
        Step::new(
            "All three are sound.",
            "gametape verify demo/exports/match.minewars demo/exports/minutes-1-3.v01.minewars \
             demo/exports/match.json.gz",
        ),
        Step::new(
            "Who played and who won, as the gamelog says it.",
            "gametape info demo/exports/match.json.gz",
        ),
    ]
}

fn shared() -> Vec<Step> {
    vec![
        Step::new(
            "What one player saw, and nothing that other players know.",
            "gametape cut --view 1 demo/match/match.tape demo/match/player-1.tape",
        )
        .makes("demo/match/player-1.tape"),
        Step::new("A key to sign with.", "gametape keygen demo/match/league.key")
            .makes("demo/match/league.key"),
        Step::new(
            "Signed: whoever changes a byte from now on is found out.",
            "gametape sign --key demo/match/league.key demo/match/match.tape demo/match/signed.tape",
        )
        .makes("demo/match/signed.tape"),
        Step::new(
            "Packed for an archive: metadata and keyframes first, everything else in its place.",
            "gametape pack demo/match/signed.tape demo/match/packed.tape",
        )
        .makes("demo/match/packed.tape"),
        Step::new(
            "Is the signature good, and is it of this key?",
            "gametape verify --key demo/match/league.key.pub demo/match/packed.tape",
        ),
    ]
}

fn minewars() -> Vec<Step> {
    vec![
        Step::new(
            "A small session is written in both generations of the format.",
            "make_session demo/minewars/",
        )
        .makes("demo/minewars/session.minewars"),
        Step::new(
            "Both are checked.",
            "gametape verify demo/minewars/session.v01.minewars demo/minewars/session.minewars",
        ),
        Step::new("What is in it.", "gametape info --frames demo/minewars/session.v01.minewars"),
        Step::new("Its map at the end.", "gametape map --at end demo/minewars/session.minewars"),
        Step::new(
            "The same as a picture.",
            "gametape map --at end --png demo/minewars/map.png demo/minewars/session.minewars",
        )
        .makes("demo/minewars/map.png"),
    ]
}
