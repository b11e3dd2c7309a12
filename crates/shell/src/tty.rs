//! A terminal for interactive input: echo, erasing, interrupts and the end of the input.

/// An effect of typed keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// A line with its line break, or a partial line sent without one.
    Line(Vec<u8>),
    /// The end of the input.
    End,
    /// The interruption of the command.
    Interrupt,
}

/// The current line of input.
///
/// ```
/// use ctl_shell::{Tty, Typed};
///
/// let mut shown = Vec::new();
/// let typed = Tty::default().press(b"ls\r", &mut shown);
/// assert_eq!(typed, [Typed::Line(b"ls\n".to_vec())]);
/// assert_eq!(shown, b"ls\r\n");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tty {
    line: Vec<u8>,
    /// The keys of an incomplete escape sequence, such as that of an arrow key.
    sequence: Vec<u8>,
}

/// The maximum length of a line in bytes, the same as on Linux.
const LONGEST: usize = 4096;

impl Tty {
    /// Processes the keys of a raw terminal and appends their echo.
    pub fn press(&mut self, keys: &[u8], echo: &mut Vec<u8>) -> Vec<Typed> {
        let mut typed = Vec::new();
        for key in keys {
            if self.is_in_sequence(*key) {
                continue;
            }
            match *key {
                b'\r' | b'\n' => {
                    echo.extend(b"\r\n");
                    let mut line = std::mem::take(&mut self.line);
                    line.push(b'\n');
                    typed.push(Typed::Line(line));
                }
                // Ctrl-C
                0x03 => {
                    self.line.clear();
                    echo.extend(b"^C\r\n");
                    typed.push(Typed::Interrupt);
                }
                // Ctrl-D ends the input on an empty line; otherwise, it sends the line.
                0x04 => typed.push(match std::mem::take(&mut self.line) {
                    line if line.is_empty() => Typed::End,
                    line => Typed::Line(line),
                }),
                // Backspace, in both of the encodings that terminals use
                0x08 | 0x7f => self.erase(echo),
                // Ctrl-U
                0x15 => {
                    while !self.line.is_empty() {
                        self.erase(echo);
                    }
                }
                0x1b => self.sequence.push(0x1b),
                b'\t' | 0x20.. if self.line.len() < LONGEST => {
                    self.line.push(*key);
                    echo.push(*key);
                }
                _ => {}
            }
        }
        typed
    }

    /// Returns true if a key is part of an escape sequence. Escape sequences are ignored.
    fn is_in_sequence(&mut self, key: u8) -> bool {
        let ends = match self.sequence.as_slice() {
            [] => return false,
            [_] => !matches!(key, b'[' | b'O'),
            _ => (0x40..=0x7e).contains(&key),
        };
        self.sequence.push(key);
        if ends || self.sequence.len() > 16 {
            self.sequence.clear();
        }
        true
    }

    fn erase(&mut self, echo: &mut Vec<u8>) {
        // A character may have several bytes, of which all but the first are continuation bytes.
        while let Some(byte) = self.line.pop() {
            if byte & 0xc0 != 0x80 {
                echo.extend(b"\x08 \x08");
                break;
            }
        }
    }
}

/// Converts output for a raw terminal, where each line must return to the first column.
pub fn shown(output: &[u8]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(output.len());
    for byte in output {
        if *byte == b'\n' {
            shown.push(b'\r');
        }
        shown.push(*byte);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tty_handles_backspace_kill_and_interrupt_keys() {
        let line = |text: &str| vec![Typed::Line(text.as_bytes().to_vec())];
        for (keys, typed, echo) in [
            ("ls\r", line("ls\n"), "ls\r\n"),
            ("lx\x7fs\r", line("ls\n"), "lx\x08 \x08s\r\n"),
            ("\u{e9}\x7fa\r", line("a\n"), "\u{e9}\x08 \x08a\r\n"),
            (
                "xyz\x15a\r",
                line("a\n"),
                "xyz\x08 \x08\x08 \x08\x08 \x08a\r\n",
            ),
            ("\x7fa\x1b[Ab\x1bOB\x1bx\r", line("ab\n"), "ab\r\n"),
            ("ab\x04", line("ab"), "ab"),
            ("\x04", vec![Typed::End], ""),
            ("ab\x03", vec![Typed::Interrupt], "ab^C\r\n"),
            ("ab", Vec::new(), "ab"),
        ] {
            let mut shown = Vec::new();
            let found = Tty::default().press(keys.as_bytes(), &mut shown);
            assert_eq!(found, typed, "{keys:?}");
            assert_eq!(String::from_utf8(shown).unwrap(), echo, "{keys:?}");
        }
        assert_eq!(shown(b"a\nb\n"), b"a\r\nb\r\n");
    }
}
