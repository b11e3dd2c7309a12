//! Made-up digests: the IDs of images and containers, which depend only on names.

use sha2::{Digest, Sha256};

/// Returns 64 hexadecimal digits that depend only on the words.
pub(super) fn hexadecimal(words: &[&str]) -> String {
    let mut hash = Sha256::new();
    for word in words {
        hash.update(word.as_bytes());
        // No word contains this separator; without it, `["ab", "c"]` and `["a", "bc"]` would have the same digest.
        hash.update([0]);
    }
    hash.finalize().iter().fold(String::new(), |mut hex, byte| {
        hex.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
        hex.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
        hex
    })
}
