//! Determines the token that starts here: indicators, keys, and the rules for where they may be.

use super::super::error::{Mark, YamlError};
use super::{Kind, Scanner, SimpleKey, Token};

impl<'a> Scanner<'a> {
    /// Scans one or more tokens into the queue.
    pub(super) fn fetch(&mut self) -> Result<(), YamlError> {
        self.skip_to_token();
        let indent = self.column();
        // Smaller indentation ends collections before the next token is read.
        self.unroll_indent(indent);
        if self.pos >= self.text.len() {
            return self.fetch_stream_end();
        }
        let byte = self.byte(0);
        if indent == 0 && byte == b'%' {
            return self.fetch_directive();
        }
        if self.at_document_indicator() {
            return self.fetch_document_indicator(byte);
        }
        match byte {
            b'[' => self.fetch_flow_start(Kind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(Kind::FlowMappingStart),
            b']' => self.fetch_flow_end(Kind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(Kind::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if self.is_blankz(1) => self.fetch_block_entry(),
            // A question mark or colon that no blank follows is part of a word.
            b'?' if self.flow > 0 || self.is_blankz(1) => self.fetch_key(),
            b':' if self.flow > 0 || self.is_blankz(1) => self.fetch_value(),
            b'*' | b'&' => {
                self.save_simple_key()?;
                self.key_allowed = false;
                self.scan_anchor(byte == b'*')
            }
            b'!' => {
                self.save_simple_key()?;
                self.key_allowed = false;
                self.scan_tag()
            }
            b'|' | b'>' if self.flow == 0 => {
                self.remove_simple_key()?;
                self.key_allowed = true;
                self.scan_block_scalar(byte == b'|')
            }
            b'\'' | b'"' => {
                self.save_simple_key()?;
                self.key_allowed = false;
                self.scan_quoted(byte == b'\'')
            }
            b'|' | b'>' | b'%' | b'@' | b'`' | b'#' | b'\t' => Err(self.no_token()),
            _ => {
                self.save_simple_key()?;
                // A plain word becomes a key if a colon follows it.
                self.key_allowed = false;
                self.scan_plain()
            }
        }
    }

    fn no_token(&mut self) -> YamlError {
        let mark = self.mark();
        self.error_from(mark, "found character that cannot start any token")
    }

    fn skip_to_token(&mut self) {
        loop {
            if self.byte(0) == 0xEF
                // Each document may begin with a byte order mark.
                && self.text[self.pos..].starts_with('\u{FEFF}')
                && self.column() == 0
            {
                self.pos += 3;
                self.counted = (self.pos, 0);
            }
            let tabs = self.flow > 0 || !self.key_allowed;
            while self.byte(0) == b' ' || (tabs && self.byte(0) == b'\t') {
                self.pos += 1;
            }
            self.skip_comment();
            if self.take_break().is_empty() {
                return;
            }
            if self.flow == 0 {
                self.key_allowed = true;
            }
        }
    }

    fn push(&mut self, kind: Kind<'a>, mark: Mark) {
        self.tokens.push_back(Token { kind, mark });
    }

    fn push_indicator(&mut self, kind: Kind<'a>, len: usize) {
        let mark = self.mark();
        self.pos += len;
        self.push(kind, mark);
    }

    fn fetch_stream_end(&mut self) -> Result<(), YamlError> {
        // As in libyaml, the end counts as a new line, so errors name the next line.
        if self.column() != 0 {
            self.line += 1;
            self.counted = (self.pos, 0);
        }
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.key_allowed = false;
        self.ended = true;
        self.push_indicator(Kind::StreamEnd, 0);
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<(), YamlError> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.key_allowed = false;
        self.scan_directive()
    }

    fn fetch_document_indicator(&mut self, byte: u8) -> Result<(), YamlError> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.key_allowed = false;
        let kind = if byte == b'-' {
            Kind::DocumentStart
        } else {
            Kind::DocumentEnd
        };
        self.push_indicator(kind, 3);
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: Kind<'a>) -> Result<(), YamlError> {
        self.save_simple_key()?;
        self.simple_keys.push(SimpleKey::default());
        // Checked before the stack of open collections grows.
        self.flow += 1;
        if self.flow > self.max_depth {
            let mark = self.mark();
            return Err(self.too_deep(mark));
        }
        self.key_allowed = true;
        self.push_indicator(kind, 1);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: Kind<'a>) -> Result<(), YamlError> {
        self.remove_simple_key()?;
        if self.flow > 0 {
            self.flow -= 1;
            self.simple_keys.pop();
        }
        self.key_allowed = false;
        self.push_indicator(kind, 1);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<(), YamlError> {
        self.remove_simple_key()?;
        self.key_allowed = true;
        self.push_indicator(Kind::FlowEntry, 1);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), YamlError> {
        let mark = self.mark();
        if self.flow == 0 {
            if !self.key_allowed {
                let problem = "block sequence entries are not allowed in this context";
                return Err(self.error_from(mark, problem));
            }
            self.roll_indent(mark, None, Kind::BlockSequenceStart)?;
        }
        self.remove_simple_key()?;
        self.key_allowed = true;
        self.push_indicator(Kind::BlockEntry, 1);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), YamlError> {
        let mark = self.mark();
        if self.flow == 0 {
            if !self.key_allowed {
                return Err(self.error_from(mark, "mapping keys are not allowed in this context"));
            }
            self.roll_indent(mark, None, Kind::BlockMappingStart)?;
        }
        self.remove_simple_key()?;
        self.key_allowed = self.flow == 0;
        self.push_indicator(Kind::Key, 1);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), YamlError> {
        let top = self.simple_keys.len().saturating_sub(1);
        if self.key_is_valid(top)? {
            let key = self.simple_keys[top];
            let token = Token {
                kind: Kind::Key,
                mark: key.mark,
            };
            // Inserts the `Key` token before the plain word.
            self.tokens.insert(key.token - self.taken, token);
            self.roll_indent(key.mark, Some(key.token), Kind::BlockMappingStart)?;
            self.simple_keys[top].possible = false;
            self.key_allowed = false;
        } else {
            if self.flow == 0 {
                let mark = self.mark();
                if !self.key_allowed {
                    let problem = "mapping values are not allowed in this context";
                    return Err(self.error_from(mark, problem));
                }
                self.roll_indent(mark, None, Kind::BlockMappingStart)?;
            }
            self.key_allowed = self.flow == 0;
        }
        self.push_indicator(Kind::Value, 1);
        Ok(())
    }
}
