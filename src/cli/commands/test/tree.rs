//! Assertion trees of chainsaw: partial objects whose keys and values may be expressions.

use crate::api::changes::Difference;
use crate::api::json::{Value, json};
use crate::print::jmespath::{Expression, Variables, equal};

/// Returns the expression of a text in parentheses.
fn expression(text: &str) -> Option<&str> {
    text.trim().strip_prefix('(')?.strip_suffix(')')
}

/// Returns a value in which every text in parentheses is replaced by the value of the expression.
pub(super) fn templated(value: &Value, variables: &Variables) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => match expression(text) {
            Some(text) => Expression::parse(text)?.eval(&Value::Null, variables)?,
            None => value.clone(),
        },
        Value::Array(list) => {
            let items = list.iter().map(|item| templated(item, variables));
            Value::from(items.collect::<Result<Vec<Value>, String>>()?)
        }
        Value::Object(map) => {
            let mut pairs = Vec::new();
            for (name, value) in map.iter() {
                let name = match expression(name.as_str()) {
                    // A key may be an expression too, such as `($label)`.
                    Some(text) => Expression::parse(text)?
                        .eval(&Value::Null, variables)?
                        .as_str()
                        .unwrap_or_default()
                        .to_owned(),
                    None => name.to_string(),
                };
                pairs.push((name, templated(value, variables)?));
            }
            Value::from_iter(pairs)
        }
        _ => value.clone(),
    })
}

/// Compares a value with a tree; `before` of a difference is the expected value.
pub(super) fn differing(
    tree: &Value,
    actual: &Value,
    variables: &Variables,
) -> Result<Vec<Difference>, String> {
    let mut walk = Walk {
        variables: variables.clone(),
        found: Vec::new(),
    };
    walk.compare(tree, Some(actual), "")?;
    Ok(walk.found)
}

struct Walk {
    variables: Variables,
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
            (Value::String(text), _) if expression(text).is_some() => {
                let text = expression(text).unwrap_or_default();
                let input = actual.cloned().unwrap_or_default();
                let wanted = Expression::parse(text)?.eval(&input, &self.variables)?;
                if !equal(&wanted, &input) {
                    self.differs(path, &wanted, actual);
                }
            }
            // The API drops null fields, so an absent field is what null expects.
            (Value::Null, None) => {}
            (tree, Some(actual)) if equal(tree, actual) => {}
            (tree, actual) => self.differs(path, tree, actual),
        }
        Ok(())
    }

    /// Compares an entry of a map: `key`, `(expression)`, `~.key` for each item, `key->name` to keep the value.
    fn entry(
        &mut self,
        key: &str,
        value: &Value,
        actual: &Value,
        path: &str,
    ) -> Result<(), String> {
        // Removed first: the remainder may be an expression in parentheses.
        let (key, name) = match key.rsplit_once("->") {
            Some((key, name)) => (key, Some(name)),
            None => (key, None),
        };
        let (index, key) = match key.strip_prefix('~').and_then(|rest| rest.split_once('.')) {
            Some((index, key)) => (Some(index), key),
            None => (None, key),
        };
        // An absent field is not null: null may be expected, but a tree below it is not there.
        let found = match expression(key) {
            Some(text) => Some(Expression::parse(text)?.eval(actual, &self.variables)?),
            None => actual.get(key).cloned(),
        };
        if let Some(name) = name {
            self.variables
                .insert(name.to_owned(), found.clone().unwrap_or_default());
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
            // The name identifies an entry of a map.
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
            // Without a name of its own, the place of the item is `$index`.
            let name = if index.is_empty() { "index" } else { index };
            self.variables.insert(name.to_owned(), at);
            self.compare(value, Some(&item), &path)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(tree: Value) -> Vec<String> {
        let actual = json!({"spec": {"replicas": 3, "list": [{"n": "a", "v": 1}, {"n": "b", "v": 2}]}, "status": {"ready": 2}});
        let variables = Variables::from([("wanted".to_owned(), json!(3))]);
        let found = differing(&tree, &actual, &variables).unwrap();
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
