//! Writing a frame stream.

use super::layout::FrameLayout;
use super::pieces::Pieces;
use super::read::Frames;
use super::{current, v01};
use crate::cursor::Writer;
use crate::error::{Error, Result};
use crate::generation::Generation;
use crate::limit::Limit;
use crate::views::{View, ViewSet};

/// The longest gap that is bridged. A million keepalives are over a year: more is a broken clock.
const KEEPALIVES: Limit = Limit::new("keepalives in a row", 1_000_000);

/// Writes a frame stream: exact frames one by one, or whole moments by their absolute time.
///
/// What a method refuses leaves the output and the time as they were.
///
/// ```
/// use gametape_wire::{FrameLayout, FrameWriter, Generation, View, ViewSet};
///
/// let layout = FrameLayout::new(Generation::V01, View::new(2).unwrap())?;
/// let mut out = FrameWriter::new(layout);
/// out.homogenous(5, ViewSet::from_bits(0b011), &[0xAA])?;
/// assert!(out.homogenous(5, ViewSet::from_bits(0b1000), &[0xAA]).is_err());
/// assert_eq!(out.as_bytes(), [0x00, 0x05, 0x01, 0x83, 0xAA]);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FrameWriter {
    layout: FrameLayout,
    out: Writer,
    time: u64,
}

impl FrameWriter {
    /// An empty stream that begins at time 0.
    #[must_use]
    pub fn new(layout: FrameLayout) -> Self {
        Self { layout, out: Writer::new(), time: 0 }
    }

    /// The same writer, counting on from `time`.
    #[must_use]
    pub fn at_time(mut self, time: u64) -> Self {
        self.time = time;
        self
    }

    /// How frames are written.
    #[must_use]
    pub fn layout(&self) -> FrameLayout {
        self.layout
    }

