//! A scene as text: two columns a tile, hex rows shifted by half a tile.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write};

use anstyle::{RgbColor, Style};
use gametape_wire::text::printable;

use crate::heat::Heat;
use crate::layout::Layout;
use crate::legend::{Entry, Legend, Swatch};
use crate::model::{Board, Look, Scene, Shape, Sight, TileAt};
use crate::palette::{Colour, Palette};

/// Columns and rows of a board that is scaled, at most.
const SCALED: (f32, f32) = (100.0, 50.0);

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ink {
    /// After the letters.
    pub background: Colour,
    /// The letters.
    pub text: Colour,
    /// In bold letters.
    pub bold: bool,
    /// Struck out.
    pub struck: bool,
}

impl Ink {
    /// Readable text on a colour.
    #[must_use]
    pub fn on(background: Colour) -> Self {
        Self { background, text: background.readable(), bold: false, struck: false }
    }

    fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    fn style(self) -> Style {
        let rgb = |Colour(r, g, b)| Some(RgbColor(r, g, b).into());
        let style = Style::new().bg_color(rgb(self.background)).fg_color(rgb(self.text));
        let style = if self.bold { style.bold() } else { style };
        if self.struck { style.strikethrough() } else { style }
    }
}

/// A tile as text, two columns wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextCell {
    /// The column where it begins.
    pub column: usize,
    /// What is most important on it.
    pub sign: char,
    /// Whose it is.
    pub owner: char,
    /// Its colours.
    pub ink: Ink,
    /// Which tile it is.
    pub at: Option<TileAt>,
}

/// A scene as text.
///
/// [`Display`](fmt::Display) writes it without colours, [`coloured`](Self::coloured) with those of a
/// terminal.
#[derive(Debug, Clone, PartialEq)]
pub struct TextMap {
    heading: String,
    facts: String,
    rows: BTreeMap<usize, Vec<TextCell>>,
    width: usize,
    height: usize,
    legend: Legend,
    /// Of a heat map: the hottest tiles, a line each.
    hottest: Vec<String>,
}

impl TextMap {
    /// The text of a scene.
    #[must_use]
    pub fn of(scene: &Scene) -> Self {
        let mut map = Self {
            heading: scene.heading(),
            facts: scene.fact_line(),
            rows: BTreeMap::new(),
            width: 0,
            height: 0,
            legend: Legend::of(scene),
            hottest: Vec::new(),
        };
        if let Some(board) = &scene.board
            && let Some(layout) = Layout::of(board)
        {
            map.fill(&Painter { scene, board, layout: &layout });
        }
        map
    }

    /// The text of a scene with a heat map over it: from 1 to 9 where there was some, `·` where there was none.
    #[must_use]
    pub fn of_heat(scene: &Scene, heat: &Heat) -> Self {
        let mut map = Self::of(scene);
        map.heading = format!("{}   {}", map.heading, heat.title());
        let (low, high) = heat.ends();
        map.facts = if high.is_empty() { low } else { format!("1 is {low}, 9 is {high}") };
        map.legend = Legend::default();
        let layout = scene.board.as_ref().and_then(Layout::of);
        let has_tiles = layout.is_some_and(|layout| layout.has_tiles());
        let values: HashMap<TileAt, f64> =
            heat.cells.iter().map(|cell| (cell.at, cell.value)).collect();
        for cell in map.rows.values_mut().flatten() {
            let value = cell.at.filter(|_| has_tiles).and_then(|at| values.get(&at));
            let share = value.map(|value| heat.share(*value));
            let ground = cell.ink.background.mixed(Palette::BACKGROUND, 120);
            cell.sign = share.map_or('·', |share| {
                char::from_digit(1 + (share * 8.0).round() as u32, 10).unwrap_or('9')
            });
            cell.owner = ' ';
            cell.ink = Ink::on(share.map_or(ground, Palette::heat));
        }
        for cell in heat.hottest(10) {
            let (at, value) = (scene.tile_name(cell.at), cell.value);
            let at = if has_tiles { at } else { format!("square {at}") };
            map.hottest.push(format!("{at:<12}{}", (value * 10.0).round() / 10.0));
        }
        map
    }

    /// The cells of a row, from left to right.
    #[must_use]
    pub fn row(&self, row: usize) -> &[TextCell] {
        self.rows.get(&row).map_or(&[], Vec::as_slice)
    }

    /// How many rows there are.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// How many columns there are.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Row and column of a tile.
    #[must_use]
    pub fn find(&self, at: TileAt) -> Option<(usize, usize)> {
        let cells = self.rows.iter().flat_map(|(row, cells)| cells.iter().map(|c| (*row, c)));
        cells
            .into_iter()
            .find(|(_, cell)| cell.at == Some(at))
            .map(|(row, cell)| (row, cell.column))
    }

    /// What the signs mean.
    #[must_use]
    pub fn legend(&self) -> &Legend {
        &self.legend
    }

