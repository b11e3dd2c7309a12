//! Evaluates chainsaw's assertion trees: partial objects whose keys and values may be expressions.

use std::sync::Arc;

use crate::api::changes::Difference;
use crate::api::json::{Value, json};
use crate::cli::commands::version::server_version;
use crate::cli::error::CliError;
use crate::cli::fork::Fork;
use crate::cli::resource::Kinds;
use crate::cluster::{Cluster, Place};
use crate::print::jmespath::{Expression, Variables, equal};

/// The variables and the cluster that expressions can read.
#[derive(Clone, Default)]
pub(super) struct Scope {
    pub(super) variables: Variables,
    /// The cluster that functions read.
    fork: Option<Arc<Fork>>,
}

impl Scope {
    /// Returns a scope without variables that reads a cluster.
    pub(super) fn from_fork(fork: &Arc<Fork>) -> Self {
        Self {
            variables: Variables::new(),
            fork: Some(Arc::clone(fork)),
        }
    }

    /// Sets a variable.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        self.variables.insert(name.to_owned(), value);
    }

    fn eval(&self, text: &str, input: &Value) -> Result<Value, String> {
        let outer = |name: &str, arguments: &[Value]| self.call(name, arguments);
        Expression::parse(text)?.eval_with(input, &self.variables, &outer)
    }

    /// Calls a function that reads the cluster or the environment. The first argument, `$client`, always stands for the
    /// cluster of the case.
    fn call(&self, name: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
        // The client is not a text, so it is not among these arguments.
        let texts: Vec<&str> = arguments.iter().filter_map(Value::as_str).collect();
        if let ("env", [variable]) = (name, &texts[..]) {
            return Some(Ok(json!(std::env::var(variable).unwrap_or_default())));
        }
        let fork = self.fork.as_ref()?;
        let told = |e: CliError| format!("{name}(): {}", e.in_one_line());
        let get =
            |place: Result<Place, CliError>, object: &str| -> Result<Option<Value>, CliError> {
                // A missing object is a valid result of one function and an error of another.
                let found = fork.cluster.get(&place?, object).map_err(CliError::from);
                match found {
                    Err(e) if e.is_not_found() => Ok(None),
                    found => found.map(Some),
                }
            };
        let place = |version: &str, kind: &str, namespace: &str| {
            place(&fork.cluster, version, kind, namespace)
        };
        Some(match (name, &texts[..]) {
            ("x_k8s_server_version", []) => Ok(server_version()),
            ("x_k8s_resource_exists", [version, kind]) => {
                Ok(json!(place(version, kind, "").is_ok()))
            }
            ("x_k8s_list", [version, kind, rest @ ..]) => {
                let namespace = rest.first().copied().unwrap_or_default();
                let list = place(version, kind, namespace).and_then(|place| {
                    let items = fork.cluster.list(&place, &|_| true, None)?.items;
                    Ok(json!({"apiVersion": *version, "kind": format!("{kind}List"), "items": items}))
                });
                list.map_err(told)
            }
            ("x_k8s_exists", [version, kind, namespace, object]) => {
                let found = get(place(version, kind, namespace), object);
                found.map(|found| json!(found.is_some())).map_err(told)
            }
            ("x_k8s_get", [version, kind, namespace, object]) => {
                match get(place(version, kind, namespace), object) {
                    Ok(Some(found)) => Ok(found),
                    Ok(None) => Err(format!("{name}(): {kind} {object:?} does not exist")),
                    Err(e) => Err(told(e)),
                }
            }
            _ => return None,
        })
    }
}

/// Returns the place of a kind. The namespace is ignored for a cluster-scoped kind.
pub(super) fn place(
    cluster: &Cluster,
    version: &str,
    kind: &str,
    namespace: &str,
) -> Result<Place, CliError> {
    let kinds = Kinds::from_cluster(Some(cluster))?;
    let Some(kind) = kinds.of_object(version, kind) else {
        return Err(CliError::text(format!(
            "no matches for kind {kind:?} in version {version:?}"
        )));
    };
    // Callers pass the namespace of the test for every kind, even for Nodes.
    let namespace = if kind.namespaced { namespace } else { "" };
    Ok(Place::new(kind, namespace))
}

