//! etcd's messages, encoded and decoded by field number.

use crate::protobuf::wire::{Reader, Wire, put_bytes, put_varint};

/// The result of decoding. A message that ends early or has a field of the wrong type is an error.
pub(crate) type Parsed<T> = Result<T, ()>;

/// Returns the end of the range of all keys with this prefix.
pub fn prefix_end(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return end;
        }
    }
    // No key follows a prefix that consists of 0xff only; etcd takes a zero byte for "no end".
    vec![0]
}

/// A key with its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyValue {
    /// The key.
    pub key: Vec<u8>,
    /// The revision of its creation.
    pub create_revision: u64,
    /// The revision of its last change.
    pub mod_revision: u64,
    /// The value.
    pub value: Vec<u8>,
    /// The lease that the key is attached to; 0 for none.
    pub lease: u64,
}

impl KeyValue {
    fn parse(bytes: &[u8]) -> Parsed<Self> {
        let mut parsed = Self::default();
        each_field(bytes, |number, wire| {
            match (number, wire) {
                (1, Wire::Bytes(key)) => parsed.key = key.to_vec(),
                (2, Wire::Varint(revision)) => parsed.create_revision = revision,
                (3, Wire::Varint(revision)) => parsed.mod_revision = revision,
                (5, Wire::Bytes(value)) => parsed.value = value.to_vec(),
                (6, Wire::Varint(lease)) => parsed.lease = lease,
                _ => {}
            }
            Ok(())
        })?;
        Ok(parsed)
    }
}

/// A read of one key or a range of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRange {
    /// The first key.
    pub key: Vec<u8>,
    /// The end of the range, exclusive; empty for a single key.
    pub end: Vec<u8>,
    /// The maximum number of keys to return; 0 for no limit.
    pub limit: u64,
    /// The revision to read at; 0 for the current one.
    pub revision: u64,
    /// Omits the values.
    pub keys_only: bool,
    /// Returns only the number of keys.
    pub count_only: bool,
}

impl KeyRange {
    /// Reads one key.
    pub fn key(key: impl Into<Vec<u8>>) -> Self {
        Self {
            key: key.into(),
            ..Self::default()
        }
    }

    /// Reads all keys with this prefix.
    pub fn prefix(prefix: impl Into<Vec<u8>>) -> Self {
        let key = prefix.into();
        Self {
            end: prefix_end(&key),
            key,
            ..Self::default()
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_bytes(&mut out, 1, &self.key);
        some_bytes(&mut out, 2, &self.end);
        some(&mut out, 3, self.limit);
        some(&mut out, 4, self.revision);
        some(&mut out, 8, self.keys_only.into());
        some(&mut out, 9, self.count_only.into());
        out
    }
}

/// The keys of a range at one revision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranged {
    /// The revision of the store at the time of the read.
    pub revision: u64,
    /// The keys and values, sorted by key.
    pub kvs: Vec<KeyValue>,
    /// True if the limit omitted keys.
    pub more: bool,
    /// The number of keys in the range, regardless of the limit.
    pub count: u64,
}

impl Ranged {
    pub(crate) fn parse(bytes: &[u8]) -> Parsed<Self> {
        let mut parsed = Self::default();
        each_field(bytes, |number, wire| {
            match (number, wire) {
                (1, Wire::Bytes(header)) => parsed.revision = header_revision(header)?,
                (2, Wire::Bytes(kv)) => parsed.kvs.push(KeyValue::parse(kv)?),
                (3, Wire::Varint(more)) => parsed.more = more != 0,
                (4, Wire::Varint(count)) => parsed.count = count,
                _ => {}
            }
            Ok(())
        })?;
        Ok(parsed)
    }
}

/// A write of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyWrite {
    /// The key.
    pub key: Vec<u8>,
    /// The new value; `None` deletes the key.
    pub value: Option<Vec<u8>>,
    /// The lease to attach the key to; 0 for none.
    pub lease: u64,
}

