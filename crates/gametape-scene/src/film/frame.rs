//! One picture of a film: heading, clock, board, players, and how far it is.

use crate::draw::{Area, BoardPicture, Camera, Canvas, Fonts, Kept, Overlay, Weight};
use crate::layout::Layout;
use crate::model::Scene;
use crate::palette::Palette;
use crate::panel::Panel;

/// Around everything.
const MARGIN: f32 = 16.0;
const HEADLINE: f32 = 19.0;
const CLOCK: f32 = 13.0;
/// Pictures narrower than this show no players.
const LEAST_FOR_PANEL: u32 = 560;
/// Pictures lower than this have no heading.
const LEAST_FOR_HEADING: u32 = 240;
/// The width of the list of players, in parts of the picture, and at most.
const PANEL: (f32, f32) = (0.3, 260.0);
/// The bar that shows how far the film is.
const BAR: i32 = 3;

/// Draws pictures of one size, and keeps what the next one can use again.
#[derive(Debug)]
pub(super) struct Studio {
    fonts: Fonts,
    kept: Kept,
    canvas: Option<Canvas>,
}

impl Studio {
    pub(super) fn new(fonts: Fonts) -> Self {
        Self { fonts, kept: Kept::default(), canvas: None }
    }

    /// A picture of this size, of which `share` is the part of the film until it. None where it cannot be drawn.
    pub(super) fn frame(
        &mut self,
        scene: &Scene,
        size: (u32, u32),
        overlay: Overlay<'_>,
        share: f32,
    ) -> Option<&[u8]> {
        let canvas = match self.canvas.take().filter(|canvas| canvas.size() == size) {
            Some(canvas) => canvas,
            None => Canvas::new(size.0, size.1, Palette::BACKGROUND)?,
        };
        let canvas = self.canvas.insert(canvas);
        canvas.clear(Palette::BACKGROUND);
        let (width, height) = (size.0 as f32, size.1 as f32);
        let top = match size.1 >= LEAST_FOR_HEADING {
            true => heading(canvas, &self.fonts, scene, width),
            false => MARGIN,
        };
        let panel = match size.0 >= LEAST_FOR_PANEL {
            true => (width * PANEL.0).min(PANEL.1),
            false => 0.0,
        };
        if panel > 0.0 {
            let left = width - panel - MARGIN;
            let players = Panel::of_players(scene, &self.fonts, overlay.heat, panel);
            players.draw(canvas, &self.fonts, (left, top));
        }
        let right = width - panel - if panel > 0.0 { 2.0 * MARGIN } else { MARGIN };
        let area = Area {
            left: (MARGIN / 2.0) as i32,
            top: (top - MARGIN / 2.0) as i32,
            right: right as i32,
            bottom: (height - MARGIN / 2.0) as i32,
        };
        board(canvas, &mut self.kept, &self.fonts, scene, area, overlay);
        bar(canvas, share);
        Some(canvas.bytes())
    }
}

/// Who plays, and the time. Gives where the rest begins.
fn heading(canvas: &mut Canvas, fonts: &Fonts, scene: &Scene, width: f32) -> f32 {
    let room = width - 2.0 * MARGIN;
    let headline = fonts.fitted(&scene.title.headline(), Weight::Bold, HEADLINE, room);
    fonts.write(canvas, &headline, Weight::Bold, HEADLINE, (MARGIN, MARGIN), Palette::TEXT);
    let below = MARGIN + HEADLINE + 6.0;
    let facts = fonts.fitted(&scene.fact_line(), Weight::Regular, CLOCK, room);
    fonts.write(canvas, &facts, Weight::Regular, CLOCK, (MARGIN, below), Palette::SECONDARY);
    below + CLOCK + MARGIN
}

fn board(
    canvas: &mut Canvas,
    kept: &mut Kept,
    fonts: &Fonts,
    scene: &Scene,
    area: Area,
    overlay: Overlay<'_>,
) {
    let Some(board) = &scene.board else { return };
    let Some(layout) = Layout::of(board) else { return };
    let (width, height) = (area.right - area.left, area.bottom - area.top);
    if width < 8 || height < 8 {
        return;
    }
    let fit = Camera::fit(&layout, (width as u32, height as u32), 4.0);
    let origin = (fit.origin.0 + area.left as f32, fit.origin.1 + area.top as f32);
    let camera = Camera { scale: fit.scale, origin: (origin.0.round(), origin.1.round()) };
    let picture = BoardPicture { scene, board, layout: &layout, camera, fonts };
    picture.draw(canvas, kept, area, overlay);
}

/// A line at the lower edge.
fn bar(canvas: &mut Canvas, share: f32) {
    let Area { right, bottom, .. } = canvas.area();
    let done = ((right as f32 * share) as i32).clamp(0, right);
    for y in (bottom - BAR).max(0)..bottom {
        for (columns, colour) in [(0..done, Palette::ACCENT), (done..right, Palette::LINE)] {
            let Some(pixels) = canvas.row_mut(y, columns) else { continue };
            let pixel = [colour.0, colour.1, colour.2, 255];
            pixels.as_chunks_mut::<4>().0.fill(pixel);
        }
    }
}
