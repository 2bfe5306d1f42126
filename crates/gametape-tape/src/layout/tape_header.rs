//! The header of a tape: what it is, and how long a tick lasts.

use gametape_wire::{Error, ErrorKind, Reader, Result, TickLength, Writer};

use crate::layout::checksum::check64;

/// The first bytes of a tape. A text-mode copy or a 7-bit channel changes them, and so is noticed.
pub const MAGIC: [u8; 8] = [0x89, b'T', b'A', b'P', b'\r', b'\n', 0x1A, b'\n'];
/// The major version that this crate reads and writes.
pub const MAJOR_VERSION: u16 = 1;
const MINOR_VERSION: u16 = 0;

/// The first 32 bytes of a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TapeHeader {
    /// Additions that need no reader to change.
    pub minor_version: u16,
    /// How long a tick lasts.
    pub tick_length: TickLength,
    /// Repeated in every chunk, so that chunks of other tapes are not taken for those of this one.
    pub tape_id: u32,
    /// Bytes 20..24, kept.
    reserved: [u8; 4],
}

impl TapeHeader {
    /// Length in bytes.
    pub const LENGTH: usize = 32;

    /// A header with ticks of this length. Recordings should differ in `tape_id`.
    #[must_use]
    pub const fn new(tick_length: TickLength, tape_id: u32) -> Self {
        Self { minor_version: MINOR_VERSION, tick_length, tape_id, reserved: [0; 4] }
    }

    /// The header at the beginning of `bytes`.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let mut r = Reader::new(bytes);
        check_magic(r.array("tape magic")?)?;
        let fields = r.array::<24>("header")?;
        let mut r = Reader::with_base(&fields, 8);
        let (major, minor_version) = (r.u16_le("major version")?, r.u16_le("minor version")?);
        let tick_length = r.u32_le("tick length")?;
        let tape_id = r.u32_le("tape id")?;
        let reserved = r.array("header")?;
        let stored = r.u64_le("checksum of the header")?;
        let computed = check64(&bytes[..24]);
        if stored != computed {
            let kind = ErrorKind::Checksum { stored, computed };
            return Err(Error::at(24, "checksum of the header", kind));
        }
        if major != MAJOR_VERSION {
            let kind = ErrorKind::Unknown { code: major.into() };
            return Err(Error::at(8, "major version of the tape", kind));
        }
        let tick_length = TickLength::from_micros(tick_length).ok_or_else(|| {
            let kind = ErrorKind::BadValue { found: 0, expected: "at least a microsecond" };
            Error::at(12, "tick length", kind)
        })?;
        Ok(Self { minor_version, tick_length, tape_id, reserved })
    }

    /// The bytes as they are in the tape.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::LENGTH] {
        let mut w = Writer::new();
        w.bytes(&MAGIC).u16_le(MAJOR_VERSION).u16_le(self.minor_version);
        w.u32_le(self.tick_length.micros()).u32_le(self.tape_id).bytes(&self.reserved);
        w.u64_le(check64(w.as_bytes()));
        let mut bytes = [0; Self::LENGTH];
        bytes.copy_from_slice(w.as_bytes());
        bytes
    }
}

/// Says what happened to a magic that is nearly right.
fn check_magic(found: [u8; 8]) -> Result<()> {
    if found == MAGIC {
        return Ok(());
    }
    let problem = match found {
        [0x09, b'T', b'A', b'P', ..] => "the top bits are gone: it went through a 7-bit channel",
        [0x89, b'T', b'A', b'P', ..] => "the line ends are changed: it was copied as text",
        _ => "this is not a tape",
    };
    Err(Error::at(0, "tape magic", ErrorKind::BadSyntax { problem: problem.into() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape_wire::ErrorClass;

    #[test]
    fn a_header_comes_back_and_every_flipped_bit_is_noticed() {
        let header = TapeHeader::new(TickLength::from_micros(66_667).unwrap(), 0xCAFE);
        let bytes = header.to_bytes();
        assert_eq!(TapeHeader::read(&bytes).unwrap(), header);
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(TapeHeader::read(&flipped).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn the_magic_reveals_what_happened() {
        let says = |bytes: &[u8]| TapeHeader::read(bytes).unwrap_err().to_string();
        let mut bytes = TapeHeader::new(TickLength::MILLISECOND, 1).to_bytes();
        bytes[0] &= 0x7F;
        assert!(says(&bytes).contains("7-bit"));
        assert!(says(b"\x89TAP\n\x1A\n\x01\x00........................").contains("as text"));
        assert!(says(b"PK\x03\x04............................").contains("not a tape"));
        assert_eq!(TapeHeader::read(&MAGIC).unwrap_err().class(), ErrorClass::Truncated);
    }

    #[test]
    fn another_major_version_is_unsupported() {
        let mut bytes = TapeHeader::new(TickLength::MILLISECOND, 1).to_bytes();
        bytes[8] = 2;
        let check = check64(&bytes[..24]).to_le_bytes();
        bytes[24..].copy_from_slice(&check);
        assert_eq!(TapeHeader::read(&bytes).unwrap_err().class(), ErrorClass::Unsupported);
    }
}
