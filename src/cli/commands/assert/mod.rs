//! `ctl assert`.

pub(super) mod partial;

use std::process::ExitCode;

use clap::Args;
use jiff::SignedDuration;

use super::Outcome;
use super::why;
use crate::api::json::{Value, from_bytes, json};
use crate::api::status::Status;
use crate::cli::context::Context;
use crate::cli::durations::span;
use crate::cli::error::{CliError, FAILURE};
use crate::cli::history::{Times, fitted, names, object, point};
use crate::cli::options::StructuredOutputArgs;
use crate::cli::resource::FileArgs;
use crate::cluster::{Cluster, Key};
use crate::history::{
    Chain, Claim, Expression, History, HistoryStart, Moment, Names, Subject, Verdict, judge,
};
use crate::kinds::tree::{field, list};

/// The exit code if a condition cannot be evaluated.
pub(super) const UNCLEAR: u8 = 2;

/// Check conditions on an object, now or over the history
///
/// A condition is a CEL expression. It can use the object as `object`, its fields by their names, and `exists`. For
/// the topmost owner of Pods, such as a Deployment, it can also use `ready` (the number of Pods that are ready and
/// not being deleted) and `total` (the number of Pods that have not ended). Without an object, these count the Pods
/// of the namespace.
///
/// A condition without a flag must hold now. --always, --never, --eventually and --then check the state after every
/// commit since a point in the history. They skip states without the object, unless the condition uses `exists`. A
/// failure shows the revision at which the condition broke, the values, and the chain of causes.
///
/// With -f, the objects in a file must exist and have the fields and values in the file; other fields do not
/// matter. Lists must have the same length as in the file, and each object needs a name.
///
/// Exit codes: 0 if all conditions hold; 1 if one does not; 2 if a condition cannot be evaluated, for example
/// because of an unknown name.
///
/// Examples:
///   ctl assert deploy/web 'status.readyReplicas == 3'
///   ctl assert deploy/web --since before-v2 --always 'ready >= 2' --never 'total > 4'
///   ctl assert deploy/web --since 1h --eventually 'status.updatedReplicas == 3' --within 10m
///   ctl assert deploy/web --then 'ready == 3' --then 'ready == 0'
///   ctl assert -f expected.yaml
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct AssertArgs {
    /// The object (TYPE/NAME, or TYPE and NAME), and conditions that hold now
    #[arg(value_name = "[TYPE/NAME] CONDITION ...")]
    words: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Check from this point on: a revision, a time, a duration ago (10m), or a mark; by default from the beginning
    #[arg(long, value_name = "REVISION|TIME|MARK")]
    since: Option<String>,
    /// Condition that must hold in every state; can be repeated
    #[arg(long, value_name = "CONDITION")]
    always: Vec<String>,
    /// Condition that must hold in no state; can be repeated
    #[arg(long, value_name = "CONDITION")]
    never: Vec<String>,
    /// Condition that must hold in some state; can be repeated
    #[arg(long, value_name = "CONDITION")]
    eventually: Vec<String>,
    /// Time after --since within which --eventually must hold
    #[arg(long, value_name = "DURATION", value_parser = span, requires = "eventually")]
    within: Option<SignedDuration>,
    /// Condition that must hold in a later state than the --then before it; can be repeated
    #[arg(long, value_name = "CONDITION")]
    then: Vec<String>,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// The subject of the conditions, with its name for messages.
struct About {
    subject: Subject,
    shown: String,
    object: Option<Value>,
    has_pods: bool,
}

/// A claim with its verdict and the chain of causes.
struct ClaimResult<'c> {
    claim: &'c Claim,
    verdict: Verdict,
    chain: Option<Chain>,
}

impl AssertArgs {
    /// Returns true if an object or a condition is given on the command line.
    fn has_conditions(&self) -> bool {
        let all = [
            &self.words,
            &self.always,
            &self.never,
            &self.eventually,
            &self.then,
        ];
        self.since.is_some() || all.iter().any(|given| !given.is_empty())
    }
}

pub(crate) fn run(args: &AssertArgs, context: &Context) -> Outcome {
    judged(args, context).map_err(|e| CliError::Coded(Box::new(e), UNCLEAR))
}

