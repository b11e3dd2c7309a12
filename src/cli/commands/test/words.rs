//! Splits the command lines in test files.

/// Splits a line into words as a shell does: quotes group words, a backslash escapes the next character, and `$NAME`
/// and `${NAME}` are expanded except in single quotes.
pub(in crate::cli::commands) fn split(
    line: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                // `''` is an empty word, not the absence of one.
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (None | Some('"'), '$') => {
                let braces = chars.next_if_eq(&'{').is_some();
                let mut name = String::new();
                while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
                    name.push(c);
                }
                if braces && chars.next() != Some('}') {
                    return Err(format!("{line:?}: missing }} after ${{{name}"));
                }
                let word = word.get_or_insert_default();
                match (name.is_empty(), variable(&name)) {
                    // `$(` and `$1` would need a shell, so the dollar sign is kept.
                    (true, _) => word.push('$'),
                    (false, value) => word.push_str(&value.unwrap_or_default()),
                }
            }
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match quote {
        Some(open) => Err(format!("{line:?}: a quote {open} is not closed")),
        None => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_as_in_a_shell() {
        let variable = |name: &str| (name == "NAMESPACE").then(|| "blue".to_owned());
        let split = |line: &str| split(line, &variable);
        assert_eq!(
            split("a  'b  \"c' d='' \"$NAMESPACE-${NAMESPACE}\" '$NAMESPACE' x\\ y $NONE").unwrap(),
            ["a", "b  \"c", "d=", "blue-blue", "$NAMESPACE", "x y", ""]
        );
        assert!(split("a 'b").is_err() && split("${a").is_err());
    }
}