    /// The text with the colours of a terminal.
    #[must_use]
    pub fn coloured(&self) -> String {
        self.written(true)
    }

    fn fill(&mut self, painter: &Painter<'_>) {
        let mut cells: BTreeMap<(usize, usize), TextCell> = BTreeMap::new();
        for (index, at) in painter.board.tiles.iter().enumerate() {
            if let Some(cell) = painter.cell_of(*at) {
                cells.insert(cell, painter.tile(index, *at, cell.1));
            }
        }
        // Those drawn first come first, so the last one stays.
        for piece in &painter.board.pieces {
            let Some(cell) = painter.piece_cell(piece) else { continue };
            let known = piece.at.tile().and_then(|_| cells.get(&cell));
            let ground = known.map_or(Palette::BACKGROUND, |known| known.ink.background);
            cells.insert(cell, painter.piece(piece, cell.1, ground));
        }
        for ((row, column), cell) in cells {
            (self.width, self.height) = (self.width.max(column + 2), self.height.max(row + 1));
            self.rows.entry(row).or_default().push(cell);
        }
    }

    fn written(&self, colours: bool) -> String {
        let mut text = String::new();
        let mut pen = Pen { text: &mut text, colours };
        for row in 0..self.height {
            pen.row(self.row(row));
        }
        pen.text.push_str(if self.height > 0 { "\n" } else { "" });
        pen.plain(Style::new().bold(), &self.heading);
        pen.text.push('\n');
        if !self.facts.is_empty() {
            pen.plain(Style::new().dimmed(), &self.facts);
            pen.text.push('\n');
        }
        pen.kinds(&self.legend);
        for entry in self.legend.players.iter().chain(&self.legend.pieces) {
            pen.entry(entry);
        }
        for line in &self.hottest {
            pen.text.push_str(line);
            pen.text.push('\n');
        }
        text
    }
}

impl fmt::Display for TextMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written(false))
    }
}

/// Makes cells of a board.
struct Painter<'a> {
    scene: &'a Scene,
    board: &'a Board,
    layout: &'a Layout,
}

impl Painter<'_> {
    /// Row and column of a tile.
    fn cell_of(&self, at: TileAt) -> Option<(usize, usize)> {
        let (x, y) = self.layout.point(at)?;
        Some(self.cell(x, y))
    }

    fn piece_cell(&self, piece: &crate::Piece) -> Option<(usize, usize)> {
        let on_tile = piece.at.tile().filter(|_| self.layout.has_tiles());
        match on_tile {
            Some(at) => self.cell_of(at),
            None => self.layout.point(piece.at).map(|(x, y)| self.cell(x, y)),
        }
    }

    fn cell(&self, x: f32, y: f32) -> (usize, usize) {
        if !self.layout.has_tiles() {
            let (width, height) = self.layout.size();
            let share =
                |value: f32, whole: f32, room: f32| (value / whole.max(1.0) * room) as usize;
            return (
                share(y, height, SCALED.1.min(height)),
                2 * share(x, width, (SCALED.0 / 2.0).min(width)),
            );
        }
        // Half a tile is a column; rows of hexagons are closer together than tiles are wide.
        let row = match self.board.shape {
            Shape::Hex => (y - 0.577) / 0.866,
            Shape::Square | Shape::Free => y - 0.5,
        };
        (row.round().max(0.0) as usize, ((x - 0.5) * 2.0).round().max(0.0) as usize)
    }

    fn tile(&self, index: usize, at: TileAt, column: usize) -> TextCell {
        let sight = self.board.sight(index);
        let at = Some(at);
        if sight == Sight::Unknown {
            let ink = Ink::on(Palette::BACKGROUND);
            return TextCell { column, sign: ' ', owner: ' ', ink, at };
        }
        let kinds = self.board.layers.iter().rev().filter_map(|layer| layer.kind(index));
        let sign = kinds.into_iter().find_map(|kind| kind.glyph).map_or(' ', shown);
        let owner = self.scene.player(self.board.owner(index));
        let ink = Ink::on(tile_colour(self.scene, self.board, index));
        TextCell { column, sign, owner: owner.map_or(' ', |player| shown(player.glyph)), ink, at }
    }

    fn piece(&self, piece: &crate::Piece, column: usize, ground: Colour) -> TextCell {
        let owner = self.scene.player(piece.owner);
        let sign = self.board.glyph(piece).map_or('?', shown);
        let ink = match self.board.kind(piece).map(|kind| kind.look) {
            Some(Look::Disc) => Ink::on(Palette::TEXT).bold(),
            Some(Look::Token | Look::Counter | Look::Crowned) => {
                owner.map_or(Ink::on(ground), |player| Ink::on(player.shown_colour())).bold()
            }
            _ => Ink::on(ground).bold(),
        };
        let owner = owner.map_or(' ', |player| shown(player.glyph));
        TextCell { column, sign, owner, ink, at: piece.at.tile() }
    }
}