fn judged(args: &AssertArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    if !args.files.is_empty() {
        if args.has_conditions() {
            return Err(context.usage("-f and -k cannot be used with an object or conditions"));
        }
        return partial::run(&args.files, &args.answer, context);
    }
    let cluster = context.api()?;
    let (words, conditions) = split(&args.words);
    let about = about(words, context, &cluster)?;
    let [now, past] = claims(args, conditions, &about, context)?;
    if about.object.is_none() && past.is_empty() {
        // A condition on an absent object has no value; only `exists` can be evaluated.
        let uses_exists = now
            .iter()
            .all(|claim| claim.conditions().iter().all(|c| c.contains("exists")));
        if let (Subject::Object(key), false) = (&about.subject, uses_exists) {
            return Err(Status::not_found(key.resource(), key.name()).into());
        }
    }
    let (revision, time) = cluster.stored().moment()?;
    let from = match &args.since {
        // Without --since, a condition on the past covers the whole retained history.
        Some(since) => point(&cluster, since)?,
        None if past.is_empty() => Moment { revision, time },
        None => point(&cluster, &cluster.stored().oldest()?.to_string())?,
    };
    let history = match past.is_empty() && args.answer.is_human() {
        // Only a failed condition needs the whole history.
        true => None,
        false => Some(History::read(&cluster)?),
    };
    let mut verdicts = judge(&cluster, Moment { revision, time }, &about.subject, &now)?;
    // The order is that of the claims, because results and claims are paired by position below.
    verdicts.extend(judge(&cluster, from, &about.subject, &past)?);
    // An object that never existed is probably misspelled, and no condition on it can hold or fail.
    if let Subject::Object(key) = &about.subject
        && about.object.is_none()
        && verdicts.iter().all(|verdict| verdict.states == 0)
    {
        return Err(Status::not_found(key.resource(), key.name()).into());
    }
    let history = match history {
        None if verdicts.iter().any(|verdict| !verdict.holds) => Some(History::read(&cluster)?),
        own => own,
    };
    let all = now.iter().chain(&past).zip(verdicts);
    let all: Vec<ClaimResult<'_>> = all
        .map(|(claim, verdict)| ClaimResult {
            chain: chain(history.as_ref(), &about, claim, &verdict),
            claim,
            verdict,
        })
        .collect();
    tell(args, &all, &about, &cluster, context)?;
    let holds = all.iter().all(|one| one.verdict.holds);
    Ok(ExitCode::from(if holds { 0 } else { FAILURE }))
}

/// Splits the arguments into those that name the object, and the conditions.
fn split(words: &[String]) -> (&[String], &[String]) {
    let plain = |word: &str| {
        word.chars()
            .all(|c| c.is_ascii_alphanumeric() || "-.:".contains(c))
    };
    let is_pair = |word: &str| {
        word.split_once('/')
            .is_some_and(|(kind, name)| plain(kind) && plain(name))
    };
    // A CEL condition contains spaces or operators, which distinguishes it from TYPE/NAME without a separator.
    let count = match words {
        [first, ..] if is_pair(first) => 1,
        [kind, name, ..] if plain(kind) && plain(name) => 2,
        _ => 0,
    };
    words.split_at(count)
}

fn about(words: &[String], context: &Context, cluster: &Cluster) -> Result<About, CliError> {
    if words.is_empty() {
        let namespace = context.namespace()?;
        return Ok(About {
            shown: format!("namespace/{namespace}"),
            subject: Subject::Namespace(namespace),
            object: None,
            has_pods: true,
        });
    }
    let (info, key) = object(context, cluster, words)?;
    // The object is read from the store instead of the API, because a missing object is a legitimate subject.
    let stored = cluster.stored().get(&key)?;
    let object = stored.and_then(|stored| from_bytes(&stored.json, &[]).ok());
    // The Pods of a ReplicaSet are counted with its Deployment, so a count of zero here would be wrong.
    let metadata = field(object.as_ref().unwrap_or(&Value::Null), "metadata");
    Ok(About {
        shown: info.shown(),
        has_pods: list(metadata, "ownerReferences").is_empty()
            && (info.kind.custom.is_some() || object.as_ref().is_none_or(may_own_pods)),
        subject: Subject::Object(key),
        object,
    })
}

/// Returns true if an object of a built-in kind may have Pods. For others, such as Services, their number would always
/// be zero.
fn may_own_pods(object: &Value) -> bool {
    let spec = field(object, "spec");
    let fields = ["template", "jobTemplate", "containers"];
    fields.iter().any(|name| !field(spec, name).is_null())
}

