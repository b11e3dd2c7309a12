//! Expands words.

use crate::arithmetic::evaluate;
use crate::run::Shell;
use crate::syntax::{Piece, Variable, Word};

impl Shell<'_> {
    /// Expands a word: unquoted values are split at white space, and an empty word without quotes is dropped.
    pub(crate) fn expand(&mut self, word: &Word) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let mut current: Option<String> = None;
        for piece in word {
            if let Piece::Variable(variable, true) = piece
                && variable.name == "@"
            {
                // Each argument stays a word.
                for (number, argument) in self.arguments.iter().skip(1).enumerate() {
                    if number > 0 {
                        words.extend(current.take());
                    }
                    current.get_or_insert_default().push_str(argument);
                }
                continue;
            }
            let (value, splits) = self.value(piece);
            // Quoted values and literal text in the script are never split.
            if !splits {
                current.get_or_insert_default().push_str(&value);
                continue;
            }
            // Leading or trailing white space separates the value from its neighbors.
            if value.starts_with(char::is_whitespace) {
                words.extend(current.take());
            }
            let mut parts = value.split_whitespace().peekable();
            while let Some(part) = parts.next() {
                current.get_or_insert_default().push_str(part);
                if parts.peek().is_some() {
                    words.extend(current.take());
                }
            }
            if value.ends_with(char::is_whitespace) {
                words.extend(current.take());
            }
        }
        words.extend(current);
        let is_pattern = |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains('*'));
        match word.iter().any(is_pattern) {
            true => words
                .into_iter()
                .flat_map(|word| self.matches(word))
                .collect(),
            false => words,
        }
    }

    /// Expands a word without splitting it, for example in an assignment.
    pub(crate) fn one(&mut self, word: &Word) -> String {
        word.iter().map(|piece| self.value(piece).0).collect()
    }

    /// Returns the value of a piece, and true if it is split at white space.
    fn value(&mut self, piece: &Piece) -> (String, bool) {
        match piece {
            Piece::Text(text) | Piece::Quoted(text) => (text.clone(), false),
            Piece::Variable(variable, quoted) => (self.variable(variable), !quoted),
            Piece::Output(script, quoted) => (self.output(script), !quoted),
            Piece::Arithmetic(text) => (self.arithmetic(text), false),
        }
    }

    fn arithmetic(&mut self, text: &str) -> String {
        // A variable needs no `$`, but may have one.
        let text = self.text(text);
        let variable = |name: &str| {
            let value = self.machine.variables.get(name);
            value.cloned().unwrap_or_default()
        };
        match evaluate(&text, &variable) {
            Ok(value) => value.to_string(),
            Err(why) => {
                self.complain(&format!("sh: {why}"));
                // As in other shells, this ends the script.
                self.exit = Some(2);
                String::new()
            }
        }
    }

    /// Returns true if the container may have a variable whose value is not known here.
    fn may_have(&self, name: &str) -> bool {
        let of_services = ["_SERVICE_HOST", "_SERVICE_PORT"];
        (self.machine.has_unknown_variables && name.starts_with(|c: char| c.is_ascii_alphabetic()))
            || of_services.iter().any(|end| name.ends_with(end))
            || matches!(name, "RANDOM" | "SECONDS")
    }

    fn variable(&mut self, variable: &Variable) -> String {
        let name = variable.name.as_str();
        let number = || self.arguments.get(name.parse::<usize>().ok()?).cloned();
        let value = match name {
            "?" => self.last.to_string(),
            // The main process of a container has the ID 1, and the shell starts no others.
            "$" => "1".to_owned(),
            "#" => self.arguments.len().saturating_sub(1).to_string(),
            "@" | "*" => self.arguments.get(1..).unwrap_or_default().join(" "),
            // The process ID of the last job; no two jobs run at a time.
            "!" => "2".to_owned(),
            _ => {
                let known = number().or_else(|| self.machine.variables.get(name).cloned());
                if known.is_none() && self.may_have(name) {
                    self.give_up();
                }
                known.unwrap_or_default()
            }
        };
        match &variable.instead {
            Some(('-', instead)) if value.is_empty() => self.text(instead),
            Some(('=', instead)) if value.is_empty() => {
                let value = self.text(instead);
                self.machine
                    .variables
                    .insert(name.to_owned(), value.clone());
                value
            }
            Some(('?', why)) if value.is_empty() => {
                let why = self.text(why);
                self.complain(&format!("sh: {name}: {why}"));
                self.exit = Some(2);
                value
            }
            Some(('l', _)) => value.chars().count().to_string(),
            Some((how @ ('#' | '%'), pattern)) => {
                let pattern = self.text(pattern);
                without(&value, *how, &pattern, variable.is_greedy).to_owned()
            }
            Some(('+', instead)) if !value.is_empty() => self.text(instead),
            Some(('+', _)) => String::new(),
            _ => value,
        }
    }

    /// Expands the variables in the text inside `${}`.
    fn text(&mut self, text: &str) -> String {
        match crate::syntax::parse(&format!(": \"{text}\"")).as_deref() {
            Ok([(_, pipeline)]) => match pipeline.commands.first().map(|command| &command.body) {
                Some(crate::syntax::Body::Simple(_, words)) => {
                    words.get(1).map(|word| self.one(word)).unwrap_or_default()
                }
                _ => text.to_owned(),
            },
            _ => text.to_owned(),
        }
    }

    /// Returns the files whose paths match a pattern with `*`, or the pattern itself if none does.
    fn matches(&self, pattern: String) -> Vec<String> {
        let (directory, last) = pattern.rsplit_once('/').unwrap_or(("", &pattern));
        // Patterns in directory names would require walking the tree, but scripts use them only in the last component.
        if directory.contains('*') {
            return vec![pattern];
        }
        let place = match pattern.starts_with('/') && directory.is_empty() {
            true => "/".to_owned(),
            false => self.path(directory),
        };
        let names = self.machine.files.names(&place).into_iter();
        // Hidden files match only patterns that start with a dot, which are not supported.
        let names = names.filter(|name| !name.starts_with('.') && fits(last, name));
        let found: Vec<String> = names
            .map(|name| match pattern.contains('/') {
                true => format!("{directory}/{name}"),
                false => name,
            })
            .collect();
        if found.is_empty() {
            vec![pattern]
        } else {
            found
        }
    }
}

