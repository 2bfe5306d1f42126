//! Assembly text of frames.

use crate::{Frame, FrameKind};
use gametape_wire::{Part, Reader, ViewSet};

use super::payload::{Line, push_bytes};
use crate::dialect::Dialect;
use crate::message::Message;
use crate::message::decimal::{self, Short};

/// The words that begin a line about frames.
pub(crate) const HOMOGENOUS: &str = "HOMOGENOUS";
pub(crate) const HETEROGENOUS: &str = "HETEROGENOUS";
pub(crate) const KEEPALIVE: &str = "KEEPALIVE";
pub(crate) const VIEW: &str = "VIEW";
/// Bytes instead of frames that no writer would write.
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
        FrameKind::Homogenous => out.extend_from_slice(HOMOGENOUS.as_bytes()),
        FrameKind::Heterogenous => out.extend_from_slice(HETEROGENOUS.as_bytes()),
    }
    if frame.kind() != FrameKind::Keepalive {
        decimal::push_number(out, const { Short::of(" +") }, frame.delta().into());
        print_views(frame.views(), out);
    }
    decimal::push_number(out, const { Short::of(" ; t=") }, frame.time());
    if frame.kind() == FrameKind::Homogenous {
        frame.parts().for_each(|part| print_length(&part, out));
    }
}

/// The text of every set of views below 8, two characters each: ` 0,1,2`.
static FEW_VIEWS: [[u8; 16]; 256] = {
    let mut table = [[b' '; 16]; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut length = 0;
        let mut view = 0;
        while view < 8 {
            if bits & (1 << view) != 0 {
                table[bits][length] = if length == 0 { b' ' } else { b',' };
                table[bits][length + 1] = b'0' + view;
                length += 2;
            }
            view += 1;
        }
        bits += 1;
    }
    table
};

/// The views in ascending order after a blank, or a `-` where there are none.
fn print_views(views: ViewSet, out: &mut Vec<u8>) {
    let start = out.len();
    match views.bits() {
        0 => out.extend_from_slice(b" -"),
        few @ 1..=255 => {
            out.extend_from_slice(&FEW_VIEWS[usize::from(few)]);
            out.truncate(start + 2 * views.len());
        }
        _ => out.extend_from_slice(format!(" {views}").as_bytes()),
    }
}

fn print_view(part: &Part<'_>, out: &mut Vec<u8>) {
    for view in part.views.iter() {
        let number = Short::EMPTY.signed(view.number());
        const { Short::of("\n VIEW ") }.push_with(number.char(b' ').char(b';'), out);
    }
    print_length(part, out);
}

fn print_length(part: &Part<'_>, out: &mut Vec<u8>) {
    decimal::push_number(out, const { Short::of(" len=") }, part.payload.len() as u64);
}

/// Prints a line for every message, each begun with an end of line. Could all of it be read?
fn print_payload(part: &Part<'_>, dialect: Dialect, out: &mut Vec<u8>) -> bool {
    let mut reader = Reader::with_base(part.payload, part.offset);
    loop {
        match Message::print_lines(&mut reader, dialect, out) {
            Ok(None) => return true,
            Ok(Some((message, wire))) => {
                print_line(&Line::of(message, wire, dialect), dialect, out);
            }
            Err(error) => {
                print_line(&Line::Unreadable(error, reader.rest()), dialect, out);
                return false;
            }
        }
    }
}

fn print_line(line: &Line<'_>, dialect: Dialect, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\n  ");
    line.print(dialect, out);
    line.print_comment(out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_views_prints_as_it_displays() {
        let mut text = Vec::new();
        for views in (0..=u16::MAX).map(ViewSet::from_bits) {
            text.clear();
            print_views(views, &mut text);
            assert_eq!(str::from_utf8(&text).unwrap(), format!(" {views}"));
        }
    }
}
