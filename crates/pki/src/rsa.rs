//! RSA keys: generated from random bytes, stored as PEM, and used to sign (RS256).
//!
//! `ring` signs and verifies, but does not generate RSA keys. The crate `rsa` does, but has a known weakness in
//! related operations (RUSTSEC-2023-0071), and `aws-lc-rs` would be a second cryptographic library, with a megabyte of
//! C, next to `ring`. The primes are therefore found here, with `num-bigint`; a cluster needs only one key.

use std::fmt;
use std::io;

use num_bigint::BigUint;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    KeyPair as _, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RsaKeyPair, UnparsedPublicKey,
};

use crate::der::{Oid, from_pem, oid, pem};

/// The PEM label of a key, as in `openssl genrsa -traditional`.
const LABEL: &str = "RSA PRIVATE KEY";

/// The public exponent of all keys.
const EXPONENT: u32 = 65537;

/// The size of each prime in bytes: keys have 2048 bits.
const PRIME: usize = 128;

/// The number of rounds of the primality test. FIPS 186-5 requires five (table B.1).
const ROUNDS: usize = 10;

/// Trial division by odd numbers below this rules out most candidates before the expensive test.
const SMALL: u32 = 2000;

/// Fills a buffer with unpredictable bytes.
pub type Draw<'a> = &'a mut dyn FnMut(&mut [u8]) -> io::Result<()>;

/// A private key for signing.
pub struct SigningKey(RsaKeyPair);

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Omits the key, which must not be logged.
        f.write_str("SigningKey")
    }
}

impl SigningKey {
    /// Parses a key from [`generate`], or any other RSA key in PKCS #1 or #8.
    ///
    /// # Errors
    /// Returns an error if the text contains no key or the key is too short.
    pub fn from_pem(text: &str) -> io::Result<Self> {
        let wrong = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why);
        let pair = match (from_pem(LABEL, text), from_pem("PRIVATE KEY", text)) {
            (Some(der), _) => RsaKeyPair::from_der(&der),
            (None, Some(der)) => RsaKeyPair::from_pkcs8(&der),
            (None, None) => return Err(wrong("no RSA key in it")),
        };
        Ok(Self(pair.map_err(|e| wrong(&e.to_string()))?))
    }

    /// Signs a message (PKCS #1 version 1.5 with SHA-256). Equal messages have equal signatures.
    ///
    /// # Errors
    /// Returns an error if the parts of the key are inconsistent.
    pub fn sign(&self, message: &[u8]) -> io::Result<Vec<u8>> {
        let mut signature = vec![0; self.0.public().modulus_len()];
        self.0
            .sign(
                &RSA_PKCS1_SHA256,
                &SystemRandom::new(),
                message,
                &mut signature,
            )
            .map_err(|_| io::Error::other("the key cannot sign"))?;
        Ok(signature)
    }

    /// Returns true if this key signed the message.
    pub fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, self.0.public_key());
        public.verify(message, signature).is_ok()
    }

    /// Returns the modulus and exponent of the public key.
    pub fn public(&self) -> (Vec<u8>, Vec<u8>) {
        let parts = PublicKeyComponents::<Vec<u8>>::from(self.0.public_key());
        (parts.n, parts.e)
    }

    /// Returns the public key (`SubjectPublicKeyInfo`), as DER.
    pub fn public_der(&self) -> Vec<u8> {
        const RSA_ENCRYPTION: Oid = &[1, 2, 840, 113_549, 1, 1, 1];
        let key: &[u8] = self.0.public_key().as_ref();
        yasna::construct_der(|writer| {
            writer.write_sequence(|writer| {
                writer.next().write_sequence(|writer| {
                    oid(writer.next(), RSA_ENCRYPTION);
                    writer.next().write_null();
                });
                writer.next().write_bitvec_bytes(key, key.len() * 8);
            });
        })
    }
}

/// Generates a key and returns it as PEM. Anyone who reads it can sign.
///
/// # Errors
/// Returns the errors of `draw`.
pub fn generate(draw: Draw<'_>) -> io::Result<String> {
    let e = BigUint::from(EXPONENT);
    let one = BigUint::from(1_u8);
    let (p, q) = loop {
        let (a, b) = (prime(draw)?, prime(draw)?);
        // The larger prime comes first. Two equal ones do not make a key.
        match a.cmp(&b) {
            std::cmp::Ordering::Greater => break (a, b),
            std::cmp::Ordering::Less => break (b, a),
            std::cmp::Ordering::Equal => {}
        }
    };
    let (before_p, before_q) = (&p - &one, &q - &one);
    let n = &p * &q;
    // Both inverses exist: `prime` excludes every p for which the exponent divides p - 1, and the primes differ.
    let none = || io::Error::other("the primes have no inverse");
    let d = e.modinv(&(&before_p * &before_q)).ok_or_else(none)?;
    let inverse = q.modinv(&p).ok_or_else(none)?;
    let numbers = [
        BigUint::ZERO,
        n,
        e,
        d.clone(),
        p,
        q,
        &d % &before_p,
        &d % &before_q,
        inverse,
    ];
    let der = yasna::construct_der(|writer| {
        writer.write_sequence(|writer| {
            for number in &numbers {
                writer
                    .next()
                    .write_bigint_bytes(&number.to_bytes_be(), true);
            }
        });
    });
    Ok(pem(LABEL, &der))
}