/// Returns the claims about the current state and those about the history.
fn claims(
    args: &AssertArgs,
    conditions: &[String],
    about: &About,
    context: &Context,
) -> Result<[Vec<Claim>; 2], CliError> {
    let read = |text: &String| {
        let read = Expression::parse(text, about.object.as_ref(), about.has_pods);
        read.map_err(CliError::text)
    };
    let all = |texts: &[String]| texts.iter().map(read).collect::<Result<Vec<_>, _>>();
    let now: Vec<Claim> = all(conditions)?.into_iter().map(Claim::Now).collect();
    let mut past: Vec<Claim> = all(&args.always)?.into_iter().map(Claim::Always).collect();
    past.extend(all(&args.never)?.into_iter().map(Claim::Never));
    let eventually = all(&args.eventually)?.into_iter();
    past.extend(eventually.map(|own| Claim::Eventually(own, args.within)));
    match args.then.len() {
        0 => {}
        // An order needs two conditions; `--eventually` checks a single one.
        1 => return Err(context.usage("--then needs a second --then, because it checks an order")),
        _ => past.push(Claim::Then(all(&args.then)?)),
    }
    if now.is_empty() && past.is_empty() {
        return Err(context.usage("expected a condition, such as 'status.readyReplicas == 3'"));
    }
    if past.is_empty() && args.since.is_some() {
        let text = "--since needs --always, --never, --eventually or --then";
        return Err(context.usage(text));
    }
    Ok([now, past])
}

/// Returns the chain of causes of the state that broke a claim.
fn chain(
    history: Option<&History>,
    about: &About,
    claim: &Claim,
    verdict: &Verdict,
) -> Option<Chain> {
    let history = history.filter(|_| !verdict.holds)?;
    // The current state belongs to the newest commit, which may concern any object, so it gives no chain.
    let at = verdict.at.filter(|_| !matches!(claim, Claim::Now(_)));
    let object = match &about.subject {
        Subject::Object(key) => Some(key),
        Subject::Namespace(_) => None,
    };
    let name = object.map_or("", Key::as_str);
    let at = at.map(|(revision, _)| history.why_at(revision, name));
    // A state older than the history, or a mark, has no commit that led to it, so the object's last change is shown.
    let found = at.filter(|chain| !chain.steps.is_empty());
    found
        .or_else(|| Some(history.why(object?)))
        .filter(|chain| !chain.steps.is_empty())
}

