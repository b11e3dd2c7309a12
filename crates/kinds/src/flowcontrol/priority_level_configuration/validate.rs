//! The rules of a PriorityLevelConfiguration.

use crate::api::json::{Value, json};
use crate::flowcontrol::validate::conditions;
use crate::tree::{field, has, int, opt_int, text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// The maximum number of queues of a priority level.
const MAX_QUEUES: i64 = 10_000_000;
/// The maximum number of hash bits that the selection of queues may use.
const MAX_HASH_BITS: f64 = 60.0;

/// Validates a new PriorityLevelConfiguration.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let name = text(field(object, "metadata"), "name");
    let kind = field(spec, "type");
    if (name == "exempt") != (kind == "Exempt") {
        let detail = "type must be 'Exempt' if and only if name is 'exempt'";
        errors.invalid_shown(&path.child("type"), &go::quoted(text(spec, "type")), detail);
    }
    match text(spec, "type") {
        "Exempt" => {
            if has(spec, "limited") {
                let detail = "must be nil if the type is not Limited";
                errors.forbidden(&path.child("limited"), detail);
            }
            // Even a level that never queues may lend its unused shares.
            let exempt = field(spec, "exempt");
            shares(&path.child("exempt"), exempt, errors);
            lendable(&path.child("exempt"), exempt, errors);
        }
        "Limited" => {
            if has(spec, "exempt") {
                let detail = "must be nil if the type is Limited";
                errors.forbidden(&path.child("exempt"), detail);
            }
            limited(&path.child("limited"), field(spec, "limited"), errors);
        }
        kind => {
            let shown = go::quoted(kind);
            errors.not_supported_shown(&path.child("type"), &shown, &["Exempt", "Limited"]);
        }
    }
    own_levels(&path, name, spec, errors);
    conditions(object, errors);
}

/// Validates an update of a PriorityLevelConfiguration.
pub(crate) fn update(object: &Value, _: &Value, errors: &mut Errors) {
    create(object, errors);
}

/// Validates an update of a PriorityLevelConfiguration's status.
pub(crate) fn status(object: &Value, _: &Value, errors: &mut Errors) {
    conditions(object, errors);
}

/// Validates the priority levels that the API server itself needs.
fn own_levels(path: &Path<'_>, name: &str, spec: &Value, errors: &mut Errors) {
    let (differs, except) = match name {
        // Of the exempt level, only the field `exempt` may change.
        "exempt" => (
            text(spec, "type") != "Exempt" || has(spec, "limited"),
            " except the 'spec.exempt' field",
        ),
        "catch-all" => (
            *spec
                != json!({"type": "Limited", "limited": {"nominalConcurrencyShares": 5, "lendablePercent": 0,
                "limitResponse": {"type": "Reject"}}}),
            "",
        ),
        _ => return,
    };
    if differs {
        let detail = format!("spec of '{name}'{except} must equal the fixed value");
        let shown = go::shown_as("PriorityLevelConfigurationSpec", spec);
        errors.invalid_shown(path, &shown, &detail);
    }
}

fn limited(path: &Path<'_>, limited: &Value, errors: &mut Errors) {
    if limited.is_null() {
        return errors.required(path, "must not be empty when type is Limited");
    }
    shares(path, limited, errors);
    let response = path.child("limitResponse");
    limit_response(&response, field(limited, "limitResponse"), errors);
    // A level cannot lend more than it has, but may borrow any multiple of it.
    lendable(path, limited, errors);
    if let Some(percent) = opt_int(limited, "borrowingLimitPercent").filter(|p| *p < 0) {
        errors.invalid(
            &path.child("borrowingLimitPercent"),
            &json!(percent),
            "if specified, must be a non-negative integer",
        );
    }
}

fn shares(path: &Path<'_>, level: &Value, errors: &mut Errors) {
    let shares = int(level, "nominalConcurrencyShares");
    if shares < 0 {
        let path = path.child("nominalConcurrencyShares");
        errors.invalid(&path, &json!(shares), "must be a non-negative integer");
    }
}

fn lendable(path: &Path<'_>, level: &Value, errors: &mut Errors) {
    let percent = int(level, "lendablePercent");
    if !(0..=100).contains(&percent) {
        let path = path.child("lendablePercent");
        errors.invalid(
            &path,
            &json!(percent),
            "must be between 0 and 100, inclusive",
        );
    }
}

fn limit_response(path: &Path<'_>, response: &Value, errors: &mut Errors) {
    match (text(response, "type"), has(response, "queuing")) {
        // The message is upstream's: it says `Limited` instead of `Queue`.
        ("Reject", true) => errors.forbidden(
            &path.child("queuing"),
            "must be nil if limited.limitResponse.type is not Limited",
        ),
        ("Queue", false) => errors.required(
            &path.child("queuing"),
            "must not be empty if limited.limitResponse.type is Limited",
        ),
        ("Queue", true) => queuing(&path.child("queuing"), field(response, "queuing"), errors),
        ("Reject", false) => {}
        (kind, _) => {
            let shown = go::quoted(kind);
            errors.not_supported_shown(&path.child("type"), &shown, &["Queue", "Reject"]);
        }
    }
}

