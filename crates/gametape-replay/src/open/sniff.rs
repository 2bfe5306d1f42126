//! Which format it is, by the first bytes.

use std::fmt;
use std::io::Read;

use flate2::read::GzDecoder;
use gametape_minewars::ReplayFile;
use gametape_tape::{ChunkHeader, TapeReader};

/// How many bytes at the start of a recording say which format it has. Of a tape they are those that
/// are read next anyway.
pub const SNIFFED_BYTES: usize = TapeReader::FIRST_BYTES as usize;

/// A format that recordings are stored in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// A tape, or one that a text-mode or 7-bit channel damaged: opening it says what is wrong.
    Tape,
    /// A MineWars replay file.
    MineWars,
    /// A Cadre gamelog, plain or gzip.
    Gamelog,
    /// What a spectator of a Cadre game received, plain or gzip. It is opened as a gamelog.
    SpectatorStream,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tape => "a tape",
            Self::MineWars => "a MineWars recording",
            Self::Gamelog => "a gamelog",
            Self::SpectatorStream => "a spectator stream",
        })
    }
}

/// The format of a recording that begins with `start`; `length` is how long all of it is, where that
/// is known. `None` where it is no recording.
#[must_use]
pub fn sniff(start: &[u8], length: Option<u64>) -> Option<Format> {
    let start = &start[..start.len().min(SNIFFED_BYTES)];
    if is_tape(start) {
        return Some(Format::Tape);
    }
    let minewars = ReplayFile::sniff(start, length);
    // A gamelog may look like a MineWars file by its lengths, but never by a checksum.
    match (is_gamelog(start), minewars) {
        (true, Some(gametape_minewars::Detection::Checksum)) => Some(Format::MineWars),
        (true, _) if is_spectator_stream(start) => Some(Format::SpectatorStream),
        (true, _) => Some(Format::Gamelog),
        (false, found) => found.map(|_| Format::MineWars),
    }
}

fn is_tape(start: &[u8]) -> bool {
    matches!(start, [0x89 | 0x09, b'T', b'A', b'P', ..])
}

/// Is it gzip, or does it begin like a JSON object?
pub(super) fn is_gamelog(start: &[u8]) -> bool {
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    is_gzip(start) || text.trim_ascii_start().first() == Some(&b'{')
}

/// What a file most likely is opened as that was found among files of all kinds. Much that is JSON or gzip
/// is something else, so fields of a gamelog or of a message must be near its start.
#[must_use]
pub fn likely_format(start: &[u8], length: Option<u64>) -> Option<Format> {
    match sniff(start, length)? {
        Format::Gamelog if !has_field(start, &GAMELOG_FIELDS) => None,
        Format::SpectatorStream => Some(Format::Gamelog),
        format => Some(format),
    }
}

/// Does it begin with a message to a spectator: `spec/gamelog.md`, section 10?
pub(super) fn is_spectator_stream(start: &[u8]) -> bool {
    is_gamelog(start) && has_field(start, &[b"event"]) && !has_field(start, &GAMELOG_FIELDS)
}

/// What a file was that does not begin as any recording does: by a whole chunk header of a tape near its
/// start, or else by its name; and what is wrong with it. `None` where nothing says that it was a recording.
#[must_use]
pub fn remains(start: &[u8], name: &str) -> Option<(Format, &'static str)> {
    let is_chunk = |bytes: &[u8]| match bytes.first_chunk() {
        Some(header) => ChunkHeader::read(header, 0).is_ok(),
        None => false,
    };
    if (0..start.len()).any(|at| is_chunk(&start[at..])) {
        let problem = "there are chunks of a tape in it, but it does not begin like one; \
                       try `gametape recover`";
        return Some((Format::Tape, problem));
    }
    let extension = name.rsplit_once('.')?.1.to_ascii_lowercase();
    let (format, problem) = match &*extension {
        "tape" => {
            let problem = "named like a tape, but it does not begin like one; \
                           try `gametape recover`";
            (Format::Tape, problem)
        }
        "minewars" => {
            let problem = "named like a MineWars recording, but it does not begin like one; \
                           try `gametape recover`";
            (Format::MineWars, problem)
        }
        _ => return None,
    };
    Some((format, if start.is_empty() { "it is empty" } else { problem }))
}

/// Is there one of these fields in the start of JSON, plain or gzip?
fn has_field(start: &[u8], fields: &[&[u8]]) -> bool {
    let start = &start[..start.len().min(SNIFFED_BYTES)];
    let mut text = Vec::new();
    if is_gzip(start) {
        // The start ends in the middle of a block: what was unpacked before is enough.
        let _ = GzDecoder::new(start).take(SNIFFED_BYTES as u64).read_to_end(&mut text);
    }
    let text = if is_gzip(start) { &text } else { start };
    fields_of_root(text).iter().any(|field| fields.contains(field))
}

/// Fields that gamelogs of every age have near their start.
const GAMELOG_FIELDS: [&[u8]; 3] = [b"gameName", b"deltas", b"gameSession"];

