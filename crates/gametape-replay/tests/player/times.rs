//! Positions and times: for every kind of timeline the same.

use gametape_cadre::{Log, Options, sample};
use gametape_minewars::Generation;
use gametape_minewars::sample::Sample;
use gametape_replay::{
    Direction, GamelogTimeline, MinewarsTimeline, Playback, PlayerOptions, Recording, Simulation,
    Timeline, TimelineOptions, minewars,
};
use gametape_wire::{Moment, Source, Tick, TickLength, Time, View, When};

use super::common::minewars_tape;
use super::toy::{self, Toy};

/// At every stop: any time of its last tick, however it is written, is that position, and the state
/// there is the one that playing up to it leads to; just before it is still the state of the last stop.
fn check<S: Source, T: Timeline, H: PartialEq + std::fmt::Debug>(
    mut played: Playback<S, T>,
    mut sought: Playback<S, T>,
    state: impl Fn(&T::State) -> H,
) {
    let length = played.tick_length();
    let mut last = state(played.state());
    let mut stops = 0;
    assert_eq!(played.position(), Moment::START);
    while played.step(Direction::Forward).unwrap() {
        stops += 1;
        let position = played.position();
        let tick = position.last_tick().unwrap();
        let begin = length.time_of(tick);
        assert_eq!(length.tick_at(begin), tick);
        let within = [0, 1, length.micros() / 2, length.micros() - 1];
        for time in within.map(|micros| begin.plus_micros(micros.into())) {
            assert_eq!(sought.moment(When::Time(time)).unwrap(), position, "{time}");
            assert_eq!(sought.moment(time.to_string().parse().unwrap()).unwrap(), position);
        }
        assert_eq!(sought.moment(When::Tick(tick)).unwrap(), position);
        sought.seek(Moment::before(tick)).unwrap();
        assert_eq!((sought.position(), state(sought.state())), (Moment::before(tick), last));
        sought.seek(sought.moment(When::Time(begin)).unwrap()).unwrap();
        last = state(played.state());
        assert!(sought.position() == position && state(sought.state()) == last, "{position:?}");
    }
    assert!(stops > 20, "{stops} stops");
    assert_eq!(played.position(), played.end());
    assert_eq!(sought.moment(When::End).unwrap(), played.end());
    let late = Time::from_micros(u64::MAX);
    assert_eq!(sought.moment(When::Time(late)).unwrap(), played.end());
    assert_eq!(sought.moment(When::BeforeEnd(late)).unwrap(), Moment::after(Tick(0)));
    assert_eq!(sought.moment(When::BeforeEnd(Time::ZERO)).unwrap(), played.end());
}

const NO_SOURCE: &[u8] = &[];

#[test]
fn positions_and_times_agree_in_a_minewars_recording() {
    for generation in [Generation::V01, Generation::Current] {
        let sample = Sample { moments: 100, radius: 3, ..Sample::default() };
        let (setup, frames) = sample.build(generation).unwrap();
        let open = || {
            let options = TimelineOptions::default();
            let mut timeline = MinewarsTimeline::new(&setup, View::SPECTATOR, options).unwrap();
            timeline.extend(&frames).unwrap();
            Playback::new(NO_SOURCE, timeline)
        };
        assert_eq!(open().tick_length(), TickLength::MILLISECOND);
        check(open(), open(), |state| state.state().hash());
    }
}

#[test]
fn positions_and_times_agree_in_a_gamelog() {
    let open = || {
        let log = Log::open(sample::log(80, 3), &Options::default()).unwrap();
        let timeline = GamelogTimeline::load(log, &Options::default()).unwrap();
        Playback::new(NO_SOURCE, timeline)
    };
    check(open(), open(), |timeline| timeline.state().hash());
}

#[test]
fn positions_and_times_agree_in_a_view_of_a_tape() {
    let tape = minewars_tape(Generation::Current);
    for view in [View::SPECTATOR, View::new(1).unwrap()] {
        let open = || {
            let recording = Recording::open(&tape[..]).unwrap();
            minewars::player(recording, view, PlayerOptions::default()).unwrap()
        };
        check(open(), open(), |state| state.state().hash());
    }
}

#[test]
fn positions_and_times_agree_in_a_simulation() {
    let tape = toy::tape(Toy::new(), 220);
    let open = || {
        let recording = Recording::open(&tape[..]).unwrap();
        Playback::simulation(recording, Toy::new(), PlayerOptions::default()).unwrap()
    };
    check(open(), open(), |toy| toy.snapshot().state_hash());
}
