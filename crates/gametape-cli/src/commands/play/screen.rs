//! The screen: title, panels, timeline, keys, questions, help.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Padding, Paragraph, Widget};

use gametape_scene::stage::{Row, Tone};
use gametape_wire::Moment;

use super::keys::BINDINGS;
use super::player::Player;
use super::{board, panels};
use crate::text::printable;

const DIM: Style = Style::new().fg(Color::DarkGray);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const ACCENT: Style = Style::new().fg(Color::Cyan);
const WARNING: Style = Style::new().fg(Color::Yellow);

/// Draws everything.
pub(super) fn draw(player: &mut Player, area: Rect, screen: &mut Buffer) {
    let rows =
        [Constraint::Length(1), Constraint::Min(0), Constraint::Length(1), Constraint::Length(1)];
    let [title, main, timeline, bottom] = Layout::vertical(rows).areas(area);
    let words = format!(" {}", player.panels.title(&mut player.stage));
    Line::styled(words, BOLD.add_modifier(Modifier::REVERSED)).render(title, screen);
    screen.set_style(title, Modifier::REVERSED);
    player.panels.draw(&mut player.stage, main, screen);
    draw_timeline(player, timeline, screen);
    bottom_line(player).render(bottom, screen);
    if player.help {
        draw_help(area, screen);
    }
}

/// ` ▶ ━━━━━━●──────────  frame 57 of 1,203 `
fn draw_timeline(player: &Player, area: Rect, screen: &mut Buffer) {
    let (sign, style) = if player.is_playing() { (" ▶ ", ACCENT) } else { (" ‖ ", DIM) };
    let label = format!("  {}  {} ", player.stage.label(), player.speed());
    let room = usize::from(area.width).saturating_sub(sign.len() + Span::raw(&label).width());
    let ticks = |moment: Moment| moment.next_tick().0;
    let (behind, ahead) = bar(ticks(player.stage.position()), ticks(player.stage.end()), room);
    let line = Line::from(vec![
        Span::styled(sign, style),
        Span::styled("━".repeat(behind), ACCENT),
        Span::styled(if room > 0 { "●" } else { "" }, ACCENT),
        Span::styled("─".repeat(ahead), DIM),
        Span::raw(label),
    ]);
    line.render(area, screen);
}

/// How many of `room` columns are before a moment, and how many after it.
fn bar(moment: u64, last: u64, room: usize) -> (usize, usize) {
    let Some(most) = room.checked_sub(1) else { return (0, 0) };
    let behind = (moment as u128 * most as u128 / last.max(1) as u128) as usize;
    (behind, most - behind)
}

/// What is being typed, or what is to be said, or the keys.
fn bottom_line(player: &Player) -> Line<'static> {
    if let Some(prompt) = &player.prompt {
        let label = Span::styled(format!(" {}: ", prompt.label), ACCENT);
        return Line::from(vec![label, Span::raw(prompt.answer.clone()), Span::raw("▏")]);
    }
    match &player.message {
        Some(message) => Line::styled(format!(" {message}"), WARNING),
        None => {
            let hints = if player.stage.is_gamelog() { "m tree" } else { "v view  d messages" };
            Line::styled(format!(" ←/→ step  Space play  g go to  {hints}  ? help  q quit"), DIM)
        }
    }
}

fn draw_help(area: Rect, screen: &mut Buffer) {
    let general = BINDINGS.iter().filter(|row| !row.name.is_empty());
    let general = general.map(|row| (row.name, row.help));
    let rows: Vec<(&str, &str)> = general.chain(panels::KEYS.iter().copied()).collect();
    let widest = rows.iter().map(|row| Span::raw(row.0).width()).max().unwrap_or(0);
    let line = |(keys, meaning): &(&'static str, &'static str)| {
        Line::from(vec![Span::styled(format!("{keys:<widest$}  "), ACCENT), Span::raw(*meaning)])
    };
    let lines: Vec<Line<'_>> = rows.iter().map(line).collect();
    let width = lines.iter().map(Line::width).max().unwrap_or(0) as u16 + 6;
    let area = area.centered(Constraint::Length(width), Constraint::Length(lines.len() as u16 + 2));
    Clear.render(area, screen);
    let block = framed(" Keys ", true).padding(Padding::horizontal(2));
    Paragraph::new(lines).block(block).render(area, screen);
}

/// A row of a panel as a line of a terminal, in which nothing from a recording is obeyed.
pub(super) fn line(row: &Row) -> Line<'static> {
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
        Tone::Sign(ink) => board::style(ink, false),
        _ => Style::new(),
    }
}

/// A frame with a title, lit up when the keys go to what is in it.
pub(super) fn framed(title: &str, focused: bool) -> Block<'_> {
    let style = if focused { ACCENT } else { DIM };
    Block::bordered().border_type(BorderType::Rounded).border_style(style).title(title)
}

/// A part that comes beside the main part, or below it where there is no room beside.
pub(super) fn split(area: Rect, beside: u16) -> [Rect; 2] {
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
