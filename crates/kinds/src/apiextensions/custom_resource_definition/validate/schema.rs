//! The schemas of custom resources: the allowed keywords and the CEL rules.
//!
//! Follows `ValidateCustomResourceDefinitionOpenAPISchema` of apiextensions-apiserver.

use super::{defaults, fields, structural};
use crate::api::json::Value;
use crate::custom::{RuleContext, TotalCost, check_rule_form, check_rules, cost_multiplier};
use crate::tree::{entries, field, flag, has, len, list, text, texts};
use crate::validate::errors::Errors;
use crate::validate::go;
use crate::validate::path::Path;

const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];
const LIST_TYPE: &str = "x-kubernetes-list-type";
const MAP_TYPE: &str = "x-kubernetes-map-type";
const MAP_KEYS: &str = "x-kubernetes-list-map-keys";
const EMBEDDED: &str = "x-kubernetes-embedded-resource";

/// The keywords that make pruning and defaulting impossible.
const UNSUPPORTED: &[&str] = &[
    "id",
    "additionalItems",
    "patternProperties",
    "definitions",
    "dependencies",
    "$ref",
];

/// The root fields that are allowed with a status subresource, by their Go names.
const AT_ROOT: &[&str] = &[
    "Description",
    "Type",
    "Format",
    "Title",
    "Maximum",
    "ExclusiveMaximum",
    "Minimum",
    "ExclusiveMinimum",
    "MaxLength",
    "MinLength",
    "Pattern",
    "MaxItems",
    "MinItems",
    "UniqueItems",
    "MultipleOf",
    "Required",
    "Items",
    "Properties",
    "ExternalDocs",
    "Example",
    "XPreserveUnknownFields",
    "XValidations",
];

/// The version that a schema belongs to.
#[derive(Clone, Copy, Default)]
pub(super) struct SchemaVersion {
    /// True if the version has the subresource `status`.
    pub(super) has_status: bool,
    /// True if the schema is stored already: expensive rules of it stay.
    pub(super) stored: bool,
}

/// Validates the schema of a whole object.
pub(super) fn root(path: &Path<'_>, schema: &Value, version: SchemaVersion, errors: &mut Errors) {
    if version.has_status {
        status_fields(path, schema, errors);
    }
    if flag(schema, "nullable") {
        let at = format!("{path}.nullable");
        errors.forbidden(&Path::root(&at), "nullable cannot be true at the root");
    }
    // In upstream's order: defaults are checked only in a structural schema, and CEL rules are compiled only against
    // one.
    let mut sound = !unsupported(schema);
    if sound {
        let mut wrong = structural::check(path, schema);
        if wrong.is_empty() {
            wrong = defaults::check(path, schema);
        }
        sound = wrong.is_empty();
        errors.extend(wrong);
    }
    let mut walk = Walk::default();
    let around = SchemaPosition {
        root: true,
        rules: sound,
        stored: version.stored,
        most: Some(1),
        ..SchemaPosition::default()
    };
    walk.schema(path, schema, around);
    errors.extend(walk.errors);
    // Upstream compiles the rules after all other checks, so their errors come last.
    errors.extend(walk.rules);
    walk.cost.check(path, errors);
}

/// Rejects root keywords that cannot be checked for the status alone.
fn status_fields(path: &Path<'_>, schema: &Value, errors: &mut Errors) {
    // The error lists Go's field names, so translate the keywords of the YAML for the comparison.
    let go_name = |name: &str| {
        name.replace("x-kubernetes-", "x-")
            .split('-')
            .map(|word| {
                let mut chars = word.chars();
                let first = chars.next().map(|c| c.to_ascii_uppercase());
                first.into_iter().chain(chars).collect::<String>()
            })
            .collect::<String>()
    };
    // Go omits zero values, so `nullable: false` counts as absent.
    let zero = |value: &Value| matches!(value, Value::Null | Value::Bool(false));
    let kind = text(schema, "type");
    if !kind.is_empty() && kind != "object" {
        let detail = "only \"object\" is allowed as the type at the root of the schema if the status \
                      subresource is enabled";
        return errors.invalid_shown(&path.child("type"), &go::quoted(kind), detail);
    }
    let mut said = schema.as_object().into_iter().flatten();
    if said.any(|(name, value)| !zero(value) && !AT_ROOT.contains(&go_name(name).as_str())) {
        let detail = format!(
            "only [{}] fields are allowed at the root of the schema if the status subresource is \
             enabled",
            AT_ROOT.join(" ")
        );
        errors.invalid(path, schema, &detail);
    }
}

