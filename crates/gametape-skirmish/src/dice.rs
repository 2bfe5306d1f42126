//! Randomness that is a function of seed, stream and counter.

/// The golden ratio's fraction in 64 bits: steps by it visit every number.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// What randomness is drawn for; each purpose has its own stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Ground,
    Cities,
    Clusters,
    Items,
    Names,
    Play,
    /// The bot of a player.
    Bot(u8),
}

impl Stream {
    const fn number(self) -> u64 {
        match self {
            Self::Ground => 1,
            Self::Cities => 2,
            Self::Clusters => 3,
            Self::Items => 4,
            Self::Names => 5,
            Self::Play => 6,
            Self::Bot(player) => 64 + player as u64,
        }
    }
}

/// A counter-based generator: draw *n* of a stream does not depend on any other draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dice {
    key: u64,
    draws: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64, stream: Stream) -> Self {
        let key = mix(seed.wrapping_add(stream.number().wrapping_mul(STEP)));
        Self { key, draws: 0 }
    }

    /// How often it was drawn from: all of its state.
    pub(crate) fn draws(&self) -> u64 {
        self.draws
    }

    pub(crate) fn set_draws(&mut self, draws: u64) {
        self.draws = draws;
    }

    /// A number from 0 to `count` − 1; 0 where `count` is 0.
    pub(crate) fn below(&mut self, count: u64) -> u64 {
        self.draws = self.draws.wrapping_add(1);
        let drawn = mix(self.key.wrapping_add(self.draws.wrapping_mul(STEP)));
        ((u128::from(drawn) * u128::from(count)) >> 64) as u64
    }

    /// True in `percent` of 100 draws.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of the things in a list.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let index = self.below(from.len() as u64) as usize;
        from.get(index)
    }
}

const fn mix(z: u64) -> u64 {
    let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_those_of_the_text() {
        // mix(0) is 0, so seed and stream that cancel out leave the bare sequence of the steps.
        let mut dice = Dice::new(0u64.wrapping_sub(STEP), Stream::Ground);
        assert_eq!(dice.key, 0);
        // The first output of SplitMix64 from 0.
        assert_eq!(mix(STEP), 0xE220_A839_7B1D_CDAF);
        assert_eq!(dice.below(1 << 32), 0xE220_A839);
        assert_eq!(dice.draws(), 1);
    }

    #[test]
    fn a_stream_can_be_entered_anywhere() {
        let mut walked = Dice::new(7, Stream::Bot(3));
        let drawn: Vec<u64> = (0..20).map(|_| walked.below(1000)).collect();
        let mut entered = Dice::new(7, Stream::Bot(3));
        entered.set_draws(12);
        assert_eq!(entered.below(1000), drawn[12]);
        assert!(drawn.iter().any(|n| *n != drawn[0]));
        assert_eq!(Dice::new(7, Stream::Play).below(0), 0);
    }
}
