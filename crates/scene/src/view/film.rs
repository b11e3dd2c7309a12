//! An animated SVG of a timeline for READMEs. It needs no script, and it is static for readers who prefer reduced
//! motion.

use std::collections::BTreeSet;

use super::svg::STYLE;
use super::{markup, one_line};
use crate::rollout::Rollout;
use crate::timeline::{Frame, ObjectState, Timeline, Track};

/// The width of the picture, the height of a line, the margin and the indentation per level.
const WIDTH: usize = 760;
const LINE: usize = 22;
const MARGIN: usize = 16;
const INDENT: usize = 20;

/// The horizontal position of the status.
const STATUS: usize = 380;

/// The width of the bar for all Pods of a rollout.
const BAR: usize = 240;

/// The duration of a frame in milliseconds, and the number of frames for which the last one is held.
const FRAME: usize = 700;
const HOLD: usize = 4;

/// The maximum number of objects. A larger picture would be hard to read.
const MOST: usize = 40;

/// The additional styles of this picture. Stripes tell old Pods from new ones without color.
const FILM: &str = "\
.old{fill:url(#stripes)}.new{fill:var(--ready)}.stripe{stroke:var(--progressing);stroke-width:3}.frame{fill:none;stroke:var(--dim)}\
.now{fill:var(--terminating);transform-origin:0 0}\
@media(prefers-reduced-motion:reduce){*{animation:none!important}}";

/// Text and shapes, with the frames in which they are visible.
struct Picture {
    total: usize,
    body: String,
    spans: BTreeSet<(usize, usize)>,
}

impl Picture {
    /// Adds a shape that is visible from frame `from` until just before frame `until`.
    fn add(&mut self, from: usize, until: usize, what: &str) {
        // Shapes with the same frames share one rule; otherwise, the film of a long rollout would consist mostly of
        // rules.
        match (from, until) {
            (0, until) if until == self.total => self.body += &format!("{what}\n"),
            span => {
                self.body += &format!("<g class=\"f{from}-{until}\">{what}</g>\n");
                self.spans.insert(span);
            }
        }
    }

    /// Returns the rules that show and hide each shape. Without animation, the last frame is visible.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a film has less than a thousand frames"
    )]
    fn rules(&self) -> String {
        let percent = |frame: usize| 100.0 * frame as f64 / self.total as f64;
        let time = self.total * FRAME;
        let mut rules = String::new();
        for (from, until) in &self.spans {
            let (name, ends) = (format!("f{from}-{until}"), *until == self.total);
            // A viewer that does not animate shows the last frame.
            let still = if ends { "visible" } else { "hidden" };
            rules += &format!(
                ".{name}{{visibility:{still};animation:{name} {time}ms step-end infinite}}"
            );
            let begin = if *from == 0 { "visible" } else { "hidden" };
            rules += &format!(
                "@keyframes {name}{{0%{{visibility:{begin}}}{:.3}%{{visibility:visible}}",
                percent(*from)
            );
            if !ends {
                rules += &format!("{:.3}%{{visibility:hidden}}", percent(*until));
            }
            rules += "}";
        }
        rules
            + &format!(
                ".now{{animation:now {time}ms linear infinite}}@keyframes now{{from{{transform:scaleX(0)}}to{{transform:scaleX(1)}}}}"
            )
    }
}

/// Returns the picture.
pub fn of(timeline: &Timeline, title: &str) -> String {
    let mut picture = Picture {
        total: timeline.frames.len() + HOLD,
        body: String::new(),
        spans: BTreeSet::new(),
    };
    for (place, frame) in timeline.frames.iter().enumerate() {
        // The last frame is held for a while before the film repeats.
        let until = match place + 1 == timeline.frames.len() {
            true => picture.total,
            false => place + 1,
        };
        picture.add(place, until, &caption(frame));
    }
    let mut top = MARGIN + 3 * LINE;
    // Every object keeps its line throughout the film, because moving lines are hard to follow.
    for track in timeline.tracks.iter().take(MOST) {
        let height = draw(&mut picture, track, top);
        top += height;
    }
    if let Some(more) = timeline.tracks.len().checked_sub(MOST).filter(|n| *n > 0) {
        let text = format!(
            "<text class=\"dim\" x=\"{MARGIN}\" y=\"{}\">and {more} more objects</text>",
            top + 15
        );
        picture.body += &text;
        top += LINE;
    }
    let (height, title) = (top + MARGIN, markup(&one_line(title)));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" \
         aria-label=\"{title}\">\n<title>{title}</title>\n<style>{STYLE}{FILM}{}</style>\n\
         <defs><pattern id=\"stripes\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
         <path class=\"stripe\" d=\"M0 0V6\"/></pattern></defs>\n\
         <rect class=\"paper\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n\
         <text x=\"{MARGIN}\" y=\"{}\">{title}</text>\n<rect class=\"now\" x=\"0\" y=\"{}\" width=\"{WIDTH}\" height=\"3\"/>\n{}</svg>\n",
        picture.rules(),
        WIDTH - 1,
        height - 1,
        MARGIN + 12,
        height - 3,
        picture.body
    )
}

