//! What the frames of a tape do not say of a file's frames: the resource `minewars/frames`.

use gametape_wire::{Error, ErrorKind, Reader, Result, Writer};

/// The name of the resource.
pub(crate) const RESOURCE: &str = "minewars/frames";

/// Where bytes that belong to no frame are split into several entries.
const LONE_BYTES: usize = 64 << 10;

/// What an entry says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// Bytes that belong to no frame of the tape.
    Lone,
    /// The head of the next frame; one payload follows.
    SharedHead,
    /// The head of the next frame; a payload for each view follows.
    HeadForEach,
    /// Nothing more follows.
    End,
}

impl What {
    fn code(self) -> u8 {
        self as u8
    }

    fn from_code(code: u8, offset: u64) -> Result<Self> {
        match code {
            0 => Ok(Self::Lone),
            1 => Ok(Self::SharedHead),
            2 => Ok(Self::HeadForEach),
            3 => Ok(Self::End),
            _ => Err(Error::at(offset, RESOURCE, ErrorKind::Unknown { code: code.into() })),
        }
    }

    /// Does a frame of the tape belong to it?
    pub(super) fn has_frame(self) -> bool {
        matches!(self, Self::SharedHead | Self::HeadForEach)
    }
}

/// One entry, borrowed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    /// Plain frames before it.
    pub(super) plain: u64,
    pub(super) what: What,
    pub(super) bytes: &'a [u8],
}

/// Collects entries.
#[derive(Debug, Default)]
pub(super) struct ExactWriter {
    out: Writer,
    plain: u64,
    lone: Vec<u8>,
}

impl ExactWriter {
    /// A frame that a moment is enough for.
    pub(super) fn plain(&mut self) {
        self.end_lone();
        self.plain += 1;
    }

    /// Bytes that belong to no frame of the tape.
    pub(super) fn lone(&mut self, bytes: &[u8]) {
        self.lone.extend_from_slice(bytes);
        if self.lone.len() >= LONE_BYTES {
            self.end_lone();
        }
    }

    /// A frame that is written with this head.
    pub(super) fn head(&mut self, what: What, head: &[u8]) {
        self.end_lone();
        self.entry(what, head);
    }

    fn end_lone(&mut self) {
        if !self.lone.is_empty() {
            let lone = std::mem::take(&mut self.lone);
            self.entry(What::Lone, &lone);
        }
    }

    fn entry(&mut self, what: What, bytes: &[u8]) {
        let plain = std::mem::take(&mut self.plain);
        self.out.varint(plain).u8(what.code()).varint(bytes.len() as u64).bytes(bytes);
    }

    /// What is to be written now, if it is much.
    pub(super) fn take_much(&mut self) -> Option<Vec<u8>> {
        const MUCH: usize = 1 << 20;
        (self.out.as_bytes().len() >= MUCH).then(|| std::mem::take(&mut self.out).into_bytes())
    }

    /// The rest with its end.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.end_lone();
        self.entry(What::End, &[]);
        self.out.into_bytes()
    }
}

/// Walks over the entries.
#[derive(Debug)]
pub(super) struct Entries<'a>(Reader<'a>);

impl<'a> Entries<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(Reader::new(bytes))
    }

    pub(super) fn read(&mut self) -> Result<Entry<'a>> {
        let r = &mut self.0;
        let plain = r.varint(RESOURCE)?;
        let offset = r.offset();
        let what = What::from_code(r.u8(RESOURCE)?, offset)?;
        let length = usize::try_from(r.varint(RESOURCE)?).unwrap_or(usize::MAX);
        Ok(Entry { plain, what, bytes: r.take(length, RESOURCE)? })
    }

    /// Do they end well, and speak of exactly this many frames?
    pub(super) fn name_frames(mut self, frames: u64) -> bool {
        let mut named = 0u64;
        while let Ok(entry) = self.read() {
            named = named.saturating_add(entry.plain).saturating_add(entry.what.has_frame().into());
            if entry.what == What::End {
                return named == frames && self.0.is_empty();
            }
        }
        false
    }
}
