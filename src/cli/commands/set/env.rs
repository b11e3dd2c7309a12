//! `ctl set env`.

use std::io::Read as _;
use std::process::ExitCode;

use clap::Args;

use super::{CommonArgs, pod_spec, selected};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::{Builder, Info};
use crate::cluster::Cluster;

/// Update environment variables on a pod template
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
    /// The containers, with * for any letters
    #[arg(short, long, value_name = "PATTERN", default_value = "*")]
    containers: String,
    /// Variables, as behind the objects; - reads them from standard input
    #[arg(short, long, value_name = "KEY=VALUE")]
    env: Vec<String>,
    /// Take the variables from this config map or secret
    #[arg(long, value_name = "TYPE/NAME")]
    from: Option<String>,
    /// Only these keys of --from
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    keys: Vec<String>,
    /// What stands in front of the names of --from
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// Show the variables
    #[arg(long)]
    list: bool,
    /// Show what references stand for, with --list
    #[arg(long)]
    resolve: bool,
    /// Change those that have another value already
    #[arg(long, value_name = "BOOL", default_value_t = true, num_args = 0..=1,
        require_equals = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    overwrite: bool,
    #[command(flatten)]
    common: CommonArgs,
}

/// What happens to the variables of a container.
#[derive(Debug, Default)]
struct Changes {
    set: Vec<Value>,
    removed: Vec<String>,
}

pub(super) fn run(args: &EnvArgs, context: &Context) -> Outcome {
    let is_change = |w: &String| w.contains('=') || (w.ends_with('-') && !w.contains('/'));
    let at = args.words.iter().position(is_change);
    let (words, pairs) = args.words.split_at(at.unwrap_or(args.words.len()));
    let mut changes = Changes::default();
    changes.read(&mut pairs.iter().chain(&args.env))?;
    args.common.check(words, context)?;
    let from = args.from.as_deref().filter(|f| !f.is_empty());
    if let Some(from) = from {
        let cluster = context.api()?;
        changes.set.extend(taken(args, from, &cluster, context)?);
    }
    if args.list || (changes.set.is_empty() && changes.removed.is_empty() && from.is_none()) {
        if !args.list {
            let text = "at least one environment variable must be provided";
            return Err(CliError::text(text));
        }
        return list(args, words, context);
    }
    let change = &mut |info: &Info| {
        let mut object = info.object.clone();
        let spec = pod_spec(info, &mut object)?;
        let mut found = false;
        for list in ["initContainers", "containers"] {
            for container in selected(spec, list, &args.containers) {
                found = true;
                changes.apply(container, args.overwrite)?;
            }
        }
        if !found {
            let (kind, name, pattern) = (info.kind.kind, &info.name, &args.containers);
            context.ui.note(&format!(
                "warning: {kind}/{name} does not have any containers matching {pattern:?}"
            ));
        }
        Ok(object)
    };
    args.common.change(words, context, "env updated", change)
}

impl Changes {
    fn read(&mut self, pairs: &mut dyn Iterator<Item = &String>) -> Result<(), CliError> {
        for pair in pairs {
            if pair == "-" {
                let mut text = String::new();
                std::io::stdin().read_to_string(&mut text)?;
                let lines: Vec<String> = text.lines().map(str::to_owned).collect();
                let mut lines = lines
                    .iter()
                    .filter(|l| !l.is_empty() && !l.starts_with('#'));
                self.read(&mut lines)?;
            } else if let Some((name, value)) = pair.split_once('=') {
                if name.is_empty() {
                    let text =
                        format!("environment variables must be of the form key=value: {pair}");
                    return Err(CliError::text(text));
                }
                self.set.push(json!({"name": name, "value": value}));
            } else if let Some(name) = pair.strip_suffix('-') {
                self.removed.push(name.to_owned());
            } else {
                let text = format!("unknown argument: {pair}");
                return Err(CliError::text(text));
            }
        }
        Ok(())
    }

