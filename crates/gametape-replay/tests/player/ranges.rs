//! Playing by byte ranges alone: how many, how much, and what happens when one cannot be had.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use gametape_minewars::Generation;
use gametape_replay::minewars::{MinewarsView, player, setup_of};
use gametape_replay::open::{KeptStart, OpenOptions, Opened};
use gametape_replay::{
    Direction, GameState, MarkerKind, OpenTape, OpeningTape, PlayRule, Playback, Player,
    PlayerOptions, Recording, Source, Timeline, Track,
};
use gametape_tape::{
    ChunkKind, Gap, GapCause, Keyframe, SimSnapshot, StateHash, Tape, TapeHeader, TapeWriter,
    pack_bytes,
};
use gametape_wire::{Error, Moment, Need, Result, SansIo, Tick, TickLength, View, ViewSet};

use super::common::{chained, finish, linear, minewars_tape, shuffled};
use super::toy::{self, Toy};

/// Supplies what is needed, and counts requests and bytes.
fn fetch(machine: &mut impl SansIo, tape: &[u8]) -> (usize, u64) {
    let (mut requests, mut bytes) = (0, 0);
    while let Need::Bytes(ranges) = machine.need() {
        assert!(
            ranges.is_sorted_by(|a, b| a.end < b.start) && ranges.iter().all(|r| !r.is_empty())
        );
        // In any order.
        for range in ranges.into_iter().rev() {
            requests += 1;
            bytes += range.end - range.start;
            let part = &tape[range.start as usize..range.end as usize];
            machine.supply(range, part).unwrap();
        }
    }
    (requests, bytes)
}

fn open(tape: &[u8]) -> OpenTape {
    let mut opening = OpeningTape::new(tape.len() as u64);
    fetch(&mut opening, tape);
    opening.finish().unwrap()
}

fn at(tick: u64) -> Moment {
    Moment::before(Tick(tick))
}

/// A packed tape of a simulation that is much longer than its index, and its states by tick.
fn long_packed_tape() -> (Vec<u8>, BTreeMap<u64, StateHash>) {
    let plain = toy::padded_tape(Toy::new(), 1900, 400);
    let expected = linear(&plain, |recording, options| {
        Playback::simulation(recording, Toy::new(), options).unwrap()
    });
    (pack_bytes(&plain).unwrap(), expected)
}

#[test]
fn a_packed_tape_is_opened_and_sought_by_few_ranges() {
    let (tape, expected) = long_packed_tape();
    assert!(tape.len() > 300_000, "{}", tape.len());
    let mut opening = OpeningTape::new(tape.len() as u64);
    let (requests, bytes) = fetch(&mut opening, &tape);
    assert!(requests <= 2 && bytes <= 64 << 10, "{requests} requests, {bytes} bytes");
    let opened = opening.finish().unwrap();
    assert_eq!(opened.tape().keyframes.entries().len(), 38);
    let ticks: Vec<u64> = expected.keys().copied().collect();
    for tick in shuffled(&ticks).take(300) {
        let mut player =
            Player::simulation(opened.clone(), Toy::new(), PlayerOptions::default()).unwrap();
        let _ = player.seek(at(tick)).unwrap();
        let (requests, bytes) = fetch(&mut player, &tape);
        assert!(requests <= 2, "{requests} requests for tick {tick}");
        assert!(bytes < tape.len() as u64 / 8, "{bytes} of {} bytes", tape.len());
        assert!(player.snapshot().state_hash() == expected[&tick], "tick {tick}");
        assert_eq!(player.findings(), []);
    }
}

/// The same tape with what gap chunks say about events, all over it.
fn with_gaps(bytes: &[u8]) -> (Vec<u8>, usize) {
    let tape = Tape::open(bytes).unwrap();
    let mut writer = TapeWriter::new(tape.header, tape.metadata.as_bytes()).unwrap();
    let mut gaps = 0;
    for entry in tape.chunks.iter().skip(1) {
        writer.copy(&tape.read(entry, bytes).unwrap(), entry.header.views).unwrap();
        if entry.header.sequence % 5 == 0 {
            let first_tick = entry.header.first_tick;
            writer.gap(&gap(GapCause::SHED, ChunkKind::EVENTS, first_tick.0, 3)).unwrap();
            gaps += 1;
        }
    }
    (finish(writer), gaps)
}

fn gap(cause: GapCause, kind: ChunkKind, first_tick: u64, tick_count: u32) -> Gap {
    Gap::new(cause, kind).with_size(1, 9).with_ticks(Tick(first_tick), tick_count)
}

