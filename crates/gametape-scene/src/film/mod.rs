//! A range of a recording as moving pictures: frames of a size, and GIF files of them. `spec/scene.md`, section 11.

mod frame;
mod gif;
#[cfg(feature = "webm")]
mod webm;

use gametape_wire::{Error, Moment, Result, Source, Tick, TickLength};

use crate::draw::{Fonts, Overlay};
use crate::heat::{Heat, HeatKind};
use crate::stage::Stage;
use frame::Studio;

pub use gif::{Gif, Swatches};
#[cfg(feature = "webm")]
pub use webm::Webm;

/// More pictures are not made.
pub const MOST_FRAMES: u64 = 6000;
/// Sides of pictures, in pixels.
const SIDES: std::ops::RangeInclusive<u32> = 64..=4096;
/// Pictures of which the colours of all are chosen.
const SAMPLES: u64 = 6;

/// What is filmed, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Shot {
    /// The first moment.
    pub from: Moment,
    /// The last moment.
    pub to: Moment,
    /// How much faster than it was played.
    pub speed: f64,
    /// Pictures a second.
    pub fps: u32,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// How much of something was where, in the whole range, over the board.
    pub heat: Option<HeatKind>,
}

impl Shot {
    /// A range at the speed at which it was played, 10 pictures a second, 800 × 600.
    #[must_use]
    pub fn new(from: Moment, to: Moment) -> Self {
        Self { from, to, speed: 1.0, fps: 10, size: (800, 600), heat: None }
    }

    /// At another speed.
    #[must_use]
    pub fn with_speed(mut self, speed: f64) -> Self {
        self.speed = speed;
        self
    }

    /// With another number of pictures a second.
    #[must_use]
    pub fn with_fps(mut self, fps: u32) -> Self {
        self.fps = fps;
        self
    }

    /// In another size.
    #[must_use]
    pub fn with_size(mut self, size: (u32, u32)) -> Self {
        self.size = size;
        self
    }

    /// With a heat map of the range.
    #[must_use]
    pub fn with_heat(mut self, heat: Option<HeatKind>) -> Self {
        self.heat = heat;
        self
    }

    /// How many pictures there are. Refused where there are too many, or something makes no sense.
    pub fn frames(&self, tick: TickLength) -> Result<u64> {
        let refused = |problem: String| Err(Error::misuse("film", problem));
        if !(0.01..=1000.0).contains(&self.speed) {
            return refused("the speed is between 0.01 and 1000".to_owned());
        }
        if !(1..=50).contains(&self.fps) {
            return refused("there are 1 to 50 pictures a second".to_owned());
        }
        if !SIDES.contains(&self.size.0) || !SIDES.contains(&self.size.1) {
            return refused(format!("a side is {} to {} pixels long", SIDES.start(), SIDES.end()));
        }
        if self.to <= self.from {
            return refused("it ends before it begins".to_owned());
        }
        let ticks = (self.to.next_tick().0 - self.from.next_tick().0) as f64;
        let frames = (ticks / self.step(tick)).floor() as u64 + 1;
        match frames > MOST_FRAMES {
            true => refused(format!(
                "these are {frames} pictures, and {MOST_FRAMES} are the most: a shorter range, a higher speed or fewer \
                 pictures a second are needed"
            )),
            false => Ok(frames),
        }
    }

    /// Ticks from one picture to the next.
    fn step(&self, tick: TickLength) -> f64 {
        self.speed * 1_000_000.0 / f64::from(self.fps) / f64::from(tick.micros().max(1))
    }

    /// The moment of a picture.
    fn moment(&self, frame: u64, tick: TickLength) -> Moment {
        let ticks = (frame as f64 * self.step(tick)) as u64;
        Moment::before(Tick(self.from.next_tick().0.saturating_add(ticks))).min(self.to)
    }
}

/// Films a range of a recording, picture by picture.
#[derive(Debug)]
pub struct Filming {
    shot: Shot,
    frames: u64,
    next: u64,
    studio: Studio,
    heat: Option<Heat>,
}

impl Filming {
    /// Prepares to film a recording, with these letters. Refused where it has no board.
    pub fn new<S: Source>(shot: Shot, fonts: Fonts, stage: &mut Stage<S>) -> Result<Self> {
        let frames = shot.frames(stage.tick_length())?;
        if stage.scene().board.is_none() {
            return Err(Error::misuse("film", "there is no board"));
        }
        let heat = match shot.heat {
            None => None,
            Some(kind) => Some(stage.heat(kind, shot.from, shot.to)?),
        };
        Ok(Self { shot, frames, next: 0, studio: Studio::new(fonts), heat })
    }

    /// How many pictures there are.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// How many pictures were made.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.next
    }

    /// What is filmed.
    #[must_use]
    pub fn shot(&self) -> &Shot {
        &self.shot
    }

    /// The colours of a few pictures of the range: those of all others are much the same.
    pub fn swatches<S: Source>(&mut self, stage: &mut Stage<S>) -> Result<Swatches> {
        let mut swatches = Swatches::default();
        let last = self.frames - 1;
        for sample in 0..=SAMPLES.min(last) {
            let frame = last * sample / SAMPLES.min(last).max(1);
            swatches.add(self.picture(stage, frame)?);
        }
        Ok(swatches)
    }

    /// The next picture: red, green, blue, alpha by row. None after the last. The stage is then at its moment.
    pub fn next<S: Source>(&mut self, stage: &mut Stage<S>) -> Result<Option<&[u8]>> {
        if self.next >= self.frames {
            return Ok(None);
        }
        // A picture that was not made because bytes are missing is made when it is asked for again.
        let frame = self.next;
        stage.seek(self.shot.moment(frame, stage.tick_length()))?;
        self.next += 1;
        self.picture(stage, frame).map(Some)
    }

    fn picture<S: Source>(&mut self, stage: &mut Stage<S>, frame: u64) -> Result<&[u8]> {
        stage.seek(self.shot.moment(frame, stage.tick_length()))?;
        let overlay = Overlay::default().with_heat(self.heat.as_ref());
        let share = (frame + 1) as f32 / self.frames as f32;
        let picture = self.studio.frame(&stage.scene(), self.shot.size, overlay, share);
        picture.ok_or_else(|| Error::misuse("film", "the picture cannot be drawn"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shot(from: u64, to: u64) -> Shot {
        Shot::new(Moment::before(Tick(from)), Moment::before(Tick(to)))
    }

    #[test]
    fn pictures_are_as_far_apart_as_speed_and_rate_say() {
        let tick = TickLength::from_micros(50_000).unwrap();
        let shot = shot(100, 140);
        assert_eq!(shot.frames(tick).unwrap(), 21);
        let at = |frame| shot.moment(frame, tick).next_tick().0;
        assert_eq!([at(0), at(1), at(20), at(99)], [100, 102, 140, 140]);
        assert_eq!(shot.with_speed(4.0).frames(tick).unwrap(), 6);
        assert_eq!(shot.with_fps(20).with_speed(0.5).frames(tick).unwrap(), 81);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let tick = TickLength::from_micros(50_000).unwrap();
        let wrong = [
            shot(5, 5),
            shot(9, 5),
            shot(0, u64::MAX / 4),
            shot(0, 50).with_fps(0),
            shot(0, 50).with_speed(f64::NAN),
            shot(0, 50).with_speed(-1.0),
            shot(0, 50).with_size((10, 10)),
            shot(0, 50).with_size((9999, 100)),
        ];
        for shot in wrong {
            assert!(shot.frames(tick).is_err(), "{shot:?}");
        }
    }
}
