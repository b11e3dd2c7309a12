//! A cursor in a list that may change while it is visible.
//!
//! Must not know: the items, or how they are drawn.

use std::ops;

/// The selected row of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cursor(pub(crate) usize);

/// A movement of a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    Up(usize),
    Down(usize),
    First,
    Last,
}

impl Cursor {
    pub(crate) fn moved(self, by: Move, length: usize) -> Self {
        // The list may have become shorter since the last move.
        let last = length.saturating_sub(1);
        Self(match by {
            Move::Up(rows) => self.0.min(last).saturating_sub(rows),
            Move::Down(rows) => self.0.saturating_add(rows).min(last),
            Move::First => 0,
            Move::Last => last,
        })
    }

    /// Returns the rows that fit into a height. The cursor is in the middle unless an end of the list is near. The
    /// window depends only on the cursor, so drawing needs no state.
    pub(crate) fn window(self, length: usize, height: usize) -> ops::Range<usize> {
        let most = length.saturating_sub(height);
        let begin = self.0.saturating_sub(height / 2).min(most);
        begin..length.min(begin + height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_stays_within_list_and_window() {
        let at = Cursor(5);
        assert_eq!(at.moved(Move::Up(9), 10), Cursor(0));
        assert_eq!(at.moved(Move::Down(9), 10), Cursor(9));
        assert_eq!(at.moved(Move::Down(1), 0), Cursor(0));
        assert_eq!(at.moved(Move::Last, 3), Cursor(2));
        assert_eq!(at.moved(Move::First, 3), Cursor(0));
        assert_eq!(Cursor(9).window(10, 4), 6..10);
        assert_eq!(Cursor(0).window(10, 4), 0..4);
        assert_eq!(at.window(10, 4), 3..7);
        assert_eq!(Cursor(1).window(2, 9), 0..2);
    }
}
