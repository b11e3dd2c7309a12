//! `ctl api-versions`.

use std::process::ExitCode;

use clap::Args;

use super::Outcome;
use crate::cli::context::Context;
use crate::cli::resource::Kinds;

/// List the API versions of the cluster, as GROUP/VERSION
///
/// Example: ctl api-versions
#[derive(Args, Debug)]
pub(crate) struct ApiVersionsArgs {
    #[arg(hide = true)]
    words: Vec<String>,
}

pub(crate) fn run(args: &ApiVersionsArgs, context: &Context) -> Outcome {
    if !args.words.is_empty() {
        let words = args.words.join(" ");
        return Err(context.usage(format_args!("unexpected arguments: [{words}]")));
    }
    let cluster = context.api()?;
    let kinds = Kinds::from_cluster(Some(&cluster))?;
    let mut versions: Vec<String> = kinds.served().iter().map(|k| k.api_version()).collect();
    // kubectl sorts the versions as text, so the core `v1` comes after the groups.
    versions.sort_unstable();
    versions.dedup();
    context.ui.out(
        &versions
            .iter()
            .map(|v| format!("{v}\n"))
            .collect::<String>(),
    )?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn api_versions_are_sorted_and_unique() {
        let shell = Shell::new();
        let out = shell.out("api-versions");
        let versions: Vec<&str> = out.lines().collect();
        assert!(
            versions.is_sorted() && versions.windows(2).all(|two| two[0] != two[1]),
            "{out}"
        );
        for version in ["apps/v1", "autoscaling/v1", "autoscaling/v2", "v1"] {
            assert!(versions.contains(&version), "{version}: {out}");
        }
        shell.refuses(&[(
            "api-versions v1",
            "unexpected arguments: [v1]\nSee 'kubectl api-versions -h' for help and examples",
        )]);
    }
}
