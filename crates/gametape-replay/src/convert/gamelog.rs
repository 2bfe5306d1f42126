//! A gamelog in another layout or storage.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use gametape_cadre::{Delta, Log, Raw};
use gametape_wire::Result;

use crate::rewrite::Put;
use gametape_cadre::json::{compact, pretty};

/// How a gamelog is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Layout {
    /// Indented, one value a line.
    pub pretty: bool,
    /// The deltas alone, one a line.
    pub lines: bool,
    /// Without the `data` of all deltas, which states never need.
    pub drop_data: bool,
}

impl Layout {
    /// The same layout, indented or not.
    #[must_use]
    pub fn with_pretty(mut self, pretty: bool) -> Self {
        self.pretty = pretty;
        self
    }

    /// The same layout, as lines of deltas or not.
    #[must_use]
    pub fn with_lines(mut self, lines: bool) -> Self {
        self.lines = lines;
        self
    }

    /// The same layout, without the `data` of deltas or with it.
    #[must_use]
    pub fn with_drop_data(mut self, drop_data: bool) -> Self {
        self.drop_data = drop_data;
        self
    }

    /// Is nothing asked for that is only for people?
    pub(super) fn is_for_machines(&self) -> bool {
        !self.pretty && !self.lines
    }

    /// The first option that is not the default.
    pub(super) fn option(&self) -> Option<&'static str> {
        let options =
            [("--pretty", self.pretty), ("--lines", self.lines), ("--drop-data", self.drop_data)];
        options.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }

    fn apply(&self, log: &Log) -> Result<Vec<u8>> {
        if self.lines {
            return self.delta_lines(log);
        }
        let json = if self.drop_data { without_data(&log.to_json())? } else { log.to_json() };
        Ok(if self.pretty { pretty(&json) } else { json })
    }

    /// Each delta on a line of its own. It must be valid JSON, or lines would mean nothing.
    fn delta_lines(&self, log: &Log) -> Result<Vec<u8>> {
        let mut lines = Vec::with_capacity(log.json_bytes());
        for delta in log.deltas() {
            self.put_delta(&delta, &mut lines)
                .map_err(|error| error.within(format_args!("deltas[{}]", delta.index())))?;
        }
        Ok(lines)
    }

    fn put_delta(&self, delta: &Delta<'_>, lines: &mut Vec<u8>) -> Result<()> {
        let mut shorter = Vec::new();
        let text = if self.drop_data {
            put_without_data(delta.raw(), &mut shorter)?;
            &shorter
        } else {
            delta.raw().as_bytes()
        };
        Raw::parse(text)?;
        lines.append(&mut compact(text));
        lines.push(b'\n');
        Ok(())
    }
}

/// Writes a log in a layout, as gzip or plain. Fields and deltas stay byte for byte, unless they are
/// to be laid out again.
pub fn write_gamelog(log: &Log, layout: &Layout, gzip: bool, put: &mut Put<'_>) -> Result<()> {
    let json = layout.apply(log)?;
    if !gzip {
        return put(&json);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&json)?;
    put(&encoder.finish()?)
}

/// The log without the `data` of its deltas, and otherwise as it is.
fn without_data(json: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(json.len());
    put_object(Raw::parse(json)?, &mut out, |name, value, out| {
        if name == "deltas" { put_deltas(value, out) } else { put_raw(value, out) }
    })?;
    Ok(out)
}

fn put_deltas(deltas: Raw<'_>, out: &mut Vec<u8>) -> Result<()> {
    out.push(b'[');
    for (i, delta) in deltas.elements().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        put_without_data(delta?, out)?;
    }
    out.push(b']');
    Ok(())
}

fn put_without_data(delta: Raw<'_>, out: &mut Vec<u8>) -> Result<()> {
    put_object(
        delta,
        out,
        |name, value, out| {
            if name == "data" { Ok(()) } else { put_raw(value, out) }
        },
    )
}

fn put_raw(value: Raw<'_>, out: &mut Vec<u8>) -> Result<()> {
    out.extend_from_slice(value.as_bytes());
    Ok(())
}

/// Writes an object. Entries for whose value nothing is put are left out.
fn put_object(
    object: Raw<'_>,
    out: &mut Vec<u8>,
    mut put_value: impl FnMut(&str, Raw<'_>, &mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    out.push(b'{');
    let start = out.len();
    for entry in object.entries() {
        let (name, value) = entry?;
        let entry_at = out.len();
        out.extend_from_slice(name.as_bytes());
        out.push(b':');
        let value_at = out.len();
        put_value(&name.as_str(), value, out)?;
        if out.len() > value_at {
            out.push(b',');
        } else {
            out.truncate(entry_at);
        }
    }
    if out.len() > start {
        out.pop();
    }
    out.push(b'}');
    Ok(())
}
