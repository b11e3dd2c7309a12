//! The tree of a template, and the text of its parts in errors.

use std::fmt::{self, Display, Formatter};

use super::number::Number;
use crate::api::go::quoted;

/// A node of a template.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Text(String),
    Action(Pipe),
    If(Branch),
    With(Branch),
    Range(Branch),
    Template(Call),
    Break,
    Continue,
}

/// `if`, `with` and `range`.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) pipe: Pipe,
    pub(super) list: Vec<Node>,
    pub(super) otherwise: Option<Vec<Node>>,
}

/// `{{template "name" pipeline}}`.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) at: usize,
    pub(super) name: String,
    pub(super) pipe: Option<Pipe>,
}

/// A pipeline, with the variables that receive its result.
#[derive(Clone, Debug)]
pub(super) struct Pipe {
    pub(super) at: usize,
    pub(super) variables: Vec<String>,
    pub(super) assigns: bool,
    pub(super) commands: Vec<Command>,
}

/// A word with its arguments.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) at: usize,
    pub(super) args: Vec<Arg>,
}

/// A word.
#[derive(Clone, Debug)]
pub(super) struct Arg {
    pub(super) at: usize,
    pub(super) word: Word,
}

/// The kind of a word.
#[derive(Clone, Debug)]
pub(super) enum Word {
    Field(Vec<String>),
    /// A variable with its `$`, and the fields selected from it.
    Variable(Vec<String>),
    Chain(Box<Arg>, Vec<String>),
    Function(String),
    Pipe(Box<Pipe>),
    Bool(bool),
    Dot,
    Nil,
    Number(Number),
    /// The source text and the string it stands for.
    Text(String, String),
}

/// A node with a position for errors.
pub(super) trait Place: Display {
    /// Returns the position.
    fn at(&self) -> usize;
}

impl Place for Pipe {
    fn at(&self) -> usize {
        self.at
    }
}

impl Place for Command {
    fn at(&self) -> usize {
        self.at
    }
}

impl Place for Arg {
    fn at(&self) -> usize {
        self.at
    }
}

impl Place for Call {
    fn at(&self) -> usize {
        self.at
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{{{{template {}", quoted(&self.name))?;
        if let Some(pipe) = &self.pipe {
            write!(f, " {pipe}")?;
        }
        f.write_str("}}")
    }
}

impl Display for Pipe {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.variables.is_empty() {
            let sign = if self.assigns { "=" } else { ":=" };
            write!(f, "{} {sign} ", self.variables.join(", "))?;
        }
        joined(f, &self.commands, " | ")
    }
}

impl Display for Command {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        joined(f, &self.args, " ")
    }
}

impl Display for Arg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.word {
            Word::Field(names) => names.iter().try_for_each(|name| write!(f, ".{name}")),
            Word::Variable(names) => f.write_str(&names.join(".")),
            Word::Chain(of, names) => {
                write!(f, "{of}")?;
                names.iter().try_for_each(|name| write!(f, ".{name}"))
            }
            Word::Function(name) => f.write_str(name),
            Word::Pipe(pipe) => write!(f, "({pipe})"),
            Word::Bool(value) => write!(f, "{value}"),
            Word::Dot => f.write_str("."),
            Word::Nil => f.write_str("nil"),
            Word::Number(number) => f.write_str(&number.text),
            Word::Text(quoted, _) => f.write_str(quoted),
        }
    }
}

fn joined<T: Display>(f: &mut Formatter<'_>, items: &[T], separator: &str) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        let before = if at == 0 { "" } else { separator };
        write!(f, "{before}{item}")?;
    }
    Ok(())
}
