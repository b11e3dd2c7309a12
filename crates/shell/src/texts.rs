//! The commands that create and filter text.

use crate::arguments::flags;
use crate::file_commands::content;
use crate::pattern::Pattern;
use crate::run::Shell;

pub(crate) fn echo(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let is_flag = |word: &&String| matches!(word.as_str(), "-n" | "-e" | "-ne" | "-en");
    let set: Vec<&String> = arguments.iter().take_while(is_flag).collect();
    let text = arguments[set.len()..].join(" ");
    let text = match set.iter().any(|flag| flag.contains('e')) {
        true => escaped(&text),
        false => text,
    };
    let end = if set.iter().any(|flag| flag.contains('n')) {
        ""
    } else {
        "\n"
    };
    shell.print(format!("{text}{end}"));
    0
}

/// Replaces the escapes in a text, such as `\n`.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('\\') | None => out.push('\\'),
            Some(other) => out.extend(['\\', other]),
        }
    }
    out
}

pub(crate) fn printf(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let Some((form, values)) = arguments.split_first() else {
        shell.complain("printf: usage: printf format [arguments]");
        return 2;
    };
    let form = escaped(form);
    let mut values = values.iter();
    let mut text = String::new();
    loop {
        let before = values.len();
        formatted(&form, &mut values, &mut text);
        // The format is reused for further arguments, provided that it consumes any.
        if values.len() == 0 || values.len() == before {
            break;
        }
    }
    shell.print(text);
    0
}

fn formatted(form: &str, values: &mut std::slice::Iter<'_, String>, out: &mut String) {
    let mut chars = form.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut width = String::new();
        while let Some(digit) = chars.next_if(|c| c.is_ascii_digit() || *c == '-') {
            width.push(digit);
        }
        let value = match chars.next() {
            Some('%') | None => {
                out.push('%');
                continue;
            }
            Some('d' | 'i') => {
                let number = values.next().and_then(|text| text.parse::<i64>().ok());
                number.unwrap_or(0).to_string()
            }
            Some('b') => escaped(values.next().map_or("", String::as_str)),
            Some(_) => values.next().cloned().unwrap_or_default(),
        };
        let left = width.starts_with('-');
        let zeros = width.starts_with('0');
        let width: usize = width.trim_start_matches('-').parse().unwrap_or(0);
        let missing = width.saturating_sub(value.chars().count());
        let fill = if zeros { "0" } else { " " }.repeat(missing.min(1000));
        match left {
            true => out.extend([value, fill]),
            false => out.extend([fill, value]),
        }
    }
}

/// Returns the content of the files, or the input if no file is given.
fn bytes(shell: &mut Shell<'_>, command: &str, names: &[&str]) -> Result<Vec<u8>, i32> {
    let mut bytes = Vec::new();
    if names.is_empty() {
        bytes = shell.read_all();
    }
    for name in names {
        let own = match *name {
            "-" => shell.read_all(),
            name => content(shell, command, name).ok_or(1)?,
        };
        bytes.extend(own);
    }
    Ok(bytes)
}

/// Returns the lines of the files, or of the input if no file is given.
fn lines(shell: &mut Shell<'_>, command: &str, names: &[&str]) -> Result<Vec<String>, i32> {
    bytes(shell, command, names).map(|bytes| split(&bytes))
}

fn split(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::to_owned).collect()
}

fn print_lines<'a>(shell: &mut Shell<'_>, lines: impl Iterator<Item = &'a String>) {
    let mut text = String::new();
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    shell.print(text);
}

/// The arguments of `head` and `tail`.
struct Counted<'a> {
    count: String,
    /// True if the count is one of bytes instead of lines.
    in_bytes: bool,
    follows: bool,
    names: Vec<&'a str>,
}

fn counted(arguments: &[String]) -> Counted<'_> {
    let mut counted = Counted {
        count: "10".to_owned(),
        in_bytes: false,
        follows: false,
        names: Vec::new(),
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.strip_prefix('-') {
            Some(unit @ ("n" | "c")) => {
                counted.in_bytes = unit == "c";
                counted.count = rest.next().cloned().unwrap_or_default();
            }
            Some("f" | "F") => counted.follows = true,
            Some(number) if !number.is_empty() => {
                counted.in_bytes = number.starts_with('c');
                number
                    .trim_start_matches(['n', 'c'])
                    .clone_into(&mut counted.count);
            }
            _ => counted.names.push(argument.as_str()),
        }
    }
    counted
}

pub(crate) fn head(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let asked = counted(arguments);
    let count = asked.count.parse().unwrap_or(10);
    let mut bytes = match bytes(shell, "head", &asked.names) {
        Ok(bytes) => bytes,
        Err(code) => return code,
    };
    match asked.in_bytes {
        true => {
            bytes.truncate(count);
            shell.print(bytes);
        }
        false => print_lines(shell, split(&bytes).iter().take(count)),
    }
    0
}

