//! Draws the owner tree.

use std::borrow::Cow;

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::{dim, of, selected};
use crate::app::App;
use crate::model::Panel;
use crate::scene::Entry;
use crate::text::{cut, plain, shortened};

/// A column and its width. Widths are constant, because columns that change while scrolling are hard to read.
type Column = (&'static str, usize);

/// The columns, the most important first.
const COLUMNS: &[Column] = &[("STATUS", 18), ("READY", 7), ("AGE", 6), ("NODE", 14)];

/// The columns while a fork is shown.
const COMPARED: &[Column] = &[
    ("STATUS", 18),
    ("READY", 7),
    ("±READY", 8),
    ("AGE", 6),
    ("NODE", 14),
];

/// The minimum widths for showing each Pod's node: for the cluster alone, and next to a fork.
const WITH_NODE: (usize, usize) = (70, 90);

/// Returns the columns that fit.
fn columns(app: &App, width: usize) -> Vec<Column> {
    let (all, least) = match app.beside {
        Some(_) => (COMPARED, WITH_NODE.1),
        None => (COLUMNS, WITH_NODE.0),
    };
    let shown = if width < least { &all[..3] } else { all };
    // Considers all objects, so that the column keeps its width while scrolling.
    let counts = app.present.entries.iter().filter_map(|e| e.status.ready);
    let highest = counts.map(|(ready, all)| ready.max(all)).max();
    let digits = highest.unwrap_or(0).to_string().len();
    let mut columns = shown.to_vec();
    // READY is the second column in both lists.
    columns[1].1 = columns[1].1.max(2 * digits + 1);
    columns
}

/// Returns the visible rows.
pub(super) fn lines(app: &App, width: usize, height: usize) -> Vec<Line<'static>> {
    let columns = columns(app, width);
    let others: usize = columns.iter().map(|(_, width)| width + 1).sum();
    let names = width.saturating_sub(others);
    let mut head = format!("{:names$}", "  NAME");
    for (title, width) in &columns {
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
        let line = line(app, app.shown[row], names, &columns);
        lines.push(match app.is_active() {
            true => selected(line, row == cursor.0),
            // Underlines the same object on the inactive side.
            false if row == cursor.0 => line.style(Style::new().add_modifier(Modifier::UNDERLINED)),
            false => line,
        });
    }
    lines
}

/// Returns the row of the entry at an index.
fn line(app: &App, place: usize, names: usize, columns: &[Column]) -> Line<'static> {
    let Some(entry) = app.present.entries.get(place) else {
        return Line::default();
    };
    let (status, lead) = (&entry.status, plain(&entry.lead));
    let mut label = plain(&entry.label()).into_owned();
    if app.filter.is_empty() && app.folded.contains(&entry.uid) {
        label += &format!(" (+{})", entry.below);
    }
    // The symbol and the space after it take two cells.
    let room = names.saturating_sub(lead.chars().count() + 2);
    let label = shortened(&label, room);
    let mut spans = vec![
        // The lines of the tree are dimmed, so that names and states stand out.
        Span::styled(lead.into_owned(), dim()),
        Span::styled(status.state.symbol().to_string(), of(app, status.state)),
        Span::raw(format!(" {label:room$}")),
    ];
    let own = of(app, status.state);
    for (title, width) in columns {
        let text = cell(app, entry, place, title);
        let text = format!(" {:width$}", shortened(&plain(&text), *width));
        // Next to a fork, users look for the differences.
        let style = match *title {
            "±READY" => Style::new().add_modifier(Modifier::BOLD),
            _ => own,
        };
        spans.push(Span::styled(text, style));
    }
    Line::from(spans)
}

fn cell<'a>(app: &App, entry: &'a Entry, place: usize, title: &str) -> Cow<'a, str> {
    match title {
        "STATUS" => Cow::from(&entry.status.word),
        "READY" => (entry.status.ready).map_or_else(Cow::default, |(ready, all)| {
            Cow::from(format!("{ready}/{all}"))
        }),
        "AGE" => Cow::from(&entry.age),
        "NODE" => Cow::from(&entry.node),
        _ => {
            (app.beside.as_ref()).map_or_else(Cow::default, |beside| Cow::from(beside.words(place)))
        }
    }
}