/// The names of the fields of the root object, in JSON that may be cut: all texts in it, and in nothing
/// inside of it, that a colon follows.
fn fields_of_root(text: &[u8]) -> Vec<&[u8]> {
    let (mut fields, mut depth, mut last) = (Vec::new(), 0_i64, None);
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'"' => {
                let Some(length) = length_of_text(rest) else { break };
                (last, rest) = (Some(&rest[..length]), &rest[length + 1..]);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b':' if depth == 1 => fields.extend(last),
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            _ => {}
        }
        last = None;
    }
    fields
}

/// Where a text ends whose opening quote was read.
fn length_of_text(text: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    text.iter().position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    })
}

/// What gzip holds that is not a gamelog: a recording that is never stored like this.
pub(super) fn gzip_of(bytes: &[u8]) -> Option<Format> {
    let mut start = Vec::new();
    if is_gzip(bytes) {
        // What was unpacked before a problem is enough.
        let _ = GzDecoder::new(bytes).take(SNIFFED_BYTES as u64).read_to_end(&mut start);
    }
    let is_packed = |format: &Format| matches!(format, Format::Gamelog | Format::SpectatorStream);
    sniff(&start, None).filter(|format| !is_packed(format))
}

/// Do these bytes begin as gzip does?
#[must_use]
pub fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(&[0x1F, 0x8B])
}

#[cfg(test)]
mod tests {
    use gametape_tape::{TapeHeader, TapeWriter};
    use gametape_wire::TickLength;

    use super::*;

    #[test]
    fn nothing_in_particular_is_no_recording() {
        let text = b"To be, or not to be, that is the question: ".repeat(400);
        for start in [&[][..], &[0; 4096], &[0xFF; 4096], &text, b"\x7fELF\x02\x01\x01", b"[1,2]"] {
            for length in [None, Some(start.len() as u64), Some(3 << 30)] {
                assert_eq!(sniff(start, length), None, "{:?}", &start[..start.len().min(8)]);
            }
        }
    }

    #[test]
    fn only_fields_of_the_root_make_a_gamelog() {
        let is_likely = |text: &str| likely_format(text.as_bytes(), None) == Some(Format::Gamelog);
        for text in [
            r#"{"gameName":"Chess","deltas":[{"type":"st"#,
            r#" { "players" : [{"a\"":"{"}] , "gameSession" : "1""#,
            r#"{"deltas": "#,
        ] {
            assert!(is_likely(text), "{text}");
        }
        for text in [
            r#"{"a.json.gz":{"gameName":"Chess","deltas":9272}}"#,
            r#"{"name":"deltas","list":["gameName"]}"#,
            r#"{"\"deltas\":":1}"#,
            r#"{"name":"package","version":"1.0"}"#,
        ] {
            assert!(!is_likely(text), "{text}");
        }
    }

    #[test]
    fn messages_to_a_spectator_are_known_by_their_event() {
        let lobby = r#"{"event":"lobbied","data":{"gameName":"Chess","gameSession":"1"}}"#;
        for text in [lobby, &format!("{lobby}\u{4}{lobby}\u{4}"), "\n{ \"data\":1,\"event\" :"] {
            assert_eq!(sniff(text.as_bytes(), None), Some(Format::SpectatorStream), "{text}");
            assert_eq!(likely_format(text.as_bytes(), None), Some(Format::Gamelog), "{text}");
        }
        for text in [r#"{"event":1,"deltas":["#, r#"{"data":{"event":1}}"#, r#"{"events":1}"#] {
            assert_eq!(sniff(text.as_bytes(), None), Some(Format::Gamelog), "{text}");
        }
    }

    #[test]
    fn what_was_a_tape_is_known_by_its_chunks_or_its_name() {
        let header = TapeHeader::new(TickLength::millis::<50>(), 1);
        let mut tape = TapeWriter::new(header, b"{}").unwrap().finish().unwrap();
        tape[0] ^= 1;
        assert_eq!(sniff(&tape, None), None);
        let found = |bytes: &[u8], name| remains(bytes, name).map(|(format, _)| format);
        assert_eq!(found(&tape, "notes.txt"), Some(Format::Tape));
        assert_eq!(found(&tape[..40], "notes.txt"), None);
        assert_eq!(found(&tape[..40], "a.TAPE"), Some(Format::Tape));
        assert_eq!(found(b"text", "b.minewars"), Some(Format::MineWars));
        assert_eq!(remains(b"", "c.tape"), Some((Format::Tape, "it is empty")));
        assert_eq!(remains(&[0; 9000], "tape"), None);
    }

    #[test]
    fn formats_begin_in_their_own_way() {
        assert_eq!(sniff(b"\x89TAPE", None), Some(Format::Tape));
        assert_eq!(sniff(b"\x1F\x8B\x08\x00", None), Some(Format::Gamelog));
        assert_eq!(sniff(b"\xEF\xBB\xBF \n{", None), Some(Format::Gamelog));
    }
}
