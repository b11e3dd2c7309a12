//! Builds the text of a description: indented lines, whose tabs become columns at the end.

use super::related::NONE;
use std::fmt::Display;

use crate::tabwriter::DESCRIPTION;
use crate::terminal::escaped;

/// Collects lines and aligns them.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    text: String,
    /// The number of levels by which every line is indented.
    base: usize,
}

impl Writer {
    /// Adds text as it is.
    pub(super) fn put(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref());
    }

    /// Adds an indented text without ending the line.
    pub(super) fn start(&mut self, level: usize, text: impl AsRef<str>) {
        self.text
            // Spaces rather than tabs: a tab would end a cell and shift the columns.
            .extend(std::iter::repeat_n("  ", self.base + level));
        self.put(text);
    }

    /// Adds a line.
    pub(super) fn line(&mut self, level: usize, text: impl AsRef<str>) {
        self.start(level, text);
        self.put("\n");
    }

    /// Adds a line with a name and a value.
    pub(super) fn field(&mut self, level: usize, name: &str, value: impl Display) {
        self.line(level, format!("{name}:\t{value}"));
    }

    /// Adds a name and its values, one per line, with the first one next to the name; `<none>` if there are none.
    pub(super) fn values(
        &mut self,
        level: usize,
        name: &str,
        values: impl IntoIterator<Item = String>,
    ) {
        let base = self.base;
        // In a nested description, kubectl indents the values as well, except for the lines of a long annotation.
        let indented = |value: String| match value.starts_with(' ') {
            true => value,
            false => format!("{}{value}", "  ".repeat(base)),
        };
        let mut values = values.into_iter();
        let first = values.next().unwrap_or_else(|| NONE.to_owned());
        self.field(level, name, indented(first));
        for value in values {
            // Further lines have an empty first cell, which aligns them with the first value.
            self.start(0, format!("\t{}\n", indented(value)));
        }
    }

    /// Adds a table: the headers, a line of dashes, and the rows.
    pub(super) fn table(
        &mut self,
        level: usize,
        headers: &str,
        rows: impl IntoIterator<Item = String>,
    ) {
        self.line(level, headers);
        let below: String = headers
            .chars()
            .map(|c| if c == '\t' { c } else { '-' })
            .collect();
        self.line(level, below);
        for row in rows {
            self.line(level, row);
        }
    }

    /// Calls `write` with every line indented by this many more levels.
    pub(super) fn nested(&mut self, levels: usize, write: impl FnOnce(&mut Self)) {
        self.base += levels;
        write(self);
        self.base -= levels;
    }

    /// Returns the text with its tabs, but without characters that a terminal would interpret.
    pub(super) fn with_tabs(self) -> String {
        escaped(&self.text)
    }

    /// Returns the text in columns, without characters that a terminal would interpret.
    pub(super) fn finish(self) -> String {
        DESCRIPTION.apply(&escaped(&self.text))
    }
}
