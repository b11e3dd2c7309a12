//! LimitRanges: default requests and limits, and the limits for new objects.

use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::kind::Kind;
use crate::pod::resources::{ResourceList, resource_list};
use crate::tree::{ensure, entries, field, has, items, list, set, text};

const ANNOTATION: &str = "kubernetes.io/limit-ranger";

/// Sets the default requests and limits of a new Pod's containers, and records them in an annotation.
pub fn set_defaults(pod: &mut Value, ranges: &[Value]) {
    for range in ranges {
        let mut notes = Vec::new();
        let limits = list(field(range, "spec"), "limits");
        for item in limits.iter().filter(|i| text(i, "type") == "Container") {
            for (kind, called) in [
                ("containers", "container"),
                ("initContainers", "init container"),
            ] {
                for container in items(ensure(pod, "spec"), kind) {
                    fill(container, called, item, &mut notes);
                }
            }
        }
        if !notes.is_empty() {
            let note = format!("LimitRanger plugin set: {}", notes.join("; "));
            let annotations = ensure(ensure(pod, "metadata"), "annotations");
            // Like upstream, replace the note of another range.
            set(annotations, ANNOTATION, note);
        }
    }
}

fn fill(container: &mut Value, called: &str, item: &Value, notes: &mut Vec<String>) {
    let name = text(container, "name").to_owned();
    let resources = ensure(container, "resources");
    for (which, source, word) in [
        ("requests", "defaultRequest", "request"),
        ("limits", "default", "limit"),
    ] {
        let missing: Vec<(&str, &Value)> = entries(item, source)
            // Values of the container take precedence, even if it sets only one of request and limit.
            .filter(|(resource, _)| !has(field(resources, which), resource))
            .collect();
        if missing.is_empty() {
            continue;
        }
        let set_names: Vec<&str> = missing.iter().map(|(resource, _)| *resource).collect();
        notes.push(format!(
            "{} {word} for {called} {name}",
            set_names.join(", ")
        ));
        let amounts = ensure(resources, which);
        for (resource, amount) in missing {
            set(amounts, resource, amount.clone());
        }
    }
}

/// Returns the reason why the first of the LimitRanges that rejects a write does so, or `None` if all accept it.
///
/// The text follows `is forbidden: ` in the API server's 403.
pub fn refusal(kind: &Kind, object: &Value, ranges: &[Value]) -> Option<String> {
    let check = kind.hooks.limits?;
    ranges.iter().find_map(|range| {
        let mut wrong = Vec::new();
        for item in list(field(range, "spec"), "limits") {
            check(item, object, &mut wrong);
        }
        match wrong.as_slice() {
            [] => None,
            // Go's aggregate error puts several errors in brackets, but not a single one.
            [one] => Some(one.clone()),
            many => Some(format!("[{}]", many.join(", "))),
        }
    })
}

/// Checks requests and limits against an item of a LimitRange.
pub(crate) fn check(
    item: &Value,
    requests: &ResourceList,
    limits: &ResourceList,
    wrong: &mut Vec<String>,
) {
    let kind = text(item, "type");
    for (name, least) in resource_list(item, "min") {
        let words = format!("minimum {name} usage per {kind} is {least}");
        let (request, limit) = (requests.get(&name), limits.get(&name));
        wrong.extend(match (request, limit) {
            // Upstream requires a request for a minimum and a limit for a maximum, because a missing value is
            // unbounded.
            (None, _) => Some(format!("{words}.  No request is specified")),
            (Some(request), _) if *request < least => {
                Some(format!("{words}, but request is {request}"))
            }
            (_, Some(limit)) if *limit < least => Some(format!("{words}, but limit is {limit}")),
            _ => None,
        });
    }
    for (name, most) in resource_list(item, "max") {
        let words = format!("maximum {name} usage per {kind} is {most}");
        let (request, limit) = (requests.get(&name), limits.get(&name));
        wrong.extend(match (request, limit) {
            (_, None) => Some(format!("{words}.  No limit is specified")),
            (_, Some(limit)) if *limit > most => Some(format!("{words}, but limit is {limit}")),
            (Some(request), _) if *request > most => {
                Some(format!("{words}, but request is {request}"))
            }
            _ => None,
        });
    }
    for (name, most) in resource_list(item, "maxLimitRequestRatio") {
        ratio(
            &name,
            kind,
            &most,
            requests.get(&name),
            limits.get(&name),
            wrong,
        );
    }
}