pub(crate) fn tail(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let asked = counted(arguments);
    // `tail -f /dev/null` is a common way for images to wait.
    let mut names = asked.names;
    names.retain(|name| *name != "/dev/null");
    let bytes = match asked.follows && names.is_empty() {
        true => Ok(Vec::new()),
        false => bytes(shell, "tail", &names),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(code) => return code,
    };
    // `+N` counts from the start.
    let skipped = |all: usize| match asked.count.strip_prefix('+') {
        Some(first) => first.parse::<usize>().unwrap_or(1).saturating_sub(1),
        None => all.saturating_sub(asked.count.parse().unwrap_or(10)),
    };
    match asked.in_bytes {
        true => shell.print(&bytes[skipped(bytes.len()).min(bytes.len())..]),
        false => {
            let lines = split(&bytes);
            print_lines(shell, lines.iter().skip(skipped(lines.len())));
        }
    }
    match asked.follows {
        // Nothing is ever appended, so following a file just waits.
        true => shell.sleep(std::time::Duration::MAX),
        false => 0,
    }
}

pub(crate) fn wc(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let (letters, names) = flags(arguments);
    let mut bytes = Vec::new();
    match names.as_slice() {
        [] => bytes = shell.read_all(),
        names => {
            for name in names {
                match content(shell, "wc", name) {
                    Some(own) => bytes.extend(own),
                    None => return 1,
                }
            }
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let counts = [
        ('l', text.matches('\n').count()),
        ('w', text.split_whitespace().count()),
        ('c', bytes.len()),
    ];
    let shown = counts
        .iter()
        .filter(|(letter, _)| letters.is_empty() || letters.contains(*letter));
    let mut words: Vec<String> = shown.map(|(_, count)| count.to_string()).collect();
    words.extend(names.iter().map(|name| (*name).to_owned()));
    shell.print(format!("{}\n", words.join(" ")));
    0
}

pub(crate) fn grep(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let (letters, rest) = flags(arguments);
    let Some((pattern, names)) = rest.split_first() else {
        shell.complain("grep: a pattern is missing");
        return 2;
    };
    let lines = match lines(shell, "grep", names) {
        Ok(lines) => lines,
        Err(_) => return 2,
    };
    let small = |text: &str| match letters.contains('i') {
        true => text.to_lowercase(),
        false => text.to_owned(),
    };
    let pattern = match letters.contains('F') {
        true => Some(Pattern::literal(&small(pattern))),
        false => Pattern::parse(&small(pattern), letters.contains('E')),
    };
    let Some(pattern) = pattern else {
        shell.complain("grep: bad regular expression");
        return 2;
    };
    let fits = |line: &&String| pattern.is_in(&small(line)) != letters.contains('v');
    let found: Vec<String> = lines.iter().filter(fits).cloned().collect();
    match (letters.contains('q'), letters.contains('c')) {
        (true, _) => {}
        (_, true) => shell.print(format!("{}\n", found.len())),
        _ => print_lines(shell, found.iter()),
    }
    i32::from(found.is_empty())
}

pub(crate) fn sort(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let (letters, names) = flags(arguments);
    let mut lines = match lines(shell, "sort", &names) {
        Ok(lines) => lines,
        Err(code) => return code,
    };
    match letters.contains('n') {
        true => lines.sort_by_cached_key(|line| line.trim().parse::<i64>().unwrap_or(0)),
        false => lines.sort(),
    }
    if letters.contains('r') {
        lines.reverse();
    }
    if letters.contains('u') {
        lines.dedup();
    }
    print_lines(shell, lines.iter());
    0
}

pub(crate) fn uniq(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let (_, names) = flags(arguments);
    let mut lines = match lines(shell, "uniq", &names) {
        Ok(lines) => lines,
        Err(code) => return code,
    };
    lines.dedup();
    print_lines(shell, lines.iter());
    0
}

pub(crate) fn seq(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let numbers: Option<Vec<i64>> = arguments.iter().map(|text| text.parse().ok()).collect();
    let (first, step, last) = match numbers.as_deref() {
        Some([last]) => (1, 1, *last),
        Some([first, last]) => (*first, 1, *last),
        Some([first, step, last]) if *step > 0 => (*first, *step, *last),
        _ => {
            shell.complain("seq: one to three numbers are needed");
            return 1;
        }
    };
    let mut text = String::new();
    let mut number = first;
    // Limited, so that an endless sequence cannot exhaust the memory.
    while number <= last && text.len() < 1 << 20 {
        text.push_str(&format!("{number}\n"));
        number = number.saturating_add(step);
    }
    shell.print(text);
    0
}
