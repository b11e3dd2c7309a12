//! Parses tokens into a tree.

use std::collections::BTreeMap;

use super::NAME;
use super::funcs;
use super::lex::{Kind, Token, tokens};
use super::node::{Arg, Branch, Call, Command, Node, Pipe, Word};
use super::number::{Number, unquote};
use crate::api::go::quoted;

/// The maximum nesting depth of actions and parentheses.
const MAX_DEPTH: usize = 200;

type Parsed<T> = Result<T, String>;

/// Parses a template. Returns it and the templates defined in it, by name.
pub(super) fn parse(text: &str) -> Parsed<BTreeMap<String, Vec<Node>>> {
    let mut parser = Parser {
        tokens: tokens(text),
        at: 0,
        seen: 0,
        action_line: 0,
        variables: vec!["$".to_owned()],
        ranges: 0,
        depth: 0,
        named: BTreeMap::new(),
    };
    let root = parser.root()?;
    parser.define(NAME.to_owned(), root)?;
    Ok(parser.named)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    /// The token read last, whose line errors contain.
    seen: usize,
    /// The line on which the current action starts.
    action_line: usize,
    variables: Vec<String>,
    ranges: usize,
    depth: usize,
    named: BTreeMap<String, Vec<Node>>,
}

/// The keyword that ends a list of nodes.
enum Stop {
    End,
    Else,
}

impl Stop {
    fn shown(&self) -> &'static str {
        match self {
            Self::End => "{{end}}",
            Self::Else => "{{else}}",
        }
    }
}

