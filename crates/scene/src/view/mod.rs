//! Views of a scene. Each view is a pure function that returns text. It escapes the format's special characters, so
//! that a name or message always stays text.

pub mod chart;
pub mod film;
pub mod graph;
pub mod html;
pub mod json;
pub mod live;
pub mod svg;
pub mod text;

/// Returns text on one line: control characters and line breaks become spaces.
fn one_line(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(plain).collect()
}

/// Escapes text for SVG and HTML, both in elements and in quoted attributes.
fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML allows no other control character, not even as a character reference.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Formats the number of ready parts as `2/3`; empty for an object without parts.
fn ready(node: &crate::Node) -> String {
    node.status
        .ready
        .map_or_else(String::new, |(ready, all)| format!("{ready}/{all}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        let hostile = "<script>\"a\" & 'b'</script>\u{1b}[31m\0";
        assert_eq!(
            markup(hostile),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;\u{fffd}[31m\u{fffd}"
        );
        assert_eq!(one_line("a\nb\u{1b}c"), "a b c");
    }
}
