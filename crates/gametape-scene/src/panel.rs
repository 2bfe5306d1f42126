//! The legend beside the board: players, kinds.

use crate::draw::{Canvas, Fonts, PieceLook, Point, Shapes, Weight, draw_mark, draw_piece};
use crate::heat::Heat;
use crate::legend::{Entry, Legend, Swatch};
use crate::model::{Look, Scene};
use crate::palette::{Colour, Palette};

/// The widest panel.
const MOST_WIDTH: f32 = 340.0;
const NAME: f32 = 15.0;
const DETAIL: f32 = 12.5;
const SWATCH: f32 = 20.0;
const INDENT: f32 = SWATCH + 12.0;
/// Between groups.
const GAP: f32 = 18.0;
/// Fewer kinds than these are listed; the rest is counted.
const MOST_KINDS: usize = 24;

/// The legend, laid out.
pub(crate) struct Panel {
    rows: Vec<Row>,
    pub(crate) width: f32,
    #[cfg_attr(
        not(feature = "png"),
        allow(dead_code, reason = "other pictures have a fixed size")
    )]
    pub(crate) height: f32,
    /// What kinds are drawn on.
    ground: Colour,
    heat: Option<HeatLegend>,
}

/// What the colours of a heat map mean.
struct HeatLegend {
    title: String,
    ends: (String, String),
}

/// What the legend of a heat map takes, and its bar.
const HEAT_HEIGHT: f32 = 58.0;
const HEAT_BAR: (f32, f32) = (180.0, 12.0);

struct Row {
    entry: Option<Entry>,
    top: f32,
    /// The detail is a line of its own.
    is_tall: bool,
}

impl Panel {
    pub(crate) fn of(scene: &Scene, fonts: &Fonts, heat: Option<&Heat>) -> Self {
        let legend = Legend::of(scene);
        let groups = [legend.players, shortened(legend.piece_kinds), shortened(legend.kinds)];
        let fills = groups[2].iter().filter_map(|entry| match &entry.swatch {
            Swatch::Kind(kind) if kind.look == Look::Fill => Some(kind.colour),
            _ => None,
        });
        let ground = fills.max_by_key(|colour| colour.brightness()).unwrap_or(Palette::RAISED);
        let heat = heat.map(|heat| HeatLegend { title: heat.title(), ends: heat.ends() });
        let (mut rows, mut top, mut width) = (Vec::new(), 0.0, 0.0f32);
        if let Some(heat) = &heat {
            top += HEAT_HEIGHT + GAP;
            width = HEAT_BAR.0 + fonts.width(heat.unit(), Weight::Regular, DETAIL) + 8.0;
            width = width.max(fonts.width(&heat.title, Weight::Bold, NAME) + 4.0);
        }
        for group in groups {
            if group.is_empty() {
                continue;
            }
            top += if rows.is_empty() { 0.0 } else { GAP };
            for entry in group {
                let is_tall =
                    matches!(entry.swatch, Swatch::Player { .. }) && !entry.detail.is_empty();
                width = width.max(row_width(&entry, is_tall, fonts));
                rows.push(Row { entry: Some(entry), top, is_tall });
                top += if is_tall { 42.0 } else { 26.0 };
            }
        }
        Self { rows, width: width.min(MOST_WIDTH), height: top, ground, heat }
    }

    /// The players alone, for a picture with this much room.
    #[cfg(feature = "film")]
    pub(crate) fn of_players(scene: &Scene, fonts: &Fonts, heat: Option<&Heat>, room: f32) -> Self {
        let players = Scene { board: None, ..scene.clone() };
        Self { width: room, ..Self::of(&players, fonts, heat) }
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas, fonts: &Fonts, (left, top): Point) {
        if let Some(heat) = &self.heat {
            heat.draw(canvas, fonts, (left, top), self.width);
        }
        for row in &self.rows {
            let Some(entry) = &row.entry else { continue };
            let y = top + row.top;
            self.swatch(canvas, fonts, entry, (left + SWATCH / 2.0, y + SWATCH / 2.0));
            write_entry(canvas, fonts, entry, row.is_tall, (left + INDENT, y), self.width - INDENT);
        }
    }

