//! Checks JSON texts as Go does: finds the first syntax error, with Go's message, and duplicate keys.

use std::collections::BTreeSet;

/// The maximum nesting depth of lists and maps.
const MAX_DEPTH: usize = 500;

/// The maximum number of reported duplicates; the API server's decoder has the same limit.
const MOST_DUPLICATES: usize = 100;

/// Checks a JSON text. Returns the paths of the first keys that occur twice in one map, in the order of the text.
///
/// # Errors
/// Returns Go's error for the first position that is not valid JSON.
pub fn check(text: &[u8]) -> Result<Vec<String>, String> {
    // One scan serves two callers: validation needs the duplicates, strict decoding the order of the keys.
    let found = scan(text, &[])?.duplicates.into_iter();
    Ok(found.map(|(_, path)| path).collect())
}

/// Returns the ordinal of the key of each path of [`check`], in the same order; returns nothing if the text is not
/// JSON.
pub fn duplicate_order(text: &[u8]) -> Vec<usize> {
    let found = scan(text, &[]).map(|scanner| scanner.duplicates);
    found
        .unwrap_or_default()
        .into_iter()
        .map(|(place, _)| place)
        .collect()
}

/// Returns the ordinal of the key at each path, or of the last key before a list item; `None` for paths that the text
/// does not contain, and for all paths if the text is not JSON.
pub fn key_order(text: &[u8], paths: &[String]) -> Vec<Option<usize>> {
    match scan(text, paths) {
        Ok(scanner) => scanner.places,
        Err(_) => vec![None; paths.len()],
    }
}

fn scan<'t>(text: &'t [u8], wanted: &'t [String]) -> Result<Scanner<'t>, String> {
    let mut scanner = Scanner {
        text,
        at: 0,
        path: String::new(),
        keys: 0,
        duplicates: Vec::new(),
        wanted,
        places: vec![None; wanted.len()],
    };
    scanner.value(0)?;
    // Only white space may follow: Go's decoder rejects a second value.
    match scanner.next() {
        None => Ok(scanner),
        Some(byte) => Err(invalid(byte, "after top-level value")),
    }
}

struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
    /// The path of the current value.
    path: String,
    /// The number of keys read so far.
    keys: usize,
    /// Keys that occur twice, as ordinals and paths.
    duplicates: Vec<(usize, String)>,
    wanted: &'t [String],
    places: Vec<Option<usize>>,
}

fn invalid(byte: u8, context: &str) -> String {
    let shown = match byte {
        // Go prints the byte as `%q` does, but with the kinds of quotes swapped.
        b'\'' => "'\\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        byte if byte.is_ascii_graphic() || byte == b' ' => format!("'{}'", char::from(byte)),
        b'\n' => "'\\n'".to_owned(),
        b'\r' => "'\\r'".to_owned(),
        b'\t' => "'\\t'".to_owned(),
        byte if byte < 0x80 => format!("'\\x{byte:02x}'"),
        byte => format!("'{}'", char::from(byte)),
    };
    format!("invalid character {shown} {context}")
}

fn ended() -> String {
    "unexpected end of JSON input".to_owned()
}

