//! Parses a script into a tree.

use std::rc::Rc;

/// The maximum nesting depth of commands.
const MAX_DEPTH: usize = 50;

/// A list of commands, with the operators between them.
pub(crate) type Script = Vec<(Joint, Pipeline)>;

/// The operator between a command and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joint {
    /// `;`, `&` or a line break: always runs.
    Then,
    /// `&&`: runs if the previous command succeeded.
    And,
    /// `||`: runs if the previous command failed.
    Or,
}

/// Commands of which each passes its output to the next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pipeline {
    /// True after `!`.
    pub(crate) negated: bool,
    pub(crate) commands: Vec<Command>,
    /// True before `&`.
    pub(crate) in_background: bool,
}

/// A command with its redirections.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Command {
    pub(crate) body: Body,
    pub(crate) redirects: Vec<Redirect>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    /// Assignments and a program with its arguments.
    Simple(Vec<(String, Word)>, Vec<Word>),
    /// Conditions with their branches, and the final branch.
    If(Vec<(Script, Script)>, Script),
    /// A loop that runs while its condition succeeds or, if true, until it does.
    While(bool, Script, Script),
    /// A loop over words.
    For(String, Vec<Word>, Script),
    /// Branches with their patterns.
    Case(Word, Vec<(Vec<Word>, Script)>),
    /// Commands in braces.
    Group(Script),
    /// Commands in parentheses, whose variables and exit are their own.
    Subshell(Script),
    /// The definition of a function.
    Function(String, Rc<Command>),
}

/// A redirection of one of the three standard streams.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Redirect {
    pub(crate) stream: u8,
    pub(crate) to: RedirectTarget,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RedirectTarget {
    /// A file to write; true appends to it.
    File(Word, bool),
    /// A file to read.
    Input(Word),
    /// Text to read.
    Text(Word),
    /// The target of another stream.
    Stream(u8),
}

/// A word: adjacent pieces without white space between them.
pub(crate) type Word = Vec<Piece>;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    /// Quoted text, which counts as a word even if it is empty.
    Quoted(String),
    /// A variable; true if it is quoted and therefore not split.
    Variable(Variable, bool),
    /// The output of commands; true if it is quoted.
    Output(Script, bool),
    /// An arithmetic expression.
    Arithmetic(String),
}

/// A variable, with an optional replacement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// `-` or `=` and the replacement of an empty value, `?` and the error for it, or `+` and the replacement of any other
    /// value; `#` or `%` and a pattern of a part to remove at the beginning or end; `l` for the length.
    pub(crate) instead: Option<(char, String)>,
    /// True if the longest part that fits is removed.
    pub(crate) is_greedy: bool,
}

/// Parses a script.
///
/// # Errors
/// Returns a shell's error message.
pub(crate) fn parse(text: &str) -> Result<Script, String> {
    let mut parser = Parser::new(text);
    let script = parser.script(&[])?;
    // The rest starts with a closing word or parenthesis that has no opening one.
    match parser.peek() {
        None => Ok(script),
        Some(other) => Err(unexpected(&other.to_string())),
    }
}

pub(crate) fn unexpected(what: &str) -> String {
    format!("syntax error: unexpected \"{what}\"")
}

pub(crate) struct Parser {
    pub(crate) text: Vec<char>,
    pub(crate) at: usize,
    depth: usize,
}

