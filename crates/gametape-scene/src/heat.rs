//! Heat maps: how much of something was where, over a range of moments. `spec/scene.md`, section 10.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::layout::Layout;
use crate::model::{Position, TileAt};
use crate::palette::{Colour, Palette};

/// What a heat map is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum HeatKind {
    /// What was destroyed, or died.
    Deaths,
    /// Where there was fighting.
    Fights,
    /// How long tiles were somebody's.
    Ownership,
    /// Where players looked.
    Attention,
}

impl HeatKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Deaths, Self::Fights, Self::Ownership, Self::Attention];

    /// Its name in requests and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deaths => "deaths",
            Self::Fights => "fights",
            Self::Ownership => "ownership",
            Self::Attention => "attention",
        }
    }

    /// What its values are, after a number.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Deaths => "died or destroyed",
            Self::Fights => "seen fighting",
            Self::Ownership => "% of the time",
            Self::Attention => "% of the looks",
        }
    }

    fn is_percent(self) -> bool {
        matches!(self, Self::Ownership | Self::Attention)
    }
}

impl fmt::Display for HeatKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for HeatKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|kind| kind.name() == text);
        known.ok_or_else(|| format!("{text:?} is none of deaths, fights, ownership, attention"))
    }
}

/// How much of something was on a tile.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HeatCell {
    /// The tile; on a board of free positions a square of the frame that they are scaled to.
    pub at: TileAt,
    /// How much.
    pub value: f64,
}

/// How much of something was where, over a range of moments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Heat {
    /// What it is about.
    pub kind: HeatKind,
    /// The range for people: `3:00 to 5:00`.
    pub range: String,
    /// Where there was some, ascending.
    pub cells: Vec<HeatCell>,
    /// The largest value.
    pub most: f64,
    /// How many things were counted; of ownership, how many moments were looked at.
    pub count: u64,
}

impl Heat {
    /// How hot a value is, 0 to 1. *Why the root of counts: where one place has most of them, the others are still seen.*
    #[must_use]
    pub fn share(&self, value: f64) -> f32 {
        let share = if self.most > 0.0 { (value / self.most).clamp(0.0, 1.0) } else { 0.0 };
        (if self.kind == HeatKind::Ownership { share } else { share.sqrt() }) as f32
    }

    /// Its title: `deaths, 3:00 to 5:00`.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{}, {}", self.kind, self.range)
    }

    /// The smallest and the largest value in words: `1`, `12 died or destroyed`.
    #[must_use]
    pub fn ends(&self) -> (String, String) {
        if self.cells.is_empty() {
            return ("none".to_owned(), String::new());
        }
        let least = self.cells.iter().map(|cell| cell.value).fold(f64::MAX, f64::min);
        let number = |value: f64| match self.kind.is_percent() {
            true if value < 9.95 => format!("{value:.1}"),
            _ => format!("{value:.0}"),
        };
        (number(least), format!("{} {}", number(self.most), self.kind.unit()))
    }

    /// The hottest places, the hottest first.
    #[must_use]
    pub fn hottest(&self, count: usize) -> Vec<HeatCell> {
        let mut cells = self.cells.clone();
        cells.sort_by(|a, b| b.value.total_cmp(&a.value).then(a.at.cmp(&b.at)));
        cells.truncate(count);
        cells
    }
}

/// Counts where things are.
#[derive(Debug, Default)]
pub(crate) struct HeatCounter {
    cells: BTreeMap<TileAt, f64>,
    count: u64,
}

impl HeatCounter {
    /// Something at a position of a board; what the board does not show is not counted.
    pub(crate) fn add(&mut self, layout: &Layout, at: Position) {
        if let Some(cell) = layout.heat_cell(at) {
            *self.cells.entry(cell).or_default() += 1.0;
            self.count += 1;
        }
    }

    /// A look at tiles, of which these are counted.
    pub(crate) fn look(&mut self, layout: &Layout, tiles: impl Iterator<Item = TileAt>) {
        for cell in tiles.filter_map(|at| layout.heat_cell(at.into())) {
            *self.cells.entry(cell).or_default() += 1.0;
        }
        self.count += 1;
    }

