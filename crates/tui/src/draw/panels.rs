//! Draws the panels next to the tree, one line per visible row.

use jiff::{SignedDuration, Timestamp};
use ratatui::text::{Line, Span};

use super::{dim, of, selected};
use crate::app::App;
use crate::model::Panel;
use crate::scene::{Event, NodeRow, Rollout, State, Step};
use crate::text::{cut, plain, shortened};

/// Returns the text to add to a panel's title.
pub(super) fn note(app: &App, panel: Panel) -> String {
    match panel {
        Panel::Tree if !app.filter.is_empty() => format!(" /{}", plain(&app.filter)),
        Panel::Rollouts => " ▒ old █ new · missing".to_owned(),
        Panel::Queue => {
            let due = app.queue.iter().filter(|step| step.at.is_none()).count();
            format!(" {due} due, {} timers", app.queue.len() - due)
        }
        _ => String::new(),
    }
}

/// Returns the visible rows of a panel.
pub(super) fn lines(app: &App, panel: Panel, width: usize, height: usize) -> Vec<Line<'static>> {
    let (length, cursor) = (app.length(panel), app.cursor(panel));
    if length == 0 {
        return vec![Line::styled(empty(panel), dim())];
    }
    let window = cursor.window(length, height);
    let (first, count) = (window.start, window.len());
    let present = &app.present;
    let rows: Vec<Line<'static>> = match panel {
        Panel::Tree => Vec::new(),
        Panel::Rollouts => {
            let rows = present.rollouts().skip(first).take(count);
            rows.map(|(entry, rollout)| rollout_line(app, &entry.label(), &rollout, width))
                .collect()
        }
        Panel::Nodes => (present.nodes[window].iter())
            .map(|node| node_line(app, node, width))
            .collect(),
        Panel::Events => {
            let reasons = reasons(&present.events, width);
            (present.events[window].iter())
                .map(|event| event_line(app, event, reasons, width))
                .collect()
        }
        Panel::Queue => (app.queue[window].iter())
            .map(|step| step_line(step, app.now, width))
            .collect(),
        Panel::Why => (app.why[window].iter())
            .map(|line| Line::raw(cut(&plain(line), width).into_owned()))
            .collect(),
    };
    // Only the focused panel shows its selection: five reversed lines would be ambiguous.
    let is_focused = app.panel == panel && app.is_active();
    let rows = rows.into_iter().enumerate();
    rows.map(|(row, line)| selected(line, is_focused && first + row == cursor.0))
        .collect()
}

fn empty(panel: Panel) -> &'static str {
    match panel {
        Panel::Tree => "",
        Panel::Rollouts => "nothing rolls out",
        Panel::Nodes => "no nodes",
        Panel::Events => "no events",
        Panel::Queue => "the controllers have nothing to do",
        Panel::Why => "no causes are kept",
    }
}

fn rollout_line(app: &App, label: &str, rollout: &Rollout, width: usize) -> Line<'static> {
    let names = (width / 3).clamp(10, 32);
    let mut line = bar(app, rollout, width.saturating_sub(names + 1));
    let label = plain(label);
    let label = format!("{:names$} ", shortened(&label, names));
    line.spans.insert(0, Span::raw(label));
    line
}

/// Returns a bar of old, new and missing Pods, with the counts in words.
pub(super) fn bar(app: &App, rollout: &Rollout, width: usize) -> Line<'static> {
    let words = rollout.words();
    let room = width
        .saturating_sub(words.chars().count() + 1)
        .clamp(4, 40)
        .min(width);
    let plain = |count: i64| usize::try_from(count).unwrap_or(0);
    let (old, new) = (plain(rollout.old), plain(rollout.new));
    // During a surge, there are more Pods than desired.
    let all = (old + new).max(plain(rollout.desired)).max(1);
    let cells = |count: usize| room * count / all;
    // Rounded together, so that the parts never exceed the bar.
    let (new_end, old_end) = (cells(old + new), cells(old));
    Line::from(vec![
        Span::styled("▒".repeat(old_end), of(app, State::Progressing)),
        Span::styled("█".repeat(new_end - old_end), of(app, State::Ready)),
        Span::styled("·".repeat(room - new_end), dim()),
        Span::raw(format!(" {}", cut(&words, width.saturating_sub(room + 1)))),
    ])
}

fn node_line(app: &App, node: &NodeRow, width: usize) -> Line<'static> {
    let names = (width / 4).clamp(8, 30);
    let state = node.status.state;
    let count = match node.pods.len() {
        1 => "1 Pod".to_owned(),
        many => format!("{many} Pods"),
    };
    let name = plain(&node.name);
    let head = format!(
        " {:names$} {:12} {count:>9} ",
        shortened(&name, names),
        shortened(&plain(&node.status.word), 12)
    );
    let room = width.saturating_sub(head.chars().count() + 1);
    let mut spans = vec![
        Span::styled(state.symbol().to_string(), of(app, state)),
        Span::raw(head),
    ];
    // The last cell shows that there are more.
    let fits = if node.pods.len() > room {
        room.saturating_sub(1)
    } else {
        room
    };
    for pod in node.pods.iter().take(fits) {
        spans.push(Span::styled(pod.symbol().to_string(), of(app, *pod)));
    }
    if node.pods.len() > fits {
        spans.push(Span::raw("…"));
    }
    Line::from(spans)
}

/// Returns the width of the reason column: the longest reason, but at most a quarter of the line. All events count
/// rather than the visible ones, so that the column keeps its width while the list scrolls.
fn reasons(events: &[Event], width: usize) -> usize {
    let longest = events.iter().map(|event| event.reason.chars().count());
    longest.max().unwrap_or(0).min((width / 4).clamp(10, 32))
}

fn event_line(app: &App, event: &Event, reasons: usize, width: usize) -> Line<'static> {
    let (sign, state) = match event.is_warning {
        true => ("!", State::Failing),
        false => (" ", State::Ready),
    };
    let text = format!(
        "{sign} {:reasons$} {}: {}",
        shortened(&event.reason, reasons),
        event.object,
        event.message
    );
    let age = format!("{:>5} ", event.age);
    let text = plain(&text).into_owned();
    let text = cut(&text, width.saturating_sub(age.chars().count())).into_owned();
    let style = match event.is_warning {
        true => of(app, state),
        false => ratatui::style::Style::new(),
    };
    Line::from(vec![Span::styled(age, dim()), Span::styled(text, style)])
}

fn step_line(step: &Step, now: Timestamp, width: usize) -> Line<'static> {
    let when = step.at.map_or_else(
        || "due now".to_owned(),
        |at| {
            // A time that has just passed must not appear as a negative duration.
            let left = SignedDuration::from_secs(at.duration_since(now).as_secs().max(0));
            format!("in {left:#}")
        },
    );
    let text = format!(
        "{when:>12}  {} {}: {}",
        step.controller, step.key, step.what
    );
    Line::raw(cut(&plain(&text), width).into_owned())
}
