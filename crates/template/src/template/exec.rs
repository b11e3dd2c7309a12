//! Executes the tree of a template on an object.

use std::collections::BTreeMap;

use super::NAME;
use super::funcs::{self, Function, Param};
use super::node::{Arg, Branch, Call, Command, Node, Pipe, Place, Word};
use super::printf;
use super::value::{Data, Int, Val};
use crate::api::go::quoted;
use crate::api::json::Value;

/// The maximum depth of template calls. Go allows 100,000, but this stack cannot grow.
const MAX_DEPTH: usize = 200;

type TemplateSet = BTreeMap<String, Vec<Node>>;
type Run<T> = Result<T, String>;

/// Executes the templates. An error comes with the output written before it.
pub(super) fn run(
    text: &str,
    named: &TemplateSet,
    data: &Value,
    allow_missing: bool,
) -> Result<String, (String, String)> {
    // Unboxed, because the object itself is never an interface value.
    let dot = Val::part(data).unboxed();
    let mut state = State {
        text,
        named,
        allow_missing,
        out: String::new(),
        name: NAME,
        place: None,
        variables: vec![("$", dot.clone())],
        depth: 0,
    };
    let root = named.get(NAME).map_or(&[][..], Vec::as_slice);
    // As with Go's `Execute`, output written before an error is kept.
    match state.walk(&dot, root) {
        Ok(_) => Ok(state.out),
        Err(error) => Err((state.out, error)),
    }
}

struct State<'t, 'a> {
    text: &'t str,
    named: &'t TemplateSet,
    allow_missing: bool,
    out: String,
    /// The name of the template being executed.
    name: &'t str,
    /// The current position, for errors.
    place: Option<&'t dyn Place>,
    variables: Vec<(&'t str, Val<'a>)>,
    depth: usize,
}

/// How the execution of a list of nodes ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    On,
    Break,
    Continue,
}

