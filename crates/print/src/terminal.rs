//! Escapes characters that a terminal would interpret.

/// Cell or field text as kubectl shows it: ESC and carriage returns cannot act, the rest stays as it is.
pub fn escaped(text: &str) -> String {
    if !text.contains(['\u{1b}', '\r']) {
        return text.to_owned();
    }
    text.replace('\u{1b}', "^[").replace('\r', "\\r")
}

/// Any text, safe on a terminal: no control character but line feeds and tabs is left.
///
/// What was written for a pipe may hold others; kubectl's output there is kept as it is.
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
