//! Rows of the same shape, in columns: bytes that are alike are together.

use wide::u8x16;

/// Widths that a chunk can name.
pub(crate) const WIDTHS: std::ops::RangeInclusive<usize> = 2..=255;
/// Bytes that are compared to find a width, and how many of them must be alike.
const COMPARED: usize = 2048;
const ALIKE: usize = COMPARED / 4;

/// Blocks of N lines of N bytes are turned at once.
const LINES: usize = 8;
const LENGTH: usize = 16;

/// How long the rows are that the bytes seem to consist of, if they do.
///
/// It is the distance at which most bytes are alike, or a multiple of it: rows of at least [`LENGTH`]
/// bytes are turned quickly.
pub(crate) fn likely_width(raw: &[u8]) -> Option<usize> {
    let start = raw.len().checked_sub(COMPARED + WIDTHS.end())? / 2;
    let sample = &raw[start..];
    let alike = |width: usize| count_equal(&sample[..COMPARED], &sample[width..width + COMPARED]);
    let widths = LENGTH..=*WIDTHS.end();
    let counts: Vec<usize> = widths.clone().map(alike).collect();
    let most = counts.iter().copied().max().filter(|most| *most >= ALIKE)?;
    // Multiples of a length are as good, but for chance.
    let good_enough = most - most / 16;
    widths.zip(counts).find(|&(_, count)| count >= good_enough).map(|(width, _)| width)
}

fn count_equal(a: &[u8], b: &[u8]) -> usize {
    // So few that a byte can count them, and many of those at once.
    let few =
        |(a, b): (&[u8], &[u8])| -> u8 { a.iter().zip(b).map(|(a, b)| u8::from(a == b)).sum() };
    a.chunks(128).zip(b.chunks(128)).map(few).map(usize::from).sum()
}

/// Puts rows into columns; `columns` is as long as `rows`.
pub(crate) fn to_columns(rows: &[u8], width: usize, columns: &mut [u8]) {
    let whole = rows.len() - rows.len() % width;
    transpose(&rows[..whole], width, &mut columns[..whole]);
    columns[whole..].copy_from_slice(&rows[whole..]);
}

/// Puts columns back into rows; `rows` is as long as `columns`.
pub(crate) fn to_rows(columns: &[u8], width: usize, rows: &mut [u8]) {
    let height = columns.len() / width;
    let whole = height * width;
    transpose(&columns[..whole], height, &mut rows[..whole]);
    rows[whole..].copy_from_slice(&columns[whole..]);
}

/// Turns a matrix with lines of `width` bytes; `to` is as long as `from`.
fn transpose(from: &[u8], width: usize, to: &mut [u8]) {
    let height = from.len().checked_div(width).unwrap_or(0);
    if width < LENGTH || height < LINES {
        return transpose_small(from, width, to, height);
    }
    for left in block_starts(width, LENGTH) {
        for top in block_starts(height, LINES) {
            let (from, to) = (&from[top * width + left..], &mut to[left * height + top..]);
            transpose_block(from, width, to, height);
        }
    }
}

fn transpose_small(from: &[u8], width: usize, to: &mut [u8], height: usize) {
    if height == 0 {
        return;
    }
    for (column, line) in to.chunks_exact_mut(height).enumerate() {
        for (byte, line) in line.iter_mut().zip(from.chunks_exact(width)) {
            *byte = line[column];
        }
    }
}

/// Where blocks of a side begin that cover `length`, which is not less; the last may overlap.
fn block_starts(length: usize, side: usize) -> impl Iterator<Item = usize> {
    (0..length).step_by(side).map(move |start| start.min(length - side))
}

/// Turns the block at the beginning of `from`, whose lines are `width` apart.
#[inline]
fn transpose_block(from: &[u8], width: usize, to: &mut [u8], height: usize) {
    let mut lines = [u8x16::ZERO; LINES];
    for (number, line) in lines.iter_mut().enumerate() {
        if let Some(bytes) = from[number * width..].first_chunk() {
            *line = u8x16::new(*bytes);
        }
    }
    // Three perfect shuffles of eight lines turn them.
    lines = shuffled(&shuffled(&shuffled(&lines)));
    for (number, two) in lines.iter().enumerate() {
        let (first, second) = (2 * number * height, (2 * number + 1) * height);
        let two = two.to_array();
        to[first..first + LINES].copy_from_slice(&two[..LINES]);
        to[second..second + LINES].copy_from_slice(&two[LINES..]);
    }
}

/// Bytes of the first and of the second half in turns.
#[inline(always)]
fn shuffled(lines: &[u8x16; LINES]) -> [u8x16; LINES] {
    let mut out = [u8x16::ZERO; LINES];
    for k in 0..LINES / 2 {
        let (a, b) = (lines[k], lines[k + LINES / 2]);
        out[2 * k] = u8x16::unpack_low(a, b);
        out[2 * k + 1] = u8x16::unpack_high(a, b);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition.
    fn columns_of(rows: &[u8], width: usize) -> Vec<u8> {
        let whole = rows.len() / width * width;
        let column = |index: usize| rows[..whole].iter().skip(index).step_by(width);
        (0..width).flat_map(column).chain(&rows[whole..]).copied().collect()
    }

    proptest! {
        #[test]
        fn columns_are_as_defined_and_lead_back(
            rows in prop::collection::vec(any::<u8>(), 0..3000),
            width in WIDTHS,
        ) {
            let mut columns = vec![0; rows.len()];
            to_columns(&rows, width, &mut columns);
            prop_assert_eq!(&columns, &columns_of(&rows, width));
            let mut back = vec![0; rows.len()];
            to_rows(&columns, width, &mut back);
            prop_assert_eq!(back, rows);
        }
    }

    /// Rows of which every third byte differs.
    fn shaped(width: usize, length: usize) -> Vec<u8> {
        let byte = |n: usize| match n % width {
            column if column % 3 == 0 => (n / width * 89 + n * n / 7) as u8,
            column => column as u8,
        };
        (0..length).map(byte).collect()
    }

    #[test]
    fn the_width_of_rows_is_found() {
        for width in [16, 24, 91, 200, 255] {
            assert_eq!(likely_width(&shaped(width, 20_000)), Some(width));
        }
        assert_eq!(likely_width(&shaped(10, 20_000)), Some(20), "short rows are taken together");
        assert_eq!(likely_width(&shaped(24, COMPARED)), None, "too few rows");
    }

    #[test]
    fn bytes_without_a_shape_have_no_width() {
        let random: Vec<u8> =
            (0..20_000u64).map(|n| (n * n * 0x9E37_79B9).to_le_bytes()[2]).collect();
        assert_eq!(likely_width(&random), None);
    }
}
