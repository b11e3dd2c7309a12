//! Colors the states in the status columns of tables.

/// The columns that contain a state.
const COLUMNS: &[&str] = &["STATUS", "PHASE"];

/// The ANSI codes of green, yellow and red.
const GOOD: u8 = 32;
const UNDER_WAY: u8 = 33;
const BAD: u8 = 31;

/// The good states. A state in none of the lists has no color.
const FINE: &[&str] = &[
    "Active",
    "Available",
    "Bound",
    "Complete",
    "Completed",
    "Deployed",
    "Ready",
    "Running",
    "Scheduled",
    "Succeeded",
];

const MOVING: &[&str] = &[
    "ContainerCreating",
    "Paused",
    "Pending",
    "PodInitializing",
    "Progressing",
    "Released",
    "ScalingDown",
    "ScalingUp",
    "SchedulingGated",
    "Suspended",
    "Terminating",
];

const WRONG: &[&str] = &[
    "CreateContainerConfigError",
    "DeadlineExceeded",
    "Error",
    "Evicted",
    "Failed",
    "InvalidImageName",
    "Lost",
    "NodeLost",
    "NotReady",
    "OOMKilled",
    "ReplicaFailure",
    "Stalled",
    "Unknown",
];

/// Colors a table with a header, or several tables separated by empty lines.
pub(crate) fn table(text: &str) -> String {
    let mut column = None;
    let mut begins = true;
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        if begins {
            column = place(line);
            out.push_str(line);
        } else {
            out.push_str(&row(line, column));
        }
        // An empty line separates tables, and each has its own columns.
        begins = line == "\n";
    }
    out
}

/// Returns the position of the status column in characters.
fn place(header: &str) -> Option<usize> {
    let chars: Vec<char> = header.chars().collect();
    let is_start = |at: usize| at == 0 || chars[at - 1] == ' ';
    let word = |at: usize| -> String {
        chars[at..]
            .iter()
            .take_while(|c| !c.is_whitespace())
            .collect()
    };
    (0..chars.len()).find(|at| is_start(*at) && COLUMNS.contains(&word(*at).as_str()))
}

fn row(line: &str, column: Option<usize>) -> String {
    let plain = || line.to_owned();
    let Some((begin, _)) = column.and_then(|at| line.char_indices().nth(at)) else {
        return plain();
    };
    let rest = &line[begin..];
    // Columns are separated by at least two spaces, while a status may contain a single one.
    let end = rest.find("  ").unwrap_or(rest.trim_end().len());
    let cell = &rest[..end];
    match color(cell) {
        Some(code) => format!(
            "{}\u{1b}[{code}m{cell}\u{1b}[0m{}",
            &line[..begin],
            &rest[end..]
        ),
        None => plain(),
    }
}

/// Returns the color of a status such as `Running`, `Init:0/1` or `Ready,SchedulingDisabled`.
fn color(status: &str) -> Option<u8> {
    let is = |words: &[&str]| words.contains(&status);
    // Reasons of image errors and crashes follow these patterns, so new reasons have a color, too.
    if is(WRONG) || status.ends_with("BackOff") || status.starts_with("Err") {
        return Some(BAD);
    }
    if status.starts_with("Init:Err") || status.starts_with("NotReady") {
        return Some(BAD);
    }
    if is(MOVING) || status.starts_with("Init:") || status.contains("SchedulingDisabled") {
        return Some(UNDER_WAY);
    }
    is(FINE).then_some(GOOD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_status_column_is_colored() {
        let text = "NAME      READY   STATUS             AGE\n\
                    Running   1/1     Running            3s\n\
                    b         0/1     CrashLoopBackOff   3s\n\
                    c         0/1     Init:0/1           3s\n\
                    d         0/1     Odd                3s\n\
                    \nNAME   DATA\nRunning   1\n";
        let painted = table(text);
        let lines: Vec<&str> = painted.lines().collect();
        assert_eq!(
            lines[1],
            "Running   1/1     \u{1b}[32mRunning\u{1b}[0m            3s"
        );
        assert_eq!(
            lines[2],
            "b         0/1     \u{1b}[31mCrashLoopBackOff\u{1b}[0m   3s"
        );
        assert!(lines[3].contains("\u{1b}[33mInit:0/1\u{1b}[0m"));
        assert_eq!(lines[4], "d         0/1     Odd                3s");
        assert_eq!(lines[7], "Running   1");
    }

    #[test]
    fn without_its_colors_a_table_is_the_same() {
        let text = "NAME     STATUS   AGE\nn\u{e4}me-0   Ready    1d\n";
        let painted = table(text);
        assert!(painted.contains("\u{1b}[32mReady"));
        let bare = painted.replace("\u{1b}[32m", "").replace("\u{1b}[0m", "");
        assert_eq!(bare, text);
    }
}
