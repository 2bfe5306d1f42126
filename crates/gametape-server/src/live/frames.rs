//! Frames of a WebSocket (RFC 6455), as a server reads and writes them. No I/O.
//!
//! What goes out is never masked, so a message is made once for everybody: [`head`] goes before its bytes, and nothing is
//! copied. What comes in is limited before anything is allocated, and the limit differs between who publishes
//! and who watches. Both are why this is here: libraries copy what they send into a buffer of each connection.

use bytes::{Buf, BytesMut};

/// What a client sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Frame {
    Binary(Vec<u8>),
    Text(Vec<u8>),
    Ping(Vec<u8>),
    Pong,
    Close,
}

/// A client that does not speak the protocol, or says too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

pub(crate) const TEXT: u8 = 1;
pub(crate) const BINARY: u8 = 2;
pub(crate) const CLOSE: u8 = 8;
pub(crate) const PING: u8 = 9;
pub(crate) const PONG: u8 = 10;

/// Payloads of control frames.
const CONTROL_BYTES: u64 = 125;

/// What comes before the bytes of a message: at most ten bytes, and how many of them count.
pub(crate) fn head(opcode: u8, length: usize) -> ([u8; 10], usize) {
    let mut head = [0; 10];
    head[0] = 0x80 | opcode;
    match length {
        0..=125 => {
            head[1] = length as u8;
            (head, 2)
        }
        126..=0xFFFF => {
            head[1] = 126;
            head[2..4].copy_from_slice(&(length as u16).to_be_bytes());
            (head, 4)
        }
        _ => {
            head[1] = 127;
            head[2..].copy_from_slice(&(length as u64).to_be_bytes());
            (head, 10)
        }
    }
}

/// A whole frame, for what is sent rarely.
pub(crate) fn whole(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let (head, length) = head(opcode, payload.len());
    [&head[..length], payload].concat()
}

/// Makes frames of the bytes of a client, in pieces of any size.
#[derive(Debug)]
pub(crate) struct Decoder {
    buffer: BytesMut,
    /// The message whose fragments are coming, and its opcode.
    message: Option<(u8, Vec<u8>)>,
    most: u64,
}

/// The beginning of a frame.
struct Head {
    opcode: u8,
    is_final: bool,
    mask: [u8; 4],
    /// Bytes of the head.
    size: usize,
    length: u64,
}

impl Decoder {
    /// Messages may have this many bytes.
    pub(crate) fn new(most: u64) -> Self {
        Self { buffer: BytesMut::new(), message: None, most }
    }

    /// From now on messages may have this many bytes.
    pub(crate) fn allow(&mut self, most: u64) {
        self.most = most;
    }

    /// Where bytes of the client go; there is always some room in it.
    pub(crate) fn buffer(&mut self) -> &mut BytesMut {
        if self.buffer.is_empty() && self.buffer.capacity() > 2 * ROOM {
            // What a large message took is given back.
            self.buffer = BytesMut::new();
        }
        self.buffer.reserve(ROOM);
        &mut self.buffer
    }

