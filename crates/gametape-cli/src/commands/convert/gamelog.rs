//! Converting a gamelog.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use gametape_cadre::{Delta, Log, Raw};
use gametape_wire::{Error, Result as WireResult};

use crate::failure::{Done, Failure, Outcome};
use crate::input::Gamelog;
use crate::json::{compact, pretty};
use crate::output::Target;
use crate::progress::waiting;

/// How a gamelog is laid out.
#[derive(Debug, clap::Args)]
pub(super) struct Layout {
    /// Indent the JSON, one value a line (gamelogs)
    #[arg(long, conflicts_with = "lines")]
    pretty: bool,

    /// Write the deltas alone, one a line (gamelogs)
    #[arg(long)]
    lines: bool,

    /// Leave out the `data` of all deltas: states never need it (gamelogs)
    #[arg(long)]
    drop_data: bool,
}

impl Layout {
    /// The options by name, and whether they were given.
    pub(super) fn options(&self) -> [(&'static str, bool); 3] {
        [("--pretty", self.pretty), ("--lines", self.lines), ("--drop-data", self.drop_data)]
    }

    fn apply(&self, log: &Log) -> WireResult<Vec<u8>> {
        if self.lines {
            return self.delta_lines(log);
        }
        let json = if self.drop_data { without_data(&log.to_json())? } else { log.to_json() };
        Ok(if self.pretty { pretty(&json) } else { json })
    }

    /// Each delta on a line of its own. It must be valid JSON, or lines would mean nothing.
    fn delta_lines(&self, log: &Log) -> WireResult<Vec<u8>> {
        let mut lines = Vec::with_capacity(log.json_bytes());
        for delta in log.deltas() {
            self.put_delta(&delta, &mut lines)
                .map_err(|error| error.within(format_args!("deltas[{}]", delta.index())))?;
        }
        Ok(lines)
    }

    fn put_delta(&self, delta: &Delta<'_>, lines: &mut Vec<u8>) -> WireResult<()> {
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

/// The log without the `data` of its deltas, and otherwise as it is.
fn without_data(json: &[u8]) -> WireResult<Vec<u8>> {
    let mut out = Vec::with_capacity(json.len());
    put_object(Raw::parse(json)?, &mut out, |name, value, out| {
        if name == "deltas" { put_deltas(value, out) } else { put(value, out) }
    })?;
    Ok(out)
}

fn put_deltas(deltas: Raw<'_>, out: &mut Vec<u8>) -> WireResult<()> {
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

fn put_without_data(delta: Raw<'_>, out: &mut Vec<u8>) -> WireResult<()> {
    put_object(delta, out, |name, value, out| if name == "data" { Ok(()) } else { put(value, out) })
}

fn put(value: Raw<'_>, out: &mut Vec<u8>) -> WireResult<()> {
    out.extend_from_slice(value.as_bytes());
    Ok(())
}

/// Writes an object. Entries for whose value nothing is put are left out.
fn put_object(
    object: Raw<'_>,
    out: &mut Vec<u8>,
    mut put_value: impl FnMut(&str, Raw<'_>, &mut Vec<u8>) -> WireResult<()>,
) -> WireResult<()> {
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

/// Converts a log. `gzip` is what was asked for, if anything was.
pub(super) fn convert(
    gamelog: &Gamelog<'_>,
    layout: &Layout,
    gzip: Option<bool>,
    output: &Target,
) -> Outcome {
    let log = gamelog.log()?;
    let gzip = gzip.unwrap_or(!layout.pretty && !layout.lines);
    let converted = waiting("converting", || layout.apply(&log));
    let converted = converted.map_err(|error: Error| gamelog.failure(&error))?;
    if gzip {
        output.write(gamelog.source, &compressed(&converted, output)?)?;
    } else {
        output.write(gamelog.source, &converted)?;
    }
    Ok(Done::Fine)
}

fn compressed(bytes: &[u8], output: &Target) -> Result<Vec<u8>, Failure> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let packed =
        waiting("compressing", || encoder.write_all(bytes).and_then(|()| encoder.finish()));
    packed.map_err(|error| Failure::io(output, &error))
}
