//! A gamelog as text, with the ranges of its fields and deltas.

pub(crate) mod fast_path;
mod gzip;
pub(crate) mod header;
pub(crate) mod index;
pub(crate) mod markers;
pub(crate) mod source;
mod strip;
pub(crate) mod summary;

use std::borrow::Cow;
use std::io::{self, BufWriter, Read, Write};

use gametape_wire::{Error, Result};

use crate::limits::{DELTAS, Options, Shares};
use crate::log::header::{Field, Header, Root};
use crate::log::markers::Markers;
use crate::log::source::Text;
use crate::text::json::{Cursor, Kind, Span, StringToken};
use crate::text::raw::Raw;

/// A gamelog: its text, and where in it fields and deltas are.
///
/// ```
/// use gametape_cadre::{Log, Options};
///
/// let text = br#"{"gameName":"Move","deltas":[{"type":"start","game":{"turn":0}},{"type":"over"}]}"#;
/// let log = Log::open(text, &Options::default()).unwrap();
/// assert_eq!(log.header().game_name().unwrap(), "Move");
/// assert_eq!(log.delta(0).unwrap().kind(), "start");
/// assert_eq!(log.to_json(), text);
/// ```
#[derive(Debug, Clone)]
pub struct Log {
    text: Vec<u8>,
    /// All fields but `deltas`, in order.
    fields: Vec<Field>,
    /// Before which field `deltas` is.
    deltas_at: usize,
    deltas: Vec<Parts>,
    markers: Markers,
    options: Options,
}

/// Where the parts of a delta are; an empty span is a missing part.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    whole: Span,
    kind: Span,
    data: Span,
    game: Span,
}

