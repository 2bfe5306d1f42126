//! Time in a recording: ticks, their length, moments between them, and how people write a time.

use std::fmt;
use std::num::NonZeroU32;
use std::ops::{Add, Range};
use std::str::FromStr;

use crate::error::{Error, Result};

/// The game's unit of time, counted from the start of the recording.
///
/// A gamelog has no clock: its ticks are its deltas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Tick(pub u64);

impl Tick {
    /// The first tick.
    pub const ZERO: Self = Self(0);
    /// The last tick that there can be.
    pub const MAX: Self = Self(u64::MAX);

    /// The tick before this one; `None` of the first.
    #[must_use]
    pub const fn previous(self) -> Option<Self> {
        self.checked_sub(1)
    }

    /// The tick that is this many earlier; `None` before the first.
    #[must_use]
    pub const fn checked_sub(self, ticks: u64) -> Option<Self> {
        match self.0.checked_sub(ticks) {
            Some(tick) => Some(Self(tick)),
            None => None,
        }
    }

    /// How many ticks it is after another one; 0 if it is not.
    ///
    /// ```
    /// use gametape_wire::Tick;
    ///
    /// assert_eq!(Tick(90).since(Tick(20)), 70);
    /// assert_eq!(Tick(20).since(Tick(90)), 0);
    /// ```
    #[must_use]
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Add<u64> for Tick {
    type Output = Self;

    /// The tick that is this many later; at most the last that there is.
    fn add(self, ticks: u64) -> Self {
        Self(self.0.saturating_add(ticks))
    }
}

/// The ticks from `start` to before `end`. It is written with the last tick that it contains:
/// every command says `ticks 0 to 295` of the same 296 ticks.
///
/// ```
/// use gametape_wire::TickRange;
///
/// assert_eq!(TickRange::from(0..296).to_string(), "ticks 0 to 295");
/// assert_eq!(TickRange::from(7..8).to_string(), "tick 7");
/// assert_eq!(TickRange::from(7..7).to_string(), "at tick 7");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TickRange {
    /// The first tick.
    pub start: Tick,
    /// The tick after the last one.
    pub end: Tick,
}

impl From<Range<u64>> for TickRange {
    fn from(ticks: Range<u64>) -> Self {
        Self { start: Tick(ticks.start), end: Tick(ticks.end) }
    }
}

impl From<Range<Tick>> for TickRange {
    fn from(ticks: Range<Tick>) -> Self {
        Self { start: ticks.start, end: ticks.end }
    }
}

impl fmt::Display for TickRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, Tick(end)) = (self.start, self.end);
        match end.saturating_sub(first.0) {
            0 => write!(f, "at tick {first}"),
            1 => write!(f, "tick {first}"),
            _ => write!(f, "ticks {first} to {}", end - 1),
        }
    }
}

/// How long a tick takes. All conversions between ticks and times are here.
///
/// ```
/// use gametape_wire::{Tick, TickLength};
///
/// let length = TickLength::from_micros(50_000).unwrap();
/// assert_eq!(length.time_of(Tick(3)).micros(), 150_000);
/// assert_eq!(length.tick_at(length.time_of(Tick(3))), Tick(3));
/// assert_eq!(length.tick_from(length.time_of(Tick(3)).plus_micros(1)), Tick(4));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TickLength(NonZeroU32);

impl TickLength {
    /// One millisecond, the tick of MineWars recordings.
    pub const MILLISECOND: Self = Self(NonZeroU32::new(1000).unwrap());

    /// This many milliseconds, for games whose ticks are fixed: the compiler refuses 0.
    ///
    /// ```
    /// use gametape_wire::TickLength;
    ///
    /// assert_eq!(TickLength::millis::<50>().micros(), 50_000);
    /// ```
    #[must_use]
    pub const fn millis<const MILLIS: u32>() -> Self {
        const { Self(NonZeroU32::new(MILLIS.checked_mul(1000).unwrap()).unwrap()) }
    }

    /// A length in microseconds; `None` for 0.
    #[must_use]
    pub const fn from_micros(micros: u32) -> Option<Self> {
        match NonZeroU32::new(micros) {
            Some(micros) => Some(Self(micros)),
            None => None,
        }
    }

