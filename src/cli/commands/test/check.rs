//! Evaluates the checks of a case: expected objects, conditions and processes.

use super::case::{Check, Object};
use super::own::shown;
use super::tree;
use super::update::{self, Edit};
use super::world::World;
use crate::api::changes::Difference;
use crate::api::json::{Value, json};
use crate::cli::commands::assert::partial::{differing, lines};
use crate::cli::commands::why;
use crate::cli::error::{CliError, FAILURE};
use crate::cli::history::{Times, key};
use crate::cli::resource::Info;
use crate::cluster::{Cluster, Place};
use crate::history::{History, Names};

/// Checks the current state of the cluster. Returns the failures, or none if everything holds. With `explain`, the text
/// includes the causes that led to the current state.
pub(super) fn judge(
    world: &World,
    check: &Check,
    explain: bool,
) -> Result<Option<String>, CliError> {
    let mut failures = Vec::new();
    for object in &check.expected {
        failures.extend(expected(world, check, object, explain)?);
    }
    for object in &check.absent {
        failures.extend(absent(world, check, object)?);
    }
    for words in &check.conditions {
        let ran = world.fork.run(words);
        match ran.code {
            0 => {}
            FAILURE => failures.push(unmet(&ran.out)),
            // An object that does not exist yet does not make the condition invalid.
            _ if ran.err.contains("(NotFound)") => failures.push(ran.err),
            _ => return Err(CliError::Bare(ran.err)),
        }
    }
    // Processes come last because they are the slowest, and most failures show before them.
    let scripts = if failures.is_empty() {
        &check.scripts[..]
    } else {
        &[]
    };
    for script in scripts {
        if let Some(scripts) = &world.scripts {
            let ended = scripts.run(script)?;
            if ended.code != Some(0) {
                failures.push(format!(
                    "{}: {}{}",
                    script.words.join(" "),
                    ended.out,
                    ended.err
                ));
            }
        }
    }
    let failures: Vec<&str> = failures.iter().map(|text| text.trim_end()).collect();
    Ok((!failures.is_empty()).then(|| failures.join("\n")))
}

/// Returns the edits that make the expected objects of a check match the cluster.
pub(super) fn edits(world: &World, check: &Check) -> Result<Vec<Edit>, String> {
    let mut all = Vec::new();
    let objects = check.expected.iter();
    for object in objects.filter(|object| !is_bare(check, object)) {
        let told = |e: CliError| e.in_one_line();
        let place = world.place(&object.value).map_err(told)?;
        let candidates = candidates(world, &object.value).map_err(told)?;
        let by_difference = |found: &&Value| differing(place.kind, &object.value, found).len();
        if let Some(found) = candidates.iter().min_by_key(by_difference) {
            all.extend(update::edits(object, found)?);
        }
    }
    Ok(all)
}

