//! `ctl api-resources`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::kinds::Kind;
use crate::print::table::Table;

/// List the types that the cluster knows
///
/// Example: ctl api-resources --api-group=apps
#[derive(Args, Debug)]
pub(crate) struct ApiResourcesArgs {
    /// Only those of this group
    #[arg(long)]
    api_group: Option<String>,
    /// Only those with (true) or without (false) a namespace
    #[arg(long)]
    namespaced: Option<bool>,
    /// wide or name
    #[arg(short, long, value_name = "FORMAT")]
    output: Option<String>,
    /// Leave out the headers
    #[arg(long)]
    no_headers: bool,
}

pub(crate) fn run(args: &ApiResourcesArgs, context: &Context) -> Outcome {
    let catalogue = context.api()?.kinds()?;
    let mut kinds: Vec<&Kind> = catalogue
        .preferred()
        .filter(|k| args.api_group.as_deref().is_none_or(|g| g == k.group))
        .filter(|k| args.namespaced.is_none_or(|n| n == k.namespaced))
        .collect();
    kinds.sort_by_key(|k| (k.group, k.plural));
    match args.output.as_deref() {
        Some("name") => {
            let names: String = kinds
                .iter()
                .map(|k| k.qualified_resource() + "\n")
                .collect();
            context.ui.out(&names)?;
        }
        None | Some("wide") => {
            let wide = args.output.is_some();
            let mut table = Table {
                headers: header(wide),
                rows: kinds.iter().map(|k| row(k, wide)).collect(),
            };
            if args.no_headers {
                table.headers.clear();
            }
            context.ui.out(&table.render())?;
        }
        Some(other) => {
            return Err(CliError::text(format!("--output {other} is not available")));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn header(wide: bool) -> Vec<String> {
    let more: &[&str] = if wide { &["VERBS", "CATEGORIES"] } else { &[] };
    let words = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"];
    words.iter().chain(more).map(|w| (*w).to_owned()).collect()
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