    /// The length in microseconds.
    #[must_use]
    pub const fn micros(self) -> u32 {
        self.0.get()
    }

    /// When a tick begins.
    #[must_use]
    pub fn time_of(self, tick: Tick) -> Time {
        Time(tick.0.saturating_mul(u64::from(self.micros())))
    }

    /// The tick during which a time is.
    #[must_use]
    pub fn tick_at(self, time: Time) -> Tick {
        Tick(time.0 / u64::from(self.micros()))
    }

    /// The first tick that begins at a time or later.
    #[must_use]
    pub fn tick_from(self, time: Time) -> Tick {
        Tick(time.0.div_ceil(u64::from(self.micros())))
    }

    /// The number of ticks nearest to a duration, at least 1.
    ///
    /// ```
    /// use gametape_wire::{TickLength, Time};
    ///
    /// let length = TickLength::from_micros(66_667).unwrap();
    /// assert_eq!(length.ticks_in(Time::from_seconds(3)), 45);
    /// assert_eq!(length.ticks_in(Time::ZERO), 1);
    /// ```
    #[must_use]
    pub fn ticks_in(self, duration: Time) -> u64 {
        let micros = u64::from(self.micros());
        (duration.0.saturating_add(micros / 2) / micros).max(1)
    }

    /// How many milliseconds a number of ticks takes, rounded down.
    #[must_use]
    pub fn millis_of(self, tick: Tick) -> u64 {
        self.time_of(tick).millis()
    }
}

/// A time since the start of a recording, in microseconds.
///
/// It is written as `3:37.6`: minutes, seconds, and of the fraction what is not zero; an hour and more
/// as `1:02:03`.
///
/// ```
/// use gametape_wire::Time;
///
/// assert_eq!(Time::from_millis(217_600).to_string(), "3:37.6");
/// assert_eq!(Time::from_millis(3_723_000).to_string(), "1:02:03");
/// assert_eq!(Time::from_millis(50).to_string(), "0:00.05");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Time(u64);

impl Time {
    /// The start.
    pub const ZERO: Self = Self(0);

    /// A time in microseconds.
    #[must_use]
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// A time in milliseconds, at most what microseconds can count.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1000))
    }

    /// A time in seconds, at most what microseconds can count.
    #[must_use]
    pub const fn from_seconds(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1_000_000))
    }

    /// In microseconds.
    #[must_use]
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// In milliseconds, rounded down.
    #[must_use]
    pub const fn millis(self) -> u64 {
        self.0 / 1000
    }

    /// In seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// A later time.
    #[must_use]
    pub const fn plus_micros(self, micros: u64) -> Self {
        Self(self.0.saturating_add(micros))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, fraction) = (self.0 / 1_000_000, self.0 % 1_000_000);
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        match hours {
            0 => write!(f, "{minutes}:{seconds:02}")?,
            _ => write!(f, "{hours}:{minutes:02}:{seconds:02}")?,
        }
        match fraction {
            0 => Ok(()),
            _ => write!(f, ".{}", format!("{fraction:06}").trim_end_matches('0')),
        }
    }
}

/// How much of a recording is applied: everything before one tick.
///
/// `seek` of every timeline and `--at` of every command mean the same: after *everything* that
/// happened at a tick, [`Moment::after`] it. A keyframe of tick K holds the state
/// [before](Self::before) anything of K.
///
/// ```
/// use gametape_wire::{Moment, Tick};
///
/// assert!(Moment::START < Moment::after(Tick(0)));
/// assert_eq!(Moment::after(Tick(6)), Moment::before(Tick(7)));
/// assert_eq!(Moment::after(Tick(6)).last_tick(), Some(Tick(6)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Moment(u64);

impl Moment {
    /// Nothing is applied.
    pub const START: Self = Self(0);

    /// After everything of a tick and of all before it.
    #[must_use]
    pub const fn after(tick: Tick) -> Self {
        Self(tick.0.saturating_add(1))
    }

    /// Before anything of a tick, after everything of those before it.
    #[must_use]
    pub const fn before(tick: Tick) -> Self {
        Self(tick.0)
    }

    /// The first tick of which nothing is applied.
    #[must_use]
    pub const fn next_tick(self) -> Tick {
        Tick(self.0)
    }

