//! From assembly text to bytes: payloads, streams, whole files.

use crate::{FrameLayout, FrameWriter};
use gametape_wire::{Error, Result, View, ViewSet};

use super::frame::{HETEROGENOUS, HOMOGENOUS, KEEPALIVE, RAW, VIEW};
use super::payload::{assemble_line, parse_bytes};
use super::setup::SetupText;
use crate::dialect::Dialect;
use crate::file::{WriteOptions, write_file};
use crate::message::Fit;
use crate::message::tokens::{Token, Tokens};
use crate::setup::Setup;

/// How many problems are gathered before the assembler gives up.
const MAX_ERRORS: usize = 20;

/// A file put together from text.
#[derive(Debug)]
#[non_exhaustive]
pub struct Assembled {
    /// Everything before the frames.
    pub setup: Setup,
    /// The frames.
    pub frames: Vec<u8>,
    /// How the text wants them stored.
    pub options: WriteOptions,
    /// Lines with a value that could only be written approximately.
    pub inexact: Vec<Inexact>,
}

/// A line whose value had to be rounded or cut to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inexact {
    /// Line number, from 1.
    pub line: u32,
    /// What was done to the value.
    pub fit: Fit,
}

impl Assembled {
    /// The file as bytes.
    pub fn to_file(&self) -> Result<Vec<u8>> {
        write_file(&self.setup, &self.frames, &self.options)
    }
}

/// Assembles a message stream without frames.
///
/// ```
/// use gametape_minewars::{Dialect, assemble_payload};
///
/// let (bytes, _) = assemble_payload("SHAKE ; a comment\nOWNER 1 -7,2", Dialect::Current).unwrap();
/// assert_eq!(bytes, [0x01, 0x81, 0xF9, 0x02]);
/// ```
pub fn assemble_payload(
    text: &str,
    dialect: Dialect,
) -> Result<(Vec<u8>, Vec<Inexact>), Vec<Error>> {
    let mut payload = Vec::new();
    let mut inexact = Vec::new();
    let errors = each_line(text, |tokens, number| {
        note(&mut inexact, number, assemble_line(tokens, dialect, &mut payload)?);
        Ok(())
    });
    if errors.is_empty() { Ok((payload, inexact)) } else { Err(errors) }
}

/// Assembles a whole file from its text.
pub fn assemble_file(text: &str) -> Result<Assembled, Vec<Error>> {
    let mut setup = SetupText::default();
    let mut stream: Option<StreamText> = None;
    let mut errors = each_line(text, |tokens, number| {
        if let Some(open) = &mut stream {
            return open.take(tokens, number);
        }
        if tokens.mnemonic().is_some_and(|word| word.starts_with('.')) {
            return setup.take(tokens);
        }
        let first = tokens.clone().take("line")?;
        let mut begun = start_stream(&setup).map_err(|error| tokens.locate(error, first))?;
        let result = begun.take(tokens, number);
        stream = Some(begun);
        result
    });
    if !errors.is_empty() {
        return Err(errors);
    }
    match finish_file(&setup, stream) {
        Ok(assembled) => Ok(assembled),
        Err(error) => {
            errors.push(error);
            Err(errors)
        }
    }
}

fn start_stream(setup: &SetupText) -> Result<StreamText> {
    let setup = setup.finish()?;
    Ok(StreamText::new(FrameLayout::new(setup.generation, setup.max_view())?))
}

fn finish_file(text: &SetupText, stream: Option<StreamText>) -> Result<Assembled> {
    let setup = text.finish()?;
    let mut stream = match stream {
        Some(stream) => stream,
        None => start_stream(text)?,
    };
    stream.close_frame()?;
    let frames = stream.writer.into_bytes();
    Ok(Assembled { setup, frames, options: text.options.clone(), inexact: stream.inexact })
}

/// Runs `take` on every line that is not empty, and gathers what goes wrong.
fn each_line(text: &str, mut take: impl FnMut(Tokens<'_>, u32) -> Result<()>) -> Vec<Error> {
    let mut errors = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let number = i as u32 + 1;
        let tokens = Tokens::cut(line, number);
        if tokens.left() == 0 {
            continue;
        }
        if let Err(error) = take(tokens, number) {
            errors.push(error);
        }
        if errors.len() >= MAX_ERRORS {
            break;
        }
    }
    errors
}

fn note(inexact: &mut Vec<Inexact>, line: u32, fit: Fit) {
    if fit != Fit::Exact {
        inexact.push(Inexact { line, fit });
    }
}

/// The frames as their lines describe them so far.
struct StreamText {
    writer: FrameWriter,
    open: Option<OpenFrame>,
    inexact: Vec<Inexact>,
}

/// A frame whose lines are still coming.
struct OpenFrame {
    delta: u32,
    views: ViewSet,
    contents: Contents,
    /// Its first line, to point at when the frame as a whole is wrong.
    line: String,
    number: u32,
}

enum Contents {
    Homogenous(Vec<u8>),
    Heterogenous(Vec<(View, Vec<u8>)>),
}

impl StreamText {
    fn new(layout: FrameLayout) -> Self {
        Self { writer: FrameWriter::new(layout), open: None, inexact: Vec::new() }
    }

