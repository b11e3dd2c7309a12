//! The members of an object.

use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use ecow::EcoVec;

use super::text::{Name, Text, head, in_order, is_equal, is_same};
use super::value::Value;

/// The members of an object, sorted by name; names are unique.
///
/// ```
/// use ctl_api::json::{Map, Value};
///
/// let mut labels = Map::from([("tier", Value::from("front")), ("app", Value::from("web"))]);
/// labels.insert("env", Value::from("test"));
/// let names: Vec<&str> = labels.keys().map(|name| name.as_str()).collect();
/// assert_eq!(names, ["app", "env", "tier"]);
/// ```
#[derive(Clone, Default, Eq)]
pub struct Map(EcoVec<(Text, Value)>);

/// The maximum number of members for a linear search.
const FEW: usize = 24;

/// The number of index hints per thread.
const HINTED: usize = 512;

thread_local! {
    /// The index found last for names with this slot. A wrong hint only lengthens the search.
    static HINTS: [Cell<u8>; HINTED] = const { [const { Cell::new(0) }; HINTED] };
}

/// Returns the slot of a name in the table of hints. The length and both ends tell most field names apart. The number
/// of members tells most objects apart that have the same field at a different index: without it, searches after a
/// wrong hint took 5.5 instead of 3.7 % of the instructions when exploring a rolling update of 100 Pods.
#[inline]
fn slot(name: &str, members: usize) -> usize {
    let ([first, ..], [.., last]) = (name.as_bytes(), name.as_bytes()) else {
        return 0;
    };
    let ends = (usize::from(*first) * 5) ^ (usize::from(*last) * 11);
    (ends + name.len() + members * 37) % HINTED
}

/// Searches for a name from an index on and remembers the result.
// Not inlined: every lookup would have to save the registers this needs, although two of three find the name at the
// hint.
#[inline(never)]
fn search(members: &[(Text, Value)], from: usize, name: &str, slot: usize) -> Option<usize> {
    let found = toward(members, from, name);
    // The index is below `FEW`. For a missing name, the next search starts there, too.
    let (Ok(at) | Err(at)) = found;
    HINTS.with(|hints| hints[slot].set(u8::try_from(at).unwrap_or_default()));
    found.ok()
}

/// Searches for a name in the direction in which it must be. Returns the last compared index if the name is missing.
#[inline]
fn toward(members: &[(Text, Value)], from: usize, name: &str) -> Result<usize, usize> {
    // Computed once, because the first bytes decide nearly every comparison.
    let wanted = head(name.as_bytes());
    let order = |at: usize| {
        let own = &members[at].0;
        match head(own.as_bytes()).cmp(&wanted) {
            Ordering::Equal => in_order(own, name),
            order => order,
        }
    };
    let direction = match order(from) {
        Ordering::Equal => return Ok(from),
        direction => direction,
    };
    let mut at = from;
    loop {
        at = match direction {
            Ordering::Less if at + 1 < members.len() => at + 1,
            Ordering::Greater if at > 0 => at - 1,
            _ => return Err(at),
        };
        match order(at) {
            Ordering::Equal => return Ok(at),
            order if order != direction => return Err(at),
            _ => {}
        }
    }
}

type Pair<'a> = (&'a Text, &'a Value);
type PairMut<'a> = (&'a Text, &'a mut Value);

/// Iterates over the members of a map.
pub type Iter<'a> =
    std::iter::Map<std::slice::Iter<'a, (Text, Value)>, fn(&(Text, Value)) -> Pair<'_>>;
/// Iterates over the members of a map with mutable values.
pub type IterMut<'a> =
    std::iter::Map<std::slice::IterMut<'a, (Text, Value)>, fn(&mut (Text, Value)) -> PairMut<'_>>;

fn pair((name, value): &(Text, Value)) -> Pair<'_> {
    (name, value)
}

fn pair_mut((name, value): &mut (Text, Value)) -> PairMut<'_> {
    (name, value)
}

impl Map {
    /// Returns an empty object.
    pub const fn new() -> Self {
        Self(EcoVec::new())
    }

