//! `ctl fault api`: makes requests fail or take longer.

use std::process::ExitCode;

use clap::Args;

use super::checked;
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::StructuredOutputArgs;
use crate::cli::resource::Kinds;
use crate::cluster::{ApiFault, Cluster, FAULT_CODES, FAULT_VERBS};

/// Make API requests fail or take longer
///
/// Examples:
///   ctl fault api --verb create,update --kind pods --rate 30% --code 500
///   ctl fault api busy --verb patch --kind deployments.apps,pods/status --rate 0.1 --code 409
///   ctl fault api slow --latency 200ms
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct ApiArgs {
    /// Name of the rule, to replace or remove it; a number by default
    name: Option<String>,
    /// Verbs to affect: get, list, watch, create, update, patch, delete
    #[arg(long = "verb", value_name = "VERBS", value_delimiter = ',')]
    verbs: Vec<String>,
    /// Kinds to affect, such as pods, deployments.apps or pods/status
    #[arg(long = "kind", value_name = "KINDS", value_delimiter = ',')]
    kinds: Vec<String>,
    /// Share of requests to affect, such as 30% or 0.3
    #[arg(long, value_name = "PART", default_value = "100%", value_parser = part)]
    rate: f64,
    /// Status code of the response: 401, 403, 404, 409, 429, 500, 503 or 504
    #[arg(long, value_parser = code)]
    code: Option<u16>,
    /// Delay of the response; takes no real time on a virtual clock
    #[arg(long, value_name = "TIME")]
    latency: Option<String>,
    /// Seed of the random draws; by default the cluster's seed
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// Parses a share: a percentage, or a number up to 1.
fn part(text: &str) -> Result<f64, String> {
    let (number, whole) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    let part = number.trim().parse::<f64>().map(|n| n / whole).ok();
    part.filter(|part| (0.0..=1.0).contains(part))
        .ok_or_else(|| format!("{text:?} is not a share of requests such as 30% or 0.3"))
}

fn code(text: &str) -> Result<u16, String> {
    let code = text.parse().ok().filter(|code| FAULT_CODES.contains(code));
    code.ok_or_else(|| {
        let codes: Vec<String> = FAULT_CODES.iter().map(u16::to_string).collect();
        format!("{text:?} is not one of {}", codes.join(", "))
    })
}

pub(super) fn order(args: &ApiArgs, context: &Context, cluster: &mut Cluster) -> Outcome {
    args.answer.check()?;
    let kinds = Kinds::from_cluster(Some(cluster))?;
    let mut fault = rule(args, &kinds)?;
    fault.name = cluster.configure().set_fault(fault.clone())?;
    let sentence = format!("api/{} set", fault.name);
    args.answer.print(context, sentence, &data(&fault))?;
    Ok(ExitCode::SUCCESS)
}

fn rule(args: &ApiArgs, kinds: &Kinds) -> Result<ApiFault, CliError> {
    if args.code.is_none() && args.latency.is_none() {
        return Err(CliError::text(
            "specify the fault: --code 500, --latency 200ms, or both",
        ));
    }
    if let Some(verb) = args
        .verbs
        .iter()
        .find(|v| !FAULT_VERBS.contains(&v.as_str()))
    {
        let text = format!(
            "unknown verb {verb:?}; choose from {}",
            FAULT_VERBS.join(", ")
        );
        return Err(CliError::text(text));
    }
    let resource = |word: &String| -> Result<String, CliError> {
        let (word, part) = word.split_once('/').unwrap_or((word, ""));
        // Requests are matched by resource and group, which a short name would never equal, so the qualified name is
        // stored.
        let resource = kinds.find(&word.to_lowercase())?.qualified_resource();
        Ok(match part {
            "" => resource,
            part => format!("{resource}/{part}"),
        })
    };
    Ok(ApiFault {
        name: args.name.clone().unwrap_or_default(),
        verbs: args.verbs.clone(),
        resources: args.kinds.iter().map(resource).collect::<Result<_, _>>()?,
        rate: args.rate,
        code: args.code,
        // The duration is stored as text, so that cluster.yaml shows it as it was written.
        latency: args.latency.as_deref().map(checked).transpose()?,
        seed: args.seed,
    })
}

pub(super) fn clear(
    name: Option<&str>,
    answer: &StructuredOutputArgs,
    context: &Context,
    cluster: &mut Cluster,
) -> Outcome {
    answer.check()?;
    let gone = cluster.configure().clear_faults(name)?;
    let removed = gone.iter().map(|name| format!("api/{name} removed"));
    let mut lines: Vec<String> = removed.collect();
    if lines.is_empty() {
        let none = || "no fault rules are set for the API".to_owned();
        // Clearing a missing rule is not an error, so that scripts can clean up twice.
        lines.push(name.map_or_else(none, |name| format!("the API has no fault rule {name:?}")));
    }
    let data = json!({"kind": "Api", "removed": gone});
    answer.print(context, lines.join("\n"), &data)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the rules as lines and as structured output.
pub(super) fn list_rules(cluster: &Cluster) -> (Vec<String>, Vec<Value>) {
    let faults = cluster.stored().faults();
    faults
        .iter()
        .map(|fault| (line(fault), data(fault)))
        .unzip()
}

fn data(fault: &ApiFault) -> Value {
    json!({
        "kind": "Api", "name": fault.name, "verbs": fault.verbs, "resources": fault.resources,
        "rate": fault.rate, "code": fault.code, "latency": fault.latency, "seed": fault.seed,
    })
}

fn line(fault: &ApiFault) -> String {
    let all = |words: &[String], all: &str| match words {
        [] => all.to_owned(),
        words => words.join(","),
    };
    let share = match fault.rate < 1.0 {
        // Rounding is needed because 0.07 * 100 is not exactly 7 in binary, but the user wrote 7%.
        true => format!("{}% of requests", (fault.rate * 1e6).round() / 1e4),
        false => "requests".to_owned(),
    };
    let effect = match (fault.code, &fault.latency) {
        (Some(code), Some(latency)) => format!("return {code} after {latency}"),
        (Some(code), None) => format!("return {code}"),
        (None, Some(latency)) => format!("take {latency} longer"),
        (None, None) => "succeed".to_owned(),
    };
    let mut out = format!(
        "api/{}: {} of {}: {share} {effect}",
        fault.name,
        all(&fault.verbs, "every verb"),
        all(&fault.resources, "every kind")
    );
    if let Some(seed) = fault.seed {
        out.push_str(&format!(" (seed {seed})"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    fn args() -> ApiArgs {
        ApiArgs {
            name: None,
            verbs: vec!["create".to_owned(), "update".to_owned()],
            kinds: vec!["deploy".to_owned(), "Pod/status".to_owned()],
            rate: 0.3,
            code: Some(500),
            latency: Some("200ms".to_owned()),
            seed: None,
            answer: StructuredOutputArgs::default(),
        }
    }

    #[test]
    fn flags_become_an_api_fault_rule() {
        let fault = rule(&args(), &Kinds::default()).unwrap();
        assert_eq!(fault.resources, ["deployments.apps", "pods/status"]);
        assert_eq!(
            line(&fault),
            "api/: create,update of deployments.apps,pods/status: 30% of requests return 500 after 200ms"
        );
        let all = ApiFault {
            name: "slow".to_owned(),
            rate: 1.0,
            latency: Some("1s".to_owned()),
            seed: Some(3),
            ..ApiFault::default()
        };
        assert_eq!(
            line(&all),
            "api/slow: every verb of every kind: requests take 1s longer (seed 3)"
        );
    }

    #[test]
    fn invalid_fault_flags_are_rejected() {
        let wrong = [
            ApiArgs {
                code: None,
                latency: None,
                ..args()
            },
            ApiArgs {
                verbs: vec!["put".to_owned()],
                ..args()
            },
            ApiArgs {
                kinds: vec!["ships".to_owned()],
                ..args()
            },
            ApiArgs {
                latency: Some("soon".to_owned()),
                ..args()
            },
        ];
        for args in wrong {
            assert!(rule(&args, &Kinds::default()).is_err(), "{args:?}");
        }
        assert_eq!(
            (part("30%"), part("0.5"), part("0")),
            (Ok(0.3), Ok(0.5), Ok(0.0))
        );
        for text in ["130%", "-1", "2", "some", "NaN"] {
            assert!(part(text).is_err(), "{text}");
        }
        assert_eq!((code("503"), code("200").is_err()), (Ok(503), true));
    }

    #[test]
    fn api_fault_applies_to_matching_requests_until_cleared() {
        let shell = Shell::new();
        assert_eq!(
            shell.out("fault api busy --verb delete --kind configmaps --code 429"),
            "api/busy set\n"
        );
        let _ = shell.out("create configmap c");
        assert_eq!(
            shell.fails("delete configmap c"),
            "Error from server (TooManyRequests): Too many requests, please try again later."
        );
        assert_eq!(
            shell.out("fault list"),
            "api/busy: delete of configmaps: requests return 429\n"
        );
        assert_eq!(shell.out("fault clear api busy"), "api/busy removed\n");
        let _ = shell.out("delete configmap c");
        let odd = shell.fails("fault api --code 200");
        assert!(
            odd.contains("\"200\" is not one of 401, 403, 404, 409, 429, 500, 503, 504"),
            "{odd}"
        );
    }
}
