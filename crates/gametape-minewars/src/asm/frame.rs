//! Assembly text of frames.

use gametape_wire::{Frame, FrameKind, Part, Reader};

use super::payload::{Line, push_bytes};
use crate::decimal::{self, Short};
use crate::dialect::Dialect;
use crate::message::Message;

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
    print_head(frame, out);
    let mut unreadable = 0;
    for part in frame.parts() {
        if frame.kind() == FrameKind::Heterogenous {
            print_view(&part, out);
        }
        unreadable += usize::from(!print_payload(&part, dialect, out));
    }
    out.push(b'\n');
    unreadable
}

/// `HOMOGENOUS +67 0,1,2 ; t=67 len=3`
fn print_head(frame: &Frame<'_>, out: &mut Vec<u8>) {
    match frame.kind() {
        FrameKind::Keepalive => out.extend_from_slice(KEEPALIVE.as_bytes()),
        FrameKind::Homogenous => print_times_and_views(HOMOGENOUS, frame, out),
        FrameKind::Heterogenous => print_times_and_views(HETEROGENOUS, frame, out),
    }
    out.extend_from_slice(b" ; t=");
    out.extend_from_slice(itoa::Buffer::new().format(frame.time()).as_bytes());
    if frame.kind() == FrameKind::Homogenous {
        frame.parts().for_each(|part| print_length(&part, out));
    }
}

fn print_times_and_views(word: &str, frame: &Frame<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(word.as_bytes());
    out.extend_from_slice(b" +");
    out.extend_from_slice(itoa::Buffer::new().format(frame.delta()).as_bytes());
    if frame.views().is_empty() {
        out.extend_from_slice(b" -");
    }
    let mut before = b' ';
    for view in frame.views().iter() {
        Short::EMPTY.char(before).signed(view.number()).push_to(out);
        before = b',';
    }
}

fn print_view(part: &Part<'_>, out: &mut Vec<u8>) {
    for view in part.views.iter() {
        out.extend_from_slice(b"\n VIEW");
        decimal::push_u8(out, view.number());
        out.extend_from_slice(b" ;");
    }
    print_length(part, out);
}

fn print_length(part: &Part<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b" len=");
    out.extend_from_slice(itoa::Buffer::new().format(part.payload.len()).as_bytes());
}

/// Prints a line for every message, each begun with an end of line. Could all of it be read?
fn print_payload(part: &Part<'_>, dialect: Dialect, out: &mut Vec<u8>) -> bool {
    let mut reader = Reader::with_base(part.payload, part.offset);
    while !reader.is_empty() {
        let start = reader.clone();
        out.extend_from_slice(b"\n  ");
        match Message::print_next(&mut reader, dialect, out) {
            Ok(None) => {}
            Ok(Some(message)) => {
                print_line(&Line::of(message, reader.since(&start), dialect), dialect, out);
            }
            Err(error) => {
                print_line(&Line::Unreadable(error, start.rest()), dialect, out);
                return false;
            }
        }
    }
    true
}

fn print_line(line: &Line<'_>, dialect: Dialect, out: &mut Vec<u8>) {
    line.print(dialect, out);
    line.print_comment(dialect, out);
}
