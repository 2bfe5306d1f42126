//! Assembly text of frames.

use gametape_wire::{Frame, FrameKind, Part};

use super::payload::{Lines, push_bytes};
use crate::decimal;
use crate::dialect::Dialect;

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
/// otherwise is given as bytes, its contents as comment.
pub fn print_frame(frame: &Frame<'_>, dialect: Dialect, out: &mut Vec<u8>) {
    if frame.is_canonical() {
        return print_contents(frame, dialect, out);
    }
    print_raw(frame.bytes(), irregularities(frame), out);
    let mut contents = Vec::new();
    print_contents(frame, dialect, &mut contents);
    for line in contents.split_inclusive(|byte| *byte == b'\n') {
        out.extend_from_slice(b"; ");
        out.extend_from_slice(line);
    }
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

fn print_contents(frame: &Frame<'_>, dialect: Dialect, out: &mut Vec<u8>) {
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
                print_payload(&part, dialect, out);
            }
        }
        FrameKind::Heterogenous => {
            print_head(HETEROGENOUS, frame, out);
            out.push(b'\n');
            for part in frame.parts() {
                print_view(&part, out);
                print_payload(&part, dialect, out);
            }
        }
    }
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

fn print_payload(part: &Part<'_>, dialect: Dialect, out: &mut Vec<u8>) {
    for line in Lines::new(part.payload, part.offset, dialect) {
        out.extend_from_slice(b"  ");
        line.print(dialect, out);
        line.print_comment(dialect, out);
        out.push(b'\n');
    }
}
