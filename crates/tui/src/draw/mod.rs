//! Draws the screen: the arrangement of its parts at each size, and their borders.
//!
//! Symbols and words carry all information, so nothing is lost without colors. Only visible rows are formatted, so a
//! frame with ten thousand Pods takes as long as one with fifty.
//!
//! Must not know: keys, or where the state comes from.

mod detail;
mod help;
mod panels;
mod side_by_side;
mod timeline;
mod tree;

use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph};

use crate::app::{App, Mode};
use crate::model::Panel;
use crate::scene::State;
use crate::side_by_side::SideBySide;
use crate::text::plain;

/// The minimum size of the screen.
const SMALLEST: (u16, u16) = (40, 12);

/// The minimum width for panels next to the tree.
const WIDE: u16 = 100;

/// The minimum height at which a wide screen shows all panels at once.
const TALL: u16 = 30;

/// The height of the details below the tree, including their border.
const DETAIL: u16 = 5;

/// Draws the screen.
pub fn draw(frame: &mut Frame<'_>, sides: &SideBySide) {
    // On a smaller screen, borders and columns would overlap.
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let text = format!("ctl ui needs {} x {}", SMALLEST.0, SMALLEST.1);
        frame.render_widget(Paragraph::new(text), area);
        return;
    }
    let rows = [
        Constraint::Min(0),
        Constraint::Length(2),
        Constraint::Length(1),
    ];
    let [body, time, bottom] = Layout::vertical(rows).areas(area);
    let app = sides.shown();
    match &sides.fork {
        Some(fork) => side_by_side::draw(frame, &sides.cluster, fork, body),
        None => alone(frame, app, body),
    }
    frame.render_widget(timeline::of(app, time.width), time);
    frame.render_widget(footer(app, bottom.width), bottom);
    if app.mode == Mode::Help {
        help::draw(frame, app, area);
    }
}

/// Draws the cluster if there is no fork.
fn alone(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let [top, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    frame.render_widget(header(app, top.width), top);
    match area.width >= WIDE {
        true => wide(frame, app, body),
        false => narrow(frame, app, body),
    }
}

/// Draws one panel at a time; tabs lead to the others.
fn narrow(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let rows = [
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(DETAIL),
    ];
    let [tabs, main, below] = Layout::vertical(rows).areas(area);
    let mut spans = Vec::new();
    for (place, panel) in Panel::ALL.iter().enumerate() {
        let title = format!(" {} {} ", place + 1, panel.title());
        let style = match *panel == app.panel {
            true => Style::new().add_modifier(Modifier::REVERSED),
            false => Style::new(),
        };
        spans.push(Span::styled(title, style));
    }
    frame.render_widget(Line::from(spans), tabs);
    panel(frame, app, app.panel, main);
    detail::draw(frame, app, below);
}

/// Draws the tree on the left and the panels on the right.
fn wide(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let columns = [Constraint::Percentage(55), Constraint::Min(0)];
    let [left, right] = Layout::horizontal(columns).areas(area);
    let rows = [Constraint::Min(0), Constraint::Length(DETAIL)];
    let [main, below] = Layout::vertical(rows).areas(left);
    panel(frame, app, Panel::Tree, main);
    detail::draw(frame, app, below);
    // Five panels of three rows each would show less than one panel that fills the space.
    if area.height < TALL {
        let beside = match app.panel {
            Panel::Tree => Panel::Why,
            other => other,
        };
        panel(frame, app, beside, right);
        return;
    }
    let rows = [
        wanted(app, Panel::Rollouts, area.height / 6),
        wanted(app, Panel::Nodes, area.height / 5),
        Constraint::Fill(3),
        Constraint::Fill(2),
        Constraint::Fill(3),
    ];
    let areas: [Rect; 5] = Layout::vertical(rows).areas(right);
    for (kind, area) in Panel::ALL[1..].iter().zip(areas) {
        panel(frame, app, *kind, area);
    }
}

/// Returns the height of a panel: the rows it needs, up to a limit. Only events and causes can fill any space.
fn wanted(app: &App, panel: Panel, limit: u16) -> Constraint {
    let rows = u16::try_from(app.length(panel).max(1)).unwrap_or(u16::MAX);
    Constraint::Length(rows.saturating_add(2).min(limit))
}

/// Draws a panel with its border and title.
fn panel(frame: &mut Frame<'_>, app: &App, kind: Panel, area: Rect) {
    let is_focused = kind == app.panel && app.is_active();
    let number = kind.place() + 1;
    let marker = if is_focused { "▸" } else { " " };
    let more = panels::note(app, kind);
    let title = format!("{marker}{number} {}{more} ", kind.title());
    let style = match is_focused {
        true => Style::new().add_modifier(Modifier::BOLD),
        false => Style::new(),
    };
    let block = Block::new()
        .borders(Borders::ALL)
        .border_style(match is_focused {
            true => Style::new(),
            false => dim(),
        });
    let block = block.title(Span::styled(title, style));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let (width, height) = (usize::from(inner.width), usize::from(inner.height));
    let lines = match kind {
        Panel::Tree => tree::lines(app, width, height),
        other => panels::lines(app, other, width, height),
    };
    frame.render_widget(Paragraph::new(lines), inner);
}

fn header(app: &App, width: u16) -> Line<'static> {
    let present = &app.present;
    let namespace = match app.namespace.as_str() {
        "" => "all namespaces".to_owned(),
        namespace => format!("namespace {}", plain(namespace)),
    };
    let (ready, all) = present.pods();
    let clock = if present.is_virtual { " (virtual)" } else { "" };
    let (mode, time) = mode_of(app);
    let form = if width < WIDE { "%T" } else { "%F %T" };
    let parts = [
        format!("ctl ui  {mode}  {}{clock}", time.strftime(form)),
        format!("{ready} of {all} Pods ready"),
        namespace,
        format!("revision {}", present.revision),
    ];
    // Padded, so that the reversed bar fills the row.
    let line = format!("{:1$}", fitting(&parts, width), usize::from(width));
    Line::styled(line, Style::new().add_modifier(Modifier::REVERSED))
}

