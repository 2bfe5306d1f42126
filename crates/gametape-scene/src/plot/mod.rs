//! The statistics of a match as curves over time, one panel for each statistic.

mod surface;

use gametape_analysis::report::player_label;
use gametape_analysis::{MatchInfo, Names, Series, Statistics};
use gametape_wire::Tick;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

use crate::draw::Canvas;
use crate::palette::{Colour, Palette};
use crate::png::PictureError;
use surface::Surface;

const SIZE: (u32, u32) = (1600, 1100);
const TITLE_HEIGHT: u32 = 84;
const FONT: &str = "sans-serif";
const INK: RGBColor = RGBColor(40, 44, 52);
const FAINT: RGBColor = RGBColor(228, 230, 234);

/// What is drawn, and what it is called.
const PANELS: [(&str, &str); 6] = [
    ("territory", "territory, tiles"),
    ("army_value", "army value"),
    ("income", "income, money per minute"),
    ("structures", "structures"),
    ("value_killed", "value destroyed so far"),
    ("actions_per_minute", "actions per minute"),
];

/// Curves of all players, which become a PNG picture or SVG.
///
/// ```
/// use gametape_analysis::{MatchInfo, StatisticsCollector, sample};
/// use gametape_scene::plot::Plot;
/// use gametape_wire::{Tick, TickLength};
///
/// let ticks = TickLength::from_micros(50_000).unwrap();
/// let mut collector = StatisticsCollector::new(ticks);
/// sample::played(2, 1).iter().for_each(|event| collector.add(event, &sample::NAMES));
/// let info = MatchInfo::new(ticks, sample::NAMES);
/// let plot = Plot::new("A match", &info, &collector.finish(), Tick(2400));
/// assert!(plot.svg()?.contains("territory, tiles"));
/// # Ok::<(), gametape_scene::png::PictureError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Plot {
    title: String,
    players: Vec<(u8, String)>,
    panels: Vec<Panel>,
    /// How long the match was, in minutes.
    minutes: f64,
}

#[derive(Debug, Clone)]
struct Panel {
    title: &'static str,
    /// Player, and points of minutes and values.
    lines: Vec<(u8, Vec<(f64, f64)>)>,
}

impl Plot {
    /// The curves of a match that ends before `end_tick`.
    #[must_use]
    pub fn new<N: Names>(
        title: impl Into<String>,
        info: &MatchInfo<N>,
        statistics: &Statistics,
        end_tick: Tick,
    ) -> Self {
        let minutes = |tick: Tick| info.time(tick).seconds() / 60.0;
        let line = |series: Series| {
            let points = series.points.into_iter();
            (series.player, points.map(|(tick, value)| (minutes(tick), value as f64)).collect())
        };
        let panel = |&(stat, title): &(&str, &'static str)| Panel {
            title,
            lines: statistics.series(stat).map(line).collect(),
        };
        let players = statistics.players.iter().map(|summary| summary.player);
        Self {
            title: title.into(),
            players: players.map(|player| (player, player_label(info, player))).collect(),
            panels: PANELS.iter().map(panel).collect(),
            minutes: minutes(end_tick).max(0.01),
        }
    }

    /// A PNG file.
    pub fn png(&self) -> Result<Vec<u8>, PictureError> {
        let white = Colour(255, 255, 255);
        let mut canvas = Canvas::new(SIZE.0, SIZE.1, white).ok_or(PictureError::Failed)?;
        self.draw_on(Surface::new(&mut canvas)).map_err(|_| PictureError::Failed)?;
        canvas.to_png().ok_or(PictureError::Failed)
    }

    /// An SVG file.
    pub fn svg(&self) -> Result<String, PictureError> {
        let mut text = String::new();
        let drawn = self.draw_on(SVGBackend::with_string(&mut text, SIZE));
        drawn.map_err(|_| PictureError::Failed)?;
        Ok(text)
    }

    fn draw_on<B: DrawingBackend>(&self, backend: B) -> Drawn<B> {
        // It is a font, and it is the only one.
        let _ = register_font(FONT, FontStyle::Normal, dejavu::sans::regular());
        let area = backend.into_drawing_area();
        area.fill(&WHITE)?;
        let (head, body) = area.split_vertically(TITLE_HEIGHT);
        self.draw_head(&head)?;
        let areas = body.split_evenly((3, 2));
        for (panel, area) in self.panels.iter().zip(&areas) {
            panel.draw(area, self.minutes)?;
        }
        area.present()
    }

