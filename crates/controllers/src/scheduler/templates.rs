//! The requirements of the Pods of one template, parsed once.

use std::sync::Arc;

use super::pod_info::Needs;
use crate::api::json::{Text, Value};

/// The number of templates that are remembered.
const MOST: usize = 64;

/// Requirements, and where they were parsed from.
#[derive(Debug)]
struct Template {
    namespace: Text,
    spec: Value,
    needs: Arc<Needs>,
}

/// The templates of recent Pods, the latest first.
// Pods of one template come together, so the first one is usually that of the next Pod.
#[derive(Debug, Default)]
pub(super) struct Templates(Vec<Template>);

impl Templates {
    /// Returns the requirements of a Pod; Pods of one template share them.
    pub(super) fn needs(&mut self, spec: &Value, namespace: &str, name: &str) -> Arc<Needs> {
        let same = |t: &Template| t.namespace == namespace && requires_same(&t.spec, spec);
        if let Some(at) = self.0.iter().position(same) {
            self.0[..=at].rotate_right(1);
        } else {
            self.0.truncate(MOST - 1);
            let template = Template {
                namespace: namespace.into(),
                spec: spec.clone(),
                needs: Arc::new(Needs::read(spec, namespace, name)),
            };
            self.0.insert(0, template);
        }
        Arc::clone(&self.0[0].needs)
    }
}

/// Returns true if two specs of the same fields state the same requirements.
fn requires_same(a: &Value, b: &Value) -> bool {
    let container = |name: &str, a: &Value, b: &Value| {
        !matches!(name, "resources" | "ports" | "restartPolicy") || a == b
    };
    // Each Pod has a random name for the volume of its token. The claim of an ephemeral volume is named after the Pod,
    // so no other Pod has the same requirements.
    let volume = |name: &str, a: &Value, b: &Value| match name {
        "name" => true,
        "ephemeral" => false,
        _ => a == b,
    };
    in_step(a, b, &|name, a, b| match name {
        "affinity"
        | "nodeSelector"
        | "tolerations"
        | "topologySpreadConstraints"
        | "resources"
        | "overhead" => a == b,
        "containers" | "initContainers" => each(a, b, &|a, b| in_step(a, b, &container)),
        "volumes" => each(a, b, &|a, b| in_step(a, b, &volume)),
        _ => true,
    })
}

/// Returns true if two maps have the same fields and a rule holds for each of them.
// Looking up nine fields in both specs takes as long as parsing one (2,500 instructions); going through both in step,
// half of that.
fn in_step(a: &Value, b: &Value, rule: &dyn Fn(&str, &Value, &Value) -> bool) -> bool {
    let (Some(a), Some(b)) = (a.as_object(), b.as_object()) else {
        return false;
    };
    let mut pairs = a.iter().zip(b);
    a.len() == b.len() && pairs.all(|(a, b)| a.0 == b.0 && rule(a.0, a.1, b.1))
}

/// Returns true if two lists have the same length and a rule holds for their items in pairs.
fn each(a: &Value, b: &Value, rule: &dyn Fn(&Value, &Value) -> bool) -> bool {
    let items = |list: &Value| list.as_array().map_or(0, |items| items.len());
    let (left, right) = (a.as_array().into_iter(), b.as_array().into_iter());
    items(a) == items(b) && left.flatten().zip(right.flatten()).all(|(a, b)| rule(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn shares(a: Value, b: Value) -> bool {
        let mut templates = Templates::default();
        let [a, b] = [a, b].map(|spec| templates.needs(&spec, "default", "web"));
        Arc::ptr_eq(&a, &b)
    }

    #[test]
    fn pods_share_requirements_if_all_that_states_them_is_equal() {
        let spec = |token: &str| {
            json!({
                "containers": [{"name": "c", "image": "nginx", "volumeMounts": [{"name": token}]}],
                "volumes": [{"name": token, "projected": {}}],
            })
        };
        assert!(shares(spec("token-a"), spec("token-b")));
        // Each of these differs in one field that the scheduler reads.
        let others = [
            (
                "/containers/0",
                json!({"resources": {"requests": {"cpu": "1"}}}),
            ),
            ("/containers/0", json!({"ports": [{"hostPort": 80}]})),
            ("", json!({"initContainers": [{"name": "i"}]})),
            ("", json!({"nodeSelector": {"disk": "ssd"}})),
            ("", json!({"tolerations": [{"operator": "Exists"}]})),
            ("", json!({"affinity": {"podAffinity": {}}})),
            (
                "",
                json!({"topologySpreadConstraints": [{"topologyKey": "zone"}]}),
            ),
            ("", json!({"overhead": {"cpu": "1"}})),
            ("", json!({"resources": {"requests": {"cpu": "1"}}})),
            (
                "",
                json!({"volumes": [{"name": "a", "iscsi": {"iqn": "i"}}]}),
            ),
        ];
        for (at, fields) in others {
            let mut other = spec("token-a");
            let target = other.pointer_mut(at).and_then(Value::as_object_mut);
            let fields = fields.as_object().unwrap().clone();
            target.unwrap().extend(fields);
            assert!(!shares(spec("token-a"), other.clone()), "{other}");
        }
    }

    #[test]
    fn a_pod_with_an_ephemeral_volume_has_requirements_of_its_own() {
        let mut templates = Templates::default();
        let spec = json!({"volumes": [{"name": "data", "ephemeral": {}}]});
        let mut claim = |pod: &str| {
            let needs = templates.needs(&spec, "default", pod);
            needs.claims[0].name.clone()
        };
        assert_eq!([claim("a"), claim("b")], ["a-data", "b-data"]);
    }

    #[test]
    fn a_template_of_another_namespace_is_another_one() {
        let mut templates = Templates::default();
        let spec = json!({"containers": []});
        let [a, b] = ["a", "b"].map(|n| templates.needs(&spec, n, "web"));
        assert!(!Arc::ptr_eq(&a, &b));
    }
}