    /// Returns an empty object with this capacity.
    pub fn with_capacity(capacity: usize) -> Self {
        Self(EcoVec::with_capacity(capacity))
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the index of a member. In a small map, the search starts at the index where a similar name was last
    /// found, because objects of one kind have the same fields in the same order.
    fn at(&self, name: &str) -> Option<usize> {
        let members = self.0.as_slice();
        if members.len() > FEW {
            return self.place(name).ok();
        }
        let last = members.len().checked_sub(1)?;
        let slot = slot(name, last);
        let hint = usize::from(HINTS.with(|hints| hints[slot].get())).min(last);
        let own = &members[hint].0;
        if own.len() == name.len() && is_same(own.as_bytes(), name.as_bytes()) {
            return Some(hint);
        }
        search(members, hint, name, slot)
    }

    /// Returns the index of a member, or the index at which to insert it.
    fn place(&self, name: &str) -> Result<usize, usize> {
        // Most builders add names in order, so the last name is compared first.
        match self.0.last() {
            None => Err(0),
            Some((last, _)) if in_order(last, name).is_lt() => Err(self.0.len()),
            Some(_) => self.0.binary_search_by(|(own, _)| in_order(own, name)),
        }
    }

    /// Returns the value of a member.
    #[inline]
    pub fn get<N: AsRef<str> + ?Sized>(&self, name: &N) -> Option<&Value> {
        self.at(name.as_ref()).map(|at| &self.0[at].1)
    }

    /// Returns the value of a member for modification.
    #[inline]
    pub fn get_mut<N: AsRef<str> + ?Sized>(&mut self, name: &N) -> Option<&mut Value> {
        let at = self.at(name.as_ref())?;
        Some(&mut self.0.make_mut()[at].1)
    }

    /// Returns the name and the value of a member.
    pub fn get_key_value<N: AsRef<str> + ?Sized>(&self, name: &N) -> Option<(&Text, &Value)> {
        self.at(name.as_ref()).map(|at| pair(&self.0[at]))
    }

    /// Returns true if the object has a member with this name.
    #[inline]
    pub fn contains_key<N: AsRef<str> + ?Sized>(&self, name: &N) -> bool {
        self.at(name.as_ref()).is_some()
    }

    /// Sets a member and returns its previous value.
    pub fn insert(&mut self, name: impl Name, value: Value) -> Option<Value> {
        match self.place(name.as_ref()) {
            Ok(at) => Some(std::mem::replace(&mut self.0.make_mut()[at].1, value)),
            Err(at) => {
                self.put(at, name.into_text(), value);
                None
            }
        }
    }

    /// Sets a member unless that would move many others. Returns true if the member existed, or gives it back if it
    /// was not set.
    pub(super) fn put_early(&mut self, name: Text, value: Value) -> Result<bool, (Text, Value)> {
        match self.place(&name) {
            Ok(at) => self.0.make_mut()[at].1 = value,
            Err(at) if at == self.0.len() || self.0.len() < FEW => {
                self.put(at, name, value);
                return Ok(false);
            }
            Err(_) => return Err((name, value)),
        }
        Ok(true)
    }

    fn put(&mut self, at: usize, name: Text, value: Value) {
        if at == self.0.len() {
            self.0.push((name, value));
        } else {
            self.0.insert(at, (name, value));
        }
    }

    /// Sorts the members by name and keeps the last value of each duplicate.
    fn sort(&mut self) {
        let members = self.0.make_mut();
        members.sort_by(|(a, _), (b, _)| in_order(a, b));
        // Deduplicates in place: the stable sort has put duplicates next to each other, and the last one wins.
        let mut kept = 0;
        for at in 1..members.len() {
            if is_equal(&members[kept].0, &members[at].0) {
                let (before, behind) = members.split_at_mut(at);
                std::mem::swap(&mut before[kept].1, &mut behind[0].1);
            } else {
                kept += 1;
                members.swap(kept, at);
            }
        }
        self.0.truncate(kept + 1);
    }

    /// Removes a member and returns its value.
    pub fn remove<N: AsRef<str> + ?Sized>(&mut self, name: &N) -> Option<Value> {
        self.remove_entry(name).map(|(_, value)| value)
    }

    /// Removes a member and returns its name and value.
    pub fn remove_entry<N: AsRef<str> + ?Sized>(&mut self, name: &N) -> Option<(Text, Value)> {
        let at = self.at(name.as_ref())?;
        Some(self.0.remove(at))
    }

    /// Returns the entry of a name, to insert or update it.
    pub fn entry(&mut self, name: impl Name) -> Entry<'_> {
        match self.place(name.as_ref()) {
            Ok(at) => Entry::Occupied(OccupiedEntry { map: self, at }),
            Err(at) => Entry::Vacant(VacantEntry {
                name: name.into_text(),
                map: self,
                at,
            }),
        }
    }

