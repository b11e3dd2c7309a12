//! Splits documents into blocks of code, and sessions into commands with their output.

/// A block of code in a document.
#[derive(Debug)]
pub struct Block {
    /// The text after the opening fence.
    pub language: String,
    /// The number of the first line, from zero.
    pub start: usize,
    pub lines: Vec<String>,
}

/// A command of a session and its output in the document.
#[derive(Debug)]
pub struct Shown {
    pub command: String,
    /// The position of its output in the document: the first line and the number of lines.
    pub at: usize,
    pub output: Vec<String>,
}

/// Returns the fenced blocks of a document. Code that is only indented has the language `indented`.
pub fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open: Option<(String, Block)> = None;
    for (number, line) in text.lines().enumerate() {
        if let Some((fence, block)) = &mut open {
            if line.trim_end() == fence {
                found.extend(open.take().map(|(_, block)| block));
            } else {
                block.lines.push(line.to_owned());
            }
            continue;
        }
        if line.starts_with("```") {
            let ticks = line.chars().take_while(|c| *c == '`').count();
            let block = Block {
                language: line[ticks..].trim().to_owned(),
                start: number + 1,
                lines: Vec::new(),
            };
            open = Some(("`".repeat(ticks), block));
        } else if let Some(code) = line.strip_prefix("    ") {
            found.push(Block {
                language: "indented".to_owned(),
                start: number,
                lines: vec![code.to_owned()],
            });
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    found
}

/// Returns the commands of a session: lines that begin with `$ `, continued by those with `> `.
pub fn session(block: &Block) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    for (number, line) in block.lines.iter().enumerate() {
        let at = block.start + number;
        if let Some(command) = line.strip_prefix("$ ") {
            commands.push(Shown {
                command: command.to_owned(),
                at: at + 1,
                output: Vec::new(),
            });
            continue;
        }
        let last = commands.last_mut();
        let last = last.unwrap_or_else(|| panic!("line {}: output before a command", at + 1));
        match line.strip_prefix("> ") {
            Some(more) if last.output.is_empty() => {
                last.command += &format!("\n{more}");
                last.at = at + 1;
            }
            _ => last.output.push(line.clone()),
        }
    }
    for command in &mut commands {
        while command.output.last().is_some_and(String::is_empty) {
            command.output.pop();
        }
    }
    commands
}

#[test]
fn a_document_is_read_as_blocks_and_commands() {
    let text =
        "a\n```console\n$ cat <<E\n> x\n> E\nx\n\n$ true\n```\n    $ old\n````text\n```\n````\n";
    let blocks = blocks(text);
    let languages: Vec<_> = blocks.iter().map(|b| b.language.as_str()).collect();
    assert_eq!(languages, ["console", "indented", "text"]);
    let session = session(&blocks[0]);
    assert_eq!(session[0].command, "cat <<E\nx\nE");
    assert_eq!(
        (session[0].at, &session[0].output[..]),
        (5, &["x".to_owned()][..])
    );
    assert_eq!(
        (session[1].command.as_str(), session[1].output.len()),
        ("true", 0)
    );
}
