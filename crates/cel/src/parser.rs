//! Parses CEL tokens into expressions and expands macros.

use super::Problem;
use super::ast::{Bind, Expr, Fold, FoldKind, MessageField, Node, Select};
use super::lexer::{END, Kind, Token, tokens};
use super::value::Value;

/// The maximum nesting depth of an expression.
const MAX_DEPTH: usize = 100;

/// The maximum length of a chain of fields, calls or operators.
const MAX_CHAIN: usize = 250;

const EXPECTED: &str = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, \
                        NUM_UINT, STRING, BYTES, IDENTIFIER}";

/// Reserved words, which cannot be used as names.
pub(super) const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "false",
    "var",
    "void",
    "while",
];

/// The binary operators, from lowest to highest precedence.
const LEVELS: &[&[(&str, &str)]] = &[
    &[("||", "_||_")],
    &[("&&", "_&&_")],
    &[
        ("==", "_==_"),
        ("!=", "_!=_"),
        ("<", "_<_"),
        ("<=", "_<=_"),
        (">", "_>_"),
        (">=", "_>=_"),
        ("in", "@in"),
    ],
    &[("+", "_+_"), ("-", "_-_")],
    &[("*", "_*_"), ("/", "_/_"), ("%", "_%_")],
];

/// Parses an expression.
pub(super) fn parse(text: &str) -> Result<Expr, Vec<Problem>> {
    let (tokens, mut problems) = tokens(text).map_err(|problem| vec![problem])?;
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
    };
    match parser.whole() {
        Ok(expr) if problems.is_empty() => Ok(expr),
        outcome => {
            problems.extend(outcome.err());
            problems.sort_by_key(|problem| problem.at);
            Err(problems)
        }
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    fn position(&self) -> usize {
        self.tokens[self.at].at
    }

    fn problem(&self, message: impl Into<String>) -> Problem {
        Problem::new(self.position(), message)
    }

    fn take(&mut self) -> Kind {
        let kind = self.tokens[self.at].kind.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        kind
    }

    fn is(&self, sign: &str) -> bool {
        match self.peek() {
            Kind::Sign(found) => *found == sign,
            Kind::Name(name) => name == sign && sign == "in",
            _ => false,
        }
    }

    fn whole(&mut self) -> Result<Expr, Problem> {
        let expr = self.expr()?;
        match self.peek() {
            Kind::End => Ok(expr),
            _ => Err(self.unexpected(END, |next| next.text == END)),
        }
    }

    /// Returns the error for the next token. `fits` returns true for the expected tokens: if the token after the next
    /// one is expected, ANTLR calls the next one extraneous.
    fn unexpected(&self, expected: &str, fits: impl Fn(&Token) -> bool) -> Problem {
        let what = match self.tokens.get(self.at + 1).is_some_and(fits) {
            true => "extraneous",
            false => "mismatched",
        };
        let found = &self.tokens[self.at].text;
        self.problem(format!(
            "Syntax error: {what} input '{found}' expecting {expected}"
        ))
    }

    /// Returns true if all brackets before the next token are closed except for the last one.
    fn in_outermost_bracket(&self) -> bool {
        let before = self.tokens[..self.at].iter().map(|token| &token.kind);
        let depth = before.map(|kind| match kind {
            Kind::Sign("(" | "[" | "{") => 1,
            Kind::Sign(")" | "]" | "}") => -1,
            _ => 0,
        });
        depth.sum::<i32>() == 1
    }

    /// Consumes the sign if it is next, and returns its position.
    fn eat(&mut self, sign: &str) -> Option<usize> {
        let at = self.position();
        self.is(sign).then(|| self.take()).map(|_| at)
    }

    fn need(&mut self, sign: &str) -> Result<usize, Problem> {
        self.eat(sign).ok_or_else(|| {
            let closes = matches!(sign, ")" | "]") && *self.peek() == Kind::End;
            // ANTLR adds a missing token if the text is complete with it.
            match closes && self.in_outermost_bracket() {
                true => self.problem(format!("Syntax error: missing '{sign}' at '{END}'")),
                false => self.unexpected(&format!("'{sign}'"), |next| next.text == sign),
            }
        })
    }

    /// Consumes the end of a list, map or object, before which another item may follow.
    fn need_end(&mut self, sign: &str) -> Result<(), Problem> {
        match self.eat(sign) {
            Some(_) => Ok(()),
            None => Err(self.unexpected(&format!("{{'{sign}', ','}}"), |next| {
                next.text == sign || next.text == ","
            })),
        }
    }

    fn expr(&mut self) -> Result<Expr, Problem> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.too_deep());
        }
        let condition = self.level(0)?;
        let expr = match self.eat("?") {
            None => condition,
            Some(at) => {
                let yes = self.level(0)?;
                self.need(":")?;
                let no = self.expr()?;
                call(at, "_?_:_", vec![condition, yes, no])
            }
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn level(&mut self, level: usize) -> Result<Expr, Problem> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut chain = vec![(0, "", self.level(level + 1)?)];
        while let Some((sign, name)) = operators.iter().find(|(sign, _)| self.is(sign)) {
            let at = self.need(sign)?;
            chain.push((at, name, self.level(level + 1)?));
            // A chain of an associative operator becomes a balanced tree, which stays shallow.
            if level > 1 && chain.len() > MAX_CHAIN {
                return Err(self.too_deep());
            }
        }
        Ok(if level > 1 {
            from_left(chain)
        } else {
            balanced(chain)
        })
    }

    fn too_deep(&self) -> Problem {
        self.problem(format!("expression recursion limit exceeded: {MAX_CHAIN}"))
    }

    fn unary(&mut self) -> Result<Expr, Problem> {
        for (sign, name) in [("!", "!_"), ("-", "-_")] {
            let Some(at) = self.eat(sign) else { continue };
            let mut odd = true;
            while self.eat(sign).is_some() {
                odd = !odd;
            }
            // The sign belongs to the literal, because the smallest integer has no positive counterpart.
            if sign == "-" && odd {
                match self.peek().clone() {
                    Kind::Int(number) => {
                        self.take();
                        let literal = self.int(-number, at)?;
                        return self.members(literal);
                    }
                    Kind::Double(number) => {
                        self.take();
                        return self.members(literal(at, Value::Double(-number)));
                    }
                    _ => {}
                }
            }
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(self.too_deep());
            }
            let operand = self.unary()?;
            self.depth -= 1;
            return Ok(match odd {
                true => call(at, name, vec![operand]),
                false => operand,
            });
        }
        let primary = self.primary()?;
        self.members(primary)
    }

    fn int(&self, number: i128, at: usize) -> Result<Expr, Problem> {
        i64::try_from(number)
            .map(|number| literal(at, Value::Int(number)))
            .map_err(|_| Problem::new(at, "Syntax error: invalid int literal"))
    }

    fn primary(&mut self) -> Result<Expr, Problem> {
        let at = self.position();
        let token = self.peek().clone();
        let value = match token {
            Kind::Int(number) => {
                self.take();
                return self.int(number, at);
            }
            Kind::Uint(number) => Value::Uint(number),
            Kind::Double(number) => Value::Double(number),
            Kind::Text(text) => Value::text(text),
            Kind::Bytes(bytes) => Value::Bytes(bytes.into()),
            Kind::Name(name) => return self.named(at, name),
            Kind::Sign("(") => {
                self.take();
                let inner = self.expr()?;
                self.need(")")?;
                return Ok(inner);
            }
            Kind::Sign("[") => return self.list(),
            Kind::Sign("{") => return self.map(),
            Kind::Sign(".") => {
                self.take();
                return self.primary();
            }
            _ => return Err(self.unexpected(EXPECTED, |next| begins_operand(&next.kind))),
        };
        self.take();
        Ok(literal(at, value))
    }

    fn named(&mut self, at: usize, name: String) -> Result<Expr, Problem> {
        match name.as_str() {
            "true" | "false" => {
                self.take();
                return Ok(literal(at, Value::Bool(name == "true")));
            }
            "null" => {
                self.take();
                return Ok(literal(at, Value::Null));
            }
            "in" => {
                return Err(self.unexpected(EXPECTED, |next| begins_operand(&next.kind)));
            }
            _ if RESERVED.contains(&name.as_str()) => {
                return Err(self.problem(format!("reserved identifier: {name}")));
            }
            _ => {}
        }
        self.take();
        let Some(open) = self.eat("(") else {
            return Ok(Expr {
                at,
                node: Node::Name(name),
            });
        };
        let args = self.arguments()?;
        if name == "has" {
            return has(open, args);
        }
        Ok(call(open, &name, args))
    }

    /// Parses what may follow an operand: fields, calls and indexes.
    fn members(&mut self, mut of: Expr) -> Result<Expr, Problem> {
        for _ in 0..MAX_CHAIN {
            if let Some(at) = self.eat(".") {
                let optional = self.eat("?").is_some();
                let field = self.field_name()?;
                of = match self.eat("(").filter(|_| !optional) {
                    Some(open) => {
                        let args = self.arguments()?;
                        member_call(open, of, field, args)?
                    }
                    None => {
                        let how = if optional {
                            Select::Optional
                        } else {
                            Select::Plain
                        };
                        let of = Box::new(of);
                        let node = Node::Select { of, field, how };
                        Expr { at, node }
                    }
                };
            } else if let Some(at) = self.eat("[") {
                let name = if self.eat("?").is_some() {
                    "_[?_]"
                } else {
                    "_[_]"
                };
                let index = self.expr()?;
                self.need("]")?;
                of = call(at, name, vec![of, index]);
            } else if let Some((name, at)) = type_name(&of).filter(|_| self.is("{")) {
                let fields = self.message()?;
                let node = Node::Message { name, fields };
                of = Expr { at, node };
            } else {
                return Ok(of);
            }
        }
        Err(self.too_deep())
    }

    fn field_name(&mut self) -> Result<String, Problem> {
        match self.peek().clone() {
            Kind::Name(name) => {
                self.take();
                Ok(name)
            }
            _ => {
                let shown = &self.tokens[self.at].text;
                Err(self.problem(format!(
                    "Syntax error: no viable alternative at input '.{shown}'"
                )))
            }
        }
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, Problem> {
        let mut args = Vec::new();
        if self.eat(")").is_some() {
            return Ok(args);
        }
        loop {
            args.push(self.expr()?);
            if self.eat(",").is_none() {
                self.need(")")?;
                return Ok(args);
            }
        }
    }

    fn list(&mut self) -> Result<Expr, Problem> {
        let at = self.need("[")?;
        let mut items = Vec::new();
        while !self.is("]") {
            let optional = self.eat("?").is_some();
            items.push((optional, self.expr()?));
            if self.eat(",").is_none() {
                break;
            }
        }
        self.need_end("]")?;
        let node = Node::List(items);
        Ok(Expr { at, node })
    }

    /// Parses the fields of an object literal.
    fn message(&mut self) -> Result<Vec<MessageField>, Problem> {
        self.need("{")?;
        let mut fields = Vec::new();
        while !self.is("}") {
            let optional = self.eat("?").is_some();
            let at = self.position();
            let name = self.field_name()?;
            self.need(":")?;
            let value = self.expr()?;
            fields.push(MessageField {
                at,
                optional,
                name,
                value,
            });
            if self.eat(",").is_none() {
                break;
            }
        }
        self.need_end("}")?;
        Ok(fields)
    }

    fn map(&mut self) -> Result<Expr, Problem> {
        let at = self.need("{")?;
        let mut entries = Vec::new();
        while !self.is("}") {
            let optional = self.eat("?").is_some();
            let key = self.expr()?;
            self.need(":")?;
            entries.push((optional, key, self.expr()?));
            if self.eat(",").is_none() {
                break;
            }
        }
        self.need_end("}")?;
        let node = Node::Map(entries);
        Ok(Expr { at, node })
    }
}

