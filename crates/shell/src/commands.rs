//! The commands that concern the shell and the machine.

use std::time::Duration;

use crate::arguments::{base, flags, user_name};
use crate::run::{Run, Shell, Source};
use crate::{archive, control, file_commands as files, texts};

/// The exit code of an interrupted command.
pub(crate) const INTERRUPTED: i32 = 130;

/// All commands by name.
const COMMANDS: &[(&str, Run)] = &[
    (":", |_, _| 0),
    ("[", test_in_brackets),
    ("[[", test_in_brackets),
    ("ash", sh),
    ("basename", files::basename),
    ("bash", sh),
    ("break", control::leave_loop),
    ("cat", files::cat),
    ("cd", cd),
    ("chmod", |_, _| 0),
    ("chown", |_, _| 0),
    ("command", control::command),
    ("continue", control::leave_round),
    ("cp", files::cp),
    ("dash", sh),
    ("date", date),
    ("dirname", files::dirname),
    ("echo", texts::echo),
    ("env", env),
    ("eval", control::eval),
    ("exec", exec),
    ("exit", exit),
    ("export", export),
    ("false", |_, _| 1),
    ("grep", texts::grep),
    ("head", texts::head),
    ("hostname", hostname),
    ("id", id),
    ("local", control::local),
    ("ls", files::ls),
    ("mkdir", files::mkdir),
    ("mv", files::mv),
    ("printenv", printenv),
    ("printf", texts::printf),
    ("ps", ps),
    ("pwd", pwd),
    ("read", read),
    ("return", control::leave_function),
    ("rm", files::rm),
    ("seq", texts::seq),
    ("set", set),
    ("sh", sh),
    ("shift", control::shift),
    ("sleep", sleep),
    ("sort", texts::sort),
    ("stty", stty),
    ("tail", texts::tail),
    ("tar", archive::tar),
    ("tee", files::tee),
    ("test", test),
    ("touch", files::touch),
    ("trap", control::trap),
    ("true", |_, _| 0),
    ("uname", uname),
    ("uniq", texts::uniq),
    ("unset", unset),
    ("wait", |shell, words| shell.wait(words)),
    ("wc", texts::wc),
    ("which", which),
    ("whoami", whoami),
];

/// Returns the command with this name.
pub(crate) fn find(name: &str) -> Option<Run> {
    // The table is sorted; a test looks up every name.
    let at = COMMANDS.binary_search_by_key(&name, |(own, _)| own).ok()?;
    Some(COMMANDS[at].1)
}

/// Returns the names of all commands.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(name, _)| *name)
}

fn sh(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let own = (shell.stops_on_error, shell.fails_in_pipe);
    let (mut letters, mut rest) = (String::new(), arguments);
    while let Some((flags, left)) = rest.split_first() {
        let Some(more) = flags.strip_prefix('-').filter(|_| !letters.contains('c')) else {
            break;
        };
        letters.push_str(more);
        rest = left;
        // `-o pipefail`, also combined with other flags.
        if let (true, Some((option, left))) = (more.ends_with('o'), rest.split_first()) {
            set(shell, &["-o".to_owned(), option.clone()]);
            rest = left;
        }
    }
    // `sh -e` applies only to the inner shell.
    let outer = shell.at_exit.take();
    shell.stops_on_error |= letters.contains('e');
    let code = if letters.contains('c') {
        let Some((script, names)) = rest.split_first() else {
            shell.complain("sh: -c requires an argument");
            shell.at_exit = outer;
            return 2;
        };
        let before = std::mem::replace(&mut shell.arguments, names.to_vec());
        let code = shell.script(script);
        shell.arguments = before;
        code
    } else if let Some(file) = rest.first() {
        let path = shell.path(file);
        match shell.machine.files.read(&path).map(<[u8]>::to_vec) {
            Ok(script) => {
                let before = std::mem::replace(&mut shell.arguments, rest.to_vec());
                let code = shell.script(&String::from_utf8_lossy(&script));
                shell.arguments = before;
                code
            }
            Err(e) => {
                shell.complain(&format!("sh: can't open '{file}': {e}"));
                2
            }
        }
    } else {
        lines(shell)
    };
    (shell.stops_on_error, shell.fails_in_pipe) = own;
    let at_exit = std::mem::replace(&mut shell.at_exit, outer);
    // The exit of an inner shell does not end the outer one.
    let code = shell.end_subshell(code);
    let Some(action) = at_exit.filter(|_| !shell.is_over()) else {
        return code;
    };
    shell.last = code;
    shell.script(&action);
    shell.end_subshell(code)
}

/// Runs the lines of the input. Prints a prompt before each one if the input is interactive.
fn lines(shell: &mut Shell<'_>) -> i32 {
    let mut code = 0;
    loop {
        if shell.terminal.is_interactive() {
            let prompt = if shell.machine.user == 0 { "# " } else { "$ " };
            let place = pwd_of(shell);
            shell.print(format!("{place} {prompt}"));
        }
        let Some(line) = shell.next_line() else {
            // An interrupt at the prompt starts a new line.
            if shell.terminal.was_interrupted() {
                shell.input = Source::Terminal;
                continue;
            }
            return code;
        };
        code = shell.script(&line);
        // A `break` outside of a loop affects nothing.
        shell.leave = None;
        // As in a terminal, an interrupt ends the command rather than the shell.
        if shell.terminal.was_interrupted() {
            (shell.exit, code) = (None, INTERRUPTED);
            shell.last = code;
            continue;
        }
        if let Some(code) = shell.exit {
            return code;
        }
    }
}

