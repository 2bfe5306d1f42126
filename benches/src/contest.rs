//! Contests: the same bytes, several ways, in turns.

use crate::clock::Stopwatch;
use crate::report::Claim;
use crate::table;
use std::fmt;
use std::hint::black_box;
use std::time::Duration;

/// How long one sample lasts at least, so that the clock's own grain does not matter.
const SAMPLE: Duration = Duration::from_millis(5);
/// Rounds, unless the benchmark says otherwise.
const ROUNDS: usize = 15;
/// The name of the row that every contest ends with.
const MEMORY_COPY: &str = "memory copy";

/// Several ways to do the same with the same bytes, measured in turns.
///
/// In every round each contender is sampled once, so that a machine that slows down slows all of
/// them; who begins changes from round to round. What counts is the time that a contender computes, so it must
/// do its work on the thread that calls it. A copy of the same bytes takes part too: the
/// physical limit.
pub struct Contest<'a> {
    title: String,
    byte_count: usize,
    rounds: usize,
    baseline: Option<usize>,
    contenders: Vec<Contender<'a>>,
    memory_copy: Contender<'a>,
}

struct Contender<'a> {
    name: String,
    promise: Option<f64>,
    call: Box<dyn FnMut() + 'a>,
}

impl<'a> Contender<'a> {
    fn new<T>(name: &str, promise: Option<f64>, mut call: impl FnMut() -> T + 'a) -> Self {
        let call = Box::new(move || drop(black_box(call())));
        Self { name: name.to_owned(), promise, call }
    }

    /// Time of this many calls.
    fn time(&mut self, calls: u32) -> Duration {
        let watch = Stopwatch::start();
        for _ in 0..calls {
            (self.call)();
        }
        watch.elapsed()
    }

    /// How many calls fill a sample; finding out is the warm-up.
    fn calls_in_a_sample(&mut self) -> u32 {
        let mut calls = 1;
        while self.time(calls) < SAMPLE && calls < u32::MAX / 2 {
            calls *= 2;
        }
        calls
    }
}

impl<'a> Contest<'a> {
    /// A contest over `bytes`: throughput counts them, and the memory copy copies them.
    #[must_use]
    pub fn new(title: &str, bytes: &'a [u8]) -> Self {
        let mut copy = vec![0; bytes.len()];
        let memory_copy = Contender::new(MEMORY_COPY, None, move || {
            copy.copy_from_slice(black_box(bytes));
            black_box(&mut copy);
        });
        Self {
            title: title.to_owned(),
            byte_count: bytes.len(),
            rounds: ROUNDS,
            baseline: None,
            contenders: Vec::new(),
            memory_copy,
        }
    }

    /// Another number of rounds than 15; at least 1.
    #[must_use]
    pub fn rounds(mut self, rounds: usize) -> Self {
        self.rounds = rounds.max(1);
        self
    }

    /// The contender that the others are compared with; without one it is the memory copy.
    #[must_use]
    pub fn baseline<T>(mut self, name: &str, call: impl FnMut() -> T + 'a) -> Self {
        self.baseline = Some(self.contenders.len());
        self.contender(name, call)
    }

    /// A contender without a promise.
    #[must_use]
    pub fn contender<T>(mut self, name: &str, call: impl FnMut() -> T + 'a) -> Self {
        self.contenders.push(Contender::new(name, None, call));
        self
    }

    /// A contender that is promised to be at least `ratio` times as fast as the baseline.
    #[must_use]
    pub fn promised<T>(mut self, name: &str, ratio: f64, call: impl FnMut() -> T + 'a) -> Self {
        self.contenders.push(Contender::new(name, Some(ratio), call));
        self
    }

    /// Warms every contender up, then measures them in turns.
    #[must_use]
    pub fn run(mut self) -> Standings {
        self.contenders.push(self.memory_copy);
        let calls: Vec<u32> =
            self.contenders.iter_mut().map(Contender::calls_in_a_sample).collect();
        let count = self.contenders.len();
        let mut samples = vec![Vec::with_capacity(self.rounds); count];
        for round in 0..self.rounds {
            for turn in 0..count {
                let who = (round + turn) % count;
                let time = self.contenders[who].time(calls[who]);
                samples[who].push(time.as_secs_f64() / f64::from(calls[who]));
            }
        }
        let rows = self.contenders.into_iter().zip(samples);
        let rows = rows.map(|(who, samples)| Standing::new(who.name, who.promise, samples));
        let baseline = self.baseline.unwrap_or(count - 1);
        Standings::new(self.title, self.byte_count, baseline, rows.collect())
    }
}

/// How a contest ended. Displays as a table.
#[derive(Debug, Clone)]
pub struct Standings {
    title: String,
    byte_count: usize,
    baseline: Standing,
    rows: Vec<Standing>,
}

/// How one contender did.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Who.
    pub name: String,
    /// The ratio to the baseline that is promised, if one is.
    pub promise: Option<f64>,
    /// Median of the rounds, in seconds for each call.
    pub median: f64,
    /// The best round, in seconds for each call.
    pub best: f64,
}

impl Standing {
    fn new(name: String, promise: Option<f64>, mut samples: Vec<f64>) -> Self {
        let best = samples.iter().copied().fold(f64::INFINITY, f64::min);
        Self { name, promise, median: median(&mut samples), best }
    }
}

impl Standings {
    fn new(title: String, byte_count: usize, baseline: usize, rows: Vec<Standing>) -> Self {
        Self { title, byte_count, baseline: rows[baseline].clone(), rows }
    }