fn tell(
    args: &AssertArgs,
    all: &[ClaimResult<'_>],
    about: &About,
    cluster: &Cluster,
    context: &Context,
) -> Result<(), CliError> {
    if !args.answer.is_human() {
        let key = match &about.subject {
            Subject::Object(key) => Some(key),
            Subject::Namespace(_) => None,
        };
        let checks: Vec<Value> = all.iter().map(|one| data(one, key)).collect();
        let holds = all.iter().all(|one| one.verdict.holds);
        let data = json!({"object": about.shown.as_str(), "holds": holds, "checks": checks});
        return args.answer.print(context, "", &data);
    }
    if let (Some(note), true) = (HistoryStart::read(cluster)?.note(), args.since.is_none()) {
        let looks_back = all.iter().any(|one| !matches!(one.claim, Claim::Now(_)));
        if looks_back {
            context.ui.note(&note);
        }
    }
    let names = names(context, cluster)?;
    let mut out = String::new();
    for one in all {
        out.push_str(&text(one, about, &names, cluster)?);
    }
    context.ui.out(&fitted(&out, context.ui.columns()))
}

/// The words between a failed claim and its details.
pub(in crate::cli::commands) const FAILS: &str = " does not hold";

/// The words for a claim that something never happens, because a second negation would be misread.
pub(in crate::cli::commands) const VIOLATED: &str = " is violated";

fn text(
    one: &ClaimResult<'_>,
    about: &About,
    names: &Names,
    cluster: &Cluster,
) -> Result<String, CliError> {
    let (verdict, shown) = (&one.verdict, &about.shown);
    let conditions = one.claim.conditions().join("` then `");
    let name = match one.claim {
        Claim::Now(_) | Claim::Then(_) => String::new(),
        other => format!("{} ", other.name()),
    };
    let claim = format!("{shown}: {name}`{conditions}`");
    if verdict.holds {
        return Ok(match (one.claim, verdict.states) {
            (Claim::Now(_), _) => format!("{claim} holds\n"),
            (_, 1) => format!("{claim} holds (1 state)\n"),
            (_, many) => format!("{claim} holds ({many} states)\n"),
        });
    }
    let at = match verdict.at {
        None => String::new(),
        Some((revision, time)) => {
            let time = Times::for_commits(std::iter::once(time), cluster.now()?).shown(time);
            format!(" at revision {revision}, {time}")
        }
    };
    let fails = match one.claim {
        Claim::Never(_) => VIOLATED,
        _ => FAILS,
    };
    let reason = match verdict.reason.as_str() {
        "" => String::new(),
        reason => format!(": {reason}"),
    };
    let mut out = format!("{claim}{fails}{at}{reason}\n");
    if let Some(chain) = &one.chain {
        for line in why::format_chain(chain, false, names, cluster)?.lines() {
            out.push_str(&format!("    {line}\n"));
        }
    }
    Ok(out)
}

fn data(one: &ClaimResult<'_>, key: Option<&Key>) -> Value {
    let (verdict, at) = (&one.verdict, one.verdict.at);
    let conditions = one.claim.conditions().into_iter().map(str::to_owned);
    let steps = one
        .chain
        .as_ref()
        .zip(key)
        .map(|(chain, key)| why::data(chain, key));
    json!({
        "claim": one.claim.name(),
        "conditions": conditions.collect::<Vec<_>>(),
        "holds": verdict.holds,
        "states": verdict.states,
        "revision": at.map(|(revision, _)| revision),
        "time": at.map(|(_, time)| time.to_string()),
        "reason": verdict.reason.as_str(),
        "why": steps,
    })
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::{CommandOutput, Shell};

    /// Returns a shell with a Deployment of three Pods whose image is updated after a mark.
    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=nginx:1 --replicas=3",
            "settle",
            "mark before",
            "set image deploy/web nginx=nginx:2",
            "settle",
        ]);
        shell
    }

    fn holds(shell: &Shell, line: &str) -> CommandOutput {
        let said = shell.run(line);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{line}: {said:?}");
        said
    }

    fn breaks(shell: &Shell, line: &str, parts: &[&str]) {
        let said = shell.run(line);
        assert_eq!((said.code, said.err.as_str()), (1, ""), "{line}: {said:?}");
        for part in parts {
            assert!(said.out.contains(part), "{line}: {part}: {}", said.out);
        }
    }

    #[test]
    fn the_current_state_is_checked_by_its_fields() {
        let shell = shell();
        let said = holds(
            &shell,
            "assert deploy/web 'status.readyReplicas == 3' 'ready == total'",
        );
        assert_eq!(
            said.out,
            "deployment.apps/web: `status.readyReplicas == 3` holds\n\
             deployment.apps/web: `ready == total` holds\n"
        );
        let _ = holds(&shell, "assert deploy web 'object.spec.replicas < 4'");
        let _ = holds(&shell, "assert deploy/none '!exists'");
        let _ = holds(&shell, "assert 'total == 3'");
        let line = "assert deploy/web 'status.readyReplicas > 3'";
        breaks(
            &shell,
            line,
            &[
                "status.readyReplicas is 3",
                "you updated deployment.apps/web",
            ],
        );
    }

    #[test]
    fn every_state_since_a_mark_is_checked() {
        let shell = shell();
        let since = |claims: &str| format!("assert deploy/web --since before {claims}");
        for claims in [
            "--always 'ready >= 3' --never 'total > 6'",
            "--eventually 'status.updatedReplicas == 3' --within 10m",
            "--then 'total > 3' --then 'total == 3'",
        ] {
            let said = holds(&shell, &since(claims));
            assert!(said.out.contains(" state"), "{said:?}");
        }
        let line = since("--never 'total > 3'");
        let parts = [
            "total is 4",
            " at revision ",
            "scale-up: desired 1, current 0",
            "set image deploy/web nginx=nginx:2",
        ];
        breaks(&shell, &line, &parts);
        breaks(&shell, &since("--eventually 'ready > 9'"), &["ready is 3"]);
        let swapped = "--then 'total == 9' --then 'total == 3'";
        breaks(&shell, &since(swapped), &["`total == 9` does not hold"]);
    }

    #[test]
    fn assert_prints_the_result_as_json() {
        let shell = shell();
        let said = shell.run("assert deploy/web --since before --never 'total > 3' -o json");
        let data: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!((said.code, &data["holds"]), (1, &false.into()), "{data}");
        let check = &data["checks"][0];
        assert_eq!(
            (&check["claim"], &check["holds"]),
            (&"never".into(), &false.into())
        );
        assert!(
            check["why"]["steps"].as_array().unwrap().len() > 2,
            "{check}"
        );
    }

    #[test]
    fn invalid_assertion_exits_with_2() {
        let shell = shell();
        for (line, why) in [
            ("assert deploy/web", "expected a condition"),
            (
                "assert deploy/web 'stauts.x == 1'",
                "undeclared reference to 'stauts'",
            ),
            ("assert deploy/web 'spec.replicas'", ""),
            (
                "assert deploy/none --always 'ready >= 1'",
                "\"none\" not found",
            ),
            (
                "assert deploy/none 'spec.replicas == 1'",
                "\"none\" not found",
            ),
            (
                "assert deploy/web --always 'ready > 1' --since never",
                "is not a revision",
            ),
            (
                "assert deploy/web --then 'ready > 1'",
                "--then needs a second --then",
            ),
            (
                "assert deploy/web 'ready > 1' --since before",
                "--since needs --always",
            ),
        ] {
            let said = shell.run(line);
            let wanted = if line.ends_with("'spec.replicas'") {
                1
            } else {
                2
            };
            assert_eq!(said.code, wanted, "{line}: {said:?}");
            assert!(said.err.contains(why), "{line}: {said:?}");
        }
    }
}
