//! The control flow of a script: which of its commands run, and which one runs next.

use std::collections::{BTreeMap, BTreeSet};

use ctl_shell::fits;

use super::script::{Joint, unquoted};

/// The variables of a running script.
pub(super) type Values = BTreeMap<String, String>;

/// A place in a script: a command, and a word in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Position {
    pub(super) part: usize,
    pub(super) word: usize,
}

/// An `if`, a `case` or a loop that is still open.
#[derive(Debug)]
struct Frame {
    kind: FrameKind,
    /// False if the whole of it is skipped.
    outer: bool,
    /// True if a branch or the body of a loop has been taken.
    taken: bool,
    /// True if the commands at this point are executed.
    active: bool,
}

#[derive(Debug)]
enum FrameKind {
    If,
    Case {
        word: String,
        /// True if a pattern comes next.
        awaits: bool,
    },
    Loop(Loop),
}

#[derive(Debug)]
struct Loop {
    /// The start of each round.
    start: Position,
    rounds: Rounds,
    /// True if another round may follow.
    again: bool,
    /// The exit code of the last round.
    code: i64,
}

#[derive(Debug)]
enum Rounds {
    /// One for each value, the next one last.
    For { name: String, left: Vec<String> },
    /// One for each time that the condition holds or, after `until`, does not. The variables at the start of each round
    /// are kept, because a round that begins like an earlier one repeats for ever.
    While { until: bool, seen: BTreeSet<Values> },
}

/// The continuation after the keywords of a command.
pub(super) enum Step {
    /// The rest of the command, from this word on.
    Command(usize),
    /// Another round of a loop.
    Jump(Position),
    /// A loop that never ends.
    Endless,
}

/// The state of a shell between two commands.
#[derive(Default)]
pub(super) struct Shell {
    pub(super) variables: Values,
    frames: Vec<Frame>,
    /// The exit code of the last command.
    pub(super) last: i64,
    pub(super) skip: bool,
    pub(super) stop_on_error: bool,
}

impl Shell {
    pub(super) fn new(variables: Values) -> Self {
        Self {
            variables,
            ..Self::default()
        }
    }

    pub(super) fn is_active(&self) -> bool {
        self.frames.last().is_none_or(|frame| frame.active)
    }

    fn open(&mut self, kind: FrameKind) {
        let outer = self.is_active() && !self.skip;
        // A construct inside a skipped one is tracked, too, because its end must find its beginning.
        self.frames.push(Frame {
            kind,
            outer,
            taken: false,
            active: outer,
        });
        // The commands of the condition are a list of their own, which no `&&` before it affects.
        self.skip = false;
    }

    /// Takes note of how a command is joined to the previous one; `None` if the structure is unknown.
    pub(super) fn join(&mut self, joint: Joint) -> Option<()> {
        self.skip = match joint {
            Joint::Then => false,
            // `&&` after a skipped command also skips: `a && b && c` stops at the first failure.
            Joint::And => self.skip || self.last != 0,
            Joint::Or => self.last == 0,
            Joint::Next => {
                let frame = self.frames.last_mut()?;
                let FrameKind::Case { awaits, .. } = &mut frame.kind else {
                    return None;
                };
                *awaits = true;
                frame.active = false;
                false
            }
        };
        Some(())
    }

    /// Handles the keywords of a command that structure the script, from a word on; `None` if the structure is unknown.
    pub(super) fn enter(&mut self, words: &[&str], mut here: Position) -> Option<Step> {
        while let Some(first) = words.get(here.word).copied() {
            if self.awaits_pattern() && first != "esac" {
                here.word = self.choose(words, here.word)?;
                continue;
            }
            here.word += 1;
            match first {
                "if" => self.open(FrameKind::If),
                "then" => {
                    // The condition is the list of commands since `if` or `elif`, so its last exit code decides.
                    let met = self.last == 0;
                    let frame = self.frames.last_mut()?;
                    frame.active = frame.active && met;
                    frame.taken |= frame.active;
                    self.skip = false;
                }
                "elif" | "else" => {
                    let frame = self.frames.last_mut()?;
                    // Only one branch runs, even if a later condition would hold as well.
                    frame.active = frame.outer && !frame.taken;
                    self.skip = false;
                }
                "fi" | "esac" => {
                    let frame = self.frames.pop()?;
                    // One that executed no branch succeeds.
                    if frame.outer && !frame.taken {
                        self.last = 0;
                    }
                    self.skip = false;
                }
                "case" => here.word = self.open_case(words, here.word)?,
                "for" => {
                    self.open_for(words.get(here.word..)?, here.part)?;
                    return Some(Step::Command(words.len()));
                }
                "while" | "until" => self.open(FrameKind::Loop(Loop {
                    // Each round begins with the condition, which may stand in the same command as the keyword.
                    start: here,
                    rounds: Rounds::While {
                        until: first == "until",
                        seen: BTreeSet::new(),
                    },
                    again: false,
                    code: 0,
                })),
                "do" => {
                    if self.is_endless()? {
                        return Some(Step::Endless);
                    }
                }
                "done" => {
                    if let Some(start) = self.next_round()? {
                        return Some(Step::Jump(start));
                    }
                }
                // Groups and subshells would need variables and exit codes of their own.
                "{" | "(" => return None,
                _ => return Some(Step::Command(here.word - 1)),
            }
        }
        Some(Step::Command(here.word))
    }