impl<'t, 'a> State<'t, 'a> {
    fn fail<T>(&self, message: impl AsRef<str>) -> Run<T> {
        let message = message.as_ref();
        let Some(place) = self.place else {
            return Err(format!("template: {}: {message}", self.name));
        };
        // The line and column are computed only for errors.
        let before = &self.text[..place.at().min(self.text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        let name = quoted(self.name);
        Err(format!(
            "template: {NAME}:{line}:{column}: executing {name} at <{place}>: {message}"
        ))
    }

    fn walk(&mut self, dot: &Val<'a>, nodes: &'t [Node]) -> Run<Flow> {
        for node in nodes {
            let flow = match node {
                Node::Text(text) => {
                    self.out.push_str(text);
                    Flow::On
                }
                Node::Action(pipe) => {
                    let value = self.pipeline(dot, pipe)?;
                    // An action that declares or assigns prints nothing.
                    if pipe.variables.is_empty() {
                        self.print(&value);
                    }
                    Flow::On
                }
                Node::If(branch) => self.choose(dot, branch, false)?,
                Node::With(branch) => self.choose(dot, branch, true)?,
                Node::Range(branch) => self.range(dot, branch)?,
                Node::Template(call) => {
                    self.call_template(dot, call)?;
                    Flow::On
                }
                Node::Break => Flow::Break,
                Node::Continue => Flow::Continue,
            };
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    fn print(&mut self, value: &Val<'a>) {
        match value.data {
            // Go's text for a missing map entry, which scripts look for.
            Data::Missing => self.out.push_str("<no value>"),
            _ => self.out.push_str(&printf::plain(value)),
        }
    }

    fn choose(&mut self, dot: &Val<'a>, branch: &'t Branch, is_with: bool) -> Run<Flow> {
        // Variables are in scope until the end of their block.
        let mark = self.variables.len();
        let value = self.pipeline(dot, &branch.pipe)?;
        let flow = match (value.is_true(), &branch.otherwise) {
            (true, _) => self.walk(if is_with { &value } else { dot }, &branch.list),
            (false, Some(list)) => self.walk(dot, list),
            (false, None) => Ok(Flow::On),
        };
        self.variables.truncate(mark);
        flow
    }

    fn range(&mut self, dot: &Val<'a>, branch: &'t Branch) -> Run<Flow> {
        let mark = self.variables.len();
        let value = self.pipeline(dot, &branch.pipe)?;
        let flow = match self.each(&value, branch)? {
            // A loop without items executes its `else`.
            Some(flow) => flow,
            None => match &branch.otherwise {
                Some(list) => self.walk(dot, list)?,
                None => Flow::On,
            },
        };
        self.variables.truncate(mark);
        Ok(flow)
    }

    /// Executes the body of a loop for each item; returns `None` if there is none.
    fn each(&mut self, value: &Val<'a>, branch: &'t Branch) -> Run<Option<Flow>> {
        match &value.data {
            Data::Missing | Data::Nil => Ok(None),
            Data::List(items) => {
                // The keys of a list are the indexes of its items.
                let pairs = items.iter().zip(0..);
                let pairs =
                    pairs.map(|(item, at)| (Data::Int(at, Int::Plain).into(), Val::part(item)));
                self.iterate(pairs, branch)
            }
            Data::Map(map) => {
                let pairs = map
                    .iter()
                    .map(|(key, item)| (Val::text(key.as_str()), Val::part(item)));
                self.iterate(pairs, branch)
            }
            // As in Go, `range` over an integer counts up from 0.
            Data::Int(count, kind) => {
                if branch.pipe.variables.len() > 1 {
                    let shown = printf::plain(value);
                    return self.fail(format!(
                        "can't use {shown} to iterate over more than one variable"
                    ));
                }
                let (count, kind) = (*count, *kind);
                self.iterate(
                    (0..count).map(|at| (Val::MISSING, Data::Int(at, kind).into())),
                    branch,
                )
            }
            _ => self.fail(format!("range can't iterate over {}", printf::plain(value))),
        }
    }

    fn iterate(
        &mut self,
        pairs: impl Iterator<Item = (Val<'a>, Val<'a>)>,
        branch: &'t Branch,
    ) -> Run<Option<Flow>> {
        let mark = self.variables.len();
        let mut flow = None;
        for (key, item) in pairs {
            // Set before the body is executed, because there are items even if the body writes nothing.
            flow = Some(Flow::On);
            let names: Vec<&'t str> = branch.pipe.variables.iter().map(String::as_str).collect();
            let values = match names.len() {
                2 => vec![key, item.clone()],
                _ => vec![item.clone()],
            };
            for (at, (name, value)) in names.iter().zip(values).enumerate() {
                match branch.pipe.assigns {
                    true => self.assign(name, value)?,
                    // The variables that the pipeline declared are on top of the stack.
                    false => self.variables[mark - names.len() + at].1 = value,
                }
            }
            let body = self.walk(&item, &branch.list)?;
            self.variables.truncate(mark);
            if body == Flow::Break {
                break;
            }
        }
        Ok(flow)
    }

    fn call_template(&mut self, dot: &Val<'a>, call: &'t Call) -> Run<()> {
        self.place = Some(call);
        let Some((name, list)) = self.named.get_key_value(&call.name) else {
            return self.fail(format!("template {} not defined", quoted(&call.name)));
        };
        // Go's limit is much higher because its stacks grow, but infinite recursion must be an error here, too.
        if self.depth >= MAX_DEPTH {
            return self.fail(format!("exceeded maximum template depth ({MAX_DEPTH})"));
        }
        let dot = match &call.pipe {
            Some(pipe) => self.pipeline(dot, pipe)?,
            None => Val::MISSING,
        };
        // A called template has its own argument and does not see the caller's variables.
        let outer = std::mem::replace(&mut self.variables, vec![("$", dot.clone())]);
        let caller = std::mem::replace(&mut self.name, name);
        self.depth += 1;
        self.walk(&dot, list)?;
        self.depth -= 1;
        self.name = caller;
        self.variables = outer;
        Ok(())
    }

    fn assign(&mut self, name: &str, value: Val<'a>) -> Run<()> {
        match self
            .variables
            .iter_mut()
            // The innermost declaration of a name wins.
            .rev()
            .find(|(known, _)| *known == name)
        {
            Some(variable) => {
                variable.1 = value;
                Ok(())
            }
            None => self.fail(format!("undefined variable: {name}")),
        }
    }

    fn pipeline(&mut self, dot: &Val<'a>, pipe: &'t Pipe) -> Run<Val<'a>> {
        self.place = Some(pipe);
        let mut value = None;
        for command in &pipe.commands {
            // Each result becomes the last argument of the next command.
            value = Some(self.command(dot, command, value)?.unboxed());
        }
        let value = value.unwrap_or(Val::MISSING);
        for name in &pipe.variables {
            match pipe.assigns {
                true => self.assign(name, value.clone())?,
                false => self.variables.push((name, value.clone())),
            }
        }
        Ok(value)
    }

    /// Evaluates a command; `last` is the result of the previous command in the pipeline.
    fn command(
        &mut self,
        dot: &Val<'a>,
        command: &'t Command,
        last: Option<Val<'a>>,
    ) -> Run<Val<'a>> {
        let Some((first, args)) = command.args.split_first() else {
            return Ok(Val::MISSING);
        };
        let has_args = !args.is_empty() || last.is_some();
        match &first.word {
            // A function receives the result of the previous command as its last argument.
            Word::Function(name) => return self.function(dot, first, name, command, args, last),
            Word::Field(_) | Word::Chain(..) => return self.operand(dot, first, has_args),
            Word::Variable(names) if names.len() > 1 => return self.operand(dot, first, has_args),
            Word::Pipe(_) => {}
            _ => self.place = Some(first),
        }
        if has_args {
            return self.fail(format!("can't give argument to non-function {first}"));
        }
        match &first.word {
            Word::Nil => self.fail("nil is not a command"),
            _ => self.operand(dot, first, false),
        }
    }

    /// Evaluates a word that stands alone.
    fn operand(&mut self, dot: &Val<'a>, arg: &'t Arg, has_args: bool) -> Run<Val<'a>> {
        if !matches!(arg.word, Word::Pipe(_)) {
            self.place = Some(arg);
        }
        match &arg.word {
            Word::Dot => Ok(dot.clone()),
            Word::Nil => Ok(Val::nil()),
            Word::Bool(value) => Ok((*value).into()),
            Word::Text(_, text) => Ok(Val::text(text.clone())),
            // A number written as a fraction stays a float.
            Word::Number(number) => match (number.float, number.int) {
                (Some(float), _) => Ok(Data::Float(float).into()),
                (None, Some(int)) => Ok(Data::Int(int, Int::Plain).into()),
                (None, None) => self.fail(format!("{} overflows int", number.text)),
            },
            Word::Pipe(pipe) => self.pipeline(dot, pipe),
            Word::Function(name) => self.function_alone(dot, arg, name),
            Word::Field(names) => self.fields(dot.clone(), names, has_args),
            Word::Variable(names) => {
                let name = names.first().map_or("", String::as_str);
                let found = self
                    .variables
                    .iter()
                    .rev()
                    .find(|(known, _)| *known == name);
                match found.map(|(_, value)| value.clone()) {
                    Some(value) => self.fields(value, names.get(1..).unwrap_or_default(), has_args),
                    None => self.fail(format!("undefined variable: {name}")),
                }
            }
            Word::Chain(of, names) => {
                if let Word::Nil = of.word {
                    return self.fail(format!("indirection through explicit nil in {arg}"));
                }
                let value = self.operand(dot, of, false)?;
                self.fields(value, names, has_args)
            }
        }
    }

    fn fields(&mut self, value: Val<'a>, names: &[String], has_args: bool) -> Run<Val<'a>> {
        let mut value = value;
        for (at, name) in names.iter().enumerate() {
            // Only the last name could be a method that takes arguments.
            let is_last = at + 1 == names.len();
            value = self.field(&value, name, has_args && is_last)?;
        }
        Ok(value)
    }

    fn field(&self, value: &Val<'a>, name: &str, has_args: bool) -> Run<Val<'a>> {
        match &value.data {
            // With `--allow-missing-template-keys`, kubectl's default, a missing key is no error.
            Data::Missing if self.allow_missing => Ok(Val::MISSING),
            Data::Missing => self.fail(format!("nil data; no entry for key {}", quoted(name))),
            Data::Nil => self.fail(format!("nil pointer evaluating interface {{}}.{name}")),
            Data::Map(_) if has_args => {
                self.fail(format!("{name} is not a method but has arguments"))
            }
            Data::Map(map) => match map.get(name) {
                Some(part) => Ok(Val::part(part)),
                None if self.allow_missing => Ok(Val::MISSING),
                None => self.fail(format!("map has no entry for key {}", quoted(name))),
            },
            _ => self.fail(format!(
                "can't evaluate field {name} in type {}",
                value.outer_type()
            )),
        }
    }

    /// Evaluates a function that is an argument and takes none itself.
    fn function_alone(&mut self, dot: &Val<'a>, arg: &'t Arg, name: &str) -> Run<Val<'a>> {
        self.function(dot, arg, name, arg, &[], None)
    }

    fn function(
        &mut self,
        dot: &Val<'a>,
        word: &'t Arg,
        name: &str,
        whole: &'t dyn Place,
        args: &'t [Arg],
        last: Option<Val<'a>>,
    ) -> Run<Val<'a>> {
        self.place = Some(word);
        let Some(function) = funcs::find(name) else {
            return self.fail(format!("{} is not a defined function", quoted(name)));
        };
        self.check_count(
            function,
            args.len(),
            args.len() + usize::from(last.is_some()),
        )?;
        // These two evaluate their arguments themselves, because they short-circuit.
        if let "and" | "or" = name {
            return self.short_circuit(dot, name == "or", args, last);
        }
        let mut values = Vec::with_capacity(args.len() + 1);
        for (at, arg) in args.iter().enumerate() {
            values.push(self.argument(dot, function.param(at), arg)?);
        }
        if let Some(last) = last {
            let param = function.param(values.len());
            values.push(self.checked(last, param)?);
        }
        let answer = match name {
            "call" => {
                let called = args.first().map(ToString::to_string).unwrap_or_default();
                funcs::call(&called, &values)
            }
            _ => (function.run)(&values),
        };
        answer.or_else(|error| {
            // As in Go, an error has the position of the whole call.
            self.place = Some(whole);
            self.fail(format!("error calling {name}: {error}"))
        })
    }

    fn check_count(&self, function: &Function, args: usize, all: usize) -> Run<()> {
        let (name, fixed) = (function.name, function.fixed);
        match function.variadic {
            true if all < fixed => self.fail(format!(
                "wrong number of args for {name}: want at least {fixed} got {args}"
            )),
            false if all != fixed => self.fail(format!(
                "wrong number of args for {name}: want {fixed} got {all}"
            )),
            _ => Ok(()),
        }
    }

    /// Evaluates the arguments of `and` and `or` until the result is certain.
    fn short_circuit(
        &mut self,
        dot: &Val<'a>,
        until: bool,
        args: &'t [Arg],
        last: Option<Val<'a>>,
    ) -> Run<Val<'a>> {
        let mut value = Val::MISSING;
        for arg in args {
            value = self.argument(dot, Param::Any, arg)?;
            // Returns the argument itself rather than a boolean.
            if value.clone().unboxed().is_true() == until {
                return Ok(value);
            }
        }
        Ok(last.unwrap_or(value))
    }

