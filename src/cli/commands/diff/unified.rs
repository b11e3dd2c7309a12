//! Formats the differences of two texts as `diff -u` does.

use super::changes::{Changes, changes};

/// The number of unchanged lines around a change.
pub(super) const CONTEXT: usize = 3;

/// Returns the hunks of two texts; empty if the texts are equal.
pub(super) fn hunks(before: &str, after: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (lines(before), lines(after));
    let mut out = String::new();
    for hunk in grouped(&steps(&changes(&a, &b))) {
        out.push_str(&header(hunk));
        for step in hunk {
            let (mark, line) = match step {
                Step::Keep(i, _) => (' ', a[*i]),
                Step::Remove(i, _) => ('-', a[*i]),
                Step::Add(_, j) => ('+', b[*j]),
            };
            out.push(mark);
            out.push_str(line);
            // Without the marker, `patch` would add a line feed that the text does not have.
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// A line with its positions in both texts, or the position at which it would be inserted.
#[derive(Clone, Copy, Debug)]
enum Step {
    Keep(usize, usize),
    Remove(usize, usize),
    Add(usize, usize),
}

impl Step {
    fn at(self) -> (usize, usize) {
        match self {
            Self::Keep(i, j) | Self::Remove(i, j) | Self::Add(i, j) => (i, j),
        }
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Returns one step per line, removals before insertions.
fn steps(changes: &Changes) -> Vec<Step> {
    let (removed, added) = (&changes.removed, &changes.added);
    let mut steps = Vec::with_capacity(removed.len().max(added.len()));
    let (mut i, mut j) = (0, 0);
    while i < removed.len() || j < added.len() {
        if removed.get(i) == Some(&true) {
            steps.push(Step::Remove(i, j));
            i += 1;
        } else if added.get(j) == Some(&true) {
            steps.push(Step::Add(i, j));
            j += 1;
        } else {
            steps.push(Step::Keep(i, j));
            (i, j) = (i + 1, j + 1);
        }
    }
    steps
}

/// Groups the changes with the lines around them. Changes that are close together form one hunk.
fn grouped(steps: &[Step]) -> Vec<&[Step]> {
    let changes: Vec<usize> = (0..steps.len())
        .filter(|at| !matches!(steps[*at], Step::Keep(..)))
        .collect();
    let mut hunks = Vec::new();
    let mut at = 0;
    while at < changes.len() {
        let first = changes[at];
        // Contexts that touch would repeat lines, so GNU diff merges such hunks.
        while at + 1 < changes.len() && changes[at + 1] - changes[at] <= 2 * CONTEXT + 1 {
            at += 1;
        }
        let end = (changes[at] + CONTEXT + 1).min(steps.len());
        hunks.push(&steps[first.saturating_sub(CONTEXT)..end]);
        at += 1;
    }
    hunks
}

fn header(hunk: &[Step]) -> String {
    let (i, j) = hunk.first().map_or((0, 0), |step| step.at());
    let old = hunk.iter().filter(|s| !matches!(s, Step::Add(..))).count();
    let new = hunk
        .iter()
        .filter(|s| !matches!(s, Step::Remove(..)))
        .count();
    format!("@@ -{} +{} @@\n", range(i, old), range(j, new))
}

fn range(start: usize, count: usize) -> String {
    match count {
        // By convention, an empty range names the line before it.
        0 => format!("{start},0"),
        1 => (start + 1).to_string(),
        count => format!("{},{count}", start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: &str) -> String {
        words.split(' ').map(|w| format!("{w}\n")).collect()
    }

    #[test]
    fn equal_texts_have_no_hunks() {
        assert_eq!(hunks("a\nb\n", "a\nb\n"), "");
        assert_eq!(hunks("", ""), "");
    }

    #[test]
    fn changes_have_three_lines_of_context() {
        let before = text("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18");
        let after = text("1 2 3 4 5 X 7 8 9 10 11 12 13 14 15 16 18");
        assert_eq!(
            hunks(&before, &after),
            "@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-6\n+X\n 7\n 8\n 9\n\
             @@ -14,5 +14,4 @@\n 14\n 15\n 16\n-17\n 18\n"
        );
    }

    #[test]
    fn near_changes_are_one_hunk() {
        let before = text("a b c d e f g h");
        let after = text("A b c d e f g H");
        assert_eq!(hunks(&before, &after).matches("@@ -").count(), 1);
    }

    #[test]
    fn a_new_text_has_only_added_lines() {
        assert_eq!(hunks("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
        assert_eq!(hunks("a\n", ""), "@@ -1 +0,0 @@\n-a\n");
        let open = hunks("a\n", "a\nb");
        assert_eq!(
            open,
            "@@ -1 +1,2 @@\n a\n+b\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn an_insertion_among_equal_lines_is_the_last_of_them() {
        assert_eq!(
            hunks("a\nb\nc\n", "a\nb\nb\nc\n"),
            "@@ -1,3 +1,4 @@\n a\n b\n+b\n c\n"
        );
    }

    #[test]
    fn hunks_match_recorded_diff_output() {
        let cases = include_str!("../../../../testdata/diff/cases.tsv");
        for case in cases.lines().skip(1) {
            let mut cells = case.split('\t');
            let mut cell = |end| {
                let words = cells.next().unwrap().split(end).filter(|w| !w.is_empty());
                words.map(|w| format!("{w}\n")).collect::<String>()
            };
            let (before, after) = (cell(' '), cell(' '));
            assert_eq!(hunks(&before, &after), cell('|'), "{case}");
        }
    }
}
