//! Parses tokens into an expression, using the binding powers of the specification.

use ctl_api::json::Value;

use super::lexer::{Token, tokens};

/// A node of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// `@` or an omitted operand.
    Current,
    Variable(String),
    Field(String),
    Literal(Value),
    Index(i64),
    Slice([Option<i64>; 3]),
    /// Evaluates the right side on the result of the left side.
    Sub(Box<Node>, Box<Node>),
    /// Like `Sub`, but also evaluates the right side on null.
    Pipe(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    And(Box<Node>, Box<Node>),
    Not(Box<Node>),
    Compare(&'static str, Box<Node>, Box<Node>),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
    Call(String, Vec<Node>),
    /// `&expression`, for functions that evaluate it on each item.
    Reference(Box<Node>),
    Flatten(Box<Node>),
    /// Evaluates the right side on each item of a list.
    Project(Box<Node>, Box<Node>),
    /// Evaluates the right side on each value of a map.
    Values(Box<Node>, Box<Node>),
    /// Evaluates the right side on each item that meets the condition.
    Filter(Box<Node>, Box<Node>, Box<Node>),
}

/// The maximum depth of expressions.
const DEPTH: usize = 64;

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

type Parsed = Result<Node, String>;

/// Parses an expression.
pub(super) fn parse(text: &str) -> Parsed {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        depth: 0,
    };
    let parsed = parser
        .expression(0)
        .map_err(|why| format!("{text:?}: {why}"))?;
    match parser.tokens.get(parser.at) {
        None => Ok(parsed),
        Some(token) => Err(format!("{text:?}: unexpected {token:?}")),
    }
}

/// Returns how strongly a token binds to the expression before it.
fn power(token: Option<&Token>) -> u8 {
    let Some(Token::Sign(sign)) = token else {
        return 0;
    };
    match *sign {
        "|" => 1,
        "||" => 2,
        "&&" => 3,
        "==" | "!=" | "<" | ">" | "<=" | ">=" => 5,
        "+" | "-" => 6,
        "[]" => 9,
        "[?" => 21,
        "." => 40,
        "[" => 55,
        _ => 0,
    }
}

/// Tokens with less than this binding power end a projection.
const PROJECTION: u8 = 10;