impl Parser {
    fn peek(&mut self) -> &Token {
        let at = self.at.min(self.tokens.len() - 1);
        self.seen = self.seen.max(at);
        &self.tokens[at]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn peek_word(&mut self) -> &Token {
        while self.peek().kind == Kind::Space {
            self.at += 1;
        }
        self.peek()
    }

    fn next_word(&mut self) -> Token {
        self.peek_word();
        self.next()
    }

    fn error<T>(&self, message: impl AsRef<str>) -> Parsed<T> {
        let line = self.tokens[self.seen].line;
        Err(format!("template: {NAME}:{line}: {}", message.as_ref()))
    }

    fn unexpected<T>(&self, token: &Token, context: &str) -> Parsed<T> {
        if token.kind != Kind::Error {
            return self.error(format!("unexpected {} in {context}", token.shown()));
        }
        let mut extra = String::new();
        if self.action_line != 0 && self.action_line != token.line {
            let what = if token.text.ends_with(" action") {
                ""
            } else {
                " in action"
            };
            extra = format!("{what} started at {NAME}:{}", self.action_line);
        }
        self.error(format!("{}{extra}", token.text))
    }

    fn expect(&mut self, kinds: &[Kind], context: &str) -> Parsed<Token> {
        let token = self.next_word();
        match kinds.contains(&token.kind) {
            true => Ok(token),
            false => self.unexpected(&token, context),
        }
    }

    fn deeper(&mut self) -> Parsed<()> {
        self.depth += 1;
        match self.depth > MAX_DEPTH {
            true => self.error("actions are nested too deeply"),
            false => Ok(()),
        }
    }

    /// Parses the whole text except for definitions.
    fn root(&mut self) -> Parsed<Vec<Node>> {
        let mut nodes = Vec::new();
        while self.peek().kind != Kind::End {
            if self.peek().kind == Kind::LeftDelim {
                let before = self.at;
                self.next();
                if self.next_word().is_keyword("define") {
                    self.definition()?;
                    continue;
                }
                self.at = before;
            }
            match self.text_or_action()? {
                Ok(node) => nodes.push(node),
                Err(stop) => return self.error(format!("unexpected {}", stop.shown())),
            }
        }
        Ok(nodes)
    }

    fn definition(&mut self) -> Parsed<()> {
        const CONTEXT: &str = "define clause";
        let name = self.expect(&[Kind::String, Kind::RawString], CONTEXT)?;
        let name = self.unquoted(&name)?;
        self.expect(&[Kind::RightDelim], CONTEXT)?;
        let list = self.body(CONTEXT)?;
        self.define(name, list)
    }

    /// Parses the body of a defined template, in which `$` is the only variable.
    fn body(&mut self, context: &str) -> Parsed<Vec<Node>> {
        let variables = std::mem::replace(&mut self.variables, vec!["$".to_owned()]);
        let ranges = std::mem::take(&mut self.ranges);
        let (list, stop) = self.list()?;
        self.variables = variables;
        self.ranges = ranges;
        match stop {
            Stop::End => Ok(list),
            Stop::Else => self.error(format!("unexpected {{{{else}}}} in {context}")),
        }
    }

    fn define(&mut self, name: String, list: Vec<Node>) -> Parsed<()> {
        match self.named.get(&name) {
            Some(there) if !is_empty(there) => match is_empty(&list) {
                true => Ok(()),
                false => self.error(format!(
                    "template: multiple definition of template {}",
                    quoted(&name)
                )),
            },
            _ => {
                self.named.insert(name, list);
                Ok(())
            }
        }
    }

    /// Parses nodes up to `end` or `else`.
    fn list(&mut self) -> Parsed<(Vec<Node>, Stop)> {
        self.deeper()?;
        let mut nodes = Vec::new();
        while self.peek_word().kind != Kind::End {
            match self.text_or_action()? {
                Ok(node) => nodes.push(node),
                Err(stop) => {
                    self.depth -= 1;
                    return Ok((nodes, stop));
                }
            }
        }
        self.error("unexpected EOF")
    }

    fn text_or_action(&mut self) -> Parsed<Result<Node, Stop>> {
        let token = self.next_word();
        match token.kind {
            Kind::Text => Ok(Ok(Node::Text(token.text))),
            Kind::LeftDelim => {
                self.action_line = token.line;
                let action = self.action()?;
                self.action_line = 0;
                Ok(action)
            }
            _ => self.unexpected(&token, "input"),
        }
    }

    fn action(&mut self) -> Parsed<Result<Node, Stop>> {
        let before = self.at;
        let token = self.next_word();
        let keyword = if token.kind == Kind::Keyword {
            token.text.as_str()
        } else {
            ""
        };
        Ok(Ok(match keyword {
            "block" => Node::Template(self.block()?),
            "break" => self.jump("{{break}}", Node::Break)?,
            "continue" => self.jump("{{continue}}", Node::Continue)?,
            "else" => return self.otherwise().map(Err),
            "end" => {
                self.expect(&[Kind::RightDelim], "end")?;
                return Ok(Err(Stop::End));
            }
            "if" => Node::If(self.branch("if")?),
            "range" => Node::Range(self.branch("range")?),
            "template" => Node::Template(self.call()?),
            "with" => Node::With(self.branch("with")?),
            _ => {
                self.at = before;
                Node::Action(self.pipeline("command", Kind::RightDelim)?)
            }
        }))
    }

    fn jump(&mut self, shown: &str, node: Node) -> Parsed<Node> {
        self.expect(&[Kind::RightDelim], shown)?;
        match self.ranges {
            0 => self.error(format!("{shown} outside {{{{range}}}}")),
            _ => Ok(node),
        }
    }

    fn otherwise(&mut self) -> Parsed<Stop> {
        let token = self.peek_word();
        // In `else if` and `else with`, the branch parses the second word.
        if !(token.is_keyword("if") || token.is_keyword("with")) {
            self.expect(&[Kind::RightDelim], "else")?;
        }
        Ok(Stop::Else)
    }

    fn branch(&mut self, keyword: &str) -> Parsed<Branch> {
        self.deeper()?;
        let variables = self.variables.len();
        let pipe = self.pipeline(keyword, Kind::RightDelim)?;
        let is_range = usize::from(keyword == "range");
        self.ranges += is_range;
        let (list, stop) = self.list()?;
        self.ranges -= is_range;
        let otherwise = match stop {
            Stop::End => None,
            Stop::Else if keyword != "range" && self.peek().is_keyword(keyword) => {
                self.next();
                let branch = self.branch(keyword)?;
                Some(vec![if keyword == "if" {
                    Node::If(branch)
                } else {
                    Node::With(branch)
                }])
            }
            Stop::Else => {
                let (list, stop) = self.list()?;
                if let Stop::Else = stop {
                    return self.error("expected end; found {{else}}");
                }
                Some(list)
            }
        };
        self.variables.truncate(variables);
        self.depth -= 1;
        Ok(Branch {
            pipe,
            list,
            otherwise,
        })
    }

    fn block(&mut self) -> Parsed<Call> {
        const CONTEXT: &str = "block clause";
        let token = self.expect(&[Kind::String, Kind::RawString], CONTEXT)?;
        let name = self.unquoted(&token)?;
        let pipe = Some(self.pipeline(CONTEXT, Kind::RightDelim)?);
        let list = self.body(CONTEXT)?;
        self.define(name.clone(), list)?;
        let at = token.at;
        Ok(Call { at, name, pipe })
    }

    fn call(&mut self) -> Parsed<Call> {
        const CONTEXT: &str = "template clause";
        let token = self.expect(&[Kind::String, Kind::RawString], CONTEXT)?;
        let name = self.unquoted(&token)?;
        let pipe = match self.peek_word().kind {
            Kind::RightDelim => {
                self.next();
                None
            }
            _ => Some(self.pipeline(CONTEXT, Kind::RightDelim)?),
        };
        let at = token.at;
        Ok(Call { at, name, pipe })
    }

    fn unquoted(&self, token: &Token) -> Parsed<String> {
        unquote(&token.text).or_else(|error| self.error(error))
    }

    fn pipeline(&mut self, context: &str, end: Kind) -> Parsed<Pipe> {
        self.deeper()?;
        let at = self.peek_word().at;
        let mut pipe = Pipe {
            at,
            variables: Vec::new(),
            assigns: false,
            commands: Vec::new(),
        };
        while self.peek_word().kind == Kind::Variable && self.declaration(&mut pipe, context)? {}
        loop {
            let token = self.next_word();
            match token.kind {
                kind if kind == end => break,
                Kind::Bool
                | Kind::CharConstant
                | Kind::Dot
                | Kind::Field
                | Kind::Identifier
                | Kind::Number
                | Kind::Nil
                | Kind::RawString
                | Kind::String
                | Kind::Variable
                | Kind::LeftParen => {
                    self.at -= 1;
                    let command = self.command()?;
                    pipe.commands.push(command);
                }
                _ => return self.unexpected(&token, context),
            }
        }
        self.depth -= 1;
        self.check(&pipe, context)?;
        Ok(pipe)
    }

    /// Parses a variable that is declared or assigned. Returns true if another one follows.
    fn declaration(&mut self, pipe: &mut Pipe, context: &str) -> Parsed<bool> {
        let before = self.at;
        let variable = self.next().text;
        let token = self.peek_word().clone();
        let is_comma = token.kind == Kind::Char && token.text == ",";
        if !is_comma && !matches!(token.kind, Kind::Assign | Kind::Declare) {
            self.at = before;
            return Ok(false);
        }
        self.next();
        pipe.variables.push(variable.clone());
        self.variables.push(variable);
        if !is_comma {
            pipe.assigns = token.kind == Kind::Assign;
            return Ok(false);
        }
        if context != "range" || pipe.variables.len() > 1 {
            return self.error(format!("too many declarations in {context}"));
        }
        match self.peek_word().kind {
            Kind::Variable | Kind::RightDelim | Kind::RightParen => Ok(true),
            _ => self.error("range can only initialize variables"),
        }
    }

    fn check(&self, pipe: &Pipe, context: &str) -> Parsed<()> {
        if pipe.commands.is_empty() {
            return self.error(format!("missing value for {context}"));
        }
        for (at, command) in pipe.commands.iter().enumerate().skip(1) {
            let word = command.args.first().map(|arg| &arg.word);
            if let Some(Word::Bool(_) | Word::Dot | Word::Nil | Word::Number(_) | Word::Text(..)) =
                word
            {
                let stage = at + 1;
                return self.error(format!("non executable command in pipeline stage {stage}"));
            }
        }
        Ok(())
    }

    fn command(&mut self) -> Parsed<Command> {
        let at = self.peek_word().at;
        let mut args = Vec::new();
        loop {
            self.peek_word();
            args.extend(self.operand()?);
            let token = self.next();
            match token.kind {
                Kind::Space => continue,
                Kind::RightDelim | Kind::RightParen => self.at -= 1,
                Kind::Pipe => {}
                _ => return self.unexpected(&token, "operand"),
            }
            break;
        }
        match args.is_empty() {
            true => self.error("empty command"),
            false => Ok(Command { at, args }),
        }
    }

    /// Parses a term and the fields selected from it.
    fn operand(&mut self) -> Parsed<Option<Arg>> {
        let Some(term) = self.term()? else {
            return Ok(None);
        };
        if self.peek().kind != Kind::Field {
            return Ok(Some(term));
        }
        let at = self.peek().at;
        let mut names = Vec::new();
        while self.peek().kind == Kind::Field {
            names.push(self.next().text[1..].to_owned());
        }
        let word = match term.word {
            Word::Field(mut all) => {
                all.append(&mut names);
                Word::Field(all)
            }
            Word::Variable(mut all) => {
                all.append(&mut names);
                Word::Variable(all)
            }
            Word::Bool(_) | Word::Text(..) | Word::Number(_) | Word::Nil | Word::Dot => {
                return self.error(format!(
                    "unexpected . after term {}",
                    quoted(&term.to_string())
                ));
            }
            _ => Word::Chain(Box::new(term), names),
        };
        Ok(Some(Arg { at, word }))
    }

    fn term(&mut self) -> Parsed<Option<Arg>> {
        let token = self.next_word();
        let word = match token.kind {
            Kind::Identifier if funcs::find(&token.text).is_none() => {
                return self.error(format!("function {} not defined", quoted(&token.text)));
            }
            Kind::Identifier => Word::Function(token.text),
            Kind::Dot => Word::Dot,
            Kind::Nil => Word::Nil,
            Kind::Variable if !self.variables.contains(&token.text) => {
                return self.error(format!("undefined variable {}", quoted(&token.text)));
            }
            Kind::Variable => Word::Variable(vec![token.text]),
            Kind::Field => Word::Field(vec![token.text[1..].to_owned()]),
            Kind::Bool => Word::Bool(token.text == "true"),
            Kind::CharConstant | Kind::Number => {
                Word::Number(Number::parse(&token.text).or_else(|error| self.error(error))?)
            }
            Kind::LeftParen => Word::Pipe(Box::new(
                self.pipeline("parenthesized pipeline", Kind::RightParen)?,
            )),
            Kind::String | Kind::RawString => {
                let text = self.unquoted(&token)?;
                Word::Text(token.text, text)
            }
            _ => {
                self.at -= 1;
                return Ok(None);
            }
        };
        let at = token.at;
        Ok(Some(Arg { at, word }))
    }
}

/// Returns true if a list contains only white space.
fn is_empty(list: &[Node]) -> bool {
    list.iter()
        .all(|node| matches!(node, Node::Text(text) if text.trim().is_empty()))
}