/// Returns a value without the part at its beginning or end that fits a pattern.
fn without<'v>(value: &'v str, how: char, pattern: &str, is_greedy: bool) -> &'v str {
    let ends = value.char_indices().map(|(at, _)| at).chain([value.len()]);
    let (kept, removed): (Vec<&str>, Vec<&str>) = match how {
        '#' => ends.map(|at| (&value[at..], &value[..at])).unzip(),
        _ => ends.rev().map(|at| (&value[..at], &value[at..])).unzip(),
    };
    // Both lists begin with the part that removes least.
    let mut fitting = (0..removed.len()).filter(|at| globs(pattern, removed[*at]));
    let found = if is_greedy {
        fitting.next_back()
    } else {
        fitting.next()
    };
    found.map_or(value, |at| kept[at])
}

/// Returns true if a text matches a shell's pattern: `*`, `?`, and `[...]` for one of some characters.
pub(crate) fn globs(pattern: &str, text: &str) -> bool {
    let (mut pattern, mut rest) = (pattern.chars(), text.chars());
    let Some(first) = pattern.next() else {
        return text.is_empty();
    };
    let set = pattern.as_str().split_once(']').filter(|_| first == '[');
    match (first, set) {
        ('*', _) => {
            let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.any(|at| globs(pattern.as_str(), &text[at..]))
        }
        (_, Some((set, after))) => {
            rest.next().is_some_and(|c| is_in(set, c)) && globs(after, rest.as_str())
        }
        _ => {
            let fits = rest.next().is_some_and(|c| first == '?' || first == c);
            fits && globs(pattern.as_str(), rest.as_str())
        }
    }
}

/// Returns true if a character is in a set such as `a-z_`, or not in one such as `!0-9`.
fn is_in(set: &str, c: char) -> bool {
    let (set, is_other) = match set.strip_prefix(['!', '^']) {
        Some(set) => (set, true),
        None => (set, false),
    };
    let set: Vec<char> = set.chars().collect();
    let in_range = |w: &[char]| w[1] == '-' && w[0] <= c && c <= w[2];
    (set.contains(&c) || set.windows(3).any(in_range)) != is_other
}

/// Returns true if a text matches a pattern, where `*` matches any text.
pub fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
            let mut ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            ends.any(|at| fits(after, &rest[at..]))
        }),
    }
}