/// Returns the lines of the output of `ctl assert` that report unmet conditions.
fn unmet(out: &str) -> String {
    let is_met = |line: &&str| {
        let line = line.split(" (").next().unwrap_or_default();
        line.ends_with(" holds") && !line.starts_with(' ')
    };
    out.lines()
        .filter(|line| !is_met(line))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// Returns the part of the metadata that selects objects, with its expressions evaluated.
fn evaluated(metadata: &Value, world: &World) -> Result<Value, CliError> {
    let fields = ["name", "namespace", "labels"].into_iter();
    let fields = fields.filter_map(|name| Some((name, metadata.get(name)?.clone())));
    let metadata = Value::from_iter(fields);
    // Only chainsaw's cases have variables; in other formats a value in parentheses is a plain value.
    match world.scope.variables.is_empty() {
        true => Ok(metadata),
        false => tree::templated(&metadata, &world.scope).map_err(CliError::Bare),
    }
}

/// Returns the objects that an expectation may refer to: the one with its name, or all of its kind with its labels.
pub(super) fn candidates(world: &World, object: &Value) -> Result<Vec<Value>, CliError> {
    // Names may be expressions; other texts are not changed.
    let object = &json!({"apiVersion": object["apiVersion"].clone(), "kind": object["kind"].clone(),
        "metadata": evaluated(&object["metadata"], world)?});
    let place = world.place(object)?;
    let cluster = &world.fork.cluster;
    if let Some(name) = object["metadata"]["name"].as_str() {
        return match cluster.get(&place, name).map_err(CliError::from) {
            Ok(found) => Ok(vec![found]),
            Err(e) if e.is_not_found() => Ok(Vec::new()),
            Err(e) => Err(e),
        };
    }
    let labels = object["metadata"]["labels"].as_object();
    let has = |found: &Value| {
        let own = &found["metadata"]["labels"];
        labels.is_none_or(|all| {
            all.iter()
                .all(|(name, value)| own.get(name.as_str()) == Some(value))
        })
    };
    Ok(cluster.list(&place, &has, None)?.items)
}

/// Returns the differences between an expected and an actual object.
fn different(
    world: &World,
    check: &Check,
    object: &Object,
    place: &Place,
    found: &Value,
) -> Result<Vec<Difference>, CliError> {
    match check.trees {
        false => Ok(differing(place.kind, &object.value, found)),
        // An error in an expression is not a difference: waiting would not make it go away.
        true => tree::differing(&object.value, found, &world.scope)
            .map_err(|why| CliError::Bare(format!("{}: {why}", object.at))),
    }
}

/// Returns true if a tree refers to no object: its keys are expressions on variables and on the cluster.
fn is_bare(check: &Check, object: &Object) -> bool {
    check.trees && object.value["kind"].is_null() && object.value["apiVersion"].is_null()
}

/// Returns the differences of a tree that refers to no object.
fn bare(world: &World, object: &Object) -> Result<Vec<Difference>, CliError> {
    tree::differing(&object.value, &Value::Null, &world.scope)
        .map_err(|why| CliError::Bare(format!("{}: {why}", object.at)))
}

fn expected(
    world: &World,
    check: &Check,
    object: &Object,
    explain: bool,
) -> Result<Option<String>, CliError> {
    if is_bare(check, object) {
        let different = bare(world, object)?;
        let text = format!("not as in {}\n{}", object.at, lines(&different));
        return Ok((!different.is_empty()).then_some(text));
    }
    let place = match world.place(&object.value) {
        Ok(place) => place,
        // A later step may create the definition of the kind.
        Err(e) => return Ok(Some(format!("{}: {}", object.at, e.in_one_line()))),
    };
    let candidates = candidates(world, &object.value)?;
    // Without a name, any of the candidates may be the expected object, so all are compared.
    let mut compared = Vec::new();
    for found in &candidates {
        compared.push((found, different(world, check, object, &place, found)?));
    }
    // Of several objects, the one with the fewest differences is most likely the intended one.
    let best = compared
        .into_iter()
        .min_by_key(|(_, different)| different.len());
    match best {
        Some((_, different)) if different.is_empty() => Ok(None),
        best if !explain => Ok(Some(
            best.map_or(String::new(), |(_, different)| lines(&different)),
        )),
        best => Ok(Some(explained(world, object, &place, best)?)),
    }
}

fn explained(
    world: &World,
    object: &Object,
    place: &Place,
    best: Option<(&Value, Vec<Difference>)>,
) -> Result<String, CliError> {
    let cluster = &world.fork.cluster;
    let (revision, time) = cluster.stored().moment()?;
    let time = Times::for_commits(std::iter::once(time), cluster.now()?).shown(time);
    let at = &object.at;
    let (subject, mut text) = match best {
        Some((found, different)) => {
            let head = format!(
                "{}: not as in {at} at revision {revision}, {time}\n",
                shown(found)
            );
            (found, head + &lines(&different))
        }
        None => {
            let name = shown(&object.value);
            let text =
                format!("{name}: does not exist, but is in {at}, at revision {revision}, {time}\n");
            (&object.value, text)
        }
    };
    if subject["metadata"]["name"].is_string() {
        text.push_str(&causes(cluster, &world.namespace, place, subject)?);
    }
    Ok(text)
}

/// Returns the indented chain of causes of an object.
fn causes(
    cluster: &Cluster,
    namespace: &str,
    place: &Place,
    object: &Value,
) -> Result<String, CliError> {
    let info = Info {
        namespace: place.namespace.clone(),
        ..Info::at(place, object.clone())
    };
    let key = key(&info)?;
    let chain = History::with_causes_of(cluster, &key)?.why(&key);
    if chain.steps.is_empty() {
        return Ok(String::new());
    }
    let names = Names::new(&*cluster.kinds()?, namespace);
    let told = why::format_chain(&chain, false, &names, cluster)?;
    Ok(told.lines().map(|line| format!("    {line}\n")).collect())
}

fn absent(world: &World, check: &Check, object: &Object) -> Result<Option<String>, CliError> {
    if is_bare(check, object) {
        let holds = bare(world, object)?.is_empty();
        return Ok(holds.then(|| format!("it is as in {}, but must not be", object.at)));
    }
    let Ok(place) = world.place(&object.value) else {
        // A kind that is not served has no objects.
        return Ok(None);
    };
    let found = candidates(world, &object.value)?;
    for found in &found {
        if different(world, check, object, &place, found)?.is_empty() {
            let name = shown(found);
            let text = format!("{name}: exists, but must not be as in {}", object.at);
            return Ok(Some(text));
        }
    }
    Ok(None)
}
