//! The last result of a function of a stored object. Most objects of a commit are in one namespace and have the same
//! account, and to read both again for each took 4 % of the creation of a Pod.

use std::cell::RefCell;

use crate::store::Stored;

/// The object that a function was called with last, and its result.
pub(super) struct Last<T>(RefCell<Option<(Stored, T)>>);

impl<T: Clone> Last<T> {
    /// Creates one without a result.
    pub(super) const fn new() -> Self {
        Self(RefCell::new(None))
    }

    /// Returns the result for an object: the last one if the object is the same.
    pub(super) fn get_or_read(&self, stored: &Stored, read: impl FnOnce(&Stored) -> T) -> T {
        // By content and not only by revision: another cluster of the process may have the same revisions.
        if let Some((own, result)) = &*self.0.borrow()
            && own == stored
        {
            return result.clone();
        }
        let result = read(stored);
        *self.0.borrow_mut() = Some((stored.clone(), result.clone()));
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Key;

    #[test]
    fn an_object_is_read_once_and_a_changed_one_again() {
        let stored = |revision, json: &str| Stored {
            key: Key::new("namespaces", None, "a").unwrap(),
            revision,
            json: json.as_bytes().into(),
        };
        let last = Last::new();
        let mut reads = 0;
        let mut read = |stored: Stored| {
            last.get_or_read(&stored, |stored| {
                reads += 1;
                stored.json.len()
            })
        };
        assert_eq!(read(stored(1, "a")), 1);
        assert_eq!(read(stored(1, "a")), 1);
        assert_eq!(read(stored(1, "ab")), 2);
        assert_eq!(read(stored(2, "ab")), 2);
        assert_eq!(reads, 3);
    }
}
