//! `ctl set env`.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use clap::Args;

use super::{CommonArgs, LISTS, LabelArgs, ResultRules, pod_spec, selected};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::Info;
use crate::cluster::Cluster;
use crate::sys::bounded;

/// Update environment variables on a Pod template
///
/// Examples:
///   ctl set env deployment/web MODE=blue
///   ctl set env deployment/web --list
///   ctl set env deployment/web MODE-
///   ctl set env deployment/web --from=configmap/settings --prefix=APP_
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct EnvArgs {
    /// TYPE NAME or TYPE/NAME, then KEY=VALUE or KEY- for each variable
    words: Vec<String>,
    /// Containers; * matches any characters
    #[arg(short, long, value_name = "PATTERN", default_value = "*")]
    containers: String,
    /// Variables, as KEY=VALUE; - reads them from standard input
    #[arg(short, long, value_name = "KEY=VALUE")]
    env: Vec<String>,
    /// Import variables from this ConfigMap or Secret
    #[arg(long, value_name = "TYPE/NAME")]
    from: Option<String>,
    /// Keys to import with --from
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    keys: Vec<String>,
    /// Prefix for the names of variables imported with --from
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// List the variables
    #[arg(long)]
    list: bool,
    /// Resolve references, with --list
    #[arg(long)]
    resolve: bool,
    /// Overwrite existing values
    #[arg(long, value_name = "BOOL", default_value_t = true, num_args = 0..=1,
        require_equals = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    overwrite: bool,
    #[command(flatten)]
    labels: LabelArgs,
    #[command(flatten)]
    common: CommonArgs,
}

/// The changes to the variables of a container.
#[derive(Debug, Default)]
struct Changes {
    set: Vec<Value>,
    removed: Vec<String>,
}

