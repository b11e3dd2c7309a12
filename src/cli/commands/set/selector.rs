//! `ctl set selector`.

use std::process::ExitCode;

use clap::Args;

use super::{CommonArgs, ResultRules};
use crate::api::json::{Map, json};
use crate::api::selector::{LabelSelector, Operator};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::RecordArgs;
use crate::cli::resource::{Info, apart};

/// Set the selector on a resource
///
/// Examples:
///   ctl set selector service web app=web,tier=front
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct SelectorSetArgs {
    /// TYPE NAME or TYPE/NAME, then the labels
    words: Vec<String>,
    /// Fail unless the object has this resource version
    #[arg(long, value_name = "VERSION")]
    resource_version: Option<String>,
    #[command(flatten)]
    common: CommonArgs,
    #[command(flatten)]
    record: RecordArgs,
}

pub(super) fn run(args: &SelectorSetArgs, context: &Context) -> Outcome {
    args.common.check_modes(context)?;
    // Only the position distinguishes the selector from the names, because `app=web` could be either.
    let Some((selector, words)) = args.words.split_last() else {
        return Err(CliError::text("one selector is required"));
    };
    let selector = SelectorInput::parse(selector)?;
    let change = &mut |info: &Info, _: &mut Vec<CliError>| {
        if !info.kind.is_addressed() {
            let text = "setting a selector is only supported for Services";
            return Err(CliError::text(text));
        }
        let mut object = info.object.clone();
        object["spec"]["selector"] = json!(selector.labels()?);
        // The version is part of the patch, so that the server rejects it if the Service has changed.
        if let Some(version) = args.resource_version.as_deref().filter(|v| !v.is_empty()) {
            object["metadata"]["resourceVersion"] = json!(version);
        }
        Ok(args.record.mark(context, object))
    };
    let cluster = args.common.cluster(context)?;
    let mut files = args.common.files.clone();
    // Only this command reads directories recursively by default.
    files.recursive |= !context.given("recursive");
    let found = args
        .common
        .builder(&files, words, cluster.as_ref(), context)?
        .find()?;
    // As in kubectl, an object that cannot be read does not keep the others from being changed.
    let (found, errors) = apart(found.in_turn());
    let rules = ResultRules {
        done: "selector updated",
        failed: "",
        // kubectl sends this patch and reports the object even if nothing changes.
        always: true,
    };
    let changed = args
        .common
        .change(found, cluster.as_ref(), context, &rules, change);
    let mut all = match changed {
        Ok(_) => Vec::new(),
        Err(CliError::Many(all)) => all,
        Err(one) => vec![one],
    };
    all.extend(errors);
    CliError::all(all)?;
    Ok(ExitCode::SUCCESS)
}

/// A selector on the command line, such as `app=web,tier=front`.
#[derive(Debug, Default)]
struct SelectorInput {
    labels: Map,
    /// The requirements that no Service supports, in Go's notation.
    expressions: Vec<String>,
}

impl SelectorInput {
    fn parse(text: &str) -> Result<Self, CliError> {
        let selector = LabelSelector::parse(text).map_err(|e| {
            CliError::text(format!("couldn't parse the selector string {text:?}: {e}"))
        })?;
        let mut wanted = Self::default();
        for requirement in selector.requirements() {
            let (key, values) = (requirement.key(), requirement.values());
            let word = match requirement.operator() {
                Operator::Equals | Operator::DoubleEquals => {
                    let value = values.first().cloned().unwrap_or_default();
                    wanted.labels.insert(key.to_owned(), json!(value));
                    continue;
                }
                Operator::In => "In",
                Operator::NotIn => "NotIn",
                Operator::Exists => "Exists",
                Operator::DoesNotExist => "DoesNotExist",
                Operator::NotEquals => {
                    let text = "\"!=\" is not a valid label selector operator";
                    return Err(CliError::text(text));
                }
                Operator::GreaterThan | Operator::LessThan => {
                    let is_more = requirement.operator() == Operator::GreaterThan;
                    let word = if is_more { "gt" } else { "lt" };
                    let text = format!("{word:?} isn't supported in label selectors");
                    return Err(CliError::text(text));
                }
            };
            let values = values.join(" ");
            let expression = format!("{{{key} {word} [{values}]}}");
            wanted.expressions.push(expression);
        }
        Ok(wanted)
    }

    fn labels(&self) -> Result<&Map, CliError> {
        match self.expressions.is_empty() {
            true => Ok(&self.labels),
            false => Err(CliError::text(format!(
                "match expression [{}] not supported on this object",
                self.expressions.join(" ")
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn service_selector_allows_only_equality() {
        let read = |text: &str| SelectorInput::parse(text).unwrap();
        let labels = json!(read("app=web,tier==front").labels().unwrap());
        assert_eq!(labels, json!({"app": "web", "tier": "front"}));
        assert_eq!(
            read("app,tier in (b,a)").labels().unwrap_err().to_string(),
            "match expression [{app Exists []} {tier In [a b]}] not supported on this object"
        );
        assert_eq!(
            SelectorInput::parse("a!=b").unwrap_err().to_string(),
            "\"!=\" is not a valid label selector operator"
        );
    }

    #[test]
    fn directories_are_read_recursively_unless_the_flag_forbids_it() {
        let shell = Shell::new();
        let service =
            "{apiVersion: v1, kind: Service, metadata: {name: NAME}, spec: {ports: [{port: 80}]}}";
        shell.write("all/a.yaml", service.replace("NAME", "a"));
        shell.write("all/below/b.yaml", service.replace("NAME", "b"));
        let line = "set selector -f @/all app=x --local -o name";
        assert_eq!(shell.out(line), "service/a\nservice/b\n");
        let own = shell.out(&format!("{line} --recursive=false"));
        assert_eq!(own, "service/a\n");
    }

    #[test]
    fn unreadable_manifests_keep_no_service_from_being_changed() {
        let shell = Shell::new();
        let _ = shell.out("create service clusterip web --tcp=80");
        shell.write("a.yaml", "apiVersion: v1\nkind: Foo\nmetadata: {name: a}\n");
        shell.write(
            "b.yaml",
            "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n",
        );
        let said = shell.run("set selector -f @/a.yaml -f @/b.yaml x=y");
        assert_eq!(said.out, "service/web selector updated\n");
        assert_eq!(
            said.err,
            "error: unable to decode \"@/a.yaml\": no kind \"Foo\" is registered for version \"v1\" in scheme \
             \"pkg/scheme/scheme.go:28\"\n"
        );
    }

    #[test]
    fn set_selector_supports_only_services() {
        let shell = Shell::new();
        shell.all(&[
            "create service clusterip web --tcp=80",
            "create configmap c",
        ]);
        let told = "service/web selector updated\n";
        assert_eq!(
            shell.out("set selector service web app=other,tier=front"),
            told
        );
        let selector = &shell.json("get service web")["spec"]["selector"];
        assert_eq!(*selector, json!({"app": "other", "tier": "front"}));
        assert_eq!(shell.out("set selector svc/web app=other,tier=front"), told);
        let conflict = shell.fails("set selector svc/web app=x --resource-version=1");
        assert!(conflict.contains("(Conflict)"), "{conflict}");
        shell.refuses(&[
            ("set selector", "one selector is required"),
            (
                "set selector cm/c a=b",
                "setting a selector is only supported for Services",
            ),
        ]);
    }
}