fn begins_operand(kind: &Kind) -> bool {
    match kind {
        Kind::Sign(sign) => matches!(*sign, "[" | "{" | "(" | "." | "-" | "!"),
        Kind::Name(name) => name != "in",
        Kind::End => false,
        _ => true,
    }
}

/// Combines operands, each with the operator before it, from left to right.
fn from_left(chain: Vec<(usize, &str, Expr)>) -> Expr {
    let mut chain = chain.into_iter();
    let first = chain.next().map(|(_, _, expr)| expr);
    let first = first.unwrap_or_else(|| literal(0, Value::Null));
    chain.fold(first, |left, (at, name, right)| {
        call(at, name, vec![left, right])
    })
}

/// Combines the operands of one operator into a balanced tree.
fn balanced(mut chain: Vec<(usize, &str, Expr)>) -> Expr {
    if chain.len() < 3 {
        return from_left(chain);
    }
    let right = chain.split_off(chain.len().div_ceil(2));
    let (at, name) = right.first().map_or((0, ""), |(at, name, _)| (*at, *name));
    call(at, name, vec![balanced(chain), balanced(right)])
}

/// Returns the type name of an object literal, such as `Object.metadata`, with its position.
pub(super) fn type_name(expr: &Expr) -> Option<(String, usize)> {
    match &expr.node {
        Node::Name(name) => Some((name.clone(), expr.at)),
        Node::Select {
            of,
            field,
            how: Select::Plain,
        } => type_name(of).map(|(name, at)| (format!("{name}.{field}"), at)),
        _ => None,
    }
}