    /// The next frame that is there; fragments of a message are put together.
    pub(crate) fn next(&mut self) -> Result<Option<Frame>, Malformed> {
        while let Some(head) = self.head()? {
            let length = head.length as usize;
            if self.buffer.len() - head.size < length {
                return Ok(None);
            }
            self.buffer.advance(head.size);
            let mut payload = self.buffer.split_to(length).to_vec();
            payload.iter_mut().zip(head.mask.iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
            if let Some(frame) = self.take(&head, payload)? {
                return Ok(Some(frame));
            }
        }
        Ok(None)
    }

    fn take(&mut self, head: &Head, payload: Vec<u8>) -> Result<Option<Frame>, Malformed> {
        match head.opcode {
            CLOSE => return Ok(Some(Frame::Close)),
            PING => return Ok(Some(Frame::Ping(payload))),
            PONG => return Ok(Some(Frame::Pong)),
            0 => match &mut self.message {
                Some((_, message)) => message.extend(payload),
                None => return Err(Malformed),
            },
            _ if self.message.is_some() => return Err(Malformed),
            opcode => self.message = Some((opcode, payload)),
        }
        if !head.is_final {
            return Ok(None);
        }
        let made = self.message.take();
        Ok(made.map(|(opcode, message)| match opcode {
            TEXT => Frame::Text(message),
            _ => Frame::Binary(message),
        }))
    }

    fn head(&self) -> Result<Option<Head>, Malformed> {
        let [first, second, rest @ ..] = &self.buffer[..] else { return Ok(None) };
        let (opcode, is_final) = (first & 0x0F, first & 0x80 != 0);
        let is_control = opcode >= CLOSE;
        let is_known = matches!(opcode, 0 | TEXT | BINARY | CLOSE | PING | PONG);
        let is_masked = second & 0x80 != 0;
        if first & 0x70 != 0 || !is_known || !is_masked || (is_control && !is_final) {
            return Err(Malformed);
        }
        let (length, extra) = match second & 0x7F {
            126 => (rest.first_chunk().map(|bytes| u64::from(u16::from_be_bytes(*bytes))), 2),
            127 => (rest.first_chunk().map(|bytes| u64::from_be_bytes(*bytes)), 8),
            short => (Some(u64::from(short)), 0),
        };
        let Some(length) = length else { return Ok(None) };
        let before = self.message.as_ref().map_or(0, |(_, message)| message.len() as u64);
        let most = if is_control { CONTROL_BYTES } else { self.most.saturating_sub(before) };
        if length > most {
            return Err(Malformed);
        }
        let mask = rest.get(extra..).and_then(|rest| rest.first_chunk());
        Ok(mask.map(|mask| Head { opcode, is_final, mask: *mask, size: 6 + extra, length }))
    }
}

/// Bytes that are read at once.
const ROOM: usize = 1 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(first: u8, payload: &[u8]) -> Vec<u8> {
        let (head, length) = head(0, payload.len());
        let mut bytes = vec![first, head[1] | 0x80];
        bytes.extend(&head[2..length]);
        let mask = [0x37, 0xFA, 0x21, 0x3D];
        bytes.extend(mask);
        bytes.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        bytes
    }

    fn read(bytes: &[u8], most: u64) -> Result<Vec<Frame>, Malformed> {
        let mut decoder = Decoder::new(most);
        let mut frames = Vec::new();
        for byte in bytes {
            decoder.buffer().extend_from_slice(&[*byte]);
            frames.extend(decoder.next()?);
        }
        assert!(decoder.buffer.is_empty());
        Ok(frames)
    }

    #[test]
    fn the_examples_of_the_rfc_are_read_and_written() {
        let hello = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58];
        assert_eq!(read(&hello, 5), Ok(vec![Frame::Text(b"Hello".to_vec())]));
        assert_eq!(whole(TEXT, b"Hello"), [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]);
        assert_eq!(whole(BINARY, &[0; 256])[..4], [0x82, 0x7E, 0x01, 0x00]);
        assert_eq!(whole(BINARY, &[0; 65536])[..10], [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0]);
    }

    #[test]
    fn fragments_are_one_message_and_control_frames_may_come_between() {
        let bytes = [
            masked(0x02, b"ab"),
            masked(0x89, b"are you there"),
            masked(0x00, b"cd"),
            masked(0x8A, b""),
            masked(0x80, b"e"),
            masked(0x88, &[3, 0xE8]),
        ];
        let frames = [
            Frame::Ping(b"are you there".to_vec()),
            Frame::Pong,
            Frame::Binary(b"abcde".to_vec()),
            Frame::Close,
        ];
        assert_eq!(read(&bytes.concat(), 5), Ok(frames.to_vec()));
        assert_eq!(read(&bytes.concat(), 4), Err(Malformed), "all of it counts");
        let long = masked(0x82, &[7; 70_000]);
        assert_eq!(read(&long, 70_000), Ok(vec![Frame::Binary(vec![7; 70_000])]));
    }

    #[test]
    fn what_no_client_may_send_ends_it_before_its_bytes_come() {
        let unmasked = whole(BINARY, b"x");
        let huge = [0x82, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        let cases: [&[u8]; 7] = [
            &unmasked,
            &huge,
            &masked(0xC2, b"x"),
            &masked(0x83, b"x"),
            &masked(0x80, b"x"),
            &masked(0x09, b"x"),
            &masked(0x89, &[0; 126]),
        ];
        for bytes in cases {
            assert_eq!(read(bytes, 1 << 20), Err(Malformed), "{bytes:02x?}");
        }
        let two = [masked(0x02, b"a"), masked(0x82, b"b")].concat();
        assert_eq!(read(&two, 9), Err(Malformed));
    }
}
