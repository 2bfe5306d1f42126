//! Small pictures that are drawn once and stamped wherever they are needed.

use std::collections::HashMap;

use super::canvas::{Canvas, Point};
use crate::model::Look;
use crate::palette::Colour;

/// More are not kept: then all are drawn again.
const MOST: usize = 4096;

/// What a sprite shows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum SpriteKey {
    /// A thing on a tile of a colour.
    Mark {
        look: Look,
        name: Option<Box<str>>,
        colour: Colour,
        ground: Colour,
        alpha: u8,
        scale: u32,
    },
    /// A label of letters of a size.
    Label { text: Box<str>, size: u32 },
}

/// Sprites by what they show.
#[derive(Debug, Default)]
pub(crate) struct Sprites {
    sprites: HashMap<SpriteKey, Option<Canvas>>,
}

impl Sprites {
    /// Stamps a sprite with its upper left corner at a point, drawn first where it is not there yet.
    pub(super) fn stamp(
        &mut self,
        canvas: &mut Canvas,
        at: Point,
        key: SpriteKey,
        draw: impl FnOnce() -> Option<Canvas>,
    ) {
        if self.sprites.len() >= MOST {
            self.sprites.clear();
        }
        if let Some(sprite) = self.sprites.entry(key).or_insert_with(draw) {
            canvas.stamp(sprite, (at.0.round() as i32, at.1.round() as i32));
        }
    }
}
