//! Colors a displayed session: commands, remarks, table headers, and states.
//!
//! Must not know: what printed the text.

const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";
const CYAN: &str = "\u{1b}[36m";
const PLAIN: &str = "\u{1b}[0m";

/// The words in tables and sentences that have a color.
const WORDS: &[(&str, &[&str])] = &[
    (
        GREEN,
        &[
            "Running",
            "Ready",
            "Completed",
            "created",
            "configured",
            "scaled",
        ],
    ),
    (
        YELLOW,
        &["Pending", "ContainerCreating", "Terminating", "deleted"],
    ),
    (
        RED,
        &[
            "Error",
            "CrashLoopBackOff",
            "ImagePullBackOff",
            "ErrImagePull",
            "Failed",
        ],
    ),
];

/// Returns a session with colors.
pub(crate) fn session(text: &str) -> String {
    text.split_inclusive('\n').map(line).collect()
}

fn line(line: &str) -> String {
    let (text, end) = match line.strip_suffix('\n') {
        Some(text) => (text, "\n"),
        None => (line, ""),
    };
    let whole = match text {
        _ if text.starts_with("# ") => Some(CYAN),
        _ if text.starts_with("$ ") => Some(BOLD),
        _ if is_head(text) => Some(DIM),
        _ => None,
    };
    match whole {
        Some(color) => format!("{color}{text}{PLAIN}{end}"),
        None => words(text) + end,
    }
}

/// Returns true if a line is the header of a table.
fn is_head(text: &str) -> bool {
    let is_name = |c: char| c.is_ascii_uppercase() || " -()".contains(c);
    // All tables of the demo begin with NAME, and no line of data consists of capitals only.
    text.starts_with("NAME") && text.chars().all(is_name)
}

fn words(text: &str) -> String {
    let word = |word: &str| {
        let color = WORDS.iter().find(|(_, words)| words.contains(&word));
        match color {
            Some((color, _)) => format!("{color}{word}{PLAIN}"),
            None => word.to_owned(),
        }
    };
    // The text is split at single spaces, so that joining keeps the alignment of the columns.
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_add_only_escape_sequences() {
        let text =
            "# why\n$ ctl get pods\nNAME   READY\na  1/1  Running\nb  0/1  Pending\nc Running2";
        let shown = session(text);
        assert!(shown.contains("\u{1b}[32mRunning\u{1b}[0m\n"), "{shown:?}");
        assert!(
            shown.contains("\u{1b}[2mNAME   READY\u{1b}[0m\n"),
            "{shown:?}"
        );
        assert!(shown.ends_with("c Running2"), "{shown:?}");
        let mut plain = shown;
        for color in [BOLD, DIM, RED, GREEN, YELLOW, CYAN, PLAIN] {
            plain = plain.replace(color, "");
        }
        assert_eq!(plain, text);
    }
}
