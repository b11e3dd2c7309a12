//! The owner tree.

use ratatui::text::{Line, Span};

use super::{dim, of, selected};
use crate::app::App;
use crate::model::Panel;
use crate::scene::Entry;
use crate::text::{cut, plain, shortened};

/// The widths of STATUS, READY, AGE and NODE. They are constant, because columns that change width while scrolling are
/// hard to read.
const COLUMNS: [usize; 4] = [18, 7, 6, 14];

/// The width from which the node of each Pod fits.
const WITH_NODE: usize = 70;

/// Returns the rows that fit.
pub(super) fn lines(app: &App, width: usize, height: usize) -> Vec<Line<'static>> {
    let columns = if width < WITH_NODE { 3 } else { 4 };
    let others: usize = COLUMNS[..columns].iter().map(|width| width + 1).sum();
    let names = width.saturating_sub(others);
    let mut head = format!("{:names$}", "  NAME");
    for (title, width) in ["STATUS", "READY", "AGE", "NODE"][..columns]
        .iter()
        .zip(COLUMNS)
    {
        head += &format!(" {title:width$}");
    }
    let head = cut(head.trim_end(), width).into_owned();
    let mut lines = vec![Line::styled(head, dim())];
    if app.shown.is_empty() {
        let text = match app.filter.as_str() {
            "" => "  No workloads here yet.".to_owned(),
            filter => format!("  Nothing matches {}.", plain(filter)),
        };
        lines.push(Line::raw(text));
        return lines;
    }
    let cursor = app.cursor(Panel::Tree);
    for row in cursor.window(app.shown.len(), height.saturating_sub(1)) {
        let entry = app.present.entries.get(app.shown[row]);
        let line = entry.map_or_else(Line::default, |entry| line(app, entry, names, columns));
        lines.push(selected(line, row == cursor.0));
    }
    lines
}

fn line(app: &App, entry: &Entry, names: usize, columns: usize) -> Line<'static> {
    let (status, lead) = (&entry.status, plain(&entry.lead));
    let mut label = plain(&entry.label()).into_owned();
    if app.filter.is_empty() && app.folded.contains(&entry.uid) {
        label += &format!(" (+{})", entry.below);
    }
    // The symbol and the space after it take two cells.
    let room = names.saturating_sub(lead.chars().count() + 2);
    let label = shortened(&label, room);
    let ready = status
        .ready
        .map_or_else(String::new, |(ready, all)| format!("{ready}/{all}"));
    let cells = [&status.word, &ready, &entry.age, &entry.node];
    let mut rest = String::new();
    for (cell, width) in cells.iter().zip(COLUMNS).take(columns) {
        rest += &format!(" {:width$}", shortened(&plain(cell), width));
    }
    Line::from(vec![
        // The lines of the tree are dimmed to emphasize names and states.
        Span::styled(lead.into_owned(), dim()),
        Span::styled(status.state.symbol().to_string(), of(app, status.state)),
        Span::raw(format!(" {label:room$}")),
        Span::styled(rest, of(app, status.state)),
    ])
}
