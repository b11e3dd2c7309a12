//! Splits a template into tokens.

use crate::api::go::{is_printable, quoted};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Error,
    Bool,
    Char,
    CharConstant,
    Assign,
    Declare,
    End,
    Field,
    Identifier,
    LeftDelim,
    LeftParen,
    Number,
    Pipe,
    RawString,
    RightDelim,
    RightParen,
    Space,
    String,
    Text,
    Variable,
    Dot,
    Nil,
    Keyword,
}

/// A token with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) at: usize,
    pub(super) line: usize,
}

impl Token {
    /// Returns the token as errors show it.
    pub(super) fn shown(&self) -> String {
        match self.kind {
            Kind::End => "EOF".to_owned(),
            Kind::Error => self.text.clone(),
            Kind::Dot | Kind::Nil | Kind::Keyword => format!("<{}>", self.text),
            // As in Go's parser, long tokens are truncated.
            _ if self.text.len() > 10 => {
                let start: String = self.text.chars().take(10).collect();
                format!("{}...", quoted(&start))
            }
            _ => quoted(&self.text),
        }
    }

    pub(super) fn is_keyword(&self, word: &str) -> bool {
        self.kind == Kind::Keyword && self.text == word
    }
}

const KEYWORDS: [&str; 10] = [
    "block", "break", "continue", "define", "else", "end", "if", "range", "template", "with",
];

const SPACES: [char; 4] = [' ', '\t', '\r', '\n'];

/// Returns the tokens of a template. The last one is the end or an error.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        input: text,
        at: 0,
        line: 1,
        counted: 0,
        parens: 0,
        tokens: Vec::new(),
    };
    if let Err(message) = lexer.run() {
        lexer.push(Kind::Error, lexer.at, message);
    }
    lexer.tokens
}

struct Lexer<'t> {
    input: &'t str,
    at: usize,
    line: usize,
    /// The offset up to which line breaks have been counted.
    counted: usize,
    parens: usize,
    tokens: Vec<Token>,
}