fn boxed(node: Node) -> Box<Node> {
    Box::new(node)
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(own)) if *own == sign)
    }

    fn take(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    fn need(&mut self, sign: &str) -> Result<(), String> {
        match self.take(sign) {
            true => Ok(()),
            false => Err(format!("{sign} is missing")),
        }
    }

    fn expression(&mut self, above: u8) -> Parsed {
        // Without a limit, a file full of brackets would overflow the stack.
        self.depth += 1;
        if self.depth > DEPTH {
            return Err("the expression is nested too deeply".to_owned());
        }
        let mut left = self.first()?;
        while power(self.peek()) > above {
            left = self.rest(left)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Parses the start of an expression.
    fn first(&mut self) -> Parsed {
        match self.next() {
            None => Err("unexpected end of the expression".to_owned()),
            // Only a bare name can be a function; a quoted one is always a field.
            Some(Token::Name(name)) => match self.take("(") {
                true => Ok(Node::Call(name, self.list(")")?)),
                false => Ok(Node::Field(name)),
            },
            Some(Token::Quoted(name)) => Ok(Node::Field(name)),
            Some(Token::Variable(name)) => Ok(Node::Variable(name)),
            Some(Token::Literal(value)) => Ok(Node::Literal(value)),
            Some(Token::Sign(sign)) => match sign {
                "@" => Ok(Node::Current),
                "!" => Ok(Node::Not(boxed(self.expression(45)?))),
                "&" => Ok(Node::Reference(boxed(self.expression(0)?))),
                "-" => match self.next() {
                    Some(Token::Literal(value)) if value.as_i64().is_some() => Ok(Node::Literal(
                        Value::from(-value.as_i64().unwrap_or_default()),
                    )),
                    _ => Err("expected a number after -".to_owned()),
                },
                "(" => {
                    let inner = self.expression(0)?;
                    self.need(")")?;
                    Ok(inner)
                }
                "*" => Ok(Node::Values(
                    boxed(Node::Current),
                    boxed(self.projected(20)?),
                )),
                "[]" => {
                    let flat = Node::Flatten(boxed(Node::Current));
                    Ok(Node::Project(boxed(flat), boxed(self.projected(9)?)))
                }
                "[?" => self.filter(Node::Current),
                "{" => self.map(),
                "[" => match self.brackets(Node::Current)? {
                    Some(node) => Ok(node),
                    None => Ok(Node::List(self.list("]")?)),
                },
                other => Err(format!("unexpected {other}")),
            },
        }
    }

    /// Parses the continuation of an expression.
    fn rest(&mut self, left: Node) -> Parsed {
        let Some(Token::Sign(sign)) = self.next() else {
            return Err("an operator is missing".to_owned());
        };
        let own = power(Some(&Token::Sign(sign)));
        match sign {
            "." if self.take("*") => Ok(Node::Values(boxed(left), boxed(self.projected(20)?))),
            "." => Ok(Node::Sub(boxed(left), boxed(self.behind_dot(40)?))),
            "|" => Ok(Node::Pipe(boxed(left), boxed(self.expression(own)?))),
            "||" => Ok(Node::Or(boxed(left), boxed(self.expression(own)?))),
            "&&" => Ok(Node::And(boxed(left), boxed(self.expression(own)?))),
            "[]" => {
                let flat = Node::Flatten(boxed(left));
                Ok(Node::Project(boxed(flat), boxed(self.projected(9)?)))
            }
            "[?" => self.filter(left),
            "[" => match self.brackets(left)? {
                Some(node) => Ok(node),
                None => Err("an index, * or a slice is missing in brackets".to_owned()),
            },
            "+" | "-" => {
                let name = if sign == "+" { "add" } else { "subtract" };
                Ok(Node::Call(
                    name.to_owned(),
                    vec![left, self.expression(own)?],
                ))
            }
            sign => Ok(Node::Compare(
                sign,
                boxed(left),
                boxed(self.expression(own)?),
            )),
        }
    }

    /// Parses an index, a slice or `*` after an opening bracket; returns `None` for a list of expressions.
    fn brackets(&mut self, left: Node) -> Result<Option<Node>, String> {
        if self.is("*") && self.tokens.get(self.at + 1) == Some(&Token::Sign("]")) {
            self.at += 2;
            return Ok(Some(Node::Project(boxed(left), boxed(self.projected(20)?))));
        }
        let mut numbers = [None; 3];
        let (mut place, begin) = (0, self.at);
        loop {
            let negative = self.take("-");
            match self.peek() {
                Some(Token::Literal(value))
                    if value.as_i64().is_some() && numbers[place].is_none() =>
                {
                    let number = value.as_i64().unwrap_or_default();
                    numbers[place] = Some(if negative { -number } else { number });
                    self.at += 1;
                }
                Some(Token::Sign(":")) if !negative && place < 2 => {
                    place += 1;
                    self.at += 1;
                }
                Some(Token::Sign("]")) if !negative && self.at > begin => {
                    self.at += 1;
                    break;
                }
                // Steps back, because this is a list of expressions.
                _ => {
                    self.at = begin;
                    return Ok(None);
                }
            }
        }
        Ok(Some(match (place, numbers[0]) {
            (0, Some(index)) => Node::Sub(boxed(left), boxed(Node::Index(index))),
            (0, None) => return Err("an index is missing".to_owned()),
            _ => {
                let slice = Node::Sub(boxed(left), boxed(Node::Slice(numbers)));
                Node::Project(boxed(slice), boxed(self.projected(20)?))
            }
        }))
    }

    fn filter(&mut self, left: Node) -> Parsed {
        let condition = self.expression(0)?;
        self.need("]")?;
        // Flattening applies to the filtered list as a whole.
        let right = match self.is("[]") {
            true => Node::Current,
            false => self.projected(21)?,
        };
        Ok(Node::Filter(boxed(left), boxed(right), boxed(condition)))
    }

    /// Parses the expression that a projection applies to each item.
    fn projected(&mut self, above: u8) -> Parsed {
        // Comparisons and pipes end a projection, because they apply to the whole list.
        if power(self.peek()) < PROJECTION {
            return Ok(Node::Current);
        }
        if self.take(".") {
            return match self.take("*") {
                true => Ok(Node::Values(
                    boxed(Node::Current),
                    boxed(self.projected(20)?),
                )),
                false => self.behind_dot(above),
            };
        }
        self.expression(above)
    }

    fn behind_dot(&mut self, above: u8) -> Parsed {
        match self.peek() {
            Some(Token::Name(_) | Token::Quoted(_)) => self.expression(above),
            Some(Token::Sign("[")) => {
                self.at += 1;
                Ok(Node::List(self.list("]")?))
            }
            Some(Token::Sign("{")) => {
                self.at += 1;
                self.map()
            }
            _ => Err("expected a name after .".to_owned()),
        }
    }

    /// Parses expressions up to a closing sign.
    fn list(&mut self, end: &str) -> Result<Vec<Node>, String> {
        let mut all = Vec::new();
        // A function without arguments.
        if self.take(end) {
            return Ok(all);
        }
        loop {
            all.push(self.expression(0)?);
            if self.take(end) {
                return Ok(all);
            }
            self.need(",")?;
        }
    }

    fn map(&mut self) -> Parsed {
        let mut all = Vec::new();
        loop {
            let (Some(Token::Name(name)) | Some(Token::Quoted(name))) = self.next() else {
                return Err("expected a name in braces".to_owned());
            };
            self.need(":")?;
            all.push((name, self.expression(0)?));
            if self.take("}") {
                return Ok(Node::Map(all));
            }
            self.need(",")?;
        }
    }
}
