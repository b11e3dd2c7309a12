//! Looks up the members of a message's JSON object by name; the table is built once per message.

use super::schema::{Field, Message};

/// The number of nested messages that a field may be in without a JSON object of their own. A webhook rule has three
/// levels.
const LEVELS: usize = 3;

/// The number of a field, after those of the inlined messages around it; zeros fill the rest. Fields are written in
/// this order.
pub(crate) type Numbers = [u32; LEVELS];

/// A member of the JSON object: a field of the message or of a message that is inlined into it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) path: Numbers,
    pub(crate) field: Field,
}

/// A hash table of members with open addressing.
#[derive(Debug, Default)]
pub(crate) struct Members {
    list: Vec<Member>,
    /// Positions in `list`, counted from one; zero marks a free slot. The length is a power of two.
    slots: Vec<u8>,
}

impl Members {
    /// Returns the members of a message, given all messages.
    pub(crate) fn new(messages: &[Message], index: usize) -> Self {
        let mut list = Vec::new();
        collect(messages, index, Numbers::default(), 0, &mut list);
        let mut slots = vec![0; (2 * list.len()).next_power_of_two()];
        for (at, member) in list.iter().enumerate() {
            let mut slot = hash(member.field.name.as_bytes()) & (slots.len() - 1);
            while slots[slot] != 0 {
                slot = (slot + 1) & (slots.len() - 1);
            }
            slots[slot] = u8::try_from(at + 1).unwrap_or_default();
        }
        Self { list, slots }
    }

    /// Returns the member with this name.
    pub(crate) fn get(&self, name: &str) -> Option<Member> {
        let mut slot = hash(name.as_bytes()) & (self.slots.len() - 1);
        loop {
            let at = usize::from(self.slots[slot]).checked_sub(1)?;
            let member = self.list.get(at)?;
            if member.field.name == name {
                return Some(*member);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Returns all members.
    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Member> {
        self.list.iter()
    }
}

fn collect(
    messages: &[Message],
    index: usize,
    path: Numbers,
    level: usize,
    list: &mut Vec<Member>,
) {
    for field in &messages[index].fields {
        let mut path = path;
        let Some(number) = path.get_mut(level) else {
            debug_assert!(false, "more inlined messages than {LEVELS}: {field:?}");
            return;
        };
        *number = field.number;
        match field.inlined() {
            Some(inner) => collect(messages, inner, path, level + 1, list),
            None => list.push(Member {
                path,
                field: *field,
            }),
        }
    }
}

/// Hashes a name by its length and four of its bytes, which differ for nearly all fields of a message.
fn hash(name: &[u8]) -> usize {
    let at = |place: usize| name.get(place).map_or(0, |byte| usize::from(*byte));
    let length = name.len();
    let parts = [
        length,
        at(0),
        at(length / 2),
        at(length / 3),
        at(length.wrapping_sub(1)),
    ];
    let mixed = parts
        .iter()
        .fold(0, |sum: usize, part| sum.wrapping_mul(37) ^ part);
    mixed ^ mixed >> 9
}