/// Returns the first suitable prime at or after a random number.
fn prime(draw: Draw<'_>) -> io::Result<BigUint> {
    let small: Vec<u32> = (3..SMALL)
        .step_by(2)
        .filter(|n| is_small_prime(*n))
        .collect();
    let mut bytes = [0; PRIME];
    draw(&mut bytes)?;
    // With the two highest bits set, the product of two such numbers has the full length.
    bytes[0] |= 0xc0;
    bytes[PRIME - 1] |= 1;
    let mut candidate = BigUint::from_bytes_be(&bytes);
    let two = BigUint::from(2_u8);
    loop {
        let rest = |divisor: u32| &candidate % divisor;
        let has_inverse = rest(EXPONENT) != BigUint::from(1_u8);
        let may_be = small.iter().all(|divisor| rest(*divisor) != BigUint::ZERO);
        if has_inverse && may_be && is_prime(&candidate, draw)? {
            return Ok(candidate);
        }
        candidate += &two;
    }
}

fn is_small_prime(number: u32) -> bool {
    (3..number)
        .step_by(2)
        .take_while(|divisor| divisor * divisor <= number)
        .all(|divisor| !number.is_multiple_of(divisor))
}

/// Returns true if an odd number passes the Miller-Rabin test for random bases.
fn is_prime(number: &BigUint, draw: Draw<'_>) -> io::Result<bool> {
    let one = BigUint::from(1_u8);
    let last = number - &one;
    let twos = last.trailing_zeros().unwrap_or(0);
    let odd = &last >> twos;
    'rounds: for _ in 0..ROUNDS {
        let mut bytes = [0; PRIME];
        draw(&mut bytes)?;
        // Excludes 0, 1 and the number minus 1, for which every number passes.
        let base = BigUint::from_bytes_be(&bytes) % (number - 3_u8) + 2_u8;
        let mut power = base.modpow(&odd, number);
        if power == one || power == last {
            continue;
        }
        for _ in 1..twos {
            power = &power * &power % number;
            if power == last {
                continue 'rounds;
            }
        }
        return Ok(false);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctl_sys::entropy::{Seed, fill};

    #[test]
    fn a_key_signs_and_is_kept_as_text() {
        let text = generate(&mut fill).unwrap();
        let key = SigningKey::from_pem(&text).unwrap();
        let signature = key.sign(b"message").unwrap();
        assert_eq!(signature.len(), 2 * PRIME);
        assert!(key.has_signed(b"message", &signature));
        assert!(!key.has_signed(b"massage", &signature));
        assert!(!key.has_signed(b"message", &signature[1..]));
        let other = SigningKey::from_pem(&generate(&mut fill).unwrap()).unwrap();
        assert!(!other.has_signed(b"message", &signature));
        let (n, e) = key.public();
        assert_eq!((n.len(), e), (2 * PRIME, vec![1, 0, 1]));
        assert_eq!(format!("{key:?}"), "SigningKey");
        for odd in ["", "x", &text[..200], &text.replace("RSA ", "")] {
            let refused = SigningKey::from_pem(odd).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidData, "{odd}");
        }
    }

    #[test]
    fn key_of_pkcs_8_is_read_too() {
        let text = generate(&mut fill).unwrap();
        let own = from_pem(LABEL, &text).unwrap();
        let length = |length: usize| u16::try_from(length).unwrap().to_be_bytes();
        // A version, the algorithm (RSA), and the key of PKCS #1 as an octet string.
        let mut inner = vec![
            0x02, 1, 0, 0x30, 13, 6, 9, 42, 134, 72, 134, 247, 13, 1, 1, 1, 5, 0,
        ];
        inner.extend([0x04, 0x82].into_iter().chain(length(own.len())));
        inner.extend(&own);
        let mut der = vec![0x30, 0x82];
        der.extend(length(inner.len()));
        der.extend(inner);
        let key = SigningKey::from_pem(&pem("PRIVATE KEY", &der)).unwrap();
        assert_eq!(key.public(), SigningKey::from_pem(&text).unwrap().public());
    }

    #[test]
    fn a_seed_makes_the_same_key_again() {
        let seeded = |seed: u64| {
            let mut count = 0_u64;
            generate(&mut |bytes: &mut [u8]| {
                for chunk in bytes.chunks_mut(16) {
                    count += 1;
                    let drawn = Seed(seed).draw(&["key", &count.to_string()]);
                    chunk.copy_from_slice(&drawn[..chunk.len()]);
                }
                Ok(())
            })
            .unwrap()
        };
        let first = seeded(7);
        assert_eq!(first, seeded(7));
        assert_ne!(first, seeded(8));
        assert!(SigningKey::from_pem(&first).is_ok());
    }

    #[test]
    fn primes_are_distinguished_from_products_and_pseudoprimes() {
        let is = |text: &str| is_prime(&text.parse().unwrap(), &mut fill).unwrap();
        // 2^127 - 1 and 2^255 - 19.
        assert!(is("170141183460469231731687303715884105727"));
        assert!(is(
            "57896044618658097711785492504343953926634992332820282019728792003956564819949"
        ));
        // Carmichael numbers pass Fermat's test for every coprime base. The last number is the product of two primes.
        for composite in ["561", "41041", "825265", "321197185", "4295098369"] {
            assert!(!is(composite), "{composite}");
        }
    }
}