fn exec(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let code = shell.program(arguments);
    // `exec` replaces the shell. Without a program, it only redirects.
    if !arguments.is_empty() {
        shell.exit.get_or_insert(code);
    }
    code
}

fn exit(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    // Without an argument, `exit` uses the exit code of the last command. Exit codes have eight bits.
    let code = arguments.first().and_then(|code| code.parse().ok());
    let code: i32 = code.unwrap_or(shell.last) & 0xff;
    shell.exit = Some(code);
    code
}

fn set(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    // After `--`, the words are the new arguments.
    if let Some(at) = arguments.iter().position(|word| word == "--") {
        shell.arguments.truncate(1);
        if shell.arguments.is_empty() {
            shell.arguments.push("sh".to_owned());
        }
        shell.arguments.extend_from_slice(&arguments[at + 1..]);
    }
    let mut sets = true;
    for argument in arguments.iter().take_while(|word| *word != "--") {
        match (argument.split_at_checked(1), argument.as_str()) {
            (_, "errexit") => shell.stops_on_error = sets,
            (_, "pipefail") => shell.fails_in_pipe = sets,
            (Some((sign @ ("-" | "+"), letters)), _) => {
                sets = sign == "-";
                if letters.contains('e') {
                    shell.stops_on_error = sets;
                }
            }
            _ => {}
        }
    }
    0
}

fn export(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    for argument in arguments {
        if let Some((name, value)) = argument.split_once('=') {
            let (name, value) = (name.to_owned(), value.to_owned());
            shell.machine.variables.insert(name, value);
        }
    }
    0
}

fn unset(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    for name in arguments {
        shell.machine.variables.remove(name);
    }
    0
}