    /// The contenders in the order in which they were added, then the memory copy.
    #[must_use]
    pub fn rows(&self) -> &[Standing] {
        &self.rows
    }

    /// The median time of the contender called `name`, in seconds; not a number if there is none.
    #[must_use]
    pub fn seconds(&self, name: &str) -> f64 {
        self.rows.iter().find(|row| row.name == name).map_or(f64::NAN, |row| row.median)
    }

    /// The time of `name` as a multiple of the baseline's, promised to be at most `times`.
    #[must_use]
    pub fn time_at_most(&self, name: &str, times: f64) -> Claim {
        let what = format!("{}: {name}, time as a multiple of {}", self.title, self.baseline.name);
        Claim::at_most(&what, self.seconds(name) / self.baseline.median, times)
    }

    /// The throughput of `name` in MB/s, promised to be at least `megabytes`.
    #[must_use]
    pub fn throughput_at_least(&self, name: &str, megabytes: f64) -> Claim {
        let what = format!("{}: {name}, MB/s", self.title);
        Claim::at_least(&what, self.byte_count as f64 / 1e6 / self.seconds(name), megabytes)
    }

    /// How many times as fast as the baseline someone is.
    #[must_use]
    pub fn ratio(&self, standing: &Standing) -> f64 {
        self.baseline.median / standing.median
    }

    /// The promises of the contest as claims.
    pub fn claims(&self) -> impl Iterator<Item = Claim> {
        self.rows.iter().filter_map(|row| self.claim(row))
    }

    fn claim(&self, row: &Standing) -> Option<Claim> {
        let what = format!("{}, speed as a multiple of {}", row.name, self.baseline.name);
        Some(Claim::at_least(&what, self.ratio(row), row.promise?))
    }

    fn cells(&self, row: &Standing) -> Vec<String> {
        let verdict =
            self.claim(row).map(|claim| format!("{} {}", claim.verdict(), claim.promise()));
        vec![
            row.name.clone(),
            table::seconds(row.median),
            table::seconds(row.best),
            table::three_digits(self.byte_count as f64 / 1e6 / row.median),
            format!("{:.2}", self.ratio(row)),
            verdict.unwrap_or_default(),
        ]
    }
}

impl fmt::Display for Standings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratio = format!("x {}", self.baseline.name);
        let header = ["", "median", "best", "MB/s", &ratio, "promise"].map(str::to_owned);
        let rows = self.rows.iter().map(|row| self.cells(row));
        let rows: Vec<Vec<String>> = std::iter::once(header.to_vec()).chain(rows).collect();
        writeln!(f, "{} ({} bytes)", self.title, self.byte_count)?;
        f.write_str(&table::aligned(&rows))
    }
}

/// The middle value; of an even number of values the mean of the middle two.
#[must_use]
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 100.0]), 3.0);
        assert_eq!(median(&mut [7.0]), 7.0);
        assert!(median(&mut []).is_nan());
    }

    fn standings() -> Standings {
        let row = |name: &str, promise, samples: [f64; 3]| {
            Standing::new(name.to_owned(), promise, samples.to_vec())
        };
        let rows = vec![
            row("peer", None, [0.002, 0.001, 0.003]),
            row("quick", Some(2.0), [0.001, 0.0005, 0.001]),
            row("slow", Some(1.5), [0.002, 0.002, 0.002]),
        ];
        Standings::new("decode".to_owned(), 4_000_000, 0, rows)
    }

    #[test]
    fn the_table_has_medians_throughput_ratios_and_verdicts() {
        let expected = "\
decode (4000000 bytes)
        median     best  MB/s  x peer                     promise
peer   2.00 ms  1.00 ms  2000    1.00
quick  1.00 ms   500 us  4000    2.00  PASS promised at least 2.0
slow   2.00 ms  2.00 ms  2000    1.00  FAIL promised at least 1.5
";
        assert_eq!(standings().to_string(), expected);
    }

    #[test]
    fn every_promise_is_a_claim() {
        let claims: Vec<bool> = standings().claims().map(|claim| claim.holds()).collect();
        assert_eq!(claims, [true, false]);
    }

    #[test]
    fn contenders_take_turns_and_each_begins_a_round() {
        let turns = RefCell::new(Vec::new());
        let take_turn = |name: char| {
            let mut turns = turns.borrow_mut();
            if turns.last() != Some(&name) {
                turns.push(name);
            }
        };
        let standings = Contest::new("turns", b"bytes")
            .rounds(3)
            .baseline("a", || take_turn('a'))
            .contender("b", || take_turn('b'))
            .contender("c", || take_turn('c'))
            .run();
        // The warm-up; then the memory copy (unseen) is the fourth in each round.
        let turns: String = turns.into_inner().into_iter().collect();
        assert_eq!(turns, "abcabcbcacab");
        let names: Vec<&str> = standings.rows().iter().map(|row| &*row.name).collect();
        assert_eq!(names, ["a", "b", "c", MEMORY_COPY]);
        assert!(standings.rows().iter().all(|row| row.median > 0.0 && row.best <= row.median));
    }

    #[test]
    fn without_a_baseline_the_memory_copy_is_it() {
        let standings = Contest::new("alone", &[1; 1000]).rounds(1).contender("a", || 1).run();
        assert_eq!(standings.baseline.name, MEMORY_COPY);
        assert_eq!(standings.ratio(&standings.rows()[1]), 1.0);
    }
}
