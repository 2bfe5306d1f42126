//! What a server says about itself: lines for who runs it, and figures for who measures it.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogForm {
    /// `key=value`, for people.
    #[default]
    Text,
    /// One JSON object.
    Json,
}

/// Takes a line without its end.
pub type Say = Box<dyn Fn(&str) + Send + Sync>;

/// Where events are reported.
pub struct EventLog {
    form: LogForm,
    say: Say,
}

impl std::fmt::Debug for EventLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventLog").field("form", &self.form).finish_non_exhaustive()
    }
}

impl Default for EventLog {
    /// Nothing is reported.
    fn default() -> Self {
        Self { form: LogForm::Text, say: Box::new(|_| {}) }
    }
}

impl EventLog {
    /// Lines of this form go there.
    #[must_use]
    pub fn new(form: LogForm, say: Say) -> Self {
        Self { form, say }
    }

    /// Reports an event with its fields. Text of others is escaped: a line stays one.
    pub(crate) fn note(&self, event: &str, fields: &[(&str, &dyn std::fmt::Display)]) {
        let now =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_millis());
        let line = match self.form {
            LogForm::Text => text_line(now, event, fields),
            LogForm::Json => json_line(now, event, fields),
        };
        (self.say)(&line);
    }
}

fn text_line(now: u128, event: &str, fields: &[(&str, &dyn std::fmt::Display)]) -> String {
    let mut line = format!("time={}.{:03} event={event}", now / 1000, now % 1000);
    for (key, value) in fields {
        let value = value.to_string();
        let is_plain = !value.is_empty()
            && value.chars().all(|c| c.is_ascii_graphic() && c != '"' && c != '=' && c != '\\');
        let _ = match is_plain {
            true => write!(line, " {key}={value}"),
            false => write!(line, " {key}={value:?}"),
        };
    }
    line
}

fn json_line(now: u128, event: &str, fields: &[(&str, &dyn std::fmt::Display)]) -> String {
    let mut object = serde_json::Map::new();
    let time = now as f64 / 1000.0;
    object.insert("time".into(), time.into());
    object.insert("event".into(), event.into());
    for (key, value) in fields {
        object.insert((*key).to_owned(), value.to_string().into());
    }
    serde_json::Value::Object(object).to_string()
}

/// A figure.
#[derive(Debug, Default)]
pub(crate) struct Figure(AtomicU64);

impl Figure {
    pub(crate) fn add(&self, number: u64) {
        self.0.fetch_add(number, Ordering::Relaxed);
    }

    pub(crate) fn sub(&self, number: u64) {
        self.0.fetch_sub(number, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What is counted. Nothing of it is about one match: whoever reads it learns nothing of what is played.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) connections: Figure,
    pub(crate) seats: Figure,
    pub(crate) publishers: Figure,
    pub(crate) matches: Figure,
    pub(crate) joined: Figure,
    pub(crate) refused: Figure,
    pub(crate) too_slow: Figure,
    pub(crate) sent_messages: Figure,
    pub(crate) sent_bytes: Figure,
    pub(crate) received_bytes: Figure,
    pub(crate) segments: Figure,
    pub(crate) segment_bytes: Figure,
    pub(crate) requests: Figure,
}

/// The type of OpenMetrics text.
pub(crate) const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

impl Figures {
    /// All of them in the OpenMetrics form.
    pub(crate) fn text(&self) -> String {
        let gauges = [
            ("connections", "Connections that are open", &self.connections),
            ("seats", "Spectators with a seat", &self.seats),
            ("publishers", "Publishers that are connected", &self.publishers),
            ("matches", "Live matches", &self.matches),
        ];
        let counters = [
            ("joined", "Seats that were given", &self.joined),
            ("refused", "Sessions and requests that were refused", &self.refused),
            ("too_slow", "Seats that were ended because they did not read", &self.too_slow),
            ("sent_messages", "Messages to seats", &self.sent_messages),
            ("sent_bytes", "Bytes of messages to seats", &self.sent_bytes),
            ("received_bytes", "Bytes of messages of publishers", &self.received_bytes),
            ("segments", "Segments that were sent", &self.segments),
            ("segment_bytes", "Bytes of segments that were sent", &self.segment_bytes),
            ("requests", "HTTP requests", &self.requests),
        ];
        let mut text = String::new();
        for (name, help, figure) in gauges {
            let value = figure.get();
            let _ = write!(
                text,
                "# TYPE gametape_{name} gauge\n# HELP gametape_{name} {help}.\ngametape_{name} {value}\n"
            );
        }
        for (name, help, figure) in counters {
            let value = figure.get();
            let _ = write!(
                text,
                "# TYPE gametape_{name} counter\n# HELP gametape_{name} {help}.\ngametape_{name}_total {value}\n"
            );
        }
        text + "# EOF\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_whatever_is_in_it() {
        let fields: [(&str, &dyn std::fmt::Display); 2] =
            [("seat", &7), ("why", &"a\nb\" c=\u{1b}[")];
        assert_eq!(
            text_line(1_500, "refused", &fields),
            r#"time=1.500 event=refused seat=7 why="a\nb\" c=\u{1b}[""#
        );
        let json = json_line(1_500, "refused", &fields);
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&read["time"], &read["why"]), (&1.5.into(), &"a\nb\" c=\u{1b}[".into()));
        assert!(!json.contains('\n'));
    }

    #[test]
    fn figures_are_open_metrics() {
        let figures = Figures::default();
        figures.seats.add(3);
        figures.seats.sub(1);
        figures.joined.add(3);
        let text = figures.text();
        assert!(
            text.contains("\ngametape_seats 2\n") && text.contains("\ngametape_joined_total 3\n")
        );
        assert!(text.ends_with("# EOF\n") && !text.contains("\n\n"));
    }
}
