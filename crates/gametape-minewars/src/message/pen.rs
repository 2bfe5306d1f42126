//! Text that is written into room which is there already, in steps of fixed width.
//!
//! Appending every word and number on its own to a growing buffer would ask for room, and wait for
//! the buffer's length, several times in each line.

/// The text of every byte as a signed number, between a blank and a comma: the first character
/// lowest, and how many there are in the highest byte.
static SIGNED: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = signed_text(byte as u8 as i8);
        byte += 1;
    }
    table
};

const LENGTH_SHIFT: u32 = 56;

const fn signed_text(value: i8) -> u64 {
    let mut text = b' ' as u64;
    let mut length = 1;
    if value < 0 {
        text |= (b'-' as u64) << 8;
        length = 2;
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
        text |= ((b'0' + magnitude / unit % 10) as u64) << (8 * length);
        length += 1;
        unit /= 10;
    }
    text |= (b',' as u64) << (8 * length);
    text | (length + 1) << LENGTH_SHIFT
}

/// A digit of a tile by its four bits: ` 3*/`, or ` 3/`.
static DIGITS: [[u8; 4]; 16] = {
    let mut table = [[b' ', b'0', b'/', b' ']; 16];
    let mut nibble = 0;
    while nibble < 16 {
        table[nibble][1] = b'0' + nibble as u8 % 8;
        if nibble >= 8 {
            table[nibble][2] = b'*';
            table[nibble][3] = b'/';
        }
        nibble += 1;
    }
    table
};

/// Room for the text of several lines.
type Page = [u8; 4096];

/// More than the longest line takes: 255 bytes of text, four characters each.
const LINE_ROOM: u32 = 1280;

/// Writes text to the beginning of a page. It is handed on by value, so that where it writes stays
/// in a register. What a page has no room for is not written.
#[derive(Debug)]
pub(crate) struct Pen<'p> {
    page: &'p mut Page,
    at: u32,
}

impl<'p> Pen<'p> {
    /// Is there room for another line, whatever it says?
    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.at <= size_of::<Page>() as u32 - LINE_ROOM
    }

    /// Writes all of `bytes`, of which only the first `length` count.
    #[inline(always)]
    pub(crate) fn wide<const N: usize>(self, bytes: &[u8; N], length: usize) -> Self {
        let Self { page, at } = self;
        let start = at as usize;
        if let Some(place) = page.get_mut(start..start + N) {
            place.copy_from_slice(bytes);
        }
        Self { page, at: at + length as u32 }
    }

    /// Writes text, whose length is best known when it is compiled.
    #[inline(always)]
    pub(crate) fn text(self, text: &[u8]) -> Self {
        let Self { page, at } = self;
        let start = at as usize;
        if let Some(place) = page.get_mut(start..start + text.len()) {
            place.copy_from_slice(text);
        }
        Self { page, at: at + text.len() as u32 }
    }

    /// Writes a word after a blank.
    #[inline(always)]
    pub(crate) fn word(self, word: &Word) -> Self {
        self.wide(&word.text, word.length)
    }

    /// Writes a tile, ` y,x`.
    #[inline(always)]
    pub(crate) fn coord(self, wire: [u8; 2]) -> Self {
        let [y, x] = wire;
        let y = SIGNED[usize::from(y)];
        self.wide(&y.to_le_bytes(), (y >> LENGTH_SHIFT) as usize).bare(x)
    }

    /// Writes a digit with its tile, ` 3*/y,x`. The digit has four bits, the highest is its asterisk.
    #[inline(always)]
    pub(crate) fn digit(self, nibble: u8, wire: [u8; 2]) -> Self {
        let [y, x] = wire;
        let y = SIGNED[usize::from(y)];
        let nibble = usize::from(nibble & 15);
        self.wide(&DIGITS[nibble], 3 + nibble / 8)
            .wide(&(y >> 8).to_le_bytes(), (y >> LENGTH_SHIFT) as usize - 1)
            .bare(x)
    }

    /// Writes a byte as a signed number; numbers up to 127 are the same without a sign.
    #[inline(always)]
    pub(crate) fn bare(self, byte: u8) -> Self {
        let entry = SIGNED[usize::from(byte)];
        self.wide(&(entry >> 8).to_le_bytes(), (entry >> LENGTH_SHIFT) as usize - 2)
    }

    /// Writes a number.
    #[inline(always)]
    pub(crate) fn number(self, value: u64) -> Self {
        match value {
            0..128 => self.bare(value as u8),
            128..100_000_000 => {
                let digits = eight_digits(value as u32);
                let zeros = digits.trailing_zeros() / 8;
                let text = (digits | 0x3030_3030_3030_3030) >> (8 * zeros);
                self.wide(&text.to_le_bytes(), 8 - zeros as usize)
            }
            _ => self.large_number(value),
        }
    }

    #[cold]
    fn large_number(self, value: u64) -> Self {
        self.text(itoa::Buffer::new().format(value).as_bytes())
    }

    /// Writes a number after a blank.
    #[inline(always)]
    pub(crate) fn after_blank(self, value: u64) -> Self {
        self.text(b" ").number(value)
    }
}

/// A word of up to 15 letters, with the blank before it.
#[derive(Debug)]
pub(crate) struct Word {
    text: [u8; 16],
    length: usize,
}

