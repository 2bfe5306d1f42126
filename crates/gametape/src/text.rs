//! Text for people: aligned fields, readable numbers and times.

use std::fmt::Write;

use anstyle::Style;

/// Width of the column of labels.
const LABEL_WIDTH: usize = 10;

/// A title and lines of label and value below it, aligned.
pub(crate) struct Fields(String);

impl Fields {
    /// No fields yet.
    pub(crate) fn new(title: &str) -> Self {
        let style = Style::new().bold();
        Self(format!("{style}{}{style:#}\n", printable(title)))
    }

    /// A field. The value is shown as it is.
    pub(crate) fn add(&mut self, label: &str, value: impl AsRef<str>) {
        let (style, value) = (Style::new().dimmed(), value.as_ref());
        let _ = writeln!(self.0, "  {style}{label:<LABEL_WIDTH$}{style:#}{value}");
    }

    /// Another line of the field before.
    pub(crate) fn more(&mut self, value: impl AsRef<str>) {
        self.add("", value.as_ref().trim_end());
    }

    /// All of it.
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// `1,310,554`
pub(crate) fn thousands(number: u64) -> String {
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
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// `1:02:03.004`
pub(crate) fn clock(milliseconds: u64) -> String {
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{hours}:{minutes:02}:{seconds:02}.{rest:03}")
}

/// Text from a file, harmless to a terminal: control characters are shown, not obeyed.
pub(crate) fn printable(text: &str) -> String {
    let show = |c: char| {
        let escaped = c.is_control().then(|| c.escape_default());
        let plain = (!c.is_control()).then_some(c);
        escaped.into_iter().flatten().chain(plain)
    };
    text.chars().flat_map(show).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_grouped() {
        assert_eq!([0, 999, 1000, 1_310_554].map(thousands), ["0", "999", "1,000", "1,310,554"]);
        assert_eq!([count(1, "tile"), count(0, "tile")], ["1 tile", "0 tiles"]);
        assert_eq!(clock(0), "0:00:00.000");
        assert_eq!(clock(3_723_004), "1:02:03.004");
    }

    #[test]
    fn control_characters_are_shown_not_obeyed() {
        assert_eq!(printable("a\u{1b}[31mé\n"), "a\\u{1b}[31mé\\n");
    }
}