    pub(crate) fn finish(self, kind: HeatKind, range: String) -> Heat {
        let factor = if kind.is_percent() { 100.0 / self.count.max(1) as f64 } else { 1.0 };
        let cell = |(at, count): (TileAt, f64)| HeatCell { at, value: count * factor };
        let cells: Vec<HeatCell> = self.cells.into_iter().map(cell).collect();
        let most = cells.iter().map(|cell| cell.value).fold(0.0, f64::max);
        Heat { kind, range, cells, most, count: self.count }
    }
}

impl Palette {
    /// From cold to hot: ever brighter, so that it is read without colours, too, and ends in white, which no player has.
    pub const HEAT: [Colour; 5] = [
        Colour::hex(0x12_3a5e),
        Colour::hex(0x1a_6f9e),
        Colour::hex(0x3f_a9d6),
        Colour::hex(0x9a_dcf2),
        Colour::hex(0xff_ffff),
    ];

    /// The colour of a share, 0 to 1, of the hottest.
    #[must_use]
    pub fn heat(share: f32) -> Colour {
        let steps = Self::HEAT.len() - 1;
        let at = share.clamp(0.0, 1.0) * steps as f32;
        let step = (at as usize).min(steps - 1);
        Self::HEAT[step].mixed(Self::HEAT[step + 1], ((at - step as f32) * 256.0) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Board, Piece, Shape};

    fn counted(kind: HeatKind, at: &[(f32, f32)]) -> Heat {
        let tiles = (0..3).map(|x| TileAt::new(x, 0)).collect();
        let layout = Layout::of(&Board::new(Shape::Square, tiles)).unwrap();
        let mut counter = HeatCounter::default();
        at.iter().for_each(|(x, y)| counter.add(&layout, Position { x: *x, y: *y }));
        counter.finish(kind, "all".into())
    }

    #[test]
    fn values_are_counts_and_shares_are_of_the_most() {
        let heat = counted(
            HeatKind::Deaths,
            &[(0.0, 0.0), (0.2, 0.1), (0.0, 0.0), (0.4, 0.0), (2.0, 0.0)],
        );
        assert_eq!((heat.count, heat.most), (5, 4.0));
        let value = |cell: &HeatCell| (cell.at, cell.value);
        let cells: Vec<_> = heat.cells.iter().map(value).collect();
        assert_eq!(cells, [(TileAt::new(0, 0), 4.0), (TileAt::new(2, 0), 1.0)]);
        assert_eq!((heat.share(4.0), heat.share(1.0), heat.share(0.0)), (1.0, 0.5, 0.0));
        assert_eq!(heat.ends(), ("1".into(), "4 died or destroyed".into()));
        assert_eq!(heat.hottest(1)[0].at, TileAt::new(0, 0));
        let looks = counted(HeatKind::Attention, &[(0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.0, 0.0)]);
        assert_eq!(looks.cells[1].value, 75.0);
        assert_eq!(counted(HeatKind::Deaths, &[]).ends().0, "none");
    }

    #[test]
    fn free_positions_are_counted_in_squares_of_the_frame() {
        let mut board = Board::new(Shape::Free, Vec::new());
        board.pieces = vec![Piece::new("a", 1, [0.0, 0.0]), Piece::new("b", 1, [47_000.0, 100.0])];
        let layout = Layout::of(&board).unwrap();
        let mut counter = HeatCounter::default();
        for x in [0.0, 300.0, 23_000.0, 23_400.0, 1e9, f32::NAN] {
            counter.add(&layout, Position { x, y: 50.0 });
        }
        let heat = counter.finish(HeatKind::Deaths, String::new());
        assert_eq!(heat.count, 4);
        assert_eq!(heat.cells.iter().map(|cell| cell.value).collect::<Vec<_>>(), [2.0, 2.0]);
    }

    #[test]
    fn hotter_is_brighter_and_no_player_looks_like_it() {
        let ramp: Vec<Colour> = (0..=20).map(|step| Palette::heat(step as f32 / 20.0)).collect();
        assert!(ramp.windows(2).all(|pair| pair[0].brightness() < pair[1].brightness()));
        assert_eq!((ramp[0], ramp[20]), (Palette::HEAT[0], Palette::HEAT[4]));
        let apart = |a: Colour, b: Colour| {
            let gap = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
            gap(a.0, b.0) + gap(a.1, b.1) + gap(a.2, b.2)
        };
        for player in 1..=4 {
            assert!(ramp.iter().all(|colour| apart(*colour, Palette::player(player)) > 60 * 60));
        }
    }
}
