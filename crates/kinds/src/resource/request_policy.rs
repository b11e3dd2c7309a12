//! The policies of capacities that several claims share.

use std::collections::BTreeSet;

use super::validate::limited;
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::pod::resources::quantity;
use crate::tree::{field, has, list};
use crate::validate::common::shown_amount;
use crate::validate::errors::Errors;
use crate::validate::go;
use crate::validate::path::Path;

const MOST_VALUES: usize = 10;

/// Validates the policy for requests of a capacity: the values or the range that they may have.
pub(super) fn request_policy(path: &Path<'_>, capacity: &Value, errors: &mut Errors) {
    let (path, policy) = (
        path.child("requestPolicy"),
        field(capacity, "requestPolicy"),
    );
    let has_values = !list(policy, "validValues").is_empty();
    let name = match (has_values, has(policy, "validRange")) {
        (true, true) => {
            let detail = "exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at \
                          the same time";
            return errors.forbidden(&path, detail);
        }
        (true, false) => "validValues",
        (false, true) => "validRange",
        (false, false) => return,
    };
    if !has(policy, "default") {
        let detail = format!("required when {name} is defined");
        return errors.required(&path.child("default"), &detail);
    }
    let of = Amounts {
        default: quantity(field(policy, "default")),
        capacity: quantity(field(capacity, "value")),
    };
    match has_values {
        true => valid_values(&path, policy, &of, errors),
        false => valid_range(&path.child(name), field(policy, name), &of, errors),
    }
}

struct Amounts {
    default: Quantity,
    capacity: Quantity,
}

fn valid_values(path: &Path<'_>, policy: &Value, of: &Amounts, errors: &mut Errors) {
    let path = path.child("validValues");
    let all: Vec<Quantity> = list(policy, "validValues").iter().map(quantity).collect();
    for (index, pair) in all.windows(2).enumerate() {
        if pair[0] > pair[1] {
            let detail = "values must be sorted in ascending order";
            errors.invalid_shown(&path.index(index + 1), &shown_amount(&pair[1]), detail);
        }
    }
    let mut found = false;
    // Too many values are reported only once, but then none of them counts as the default.
    if !limited(&path, policy, "validValues", MOST_VALUES, errors).is_empty() {
        for (index, value) in all.iter().enumerate() {
            if *value > of.capacity {
                let detail = format!("option is larger than capacity value: {}", of.capacity);
                errors.invalid_shown(&path.index(index), &shown_amount(value), &detail);
            }
            found |= *value == of.default;
        }
        let mut seen = BTreeSet::new();
        for (index, value) in all.iter().map(Quantity::ceil).enumerate() {
            if !seen.insert(value) {
                errors.duplicate(&path.index(index), &go::quoted(&value.to_string()));
            }
        }
    }
    if !found {
        let detail = "default value is not valid according to the requestPolicy";
        errors.invalid_shown(&path, &shown_amount(&of.default), detail);
    }
}

fn valid_range(path: &Path<'_>, range: &Value, of: &Amounts, errors: &mut Errors) {
    let amount = |name| has(range, name).then(|| quantity(field(range, name)));
    let (least, most) = (path.child("min"), path.child("max"));
    let Some(min) = amount("min") else {
        return errors.required(&least, "required when validRange is defined");
    };
    let mut refuse = |path: &Path<'_>, shown: &Quantity, detail: String| {
        errors.invalid_shown(path, &shown_amount(shown), &detail);
    };
    let (default, capacity) = (&of.default, &of.capacity);
    if min > *capacity {
        let detail = format!("min is larger than capacity value: {capacity}");
        refuse(&least, &min, detail);
    }
    if *default < min {
        refuse(&least, default, format!("default is less than min: {min}"));
    }
    let max = amount("max");
    if let Some(max) = &max {
        if min > *max {
            refuse(&most, &min, format!("min is larger than max: {max}"));
        }
        if max > capacity {
            let detail = format!("max is larger than capacity value: {capacity}");
            refuse(&most, max, detail);
        }
        if default > max {
            refuse(&most, default, format!("default is more than max: {max}"));
        }
    }
    let Some(step) = amount("step") else {
        return;
    };
    let path = path.child("step");
    let mut one = min;
    one.add(&step);
    if one > *capacity {
        let detail = format!("one step {one} is larger than capacity value: {capacity}");
        refuse(&path, &step, detail);
    }
    for value in [Some(default), max.as_ref()].into_iter().flatten() {
        let above = value.ceil().saturating_sub(min.ceil());
        if above.checked_rem(step.ceil()).is_some_and(|rest| rest != 0) {
            let detail = format!("value is not a multiple of a given step ({step}) from ({min})");
            refuse(&path, value, detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn told(policy: &Value) -> Vec<String> {
        let capacity = json!({"value": "10", "requestPolicy": policy});
        let mut errors = Errors::default();
        request_policy(&Path::root("x"), &capacity, &mut errors);
        let causes = errors.into_causes();
        let found = causes.iter().map(ToString::to_string);
        let short = |found: String| found.replacen("x.requestPolicy", "", 1);
        found.map(short).collect()
    }

    #[test]
    fn a_policy_has_one_form_and_a_default() {
        assert_eq!(told(&json!({"default": "1"})), [""; 0]);
        assert_eq!(
            told(&json!({"validValues": ["1"], "validRange": {}})),
            [
                ": Forbidden: exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at \
                 the same time"
            ]
        );
        assert_eq!(
            told(&json!({"validRange": {"min": "1"}})),
            [".default: Required value: required when validRange is defined"]
        );
    }

    #[test]
    fn values_are_sorted_and_fit_the_capacity() {
        let fine = json!({"default": "1", "validValues": ["1", "2", "10"]});
        assert_eq!(told(&fine), [""; 0]);
        let wrong = json!({"default": "3", "validValues": ["2", "1", "1", "11"]});
        assert_eq!(
            told(&wrong),
            [
                ".validValues[1]: Invalid value: \"1\": values must be sorted in ascending order",
                ".validValues[3]: Invalid value: \"11\": option is larger than capacity value: 10",
                ".validValues[2]: Duplicate value: \"1\"",
                ".validValues: Invalid value: \"3\": default value is not valid according to the requestPolicy",
            ]
        );
    }

    #[test]
    fn ranges_fit_the_capacity_and_their_step() {
        let range = |min: &str, max: &str, step: &str| {
            told(&json!({"default": "5", "validRange": {"min": min, "max": max, "step": step}}))
        };
        assert_eq!(range("1", "9", "2"), [""; 0]);
        assert_eq!(
            range("6", "11", "5"),
            [
                ".validRange.min: Invalid value: \"5\": default is less than min: 6",
                ".validRange.max: Invalid value: \"11\": max is larger than capacity value: 10",
                ".validRange.step: Invalid value: \"5\": one step 11 is larger than capacity value: 10",
                ".validRange.step: Invalid value: \"5\": value is not a multiple of a given step (5) from (6)",
            ]
        );
    }
}
