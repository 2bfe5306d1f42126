//! The letters of the board: a TrueType font without the letters that no name of a match is likely to have, and
//! without what only printing needs. Less than half of it remains.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Latin, Greek, Cyrillic and Vietnamese; punctuation, currencies, № and ™, arrows, a few signs; shapes, stars, chess pieces,
/// suits and draughtsmen, flags and swords, ticks and crosses.
const LETTERS: [RangeInclusive<u32>; 18] = [
    0x20..=0x17f,
    0x192..=0x192,
    0x1a0..=0x1b0,
    0x218..=0x21b,
    0x370..=0x45f,
    0x490..=0x4ff,
    0x1ea0..=0x1ef9,
    0x2010..=0x203a,
    0x20a0..=0x20bf,
    0x2116..=0x2122,
    0x2190..=0x2199,
    0x2212..=0x221e,
    0x2260..=0x2265,
    0x25a0..=0x25cf,
    0x2605..=0x2606,
    0x2654..=0x2667,
    0x2690..=0x26c3,
    0x2713..=0x2718,
];

/// Tables that stay as they are: measures, and `name`, which has the licence.
const KEPT: [&[u8; 4]; 2] = [b"OS/2", b"name"];

/// The font with some of its letters, which are numbered again; `None` where it is not understood.
pub(super) fn subset(font: &[u8]) -> Option<Vec<u8>> {
    let tables = tables(font)?;
    let table = |name: &[u8; 4]| tables.get(name).copied();
    let (glyphs, head) = (table(b"glyf")?, table(b"head")?);
    let offsets = offsets(table(b"loca")?, u16_at(head, 50)? != 0, u16_at(table(b"maxp")?, 4)?)?;
    let glyph = |number: u16| {
        let range = offsets.get(usize::from(number)..usize::from(number) + 2)?;
        glyphs.get(range[0] as usize..range[1] as usize)
    };
    let letters = letters(table(b"cmap")?)?;
    let mut kept: BTreeSet<u16> = letters.values().copied().chain([0]).collect();
    let mut new: Vec<u16> = kept.iter().copied().collect();
    while let Some(number) = new.pop() {
        let parts = parts(glyph(number)?)?;
        new.extend(parts.into_iter().filter(|part| kept.insert(*part)));
    }
    let numbers: BTreeMap<u16, u16> = kept.iter().copied().zip(0..).collect();
    let (mut glyf, mut loca) = (Vec::new(), Vec::new());
    for number in &kept {
        loca.extend((glyf.len() as u32).to_be_bytes());
        glyf.extend(renumbered(without_program(glyph(*number)?)?, &numbers)?);
        glyf.resize(glyf.len().next_multiple_of(4), 0);
    }
    loca.extend((glyf.len() as u32).to_be_bytes());
    let letters = letters.iter().map(|(letter, glyph)| Some((*letter, *numbers.get(glyph)?)));
    let (hmtx, hhea) = widths(table(b"hmtx")?, table(b"hhea")?, &kept)?;
    let mut out: BTreeMap<[u8; 4], Vec<u8>> = BTreeMap::from([
        (*b"cmap", cmap(&letters.collect::<Option<_>>()?)),
        (*b"glyf", glyf),
        // Places are written with four bytes.
        (*b"head", with_number(head, 50, 1)?),
        (*b"hhea", hhea),
        (*b"hmtx", hmtx),
        (*b"loca", loca),
        (*b"maxp", with_number(table(b"maxp")?, 4, kept.len() as u16)?),
        // The third version has no names of letters.
        (*b"post", [&[0, 3, 0, 0], table(b"post")?.get(4..32)?].concat()),
    ]);
    out.extend(KEPT.iter().filter_map(|name| Some((**name, table(name)?.to_vec()))));
    Some(written(&out))
}

/// A table with another number in it.
fn with_number(table: &[u8], at: usize, number: u16) -> Option<Vec<u8>> {
    let mut table = table.to_vec();
    table.get_mut(at..at + 2)?.copy_from_slice(&number.to_be_bytes());
    Some(table)
}