impl KeyWrite {
    /// Writes a key without a lease.
    pub fn put(key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> Self {
        Self {
            key: key.into(),
            value: Some(value.into()),
            lease: 0,
        }
    }

    /// Deletes a key.
    pub fn delete(key: impl Into<Vec<u8>>) -> Self {
        Self {
            key: key.into(),
            value: None,
            lease: 0,
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        const PUT: u32 = 2;
        const DELETE: u32 = 3;
        let Some(value) = &self.value else {
            let mut request = Vec::new();
            put_bytes(&mut request, 1, &self.key);
            return operation(out, 2, DELETE, &request);
        };
        // A single allocation, because the value may be a megabyte.
        let mut request = Vec::with_capacity(self.key.len() + value.len() + 32);
        put_bytes(&mut request, 1, &self.key);
        put_bytes(&mut request, 2, value);
        some(&mut request, 3, self.lease);
        operation(out, 2, PUT, &request);
    }
}

/// The required relation of etcd's revision to the given one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The revisions are equal.
    Equal,
    /// etcd's revision is greater.
    Greater,
    /// etcd's revision is less.
    Less,
}

/// A comparison of the `mod_revision` of one key, or of all keys of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compare {
    /// The key.
    pub key: Vec<u8>,
    /// The end of the range, exclusive; empty for a single key.
    pub end: Vec<u8>,
    /// The required relation.
    pub order: Order,
    /// The revision to compare with; a key that does not exist has revision 0.
    pub mod_revision: u64,
}

impl Compare {
    /// Requires that a key was last changed at this revision; 0 requires that it does not exist.
    pub fn mod_revision(key: impl Into<Vec<u8>>, revision: u64) -> Self {
        Self {
            key: key.into(),
            end: Vec::new(),
            order: Order::Equal,
            mod_revision: revision,
        }
    }

    /// Requires that no key with this prefix has been written since a revision. Deletions are not detected.
    pub fn unwritten_since(prefix: impl Into<Vec<u8>>, revision: u64) -> Self {
        let key = prefix.into();
        Self {
            end: prefix_end(&key),
            key,
            // etcd has no operator for "at most".
            order: Order::Less,
            mod_revision: revision.saturating_add(1),
        }
    }

    fn encode(&self) -> Vec<u8> {
        const MOD: u64 = 2;
        let mut out = Vec::new();
        some(&mut out, 1, self.order as u64);
        put_varint(&mut out, 2, MOD);
        put_bytes(&mut out, 3, &self.key);
        // A zero is written as well, because a comparison without a value compares nothing.
        put_varint(&mut out, 6, self.mod_revision);
        some_bytes(&mut out, 64, &self.end);
        out
    }
}

/// Writes that are applied together if every comparison succeeds.
///
/// ```no_run
/// use ctl_etcd::{Client, Compare, KeyRange, KeyValue, Order, KeyWrite, Ranged, Txn, TxnDone};
///
/// # let client = Client::new(&["127.0.0.1:2379".to_owned()], None)?;
/// // Updates a key only if nobody wrote it since revision 7; otherwise reads it.
/// let unchanged = Compare {
///     key: b"/counter".to_vec(),
///     end: Vec::new(),
///     order: Order::Equal,
///     mod_revision: 7,
/// };
/// let done: TxnDone = client.txn(&Txn {
///     compares: vec![unchanged],
///     writes: vec![KeyWrite::put(b"/counter", b"8")],
///     otherwise: vec![KeyRange::key(b"/counter")],
///     ..Txn::default()
/// })?;
/// if !done.succeeded {
///     let read: &Ranged = &done.reads[0];
///     let current: Option<&KeyValue> = read.kvs.first();
///     assert!(current.is_none_or(|kv| kv.mod_revision > 7));
/// }
/// # Ok::<(), ctl_etcd::EtcdError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Txn {
    /// The conditions.
    pub compares: Vec<Compare>,
    /// The writes, in the order in which watchers receive them.
    pub writes: Vec<KeyWrite>,
    /// The reads to execute atomically if a comparison fails.
    pub otherwise: Vec<KeyRange>,
}

impl Txn {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for compare in &self.compares {
            put_bytes(&mut out, 1, &compare.encode());
        }
        for write in &self.writes {
            write.encode(&mut out);
        }
        for range in &self.otherwise {
            operation(&mut out, 3, 1, &range.encode());
        }
        out
    }
}

/// Appends an operation to one branch of a transaction.
fn operation(out: &mut Vec<u8>, branch: u32, kind: u32, request: &[u8]) {
    let mut wrapped = Vec::with_capacity(request.len() + 8);
    put_bytes(&mut wrapped, kind, request);
    put_bytes(out, branch, &wrapped);
}

/// The outcome of a transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TxnDone {
    /// The revision of the store afterwards. If the transaction succeeded and wrote, this is the revision of its
    /// writes.
    pub revision: u64,
    /// True if every comparison succeeded.
    pub succeeded: bool,
    /// The results of [`Txn::otherwise`].
    pub reads: Vec<Ranged>,
}

