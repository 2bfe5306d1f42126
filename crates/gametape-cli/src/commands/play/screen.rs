//! The screen: title, panels, timeline, keys, questions, help.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Padding, Paragraph, Widget};

use gametape_scene::stage::{
    BoardCell, CellMark, Panel, PanelContent, Panels, PlayingStage, Row, Tone, Viewer,
};
use gametape_scene::{Colour, Ink, Palette};
use gametape_wire::{self as wire, Moment};

use super::app::App;
use super::keys::{BINDINGS, Binding};
use crate::commands::stage::Stage;
use crate::tape::TapeFile;
use crate::text::printable;

const DIM: Style = Style::new().fg(Color::DarkGray);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const ACCENT: Style = Style::new().fg(Color::Cyan);
const WARNING: Style = Style::new().fg(Color::Yellow);
const LIVE: Style = Style::new().fg(Color::White).bg(Color::Red).add_modifier(Modifier::BOLD);

/// Columns beside the board.
const SIDE: u16 = 46;
/// No panel of two beside each other is narrower.
const NARROWEST: u16 = 30;

/// Draws everything.
pub(super) fn draw(app: &mut App, area: Rect, screen: &mut Buffer) {
    let rows =
        [Constraint::Length(1), Constraint::Min(0), Constraint::Length(1), Constraint::Length(1)];
    let [title, main, timeline, bottom] = Layout::vertical(rows).areas(area);
    let Viewer { panels, play, .. } = &mut app.viewer;
    let words = panels.title(&mut play.stage).unwrap_or_else(|error| error.to_string());
    draw_line(&Line::styled(format!(" {words}"), BOLD), title, screen);
    screen.set_style(title, Modifier::REVERSED);
    if let Err(error) = draw_panels(panels, &mut play.stage, main, screen) {
        draw_line(&Line::raw(error.to_string()), main, screen);
    }
    draw_timeline(&app.viewer.play, timeline, screen);
    draw_line(&bottom_line(app), bottom, screen);
    if let Some(page) = app.help {
        app.help_pages = draw_help(page, area, screen);
    }
}

fn draw_panels(
    panels: &mut Panels,
    stage: &mut Stage,
    area: Rect,
    screen: &mut Buffer,
) -> wire::Result<()> {
    let beside = if panels.is_tree() { (area.width * 2 / 5).clamp(36, 90) } else { SIDE };
    let [main, side] = split(area, beside);
    draw_panel(&panels.main(stage, inner_size(main))?, main, screen);
    let [about_area, list_area] = if side.width < area.width {
        let most = usize::from(side.height * 2 / 3).max(4);
        let about = panels.about(stage, (inner_size(side).0, most - 2))?;
        let rows = match about.rows().len() {
            0 => 0,
            rows => rows.saturating_add(2).min(most) as u16,
        };
        Layout::vertical([Constraint::Length(rows), Constraint::Min(0)]).areas(side)
    } else if side.width >= 2 * NARROWEST {
        Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(side)
    } else {
        // There is room for one of them.
        let nothing = Rect { height: 0, ..side };
        if panels.is_inspecting() { [side, nothing] } else { [nothing, side] }
    };
    if !about_area.is_empty() {
        draw_panel(&panels.about(stage, inner_size(about_area))?, about_area, screen);
    }
    if !list_area.is_empty() {
        draw_panel(&panels.list(stage, inner_size(list_area))?, list_area, screen);
    }
    Ok(())
}

/// Columns and rows inside of a frame.
fn inner_size(area: Rect) -> (usize, usize) {
    (area.width.saturating_sub(2).into(), area.height.saturating_sub(2).into())
}

fn draw_panel(panel: &Panel, area: Rect, screen: &mut Buffer) {
    let title = format!(" {} ", panel.title);
    let block = framed(&title, panel.is_focused);
    let inner = block.inner(area);
    block.render(area, screen);
    match &panel.content {
        PanelContent::Board(cells) => cells.iter().for_each(|cell| draw_cell(cell, inner, screen)),
        _ => draw_rows(panel, inner, screen),
    }
}

fn draw_cell(cell: &BoardCell, area: Rect, screen: &mut Buffer) {
    let style = match cell.mark {
        CellMark::Plain => ink_style(cell.ink),
        CellMark::Changed => ink_style(cell.ink).add_modifier(Modifier::BOLD | Modifier::REVERSED),
        CellMark::Pointed => Style::new().bg(colour(Palette::ACCENT)).fg(colour(Palette::INK)),
    };
    let at = (area.x + cell.x as u16, area.y + cell.y as u16);
    screen[at].set_char(cell.sign).set_style(style);
}