impl Log {
    /// Reads a log, plain or gzip. Plain text that is given away is not copied.
    pub fn open<'a>(input: impl Into<Cow<'a, [u8]>>, options: &Options) -> Result<Self> {
        Self::from_text(source::unpack(input.into(), options.log_bytes())?, options)
    }

    /// Reads a log, plain or gzip, from a reader to its end. What is packed is unpacked while it is
    /// read, and what does not begin as a gamelog does is refused after its first bytes.
    pub fn read(reader: impl Read, options: &Options) -> Result<Self> {
        Self::from_text(source::read(reader, options)?, options)
    }

    /// A log without deltas, which [`push`](Self::push) adds.
    #[must_use]
    pub fn new(markers: Markers, options: &Options) -> Self {
        Self {
            text: Vec::new(),
            fields: Vec::new(),
            deltas_at: 0,
            deltas: Vec::new(),
            markers,
            options: *options,
        }
    }

    pub(crate) fn from_text(text: Text<'_>, options: &Options) -> Result<Self> {
        text.utf8.check(&text.bytes)?;
        let text = text.bytes.into_owned();
        let mut log = Self::new(Markers::default(), options);
        let mut deltas = Vec::new();
        let root = Root::walk(&text, &mut |cursor: &mut Cursor<'_>| {
            let within = |error: Error| error.within(format_args!("deltas[{}]", deltas.len()));
            if deltas.len() == deltas.capacity() {
                let table = (deltas.len() * 2 * size_of::<Parts>()) as u64;
                options.indexed_bytes().check(text.len() as u64 + table, cursor.at as u64)?;
            }
            // Not as a result of either way: that would go through memory.
            match Parts::find_usual(cursor) {
                Some(parts) => deltas.push(parts),
                None => deltas.push(Parts::find_any(cursor).map_err(within)?),
            }
            Ok(())
        })?;
        (log.fields, log.deltas_at, log.deltas) = (root.fields, root.deltas_at, deltas);
        log.text = text;
        log.markers = Markers::from_constants(log.header().field("constants"))?;
        Ok(log)
    }

    /// How many deltas there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.deltas.len()
    }

    /// Are there no deltas?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.deltas.is_empty()
    }

    /// The delta at `index`.
    #[must_use]
    pub fn delta(&self, index: usize) -> Option<Delta<'_>> {
        let parts = self.deltas.get(index)?;
        Some(Delta { text: &self.text, index, parts: *parts })
    }

    /// All deltas.
    pub fn deltas(&self) -> impl Iterator<Item = Delta<'_>> {
        (0..self.len()).filter_map(|index| self.delta(index))
    }

    /// The unpacked text, as far as it was read or pushed.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The `game` that is to be merged; none when there is nothing to merge.
    #[inline]
    pub(crate) fn game_span(&self, index: usize) -> Option<Span> {
        let span = self.deltas[index].game;
        (!span.is_empty() && span.of(&self.text) != b"null").then_some(span)
    }

    /// Where in the text the delta at `index` begins, or all of them end.
    pub(crate) fn offset(&self, index: usize) -> u64 {
        let end = || self.deltas.last().map_or(0, |parts| parts.whole.end);
        u64::from(self.deltas.get(index).map_or_else(end, |parts| parts.whole.start))
    }

    /// Takes the last delta away again.
    pub(crate) fn pop(&mut self) {
        if let Some(parts) = self.deltas.pop() {
            self.text.truncate(parts.whole.start as usize);
        }
    }

    /// The fields of the root.
    #[must_use]
    pub fn header(&self) -> Header<'_> {
        Header { text: &self.text, fields: &self.fields }
    }

    /// The markers of its deltas.
    #[must_use]
    pub fn markers(&self) -> &Markers {
        &self.markers
    }

    /// What the memory that the log leaves is to be used for.
    pub(crate) fn shares(&self) -> Shares {
        self.options.shares(self.text.len() + self.deltas.len() * size_of::<Parts>())
    }

    /// Bytes of JSON.
    #[must_use]
    pub fn json_bytes(&self) -> usize {
        self.text.len()
    }

    /// Adds a delta at the end and says which index it has.
    pub fn push(&mut self, delta: &[u8]) -> Result<usize> {
        Raw::parse(delta)?;
        let index = self.deltas.len();
        DELTAS.check(index as u64 + 1, self.text.len() as u64)?;
        let parts = Parts::find(&mut Cursor::new(delta, 0))?;
        let base = self.append(delta)?;
        self.deltas.push(parts.shifted(base));
        Ok(index)
    }

    /// Sets a field of the root, or replaces it; not for `deltas`. The value is JSON.
    pub fn set_field(&mut self, name: &str, value: &[u8]) -> Result<()> {
        if name == "deltas" {
            return Err(Error::misuse("deltas", "deltas are added one by one"));
        }
        let value = Raw::parse(value)?.as_bytes();
        let mut quoted = Vec::new();
        gametape_wire::json::push_bytes(name.as_bytes(), &mut quoted);
        let name_start = self.append(&quoted)? as usize;
        let value_start = self.append(value)? as usize;
        let token = StringToken { start: name_start, end: value_start, escaped: true };
        let field = Field { name: token, value: Span::new(value_start, value_start + value.len()) };
        let named = |field: &Field| *field.name.decoded(&self.text) == *name.as_bytes();
        match self.fields.iter().rposition(named) {
            Some(at) => self.fields[at] = field,
            None => self.fields.push(field),
        }
        if name == "constants" {
            self.markers = Markers::from_constants(self.header().field(name))?;
        }
        Ok(())
    }

    /// Fields that are set later are written after the deltas, those that there are before them.
    pub(crate) fn put_deltas_last(&mut self) {
        self.deltas_at = self.fields.len();
    }

    /// Appends to the text and says where it begins.
    fn append(&mut self, more: &[u8]) -> Result<u32> {
        let base = self.text.len();
        let limit = self.options.log_bytes();
        limit.check((base + more.len()) as u64, base as u64)?;
        self.text.extend_from_slice(more);
        Ok(base as u32)
    }

    /// The log as JSON: every delta as it was read, nothing between the fields.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.text.len());
        // Writing to memory cannot fail.
        let _ = self.write_json(&mut out);
        out
    }

    /// Writes what [`to_json`](Self::to_json) returns.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        let (before, after) = self.around_deltas();
        out.write_all(&before)?;
        for (index, parts) in self.deltas.iter().enumerate() {
            if index > 0 {
                out.write_all(b",")?;
            }
            out.write_all(parts.whole.of(&self.text))?;
        }
        out.write_all(&after)
    }

    /// What [`to_json`](Self::to_json) writes before the first delta, and what after the last.
    #[must_use]
    pub fn around_deltas(&self) -> (Vec<u8>, Vec<u8>) {
        let (fields_before, fields_after) = self.fields.split_at(self.deltas_at);
        let mut before = vec![b'{'];
        fields_before.iter().for_each(|field| self.write_field(field, &mut before));
        separate(&mut before, b'{');
        before.extend_from_slice(b"\"deltas\":[");
        let mut after = vec![b']'];
        fields_after.iter().for_each(|field| self.write_field(field, &mut after));
        after.push(b'}');
        (before, after)
    }

    fn write_field(&self, field: &Field, out: &mut Vec<u8>) {
        separate(out, b'{');
        out.extend_from_slice(&self.text[field.name.start..field.name.end]);
        out.push(b':');
        out.extend_from_slice(field.value.of(&self.text));
    }

    /// The log as JSON in gzip, at a level from 0 (fast) to 9 (small).
    pub fn to_gzip(&self, level: u32) -> Result<Vec<u8>> {
        let level = flate2::Compression::new(level.min(9));
        let encoder = flate2::write::GzEncoder::new(Vec::new(), level);
        // The encoder clears 32 KiB of its own with every write, and a delta is a few hundred bytes.
        let mut out = BufWriter::with_capacity(PACKED_AT_ONCE, encoder);
        self.write_json(&mut out)?;
        let encoder = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(encoder.finish()?)
    }
}

