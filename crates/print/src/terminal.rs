//! Escapes characters that a terminal would interpret.

/// Escapes the text of a cell or field as kubectl does: only ESC and carriage returns.
pub fn escaped(text: &str) -> String {
    if !text.contains(['\u{1b}', '\r']) {
        return text.to_owned();
    }
    text.replace('\u{1b}', "^[").replace('\r', "\\r")
}

/// Makes any text safe for a terminal: of the control characters only line feeds and tabs remain.
///
/// Output into a pipe is not changed, because kubectl's is not.
pub fn harmless(text: &str) -> String {
    let is_safe = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    if text.chars().all(is_safe) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\u{1b}' => out.push_str("^["),
            '\r' => out.push_str("\\r"),
            c if is_safe(c) => out.push(c),
            _ => out.push('\u{fffd}'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_become_text() {
        assert_eq!(escaped("a\u{1b}[31mb\rc\u{7}"), "a^[[31mb\\rc\u{7}");
        assert_eq!(escaped("plain\ttext"), "plain\ttext");
    }

    #[test]
    fn no_control_character_reaches_a_terminal() {
        let text: String = (0..0x120).filter_map(char::from_u32).collect();
        let shown = harmless(&text);
        assert!(
            shown
                .chars()
                .all(|c| !c.is_control() || c == '\n' || c == '\t')
        );
        assert_eq!(harmless("ä\n\tb"), "ä\n\tb");
        assert_eq!(
            harmless("\u{9b}1m\u{1b}]8;;x\u{7}"),
            "\u{fffd}1m^[]8;;x\u{fffd}"
        );
    }
}
