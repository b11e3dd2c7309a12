//! Chooses the style of a string: plain if possible, quoted if it would be read as another type.

use super::super::resolve::reads_as_other_type;

/// The style in which a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// The result of scanning the characters of a string.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Analysis {
    /// True if the string has only letters and similar characters, so it is plain unless it has a special meaning.
    simple: bool,
    pub(super) multiline: bool,
    plain: bool,
    single: bool,
    block: bool,
}

/// Bytes without a special meaning. A dash has one only by itself or at the start of a document.
static SAFE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let c = byte as u8;
        table[byte] = c.is_ascii_alphanumeric()
            || matches!(c, b'_' | b'.' | b'/' | b'+' | b'$' | b'(' | b')' | b'-');
        byte += 1;
    }
    table
};

/// Scans a string as go-yaml's emitter does.
pub(super) fn analyze(text: &str) -> Analysis {
    let bytes = text.as_bytes();
    // Nearly every string is a name, an image or a number, and takes one table lookup per byte. All bytes are looked
    // up, because a loop that ends at the first unsafe one takes 1.7 times as long for the others.
    let is_safe = |safe, byte: &u8| safe & SAFE[usize::from(*byte)];
    if !bytes.is_empty()
        && bytes.iter().fold(true, is_safe)
        && !matches!(
            bytes,
            [b'-'] | [b'-', b'-', b'-', ..] | [b'.', b'.', b'.', ..]
        )
    {
        return Analysis {
            simple: true,
            multiline: false,
            plain: true,
            single: true,
            block: true,
        };
    }
    thorough(text)
}

/// The facts that [`thorough`] collects.
#[derive(Default)]
struct Facts {
    indicator: bool,
    breaks: bool,
    special: bool,
    break_space: bool,
    space_break: bool,
}

fn thorough(text: &str) -> Analysis {
    if text.is_empty() {
        return Analysis {
            simple: false,
            multiline: false,
            plain: true,
            single: true,
            block: false,
        };
    }
    let mut facts = Facts {
        // `---` and `...` at the start of a line would begin or end a document.
        indicator: text.starts_with("---") || text.starts_with("..."),
        ..Facts::default()
    };
    // The start counts as following a blank, because the first character may begin a comment.
    let (mut after_blank, mut after_space, mut after_break) = (true, false, false);
    let mut rest = text.chars();
    let mut first = true;
    while let Some(c) = rest.next() {
        let next = rest.as_str().chars().next();
        let before_blank = next.is_none_or(|n| matches!(n, ' ' | '\t'));
        facts.indicator |= is_indicator(c, first, after_blank, before_blank);
        facts.special |= !is_printable(c);
        let is_break = is_break(c);
        facts.breaks |= is_break;
        facts.break_space |= c == ' ' && after_break;
        facts.space_break |= is_break && after_space;
        (after_space, after_break) = (c == ' ', is_break);
        after_blank = matches!(c, ' ' | '\t' | '\0') || is_break;
        first = false;
    }
    let edge = |c: char| c == ' ' || is_break(c);
    let trailing_space = text.ends_with(' ');
    // A plain or single-quoted scalar would lose a space before a line break.
    let hard = facts.space_break || facts.special;
    Analysis {
        simple: false,
        multiline: facts.breaks,
        plain: !(text.starts_with(edge)
            || text.ends_with(edge)
            || facts.break_space
            || hard
            || facts.breaks
            || facts.indicator),
        single: !(facts.break_space || hard),
        block: !(trailing_space || hard),
    }
}

fn is_indicator(c: char, first: bool, after_blank: bool, before_blank: bool) -> bool {
    match c {
        '#' => first || after_blank,
        ':' => before_blank,
        ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@'
        | '`' => first,
        '?' | '-' => first && before_blank,
        _ => false,
    }
}

/// Returns true if YAML 1.1 treats a character as a line break.
pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns true if a character needs no escape: it is in the BMP and not a control character.
pub(super) fn is_printable(c: char) -> bool {
    match c {
        '\n' | ' '..='~' => true,
        '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => false,
        '\u{A0}'..='\u{FFFF}' => true,
        _ => false,
    }
}

/// Chooses the style of a string.
pub(super) fn style(text: &str, analysis: &Analysis) -> Style {
    // A string of several lines becomes a literal if its spaces allow it, because a literal is easy to read and edit.
    if !analysis.simple && text.contains('\n') {
        return if analysis.block {
            Style::Literal
        } else {
            Style::Double
        };
    }
    // Strings such as `yes`, `1` and `null` need quotes, because they would be read as another type.
    if reads_as_other_type(text) {
        return Style::Double;
    }
    match (analysis.plain, analysis.single) {
        (true, _) => Style::Plain,
        (false, true) => Style::Single,
        (false, false) => Style::Double,
    }
}