    fn apply(&self, container: &mut Value, overwrite: bool) -> Result<(), CliError> {
        let mut env = container["env"].as_array().cloned().unwrap_or_default();
        for new in &self.set {
            match env.iter_mut().find(|old| old["name"] == new["name"]) {
                None => env.push(new.clone()),
                Some(old) if !overwrite && old != new => {
                    let (name, value) = (text(&old["name"]), text(&old["value"]));
                    let text =
                        format!("'{name}' already has a value ({value}), and --overwrite is false");
                    return Err(CliError::text(text));
                }
                Some(old) => *old = new.clone(),
            }
        }
        env.retain(|e| !self.removed.iter().any(|name| e["name"] == name.as_str()));
        if let Some(container) = container.as_object_mut() {
            match env.is_empty() {
                true => drop(container.remove("env")),
                false => drop(container.insert("env".to_owned(), json!(env))),
            }
        }
        Ok(())
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The variables that a config map or secret gives.
fn taken(
    args: &EnvArgs,
    from: &str,
    cluster: &Cluster,
    context: &Context,
) -> Result<Vec<Value>, CliError> {
    let words = [from.to_owned()];
    let found = Builder::new(context, Some(cluster))?
        .words(&words, false)
        .find()?;
    let mut set = Vec::new();
    for info in found.all()? {
        let reference = match info.kind.kind {
            "ConfigMap" => "configMapKeyRef",
            "Secret" => "secretKeyRef",
            _ => {
                let text = format!("unsupported resource specified in --from: {from:?}");
                return Err(CliError::text(text));
            }
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
            let name = variable(key);
            if name != *key {
                context.ui.warn(&format!("key {key} transferred to {name}"));
            }
            let name = format!("{}{name}", args.prefix.as_deref().unwrap_or_default());
            let value = json!({reference: {"name": info.name, "key": key}});
            set.push(json!({"name": name, "valueFrom": value}));
        }
    }
    Ok(set)
}

/// The name of a variable for a key.
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

fn list(args: &EnvArgs, words: &[String], context: &Context) -> Outcome {
    let cluster = args.common.cluster(context)?;
    let mut errors = Vec::new();
    for item in args.common.find(words, cluster.as_ref(), context)? {
        let shown = item.and_then(|info| {
            let mut object = info.object.clone();
            let spec = pod_spec(&info, &mut object)?;
            let mut out = String::new();
            for list in ["initContainers", "containers"] {
                for container in selected(spec, list, &args.containers) {
                    let (kind, name) = (info.kind.kind, &info.name);
                    out.push_str(&format!(
                        "# {kind} {name}, container {}\n",
                        text(&container["name"])
                    ));
                    let env = container["env"].as_array().into_iter().flatten();
                    for variable in env {
                        out.push_str(&line(variable, args, &info, cluster.as_ref()));
                    }
                }
            }
            context.ui.out(&out)
        });
        errors.extend(shown.err());
    }
    CliError::all(errors)?;
    Ok(ExitCode::SUCCESS)
}

/// One variable of a list.
fn line(variable: &Value, args: &EnvArgs, info: &Info, cluster: Option<&Cluster>) -> String {
    let name = text(&variable["name"]);
    let from = &variable["valueFrom"];
    let reference = ["configMapKeyRef", "secretKeyRef"]
        .into_iter()
        .find_map(|kind| Some((kind, from.get(kind)?)));
    if let Some((kind, reference)) = reference {
        let (holder, key) = (text(&reference["name"]), text(&reference["key"]));
        if let Some(value) = cluster
            .filter(|_| args.resolve)
            .and_then(|cluster| resolved(cluster, info, kind, holder, key))
        {
            return format!("{name}={value}\n");
        }
        let what = if kind == "secretKeyRef" {
            "secret"
        } else {
            "configmap"
        };
        return format!("# {name} from {what} {holder}, key {key}\n");
    }
    if let Some(field) = from.get("fieldRef") {
        return format!("# {name} from field path {}\n", text(&field["fieldPath"]));
    }
    if let Some(field) = from.get("resourceFieldRef") {
        let container = text(&field["containerName"]);
        let container = match container {
            "" => String::new(),
            named => format!("{named}/"),
        };
        return format!(
            "# {name} from resource field {container}{}\n",
            text(&field["resource"])
        );
    }
    format!("{name}={}\n", text(&variable["value"]))
}

/// What a reference stands for.
fn resolved(cluster: &Cluster, info: &Info, kind: &str, name: &str, key: &str) -> Option<String> {
    use base64::Engine as _;
    let (resource, encoded) = match kind {
        "secretKeyRef" => ("Secret", true),
        _ => ("ConfigMap", false),
    };
    let kind = crate::kinds::find("", "v1", resource)?;
    let place = crate::cluster::Place::new(kind, &info.namespace);
    let object = cluster.get(&place, name).ok()?;
    let value = object["data"][key].as_str()?;
    if !encoded {
        return Some(value.to_owned());
    }
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(value)
        .ok()?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn keys_become_names_of_variables() {
        assert_eq!(variable("app.log-level"), "APP_LOG_LEVEL");
    }
}