impl Parser {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            text: text.chars().collect(),
            at: 0,
            depth: 0,
        }
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    pub(crate) fn takes(&mut self, text: &str) -> bool {
        // Compares characters rather than bytes, so that no position is within a character.
        let wanted: Vec<char> = text.chars().collect();
        let found = self.text[self.at..].starts_with(&wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    /// Skips blanks, comments and escaped line breaks.
    pub(crate) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.text.get(self.at + 1) == Some(&'\n') => self.at += 2,
                // `#` starts a comment only at the start of a word.
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Skips the separators between commands.
    pub(crate) fn separators(&mut self) {
        self.blanks();
        while matches!(self.peek(), Some('\n' | ';')) && !self.sees(";;") {
            self.at += 1;
            self.blanks();
        }
    }

    /// Returns true if a reserved word comes next, without consuming it.
    pub(crate) fn sees(&mut self, word: &str) -> bool {
        // The position is restored, because the caller may try another word.
        let before = self.at;
        // A parenthesis needs no space after it.
        let is_mark = matches!(word, ")" | ";;");
        let found = self.takes(word) && (is_mark || self.peek().is_none_or(ends_word));
        self.at = before;
        found
    }

    pub(crate) fn expects(&mut self, word: &str) -> Result<(), String> {
        self.separators();
        match self.sees(word) && self.takes(word) {
            true => Ok(()),
            false => {
                let rest = self
                    .text
                    .get(self.at)
                    .map_or("end of file".to_owned(), char::to_string);
                Err(format!("{} (expecting \"{word}\")", unexpected(&rest)))
            }
        }
    }

    /// Parses commands up to a closing word, which is not consumed.
    pub(crate) fn script(&mut self, closing: &[&str]) -> Result<Script, String> {
        // A malicious script must cause an error rather than a stack overflow.
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("the commands are nested too deep".to_owned());
        }
        let mut script = Script::new();
        let mut joint = Joint::Then;
        loop {
            self.separators();
            if self.peek().is_none() || closing.iter().any(|word| self.sees(word)) {
                break;
            }
            let mut pipeline = self.pipeline()?;
            self.blanks();
            pipeline.in_background = self.text[self.at..].starts_with(&['&'])
                && self.text.get(self.at + 1) != Some(&'&');
            script.push((joint, pipeline));
            joint = if self.takes("&&") {
                Joint::And
            } else if self.takes("||") {
                Joint::Or
            } else if self.takes("&") || matches!(self.peek(), Some(';' | '\n') | None) {
                Joint::Then
            } else {
                break;
            };
        }
        self.depth -= 1;
        Ok(script)
    }

    fn pipeline(&mut self) -> Result<Pipeline, String> {
        self.separators();
        let negated = self.sees("!") && self.takes("!");
        let mut commands = Vec::new();
        loop {
            self.separators();
            commands.push(self.command()?);
            self.blanks();
            // The list parses `||`, which joins pipelines.
            if self.text[self.at..].starts_with(&['|', '|']) || !self.takes("|") {
                return Ok(Pipeline {
                    negated,
                    commands,
                    in_background: false,
                });
            }
        }
    }

    pub(crate) fn command(&mut self) -> Result<Command, String> {
        let body = match self.compound()? {
            Some(body) => body,
            None => return self.simple(),
        };
        // A loop or group can be redirected as a whole.
        let mut redirects = Vec::new();
        while let Some(redirect) = self.redirect()? {
            redirects.push(redirect);
        }
        Ok(Command { body, redirects })
    }

    fn compound(&mut self) -> Result<Option<Body>, String> {
        if self.sees("if") {
            return self.branches().map(Some);
        }
        for (word, until) in [("while", false), ("until", true)] {
            if self.sees(word) && self.takes(word) {
                let condition = self.script(&["do"])?;
                let body = self.block()?;
                return Ok(Some(Body::While(until, condition, body)));
            }
        }
        if self.sees("case") && self.takes("case") {
            return self.case().map(Some);
        }
        if let Some(function) = self.function()? {
            return Ok(Some(function));
        }
        if self.sees("for") && self.takes("for") {
            self.blanks();
            let name = self.name();
            self.separators();
            let mut words = Vec::new();
            if self.sees("in") && self.takes("in") {
                loop {
                    self.blanks();
                    match self.word()? {
                        Some(word) => words.push(word),
                        None => break,
                    }
                }
            }
            return Ok(Some(Body::For(name, words, self.block()?)));
        }
        for (open, close) in [("{", "}"), ("(", ")")] {
            // A brace needs a space after it, a parenthesis does not.
            let begins = if open == "{" {
                self.sees(open)
            } else {
                self.peek() == Some('(')
            };
            if begins && self.takes(open) {
                let script = self.script(&[close])?;
                self.expects(close)?;
                return Ok(Some(match open {
                    "{" => Body::Group(script),
                    _ => Body::Subshell(script),
                }));
            }
        }
        Ok(None)
    }

    fn branches(&mut self) -> Result<Body, String> {
        // `elif` is parsed like another `if`, so one loop handles both.
        let mut arms = Vec::new();
        let mut word = "if";
        while self.sees(word) && self.takes(word) {
            let condition = self.script(&["then"])?;
            self.expects("then")?;
            arms.push((condition, self.script(&["elif", "else", "fi"])?));
            self.separators();
            word = "elif";
        }
        let otherwise = match self.sees("else") && self.takes("else") {
            true => self.script(&["fi"])?,
            false => Script::new(),
        };
        self.expects("fi")?;
        Ok(Body::If(arms, otherwise))
    }

    fn block(&mut self) -> Result<Script, String> {
        self.expects("do")?;
        let body = self.script(&["done"])?;
        self.expects("done")?;
        Ok(body)
    }

    fn simple(&mut self) -> Result<Command, String> {
        let (mut set, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            // After the first word, `a=b` is an argument.
            if words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                set.push(assignment);
                continue;
            }
            match self.word()? {
                Some(word) => words.push(word),
                None => break,
            }
        }
        // Like any shell, rejects `; ;` and similar input: skipping it would hide a mistake.
        if set.is_empty() && words.is_empty() && redirects.is_empty() {
            let found = self.peek().map_or("end of file".to_owned(), String::from);
            return Err(unexpected(&found));
        }
        Ok(Command {
            body: Body::Simple(set, words),
            redirects,
        })
    }

    fn assignment(&mut self) -> Result<Option<(String, Word)>, String> {
        let before = self.at;
        let name = self.name();
        // The name may turn out to be the start of a program's name.
        if name.is_empty() || !self.takes("=") {
            self.at = before;
            return Ok(None);
        }
        Ok(Some((name, self.word()?.unwrap_or_default())))
    }

    fn redirect(&mut self) -> Result<Option<Redirect>, String> {
        self.blanks();
        let before = self.at;
        // `2>` redirects a stream, but in `2 >` the digit is an argument.
        let digit = self.peek().and_then(|c| c.to_digit(10));
        if digit.is_some() {
            self.at += 1;
        }
        let stream = |usual: u8| digit.and_then(|d| u8::try_from(d).ok()).unwrap_or(usual);
        let redirect = if self.takes(">&") {
            let to = self.next().and_then(|c| c.to_digit(10));
            let to = to.and_then(|d| u8::try_from(d).ok());
            let to = to.ok_or_else(|| unexpected(">&"))?;
            Redirect {
                stream: stream(1),
                to: RedirectTarget::Stream(to),
            }
        } else if self.takes(">") {
            let extends = self.takes(">");
            Redirect {
                stream: stream(1),
                to: RedirectTarget::File(self.target()?, extends),
            }
        } else if self.takes("<<") {
            Redirect {
                stream: stream(0),
                to: self.here()?,
            }
        } else if self.takes("<") {
            Redirect {
                stream: stream(0),
                to: RedirectTarget::Input(self.target()?),
            }
        } else {
            self.at = before;
            return Ok(None);
        };
        Ok(Some(redirect))
    }

    pub(crate) fn target(&mut self) -> Result<Word, String> {
        self.blanks();
        self.word()?.ok_or_else(|| unexpected("newline"))
    }

    pub(crate) fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self
            .peek()
            .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
        {
            // `$1x` is the first argument followed by `x`.
            if name.is_empty() && c.is_ascii_digit() {
                break;
            }
            name.push(c);
            self.at += 1;
        }
        name
    }

    pub(crate) fn word(&mut self) -> Result<Option<Word>, String> {
        let (mut word, mut text) = (Word::new(), String::new());
        while let Some(c) = self.peek() {
            match c {
                c if ends_word(c) => break,
                '\\' => {
                    self.at += 1;
                    text.extend(self.next());
                }
                '\'' => {
                    self.at += 1;
                    let start = self.at;
                    while self.peek().is_some_and(|c| c != '\'') {
                        self.at += 1;
                    }
                    let quoted = self.text[start..self.at].iter().collect();
                    self.closed('\'')?;
                    flush(&mut text, &mut word);
                    word.push(Piece::Quoted(quoted));
                }
                '"' => {
                    self.at += 1;
                    flush(&mut text, &mut word);
                    self.double_quoted(&mut word, Some('"'))?;
                }
                '$' | '`' => match self.substitution(false)? {
                    Some(piece) => {
                        flush(&mut text, &mut word);
                        word.push(piece);
                    }
                    None => text.push('$'),
                },
                c => {
                    self.at += 1;
                    text.push(c);
                }
            }
        }
        flush(&mut text, &mut word);
        Ok((!word.is_empty()).then_some(word))
    }

    fn closed(&mut self, quote: char) -> Result<(), String> {
        match self.next() {
            Some(found) if found == quote => Ok(()),
            _ => Err("syntax error: unterminated quoted string".to_owned()),
        }
    }

    /// Parses quoted text up to a quotation mark, or to the end of the text.
    pub(crate) fn double_quoted(
        &mut self,
        word: &mut Word,
        end: Option<char>,
    ) -> Result<(), String> {
        let mut text = String::new();
        loop {
            match self.peek() {
                next if next.is_none() || next == end => break,
                None => break,
                Some('\\') => {
                    self.at += 1;
                    match self.next() {
                        // In double quotes, a backslash before any other character is literal.
                        Some(c @ ('$' | '`' | '"' | '\\')) => text.push(c),
                        Some('\n') => {}
                        Some(c) => text.extend(['\\', c]),
                        None => {}
                    }
                }
                Some('$' | '`') => match self.substitution(true)? {
                    Some(piece) => {
                        word.push(Piece::Quoted(std::mem::take(&mut text)));
                        word.push(piece);
                    }
                    None => text.push('$'),
                },
                Some(c) => {
                    self.at += 1;
                    text.push(c);
                }
            }
        }
        // Added even if it is empty, because `""` is a word.
        word.push(Piece::Quoted(text));
        end.map_or(Ok(()), |end| self.closed(end))
    }

    /// Returns the text before `))`.
    fn expression(&mut self) -> Result<String, String> {
        let (start, mut open) = (self.at, 0_usize);
        loop {
            match self.next() {
                Some('(') => open += 1,
                Some(')') if open > 0 => open -= 1,
                Some(')') => break,
                Some(_) => {}
                None => return Err(unexpected("end of file (expecting \"))\")")),
            }
        }
        let text = self.text[start..self.at - 1].iter().collect();
        self.expects(")")?;
        Ok(text)
    }

    /// Parses a substitution that starts with `$` or a backquote. Consumes a `$` that is literal and returns `None`.
    fn substitution(&mut self, quoted: bool) -> Result<Option<Piece>, String> {
        if self.takes("`") {
            let start = self.at;
            while self.peek().is_some_and(|c| c != '`') {
                self.at += 1;
            }
            let inner: String = self.text[start..self.at].iter().collect();
            self.closed('`')?;
            return Ok(Some(Piece::Output(parse(&inner)?, quoted)));
        }
        self.at += 1;
        if self.takes("((") {
            return Ok(Some(Piece::Arithmetic(self.expression()?)));
        }
        if self.takes("(") {
            let script = self.script(&[")"])?;
            self.expects(")")?;
            return Ok(Some(Piece::Output(script, quoted)));
        }
        if self.takes("{") {
            let name = match self.name() {
                name if name.is_empty() => self.next().map(String::from).unwrap_or_default(),
                name => name,
            };
            let start = self.at;
            while self.peek().is_some_and(|c| c != '}') {
                self.at += 1;
            }
            let rest: String = self.text[start..self.at].iter().collect();
            self.closed('}')
                .map_err(|_| unexpected("end of file (expecting \"}\")"))?;
            let variable = variable(name, &rest)?;
            return Ok(Some(Piece::Variable(variable, quoted)));
        }
        let name = match self.peek() {
            Some(c @ ('?' | '#' | '@' | '*' | '$' | '!' | '0'..='9')) => {
                self.at += 1;
                c.to_string()
            }
            _ => self.name(),
        };
        let variable = Variable {
            name,
            instead: None,
            is_greedy: false,
        };
        Ok((!variable.name.is_empty()).then_some(Piece::Variable(variable, quoted)))
    }
}