    /// The last tick that is applied; `None` at the start.
    #[must_use]
    pub const fn last_tick(self) -> Option<Tick> {
        Tick(self.0).previous()
    }
}

impl From<Tick> for Moment {
    fn from(tick: Tick) -> Self {
        Self::after(tick)
    }
}

/// A moment as people write it; what it means depends on the recording.
///
/// | text | meaning |
/// |---|---|
/// | `start`, `end` | after everything of the first tick; after the last |
/// | `3:37.6`, `1:02:03`, `217.6s`, `217600ms` | a time since the start |
/// | `-10s`, `-0:10` | that long before the end |
/// | `tick:4352` | a tick; in a gamelog, a delta |
/// | `turn:12` | the begin of a turn, in recordings that have turns |
/// | `50%` | a share of the whole length |
/// | `4352` | milliseconds; in a gamelog, a delta |
///
/// ```
/// use gametape_wire::{Time, When};
///
/// assert_eq!("3:37.6".parse::<When>()?, "217600ms".parse::<When>()?);
/// assert_eq!("-10s".parse::<When>()?, When::BeforeEnd(Time::from_millis(10_000)));
/// assert!("3:99".parse::<When>().is_err());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum When {
    /// After everything of the first tick.
    Start,
    /// After the last tick.
    End,
    /// A time since the start.
    Time(Time),
    /// A time before the end.
    BeforeEnd(Time),
    /// A tick, or the delta of a gamelog.
    Tick(Tick),
    /// The begin of a turn.
    Turn(i64),
    /// Millionths of the whole length.
    Share(u32),
    /// A number without a unit: milliseconds, or the delta of a gamelog.
    Number(u64),
}

/// How times are written, for help and errors.
const GRAMMAR: &str = "times are written as 3:37.6, 217.6s, 217600ms, tick:4352, turn:12, 50%, \
                       start, end or -10s (before the end)";

impl When {
    /// How times are written, for help texts.
    pub const GRAMMAR: &'static str = GRAMMAR;

    /// The moment that it means in a recording of ticks of this length that ends before `end`.
    ///
    /// A time means after everything that happened by then. `None` for a turn: only the recording
    /// knows where its turns begin.
    #[must_use]
    pub fn moment(self, length: TickLength, end: Moment) -> Option<Moment> {
        self.moment_within(length, Moment::START..end)
    }

    /// The moment that it means in a recording that has these moments: one that was cut may begin
    /// later. A time before its first tick means the start, one after its last tick the end.
    #[must_use]
    pub fn moment_within(self, length: TickLength, span: Range<Moment>) -> Option<Moment> {
        let (first, last) = (span.start.next_tick(), span.end.next_tick());
        let start = Moment::after(first);
        let moment = match self {
            Self::Start => start,
            Self::End => span.end,
            Self::Time(time) => Moment::after(length.tick_at(time)),
            Self::Number(millis) => Moment::after(length.tick_at(Time::from_millis(millis))),
            Self::BeforeEnd(time) => {
                let whole = length.time_of(last).micros();
                let at = length.tick_at(Time::from_micros(whole.saturating_sub(time.micros())));
                Moment::before(at)
            }
            Self::Tick(tick) => Moment::after(tick),
            Self::Share(millionths) => {
                let ticks = last.0.saturating_sub(first.0);
                let share = u128::from(ticks) * u128::from(millionths) / 1_000_000;
                Moment::before(Tick(first.0.saturating_add(share as u64)))
            }
            Self::Turn(_) => return None,
        };
        Some(moment.max(start).min(span.end))
    }
}

impl fmt::Display for When {
    /// As people write it: what is printed means the same when it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("start"),
            Self::End => f.write_str("end"),
            Self::Time(time) => time.fmt(f),
            Self::BeforeEnd(time) => write!(f, "-{time}"),
            Self::Tick(tick) => write!(f, "tick:{tick}"),
            Self::Turn(turn) => write!(f, "turn:{turn}"),
            Self::Share(millionths) => {
                write!(f, "{}", millionths / 10_000)?;
                match millionths % 10_000 {
                    0 => f.write_str("%"),
                    rest => write!(f, ".{}%", format!("{rest:04}").trim_end_matches('0')),
                }
            }
            Self::Number(number) => number.fmt(f),
        }
    }
}

