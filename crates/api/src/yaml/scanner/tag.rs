//! Directives (`%YAML`, `%TAG`) and tags (`!!str`).

use super::super::error::{Mark, YamlError};
use super::{Kind, Scanner, Token};

impl<'a> Scanner<'a> {
    pub(super) fn scan_directive(&mut self) -> Result<(), YamlError> {
        let start = self.mark();
        self.pos += 1;
        let name = self.directive_name(start)?;
        let kind = match name {
            "YAML" => {
                self.skip_blanks();
                let major = self.version_number(start)?;
                if self.byte(0) != b'.' {
                    let problem = "did not find expected digit or '.' character";
                    return Err(self.error_from(start, problem));
                }
                self.pos += 1;
                Kind::Version(major, self.version_number(start)?)
            }
            "TAG" => self.tag_directive(start)?,
            _ => return Err(self.error_from(start, "found unknown directive name")),
        };
        self.skip_blanks();
        self.skip_comment();
        if !self.is_breakz(0) {
            return Err(self.error_from(start, "did not find expected comment or line break"));
        }
        self.take_break();
        self.tokens.push_back(Token { kind, mark: start });
        Ok(())
    }

    fn directive_name(&mut self, start: Mark) -> Result<&'a str, YamlError> {
        let from = self.pos;
        while self.is_word() {
            self.pos += 1;
        }
        let name = &self.text[from..self.pos];
        if name.is_empty() {
            return Err(self.error_from(start, "could not find expected directive name"));
        }
        if !self.is_blankz(0) {
            return Err(self.error_from(start, "found unexpected non-alphabetical character"));
        }
        Ok(name)
    }

    fn version_number(&mut self, start: Mark) -> Result<u32, YamlError> {
        let from = self.pos;
        while self.byte(0).is_ascii_digit() {
            self.pos += 1;
            if self.pos - from > 2 {
                return Err(self.error_from(start, "found extremely long version number"));
            }
        }
        match self.text[from..self.pos].parse() {
            Ok(number) => Ok(number),
            Err(_) => Err(self.error_from(start, "did not find expected version number")),
        }
    }

    fn tag_directive(&mut self, start: Mark) -> Result<Kind<'a>, YamlError> {
        self.skip_blanks();
        let handle = self.tag_handle(true, start)?;
        if !self.is_blank(0) {
            return Err(self.error_from(start, "did not find expected whitespace"));
        }
        self.skip_blanks();
        let prefix = self.tag_uri("", start)?;
        if !self.is_blankz(0) {
            return Err(self.error_from(start, "did not find expected whitespace or line break"));
        }
        Ok(Kind::TagDirective(Box::new((handle, prefix))))
    }

    pub(super) fn scan_tag(&mut self) -> Result<(), YamlError> {
        let start = self.mark();
        let (handle, suffix) = if self.byte(1) == b'<' {
            self.pos += 2;
            let suffix = self.tag_uri("", start)?;
            if self.byte(0) != b'>' {
                return Err(self.error_from(start, "did not find the expected '>'"));
            }
            self.pos += 1;
            (String::new(), suffix)
        } else {
            let handle = self.tag_handle(false, start)?;
            if handle.len() > 1 && handle.ends_with('!') {
                let suffix = self.tag_uri("", start)?;
                (handle, suffix)
            } else {
                match self.tag_uri(&handle, start)? {
                    suffix if suffix.is_empty() => (String::new(), "!".to_owned()),
                    suffix => ("!".to_owned(), suffix),
                }
            }
        };
        if !self.is_blankz(0) {
            return Err(self.error_from(start, "did not find expected whitespace or line break"));
        }
        self.tokens.push_back(Token {
            kind: Kind::Tag(Box::new((handle, suffix))),
            mark: start,
        });
        Ok(())
    }

    fn tag_handle(&mut self, directive: bool, start: Mark) -> Result<String, YamlError> {
        if self.byte(0) != b'!' {
            return Err(self.error_from(start, "did not find expected '!'"));
        }
        let from = self.pos;
        self.pos += 1;
        while self.is_word() {
            self.pos += 1;
        }
        if self.byte(0) == b'!' {
            self.pos += 1;
        } else if directive && self.pos - from > 1 {
            return Err(self.error_from(start, "did not find expected '!'"));
        }
        Ok(self.text[from..self.pos].to_owned())
    }

    /// Reads a tag's URI; `head` is the expansion of its handle.
    fn tag_uri(&mut self, head: &str, start: Mark) -> Result<String, YamlError> {
        let mut uri = head.get(1..).unwrap_or_default().as_bytes().to_vec();
        while self.is_word()
            || (self.byte(0) != 0 && b";/?:@&=+$,.!~*'()[]%".contains(&self.byte(0)))
        {
            if self.byte(0) == b'%' {
                uri.push(self.uri_escape(start)?);
            } else {
                uri.push(self.byte(0));
                self.pos += 1;
            }
        }
        if uri.is_empty() && head.is_empty() {
            return Err(self.error_from(start, "did not find expected tag URI"));
        }
        match String::from_utf8(uri) {
            Ok(uri) => Ok(uri),
            Err(_) => Err(self.error_from(start, "found an incorrect leading UTF-8 octet")),
        }
    }

    fn uri_escape(&mut self, start: Mark) -> Result<u8, YamlError> {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let (Some(high), Some(low)) = (digit(self.byte(1)), digit(self.byte(2))) else {
            return Err(self.error_from(start, "did not find URI escaped octet"));
        };
        self.pos += 3;
        u8::try_from(high * 16 + low)
            .map_err(|_| self.error_from(start, "did not find URI escaped octet"))
    }
}
