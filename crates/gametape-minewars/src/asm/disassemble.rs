//! Disassembling a whole recording, or a payload without frames, piece by piece.

use gametape_wire::{Error, Result, View, ViewSet};

use super::frame::{print_frame_on, print_raw};
use super::objects::Objects;
use super::payload::Line;
use super::setup::print_setup;
use crate::dialect::Dialect;
use crate::file::ReplayFile;
use crate::frames::{FrameLayout, Frames, Tail, select_views};
use crate::message::Messages;
use crate::message::pen::Sheet;

/// Output is handed on in pieces of about this size.
const PIECE_BYTES: usize = 128 << 10;

/// How a disassembly is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listing {
    /// Assembly text, which can be assembled again.
    Text,
    /// One JSON object a line: each frame, then its messages; without the setup.
    Json,
}

/// What could not be decoded in a disassembly.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Disassembled {
    /// What is wrong with the setup and the frames, or with the payload.
    pub problems: Vec<Error>,
    /// Payloads of frames that cannot be read to their end.
    pub unreadable: usize,
}

/// Takes the next piece of the output, and how many bytes of frames or of the payload were read.
type Put<'p> = dyn FnMut(&[u8], u64) -> Result<()> + 'p;

/// Disassembles a recording, or only what one view receives.
///
/// Text of a recording whose frames cannot be read at all has its setup; as JSON that is an error.
///
/// ```
/// use gametape_minewars::sample::Sample;
/// use gametape_minewars::{Generation, Listing, ReplayFile, WriteOptions};
/// use gametape_minewars::{assemble_file, disassemble_file, write_file};
///
/// let (setup, frames) = Sample::default().build(Generation::Current)?;
/// let bytes = write_file(&setup, &frames, &WriteOptions::default())?;
/// let mut text = Vec::new();
/// let done = disassemble_file(&ReplayFile::open(&bytes)?, None, Listing::Text, &mut |piece, _| {
///     text.extend_from_slice(piece);
///     Ok(())
/// })?;
/// assert!(done.problems.is_empty() && done.unreadable == 0);
/// let assembled = assemble_file(str::from_utf8(&text).unwrap()).unwrap();
/// assert_eq!(assembled.to_file()?, bytes);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
pub fn disassemble_file(
    file: &ReplayFile<'_>,
    view: Option<View>,
    listing: Listing,
    put: &mut Put<'_>,
) -> Result<Disassembled> {
    let layout = file.frame_layout()?;
    let mut writer = Writer::new(listing, file.dialect(), put);
    writer.setup(file);
    let frames = match file.frames() {
        Ok(frames) => frames.bytes,
        // The setup alone is worth having.
        Err(error) if listing == Listing::Text => {
            writer.failed(error);
            return writer.finish();
        }
        Err(error) => return Err(error),
    };
    match view {
        Some(view) => {
            let frames = writer.only(view, layout, &frames)?;
            writer.frames(layout, &frames)?;
        }
        None => writer.frames(layout, &frames)?,
    }
    writer.finish()
}

/// Disassembles messages without setup and frames.
pub fn disassemble_payload(
    payload: &[u8],
    dialect: Dialect,
    listing: Listing,
    put: &mut Put<'_>,
) -> Result<Disassembled> {
    let mut writer = Writer::new(listing, dialect, put);
    let mut messages = Messages::new(payload, 0, dialect);
    let mut handed_on = Ok(());
    let read = messages.visit(|message, wire| {
        if handed_on.is_ok() {
            writer.read += wire.len() as u64;
            handed_on = writer.line(&Line::of(message, wire, dialect));
        }
    });
    handed_on?;
    if let Err(error) = read {
        let line = Line::Unreadable(error, messages.rest());
        writer.line(&line)?;
        if let Line::Unreadable(error, _) = line {
            writer.done.problems.push(error);
        }
    }
    writer.finish()
}

/// Lines on their way out.
struct Writer<'o, 'p> {
    dialect: Dialect,
    output: Output,
    /// Bytes of the input that were read.
    read: u64,
    done: Disassembled,
    put: &'o mut Put<'p>,
}

/// What was written and not handed on yet.
enum Output {
    Text(Sheet),
    Json(Objects, Vec<u8>),
}

impl Output {
    fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(sheet) => sheet.as_bytes(),
            Self::Json(_, buffer) => buffer,
        }
    }

    fn clear(&mut self) {
        match self {
            Self::Text(sheet) => sheet.clear(),
            Self::Json(_, buffer) => buffer.clear(),
        }
    }
}