/// Bytes of JSON that are given to the gzip encoder in one piece.
const PACKED_AT_ONCE: usize = 64 << 10;

/// A comma, unless nothing follows the opening bracket yet.
fn separate(out: &mut Vec<u8>, open: u8) {
    if out.last() != Some(&open) {
        out.push(b',');
    }
}

/// What a field of a delta holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Kind,
    Data,
    Game,
    Other,
}

/// The fields of a delta as every known writer spells and orders them.
const EXPECTED_FIELDS: [(&[u8; 7], Part); 3] =
    [(b"\"type\":", Part::Kind), (b"\"data\":", Part::Data), (b"\"game\":", Part::Game)];

/// Takes a delta. `take_value` is called at each value, with what it is, and has to take it.
#[inline]
pub(crate) fn find_delta(
    cursor: &mut Cursor<'_>,
    mut take_value: impl FnMut(Part, &mut Cursor<'_>) -> Result<()>,
) -> Result<()> {
    cursor.expect(b'{', "a delta must be an object")?;
    let mut expected_fields = EXPECTED_FIELDS.iter();
    let mut more = !cursor.accept(b'}');
    while more {
        let expected = expected_fields.next().filter(|(spelling, _)| cursor.accept_text(spelling));
        let part = match expected {
            Some((_, part)) => *part,
            None => any_part(cursor)?,
        };
        take_value(part, cursor)?;
        more = cursor.comma_or(b'}')?;
    }
    Ok(())
}

/// Takes the name of a field, and its colon.
fn any_part(cursor: &mut Cursor<'_>) -> Result<Part> {
    let name = cursor.string()?;
    cursor.expect(b':', "expected a colon")?;
    Ok(match &*name.decoded(cursor.text) {
        b"type" => Part::Kind,
        b"data" => Part::Data,
        b"game" => Part::Game,
        _ => Part::Other,
    })
}

impl Parts {
    /// Takes a delta and notes where its parts are.
    fn find(cursor: &mut Cursor<'_>) -> Result<Self> {
        match Self::find_usual(cursor) {
            Some(parts) => Ok(parts),
            None => Self::find_any(cursor),
        }
    }

    /// The same for a delta that is written as most are; takes nothing else.
    #[inline(always)]
    fn find_usual(cursor: &mut Cursor<'_>) -> Option<Self> {
        let start = cursor.at;
        let ([kind, data, game], end) = fast_path::parts_of_delta(cursor)?;
        cursor.at = end;
        Some(Self { whole: Span::new(start, end), kind, data, game })
    }

    #[inline(never)]
    fn find_any(cursor: &mut Cursor<'_>) -> Result<Self> {
        let mut parts = Self::default();
        cursor.peek();
        let start = cursor.at;
        find_delta(cursor, |part, cursor| {
            let value = cursor.skip_value()?;
            match part {
                Part::Kind => parts.kind = value,
                Part::Data => parts.data = value,
                Part::Game => parts.game = value,
                Part::Other => {}
            }
            Ok(())
        })?;
        parts.whole = Span::new(start, cursor.at);
        Ok(parts)
    }

    fn shifted(self, by: u32) -> Self {
        Self {
            whole: self.whole.shifted(by),
            kind: self.kind.shifted(by),
            data: self.data.shifted(by),
            game: self.game.shifted(by),
        }
    }
}

/// One delta of a log, as text.
#[derive(Debug, Clone, Copy)]
pub struct Delta<'a> {
    text: &'a [u8],
    index: usize,
    parts: Parts,
}

impl<'a> Delta<'a> {
    /// Its index in the log.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Why it happened; empty when the log does not say so with a string.
    #[must_use]
    pub fn kind(&self) -> Cow<'a, str> {
        let kind = self.part(self.parts.kind).filter(|raw| raw.kind() == Kind::String);
        kind.and_then(|raw| raw.as_str()).unwrap_or_default()
    }

    /// Details of the why.
    #[must_use]
    pub fn data(&self) -> Option<Raw<'a>> {
        self.part(self.parts.data)
    }

    /// What changed.
    #[must_use]
    pub fn game(&self) -> Option<Raw<'a>> {
        self.part(self.parts.game)
    }

    /// The whole delta.
    #[must_use]
    pub fn raw(&self) -> Raw<'a> {
        Raw::of(self.text, self.parts.whole)
    }

    fn part(&self, span: Span) -> Option<Raw<'a>> {
        (!span.is_empty()).then(|| Raw::of(self.text, span))
    }
}