impl When {
    /// The tick at which a span begins or ends that is given like this, in a recording that ends
    /// before tick `end`: the first tick at that time or later. `None` for a turn.
    ///
    /// Spans include the tick that they begin at, and exclude the one that they end at.
    #[must_use]
    pub fn bound(self, length: TickLength, end: Tick) -> Option<Tick> {
        match self {
            Self::Start => Some(Tick(0)),
            Self::End => Some(end),
            Self::Time(time) => Some(length.tick_from(time)),
            Self::Number(millis) => Some(length.tick_from(Time::from_millis(millis))),
            Self::BeforeEnd(time) => {
                let whole = length.time_of(end).micros();
                Some(length.tick_from(Time(whole.saturating_sub(time.micros()))))
            }
            Self::Tick(tick) => Some(tick),
            Self::Share(millionths) => {
                Some(Tick((u128::from(end.0) * u128::from(millionths) / 1_000_000) as u64))
            }
            Self::Turn(_) => None,
        }
    }
}

impl FromStr for When {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        parse_when(text).ok_or_else(|| Error::misuse(format!("{text:?}"), GRAMMAR))
    }
}

fn parse_when(text: &str) -> Option<When> {
    match text {
        "start" => return Some(When::Start),
        "end" => return Some(When::End),
        _ => {}
    }
    if let Some(tick) = text.strip_prefix("tick:") {
        return digits(tick).map(|tick| When::Tick(Tick(tick)));
    }
    if let Some(turn) = text.strip_prefix("turn:") {
        return turn.parse().ok().map(When::Turn);
    }
    if let Some(share) = text.strip_suffix('%') {
        let millionths = fixed(share, 4)?;
        return (millionths <= 1_000_000).then_some(When::Share(millionths as u32));
    }
    if let Some(time) = text.strip_prefix('-') {
        return parse_time(time).map(When::BeforeEnd);
    }
    match digits(text) {
        Some(number) => Some(When::Number(number)),
        None => parse_time(text).map(When::Time),
    }
}

/// A time with its unit, or as minutes and seconds.
fn parse_time(text: &str) -> Option<Time> {
    if let Some(millis) = text.strip_suffix("ms") {
        return fixed(millis, 3).map(Time);
    }
    if let Some(seconds) = text.strip_suffix('s') {
        return fixed(seconds, 6).map(Time);
    }
    let (rest, seconds) = text.rsplit_once(':')?;
    let (hours, minutes) = match rest.split_once(':') {
        Some((hours, minutes)) => (digits(hours)?, below_60(digits(minutes)?)?),
        None => (0, digits(rest)?),
    };
    let seconds = fixed(seconds, 6).filter(|micros| *micros < 60_000_000)?;
    let minutes = hours.checked_mul(60)?.checked_add(minutes)?;
    minutes.checked_mul(60_000_000)?.checked_add(seconds).map(Time)
}

fn below_60(number: u64) -> Option<u64> {
    (number < 60).then_some(number)
}

