//! What there is to say about a recording, in order.

/// One line: a label and a value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fact {
    /// What the value is; empty where it is another line of the fact before.
    pub label: &'static str,
    /// The value, harmless to a terminal.
    pub value: String,
}

/// Facts in the order in which people read them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts(Vec<Fact>);

impl Facts {
    /// The facts in order.
    pub fn iter(&self) -> impl Iterator<Item = &Fact> {
        self.0.iter()
    }

    /// A fact more.
    pub(crate) fn add(&mut self, label: &'static str, value: impl Into<String>) {
        self.0.push(Fact { label, value: value.into() });
    }

    /// Another line of the fact before.
    pub(crate) fn more(&mut self, value: impl AsRef<str>) {
        self.add("", value.as_ref().trim_end());
    }

    /// A fact of several lines; none without lines.
    pub(crate) fn list(&mut self, label: &'static str, lines: &[String]) {
        for (index, line) in lines.iter().enumerate() {
            self.add(if index == 0 { label } else { "" }, line);
        }
    }
}