/// Returns true if a schema, or one within it, uses a keyword that structural schemas do not allow.
fn unsupported(schema: &Value) -> bool {
    let preserve = field(schema, "x-kubernetes-preserve-unknown-fields");
    let own = UNSUPPORTED.iter().any(|name| given(schema, name))
        || field(schema, "items").is_array()
        || *preserve == Value::Bool(false);
    let below = |name: &str| unsupported(field(schema, name));
    let any = |name: &str| list(schema, name).iter().any(unsupported);
    own || schema.is_object()
        && (["items", "additionalProperties", "not"]
            .into_iter()
            .any(below)
            || ["allOf", "anyOf", "oneOf"].into_iter().any(any)
            || entries(schema, "properties").any(|(_, inner)| unsupported(inner)))
}

/// Returns true if a keyword is present and not empty.
fn given(schema: &Value, name: &str) -> bool {
    match field(schema, name) {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        // `additionalItems: {}` is a statement, because it allows anything. In all other keywords, an empty map
        // counts as absent.
        Value::Object(map) => !map.is_empty() || name == "additionalItems",
        _ => true,
    }
}

/// The position of a schema, and what follows from it.
#[derive(Clone, Default)]
struct SchemaPosition {
    /// True for the schema of the whole object.
    root: bool,
    /// True if its CEL rules are checked: the whole schema is valid, and the schema is not within `allOf`, `anyOf`,
    /// `oneOf` or `not`.
    rules: bool,
    /// The reason why the schema must not have a default.
    no_default: Option<String>,
    /// True within the metadata of an object.
    in_metadata: bool,
    /// The path below which values have no counterpart in the old object.
    lost: Option<String>,
    /// True if the schema is stored already.
    stored: bool,
    /// The largest number of values of the schema in an object, or `None` without a limit.
    most: Option<u64>,
}

#[derive(Default)]
struct Walk {
    errors: Errors,
    rules: Errors,
    cost: TotalCost,
}

impl Walk {
    fn schema(&mut self, path: &Path<'_>, schema: &Value, around: SchemaPosition) {
        if !schema.is_object() {
            return;
        }
        let before = self.errors.len();
        keywords(path, schema, &around, &mut self.errors);
        self.below(path, schema, &around);
        maps(path, schema, &mut self.errors);
        lists(path, schema, &mut self.errors);
        rule_forms(path, schema, &mut self.errors);
        // In an invalid schema, a rule would only repeat the error as a compilation error.
        if around.rules && self.errors.len() == before {
            let rules = RuleContext {
                root: around.root,
                lost: around.lost.as_deref(),
                most: around.most,
                stored: around.stored,
            };
            check_rules(path, schema, &rules, &mut self.cost, &mut self.rules);
        }
    }

    fn below(&mut self, path: &Path<'_>, schema: &Value, around: &SchemaPosition) {
        let multiplier = cost_multiplier(schema);
        let inner = SchemaPosition {
            root: false,
            most: around
                .most
                .and_then(|most| Some(most.saturating_mul(multiplier?))),
            ..around.clone()
        };
        let mut more = inner.clone();
        if around.in_metadata {
            let why = "inside additionalProperties applying to object metadata";
            more.no_default = Some(why.to_owned());
        }
        let at = path.child("additionalProperties");
        self.schema(&at, field(schema, "additionalProperties"), more);
        let properties = path.child("properties");
        for (name, property) in entries(schema, "properties") {
            let mut inner = inner.clone();
            // An atomic map is replaced as a whole, so transition rules within it cannot pair old and new values.
            if text(schema, MAP_TYPE) == "atomic" {
                inner.lost = inner.lost.or_else(|| Some(path.to_string()));
            }
            let own = around.root || flag(schema, EMBEDDED);
            if own && matches!(name, "metadata" | "kind" | "apiVersion") {
                inner.in_metadata = true;
                if around.root {
                    // Defaults for the metadata of the object itself would bypass the API server's.
                    inner.no_default = Some(format!("in top-level {name}"));
                }
            }
            self.schema(&properties.key(name), property, inner);
        }
        // Schemas in junctors cannot have rules: they describe alternatives rather than the value.
        let value = SchemaPosition {
            rules: false,
            ..inner.clone()
        };
        self.schema(&path.child("not"), field(schema, "not"), value.clone());
        for name in ["allOf", "oneOf", "anyOf"] {
            let path = path.child(name);
            for (index, schema) in list(schema, name).iter().enumerate() {
                self.schema(&path.index(index), schema, value.clone());
            }
        }
        let mut item = inner;
        // Only items of a `map` list can be matched across updates.
        if text(schema, LIST_TYPE) != "map" {
            item.lost = item.lost.or_else(|| Some(path.to_string()));
        }
        self.schema(&path.child("items"), field(schema, "items"), item);
    }
}

