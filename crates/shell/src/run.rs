//! Runs a script: control flow, pipes and redirections.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::arguments::base;
use crate::expand::globs;
use crate::files::{MOST as MOST_FILES, absolute};
use crate::predict::{LoopStates, Prediction};
use crate::syntax::{
    Body, Command, Joint, Pipeline, Redirect, RedirectTarget, Script, Word, parse,
};
use crate::{Machine, Program, Stream, Terminal};

/// The exit code if the command is not found.
const NOT_FOUND: i32 = 127;

/// The exit code of a killed command.
const KILLED: i32 = 137;

/// The maximum number of commands in one run, so that an infinite loop cannot block the caller.
const MOST_STEPS: u32 = 100_000;

/// The maximum number of commands in a prediction, which is made again and again.
const MOST_PREDICTED: u32 = 5000;

/// Where a command's input comes from.
#[derive(Debug)]
pub(crate) enum Source {
    Terminal,
    Bytes(Vec<u8>),
}

/// Where a command's output goes.
#[derive(Clone, Debug)]
enum Target {
    Terminal(Stream),
    Buffer(Rc<RefCell<Vec<u8>>>),
    File(String),
    Nowhere,
}

/// The part of a script that is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leave {
    /// This many loops.
    Loops(u32),
    /// This many loops, but the last of them continues with its next round.
    Rounds(u32),
    /// A function.
    Function,
}

/// A command: a function that takes its arguments and returns an exit code.
pub(crate) type Run = fn(&mut Shell<'_>, &[String]) -> i32;

/// A running shell.
pub(crate) struct Shell<'m> {
    /// Finds a command by name.
    pub(crate) find: fn(&str) -> Option<Run>,
    pub(crate) machine: &'m mut Machine,
    pub(crate) terminal: &'m mut dyn Terminal,
    pub(crate) input: Source,
    out: Target,
    err: Target,
    /// The exit code of the last command.
    pub(crate) last: i32,
    /// The exit code of the shell, once it is to end.
    pub(crate) exit: Option<i32>,
    /// The loop or function that is to end.
    pub(crate) leave: Option<Leave>,
    pub(crate) functions: HashMap<String, Rc<Command>>,
    /// The variables that functions have declared, with their earlier values.
    pub(crate) locals: Vec<(String, Option<String>)>,
    /// The commands to run at the end of the script.
    pub(crate) at_exit: Option<String>,
    /// The state of a prediction, if the commands are not to be run.
    pub(crate) prediction: Option<Prediction>,
    /// The number of functions that have been called and not yet left.
    pub(crate) calls: usize,
    steps: u32,
    /// The script's name and arguments.
    pub(crate) arguments: Vec<String>,
    pub(crate) stops_on_error: bool,
    /// True if a pipe fails with any of its commands.
    pub(crate) fails_in_pipe: bool,
}

impl<'m> Shell<'m> {
    /// Returns a shell on a machine that finds commands with `find`.
    pub(crate) fn new(
        machine: &'m mut Machine,
        terminal: &'m mut dyn Terminal,
        find: fn(&str) -> Option<Run>,
    ) -> Self {
        Self {
            find,
            machine,
            terminal,
            input: Source::Terminal,
            out: Target::Terminal(Stream::Out),
            err: Target::Terminal(Stream::Err),
            last: 0,
            exit: None,
            leave: None,
            functions: HashMap::new(),
            locals: Vec::new(),
            at_exit: None,
            prediction: None,
            calls: 0,
            steps: 0,
            arguments: Vec::new(),
            stops_on_error: false,
            fails_in_pipe: false,
        }
    }
}

