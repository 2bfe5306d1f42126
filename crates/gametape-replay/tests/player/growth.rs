//! Tapes that grow while they are played.

use gametape_minewars::Generation;
use gametape_replay::minewars::{MinewarsView, setup_of};
use gametape_replay::{OpeningTape, Player, PlayerOptions, Recording, Timeline, Track};
use gametape_tape::Tape;
use gametape_wire::{Moment, Result, Tick, View, drive};
use proptest::prelude::*;

use super::common::minewars_tape;
use super::toy::{self, Toy};
use gametape_replay::OpenTape;

fn open(tape: &[u8]) -> Result<OpenTape> {
    let mut opening = OpeningTape::new(tape.len() as u64);
    drive(&mut opening, &mut &tape[..])?;
    opening.finish()
}

fn go<T: Track>(player: &mut Player<T>, tape: &[u8], to: Moment) {
    if !player.seek(to).unwrap().is_ready() {
        drive(player, &mut &tape[..]).unwrap();
    }
    assert_eq!(player.position(), to);
}

/// Everything of a tape but its index, and the chunk boundaries.
fn unfinished(tape: &[u8]) -> (Vec<u8>, usize) {
    let opened = Tape::open(tape).unwrap();
    let end = opened.chunks.last().unwrap().range().end as usize;
    let begun = opened.chunks[3].range().end as usize;
    (tape[..end].to_vec(), begun)
}

/// Extended in these pieces, sought in between, and compared with the tape opened whole.
fn check<T: Track>(
    tape: &[u8],
    ends: bool,
    cuts: &[(usize, u64)],
    player: impl Fn(OpenTape) -> Player<T>,
) {
    let (unfinished, begun) = unfinished(tape);
    let whole: &[u8] = if ends { tape } else { &unfinished };
    let mut cuts: Vec<_> =
        cuts.iter().map(|(at, to)| (begun + at % (whole.len() - begun + 1), *to)).collect();
    cuts.sort_unstable();
    let first = cuts.first().map_or(begun, |cut| cut.0);
    // Of a finished tape every byte is added, so that its index is seen to begin.
    let first = first.min(unfinished.len() - 1);
    let mut grown = player(open(&whole[..first]).unwrap());
    grown.follow().unwrap();
    let mut from = grown.open_tape().end() as usize;
    let mut ends = vec![grown.end()];
    for (at, share) in cuts {
        let before = (grown.position(), grown.snapshot().state_hash(), grown.cached_bytes());
        grown.extend(&whole[from.min(at)..at]).unwrap();
        from = from.max(at);
        assert!(grown.position() == before.0 && grown.snapshot().state_hash() == before.1);
        assert_eq!(grown.cached_bytes(), before.2, "nothing is thrown away");
        ends.push(grown.end());
        let tick = grown.end().next_tick().0 * share / 1000;
        go(&mut grown, whole, Moment::before(Tick(tick)));
        assert_eq!(grown.findings(), []);
    }
    grown.extend(&whole[from..]).unwrap();
    ends.push(grown.end());
    assert!(ends.is_sorted());
    grown.close();
    let mut opened = player(open(whole).unwrap());
    assert_eq!((grown.end(), grown.markers()), (opened.end(), opened.markers()));
    let end = opened.end().next_tick().0;
    for tick in [end, end / 2, end / 3, 0, end * 3 / 4, end] {
        let moment = Moment::before(Tick(tick));
        go(&mut grown, whole, moment);
        go(&mut opened, whole, moment);
        assert!(grown.snapshot() == opened.snapshot(), "tick {tick}");
        assert_eq!(grown.changes(), opened.changes());
        assert_eq!(grown.doubt(), opened.doubt());
    }
    assert_eq!(grown.findings(), opened.findings());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn extended_in_any_pieces_is_opened_whole(
        cuts in prop::collection::vec((0usize..1 << 20, 0u64..=1000), 0..8),
        ends: bool,
    ) {
        let tape = toy::tape(Toy::new(), 300);
        check(&tape, ends, &cuts, |tape| {
            Player::simulation(tape, Toy::new(), PlayerOptions::default()).unwrap()
        });
        let tape = minewars_tape(Generation::Current);
        let setup = setup_of(&mut Recording::open(&tape[..]).unwrap()).unwrap();
        check(&tape, ends, &cuts, |tape| {
            let view = View::new(1).unwrap();
            let state = MinewarsView::new(&setup, view);
            Player::view(tape, view, state, PlayerOptions::default()).unwrap()
        });
    }
}

#[test]
fn a_finished_tape_does_not_grow_and_bytes_that_are_no_chunk_are_refused() {
    let tape = toy::tape(Toy::new(), 100);
    let (unfinished, begun) = unfinished(&tape);
    let player = |tape| Player::simulation(tape, Toy::new(), PlayerOptions::default()).unwrap();
    let mut finished = player(open(&tape).unwrap());
    assert!(finished.follow().is_err() && finished.extend(&[0; 64]).is_err());
    let mut grown = player(open(&unfinished[..begun]).unwrap());
    assert!(grown.extend(&unfinished[begun..]).is_err(), "nobody said that it grows");
    grown.follow().unwrap();
    let end = grown.end();
    let mut broken = unfinished[begun..].to_vec();
    broken[60] ^= 1;
    assert!(grown.extend(&broken).is_err());
    assert_eq!(grown.end(), end);
    go(&mut grown, &unfinished, end);
}