fn queuing(path: &Path<'_>, queuing: &Value, errors: &mut Errors) {
    let number = |name: &str| int(queuing, name);
    let mut wrong = |name: &str, detail: &str| {
        errors.invalid(&path.child(name), &json!(number(name)), detail);
    };
    // A queue of length zero would reject every request that has to wait.
    if number("queueLengthLimit") <= 0 {
        wrong("queueLengthLimit", "must be positive");
    }
    let (queues, hand) = (number("queues"), number("handSize"));
    if queues <= 0 {
        wrong("queues", "must be positive");
    } else if queues > MAX_QUEUES {
        wrong("queues", &format!("must not be greater than {MAX_QUEUES}"));
    }
    // A single hash value selects all queues of a hand, so the selection must not need more bits than the hash has.
    let entropy = || (queues as f64).log2() * hand as f64;
    if hand <= 0 {
        wrong("handSize", "must be positive");
    } else if hand > queues {
        let detail = format!("should not be greater than queues ({queues})");
        wrong("handSize", &detail);
    } else if entropy().ceil() > MAX_HASH_BITS {
        let detail = format!(
            "required entropy bits of deckSize {queues} and handSize {hand} should not be greater than \
             {MAX_HASH_BITS}"
        );
        wrong("handSize", &detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(name: &str, spec: Value) -> Vec<String> {
        let mut errors = Errors::default();
        create(
            &json!({"metadata": {"name": name}, "spec": spec}),
            &mut errors,
        );
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn shares_and_percentages_have_bounds() {
        let response = json!({"type": "X"});
        let limited = json!({"nominalConcurrencyShares": -1, "lendablePercent": 101, "borrowingLimitPercent": -1,
            "limitResponse": response});
        assert_eq!(
            told(
                "p",
                json!({"type": "Limited", "limited": limited, "exempt": {}})
            ),
            [
                "spec.exempt: Forbidden: must be nil if the type is Limited",
                "spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer",
                "spec.limited.limitResponse.type: Unsupported value: \"X\": supported values: \"Queue\", \"Reject\"",
                "spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive",
                "spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer",
            ]
        );
    }

    #[test]
    fn a_hand_fits_the_queues_and_the_hash() {
        let told = |limit: i64, queues: i64, hand: i64| {
            let queuing = json!({"queueLengthLimit": limit, "queues": queues, "handSize": hand});
            let limited = json!({"limitResponse": {"type": "Queue", "queuing": queuing}});
            let causes = told("p", json!({"type": "Limited", "limited": limited}));
            let path = "spec.limited.limitResponse.queuing.";
            let short = causes
                .iter()
                .map(|cause| cause.strip_prefix(path).unwrap().to_owned());
            short.collect::<Vec<_>>()
        };
        assert_eq!(told(50, 64, 8), [""; 0]);
        assert_eq!(told(50, MAX_QUEUES, 2), [""; 0]);
        assert_eq!(
            told(0, 0, 0),
            [
                "queueLengthLimit: Invalid value: 0: must be positive",
                "queues: Invalid value: 0: must be positive",
                "handSize: Invalid value: 0: must be positive",
            ]
        );
        assert_eq!(
            told(1, 7, 8),
            ["handSize: Invalid value: 8: should not be greater than queues (7)"]
        );
        assert_eq!(
            told(1, 512, 8),
            [
                "handSize: Invalid value: 8: required entropy bits of deckSize 512 and handSize 8 should not be \
                 greater than 60"
            ]
        );
    }

    #[test]
    fn the_servers_own_levels_are_fixed() {
        let exempt =
            |shares: i64| json!({"type": "Exempt", "exempt": {"nominalConcurrencyShares": shares}});
        assert_eq!(told("exempt", exempt(10)), [""; 0]);
        assert_eq!(
            told("exempt", exempt(-1)),
            [
                "spec.exempt.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer"
            ]
        );
        assert_eq!(
            told("p", exempt(0)),
            [
                "spec.type: Invalid value: \"Exempt\": type must be 'Exempt' if and only if name is 'exempt'"
            ]
        );
        let limited = json!({"type": "Limited", "limited": {"nominalConcurrencyShares": 6, "lendablePercent": 0,
            "limitResponse": {"type": "Reject"}}});
        assert_eq!(
            told("catch-all", limited),
            [
                "spec: Invalid value: {\"Type\":\"Limited\",\"Limited\":{\"NominalConcurrencyShares\":6,\
                 \"LimitResponse\":{\"Type\":\"Reject\",\"Queuing\":null},\"LendablePercent\":0,\
                 \"BorrowingLimitPercent\":null},\"Exempt\":null}: spec of 'catch-all' must equal the fixed value"
            ]
        );
    }
}
