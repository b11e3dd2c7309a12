//! Text that a description is written into: indented lines whose tabs become columns in the end.

use std::fmt::Display;

use crate::tabwriter::DESCRIPTION;
use crate::terminal::escaped;

/// Takes lines and lays them out.
#[derive(Debug, Default)]
pub struct Writer {
    text: String,
    /// Levels that every line is indented by.
    base: usize,
}

impl Writer {
    /// Adds text as it is.
    pub(super) fn put(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref());
    }

    /// Adds the indentation of a level and text, without ending the line.
    pub(super) fn start(&mut self, level: usize, text: impl AsRef<str>) {
        self.text
            .extend(std::iter::repeat_n("  ", self.base + level));
        self.put(text);
    }

    /// Adds a line.
    pub(super) fn line(&mut self, level: usize, text: impl AsRef<str>) {
        self.start(level, text);
        self.put("\n");
    }

    /// Adds a line of a name and a value.
    pub(super) fn field(&mut self, level: usize, name: &str, value: impl Display) {
        self.line(level, format!("{name}:\t{value}"));
    }

    /// Adds a name and its values, one a line, the first beside the name; `<none>` where there are none.
    pub(super) fn values(
        &mut self,
        level: usize,
        name: &str,
        values: impl IntoIterator<Item = String>,
    ) {
        let mut values = values.into_iter();
        let first = values.next().unwrap_or_else(|| super::NONE.to_owned());
        self.field(level, name, first);
        for value in values {
            self.start(0, format!("\t{value}\n"));
        }
    }

    /// Adds a table: its headers, what stands below each of them, and rows.
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

    /// Runs `write` with every line indented by more levels.
    pub(super) fn nested(&mut self, levels: usize, write: impl FnOnce(&mut Self)) {
        self.base += levels;
        write(self);
        self.base -= levels;
    }

    /// The text with its tabs, nothing in it that a terminal would obey.
    pub(super) fn with_tabs(self) -> String {
        escaped(&self.text)
    }

    /// The text in columns, nothing in it that a terminal would obey.
    pub(super) fn finish(self) -> String {
        DESCRIPTION.apply(&escaped(&self.text))
    }
}
