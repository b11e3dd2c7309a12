//! Parses arguments: `TYPE[,TYPE] [NAME ...]` or `TYPE/NAME ...`.

use crate::cli::error::CliError;

/// The objects that the arguments name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// The distinct types.
    pub(super) types: Vec<String>,
    /// The names of objects of these types.
    pub(super) names: Vec<String>,
    /// Pairs of a type and a name.
    pub(super) pairs: Vec<(String, String)>,
}

/// Parses the arguments.
pub(super) fn parse(args: &[String], program: &str) -> Result<Words, CliError> {
    let args = spread(joined(args));
    let slashes = args.iter().filter(|a| a.contains('/')).count();
    if slashes > 0 {
        // Mixed forms are ambiguous: `get pod a/b` could name a Pod or a pair.
        if slashes < args.len() {
            return Err(CliError::text(format!(
                "there is no need to specify a resource type as a separate argument when passing \
                 arguments in resource/name form (e.g. '{program} get resource/<resource_name>' \
                 instead of '{program} get resource resource/<resource_name>'"
            )));
        }
        let pairs = args.iter().map(|arg| pair(arg)).collect::<Result<_, _>>()?;
        return Ok(Words {
            pairs,
            ..Words::default()
        });
    }
    let Some((types, names)) = args.split_first() else {
        return Ok(Words::default());
    };
    Ok(Words {
        types: split(types),
        names: names.to_vec(),
        pairs: Vec::new(),
    })
}

/// Parses names of objects of a type. A `TYPE/NAME` among them names an object of another type.
pub(super) fn named(kind: &str, args: &[String]) -> Result<Words, CliError> {
    let read = |arg: &String| match arg.contains('/') {
        true => pair(arg),
        false => Ok((kind.to_owned(), arg.clone())),
    };
    Ok(Words {
        pairs: args.iter().map(read).collect::<Result<_, _>>()?,
        ..Words::default()
    })
}

/// Joins `pods, services` into one list of types.
fn joined(args: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for arg in args {
        match out.first_mut() {
            // The shell splits the argument at a space after the comma.
            Some(first) if first.ends_with(',') => first.push_str(arg),
            _ => out.push(arg.clone()),
        }
    }
    out
}

/// Turns names after several types into pairs, as kubectl does: `po,svc a` becomes `po/a svc/a`. A slash in a name is
/// then one too many.
fn spread(args: Vec<String>) -> Vec<String> {
    let [first, names @ ..] = args.as_slice() else {
        return args;
    };
    let types = split(first);
    // Without a slash, the types may be categories, which have different errors.
    if types.len() < 2 || !names.iter().any(|name| name.contains('/')) {
        return args;
    }
    let of_type = |kind: &String| {
        names
            .iter()
            .map(|name| format!("{kind}/{name}"))
            .collect::<Vec<_>>()
    };
    types.iter().flat_map(of_type).collect()
}

/// Splits a list at commas and removes duplicates.
fn split(list: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in list.split(',') {
        if !words.iter().any(|w| w == word) {
            words.push(word.to_owned());
        }
    }
    words
}

fn pair(arg: &str) -> Result<(String, String), CliError> {
    let mut parts = arg.split('/');
    let (kind, name) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    if parts.next().is_some() {
        let text = "arguments in resource/name form may not have more than one slash";
        return Err(CliError::text(text));
    }
    if kind.is_empty() || name.is_empty() || kind.contains(',') {
        let text = "arguments in resource/name form must have a single resource and name";
        return Err(CliError::text(text));
    }
    Ok((kind.to_owned(), name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(args: &str) -> Result<Words, String> {
        let args: Vec<String> = args.split_whitespace().map(str::to_owned).collect();
        parse(&args, "ctl").map_err(|e| e.to_string())
    }

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).collect()
    }

    #[test]
    fn names_of_one_type_are_mixed_with_pairs() {
        let read = |args: &[&str]| named("nodes", &owned(args)).map_err(|e| e.to_string());
        let pair = |kind: &str, name: &str| (kind.to_owned(), name.to_owned());
        let mixed = read(&["node/a", "b"]).unwrap();
        assert_eq!(mixed.pairs, [pair("node", "a"), pair("nodes", "b")]);
        assert!(mixed.types.is_empty() && mixed.names.is_empty());
        assert!(
            read(&["a/b/c"])
                .unwrap_err()
                .contains("more than one slash")
        );
    }

    #[test]
    fn types_and_names_are_read_as_kubectl_reads_them() {
        assert_eq!(words("po,deploy,po").unwrap().types, ["po", "deploy"]);
        assert_eq!(words("po, svc").unwrap().types, ["po", "svc"]);
        assert_eq!(words("pods,").unwrap().types, ["pods", ""]);
        let named = words("pod a b").unwrap();
        assert_eq!(
            (named.types, named.names),
            (owned(&["pod"]), owned(&["a", "b"]))
        );
        let pairs = words("Pod/a svc/b").unwrap().pairs;
        assert_eq!(pairs[1], ("svc".to_owned(), "b".to_owned()));
        assert!(
            words("pods/a/b")
                .unwrap_err()
                .contains("more than one slash")
        );
        assert!(
            words("pods,cm a/b")
                .unwrap_err()
                .contains("more than one slash")
        );
        assert!(
            words("pods/")
                .unwrap_err()
                .contains("single resource and name")
        );
        assert!(
            words("pods pods/a")
                .unwrap_err()
                .contains("'ctl get resource/<resource_name>'")
        );
    }
}