impl Shell<'_> {
    /// Runs a text as a script and returns the exit code.
    pub(crate) fn script(&mut self, text: &str) -> i32 {
        match parse(text) {
            Ok(script) => self.list(&script),
            Err(e) => {
                self.complain(&format!("sh: {e}"));
                // It may be a script for another shell.
                self.give_up();
                2
            }
        }
    }

    /// Returns true if no further command of a list may run.
    pub(crate) fn stops(&self) -> bool {
        self.exit.is_some() || self.leave.is_some()
    }

    /// Runs commands in order.
    fn list(&mut self, script: &Script) -> i32 {
        self.conditionally(script, false)
    }

    /// Runs commands. With `set -e`, a failing command ends the script unless it is part of a condition.
    fn conditionally(&mut self, script: &Script, is_condition: bool) -> i32 {
        // `a || b && c` is evaluated from left to right: skipping a command keeps the previous exit code.
        let mut skipped = false;
        for (number, (joint, pipeline)) in script.iter().enumerate() {
            skipped = match joint {
                Joint::Then => false,
                Joint::And => skipped || self.last != 0,
                Joint::Or => self.last == 0,
            };
            if skipped {
                continue;
            }
            self.last = match pipeline.in_background {
                true => self.background(pipeline),
                false => self.pipeline(pipeline),
            };
            if self.stops() {
                break;
            }
            // A command before `&&` or `||` is part of a condition, too.
            let decides = script
                .get(number + 1)
                .is_some_and(|(joint, _)| *joint != Joint::Then);
            let fails = self.last != 0 && !pipeline.negated;
            if self.stops_on_error && fails && !is_condition && !decides {
                self.exit = Some(self.last);
                break;
            }
        }
        self.last
    }

    pub(crate) fn pipeline(&mut self, pipeline: &Pipeline) -> i32 {
        let (last, before) = match pipeline.commands.split_last() {
            Some(split) => split,
            None => return 0,
        };
        // Each part of a pipe is a subshell.
        let variables = (!before.is_empty()).then(|| self.machine.variables.clone());
        let (mut piped, mut failed) = (None, 0);
        for command in before {
            let buffer = Rc::new(RefCell::new(Vec::new()));
            let out = std::mem::replace(&mut self.out, Target::Buffer(Rc::clone(&buffer)));
            let code = self.fed(piped.take(), command);
            failed = if code == 0 { failed } else { code };
            self.out = out;
            piped = Some(buffer.take());
            self.end_subshell(code);
        }
        let mut code = self.fed(piped, last);
        if let Some(variables) = variables {
            code = self.end_subshell(code);
            self.machine.variables = variables;
            // Otherwise, a pipe has the exit code of its last command.
            if self.fails_in_pipe && code == 0 {
                code = failed;
            }
        }
        // `!` turns every failure into success, and success into failure.
        match pipeline.negated {
            true => i32::from(code == 0),
            false => code,
        }
    }

    /// Runs a command with another command's output as its input.
    fn fed(&mut self, piped: Option<Vec<u8>>, command: &Command) -> i32 {
        match piped {
            None => self.command(command),
            Some(bytes) => {
                let own = std::mem::replace(&mut self.input, Source::Bytes(bytes));
                let code = self.command(command);
                self.input = own;
                code
            }
        }
    }

    pub(crate) fn command(&mut self, command: &Command) -> i32 {
        self.steps += 1;
        let most = match self.prediction {
            Some(_) => MOST_PREDICTED,
            None => MOST_STEPS,
        };
        if self.steps > most {
            self.complain("sh: the script exceeds the limit of steps");
            self.exit = Some(KILLED);
            self.give_up();
            return KILLED;
        }
        // Restored afterwards, because a redirection applies only to this command.
        let (out, err) = (self.out.clone(), self.err.clone());
        let mut input = None;
        for redirect in &command.redirects {
            match self.redirect(redirect) {
                Ok(None) => {}
                Ok(Some(bytes)) => {
                    let new = Source::Bytes(bytes);
                    let own = std::mem::replace(&mut self.input, new);
                    input = input.or(Some(own));
                }
                Err(e) => {
                    (self.out, self.err) = (out, err);
                    self.complain(&format!("sh: {e}"));
                    return 1;
                }
            }
        }
        let code = self.body(&command.body);
        (self.out, self.err) = (out, err);
        if let Some(own) = input {
            self.input = own;
        }
        code
    }

    /// Redirects a stream. Returns the content if a file becomes the input.
    fn redirect(&mut self, redirect: &Redirect) -> Result<Option<Vec<u8>>, String> {
        let target = match &redirect.to {
            RedirectTarget::Text(word) => return Ok(Some(self.one(word).into_bytes())),
            RedirectTarget::Input(word) => {
                let name = self.one(word);
                let path = self.path(&name);
                let content = self.machine.files.read(&path);
                return match content {
                    Ok(content) => Ok(Some(content.to_vec())),
                    Err(_) if path == "/dev/null" => Ok(Some(Vec::new())),
                    Err(_) if self.prediction.is_some() => {
                        self.give_up();
                        Ok(None)
                    }
                    Err(e) => Err(format!("can't open {name}: {}", e.to_lowercase())),
                };
            }
            // Uses the current target, because `2>&1 >file` and `>file 2>&1` differ.
            RedirectTarget::Stream(1) => self.out.clone(),
            RedirectTarget::Stream(2) => self.err.clone(),
            RedirectTarget::Stream(other) => return Err(format!("{other}: bad file descriptor")),
            RedirectTarget::File(word, extends) => {
                let name = self.one(word);
                match self.path(&name) {
                    path if path == "/dev/null" => Target::Nowhere,
                    path if path == "/dev/stdout" => self.out.clone(),
                    path if path == "/dev/stderr" => self.err.clone(),
                    path => {
                        // The file is created even if the command prints nothing.
                        if !extends || !self.machine.files.is_file(&path) {
                            let written = self.machine.files.write(&path, Vec::new());
                            written.map_err(|e| format!("can't create {name}: {e}"))?;
                        }
                        Target::File(path)
                    }
                }
            }
        };
        match redirect.stream {
            1 => self.out = target,
            2 => self.err = target,
            other => return Err(format!("{other}: bad file descriptor")),
        }
        Ok(None)
    }

    fn body(&mut self, body: &Body) -> i32 {
        match body {
            Body::Simple(set, words) => {
                let values: Vec<(String, String)> = set
                    .iter()
                    .map(|(name, word)| (name.clone(), self.one(word)))
                    .collect();
                let words: Vec<String> = words.iter().flat_map(|word| self.expand(word)).collect();
                // An invalid expression has ended the script.
                if let Some(code) = self.exit {
                    return code;
                }
                let before = self.machine.variables.clone();
                self.machine.variables.extend(values);
                // Without a command, assignments persist.
                if words.is_empty() {
                    return 0;
                }
                let code = self.program(&words);
                if !set.is_empty() {
                    // Assignments before a command apply only to that command.
                    self.machine.variables = before;
                }
                code
            }
            Body::Group(script) => self.list(script),
            Body::Subshell(script) => self.subshell(script),
            Body::Function(name, body) => {
                self.functions.insert(name.clone(), Rc::clone(body));
                0
            }
            Body::Case(word, branches) => self.choose(word, branches),
            Body::If(arms, otherwise) => {
                for (condition, branch) in arms {
                    if self.conditionally(condition, true) == 0 && !self.stops() {
                        return self.branch(branch);
                    }
                    if self.stops() {
                        return self.last;
                    }
                }
                self.branch(otherwise)
            }
            Body::While(until, condition, body) => self.repeat(*until, condition, body),
            Body::For(name, words, body) => {
                let words: Vec<String> = words.iter().flat_map(|word| self.expand(word)).collect();
                let mut code = 0;
                for word in words {
                    self.machine.variables.insert(name.clone(), word);
                    code = self.branch(body);
                    if self.ends_loop() {
                        break;
                    }
                }
                code
            }
        }
    }

    /// Runs commands whose variables, directory and exit are their own.
    fn subshell(&mut self, script: &Script) -> i32 {
        let variables = self.machine.variables.clone();
        let directory = self.machine.directory.clone();
        let code = self.list(script);
        self.machine.variables = variables;
        self.machine.directory = directory;
        self.end_subshell(code)
    }

    /// Runs the first branch with a pattern that fits.
    fn choose(&mut self, word: &Word, branches: &[(Vec<Word>, Script)]) -> i32 {
        let word = self.one(word);
        for (patterns, script) in branches {
            let mut patterns = patterns.iter();
            if patterns.any(|pattern| globs(&self.one(pattern), &word)) {
                return self.branch(script);
            }
        }
        0
    }

    /// Runs a loop while its condition succeeds or, if true, until it does.
    fn repeat(&mut self, until: bool, condition: &Script, body: &Script) -> i32 {
        let (mut code, mut seen) = (0, LoopStates::new());
        while (self.conditionally(condition, true) == 0) != until && !self.stops() {
            if self.is_endless(&mut seen) {
                return 0;
            }
            code = self.branch(body);
            if self.ends_loop() {
                break;
            }
        }
        code
    }

    /// Runs a branch. An empty branch succeeds.
    fn branch(&mut self, script: &Script) -> i32 {
        self.last = 0;
        self.list(script)
    }

    /// Runs a program with its arguments.
    pub(crate) fn program(&mut self, words: &[String]) -> i32 {
        let Some((name, arguments)) = words.split_first() else {
            return 0;
        };
        if let Some(program) = self.machine.program(words) {
            let program = program.clone();
            return self.play(&program);
        }
        if let Some(function) = self.functions.get(name).cloned() {
            return self.call(&function, arguments);
        }
        if self.prediction.is_some() {
            return self.predicted(base(name), arguments);
        }
        match (self.find)(base(name)) {
            Some(run) => run(self, arguments),
            None => {
                self.complain(&format!("sh: {name}: not found"));
                NOT_FOUND
            }
        }
    }

    /// Runs a program with a fixed output.
    fn play(&mut self, program: &Program) -> i32 {
        // Without a delay, there is nothing to wait for.
        if !program.delay.is_zero() && self.sleep(program.delay) == KILLED {
            return KILLED;
        }
        let targets = [self.out.clone(), self.err.clone()];
        for (target, text) in targets.iter().zip([&program.output, &program.error]) {
            // Some receivers add a line break to every piece, even an empty one.
            if !text.is_empty() {
                self.write(target, text.as_bytes());
            }
        }
        program.exit_code
    }

    /// Returns the output of a script without trailing line breaks.
    pub(crate) fn output(&mut self, script: &Script) -> String {
        let buffer = Rc::new(RefCell::new(Vec::new()));
        let out = std::mem::replace(&mut self.out, Target::Buffer(Rc::clone(&buffer)));
        let variables = self.machine.variables.clone();
        let code = self.list(script);
        self.last = self.end_subshell(code);
        self.machine.variables = variables;
        self.out = out;
        let text = String::from_utf8_lossy(&buffer.take()).into_owned();
        text.trim_end_matches('\n').to_owned()
    }

    /// Returns true if commands of the script read the output.
    pub(crate) fn is_captured(&self) -> bool {
        matches!(self.out, Target::Buffer(_) | Target::File(_))
    }

    /// Writes to standard output.
    pub(crate) fn print(&mut self, bytes: impl AsRef<[u8]>) {
        let target = self.out.clone();
        self.write(&target, bytes.as_ref());
    }

    /// Writes a line to standard error.
    pub(crate) fn complain(&mut self, line: &str) {
        let target = self.err.clone();
        self.write(&target, format!("{line}\n").as_bytes());
    }

    fn write(&mut self, target: &Target, bytes: &[u8]) {
        match target {
            Target::Nowhere => {}
            Target::Terminal(stream) => self.terminal.write(*stream, bytes),
            Target::Buffer(buffer) => buffer.borrow_mut().extend_from_slice(bytes),
            Target::File(path) => {
                // Read again, because another command may have written to the file since it was opened.
                let mut content = self.machine.files.read(path).unwrap_or_default().to_vec();
                content.extend_from_slice(bytes);
                if let Err(e) = self.machine.files.write(path, content) {
                    let text = format!("sh: write error: {e}\n");
                    self.terminal.write(Stream::Err, text.as_bytes());
                }
            }
        }
    }

    /// Returns the next piece of the input, or `None` at its end.
    pub(crate) fn read(&mut self) -> Option<Vec<u8>> {
        match &mut self.input {
            Source::Terminal => self.terminal.read(),
            Source::Bytes(bytes) => {
                let piece = std::mem::take(bytes);
                (!piece.is_empty()).then_some(piece)
            }
        }
    }

    /// Returns the rest of the input.
    pub(crate) fn read_all(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        while let Some(piece) = self.read() {
            // Reads to the end even if the limit is exceeded, so that the writer does not block.
            if all.len() < self.most_input() {
                all.extend(piece);
            }
        }
        all
    }

    /// Returns the maximum number of input bytes that a command keeps, which is more than a container's files can
    /// hold.
    #[expect(
        clippy::unused_self,
        reason = "a limit of the shell, as its others are"
    )]
    pub(crate) fn most_input(&self) -> usize {
        2 * MOST_FILES
    }

    /// Returns the next line of the input without its line break. The rest stays in the input.
    pub(crate) fn next_line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        loop {
            let Some(mut piece) = self.read() else {
                // Keeps the input at its end for later calls.
                self.input = Source::Bytes(Vec::new());
                return (!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned());
            };
            let Some(end) = piece.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                line.extend(piece);
                continue;
            };
            let rest = piece.split_off(end + 1);
            piece.pop();
            line.extend(piece);
            self.unread(rest);
            return Some(String::from_utf8_lossy(&line).into_owned());
        }
    }

    /// Puts bytes back in front of the remaining input.
    fn unread(&mut self, rest: Vec<u8>) {
        if rest.is_empty() {
            return;
        }
        match &mut self.input {
            Source::Bytes(bytes) => bytes.splice(..0, rest).for_each(drop),
            Source::Terminal => self.input = Source::Bytes(rest),
        }
    }

    /// Waits for this long. If the command is killed in the meantime, the shell ends.
    pub(crate) fn sleep(&mut self, time: std::time::Duration) -> i32 {
        if self.pass(time) {
            return 0;
        }
        match self.terminal.sleep(time) {
            true => 0,
            false => {
                self.exit = Some(KILLED);
                KILLED
            }
        }
    }

    /// Returns the absolute form of a path.
    pub(crate) fn path(&self, name: &str) -> String {
        absolute(&self.machine.directory, name)
    }
}
