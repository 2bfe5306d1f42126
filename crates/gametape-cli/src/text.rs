//! Text for people: aligned fields, and the helpers of the library.

use std::fmt::Write;

use anstyle::Style;
use gametape_replay::inspect::Facts;

pub(crate) use gametape_replay::text::{clock, date, hex};
pub(crate) use gametape_wire::text::{count, harmless, printable, shortened, thousands};

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

    /// A title, and facts as fields below it.
    pub(crate) fn of(title: &str, facts: &Facts) -> Self {
        let mut fields = Self::new(title);
        facts.iter().for_each(|fact| fields.add(fact.label, &fact.value));
        fields
    }

    /// All of it.
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}
