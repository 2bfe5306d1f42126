//! One frame, borrowed from the stream it is in.

use std::fmt;

use super::layout::FrameLayout;
use super::{Head, current, v01};
use crate::generation::Generation;
use gametape_wire::{Part, View, ViewSet};

/// How a frame stores its payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// One payload that every view of the frame receives.
    Homogenous,
    /// A payload of its own for every view.
    Heterogenous,
    /// Time passes; nobody receives anything.
    Keepalive,
}

impl FrameKind {
    /// The name that JSON uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Homogenous => "homogenous",
            Self::Heterogenous => "heterogenous",
            Self::Keepalive => "keepalive",
        }
    }
}

/// One frame, borrowed: when it happens, for whom it is, and what each view receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    bytes: &'a [u8],
    offset: u64,
    time: u64,
    delta: u16,
    views: ViewSet,
    layout: FrameLayout,
    kind: FrameKind,
    payload_at: u8,
}

impl<'a> Frame<'a> {
    #[inline]
    pub(super) fn new(
        layout: FrameLayout,
        head: &Head,
        bytes: &'a [u8],
        offset: u64,
        time: u64,
    ) -> Self {
        let Head { kind, delta, views, payload_at } = *head;
        // At most 2 + 2 + 16 bytes are before a payload.
        let payload_at = payload_at as u8;
        Self { bytes, offset, time, delta, views, layout, kind, payload_at }
    }

    /// All bytes of the frame.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Absolute offset of its first byte.
    #[must_use]
    #[inline]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Time since the frame before, in ticks (v0.1) or milliseconds (current).
    #[must_use]
    #[inline]
    pub fn delta(&self) -> u32 {
        u32::from(self.delta)
    }

    /// When it happens: the sum of all deltas so far, its own included.
    #[must_use]
    #[inline]
    pub fn time(&self) -> u64 {
        self.time
    }

    /// How it stores its payload.
    #[must_use]
    #[inline]
    pub fn kind(&self) -> FrameKind {
        self.kind
    }

    /// The views that take part, absent ones included.
    #[must_use]
    #[inline]
    pub fn views(&self) -> ViewSet {
        self.views
    }

    /// Views that take part although the layout says that they do not exist.
    #[must_use]
    #[inline]
    pub fn absent(&self) -> ViewSet {
        self.views.without(self.layout.views())
    }

    /// What `view` receives; `None` if it takes no part.
    #[must_use]
    #[inline]
    pub fn view(&self, view: View) -> Option<&'a [u8]> {
        if !self.views.contains(view) {
            return None;
        }
        match self.kind {
            FrameKind::Heterogenous => {
                self.parts().find(|part| part.views.contains(view)).map(|part| part.payload)
            }
            FrameKind::Homogenous | FrameKind::Keepalive => Some(self.payload()),
        }
    }

    /// The payloads with the views that receive them, in the order of their bytes.
    ///
    /// A homogenous frame has one part for its whole set of views, a heterogenous frame one for
    /// each view, a keepalive none.
    #[inline]
    #[must_use]
    pub fn parts(&self) -> Parts<'a> {
        let (head, payload) = self.bytes.split_at(usize::from(self.payload_at));
        let lengths = match (self.kind, self.layout.generation()) {
            (FrameKind::Keepalive, _) => Lengths::default(),
            (FrameKind::Homogenous, _) => Lengths { first: Some(payload.len()), ..<_>::default() },
            (FrameKind::Heterogenous, Generation::V01) => v01::lengths(head),
            (FrameKind::Heterogenous, Generation::Current) => current::lengths(head, self.layout),
        };
        let whole = self.kind == FrameKind::Homogenous;
        let offset = self.offset + head.len() as u64;
        Parts { left: self.views, whole, lengths, payload, offset }
    }

    /// What a writer would have done differently.
    pub fn irregularities(&self) -> impl Iterator<Item = Irregularity> + use<> {
        let absent = self.absent();
        [
            (!absent.is_empty()).then_some(Irregularity::AbsentViews(absent)),
            self.spectator_disagreement(),
            self.has_top_bit().then_some(Irregularity::KeepaliveTopBit),
            self.is_for_nobody().then_some(Irregularity::NoReceiver),
        ]
        .into_iter()
        .flatten()
    }

    /// Would a [`FrameWriter`](crate::FrameWriter), given this frame's kind, delta, views and
    /// payloads, write exactly these bytes?
    #[must_use]
    #[inline]
    pub fn is_canonical(&self) -> bool {
        // On the way of every frame, so without building the list.
        self.absent().is_empty()
            && self.spectator_disagreement().is_none()
            && !self.has_top_bit()
            && !self.is_for_nobody()
    }

    fn payload(&self) -> &'a [u8] {
        &self.bytes[usize::from(self.payload_at)..]
    }

    fn spectator_disagreement(&self) -> Option<Irregularity> {
        match (self.layout.generation(), self.kind) {
            (Generation::V01, FrameKind::Heterogenous) => v01::spectator_disagreement(self.bytes)
                .map(|(bit, length)| Irregularity::SpectatorBit { bit, length }),
            _ => None,
        }
    }

    fn has_top_bit(&self) -> bool {
        self.layout.generation() == Generation::Current
            && self.kind == FrameKind::Keepalive
            && current::has_top_bit(self.bytes)
    }

    fn is_for_nobody(&self) -> bool {
        self.views.is_empty() && !self.payload().is_empty()
    }
}