impl<'o, 'p> Writer<'o, 'p> {
    fn new(listing: Listing, dialect: Dialect, put: &'o mut Put<'p>) -> Self {
        let output = match listing {
            Listing::Text => Output::Text(Sheet::with_room(2 * PIECE_BYTES)),
            Listing::Json => {
                Output::Json(Objects::new(dialect), Vec::with_capacity(2 * PIECE_BYTES))
            }
        };
        Self { dialect, output, read: 0, done: Disassembled::default(), put }
    }

    /// The directives before the frames: in text only.
    fn setup(&mut self, file: &ReplayFile<'_>) {
        if let Output::Text(sheet) = &mut self.output {
            let mut text = Vec::new();
            self.done.problems = print_setup(file, &mut text);
            sheet.append(&text);
        }
    }

    /// There are no frames.
    fn failed(&mut self, error: Error) {
        if let Output::Text(sheet) = &mut self.output {
            sheet.append(format!("; {error}\n").as_bytes());
        }
        self.done.problems.push(error);
    }

    /// The frames of one view, as far as they can be read.
    fn only(&mut self, view: View, layout: FrameLayout, bytes: &[u8]) -> Result<Vec<u8>> {
        let mut all = Frames::new(layout, bytes);
        self.done.problems.extend(all.by_ref().find_map(Result::err));
        let whole = &bytes[..bytes.len() - all.rest().len()];
        select_views(Frames::new(layout, whole), ViewSet::EMPTY.with(view), Tail::Keep)
    }

    fn frames(&mut self, layout: FrameLayout, bytes: &[u8]) -> Result<()> {
        let mut frames = Frames::new(layout, bytes);
        while let Some(frame) = frames.next() {
            match (frame, &mut self.output) {
                (Ok(frame), Output::Text(sheet)) => {
                    self.done.unreadable += print_frame_on(sheet, &frame, self.dialect);
                }
                (Ok(frame), Output::Json(objects, buffer)) => {
                    self.done.unreadable += objects.push_frame(&frame, buffer);
                }
                (Err(error), _) => self.cut(frames.rest(), error),
            }
            self.read = frames.offset();
            self.hand_on(PIECE_BYTES)?;
        }
        Ok(())
    }

    /// The rest of the frames, which is no frame.
    fn cut(&mut self, rest: &[u8], error: Error) {
        if let Output::Text(sheet) = &mut self.output {
            let mut text = Vec::new();
            print_raw(rest, &error, &mut text);
            sheet.append(&text);
        }
        self.done.problems.push(error);
    }

    /// A line of a payload without frames.
    fn line(&mut self, line: &Line<'_>) -> Result<()> {
        match &mut self.output {
            Output::Text(sheet) => {
                line.print_on(sheet, self.dialect);
                sheet.append(b"\n");
            }
            Output::Json(objects, buffer) => objects.push_bare(line, buffer),
        }
        self.hand_on(PIECE_BYTES)
    }

    /// Hands on what was written once it has `enough` bytes.
    fn hand_on(&mut self, enough: usize) -> Result<()> {
        if self.output.as_bytes().len() >= enough {
            (self.put)(self.output.as_bytes(), self.read)?;
            self.output.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Disassembled> {
        self.hand_on(0)?;
        Ok(self.done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(payload: &[u8]) -> (String, Disassembled) {
        let mut text = Vec::new();
        let done =
            disassemble_payload(payload, Dialect::Current, Listing::Text, &mut |piece, _| {
                text.extend_from_slice(piece);
                Ok(())
            });
        (String::from_utf8(text).unwrap(), done.unwrap())
    }

    #[test]
    fn a_payload_that_cannot_be_read_to_its_end_ends_with_its_bytes() {
        let (payload, _) = crate::assemble_payload("OWNER 1 -7,2\n", Dialect::Current).unwrap();
        let (whole, done) = text(&payload);
        assert_eq!((&*whole, done.problems.len()), ("OWNER 1 -7,2\n", 0));
        let twice = [&*payload, &payload[..payload.len() - 1]].concat();
        let (cut, done) = text(&twice);
        assert!(cut.starts_with("OWNER 1 -7,2\nBYTES ") && done.problems.len() == 1, "{cut}");
        let (again, _) = crate::assemble_payload(&cut, Dialect::Current).unwrap();
        assert_eq!(again, twice);
    }

    #[test]
    fn an_error_of_who_takes_the_pieces_comes_back() {
        let (line, _) = crate::assemble_payload("OWNER 1 -7,2\n", Dialect::Current).unwrap();
        let payload = line.repeat(100_000);
        let mut pieces = 0;
        let done = disassemble_payload(&payload, Dialect::Current, Listing::Json, &mut |_, _| {
            pieces += 1;
            Err(Error::misuse("result", "closed"))
        });
        assert!(done.is_err() && pieces == 1);
    }
}
