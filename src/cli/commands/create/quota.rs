//! `ctl create quota`.

use clap::Args;

use super::common::{NewArgs, name, require};
use crate::api::json::{Value, json};
use crate::api::quantity::Quantity;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;

/// Create a ResourceQuota
///
/// Example: ctl create quota caps --hard=cpu=1,memory=1Gi,pods=3
#[derive(Args, Debug)]
pub(super) struct QuotaArgs {
    /// NAME
    words: Vec<String>,
    /// Hard limits, as RESOURCE=QUANTITY separated by commas
    #[arg(long, value_name = "LIMITS")]
    hard: Option<String>,
    /// Scopes of the quota, separated by commas, such as BestEffort,Terminating
    #[arg(long, value_name = "SCOPES")]
    scopes: Option<String>,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &QuotaArgs, context: &Context) -> Outcome {
    let name = name(&args.words, context)?;
    args.new.check()?;
    require(name)?;
    let given = |text: &Option<String>| text.clone().filter(|t| !t.is_empty());
    let mut spec = json!({});
    if let Some(text) = given(&args.hard) {
        spec["hard"] = hard(&text)?;
    }
    if let Some(text) = given(&args.scopes) {
        // kubectl does not check scopes; the API server validates their combinations.
        spec["scopes"] = json!(text.split(',').collect::<Vec<_>>());
    }
    let object = json!({
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name},
        "spec": spec,
        "status": {},
    });
    args.new.create(object, "failed to create quota: ", context)
}

fn hard(text: &str) -> Result<Value, CliError> {
    let mut hard = json!({});
    for limit in text.split(',') {
        let parts: Vec<&str> = limit.split('=').collect();
        // kubectl splits at every `=`, so a second one is an error.
        let [resource, amount] = parts.as_slice() else {
            return Err(CliError::text(format!(
                "Invalid argument syntax {limit}, expected <resource>=<value>"
            )));
        };
        let amount = Quantity::parse(amount).map_err(|e| CliError::text(e.to_string()))?;
        hard[*resource] = json!(amount.to_string());
    }
    Ok(hard)
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn hard_limits_are_normalized_and_scopes_kept_unchanged() {
        let shell = Shell::empty();
        let made = shell.made(
            "create quota caps --hard=cpu=1000m,memory=1024Mi,pods=3 --scopes=BestEffort,Odd",
        );
        assert_eq!(
            made["spec"]["hard"],
            json!({"cpu": "1", "memory": "1Gi", "pods": "3"})
        );
        assert_eq!(made["spec"]["scopes"], json!(["BestEffort", "Odd"]));
        let made = shell.made("create resourcequota none");
        assert_eq!(made["spec"], json!({}));
    }

    #[test]
    fn invalid_hard_limits_are_rejected() {
        let shell = Shell::new();
        shell.refuses(&[
            (
                "create quota caps --hard=cpu",
                "Invalid argument syntax cpu, expected <resource>=<value>",
            ),
            (
                "create quota caps --hard=cpu=1=2",
                "Invalid argument syntax cpu=1=2, expected <resource>=<value>",
            ),
            (
                "create quota caps --hard=cpu=many",
                "quantities must match the regular expression \
                 '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
            ),
        ]);
        let wrong = shell.fails("create quota caps --hard=cpu=1 --scopes=Odd");
        assert!(
            wrong.starts_with("error: failed to create quota: ResourceQuota \"caps\" is invalid: "),
            "{wrong}"
        );
    }
}
