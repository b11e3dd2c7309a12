//! Parses the text form of a label selector.

use super::label::{LabelSelectorError, Operator, Requirement, invalid};
use super::lexer::{Token, tokens};
use super::names;

pub(super) fn parse(text: &str) -> Result<Vec<Requirement>, LabelSelectorError> {
    let mut parser = Parser {
        tokens: tokens(text),
        at: 0,
    };
    parser.selector().map_err(LabelSelectorError)
}

struct Parser {
    tokens: Vec<(Token, String)>,
    at: usize,
}

/// Treats `in` and `notin` as ordinary words where a key or a value is expected.
fn as_word(token: Token) -> Token {
    match token {
        Token::In | Token::NotIn => Token::Identifier,
        other => other,
    }
}

impl Parser {
    /// Returns the current token. The last token stays current.
    fn current(&self) -> (Token, String) {
        let at = self.at.min(self.tokens.len() - 1);
        self.tokens[at].clone()
    }

    fn peek(&self) -> (Token, String) {
        let (token, text) = self.current();
        (as_word(token), text)
    }

    fn take(&mut self) -> (Token, String) {
        let taken = self.peek();
        self.at += 1;
        taken
    }

    fn selector(&mut self) -> Result<Vec<Requirement>, String> {
        let mut requirements = Vec::new();
        loop {
            let (token, text) = self.peek();
            match token {
                Token::Identifier | Token::DoesNotExist => {
                    let requirement = self.requirement();
                    requirements.push(
                        requirement.map_err(|e| format!("unable to parse requirement: {e}"))?,
                    );
                    match self.take() {
                        (Token::End, _) => return Ok(requirements),
                        (Token::Comma, _) => {
                            let (next, text) = self.peek();
                            if !matches!(next, Token::Identifier | Token::DoesNotExist) {
                                return Err(format!(
                                    "found '{text}', expected: identifier after ','"
                                ));
                            }
                        }
                        (_, text) => {
                            return Err(format!(
                                "found '{text}', expected: ',' or 'end of string'"
                            ));
                        }
                    }
                }
                Token::End => return Ok(requirements),
                _ => {
                    return Err(format!(
                        "found '{text}', expected: !, identifier, or 'end of string'"
                    ));
                }
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let (key, existence) = self.key()?;
        let (operator, values) = match existence {
            Some(operator) => (operator, Vec::new()),
            None => {
                let operator = self.operator()?;
                let values = match operator {
                    Operator::In | Operator::NotIn => self.values()?,
                    _ => vec![self.exact_value()?],
                };
                (operator, values)
            }
        };
        Requirement::new(&key, operator, values).map_err(|e| e.0)
    }

    fn key(&mut self) -> Result<(String, Option<Operator>), String> {
        let mut existence = None;
        let (mut token, mut key) = self.take();
        if token == Token::DoesNotExist {
            existence = Some(Operator::DoesNotExist);
            (token, key) = self.take();
        }
        if token != Token::Identifier {
            return Err(format!("found '{key}', expected: identifier"));
        }
        let wrong = names::key_problems(&key);
        if !wrong.is_empty() {
            return Err(invalid("<nil>", &key, &wrong.join("; ")));
        }
        if existence.is_none() && matches!(self.peek().0, Token::End | Token::Comma) {
            existence = Some(Operator::Exists);
        }
        Ok((key, existence))
    }

    fn operator(&mut self) -> Result<Operator, String> {
        let (token, text) = self.current();
        self.at += 1;
        Ok(match token {
            Token::In => Operator::In,
            Token::NotIn => Operator::NotIn,
            Token::Equals => Operator::Equals,
            Token::DoubleEquals => Operator::DoubleEquals,
            Token::NotEquals => Operator::NotEquals,
            Token::GreaterThan => Operator::GreaterThan,
            Token::LessThan => Operator::LessThan,
            _ => {
                return Err(format!(
                    "found '{text}', expected: in, notin, =, ==, !=, gt, lt"
                ));
            }
        })
    }

    fn values(&mut self) -> Result<Vec<String>, String> {
        let (token, text) = self.take();
        if token != Token::OpenPar {
            return Err(format!("found '{text}' expected: '('"));
        }
        let (token, text) = self.peek();
        match token {
            Token::Identifier | Token::Comma => {
                let values = self.identifiers()?;
                if self.take().0 != Token::ClosedPar {
                    return Err(format!("found '{text}', expected: ')'"));
                }
                Ok(values)
            }
            Token::ClosedPar => {
                self.take();
                Ok(Vec::new())
            }
            _ => Err(format!("found '{text}', expected: ',', ')' or identifier")),
        }
    }

    /// Parses the words between parentheses; a missing word is an empty value.
    fn identifiers(&mut self) -> Result<Vec<String>, String> {
        let mut values: Vec<String> = Vec::new();
        loop {
            let (token, text) = self.take();
            match token {
                Token::Identifier => {
                    values.push(text);
                    match self.peek() {
                        (Token::Comma, _) => {}
                        (Token::ClosedPar, _) => return Ok(values),
                        (_, text) => {
                            return Err(format!("found '{text}', expected: ',' or ')'"));
                        }
                    }
                }
                Token::Comma => {
                    if values.is_empty() {
                        values.push(String::new());
                    }
                    match self.peek().0 {
                        Token::ClosedPar => {
                            values.push(String::new());
                            return Ok(values);
                        }
                        Token::Comma => {
                            self.take();
                            values.push(String::new());
                        }
                        _ => {}
                    }
                }
                _ => return Err(format!("found '{text}', expected: ',', or identifier")),
            }
        }
    }

    fn exact_value(&mut self) -> Result<String, String> {
        if matches!(self.peek().0, Token::End | Token::Comma) {
            return Ok(String::new());
        }
        match self.take() {
            (Token::Identifier, text) => Ok(text),
            (_, text) => Err(format!("found '{text}', expected: identifier")),
        }
    }
}