/// Returns as many parts as fit on a line, the most important first. A truncated part would be misleading.
fn fitting(parts: &[impl AsRef<str>], width: u16) -> String {
    let mut line = format!(" {}", parts.first().map_or("", AsRef::as_ref));
    for part in &parts[1..] {
        let longer = format!("{line}  {}", part.as_ref());
        if longer.chars().count() > usize::from(width) {
            break;
        }
        line = longer;
    }
    line
}

/// Returns the label and the time of the state that is shown.
fn mode_of(app: &App) -> (&'static str, Timestamp) {
    match app.timeline.stop() {
        Some(stop) if app.timeline.is_playing => ("▶ PLAYING", stop.time),
        Some(stop) => ("‖ PAST", stop.time),
        None => ("● LIVE", app.now),
    }
}

/// The keys in the footer, the most important first.
const ALONE: &[&str] = &[
    "? help",
    "q quit",
    "/ filter",
    "←→ time",
    "space play",
    "s scale",
    "x settle",
    "f what-if",
    "r restart",
    "u undo",
];

/// The keys in the footer while a fork is shown.
const BESIDE: &[&str] = &[
    "? help",
    "q quit",
    "f other side",
    "F discard the fork",
    "s scale",
    "a advance",
    "x settle",
    "/ filter",
];

fn footer(app: &App, width: u16) -> Line<'static> {
    let strong = Style::new().add_modifier(Modifier::BOLD);
    match &app.mode {
        Mode::Filter => Line::styled(
            format!(
                " filter: {}▏ Enter keeps it, Esc clears it",
                plain(&app.filter)
            ),
            strong,
        ),
        Mode::Confirm(prompt) => {
            let ask = match prompt.last {
                Some(_) => "▏ Enter runs it, Esc cancels",
                None => "  Enter runs it, Esc cancels",
            };
            // Names the side, because on the cluster the same command would be permanent.
            let place = if app.is_fork() { "on the fork: " } else { "" };
            Line::styled(
                format!(" {place}ctl {}{ask}", plain(&prompt.line())),
                strong,
            )
        }
        Mode::Browse | Mode::Help => match (&app.running, &app.message) {
            (Some(running), _) => {
                let place = if app.is_fork() { " on the fork" } else { "" };
                Line::styled(format!(" running{place}: ctl {}", plain(running)), strong)
            }
            (None, Some(message)) => {
                // A command may print several lines, but the footer has only one.
                let said = message.text.lines().collect::<Vec<_>>().join("; ");
                let (symbol, state) = (message.state.symbol(), message.state);
                let text = format!(" {symbol} {}", plain(&said));
                let text = crate::text::cut(&text, width.into()).into_owned();
                Line::styled(text, of(app, state))
            }
            (None, None) => {
                let keys = if app.beside.is_some() { BESIDE } else { ALONE };
                Line::styled(fitting(keys, width), dim())
            }
        },
    }
}

/// Returns the style of a state: its color, if colors are enabled, and bold text if the state needs attention.
fn of(app: &App, state: State) -> Style {
    let style = match state {
        State::Failing => Style::new().add_modifier(Modifier::BOLD),
        _ => Style::new(),
    };
    if !app.has_color {
        return style;
    }
    // The sixteen basic colors follow the user's light or dark scheme.
    style.fg(match state {
        State::Ended => Color::DarkGray,
        State::Ready => Color::Green,
        State::Progressing => Color::Yellow,
        State::Terminating => Color::Blue,
        State::Failing => Color::Red,
    })
}

/// Returns the style of secondary text.
fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

/// Returns a line in the style of the selection: reversed, which every terminal supports, and in a single color.
fn selected(mut line: Line<'static>, is_selected: bool) -> Line<'static> {
    if !is_selected {
        return line;
    }
    for span in &mut line.spans {
        span.style.fg = None;
        span.style.add_modifier.remove(Modifier::DIM);
    }
    line.style(Style::new().add_modifier(Modifier::REVERSED))
}

#[cfg(test)]
mod tests;