    /// Returns true in the condition of an `if` or a loop.
    pub(super) fn is_in_condition(&self) -> bool {
        let frame = self.frames.last();
        frame.is_some_and(|frame| frame.active && !frame.taken)
    }

    fn awaits_pattern(&self) -> bool {
        let kind = self.frames.last().map(|frame| &frame.kind);
        matches!(kind, Some(FrameKind::Case { awaits: true, .. }))
    }

    /// Opens a `case`; returns the place after `in`.
    fn open_case(&mut self, words: &[&str], at: usize) -> Option<usize> {
        // An empty word without quotes is missing.
        let (word, next) = match words.get(at..)? {
            [word, "in", ..] => (*word, at + 2),
            ["in", ..] => ("", at + 1),
            _ => return None,
        };
        self.open(FrameKind::Case {
            word: word.to_owned(),
            awaits: true,
        });
        self.frames.last_mut()?.active = false;
        Some(next)
    }

    /// Compares the patterns of a branch with the word of the `case`; returns the place after them.
    fn choose(&mut self, words: &[&str], at: usize) -> Option<usize> {
        let rest = words.get(at..)?;
        let length = rest.iter().position(|word| word.ends_with(')'))? + 1;
        // Spaces may separate the patterns: `a | b)`.
        let patterns = rest[..length].concat();
        let patterns = patterns.trim_start_matches('(').trim_end_matches(')');
        // The star is the only wildcard that is supported.
        if patterns.contains(['?', '[', '\\']) {
            return None;
        }
        let frame = self.frames.last_mut()?;
        let FrameKind::Case { word, awaits } = &mut frame.kind else {
            return None;
        };
        *awaits = false;
        // The first branch that fits hides the others.
        let met = patterns.split('|').any(|p| fits(unquoted(p), word));
        frame.active = frame.outer && !frame.taken && met;
        frame.taken |= frame.active;
        Some(at + length)
    }

    /// Opens a loop over words.
    fn open_for(&mut self, words: &[&str], part: usize) -> Option<()> {
        let [name, "in", values @ ..] = words else {
            return None;
        };
        // The values of other expansions are unknown.
        let is_unknown = |value: &&str| value.contains(['$', '`', '*', '{', '"', '\'']);
        if self.is_active() && values.iter().any(is_unknown) {
            return None;
        }
        // The next value is last, so taking it moves no other.
        let left = values.iter().rev().map(|value| (*value).to_owned());
        self.open(FrameKind::Loop(Loop {
            start: Position {
                part: part + 1,
                word: 0,
            },
            rounds: Rounds::For {
                name: (*name).to_owned(),
                left: left.collect(),
            },
            again: true,
            code: 0,
        }));
        // A loop without values succeeds.
        if self.is_active() {
            self.last = 0;
        }
        self.begin_round()
    }

    /// Assigns the next value of a loop over words, or ends the loop.
    fn begin_round(&mut self) -> Option<()> {
        let frame = self.frames.last_mut()?;
        let FrameKind::Loop(open) = &mut frame.kind else {
            return None;
        };
        if let Rounds::For { name, left } = &mut open.rounds {
            match left.pop().filter(|_| frame.active) {
                Some(value) => {
                    self.variables.insert(name.clone(), value);
                    open.again = !left.is_empty();
                    frame.taken = true;
                }
                // The body is still read up to `done`, but skipped.
                None => {
                    open.again = false;
                    frame.active = false;
                }
            }
        }
        Some(())
    }

    /// Handles `do`: ends the loop if its condition does not hold. Returns true if the loop never ends.
    fn is_endless(&mut self) -> Option<bool> {
        self.skip = false;
        let frame = self.frames.last_mut()?;
        let FrameKind::Loop(open) = &mut frame.kind else {
            return None;
        };
        if let Rounds::While { until, seen } = &mut open.rounds
            && frame.active
        {
            let met = (self.last == 0) != *until;
            open.again = met;
            frame.active = met;
            frame.taken = met;
            if met {
                return Some(!seen.insert(self.variables.clone()));
            }
            // The exit code of a loop is that of its last round, not that of the condition that ended it.
            self.last = open.code;
        }
        Some(false)
    }

    /// Handles `done`: returns where the next round begins, or closes the loop.
    fn next_round(&mut self) -> Option<Option<Position>> {
        self.skip = false;
        let frame = self.frames.last_mut()?;
        let FrameKind::Loop(open) = &mut frame.kind else {
            return None;
        };
        // The condition or `break` has decided already.
        if !open.again {
            self.frames.pop();
            return Some(None);
        }
        open.code = self.last;
        frame.active = frame.outer;
        frame.taken = false;
        let start = open.start;
        self.begin_round()?;
        Some(Some(start))
    }

    /// Ends the innermost loop or, for `continue`, its current round.
    pub(super) fn leave_round(&mut self, is_break: bool) -> Option<()> {
        let is_loop = |frame: &Frame| matches!(frame.kind, FrameKind::Loop(_));
        let innermost = self.frames.iter().rposition(is_loop)?;
        for frame in &mut self.frames[innermost..] {
            frame.active = false;
            match &mut frame.kind {
                FrameKind::Loop(open) => open.again &= !is_break,
                // Its other branches are not executed either.
                _ => frame.outer = false,
            }
        }
        self.last = 0;
        Some(())
    }
}
