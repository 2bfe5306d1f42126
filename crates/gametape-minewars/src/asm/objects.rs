//! Disassembly for machines: one JSON object a line.

use std::io::Write;

use gametape_wire::{Part, View, ViewSet, json};

use super::payload::{BYTES, Line, push_bytes};
use crate::dialect::Dialect;
use crate::message::Messages;
use crate::message::pen::Sheet;
use crate::{Frame, FrameKind};

/// Appends objects to a buffer, without allocating for each.
pub(super) struct Objects {
    dialect: Dialect,
    frames: u64,
    /// What the objects of all messages of a payload begin with.
    start: Vec<u8>,
    asm: Sheet,
}

impl Objects {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, frames: 0, start: Vec::new(), asm: Sheet::default() }
    }

    /// Appends a frame and its messages. Returns how many of its payloads cannot be read to their
    /// end.
    pub(super) fn push_frame(&mut self, frame: &Frame<'_>, out: &mut Vec<u8>) -> usize {
        push_moment(frame, self.frames, out);
        push(out, format_args!(",\"kind\":\"{}\",\"views\":", frame.kind().name()));
        push_views(frame.views(), out);
        out.extend_from_slice(b"}\n");
        let unreadable = frame.parts().filter(|part| !self.push_part(frame, part, out)).count();
        self.frames += 1;
        unreadable
    }

    /// Appends a line of a stream without frames.
    pub(super) fn push_bare(&mut self, line: &Line<'_>, out: &mut Vec<u8>) {
        self.start.clear();
        self.start.push(b'{');
        self.push_line(line, out);
    }

    /// Returns whether the payload can be read to its end.
    fn push_part(&mut self, frame: &Frame<'_>, part: &Part<'_>, out: &mut Vec<u8>) -> bool {
        self.start.clear();
        push_moment(frame, self.frames, &mut self.start);
        self.start.extend_from_slice(b",\"view\":");
        match frame.kind() {
            FrameKind::Heterogenous => push_numbers(part.views, &mut self.start),
            FrameKind::Homogenous | FrameKind::Keepalive => push_views(part.views, &mut self.start),
        }
        self.start.push(b',');
        let mut messages = Messages::new(part.payload, part.offset, self.dialect);
        let read = messages.visit_dyn(&mut |message, wire| {
            self.push_line(&Line::of(message, wire, self.dialect), out);
        });
        let is_readable = read.is_ok();
        if let Err(error) = read {
            self.push_line(&Line::Unreadable(error, messages.rest()), out);
        }
        is_readable
    }

    fn push_line(&mut self, line: &Line<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.start);
        out.extend_from_slice(b"\"asm\":");
        self.asm.clear();
        match line {
            Line::Message(message) | Line::Irregular(message, _) => {
                message.print_on(&mut self.asm, self.dialect);
            }
            Line::Unreadable(_, bytes) => {
                let mut text = Vec::new();
                push_bytes(BYTES, bytes, &mut text);
                self.asm.append(&text);
            }
        }
        json::push_bytes(self.asm.as_bytes(), out);
        match line {
            Line::Irregular(_, bytes) => {
                out.extend_from_slice(b",\"bytes\":\"");
                bytes.iter().for_each(|byte| push(out, format_args!("{byte:02x}")));
                out.push(b'"');
            }
            Line::Unreadable(error, _) => {
                out.extend_from_slice(b",\"error\":");
                json::push_bytes(error.to_string().as_bytes(), out);
            }
            _ => {}
        }
        out.extend_from_slice(b"}\n");
    }
}

/// `{"t":195,"frame":0`
fn push_moment(frame: &Frame<'_>, number: u64, out: &mut Vec<u8>) {
    push(out, format_args!("{{\"t\":{},\"frame\":{number}", frame.time()));
}

/// `[0,1]`
fn push_views(views: ViewSet, out: &mut Vec<u8>) {
    out.push(b'[');
    push_numbers(views, out);
    out.push(b']');
}

fn push_numbers(views: ViewSet, out: &mut Vec<u8>) {
    for (i, view) in views.iter().map(View::number).enumerate() {
        let comma = if i == 0 { "" } else { "," };
        push(out, format_args!("{comma}{view}"));
    }
}

/// A vector takes everything.
fn push(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}
