//! The content of a scalar: a slice of the input if possible, otherwise a string of its own.

use std::borrow::Cow;

/// Collects the content of one scalar.
pub(super) struct Content<'a> {
    source: &'a str,
    start: usize,
    end: usize,
    owned: Option<String>,
}

/// The white space after a word of a scalar, which may turn out to be trailing.
#[derive(Default)]
pub(super) struct Gap<'a> {
    /// Blanks on one line.
    pub(super) blanks: Option<(usize, usize)>,
    /// The first line break, which folds into a space.
    pub(super) first: Option<&'a str>,
    /// All line breaks after the first.
    pub(super) more: String,
}

impl<'a> Content<'a> {
    pub(super) fn new(source: &'a str, start: usize) -> Self {
        Self {
            source,
            start,
            end: start,
            owned: None,
        }
    }

    pub(super) fn push_range(&mut self, from: usize, to: usize) {
        if self.owned.is_none() && from == self.end {
            self.end = to;
        } else {
            let source = self.source;
            self.own().push_str(&source[from..to]);
        }
    }

    pub(super) fn push_str(&mut self, text: &str) {
        self.own().push_str(text);
    }

    pub(super) fn push(&mut self, character: char) {
        self.own().push(character);
    }

    /// Adds the white space between two words, folded as YAML requires.
    pub(super) fn join(&mut self, gap: &mut Gap<'a>) {
        match gap.first.take() {
            Some("\n") if gap.more.is_empty() => self.push(' '),
            Some("\n") => self.push_str(&gap.more),
            Some(separator) => {
                self.push_str(separator);
                self.push_str(&gap.more);
            }
            None => {
                if let Some((from, to)) = gap.blanks {
                    self.push_range(from, to);
                }
            }
        }
        gap.blanks = None;
        gap.more.clear();
    }

    pub(super) fn finish(self) -> Cow<'a, str> {
        match self.owned {
            Some(text) => Cow::Owned(text),
            None => Cow::Borrowed(&self.source[self.start..self.end]),
        }
    }

    fn own(&mut self) -> &mut String {
        self.owned
            .get_or_insert_with(|| self.source[self.start..self.end].to_owned())
    }
}