    /// Keeps only the members for which the predicate returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&Text, &mut Value) -> bool) {
        self.0.retain(|(name, value)| keep(name, value));
    }

    /// Removes all members.
    pub fn clear(&mut self) {
        self.0 = EcoVec::new();
    }

    /// Moves all members of another object into this one.
    pub fn append(&mut self, other: &mut Self) {
        // `extend` reuses the memory of `other` if this map is empty.
        self.extend(std::mem::take(other));
    }

    /// Returns the names.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Text> + DoubleEndedIterator + Clone {
        self.0.iter().map(|(name, _)| name)
    }

    /// Returns the values, sorted by name.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> + DoubleEndedIterator + Clone {
        self.0.iter().map(|(_, value)| value)
    }

    /// Returns the values for modification.
    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut Value> {
        self.0.make_mut().iter_mut().map(|(_, value)| value)
    }

    /// Returns the values and drops the names.
    pub fn into_values(self) -> impl Iterator<Item = Value> {
        self.0.into_iter().map(|(_, value)| value)
    }

    /// Iterates over the members.
    pub fn iter(&self) -> Iter<'_> {
        self.0.iter().map(pair)
    }

    /// Iterates over the members with mutable values.
    pub fn iter_mut(&mut self) -> IterMut<'_> {
        self.0.make_mut().iter_mut().map(pair_mut)
    }

    /// Returns true if both maps use the same memory.
    #[inline]
    pub(super) fn is(&self, other: &Self) -> bool {
        // As with lists, the address of the members identifies the map.
        std::ptr::eq(self.0.as_slice(), other.0.as_slice())
    }

    /// Returns the address of the members.
    pub(super) fn address(&self) -> usize {
        self.0.as_slice().as_ptr().addr()
    }

    /// Returns true if another member fits without a reallocation.
    pub(super) fn has_room(&self) -> bool {
        self.0.capacity() > self.0.len()
    }

    /// Returns the values, sorted by name, each with the values of the same name in two other maps.
    pub(super) fn zip_by_name<'v>(
        &'v self,
        other: &'v Self,
        previous: Option<&'v Self>,
    ) -> impl Iterator<Item = (&'v Value, Option<&'v Value>, Option<&'v Value>)> {
        let members = self.0.iter().enumerate();
        members.map(move |(at, (name, value))| {
            let previous = previous.and_then(|previous| previous.get_with_hint(at, name));
            (value, other.get_with_hint(at, name), previous)
        })
    }

    /// Returns the value of a name that is at index `at` in another map.
    fn get_with_hint(&self, at: usize, name: &Text) -> Option<&Value> {
        // Objects of one kind have the same fields at the same indexes, so a search is rarely needed.
        match self.0.get(at) {
            Some((own, value)) if is_equal(own, name) => Some(value),
            _ => self.get(name),
        }
    }

    /// Returns a map with the same names and these values.
    pub(super) fn with_values(&self, values: Vec<Value>) -> Self {
        Self(self.keys().cloned().zip(values).collect())
    }
}

/// The entry of a name in a map.
///
/// ```
/// use ctl_api::json::{Entry, Map, OccupiedEntry, VacantEntry, Value};
///
/// fn count(entry: Entry<'_>) -> &mut Value {
///     match entry {
///         Entry::Occupied(entry) => add(entry),
///         Entry::Vacant(entry) => start(entry),
///     }
/// }
///
/// fn add(entry: OccupiedEntry<'_>) -> &mut Value {
///     let count = entry.into_mut();
///     *count = Value::from(count.as_i64().unwrap_or(0) + 1);
///     count
/// }
///
/// fn start(entry: VacantEntry<'_>) -> &mut Value {
///     entry.insert(Value::from(1))
/// }
///
/// let mut counts = Map::new();
/// for phase in ["Running", "Pending", "Running"] {
///     count(counts.entry(phase));
/// }
/// assert_eq!(counts["Running"], 2);
/// ```
#[derive(Debug)]
pub enum Entry<'m> {
    /// The member exists.
    Occupied(OccupiedEntry<'m>),
    /// The member is missing.
    Vacant(VacantEntry<'m>),
}

/// The entry of an existing member.
#[derive(Debug)]
pub struct OccupiedEntry<'m> {
    map: &'m mut Map,
    at: usize,
}