/// Bytes that note what is fetched of them.
#[derive(Debug, Clone)]
struct Counting {
    tape: Rc<Vec<u8>>,
    fetched: Rc<RefCell<Vec<Range<u64>>>>,
}

impl Counting {
    fn new(tape: Vec<u8>) -> Self {
        Self { tape: Rc::new(tape), fetched: Rc::default() }
    }

    /// Requests and bytes since the last time.
    fn count(&self) -> (usize, u64) {
        let fetched: Vec<_> = self.fetched.borrow_mut().drain(..).collect();
        (fetched.len(), fetched.iter().map(|range| range.end - range.start).sum())
    }
}

impl Source for Counting {
    fn length(&self) -> u64 {
        self.tape.len() as u64
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.fetched.borrow_mut().push(range.clone());
        Ok(Cow::Borrowed(&self.tape[range.start as usize..range.end as usize]))
    }
}

/// As tools do it: whatever it is, then as a tape.
fn recording(source: &Counting) -> Recording<KeptStart<Counting>> {
    let opened = gametape_replay::open::open(source.clone(), &OpenOptions::default());
    let Opened::Tape(source) = opened.unwrap() else { panic!("it is a tape") };
    Recording::open(source).unwrap()
}

fn assert_few_requests<T: Track>(
    tape: Vec<u8>,
    open: impl Fn(Recording<KeptStart<Counting>>) -> Playback<KeptStart<Counting>, Player<T>>,
    expected: &BTreeMap<u64, StateHash>,
) {
    let source = Counting::new(tape);
    let ticks: Vec<u64> = expected.keys().copied().collect();
    let mut player = None;
    for (number, tick) in shuffled(&ticks).take(60).enumerate() {
        // Half of them with the player that is there, half with a new one.
        let is_new = number % 4 < 2;
        let mut playing = player.take().filter(|_| !is_new).unwrap_or_else(|| {
            let player = open(recording(&source));
            let (requests, bytes) = source.count();
            assert!(requests <= 2 && bytes <= 64 << 10, "{requests} requests, {bytes} bytes");
            player
        });
        playing.seek(at(tick)).unwrap();
        let (requests, _) = source.count();
        assert!(requests <= 2, "{requests} requests for tick {tick}");
        assert!(playing.snapshot().state_hash() == expected[&tick], "tick {tick}");
        player = Some(playing);
    }
}

/// The promise of `spec/timeline.md`, section 4, through what users call.
#[test]
fn a_tape_that_was_recognised_is_opened_and_sought_by_few_requests() {
    let plain = toy::padded_tape(Toy::new(), 1900, 400);
    let (with_gaps, gaps) = with_gaps(&plain);
    let expected = linear(&plain, |recording, options| {
        Playback::simulation(recording, Toy::new(), options).unwrap()
    });
    let options = PlayerOptions::default();
    for (tape, gaps) in [(plain, 0), (with_gaps, gaps)] {
        let open = |mut recording: Recording<KeptStart<Counting>>| {
            assert_eq!(recording.gaps().len(), gaps);
            assert_eq!(recording.setup(0).unwrap().unwrap(), toy::SETUP);
            Playback::simulation(recording, Toy::new(), options).unwrap()
        };
        assert_few_requests(pack_bytes(&tape).unwrap(), open, &expected);
    }
    let plain = minewars_tape(Generation::Current);
    let expected =
        linear(&plain, |recording, options| player(recording, View::SPECTATOR, options).unwrap());
    let open = |recording| player(recording, View::SPECTATOR, options).unwrap();
    assert_few_requests(pack_bytes(&plain).unwrap(), open, &expected);
    assert!(gaps > 20, "{gaps} gaps");
}

