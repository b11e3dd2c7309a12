//! `ctl why --not`: what keeps an object from a condition.

use std::process::ExitCode;

use super::super::Outcome;
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::{CliError, FAILURE};
use crate::cli::options::AnswerArgs;
use crate::cli::resource::Info;
use crate::cluster::Cluster;
use crate::history::{Blocker, blockers};
use crate::kinds::tree::{field, text};
use crate::runtime::{Config, Key, Manager, Stuck};

pub(super) fn run(
    cluster: &Cluster,
    info: &Info,
    condition: &str,
    answer: &AnswerArgs,
    context: &Context,
) -> Outcome {
    let object = cluster.get(&info.place(), &info.name)?;
    let shown = info.shown();
    let found = condition_of(&object, condition);
    let name = found.map_or(condition, |found| text(found, "type"));
    if found.is_some_and(|found| text(found, "status") == "True") {
        let data = json!({"object": shown.as_str(), "condition": name, "met": true});
        answer.tell(context, format_args!("{shown} is {name}"), &data)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut controllers = crate::controllers::wanted(&|_| true);
    controllers.extend(crate::kubelet::controllers());
    // The manager is loaded and never run, so nothing is written.
    let mut manager = Manager::new(cluster, controllers, &|_| Config::default());
    manager.load()?;
    let uid = text(field(&object, "metadata"), "uid");
    let mut stuck = manager.stuck();
    // A workload is rarely stuck itself; the reason is with a Pod below it.
    stuck.retain(|one| one.uid == uid || one.owners.iter().any(|owner| owner == uid));
    let blockers: Vec<Blocker> = blockers(&stuck);
    let next = next_attempt(&mut manager, cluster, &stuck)?;
    let says = found.map(|found| format!("{}: {}", text(found, "reason"), text(found, "message")));
    let says = says.unwrap_or_else(|| "it has no such condition yet".to_owned());
    let mut lines = vec![format!("{shown} is not {name}: {says}")];
    lines.extend(blockers.iter().map(|blocker| format!("  {blocker}")));
    match next {
        Some(next) => lines.push(format!("  next attempt in {next:#}")),
        None if blockers.is_empty() => {
            lines.push("  no controller reports a problem: run `ctl settle`".to_owned());
        }
        None => {}
    }
    let listed = blockers.into_iter().map(|blocker| {
        json!({"cause": blocker.cause, "objects": blocker.objects, "waiting": blocker.waiting})
    });
    let data = json!({
        "object": shown, "condition": name, "met": false, "reason": says,
        "blockers": listed.collect::<Vec<Value>>(),
        "nextAttempt": next.map(|next| next.to_string()),
    });
    answer.tell(context, lines.join("\n"), &data)?;
    // A condition that is not met is a failure, so that scripts can branch on it.
    Ok(ExitCode::from(FAILURE))
}

/// Returns a condition of an object by its type, in any case.
fn condition_of<'v>(object: &'v Value, kind: &str) -> Option<&'v Value> {
    let conditions = field(field(object, "status"), "conditions").as_array()?;
    conditions
        .iter()
        .find(|condition| text(condition, "type").eq_ignore_ascii_case(kind))
}

/// Returns when the first of the stuck Pods is tried again.
fn next_attempt(
    manager: &mut Manager<'_>,
    cluster: &Cluster,
    stuck: &[Stuck],
) -> Result<Option<jiff::SignedDuration>, CliError> {
    let pods = cluster.kind("pods")?;
    let keys = stuck.iter().filter_map(|one| {
        let (namespace, name) = one.object.strip_prefix("Pod ")?.split_once('/')?;
        Some(Key::new(namespace, name))
    });
    let waits = keys.filter_map(|key| manager.next_attempt(pods, &key));
    Ok(waits.min())
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn the_cause_is_named_with_the_pods_that_it_affects() {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=i --replicas=3",
            "set resources deployment web --requests=cpu=10000",
        ]);
        let _ = shell.run("settle");
        let said = shell.run("why deploy/web --not available");
        assert_eq!(said.code, 1, "{said:?}");
        let lines: Vec<&str> = said.out.lines().collect();
        assert!(
            lines[0].starts_with("deployment.apps/web is not Available: "),
            "{said:?}"
        );
        assert!(lines[1].starts_with("  Unschedulable: 0/"), "{said:?}");
        assert!(
            lines[1].contains("(3 objects: Pod default/web-"),
            "{said:?}"
        );
    }

    #[test]
    fn pod_in_image_backoff_shows_its_next_attempt() {
        let shell = Shell::new();
        shell.all(&["run nowhere --image=a:404"]);
        let _ = shell.run("settle --for 1m");
        let said = shell.run("why pod/nowhere --not Ready");
        assert!(said.out.contains("container nowhere: "), "{said:?}");
        assert!(said.out.contains("  next attempt in "), "{said:?}");
        let data: crate::api::json::Value =
            serde_json::from_str(&shell.run("why pod/nowhere --not Ready -o json").out).unwrap();
        assert_eq!(data["met"], false);
        assert!(data["nextAttempt"].as_str().is_some(), "{data}");
    }

    #[test]
    fn met_condition_exits_with_0() {
        let shell = Shell::new();
        shell.all(&["run good --image=a", "settle"]);
        assert_eq!(shell.out("why pod/good --not Ready"), "pod/good is Ready\n");
        let said = shell.run("why pod/good --not Odd");
        assert!(
            said.out
                .contains("pod/good is not Odd: it has no such condition yet\n")
        );
    }
}
