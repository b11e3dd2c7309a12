//! Matches regular expressions, basic and extended, without back references and counted repetitions.

use std::collections::BTreeSet;

/// The maximum nesting depth of groups.
const MAX_DEPTH: usize = 50;

/// The named classes of characters.
const CLASSES: [(&str, &[(char, char)]); 6] = [
    ("alnum", &[('a', 'z'), ('A', 'Z'), ('0', '9')]),
    ("alpha", &[('a', 'z'), ('A', 'Z')]),
    ("digit", &[('0', '9')]),
    ("lower", &[('a', 'z')]),
    ("space", &[('\t', '\r'), (' ', ' ')]),
    ("upper", &[('A', 'Z')]),
];

/// A regular expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pattern(Node);

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Char(char),
    Any,
    /// One of the characters in the ranges or, if true, any other character.
    Set(bool, Vec<(char, char)>),
    Start,
    End,
    Sequence(Vec<Node>),
    Either(Vec<Node>),
    Repeat(Box<Node>, Repetition),
}

/// The number of times that a part may occur.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Repetition {
    /// True if it may be missing.
    is_optional: bool,
    /// True if it may occur more than once.
    is_many: bool,
}

impl Pattern {
    /// Parses an expression. Returns `None` if it is invalid.
    pub(crate) fn parse(text: &str, is_extended: bool) -> Option<Self> {
        let mut parser = Parser {
            text: text.chars().collect(),
            at: 0,
            depth: 0,
            is_extended,
        };
        let node = parser.either()?;
        // The rest starts with a closing parenthesis that has no opening one.
        (parser.at == parser.text.len()).then_some(Self(node))
    }

    /// Returns the expression that matches just this text.
    pub(crate) fn literal(text: &str) -> Self {
        Self(Node::Sequence(text.chars().map(Node::Char).collect()))
    }

    /// Returns true if a part of the line matches.
    pub(crate) fn is_in(&self, line: &str) -> bool {
        let line: Vec<char> = line.chars().collect();
        let starts = (0..=line.len()).collect();
        !ends(&self.0, &line, &starts).is_empty()
    }
}

/// Returns the places at which a match can end that begins at one of these places. Sets of places instead of
/// backtracking keep the time polynomial.
fn ends(node: &Node, line: &[char], starts: &BTreeSet<usize>) -> BTreeSet<usize> {
    let after = |fits: &dyn Fn(char) -> bool| -> BTreeSet<usize> {
        let fitting = starts
            .iter()
            .filter(|at| line.get(**at).is_some_and(|c| fits(*c)));
        fitting.map(|at| at + 1).collect()
    };
    match node {
        Node::Char(wanted) => after(&|c| c == *wanted),
        Node::Any => after(&|_| true),
        Node::Set(negated, ranges) => {
            after(&|c| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *negated)
        }
        Node::Start => starts.iter().copied().filter(|at| *at == 0).collect(),
        Node::End => starts
            .iter()
            .copied()
            .filter(|at| *at == line.len())
            .collect(),
        Node::Sequence(nodes) => nodes
            .iter()
            .fold(starts.clone(), |starts, node| ends(node, line, &starts)),
        Node::Either(nodes) => nodes
            .iter()
            .flat_map(|node| ends(node, line, starts))
            .collect(),
        Node::Repeat(inner, repetition) => {
            let mut found = ends(inner, line, starts);
            let mut last = found.clone();
            while repetition.is_many && !last.is_empty() {
                last = ends(inner, line, &last);
                last.retain(|at| !found.contains(at));
                found.extend(&last);
            }
            if repetition.is_optional {
                found.extend(starts);
            }
            found
        }
    }
}

struct Parser {
    text: Vec<char>,
    at: usize,
    depth: usize,
    is_extended: bool,
}

impl Parser {
    /// Returns true if an operator comes next, which has a backslash in a basic expression.
    fn sees(&self, operator: char) -> bool {
        let rest = &self.text[self.at..];
        match self.is_extended {
            true => rest.starts_with(&[operator]),
            false => rest.starts_with(&['\\', operator]),
        }
    }

    fn takes(&mut self, operator: char) -> bool {
        let found = self.sees(operator);
        if found {
            self.at += if self.is_extended { 1 } else { 2 };
        }
        found
    }

    fn next(&mut self) -> Option<char> {
        let next = self.text.get(self.at).copied();
        self.at += usize::from(next.is_some());
        next
    }