/// Something is missing, and nobody knows more than that it was around a tick.
#[test]
fn a_gap_without_ticks_puts_its_first_tick_in_doubt_until_the_next_keyframe() {
    let mut writer = TapeWriter::new(TapeHeader::new(TickLength::MILLISECOND, 1), b"{}").unwrap();
    let stream = gametape_replay::streams::keyframes_of(View::SPECTATOR);
    for tick in 0..100 {
        if tick == 60 {
            let keyframe = Keyframe::full(&Counted(60).snapshot(Tick(60)));
            writer.keyframe(stream, ViewSet::EMPTY.with(View::SPECTATOR), &keyframe).unwrap();
        }
        writer.frame(0, Tick(tick), &[(View::SPECTATOR, b"+")]).unwrap();
    }
    writer.gap(&gap(GapCause::DAMAGE, ChunkKind::FRAMES, 40, 0)).unwrap();
    writer.gap(&gap(GapCause::DAMAGE, ChunkKind::EVENTS, 70, 0)).unwrap();
    let recording = Recording::open(finish(writer)).unwrap();
    let options = PlayerOptions::default();
    let mut player =
        Playback::view(recording, View::SPECTATOR, Counted::default(), options).unwrap();
    for tick in (0..=100).chain((0..=100).rev()) {
        player.seek(at(tick)).unwrap();
        let doubt = (41..60).contains(&tick).then_some(Tick(40)..Tick(41));
        assert_eq!(player.doubt(), doubt, "before tick {tick}");
    }
    let [lost] = player.findings() else { panic!("{:?}", player.findings()) };
    assert_eq!((lost.rule, lost.tick), (PlayRule::LOST_INPUT, Some(Tick(40))));
    let lost = MarkerKind::Lost { until: at(41) };
    assert!(player.markers().iter().any(|marker| (marker.moment, marker.kind) == (at(40), lost)));
}

/// Takes nothing.
#[derive(Debug, Clone, Default)]
struct Stubborn;

impl GameState for Stubborn {
    fn apply(&mut self, _: Tick, _: &[u8]) -> Result<()> {
        Err(Error::misuse("payload", "no"))
    }

    fn snapshot(&self, tick: Tick) -> SimSnapshot {
        Counted(0).snapshot(tick)
    }

    fn restore(&mut self, _: &SimSnapshot) -> Result<()> {
        Ok(())
    }
}

#[test]
fn findings_are_counted_once_however_many_there_are_and_however_often_they_are_played() {
    const TICKS: u64 = 1500;
    let recording = Recording::open(noisy_tape(TICKS, 8)).unwrap();
    let options = PlayerOptions::new().with_cache_bytes(0);
    let mut player = Playback::view(recording, View::SPECTATOR, Stubborn, options).unwrap();
    for _ in 0..3 {
        player.seek(player.end()).unwrap();
        assert_eq!((player.findings().len(), player.report().count()), (1000, TICKS));
        player.seek(Moment::START).unwrap();
    }
}

#[test]
fn the_setup_of_a_packed_tape_comes_with_its_index() {
    let (tape, _) = long_packed_tape();
    let opened = open(&tape);
    let entry = opened.setup(0).unwrap();
    assert_eq!(opened.raw(entry).unwrap().unwrap(), toy::SETUP);
    // A recording does not read it again.
    let is_down = FailsOnce::at(&tape, Some(0));
    let mut recording = Recording::new(is_down, opened);
    assert_eq!(recording.setup(0).unwrap().unwrap(), toy::SETUP);
}

/// The same tape with a setup of this many bytes that cannot be compressed.
fn with_setup(bytes: &[u8], length: usize) -> Vec<u8> {
    let tape = Tape::open(bytes).unwrap();
    let mut writer = TapeWriter::new(tape.header, tape.metadata.as_bytes()).unwrap();
    let mut random = 99u64;
    let setup: Vec<u8> = std::iter::repeat_with(|| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        (random >> 33) as u8
    })
    .take(length)
    .collect();
    for entry in tape.chunks.iter().skip(1) {
        match entry.header.kind {
            ChunkKind::SETUP => writer.setup(0, entry.header.views, &setup).unwrap(),
            _ => writer.copy(&tape.read(entry, bytes).unwrap(), entry.header.views).unwrap(),
        }
    }
    pack_bytes(&finish(writer)).unwrap()
}

/// What `spec/tape.md`, section 8, says of setups: one that ends within the first 24 KiB comes with the index, a larger
/// one costs one more request, of itself and nothing else.
#[test]
fn a_large_setup_costs_one_request_more() {
    let plain = toy::padded_tape(Toy::new(), 1900, 400);
    for (length, more) in [(20 << 10, 0), (24 << 10, 1), (200 << 10, 1)] {
        let tape = with_setup(&plain, length);
        let source = Counting::new(tape.clone());
        let mut recording = recording(&source);
        let (requests, bytes) = source.count();
        assert!(requests <= 2 && bytes <= 64 << 10, "{requests} requests, {bytes} bytes");
        assert_eq!(recording.setup(0).unwrap().unwrap().len(), length);
        let (requests, bytes) = source.count();
        assert_eq!(requests, more, "a setup of {length} bytes");
        assert!(bytes <= 64 + length as u64, "{bytes} bytes for a setup of {length}");
        let opened = open(&tape);
        for tick in [1800, 3, 900] {
            let mut player =
                Player::simulation(opened.clone(), Toy::new(), PlayerOptions::default()).unwrap();
            let _ = player.seek(at(tick)).unwrap();
            let (requests, _) = fetch(&mut player, &tape);
            assert!(requests <= 2, "{requests} requests for tick {tick}");
        }
    }
}

