//! The commands that work on files.

use crate::absolute;
use crate::arguments::{base, flags, user_name};
use crate::run::Shell;

pub(crate) fn cat(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let (_, names) = flags(arguments);
    let names = if names.is_empty() { vec!["-"] } else { names };
    let mut code = 0;
    for name in names {
        if name == "-" {
            // Copied piece by piece, so that interactive input is printed at once.
            while let Some(piece) = shell.read() {
                shell.print(piece);
            }
            continue;
        }
        match content(shell, "cat", name) {
            Some(content) => shell.print(content),
            None => code = 1,
        }
    }
    code
}

/// Returns the content of a file, or prints an error and returns `None`.
pub(crate) fn content(shell: &mut Shell<'_>, command: &str, name: &str) -> Option<Vec<u8>> {
    let path = shell.path(name);
    match shell.machine.files.read(&path).map(<[u8]>::to_vec) {
        Ok(content) => Some(content),
        Err(e) => {
            shell.complain(&format!("{command}: can't open '{name}': {e}"));
            None
        }
    }
}

pub(crate) fn ls(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let (letters, names) = flags(arguments);
    let names = if names.is_empty() { vec!["."] } else { names };
    let mut code = 0;
    let several = names.len() > 1;
    for name in names {
        let path = shell.path(name);
        let files = &shell.machine.files;
        let shown = if files.is_file(&path) {
            vec![name.to_owned()]
        } else if files.is_directory(&path) {
            // Names that start with a dot are listed only on request.
            let all = letters.contains('a');
            let names = files.names(&path).into_iter();
            names.filter(|name| all || !name.starts_with('.')).collect()
        } else {
            shell.complain(&format!("ls: {name}: No such file or directory"));
            code = 1;
            continue;
        };
        let is_file = shell.machine.files.is_file(&path);
        if several && !is_file {
            shell.print(format!("{name}:\n"));
        }
        for own in shown {
            let line = match letters.contains('l') {
                false => own,
                true => {
                    let at = if is_file {
                        path.clone()
                    } else {
                        absolute(&path, &own)
                    };
                    // Reading fails for a directory, which tells it from a file.
                    let size = shell.machine.files.read(&at).map(<[u8]>::len);
                    let mode = if size.is_ok() {
                        "-rw-r--r--"
                    } else {
                        "drwxr-xr-x"
                    };
                    let user = user_name(shell.machine.user);
                    format!(
                        "{mode}    1 {user:<8} {user:<8} {:>9} {own}",
                        size.unwrap_or(4096)
                    )
                }
            };
            shell.print(format!("{line}\n"));
        }
    }
    code
}

pub(crate) fn mkdir(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let (letters, names) = flags(arguments);
    let mut code = 0;
    for name in names {
        let path = shell.path(name);
        let made = shell.machine.files.make_directory(&path);
        let is_there = letters.contains('p') && shell.machine.files.is_directory(&path);
        if let Err(e) = made
            && !is_there
        {
            shell.complain(&format!("mkdir: can't create directory '{name}': {e}"));
            code = 1;
        }
    }
    code
}

pub(crate) fn rm(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let (letters, names) = flags(arguments);
    let (force, deep) = (letters.contains('f'), letters.contains(['r', 'R']));
    let mut code = 0;
    for name in names {
        let path = shell.path(name);
        let files = &mut shell.machine.files;
        let why = match (files.is_file(&path), files.is_directory(&path)) {
            (true, _) => None,
            (_, true) if deep => None,
            (_, true) => Some("is a directory"),
            _ if force => continue,
            _ => Some("No such file or directory"),
        };
        match why {
            None => files.remove(&path),
            Some(why) => {
                shell.complain(&format!("rm: can't remove '{name}': {why}"));
                code = 1;
            }
        }
    }
    code
}

pub(crate) fn touch(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let (_, names) = flags(arguments);
    let mut code = 0;
    for name in names {
        let path = shell.path(name);
        let files = &mut shell.machine.files;
        if !files.is_file(&path)
            && let Err(e) = files.write(&path, Vec::new())
        {
            shell.complain(&format!("touch: {name}: {e}"));
            code = 1;
        }
    }
    code
}

/// Copies files or directory trees, and returns the copied paths.
pub(crate) fn copied(
    shell: &mut Shell<'_>,
    command: &str,
    names: &[&str],
) -> Result<Vec<String>, i32> {
    let Some((to, from)) = names.split_last().filter(|(_, from)| !from.is_empty()) else {
        shell.complain(&format!("{command}: missing file operand"));
        return Err(1);
    };
    // The target is either an existing directory, into which the source is copied under its own name, or the copy
    // itself.
    let target = shell.path(to);
    let mut sources = Vec::new();
    for name in from {
        let source = shell.path(name);
        let own = match shell.machine.files.is_directory(&target) {
            true => absolute(&target, base(&source)),
            false => target.clone(),
        };
        let files = shell.machine.files.iter();
        let copies: Vec<(String, Vec<u8>)> = files
            .filter_map(|(path, content)| {
                let below = path.strip_prefix(&source)?;
                let within = below.is_empty() || below.starts_with('/');
                within.then(|| (format!("{own}{below}"), content.to_vec()))
            })
            .collect();
        if copies.is_empty() && !shell.machine.files.is_directory(&source) {
            shell.complain(&format!(
                "{command}: can't stat '{name}': No such file or directory"
            ));
            return Err(1);
        }
        if shell.machine.files.is_directory(&source) {
            // The directory may be empty or may already exist.
            let _ = shell.machine.files.make_directory(&own);
        }
        for (path, content) in copies {
            if let Err(e) = shell.machine.files.write(&path, content) {
                shell.complain(&format!("{command}: can't create '{path}': {e}"));
                return Err(1);
            }
        }
        sources.push(source);
    }
    Ok(sources)
}

pub(crate) fn cp(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let (_, names) = flags(arguments);
    copied(shell, "cp", &names).err().unwrap_or(0)
}

pub(crate) fn mv(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let (_, names) = flags(arguments);
    match copied(shell, "mv", &names) {
        Ok(sources) => {
            for source in sources {
                shell.machine.files.remove(&source);
            }
            0
        }
        Err(code) => code,
    }
}

pub(crate) fn tee(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let (letters, names) = flags(arguments);
    let input = shell.read_all();
    let mut code = 0;
    for name in names {
        let path = shell.path(name);
        let mut content = match letters.contains('a') {
            true => shell.machine.files.read(&path).unwrap_or_default().to_vec(),
            false => Vec::new(),
        };
        content.extend_from_slice(&input);
        if let Err(e) = shell.machine.files.write(&path, content) {
            shell.complain(&format!("tee: {name}: {e}"));
            code = 1;
        }
    }
    shell.print(input);
    code
}

pub(crate) fn basename(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let name = arguments
        .first()
        .map(|path| base(path.trim_end_matches('/')));
    let name = name.unwrap_or_default();
    let suffix = arguments.get(1).map_or("", String::as_str);
    let name = name.strip_suffix(suffix).unwrap_or(name).to_owned();
    shell.print(format!("{name}\n"));
    0
}

pub(crate) fn dirname(shell: &mut Shell<'_>, arguments: &[String]) -> i32 {
    let path = arguments.first().map_or(".", String::as_str);
    let directory = path
        .rsplit_once('/')
        .map_or(".", |(directory, _)| directory);
    let directory = if directory.is_empty() { "/" } else { directory }.to_owned();
    shell.print(format!("{directory}\n"));
    0
}
