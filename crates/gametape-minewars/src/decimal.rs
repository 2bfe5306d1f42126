//! Numbers as decimal text, fast: coordinates come by the hundred thousand.

/// The text of every byte read as a signed number, and its length.
static SIGNED: [([u8; 4], u8); 256] = {
    let mut table = [([0; 4], 0); 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = signed_text(byte as u8 as i8);
        byte += 1;
    }
    table
};

const fn signed_text(value: i8) -> ([u8; 4], u8) {
    let mut text = [0; 4];
    let mut length = 0;
    if value < 0 {
        text[0] = b'-';
        length = 1;
    }
    let magnitude = value.unsigned_abs();
    let mut unit = if magnitude >= 100 {
        100
    } else if magnitude >= 10 {
        10
    } else {
        1
    };
    while unit > 0 {
        text[length] = b'0' + magnitude / unit % 10;
        length += 1;
        unit /= 10;
    }
    (text, length as u8)
}

/// Appends `y,x` for the two bytes of a coordinate.
#[inline]
pub(crate) fn push_coord(out: &mut Vec<u8>, wire: [u8; 2]) {
    let (y, y_length) = &SIGNED[wire[0] as usize];
    let (x, x_length) = &SIGNED[wire[1] as usize];
    let comma = *y_length as usize;
    let mut text = [b','; 9];
    text[..4].copy_from_slice(y);
    text[comma] = b',';
    text[comma + 1..comma + 5].copy_from_slice(x);
    out.extend_from_slice(&text[..comma + 1 + *x_length as usize]);
}

/// Appends a small number.
#[inline]
pub(crate) fn push_u8(out: &mut Vec<u8>, value: u8) {
    if value < 128 {
        let (text, length) = &SIGNED[value as usize];
        out.extend_from_slice(&text[..*length as usize]);
    } else {
        push_u32(out, u32::from(value));
    }
}

/// Appends a number.
pub(crate) fn push_u32(out: &mut Vec<u8>, value: u32) {
    push_u64(out, u64::from(value));
}

/// Appends a number with its sign.
pub(crate) fn push_i32(out: &mut Vec<u8>, value: i32) {
    if value < 0 {
        out.push(b'-');
    }
    push_u32(out, value.unsigned_abs());
}

/// Appends a long number.
pub(crate) fn push_u64(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_coordinate_prints_as_the_standard_library_does() {
        for y in i8::MIN..=i8::MAX {
            for x in i8::MIN..=i8::MAX {
                let wire = [y as u8, x as u8];
                assert_eq!(text(|out| push_coord(out, wire)), format!("{y},{x}"));
            }
        }
    }

    #[test]
    fn numbers_print_as_the_standard_library_does() {
        for value in 0..=u8::MAX {
            assert_eq!(text(|out| push_u8(out, value)), value.to_string());
        }
        for value in [0, 9, 10, 4_000_000_000, u32::MAX] {
            assert_eq!(text(|out| push_u32(out, value)), value.to_string());
        }
        for value in [i32::MIN, -300, -1, 0, i32::MAX] {
            assert_eq!(text(|out| push_i32(out, value)), value.to_string());
        }
        assert_eq!(text(|out| push_u64(out, u64::MAX)), u64::MAX.to_string());
    }
}