impl Word {
    pub(crate) const fn new(word: &str) -> Self {
        let mut text = [b' '; 16];
        let mut i = 0;
        while i < word.len() {
            text[i + 1] = word.as_bytes()[i];
            i += 1;
        }
        Self { text, length: word.len() + 1 }
    }
}

/// The last eight digits of a number, as values from 0 to 9, the highest digit in the lowest byte.
#[inline(always)]
fn eight_digits(value: u32) -> u64 {
    let (high, low) = (u64::from(value / 10_000), u64::from(value % 10_000));
    // Two numbers below 10000, then four below 100, then eight below 10, all at once. The factors
    // replace divisions by 100 and by 10.
    let fours = high | low << 32;
    let tops = ((fours * 10_486) >> 20) & 0x0000_007F_0000_007F;
    let twos = tops | (fours - 100 * tops) << 16;
    let tops = ((twos * 103) >> 10) & 0x000F_000F_000F_000F;
    tops | (twos - 10 * tops) << 8
}

/// Text that grows, with room after it for a [`Pen`].
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    /// The text, up to `end`; after that, room for what comes next.
    bytes: Vec<u8>,
    end: usize,
}

impl Sheet {
    /// No text, and room for this many bytes.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Self { bytes: vec![0; bytes], end: 0 }
    }

    /// Appends to text that somebody else has.
    pub(crate) fn append_to<T>(out: &mut Vec<u8>, write: impl FnOnce(&mut Self) -> T) -> T {
        let bytes = std::mem::take(out);
        let mut sheet = Self { end: bytes.len(), bytes };
        let result = write(&mut sheet);
        sheet.bytes.truncate(sheet.end);
        *out = sheet.bytes;
        result
    }

    /// The text so far.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.end]
    }

    /// Forgets the text.
    pub(crate) fn clear(&mut self) {
        self.end = 0;
    }

    /// Lets a pen write at the end.
    #[inline]
    pub(crate) fn write(&mut self, write: impl FnOnce(Pen<'_>) -> Pen<'_>) {
        loop {
            let rest = self.bytes.get_mut(self.end..);
            if let Some(page) = rest.and_then(|rest| rest.first_chunk_mut()) {
                let pen = write(Pen { page, at: 0 });
                self.end += pen.at as usize;
                return;
            }
            self.bytes.resize(self.end + size_of::<Page>(), 0);
        }
    }

    /// Appends bytes of any number.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        let end = self.end + bytes.len();
        match self.bytes.get_mut(self.end..end) {
            Some(place) => place.copy_from_slice(bytes),
            None => {
                self.bytes.truncate(self.end);
                self.bytes.extend_from_slice(bytes);
            }
        }
        self.end = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(Pen<'_>) -> Pen<'_>) -> String {
        let mut sheet = Sheet::default();
        sheet.write(write);
        String::from_utf8(sheet.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn every_coordinate_prints_as_the_standard_library_does() {
        let mut sheet = Sheet::with_room(1 << 16);
        for y in i8::MIN..=i8::MAX {
            for x in i8::MIN..=i8::MAX {
                let wire = [y as u8, x as u8];
                sheet.clear();
                sheet.write(|pen| pen.coord(wire).digit(11, wire).digit(3, wire));
                let expected = format!(" {y},{x} 3*/{y},{x} 3/{y},{x}");
                assert_eq!(sheet.as_bytes(), expected.as_bytes());
            }
        }
    }

    #[test]
    fn numbers_print_as_the_standard_library_does() {
        for byte in 0..=255 {
            assert_eq!(text(|pen| pen.bare(byte)), (byte as i8).to_string());
        }
        let powers = (0..20).map(|exponent| 10_u64.pow(exponent));
        let near = powers.flat_map(|power| [power - 1, power, power + 1]);
        let spread = (0..1_000).map(|i| i * 99_991).chain(0..1_000);
        for value in near.chain(spread).chain([u64::MAX]) {
            assert_eq!(text(|pen| pen.after_blank(value)), format!(" {value}"));
        }
    }

    #[test]
    fn words_and_digits_are_what_they_say() {
        assert_eq!(
            text(|pen| pen.text(b"TILE").word(const { &Word::new("mountain") })),
            "TILE mountain"
        );
        for nibble in 0..16 {
            let asterisk = if nibble >= 8 { "*" } else { "" };
            let expected = format!(" {}{asterisk}/0,0", nibble % 8);
            assert_eq!(text(|pen| pen.digit(nibble, [0, 0])), expected);
        }
    }

    #[test]
    fn a_full_page_is_left_as_it_is_and_the_next_one_follows() {
        let mut sheet = Sheet::default();
        let line = [b'x'; 1000];
        for _ in 0..10 {
            sheet.write(|mut pen| {
                while pen.has_room() {
                    pen = pen.text(&line);
                }
                pen
            });
        }
        assert_eq!(sheet.as_bytes(), [b'x'; 30_000]);
        sheet.append(b"end");
        let mut out = b"begin ".to_vec();
        Sheet::append_to(&mut out, |sheet| sheet.append(b"end"));
        assert_eq!((&sheet.as_bytes()[29_998..], &*out), (&b"xxend"[..], &b"begin end"[..]));
    }
}