    fn argument(&mut self, dot: &Val<'a>, param: Param, arg: &'t Arg) -> Run<Val<'a>> {
        self.place = Some(arg);
        match (&arg.word, param) {
            (Word::Nil, Param::Text) => self.fail("cannot assign nil to string"),
            // A literal nil is untyped.
            (Word::Nil, Param::Any) => Ok(Val::MISSING),
            (Word::Bool(_) | Word::Number(_), Param::Text) => {
                self.fail(format!("expected string; found {arg}"))
            }
            _ => {
                let value = self.operand(dot, arg, false)?;
                self.checked(value, param)
            }
        }
    }

    /// Converts a value to the form that a function expects.
    fn checked(&self, value: Val<'a>, param: Param) -> Run<Val<'a>> {
        match (param, &value.data) {
            (Param::Any, _) | (Param::Text, Data::Text(_)) => Ok(value),
            // Go's functions receive nil for a missing value.
            (Param::Plain, Data::Missing | Data::Nil) => Ok(Val::nil()),
            (Param::Plain, _) => Ok(value.unboxed()),
            (Param::Text, Data::Missing) => self.fail("invalid value; expected string"),
            (Param::Text, _) => self.fail(format!(
                "wrong type for value; expected string; got {}",
                value.inner_type()
            )),
        }
    }
}