/// A text in a tree, by its form.
enum Text<'t> {
    /// Text in parentheses.
    Expression(&'t str),
    /// Text between backslashes, which would otherwise be an expression.
    Escaped(&'t str),
    Plain,
}

impl<'t> Text<'t> {
    fn parse(text: &'t str) -> Self {
        let text = text.trim();
        let inside = |open: char, close: char| text.strip_prefix(open)?.strip_suffix(close);
        match (inside('(', ')'), inside('\\', '\\')) {
            (Some(expression), _) => Self::Expression(expression),
            (None, Some(escaped)) => Self::Escaped(escaped),
            (None, None) => Self::Plain,
        }
    }
}

/// Returns a value with each text in parentheses replaced by the value of its expression.
pub(super) fn templated(value: &Value, scope: &Scope) -> Result<Value, String> {
    templated_on(value, &Value::Null, scope)
}

/// Returns a value as [`templated`] does, and evaluates its expressions on an input.
pub(super) fn templated_on(value: &Value, input: &Value, scope: &Scope) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => match Text::parse(text) {
            Text::Expression(text) => scope.eval(text, input)?,
            Text::Escaped(text) => json!(text),
            Text::Plain => value.clone(),
        },
        Value::Array(list) => {
            let items = list.iter().map(|item| templated_on(item, input, scope));
            Value::from(items.collect::<Result<Vec<Value>, String>>()?)
        }
        Value::Object(map) => {
            let mut pairs = Vec::new();
            for (name, value) in map.iter() {
                let name = match Text::parse(name.as_str()) {
                    // A key may be an expression too, such as `($label)`.
                    Text::Expression(text) => scope
                        .eval(text, input)?
                        .as_str()
                        .unwrap_or_default()
                        .to_owned(),
                    Text::Escaped(text) => text.to_owned(),
                    Text::Plain => name.to_string(),
                };
                pairs.push((name, templated_on(value, input, scope)?));
            }
            Value::from_iter(pairs)
        }
        _ => value.clone(),
    })
}

/// Compares a value with a tree. The `before` of a difference is the expected value.
pub(super) fn differing(
    tree: &Value,
    actual: &Value,
    scope: &Scope,
) -> Result<Vec<Difference>, String> {
    let mut walk = Walk {
        scope: scope.clone(),
        found: Vec::new(),
    };
    walk.compare(tree, Some(actual), "")?;
    Ok(walk.found)
}

struct Walk {
    scope: Scope,
    found: Vec<Difference>,
}

impl Walk {
    fn differs(&mut self, path: &str, expected: &Value, actual: Option<&Value>) {
        self.found.push(Difference {
            path: path.to_owned(),
            before: Some(expected.clone()),
            after: actual.cloned(),
        });
    }

    fn compare(&mut self, tree: &Value, actual: Option<&Value>, path: &str) -> Result<(), String> {
        match (tree, actual) {
            (Value::Object(map), Some(actual)) => {
                for (key, value) in map.iter() {
                    self.entry(key.as_str(), value, actual, path)?;
                }
            }
            // Lists of different lengths differ as a whole.
            (Value::Array(list), Some(Value::Array(own))) if list.len() == own.len() => {
                for (at, (value, own)) in list.iter().zip(own.iter()).enumerate() {
                    self.compare(value, Some(own), &format!("{path}[{at}]"))?;
                }
            }
            (Value::String(text), _) if !matches!(Text::parse(text), Text::Plain) => {
                let input = actual.cloned().unwrap_or_default();
                let wanted = templated_on(tree, &input, &self.scope)?;
                if !equal(&wanted, &input) {
                    self.differs(path, &wanted, actual);
                }
            }
            // The API drops null fields, so null matches an absent field.
            (Value::Null, None) => {}
            (tree, Some(actual)) if equal(tree, actual) => {}
            (tree, actual) => self.differs(path, tree, actual),
        }
        Ok(())
    }