pub(super) fn run(args: &EnvArgs, context: &Context) -> Outcome {
    args.common.check_modes(context)?;
    let refuse = |text: String| Err(CliError::text(text));
    // `=value` has no name, so it is not a change: kubectl treats it as a resource.
    let is_change = |w: &String| w.find('=').is_some_and(|at| at > 0) || w.ends_with('-');
    let at = args.words.iter().position(is_change);
    let (words, pairs) = args.words.split_at(at.unwrap_or(args.words.len()));
    if !pairs.iter().all(is_change) {
        let all = args.words.join(" ");
        return refuse(format!(
            "all resources must be specified before environment changes: {all}"
        ));
    }
    // Unlike in other commands, kubectl does not count a kustomization as a file here.
    let mut counted = args.common.clone();
    counted.files.kustomize = None;
    counted.check(words, &args.labels)?;
    if args.list && !args.common.output.is_human() {
        return refuse("--list and --output may not be specified together".to_owned());
    }
    let from = args.from.as_deref().filter(|f| !f.is_empty());
    if from.is_none() && !args.keys.is_empty() {
        let text = "when specifying --keys, a configmap or secret must be provided with --from";
        return refuse(text.to_owned());
    }
    let mut changes = Changes::default();
    changes.read(&mut args.env.iter().chain(pairs))?;
    let cluster = args.common.cluster(context)?;
    if let Some(from) = from {
        let taken = taken(args, from, cluster.as_ref(), context)?;
        changes.set.extend(taken);
    }
    // The prefix comes last, so that it applies to the variables of every source.
    changes.prefix(args.prefix.as_deref().unwrap_or_default());
    // kubectl ignores names with `--local` here, and then reports that files are missing.
    let words: &[String] = if args.common.local { &[] } else { words };
    let found = args
        .common
        .find(words, &args.labels, cluster.as_ref(), context)?;
    let change = &mut |info: &Info, _: &mut Vec<CliError>| {
        let mut object = info.object.clone();
        let spec = pod_spec(info, &mut object)?;
        let mut found = false;
        for list in LISTS {
            for container in selected(spec, list, &args.containers) {
                found = true;
                changes.apply(container, args.overwrite)?;
            }
        }
        if !found {
            let (kind, name, pattern) = (info.kind.kind, &info.name, &args.containers);
            context.ui.note(&format!(
                "Warning: {kind}/{name} does not have any containers matching {pattern:?}"
            ));
        }
        Ok(object)
    };
    if args.list {
        for info in &found {
            // An object without a Pod template has no variables to show.
            if let Ok(object) = change(info, &mut Vec::new()) {
                list(args, &info.with(object), cluster.as_ref(), context)?;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let rules = ResultRules {
        done: "env updated",
        failed: "failed to patch env update to pod template: ",
        always: false,
    };
    args.common
        .change(found, cluster.as_ref(), context, &rules, change)
}

impl Changes {
    fn read(&mut self, pairs: &mut dyn Iterator<Item = &String>) -> Result<(), CliError> {
        let mut named = Vec::new();
        for pair in pairs {
            if pair == "-" {
                let text = bounded::stdin_text(bounded::CONTENT)?;
                let lines = text
                    .lines()
                    // Standard input is an env file: comments and lines without `=` are skipped.
                    .map(|l| l.split('#').next().unwrap_or_default());
                for (name, value) in lines.filter_map(|line| line.split_once('=')) {
                    self.set.push(json!({"name": name, "value": value}));
                }
            } else if let Some((name, value)) = pair.split_once('=') {
                if let Some(wrong) = misnamed(name) {
                    let text = format!("{name:?} is not a valid key name: {wrong}");
                    return Err(CliError::text(text));
                }
                named.push(name);
                self.set.push(json!({"name": name, "value": value}));
            } else if let Some(name) = pair.strip_suffix('-') {
                self.removed.push(name.to_owned());
            } else {
                let text = format!("unknown environment variable: {pair}");
                return Err(CliError::text(text));
            }
        }
        if self
            .removed
            .iter()
            .any(|name| named.contains(&name.as_str()))
        {
            return Err(CliError::text(
                "can not both modify and remove the same environment variable in the same command",
            ));
        }
        Ok(())
    }

    /// Prefixes the name of every variable that is set.
    fn prefix(&mut self, prefix: &str) {
        for variable in &mut self.set {
            variable["name"] = json!(format!("{prefix}{}", text(&variable["name"])));
        }
    }

    fn apply(&self, container: &mut Value, overwrite: bool) -> Result<(), CliError> {
        let env = container["env"].as_array().cloned().unwrap_or_default();
        // All conflicts are found before the first change. An equal value is none, so the command can be repeated.
        for new in self.set.iter().filter(|_| !overwrite) {
            let there = env.iter().find(|old| old["name"] == new["name"]);
            let value = |variable: &Value| text(&variable["value"]).to_owned();
            if let Some(old) = there.filter(|old| value(old) != value(new)) {
                let (name, value) = (text(&old["name"]), value(old));
                return Err(CliError::text(format!(
                    "'{name}' already has a value ({value}), and --overwrite is false"
                )));
            }
        }
        // As in kubectl, each name is written once, with the first of its new values.
        let mut covered: BTreeSet<&str> = self.removed.iter().map(String::as_str).collect();
        let new = |name: &str| self.set.iter().find(|new| text(&new["name"]) == name);
        let mut kept = Vec::new();
        for old in &env {
            let name = text(&old["name"]);
            match new(name) {
                _ if covered.contains(name) => {}
                None => kept.push(old.clone()),
                Some(new) => {
                    let _ = covered.insert(name);
                    kept.push(new.clone());
                }
            }
        }
        for new in &self.set {
            if covered.insert(text(&new["name"])) {
                kept.push(new.clone());
            }
        }
        let env = kept;
        if let Some(container) = container.as_object_mut() {
            // The patch would contain an empty list; a container without variables has no `env`.
            match env.is_empty() {
                true => drop(container.remove("env")),
                false => drop(container.insert("env".to_owned(), json!(env))),
            }
        }
        Ok(())
    }
}

/// Returns the reason why a text is not a valid variable name.
fn misnamed(name: &str) -> Option<&'static str> {
    // kubectl makes the checks of apimachinery's IsEnvVarName before it sends the request.
    match name {
        "" => return Some(MISNAMED),
        "." => return Some("must not be '.'"),
        ".." => return Some("must not be '..'"),
        _ if name.starts_with("..") => return Some("must not start with '..'"),
        _ => {}
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let good = name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit());
    (!good).then_some(MISNAMED)
}

/// The message for an invalid name of a variable.
const MISNAMED: &str = "a valid environment variable name must consist of alphabetic characters, \
    digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or \
    'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the variables that the keys of a ConfigMap or Secret define.
fn taken(
    args: &EnvArgs,
    from: &str,
    cluster: Option<&Cluster>,
    context: &Context,
) -> Result<Vec<Value>, CliError> {
    let words = [from.to_owned()];
    // kubectl looks for it with the files and selectors of the changed objects, which it rejects together with a name.
    // With `--local`, it takes the variables from the files.
    let words: &[String] = match args.common.local {
        true => &[],
        false => &words[..],
    };
    let mut set = Vec::new();
    for info in args.common.find(words, &args.labels, cluster, context)? {
        let Some(reference) = info.kind.referred_to_by() else {
            return Err(CliError::text("unsupported resource specified in --from"));
        };
        for key in info.object["data"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(k, _)| k)
        {
            if !args.keys.is_empty() && !args.keys.iter().any(|own| key == own) {
                continue;
            }
            // Keys may contain `-` and `.`, which a shell does not accept in the name of a variable.
            let name = variable(key);
            if name != *key {
                context.ui.warn(&format!("key {key} transferred to {name}"));
            }
            let value = json!({reference: {"name": info.name, "key": key}});
            set.push(json!({"name": name, "valueFrom": value}));
        }
    }
    Ok(set)
}

/// Returns the name of the variable for a key.
fn variable(key: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' {
            c
        } else {
            '_'
        }
    };
    key.chars().map(plain).collect::<String>().to_uppercase()
}

