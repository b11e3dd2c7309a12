//! What kubectl's command line names: types, types with names, `TYPE/NAME` pairs.

use super::error::CliError;
use crate::kinds::{Catalogue, Kind};

/// A type with the names that were given, none for all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) kind: &'static Kind,
    pub(crate) name: Option<String>,
}

/// Reads `TYPE[,TYPE] [NAME ...]` or `TYPE/NAME ...`.
pub(crate) fn parse(kinds: &Catalogue, args: &[String]) -> Result<Vec<Wanted>, CliError> {
    if args.iter().any(|arg| arg.contains('/')) {
        return args.iter().map(|arg| pair(kinds, arg)).collect();
    }
    let Some((types, names)) = args.split_first() else {
        return Ok(Vec::new());
    };
    let mut wanted = Vec::new();
    for kind in types_of(kinds, types)? {
        if names.is_empty() {
            wanted.push(Wanted { kind, name: None });
        }
        wanted.extend(names.iter().map(|name| Wanted {
            kind,
            name: Some(name.clone()),
        }));
    }
    Ok(wanted)
}

fn pair(kinds: &Catalogue, arg: &str) -> Result<Wanted, CliError> {
    let Some((kind, name)) = arg.split_once('/') else {
        return Err(CliError::text(
            "there is no need to specify a resource type as a separate argument when passing \
             arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead \
             of 'kubectl get resource resource/<resource_name>'",
        ));
    };
    if name.contains('/') {
        let text = "arguments in resource/name form may not have more than one slash";
        return Err(CliError::text(text));
    }
    if kind.is_empty() || name.is_empty() {
        let text = "arguments in resource/name form must have a single resource and name";
        return Err(CliError::text(text));
    }
    Ok(Wanted {
        kind: find(kinds, kind)?,
        name: Some(name.to_owned()),
    })
}

/// The kinds of a comma-separated list; categories such as `all` stand for their members.
fn types_of(kinds: &Catalogue, list: &str) -> Result<Vec<&'static Kind>, CliError> {
    let mut found = Vec::new();
    for word in list.split(',') {
        let members = kinds.category(word);
        if members.is_empty() {
            found.push(find(kinds, word)?);
        } else {
            found.extend(members);
        }
    }
    Ok(found)
}

/// The kind that a word means.
pub(crate) fn find(kinds: &Catalogue, word: &str) -> Result<&'static Kind, CliError> {
    kinds.resolve(word).ok_or_else(|| {
        let plain = word.split('.').next().unwrap_or_default();
        CliError::text(format!(
            "the server doesn't have a resource type \"{plain}\""
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(args: &[&str]) -> Result<Vec<String>, String> {
        let args: Vec<String> = args.iter().map(|a| (*a).to_owned()).collect();
        let wanted = parse(&Catalogue::default(), &args).map_err(|e| e.to_string())?;
        let text = |w: Wanted| format!("{}/{}", w.kind.plural, w.name.unwrap_or_default());
        Ok(wanted.into_iter().map(text).collect())
    }

    #[test]
    fn types_and_names_are_read_as_kubectl_reads_them() {
        assert_eq!(names(&["po,deploy"]).unwrap(), ["pods/", "deployments/"]);
        assert_eq!(names(&["pod", "a", "b"]).unwrap(), ["pods/a", "pods/b"]);
        assert_eq!(
            names(&["Pod/a", "svc/b"]).unwrap(),
            ["pods/a", "services/b"]
        );
        assert!(
            names(&["all"])
                .unwrap()
                .contains(&"deployments/".to_owned())
        );
        assert!(
            names(&["rockets"])
                .unwrap_err()
                .contains("resource type \"rockets\"")
        );
        assert!(
            names(&["pods/a/b"])
                .unwrap_err()
                .contains("more than one slash")
        );
        assert!(
            names(&["pods", "pods/a"])
                .unwrap_err()
                .contains("no need to specify")
        );
    }
}