fn ratio(
    name: &str,
    kind: &str,
    most: &Quantity,
    request: Option<&Quantity>,
    limit: Option<&Quantity>,
    wrong: &mut Vec<String>,
) {
    let words = format!("{name} max limit to request ratio per {kind} is {most}, but");
    // A ratio with zero is undefined, so upstream treats zero as absent.
    let set = |amount: Option<&Quantity>| amount.is_some_and(|a| a.signum() != 0);
    match (request, limit) {
        (request, _) if !set(request) => {
            wrong.push(format!("{words} no request is specified or request is 0"));
        }
        (_, limit) if !set(limit) => {
            wrong.push(format!("{words} no limit is specified or limit is 0"));
        }
        (Some(request), Some(limit)) => {
            let ratio = limit.to_f64() / request.to_f64();
            if ratio > most.to_f64() {
                wrong.push(format!("{words} provided ratio is {ratio:.6}"));
            }
        }
        _ => {}
    }
}

/// Checks the storage of a claim against an item of a LimitRange.
pub(crate) fn claim(item: &Value, requests: &ResourceList, wrong: &mut Vec<String>) {
    let kind = text(item, "type");
    for (which, word) in [("min", "minimum"), ("max", "maximum")] {
        for (name, bound) in resource_list(item, which) {
            let words = format!("{word} {name} usage per {kind} is {bound}");
            match requests.get(&name) {
                // A claim has only requests, so its limits do not matter for either bound.
                None => wrong.push(format!("{words}.  No request is specified")),
                Some(request) => {
                    let outside = if which == "min" {
                        *request < bound
                    } else {
                        *request > bound
                    };
                    if outside {
                        wrong.push(format!("{words}, but request is {request}"));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::find;

    fn range() -> Value {
        json!({"spec": {"limits": [
            {"type": "Container", "max": {"cpu": "1"}, "min": {"cpu": "100m"},
                "maxLimitRequestRatio": {"cpu": "2"}},
            {"type": "Pod", "max": {"cpu": "1500m"}},
            {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "5Gi"}},
        ]}})
    }

    fn pod(resources: &[Value]) -> Option<String> {
        let containers: Vec<Value> = resources.iter().map(|r| json!({"resources": r})).collect();
        let pod = json!({"spec": {"containers": containers}});
        refusal(find("", "v1", "Pod").unwrap(), &pod, &[range()])
    }

    #[test]
    fn limit_range_errors_match_the_api_server() {
        let cpu = |request: &str, limit: &str| json!({"requests": {"cpu": request}, "limits": {"cpu": limit}});
        assert_eq!(
            pod(&[cpu("2", "2")]).unwrap(),
            "[maximum cpu usage per Container is 1, but limit is 2, maximum cpu usage per Pod is 1500m, \
             but limit is 2]"
        );
        assert_eq!(
            pod(&[cpu("50m", "50m")]).unwrap(),
            "minimum cpu usage per Container is 100m, but request is 50m"
        );
        assert_eq!(
            pod(&[cpu("200m", "1")]).unwrap(),
            "cpu max limit to request ratio per Container is 2, but provided ratio is 5.000000"
        );
        assert_eq!(
            pod(&[cpu("1", "1"), cpu("1", "1")]).unwrap(),
            "maximum cpu usage per Pod is 1500m, but limit is 2"
        );
        assert_eq!(pod(&[cpu("500m", "1")]), None);
        // The other ranges are not asked any more.
        let kind = find("", "v1", "Pod").unwrap();
        let small = json!({"spec": {"containers": [{"resources": cpu("50m", "50m")}]}});
        assert_eq!(
            refusal(kind, &small, &[range(), range()]).unwrap(),
            "minimum cpu usage per Container is 100m, but request is 50m"
        );
        let claim = json!({"spec": {"resources": {"requests": {"storage": "512Mi"}}}});
        let kind = find("", "v1", "PersistentVolumeClaim").unwrap();
        assert_eq!(
            refusal(kind, &claim, &[range()]).unwrap(),
            "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 512Mi"
        );
    }

    #[test]
    fn limit_range_defaults_are_set_with_an_annotation() {
        let range = json!({"spec": {"limits": [{"type": "Container",
            "default": {"cpu": "1", "memory": "1Gi"}, "defaultRequest": {"cpu": "500m"}}]}});
        let mut pod = json!({"spec": {"containers": [
            {"name": "c", "resources": {"limits": {"cpu": "2"}}}]}});
        set_defaults(&mut pod, &[range.clone(), range]);
        assert_eq!(
            pod["spec"]["containers"][0]["resources"],
            json!({"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "500m"}})
        );
        assert_eq!(
            pod["metadata"]["annotations"][ANNOTATION],
            "LimitRanger plugin set: cpu request for container c; memory limit for container c"
        );
        let other =
            json!({"spec": {"limits": [{"type": "Container", "default": {"example.com/a": "1"}}]}});
        set_defaults(&mut pod, &[other]);
        assert_eq!(
            pod["metadata"]["annotations"][ANNOTATION],
            "LimitRanger plugin set: example.com/a limit for container c"
        );
    }
}
