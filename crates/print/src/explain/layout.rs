//! Wraps and indents text.

/// Breaks lines between words so that, if possible, none exceeds `limit`.
pub(super) fn wrapped(text: &str, limit: usize) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| one(line, limit)).collect();
    lines.join("\n")
}

fn one(line: &str, limit: usize) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    let mut length = 0;
    for (at, word) in line.split(' ').enumerate() {
        let size = word.chars().count();
        if at > 0 {
            // Keeps consecutive spaces unless they end a line.
            let breaks = !word.is_empty() && length + 1 + size > limit;
            if breaks {
                out.truncate(out.trim_end_matches(' ').len());
            }
            out.push(if breaks { '\n' } else { ' ' });
            length = if breaks { 0 } else { length + 1 };
        }
        out.push_str(word);
        length += size;
    }
    out
}

/// Indents all lines of a text.
pub(super) fn indented(text: &str, spaces: usize) -> String {
    let pad = " ".repeat(spaces);
    format!("{pad}{}", text.replace('\n', &format!("\n{pad}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("aa bb cc dd", 5), "aa bb\ncc dd");
        assert_eq!(wrapped("aaaaaaaaaa bb", 5), "aaaaaaaaaa\nbb");
        assert_eq!(wrapped("a\nb  c\n", 5), "a\nb  c\n");
        assert_eq!(wrapped("", 5), "");
        assert_eq!(indented("a\nb", 2), "  a\n  b");
    }
}
