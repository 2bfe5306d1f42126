//! Streams of QUIC and WebTransport as messages, without I/O. Normative: `spec/live.md`, section 14.

use gametape_live::limits::{DATAGRAM_BYTES, MESSAGE_BYTES, SMALL_MESSAGE_BYTES};
use gametape_live::{Lane, Outgoing, Shared};
use gametape_wire::{Error, ErrorClass, ErrorKind, Limit, Reader, Result, Writer};

/// A message of lane 0, which fits a datagram even where it travels on a stream.
const DATAGRAM: Limit = Limit::new("length of a message", DATAGRAM_BYTES as u64);

/// Codes with which connections of QUIC and WebTransport end.
pub mod code {
    /// Everything was said.
    pub const DONE: u32 = 0;
    /// Refused.
    pub const REFUSED: u32 = 1;
    /// Something was not as it must be.
    pub const MALFORMED: u32 = 2;
    /// The server shuts down.
    pub const SHUT_DOWN: u32 = 3;
    /// The other side was too slow.
    pub const TOO_SLOW: u32 = 4;
}

/// The way that a message takes over a connection with streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// The session stream.
    Session,
    /// One stream of this lane for the whole connection.
    Kept(Lane),
    /// A stream of this lane for a batch of messages.
    Batch(Lane),
    /// A datagram.
    Datagram,
}

impl Way {
    /// The way of a message.
    #[must_use]
    pub fn of(message: &Outgoing) -> Self {
        match message.lane {
            None => Self::Session,
            Some(_) if message.is_datagram => Self::Datagram,
            Some(lane) if lane.priority() > 0 => Self::Kept(lane),
            Some(lane) => Self::Batch(lane),
        }
    }

    /// The priority of its stream: 4 before 3, 2, 1 and 0.
    #[must_use]
    pub fn priority(self) -> i32 {
        match self {
            Self::Session => 4,
            Self::Kept(lane) | Self::Batch(lane) => lane.priority().into(),
            Self::Datagram => 0,
        }
    }

    /// The bytes that its stream begins with.
    #[must_use]
    pub fn prefix(self) -> Vec<u8> {
        match self {
            Self::Kept(lane) | Self::Batch(lane) => vec![lane.number()],
            Self::Session | Self::Datagram => Vec::new(),
        }
    }
}

/// Appends a message as an entry of a stream.
pub fn put_entry(stream: &mut Vec<u8>, message: &[u8]) {
    put_length(stream, message);
    stream.extend_from_slice(message);
}

/// Appends what comes before a message in an entry of a stream.
pub fn put_length(stream: &mut Vec<u8>, message: &[u8]) {
    let mut length = Writer::new();
    length.varint(message.len() as u64);
    stream.extend_from_slice(length.as_bytes());
}

/// Cuts one stream into messages. Takes its bytes in pieces of any size, and holds at most what came of
/// one message and what was pushed since.
#[derive(Debug)]
pub struct Decoder {
    kind: Kind,
    bytes: Vec<u8>,
    /// What was used of the bytes.
    used: usize,
    /// Where the bytes begin in the stream.
    offset: u64,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Session,
    /// Of a lane, when its first byte came.
    Data(Option<Lane>),
}

impl Decoder {
    /// Of the session stream.
    #[must_use]
    pub fn session() -> Self {
        Self::new(Kind::Session)
    }

    /// Of a unidirectional stream, which begins with its lane.
    #[must_use]
    pub fn data() -> Self {
        Self::new(Kind::Data(None))
    }

    fn new(kind: Kind) -> Self {
        Self { kind, bytes: Vec::new(), used: 0, offset: 0 }
    }

