//! Texts: short ones in place, longer ones shared.

use std::cell::RefCell;
use std::collections::HashSet;

/// A text of a tree: up to 15 bytes stand in place, and a clone shares the rest.
pub type Text = ecow::EcoString;

/// So many long names are kept to be shared; names that somebody makes up must not fill the memory.
const KEPT: usize = 2048;

thread_local! {
    static NAMES: RefCell<HashSet<Text>> = RefCell::default();
}

/// The text of a member's name. Long ones are shared, because the same fields come again and again.
pub fn name(name: &str) -> Text {
    if let Some(short) = Text::try_inline(name) {
        return short;
    }
    NAMES.with_borrow_mut(|names| {
        if let Some(known) = names.get(name) {
            return known.clone();
        }
        let new = Text::from(name);
        if names.len() < KEPT {
            names.insert(new.clone());
        }
        new
    })
}

/// Whether two equal texts take memory of their own.
pub(super) fn is_apart(own: &Text, other: &Text) -> bool {
    own.len() > Text::INLINE_LIMIT && own.as_ptr() != other.as_ptr()
}
