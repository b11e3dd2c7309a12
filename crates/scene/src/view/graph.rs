//! A scene as a graph in the languages of Mermaid and Graphviz.

use super::{one_line, ready};
use crate::scene::{Node, Scene};
use crate::status::State;

/// Returns the fill and line colors of a state. The fill is pale enough for black text, which starts with the state's
/// symbol.
const fn colors(state: State) -> (&'static str, &'static str) {
    match state {
        State::Ended => ("#eeeeee", "#6e7781"),
        State::Ready => ("#dafbe1", "#1a7f37"),
        State::Progressing => ("#fff8c5", "#9a6700"),
        State::Terminating => ("#ddf4ff", "#0969da"),
        State::Failing => ("#ffebe9", "#cf222e"),
    }
}

/// Returns the lines of an object's box.
fn lines(node: &Node) -> Vec<String> {
    let status = &node.status;
    let state = format!("{} {} {}", status.state.symbol(), status.word, ready(node));
    let lines = [
        node.label(),
        state.trim_end().to_owned(),
        status.reason.clone(),
    ];
    let lines = lines.iter().filter(|line| !line.is_empty());
    lines.map(|line| one_line(line)).collect()
}

/// Returns the edges of a scene, as the indexes of an owner and its dependent.
fn edges(scene: &Scene) -> Vec<(usize, usize)> {
    let (mut edges, mut above) = (Vec::new(), Vec::<usize>::new());
    for (place, row) in scene.rows().iter().enumerate() {
        // Rows are in preorder, so the owner is the last row of the level above.
        above.truncate(row.depth);
        if let Some(owner) = above.last() {
            edges.push((*owner, place));
        }
        above.push(place);
    }
    edges
}

/// Returns a scene as a Mermaid flowchart.
pub fn mermaid(scene: &Scene) -> String {
    let mut out = "flowchart LR\n".to_owned();
    for (place, row) in scene.rows().iter().enumerate() {
        let text: Vec<String> = lines(row.node).iter().map(|l| mermaid_text(l)).collect();
        let (text, state) = (text.join("<br/>"), row.node.status.state.word());
        out += &format!("  n{place}[\"{text}\"]:::{state}\n");
    }
    for (owner, owned) in edges(scene) {
        out += &format!("  n{owner} --> n{owned}\n");
    }
    for state in State::ALL {
        let (fill, stroke) = colors(state);
        let word = state.word();
        out += &format!("  classDef {word} fill:{fill},stroke:{stroke},color:#000000\n");
    }
    out
}

/// Escapes text for a quoted Mermaid label: every character but letters, digits and plain punctuation becomes a
/// character code.
fn mermaid_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_alphanumeric() || " -_./:,()✓✗·~".contains(c) => out.push(c),
            // A list of dangerous characters could become incomplete with any release of Mermaid.
            c => out += &format!("#{};", u32::from(c)),
        }
    }
    out
}

/// Returns a scene as a Graphviz digraph.
pub fn dot(scene: &Scene) -> String {
    let mut out = "digraph cluster {\n  rankdir=LR\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"]\n"
        .to_owned();
    for (place, row) in scene.rows().iter().enumerate() {
        let text: Vec<String> = lines(row.node).iter().map(|l| dot_text(l)).collect();
        let (text, (fill, line)) = (text.join("\\n"), colors(row.node.status.state));
        out += &format!("  n{place} [label=\"{text}\", fillcolor=\"{fill}\", color=\"{line}\"]\n");
    }
    for (owner, owned) in edges(scene) {
        out += &format!("  n{owner} -> n{owned}\n");
    }
    out + "}\n"
}

/// Escapes text for a quoted DOT string, where backslashes start escapes and ampersands start HTML entities.
fn dot_text(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('&', "&amp;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::a_scene;

    #[test]
    fn mermaid_flowchart_has_one_escaped_node_per_object() {
        let text = mermaid(&a_scene());
        let lines: Vec<&str> = text.lines().take(5).collect();
        assert_eq!(
            lines,
            [
                "flowchart LR",
                "  n0[\"deployment/web<br/>~ Progressing 1/2\"]:::progressing",
                "  n1[\"pod/web-a<br/>✗ Error<br/>a #60;b#62;#34;hostile#34;#60;/b#62; #38; #93;#93;#62; #35; reason \"]:::failing",
                "  n2[\"pod/web-b<br/>✓ Running 1/1\"]:::ready",
                "  n0 --> n1",
            ]
        );
    }

    #[test]
    fn a_digraph_escapes_quotes_and_entities() {
        let text = dot(&a_scene());
        let failing = text.lines().find(|l| l.contains("n1 [")).unwrap();
        assert!(
            failing.contains(r#"a <b>\"hostile\"</b> &amp; ]]> # reason"#),
            "{failing}"
        );
        assert!(text.contains("  n0 -> n1\n  n0 -> n2\n}\n"), "{text}");
        assert_eq!(dot_text("a\\b"), "a\\\\b");
    }
}
