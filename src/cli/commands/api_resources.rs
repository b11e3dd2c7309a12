//! `ctl api-resources`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::api::json::{Value, json};
use crate::api::yaml;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::Kinds;
use crate::kinds::Kind;
use crate::print::InOrder;
use crate::print::table::Table;

/// List the API resources of the cluster
///
/// Examples:
///   ctl api-resources --api-group=apps
///   ctl api-resources --namespaced=false -o name
///   ctl api-resources --verbs=list,get --sort-by=name
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct ApiResourcesArgs {
    #[arg(hide = true)]
    words: Vec<String>,
    /// Only types of this API group; '' is the core group
    #[arg(long, value_name = "GROUP")]
    api_group: Option<String>,
    /// Only namespaced (true) or cluster-scoped (false) types
    #[arg(long, value_name = "BOOL")]
    namespaced: Option<bool>,
    /// Only types that support all of these verbs
    #[arg(long, value_name = "VERB", value_delimiter = ',')]
    verbs: Vec<String>,
    /// Only types in all of these categories
    #[arg(long, value_name = "CATEGORY", value_delimiter = ',')]
    categories: Vec<String>,
    /// Sort by this field: name or kind
    #[arg(long, value_name = "COLUMN")]
    sort_by: Option<String>,
    /// Has no effect here; accepted for compatibility with kubectl
    #[arg(long)]
    cached: bool,
    /// Output format: wide, name, json or yaml
    #[arg(short, long, value_name = "FORMAT")]
    output: Option<String>,
    /// Do not print headers
    #[arg(long)]
    no_headers: bool,
    /// Has no effect here; accepted for compatibility with kubectl
    #[arg(long, hide = true)]
    show_managed_fields: bool,
}

