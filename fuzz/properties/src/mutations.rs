//! Deterministic damage to a seed, so that the test suite tries what a fuzzer tries first.

/// Files below this size get every truncation and every single-bit flip.
const EXHAUSTIVE_BELOW: usize = 512;
/// How many truncations a larger file gets, spread evenly.
const SPREAD_TRUNCATIONS: usize = 512;
/// How many bytes of random mutations a seed gets in all; bounds the time of a large seed. They are the same every time:
/// what more of them would find is for the fuzzer.
const RANDOM_BYTES: usize = 1 << 20;
const RANDOM_MUTATIONS: std::ops::RangeInclusive<usize> = 100..=750;

/// Calls `check` with the seed itself and then with every mutation of it.
///
/// The same seed always gives the same mutations, in the same order. The label says how an input
/// came about.
pub fn each(seed: &[u8], mut check: impl FnMut(&str, &[u8])) {
    check("as it is", seed);
    truncations(seed, &mut check);
    if seed.len() < EXHAUSTIVE_BELOW {
        bit_flips(seed, &mut check);
    }
    random(seed, &mut check);
}

fn truncations(seed: &[u8], check: &mut impl FnMut(&str, &[u8])) {
    let step = if seed.len() < EXHAUSTIVE_BELOW { 1 } else { seed.len() / SPREAD_TRUNCATIONS };
    for length in (0..seed.len()).step_by(step) {
        check(&format!("cut to {length} bytes"), &seed[..length]);
    }
}

fn bit_flips(seed: &[u8], check: &mut impl FnMut(&str, &[u8])) {
    let mut flipped = seed.to_vec();
    for bit in 0..seed.len() * 8 {
        flipped[bit / 8] ^= 1 << (bit % 8);
        check(&format!("bit {} of byte {} flipped", bit % 8, bit / 8), &flipped);
        flipped[bit / 8] ^= 1 << (bit % 8);
    }
}

fn random(seed: &[u8], check: &mut impl FnMut(&str, &[u8])) {
    let affordable = RANDOM_BYTES / seed.len().max(1);
    let mutations = affordable.clamp(*RANDOM_MUTATIONS.start(), *RANDOM_MUTATIONS.end());
    let mut random = Random::new(seed.len() as u64);
    let mut input = Vec::with_capacity(seed.len() * 2);
    for number in 0..mutations {
        input.clear();
        input.extend_from_slice(seed);
        for _ in 0..=random.below(4) {
            MUTATORS[random.below(MUTATORS.len())](&mut input, &mut random);
        }
        check(&format!("random mutation {number}"), &input);
    }
}

/// Changes some bytes in place, or their number by a little.
type Mutator = fn(&mut Vec<u8>, &mut Random);

const MUTATORS: [Mutator; 6] = [
    |input, random| overwrite_byte(input, random),
    |input, random| overwrite_with_edge_value(input, random),
    insert_byte,
    remove_range,
    repeat_range,
    |input, random| swap_bytes(input, random),
];

/// The longest range that one mutation removes or repeats.
const LONGEST_RANGE: usize = 32;

fn overwrite_byte(input: &mut [u8], random: &mut Random) {
    let value = random.next() as u8;
    if let Some(byte) = pick(input, random) {
        *byte = value;
    }
}

fn overwrite_with_edge_value(input: &mut [u8], random: &mut Random) {
    let value = [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF][random.below(6)];
    let width = 1 << random.below(4);
    let start = random.below(input.len() + 1);
    input.iter_mut().skip(start).take(width).for_each(|byte| *byte = value);
}

fn insert_byte(input: &mut Vec<u8>, random: &mut Random) {
    input.insert(random.below(input.len() + 1), random.next() as u8);
}

fn remove_range(input: &mut Vec<u8>, random: &mut Random) {
    input.drain(range(input, random));
}

fn repeat_range(input: &mut Vec<u8>, random: &mut Random) {
    let repeated = range(input, random);
    let again = input[repeated.clone()].to_vec();
    input.splice(repeated.end..repeated.end, again);
}

fn swap_bytes(input: &mut [u8], random: &mut Random) {
    if !input.is_empty() {
        let (a, b) = (random.below(input.len()), random.below(input.len()));
        input.swap(a, b);
    }
}

fn pick<'a>(input: &'a mut [u8], random: &mut Random) -> Option<&'a mut u8> {
    let index = random.below(input.len().max(1));
    input.get_mut(index)
}

fn range(input: &[u8], random: &mut Random) -> std::ops::Range<usize> {
    let start = random.below(input.len() + 1);
    let length = random.below(LONGEST_RANGE.min(input.len() - start) + 1);
    start..start + length
}

/// `SplitMix64`: small, and the same everywhere and for ever.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0. The slight bias does no harm here.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn all(seed: &[u8]) -> Vec<(String, Vec<u8>)> {
        let mut inputs = Vec::new();
        each(seed, |label, input| inputs.push((label.to_owned(), input.to_vec())));
        inputs
    }

    #[test]
    fn the_same_seed_gives_the_same_inputs() {
        assert_eq!(all(b"some seed"), all(b"some seed"));
    }

    #[test]
    fn a_small_seed_gets_every_truncation_and_every_bit_flip() {
        let seed = [0x5A; 20];
        let inputs: HashSet<Vec<u8>> = all(&seed).into_iter().map(|(_, input)| input).collect();
        for length in 0..=seed.len() {
            assert!(inputs.contains(&seed[..length]), "cut to {length}");
        }
        for bit in 0..seed.len() * 8 {
            let mut flipped = seed;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(inputs.contains(&flipped[..]), "bit {bit}");
        }
    }

    #[test]
    fn random_mutations_differ_and_stay_near_the_seed() {
        let seed: Vec<u8> = (0..200).collect();
        let random: Vec<Vec<u8>> = all(&seed)
            .into_iter()
            .filter(|(label, _)| label.starts_with("random"))
            .map(|(_, input)| input)
            .collect();
        let different: HashSet<&Vec<u8>> = random.iter().collect();
        assert_eq!(random.len(), *RANDOM_MUTATIONS.end());
        assert!(different.len() > random.len() * 9 / 10, "{} differ", different.len());
        assert!(random.iter().all(|input| input.len().abs_diff(seed.len()) <= 4 * LONGEST_RANGE));
    }

    #[test]
    fn an_empty_and_a_large_seed_work() {
        assert!(all(&[]).iter().any(|(_, input)| !input.is_empty()));
        let large = all(&vec![7; 100_000]).len();
        assert!((500..2000).contains(&large), "{large}");
    }
}