    /// The lane of a unidirectional stream, when it is known.
    #[must_use]
    pub fn lane(&self) -> Option<Lane> {
        match self.kind {
            Kind::Data(lane) => lane,
            Kind::Session => None,
        }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        // What was used is given up when it is more than what is left: each byte moves once or twice.
        if self.used > self.bytes.len() / 2 {
            self.bytes.drain(..self.used);
            self.offset += self.used as u64;
            self.used = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next message; `None` where more bytes are needed. An error ends the connection: the stream says
    /// nothing that could be understood any more.
    pub fn next_message(&mut self) -> Result<Option<Shared>> {
        if matches!(self.kind, Kind::Data(None)) && self.used < self.bytes.len() {
            self.kind = Kind::Data(Some(self.step(read_lane)?));
        }
        let kind = self.kind;
        match self.step(|r| read_entry(kind, r)) {
            Ok(message) => Ok(Some(message)),
            Err(error) if error.class() == ErrorClass::Truncated => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads something, and uses its bytes where it is there.
    fn step<T>(&mut self, read: impl FnOnce(&mut Reader<'_>) -> Result<T>) -> Result<T> {
        let offset = self.offset + self.used as u64;
        let mut r = Reader::with_base(&self.bytes[self.used..], offset);
        let item = read(&mut r)?;
        self.used = self.bytes.len() - r.remaining();
        Ok(item)
    }

    /// The stream ended: an error in the middle of a message.
    pub fn finish(&self) -> Result<()> {
        let left = (self.bytes.len() - self.used) as u64;
        if left == 0 {
            return Ok(());
        }
        let offset = self.offset + self.used as u64;
        let kind = ErrorKind::Truncated { needed: left + 1, available: left };
        Err(Error::at(offset, "message of a stream", kind))
    }
}

fn read_lane(r: &mut Reader<'_>) -> Result<Lane> {
    let offset = r.offset();
    let number = r.u8("lane of a stream")?;
    let bad = ErrorKind::BadValue { found: number.into(), expected: "0..=6" };
    Lane::new(number).ok_or_else(|| Error::at(offset, "lane of a stream", bad))
}

/// Reads an entry. Its length is checked before the rest of it is waited for.
fn read_entry(kind: Kind, r: &mut Reader<'_>) -> Result<Shared> {
    let offset = r.offset();
    let length = r.varint("length of a message")?;
    let limit = match kind {
        Kind::Session => SMALL_MESSAGE_BYTES,
        Kind::Data(Some(Lane::UNRELIABLE)) => DATAGRAM,
        Kind::Data(_) => MESSAGE_BYTES,
    };
    limit.check(length, offset)?;
    if length == 0 {
        let kind = ErrorKind::BadValue { found: 0, expected: "at least 1" };
        return Err(Error::at(offset, "length of a message", kind));
    }
    let at = r.offset();
    // Only as many bytes as came are looked at: the message is copied when all of it is there.
    let message = r.take(length as usize, "message of a stream")?;
    check_stream(kind, message, at)?;
    Ok(message.into())
}

/// Does the message belong on this stream?
fn check_stream(kind: Kind, message: &[u8], at: u64) -> Result<()> {
    let lane = lane_of(message);
    let is_fine = match kind {
        // History of lane 0 comes with the marks that count it.
        Kind::Session if lane == Some(Lane::UNRELIABLE) => {
            DATAGRAM.check(message.len() as u64, at)?;
            true
        }
        Kind::Session => lane.is_none(),
        Kind::Data(of) => lane.is_some() && lane == of,
    };
    if is_fine {
        return Ok(());
    }
    let problem = "a message that does not belong on this stream".into();
    Err(Error::at(at, "message of a stream", ErrorKind::BadSyntax { problem }))
}

/// The lane of a numbered message; `None` for messages about the session.
#[must_use]
pub fn lane_of(message: &[u8]) -> Option<Lane> {
    match message {
        [0x10..=0x12, _, lane, ..] => Lane::new(*lane),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use gametape_live::{Again, Message, StartAt};
    use gametape_wire::View;
    use proptest::prelude::*;

    use super::*;

    /// A message of a lane as far as framing looks at it.
    fn data(lane: u8, length: usize) -> Vec<u8> {
        let mut message = vec![0x10, 2, lane];
        message.resize(length.max(3), 0xAA);
        message
    }

    fn stream(prefix: &[u8], messages: &[Vec<u8>]) -> Vec<u8> {
        let mut stream = prefix.to_vec();
        messages.iter().for_each(|message| put_entry(&mut stream, message));
        stream
    }

    fn decode(mut decoder: Decoder, pieces: &[&[u8]]) -> Result<Vec<Vec<u8>>> {
        let mut messages = Vec::new();
        for piece in pieces {
            decoder.push(piece);
            while let Some(message) = decoder.next_message()? {
                messages.push(message.to_vec());
            }
        }
        decoder.finish()?;
        Ok(messages)
    }

    #[test]
    fn ways_follow_the_table() {
        let with = |lane: Option<u8>, is_datagram| {
            let mut out = Outgoing::new([0x13][..].into());
            (out.lane, out.is_datagram) = (lane.and_then(Lane::new), is_datagram);
            Way::of(&out)
        };
        assert_eq!(with(None, false), Way::Session);
        assert_eq!(with(Some(0), true), Way::Datagram);
        for number in [2, 3, 4] {
            let way = with(Some(number), false);
            assert!(matches!(way, Way::Kept(_)));
            assert_eq!((way.priority(), way.prefix()), (i32::from(number) - 1, vec![number]));
        }
        for number in [0, 1, 5, 6] {
            let way = with(Some(number), false);
            assert!(matches!(way, Way::Batch(_)));
            assert_eq!((way.priority(), way.prefix()), (0, vec![number]));
        }
        assert_eq!(Way::Session.priority(), 4);
    }

    #[test]
    fn real_messages_come_back() {
        let view = View::new(2).unwrap();
        let again = Again { view, lane: Lane::TAPE, numbers: 3..5 };
        let sent = [Message::Again(again).to_bytes(), Message::Seek(StartAt::Live).to_bytes()];
        let bytes = stream(&[], &sent.each_ref().map(|message| message.to_vec()));
        let came = decode(Decoder::session(), &[&bytes]).unwrap();
        assert_eq!(came, sent.map(|message| message.to_vec()));
    }

    #[test]
    fn lengths_are_refused_before_their_bytes_come() {
        let refused = |mut decoder: Decoder, bytes: &[u8]| {
            decoder.push(bytes);
            decoder.next_message().unwrap_err()
        };
        let long = |length: u64| Writer::new().varint(length).as_bytes().to_vec();
        let error = refused(Decoder::session(), &long((64 << 10) + 1));
        assert_eq!(error.class(), ErrorClass::Limit);
        let most = (16 << 20) + (64 << 10);
        let error = refused(Decoder::data(), &[&[4], &long(most + 1)[..]].concat());
        assert_eq!((error.class(), error.offset()), (ErrorClass::Limit, Some(1)));
        let error = refused(Decoder::data(), &[&[0], &long(1201)[..]].concat());
        assert_eq!(error.class(), ErrorClass::Limit);
        let error = refused(Decoder::session(), &[0]);
        assert_eq!(error.offset(), Some(0));
        // A varint in more bytes than it needs.
        assert!(refused(Decoder::session(), &[0x83, 0x00]).to_string().contains("varint"));
        // The longest is waited for, and nothing is set aside for it.
        let mut decoder = Decoder::data();
        decoder.push(&[&[4], &long(most)[..]].concat());
        assert_eq!(decoder.next_message().unwrap(), None);
        assert!(decoder.bytes.capacity() < 1024);
    }

    #[test]
    fn what_does_not_belong_on_a_stream_is_refused() {
        assert!(decode(Decoder::data(), &[&[7]]).is_err(), "no such lane");
        assert!(decode(Decoder::data(), &[&stream(&[4], &[data(3, 9)])]).is_err());
        assert!(decode(Decoder::data(), &[&stream(&[4], &[vec![0x07, 0]])]).is_err());
        assert!(decode(Decoder::session(), &[&stream(&[], &[data(4, 9)])]).is_err());
        assert!(decode(Decoder::session(), &[&stream(&[], &[data(0, 1200)])]).is_ok(), "history");
        assert!(decode(Decoder::session(), &[&stream(&[], &[data(0, 1201)])]).is_err());
        assert!(decode(Decoder::data(), &[&stream(&[4], &[vec![0x10, 2]])]).is_err());
    }

    #[test]
    fn a_stream_that_ends_in_a_message_is_an_error() {
        let whole = stream(&[5], &[data(5, 40), data(5, 300)]);
        for end in 0..whole.len() {
            let is_between = [0, 1, 42].contains(&end);
            let came = decode(Decoder::data(), &[&whole[..end]]);
            assert_eq!(came.is_ok(), is_between, "cut at {end}");
        }
    }

    #[test]
    fn what_was_used_is_given_up() {
        let mut decoder = Decoder::data();
        decoder.push(&[4]);
        for _ in 0..10_000 {
            decoder.push(&stream(&[], &[data(4, 300)]));
            assert!(decoder.next_message().unwrap().is_some());
        }
        assert!(decoder.bytes.capacity() < 4096);
    }

    proptest! {
        #[test]
        fn any_pieces_give_the_same(
            lane in 0u8..7,
            lengths in proptest::collection::vec(3usize..1200, 0..12),
            cuts in proptest::collection::vec(0usize..14_400, 0..20),
        ) {
            let messages: Vec<Vec<u8>> = lengths.iter().map(|n| data(lane, *n)).collect();
            let bytes = stream(&[lane], &messages);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut % (bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
            prop_assert_eq!(decode(Decoder::data(), &pieces).unwrap(), messages);
        }

        #[test]
        fn any_bytes_are_messages_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            for decoder in [Decoder::session(), Decoder::data()] {
                if let Ok(messages) = decode(decoder, &[&bytes]) {
                    let length: usize = messages.iter().map(Vec::len).sum();
                    prop_assert!(length <= bytes.len());
                }
            }
        }
    }
}