fn digits(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// A decimal number times ten to `places`; more places than that are refused.
fn fixed(text: &str, places: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let has_fraction = text.contains('.');
    if fraction.len() > places || (has_fraction && fraction.is_empty()) {
        return None;
    }
    let fraction = if has_fraction { digits(&format!("{fraction:0<places$}"))? } else { 0 };
    digits(whole)?.checked_mul(10u64.pow(places as u32))?.checked_add(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWENTIETH: TickLength = TickLength(NonZeroU32::new(50_000).unwrap());

    fn moment(text: &str, end: u64) -> Moment {
        text.parse::<When>().unwrap().moment(TWENTIETH, Moment::before(Tick(end))).unwrap()
    }

    #[test]
    fn a_time_means_after_everything_that_happened_by_then() {
        assert_eq!(moment("start", 100), Moment::after(Tick(0)));
        assert_eq!(moment("0:00.099", 100), Moment::after(Tick(1)));
        assert_eq!(moment("0.1s", 100), Moment::after(Tick(2)));
        assert_eq!(moment("100ms", 100), moment("tick:2", 100));
        assert_eq!(moment("100", 100), moment("100ms", 100));
        assert_eq!(moment("end", 100), Moment::before(Tick(100)));
        assert_eq!(moment("9:00", 100), moment("end", 100));
    }

    #[test]
    fn a_duration_becomes_the_nearest_number_of_ticks() {
        let ticks = |micros, seconds| {
            TickLength::from_micros(micros).unwrap().ticks_in(Time::from_seconds(seconds))
        };
        assert_eq!(ticks(50_000, 15), 300);
        assert_eq!(ticks(66_667, 3), 45);
        assert_eq!(ticks(2_000_000, 3), 2);
        assert_eq!(ticks(u32::MAX, 15), 1);
        assert_eq!(ticks(1, u64::MAX), u64::MAX);
    }

    #[test]
    fn shares_and_times_before_the_end_count_from_the_length() {
        assert_eq!(moment("50%", 100), Moment::before(Tick(50)));
        assert_eq!(moment("100%", 100), moment("end", 100));
        assert_eq!(moment("-1s", 100), Moment::before(Tick(80)));
        assert_eq!(moment("-9:00", 100), moment("start", 100));
    }

    #[test]
    fn all_ways_to_write_the_start_mean_the_same() {
        for text in ["start", "0%", "0:00", "0s", "0ms", "0", "tick:0", "-5s"] {
            assert_eq!(moment(text, 100), Moment::after(Tick(0)), "{text}");
        }
    }

    #[test]
    fn a_recording_that_begins_later_has_its_start_there() {
        let span = Moment::before(Tick(40))..Moment::before(Tick(140));
        let moment = |text: &str| {
            text.parse::<When>().unwrap().moment_within(TWENTIETH, span.clone()).unwrap()
        };
        for text in ["start", "0%", "0:00", "2s", "tick:3", "-1:00"] {
            assert_eq!(moment(text), Moment::after(Tick(40)), "{text}");
        }
        assert_eq!(moment("50%"), Moment::before(Tick(90)));
        assert_eq!(moment("3s"), Moment::after(Tick(60)));
        assert_eq!(moment("-1s"), Moment::before(Tick(120)));
        assert_eq!([moment("end"), moment("100%"), moment("1:00")], [span.end; 3]);
    }

    #[test]
    fn a_span_begins_at_the_first_tick_of_a_time() {
        let bound = |text: &str| text.parse::<When>().unwrap().bound(TWENTIETH, Tick(100));
        assert_eq!(bound("start"), Some(Tick(0)));
        assert_eq!(["100ms", "0.1s", "100", "tick:2"].map(bound), [Some(Tick(2)); 4]);
        assert_eq!(bound("101ms"), Some(Tick(3)));
        assert_eq!(
            [bound("50%"), bound("-1s"), bound("end")],
            [50, 80, 100].map(|n| Some(Tick(n)))
        );
        assert_eq!(bound("turn:3"), None);
    }

    #[test]
    fn a_recording_without_ticks_has_one_moment() {
        for text in ["start", "end", "5s", "50%", "tick:3", "-1s"] {
            assert_eq!(moment(text, 0), Moment::START, "{text}");
        }
    }

    #[test]
    fn what_is_printed_is_read_back() {
        for micros in [0, 1, 59_999_999, 60_000_000, 217_600_000, 3_600_000_000, 86_399_000_001] {
            let time = Time(micros);
            assert_eq!(time.to_string().parse::<When>().unwrap(), When::Time(time));
        }
        for text in ["start", "end", "3:37.6", "-0:10", "tick:4352", "turn:-1", "50%", "4352"] {
            assert_eq!(text.parse::<When>().unwrap().to_string(), text);
        }
        for text in ["0%", "0.0001%", "12.5%", "99.9%", "100%"] {
            assert_eq!(text.parse::<When>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn odd_times_are_refused_with_the_grammar() {
        let odd = [
            "",
            "-",
            "s",
            "1.s",
            ".5s",
            "1:60",
            "1:2:99",
            "1:60:00",
            "tick:",
            "tick:-1",
            "101%",
            "x",
            "1e3s",
            "+5s",
            "--5s",
            "1.1234567s",
            "18446744073709551616",
            "99999999999999999:00",
        ];
        for text in odd {
            let error = text.parse::<When>().unwrap_err();
            assert!(error.to_string().contains("3:37.6"), "{text}: {error}");
        }
    }
}
