//! `ctl taint`.

use std::process::ExitCode;

use clap::Args;

use super::{Outcome, pairs};
use crate::api::json::{List, Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{
    DryRun, DryRunArgs, ManagerArgs, OutputArgs, ResultPrinter, ValidateArgs, write_options,
};
use crate::cli::resource::{Builder, Info, SelectorArgs};
use crate::cluster::Cluster;
use crate::kinds::validate::names;

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// Add and remove taints of nodes
///
/// Examples:
///   ctl taint nodes node-0 dedicated=db:NoSchedule
///   ctl taint nodes node-0 dedicated:NoSchedule-    remove that one
///   ctl taint nodes node-0 dedicated-               remove all with this key
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct TaintArgs {
    /// nodes NAME, then KEY=VALUE:EFFECT or KEY:EFFECT- for each taint
    words: Vec<String>,
    /// Label selector of nodes
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Select all nodes
    #[arg(long)]
    all: bool,
    /// Overwrite existing values
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
    #[command(flatten)]
    validate: ValidateArgs,
    #[command(flatten)]
    manager: ManagerArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Taint {
    key: String,
    value: String,
    effect: String,
}

#[derive(Debug, Default)]
struct Changes {
    set: Vec<Taint>,
    /// An empty effect stands for all effects.
    removed: Vec<Taint>,
}

pub(crate) fn run(args: &TaintArgs, context: &Context) -> Outcome {
    let dry_run = args.dry_run.get(context)?;
    let validation = args.validate.get()?;
    // kubectl loses the suffix "(dry run)" here, as in `patch`.
    let mut printer = ResultPrinter::late(&args.output, DryRun::None, context);
    printer = printer.printer_per_object();
    if dry_run != DryRun::Client {
        printer = printer.of_structs();
    }
    // A node name cannot contain `=` or `:`, nor end with `-`.
    let is_taint = |w: &String| w.contains('=') || w.contains(':') || w.ends_with('-');
    let at = args.words.iter().position(is_taint);
    let (resources, taints) = args.words.split_at(at.unwrap_or(args.words.len()));
    if let Some(late) = taints.iter().find(|w| !is_taint(w)) {
        return Err(CliError::text(format!(
            "all resources must be specified before taint changes: {late}"
        )));
    }
    let Some(first) = resources.first() else {
        let text = "one or more resources must be specified as <resource> <name>";
        return Err(CliError::text(text));
    };
    if taints.is_empty() {
        return Err(CliError::text("at least one taint update is required"));
    }
    // Taints are parsed before the cluster is opened, so that a malformed one is reported even without a cluster.
    let changes = parse(taints).map_err(|e| context.usage(e))?;
    let cluster = context.api()?;
    check(args, first, resources.len(), &changes, &cluster)?;
    let selectors = SelectorArgs {
        selector: args.selector.clone(),
        field_selector: None,
    };
    let selects = args.all || args.selector.as_deref().is_some_and(|s| !s.is_empty());
    // kubectl accepts names with or without their own type after the type, and ignores them if a flag selects nodes.
    let nodes: Vec<String> = match resources {
        [kind, ..] if selects => vec![kind.clone()],
        [kind, names @ ..] if names.iter().any(|name| name.contains('/')) => {
            let typed = |name: &String| match name.contains('/') {
                true => name.clone(),
                false => format!("{kind}/{name}"),
            };
            names.iter().map(typed).collect()
        }
        _ => resources.to_vec(),
    };
    let found = Builder::new(context, Some(&cluster))?
        .selectors(&selectors)
        .select_all(args.all)
        .words(&nodes, args.all)
        .find()?;
    let options = write_options(
        context,
        dry_run,
        args.manager.get("kubectl-taint"),
        validation,
    );
    let mut one = |info: Info| {
        if !args.overwrite {
            refuse_taken(&info.name, &info.object, &changes)?;
        }
        let (changed, done) = changes.apply(&info.object, args.overwrite)?;
        printer.check()?;
        if dry_run == DryRun::Client {
            return printer.print_result(&info.with(changed), done);
        }
        let answer = pairs::send(&cluster, &info, &changed, "", &options)?;
        printer.warn(&answer);
        printer.print_result(&info.with(answer.object), done)
    };
    // An error of one node does not keep the others from being changed.
    let told = found.items.into_iter().map(|item| item.and_then(&mut one));
    CliError::all(told.filter_map(Result::err).collect())?;
    Ok(ExitCode::SUCCESS)
}

fn check(
    args: &TaintArgs,
    first: &str,
    words: usize,
    changes: &Changes,
    cluster: &Cluster,
) -> Result<(), CliError> {
    let refuse = |text: &str| Err(CliError::text(text));
    let selector = args.selector.as_deref().is_some_and(|s| !s.is_empty());
    let first = first.to_lowercase();
    let Some(kind) = cluster.kinds()?.resolve(&first) else {
        let text = format!("the server doesn't have a resource type {first:?}");
        return Err(CliError::Bare(text));
    };
    if !kind.hosts_pods() {
        return refuse(&format!(
            "invalid resource type {first}, only node types are supported"
        ));
    }
    let both = changes.in_both();
    if !both.is_empty() {
        return refuse(&format!(
            "can not both modify and remove the following taint(s) in the same command: {}",
            both.join(", ")
        ));
    }
    if args.all && selector {
        return refuse("setting 'all' parameter with a non empty selector is prohibited");
    }
    if words < 2 && !args.all && !selector {
        return refuse(
            "at least one resource name must be specified since 'all' parameter is not set",
        );
    }
    Ok(())
}

fn parse(texts: &[String]) -> Result<Changes, String> {
    let mut changes = Changes::default();
    for text in texts {
        let Some(plain) = text.strip_suffix('-') else {
            let taint = taint(text)?;
            if taint.effect.is_empty() {
                return Err(format!("invalid taint spec: {text}"));
            }
            // A key and an effect identify a taint on a node; the value does not.
            let same = |t: &Taint| t.key == taint.key && t.effect == taint.effect;
            if changes.set.iter().any(same) {
                // This is how Go prints the struct.
                let Taint { key, value, effect } = &taint;
                return Err(format!(
                    "duplicated taints with the same key and effect: {{{key} {value} {effect} <nil>}}"
                ));
            }
            changes.set.push(taint);
            continue;
        };
        changes.removed.push(taint(plain)?);
    }
    Ok(changes)
}

fn checked_key(key: &str, text: &str) -> Result<String, String> {
    let wrong = names::qualified_name(key);
    if wrong.is_empty() {
        return Ok(key.to_owned());
    }
    Err(format!("invalid taint spec: {text}, {}", wrong.join("; ")))
}

/// Parses `KEY=VALUE:EFFECT`, `KEY:EFFECT` or `KEY`, which has no effect.
fn taint(text: &str) -> Result<Taint, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let bad = || format!("invalid taint spec: {text}");
    let (pair, effect) = match parts.as_slice() {
        [key] => {
            return Ok(Taint {
                key: checked_key(key, text)?,
                ..Taint::default()
            });
        }
        [pair, effect] => (*pair, *effect),
        _ => return Err(bad()),
    };
    if !EFFECTS.contains(&effect) {
        return Err(format!(
            "invalid taint effect: {effect}, unsupported taint effect"
        ));
    }
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    if value.contains('=') {
        return Err(bad());
    }
    let wrong = names::label_value(value);
    if !wrong.is_empty() {
        return Err(format!("invalid taint spec: {text}, {}", wrong.join("; ")));
    }
    Ok(Taint {
        key: checked_key(key, text)?,
        value: value.to_owned(),
        effect: effect.to_owned(),
    })
}

fn taints(node: &Value) -> &[Value] {
    node["spec"]["taints"]
        .as_array()
        .map_or(&[], List::as_slice)
}

fn is(old: &Value, taint: &Taint) -> bool {
    let effect = taint.effect.as_str();
    old["key"] == taint.key.as_str() && (effect.is_empty() || old["effect"] == effect)
}

fn refuse_taken(name: &str, node: &Value, changes: &Changes) -> Result<(), CliError> {
    let taken = |t: &&Taint| taints(node).iter().any(|old| is(old, t));
    let keys: Vec<&str> = changes
        .set
        .iter()
        .filter(taken)
        .map(|t| t.key.as_str())
        .collect();
    if keys.is_empty() {
        return Ok(());
    }
    let keys = keys.join(",");
    Err(CliError::text(format!(
        "node {name} already has {keys} taint(s) with same effect(s) and --overwrite is false"
    )))
}

impl Changes {
    /// Returns the keys that are both set and removed.
    fn in_both(&self) -> Vec<String> {
        let both = |r: &&Taint| {
            let same = |s: &Taint| s.key == r.key && (r.effect.is_empty() || r.effect == s.effect);
            self.set.iter().any(same)
        };
        let both = self.removed.iter().filter(both);
        both.map(|t| format!("{}={}", t.key, t.effect)).collect()
    }

    /// Returns the node with the changes, and the word for the outcome.
    fn apply(&self, node: &Value, overwrite: bool) -> Result<(Value, &'static str), CliError> {
        let old = taints(node);
        let lacking = |t: &&Taint| !old.iter().any(|o| is(o, t));
        let wrong = self.removed.iter().filter(lacking).map(|t| {
            let effect = if t.effect.is_empty() {
                String::new()
            } else {
                format!(":{}", t.effect)
            };
            CliError::text(format!("taint \"{}{effect}\" not found", t.key))
        });
        CliError::all(wrong.collect())?;
        let stays = |o: &&Value| !self.set.iter().chain(&self.removed).any(|t| is(o, t));
        let mut new: Vec<Value> = self.set.iter().map(shown).collect();
        // kubectl writes new taints before the existing ones.
        new.extend(old.iter().filter(stays).cloned());
        let mut changed = node.clone();
        match new.is_empty() {
            true => drop(
                changed["spec"]
                    .as_object_mut()
                    .and_then(|s| s.remove("taints")),
            ),
            false => changed["spec"]["taints"] = json!(new),
        }
        let kept = |o: &&Value| !self.set.iter().any(|t| is(o, t));
        // kubectl compares the lengths of the lists, so a taint that replaces another one does not count as added.
        let added = self.set.len() + old.iter().filter(kept).count() != old.len();
        let done = match (added, !self.removed.is_empty()) {
            _ if overwrite => "modified",
            (true, true) => "modified",
            (true, false) => "tainted",
            (false, _) => "untainted",
        };
        Ok((changed, done))
    }
}

fn shown(taint: &Taint) -> Value {
    let mut shown = json!({"key": taint.key, "effect": taint.effect});
    if !taint.value.is_empty() {
        shown["value"] = json!(taint.value);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    fn changes(texts: &[&str]) -> Result<Changes, String> {
        let texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
        parse(&texts)
    }

    #[test]
    fn new_taints_precede_existing_ones() {
        let node = json!({"spec": {"taints": [{"key": "a", "value": "1", "effect": "NoExecute"}]}});
        let (changed, done) = changes(&["b:NoSchedule"])
            .unwrap()
            .apply(&node, false)
            .unwrap();
        assert_eq!(done, "tainted");
        assert_eq!(
            changed["spec"]["taints"][0],
            json!({"key": "b", "effect": "NoSchedule"})
        );
        assert_eq!(changed["spec"]["taints"][1]["key"], "a");
        let (changed, done) = changes(&["a=2:NoExecute"])
            .unwrap()
            .apply(&node, true)
            .unwrap();
        assert_eq!((done, taints(&changed).len()), ("modified", 1));
        let (changed, done) = changes(&["a-"]).unwrap().apply(&node, false).unwrap();
        assert_eq!((done, &changed), ("untainted", &json!({"spec": {}})));
    }

    #[test]
    fn invalid_taints_are_rejected() {
        for (text, why) in [
            (
                "a=b:Never",
                "invalid taint effect: Never, unsupported taint effect",
            ),
            ("a=b:NoSchedule:x", "invalid taint spec: a=b:NoSchedule:x"),
            ("a=b:", "invalid taint effect: , unsupported taint effect"),
            ("a", "invalid taint spec: a"),
        ] {
            assert_eq!(changes(&[text]).unwrap_err(), why);
        }
        assert!(
            changes(&["a=b"])
                .unwrap_err()
                .starts_with("invalid taint spec: a=b, name part must consist of")
        );
        assert_eq!(
            changes(&["a=1:NoExecute", "a=2:NoExecute"]).unwrap_err(),
            "duplicated taints with the same key and effect: {a 2 NoExecute <nil>}"
        );
        let both = changes(&["a:NoSchedule", "b:NoExecute", "a-", "b:NoExecute-"]);
        assert_eq!(both.unwrap().in_both(), ["a=", "b=NoExecute"]);
        let missing = changes(&["a-"]).unwrap().apply(&json!({"spec": {}}), false);
        assert_eq!(missing.unwrap_err().to_string(), "taint \"a\" not found");
    }

    #[test]
    fn a_node_is_tainted_modified_and_untainted() {
        let shell = Shell::empty();
        let _ = shell.out("cluster init --nodes 2 --clock virtual");
        assert_eq!(
            shell.out("taint nodes node-0 k=v:NoSchedule"),
            "node/node-0 tainted\n"
        );
        shell.refuses(&[
            (
                "taint nodes node-0 k=w:NoSchedule",
                "node node-0 already has k taint(s) with same effect(s) and --overwrite is false",
            ),
            (
                "taint --validate=odd",
                "invalid - validate option \"odd\"; must be one of: strict (or true), warn, ignore (or false)",
            ),
            (
                "taint nodes node-0 k=w:NoSchedule --overwrite -o none",
                "unable to match a printer suitable for the output format \"none\", allowed formats are: go-template,\
                 go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml",
            ),
            (
                "taint nodes node-0",
                "at least one taint update is required",
            ),
        ]);
        let value = "-o jsonpath={.spec.taints[0].value}";
        assert_eq!(shell.out(&format!("get node node-0 {value}")), "v");
        assert_eq!(
            shell.out("taint nodes node-0 k=w:NoSchedule --overwrite"),
            "node/node-0 modified\n"
        );
        let taints = &shell.json("get node node-0")["spec"]["taints"];
        assert_eq!(
            *taints,
            json!([{"key": "k", "value": "w", "effect": "NoSchedule"}])
        );
        assert_eq!(
            shell.out("taint nodes --all j:NoExecute"),
            "node/node-0 tainted\nnode/node-1 tainted\n"
        );
        // The flags select the nodes, even if the command line also names some.
        let out = shell.out("taint nodes node-0 --all l:NoExecute");
        assert_eq!(out, "node/node-0 tainted\nnode/node-1 tainted\n");
        let _ = shell.out("taint nodes --all l-");
        assert_eq!(
            shell.out("taint nodes node-0 k- j-"),
            "node/node-0 untainted\n"
        );
        assert!(shell.json("get node node-0")["spec"]["taints"].is_null());
    }
}