/// Parses what follows the name in `${}`.
fn variable(name: String, rest: &str) -> Result<Variable, String> {
    let plain = |name: String, instead| Variable {
        name,
        instead,
        is_greedy: false,
    };
    // `${#name}` is a length, but `${#}` the number of arguments.
    if name == "#" && !rest.is_empty() {
        return Ok(plain(rest.to_owned(), Some(('l', String::new()))));
    }
    for how in ['#', '%'] {
        if let Some(pattern) = rest.strip_prefix(how) {
            let longest = pattern.strip_prefix(how);
            return Ok(Variable {
                is_greedy: longest.is_some(),
                ..plain(name, Some((how, longest.unwrap_or(pattern).to_owned())))
            });
        }
    }
    // `${a-b}` and `${a:-b}` differ only for a variable that is set but empty.
    let mut instead = rest.strip_prefix(':').unwrap_or(rest).chars();
    match instead.next() {
        Some(how @ ('-' | '+' | '=' | '?')) => {
            Ok(plain(name, Some((how, instead.as_str().to_owned()))))
        }
        Some(_) => Err("bad substitution".to_owned()),
        None => Ok(plain(name, None)),
    }
}

fn flush(text: &mut String, word: &mut Word) {
    if !text.is_empty() {
        word.push(Piece::Text(std::mem::take(text)));
    }
}

fn ends_word(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')'
    )
}