fn caption(frame: &Frame) -> String {
    let by = match frame.writer.as_str() {
        "" => "before the first change".to_owned(),
        writer => format!("{writer}: {}", frame.rule),
    };
    let time = frame.time.strftime("%H:%M:%S");
    let text = format!("{time}  revision {}  {by}", frame.revision);
    format!(
        "<text class=\"dim\" x=\"{MARGIN}\" y=\"{}\">{}</text>",
        MARGIN + LINE + 12,
        markup(&cut(&text, 90))
    )
}

/// Draws an object and returns its height.
fn draw(picture: &mut Picture, track: &Track, top: usize) -> usize {
    let left = MARGIN + track.depth * INDENT;
    let base = top + 15;
    let has_bar = track
        .shots
        .iter()
        .flat_map(|(_, s)| s)
        .any(|s| s.rollout.is_some());
    for (place, (from, shot)) in track.shots.iter().enumerate() {
        let Some(shot) = shot else { continue };
        // A state lasts until the object's next change.
        let until = track
            .shots
            .get(place + 1)
            .map_or(picture.total, |(next, _)| *next);
        let state = shot.status.state;
        let room = (STATUS - left) / 8 - 3;
        let mut what = format!(
            "<text x=\"{left}\" y=\"{base}\"><tspan class=\"{}\">{}</tspan> {}</text><text class=\"dim\" x=\"{STATUS}\" y=\"{base}\">{}</text>",
            state.word(),
            state.symbol(),
            markup(&cut(&track.label, room)),
            markup(&cut(&facts(shot), 46))
        );
        if let Some(rollout) = shot.rollout {
            what += &bar(&rollout, left + INDENT, top + LINE);
        }
        picture.add(*from, until, &what);
    }
    if has_bar { 2 * LINE } else { LINE }
}

fn facts(shot: &ObjectState) -> String {
    let status = &shot.status;
    let ready = status
        .ready
        .map_or_else(String::new, |(ready, all)| format!("{ready}/{all}"));
    let note = match status.reason.as_str() {
        "" => &status.next,
        reason => reason,
    };
    let mut facts = vec![
        status.word.clone(),
        ready,
        shot.node.clone(),
        note.to_owned(),
    ];
    facts.retain(|fact| !fact.is_empty());
    facts.join("  ")
}

/// Returns a bar of old, new and missing Pods, with the counts as text.
fn bar(rollout: &Rollout, x: usize, y: usize) -> String {
    let plain = |n: i64| usize::try_from(n).unwrap_or(0);
    let (old, new) = (plain(rollout.old), plain(rollout.new));
    // During a surge, there are more Pods than desired.
    let all = (old + new).max(plain(rollout.desired)).max(1);
    let (old, new) = (BAR * old / all, BAR * new / all);
    let (middle, text, base) = (x + old, x + BAR + 12, y + 12);
    let words = markup(&rollout.words());
    format!(
        "<rect class=\"old\" x=\"{x}\" y=\"{y}\" width=\"{old}\" height=\"14\"/><rect class=\"new\" x=\"{middle}\" y=\"{y}\" width=\"{new}\" height=\"14\"/>\
         <rect class=\"frame\" x=\"{x}\" y=\"{y}\" width=\"{BAR}\" height=\"14\"/><text class=\"dim\" x=\"{text}\" y=\"{base}\">{words}</text>"
    )
}

fn cut(text: &str, most: usize) -> String {
    let text = one_line(text);
    match text.chars().count() > most {
        true => text
            .chars()
            .take(most.saturating_sub(1))
            .chain(['…'])
            .collect(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::a_timeline;

    #[test]
    fn animation_shows_each_state_and_holds_the_last_frame() {
        let film = of(&a_timeline(), "<web>");
        // Three frames; the last one is held for four more.
        assert!(
            film.contains("<g class=\"f0-1\"><text class=\"dim\""),
            "{film}"
        );
        assert!(film.contains("@keyframes f1-2{0%{visibility:hidden}14.286%{visibility:visible}28.571%{visibility:hidden}}"), "{film}");
        assert!(film.contains(".f2-7{visibility:visible;"), "{film}");
        assert!(film.contains("1 old, 2 new, 2 of 3 ready"), "{film}");
        assert!(film.contains("prefers-reduced-motion"), "{film}");
    }

    #[test]
    fn animation_escapes_hostile_names() {
        let film = of(&a_timeline(), "<web>");
        for active in [
            "<web>", "<b>", "<img", "<script", "</script", "href", "@import",
        ] {
            assert!(!film.contains(active), "{active}: {film}");
        }
        assert!(film.contains("pod/web-&lt;/script&gt;&lt;b&gt;"), "{film}");
        assert_eq!(
            film.matches("http").count(),
            1,
            "only the name of the format"
        );
    }
}
