//! Randomness: a seeded generator for everything that is stored, and the kernel's for the rest.
//!
//! A [`Seed`] draws by hashing and has no state: the same seed and words give the same bits in every process.
//! Processes therefore need not share a generator, and a replay produces the same uids and names. The words must
//! identify the draw, for example by the object's key and the revision, which also makes draws independent.

use std::io;

use rustix::io::Errno;
use sha2::{Digest, Sha256};

/// The characters of generated name suffixes: no vowels, and no digits that resemble letters.
const SUFFIX_ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// The seed of a cluster, which determines uids and generated names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// Returns a random seed.
    pub fn random() -> Self {
        Self(kernel_random())
    }

    /// Returns 16 bytes that depend only on the seed and on `words`.
    pub fn draw(&self, words: &[&str]) -> [u8; 16] {
        let mut hash = Sha256::new();
        hash.update(self.0.to_be_bytes());
        for word in words {
            // Each word's length precedes it, because `["ab", "c"]` and `["a", "bc"]` must give different draws.
            hash.update((word.len() as u64).to_be_bytes());
            hash.update(word.as_bytes());
        }
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.finalize()[..16]);
        bytes
    }

    /// Returns a uid in the format of UUID version 4.
    pub fn uid(&self, words: &[&str]) -> String {
        let mut b = self.draw(words);
        // Sets the version and variant bits of RFC 9562, because clients parse uids with strict libraries.
        b[6] = (b[6] & 0x0f) | 0x40;
        b[8] = (b[8] & 0x3f) | 0x80;
        // Formatted by hand, because calling `format!` for each byte took a noticeable share of the time for creating
        // 10,000 Pods.
        let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
        let mut uid = String::with_capacity(36);
        for (at, byte) in b.into_iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                uid.push('-');
            }
            uid.extend([digit(byte >> 4), digit(byte & 0xf)]);
        }
        uid
    }

    /// Returns a suffix of up to 16 characters, as for `generateName`.
    pub fn suffix(&self, words: &[&str], length: usize) -> String {
        let bytes = self.draw(words);
        // The 27 characters of `k8s.io/apimachinery/pkg/util/rand`, so that generated names look like Kubernetes' own.
        let pick = |b: &u8| SUFFIX_ALPHABET[usize::from(*b) % SUFFIX_ALPHABET.len()] as char;
        bytes.iter().take(length).map(pick).collect()
    }
}

/// Returns bits from the kernel for names of temporary files and default seeds: unique on this machine, but not
/// secret. Use [`fill`] for secrets.
pub fn kernel_random() -> u64 {
    let mut bytes = [0; 8];
    match fill(&mut bytes) {
        Ok(()) => u64::from_ne_bytes(bytes),
        Err(_) => u64::from(std::process::id()) << 32,
    }
}

/// Fills a buffer with random bytes from the kernel, for tokens and keys.
///
/// # Errors
/// Returns an error if the kernel provides none, because nothing else can replace them in a secret.
pub fn fill(bytes: &mut [u8]) -> io::Result<()> {
    let flags = rustix::rand::GetRandomFlags::empty();
    fill_from(bytes, |rest| rustix::rand::getrandom(rest, flags))
}

/// Fills a buffer from a source that may return fewer bytes than requested.
fn fill_from(
    bytes: &mut [u8],
    mut source: impl FnMut(&mut [u8]) -> Result<usize, Errno>,
) -> io::Result<()> {
    let mut filled = 0;
    while filled < bytes.len() {
        match source(&mut bytes[filled..]) {
            // A buffer that was not filled must never be used as a secret.
            Ok(0) => return Err(io::Error::other("the kernel returned no random bytes")),
            Ok(more) => filled += more,
            // A signal arrived before the first byte.
            Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_depend_only_on_seed_and_words() {
        let seed = Seed(7);
        assert_eq!(
            seed.draw(&["uid", "pods/a/b", "3"]),
            seed.draw(&["uid", "pods/a/b", "3"])
        );
        assert_ne!(
            seed.draw(&["uid", "pods/a/b", "3"]),
            seed.draw(&["uid", "pods/a/b", "4"])
        );
        assert_ne!(seed.draw(&["ab", "c"]), seed.draw(&["a", "bc"]));
        assert_ne!(seed.draw(&["a"]), Seed(8).draw(&["a"]));
    }

    #[test]
    fn uids_are_version_four_shaped_and_suffixes_use_the_alphabet() {
        let uid = Seed(7).uid(&["x"]);
        assert_eq!((uid.len(), &uid[14..15]), (36, "4"));
        let suffix = Seed(7).suffix(&["x"], 5);
        assert_eq!(suffix.len(), 5);
        assert!(suffix.bytes().all(|b| SUFFIX_ALPHABET.contains(&b)));
    }

    #[test]
    fn random_fill_retries_interrupts_and_fails_on_errors() {
        let mut steps = [Err(Errno::INTR), Ok(3), Err(Errno::INTR), Ok(5)].into_iter();
        let mut bytes = [0; 8];
        let source = |rest: &mut [u8]| {
            let step = steps.next().unwrap()?;
            rest[..step].fill(1);
            Ok(step)
        };
        fill_from(&mut bytes, source).unwrap();
        assert_eq!(bytes, [1; 8]);
        for refused in [Ok(0), Err(Errno::NOSYS), Err(Errno::PERM)] {
            assert!(fill_from(&mut bytes, |_| refused).is_err(), "{refused:?}");
        }
        let mut drawn = [[0; 32]; 2];
        for bytes in &mut drawn {
            fill(bytes).unwrap();
        }
        assert_ne!(drawn[0], drawn[1]);
    }
}
