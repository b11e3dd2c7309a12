//! Reads what `ctl expose` needs from an object: the Pods it selects, their ports, and the protocols.

use super::service::PortProtocols;
use crate::api::json::Value;
use crate::cli::error::CliError;
use crate::cli::resource::Info;
use crate::kinds::client::PodSelector;
use crate::kinds::tree::{at, entries, field, int, len, list, text, texts};

/// Rejects a kind that cannot be exposed.
pub(super) fn check(info: &Info) -> Result<(), CliError> {
    match info.kind.is_exposable() {
        true => Ok(()),
        false => Err(CliError::text(format!(
            "cannot expose a {}",
            info.kind.qualified_kind()
        ))),
    }
}

/// Formats a map of labels as a flag does.
pub(super) fn written(labels: &Value) -> String {
    let pairs = labels.as_object().into_iter().flatten();
    let pairs = pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
    pairs.collect::<Vec<_>>().join(",")
}

/// Returns the selector of the object's Pods.
pub(super) fn selector(info: &Info) -> Result<String, CliError> {
    let object = &info.object;
    let refuse = |why: &str| {
        let text =
            format!("couldn't retrieve selectors via --selector flag or introspection: {why}");
        Err(CliError::text(text))
    };
    let spec = field(object, "spec");
    if info.kind.is_pod() {
        return match len(field(object, "metadata"), "labels") {
            0 => refuse("the pod has no labels and cannot be exposed"),
            _ => Ok(written(at(object, &["metadata", "labels"]))),
        };
    }
    match info.kind.selects_pods_by() {
        // The endpoints of a Service without a selector are set by hand, so another Service cannot select them.
        Some(PodSelector::OptionalLabels) if field(spec, "selector").is_null() => {
            refuse("the service has no pod selector set")
        }
        Some(PodSelector::OptionalLabels | PodSelector::Labels) => {
            Ok(written(field(spec, "selector")))
        }
        Some(PodSelector::Expressions) | None => {
            // A Service selects by equality only, so set-based requirements cannot be translated.
            let selector = field(spec, "selector");
            if len(selector, "matchLabels") == 0 {
                let kind = info.kind.kind.to_lowercase();
                let text = format!("invalid {kind}: no selectors, therefore cannot be exposed");
                return refuse(&text);
            }
            match list(selector, "matchExpressions") {
                [] => Ok(written(field(selector, "matchLabels"))),
                some => refuse(&format!(
                    "couldn't convert expressions - \"{}\" to map-based selector format",
                    expressions(some)
                )),
            }
        }
    }
}

/// Formats set-based requirements as kubectl's error does.
fn expressions(all: &[Value]) -> String {
    let shown = all.iter().map(|one| {
        let values: Vec<&str> = texts(one, "values").collect();
        let (key, operator, values) = (text(one, "key"), text(one, "operator"), values.join(" "));
        format!("{{Key:{key} Operator:{operator} Values:[{values}]}}")
    });
    format!("[{}]", shown.collect::<Vec<_>>().join(" "))
}

/// Returns the distinct ports, each with its protocols.
pub(super) fn ports(info: &Info) -> Vec<PortProtocols> {
    let spec = field(&info.object, "spec");
    let pod = info.kind.pod_spec_path().unwrap_or_default();
    let (all, number): (Vec<&Value>, _) = match info.kind.is_addressed() {
        true => (list(spec, "ports").iter().collect(), "port"),
        false => (of_containers(at(&info.object, &pod)), "containerPort"),
    };
    let mut ports: Vec<PortProtocols> = Vec::new();
    for port in all {
        let protocol = match text(port, "protocol") {
            "" => "TCP",
            protocol => protocol,
        };
        let (number, protocol) = (int(port, number).to_string(), protocol.to_owned());
        match ports.iter_mut().find(|(own, _)| *own == number) {
            // DNS, for example, listens on 53 over TCP and UDP. Each protocol becomes a port of the Service.
            Some((_, spoken)) => spoken.push(protocol),
            None => ports.push((number, vec![protocol])),
        }
    }
    ports
}

fn of_containers(spec: &Value) -> Vec<&Value> {
    let containers = list(spec, "containers").iter();
    containers.flat_map(|c| list(c, "ports")).collect()
}

/// Returns the labels of the object itself, which the Service inherits.
pub(super) fn labels(info: &Info) -> String {
    let metadata = field(&info.object, "metadata");
    let mut pairs = entries(metadata, "labels");
    match pairs.next() {
        Some(_) => written(field(metadata, "labels")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::kinds::{find, find_by_api_version};

    fn info(kind: &str, object: Value) -> Info {
        let kind = find("apps", "v1", kind).or(find_by_api_version("v1", kind));
        Info {
            kind: kind.unwrap(),
            namespace: "default".to_owned(),
            name: "web".to_owned(),
            source: String::new(),
            object,
        }
    }

    #[test]
    fn only_kinds_with_pods_can_be_exposed() {
        check(&info("ReplicaSet", Value::Null)).unwrap();
        let error = |kind: &str| check(&info(kind, Value::Null)).unwrap_err().to_string();
        assert_eq!(error("ConfigMap"), "cannot expose a ConfigMap");
        assert_eq!(error("DaemonSet"), "cannot expose a DaemonSet.apps");
    }

    #[test]
    fn selector_with_expressions_cannot_be_exposed() {
        let selected = |kind: &str, object: Value| selector(&info(kind, object));
        let spec = json!({"spec": {"selector": {"matchLabels": {"a": "1", "b": "2"}}}});
        assert_eq!(selected("Deployment", spec).unwrap(), "a=1,b=2");
        let sets = json!({"spec": {"selector": {
            "matchLabels": {"a": "1"},
            "matchExpressions": [{"key": "b", "operator": "In", "values": ["1", "2"]}],
        }}});
        let error = selected("Deployment", sets).unwrap_err().to_string();
        assert!(
            error.contains("\"[{Key:b Operator:In Values:[1 2]}]\""),
            "{error}"
        );
        let error = selected("Pod", json!({})).unwrap_err().to_string();
        assert!(
            error.ends_with("the pod has no labels and cannot be exposed"),
            "{error}"
        );
    }

    #[test]
    fn each_port_is_listed_once_with_its_protocols() {
        let pod = json!({"spec": {"containers": [
            {"ports": [{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 80}]},
            {"ports": [{"containerPort": 53}]},
        ]}});
        let expected = [("53", vec!["UDP", "TCP"]), ("80", vec!["TCP"])];
        let found = ports(&info("Pod", pod));
        let found: Vec<(&str, Vec<&str>)> = found
            .iter()
            .map(|(port, spoken)| (port.as_str(), spoken.iter().map(String::as_str).collect()))
            .collect();
        assert_eq!(found, expected);
    }
}
