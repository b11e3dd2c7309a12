//! Builds the Pod that the flags of `ctl run` describe.

use std::sync::LazyLock;

use regex::Regex;

use super::RunArgs;
use crate::api::json::{Value, json};
use crate::cli::commands::expose::service;
use crate::cli::commands::make;
use crate::cli::error::CliError;

/// Returns the Pod. `words` are the command or the arguments of its container.
pub(super) fn pod(name: &str, args: &RunArgs, words: &[String]) -> Result<Value, CliError> {
    if name.is_empty() {
        return Err(CliError::text("Parameter: name is required"));
    }
    // kubectl parses the variables first, then the annotations, the labels and the port. An empty flag sets no
    // variable.
    let env = args.env.iter().filter(|text| !text.is_empty());
    let env: Vec<Value> = env.map(|text| variable(text)).collect::<Result<_, _>>()?;
    let is_annotated = args.annotations.iter().any(|pair| !pair.is_empty());
    let annotations = is_annotated
        .then(|| annotations(&args.annotations))
        .transpose()?;
    let labels = make::labels(&labels(name, args))?;
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "containers": [container(name, args, words, &env)?],
            "dnsPolicy": "ClusterFirst",
            "restartPolicy": args.restart_policy(),
        },
        // Go's encoder does not omit empty structs, so kubectl prints this field with `--dry-run=client -o yaml`.
        "status": {},
    });
    if let Some(annotations) = annotations {
        pod["metadata"]["annotations"] = annotations;
    }
    Ok(pod)
}

/// Returns the labels of the Pod, which its Service also selects.
pub(super) fn labels(name: &str, args: &RunArgs) -> String {
    match args.labels.as_deref() {
        None | Some("") => format!("run={name}"),
        Some(labels) => labels.to_owned(),
    }
}

fn container(
    name: &str,
    args: &RunArgs,
    words: &[String],
    env: &[Value],
) -> Result<Value, CliError> {
    let mut container = json!({"name": name, "image": args.image, "resources": {}});
    let mut set = |field: &str, value: Value| container[field] = value;
    if !words.is_empty() {
        // Words after the name are arguments of the image's entrypoint; `--command` makes them replace it.
        let field = if args.command { "command" } else { "args" };
        set(field, json!(words));
    }
    if !env.is_empty() {
        set("env", json!(env));
    }
    if let Some(policy) = args.image_pull_policy.as_deref().filter(|p| !p.is_empty()) {
        set("imagePullPolicy", json!(policy));
    }
    if let Some(text) = args.port() {
        set("ports", json!([{"containerPort": service::number(text)?}]));
    }
    if args.privileged {
        set("securityContext", json!({"privileged": true}));
    }
    if args.stdin {
        set("stdin", json!(true));
        if !args.leave_stdin_open {
            // Standard input closes with the first session that is attached to it.
            set("stdinOnce", json!(true));
        }
    }
    if args.tty {
        set("tty", json!(true));
    }
    Ok(container)
}

/// Parses `NAME=VALUE`.
fn variable(text: &str) -> Result<Value, CliError> {
    let letter = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let good = |name: &str| {
        let begins_well = name.starts_with(|c: char| letter(c) && !c.is_ascii_digit());
        begins_well && name.chars().all(letter) && name != "." && !name.starts_with("..")
    };
    match text.split_once('=') {
        Some((name, value)) if good(name) => Ok(match value {
            // An empty value is omitted, as `value` is `omitempty`.
            "" => json!({"name": name}),
            value => json!({"name": name, "value": value}),
        }),
        _ => Err(CliError::text(format!("invalid env: {text}"))),
    }
}

fn annotations(pairs: &[String]) -> Result<Value, CliError> {
    let (mut map, mut bad) = (json!({}), Vec::new());
    for pair in pairs.iter().filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some((key, value)) if !key.is_empty() => map[key] = json!(value),
            _ => bad.push(pair.as_str()),
        }
    }
    if bad.is_empty() {
        return Ok(map);
    }
    let bad = bad.join(", ");
    Err(CliError::text(format!("invalid annotations format: {bad}")))
}

/// Returns true if a text is an image reference: a registry, a path in lower case, a tag and a digest.
pub(in crate::cli::commands) fn is_image(text: &str) -> bool {
    const PART: &str = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
    const HOST: &str = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
    const DIGEST: &str = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
    // This is the grammar of the distribution project, which kubectl uses.
    static IMAGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let host = format!(r"(?:{HOST}(?:\.{HOST})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?");
        let tag = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";
        let whole = format!("^(?:{host}/)?{PART}(?:/{PART})*(?::{tag})?(?:@{DIGEST})?$");
        Regex::new(&whole).ok()
    });
    IMAGE.as_ref().is_some_and(|image| image.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_references_are_validated() {
        for image in [
            "nginx",
            "nginx:1.25",
            "a/b-c/d__e:x",
            "Registry.example.com:5000/web",
            "localhost/web:latest",
            "[::1]:5000/web",
            "web@sha256:0123456789abcdef0123456789abcdef",
        ] {
            assert!(is_image(image), "{image}");
        }
        for other in [
            "",
            "bad image!",
            "Nginx",
            "web:",
            "web@sha256:12",
            "/web",
            "web/",
        ] {
            assert!(!is_image(other), "{other}");
        }
    }

    #[test]
    fn variables_and_ports_are_read() {
        assert_eq!(
            variable("A=x=y").unwrap(),
            json!({"name": "A", "value": "x=y"})
        );
        assert_eq!(variable("a.b-C=").unwrap(), json!({"name": "a.b-C"}));
        for bad in ["A", "=x", "1A=x", "..=x", "a b=x"] {
            assert_eq!(
                variable(bad).unwrap_err().to_string(),
                format!("invalid env: {bad}")
            );
        }
    }
}
