//! Draws the selected object: the reason for its state and the progress of its rollout.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Paragraph, Wrap};

use super::{of, panels};
use crate::app::App;
use crate::text::{plain, shortened};

/// Draws the details of the selected object.
pub(super) fn draw(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let block = Block::new()
        .borders(Borders::ALL)
        .border_style(super::dim());
    let Some(entry) = app.selected() else {
        frame.render_widget(block, area);
        return;
    };
    let width = usize::from(area.width.saturating_sub(4));
    let title = format!(" {} ", shortened(&plain(&entry.label()), width));
    let block = block.title(title);
    let (inner, state) = (block.inner(area), entry.status.state);
    let mut words = format!("{} {}", state.symbol(), plain(&entry.status.word));
    if let Some((ready, all)) = entry.status.ready {
        words += &format!(", {ready} of {all} ready");
    }
    if !entry.node.is_empty() {
        words += &format!(", on {}", plain(&entry.node));
    }
    let mut lines = vec![Line::styled(words, of(app, state))];
    lines.extend(
        entry
            .rollout
            .map(|rollout| panels::bar(app, &rollout, inner.width.into())),
    );
    // A reason describes a problem. The next step matters only if there is none.
    let reason = match entry.status.reason.as_str() {
        "" => entry.status.next.as_str(),
        reason => reason,
    };
    lines.push(Line::raw(plain(reason).into_owned()));
    frame.render_widget(block, area);
    let text = Paragraph::new(lines).wrap(Wrap { trim: true });
    frame.render_widget(text, inner);
}
