//! Decodes base64 as Go's `encoding/base64` does: it ignores line breaks and the unused bits of the last character.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, PAD};

const LENIENT: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, PAD.with_decode_allow_trailing_bits(true));

/// Decodes a text.
///
/// ```
/// use ctl_api::go_base64::decode;
///
/// assert_eq!(decode("YQ=\n="), Ok(b"a".to_vec()));
/// assert_eq!(decode("YWJjYQ").unwrap_err(), "illegal base64 data at input byte 4");
/// ```
///
/// # Errors
/// Returns the text of Go's error.
pub fn decode(text: &str) -> Result<Vec<u8>, String> {
    if let Some(at) = corrupt(text.as_bytes()) {
        return Err(format!("illegal base64 data at input byte {at}"));
    }
    // The engine does not accept line breaks.
    let plain: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
    LENIENT.decode(plain).map_err(|e| e.to_string())
}

/// Returns the position that Go reports if the text is not valid base64.
fn corrupt(text: &[u8]) -> Option<usize> {
    let next = |mut at: usize| {
        while matches!(text.get(at), Some(b'\r' | b'\n')) {
            at += 1;
        }
        at
    };
    let mut at = 0;
    loop {
        // Reads a group of four digits.
        for digits in 0..4 {
            at = next(at);
            match text.get(at) {
                None if digits == 0 => return None,
                // Go includes line breaks inside the unfinished group in its count.
                None => return Some(at - digits),
                Some(b'=') if digits < 2 => return Some(at),
                Some(b'=') => {
                    let mut end = at + 1;
                    if digits == 2 {
                        let second = next(end);
                        match text.get(second) {
                            None => return Some(text.len()),
                            Some(b'=') => end = second + 1,
                            Some(_) => return Some(second - 1),
                        }
                    }
                    // Only line breaks may follow the padding.
                    let rest = next(end);
                    return (rest < text.len()).then_some(rest);
                }
                Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/') => {
                    at += 1;
                }
                Some(_) => return Some(at),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_position_of_an_error_is_that_of_go() {
        for (text, at) in [
            ("a", 0),
            ("ab", 0),
            ("abc", 0),
            ("YQ", 0),
            ("YQ=", 3),
            ("YQ===", 4),
            ("YQ=x", 2),
            ("abcde", 4),
            ("YWJjYQ", 4),
            ("a%b", 1),
            ("====", 0),
            ("YWJj=", 4),
            ("YWJj==", 4),
            ("YWJjYQ==x", 8),
        ] {
            assert_eq!(corrupt(text.as_bytes()), Some(at), "{text}");
        }
    }

    #[test]
    fn line_ends_and_trailing_bits_count_for_nothing() {
        for (text, bytes) in [
            ("", ""),
            ("\n", ""),
            ("YW\r\nJj\n", "abc"),
            ("YQ==\n", "a"),
            ("Y\nQ\n=\n=\n", "a"),
            ("YR==", "a"),
            ("YWK=", "ab"),
        ] {
            assert_eq!(decode(text), Ok(bytes.into()), "{text:?}");
        }
    }
}