/// Validates the OpenAPI keywords that custom resources may use.
fn keywords(path: &Path<'_>, schema: &Value, around: &SchemaPosition, errors: &mut Errors) {
    let kind = text(schema, "type");
    if !kind.is_empty() && !TYPES.contains(&kind) {
        errors.not_supported(&path.child("type"), field(schema, "type"), TYPES);
    }
    if let (true, Some(why)) = (has(schema, "default"), &around.no_default) {
        errors.forbidden(&path.child("default"), &format!("must not be set {why}"));
    }
    for name in UNSUPPORTED.iter().filter(|name| given(schema, name)) {
        errors.forbidden(&path.child(name), &format!("{name} is not supported"));
    }
    if kind == "null" {
        let detail = "type cannot be set to null, use nullable as an alternative";
        errors.forbidden(&path.child("type"), detail);
    }
    if field(schema, "items").is_array() {
        let detail = "items must be a schema object and not an array";
        errors.forbidden(&path.child("items"), detail);
    }
    if around.in_metadata && flag(schema, EMBEDDED) {
        errors.forbidden(
            &path.child(EMBEDDED),
            "must not be used inside of resource meta",
        );
    }
    if flag(schema, "uniqueItems") {
        let detail =
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        errors.forbidden(&path.child("uniqueItems"), detail);
    }
    // A structural schema is either a map or an object with fields, which determines how it is pruned.
    let closed = matches!(
        field(schema, "additionalProperties"),
        Value::Bool(false) | Value::Object(_)
    );
    if closed && len(schema, "properties") > 0 {
        let detail = "additionalProperties and properties are mutual exclusive";
        errors.forbidden(&path.child("additionalProperties"), detail);
    }
    let name = "x-kubernetes-preserve-unknown-fields";
    let preserve = field(schema, name);
    if *preserve == Value::Bool(false) {
        errors.invalid(&path.child(name), preserve, "must be true or undefined");
    }
}

/// Requires the type that a keyword needs: `must be TYPE if KEYWORD is specified`.
fn has_type(
    path: &Path<'_>,
    schema: &Value,
    keyword: &str,
    expected: &str,
    errors: &mut Errors,
) -> bool {
    let kind = text(schema, "type");
    let detail = format!("must be {expected} if {keyword} is specified");
    match kind {
        kind if kind == expected => return true,
        "" => errors.required(&path.child("type"), &detail),
        kind => errors.invalid_shown(&path.child("type"), &go::quoted(kind), &detail),
    }
    false
}

fn maps(path: &Path<'_>, schema: &Value, errors: &mut Errors) {
    if !has(schema, MAP_TYPE) {
        return;
    }
    has_type(path, schema, MAP_TYPE, "object", errors);
    let supported = &["atomic", "granular"];
    if !supported.contains(&text(schema, MAP_TYPE)) {
        errors.not_supported(&path.child(MAP_TYPE), field(schema, MAP_TYPE), supported);
    }
}

fn lists(path: &Path<'_>, schema: &Value, errors: &mut Errors) {
    let (kind, items) = (text(schema, LIST_TYPE), field(schema, "items"));
    let items_path = path.child("items");
    let known = has(schema, LIST_TYPE);
    // Items of a set are compared as a whole, so merging their fields would change their identity.
    if known && has_type(path, schema, LIST_TYPE, "array", errors) && kind == "set" {
        let must = "must be atomic as item of a list with x-kubernetes-list-type=set";
        let own = field(items, LIST_TYPE);
        match text(items, "type") {
            "array" if !own.is_null() && own != "atomic" => {
                errors.invalid(&items_path.child(LIST_TYPE), own, must);
            }
            "object" if text(items, MAP_TYPE) != "atomic" => {
                errors.invalid(&items_path.child(MAP_TYPE), own, must);
            }
            _ => {}
        }
    }
    let supported = &["atomic", "set", "map"];
    if known && !supported.contains(&kind) {
        errors.not_supported(&path.child(LIST_TYPE), field(schema, LIST_TYPE), supported);
    }
    if len(schema, MAP_KEYS) > 0 && kind != "map" {
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        match known {
            false => errors.required(&path.child(LIST_TYPE), detail),
            true => errors.invalid(&path.child(LIST_TYPE), field(schema, LIST_TYPE), detail),
        }
    }
    if kind == "map" {
        map_keys(path, schema, errors);
    }
    if matches!(kind, "set" | "map") && items.is_object() {
        identified(path, schema, errors);
    }
}

