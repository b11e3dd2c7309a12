//! Unquotes strings as Go does, including those in single quotes.

/// Returns the content of a string between two equal quotes, with its escapes resolved.
pub(super) fn unquote(quoted: &str) -> Option<String> {
    let quote = quoted.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = quoted.get(1..)?.strip_suffix(quote)?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => escape(&mut chars, quote, &mut bytes)?,
            c if c == quote => return None,
            c => push(&mut bytes, c),
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn push(bytes: &mut Vec<u8>, c: char) {
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Appends the character that an escape sequence stands for.
fn escape(chars: &mut std::str::Chars<'_>, quote: char, bytes: &mut Vec<u8>) -> Option<()> {
    let c = chars.next()?;
    match c {
        'a' => bytes.push(7),
        'b' => bytes.push(8),
        'f' => bytes.push(12),
        'n' => bytes.push(b'\n'),
        'r' => bytes.push(b'\r'),
        't' => bytes.push(b'\t'),
        'v' => bytes.push(11),
        '\\' => bytes.push(b'\\'),
        'x' => bytes.push(u8::try_from(digits(chars, 2, 16, 0)?).ok()?),
        'u' => push(bytes, char::from_u32(digits(chars, 4, 16, 0)?)?),
        'U' => push(bytes, char::from_u32(digits(chars, 8, 16, 0)?)?),
        '0'..='7' => bytes.push(u8::try_from(digits(chars, 2, 8, c.to_digit(8)?)?).ok()?),
        c if c == quote => push(bytes, c),
        _ => return None,
    }
    Some(())
}

fn digits(chars: &mut std::str::Chars<'_>, count: usize, radix: u32, first: u32) -> Option<u32> {
    (0..count).try_fold(first, |sum, _| {
        let digit = chars.next()?.to_digit(radix)?;
        sum.checked_mul(radix)?.checked_add(digit)
    })
}
