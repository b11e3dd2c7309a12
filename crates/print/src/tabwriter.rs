//! Arranges text with tabs in columns, as Go's `tabwriter` does for kubectl: a column is as wide as the adjacent lines
//! that contain it need.

/// The widths of columns.
///
/// ```
/// use ctl_print::tabwriter::{Layout, TABLE};
///
/// let narrow = Layout { min_width: 0, gap: 1 };
/// assert_eq!(narrow.apply("a\tb\nccc\td\n"), "a   b\nccc d\n");
/// assert_eq!(TABLE.apply("NAME\tAGE\nweb\t5m\n"), "NAME   AGE\nweb    5m\n");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The minimum width of a column, including the gap.
    pub min_width: usize,
    /// The gap after the widest cell.
    pub gap: usize,
}

/// The layout of kubectl's tables.
pub const TABLE: Layout = Layout {
    min_width: 6,
    gap: 3,
};

/// The layout of descriptions.
pub const DESCRIPTION: Layout = Layout {
    min_width: 0,
    gap: 2,
};

impl Layout {
    /// Arranges lines whose cells end with tabs. The text after the last tab belongs to no column.
    pub fn apply(self, text: &str) -> String {
        let (body, ended) = match text.strip_suffix('\n') {
            Some(body) => (body, true),
            None => (text, false),
        };
        let lines: Vec<Vec<&str>> = body
            .split('\n')
            .map(|line| line.split('\t').collect())
            .collect();
        let widths = self.widths(&lines);
        let mut out = String::with_capacity(text.len() * 2);
        for (at, (line, widths)) in lines.iter().zip(&widths).enumerate() {
            out.push_str(if at == 0 { "" } else { "\n" });
            for (column, cell) in line.iter().enumerate() {
                out.push_str(cell);
                if let Some(width) = widths.get(column) {
                    let used = cell.chars().count();
                    out.extend(std::iter::repeat_n(' ', width.saturating_sub(used)));
                }
            }
        }
        out.push_str(if ended { "\n" } else { "" });
        out
    }

    /// Returns the column widths of each line. The last cell of a line has none.
    fn widths(self, lines: &[Vec<&str>]) -> Vec<Vec<usize>> {
        let mut widths: Vec<Vec<usize>> =
            lines.iter().map(|line| vec![0; line.len() - 1]).collect();
        let columns = widths.iter().map(Vec::len).max().unwrap_or(0);
        for column in 0..columns {
            let has = |at: usize| lines.get(at).is_some_and(|line| line.len() - 1 > column);
            let mut at = 0;
            while at < lines.len() {
                // A line without the column ends the block; the lines after it are aligned separately.
                let end = (at..).find(|at| !has(*at)).unwrap_or(at);
                let widest = lines[at..end]
                    .iter()
                    .map(|line| line[column].chars().count())
                    .max();
                let width = (widest.unwrap_or(0) + self.gap).max(self.min_width);
                widths[at..end]
                    .iter_mut()
                    .for_each(|line| line[column] = width);
                at = end.max(at + 1);
            }
        }
        widths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighboring_lines_share_columns() {
        let text = "Name:\tweb\nLabels:\tapp=web\n\tb=c\nPlain\nA:\tx\n  Deep:\ty\t z\nB:\t\n";
        assert_eq!(
            DESCRIPTION.apply(text),
            "Name:    web\nLabels:  app=web\n         b=c\nPlain\nA:       x\n  Deep:  y   z\nB:       \n"
        );
    }

    #[test]
    fn table_columns_are_three_spaces_apart() {
        assert_eq!(
            TABLE.apply("A\tB\nlong cell\tx"),
            "A           B\nlong cell   x"
        );
        assert_eq!(
            TABLE.apply("A\tä\tC\n1\tbb\t3\n"),
            "A     ä     C\n1     bb    3\n"
        );
        assert_eq!(TABLE.apply(""), "");
    }
}