fn literal(at: usize, value: Value) -> Expr {
    let node = Node::Literal(value);
    Expr { at, node }
}

fn call(at: usize, name: &str, args: Vec<Expr>) -> Expr {
    let node = Node::Call {
        target: None,
        name: name.to_owned(),
        args,
    };
    Expr { at, node }
}

fn has(at: usize, mut args: Vec<Expr>) -> Result<Expr, Problem> {
    match (args.pop(), args.len()) {
        (
            Some(Expr {
                node:
                    Node::Select {
                        of,
                        field,
                        how: Select::Plain,
                    },
                ..
            }),
            0,
        ) => Ok(Expr {
            at,
            node: Node::Select {
                of,
                field,
                how: Select::Test,
            },
        }),
        (_, _) => Err(Problem::new(at, "invalid argument to has() macro")),
    }
}

/// Parses a member call, which may be a macro.
fn member_call(at: usize, of: Expr, name: String, args: Vec<Expr>) -> Result<Expr, Problem> {
    let node = match (name.as_str(), args.len()) {
        ("all", 2 | 3) => fold(FoldKind::All, of, args)?,
        ("exists", 2 | 3) => fold(FoldKind::Exists, of, args)?,
        ("exists_one" | "existsOne", 2 | 3) => fold(FoldKind::ExistsOne, of, args)?,
        ("filter", 2) => fold(FoldKind::Filter, of, args)?,
        ("map", 2 | 3) => transform(FoldKind::Map, of, args, 1)?,
        ("transformList", 3 | 4) => transform(FoldKind::Map, of, args, 2)?,
        ("transformMap", 3 | 4) => transform(FoldKind::TransformMap, of, args, 2)?,
        ("transformMapEntry", 3 | 4) => transform(FoldKind::TransformMapEntry, of, args, 2)?,
        ("sortBy", 2) => transform(FoldKind::SortBy, of, args, 1)?,
        ("optMap", 2) => bind(Bind::Map, of, args)?,
        ("optFlatMap", 2) => bind(Bind::FlatMap, of, args)?,
        _ => Node::Call {
            target: Some(Box::new(of)),
            name,
            args,
        },
    };
    Ok(Expr { at, node })
}