/// Draws as many rows as there is room for; the last one says that there are more.
fn draw_rows(panel: &Panel, area: Rect, screen: &mut Buffer) {
    let rows = panel.rows();
    for (index, (place, row)) in area.rows().zip(rows).enumerate() {
        let is_cut = index + 1 == usize::from(area.height) && rows.len() > index + 1;
        let more = Line::styled(format!("… {} more", rows.len() - index), DIM);
        draw_line(&if is_cut { more } else { line(row) }, place, screen);
        if panel.selected.contains(&index) {
            let style = if panel.is_focused { Modifier::REVERSED } else { Modifier::UNDERLINED };
            screen.set_style(place, style);
        }
    }
}

/// Draws a line; one that is too long ends with an ellipsis.
fn draw_line(line: &Line<'_>, area: Rect, screen: &mut Buffer) {
    line.render(area, screen);
    if line.width() > area.width.into() && area.width > 0 && area.height > 0 {
        screen[(area.right() - 1, area.y)].set_char('…');
    }
}

/// ` ▶ ━━━━━━●──────────  0:03.8 of 5:00  ×1 `
fn draw_timeline(play: &PlayingStage<TapeFile>, area: Rect, screen: &mut Buffer) {
    let (sign, style) = if play.is_playing() { (" ▶ ", ACCENT) } else { (" ‖ ", DIM) };
    let live = play.live_status().map(|live| format!(" {live} ")).unwrap_or_default();
    let live_style = if live == " LIVE " { LIVE } else { WARNING };
    let label = format!("  {}  {} ", play.stage.label(), play.speed());
    let texts = sign.len() + Span::raw(&label).width() + live.len();
    let room = usize::from(area.width).saturating_sub(texts);
    let ticks = |moment: Moment| moment.next_tick().0;
    let (before, after) = bar(ticks(play.stage.position()), ticks(play.stage.end()), room);
    let line = Line::from(vec![
        Span::styled(sign, style),
        Span::styled("━".repeat(before), ACCENT),
        Span::styled(if room > 0 { "●" } else { "" }, ACCENT),
        Span::styled("─".repeat(after), DIM),
        Span::raw(label),
        Span::styled(live, live_style),
    ]);
    line.render(area, screen);
}

/// How many of `room` columns are before a moment, and how many after it.
fn bar(moment: u64, last: u64, room: usize) -> (usize, usize) {
    let Some(most) = room.checked_sub(1) else { return (0, 0) };
    let before = (moment as u128 * most as u128 / last.max(1) as u128) as usize;
    (before, most - before)
}

/// What is being typed, or what is reported, or the keys.
fn bottom_line(app: &App) -> Line<'static> {
    if let Some(prompt) = &app.prompt {
        let label = Span::styled(format!(" {}: ", prompt.label), ACCENT);
        return Line::from(vec![label, Span::raw(prompt.answer.clone()), Span::raw("▏")]);
    }
    match &app.viewer.message {
        Some(message) => Line::styled(format!(" {}", printable(message)), WARNING),
        None => {
            let is_gamelog = app.viewer.stage().is_gamelog();
            let hints = match (is_gamelog, app.viewer.panels.is_tree()) {
                (true, true) => "m board",
                (true, false) => "m tree",
                (false, _) => "v view  d messages",
            };
            let live = if app.viewer.stage().is_growing() { "  L live" } else { "" };
            let keys = format!(" ←/→ step  Space play{live}  g go to  {hints}  ? help  q quit");
            Line::styled(keys, DIM)
        }
    }
}

/// Draws a page of the help; returns how many pages there are.
fn draw_help(page: usize, area: Rect, screen: &mut Buffer) -> usize {
    let room = usize::from(area.width.saturating_sub(2 * HELP_MARGIN));
    let lines = help_lines(room);
    let height = usize::from(area.height.saturating_sub(2)).max(1);
    let pages = lines.len().div_ceil(height);
    let page = page.min(pages.saturating_sub(1));
    let title = match pages {
        0 | 1 => " Keys ".to_owned(),
        _ => format!(" Keys, page {} of {pages} ", page + 1),
    };
    let lines: Vec<Line<'_>> = lines.into_iter().skip(page * height).take(height).collect();
    let width = lines.iter().map(Line::width).max().unwrap_or(0) as u16 + 2 * HELP_MARGIN;
    let area = area.centered(Constraint::Length(width), Constraint::Length(lines.len() as u16 + 2));
    Clear.render(area, screen);
    let block = framed(&title, true).padding(Padding::horizontal(HELP_MARGIN - 1));
    Paragraph::new(lines).block(block).render(area, screen);
    pages
}

