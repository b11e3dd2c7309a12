//! The rules of a LimitRange.

use std::collections::BTreeSet;

use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::pod::resources::{ResourceList, resource_list};
use crate::tree::{entries, field, has, len, list, text};
use crate::validate::common::{
    container_resource_name, may_overcommit, resource_name, shown_amount,
};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// Validates a new or updated LimitRange.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    let path = Path::root("spec");
    let path = path.child("limits");
    let mut seen = BTreeSet::new();
    for (index, item) in list(field(object, "spec"), "limits").iter().enumerate() {
        let path = path.index(index);
        limit_type(&path.child("type"), text(item, "type"), errors);
        if !seen.insert(text(item, "type")) {
            errors.duplicate(&path.child("type"), &go::quoted(text(item, "type")));
        }
        limit_item(&path, item, errors);
    }
}

/// Validates an update of a LimitRange.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    // `ValidateUpdate` of the strategy runs all of `ValidateLimitRange` again, including the metadata.
    create(object, errors);
}

fn limit_type(path: &Path<'_>, kind: &str, errors: &mut Errors) {
    let wrong = names::qualified_name(kind);
    let standard = matches!(kind, "Pod" | "Container" | "PersistentVolumeClaim");
    if wrong.is_empty() && !standard && !kind.contains('/') {
        let detail = "must be a standard limit type or fully qualified";
        errors.invalid_shown(path, &go::quoted(kind), detail);
    }
    errors.invalid_each(path, kind, wrong);
}

fn limit_item(path: &Path<'_>, item: &Value, errors: &mut Errors) {
    let kind = text(item, "type");
    let names = |name: &str, errors: &mut Errors| {
        for (resource, _) in entries(item, name) {
            let path = path.child(name);
            match kind {
                "Pod" | "Container" => {
                    container_resource_name(&path.key(resource), resource, errors)
                }
                _ => resource_name(&path.key(resource), resource, errors),
            }
        }
    };
    // In upstream's order, which is the order of the causes: maximum, minimum, defaults, the rule for claims, and
    // finally the ratio.
    names("max", errors);
    names("min", errors);
    for name in ["default", "defaultRequest"] {
        if kind != "Pod" {
            names(name, errors);
        } else if len(item, name) > 0 {
            let detail = "may not be specified when `type` is 'Pod'";
            errors.forbidden(&path.child(name), detail);
        }
    }
    let bounded = has(field(item, "min"), "storage") || has(field(item, "max"), "storage");
    if kind == "PersistentVolumeClaim" && !bounded {
        // An item has no field `limits`, but upstream's path names it.
        errors.required(
            &path.child("limits"),
            "either minimum or maximum storage value is required, but neither was provided",
        );
    }
    names("maxLimitRequestRatio", errors);
    Bounds::new(item).check(path, errors);
}

/// The five maps of a limit, which must be consistent.
struct Bounds {
    min: ResourceList,
    max: ResourceList,
    default: ResourceList,
    request: ResourceList,
    ratio: ResourceList,
}

impl Bounds {
    fn new(item: &Value) -> Self {
        // Defaults for a whole Pod are forbidden, so they are not compared.
        let defaults = |name: &str| match text(item, "type") {
            "Pod" => ResourceList::new(),
            _ => resource_list(item, name),
        };
        Self {
            min: resource_list(item, "min"),
            max: resource_list(item, "max"),
            default: defaults("default"),
            request: defaults("defaultRequest"),
            ratio: resource_list(item, "maxLimitRequestRatio"),
        }
    }

    fn check(&self, path: &Path<'_>, errors: &mut Errors) {
        let all = [
            &self.min,
            &self.max,
            &self.default,
            &self.request,
            &self.ratio,
        ];
        // The API server iterates over a Go map in random order. Sorted order is one possible order, and makes runs
        // reproducible.
        let keys: BTreeSet<&String> = all.iter().flat_map(|map| map.keys()).collect();
        for key in keys {
            self.check_one(path, key, errors);
        }
    }