fn read(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let Some(line) = shell.next_line() else {
        return 1;
    };
    let (_, names) = flags(arguments);
    let mut rest = line.trim();
    for (number, name) in names.iter().enumerate() {
        // The last variable receives the rest of the line.
        let (word, left) = match number + 1 == names.len() {
            true => (rest, ""),
            false => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        let (name, word) = ((*name).to_owned(), word.to_owned());
        shell.machine.variables.insert(name, word);
        rest = left.trim_start();
    }
    0
}

fn env(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let set = arguments.iter().take_while(|word| word.contains('='));
    let count = set.clone().count();
    let values: Vec<(String, String)> = set
        .filter_map(|word| word.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    // The variables apply only to the program that follows.
    let before = shell.machine.variables.clone();
    shell.machine.variables.extend(values);
    let code = match &arguments[count..] {
        [] => printenv(shell, &[]),
        words => shell.program(words),
    };
    shell.machine.variables = before;
    code
}

fn printenv(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    if arguments.is_empty() {
        let all = shell.machine.variables.iter();
        let text: String = all
            .map(|(name, value)| format!("{name}={value}\n"))
            .collect();
        shell.print(text);
        return 0;
    }
    let mut code = 0;
    for name in arguments {
        match shell.machine.variables.get(name).cloned() {
            Some(value) => shell.print(format!("{value}\n")),
            None => code = 1,
        }
    }
    code
}

fn sleep(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let mut whole = 0.0_f64;
    for argument in arguments {
        let seconds = match argument.as_str() {
            "infinity" | "inf" => f64::INFINITY,
            text => {
                let (number, unit) = match text.char_indices().last() {
                    Some((at, unit @ ('s' | 'm' | 'h' | 'd'))) => (&text[..at], unit),
                    _ => (text, 's'),
                };
                let unit = match unit {
                    'm' => 60.0,
                    'h' => 3600.0,
                    'd' => 86_400.0,
                    _ => 1.0,
                };
                match number.parse::<f64>() {
                    Ok(number) if number >= 0.0 => number * unit,
                    _ => {
                        shell.complain(&format!("sleep: invalid number '{argument}'"));
                        return 1;
                    }
                }
            }
        };
        whole += seconds;
    }
    // An infinite sum does not fit into a duration and becomes the longest one.
    shell.sleep(Duration::try_from_secs_f64(whole).unwrap_or(Duration::MAX))
}

fn stty(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let Some((columns, rows)) = shell.terminal.size() else {
        shell.complain("stty: standard input: Inappropriate ioctl for device");
        return 1;
    };
    // Other arguments, such as `stty -echo`, are accepted but have no effect.
    if arguments.first().is_some_and(|what| what == "size") {
        shell.print(format!("{rows} {columns}\n"));
    }
    0
}

fn hostname(shell: &mut Shell<'_>, _: &[String]) -> i32 {
    let name = shell.machine.hostname.clone();
    shell.print(format!("{name}\n"));
    0
}

fn uname(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let name = shell.machine.hostname.clone();
    let text = match flags(arguments).0.as_str() {
        "" | "s" => "Linux".to_owned(),
        "n" => name,
        "r" => "6.1.0".to_owned(),
        "m" => "x86_64".to_owned(),
        _ => format!("Linux {name} 6.1.0 #1 SMP x86_64 GNU/Linux"),
    };
    shell.print(format!("{text}\n"));
    0
}

fn whoami(shell: &mut Shell<'_>, _: &[String]) -> i32 {
    let user = shell.machine.user;
    // Of all users, an image knows only the name of root.
    if user != 0 {
        shell.complain(&format!("whoami: unknown uid {user}"));
        return 1;
    }
    shell.print("root\n");
    0
}

fn id(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let user = shell.machine.user;
    let text = match flags(arguments).0.as_str() {
        "u" | "g" => user.to_string(),
        "un" | "nu" => user_name(user),
        _ if user == 0 => "uid=0(root) gid=0(root) groups=0(root)".to_owned(),
        _ => format!("uid={user} gid={user} groups={user}"),
    };
    shell.print(format!("{text}\n"));
    0
}

fn date(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let now = shell.machine.now.to_zoned(jiff::tz::TimeZone::UTC);
    let form = arguments
        .iter()
        .find_map(|argument| argument.strip_prefix('+'));
    match jiff::fmt::strtime::format(form.unwrap_or("%a %b %e %H:%M:%S UTC %Y"), &now) {
        Ok(text) => {
            shell.print(format!("{text}\n"));
            0
        }
        Err(e) => {
            shell.complain(&format!("date: {e}"));
            1
        }
    }
}

fn ps(shell: &mut Shell<'_>, _: &[String]) -> i32 {
    let user = user_name(shell.machine.user);
    shell.print(format!(
        "PID   USER     TIME  COMMAND\n    1 {user:<8}  0:00 sh\n"
    ));
    0
}

fn which(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let mut code = 0;
    for name in arguments {
        match find(name) {
            Some(_) => shell.print(format!("/bin/{name}\n")),
            None => code = 1,
        }
    }
    code
}

fn pwd_of(shell: &Shell<'_>) -> String {
    shell.path(".")
}

fn pwd(shell: &mut Shell<'_>, _: &[String]) -> i32 {
    let place = pwd_of(shell);
    shell.print(format!("{place}\n"));
    0
}

fn cd(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let home = || {
        shell
            .machine
            .variables
            .get("HOME")
            .cloned()
            .unwrap_or_default()
    };
    let name = arguments.first().cloned().unwrap_or_else(home);
    let path = shell.path(&name);
    if !shell.machine.files.is_directory(&path) {
        shell.complain(&format!(
            "sh: cd: can't cd to {name}: No such file or directory"
        ));
        return 2;
    }
    shell.machine.directory = path;
    0
}

fn test_in_brackets(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    match arguments.split_last() {
        Some((last, inner)) if last == "]" || last == "]]" => test(shell, inner),
        _ => {
            shell.complain("sh: [: missing ]");
            2
        }
    }
}

fn test(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match holds(shell, &words) {
        Ok(holds) => i32::from(!holds),
        Err(e) => {
            shell.complain(&format!("sh: {e}"));
            2
        }
    }
}

fn holds(shell: &Shell<'_>, words: &[&str]) -> Result<bool, String> {
    // `-o` has lower precedence than `-a`, so it splits first.
    if let Some(at) = words.iter().position(|word| *word == "-o") {
        return Ok(holds(shell, &words[..at])? || holds(shell, &words[at + 1..])?);
    }
    if let Some(at) = words.iter().position(|word| *word == "-a") {
        return Ok(holds(shell, &words[..at])? && holds(shell, &words[at + 1..])?);
    }
    let files = &shell.machine.files;
    Ok(match words {
        [] => false,
        ["!", rest @ ..] => !holds(shell, rest)?,
        [text] => !text.is_empty(),
        ["-z", text] => text.is_empty(),
        ["-n", text] => !text.is_empty(),
        ["-f", name] => files.is_file(&shell.path(name)),
        ["-d", name] => files.is_directory(&shell.path(name)),
        ["-e" | "-r" | "-w", name] => {
            let path = shell.path(name);
            files.is_file(&path) || files.is_directory(&path)
        }
        ["-s", name] => files
            .read(&shell.path(name))
            .is_ok_and(|content| !content.is_empty()),
        ["-x", name] => find(base(name)).is_some(),
        [left, "=" | "==", right] => left == right,
        [left, "!=", right] => left != right,
        [left, how, right] => {
            let number = |text: &str| {
                let number: Result<i64, _> = text.parse();
                number.map_err(|_| format!("{text}: bad number"))
            };
            let (left, right) = (number(left)?, number(right)?);
            match *how {
                "-eq" => left == right,
                "-ne" => left != right,
                "-lt" => left < right,
                "-le" => left <= right,
                "-gt" => left > right,
                "-ge" => left >= right,
                other => return Err(format!("{other}: unknown operand")),
            }
        }
        [first, ..] => return Err(format!("{first}: unknown operand")),
    })
}