/// The widths of the glyphs that are kept, each written out, and the table that says how many are.
fn widths(hmtx: &[u8], hhea: &[u8], kept: &BTreeSet<u16>) -> Option<(Vec<u8>, Vec<u8>)> {
    let whole = usize::from(u16_at(hhea, 34)?);
    let mut widths = Vec::with_capacity(4 * kept.len());
    for number in kept.iter().map(|number| usize::from(*number)) {
        // The last width counts for all that follow, which have only a bearing.
        let width = u16_at(hmtx, 4 * number.min(whole.checked_sub(1)?))?;
        let bearing = match number.checked_sub(whole) {
            None => u16_at(hmtx, 4 * number + 2)?,
            Some(rest) => u16_at(hmtx, 4 * whole + 2 * rest)?,
        };
        widths.extend([width, bearing].map(u16::to_be_bytes).concat());
    }
    Some((widths, with_number(hhea, 34, kept.len() as u16)?))
}

/// A glyph whose parts have their new numbers.
fn renumbered(mut glyph: Vec<u8>, numbers: &BTreeMap<u16, u16>) -> Option<Vec<u8>> {
    if glyph.is_empty() || u16_at(&glyph, 0)? < 0x8000 {
        return Some(glyph);
    }
    let mut at = 10;
    loop {
        let number = numbers.get(&u16_at(&glyph, at + 2)?)?;
        glyph.get_mut(at + 2..at + 4)?.copy_from_slice(&number.to_be_bytes());
        match next_part(&glyph, at)? {
            (next, true) => at = next,
            (_, false) => return Some(glyph),
        }
    }
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
fn offsets(loca: &[u8], is_long: bool, glyphs: u16) -> Option<Vec<u32>> {
    let offset = |index: usize| match is_long {
        true => u32_at(loca, 4 * index),
        false => Some(2 * u32::from(u16_at(loca, 2 * index)?)),
    };
    (0..=usize::from(glyphs)).map(offset).collect()
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
        assert!(small.len() * 4 < whole.len(), "{} of {}", small.len(), whole.len());
        let (whole, small) = (tables(whole).unwrap(), tables(&small).unwrap());
        let [known, kept] = [&whole, &small].map(|font| letters(font[b"cmap"]).unwrap());
        assert!(known.keys().eq(kept.keys()));
        for (letter, old) in &known {
            let both = [(&whole, *old), (&small, kept[letter])];
            let [a, b] = both.map(|(font, number)| glyph(font, number));
            let [wide, narrow] = both.map(|(font, number)| width(font, number));
            assert_eq!(wide, narrow, "{letter:#x}");
            // The same outlines from the same corner to the same corner, or as many parts, with the same outlines.
            let without = without_program(a).unwrap();
            let [of_a, of_b] = [parts(a).unwrap(), parts(b).unwrap()];
            assert_eq!((of_a.len(), a.get(..10)), (of_b.len(), b.get(..10)), "{letter:#x}");
            assert!(!of_a.is_empty() || b.starts_with(&without), "{letter:#x}");
            for (a, b) in of_a.into_iter().zip(of_b) {
                let [a, b] = [glyph(&whole, a), glyph(&small, b)];
                assert_eq!(a.get(..10), b.get(..10), "{letter:#x}");
            }
        }
        for letter in "Aäßřж€→♞♟⛀⛂⚔№✓".chars() {
            assert!(kept.contains_key(&u32::from(letter)), "{letter}");
        }
    }

    fn glyph<'f>(font: &BTreeMap<[u8; 4], &'f [u8]>, number: u16) -> &'f [u8] {
        let count = u16_at(font[b"maxp"], 4).unwrap();
        let is_long = u16_at(font[b"head"], 50).unwrap() != 0;
        let offsets = offsets(font[b"loca"], is_long, count).unwrap();
        let range = &offsets[usize::from(number)..];
        &font[b"glyf"][range[0] as usize..range[1] as usize]
    }

    fn width(font: &BTreeMap<[u8; 4], &[u8]>, number: u16) -> u16 {
        let whole = u16_at(font[b"hhea"], 34).unwrap();
        u16_at(font[b"hmtx"], 4 * usize::from(number.min(whole - 1))).unwrap()
    }

    #[test]
    fn what_is_no_font_is_refused() {
        assert_eq!(subset(b""), None);
        assert_eq!(subset(&dejavu::sans::bold()[..1000]), None);
    }
}
