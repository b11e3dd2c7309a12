//! A scene as an SVG picture that is legible on light and dark backgrounds.
//!
//! The picture loads no external resources. Its colors follow the reader's color scheme, and each state has a symbol
//! of its own.

use super::{markup, one_line, ready};
use crate::scene::{Row, Scene};

/// The height of a line, and the margin around the picture.
const LINE: usize = 22;
const MARGIN: usize = 16;

/// The width of a monospaced character at 13 px, rounded up, and the indentation per level.
const CHARACTER: usize = 8;
const INDENT: usize = 20;

/// The maximum length of a text, because the picture is as wide as its longest line.
const LONGEST: usize = 110;

/// The colors in light and dark mode. Each has a contrast of at least 4.5 to its background.
pub(crate) const STYLE: &str = "\
svg{--paper:#ffffff;--ink:#1f2328;--dim:#59636e;--line:#d1d9e0;--ended:#59636e;--ready:#1a7f37;--progressing:#8a5d00;\
--terminating:#0550ae;--failing:#b3202c}\
@media(prefers-color-scheme:dark){svg{--paper:#0d1117;--ink:#f0f6fc;--dim:#9198a1;--line:#3d444d;--ended:#9198a1;\
--ready:#3fb950;--progressing:#d29922;--terminating:#58a6ff;--failing:#ff7b72}}\
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:var(--ink);white-space:pre}\
.paper{fill:var(--paper);stroke:var(--line)}.dim{fill:var(--dim)}.tree{stroke:var(--line);fill:none}\
.ended{fill:var(--ended)}.ready{fill:var(--ready)}.progressing{fill:var(--progressing)}\
.terminating{fill:var(--terminating)}.failing{fill:var(--failing)}";

/// Returns a scene as a picture.
pub fn of(scene: &Scene) -> String {
    let rows = scene.rows();
    let mut body = String::new();
    let (mut top, mut widest) = (MARGIN, 0);
    // For each level, the middle of its last line, where the line to a child starts.
    let mut middles: Vec<usize> = Vec::new();
    for row in &rows {
        // Lines lead down from the owner's symbol and then right to the object's symbol.
        let left = MARGIN + row.depth * INDENT;
        let middle = top + LINE / 2;
        middles.truncate(row.depth);
        if let Some(above) = middles.last() {
            let x = left - INDENT + CHARACTER / 2;
            let (from, to) = (above + LINE / 3, left - 4);
            body += &format!("<path class=\"tree\" d=\"M{x} {from}V{middle}H{to}\"/>\n");
        }
        middles.push(middle);
        let (text, length) = line(row);
        body += &format!("<text x=\"{left}\" y=\"{}\">{text}</text>\n", middle + 4);
        widest = widest.max(left + length * CHARACTER);
        top += LINE;
        let reason = reason(row);
        if !reason.is_empty() {
            let (left, base) = (left + INDENT, top + LINE / 2);
            body += &format!(
                "<text class=\"dim\" x=\"{left}\" y=\"{base}\">{}</text>\n",
                markup(&reason)
            );
            widest = widest.max(left + reason.chars().count() * CHARACTER);
            top += LINE;
        }
    }
    let (width, height) = (widest + MARGIN, top + MARGIN);
    let objects = if rows.len() == 1 { "object" } else { "objects" };
    let title = format!("{} {objects} at revision {}", rows.len(), scene.revision);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n{body}</svg>\n",
        width - 1,
        height - 1
    )
}

/// Returns the text of an object and its length in characters.
fn line(row: &Row<'_>) -> (String, usize) {
    let (node, state) = (row.node, row.node.status.state);
    let label = cut(&node.label());
    let mut facts = vec![node.status.word.clone(), ready(node)];
    facts.extend([node.age.clone(), node.node.clone()]);
    facts.retain(|fact| !fact.is_empty());
    let facts = cut(&facts.join("  "));
    let text = format!(
        "<tspan class=\"{}\">{}</tspan> {}  <tspan class=\"dim\">{}</tspan>",
        state.word(),
        state.symbol(),
        markup(&label),
        markup(&facts)
    );
    (text, 4 + label.chars().count() + facts.chars().count())
}

fn reason(row: &Row<'_>) -> String {
    let status = &row.node.status;
    let reason = match status.reason.is_empty() {
        true => &status.next,
        false => &status.reason,
    };
    cut(reason)
}

fn cut(text: &str) -> String {
    let text = one_line(text);
    match text.chars().count() > LONGEST {
        true => text.chars().take(LONGEST - 1).chain(['…']).collect(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::a_scene;

    #[test]
    fn svg_has_no_external_references_and_escapes_hostile_text() {
        let picture = of(&a_scene());
        assert!(
            picture.contains("a &lt;b&gt;&quot;hostile&quot;&lt;/b&gt; &amp; ]]&gt; # reason"),
            "{picture}"
        );
        for active in ["<b>", "href", "url(", "<script", "@import", "\u{1b}"] {
            assert!(!picture.contains(active), "{active}: {picture}");
        }
        let links = picture.matches("http").count();
        assert_eq!(links, 1, "only the name of the format: {picture}");
    }

    #[test]
    fn every_element_is_closed() {
        let picture = of(&a_scene());
        for name in ["svg", "text", "tspan", "style", "title"] {
            let open = picture.matches(&format!("<{name}")).count();
            assert_eq!(
                open,
                picture.matches(&format!("</{name}>")).count(),
                "{name}"
            );
        }
    }
}
