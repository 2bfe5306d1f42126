//! The letters of the board: a TrueType font without the letters that no name of a match is likely to have, and
//! without what only printing needs. Less than half of it remains.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Latin, Greek, Cyrillic, punctuation, currencies, arrows, signs, shapes and chess pieces.
const LETTERS: [RangeInclusive<u32>; 11] = [
    0x20..=0x24f,
    0x370..=0x52f,
    0x1e00..=0x1eff,
    0x2010..=0x205e,
    0x20a0..=0x20bf,
    0x2100..=0x218f,
    0x2190..=0x21ff,
    0x2200..=0x22ff,
    0x25a0..=0x25ff,
    0x2600..=0x26ff,
    0x2700..=0x27bf,
];

/// Tables that stay as they are: measures, and `name`, which has the licence.
const KEPT: [&[u8; 4]; 5] = [b"OS/2", b"hhea", b"hmtx", b"maxp", b"name"];

/// The font with some of its letters, each under its old number; `None` where it is not understood.
pub(super) fn subset(font: &[u8]) -> Option<Vec<u8>> {
    let tables = tables(font)?;
    let table = |name: &[u8; 4]| tables.get(name).copied();
    let (glyphs, head) = (table(b"glyf")?, table(b"head")?);
    let places = places(table(b"loca")?, u16_at(head, 50)? != 0, u16_at(table(b"maxp")?, 4)?)?;
    let glyph = |number: u16| {
        let place = places.get(usize::from(number)..usize::from(number) + 2)?;
        glyphs.get(place[0] as usize..place[1] as usize)
    };
    let letters = letters(table(b"cmap")?)?;
    let mut kept: BTreeSet<u16> = letters.values().copied().chain([0]).collect();
    let mut new: Vec<u16> = kept.iter().copied().collect();
    while let Some(number) = new.pop() {
        let parts = parts(glyph(number)?)?;
        new.extend(parts.into_iter().filter(|part| kept.insert(*part)));
    }
    let (mut glyf, mut loca) = (Vec::new(), Vec::new());
    for number in 0..places.len() as u16 - 1 {
        loca.extend((glyf.len() as u32).to_be_bytes());
        if kept.contains(&number) {
            glyf.extend(without_program(glyph(number)?)?);
            glyf.resize(glyf.len().next_multiple_of(4), 0);
        }
    }
    loca.extend((glyf.len() as u32).to_be_bytes());
    let mut head = head.to_vec();
    // Places are written with four bytes.
    head.get_mut(50..52)?.copy_from_slice(&[0, 1]);
    // The third version has no names of letters.
    let post = [&[0, 3, 0, 0], table(b"post")?.get(4..32)?].concat();
    let mut out: BTreeMap<[u8; 4], Vec<u8>> = BTreeMap::from([
        (*b"cmap", cmap(&letters)),
        (*b"glyf", glyf),
        (*b"head", head),
        (*b"loca", loca),
        (*b"post", post),
    ]);
    out.extend(KEPT.iter().filter_map(|name| Some((**name, table(name)?.to_vec()))));
    Some(written(&out))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn tables(font: &[u8]) -> Option<BTreeMap<[u8; 4], &[u8]>> {
    let row = |index: usize| {
        let at = 12 + 16 * index;
        let name: [u8; 4] = font.get(at..at + 4)?.try_into().ok()?;
        let (start, length) = (u32_at(font, at + 8)? as usize, u32_at(font, at + 12)? as usize);
        Some((name, font.get(start..start.checked_add(length)?)?))
    };
    (0..usize::from(u16_at(font, 4)?)).map(row).collect()
}

/// Where each glyph begins, and where the last ends.
fn places(loca: &[u8], is_long: bool, glyphs: u16) -> Option<Vec<u32>> {
    let place = |index: usize| match is_long {
        true => u32_at(loca, 4 * index),
        false => Some(2 * u32::from(u16_at(loca, 2 * index)?)),
    };
    (0..=usize::from(glyphs)).map(place).collect()
}

/// The glyphs of the letters that are kept, by the table of the format with groups.
fn letters(cmap: &[u8]) -> Option<BTreeMap<u32, u16>> {
    let starts = (0..usize::from(u16_at(cmap, 2)?)).map(|index| u32_at(cmap, 8 + 8 * index));
    let is_grouped = |start: &usize| u16_at(cmap, *start) == Some(12);
    let start = starts.flatten().map(|start| start as usize).find(is_grouped)?;
    let mut letters = BTreeMap::new();
    for group in 0..u32_at(cmap, start + 12)? as usize {
        let at = start + 16 + 12 * group;
        let (first, last, glyph) =
            (u32_at(cmap, at)?, u32_at(cmap, at + 4)?, u32_at(cmap, at + 8)?);
        for letter in first..=last.min(0x10_ffff) {
            if LETTERS.iter().any(|range| range.contains(&letter)) {
                letters.insert(letter, u16::try_from(glyph + (letter - first)).ok()?);
            }
        }
    }
    Some(letters)
}

/// The glyphs that a glyph is put together of.
fn parts(glyph: &[u8]) -> Option<Vec<u16>> {
    let (mut parts, mut at) = (Vec::new(), 10);
    // A number of outlines below zero says that it has parts.
    if glyph.is_empty() || u16_at(glyph, 0)? < 0x8000 {
        return Some(parts);
    }
    loop {
        parts.push(u16_at(glyph, at + 2)?);
        match next_part(glyph, at)? {
            (next, true) => at = next,
            (_, false) => return Some(parts),
        }
    }
}

/// Where the part after another begins, and whether there is one.
fn next_part(glyph: &[u8], at: usize) -> Option<(usize, bool)> {
    let flags = u16_at(glyph, at)?;
    let own = if flags & 0x01 != 0 { 8 } else { 6 };
    let turned = match flags {
        _ if flags & 0x08 != 0 => 2,
        _ if flags & 0x40 != 0 => 4,
        _ if flags & 0x80 != 0 => 8,
        _ => 0,
    };
    Some((at + own + turned, flags & 0x20 != 0))
}

/// Where the last part of a glyph begins and ends.
fn last_part(glyph: &[u8]) -> Option<(usize, usize)> {
    let mut at = 10;
    loop {
        match next_part(glyph, at)? {
            (next, true) => at = next,
            (end, false) => return Some((at, end)),
        }
    }
}

/// A glyph without its program, which only moves points to whole pixels: about half of a font.
fn without_program(glyph: &[u8]) -> Option<Vec<u8>> {
    if glyph.is_empty() {
        return Some(Vec::new());
    }
    let outlines = u16_at(glyph, 0)?;
    if outlines < 0x8000 {
        let at = 10 + 2 * usize::from(outlines);
        let rest = glyph.get(at + 2 + usize::from(u16_at(glyph, at)?)..)?;
        return Some([glyph.get(..at)?, &[0, 0], rest].concat());
    }
    // The last part says that a program follows.
    let mut glyph = glyph.to_vec();
    let (last, end) = last_part(&glyph)?;
    let flags = u16_at(&glyph, last)? & !0x100;
    glyph.get_mut(last..last + 2)?.copy_from_slice(&flags.to_be_bytes());
    glyph.truncate(end);
    Some(glyph)
}

/// A table of letters, one group each; it is compressed anyway.
fn cmap(letters: &BTreeMap<u32, u16>) -> Vec<u8> {
    let mut out = vec![0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12, 0, 12, 0, 0];
    let length = 16 + 12 * letters.len() as u32;
    for number in [length, 0, letters.len() as u32] {
        out.extend(number.to_be_bytes());
    }
    for (letter, glyph) in letters {
        for number in [*letter, *letter, u32::from(*glyph)] {
            out.extend(number.to_be_bytes());
        }
    }
    out
}

fn written(tables: &BTreeMap<[u8; 4], Vec<u8>>) -> Vec<u8> {
    let count = tables.len() as u16;
    let power = count.ilog2() as u16;
    let range = 16 << power;
    let mut out = vec![0, 1, 0, 0];
    for number in [count, range, power, 16 * count - range] {
        out.extend(number.to_be_bytes());
    }
    let mut start = 12 + 16 * tables.len();
    for (name, bytes) in tables {
        out.extend(name);
        for number in [sum(bytes), start as u32, bytes.len() as u32] {
            out.extend(number.to_be_bytes());
        }
        start += bytes.len().next_multiple_of(4);
    }
    for bytes in tables.values() {
        out.extend(bytes);
        out.resize(out.len().next_multiple_of(4), 0);
    }
    out
}

/// The checksum of a table.
fn sum(bytes: &[u8]) -> u32 {
    let word = |piece: &[u8]| {
        let mut word = [0; 4];
        word[..piece.len()].copy_from_slice(piece);
        u32::from_be_bytes(word)
    };
    bytes.chunks(4).map(word).fold(0, u32::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_stay_are_the_same_glyphs() {
        let whole = dejavu::sans::bold();
        let small = subset(whole).unwrap();
        assert!(small.len() * 2 < whole.len(), "{} of {}", small.len(), whole.len());
        let (whole, small) = (tables(whole).unwrap(), tables(&small).unwrap());
        let [known, kept] = [&whole, &small].map(|font| letters(font[b"cmap"]).unwrap());
        assert_eq!(known, kept);
        for letter in "Aäßřж€→♞".chars() {
            let number = usize::from(kept[&u32::from(letter)]);
            let [a, b] = [&whole, &small].map(|font| {
                let count = u16_at(font[b"maxp"], 4).unwrap();
                let is_long = u16_at(font[b"head"], 50).unwrap() != 0;
                let places = places(font[b"loca"], is_long, count).unwrap();
                &font[b"glyf"][places[number] as usize..places[number + 1] as usize]
            });
            let without = without_program(a).unwrap();
            assert!(!without.is_empty() && b.starts_with(&without), "{letter}");
            // What is left has the same parts, or the same outlines from the same corner to the same corner.
            assert!(parts(a) == parts(b) && a[..10] == b[..10], "{letter}");
        }
    }

    #[test]
    fn what_is_no_font_is_refused() {
        assert_eq!(subset(b""), None);
        assert_eq!(subset(&dejavu::sans::bold()[..1000]), None);
    }
}