/// Validates the keys of a `map` list.
fn map_keys(path: &Path<'_>, schema: &Value, errors: &mut Errors) {
    let (keys, at) = (field(schema, MAP_KEYS), path.child(MAP_KEYS));
    if len(schema, MAP_KEYS) == 0 {
        let detail = "must not be empty if x-kubernetes-list-type is map";
        errors.required(&at, detail);
    }
    let (items, items_path) = (field(schema, "items"), path.child("items"));
    let kind = text(items, "type");
    let scalar = "parent array's x-kubernetes-list-type is map";
    if items.is_null() {
        let detail = "must have a schema if x-kubernetes-list-type is map";
        errors.required(&items_path, detail);
    } else if items.is_object() && kind != "object" {
        let detail = format!("must be object if {scalar}");
        errors.invalid_shown(&items_path.child("type"), &go::quoted(kind), &detail);
    }
    if kind != "object" {
        return;
    }
    let properties = items_path.child("properties");
    for (index, key) in texts(schema, MAP_KEYS).enumerate() {
        match field(field(items, "properties"), key) {
            Value::Null => {
                errors.invalid(&at, keys, "entries must all be names of item properties");
            }
            own if matches!(text(own, "type"), "array" | "object") => {
                let detail = format!("must be a scalar type if {scalar}");
                let at = properties.key(key);
                // Upstream shows the type of the item instead of the key.
                errors.invalid_shown(&at.child("type"), &go::quoted(kind), &detail);
            }
            _ => {}
        }
        if texts(schema, MAP_KEYS)
            .take(index)
            .any(|other| other == key)
        {
            errors.invalid(&at, keys, "must not contain duplicate entries");
        }
    }
}

/// Rejects nullable items in lists of type `set` and `map`, and keys that may be missing.
fn identified(path: &Path<'_>, schema: &Value, errors: &mut Errors) {
    let (items, path) = (field(schema, "items"), path.child("items"));
    let kind = text(schema, LIST_TYPE);
    if flag(items, "nullable") {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {kind}");
        errors.forbidden(&path.child("nullable"), &detail);
    }
    if kind != "map" {
        return;
    }
    let properties = path.child("properties");
    for key in texts(schema, MAP_KEYS) {
        let own = field(field(items, "properties"), key);
        let at = properties.key(key);
        let required = texts(items, "required").any(|name| name == key);
        // Without the key, two items could not be told apart.
        if own.is_object() && !required && !has(own, "default") {
            let detail = "this property is in x-kubernetes-list-map-keys, so it must have a default \
                          or be a required property";
            errors.required(&at.child("default"), detail);
        }
        if flag(own, "nullable") {
            let detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            errors.forbidden(&at.child("nullable"), detail);
        }
    }
}

/// Validates the form of the rules of one schema, without those of nested schemas, and their `fieldPath`.
fn rule_forms(path: &Path<'_>, schema: &Value, errors: &mut Errors) {
    let path = path.child("x-kubernetes-validations");
    for (index, rule) in list(schema, "x-kubernetes-validations").iter().enumerate() {
        let told = text(rule, "fieldPath");
        let path = path.index(index);
        check_rule_form(&path, rule, errors);
        let at = path.child("fieldPath");
        let mut wrong = |detail: &str| errors.invalid_shown(&at, &go::quoted(told), detail);
        if !told.is_empty() && told.trim().is_empty() {
            wrong("fieldPath must be non-empty if specified");
        }
        if told.contains(['\n', '\r']) {
            wrong("fieldPath must not contain line breaks");
        }
        if !told.is_empty() && fields::resolve(told, schema, true).is_err() {
            wrong("fieldPath must be a valid path");
        }
    }
}

/// The maximum number of selectable fields of a version.
const MAX_SELECTABLE: usize = 8;

/// Validates the selectable fields of a version.
pub(super) fn selectable(path: &Path<'_>, schema: &Value, all: &[Value], errors: &mut Errors) {
    let mut seen: Vec<Vec<String>> = Vec::new();
    for (index, selectable) in all.iter().enumerate() {
        let own = path.index(index);
        let at = own.child("jsonPath");
        let told = text(selectable, "jsonPath");
        if told.is_empty() {
            errors.required(&at, "");
            continue;
        }
        let shown = go::quoted(told);
        let (names, found) = match fields::resolve(told, schema, false) {
            Ok(found) => found,
            Err(why) => {
                errors.invalid_shown(&at, &shown, &format!("is an invalid path: {why}"));
                continue;
            }
        };
        // `metadata.name` and `metadata.namespace` are always selectable, and no other metadata ever is.
        if names.first().is_some_and(|name| name == "metadata") {
            errors.invalid_shown(&at, &shown, "must not point to fields in metadata");
        }
        if !matches!(text(found, "type"), "string" | "boolean" | "integer") {
            let detail = "must point to a field of type string, boolean or integer. Enum string fields \
                          and strings with formats are allowed.";
            errors.invalid_shown(&at, &shown, detail);
        }
        match seen.contains(&names) {
            true => errors.duplicate(&at, &shown),
            false => seen.push(names),
        }
    }
    if seen.len() > MAX_SELECTABLE {
        errors.too_many(path, seen.len(), MAX_SELECTABLE);
    }
}
