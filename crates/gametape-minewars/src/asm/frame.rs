//! Assembly text of frames.

use gametape_wire::{Frame, FrameKind, Part};

use super::payload::{Line, Lines, push_bytes};
use crate::decimal;
use crate::dialect::Dialect;
use crate::message::Messages;

/// The words that begin a line about frames.
pub(crate) const HOMOGENOUS: &str = "HOMOGENOUS";
pub(crate) const HETEROGENOUS: &str = "HETEROGENOUS";
pub(crate) const KEEPALIVE: &str = "KEEPALIVE";
pub(crate) const VIEW: &str = "VIEW";
/// Bytes in place of frames that no writer would write.
pub(crate) const RAW: &str = "RAW";

/// Appends the lines of one frame.
///
/// Assembling them gives the frame back byte for byte. A frame that a writer would have written
/// otherwise is given as bytes, its contents as comment. Returns how many of its payloads cannot be
/// read to their end.
pub fn print_frame(frame: &Frame<'_>, dialect: Dialect, out: &mut Vec<u8>) -> usize {
    if frame.is_canonical() {
        return print_contents(frame, dialect, out);
    }
    print_raw(frame.bytes(), irregularities(frame), out);
    let mut contents = Vec::new();
    let unreadable = print_contents(frame, dialect, &mut contents);
    for line in contents.split_inclusive(|byte| *byte == b'\n') {
        out.extend_from_slice(b"; ");
        out.extend_from_slice(line);
    }
    unreadable
}

/// Appends a line with bytes that are no canonical frame, and why they are not.
pub fn print_raw(bytes: &[u8], why: impl std::fmt::Display, out: &mut Vec<u8>) {
    push_bytes(RAW, bytes, out);
    out.extend_from_slice(format!(" ; {why}\n").as_bytes());
}

fn irregularities(frame: &Frame<'_>) -> String {
    let all: Vec<String> = frame.irregularities().map(|one| one.to_string()).collect();
    all.join("; ")
}

fn print_contents(frame: &Frame<'_>, dialect: Dialect, out: &mut Vec<u8>) -> usize {
    let mut unreadable = 0;
    match frame.kind() {
        FrameKind::Keepalive => {
            out.extend_from_slice(KEEPALIVE.as_bytes());
            print_time(frame, out);
            out.push(b'\n');
        }
        FrameKind::Homogenous => {
            print_head(HOMOGENOUS, frame, out);
            for part in frame.parts() {
                print_length(&part, out);
                out.push(b'\n');
                unreadable += usize::from(!print_payload(&part, dialect, out));
            }
        }
        FrameKind::Heterogenous => {
            print_head(HETEROGENOUS, frame, out);
            out.push(b'\n');
            for part in frame.parts() {
                print_view(&part, out);
                unreadable += usize::from(!print_payload(&part, dialect, out));
            }
        }
    }
    unreadable
}

/// `HOMOGENOUS +67 0,1,2 ; t=67`
fn print_head(word: &str, frame: &Frame<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(word.as_bytes());
    out.extend_from_slice(b" +");
    decimal::push_u32(out, frame.delta());
    out.push(b' ');
    if frame.views().is_empty() {
        out.push(b'-');
    }
    for (i, view) in frame.views().iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        decimal::push_u8(out, view.number());
    }
    print_time(frame, out);
}

fn print_time(frame: &Frame<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b" ; t=");
    decimal::push_u64(out, frame.time());
}

fn print_view(part: &Part<'_>, out: &mut Vec<u8>) {
    for view in part.views.iter() {
        out.extend_from_slice(b" VIEW ");
        decimal::push_u8(out, view.number());
        out.extend_from_slice(b" ;");
    }
    print_length(part, out);
    out.push(b'\n');
}

fn print_length(part: &Part<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b" len=");
    decimal::push_u32(out, part.payload.len() as u32);
}

/// Returns whether the payload could be read to its end.
/// Could all of the payload be read?
fn print_payload(part: &Part<'_>, dialect: Dialect, out: &mut Vec<u8>) -> bool {
    let mut messages = Messages::new(part.payload, part.offset, dialect);
    let result = messages.visit(|message, wire| {
        out.extend_from_slice(b"  ");
        if message.text_is_exact() {
            message.print(dialect, out);
            out.push(b'\n');
        } else {
            print_line(&Line::of(message, wire, dialect), dialect, out);
        }
    });
    let Err(error) = result else { return true };
    out.extend_from_slice(b"  ");
    print_line(&Line::Unreadable(error, messages.rest()), dialect, out);
    false
}

fn print_line(line: &Line<'_>, dialect: Dialect, out: &mut Vec<u8>) {
    line.print(dialect, out);
    line.print_comment(dialect, out);
    out.push(b'\n');
}
