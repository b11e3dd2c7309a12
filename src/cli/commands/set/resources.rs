//! `ctl set resources`.

use clap::Args;

use super::{CommonArgs, LISTS, LabelArgs, ResultRules, pod_spec, selected};
use crate::api::json::{Map, Value, json};
use crate::api::quantity::Quantity;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::RecordArgs;
use crate::cli::resource::Info;

/// Update resource requests/limits on objects with Pod templates
///
/// Examples:
///   ctl set resources deployment web --limits=cpu=200m,memory=512Mi
///   ctl set resources deployment web -c=nginx --requests=cpu=100m
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct ResourcesArgs {
    /// TYPE NAME or TYPE/NAME
    words: Vec<String>,
    /// Containers; * matches any characters
    #[arg(short, long, value_name = "PATTERN", default_value = "*")]
    containers: String,
    /// Resource limits of the containers: cpu=100m,memory=256Mi
    #[arg(long, value_name = "AMOUNTS")]
    limits: Option<String>,
    /// Resource requests of the containers: cpu=100m,memory=256Mi
    #[arg(long, value_name = "AMOUNTS")]
    requests: Option<String>,
    #[command(flatten)]
    labels: LabelArgs,
    #[command(flatten)]
    common: CommonArgs,
    #[command(flatten)]
    record: RecordArgs,
}

pub(super) fn run(args: &ResourcesArgs, context: &Context) -> Outcome {
    args.common.check_modes(context)?;
    let cluster = args.common.cluster(context)?;
    let found = args
        .common
        .find(&args.words, &args.labels, cluster.as_ref(), context)?;
    // kubectl looks the objects up before it checks its flags, so a missing object is reported first.
    args.common.check(&args.words, &args.labels)?;
    let given = |text: &Option<String>| text.as_deref().is_some_and(|t| !t.is_empty());
    if !given(&args.limits) && !given(&args.requests) {
        let text = "you must specify an update to requests or limits (in the form of \
                    --requests/--limits)";
        return Err(CliError::text(text));
    }
    let limits = amounts(args.limits.as_deref())?;
    let requests = amounts(args.requests.as_deref())?;
    let change = &mut |info: &Info, missing: &mut Vec<CliError>| {
        let mut object = info.object.clone();
        let spec = pod_spec(info, &mut object)?;
        let mut found = false;
        for list in LISTS {
            for container in selected(spec, list, &args.containers) {
                found = true;
                merge(container, "limits", &limits);
                merge(container, "requests", &requests);
            }
        }
        if !found {
            let pattern = &args.containers;
            let text = format!("error: unable to find container named {pattern}");
            missing.push(CliError::text(text));
        }
        Ok(args.record.mark(context, object))
    };
    let rules = ResultRules {
        done: "resource requirements updated",
        failed: "failed to patch resources update to pod template ",
        always: false,
    };
    args.common
        .change(found, cluster.as_ref(), context, &rules, change)
}

fn merge(container: &mut Value, which: &str, amounts: &Map) {
    if amounts.is_empty() {
        return;
    }
    if !container["resources"][which].is_object() {
        container["resources"][which] = json!({});
    }
    for (name, amount) in amounts {
        // Amounts that are not named stay: the flags merge with the existing ones.
        container["resources"][which][name] = amount.clone();
    }
}

/// Parses `cpu=100m,memory=256Mi`.
fn amounts(text: Option<&str>) -> Result<Map, CliError> {
    let mut amounts = Map::new();
    for part in text
        .into_iter()
        .filter(|t| !t.is_empty())
        .flat_map(|t| t.split(','))
    {
        let parts: Vec<&str> = part.split('=').collect();
        let [name, amount] = parts.as_slice() else {
            let text = format!("Invalid argument syntax {part}, expected <resource>=<value>");
            return Err(CliError::text(text));
        };
        let quantity = Quantity::parse(amount).map_err(|e| CliError::text(e.to_string()))?;
        // Amounts are canonical, so that `1000m` is no change from `1`.
        amounts.insert((*name).to_owned(), json!(quantity.to_string()));
    }
    Ok(amounts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn amounts_are_quantities_by_name() {
        let read = amounts(Some("cpu=0.2,memory=512Mi")).unwrap();
        assert_eq!(json!(read), json!({"cpu": "200m", "memory": "512Mi"}));
        assert!(
            amounts(Some("cpu"))
                .unwrap_err()
                .to_string()
                .contains("expected <resource>=<value>")
        );
        assert!(
            amounts(Some("cpu=lots"))
                .unwrap_err()
                .to_string()
                .contains("regular expression")
        );
    }

    #[test]
    fn resource_amounts_are_merged_with_existing_ones() {
        let shell = Shell::new();
        let _ = shell.out("create deployment web --image=a");
        let out =
            shell.out("set resources deploy/web --limits=cpu=200m,memory=64Mi --requests=cpu=100m");
        assert_eq!(out, "deployment.apps/web resource requirements updated\n");
        let _ = shell.out("set resources deploy/web --limits=cpu=1");
        let resources =
            &shell.json("get deploy web")["spec"]["template"]["spec"]["containers"][0]["resources"];
        assert_eq!(
            *resources,
            json!({"limits": {"cpu": "1", "memory": "64Mi"}, "requests": {"cpu": "100m"}})
        );
        assert_eq!(shell.out("set resources deploy/web --limits=cpu=1"), "");
        shell.refuses(&[
            (
                "set resources deploy/web",
                "you must specify an update to requests or limits (in the form of --requests/--limits)",
            ),
            (
                "set resources deploy/web -c none --limits=cpu=1",
                "unable to find container named none",
            ),
        ]);
    }
}
