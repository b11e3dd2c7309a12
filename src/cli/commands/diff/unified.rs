//! Two texts as a unified diff, in the form that `diff -u` writes.

/// Lines around a change.
const CONTEXT: usize = 3;

/// What leads from one text to the other; empty where they are equal.
pub(super) fn hunks(before: &str, after: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (lines(before), lines(after));
    let kept = slid(&a, &b, common(&a, &b));
    let mut out = String::new();
    for hunk in grouped(&steps(&a, &b, &kept)) {
        out.push_str(&header(hunk));
        for step in hunk {
            let (mark, line) = match step {
                Step::Keep(i, _) => (' ', a[*i]),
                Step::Remove(i, _) => ('-', a[*i]),
                Step::Add(_, j) => ('+', b[*j]),
            };
            out.push(mark);
            out.push_str(line);
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// A line with where it is, or would be, in both texts.
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

/// The pairs of lines that stay, by the shortest way from one text to the other.
fn common(a: &[&str], b: &[&str]) -> Vec<(usize, usize)> {
    let (n, m) = (a.len() as isize, b.len() as isize);
    let most = n + m;
    let at = |k: isize| usize::try_from(k + most + 1).unwrap_or(0);
    let mut furthest = vec![0_isize; usize::try_from(2 * most + 3).unwrap_or(0)];
    let mut trace: Vec<Vec<isize>> = Vec::new();
    for d in 0..=most {
        trace.push(furthest.clone());
        for k in (-d..=d).step_by(2) {
            let down = k == -d || (k != d && furthest[at(k - 1)] < furthest[at(k + 1)]);
            let mut x = match down {
                true => furthest[at(k + 1)],
                false => furthest[at(k - 1)] + 1,
            };
            let mut y = x - k;
            while x < n && y < m && line(a, x) == line(b, y) {
                (x, y) = (x + 1, y + 1);
            }
            furthest[at(k)] = x;
            if x >= n && y >= m {
                return walked_back(&trace, (n, m), at);
            }
        }
    }
    Vec::new()
}

fn line<'a>(lines: &[&'a str], at: isize) -> Option<&'a str> {
    lines.get(usize::try_from(at).ok()?).copied()
}

fn walked_back(
    trace: &[Vec<isize>],
    (mut x, mut y): (isize, isize),
    at: impl Fn(isize) -> usize,
) -> Vec<(usize, usize)> {
    let mut kept = Vec::new();
    for (d, furthest) in trace.iter().enumerate().rev() {
        let d = d as isize;
        let k = x - y;
        let down = k == -d || (k != d && furthest[at(k - 1)] < furthest[at(k + 1)]);
        let before = if down { k + 1 } else { k - 1 };
        let old_x = if d == 0 { 0 } else { furthest[at(before)] };
        let old_y = if d == 0 { 0 } else { old_x - before };
        while x > old_x && y > old_y {
            (x, y) = (x - 1, y - 1);
            if let (Ok(i), Ok(j)) = (usize::try_from(x), usize::try_from(y)) {
                kept.push((i, j));
            }
        }
        (x, y) = (old_x, old_y);
    }
    kept.reverse();
    kept
}

/// The same way with each change as far down as it can be.
fn slid(a: &[&str], b: &[&str], mut kept: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    for index in (0..kept.len()).rev() {
        let (mut i, mut j) = kept[index];
        let before = index.checked_sub(1).map(|p| kept[p]);
        let (low_i, low_j) = before.map_or((0, 0), |(i, j)| (i + 1, j + 1));
        // A kept line behind a pure removal or insertion whose first line is the same moves up.
        if i > low_i && j == low_j && a[low_i] == a[i] {
            i = low_i;
        } else if j > low_j && i == low_i && b[low_j] == b[j] {
            j = low_j;
        }
        kept[index] = (i, j);
    }
    // Moving one line up can make room for the next: go on until nothing moves.
    let mut moved = true;
    while moved {
        moved = false;
        let (mut next_i, mut next_j) = (0, 0);
        for pair in &mut kept {
            let (i, j) = *pair;
            if i > next_i && j == next_j && a[next_i] == a[i] {
                *pair = (next_i, j);
                moved = true;
            } else if j > next_j && i == next_i && b[next_j] == b[j] {
                *pair = (i, next_j);
                moved = true;
            }
            (next_i, next_j) = (pair.0 + 1, pair.1 + 1);
        }
    }
    kept
}

fn steps(a: &[&str], b: &[&str], kept: &[(usize, usize)]) -> Vec<Step> {
    let mut steps = Vec::new();
    let (mut i, mut j) = (0, 0);
    let end = [(a.len(), b.len())];
    for (keep_i, keep_j) in kept.iter().chain(&end) {
        while i < *keep_i {
            steps.push(Step::Remove(i, j));
            i += 1;
        }
        while j < *keep_j {
            steps.push(Step::Add(i, j));
            j += 1;
        }
        if i < a.len() && j < b.len() {
            steps.push(Step::Keep(i, j));
        }
        (i, j) = (i + 1, j + 1);
    }
    steps
}

/// The changes with the lines around them; what is near each other is one hunk.
fn grouped(steps: &[Step]) -> Vec<&[Step]> {
    let changes: Vec<usize> = (0..steps.len())
        .filter(|at| !matches!(steps[*at], Step::Keep(..)))
        .collect();
    let mut hunks = Vec::new();
    let mut at = 0;
    while at < changes.len() {
        let first = changes[at];
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
    fn changes_carry_three_lines_around_them() {
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
}
