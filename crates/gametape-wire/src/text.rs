//! Pieces of text for people: harmless, short, with readable numbers.

/// Text from a recording, harmless to a terminal: control characters, and those that turn the direction
/// of writing around, are shown, not obeyed.
#[must_use]
pub fn printable(text: &str) -> String {
    harmless(text, "")
}

/// The same, but the control characters in `obeyed` stay.
#[must_use]
pub fn harmless(text: &str, obeyed: &str) -> String {
    let show = |c: char| {
        let is_shown = (c.is_control() || turns_direction(c)) && !obeyed.contains(c);
        let escaped = is_shown.then(|| c.escape_default());
        escaped.into_iter().flatten().chain((!is_shown).then_some(c))
    };
    text.chars().flat_map(show).collect()
}

/// Does it change the direction in which the text around it is written? Such text shows something else
/// than it says.
fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// The text, or its start and an ellipsis if it has more than `most` characters.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Bytes as hexadecimal digits, two each: hashes, keys and ids.
///
/// ```
/// assert_eq!(gametape_wire::text::hex(&[0, 0x7f, 0xe5]), "007fe5");
/// ```
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// `1,310,554`
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 tile`, `2,000 tiles`
#[must_use]
pub fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// What the system says about a failure, without the number that the standard library adds:
/// `No such file or directory (os error 2)`.
#[must_use]
pub fn without_code(problem: &str) -> &str {
    problem.split_once(" (os error ").map_or(problem, |(words, _)| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_is_quoted_in_words() {
        let missing = std::io::Error::from_raw_os_error(2).to_string();
        assert!(missing.ends_with("(os error 2)"));
        assert!(missing.starts_with(without_code(&missing)));
        assert!(!without_code(&missing).contains("os error"));
        assert_eq!(without_code("broken"), "broken");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1000, 1_310_554].map(thousands), ["0", "999", "1,000", "1,310,554"]);
        assert_eq!([count(1, "tile"), count(0, "tile")], ["1 tile", "0 tiles"]);
    }

    #[test]
    fn control_characters_are_shown_not_obeyed() {
        assert_eq!(printable("a\u{1b}[31mé\n"), "a\\u{1b}[31mé\\n");
        assert_eq!(harmless("a\u{9b}\tb\n", "\n\t"), "a\\u{9b}\tb\n");
        assert_eq!(printable("a\u{202e}b"), "a\\u{202e}b");
    }

    #[test]
    fn nothing_turns_the_direction_of_writing_around() {
        assert_eq!(printable("a\u{202E}cba\u{202C}"), "a\\u{202e}cba\\u{202c}");
        for c in ['\u{202A}', '\u{202E}', '\u{2066}', '\u{2069}'] {
            assert!(printable(&c.to_string()).is_ascii(), "{}", c.escape_unicode());
        }
        // Arabic and Hebrew letters need none of them.
        let neighbours = "\u{2029}\u{202F}\u{2065}\u{206A}\u{5D0}\u{627}";
        assert_eq!(printable(neighbours), neighbours);
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(shortened("éèê", 3), "éèê");
        assert_eq!(shortened("éèê", 2), "éè…");
    }
}