    /// Takes one line.
    fn take(&mut self, mut tokens: Tokens<'_>, number: u32) -> Result<()> {
        match tokens.mnemonic() {
            Some(HOMOGENOUS) => self.open_frame(tokens, Contents::Homogenous(Vec::new())),
            Some(HETEROGENOUS) => self.open_frame(tokens, Contents::Heterogenous(Vec::new())),
            Some(VIEW) => self.open_view(tokens),
            Some(KEEPALIVE) => {
                self.close_frame()?;
                tokens.take(KEEPALIVE)?;
                self.writer.keepalive();
                tokens.finish()
            }
            Some(RAW) => {
                self.close_frame()?;
                tokens.take(RAW)?;
                self.writer.raw(&parse_bytes(&mut tokens, RAW)?);
                Ok(())
            }
            Some(word) if word.starts_with('.') => {
                let word = tokens.take("directive")?;
                Err(tokens.error(word, "directive", "directives come before the first frame"))
            }
            _ => self.take_message(tokens, number),
        }
    }

    fn take_message(&mut self, tokens: Tokens<'_>, number: u32) -> Result<()> {
        let dialect = Dialect::from(self.writer.layout().generation());
        let payload = self.open.as_mut().and_then(|frame| frame.contents.payload());
        let Some(payload) = payload else {
            let word = tokens.clone().take("message")?;
            return Err(tokens.error(word, "message", "no frame or view is open for it"));
        };
        let fit = assemble_line(tokens, dialect, payload)?;
        note(&mut self.inexact, number, fit);
        Ok(())
    }

    fn open_frame(&mut self, mut tokens: Tokens<'_>, contents: Contents) -> Result<()> {
        self.close_frame()?;
        let (line, number) = tokens.source();
        tokens.take("frame")?;
        let delta = parse_delta(&mut tokens)?;
        let views = parse_views(&mut tokens)?;
        tokens.finish()?;
        self.open = Some(OpenFrame { delta, views, contents, line: line.to_owned(), number });
        Ok(())
    }

    fn open_view(&mut self, mut tokens: Tokens<'_>) -> Result<()> {
        let word = tokens.take(VIEW)?;
        let number = tokens.take("view")?;
        let view = parse_view(&tokens, number, number.text)?;
        tokens.finish()?;
        let Some(frame) = &mut self.open else {
            return Err(tokens.error(word, VIEW, "no heterogenous frame is open for it"));
        };
        match &mut frame.contents {
            Contents::Homogenous(_) => {
                Err(tokens.error(word, VIEW, "a homogenous frame has no views of their own"))
            }
            Contents::Heterogenous(_) if !frame.views.contains(view) => {
                Err(tokens.error(number, VIEW, "the frame's line does not name this view"))
            }
            Contents::Heterogenous(parts) => {
                parts.push((view, Vec::new()));
                Ok(())
            }
        }
    }

    /// Writes the frame whose lines are all there.
    fn close_frame(&mut self) -> Result<()> {
        let Some(frame) = self.open.take() else { return Ok(()) };
        let tokens = Tokens::cut(&frame.line, frame.number);
        frame.write(&mut self.writer).map_err(|error| match tokens.clone().take("frame") {
            Ok(word) => tokens.locate(error, word),
            Err(_) => error,
        })
    }
}

impl OpenFrame {
    /// Its lines became bytes one by one, some of them bytes that are no message.
    fn write(&self, writer: &mut FrameWriter) -> Result<()> {
        match &self.contents {
            Contents::Homogenous(payload) => writer.homogenous(self.delta, self.views, payload),
            Contents::Heterogenous(parts) => {
                let given: ViewSet = parts.iter().map(|(view, _)| *view).collect();
                if given != self.views {
                    let missing = self.views.without(given);
                    return Err(Error::misuse(VIEW, format!("view {missing} has no VIEW line")));
                }
                let parts: Vec<(View, &[u8])> =
                    parts.iter().map(|(view, payload)| (*view, &payload[..])).collect();
                writer.heterogenous(self.delta, &parts)
            }
        }
    }
}

impl Contents {
    /// Where the next message goes.
    fn payload(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            Self::Homogenous(payload) => Some(payload),
            Self::Heterogenous(parts) => parts.last_mut().map(|(_, payload)| payload),
        }
    }
}

/// `+67`
fn parse_delta(tokens: &mut Tokens<'_>) -> Result<u32> {
    let word = tokens.take("time")?;
    word.text.strip_prefix('+').and_then(|delta| delta.parse().ok()).ok_or_else(|| {
        let problem = format!("'{}' is not a time since the frame before, such as +67", word.text);
        tokens.error(word, "time", problem)
    })
}

/// `0,1,2`, or `-` for none.
fn parse_views(tokens: &mut Tokens<'_>) -> Result<ViewSet> {
    let word = tokens.take("views")?;
    if word.text == "-" {
        return Ok(ViewSet::EMPTY);
    }
    word.text.split(',').map(|number| parse_view(tokens, word, number)).collect()
}

fn parse_view(tokens: &Tokens<'_>, word: Token<'_>, number: &str) -> Result<View> {
    number
        .parse()
        .ok()
        .and_then(View::new)
        .ok_or_else(|| tokens.error(word, "view", format!("'{number}' is not a view from 0 to 15")))
}
