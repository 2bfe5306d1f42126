//! A log without the `data` of its deltas, made while it is read.
//!
//! Up to all of a log is `data`, which states and outcomes never need. Whoever needs only these can
//! read a log that is much larger than memory.

/// Takes a log in pieces and keeps it without `data`: what it was becomes `null`.
#[derive(Debug, Default)]
pub(crate) struct Stripper {
    /// How many containers are open.
    depth: usize,
    string: Option<StringState>,
    /// The last string at the depth of a root field or of a field of a delta, with its quotes.
    name: Vec<u8>,
    /// The value of the root's `deltas` is open.
    in_deltas: bool,
    /// A colon after such a name: its value comes.
    value_comes: bool,
    /// The value of a `data` is being left out.
    skipping: bool,
}

#[derive(Debug, Clone, Copy)]
struct StringState {
    escaped: bool,
    /// It may be a name that matters.
    is_name: bool,
}

/// The depth of the fields of the root, and of a delta.
const ROOT: usize = 1;
const DELTA: usize = 3;
/// Longer names are none that matter.
const NAME_BYTES: usize = 8;

impl Stripper {
    /// Takes the next piece and appends what is left of it.
    pub(crate) fn take(&mut self, mut piece: &[u8], kept: &mut Vec<u8>) {
        while !piece.is_empty() {
            let length = match self.string {
                Some(state) => self.in_string(state, piece),
                None => self.outside(piece, kept),
            };
            let (taken, rest) = piece.split_at(length);
            if !self.skipping {
                kept.extend_from_slice(taken);
            }
            // The bracket or comma after a `data` is looked at again, and then kept.
            piece = rest;
        }
    }

    /// Takes bytes of a string.
    fn in_string(&mut self, state: StringState, piece: &[u8]) -> usize {
        if state.escaped {
            self.note(state, &piece[..1]);
            self.string = Some(StringState { escaped: false, ..state });
            return 1;
        }
        let end = memchr::memchr2(b'"', b'\\', piece);
        let length = end.map_or(piece.len(), |at| at + 1);
        self.note(state, &piece[..length]);
        match end.map(|at| piece[at]) {
            Some(b'"') => self.string = None,
            Some(_) => self.string = Some(StringState { escaped: true, ..state }),
            None => {}
        }
        length
    }

    fn note(&mut self, state: StringState, bytes: &[u8]) {
        if state.is_name {
            let room = (NAME_BYTES + 1).saturating_sub(self.name.len());
            self.name.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    /// Takes bytes up to the next one that matters, and that one.
    fn outside(&mut self, piece: &[u8], kept: &mut Vec<u8>) -> usize {
        let matters = |byte: &u8| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b':' | b',');
        let plain = piece.iter().position(matters).unwrap_or(piece.len());
        if plain > 0 {
            return plain;
        }
        let byte = piece[0];
        if self.skipping && self.depth == DELTA && matches!(byte, b',' | b'}') {
            self.skipping = false;
            return 0;
        }
        match byte {
            b'"' => self.begin_string(),
            b'{' | b'[' => self.open(byte),
            b'}' | b']' => self.close(),
            b':' => return self.colon(piece, kept),
            _ => self.value_comes = false,
        }
        1
    }

    fn begin_string(&mut self) {
        let at_name = self.depth == ROOT || (self.in_deltas && self.depth == DELTA);
        let is_name = at_name && !self.value_comes && !self.skipping;
        if is_name {
            self.name.clear();
            self.name.push(b'"');
        }
        self.string = Some(StringState { escaped: false, is_name });
    }

    fn open(&mut self, byte: u8) {
        if self.depth == ROOT && self.value_comes && byte == b'[' {
            self.in_deltas = self.name == b"\"deltas\"";
        }
        self.value_comes = false;
        self.depth += 1;
    }

    fn close(&mut self) {
        self.value_comes = false;
        self.depth = self.depth.saturating_sub(1);
        self.in_deltas &= self.depth > ROOT;
    }

    fn colon(&mut self, piece: &[u8], kept: &mut Vec<u8>) -> usize {
        let is_delta = self.in_deltas && self.depth == DELTA;
        if self.skipping {
            return 1;
        }
        self.value_comes = self.depth == ROOT || is_delta;
        if is_delta && self.name == b"\"data\"" {
            kept.extend_from_slice(&piece[..1]);
            kept.extend_from_slice(b"null");
            self.value_comes = false;
            self.skipping = true;
        }
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Options;
    use crate::log::Log;
    use crate::sample;

    fn stripped(text: &[u8], piece: usize) -> String {
        let (mut stripper, mut kept) = (Stripper::default(), Vec::new());
        text.chunks(piece).for_each(|piece| stripper.take(piece, &mut kept));
        String::from_utf8(kept).unwrap()
    }

    #[test]
    fn only_data_of_deltas_goes_wherever_the_pieces_end() {
        let text = br#"{"data":[1],"x":{"deltas":[{"data":2}]},"deltas":[{"data":{"data":["}\"]"]},"game":{"data":3}},
            {"type":"data","data":"\\\"","game":{}},{"data":7},{"data": [ ] , "x":1}],"deltas2":[[{"data":5}]]}"#;
        let expected = r#"{"data":[1],"x":{"deltas":[{"data":2}]},"deltas":[{"data":null,"game":{"data":3}},
            {"type":"data","data":null,"game":{}},{"data":null},{"data":null, "x":1}],"deltas2":[[{"data":5}]]}"#;
        for piece in 1..text.len() {
            assert_eq!(stripped(text, piece), expected, "pieces of {piece}");
        }
    }

    #[test]
    fn a_stripped_log_has_the_same_games() {
        let text = sample::log(300, 2);
        let whole = Log::open(&text, &Options::default()).unwrap();
        let kept = stripped(&text, 1000).into_bytes();
        assert!(kept.len() < text.len());
        let log = Log::open(kept, &Options::default()).unwrap();
        assert_eq!(log.len(), whole.len());
        for (ours, theirs) in log.deltas().zip(whole.deltas()) {
            assert_eq!((ours.kind(), ours.game()), (theirs.kind(), theirs.game()));
            assert!(ours.data().is_none_or(|data| data.as_bytes() == b"null"));
        }
    }
}