type Lexed = Result<(), String>;

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.input[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn push(&mut self, kind: Kind, at: usize, text: String) {
        // Counts from the last token on, so that no text is searched twice.
        self.line += self.input[self.counted..at].matches('\n').count();
        self.counted = at;
        let line = self.line;
        self.tokens.push(Token {
            kind,
            text,
            at,
            line,
        });
    }

    /// Adds a token with the text from `from` up to the current position.
    fn emit(&mut self, kind: Kind, from: usize) {
        let text = self.input[from..self.at].to_owned();
        self.push(kind, from, text);
    }

    fn run(&mut self) -> Lexed {
        loop {
            let Some(length) = self.rest().find("{{") else {
                let from = self.at;
                self.at = self.input.len();
                if self.at > from {
                    self.emit(Kind::Text, from);
                }
                self.push(Kind::End, self.input.len(), String::new());
                return Ok(());
            };
            let inside = &self.rest()[length + 2..];
            // `{{- ` trims only if a blank follows the dash; `{{-3}}` contains a number.
            let trims = inside.starts_with('-') && inside[1..].starts_with(SPACES);
            let text = &self.rest()[..length];
            let shown = if trims {
                text.trim_end_matches(SPACES)
            } else {
                text
            };
            if !shown.is_empty() {
                self.push(Kind::Text, self.at, shown.to_owned());
            }
            self.at += length;
            let after = if trims { 2 } else { 0 };
            if inside[after..].starts_with("/*") {
                self.at += 2 + after;
                self.comment()?;
                continue;
            }
            let from = self.at;
            self.at += 2;
            self.emit(Kind::LeftDelim, from);
            self.at += after;
            // Parentheses must be closed within their action.
            self.parens = 0;
            while !self.inside()? {}
        }
    }

    fn comment(&mut self) -> Lexed {
        let length = self.rest().find("*/").ok_or("unclosed comment")?;
        self.at += length + 2;
        match self.right_delim() {
            None => Err("comment ends before closing delimiter".to_owned()),
            Some(trims) => {
                self.skip_delim(trims);
                Ok(())
            }
        }
    }

    /// Returns `Some` if an action ends here; the value is true if it trims the text that follows.
    fn right_delim(&self) -> Option<bool> {
        let rest = self.rest();
        if rest.starts_with(SPACES) && rest[1..].starts_with("-}}") {
            return Some(true);
        }
        rest.starts_with("}}").then_some(false)
    }

    fn skip_delim(&mut self, trims: bool) {
        self.at += if trims { 4 } else { 2 };
        if trims {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches(SPACES).len();
        }
    }

    /// Reads one token of an action; returns true if it ends the action.
    fn inside(&mut self) -> Result<bool, String> {
        if let Some(trims) = self.right_delim() {
            if self.parens > 0 {
                return Err("unclosed left paren".to_owned());
            }
            // The delimiter begins after the blank and the dash.
            let at = self.at + usize::from(trims) * 2;
            self.skip_delim(trims);
            self.push(Kind::RightDelim, at, "}}".to_owned());
            return Ok(true);
        }
        let from = self.at;
        let Some(c) = self.next() else {
            return Err("unclosed action".to_owned());
        };
        match c {
            c if SPACES.contains(&c) => self.space(from),
            '=' => self.emit(Kind::Assign, from),
            ':' => {
                if self.next() != Some('=') {
                    return Err("expected :=".to_owned());
                }
                self.emit(Kind::Declare, from);
            }
            '|' => self.emit(Kind::Pipe, from),
            '"' => self.quote(from, '"', Kind::String, "unterminated quoted string")?,
            '\'' => self.quote(
                from,
                '\'',
                Kind::CharConstant,
                "unterminated character constant",
            )?,
            '`' => {
                let length = self
                    .rest()
                    .find('`')
                    .ok_or("unterminated raw quoted string")?;
                self.at += length + 1;
                self.emit(Kind::RawString, from);
            }
            '$' => self.name(from, Kind::Variable, Kind::Variable)?,
            // A dot before a digit begins a number.
            '.' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => {
                self.name(from, Kind::Field, Kind::Dot)?;
            }
            c if "+-.".contains(c) || c.is_ascii_digit() => self.number(from)?,
            c if is_word(c) => self.word(from)?,
            '(' => {
                self.emit(Kind::LeftParen, from);
                self.parens += 1;
            }
            ')' => {
                self.parens = self.parens.checked_sub(1).ok_or("unexpected right paren")?;
                self.emit(Kind::RightParen, from);
            }
            c if c.is_ascii() && is_printable(c) => self.emit(Kind::Char, from),
            c => {
                return Err(format!(
                    "unrecognized character in action: {}",
                    code_point(c)
                ));
            }
        }
        Ok(false)
    }

    /// Reads a run of spaces, except for one that belongs to a trimming delimiter.
    fn space(&mut self, from: usize) {
        // The blank before `-}}` belongs to the delimiter.
        while self.peek().is_some_and(|c| SPACES.contains(&c)) && self.right_delim().is_none() {
            self.at += 1;
        }
        self.emit(Kind::Space, from);
    }

    fn quote(&mut self, from: usize, quote: char, kind: Kind, unterminated: &str) -> Lexed {
        loop {
            match self.next() {
                // An escaped quote does not end the string.
                Some('\\') if self.peek().is_some_and(|c| c != '\n') => {
                    self.next();
                }
                None | Some('\\' | '\n') => return Err(unterminated.to_owned()),
                Some(c) if c == quote => break,
                Some(_) => {}
            }
        }
        self.emit(kind, from);
        Ok(())
    }

    /// Reads a field or variable, or a token of the kind `alone` if no name follows.
    fn name(&mut self, from: usize, kind: Kind, alone: Kind) -> Lexed {
        if self.at_terminator() {
            self.emit(alone, from);
            return Ok(());
        }
        self.skip_word();
        self.check_terminator()?;
        self.emit(kind, from);
        Ok(())
    }

    fn word(&mut self, from: usize) -> Lexed {
        self.skip_word();
        self.check_terminator()?;
        let kind = match &self.input[from..self.at] {
            "nil" => Kind::Nil,
            "true" | "false" => Kind::Bool,
            word if KEYWORDS.contains(&word) => Kind::Keyword,
            _ => Kind::Identifier,
        };
        self.emit(kind, from);
        Ok(())
    }

    fn skip_word(&mut self) {
        let rest = self.rest();
        self.at += rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    }

    fn at_terminator(&self) -> bool {
        // A single brace does not end a name.
        self.rest().starts_with("}}")
            || self
                .peek()
                .is_none_or(|c| SPACES.contains(&c) || ".,|:()".contains(c))
    }

    fn check_terminator(&self) -> Lexed {
        match self.peek() {
            Some(c) if !self.at_terminator() => Err(format!("bad character {}", code_point(c))),
            _ => Ok(()),
        }
    }

    fn accept(&mut self, chars: &str) -> bool {
        let is_next = self.peek().is_some_and(|c| chars.contains(c));
        self.at += usize::from(is_next);
        is_next
    }

    fn number(&mut self, from: usize) -> Lexed {
        const DECIMAL: &str = "0123456789_";
        const HEX: &str = "0123456789abcdefABCDEF_";
        self.at = from;
        self.accept("+-");
        let mut digits = DECIMAL;
        // The prefix determines which digits are read; a wrong digit is reported when the number is parsed.
        if self.accept("0") {
            if self.accept("xX") {
                digits = HEX;
            } else if self.accept("oO") {
                digits = "01234567_";
            } else if self.accept("bB") {
                digits = "01_";
            }
        }
        while self.accept(digits) {}
        if self.accept(".") {
            while self.accept(digits) {}
        }
        if (digits == DECIMAL && self.accept("eE")) || (digits == HEX && self.accept("pP")) {
            self.accept("+-");
            while self.accept(DECIMAL) {}
        }
        // Complex numbers are not supported.
        if let Some(c) = self.peek().filter(|c| is_word(*c)) {
            self.at += c.len_utf8();
            return Err(format!(
                "bad number syntax: {}",
                quoted(&self.input[from..self.at])
            ));
        }
        self.emit(Kind::Number, from);
        Ok(())
    }
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Formats a character as `U+007E '~'`.
fn code_point(c: char) -> String {
    let code = format!("U+{:04X}", u32::from(c));
    match is_printable(c) {
        true => format!("{code} '{c}'"),
        false => code,
    }
}
