//! City names: sequences of phoneme codes, and how they are spelled.

use std::borrow::Cow;
use std::fmt;

use gametape_wire::{Error, Result};

/// The spelling of every phoneme code, in order of codes.
const SPELLINGS: [&str; 48] = [
    " ", "a", "e", "i", "o", "u", "ya", "ye", "yi", "yo", "yu", "b", "ch", "d", "f", "g", //
    "h", "k", "kh", "l", "m", "n", "p", "r", "s", "sh", "t", "v", "z", "ts", "zh", "dj", //
    "bb", "cch", "dd", "ff", "gg", "kk", "ll", "mm", "nn", "pp", "rr", "ss", "ssh", "tt", "vv",
    "zz",
];

/// The most codes that a name can have: its length is one byte.
const MAX_CODES: usize = 255;

/// The name of a city: phoneme codes 0 to 47. Codes over 47 have no meaning, but are kept.
///
/// ```
/// use gametape_minewars::CityName;
///
/// let name = CityName::from_codes(&[47, 2]);
/// assert_eq!(name.to_string(), "zze");
/// assert_eq!(CityName::from_text("zze").unwrap(), name);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct CityName<'a>(Cow<'a, [u8]>);

impl<'a> CityName<'a> {
    /// The name with these codes, borrowed.
    #[must_use]
    pub const fn from_codes(codes: &'a [u8]) -> Self {
        Self(Cow::Borrowed(codes))
    }

    /// The name that is spelled like `text`, or why it cannot be.
    ///
    /// At every position the longest phoneme that lets the rest be spelled; `<hh>` is a code over 47.
    pub fn from_text(text: &str) -> Result<CityName<'static>> {
        if text.len() > MAX_CODES * LONGEST_SPELLING {
            return Err(too_long());
        }
        let steps = spelling_steps(text.as_bytes());
        let mut codes = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let Some((code, length)) = steps[at] else { return Err(unspellable(text)) };
            codes.push(code);
            at += length;
        }
        if codes.len() > MAX_CODES {
            return Err(too_long());
        }
        Ok(CityName(Cow::Owned(codes)))
    }

    /// The phoneme codes.
    #[must_use]
    pub fn codes(&self) -> &[u8] {
        &self.0
    }

    /// Is there no name?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same name, independent of the bytes it was read from.
    #[must_use]
    pub fn into_owned(self) -> CityName<'static> {
        CityName(Cow::Owned(self.0.into_owned()))
    }
}

impl From<Vec<u8>> for CityName<'static> {
    fn from(codes: Vec<u8>) -> Self {
        Self(Cow::Owned(codes))
    }
}

impl fmt::Display for CityName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &code in self.codes() {
            match SPELLINGS.get(usize::from(code)) {
                Some(spelling) => f.write_str(spelling)?,
                None => write!(f, "<{code:02x}>")?,
            }
        }
        Ok(())
    }
}

/// Bytes of `<hh>`, which no phoneme exceeds.
const LONGEST_SPELLING: usize = 4;

/// For every position in the text the code to write there and its length, where the rest can follow.
///
/// Filled from the end, so that one pass decides what a search would have to try.
fn spelling_steps(text: &[u8]) -> Vec<Option<(u8, usize)>> {
    let mut steps = vec![None; text.len()];
    for at in (0..text.len()).rev() {
        let rest = &text[at..];
        let leads_on = |length: usize| rest.len() == length || steps[at + length].is_some();
        steps[at] = spelled_codes(rest)
            .filter(|&(_, length)| leads_on(length))
            .max_by_key(|&(_, length)| length);
    }
    steps
}

/// Every code whose spelling the text begins with, and the length of that spelling.
fn spelled_codes(text: &[u8]) -> impl Iterator<Item = (u8, usize)> {
    let phonemes = SPELLINGS
        .iter()
        .zip(0u8..)
        .filter(move |(spelling, _)| text.starts_with(spelling.as_bytes()))
        .map(|(spelling, code)| (code, spelling.len()));
    phonemes.chain(code_in_brackets(text).map(|code| (code, LONGEST_SPELLING)))
}

/// The code of `<hh>` at the start of the text, unless a phoneme spells it.
fn code_in_brackets(text: &[u8]) -> Option<u8> {
    let [b'<', high, low, b'>', ..] = text else { return None };
    let digit = |byte: &u8| (*byte as char).to_digit(16);
    let code = (digit(high)? << 4 | digit(low)?) as u8;
    (usize::from(code) >= SPELLINGS.len()).then_some(code)
}

fn unspellable(text: &str) -> Error {
    Error::misuse("city name", format!("no phonemes spell \"{text}\""))
}

fn too_long() -> Error {
    Error::misuse("city name", format!("more than {MAX_CODES} phonemes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_known_sessions_are_spelled_as_expected() {
        let spell = |codes: &[u8]| CityName::from_codes(codes).to_string();
        assert_eq!(spell(&[21, 7, 41, 9, 47, 2, 28, 4]), "nyeppyozzezo");
        assert_eq!(spell(&[18, 1, 24, 2, 30, 5, 32, 5]), "khasezhubbu");
        assert_eq!(spell(&[11, 2, 23, 4, 14, 6, 23]), "berofyar");
        assert_eq!(spell(&[1, 0, 31, 3]), "a dji");
    }

    #[test]
    fn the_longest_phoneme_wins_unless_the_rest_would_be_stuck() {
        let codes = |text: &str| CityName::from_text(text).map(|name| name.codes().to_vec());
        assert_eq!(codes("tts").unwrap(), [45, 24]);
        assert_eq!(codes("ssha").unwrap(), [44, 1]);
        assert_eq!(codes("ddj").unwrap(), [13, 31]);
        assert!(codes("").unwrap().is_empty());
        for text in ["q", "c", "jo", "Zze", "ya<2f>", "<3f", "é", "<30>y"] {
            let error = codes(text).unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
        }
    }

    #[test]
    fn unknown_codes_survive_as_hex() {
        let name = CityName::from_codes(&[1, 48, 255]);
        assert_eq!(name.to_string(), "a<30><ff>");
        assert_eq!(CityName::from_text("a<30><ff>").unwrap(), name);
    }

    #[test]
    fn names_end_at_255_phonemes() {
        assert_eq!(CityName::from_text(&"ssh".repeat(255)).unwrap().codes(), [44; 255]);
        for text in ["a".repeat(256), "a".repeat(100_000)] {
            assert!(CityName::from_text(&text).is_err());
        }
    }

    #[test]
    fn every_spelling_that_codes_give_can_be_read_back() {
        for first in 0..=255u8 {
            for second in 0..=255u8 {
                let text = CityName::from_codes(&[first, second, 31]).to_string();
                assert_eq!(CityName::from_text(&text).unwrap().to_string(), text);
            }
        }
    }
}