#[test]
fn one_player_goes_to_any_moment_with_two_requests_each() {
    for packed in [false, true] {
        let plain = minewars_tape(Generation::Current);
        let expected = linear(&plain, |recording, options| {
            player(recording, View::SPECTATOR, options).unwrap()
        });
        let tape = if packed { pack_bytes(&plain).unwrap() } else { plain };
        let setup = setup_of(&mut Recording::open(&tape[..]).unwrap()).unwrap();
        let (view, state) = (View::SPECTATOR, MinewarsView::new(&setup, View::SPECTATOR));
        let mut player = Player::view(open(&tape), view, state, PlayerOptions::default()).unwrap();
        let ticks: Vec<u64> = expected.keys().copied().collect();
        for tick in shuffled(&ticks).take(200) {
            let _ = player.seek(at(tick)).unwrap();
            let (requests, _) = fetch(&mut player, &tape);
            assert!(!packed || requests <= 2, "{requests} requests for tick {tick}");
            assert_eq!(player.position(), at(tick));
            assert!(player.snapshot().state_hash() == expected[&tick], "tick {tick}");
        }
        assert!(player.open_tape().stored_bytes() <= 2 * tape.len());
    }
}

/// Fails at one request.
pub(crate) struct FailsOnce<'a> {
    tape: &'a [u8],
    left: Option<usize>,
    error: Error,
}

impl<'a> FailsOnce<'a> {
    /// Fails at the request with this number, from 0 on.
    pub(crate) fn at(tape: &'a [u8], left: Option<usize>) -> Self {
        Self { tape, left, error: Error::misuse("network", "it is down") }
    }

    /// The same with another error.
    pub(crate) fn with(self, error: Error) -> Self {
        Self { error, ..self }
    }

    /// Was there no such request?
    pub(crate) fn is_waiting(&self) -> bool {
        self.left.is_some()
    }
}

impl Source for FailsOnce<'_> {
    fn length(&self) -> u64 {
        self.tape.len() as u64
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.left = match self.left {
            Some(0) => {
                self.left = None;
                return Err(self.error.clone());
            }
            left => left.map(|left| left - 1),
        };
        self.tape.fetch(range).map(|bytes| Cow::Owned(bytes.into_owned()))
    }
}