impl TxnDone {
    pub(crate) fn parse(bytes: &[u8]) -> Parsed<Self> {
        let mut parsed = Self::default();
        each_field(bytes, |number, wire| {
            match (number, wire) {
                (1, Wire::Bytes(header)) => parsed.revision = header_revision(header)?,
                (2, Wire::Varint(succeeded)) => parsed.succeeded = succeeded != 0,
                (3, Wire::Bytes(response)) => each_field(response, |kind, wire| {
                    if let (1, Wire::Bytes(ranged)) = (kind, wire) {
                        parsed.reads.push(Ranged::parse(ranged)?);
                    }
                    Ok(())
                })?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(parsed)
    }
}

/// A lease that etcd granted or renewed.
///
/// ```no_run
/// use ctl_etcd::{Client, Lease, KeyWrite, Txn};
///
/// # let client = Client::new(&["127.0.0.1:2379".to_owned()], None)?;
/// // etcd deletes the key when its writer stops renewing the lease.
/// let lease: Lease = client.grant(15)?;
/// let announce = KeyWrite {
///     lease: lease.id,
///     ..KeyWrite::put(b"/leader", b"node-1")
/// };
/// client.txn(&Txn { writes: vec![announce], ..Txn::default() })?;
/// client.keep_alive(lease.id)?;
/// # Ok::<(), ctl_etcd::EtcdError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lease {
    /// The ID of the lease.
    pub id: u64,
    /// The number of seconds until the lease ends unless it is renewed; 0 if it has ended.
    pub seconds: u64,
}

impl Lease {
    pub(crate) fn parse(bytes: &[u8]) -> Parsed<Self> {
        let mut parsed = Self::default();
        each_field(bytes, |number, wire| {
            match (number, wire) {
                (2, Wire::Varint(id)) => parsed.id = id,
                (3, Wire::Varint(seconds)) => parsed.seconds = seconds,
                _ => {}
            }
            Ok(())
        })?;
        Ok(parsed)
    }
}

/// The status of the member to which the client is connected.
///
/// ```no_run
/// use ctl_etcd::{Client, MemberStatus};
///
/// # let client = Client::new(&["127.0.0.1:2379".to_owned()], None)?;
/// let status: MemberStatus = client.status()?;
/// assert!(status.leader != 0, "etcd {} has no leader", status.version);
/// # Ok::<(), ctl_etcd::EtcdError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberStatus {
    /// The revision of the member's store.
    pub revision: u64,
    /// The version of etcd.
    pub version: String,
    /// The size of the database in bytes.
    pub size: u64,
    /// The ID of the leader; 0 if there is none.
    pub leader: u64,
}

impl MemberStatus {
    pub(crate) fn parse(bytes: &[u8]) -> Parsed<Self> {
        let mut parsed = Self::default();
        each_field(bytes, |number, wire| {
            match (number, wire) {
                (1, Wire::Bytes(header)) => parsed.revision = header_revision(header)?,
                (2, Wire::Bytes(version)) => parsed.version = text(version),
                (3, Wire::Varint(size)) => parsed.size = size,
                (4, Wire::Varint(leader)) => parsed.leader = leader,
                _ => {}
            }
            Ok(())
        })?;
        Ok(parsed)
    }
}

/// A change of one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// True if the key was deleted; `kv` then contains only the key and the revision of its deletion.
    pub deleted: bool,
    /// The key after the change.
    pub kv: KeyValue,
    /// The key before the change, if it existed and that revision is not compacted.
    pub before: Option<KeyValue>,
}

impl Event {
    fn parse(bytes: &[u8]) -> Parsed<Self> {
        let mut parsed = Self::default();
        each_field(bytes, |number, wire| {
            match (number, wire) {
                (1, Wire::Varint(kind)) => parsed.deleted = kind == 1,
                (2, Wire::Bytes(kv)) => parsed.kv = KeyValue::parse(kv)?,
                (3, Wire::Bytes(kv)) => parsed.before = Some(KeyValue::parse(kv)?),
                _ => {}
            }
            Ok(())
        })?;
        Ok(parsed)
    }
}

/// A message of a watch: changes, or a progress notification without any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// The revision of the store when etcd wrote the message.
    pub revision: u64,
    /// The changes, in order.
    pub events: Vec<Event>,
    /// True if the watch has just begun.
    pub created: bool,
    /// True if etcd has ended the watch.
    pub canceled: bool,
    /// The reason why etcd ended the watch.
    pub reason: String,
    /// The oldest revision from which a new watch can start if the requested one is compacted.
    pub compacted: u64,
    /// True if more changes of the last revision follow in the next message.
    pub fragment: bool,
}

