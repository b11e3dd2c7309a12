//! Parses branches by patterns, functions and here-documents.

use std::rc::Rc;

use crate::syntax::{Body, Parser, Piece, RedirectTarget, Word, unexpected};

impl Parser {
    /// Parses a `case`.
    pub(crate) fn case(&mut self) -> Result<Body, String> {
        self.blanks();
        let word = self.word()?.ok_or_else(|| unexpected("newline"))?;
        self.expects("in")?;
        let mut branches = Vec::new();
        loop {
            self.separators();
            if self.sees("esac") {
                break;
            }
            // The parenthesis before the patterns is optional.
            let _ = self.takes("(");
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.push(self.word()?.ok_or_else(|| unexpected("newline"))?);
                self.blanks();
                if !self.takes("|") {
                    break;
                }
            }
            self.expects(")")?;
            branches.push((patterns, self.script(&["esac", ";;"])?));
            // The last branch needs no end.
            let _ = self.takes(";;");
        }
        self.expects("esac")?;
        Ok(Body::Case(word, branches))
    }

    /// Parses the definition of a function, if one comes next.
    pub(crate) fn function(&mut self) -> Result<Option<Body>, String> {
        let before = self.at;
        let is_named = self.sees("function") && self.takes("function");
        self.blanks();
        let name = self.name();
        self.blanks();
        let has_parentheses = self.takes("(") && {
            self.blanks();
            self.takes(")")
        };
        if name.is_empty() || !is_named && !has_parentheses {
            self.at = before;
            return Ok(None);
        }
        self.separators();
        let body = self.command()?;
        Ok(Some(Body::Function(name, Rc::new(body))))
    }

    /// Parses the input after `<<`: a word after a third `<`, or the lines up to a word.
    pub(crate) fn here(&mut self) -> Result<RedirectTarget, String> {
        if self.takes("<") {
            let mut word = self.target()?;
            word.push(Piece::Quoted("\n".to_owned()));
            return Ok(RedirectTarget::Text(word));
        }
        let strips_tabs = self.takes("-");
        let word = self.target()?;
        let text = |piece: &Piece| match piece {
            Piece::Text(text) | Piece::Quoted(text) => text.clone(),
            _ => String::new(),
        };
        let end: String = word.iter().map(text).collect();
        // A quoted word keeps the shell from expanding the document.
        let is_literal = word.iter().any(|piece| matches!(piece, Piece::Quoted(_)));
        let mut lines = String::new();
        // The document begins after the line of the command, which the parser has yet to read.
        let rest = self.text[self.at..].iter();
        let start = self.at + rest.take_while(|c| **c != '\n').count() + 1;
        let mut next = start;
        while next < self.text.len() {
            let line: String = self.text[next..]
                .iter()
                .take_while(|c| **c != '\n')
                .collect();
            next += line.chars().count() + 1;
            let line = match strips_tabs {
                true => line.trim_start_matches('\t'),
                false => &line,
            };
            if line == end {
                break;
            }
            lines.push_str(line);
            lines.push('\n');
        }
        // The parser continues as if the document were not there.
        let (start, next) = (start.min(self.text.len()), next.min(self.text.len()));
        self.text.drain(start..next);
        match is_literal {
            true => Ok(RedirectTarget::Text(vec![Piece::Quoted(lines)])),
            false => document(&lines).map(RedirectTarget::Text),
        }
    }
}

/// Parses text as in double quotes.
///
/// # Errors
/// Returns a shell's error message.
pub(crate) fn document(text: &str) -> Result<Word, String> {
    let mut word = Word::new();
    Parser::new(text).double_quoted(&mut word, None)?;
    Ok(word)
}