    /// The title, and below it who has which colour.
    fn draw_head<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Drawn<B> {
        area.draw_text(&self.title, &text_style(26), (28, 14))?;
        let style = text_style(17);
        let mut x = 28;
        for (player, name) in &self.players {
            let block = [(x, 53), (x + 22, 65)];
            area.draw(&Rectangle::new(block, colour(*player).filled()))?;
            area.draw_text(name, &style, (x + 30, 50))?;
            x += 30 + area.estimate_text_size(name, &style)?.0 as i32 + 26;
        }
        Ok(())
    }
}

type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

impl Panel {
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, minutes: f64) -> Drawn<B> {
        let (low, high) = self.range();
        let mut chart = ChartBuilder::on(area)
            .margin(14)
            .caption(self.title, text_style(19))
            .x_label_area_size(30)
            .y_label_area_size(74)
            .build_cartesian_2d(0.0..minutes, low..high)?;
        chart
            .configure_mesh()
            .bold_line_style(FAINT)
            .light_line_style(TRANSPARENT)
            .axis_style(INK.mix(0.4))
            .label_style(text_style(14))
            .x_labels(8)
            .y_labels(6)
            .x_label_formatter(&|minutes| time(*minutes))
            .y_label_formatter(&|value| short(*value))
            .draw()?;
        for (player, points) in &self.lines {
            let style = colour(*player).stroke_width(2);
            chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
        }
        Ok(())
    }

    /// The values that are shown: from 0, with some air above.
    fn range(&self) -> (f64, f64) {
        let values = || self.lines.iter().flat_map(|(_, points)| points).map(|(_, value)| *value);
        let low = values().fold(0.0, f64::min);
        let high = values().fold(0.0, f64::max);
        let height = (high - low).max(1.0);
        (if low < 0.0 { low - height * 0.06 } else { 0.0 }, high + height * 0.06)
    }
}

fn text_style(size: u32) -> TextStyle<'static> {
    (FONT, size).into_font().color(&INK)
}

fn colour(player: u8) -> RGBColor {
    match player {
        0 => INK,
        _ => {
            let colour = Palette::player(player);
            RGBColor(colour.0, colour.1, colour.2)
        }
    }
}

/// `2:05`
fn time(minutes: f64) -> String {
    let seconds = (minutes * 60.0).round() as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// `950`, `12k`, `1.5M`
fn short(value: f64) -> String {
    let (divided, unit) = match value.abs() {
        size if size >= 1e9 => (value / 1e9, "G"),
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let text = format!("{divided:.1}");
    format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> Plot {
        let line = |player| (player, vec![(0.0, 5.0), (0.5, 12.0), (1.0, f64::from(player))]);
        let panels = PANELS.iter().map(|(_, title)| Panel { title, lines: vec![line(1), line(2)] });
        Plot {
            title: "Ana & Ben".to_owned(),
            players: vec![(1, "1 Ana".to_owned()), (2, "2 Ben".to_owned())],
            panels: panels.collect(),
            minutes: 1.0,
        }
    }

    #[test]
    fn numbers_on_axes_are_short() {
        assert_eq!(
            [0.0, 0.5, 950.0, 12_000.0, -1.5e6].map(short),
            ["0", "0.5", "950", "12k", "-1.5M"]
        );
        assert_eq!([0.0, 1.1, 60.0].map(time), ["0:00", "1:06", "60:00"]);
    }

    #[test]
    fn a_picture_shows_lines_in_the_colours_of_the_players_and_letters() {
        let mut canvas = Canvas::new(SIZE.0, SIZE.1, Colour(255, 255, 255)).unwrap();
        assert!(plot().draw_on(Surface::new(&mut canvas)).is_ok());
        let pixels = canvas.bytes().chunks_exact(4);
        let has = |RGBColor(r, g, b)| pixels.clone().any(|pixel| pixel[..3] == [r, g, b]);
        assert!(has(colour(1)) && has(colour(2)) && !has(colour(3)) && has(INK));
    }

    #[test]
    fn svg_has_the_names_and_titles_as_text() {
        let svg = plot().svg().unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        for text in ["Ana &amp; Ben", "1 Ana", "2 Ben", "territory, tiles", "1:00"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn nothing_at_all_can_be_drawn() {
        let panels = PANELS.iter().map(|(_, title)| Panel { title, lines: Vec::new() });
        let plot = Plot { panels: panels.collect(), players: Vec::new(), ..plot() };
        assert!(plot.png().is_ok() && plot.svg().is_ok());
    }
}