impl Watched {
    pub(crate) fn parse(bytes: &[u8]) -> Parsed<Self> {
        let mut parsed = Self::default();
        each_field(bytes, |number, wire| {
            match (number, wire) {
                (1, Wire::Bytes(header)) => parsed.revision = header_revision(header)?,
                (3, Wire::Varint(created)) => parsed.created = created != 0,
                (4, Wire::Varint(canceled)) => parsed.canceled = canceled != 0,
                (5, Wire::Varint(revision)) => parsed.compacted = revision,
                (6, Wire::Bytes(reason)) => parsed.reason = text(reason),
                (7, Wire::Varint(fragment)) => parsed.fragment = fragment != 0,
                (11, Wire::Bytes(event)) => parsed.events.push(Event::parse(event)?),
                _ => {}
            }
            Ok(())
        })?;
        Ok(parsed)
    }
}

/// Returns the request for a watch of a range after a revision, with the previous values.
pub(crate) fn watch_create(key: &[u8], end: &[u8], after: u64) -> Vec<u8> {
    let mut create = Vec::new();
    put_bytes(&mut create, 1, key);
    some_bytes(&mut create, 2, end);
    put_varint(&mut create, 3, after.saturating_add(1));
    // Requests progress notifications, the previous values, and large messages in fragments.
    put_varint(&mut create, 4, 1);
    put_varint(&mut create, 6, 1);
    put_varint(&mut create, 8, 1);
    let mut out = Vec::new();
    put_bytes(&mut out, 1, &create);
    out
}

/// Returns the request for the progress of all watches on a stream.
pub(crate) fn watch_progress() -> Vec<u8> {
    let mut out = Vec::new();
    put_bytes(&mut out, 3, &[]);
    out
}

/// Returns a message of integer fields in the order of their numbers; zeros are omitted.
pub(crate) fn numbers(values: &[u64]) -> Vec<u8> {
    let mut out = Vec::new();
    // Proto3 omits zeros, and so does etcd.
    for (number, value) in (1..).zip(values) {
        some(&mut out, number, *value);
    }
    out
}

fn header_revision(bytes: &[u8]) -> Parsed<u64> {
    let mut revision = 0;
    each_field(bytes, |number, wire| {
        if let (3, Wire::Varint(value)) = (number, wire) {
            revision = value;
        }
        Ok(())
    })?;
    Ok(revision)
}

fn each_field(bytes: &[u8], mut take: impl FnMut(u32, Wire<'_>) -> Parsed<()>) -> Parsed<()> {
    let mut reader = Reader::new(bytes);
    while let Some((number, wire)) = reader.field()? {
        take(number, wire)?;
    }
    Ok(())
}

fn some(out: &mut Vec<u8>, number: u32, value: u64) {
    if value != 0 {
        put_varint(out, number, value);
    }
}

fn some_bytes(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    if !bytes.is_empty() {
        put_bytes(out, number, bytes);
    }
}

fn text(bytes: &[u8]) -> String {
    // The text is only for users, so an invalid byte is no reason to fail.
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_end_is_the_first_key_after_the_prefix() {
        assert_eq!(prefix_end(b"/a/"), b"/a0");
        assert_eq!(prefix_end(b"a\xff"), b"b");
        assert_eq!(prefix_end(b"\xff"), b"\0");
        assert_eq!(prefix_end(b""), b"\0");
    }

    #[test]
    fn unknown_field_is_skipped_and_truncated_message_fails() {
        let mut kv = Vec::new();
        put_bytes(&mut kv, 1, b"k");
        put_varint(&mut kv, 3, 7);
        put_varint(&mut kv, 99, 1);
        let mut response = Vec::new();
        put_bytes(&mut response, 2, &kv);
        let parsed = Ranged::parse(&response).unwrap();
        assert_eq!(
            (&*parsed.kvs[0].key, parsed.kvs[0].mod_revision),
            (&b"k"[..], 7)
        );
        response.truncate(response.len() - 1);
        assert_eq!(Ranged::parse(&response), Err(()));
    }

    #[test]
    fn comparison_with_revision_zero_encodes_the_zero() {
        // etcd compares nothing if the oneof is missing.
        let bytes = Compare::mod_revision(b"k", 0).encode();
        assert_eq!(bytes, [0x10, 2, 0x1a, 1, b'k', 0x30, 0]);
    }
}
