//! Escapes characters that a terminal would interpret.

/// Escapes the text of a cell or field. Like kubectl, escapes only ESC and carriage returns.
pub(crate) fn escaped(text: &str) -> String {
    if !text.contains(['\u{1b}', '\r']) {
        return text.to_owned();
    }
    text.replace('\u{1b}', "^[").replace('\r', "\\r")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_become_text() {
        assert_eq!(escaped("a\u{1b}[31mb\rc\u{7}"), "a^[[31mb\\rc\u{7}");
        assert_eq!(escaped("plain\ttext"), "plain\ttext");
    }
}
