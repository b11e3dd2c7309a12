//! kubectl's table: columns as wide as their widest cell and three spaces, the last one as it is.

/// A column is never narrower than this, gap included.
const MIN_WIDTH: usize = 6;

/// The gap between columns.
const GAP: usize = 3;

/// Rows of text under headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The headers; none are printed where this is empty.
    pub headers: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The table as text.
    pub fn render(&self) -> String {
        self.render_within(&mut Vec::new())
    }

    /// The table as text, its columns at least as wide as those of tables before it.
    pub fn render_within(&self, widths: &mut Vec<usize>) -> String {
        let lines: Vec<Vec<String>> = std::iter::once(&self.headers)
            .filter(|headers| !headers.is_empty())
            .chain(&self.rows)
            .map(|line| line.iter().map(|cell| one_line(cell)).collect())
            .collect();
        let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
        widths.resize(columns.max(widths.len()), MIN_WIDTH);
        for (column, width) in widths.iter_mut().enumerate() {
            let cells = lines.iter().filter_map(|line| line.get(column));
            let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
            *width = (widest + GAP).max(*width);
        }
        let mut out = String::new();
        for line in &lines {
            for (column, cell) in line.iter().enumerate() {
                out.push_str(cell);
                if column + 1 < line.len() {
                    let used = cell.chars().count();
                    out.extend(std::iter::repeat_n(' ', widths[column] - used));
                }
            }
            out.push('\n');
        }
        out
    }
}

/// A cell shows its first line only, and nothing that a terminal would obey.
fn one_line(cell: &str) -> String {
    let (first, cut) = match cell.split_once(['\n', '\r', '\u{c}']) {
        Some((first, _)) => (first, true),
        None => (cell, false),
    };
    let safe = first
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let mut text: String = safe.collect();
    if cut {
        text.push_str("...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_kubectl_makes_them() {
        let text = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let table = Table {
            headers: text(&["NAME", "A", "AGE"]),
            rows: vec![
                text(&["alpha", "", "3s"]),
                text(&["b\nc", "x\u{1b}", "10m"]),
            ],
        };
        assert_eq!(
            table.render(),
            "NAME    A     AGE\nalpha         3s\nb...    x\u{fffd}    10m\n"
        );
        assert_eq!(
            Table {
                headers: Vec::new(),
                rows: vec![text(&["a"])]
            }
            .render(),
            "a\n"
        );
    }
}
