//! Estimates the costs of the CEL rules of a definition, and rejects definitions that are too expensive.
//!
//! Follows `SchemaDeclType` of apiserver and `ValidateCustomResourceDefinitionOpenAPISchema` of
//! apiextensions-apiserver.

use std::collections::BTreeMap;

use super::adapt::is_resource;
use crate::api::json::Value;
use crate::cel::escaped;
use crate::tree::{entries, field, flag, has, list, text, texts};
use crate::validate::errors::Errors;
use crate::validate::path::Path;

/// The size of the largest request. Without a limit in the schema, values are as large as fit into a request.
const REQUEST: u64 = 3 << 20;

/// The largest estimated cost of all expressions of a schema.
const TOTAL_LIMIT: u64 = 100_000_000;

/// The maximum number of expressions that the error about the total names.
const MOST_NAMED: usize = 4;

/// The largest sizes of the values that a schema describes.
#[derive(Debug)]
pub(super) struct Sizes {
    /// The largest number of characters, items or entries; 0 for values of one size.
    max: u64,
    /// The length of the shortest JSON.
    json: u64,
    inner: Inner,
}

#[derive(Debug)]
enum Inner {
    None,
    Fields(BTreeMap<String, Sizes>),
    Items(Box<Sizes>),
    Values(Box<Sizes>),
}

impl Sizes {
    fn simple(max: u64, json: u64) -> Self {
        Self {
            max,
            json,
            inner: Inner::None,
        }
    }

    /// Returns the sizes for a schema, or `None` if expressions cannot use its values. `root` marks the schema of whole
    /// objects.
    pub(super) fn from_schema(schema: &Value, root: bool) -> Option<Self> {
        let limit = |name: &str| {
            let limit = field(schema, name).as_i64();
            limit.map(|limit| u64::try_from(limit).unwrap_or(0))
        };
        // The quotes do not count.
        let longest = REQUEST - 2;
        // `maxLength` counts characters, which have up to four bytes.
        let characters = limit("maxLength").map(|max| max.saturating_mul(4));
        if flag(schema, "x-kubernetes-int-or-string") {
            return Some(Self::simple(characters.unwrap_or(longest), 1));
        }
        let found = match (text(schema, "type"), text(schema, "format")) {
            ("boolean", _) => Self::simple(0, 4),
            ("integer" | "number", _) => Self::simple(0, 1),
            ("string", "byte") => Self::simple(limit("maxLength").unwrap_or(longest), 2),
            ("string", "duration") => Self::simple(32, 3),
            ("string", "date") => Self::simple(12, 12),
            ("string", "date-time") => Self::simple(32, 21),
            ("string", _) => {
                let values = list(schema, "enum").iter().filter_map(Value::as_str);
                let longest_value = values.map(|value| value.len() as u64).max();
                let listed = match list(schema, "enum") {
                    [] => None,
                    _ => Some(longest_value.unwrap_or(0)),
                };
                Self::simple(characters.or(listed).unwrap_or(longest), 2)
            }
            ("array", _) => {
                let items = Self::from_schema(field(schema, "items"), false)?;
                // Each item is followed by a comma.
                let fitting = longest / (items.json + 1);
                Self {
                    max: limit("maxItems").unwrap_or(fitting),
                    json: 2,
                    inner: Inner::Items(Box::new(items)),
                }
            }
            ("object", _) if field(schema, "additionalProperties").is_object() => {
                let values = Self::from_schema(field(schema, "additionalProperties"), false)?;
                // Two characters of the key, its quotes, a colon and a comma.
                let fitting = longest / (values.json + 6);
                Self {
                    max: limit("maxProperties").unwrap_or(fitting),
                    json: 2,
                    inner: Inner::Values(Box::new(values)),
                }
            }
            ("object", _) => Self::from_object_schema(schema, root),
            _ => return None,
        };
        Some(found)
    }

    fn from_object_schema(schema: &Value, root: bool) -> Self {
        let mut json = 2;
        let mut fields = BTreeMap::new();
        for (name, property) in entries(schema, "properties") {
            let Some(sizes) = Self::from_schema(property, false) else {
                continue;
            };
            // The server sets defaults, so they need no space in a request.
            if texts(schema, "required").any(|own| own == name) && !has(property, "default") {
                json += name.len() as u64 + sizes.json + 4;
            }
            if let Some(name) = escaped(name) {
                fields.insert(name, sizes);
            }
        }
        if is_resource(schema, root) {
            let unlimited = || Self::simple(REQUEST - 2, 2);
            for name in ["apiVersion", "kind"] {
                fields.insert(name.to_owned(), unlimited());
            }
            let metadata = ["name", "generateName"].map(|name| (name.to_owned(), unlimited()));
            let metadata = Self {
                max: 0,
                json: 2,
                inner: Inner::Fields(metadata.into()),
            };
            fields.insert("metadata".to_owned(), metadata);
        }
        Self {
            max: 0,
            json,
            inner: Inner::Fields(fields),
        }
    }