    fn either(&mut self) -> Option<Node> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut branches = vec![self.sequence()?];
        while self.takes('|') {
            branches.push(self.sequence()?);
        }
        self.depth -= 1;
        Some(Node::Either(branches))
    }

    fn sequence(&mut self) -> Option<Node> {
        let mut nodes = Vec::new();
        while !self.is_at_end() {
            let mut node = self.one(nodes.is_empty())?;
            // A star at the start has nothing to repeat, so it is an ordinary character.
            if node != Node::Start {
                while let Some(repetition) = self.repetition() {
                    node = Node::Repeat(Box::new(node), repetition);
                }
            }
            nodes.push(node);
        }
        Some(Node::Sequence(nodes))
    }

    /// Returns true at the end of a sequence.
    fn is_at_end(&self) -> bool {
        self.at == self.text.len() || self.sees('|') || self.sees(')')
    }

    fn one(&mut self, is_first: bool) -> Option<Node> {
        if self.takes('(') {
            let inner = self.either()?;
            return self.takes(')').then_some(inner);
        }
        Some(match self.next()? {
            '.' => Node::Any,
            '[' => self.set()?,
            '^' if is_first => Node::Start,
            '$' if self.is_at_end() => Node::End,
            '\\' => Node::Char(self.next()?),
            c => Node::Char(c),
        })
    }

    fn repetition(&mut self) -> Option<Repetition> {
        // Only the star is an operator of both kinds of expressions.
        if self.text.get(self.at) == Some(&'*') {
            self.at += 1;
            return Some(Repetition {
                is_optional: true,
                is_many: true,
            });
        }
        let is_optional = self.takes('?');
        let is_many = !is_optional && self.takes('+');
        (is_optional || is_many).then_some(Repetition {
            is_optional,
            is_many,
        })
    }

    /// Parses a set of characters after its opening bracket.
    fn set(&mut self) -> Option<Node> {
        let negated = self.text.get(self.at) == Some(&'^');
        self.at += usize::from(negated);
        let (start, mut ranges) = (self.at, Vec::new());
        loop {
            if let Some(class) = self.class() {
                ranges.extend_from_slice(class);
                continue;
            }
            let is_first = self.at == start;
            let first = self.next()?;
            // A closing bracket at the start is a member.
            if first == ']' && !is_first {
                return Some(Node::Set(negated, ranges));
            }
            let last = match self.text[self.at..] {
                // A hyphen at the end is a member.
                ['-', last, ..] if last != ']' => {
                    self.at += 2;
                    last
                }
                _ => first,
            };
            ranges.push((first, last));
        }
    }

    fn class(&mut self) -> Option<&'static [(char, char)]> {
        let rest: String = self.text[self.at..].iter().take(9).collect();
        let name = rest.strip_prefix("[:")?.split_once(":]")?.0;
        let class = CLASSES.iter().find(|class| class.0 == name)?;
        self.at += name.len() + 4;
        Some(class.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_match_parts_of_lines() {
        let fits = |text: &str, line: &str| Pattern::parse(text, true).unwrap().is_in(line);
        for (text, yes, no) in [
            ("^(CM|IP)=", "IP=10.0.0.1", "MY_IP=1"),
            ("a.c", "xabcx", "ac"),
            ("^ab*c$", "abbbc", "abbb"),
            ("^ab+c?$", "abb", "ac"),
            ("^[a-c[:digit:]_]+$", "a1_", "d"),
            ("^[^]x]$", "y", "]"),
            ("[a-]", "-", "b"),
            ("a\\.b$", "a.b", "axb"),
            ("^(a|b(c|d))*$", "abdbc", "ab"),
            ("^$", "", "x"),
            ("^*", "*", "x"),
        ] {
            assert!(fits(text, yes), "{text} {yes}");
            assert!(!fits(text, no), "{text} {no}");
        }
        let line = "a".repeat(300);
        assert!(!fits("^(a*)*(a*)*b$", &line));
        let basic = |text: &str, line: &str| Pattern::parse(text, false).unwrap().is_in(line);
        assert!(basic("a+(b)", "a+(b)") && basic("^\\(x\\|y\\)$", "y") && !basic("a|b", "a"));
        for invalid in ["(a", "a)", "[a", "\\"] {
            assert_eq!(Pattern::parse(invalid, true), None, "{invalid}");
        }
        assert_eq!(Pattern::parse(&"(".repeat(1000), true), None);
        assert!(Pattern::literal("a.b").is_in("xa.bx") && !Pattern::literal("a.b").is_in("axb"));
    }
}
