//! The names that the expressions of a policy can use, with their types.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::json::{Value, json};
use crate::cel::Type;
use crate::custom::{program, type_of};
use crate::kind::Kind;
use crate::schema::{self, Schema};
use crate::tree::{at, field, list, text};

/// The names that an expression may use.
pub(crate) type Names = Vec<(&'static str, Type)>;

/// Returns an object type with the given fields.
fn object<const N: usize>(fields: [(&str, Type); N]) -> Type {
    let fields = fields.map(|(name, ty)| (name.to_owned(), ty));
    Type::Object(Arc::new(BTreeMap::from(fields)))
}

/// Returns the names that every expression can use, given the types of objects and parameters; `params` is `None` if
/// the policy has no parameters.
pub(crate) fn names(of_object: &Type, params: Option<&Type>) -> Names {
    let mut names = vec![
        ("object", of_object.clone()),
        ("oldObject", of_object.clone()),
        ("request", request()),
        (
            "authorizer",
            Type::Opaque("kubernetes.authorization.Authorizer"),
        ),
    ];
    names.extend(params.map(|params| ("params", params.clone())));
    names
}

/// Returns the names for validations and mutations, which also include the namespace and the variables. A variable
/// may use earlier ones.
pub(crate) fn with_variables(spec: &Value, of_object: &Type, params: Option<&Type>) -> Names {
    let mut names = names(of_object, params);
    names.push(("namespaceObject", namespace()));
    let mut known = BTreeMap::new();
    for variable in list(spec, "variables") {
        let own = seeing(&names, &known);
        let checked = program(text(variable, "expression")).and_then(|p| p.check(&own));
        let name = text(variable, "name").to_owned();
        // A variable that fails the type check becomes dynamic, so its error is reported once rather than at every
        // use.
        known.insert(name, checked.unwrap_or(Type::Dyn));
    }
    seeing(&names, &known)
}

/// Returns the names with the given variables, if there are any.
pub(crate) fn seeing(names: &Names, variables: &BTreeMap<String, Type>) -> Names {
    let mut names = names.clone();
    if !variables.is_empty() {
        names.push(("variables", Type::Object(Arc::new(variables.clone()))));
    }
    names
}

fn request() -> Type {
    let kind = object([
        ("group", Type::Text),
        ("version", Type::Text),
        ("kind", Type::Text),
    ]);
    let resource = object([
        ("group", Type::Text),
        ("version", Type::Text),
        ("resource", Type::Text),
    ]);
    let user = object([
        ("username", Type::Text),
        ("uid", Type::Text),
        ("groups", Type::list(Type::Text)),
        ("extra", Type::map(Type::list(Type::Text))),
    ]);
    object([
        ("kind", kind.clone()),
        ("resource", resource.clone()),
        ("subResource", Type::Text),
        ("requestKind", kind),
        ("requestResource", resource),
        ("requestSubResource", Type::Text),
        ("name", Type::Text),
        ("namespace", Type::Text),
        ("operation", Type::Text),
        ("userInfo", user),
        ("dryRun", Type::Bool),
        // The options differ between operations, so their fields are checked at run time.
        ("options", Type::Dyn),
    ])
}

/// Returns the type of the namespace of the request.
pub(crate) fn namespace() -> Type {
    let texts = || Type::map(Type::Text);
    let metadata = object([
        ("name", Type::Text),
        ("generateName", Type::Text),
        ("namespace", Type::Text),
        ("labels", texts()),
        ("annotations", texts()),
        ("uid", Type::Text),
        ("resourceVersion", Type::Text),
        ("generation", Type::Int),
        ("creationTimestamp", Type::Dyn),
        ("deletionTimestamp", Type::Dyn),
        ("deletionGracePeriodSeconds", Type::Int),
        ("finalizers", Type::list(Type::Text)),
    ]);
    object([
        ("metadata", metadata),
        ("spec", object([("finalizers", Type::list(Type::Text))])),
        ("status", object([("phase", Type::Text)])),
    ])
}

/// Returns the type of the objects of a kind.
pub(super) fn of_kind(kind: &Kind) -> Type {
    if let Some(custom) = kind.custom {
        return type_of(&custom.schema, true);
    }
    schema::of_kind(kind.group, kind.version, kind.kind)
        .map_or(Type::Dyn, |schema| of_schema(schema, &mut Vec::new()))
}

/// Returns the type for a schema. `above` contains the enclosing schemas: a recursive schema has no finite type.
fn of_schema(schema: &'static Schema, above: &mut Vec<&'static str>) -> Type {
    if above.contains(&schema.name) {
        return Type::Dyn;
    }
    above.push(schema.name);
    let fields = schema.fields().iter();
    let fields = fields.map(|field| (field.name.to_owned(), of_field(&field.ty, above)));
    let fields = fields.collect();
    above.pop();
    Type::Object(Arc::new(fields))
}

fn of_field(ty: &schema::Type, above: &mut Vec<&'static str>) -> Type {
    match ty {
        schema::Type::String => Type::Text,
        schema::Type::Bytes => Type::Bytes,
        schema::Type::Int32 | schema::Type::Int64 => Type::Int,
        schema::Type::Number => Type::Double,
        schema::Type::Boolean => Type::Bool,
        schema::Type::Time | schema::Type::MicroTime => Type::Timestamp,
        // Quantities and int-or-strings may have several CEL types, so they stay dynamic.
        schema::Type::Quantity | schema::Type::IntOrString | schema::Type::Any => Type::Dyn,
        schema::Type::Object(named) => match named.schema() {
            Some(schema) => of_schema(schema, above),
            None => Type::Dyn,
        },
        schema::Type::List(item) => Type::list(of_field(item, above)),
        schema::Type::Map(value) => Type::map(of_field(value, above)),
    }
}

/// The maximum number of kinds against which the expressions of a policy are checked.
const MAX_KINDS: usize = 10;

/// Returns the status of a ValidatingAdmissionPolicy whose expressions are checked against the kinds that its rules
/// name, and the number of warnings; `None` if the status already covers the current generation. `resource` finds a
/// kind by group, version and resource, `named` by `apiVersion` and kind.
pub fn checked(
    policy: &Value,
    resource: &dyn Fn(&str, &str, &str) -> Option<&'static Kind>,
    named: &dyn Fn(&str, &str) -> Option<&'static Kind>,
) -> Option<(Value, usize)> {
    let generation = at(policy, &["metadata", "generation"]);
    // Check once per generation: each change of an expression raises it.
    if at(policy, &["status", "observedGeneration"]) == generation {
        return None;
    }
    let found = warnings(field(policy, "spec"), resource, named);
    let found: Vec<Value> = found
        .into_iter()
        .map(|(place, warning)| json!({"fieldRef": place, "warning": warning}))
        .collect();
    let (count, mut checking) = (found.len(), json!({}));
    if count > 0 {
        checking["expressionWarnings"] = json!(found);
    }
    let status = json!({"observedGeneration": generation, "typeChecking": checking});
    Some((status, count))
}

/// Returns the fields with expressions that do not fit the kinds, and their warnings.
fn warnings(
    spec: &Value,
    resource: &dyn Fn(&str, &str, &str) -> Option<&'static Kind>,
    named: &dyn Fn(&str, &str) -> Option<&'static Kind>,
) -> Vec<(String, String)> {
    let kinds = kinds(spec, resource);
    let wanted = field(spec, "paramKind");
    let params = (!wanted.is_null()).then(|| {
        named(text(wanted, "apiVersion"), text(wanted, "kind")).map_or(Type::Dyn, of_kind)
    });
    let seen: Vec<_> = kinds
        .iter()
        .map(|kind| (kind, with_variables(spec, &of_kind(kind), params.as_ref())))
        .collect();
    let mut warnings = Vec::new();
    for (number, validation) in list(spec, "validations").iter().enumerate() {
        for name in ["expression", "messageExpression"] {
            let expression = text(validation, name);
            if expression.is_empty() {
                continue;
            }
            let said = seen.iter().filter_map(|(kind, names)| {
                let wrong = program(expression).and_then(|p| p.check(names)).err()?;
                let version = kind.api_version();
                Some(format!("{version}, Kind={}: {wrong}\n", kind.kind))
            });
            let said: Vec<String> = said.collect();
            if !said.is_empty() {
                let place = format!("spec.validations[{number}].{name}");
                warnings.push((place, said.join("\n")));
            }
        }
    }
    warnings
}

/// Returns the kinds that the rules of a policy name explicitly.
fn kinds(
    spec: &Value,
    resource: &dyn Fn(&str, &str, &str) -> Option<&'static Kind>,
) -> Vec<&'static Kind> {
    let mut kinds: Vec<&'static Kind> = Vec::new();
    for rule in list(field(spec, "matchConstraints"), "resourceRules") {
        let all = |name: &str| -> Vec<&str> {
            let texts = list(rule, name).iter().filter_map(Value::as_str);
            // Upstream's type checker skips wildcards and subresources, because their kinds are not known in advance.
            texts.filter(|text| !text.contains(['*', '/'])).collect()
        };
        for group in all("apiGroups") {
            for version in all("apiVersions") {
                for name in all("resources") {
                    let found = resource(group, version, name);
                    kinds.extend(found.filter(|kind| !kinds.contains(kind)));
                }
            }
        }
    }
    // Truncate before sorting, so that the kinds that the policy names first are the ones checked.
    kinds.truncate(MAX_KINDS);
    kinds.sort_by_cached_key(|kind| (kind.api_version(), kind.kind));
    kinds
}