/// The colour of a tile: its ground, tinted by its owner and by what covers it, dimmed when it is
/// only remembered.
pub(crate) fn tile_colour(scene: &Scene, board: &Board, index: usize) -> Colour {
    let kinds = || board.layers.iter().filter_map(|layer| layer.kind(index));
    let ground = kinds().find(|kind| kind.look == Look::Fill);
    let ground = ground.map_or(Palette::PANEL, |kind| kind.colour);
    let owner = scene.player(board.owner(index));
    let owned = owner.map_or(ground, |player| ground.mixed(player.shown_colour(), 128));
    let covers = kinds().filter(|kind| kind.look == Look::Tint);
    let covered = covers.fold(owned, |colour, cover| colour.mixed(cover.colour, 128));
    match board.sight(index) {
        Sight::Seen => covered,
        Sight::Remembered => covered.mixed(Palette::BACKGROUND, 128),
        Sight::Unknown => Palette::BACKGROUND,
    }
}

/// A sign that takes one column and does nothing else.
fn shown(sign: char) -> char {
    if sign.is_control() || is_wide(sign) { '?' } else { sign }
}

/// Does a terminal give it two columns, or none?
fn is_wide(sign: char) -> bool {
    matches!(u32::from(sign), 0x300..=0x36F | 0x1100..=0x115F | 0x200B..=0x200F | 0x2028..=0x202E
        | 0x2066..=0x2069 | 0x2E80..=0xA4CF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFE00..=0xFE6F
        | 0xFEFF | 0xFF00..=0xFF60 | 0x1F300..)
}

/// Writes lines.
struct Pen<'a> {
    text: &'a mut String,
    colours: bool,
}

impl Pen<'_> {
    fn put(&mut self, style: Style, text: &str) {
        let _ = match self.colours {
            true => write!(self.text, "{style}{text}{style:#}"),
            false => write!(self.text, "{text}"),
        };
    }

    fn plain(&mut self, style: Style, text: &str) {
        self.put(style, &printable(text));
    }

    fn row(&mut self, cells: &[TextCell]) {
        let (mut column, start) = (0, self.text.len());
        for cell in cells {
            let gap = cell.column.saturating_sub(column);
            self.text.extend(std::iter::repeat_n(' ', gap));
            let mut sign = [0; 8];
            let length = cell.sign.encode_utf8(&mut sign).len();
            let length = length + cell.owner.encode_utf8(&mut sign[length..]).len();
            let text = std::str::from_utf8(&sign[..length]).unwrap_or("  ");
            self.put(cell.ink.style(), text);
            column = cell.column + 2;
        }
        let end = self.text.trim_end_matches(' ').len().max(start);
        self.text.truncate(end);
        self.text.push('\n');
    }

    /// All kinds in one line, those of pieces in another.
    fn kinds(&mut self, legend: &Legend) {
        let counted = |entry: &&Entry| legend.pieces.is_empty() || !entry.text.is_empty();
        let lines = [&legend.kinds, &legend.piece_kinds];
        for entries in lines {
            let mut first = true;
            for entry in entries.iter().filter(counted) {
                let Swatch::Kind(kind) = &entry.swatch else { continue };
                let Some(glyph) = kind.glyph else { continue };
                self.text.push_str(if first { "" } else { "  " });
                first = false;
                let style = match kind.look {
                    Look::Fill => Ink::on(kind.colour).style(),
                    _ => Style::new(),
                };
                self.put(style, shown(glyph).encode_utf8(&mut [0; 4]));
                self.text.push(' ');
                self.plain(Style::new(), &entry.text);
                if !entry.detail.is_empty() {
                    self.text.push(' ');
                    self.plain(Style::new().dimmed(), &entry.detail);
                }
            }
            self.text.push_str(if first { "" } else { "\n" });
        }
    }

    fn entry(&mut self, entry: &Entry) {
        let (glyph, ink) = match &entry.swatch {
            Swatch::Player { glyph, colour, .. } => (*glyph, Ink::on(*colour)),
            Swatch::Piece { glyph, .. } => (*glyph, Ink::on(Palette::TEXT).bold()),
            Swatch::Kind(kind) => (kind.glyph.unwrap_or(' '), Ink::on(kind.colour)),
        };
        self.put(ink.style(), shown(glyph).encode_utf8(&mut [0; 4]));
        self.text.push(' ');
        let is_out = matches!(entry.swatch, Swatch::Player { eliminated: true, .. });
        let style = if is_out { Style::new().dimmed().strikethrough() } else { Style::new() };
        self.plain(style, &entry.text);
        if !entry.detail.is_empty() {
            self.text.push_str(": ");
            self.plain(Style::new(), &entry.detail);
        }
        self.text.push('\n');
    }
}
