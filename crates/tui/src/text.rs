//! Prepares text of the cluster for a terminal by removing control sequences.
//!
//! Must not know: widgets.

use std::borrow::Cow;

/// Returns text on one line, with a visible character in place of each control character.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    match text.contains(is_obeyed) {
        false => Cow::Borrowed(text),
        true => Cow::Owned(text.replace(is_obeyed, "\u{fffd}")),
    }
}

/// Returns true for control characters and for those that change the direction of the surrounding text.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Shortens a text in the middle until it fits: the start contains the type, and the end distinguishes siblings.
pub(crate) fn shortened(text: &str, width: usize) -> Cow<'_, str> {
    let length = text.chars().count();
    if length <= width {
        return Cow::Borrowed(text);
    }
    // One cell is taken by the ellipsis.
    let kept = width.saturating_sub(1);
    let (head, tail) = (kept - kept / 3, kept / 3);
    let begin: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - tail).collect();
    Cow::Owned(format!("{begin}…{end}"))
}

/// Truncates a text at its end until it fits.
pub(crate) fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if text.chars().nth(width).is_none() {
        return Cow::Borrowed(text);
    }
    let begin: String = text.chars().take(width.saturating_sub(1)).collect();
    Cow::Owned(format!("{begin}…"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_in_names_are_replaced() {
        assert_eq!(
            plain("a\u{1b}[31m\n\u{202e}b\u{9b}"),
            "a\u{fffd}[31m\u{fffd}\u{fffd}b\u{fffd}"
        );
        assert!(matches!(plain("web-ü"), Cow::Borrowed("web-ü")));
    }

    #[test]
    fn long_names_are_shortened_but_keep_their_suffix() {
        assert_eq!(shortened("pod/web-7b7c86549f-kn67d", 12), "pod/web-…67d");
        assert_eq!(shortened("pod/web", 7), "pod/web");
        assert_eq!(cut("a long sentence", 6), "a lon…");
        assert_eq!(cut("abc", 3), "abc");
    }
}
