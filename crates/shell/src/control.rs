//! The commands that change the order in which a script runs: loops, functions, jobs and traps.

use std::rc::Rc;

use crate::arguments::base;
use crate::run::{Leave, Shell};
use crate::syntax::{Command, Pipeline};

impl Shell<'_> {
    /// Calls a function.
    pub(crate) fn call(&mut self, function: &Rc<Command>, arguments: &[String]) -> i32 {
        /// The maximum number of calls in a row, so that a recursion cannot exhaust the stack.
        const MOST_CALLS: usize = 50;
        if self.calls == MOST_CALLS {
            self.complain("sh: too many nested calls");
            self.exit = Some(2);
            return 2;
        }
        let script = self.arguments.first().cloned().unwrap_or_default();
        let own = [&[script], arguments].concat();
        let before = std::mem::replace(&mut self.arguments, own);
        // A function sees the variables of its caller, and may hide some of them.
        let locals = self.locals.len();
        self.calls += 1;
        let code = self.command(function);
        self.calls -= 1;
        self.arguments = before;
        for (name, value) in self.locals.drain(locals..).rev() {
            match value {
                Some(value) => self.machine.variables.insert(name, value),
                None => self.machine.variables.remove(&name),
            };
        }
        match self.leave.take_if(|leave| *leave == Leave::Function) {
            Some(_) => self.last,
            None => code,
        }
    }

    /// Returns true if a loop ends after a round.
    pub(crate) fn ends_loop(&mut self) -> bool {
        match self.leave {
            // `continue` in the loop itself only ended the round.
            Some(Leave::Rounds(1)) => self.leave = None,
            Some(Leave::Loops(1)) => {
                self.leave = None;
                return true;
            }
            Some(Leave::Loops(count)) => self.leave = Some(Leave::Loops(count - 1)),
            Some(Leave::Rounds(count)) => self.leave = Some(Leave::Rounds(count - 1)),
            _ => {}
        }
        self.stops()
    }

    /// Ends a subshell, whose `exit` does not end this shell; returns its exit code.
    pub(crate) fn end_subshell(&mut self, code: i32) -> i32 {
        // A killed or unpredictable script ends as a whole.
        if self.is_over() {
            return code;
        }
        self.leave = None;
        self.exit.take().unwrap_or(code)
    }

    /// Runs a job. There is a single process, so a shell in a terminal waits for it.
    pub(crate) fn background(&mut self, pipeline: &Pipeline) -> i32 {
        let start = self.passed();
        let code = self.pipeline(pipeline);
        self.end_subshell(code);
        self.end_job(start);
        0
    }
}

pub(crate) fn leave_loop(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    shell.leave = Some(Leave::Loops(count(arguments)));
    0
}

pub(crate) fn leave_round(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    shell.leave = Some(Leave::Rounds(count(arguments)));
    0
}

fn count(arguments: &[String]) -> u32 {
    let count = arguments.first().and_then(|text| text.parse().ok());
    count.unwrap_or(1).max(1)
}

pub(crate) fn leave_function(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let code = arguments.first().and_then(|code| code.parse().ok());
    let code: i32 = code.unwrap_or(shell.last);
    shell.leave = Some(Leave::Function);
    code & 0xff
}

pub(crate) fn shift(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let last = shell.arguments.len().saturating_sub(1);
    let count = arguments.first().and_then(|text| text.parse().ok());
    let count: usize = count.unwrap_or(1);
    if count > last {
        return 1;
    }
    shell.arguments.drain(1..=count);
    0
}

pub(crate) fn local(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    for argument in arguments {
        let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
        let variables = &mut shell.machine.variables;
        let before = variables.insert(name.to_owned(), value.to_owned());
        shell.locals.push((name.to_owned(), before));
    }
    0
}

pub(crate) fn eval(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    shell.script(&arguments.join(" "))
}

pub(crate) fn trap(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let Some((action, events)) = arguments.split_first() else {
        return 0;
    };
    // Nothing sends signals to a script, so only its end is an event.
    if events
        .iter()
        .any(|event| matches!(event.as_str(), "EXIT" | "0"))
    {
        shell.at_exit = Some(action.clone()).filter(|action| action != "-");
    }
    0
}

pub(crate) fn command(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    match arguments {
        [flag, names @ ..] if flag == "-v" => {
            let is_known = |name: &String| {
                shell.functions.contains_key(name) || (shell.find)(base(name)).is_some()
            };
            i32::from(!names.iter().all(is_known))
        }
        words => shell.program(words),
    }
}
