//! `ctl create poddisruptionbudget`.

use clap::Args;

use super::common::{NewArgs, name, require};
use crate::api::json::{Value, json};
use crate::api::selector::{LabelSelector, Operator};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;

/// Create a PodDisruptionBudget
///
/// Example: ctl create poddisruptionbudget keep --selector=app=web --min-available=2
#[derive(Args, Debug)]
pub(super) struct PoddisruptionbudgetArgs {
    /// NAME
    words: Vec<String>,
    /// Minimum number or percentage of available Pods
    #[arg(long, value_name = "COUNT")]
    min_available: Option<String>,
    /// Maximum number or percentage of unavailable Pods
    #[arg(long, value_name = "COUNT")]
    max_unavailable: Option<String>,
    /// Label selector of the Pods
    #[arg(long, value_name = "SELECTOR")]
    selector: Option<String>,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &PoddisruptionbudgetArgs, context: &Context) -> Outcome {
    let name = name(&args.words, context)?;
    args.new.check()?;
    require(name)?;
    let object = budget(name, args)?;
    args.new
        .create(object, "failed to create poddisruptionbudgets: ", context)
}

fn budget(name: &str, args: &PoddisruptionbudgetArgs) -> Result<Value, CliError> {
    let refuse = |text: &str| Err(CliError::text(text));
    let given = |text: &Option<String>| text.clone().filter(|t| !t.is_empty());
    let Some(labels) = given(&args.selector) else {
        return refuse("a selector must be specified");
    };
    let (flag, field, text) = match (given(&args.min_available), given(&args.max_unavailable)) {
        (Some(text), None) => ("min-available", "minAvailable", text),
        (None, Some(text)) => ("max-unavailable", "maxUnavailable", text),
        (None, None) => return refuse("one of min-available or max-unavailable must be specified"),
        _ => return refuse("min-available and max-unavailable cannot be both specified"),
    };
    let digits = text.strip_suffix('%').unwrap_or(&text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return refuse(&format!("invalid format specified for {flag}"));
    }
    let mut spec = json!({"selector": selector(&labels)?});
    // The field is an IntOrString: a percentage is a string, but a number must not become one.
    spec[field] = match text.parse::<i32>() {
        Ok(number) => json!(number),
        Err(_) => json!(text),
    };
    Ok(json!({
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": spec,
        "status": {
            "currentHealthy": 0,
            "desiredHealthy": 0,
            "disruptionsAllowed": 0,
            "expectedPods": 0,
        },
    }))
}

/// Returns a selector as the API's `LabelSelector`.
fn selector(text: &str) -> Result<Value, CliError> {
    let parsed = LabelSelector::parse(text).map_err(|e| {
        CliError::text(format!(
            "couldn't parse the selector string \"{text}\": {e}"
        ))
    })?;
    let (mut labels, mut expressions) = (json!({}), Vec::new());
    for requirement in parsed.requirements() {
        let (key, values) = (requirement.key(), requirement.values());
        let operator = match requirement.operator() {
            // A LabelSelector has no operator for equality, so kubectl's conversion uses `matchLabels`.
            Operator::Equals | Operator::DoubleEquals => {
                labels[key] = json!(values.first());
                continue;
            }
            Operator::In => "In",
            Operator::NotIn => "NotIn",
            Operator::Exists => "Exists",
            Operator::DoesNotExist => "DoesNotExist",
            // apimachinery's `ParseToLabelSelector` does not handle `!=`, although `NotIn` could express it.
            Operator::NotEquals => {
                let text = "\"!=\" is not a valid label selector operator";
                return Err(CliError::text(text));
            }
            operator @ (Operator::GreaterThan | Operator::LessThan) => {
                let word = if operator == Operator::GreaterThan {
                    "gt"
                } else {
                    "lt"
                };
                let text = format!("\"{word}\" isn't supported in label selectors");
                return Err(CliError::text(text));
            }
        };
        let mut expression = json!({"key": key, "operator": operator});
        if !values.is_empty() {
            expression["values"] = json!(values);
        }
        expressions.push(expression);
    }
    let mut selector = json!({});
    if labels.as_object().is_some_and(|l| !l.is_empty()) {
        selector["matchLabels"] = labels;
    }
    if !expressions.is_empty() {
        selector["matchExpressions"] = json!(expressions);
    }
    Ok(selector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn budget_is_an_integer_or_a_percentage_string() {
        let shell = Shell::empty();
        let made = shell.made("create pdb keep --selector=app=web,tier --min-available=2");
        assert_eq!(
            made["spec"],
            json!({
                "minAvailable": 2,
                "selector": {
                    "matchExpressions": [{"key": "tier", "operator": "Exists"}],
                    "matchLabels": {"app": "web"},
                },
            })
        );
        let made =
            shell.made("create poddisruptionbudget keep --selector=a=b --max-unavailable=50%");
        assert_eq!(made["spec"]["maxUnavailable"], "50%");
        let made = selector("a in (y,x),b notin (z),!c").unwrap();
        assert_eq!(
            made["matchExpressions"],
            json!([
                {"key": "a", "operator": "In", "values": ["x", "y"]},
                {"key": "b", "operator": "NotIn", "values": ["z"]},
                {"key": "c", "operator": "DoesNotExist"},
            ])
        );
    }

    #[test]
    fn budget_requires_one_limit_and_a_valid_selector() {
        let shell = Shell::empty();
        shell.refuses(&[
            (
                "create pdb keep --min-available=1",
                "a selector must be specified",
            ),
            (
                "create pdb keep --dry-run=odd",
                "Invalid dry-run value (odd). Must be \"none\", \"server\", or \"client\".",
            ),
            (
                "create pdb keep --selector=a=b",
                "one of min-available or max-unavailable must be specified",
            ),
            (
                "create pdb keep --selector=a=b --min-available=1 --max-unavailable=1",
                "min-available and max-unavailable cannot be both specified",
            ),
            (
                "create pdb keep --selector=a=b --min-available=1Gi",
                "invalid format specified for min-available",
            ),
            (
                "create pdb keep --selector=a=b --max-unavailable=-1",
                "invalid format specified for max-unavailable",
            ),
            (
                "create pdb keep --selector=a!=b --min-available=1",
                "\"!=\" is not a valid label selector operator",
            ),
            (
                "create pdb keep --selector=a>1 --min-available=1",
                "\"gt\" isn't supported in label selectors",
            ),
        ]);
    }
}
