//! The paths of an object's number of replicas, and the `Scale` that shows it.

use crate::api::json::{Value, json};
use crate::api::selector::LabelSelector;
use crate::kinds::Kind;
use crate::objects;

/// The fields of an object that `/scale` shows.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::{Place, ScalePaths, find_kind};
///
/// let deployments = Place::new(find_kind("apps/v1", "Deployment").unwrap(), "default");
/// let paths = ScalePaths::for_kind(deployments.kind).unwrap();
/// assert_eq!(paths.spec, ["spec", "replicas"]);
/// let web = json!({"metadata": {"name": "web"}, "spec": {"replicas": 3}, "status": {"replicas": 2}});
/// assert_eq!(paths.show(&web)["spec"]["replicas"], 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalePaths {
    /// The fields down to the desired number of replicas.
    pub spec: Vec<String>,
    /// The fields down to the current number.
    pub status: Vec<String>,
    /// The fields down to the selector of the Pods; `None` without a selector.
    pub selector: Option<Vec<String>>,
}

impl ScalePaths {
    /// Returns the paths of a kind, or `None` if it cannot be scaled.
    pub fn for_kind(kind: &Kind) -> Option<Self> {
        // A definition has its own paths; built-in kinds all use the same ones.
        if let Some(custom) = kind.custom {
            let scale = custom.scale.as_ref()?;
            let selector = scale.label_selector.as_deref();
            return Some(Self::custom(
                &scale.spec_replicas,
                &scale.status_replicas,
                selector,
            ));
        }
        kind.subresource("scale")?;
        Some(Self {
            spec: path(".spec.replicas"),
            status: path(".status.replicas"),
            selector: Some(path(".spec.selector")),
        })
    }

    /// Returns the paths that a custom resource's definition names, such as `.spec.replicas`.
    pub fn custom(spec: &str, status: &str, selector: Option<&str>) -> Self {
        Self {
            spec: path(spec),
            status: path(status),
            selector: selector.map(path),
        }
    }

    /// Returns true if an object has a desired number of replicas.
    pub fn has_replicas(&self, object: &Value) -> bool {
        at(object, &self.spec).is_i64()
    }

    /// Returns the `Scale` of an object.
    pub fn show(&self, object: &Value) -> Value {
        let metadata = &object["metadata"];
        let mut shown = json!({});
        // Kubernetes copies these and no others: labels and owners stay with the object.
        for name in [
            "creationTimestamp",
            "name",
            "namespace",
            "resourceVersion",
            "uid",
        ] {
            if let Some(value) = metadata.get(name) {
                shown[name] = value.clone();
            }
        }
        let mut status = json!({"replicas": at(object, &self.status).as_i64().unwrap_or(0)});
        let selector = self
            .selector
            .as_ref()
            .map(|path| selector_text(at(object, path)));
        if let Some(text) = selector.filter(|text| !text.is_empty()) {
            status["selector"] = json!(text);
        }
        let mut spec = json!({});
        let wanted = at(object, &self.spec).as_i64().unwrap_or(0);
        // Go marshals `ScaleSpec.replicas` with `omitempty`, but `ScaleStatus.replicas` without.
        if wanted != 0 {
            spec["replicas"] = json!(wanted);
        }
        json!({
            "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": shown,
            "spec": spec, "status": status,
        })
    }

    /// Returns the object with another number of replicas and the preconditions of the scale.
    pub(crate) fn set(&self, object: &Value, scale: &Value) -> Value {
        let mut new = object.clone();
        let mut place = &mut new;
        for name in &self.spec {
            // A custom resource may lack the fields on the way to its replicas.
            if !place[name.as_str()].is_object() && Some(name) != self.spec.last() {
                place[name.as_str()] = json!({});
            }
            place = &mut place[name.as_str()];
        }
        *place = json!(scale["spec"]["replicas"].as_i64().unwrap_or(0));
        // Preconditions of the scale become those of the object.
        for name in ["resourceVersion", "uid"] {
            let own = objects::meta(scale, name);
            if !own.is_empty() {
                new["metadata"][name] = json!(own);
            }
        }
        new
    }
}

fn path(text: &str) -> Vec<String> {
    let names = text.split('.').filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

fn at<'a>(object: &'a Value, path: &[String]) -> &'a Value {
    path.iter()
        .fold(object, |value, name| &value[name.as_str()])
}

/// Returns a selector as text: `a=b,c in (d,e)`. It may be a text, a map of labels or a label selector.
fn selector_text(selector: &Value) -> String {
    if let Some(text) = selector.as_str() {
        return text.to_owned();
    }
    // A ReplicationController has a plain map of labels instead of a selector.
    let labels = selector
        .as_object()
        .is_some_and(|map| map.values().all(Value::is_string));
    let parsed = match labels {
        true => LabelSelector::from_labels(Some(selector)),
        false => LabelSelector::from_object(Some(selector)),
    };
    parsed
        .map(|selector| selector.to_string())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn custom_paths_show_custom_fields() {
        let paths = ScalePaths::custom(".spec.size", ".status.now", Some(".status.selector"));
        let object = json!({"metadata": {"name": "a"}, "spec": {"size": 2},
            "status": {"now": 1, "selector": "a=b"}});
        let shown = paths.show(&object);
        assert_eq!(shown["spec"]["replicas"], 2);
        assert_eq!(shown["status"], json!({"replicas": 1, "selector": "a=b"}));
        assert_eq!(
            paths.set(&object, &json!({"spec": {"replicas": 5}}))["spec"]["size"],
            5
        );
    }
}
