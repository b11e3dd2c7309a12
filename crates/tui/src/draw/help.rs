//! Draws the help, with all keys, over the screen.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Clear, Paragraph};

use crate::action;
use crate::app::App;
use crate::scene::State;

/// The keys that do not affect the cluster.
const LOOK: &[(&str, &str)] = &[
    ("↑ ↓", "select; PgUp, PgDn, Home, End too"),
    ("1-6 Tab", "go to a panel"),
    ("Enter", "fold, unfold"),
    ("/", "filter by name, type, status or node"),
    ("← →", "the previous or next commit; Shift: a tenth"),
    ("space", "play the history or pause"),
    ("[ ]", "the previous or next mark"),
    ("Esc", "back to the present; clear the filter"),
    ("q", "quit"),
];

/// Draws the help in the middle of the screen.
pub(super) fn draw(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let row = |(key, what): &(&str, &str)| {
        let strong = Style::new().add_modifier(Modifier::BOLD);
        Line::from(vec![
            Span::styled(format!(" {key:>8}  "), strong),
            Span::raw((*what).to_owned()),
        ])
    };
    let mut lines: Vec<Line<'static>> = LOOK.iter().chain(action::KEYS).map(row).collect();
    let legend = State::ALL
        .iter()
        .flat_map(|state| {
            let symbol = Span::styled(format!(" {} ", state.symbol()), super::of(app, *state));
            [symbol, Span::raw(state.word())]
        })
        .collect::<Vec<_>>();
    lines.push(Line::from(legend));
    if app.beside.is_some() {
        lines.push(Line::raw(
            " +2/+4 more ready and in total  ≠ another status  new  gone",
        ));
    }
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
    let (width, height) = (area.width.min(66), area.height.min(height));
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    let block = Block::new()
        .borders(Borders::ALL)
        .title(" Keys; any key closes this ");
    // Without clearing, the screen below would be visible in the gaps.
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).block(block), place);
}
