//! Protobuf's wire format: tags, varints and length-delimited bytes, for Kubernetes' and etcd's messages.

/// The wire types that the messages use.
pub(crate) const VARINT: u8 = 0;
pub(crate) const FIXED64: u8 = 1;
pub(crate) const BYTES: u8 = 2;
const FIXED32: u8 = 5;

/// The value of a field on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wire<'b> {
    /// An integer or a boolean.
    Varint(u64),
    /// Eight bytes.
    Fixed64(u64),
    /// Bytes: a string, a message or a packed list.
    Bytes(&'b [u8]),
    /// Four bytes. No supported field has this type, but unknown fields must be skipped.
    Fixed32,
}

/// Reads the fields of one message.
///
/// ```
/// use ctl_protobuf::wire::{Reader, Wire, put_bytes, put_varint};
///
/// let mut message = Vec::new();
/// put_varint(&mut message, 1, 300);
/// put_bytes(&mut message, 2, b"web");
///
/// let mut reader = Reader::new(&message);
/// assert!(matches!(reader.field(), Ok(Some((1, Wire::Varint(300))))));
/// assert!(matches!(reader.field(), Ok(Some((2, Wire::Bytes(b"web"))))));
/// assert!(matches!(reader.field(), Ok(None)));
/// ```
#[derive(Debug)]
pub struct Reader<'b> {
    rest: &'b [u8],
}

#[expect(
    clippy::result_unit_err,
    reason = "a message can be read or not; the caller knows which one it is"
)]
impl<'b> Reader<'b> {
    /// Returns a reader of these bytes.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns the number and value of the next field, or `Ok(None)` at the end.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a message.
    pub fn field(&mut self) -> Result<Option<(u32, Wire<'b>)>, ()> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).map_err(|_| ())?;
        let wire = match (tag & 7) as u8 {
            VARINT => Wire::Varint(self.varint()?),
            FIXED64 => Wire::Fixed64(u64::from_le_bytes(self.array()?)),
            BYTES => {
                let length = usize::try_from(self.varint()?).map_err(|_| ())?;
                Wire::Bytes(self.take(length)?)
            }
            FIXED32 => {
                // No Kubernetes message has such a field today, but skipping one takes its length.
                let _: [u8; 4] = self.array()?;
                Wire::Fixed32
            }
            _ => return Err(()),
        };
        match number {
            // The specification reserves the number 0, so only invalid messages contain it.
            0 => Err(()),
            number => Ok(Some((number, wire))),
        }
    }

    /// Reads a varint, such as an element of a packed list.
    ///
    /// # Errors
    /// Returns an error if the bytes end within the varint.
    pub fn varint(&mut self) -> Result<u64, ()> {
        let mut value = 0;
        // Ten groups of seven bits cover 64 bits. A longer varint is corrupt, and the limit keeps the shift defined.
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.rest.split_first().ok_or(())?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(())
    }

    /// Returns true if all bytes have been read.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn take(&mut self, length: usize) -> Result<&'b [u8], ()> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(())?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ()> {
        self.take(N)?.try_into().map_err(|_| ())
    }
}

/// Appends a field with a varint.
pub fn put_varint(out: &mut Vec<u8>, number: u32, value: u64) {
    tag(out, number, VARINT);
    varint(out, value);
}

/// Appends a field with eight bytes.
pub fn put_fixed64(out: &mut Vec<u8>, number: u32, value: u64) {
    tag(out, number, FIXED64);
    out.extend(value.to_le_bytes());
}

/// Appends a field with bytes.
pub fn put_bytes(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    tag(out, number, BYTES);
    varint(out, bytes.len() as u64);
    out.extend(bytes);
}

/// Begins a field with a message that follows; returns the position to pass to [`close`].
pub(crate) fn begin(out: &mut Vec<u8>, number: u32) -> usize {
    tag(out, number, BYTES);
    let at = out.len();
    // One byte is enough for the length of most messages.
    out.push(0);
    at
}

/// Writes the length of the message that ends here.
pub(crate) fn close(out: &mut Vec<u8>, at: usize) {
    let (start, end) = (at + 1, out.len());
    let length = (end - start) as u64;
    if length < 0x80 {
        out[at] = length as u8;
        return;
    }
    // The length is written after the message and then moved before it.
    varint(out, length);
    let (mut bytes, size) = ([0; 10], out.len() - end);
    bytes[..size].copy_from_slice(&out[end..]);
    out.copy_within(start..end, at + size);
    out[at..at + size].copy_from_slice(&bytes[..size]);
    out.truncate(end + size - 1);
}

fn tag(out: &mut Vec<u8>, number: u32, wire: u8) {
    varint(out, u64::from(number) << 3 | u64::from(wire));
}

/// Appends a varint.
pub(crate) fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_were_written() {
        let mut out = Vec::new();
        put_varint(&mut out, 1, 150);
        put_varint(&mut out, 17, u64::MAX);
        put_bytes(&mut out, 2, b"testing");
        put_fixed64(&mut out, 3, 2.5_f64.to_bits());
        assert_eq!(out[..3], [0x08, 0x96, 0x01], "the encoding guide's example");
        let mut reader = Reader::new(&out);
        let mut all = Vec::new();
        while let Some(field) = reader.field().unwrap() {
            all.push(field);
        }
        let fixed = Wire::Fixed64(2.5_f64.to_bits());
        let expected = [
            (1, Wire::Varint(150)),
            (17, Wire::Varint(u64::MAX)),
            (2, Wire::Bytes(b"testing")),
            (3, fixed),
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn broken_messages_are_errors() {
        for bytes in [
            &[0x08][..],
            &[0x0a, 0x05, 1],
            &[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
            &[0x00, 0x01],
            &[0x0b],
            &[0x09, 1, 2],
            &[0xff; 11],
        ] {
            assert!(Reader::new(bytes).field().is_err(), "{bytes:?}");
        }
    }
}