/// Prints the variables of an object.
fn list(
    args: &EnvArgs,
    info: &Info,
    cluster: Option<&Cluster>,
    context: &Context,
) -> Result<(), CliError> {
    let mut object = info.object.clone();
    let spec = pod_spec(info, &mut object)?;
    for list in LISTS {
        for container in selected(spec, list, &args.containers) {
            let (kind, name) = (info.kind.kind, &info.name);
            let container_name = text(&container["name"]);
            let mut out = format!("# {kind} {name}, container {container_name}\n");
            // Errors are grouped: one missing ConfigMap gives one line for all variables that refer to it.
            let mut missing: BTreeMap<String, Vec<&str>> = BTreeMap::new();
            for variable in container["env"].as_array().into_iter().flatten() {
                let (shown, wrong) = line(variable, args, info, cluster);
                out.push_str(&shown);
                if let Some(wrong) = wrong {
                    let names = missing.entry(wrong).or_default();
                    names.push(text(&variable["name"]));
                }
            }
            context.ui.out(&out)?;
            for (wrong, mut names) in missing {
                names.sort_unstable();
                let names = names.join(", ");
                context
                    .ui
                    .note(&format!("error retrieving reference for {names}: {wrong}"));
            }
        }
    }
    Ok(())
}

/// Returns the line of one variable, and the reason if its reference cannot be resolved.
fn line(
    variable: &Value,
    args: &EnvArgs,
    info: &Info,
    cluster: Option<&Cluster>,
) -> (String, Option<String>) {
    let name = text(&variable["name"]);
    let from = &variable["valueFrom"];
    let reference = ["configMapKeyRef", "secretKeyRef"]
        .into_iter()
        .find_map(|kind| Some((kind, from.get(kind)?)));
    if let Some((kind, reference)) = reference {
        let (holder, key) = (text(&reference["name"]), text(&reference["key"]));
        let asked = cluster.filter(|_| args.resolve);
        let wrong = match asked.map(|cluster| resolved(cluster, info, kind, holder, key)) {
            None => None,
            Some(Ok(value)) => return (format!("{name}={value}\n"), None),
            Some(Err(wrong)) => Some(wrong),
        };
        // As in kubectl, an unresolved reference is printed as a comment.
        let what = if kind == "secretKeyRef" {
            "secret"
        } else {
            "configmap"
        };
        let shown = format!("# {name} from {what} {holder}, key {key}\n");
        return (shown, wrong);
    }
    let shown = if let Some(field) = from.get("fieldRef") {
        format!("# {name} from field path {}\n", text(&field["fieldPath"]))
    } else if let Some(field) = from.get("resourceFieldRef") {
        let container = match text(&field["containerName"]) {
            "" => String::new(),
            named => format!("{named}/"),
        };
        let resource = text(&field["resource"]);
        format!("# {name} from resource field {container}{resource}\n")
    } else {
        format!("{name}={}\n", text(&variable["value"]))
    };
    (shown, None)
}

