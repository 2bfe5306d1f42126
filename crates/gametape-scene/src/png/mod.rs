//! Scenes as PNG pictures: board, heading, legend.

mod thumbnail;

use std::collections::BTreeSet;
use std::fmt;

use crate::draw::{Area, BoardPicture, Camera, Canvas, Fonts, Kept, Overlay, Weight};
use crate::layout::Layout;
use crate::legend::Legend;
use crate::model::Scene;
use crate::palette::Palette;
use crate::panel::Panel;

pub use thumbnail::thumbnail;

/// Around everything.
const MARGIN: f32 = 24.0;
/// The most pixels that a side of the drawn board may have.
const MOST_SIDE: f32 = 6000.0;
/// About what a board takes that no scale was given for.
const COMFORTABLE: (f32, f32) = (1100.0, 900.0);
/// Tiles are as wide as this where no scale is given.
const USUAL_SCALES: (f32, f32) = (5.0, 56.0);
/// No picture is narrower: headings have some room.
const LEAST_WIDTH: f32 = 480.0;

const HEADLINE: f32 = 24.0;
const SUBTITLE: f32 = 14.0;

/// How a picture is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Options {
    /// The width of a tile in pixels; chosen by the size of the board if not given.
    pub scale: Option<u16>,
}

impl Options {
    /// With tiles of this width in pixels.
    #[must_use]
    pub fn with_scale(mut self, scale: Option<u16>) -> Self {
        self.scale = scale;
        self
    }
}

/// Why a scene cannot be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PictureError {
    /// Tiles would be too wide.
    ScaleTooLarge {
        /// The largest scale.
        most: u16,
    },
    /// The picture could not be made.
    Failed,
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ScaleTooLarge { most } => write!(f, "tiles can be {most} pixels wide at most"),
            Self::Failed => f.write_str("the picture is too large to be drawn"),
        }
    }
}

impl std::error::Error for PictureError {}

/// The scene as a PNG file.
pub fn draw(scene: &Scene, options: &Options) -> Result<Vec<u8>, PictureError> {
    draw_over(scene, options, Overlay::default())
}

/// The scene as a PNG file, with something over its board; a heat map is explained in the legend.
pub fn draw_over(
    scene: &Scene,
    options: &Options,
    overlay: Overlay<'_>,
) -> Result<Vec<u8>, PictureError> {
    let layout = scene.board.as_ref().and_then(Layout::of);
    let scale = match &layout {
        Some(layout) => scale(layout, options.scale)?,
        None => 1.0,
    };
    let canvas = paint(scene, layout.as_ref(), scale, overlay).ok_or(PictureError::Failed)?;
    canvas.to_png().ok_or(PictureError::Failed)
}

/// The letters of a scene that the font of pictures does not have, each once: boxes are drawn for them.
#[must_use]
pub fn missing_letters(scene: &Scene) -> String {
    let fonts = Fonts::own();
    let heading = [scene.title.headline(), scene.title.subtitle(), scene.fact_line()];
    let legend = Legend::of(scene);
    let entries = [&legend.players, &legend.piece_kinds, &legend.kinds, &legend.pieces];
    let entries = entries.into_iter().flatten().flat_map(|entry| [&entry.text, &entry.detail]);
    let texts = heading.iter().chain(entries);
    let missing: BTreeSet<char> = texts.flat_map(|text| fonts.missing(text)).collect();
    missing.into_iter().collect()
}

/// The scale that was asked for, or one that suits the board.
fn scale(layout: &Layout, given: Option<u16>) -> Result<f32, PictureError> {
    let (width, height) = layout.size();
    let most = (MOST_SIDE / width.max(height)).max(1.0);
    match given.map(f32::from) {
        Some(scale) if scale > most => Err(PictureError::ScaleTooLarge { most: most as u16 }),
        Some(scale) => Ok(scale.max(1.0)),
        None => {
            let fit = (COMFORTABLE.0 / width).min(COMFORTABLE.1 / height).floor();
            Ok(fit.clamp(USUAL_SCALES.0, USUAL_SCALES.1).min(most))
        }
    }
}

fn paint(
    scene: &Scene,
    layout: Option<&Layout>,
    scale: f32,
    overlay: Overlay<'_>,
) -> Option<Canvas> {
    let fonts = Fonts::own();
    let heading = 2.0 * MARGIN + HEADLINE + SUBTITLE + 10.0;
    let size = layout.map_or((0.0, 0.0), |layout| {
        let (width, height) = layout.size();
        (width * scale, height * scale)
    });
    let left = if layout.is_some() { size.0 + 2.0 * MARGIN } else { MARGIN };
    let panel = Panel::of(scene, &fonts, overlay.heat);
    let width = (left + panel.width + MARGIN).max(LEAST_WIDTH);
    let height = heading + size.1.max(panel.height) + MARGIN;
    let mut canvas = Canvas::new(width.ceil() as u32, height.ceil() as u32, Palette::BACKGROUND)?;
    draw_heading(&mut canvas, scene, &fonts, width);
    if let (Some(board), Some(layout)) = (&scene.board, layout) {
        let camera = Camera { scale, origin: (MARGIN, heading) };
        let area = board_area(&canvas, (MARGIN, heading), size);
        let picture = BoardPicture { scene, board, layout, camera, fonts: &fonts };
        picture.draw(&mut canvas, &mut Kept::default(), area, overlay);
    }
    panel.draw(&mut canvas, &fonts, (left, heading));
    Some(canvas)
}

/// The pixels of a board of this size at a corner, with some room for labels around it.
fn board_area(canvas: &Canvas, corner: (f32, f32), size: (f32, f32)) -> Area {
    let (whole, room) = (canvas.area(), MARGIN / 2.0);
    Area {
        left: (corner.0 - room) as i32,
        top: (corner.1 - room) as i32,
        right: ((corner.0 + size.0 + room) as i32).min(whole.right),
        bottom: ((corner.1 + size.1 + room) as i32).min(whole.bottom),
    }
}

fn draw_heading(canvas: &mut Canvas, scene: &Scene, fonts: &Fonts, width: f32) {
    let room = width - 2.0 * MARGIN;
    let headline = fonts.fitted(&scene.title.headline(), Weight::Bold, HEADLINE, room);
    fonts.write(canvas, &headline, Weight::Bold, HEADLINE, (MARGIN, MARGIN), Palette::TEXT);
    let parts = [scene.title.subtitle(), scene.fact_line()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let subtitle = fonts.fitted(&parts.join("   ·   "), Weight::Regular, SUBTITLE, room);
    let at = (MARGIN, MARGIN + HEADLINE + 10.0);
    fonts.write(canvas, &subtitle, Weight::Regular, SUBTITLE, at, Palette::SECONDARY);
}