/// The parts of a frame; made by [`Frame::parts`].
#[derive(Debug, Clone)]
pub struct Parts<'a> {
    left: ViewSet,
    whole: bool,
    lengths: Lengths<'a>,
    payload: &'a [u8],
    offset: u64,
}

impl<'a> Iterator for Parts<'a> {
    type Item = Part<'a>;

    #[inline]
    fn next(&mut self) -> Option<Part<'a>> {
        let (payload, rest) = self.payload.split_at(self.lengths.next()?);
        let views = if self.whole { self.left } else { self.left.lowest() };
        let part = Part { views, payload, offset: self.offset };
        self.left = self.left.without(views);
        self.payload = rest;
        self.offset += payload.len() as u64;
        Some(part)
    }
}

/// The lengths of a frame's payloads, in the order of their bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Lengths<'a> {
    /// A length that is not in the list, but comes first.
    pub(super) first: Option<usize>,
    pub(super) list: &'a [u8],
    /// What is added to each entry of the list.
    pub(super) bias: usize,
}

impl Lengths<'_> {
    #[inline]
    fn next(&mut self) -> Option<usize> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        let (&length, rest) = self.list.split_first()?;
        self.list = rest;
        Some(usize::from(length) + self.bias)
    }
}

/// Something in a frame that is read without harm but never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Irregularity {
    /// The mask names views that the layout does not have.
    AbsentViews(ViewSet),
    /// v0.1: the mask and the spectator length disagree whether the spectator takes part; the
    /// length was followed.
    SpectatorBit {
        /// Bit 0 of the mask.
        bit: bool,
        /// The spectator length.
        length: u8,
    },
    /// Current: a keepalive written as 0xFFFF.
    KeepaliveTopBit,
    /// A payload, but no view that receives it.
    NoReceiver,
}

impl fmt::Display for Irregularity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AbsentViews(views) => write!(f, "the mask names absent views {views}"),
            Self::SpectatorBit { bit: true, .. } => {
                f.write_str("the mask names the spectator, whose length is 0")
            }
            Self::SpectatorBit { bit: false, length } => {
                write!(f, "the mask does not name the spectator, who has {length} bytes")
            }
            Self::KeepaliveTopBit => f.write_str("a keepalive written as 0xFFFF"),
            Self::NoReceiver => f.write_str("a payload that no view receives"),
        }
    }
}