/// What is around the help on each side: a border and blanks.
const HELP_MARGIN: u16 = 3;

/// Fewer columns are not enough for what keys do, beside the keys.
const HELP_COLUMNS: usize = 40;

/// Keys and what they do, in lines of at most `room` columns: what is too long goes on below.
fn help_lines(room: usize) -> Vec<Line<'static>> {
    let rows = || BINDINGS.iter().filter(|row| !row.name.is_empty());
    let widest = rows().map(|row| Span::raw(row.name).width()).max().unwrap_or(0);
    if room < widest + 2 + HELP_COLUMNS {
        let lines = |row: &Binding| {
            let help = wrap(row.help, room.saturating_sub(2).max(10)).into_iter();
            let help = help.map(|text| Line::raw(format!("  {text}")));
            std::iter::once(Line::styled(row.name, ACCENT)).chain(help).collect::<Vec<_>>()
        };
        return rows().flat_map(lines).collect();
    }
    let wrapped = |row: &Binding| {
        let text = wrap(row.help, room.saturating_sub(widest + 2).max(10));
        let keys = std::iter::once(row.name).chain(std::iter::repeat(""));
        let line = |(keys, text): (&str, String)| {
            let keys = format!("{keys:<widest$}  ");
            Line::from(vec![Span::styled(keys, ACCENT), Span::raw(text)])
        };
        keys.zip(text).map(line).collect::<Vec<_>>()
    };
    rows().flat_map(wrapped).collect()
}

/// Lines of at most `width` characters, broken at blanks.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().filter(|line| line.len() + word.len() < width);
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// A row of a panel as a line of a terminal, in which nothing from a recording is obeyed.
fn line(row: &Row) -> Line<'static> {
    let span = |span: &gametape_scene::stage::Span| {
        Span::styled(printable(&span.text), style_of(span.tone))
    };
    Line::from(row.spans.iter().map(span).collect::<Vec<_>>())
}

fn style_of(tone: Tone) -> Style {
    match tone {
        Tone::Strong => BOLD,
        Tone::Faint => DIM,
        Tone::Value => Style::new().fg(Color::Blue),
        Tone::Added => Style::new().fg(Color::Green),
        Tone::Replaced => Style::new().fg(Color::Yellow),
        Tone::Removed | Tone::Refused => Style::new().fg(Color::Red),
        Tone::Within => Style::new().fg(Color::Cyan),
        Tone::Out => DIM.add_modifier(Modifier::CROSSED_OUT),
        Tone::Sign(ink) => ink_style(ink),
        _ => Style::new(),
    }
}

fn ink_style(ink: Ink) -> Style {
    let style = Style::new().bg(colour(ink.background)).fg(colour(ink.text));
    if ink.bold { style.add_modifier(Modifier::BOLD) } else { style }
}

fn colour(Colour(r, g, b): Colour) -> Color {
    Color::Rgb(r, g, b)
}

/// A frame with a title, lit up when the keys go to what is in it.
fn framed(title: &str, focused: bool) -> Block<'_> {
    let style = if focused { ACCENT } else { DIM };
    Block::bordered().border_type(BorderType::Rounded).border_style(style).title(title)
}

/// A part that comes beside the main part, or below it where there is no room beside.
fn split(area: Rect, beside: u16) -> [Rect; 2] {
    if area.width >= beside * 2 {
        Layout::horizontal([Constraint::Min(0), Constraint::Length(beside)]).areas(area)
    } else {
        Layout::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(area)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_is_as_wide_as_its_room_and_full_at_the_end_only() {
        assert_eq!(bar(0, 0, 10), (0, 9));
        assert_eq!(bar(0, 99, 10), (0, 9));
        assert_eq!(bar(98, 99, 10), (8, 1));
        assert_eq!(bar(99, 99, 10), (9, 0));
        assert_eq!(bar(u64::MAX, u64::MAX, 10), (9, 0));
        assert_eq!(bar(5, 9, 0), (0, 0));
    }
}