impl Scanner<'_> {
    /// Returns the next byte that is not white space, without consuming it.
    fn next(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.text.get(self.at) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn value(&mut self, depth: usize) -> Result<(), String> {
        // The API server has the same limit, which bounds the recursion on a malicious body.
        if depth > MAX_DEPTH {
            return Err("exceeded max depth".to_owned());
        }
        match self.next().ok_or_else(ended)? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string().map(drop),
            b't' => self.literal("true"),
            b'f' => self.literal("false"),
            b'n' => self.literal("null"),
            b'-' | b'0'..=b'9' => self.number(),
            byte => Err(invalid(byte, "looking for beginning of value")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), String> {
        self.at += 1;
        let mut seen = BTreeSet::new();
        let mut first = true;
        loop {
            match self.next().ok_or_else(ended)? {
                b'}' if first => break,
                b'"' => {}
                byte => return Err(invalid(byte, "looking for beginning of object key string")),
            }
            let key = self.string()?;
            let above = self.path.len();
            if above > 0 {
                self.path.push('.');
            }
            self.path.push_str(&key);
            self.note_place(&key, self.keys);
            self.keys += 1;
            // Only the first hundred, as in the API server's decoder; a malicious body could contain millions.
            if !seen.insert(key) && self.duplicates.len() < MOST_DUPLICATES {
                self.duplicates.push((self.keys - 1, self.path.clone()));
            }
            match self.next().ok_or_else(ended)? {
                b':' => self.at += 1,
                byte => return Err(invalid(byte, "after object key")),
            }
            self.value(depth + 1)?;
            self.path.truncate(above);
            first = false;
            match self.next().ok_or_else(ended)? {
                b',' => self.at += 1,
                b'}' => break,
                byte => return Err(invalid(byte, "after object key:value pair")),
            }
        }
        self.at += 1;
        Ok(())
    }

    /// Records the place of the current path if it was requested. Compares the ends of the paths first, because long
    /// paths usually differ there.
    fn note_place(&mut self, end: &str, at: usize) {
        for (wanted, place) in self.wanted.iter().zip(&mut self.places) {
            let same = wanted.len() == self.path.len() && wanted.ends_with(end);
            if place.is_none() && same && *wanted == self.path {
                *place = Some(at);
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<(), String> {
        self.at += 1;
        if self.next().ok_or_else(ended)? == b']' {
            self.at += 1;
            return Ok(());
        }
        for index in 0.. {
            let above = self.path.len();
            self.path.push_str(&format!("[{index}]"));
            // An item has the place of the last key before it.
            self.note_place("]", self.keys.saturating_sub(1));
            self.value(depth + 1)?;
            self.path.truncate(above);
            match self.next().ok_or_else(ended)? {
                b',' => self.at += 1,
                b']' => break,
                byte => return Err(invalid(byte, "after array element")),
            }
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a string; returns its decoded text, or an empty one if it cannot be decoded.
    fn string(&mut self) -> Result<String, String> {
        let begin = self.at;
        self.at += 1;
        loop {
            match self.text.get(self.at).copied().ok_or_else(ended)? {
                b'"' => break,
                b'\\' => self.escape()?,
                byte if byte < 0x20 => return Err(invalid(byte, "in string literal")),
                _ => self.at += 1,
            }
        }
        self.at += 1;
        // Resolves escapes, because `"a"` and `"\u0061"` are the same key.
        Ok(serde_json::from_slice(&self.text[begin..self.at]).unwrap_or_default())
    }

    fn escape(&mut self) -> Result<(), String> {
        self.at += 1;
        match self.text.get(self.at).copied().ok_or_else(ended)? {
            b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => self.at += 1,
            b'u' => {
                for _ in 0..4 {
                    self.at += 1;
                    let byte = self.text.get(self.at).copied().ok_or_else(ended)?;
                    if !byte.is_ascii_hexdigit() {
                        return Err(invalid(byte, "in \\u hexadecimal character escape"));
                    }
                }
                self.at += 1;
            }
            byte => return Err(invalid(byte, "in string escape code")),
        }
        Ok(())
    }

    fn literal(&mut self, word: &str) -> Result<(), String> {
        for (index, wanted) in word.bytes().enumerate() {
            let byte = self.text.get(self.at).copied().ok_or_else(ended)?;
            // The first byte selected this literal, so it matches.
            if byte != wanted && index > 0 {
                let wanted = char::from(wanted);
                return Err(invalid(
                    byte,
                    &format!("in literal {word} (expecting '{wanted}')"),
                ));
            }
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), String> {
        if self.text.get(self.at) == Some(&b'-') {
            self.at += 1;
            let byte = self.text.get(self.at).copied().ok_or_else(ended)?;
            if !byte.is_ascii_digit() {
                return Err(invalid(byte, "in numeric literal"));
            }
        }
        match self.text.get(self.at) {
            // JSON allows no digit after a leading zero; a further digit is reported as a stray character.
            Some(b'0') => self.at += 1,
            _ => self.digits(),
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.wants_digit("after decimal point in numeric literal")?;
        }
        if let Some(b'e' | b'E') = self.text.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.text.get(self.at) {
                self.at += 1;
            }
            self.wants_digit("in exponent of numeric literal")?;
        }
        Ok(())
    }

    fn wants_digit(&mut self, context: &str) -> Result<(), String> {
        let byte = self.text.get(self.at).copied().ok_or_else(ended)?;
        if !byte.is_ascii_digit() {
            return Err(invalid(byte, context));
        }
        self.digits();
        Ok(())
    }

    fn digits(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_json_has_gos_error() {
        for (text, words) in [
            ("", "unexpected end of JSON input"),
            ("{\"a\": ", "unexpected end of JSON input"),
            (
                "{bad",
                "invalid character 'b' looking for beginning of object key string",
            ),
            (
                "{\"a\": 1,}",
                "invalid character '}' looking for beginning of object key string",
            ),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            (
                "{\"a\": 1 \"b\"}",
                "invalid character '\"' after object key:value pair",
            ),
            ("[1 2]", "invalid character '2' after array element"),
            ("x", "invalid character 'x' looking for beginning of value"),
            ("{} x", "invalid character 'x' after top-level value"),
            (
                "nul!",
                "invalid character '!' in literal null (expecting 'l')",
            ),
            ("\"\\q\"", "invalid character 'q' in string escape code"),
            ("-a", "invalid character 'a' in numeric literal"),
            (
                "1.x",
                "invalid character 'x' after decimal point in numeric literal",
            ),
            ("\"\n\"", "invalid character '\\n' in string literal"),
        ] {
            assert_eq!(check(text.as_bytes()).unwrap_err(), words, "{text}");
        }
    }

    #[test]
    fn valid_json_is_accepted() {
        for text in [
            "{}",
            " [1, -2.5e+3, true, null, \"\\u00e9\"] ",
            "0",
            "{\"a\": {\"b\": []}}",
        ] {
            assert_eq!(check(text.as_bytes()), Ok(Vec::new()), "{text}");
        }
        assert!(check("[".repeat(1000).as_bytes()).is_err());
    }

    #[test]
    fn keys_are_numbered_in_source_order() {
        let text = br#"{"b": {"z": 1, "a": [{"c": 2}]}, "a": 3}"#;
        let paths = ["a", "b.a[0].c", "b", "none", "b.a", "b.z", "b.a[0]"].map(str::to_owned);
        let places = [Some(4), Some(3), Some(0), None, Some(2), Some(1), Some(2)];
        assert_eq!(key_order(text, &paths), places);
        assert_eq!(key_order(b"{", &paths), [None; 7]);
    }

    #[test]
    fn duplicate_keys_are_reported_with_their_path() {
        let text = br#"{"data":{"a":"1"},"data":{"a":"2","a":"3"},"l":[{"x":1,"x":2}]}"#;
        assert_eq!(check(text).unwrap(), ["data", "data.a", "l[0].x"]);
        assert_eq!(duplicate_order(text), [2, 4, 7]);
    }

    proptest::proptest! {
        #[test]
        fn json_that_serde_accepts_is_accepted(text in "[\\[\\]{},:\"a0-9.eE+ tfn\\\\-]{0,12}") {
            let ours = check(text.as_bytes()).is_ok();
            let theirs = serde_json::from_str::<crate::json::Value>(&text).is_ok();
            // Serde rejects numbers that are too large for it, although they are valid JSON.
            proptest::prop_assert!(ours == theirs || ours && text.contains(['e', 'E']), "{text}");
        }
    }
}