pub(crate) fn run(args: &ApiResourcesArgs, context: &Context) -> Outcome {
    if !args.words.is_empty() {
        let words = args.words.join(" ");
        return Err(context.usage(format_args!("unexpected arguments: [{words}]")));
    }
    let output = args.output.as_deref().unwrap_or_default();
    if !["", "wide", "name", "json", "yaml", "kyaml"].contains(&output) {
        return Err(CliError::text(format!(
            "unable to match a printer suitable for the output format {output:?}, allowed formats are: \
             json,kyaml,name,wide,yaml"
        )));
    }
    let sort_by = args.sort_by.as_deref().unwrap_or_default();
    if !["", "name", "kind"].contains(&sort_by) {
        return Err(CliError::text("--sort-by accepts only name or kind"));
    }
    let cluster = context.api()?;
    let mut kinds = Kinds::from_cluster(Some(&cluster))?.preferred();
    kinds.retain(|kind| is_wanted(kind, args));
    // The sort is stable, so kinds with equal keys keep the order of discovery.
    kinds.sort_by_cached_key(|k| match sort_by {
        "name" => (k.plural, ""),
        "kind" => (k.kind, k.plural),
        _ => (k.group, k.plural),
    });
    match output {
        "name" => {
            let names = kinds.iter().map(|k| k.qualified_resource() + "\n");
            context.ui.out(&names.collect::<String>())?;
        }
        "" | "wide" => context
            .ui
            .out(&table(&kinds, args.no_headers, output == "wide").render())?,
        // JSON has the fields in the order of `APIResourceList`; YAML sorts them.
        "json" => context
            .ui
            .out(&InOrder(&listed(&kinds), &ORDER).to_json())?,
        "kyaml" => context
            .ui
            .out(&InOrder(&listed(&kinds), &ORDER).to_kyaml())?,
        _ => context.ui.out(&yaml::to_string(&listed(&kinds)))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn is_wanted(kind: &Kind, args: &ApiResourcesArgs) -> bool {
    let has_all =
        |there: &[&str], wanted: &[String]| wanted.iter().all(|w| there.contains(&w.as_str()));
    args.api_group.as_deref().is_none_or(|g| g == kind.group)
        && args.namespaced.is_none_or(|n| n == kind.namespaced)
        && has_all(kind.verbs, &args.verbs)
        // As in kubectl, a kind needs all of the given verbs and categories.
        && has_all(kind.categories, &args.categories)
}

fn table(kinds: &[&Kind], no_headers: bool, wide: bool) -> Table {
    let more: &[&str] = if wide { &["VERBS", "CATEGORIES"] } else { &[] };
    let words = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"];
    let headers = words.iter().chain(more).map(|w| (*w).to_owned());
    Table {
        headers: if no_headers {
            Vec::new()
        } else {
            headers.collect()
        },
        rows: kinds.iter().map(|k| row(k, wide)).collect(),
    }
}

fn row(kind: &Kind, wide: bool) -> Vec<String> {
    let mut row = vec![
        kind.plural.to_owned(),
        kind.short_names.join(","),
        kind.api_version(),
        kind.namespaced.to_string(),
        kind.kind.to_owned(),
    ];
    if wide {
        row.push(kind.verbs.join(","));
        row.push(kind.categories.join(","));
    }
    row
}

/// The order of the fields of `APIResourceList` and `APIResource`.
const ORDER: [&str; 12] = [
    "name",
    "singularName",
    "namespaced",
    "group",
    "version",
    "kind",
    "apiVersion",
    "groupVersion",
    "resources",
    "verbs",
    "shortNames",
    "categories",
];

/// Returns the resources as an `APIResourceList`, as discovery does.
fn listed(kinds: &[&Kind]) -> Value {
    let resource = |kind: &&Kind| {
        let mut resource = json!({
            "group": kind.group, "version": kind.version, "kind": kind.kind, "name": kind.plural,
            "singularName": kind.singular, "namespaced": kind.namespaced, "verbs": kind.verbs,
        });
        for (field, words) in [
            ("shortNames", kind.short_names),
            ("categories", kind.categories),
        ] {
            if !words.is_empty() {
                resource[field] = json!(words);
            }
        }
        // `APIResource.group` has `omitempty`, so the core group is absent.
        if kind.group.is_empty() {
            resource
                .as_object_mut()
                .map(|fields| fields.remove("group"));
        }
        resource
    };
    let resources: Vec<Value> = kinds.iter().map(resource).collect();
    let mut list = json!({"apiVersion": "v1", "kind": "APIResourceList", "groupVersion": "", "resources": null});
    // Go writes an empty list as null.
    if !resources.is_empty() {
        list["resources"] = json!(resources);
    }
    list
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn names(shell: &Shell, flags: &str) -> Vec<String> {
        let out = shell.out(&format!("api-resources -o name {flags}"));
        out.lines().map(str::to_owned).collect()
    }

    #[test]
    fn filter_flags_are_combined_with_and() {
        let shell = Shell::new();
        assert_eq!(
            names(&shell, "--api-group=batch"),
            ["cronjobs.batch", "jobs.batch"]
        );
        assert!(names(&shell, "--api-group=").contains(&"pods".to_owned()));
        let outside = names(&shell, "--namespaced=false");
        assert!(outside.contains(&"nodes".to_owned()) && !outside.contains(&"pods".to_owned()));
        assert_eq!(
            names(
                &shell,
                "--verbs=create,get --api-group=authentication.k8s.io"
            )
            .len(),
            0
        );
        assert_eq!(
            names(&shell, "--verbs=create --api-group=authentication.k8s.io").len(),
            2
        );
        assert_eq!(names(&shell, "--categories=all --api-group=batch").len(), 2);
    }

    #[test]
    fn wide_output_adds_columns_and_sort_by_sorts() {
        let shell = Shell::new();
        assert_eq!(
            shell.out("api-resources --api-group=batch"),
            "NAME       SHORTNAMES   APIVERSION   NAMESPACED   KIND\n\
             cronjobs   cj           batch/v1     true         CronJob\n\
             jobs                    batch/v1     true         Job\n"
        );
        let wide = shell.out("api-resources --api-group=batch -o wide --no-headers");
        assert!(
            wide.contains("create,delete,deletecollection,get,list,patch,update,watch   all\n"),
            "{wide}"
        );
        let by_kind = shell.out("api-resources --sort-by=kind --no-headers");
        let kinds: Vec<&str> = by_kind
            .lines()
            .filter_map(|l| l.split_whitespace().last())
            .collect();
        assert!(kinds.is_sorted(), "{kinds:?}");
        shell.refuses(&[
            ("api-resources --sort-by=verbs", "--sort-by accepts only name or kind"),
            ("api-resources -o custom-columns=A:.a", "unable to match a printer suitable for the output format \"custom-columns=A:.a\", allowed formats are: json,kyaml,name,wide,yaml"),
            (
                "api-resources pods",
                "unexpected arguments: [pods]\nSee 'kubectl api-resources -h' for help and examples",
            ),
        ]);
    }
}
