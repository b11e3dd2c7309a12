//! The tokens of a label selector's text form.

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Identifier,
    In,
    NotIn,
    Equals,
    DoubleEquals,
    NotEquals,
    GreaterThan,
    LessThan,
    DoesNotExist,
    OpenPar,
    ClosedPar,
    Comma,
    End,
    Error,
}

const SYMBOLS: [(&str, Token); 9] = [
    (")", Token::ClosedPar),
    ("(", Token::OpenPar),
    (",", Token::Comma),
    ("!", Token::DoesNotExist),
    ("==", Token::DoubleEquals),
    ("=", Token::Equals),
    ("!=", Token::NotEquals),
    (">", Token::GreaterThan),
    ("<", Token::LessThan),
];

/// Splits a selector into tokens and their texts. The last token is [`Token::End`] or an error.
pub(super) fn tokens(text: &str) -> Vec<(Token, String)> {
    let mut rest = text;
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches(is_space);
        let Some(first) = rest.chars().next() else {
            found.push((Token::End, String::new()));
            return found;
        };
        if is_symbol(first) {
            let end = rest.find(|c| !is_symbol(c)).unwrap_or(rest.len());
            let Some((text, token)) = longest_symbol(&rest[..end]) else {
                let message = format!("error expected: keyword found '{}'", &rest[..end]);
                found.push((Token::Error, message));
                return found;
            };
            found.push((token, text.to_owned()));
            rest = &rest[text.len()..];
        } else {
            let end = rest.find(|c| is_symbol(c) || is_space(c));
            let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
            let token = match word {
                "in" => Token::In,
                "notin" => Token::NotIn,
                _ => Token::Identifier,
            };
            found.push((token, word.to_owned()));
            rest = after;
        }
    }
}

/// Returns the symbol that the API server reads at the start of a run of symbol characters.
fn longest_symbol(run: &str) -> Option<(&'static str, Token)> {
    let mut last = None;
    for end in 1..=run.len() {
        match SYMBOLS.iter().find(|(text, _)| *text == &run[..end]) {
            Some(found) => last = Some(*found),
            None if last.is_some() => break,
            None => {}
        }
    }
    last
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_symbol(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}
