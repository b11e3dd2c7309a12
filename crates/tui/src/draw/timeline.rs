//! Draws the timeline: a track with the marks and the current position, and a description of the commit.

use ratatui::text::{Line, Span, Text};

use super::dim;
use crate::app::App;
use crate::text::{cut, plain};

/// Returns the two lines of the timeline.
pub(super) fn of(app: &App, width: u16) -> Text<'static> {
    let (timeline, width) = (&app.timeline, usize::from(width));
    let stops = &timeline.stops;
    let room = width.saturating_sub(2);
    let mut track = vec!['─'; room];
    let last = stops.len().saturating_sub(1);
    let place = |at: usize| (at * room.saturating_sub(1)).checked_div(last).unwrap_or(0);
    for (at, _) in stops.iter().enumerate().filter(|(_, s)| s.mark.is_some()) {
        if let Some(cell) = track.get_mut(place(at)) {
            *cell = '◆';
        }
    }
    // Drawn last: the current position may hide a mark, whose name the second line shows anyway.
    let here = timeline.at.map_or(room.saturating_sub(1), place);
    if let Some(cell) = track.get_mut(here) {
        *cell = '●';
    }
    let text = match (timeline.at, timeline.stop()) {
        (Some(at), Some(stop)) => {
            let mark = stop
                .mark
                .as_ref()
                .map_or_else(String::new, |mark| format!("  ◆ {mark}"));
            format!(
                " commit {} of {}  revision {}{mark}  {}: {}",
                at + 1,
                stops.len(),
                stop.revision,
                stop.writer,
                stop.rule
            )
        }
        _ => {
            let by = stops.last().map_or_else(String::new, |stop| {
                format!(", the last by {}: {}", stop.writer, stop.rule)
            });
            let since = if app.is_fork() { " since the fork" } else { "" };
            format!(" {} commits{since}{by}", stops.len())
        }
    };
    Text::from(vec![
        Line::from(vec![
            Span::raw(" "),
            Span::raw(track.into_iter().collect::<String>()),
        ]),
        Line::styled(cut(&plain(&text), width).into_owned(), dim()),
    ])
}
