//! Helpers for the arguments of commands, and texts that several commands print.

/// Splits arguments into single-letter flags and the rest. Everything after `--` belongs to the rest.
pub(crate) fn flags(arguments: &[String]) -> (String, Vec<&str>) {
    let (mut flags, mut rest, mut only_rest) = (String::new(), Vec::new(), false);
    for argument in arguments {
        match argument.strip_prefix('-') {
            _ if only_rest => rest.push(argument.as_str()),
            Some("-") => only_rest = true,
            Some(letters) if !letters.is_empty() => flags.push_str(letters),
            _ => rest.push(argument.as_str()),
        }
    }
    (flags, rest)
}

/// Returns the name of a program without its directory.
pub(crate) fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Returns the name of a user.
pub(crate) fn user_name(user: i64) -> String {
    match user {
        0 => "root".to_owned(),
        other => other.to_string(),
    }
}
