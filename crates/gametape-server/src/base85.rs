//! Bytes as text in a page: `spec/viewer.md`, section 5. Five characters for four bytes.

/// The characters that need no escape in HTML and are no quotes, in ascending order; the first 85 of them.
const CHARACTERS: [u8; 85] = {
    let (mut found, mut count, mut byte) = ([0; 85], 0, b'!');
    while count < 85 {
        if !matches!(byte, b'"' | b'&' | b'\'' | b'<' | b'>' | b'\\' | b'`') {
            found[count] = byte;
            count += 1;
        }
        byte += 1;
    }
    found
};

/// Appends bytes as text.
pub(crate) fn encode(bytes: &[u8], out: &mut String) {
    out.reserve(bytes.len().div_ceil(4) * 5);
    for group in bytes.chunks(4) {
        let mut padded = [0; 4];
        padded[..group.len()].copy_from_slice(group);
        let mut rest = u32::from_be_bytes(padded);
        let mut text = [0; 5];
        for character in text.iter_mut().rev() {
            *character = CHARACTERS[(rest % 85) as usize];
            rest /= 85;
        }
        out.extend(text[..=group.len()].iter().map(|byte| char::from(*byte)));
    }
}

#[cfg(test)]
pub(crate) fn decode(text: &str) -> Vec<u8> {
    let digit = |byte: &u8| CHARACTERS.iter().position(|one| one == byte).unwrap() as u32;
    let group = |group: &[u8]| {
        let padding = std::iter::repeat_n(84, 5 - group.len());
        let digits = group.iter().map(digit).chain(padding);
        let value = digits.fold(0u64, |value, digit| value * 85 + u64::from(digit));
        u32::try_from(value).unwrap().to_be_bytes()[..group.len() - 1].to_vec()
    };
    text.as_bytes().chunks(5).flat_map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(bytes: &[u8]) -> String {
        let mut out = String::new();
        encode(bytes, &mut out);
        out
    }

    #[test]
    fn the_examples_of_the_spec() {
        assert_eq!(encoded(b""), "");
        assert_eq!(encoded(&[0]), "!!");
        assert_eq!(encoded(&[0, 0, 0, 0]), "!!!!!");
        assert_eq!(encoded(&[0xff; 4]), "z;]0!");
        assert_eq!(encoded(b"tape!"), "KHG0#.Y");
    }

    #[test]
    fn every_length_and_byte_comes_back() {
        let bytes: Vec<u8> = (0..2000u32).map(|at| ((at * 167) >> 3) as u8).collect();
        for length in (0..20).chain([255, 1999]) {
            let text = encoded(&bytes[..length]);
            assert_eq!(decode(&text), &bytes[..length]);
            assert!(
                text.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>&\"'\\`".contains(&byte))
            );
        }
        assert_eq!(decode(&encoded(&[0xff; 7])), [0xff; 7]);
    }
}