/// Returns the variable of a macro, whose argument must be a plain name.
fn variable(arg: Expr) -> Result<String, Problem> {
    match arg.node {
        Node::Name(name) => Ok(name),
        _ => Err(Problem::new(arg.at, "argument must be a simple name")),
    }
}

fn fold(kind: FoldKind, range: Expr, mut args: Vec<Expr>) -> Result<Node, Problem> {
    let filter = args.pop();
    let names = args.into_iter().map(variable).collect::<Result<_, _>>()?;
    Ok(Node::Fold(Box::new(Fold {
        kind,
        range,
        names,
        filter,
        result: None,
    })))
}

fn transform(
    kind: FoldKind,
    range: Expr,
    mut args: Vec<Expr>,
    variables: usize,
) -> Result<Node, Problem> {
    let result = args.pop();
    let filter = args.split_off(variables).pop();
    let names = args.into_iter().map(variable).collect::<Result<_, _>>()?;
    Ok(Node::Fold(Box::new(Fold {
        kind,
        range,
        names,
        filter,
        result,
    })))
}

fn bind(how: Bind, value: Expr, mut args: Vec<Expr>) -> Result<Node, Problem> {
    let body = args
        .pop()
        .ok_or_else(|| Problem::new(value.at, "invalid macro"))?;
    let name = args
        .pop()
        .ok_or_else(|| Problem::new(value.at, "invalid macro"))?;
    Ok(Node::Bind {
        name: variable(name)?,
        value: Box::new(value),
        body: Box::new(body),
        how,
    })
}
