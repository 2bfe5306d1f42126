//! Which format it is, by the first bytes.

use std::io::Read;

use flate2::read::GzDecoder;
use gametape_minewars::ReplayFile;
use gametape_tape::ChunkHeader;

/// How many bytes at the start of a recording say which format it has.
pub const SNIFFED_BYTES: usize = 16 << 10;

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

/// What a file most likely is that was found among files of all kinds. Much that is JSON or gzip is
/// something else, so fields of a gamelog must be near its start.
#[must_use]
pub fn likely_format(start: &[u8], length: Option<u64>) -> Option<Format> {
    let is_likely = |format: &Format| *format != Format::Gamelog || has_fields_of_gamelog(start);
    sniff(start, length).filter(is_likely)
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

/// Are there fields of a gamelog in the start of JSON, plain or gzip?
fn has_fields_of_gamelog(start: &[u8]) -> bool {
    let mut text = Vec::new();
    if is_gzip(start) {
        // The start ends in the middle of a block: what was unpacked before is enough.
        let _ = GzDecoder::new(start).take(SNIFFED_BYTES as u64).read_to_end(&mut text);
    }
    let text = if is_gzip(start) { &text } else { start };
    let has = |field: &[u8]| text.windows(field.len()).any(|window| window == field);
    GAMELOG_FIELDS.iter().any(|field| has(field))
}

/// Fields that gamelogs of every age have near their start.
const GAMELOG_FIELDS: [&[u8]; 3] = [b"\"gameName\"", b"\"deltas\"", b"\"gameSession\""];

/// Do these bytes begin as gzip does?
#[must_use]
pub fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(&[0x1F, 0x8B])
}

#[cfg(test)]
mod tests {
    use gametape_tape::{TapeHeader, TapeWriter};

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
    fn what_was_a_tape_is_known_by_its_chunks_or_its_name() {
        let header = TapeHeader::new(50_000, 1).unwrap();
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