    /// The time of the last frame written.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.time
    }

    /// What was written so far.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.out.as_bytes()
    }

    /// What was written, owned.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.out.into_bytes()
    }

    /// One homogenous frame.
    pub fn homogenous(&mut self, delta: u32, views: ViewSet, payload: &[u8]) -> Result<()> {
        let delta = self.checked_delta(delta)?;
        self.check_views(views)?;
        self.check_payload(payload)?;
        if views.is_empty() && !payload.is_empty() {
            return Err(Error::misuse("frame mask", "a payload that no view would receive"));
        }
        self.put_homogenous(delta, views, payload);
        Ok(())
    }

    /// One heterogenous frame; the views may come in any order, but each only once.
    pub fn heterogenous(&mut self, delta: u32, parts: &[(View, &[u8])]) -> Result<()> {
        let delta = self.checked_delta(delta)?;
        let pieces = Pieces::gather(parts)?;
        self.check_views(pieces.views())?;
        pieces.iter().try_for_each(|(_, payload)| self.check_payload(payload))?;
        let spectator = pieces.views().contains(View::SPECTATOR);
        if spectator && pieces.get(View::SPECTATOR).is_empty() {
            // In v0.1 a spectator length of 0 means that the spectator takes no part.
            return Err(Error::misuse("frame payload", "the spectator's payload is empty"));
        }
        self.put_heterogenous(delta, &pieces);
        Ok(())
    }

    /// One keepalive: time passes.
    pub fn keepalive(&mut self) {
        match self.layout.generation() {
            Generation::V01 => v01::write_keepalive(&mut self.out),
            Generation::Current => current::write_keepalive(&mut self.out),
        }
        self.advance(self.layout.keepalive_advance());
    }

    /// Bytes as they are; time passes by the frames that are whole in them.
    pub fn raw(&mut self, bytes: &[u8]) {
        let mut frames = Frames::new(self.layout, bytes).at_time(self.time);
        frames.by_ref().for_each(drop);
        self.time = frames.time();
        self.out.bytes(bytes);
    }

    /// Everything that happens at `time`, in as many frames as it takes.
    ///
    /// Keepalives bridge the gap, views without bytes are left out, and what is too long for a
    /// frame goes on in frames with delta 0. A frame is homogenous when all its views receive the
    /// same.
    ///
    /// `split` is asked only about bytes that are too long. It returns the length of their longest
    /// beginning that is at most the given limit and ends where a message ends; 0 if there is none,
    /// which is refused.
    pub fn moment(
        &mut self,
        time: u64,
        views: &[(View, &[u8])],
        split: impl FnMut(&[u8], usize) -> usize,
    ) -> Result<()> {
        let mut pieces = Pieces::gather(views)?;
        pieces.drop_empty();
        self.put_moment(time, pieces, split)
    }

    /// Lets time pass until `time` without giving anything to anyone.
    ///
    /// What keepalives cannot express is carried by a frame without views.
    pub fn idle_until(&mut self, time: u64) -> Result<()> {
        let delta = self.approach(time)?;
        match (delta, self.layout.generation()) {
            (0, _) => {}
            (_, Generation::V01) => self.put_homogenous(delta, ViewSet::EMPTY, &[]),
            (_, Generation::Current) => self.put_heterogenous(delta, &Pieces::default()),
        }
        Ok(())
    }

    /// As [`moment`](Self::moment), of pieces that are not empty.
    pub(super) fn put_moment(
        &mut self,
        time: u64,
        pieces: Pieces<'_>,
        split: impl FnMut(&[u8], usize) -> usize,
    ) -> Result<()> {
        self.check_views(pieces.views())?;
        if pieces.is_empty() {
            return Ok(());
        }
        let (length, before) = (self.as_bytes().len(), self.time);
        let result = self.put_fragments(time, pieces, split);
        if result.is_err() {
            self.out.truncate(length);
            self.time = before;
        }
        result
    }

    fn put_fragments(
        &mut self,
        time: u64,
        mut pieces: Pieces<'_>,
        mut split: impl FnMut(&[u8], usize) -> usize,
    ) -> Result<()> {
        let mut delta = self.approach(time)?;
        loop {
            let rest = pieces.keep_fitting(self.layout.payload_limit(), &mut split)?;
            match pieces.shared() {
                Some(payload) => self.put_homogenous(delta, pieces.views(), payload),
                None => self.put_heterogenous(delta, &pieces),
            }
            let Some(rest) = rest else { return Ok(()) };
            (pieces, delta) = (rest, 0);
        }
    }

    /// Writes the keepalives that are needed and returns the delta that is left until `time`.
    fn approach(&mut self, time: u64) -> Result<u16> {
        let Some(gap) = time.checked_sub(self.time) else {
            let problem = format!("time {time} is before the time {} already reached", self.time);
            return Err(Error::misuse("frame time", problem));
        };
        let advance = u64::from(self.layout.keepalive_advance());
        let keepalives = gap.saturating_sub(u64::from(self.layout.max_delta())).div_ceil(advance);
        KEEPALIVES.check(keepalives, self.out.offset())?;
        (0..keepalives).for_each(|_| self.keepalive());
        Ok((gap - keepalives * advance) as u16)
    }

    fn put_homogenous(&mut self, delta: u16, views: ViewSet, payload: &[u8]) {
        let Self { layout, out, .. } = self;
        match layout.generation() {
            Generation::V01 => v01::write_homogenous(out, delta, views, payload),
            Generation::Current => current::write_homogenous(out, *layout, delta, views, payload),
        }
        self.advance(delta.into());
    }

    fn put_heterogenous(&mut self, delta: u16, pieces: &Pieces<'_>) {
        let Self { layout, out, .. } = self;
        match layout.generation() {
            Generation::V01 => v01::write_heterogenous(out, delta, pieces),
            Generation::Current => current::write_heterogenous(out, *layout, delta, pieces),
        }
        self.advance(delta.into());
    }

    fn advance(&mut self, delta: u32) {
        self.time = self.time.saturating_add(delta.into());
    }

    fn checked_delta(&self, delta: u32) -> Result<u16> {
        let most = self.layout.max_delta();
        match u16::try_from(delta) {
            Ok(fitting) if delta <= most => Ok(fitting),
            _ => {
                Err(Error::misuse("frame delta", format!("{delta} is over the {most} of a frame")))
            }
        }
    }

    fn check_views(&self, views: ViewSet) -> Result<()> {
        let absent = views.without(self.layout.views());
        if absent.is_empty() {
            return Ok(());
        }
        let most = self.layout.max_view();
        Err(Error::misuse("frame mask", format!("views {absent} do not exist, {most} is the last")))
    }

    fn check_payload(&self, payload: &[u8]) -> Result<()> {
        let (length, most) = (payload.len(), self.layout.payload_limit());
        if length > most {
            let problem = format!("{length} bytes are over the {most} of a frame");
            return Err(Error::misuse("frame payload", problem));
        }
        if length == 0 && self.layout.generation() == Generation::Current {
            return Err(Error::misuse("frame payload", "this generation has no empty payloads"));
        }
        Ok(())
    }
}
