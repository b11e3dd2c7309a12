//! Draws the cluster and its fork: side by side, or one above the other on a narrow terminal.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;

use super::{DETAIL, TALL, WIDE, detail, fitting, mode_of, panel, wanted};
use crate::app::App;
use crate::compare::counts;
use crate::model::Panel;

/// The minimum height of a side for showing details.
const DETAILED: u16 = 16;

/// Draws both sides.
pub(super) fn draw(frame: &mut Frame<'_>, cluster: &App, fork: &App, area: Rect) {
    let half = Constraint::Fill(1);
    let layout = match area.width >= WIDE {
        true => Layout::horizontal([half, half]),
        false => Layout::vertical([half, half]),
    };
    let [first, second] = layout.areas(area);
    side(frame, cluster, first);
    side(frame, fork, second);
}

fn side(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let [top, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    frame.render_widget(header(app, top.width), top);
    // With 24 rows, the tree needs all the space.
    let below = if area.height >= DETAILED { DETAIL } else { 0 };
    if area.height < TALL {
        let rows = [Constraint::Min(0), Constraint::Length(below)];
        let [main, below] = Layout::vertical(rows).areas(body);
        panel(frame, app, app.panel, main);
        detail::draw(frame, app, below);
        return;
    }
    // The last panel shows the causes, unless the selected panel has no place of its own.
    let last = match app.panel {
        Panel::Events | Panel::Queue => app.panel,
        _ => Panel::Why,
    };
    let rows = [
        Constraint::Fill(3),
        Constraint::Length(below),
        wanted(app, Panel::Rollouts, body.height / 8),
        wanted(app, Panel::Nodes, body.height / 6),
        Constraint::Fill(1),
    ];
    let [tree, details, rollouts, nodes, more] = Layout::vertical(rows).areas(body);
    panel(frame, app, Panel::Tree, tree);
    detail::draw(frame, app, details);
    panel(frame, app, Panel::Rollouts, rollouts);
    panel(frame, app, Panel::Nodes, nodes);
    panel(frame, app, last, more);
}

/// Returns the line above a side: its name, its time, and how its Pods compare.
fn header(app: &App, width: u16) -> Line<'static> {
    let (mode, time) = mode_of(app);
    let (ready, all) = app.present.pods();
    let name = if app.is_fork() { "FORK" } else { "CLUSTER" };
    let marker = if app.is_active() { '▸' } else { ' ' };
    let more = match &app.beside {
        Some(beside) if beside.is_fork && beside.pods != (0, 0) => {
            format!(" ({})", counts(beside.pods.0, beside.pods.1))
        }
        _ => String::new(),
    };
    let parts = [
        format!("{name}  {mode}  {}", time.strftime("%T")),
        format!("{ready} of {all} Pods ready{more}"),
        format!("revision {}", app.present.revision),
    ];
    let line = fitting(&parts, width);
    let line = format!("{marker}{:1$}", line.trim_start(), usize::from(width));
    // Emphasized in addition to the marker, because a command changes only this side.
    let style = match app.is_active() {
        true => Style::new().add_modifier(Modifier::REVERSED),
        false => Style::new().add_modifier(Modifier::BOLD),
    };
    Line::styled(line, style)
}
