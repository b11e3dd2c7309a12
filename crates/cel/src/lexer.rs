//! Splits the source of an expression into tokens.

use super::Problem;

/// The text of the token that marks the end.
pub(super) const END: &str = "<EOF>";

/// A token with its position, in characters, and its text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) at: usize,
    pub(super) text: String,
    pub(super) kind: Kind,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Name(String),
    Int(i128),
    Uint(u64),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    Sign(&'static str),
    End,
}

/// The signs, the longer ones first.
const SIGNS: &[&str] = &[
    "==", "!=", "<=", ">=", "&&", "||", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":",
    "+", "*", "/", "%", "<", ">",
];

/// Splits a text into tokens; the last one marks the end. Also returns the problems of characters that are no tokens,
/// which the tokens omit.
pub(super) fn tokens(text: &str) -> Result<(Vec<Token>, Vec<Problem>), Problem> {
    let mut lexer = Lexer {
        chars: text.chars().collect(),
        at: 0,
        unknown: Vec::new(),
    };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next()?;
        let end = token.kind == Kind::End;
        tokens.push(token);
        if end {
            return Ok((tokens, lexer.unknown));
        }
    }
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    unknown: Vec<Problem>,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn next(&mut self) -> Result<Token, Problem> {
        loop {
            self.skip_space();
            let at = self.at;
            if let Some(kind) = self.kind()? {
                let text = match kind {
                    Kind::End => END.to_owned(),
                    _ => self.chars[at..self.at].iter().collect(),
                };
                return Ok(Token { at, text, kind });
            }
        }
    }

    fn skip_space(&mut self) {
        while self.peek(0).is_whitespace() || (self.peek(0), self.peek(1)) == ('/', '/') {
            if self.peek(0) == '/' {
                while self.at < self.chars.len() && self.peek(0) != '\n' {
                    self.at += 1;
                }
            } else {
                self.at += 1;
            }
        }
    }

    /// Records the characters from `start` to the current one, which fits no token, and continues after it, as ANTLR
    /// does.
    fn unknown(&mut self, start: usize) {
        self.at = self.chars.len().min(self.at + 1);
        let text: String = self.chars[start..self.at].iter().collect();
        let message = format!("Syntax error: token recognition error at: '{text}'");
        self.unknown.push(Problem::new(start, message));
    }

    /// Reads a token; returns `None` if there was none.
    fn kind(&mut self) -> Result<Option<Kind>, Problem> {
        let c = self.peek(0);
        if self.at >= self.chars.len() {
            return Ok(Some(Kind::End));
        }
        // Comes before names: in `r"..."` and `b'...'`, the letter belongs to the string.
        if let Some((raw, bytes, quotes)) = self.string_prefix() {
            self.at += quotes;
            return self.string(raw, bytes);
        }
        // `.5` is a number, `.name` is a sign and a name.
        if c.is_ascii_digit() || c == '.' && self.peek(1).is_ascii_digit() {
            return self.number().map(Some);
        }
        if c.is_ascii_alphabetic() || c == '_' {
            let start = self.at;
            while self.peek(0).is_ascii_alphanumeric() || self.peek(0) == '_' {
                self.at += 1;
            }
            let name = self.chars[start..self.at].iter().collect();
            return Ok(Some(Kind::Name(name)));
        }
        let sign = SIGNS
            .iter()
            .find(|sign| sign.chars().enumerate().all(|(i, c)| self.peek(i) == c));
        let Some(sign) = sign else {
            let start = self.at;
            // These begin an operator, so the character after them is the one that does not fit.
            self.at += usize::from(matches!(c, '=' | '&' | '|'));
            self.unknown(start);
            return Ok(None);
        };
        self.at += sign.len();
        Ok(Some(Kind::Sign(sign)))
    }

    /// Returns if the string that begins here is raw and if it is bytes, with the number of characters before its
    /// content.
    fn string_prefix(&self) -> Option<(bool, bool, usize)> {
        let (mut raw, mut bytes, mut at) = (false, false, 0);
        loop {
            match self.peek(at) {
                'r' | 'R' if !raw => raw = true,
                'b' | 'B' if !bytes => bytes = true,
                '"' | '\'' => return Some((raw, bytes, at)),
                _ => return None,
            }
            at += 1;
        }
    }

    fn string(&mut self, raw: bool, bytes: bool) -> Result<Option<Kind>, Problem> {
        let start = self.at;
        let quote = self.peek(0);
        let long = self.peek(1) == quote && self.peek(2) == quote;
        let width = if long { 3 } else { 1 };
        self.at += width;
        let mut out = Vec::new();
        loop {
            let closed = (0..width).all(|i| self.peek(i) == quote);
            if closed {
                self.at += width;
                break;
            }
            // Only triple-quoted strings may span lines.
            let open = self.at >= self.chars.len() || !long && self.peek(0) == '\n';
            if open {
                self.unknown(start);
                return Ok(None);
            }
            let c = self.peek(0);
            self.at += 1;
            if c == '\\' && !raw {
                self.escape(bytes, &mut out)?;
            } else {
                push(c, &mut out);
            }
        }
        Ok(Some(match bytes {
            true => Kind::Bytes(out),
            false => Kind::Text(String::from_utf8_lossy(&out).into_owned()),
        }))
    }

    fn escape(&mut self, bytes: bool, out: &mut Vec<u8>) -> Result<(), Problem> {
        let at = self.at;
        let c = self.peek(0);
        self.at += 1;
        let plain = match c {
            'a' => Some('\u{7}'),
            'b' => Some('\u{8}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\u{b}'),
            '\\' | '?' | '"' | '\'' | '`' => Some(c),
            _ => None,
        };
        if let Some(c) = plain {
            push(c, out);
            return Ok(());
        }
        let digits = match c {
            'x' | 'X' => 2,
            'u' => 4,
            'U' => 8,
            '0'..='3' => {
                // Steps back, because the digit that was already consumed is part of the octal number.
                self.at -= 1;
                3
            }
            _ => 0,
        };
        let radix = if digits == 3 { 8 } else { 16 };
        let text: String = (0..digits).map(|i| self.peek(i)).collect();
        self.at += digits;
        let code = u32::from_str_radix(&text, radix)
            .ok()
            .filter(|_| digits > 0);
        let wrong = || Problem::new(at, "Syntax error: unable to unescape string");
        let code = code.ok_or_else(wrong)?;
        match u8::try_from(code) {
            // In bytes, `\xff` is a single byte. In a string, it is the character U+00FF, which takes two bytes.
            Ok(byte) if bytes => out.push(byte),
            _ => push(char::from_u32(code).ok_or_else(wrong)?, out),
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Kind, Problem> {
        let start = self.at;
        let wrong =
            |what: &str| Problem::new(start, format!("Syntax error: invalid {what} literal"));
        if self.peek(0) == '0' && matches!(self.peek(1), 'x' | 'X') {
            self.at += 2;
            let digits = self.while_(|c| c.is_ascii_hexdigit());
            let number = i128::from_str_radix(&digits, 16).map_err(|_| wrong("int"))?;
            return self.int_or_uint(number, wrong("uint"));
        }
        let mut text = self.while_(|c| c.is_ascii_digit());
        let mut double = false;
        // The dot needs a digit after it, because `1.size()` is a call on an integer.
        if self.peek(0) == '.' && self.peek(1).is_ascii_digit() {
            self.at += 1;
            text = format!("{text}.{}", self.while_(|c| c.is_ascii_digit()));
            double = true;
        }
        let signed = usize::from(matches!(self.peek(1), '+' | '-'));
        if matches!(self.peek(0), 'e' | 'E') && self.peek(1 + signed).is_ascii_digit() {
            let sign = if self.peek(1) == '-' { "-" } else { "" };
            self.at += 1 + signed;
            text = format!("{text}e{sign}{}", self.while_(|c| c.is_ascii_digit()));
            double = true;
        }
        if double {
            return text.parse().map(Kind::Double).map_err(|_| wrong("double"));
        }
        let number = text.parse().map_err(|_| wrong("int"))?;
        self.int_or_uint(number, wrong("uint"))
    }

    fn int_or_uint(&mut self, number: i128, wrong: Problem) -> Result<Kind, Problem> {
        if !matches!(self.peek(0), 'u' | 'U') {
            return Ok(Kind::Int(number));
        }
        self.at += 1;
        u64::try_from(number).map(Kind::Uint).map_err(|_| wrong)
    }

    fn while_(&mut self, fits: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while fits(self.peek(0)) {
            self.at += 1;
        }
        self.chars[start..self.at].iter().collect()
    }
}

fn push(c: char, out: &mut Vec<u8>) {
    out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
}