    /// Returns the largest size of the value at a path, whose first name is the variable with the whole value.
    pub(super) fn at(&self, path: &[String]) -> Option<u64> {
        let mut here = self;
        for name in path.iter().skip(1) {
            here = match (&here.inner, name.as_str()) {
                (Inner::Items(items), "@items" | "@values") => items,
                (Inner::Values(values), "@items" | "@values") => values,
                // The schema does not limit keys, and upstream counts them as empty.
                (Inner::Values(_), "@keys") => return Some(0),
                (Inner::Fields(fields), name) => fields.get(name)?,
                _ => return None,
            };
        }
        Some(here.max)
    }

    /// Returns the number of values that fit into a request.
    pub(super) fn most_in_request(&self) -> u64 {
        REQUEST / (self.json + 1)
    }
}

/// Returns by how much a schema multiplies the number of its inner values, or `None` without a limit.
pub(crate) fn multiplier(schema: &Value) -> Option<u64> {
    let limit = |name: &str| {
        let limit = field(schema, name).as_i64()?;
        Some(u64::try_from(limit).unwrap_or(0))
    };
    let more = field(schema, "additionalProperties");
    match text(schema, "type") {
        "object" if !more.is_null() => limit("maxProperties"),
        "array" => limit("maxItems"),
        _ => Some(1),
    }
}

/// Returns the error about an estimate over the limit.
pub(super) fn exceeded(what: &str, cost: u64, limit: u64) -> Option<String> {
    if cost <= limit {
        return None;
    }
    let times = cost as f64 / limit as f64;
    let times = match times {
        times if times > 100.0 => "more than 100x".to_owned(),
        // One digit would show a factor of 1.0.
        times if times < 1.5 => format!("{times:.6}x"),
        times => format!("{times:.1}x"),
    };
    Some(format!(
        "{what} exceeds budget by factor of {times} (try simplifying the rule, or adding maxItems, maxProperties, and \
         maxLength where arrays, maps, and strings are declared)"
    ))
}

/// The estimated cost of all expressions of a schema.
#[derive(Debug, Default)]
pub(crate) struct Total {
    cost: u64,
    /// The paths of the most expensive expressions, with their costs.
    expensive: Vec<(String, u64)>,
}

impl Total {
    /// Adds the cost of the expression at the path.
    pub(super) fn add(&mut self, path: &Path<'_>, cost: u64) {
        self.cost = self.cost.saturating_add(cost);
        // An expression with less than a hundredth of the limit is not the cause.
        if cost < TOTAL_LIMIT / 100 {
            return;
        }
        self.expensive.push((path.to_string(), cost));
        self.expensive
            .sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
        self.expensive.truncate(MOST_NAMED);
    }

    /// Adds the errors about a total over the limit. `path` is that of the schema.
    pub(crate) fn check(&self, path: &Path<'_>, errors: &mut Errors) {
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        let Some(detail) = exceeded(what, self.cost, TOTAL_LIMIT) else {
            return;
        };
        for (path, _) in &self.expensive {
            let detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            errors.forbidden(&Path::root(path), detail);
        }
        errors.forbidden(path, &detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::custom::{adapt, rules::program};

    const COSTS: &str = include_str!("../../../../testdata/custom/costs.tsv");

    /// Returns the schema with a limit in place of `MAX`, or without the keywords that have it.
    fn limited(schema: &Value, max: Option<i64>) -> Value {
        match schema {
            Value::Object(map) => {
                let kept = map
                    .iter()
                    .filter(|(_, value)| max.is_some() || *value != "MAX");
                let inner = kept.map(|(name, value)| (name.to_string(), limited(value, max)));
                inner.collect()
            }
            Value::String(text) if text == "MAX" => Value::from(max.unwrap_or(0)),
            other => other.clone(),
        }
    }

    fn estimated(schema: &Value, rule: &str) -> u64 {
        let this = adapt::type_of(schema, false);
        let sizes = Sizes::from_schema(schema, false).unwrap();
        let names = [("self", this.clone()), ("oldSelf", this)];
        let program = program(rule).unwrap();
        program.check(&names).unwrap();
        program.worst_cost(&names, &|path| sizes.at(path))
    }

    #[test]
    fn estimated_costs_are_those_of_upstream() {
        for line in COSTS.lines().filter(|line| !line.starts_with('#')) {
            let cells: Vec<&str> = line.split('\t').collect();
            let [rule, schema, unlimited, max, with_max] = cells[..] else {
                panic!("{line}");
            };
            let schema: Value = serde_json::from_str(schema).unwrap();
            let found = estimated(&limited(&schema, None), rule);
            match unlimited {
                ">" => assert!(found > TOTAL_LIMIT, "{rule}: {found}"),
                cost => assert_eq!(found.to_string(), cost, "{rule} of {schema}"),
            }
            let found = estimated(&limited(&schema, Some(max.parse().unwrap())), rule);
            assert_eq!(found.to_string(), with_max, "{rule} of {schema} with {max}");
        }
    }

    #[test]
    fn factors_show_as_many_digits_as_upstream() {
        let factor = |cost| {
            let text = exceeded("cost", cost, 100)?;
            Some(text.split(" (").next().unwrap_or_default().to_owned())
        };
        assert_eq!(factor(100), None);
        for (cost, expected) in [
            (101, "1.010000x"),
            (150, "1.5x"),
            (10_000, "100.0x"),
            (10_001, "more than 100x"),
        ] {
            let expected = format!("cost exceeds budget by factor of {expected}");
            assert_eq!(factor(cost), Some(expected));
        }
    }
}