/// The entry of a missing member.
#[derive(Debug)]
pub struct VacantEntry<'m> {
    map: &'m mut Map,
    name: Text,
    at: usize,
}

impl<'m> OccupiedEntry<'m> {
    /// Returns the name.
    pub fn key(&self) -> &Text {
        &self.map.0[self.at].0
    }

    /// Returns the value.
    pub fn get(&self) -> &Value {
        &self.map.0[self.at].1
    }

    /// Returns the value for modification.
    pub fn get_mut(&mut self) -> &mut Value {
        &mut self.map.0.make_mut()[self.at].1
    }

    /// Returns the value for as long as the map is borrowed.
    pub fn into_mut(self) -> &'m mut Value {
        &mut self.map.0.make_mut()[self.at].1
    }

    /// Sets the value and returns the previous one.
    pub fn insert(&mut self, value: Value) -> Value {
        std::mem::replace(self.get_mut(), value)
    }

    /// Removes the member and returns its value.
    pub fn remove(self) -> Value {
        self.map.0.remove(self.at).1
    }
}

impl<'m> VacantEntry<'m> {
    /// Adds the member.
    pub fn insert(self, value: Value) -> &'m mut Value {
        self.map.put(self.at, self.name, value);
        // Looked up after `put`, which may move the members.
        &mut self.map.0.make_mut()[self.at].1
    }
}

impl<'m> Entry<'m> {
    /// Returns the value, setting it first if the member is missing.
    pub fn or_insert(self, value: Value) -> &'m mut Value {
        self.or_insert_with(|| value)
    }

    /// Returns the value, computing it first if the member is missing.
    pub fn or_insert_with(self, value: impl FnOnce() -> Value) -> &'m mut Value {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(value()),
        }
    }

    /// Modifies the value if the member exists.
    #[must_use]
    pub fn and_modify(mut self, change: impl FnOnce(&mut Value)) -> Self {
        if let Self::Occupied(entry) = &mut self {
            change(entry.get_mut());
        }
        self
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Hash for Map {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_slice().hash(state);
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.is(other) || self.0.as_slice() == other.0.as_slice()
    }
}

impl<N: Name> FromIterator<(N, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(members: I) -> Self {
        let mut map = Self::new();
        map.extend(members);
        map
    }
}

impl<N: Name> Extend<(N, Value)> for Map {
    fn extend<I: IntoIterator<Item = (N, Value)>>(&mut self, members: I) {
        let mut members = members.into_iter();
        // Reserves only the iterator's lower bound, because spare capacity would stay allocated.
        self.0.reserve(members.size_hint().0);
        while let Some((name, value)) = members.next() {
            match self.place(name.as_ref()) {
                Ok(at) => self.0.make_mut()[at].1 = value,
                Err(at) if at == self.0.len() || self.0.len() < FEW => {
                    self.put(at, name.into_text(), value);
                }
                // Many members are appended and sorted once: moving half of them for each new one would take quadratic
                // time.
                Err(_) => {
                    self.0.push((name.into_text(), value));
                    self.0
                        .extend(members.map(|(name, value)| (name.into_text(), value)));
                    return self.sort();
                }
            }
        }
    }
}

impl<N: Name, const S: usize> From<[(N, Value); S]> for Map {
    fn from(members: [(N, Value); S]) -> Self {
        members.into_iter().collect()
    }
}

impl IntoIterator for Map {
    type Item = (Text, Value);
    type IntoIter = ecow::vec::IntoIter<(Text, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Map {
    type Item = (&'a Text, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Map {
    type Item = (&'a Text, &'a mut Value);
    type IntoIter = IterMut<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<N: AsRef<str> + ?Sized> std::ops::Index<&N> for Map {
    type Output = Value;

    fn index(&self, name: &N) -> &Value {
        self.get(name).unwrap_or(&Value::Null)
    }
}

impl<N: AsRef<str> + ?Sized> std::ops::IndexMut<&N> for Map {
    fn index_mut(&mut self, name: &N) -> &mut Value {
        self.entry(name.as_ref()).or_insert(Value::Null)
    }
}
