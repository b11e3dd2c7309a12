//! The policies that make a Job fail or complete early.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::api::json::{Value, json};
use crate::tree::{field, has, int, list, opt_int, text};
use crate::validate::common::required_one_of;
use crate::validate::errors::Errors;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;
use crate::validate::{go, names};

const MAX_RULES: usize = 20;
const MAX_CODES: usize = 255;

/// Validates the Pod failure policy of the Job spec at `path`.
pub(crate) fn failure(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    const ACTIONS: &[&str] = &["Count", "FailIndex", "FailJob", "Ignore"];
    let path = path.child("podFailurePolicy");
    let path = path.child("rules");
    let rules = list(field(spec, "podFailurePolicy"), "rules");
    if rules.len() > MAX_RULES {
        errors.too_many(&path, rules.len(), MAX_RULES);
    }
    for (index, rule) in rules.iter().enumerate() {
        let path = path.index(index);
        required_one_of(&path, rule, "action", ACTIONS, errors);
        if text(rule, "action") == "FailIndex" && !has(spec, "backoffLimitPerIndex") {
            errors.invalid_shown(
                &path.child("action"),
                "\"FailIndex\"",
                "requires the backoffLimitPerIndex to be set",
            );
        }
        let (codes, conditions) = (field(rule, "onExitCodes"), list(rule, "onPodConditions"));
        if !codes.is_null() {
            exit_codes(&path.child("onExitCodes"), codes, spec, errors);
        }
        pod_conditions(&path.child("onPodConditions"), conditions, errors);
        match (codes.is_null(), conditions.is_empty()) {
            (false, false) => errors.invalid_without_value(
                &path,
                "specifying both OnExitCodes and OnPodConditions is not supported",
            ),
            (true, true) => errors.invalid_without_value(
                &path,
                "specifying one of OnExitCodes and OnPodConditions is required",
            ),
            _ => {}
        }
    }
}

fn exit_codes(path: &Path<'_>, codes: &Value, spec: &Value, errors: &mut Errors) {
    required_one_of(path, codes, "operator", &["In", "NotIn"], errors);
    if has(codes, "containerName") {
        container_name(&path.child("containerName"), codes, spec, errors);
    }
    let (path, values) = (path.child("values"), list(codes, "values"));
    if values.is_empty() {
        let detail = "at least one value is required";
        errors.invalid(&path, field(codes, "values"), detail);
    } else if values.len() > MAX_CODES {
        errors.too_many(&path, values.len(), MAX_CODES);
    }
    let mut seen = BTreeSet::new();
    // Decoding has already rejected values of other types.
    let numbers: Vec<i64> = values.iter().filter_map(Value::as_i64).collect();
    for (index, code) in numbers.iter().enumerate() {
        // An exit code of 0 is no failure, so the rule would never apply.
        if *code == 0 && text(codes, "operator") == "In" {
            let detail = "must not be 0 for the In operator";
            errors.invalid(&path.index(index), &json!(0), detail);
        }
        if !seen.insert(*code) {
            errors.duplicate(&path.index(index), &code.to_string());
        }
    }
    if !numbers.is_sorted() {
        // Upstream rejects an unordered list rather than sort it, so that the object is stored as written.
        errors.invalid(&path, &json!(numbers), "must be ordered");
    }
}

fn container_name(path: &Path<'_>, codes: &Value, spec: &Value, errors: &mut Errors) {
    let name = text(codes, "containerName");
    let pod = field(field(spec, "template"), "spec");
    let known = ["containers", "initContainers"]
        .iter()
        .flat_map(|kind| list(pod, kind))
        .any(|container| text(container, "name") == name);
    if !known {
        errors.invalid_shown(
            path,
            &go::quoted(name),
            "must be one of the container or initContainer names in the pod template",
        );
    }
}

fn pod_conditions(path: &Path<'_>, conditions: &[Value], errors: &mut Errors) {
    const STATUSES: &[&str] = &["False", "True", "Unknown"];
    if conditions.len() > MAX_RULES {
        errors.too_many(path, conditions.len(), MAX_RULES);
    }
    for (index, condition) in conditions.iter().enumerate() {
        let path = path.index(index);
        let kind = text(condition, "type");
        errors.invalid_each(&path.child("type"), kind, names::qualified_name(kind));
        required_one_of(&path, condition, "status", STATUSES, errors);
    }
}

