//! `ctl assert -f`: compares objects with the fields and values in files.

use std::process::ExitCode;

use crate::api::changes::{Difference, differences};
use crate::api::json::{Value, json};
use crate::cli::commands::{Outcome, why};
use crate::cli::context::Context;
use crate::cli::error::{CliError, FAILURE};
use crate::cli::history::{Times, fitted, key, names};
use crate::cli::options::StructuredOutputArgs;
use crate::cli::redact::MASK;
use crate::cli::resource::{Builder, FileArgs, Info};
use crate::cluster::{Cluster, Key};
use crate::history::{Chain, History};
use crate::kinds::Kind;

/// An object in a file, compared with the one in the cluster.
struct Compared {
    expected: Info,
    key: Key,
    exists: bool,
    differences: Vec<Difference>,
    chain: Option<Chain>,
}

impl Compared {
    fn holds(&self) -> bool {
        self.exists && self.differences.is_empty()
    }
}

pub(super) fn run(files: &FileArgs, answer: &StructuredOutputArgs, context: &Context) -> Outcome {
    files.require()?;
    let cluster = context.api()?;
    let found = Builder::new(context, Some(&cluster))?.files(files).find()?;
    let mut all = Vec::new();
    for expected in found.all()? {
        all.push(compared(expected, &cluster)?);
    }
    if all.is_empty() {
        return Err(CliError::text("no objects passed to assert"));
    }
    let holds = all.iter().all(Compared::holds);
    if !holds {
        // Only a failure needs the history.
        let history = History::read(&cluster)?;
        for one in all.iter_mut().filter(|one| !one.holds()) {
            one.chain = Some(history.why(&one.key)).filter(|chain| !chain.steps.is_empty());
        }
    }
    tell(&all, answer, &cluster, context)?;
    Ok(ExitCode::from(if holds { 0 } else { FAILURE }))
}

fn compared(expected: Info, cluster: &Cluster) -> Result<Compared, CliError> {
    if expected.name.is_empty() {
        let (kind, source) = (expected.kind.kind, &expected.source);
        let text = format!("{source}: a {kind} without metadata.name: set the name");
        return Err(CliError::text(text));
    }
    let actual = match cluster
        .get(&expected.place(), &expected.name)
        .map_err(CliError::from)
    {
        Ok(actual) => Some(actual),
        Err(e) if e.is_not_found() => None,
        Err(e) => return Err(e),
    };
    let different = match &actual {
        None => Vec::new(),
        Some(actual) => differing(expected.kind, &expected.object, actual),
    };
    Ok(Compared {
        key: key(&expected)?,
        exists: actual.is_some(),
        differences: different,
        chain: None,
        expected,
    })
}

/// Returns the fields of an expectation that differ from those of an object. `before` is the expected value.
pub(in crate::cli::commands) fn differing(
    kind: &Kind,
    expected: &Value,
    actual: &Value,
) -> Vec<Difference> {
    let mut different = differences(expected, &restricted(actual, expected));
    if kind.is_confidential() {
        different.iter_mut().for_each(mask);
    }
    different
}

/// Returns a line for each field that differs.
pub(in crate::cli::commands) fn lines(differences: &[Difference]) -> String {
    let line = |d: &Difference| {
        let [expected, actual] = d.texts();
        format!("  {} is {actual}, expected {expected}\n", d.path)
    };
    differences.iter().map(line).collect()
}

/// Returns the part of a value that an expectation mentions.
fn restricted(actual: &Value, expected: &Value) -> Value {
    if let (Some(own), Some(wanted)) = (actual.as_object(), expected.as_object()) {
        let fields = wanted.iter().filter_map(|(name, wanted)| {
            let part = match own.get(name) {
                Some(value) => restricted(value, wanted),
                // The API drops null fields, so null matches an absent field.
                None if wanted.is_null() => Value::Null,
                None => return None,
            };
            Some((name.to_string(), part))
        });
        return Value::from_iter(fields);
    }
    match (actual.as_array(), expected.as_array()) {
        // Lists of different lengths differ as a whole.
        (Some(own), Some(wanted)) if own.len() == wanted.len() => {
            let items = own.iter().zip(wanted.iter());
            let items: Vec<Value> = items.map(|(own, wanted)| restricted(own, wanted)).collect();
            json!(items)
        }
        _ => actual.clone(),
    }
}

/// Hides the values of a Secret; the path is enough to find the difference.
fn mask(difference: &mut Difference) {
    if difference.path.starts_with("metadata") {
        return;
    }
    for value in [&mut difference.before, &mut difference.after] {
        *value = value.as_ref().map(|_| json!(MASK));
    }
}

fn tell(
    all: &[Compared],
    answer: &StructuredOutputArgs,
    cluster: &Cluster,
    context: &Context,
) -> Result<(), CliError> {
    if !answer.is_human() {
        let objects: Vec<Value> = all.iter().map(data).collect();
        let holds = all.iter().all(Compared::holds);
        return answer.print(context, "", &json!({"holds": holds, "objects": objects}));
    }
    let names = names(context, cluster)?;
    let (revision, time) = cluster.stored().moment()?;
    let mut out = String::new();
    for one in all {
        let (object, source) = (names.object(one.key.as_str()), &one.expected.source);
        if one.holds() {
            out.push_str(&format!("{object}: as in {source}\n"));
            continue;
        }
        let time = Times::for_commits(std::iter::once(time), cluster.now()?).shown(time);
        let verdict = match one.exists {
            true => format!("not as in {source}"),
            false => format!("does not exist, but is in {source},"),
        };
        out.push_str(&format!(
            "{object}: {verdict} at revision {revision}, {time}\n"
        ));
        out.push_str(&lines(&one.differences));
        if let Some(chain) = &one.chain {
            for line in why::format_chain(chain, false, &names, cluster)?.lines() {
                out.push_str(&format!("    {line}\n"));
            }
        }
    }
    context.ui.out(&fitted(&out, context.ui.columns()))
}