/// What a user does: goes to places, steps, and tries again what failed.
fn session<T: Track>(
    open: impl Fn(Recording<FailsOnce<'_>>) -> Result<Playback<FailsOnce<'_>, Player<T>>>,
    tape: &[u8],
    fails_at: Option<usize>,
) -> (Vec<[u8; 32]>, usize) {
    let mut failures = 0;
    let mut opened = None;
    let mut left = fails_at;
    while opened.is_none() {
        let source = FailsOnce::at(tape, left.take());
        match Recording::open(source).and_then(&open) {
            Ok(player) => opened = Some(player),
            Err(_) => failures += 1,
        }
    }
    let mut player = opened.unwrap();
    let end = player.end().next_tick().0;
    let mut hashes = Vec::new();
    for tick in [end / 2, end, end / 3, end / 3 + 2, 0, end - 1] {
        while let Err(error) = player.seek(at(tick)) {
            assert_eq!(error.to_string(), "network: it is down");
            failures += 1;
            // Where it was left, the state is that of its position.
            let mut other = open(Recording::open(FailsOnce::at(tape, None)).unwrap()).unwrap();
            other.seek(player.position()).unwrap();
            assert!(player.snapshot() == other.snapshot());
        }
        hashes.push(player.snapshot().state_hash());
        for direction in [Direction::Backward, Direction::Forward] {
            while player.step(direction).is_err() {
                failures += 1;
                let here = player.position();
                player
                    .seek(Moment::before(Tick(here.next_tick().0 + 3)).min(player.end()))
                    .unwrap();
                player.seek(here).unwrap();
            }
            hashes.push(player.snapshot().state_hash());
        }
    }
    assert_eq!((player.findings(), player.doubt()), (&[][..], None));
    assert_eq!(player.report().count(), 0);
    (hashes, failures)
}

fn check_failures<T: Track>(
    open: impl Fn(Recording<FailsOnce<'_>>) -> Result<Playback<FailsOnce<'_>, Player<T>>> + Copy,
    tape: &[u8],
    at_least: usize,
) {
    let (expected, none) = session(open, tape, None);
    assert_eq!(none, 0);
    let mut request = 0;
    loop {
        let (hashes, failures) = session(open, tape, Some(request));
        assert!(hashes == expected, "request {request}");
        if failures == 0 {
            break;
        }
        request += 1;
    }
    assert!(request >= at_least, "{request} requests");
}

#[test]
fn a_read_that_fails_ends_the_call_and_nothing_else() {
    let minewars = minewars_tape(Generation::Current);
    for tape in [chained(&minewars), pack_bytes(&minewars).unwrap()] {
        check_failures(
            |recording| player(recording, View::SPECTATOR, PlayerOptions::default()),
            &tape,
            1,
        );
    }
    let options = PlayerOptions::default();
    check_failures(
        |recording| Playback::view(recording, View::SPECTATOR, Counted::default(), options),
        &noisy_tape(60, 4 << 10),
        3,
    );
    check_failures(
        |recording| Playback::simulation(recording, Toy::new(), options),
        &toy::padded_tape(Toy::new(), 300, 1000),
        3,
    );
}

#[test]
fn bytes_that_are_not_all_there_are_refused_and_late_ones_ignored() {
    let tape = toy::padded_tape(Toy::new(), 300, 1000);
    let mut player = Player::simulation(open(&tape), Toy::new(), PlayerOptions::default()).unwrap();
    let need = player.seek(at(150)).unwrap();
    let range = need.ranges()[0].clone();
    assert!(player.supply(range, b"short").is_err());
    assert_eq!(player.need(), need);
    player.supply(0..4, b"late").unwrap();
    assert_eq!(player.need(), need);
    // Another seek gives it up.
    let _ = player.seek(at(10)).unwrap();
    fetch(&mut player, &tape);
    assert_eq!((player.position(), player.findings()), (at(10), &[][..]));
}

/// Counts what it is given.
#[derive(Debug, Clone, Default)]
struct Counted(u64);

impl GameState for Counted {
    fn apply(&mut self, _: Tick, payload: &[u8]) -> Result<()> {
        self.0 += payload.len() as u64;
        Ok(())
    }

    fn snapshot(&self, tick: Tick) -> SimSnapshot {
        let mut snapshot = SimSnapshot::default();
        snapshot.core.tick = tick;
        snapshot.core.random_state = self.0.to_le_bytes().to_vec();
        snapshot
    }

    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()> {
        let bytes = snapshot.core.random_state[..].try_into();
        self.0 = u64::from_le_bytes(bytes.map_err(|_| Error::misuse("count", "not one"))?);
        Ok(())
    }
}

/// A tape with one frame of noise a tick, each in a chunk of its own.
fn noisy_tape(ticks: u64, tick_bytes: usize) -> Vec<u8> {
    let mut dice = 1u64;
    let noise: Vec<u8> = (0..tick_bytes)
        .map(|_| {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (dice >> 40) as u8
        })
        .collect();
    let mut writer = TapeWriter::new(TapeHeader::new(TickLength::MILLISECOND, 1), b"{}").unwrap();
    let mut tape = Vec::new();
    for tick in 0..ticks {
        writer.frame_for_all(0, Tick(tick), ViewSet::ALL, &noise).unwrap();
        writer.flush().unwrap();
        tape.extend(writer.take());
    }
    tape.extend(writer.finish().unwrap());
    tape
}

#[test]
fn a_long_way_is_played_in_windows_of_bounded_memory() {
    const TICK_BYTES: usize = 64 << 10;
    const TICKS: u64 = 300;
    let tape = noisy_tape(TICKS, TICK_BYTES);
    let options = PlayerOptions::default();
    let mut player =
        Player::view(open(&tape), View::SPECTATOR, Counted::default(), options).unwrap();
    let _ = player.seek(at(TICKS)).unwrap();
    let mut rounds = 0;
    while let Need::Bytes(ranges) = player.need() {
        rounds += 1;
        let asked: u64 = ranges.iter().map(|range| range.end - range.start).sum();
        assert!(asked <= 9 << 20, "{asked} bytes at once");
        for range in ranges {
            let part = &tape[range.start as usize..range.end as usize];
            player.supply(range, part).unwrap();
            assert!(player.open_tape().stored_bytes() <= 18 << 20);
        }
    }
    assert_eq!((player.position(), player.state().0), (at(TICKS), TICKS * TICK_BYTES as u64));
    assert!((2..5).contains(&rounds), "{rounds} rounds");
}