/// Validates the success policy of the Job spec at `path`.
pub(crate) fn success(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let policy = field(spec, "successPolicy");
    if policy.is_null() {
        return;
    }
    let path = path.child("successPolicy");
    // Without indexes, the Pods of a Job cannot be told apart.
    if text(spec, "completionMode") != "Indexed" {
        let shown = go::shown_as("SuccessPolicy", policy);
        return errors.invalid_shown(&path, &shown, "requires indexed completion mode");
    }
    let (path, rules) = (path.child("rules"), list(policy, "rules"));
    if rules.is_empty() {
        let detail = "at least one rules must be specified when the successPolicy is specified";
        errors.required(&path, detail);
    }
    if rules.len() > MAX_RULES {
        errors.too_many(&path, rules.len(), MAX_RULES);
    }
    for (index, rule) in rules.iter().enumerate() {
        success_rule(&path.index(index), rule, int(spec, "completions"), errors);
    }
}

fn success_rule(path: &Path<'_>, rule: &Value, completions: i64, errors: &mut Errors) {
    if !has(rule, "succeededCount") && !has(rule, "succeededIndexes") {
        let detail = "at least one of succeededCount or succeededIndexes must be specified";
        errors.required(path, detail);
    }
    let mut indexes = None;
    if has(rule, "succeededIndexes") {
        let text = text(rule, "succeededIndexes");
        match count_indexes(text, completions) {
            Ok(count) => indexes = Some(count),
            Err(why) => errors.invalid_shown(
                &path.child("succeededIndexes"),
                &go::quoted(text),
                &format!("error parsing succeededIndexes: {why}"),
            ),
        }
    }
    let Some(count) = opt_int(rule, "succeededCount") else {
        return;
    };
    nonnegative_field(path, rule, "succeededCount", errors);
    let path = path.child("succeededCount");
    let mut at_most = |limit: i64, of: &str| {
        if count > limit {
            let detail = format!("must be less than or equal to {limit} ({of})");
            errors.invalid(&path, &json!(count), &detail);
        }
    };
    at_most(completions, "the number of specified completions");
    if let Some(indexes) = indexes {
        let of = "the number of indexes in the specified succeededIndexes field";
        at_most(indexes, of);
    }
}

/// Returns the number of indexes in a list such as `0-2,5`. Each must be below `completions` and in order.
fn count_indexes(text: &str, completions: i64) -> Result<i64, String> {
    let all = intervals(text, completions)?.into_iter();
    Ok(all
        .map(|interval| interval.end() - interval.start() + 1)
        .sum())
}

/// Returns the intervals of a list of indexes such as `0-2,5`, with the checks of [`count_indexes`].
pub(crate) fn intervals(text: &str, completions: i64) -> Result<Vec<RangeInclusive<i64>>, String> {
    let (mut found, mut previous) = (Vec::new(), None);
    for interval in text.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = interval.split_once('-').unwrap_or((interval, interval));
        let (start, end) = (index(first, completions)?, index(last, completions)?);
        // For an inverted interval, upstream reports its own two ends as the positions.
        let last_seen = if start > end { Some(start) } else { previous };
        let now = if start > end { end } else { start };
        if let Some(previous) = last_seen.filter(|previous| *previous >= now) {
            return Err(format!(
                "non-increasing order, previous: {previous}, current: {now}"
            ));
        }
        found.push(start..=end);
        previous = Some(end);
    }
    Ok(found)
}

fn index(text: &str, completions: i64) -> Result<i64, String> {
    let number: i64 = text
        .parse()
        .map_err(|_| format!("cannot convert string to integer for index: \"{text}\""))?;
    match number < completions {
        true => Ok(number),
        false => Err(format!("too large index: \"{text}\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::count_indexes;

    #[test]
    fn index_lists_are_counted_and_ordered() {
        assert_eq!(count_indexes("0-2,5", 9), Ok(4));
        assert_eq!(count_indexes("", 9), Ok(0));
        assert!(count_indexes("2,0", 9).is_err());
        assert!(
            count_indexes("0-9", 3)
                .unwrap_err()
                .starts_with("too large")
        );
    }
}