/// Returns the value that a reference points to.
fn resolved(
    cluster: &Cluster,
    info: &Info,
    kind: &str,
    name: &str,
    key: &str,
) -> Result<String, String> {
    use base64::Engine as _;
    // The data of a Secret is base64 in the API, unlike that of a ConfigMap.
    let (resource, word, encoded) = match kind {
        "secretKeyRef" => ("Secret", "secret", true),
        _ => ("ConfigMap", "config map", false),
    };
    let missing = || format!("key {key} not found in {word} {name}");
    let kind = crate::kinds::find("", "v1", resource).ok_or_else(missing)?;
    let place = crate::cluster::Place::new(kind, &info.namespace);
    let object = cluster.get(&place, name).map_err(|e| e.to_string())?;
    let value = object["data"][key].as_str().ok_or_else(missing)?;
    if !encoded {
        return Ok(value.to_owned());
    }
    let bytes = base64::engine::general_purpose::STANDARD.decode(value);
    let bytes = bytes.map_err(|e| e.to_string())?;
    String::from_utf8(bytes).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn variables_are_replaced_in_place_added_at_the_end_and_removed() {
        let mut container =
            json!({"name": "c", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]});
        let changes = Changes {
            set: vec![
                json!({"name": "A", "value": "9"}),
                json!({"name": "C", "value": "3"}),
            ],
            removed: vec!["B".to_owned()],
        };
        changes.apply(&mut container, true).unwrap();
        assert_eq!(
            container["env"],
            json!([{"name": "A", "value": "9"}, {"name": "C", "value": "3"}])
        );
        let twice = Changes {
            set: vec![
                json!({"name": "D", "value": "1"}),
                json!({"name": "D", "value": "2"}),
            ],
            removed: Vec::new(),
        };
        let mut other = json!({"name": "c"});
        twice.apply(&mut other, true).unwrap();
        assert_eq!(other["env"], json!([{"name": "D", "value": "1"}]));
        let kept = changes.apply(&mut json!({"env": [{"name": "A", "value": "1"}]}), false);
        assert!(
            kept.unwrap_err()
                .to_string()
                .contains("already has a value (1)")
        );
        let gone = Changes {
            removed: vec!["A".into(), "C".into()],
            ..Changes::default()
        };
        gone.apply(&mut container, true).unwrap();
        assert_eq!(container, json!({"name": "c"}));
    }

    #[test]
    fn variables_have_names_and_are_set_or_removed() {
        let read = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
            let mut changes = Changes::default();
            changes.read(&mut words.iter()).map(|()| changes)
        };
        let refused = |words: &[&str]| read(words).unwrap_err().to_string();
        let mut changes = read(&["A=1", "B-"]).unwrap();
        changes.prefix("P_");
        assert_eq!(changes.set, [json!({"name": "P_A", "value": "1"})]);
        assert_eq!(changes.removed, ["B"]);
        assert!(refused(&["1A=x"]).starts_with("\"1A\" is not a valid key name: a valid env"));
        assert_eq!(
            refused(&["A=1", "A-"]),
            "can not both modify and remove the same environment variable in the same command"
        );
    }

    #[test]
    fn keys_become_names_of_variables() {
        assert_eq!(variable("app.log-level"), "APP_LOG_LEVEL");
    }

    #[test]
    fn set_env_changes_the_selected_containers() {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=a --image=b",
            "create configmap conf --from-literal=one=1 --from-literal=two=2",
        ]);
        let env = |shell: &Shell, at: usize| {
            shell.json("get deploy web")["spec"]["template"]["spec"]["containers"][at]["env"]
                .clone()
        };
        assert_eq!(
            shell.out("set env deploy/web A=1 B=2"),
            "deployment.apps/web env updated\n"
        );
        let both = json!([{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]);
        assert_eq!((env(&shell, 0), env(&shell, 1)), (both.clone(), both));
        assert_eq!(shell.out("set env deploy/web A=1"), "");
        let _ = shell.out("set env deploy/web -c b A- B=3");
        assert_eq!(env(&shell, 1), json!([{"name": "B", "value": "3"}]));
        assert_eq!(
            shell.out("set env deploy/web --list"),
            "# Deployment web, container a\nA=1\nB=2\n# Deployment web, container b\nB=3\n"
        );
        let said =
            shell.run("set env deploy/web -c a --from=configmap/conf --keys=two --prefix=P_");
        assert_eq!(
            (said.code, said.err.as_str()),
            (0, "Warning: key two transferred to TWO\n")
        );
        let taken = json!({"name": "P_TWO", "valueFrom": {"configMapKeyRef": {"name": "conf", "key": "two"}}});
        assert_eq!(env(&shell, 0)[2], taken);
        let said = shell.run("set env deploy/web -c none A=9");
        assert_eq!(
            said.err,
            "Warning: Deployment/web does not have any containers matching \"none\"\n"
        );
    }

    #[test]
    fn changes_that_contradict_each_other_are_refused() {
        let shell = Shell::new();
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";
        shell.write("map.yaml", map);
        let _ = shell.out("create deployment web --image=a");
        shell.refuses(&[
            (
                "set env deploy/web A=1 A-",
                "can not both modify and remove the same environment variable in the same command",
            ),
            (
                "set env deploy/web A=1 other",
                "all resources must be specified before environment changes: deploy/web A=1 other",
            ),
            (
                "set env deploy/web --keys=a",
                "when specifying --keys, a configmap or secret must be provided with --from",
            ),
            (
                "set env deploy/web --from=cm/conf -f @/nofile",
                "the path \"@/nofile\" does not exist",
            ),
            (
                "set env -f @/map.yaml --from=cm/conf",
                "resource/name arguments cannot be provided when a path is specified",
            ),
            (
                "set env deploy/web --list -o json",
                "--list and --output may not be specified together",
            ),
            (
                "set env A=1",
                "one or more resources must be specified as <resource> <name> or <resource>/<name>",
            ),
        ]);
    }
}