fn data(one: &Compared) -> Value {
    let differences = one.differences.iter().map(|d| {
        json!({"path": d.path.as_str(), "expected": d.before.clone(), "actual": d.after.clone()})
    });
    json!({
        "object": one.expected.shown(),
        "file": one.expected.source.as_str(),
        "exists": one.exists,
        "holds": one.holds(),
        "differences": differences.collect::<Vec<_>>(),
        "why": one.chain.as_ref().map(|chain| why::data(chain, &one.key)),
    })
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        shell.all(&[
            "create deployment web --image=nginx:1 --replicas=2",
            "settle",
        ]);
        shell
    }

    fn expecting(shell: &Shell, rest: &str) {
        let head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n";
        shell.write("web.yaml", format!("{head}{rest}"));
    }

    #[test]
    fn assert_compares_only_fields_of_the_file() {
        let shell = shell();
        for rest in [
            "",
            "spec: {replicas: 2, paused: null}\nstatus: {readyReplicas: 2}\n",
            "spec: {template: {spec: {containers: [{image: 'nginx:1'}]}}}\n",
        ] {
            expecting(&shell, rest);
            let said = shell.run("assert -f @/web.yaml");
            assert_eq!((said.code, said.err.as_str()), (0, ""), "{rest}: {said:?}");
            assert!(
                said.out.starts_with("deployment.apps/web: as in "),
                "{said:?}"
            );
        }
    }

    #[test]
    fn mismatch_prints_each_field_and_its_cause() {
        let shell = shell();
        let containers = "containers: [{image: 'nginx:2', tty: true}], initContainers: [{}]";
        expecting(
            &shell,
            &format!("spec: {{replicas: 3, template: {{spec: {{{containers}}}}}}}\n"),
        );
        let said = shell.run("assert -f @/web.yaml");
        assert_eq!((said.code, said.err.as_str()), (1, ""), "{said:?}");
        for part in [
            "\n  spec.replicas is 2, expected 3\n",
            "\n  spec.template.spec.containers[0].image is nginx:1, expected nginx:2\n",
            "\n  spec.template.spec.containers[0].tty is (none), expected true\n",
            "\n  spec.template.spec.initContainers is (none), expected [{}]\n",
            "create deployment web",
        ] {
            assert!(said.out.contains(part), "{part}: {}", said.out);
        }
        let said = shell.run("assert -f @/web.yaml -o json");
        let data: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let one = &data["objects"][0];
        assert_eq!((said.code, &data["holds"]), (1, &false.into()), "{data}");
        assert_eq!(one["differences"].as_array().unwrap().len(), 4, "{data}");
        assert_eq!(one["exists"], true, "{data}");
    }

    #[test]
    fn lists_of_other_lengths_and_absent_objects_are_failures() {
        let shell = shell();
        expecting(&shell, "spec: {template: {spec: {containers: [{}, {}]}}}\n");
        let said = shell.run("assert -f @/web.yaml");
        let path = "  spec.template.spec.containers is [";
        assert!(said.code == 1 && said.out.contains(path), "{said:?}");
        let _ = shell.out("delete deployment web");
        expecting(&shell, "");
        let said = shell.run("assert -f @/web.yaml");
        let text = "deployment.apps/web: does not exist, but is in ";
        assert!(said.code == 1 && said.out.starts_with(text), "{said:?}");
        assert!(said.out.contains("delete deployment web"), "{said:?}");
    }

    #[test]
    fn the_values_of_secrets_are_not_shown() {
        let shell = Shell::new();
        let _ = shell.out("create secret generic key --from-literal=word=opensesame");
        shell.write(
            "key.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: key}\ndata: {word: aGlkZGVu}\n",
        );
        let said = shell.run("assert -f @/key.yaml");
        assert_eq!(said.code, 1, "{said:?}");
        let line = "  data.word is ***, expected ***\n";
        assert!(said.out.contains(line), "{said:?}");
        assert!(!said.out.contains("aGlkZGVu"), "{said:?}");
    }

    #[test]
    fn invalid_comparison_exits_with_2() {
        let shell = shell();
        shell.write("nameless.yaml", "apiVersion: v1\nkind: ConfigMap\n");
        shell.write(
            "odd.yaml",
            "apiVersion: none/v1\nkind: Odd\nmetadata: {name: a}\n",
        );
        for (line, why) in [
            ("assert -f @/nameless.yaml", "without metadata.name"),
            ("assert -f @/odd.yaml", "Odd"),
            ("assert -f @/none.yaml", "does not exist"),
            ("assert deploy/web -f @/odd.yaml", "cannot be used with"),
            (
                "assert --always 'ready > 1' -f @/odd.yaml",
                "cannot be used with",
            ),
        ] {
            let said = shell.run(line);
            assert_eq!(said.code, 2, "{line}: {said:?}");
            assert!(said.err.contains(why), "{line}: {said:?}");
        }
    }
}