    fn check_one(&self, path: &Path<'_>, key: &str, errors: &mut Errors) {
        let (min, max) = (self.min.get(key), self.max.get(key));
        let (default, request) = (self.default.get(key), self.request.get(key));
        let mut above = |low: Option<&Quantity>,
                         high: Option<&Quantity>,
                         at: &str,
                         low_shown: bool,
                         text: [&str; 2]| {
            if let (Some(low), Some(high)) = (low, high)
                && low > high
            {
                // Upstream shows the lower value in some of these rules and the upper value in others.
                let shown = shown_amount(if low_shown { low } else { high });
                let detail = format!(
                    "{} value {low} is greater than {} value {high}",
                    text[0], text[1]
                );
                errors.invalid_shown(&path.child(at).key(key), &shown, &detail);
            }
        };
        // Like upstream, compare each pair separately: a single default may break several rules.
        above(min, max, "min", true, ["min", "max"]);
        above(
            min,
            request,
            "defaultRequest",
            false,
            ["min", "default request"],
        );
        above(
            request,
            max,
            "defaultRequest",
            true,
            ["default request", "max"],
        );
        above(
            request,
            default,
            "defaultRequest",
            true,
            ["default request", "default limit"],
        );
        above(min, default, "default", true, ["min", "default"]);
        above(default, max, "default", false, ["default", "max"]);
        if let Some(ratio) = self.ratio.get(key) {
            let path = path.child("maxLimitRequestRatio");
            ratio_fits(&path.key(key), ratio, min, max, errors);
        }
        // A request for extended resources and huge pages equals the limit, so the defaults must too.
        if let (Some(default), Some(request)) = (default, request)
            && !may_overcommit(key)
            && default != request
        {
            let detail = format!(
                "default value {default} must equal to defaultRequest value {request} in {key}"
            );
            let path = path.child("defaultRequest");
            errors.invalid_shown(&path.key(key), &shown_amount(request), &detail);
        }
    }
}

fn ratio_fits(
    path: &Path<'_>,
    ratio: &Quantity,
    min: Option<&Quantity>,
    max: Option<&Quantity>,
    errors: &mut Errors,
) {
    if *ratio < Quantity::from_int(1) {
        errors.invalid_shown(
            path,
            &shown_amount(ratio),
            &format!("ratio {ratio} is less than 1"),
        );
    }
    if let (Some(min), Some(max)) = (min, max) {
        let most = max.to_f64() / min.to_f64();
        if ratio.to_f64() > most {
            // Go's `%f` prints six digits.
            let detail = format!("ratio {ratio} is greater than max/min = {most:.6}");
            errors.invalid_shown(path, &shown_amount(ratio), &detail);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn defaults_of_pods_are_forbidden_and_not_compared() {
        let limit = json!({"type": "Pod", "default": {"cpu": "1"}, "defaultRequest": {"cpu": "1"},
            "min": {"cpu": "2"}, "max": {"cpu": "1"}});
        let mut errors = Errors::default();
        create(
            &json!({"metadata": {"name": "l", "namespace": "default"}, "spec": {"limits": [limit]}}),
            &mut errors,
        );
        let fields: Vec<String> = errors.into_causes().into_iter().map(|c| c.field).collect();
        assert_eq!(
            fields,
            ["default", "defaultRequest", "min[cpu]"].map(|name| format!("spec.limits[0].{name}"))
        );
    }

    #[test]
    fn defaults_of_whole_resources_are_equal() {
        for (name, equal) in [("a.b/c", true), ("hugepages-2Mi", true), ("cpu", false)] {
            let mut limit = json!({"type": "Container", "default": {}, "defaultRequest": {}});
            limit["default"][name] = json!("4Mi");
            limit["defaultRequest"][name] = json!("2Mi");
            let mut errors = Errors::default();
            create(
                &json!({"metadata": {"name": "l", "namespace": "default"}, "spec": {"limits": [limit]}}),
                &mut errors,
            );
            let causes = errors.into_causes();
            let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
            let wanted = format!(
                "spec.limits[0].defaultRequest[{name}]: Invalid value: \"2Mi\": default value 4Mi must equal to \
                 defaultRequest value 2Mi in {name}"
            );
            let wanted: Vec<String> = equal.then_some(wanted).into_iter().collect();
            assert_eq!(told, wanted);
        }
    }
}
