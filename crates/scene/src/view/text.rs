//! A scene as a text tree, for terminals and pipes.

use super::{one_line, ready};
use crate::scene::{Row, Scene};

/// The maximum number of lines for a reason; `describe` shows all of it.
const REASON_LINES: usize = 2;

/// The minimum width of a name, and of a line of a reason.
const NARROW: usize = 16;

/// The space between two columns, as in kubectl's tables.
const GAP: &str = "   ";

/// The cells of a line.
struct Cells {
    name: String,
    /// STATUS, READY, AGE and NODE.
    rest: [String; 4],
    /// The lines of the tree below the object, to precede the lines of the reason.
    below: String,
    reason: String,
}

/// Returns a scene as text: a header, one line per object, and indented lines for the reason if something is wrong.
///
/// `width` is the width of the terminal: names are shortened and reasons wrapped to fit. Without it, every text is
/// complete and on a single line, for programs.
pub fn of(scene: &Scene, width: Option<usize>) -> String {
    let rows = scene.rows();
    // The namespace is redundant if all objects share one.
    let many = rows.iter().any(|row| {
        let own = |node: &crate::Node| node.namespace.clone();
        own(row.node) != own(rows[0].node)
    });
    let cells: Vec<Cells> = rows.iter().map(|row| cells(row, many)).collect();
    let mut widths = ["STATUS", "READY", "AGE", "NODE"].map(str::len);
    for cells in &cells {
        for (width, cell) in widths.iter_mut().zip(&cells.rest) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let longest = cells.iter().map(|c| c.name.chars().count()).max();
    let names = longest.unwrap_or(0).max("  NAME".len());
    let others: usize = widths.iter().map(|width| width + GAP.len()).sum();
    let names = match width {
        Some(width) => names.min(width.saturating_sub(others).max(NARROW)),
        None => names,
    };
    let header = ["STATUS", "READY", "AGE", "NODE"].map(str::to_owned);
    let mut out = line("  NAME", &header, names, widths);
    for cells in &cells {
        out += &line(&shortened(&cells.name, names), &cells.rest, names, widths);
        for part in wrapped(&cells.reason, &cells.below, width) {
            out += &format!("{}{part}\n", cells.below);
        }
    }
    out
}

fn cells(row: &Row<'_>, many_namespaces: bool) -> Cells {
    let (node, status) = (row.node, &row.node.status);
    let mut lines = String::new();
    for more in &row.more[..row.depth.saturating_sub(1)] {
        lines += if *more { "│  " } else { "   " };
    }
    let (mut branch, mut below) = (lines.clone(), lines);
    if row.depth > 0 {
        let more = row.more[row.depth - 1];
        branch += if more { "├─ " } else { "└─ " };
        below += if more { "│  " } else { "   " };
    }
    // The line to the children continues beside the reason, so that the tree stays connected.
    below += if node.children.is_empty() {
        "    "
    } else {
        "│   "
    };
    let namespace = match many_namespaces && row.depth == 0 && !node.namespace.is_empty() {
        true => format!("{}: ", node.namespace),
        false => String::new(),
    };
    let label = one_line(&format!("{namespace}{}", node.label()));
    let reason = match status.reason.is_empty() {
        true => &status.next,
        false => &status.reason,
    };
    Cells {
        name: format!("{branch}{} {label}", status.state.symbol()),
        rest: [status.word.as_str(), &ready(node), &node.age, &node.node].map(one_line),
        below,
        reason: one_line(reason),
    }
}

/// Returns a line without trailing spaces.
fn line(name: &str, cells: &[String; 4], names: usize, widths: [usize; 4]) -> String {
    let mut line = format!("{name:<names$}");
    for (cell, width) in cells.iter().zip(widths) {
        line += &format!("{GAP}{cell:<width$}");
    }
    format!("{}\n", line.trim_end())
}

/// Shortens a name in the middle until it fits: the start contains the type, and the end distinguishes siblings.
fn shortened(name: &str, width: usize) -> String {
    let length = name.chars().count();
    if length <= width {
        return name.to_owned();
    }
    // Generated names differ only in their last characters.
    let kept = width.saturating_sub(1);
    let (head, tail) = (kept - kept / 3, kept / 3);
    let begin: String = name.chars().take(head).collect();
    let end: String = name.chars().skip(length - tail).collect();
    format!("{begin}…{end}")
}

/// Returns the lines of a reason.
fn wrapped(reason: &str, indent: &str, width: Option<usize>) -> Vec<String> {
    let Some(width) = width else {
        return Some(reason.to_owned())
            .filter(|r| !r.is_empty())
            .into_iter()
            .collect();
    };
    let width = width.saturating_sub(indent.chars().count()).max(NARROW);
    let mut lines: Vec<String> = Vec::new();
    for word in reason.split_whitespace() {
        let fits = |line: &&mut String| line.chars().count() + 1 + word.chars().count() <= width;
        match lines.last_mut().filter(fits) {
            Some(line) => *line = format!("{line} {word}"),
            None => lines.push(shortened(word, width)),
        }
    }
    // The scheduler writes a clause for each group of nodes. Without a limit, reasons would bury the tree.
    if lines.len() > REASON_LINES {
        lines.truncate(REASON_LINES);
        if let Some(last) = lines.last_mut() {
            let kept: String = last.chars().take(width - 1).collect();
            *last = format!("{kept}…");
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Node;
    use crate::status::{State, Status};

    fn node(resource: &str, name: &str, status: Status, children: Vec<Node>) -> Node {
        Node {
            resource: resource.to_owned(),
            namespace: "default".to_owned(),
            name: name.to_owned(),
            age: "2m".to_owned(),
            status,
            children,
            ..Node::default()
        }
    }

    fn status(state: State, word: &str, ready: (i64, i64), reason: &str) -> Status {
        Status {
            state,
            word: word.to_owned(),
            ready: Some(ready),
            reason: reason.to_owned(),
            ..Status::default()
        }
    }

    fn scene() -> Scene {
        let good = || status(State::Ready, "Running", (1, 1), "");
        let bad = status(
            State::Failing,
            "Pending",
            (0, 1),
            "Unschedulable: 0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
        );
        let old = node(
            "replicaset",
            "web-5b64d85c6d",
            status(State::Ready, "Ready", (2, 2), ""),
            vec![
                node("pod", "web-5b64d85c6d-x2x4z", good(), vec![]),
                node("pod", "web-5b64d85c6d-zz\u{1b}[31m", good(), vec![]),
            ],
        );
        let new = node(
            "replicaset",
            "web-8bd8f4c65f",
            status(State::Progressing, "Progressing", (0, 1), ""),
            vec![node("pod", "web-8bd8f4c65f-bbbbb", bad, vec![])],
        );
        let root = status(State::Progressing, "Progressing", (2, 3), "");
        Scene {
            roots: vec![node("deployment", "web", root, vec![old, new])],
            ..Scene::default()
        }
    }

    #[test]
    fn a_tree_fits_80_columns_and_names_the_reason() {
        let expected = [
            "  NAME                               STATUS        READY   AGE   NODE",
            "~ deployment/web                     Progressing   2/3     2m",
            "├─ ✓ replicaset/web-5b64d85c6d       Ready         2/2     2m",
            "│  ├─ ✓ pod/web-5b64d85c6d-x2x4z     Running       1/1     2m",
            "│  └─ ✓ pod/web-5b64d85c6d-zz [31m   Running       1/1     2m",
            "└─ ~ replicaset/web-8bd8f4c65f       Progressing   0/1     2m",
            "   └─ ✗ pod/web-8bd8f4c65f-bbbbb     Pending       0/1     2m",
            "          Unschedulable: 0/2 nodes are available: 2 node(s) didn't match Pod's",
            "          node affinity/selector.",
        ];
        let text = of(&scene(), Some(80));
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn lines_fit_the_terminal_and_pipes_get_full_lines() {
        for width in [60, 80, 200] {
            let text = of(&scene(), Some(width));
            let widest = text.lines().map(|l| l.chars().count()).max().unwrap();
            assert!(widest <= width, "{width}: {text}");
            assert!(!text.contains('\u{1b}'));
        }
        let whole = of(&scene(), None);
        assert!(
            whole.contains("didn't match Pod's node affinity/selector.\n"),
            "{whole}"
        );
    }

    #[test]
    fn long_names_keep_their_beginning_and_their_end() {
        assert_eq!(
            shortened("pod/a-very-long-name-x2x4z", 16),
            "pod/a-very…x2x4z"
        );
        assert_eq!(shortened("short", 16), "short");
    }
}