    fn swatch(&self, canvas: &mut Canvas, fonts: &Fonts, entry: &Entry, centre: Point) {
        match &entry.swatch {
            Swatch::Player { colour, .. } => {
                let shown = *colour;
                // As land looks: half the ground, and a border.
                canvas.fill(&block(centre, SWATCH), self.ground.mixed(shown, 128), 255);
                canvas.stroke(&block(centre, SWATCH - 2.0), shown, 255, 2.0);
            }
            Swatch::Kind(kind) if kind.look == Look::Fill => {
                canvas.fill(&block(centre, SWATCH), kind.colour, 255);
                canvas.stroke(&block(centre, SWATCH), Palette::LINE, 255, 1.0);
            }
            Swatch::Kind(kind) if kind.look == Look::Tint => {
                canvas.fill(&block(centre, SWATCH), self.ground.mixed(kind.colour, 128), 255);
            }
            Swatch::Kind(kind)
                if matches!(
                    kind.look,
                    Look::Disc | Look::Token | Look::Counter | Look::Crowned | Look::Symbol(_)
                ) =>
            {
                let (look, colour) = (kind.look, kind.colour);
                if let Look::Symbol(_) = look {
                    canvas.fill(&block(centre, SWATCH + 2.0), self.ground, 255);
                }
                let piece = PieceLook { look, glyph: kind.glyph, owner: None, colour };
                draw_piece(canvas, fonts, &piece, centre, SWATCH * 0.45);
            }
            Swatch::Kind(kind) => {
                canvas.fill(&block(centre, SWATCH), self.ground, 255);
                draw_mark(canvas, fonts, kind, centre, SWATCH * 1.1, (self.ground, 255));
            }
            Swatch::Piece { glyph, colour, look } => {
                let (glyph, colour, owner) = (Some(*glyph), Palette::TEXT, *colour);
                let piece = PieceLook { look: *look, glyph, owner, colour };
                draw_piece(canvas, fonts, &piece, centre, SWATCH * 0.45);
            }
        }
    }
}

impl HeatLegend {
    /// What is written after the largest number.
    fn unit(&self) -> &str {
        self.ends.1.split_once(' ').map_or("", |(_, unit)| unit)
    }

    /// The title, a bar from cold to hot, and what its ends are.
    fn draw(&self, canvas: &mut Canvas, fonts: &Fonts, (left, top): Point, room: f32) {
        let title = fonts.fitted(&self.title, Weight::Bold, NAME, room);
        fonts.write(canvas, &title, Weight::Bold, NAME, (left, top), Palette::TEXT);
        let (width, height) = HEAT_BAR;
        let bar = top + NAME + 8.0;
        for step in 0..width as u32 {
            let mut slice = Shapes::default();
            slice.block((left + step as f32 + 0.5, bar + height / 2.0), 1.0, height);
            canvas.fill(&slice, Palette::heat(step as f32 / (width - 1.0)), 255);
        }
        let (low, high) = &self.ends;
        let below = bar + height + 4.0;
        let mut write = |text: &str, x: f32| {
            fonts.write(canvas, text, Weight::Regular, DETAIL, (x, below), Palette::SECONDARY);
        };
        write(low, left);
        // The unit is written beyond the bar: the number is at its end.
        let number = high.split(' ').next().unwrap_or_default();
        let at = left + width - fonts.width(number, Weight::Regular, DETAIL);
        write(high, at.max(left + fonts.width(low, Weight::Regular, DETAIL) + 12.0));
    }
}

/// The first entries, and how many more there are.
fn shortened(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.dedup_by(|a, b| a.text == b.text && a.detail == b.detail);
    entries.truncate(MOST_KINDS);
    entries
}

fn row_width(entry: &Entry, is_tall: bool, fonts: &Fonts) -> f32 {
    let name = fonts.width(&entry.text, Weight::Bold, NAME);
    let detail = fonts.width(&entry.detail, Weight::Regular, DETAIL);
    INDENT + if is_tall { name.max(detail) } else { name + 8.0 + detail } + 4.0
}

fn write_entry(
    canvas: &mut Canvas,
    fonts: &Fonts,
    entry: &Entry,
    is_tall: bool,
    (x, y): Point,
    room: f32,
) {
    let is_player = matches!(entry.swatch, Swatch::Player { .. });
    let is_out = matches!(entry.swatch, Swatch::Player { eliminated: true, .. });
    let weight = if is_player { Weight::Bold } else { Weight::Regular };
    let colour =
        if is_out { Palette::SECONDARY.mixed(Palette::BACKGROUND, 100) } else { Palette::TEXT };
    let name = fonts.fitted(&entry.text, weight, NAME, room);
    let top = if is_tall { y - 1.0 } else { y + 2.0 };
    fonts.write(canvas, &name, weight, NAME, (x, top), colour);
    let width = fonts.width(&name, weight, NAME);
    if is_out {
        let mut strike = Shapes::default();
        let middle = top + NAME * 0.55;
        strike.line((x, middle), (x + width, middle));
        canvas.stroke(&strike, colour, 255, 1.5);
    }
    let detail_at = if is_tall { (x, y + NAME + 3.0) } else { (x + width + 8.0, y + 4.0) };
    let left = if is_tall { room } else { room - width - 8.0 };
    if left > 20.0 {
        let detail = fonts.fitted(&entry.detail, Weight::Regular, DETAIL, left);
        fonts.write(canvas, &detail, Weight::Regular, DETAIL, detail_at, Palette::SECONDARY);
    }
}

fn block(centre: Point, side: f32) -> Shapes {
    let mut shapes = Shapes::default();
    shapes.block(centre, side, side);
    shapes
}
