//! The commands that create and filter text.

use crate::arguments::flags;
use crate::file_commands::content;
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

/// Returns the lines of the files, or of the input if no file is given.
fn lines(shell: &mut Shell<'_>, command: &str, names: &[&str]) -> Result<Vec<String>, i32> {
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
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().map(str::to_owned).collect())
}

fn print_lines<'a>(shell: &mut Shell<'_>, lines: impl Iterator<Item = &'a String>) {
    let mut text = String::new();
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    shell.print(text);
}

/// Splits the arguments of `head` and `tail` into the count, the flag `-f` and the files.
fn counted(arguments: &[String]) -> (String, bool, Vec<&str>) {
    let (mut count, mut follows, mut names) = ("10".to_owned(), false, Vec::new());
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.strip_prefix('-') {
            Some("n" | "c") => count = rest.next().cloned().unwrap_or_default(),
            Some("f" | "F") => follows = true,
            Some(number) if !number.is_empty() => {
                let number = number.trim_start_matches(['n', 'c']);
                number.clone_into(&mut count);
            }
            _ => names.push(argument.as_str()),
        }
    }
    (count, follows, names)
}

pub(crate) fn head(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let (count, _, names) = counted(arguments);
    match lines(shell, "head", &names) {
        Ok(lines) => {
            print_lines(shell, lines.iter().take(count.parse().unwrap_or(10)));
            0
        }
        Err(code) => code,
    }
}

pub(crate) fn tail(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let (count, follows, names) = counted(arguments);
    // `tail -f /dev/null` is a common way for images to wait.
    let names: Vec<&str> = names
        .into_iter()
        .filter(|name| *name != "/dev/null")
        .collect();
    let nothing = follows && names.is_empty();
    let lines = match nothing {
        true => Ok(Vec::new()),
        false => lines(shell, "tail", &names),
    };
    let lines = match lines {
        Ok(lines) => lines,
        Err(code) => return code,
    };
    // `+N` counts from the start.
    let skipped = match count.strip_prefix('+') {
        Some(first) => first.parse::<usize>().unwrap_or(1).saturating_sub(1),
        None => lines.len().saturating_sub(count.parse().unwrap_or(10)),
    };
    print_lines(shell, lines.iter().skip(skipped));
    match follows {
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
    // Supports only literal text with anchors: scripts in manifests rarely need more, and regular expressions would
    // need another crate.
    let (start, end) = (pattern.starts_with('^'), pattern.ends_with('$'));
    let wanted = small(pattern.trim_start_matches('^').trim_end_matches('$'));
    let fits = |line: &&String| {
        let line = small(line);
        let found = match (start, end) {
            (true, true) => line == wanted,
            (true, false) => line.starts_with(&wanted),
            (false, true) => line.ends_with(&wanted),
            (false, false) => line.contains(&wanted),
        };
        found != letters.contains('v')
    };
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