    /// Compares an entry of a map. `~.key` applies to each item, and `key->name` binds the value to a variable.
    fn entry(
        &mut self,
        key: &str,
        value: &Value,
        actual: &Value,
        path: &str,
    ) -> Result<(), String> {
        // The name is removed first, because the rest may be an expression in parentheses.
        let (key, name) = match key.rsplit_once("->") {
            Some((key, name)) => (key, Some(name)),
            None => (key, None),
        };
        let (index, key) = match key.strip_prefix('~').and_then(|rest| rest.split_once('.')) {
            Some((index, key)) => (Some(index), key),
            None => (None, key),
        };
        // Null may be expected, but a tree cannot match an absent field, so the two differ.
        let found = match Text::parse(key) {
            Text::Expression(text) => Some(self.scope.eval(text, actual)?),
            Text::Escaped(key) => actual.get(key).cloned(),
            Text::Plain => actual.get(key).cloned(),
        };
        if let Some(name) = name {
            self.scope.set(name, found.clone().unwrap_or_default());
        }
        let path = match path.is_empty() {
            true => key.to_owned(),
            false => format!("{path}.{key}"),
        };
        let Some(index) = index else {
            return self.compare(value, found.as_ref(), &path);
        };
        let items: Vec<(Value, Value)> = match found {
            Some(Value::Array(list)) => {
                let numbered = list.iter().enumerate();
                numbered
                    .map(|(at, item)| (json!(at as u64), item.clone()))
                    .collect()
            }
            // The key of an entry serves as the index of a map.
            Some(Value::Object(map)) => map
                .iter()
                .map(|(name, item)| (json!(name.as_str()), item.clone()))
                .collect(),
            other => {
                self.differs(&path, value, other.as_ref());
                return Ok(());
            }
        };
        for (at, item) in items {
            let path = format!("{path}[{at}]");
            // Without a name of its own, the index is `$index`.
            let name = if index.is_empty() { "index" } else { index };
            self.scope.set(name, at);
            self.compare(value, Some(&item), &path)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(tree: Value) -> Vec<String> {
        let actual = json!({"spec": {"replicas": 3, "list": [{"n": "a", "v": 1}, {"n": "b", "v": 2}]}, "status": {"ready": 2}, "(x)": "(y)"});
        let mut scope = Scope::default();
        scope.set("wanted", json!(3));
        let found = differing(&tree, &actual, &scope).unwrap();
        found
            .into_iter()
            .map(|difference| difference.path)
            .collect()
    }

    #[test]
    fn keys_and_values_may_be_expressions() {
        for tree in [
            json!({"spec": {"replicas": 3}}),
            json!({"spec": {"replicas": "($wanted)", "(length(list))": 2}}),
            json!({"spec": {"(list[?n == 'b'])": [{"v": 2}]}}),
            json!({"spec": {"~.list": {"(v > `0`)": true}}}),
            json!({"spec": {"(replicas)->all": 3}, "status": {"(ready < $all)": true}}),
            json!({"(spec.replicas > status.ready)": true, "none": null}),
            json!({"\\(x)\\": "\\(y)\\"}),
        ] {
            assert_eq!(differences(tree.clone()), [""; 0], "{tree}");
        }
        assert_eq!(
            differences(json!({"spec": {"replicas": "(`4`)"}})),
            ["spec.replicas"]
        );
        assert_eq!(
            differences(json!({"spec": {"~.list": {"v": 1}}})),
            ["spec.list[1].v"]
        );
        assert_eq!(
            differences(json!({"spec": {"list": [{"n": "a"}]}, "x": {"y": 1}})),
            ["spec.list", "x"]
        );
    }
}
