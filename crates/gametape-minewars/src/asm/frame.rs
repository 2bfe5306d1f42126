//! Assembly text of frames.

use crate::{Frame, FrameKind};
use gametape_wire::{Part, Reader, View, ViewSet};

use super::payload::{Line, push_bytes};
use crate::dialect::Dialect;
use crate::message::Message;
use crate::message::pen::{Pen, Sheet};

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
    Sheet::append_to(out, |sheet| print_frame_on(sheet, frame, dialect))
}

/// The same on a sheet, which is faster.
pub(super) fn print_frame_on(sheet: &mut Sheet, frame: &Frame<'_>, dialect: Dialect) -> usize {
    if frame.is_canonical() {
        return print_contents(sheet, frame, dialect);
    }
    let mut contents = Sheet::default();
    let unreadable = print_contents(&mut contents, frame, dialect);
    let mut raw = Vec::new();
    print_raw(frame.bytes(), irregularities(frame), &mut raw);
    sheet.append(&raw);
    for line in contents.as_bytes().split_inclusive(|byte| *byte == b'\n') {
        sheet.append(b"; ");
        sheet.append(line);
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

fn print_contents(sheet: &mut Sheet, frame: &Frame<'_>, dialect: Dialect) -> usize {
    let mut parts = frame.parts();
    let Some(first) = parts.next() else {
        sheet.write(|pen| print_head(frame, pen).text(b"\n"));
        return 0;
    };
    let is_readable = if frame.kind() == FrameKind::Heterogenous {
        print_part(sheet, &first, dialect, |pen| print_view(&first, print_head(frame, pen)))
    } else {
        print_part(sheet, &first, dialect, |pen| print_length(&first, print_head(frame, pen)))
    };
    let mut unreadable = usize::from(!is_readable);
    for part in parts {
        let is_readable = print_part(sheet, &part, dialect, |pen| print_view(&part, pen));
        unreadable += usize::from(!is_readable);
    }
    sheet.write(|pen| pen.text(b"\n"));
    unreadable
}

/// `HOMOGENOUS +67 0,1,2 ; t=67`
#[inline]
fn print_head<'p>(frame: &Frame<'_>, pen: Pen<'p>) -> Pen<'p> {
    let pen = match frame.kind() {
        FrameKind::Keepalive => return print_time(frame, pen.text(KEEPALIVE.as_bytes())),
        FrameKind::Homogenous => pen.text(HOMOGENOUS.as_bytes()),
        FrameKind::Heterogenous => pen.text(HETEROGENOUS.as_bytes()),
    };
    let pen = pen.text(b" +").number(u64::from(frame.delta()));
    print_time(frame, print_views(frame.views(), pen))
}

#[inline]
fn print_time<'p>(frame: &Frame<'_>, pen: Pen<'p>) -> Pen<'p> {
    pen.text(b" ; t=").number(frame.time())
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
#[inline]
fn print_views(views: ViewSet, pen: Pen<'_>) -> Pen<'_> {
    match views.bits() {
        0 => pen.text(b" -"),
        few @ 1..=255 => pen.wide(&FEW_VIEWS[usize::from(few)], 2 * views.len()),
        _ => pen.text(format!(" {views}").as_bytes()),
    }
}

/// ` VIEW 3 ; len=17`, begun with an end of line.
#[inline]
fn print_view<'p>(part: &Part<'_>, pen: Pen<'p>) -> Pen<'p> {
    let view = part.views.iter().next().map_or(0, View::number);
    print_length(part, pen.text(b"\n VIEW ").bare(view).text(b" ;"))
}

#[inline]
fn print_length<'p>(part: &Part<'_>, pen: Pen<'p>) -> Pen<'p> {
    pen.text(b" len=").number(part.payload.len() as u64)
}

/// Prints a line for every message, each begun with an end of line, after what `begin` prints. Could
/// all of it be read?
#[inline(always)]
fn print_part(
    sheet: &mut Sheet,
    part: &Part<'_>,
    dialect: Dialect,
    begin: impl FnOnce(Pen<'_>) -> Pen<'_>,
) -> bool {
    let mut reader = Reader::with_base(part.payload, part.offset);
    sheet.write(|pen| Message::print_lines(&mut reader, dialect, begin(pen)));
    reader.is_empty() || print_rest(sheet, reader, dialect)
}

/// Prints what did not go on a page, and messages that are no simple lines.
#[inline(never)]
fn print_rest(sheet: &mut Sheet, mut reader: Reader<'_>, dialect: Dialect) -> bool {
    while !reader.is_empty() {
        let start = reader.clone();
        let message = match Message::decode(&mut reader, dialect) {
            Ok(message) => message,
            Err(error) => {
                print_line(sheet, &Line::Unreadable(error, start.rest()), dialect);
                return false;
            }
        };
        print_line(sheet, &Line::of(message, reader.since(&start), dialect), dialect);
        sheet.write(|pen| Message::print_lines(&mut reader, dialect, pen));
    }
    true
}

fn print_line(sheet: &mut Sheet, line: &Line<'_>, dialect: Dialect) {
    sheet.append(b"\n  ");
    line.print_on(sheet, dialect);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_views_prints_as_it_displays() {
        let mut sheet = Sheet::with_room(1 << 16);
        for views in (0..=u16::MAX).map(ViewSet::from_bits) {
            sheet.clear();
            sheet.write(|pen| print_views(views, pen));
            assert_eq!(str::from_utf8(sheet.as_bytes()).unwrap(), format!(" {views}"));
        }
    }
}
