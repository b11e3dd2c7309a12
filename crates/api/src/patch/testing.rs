//! For tests: the shapes of the built-in kinds, read from the recorded facts.

use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, OnceLock};

use super::shape::{Form, ListForm, Scalar, Shape, Strategy};
use crate::json::{Value, json};

const SCHEMAS: &str = include_str!("../../../../testdata/facts/schemas.tsv");
const MERGE: &str = include_str!("../../../../testdata/facts/list-merge.tsv");

/// A field and its properties.
#[derive(Debug, Default)]
struct Field {
    ty: &'static str,
    of: OnceLock<&'static Type>,
    default: Option<&'static str>,
    list_type: &'static str,
    keys: &'static str,
    map_type: &'static str,
    strategies: &'static str,
    merge_key: &'static str,
}

/// A type: a schema, a scalar, or a list or map of another type.
#[derive(Debug)]
struct Type {
    form: Form,
    fields: Vec<(&'static str, Field)>,
    item: Option<&'static str>,
    of: OnceLock<&'static Type>,
}

static TYPES: LazyLock<HashMap<&'static str, Type>> = LazyLock::new(|| {
    let mut schemas: BTreeMap<_, BTreeMap<&str, Field>> = BTreeMap::new();
    for row in SCHEMAS.lines().skip(1) {
        let cell: Vec<_> = row.split('\t').collect();
        let schema = schemas.entry(cell[0]).or_default();
        let field = schema.entry(cell[1]).or_default();
        field.ty = cell[2];
        field.default = cell.get(5).copied().filter(|d| !d.is_empty());
    }
    for row in MERGE.lines().skip(1) {
        let cell: Vec<_> = row.split('\t').collect();
        if let Some(field) = schemas.entry(cell[0]).or_default().get_mut(cell[1]) {
            (field.list_type, field.keys, field.map_type) = (cell[2], cell[3], cell[4]);
            (field.strategies, field.merge_key) = (cell[5], cell[6]);
        }
    }
    let mut types = HashMap::new();
    for (name, mut fields) in schemas {
        let own = fields.remove("").unwrap_or_default();
        for mut ty in fields.values().map(|f| f.ty).chain([own.ty]) {
            while let Some(item) = item_of(ty) {
                types.insert(ty, Type::new(plain_form(ty), Some(item)));
                ty = item;
            }
            let open = plain_form(ty) == Form::Any;
            types
                .entry(ty)
                .or_insert_with(|| Type::new(plain_form(ty), open.then_some(ty)));
        }
        let form = match own.ty {
            "object" if name.ends_with("FieldsV1") => Form::Any,
            "object" if own.map_type == "atomic" => Form::AtomicMap,
            "object" => Form::Struct,
            _ => Form::Scalar(Scalar::Any),
        };
        let item = (form == Form::Any).then_some(name);
        let fields = fields.into_iter().collect();
        types.insert(
            name,
            Type {
                fields,
                ..Type::new(form, item)
            },
        );
    }
    types
});

impl Type {
    fn new(form: Form, item: Option<&'static str>) -> Self {
        Self {
            form,
            fields: Vec::new(),
            item,
            of: OnceLock::new(),
        }
    }
}

fn item_of(ty: &'static str) -> Option<&'static str> {
    ty.strip_prefix("[]").or_else(|| ty.strip_prefix("map:"))
}

fn plain_form(ty: &str) -> Form {
    match ty {
        "string" | "string:byte" => Form::Scalar(Scalar::String),
        "integer:int32" | "integer:int64" | "number:double" => Form::Scalar(Scalar::Number),
        "boolean" => Form::Scalar(Scalar::Boolean),
        "any" | "object" => Form::Any,
        _ if ty.starts_with("[]") => Form::List(ListForm::Atomic),
        _ if ty.starts_with("map:") => Form::Map,
        _ => Form::Scalar(Scalar::Any),
    }
}

/// A type of the recorded schemas, together with the properties of its field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FactShape {
    ty: &'static Type,
    said: Option<&'static Field>,
}

/// Returns the shape of a kind by its schema's name, such as `apps.v1.Deployment`.
pub(crate) fn kind(name: &str) -> FactShape {
    let ty = TYPES.get(format!("io.k8s.api.{name}").as_str()).unwrap();
    FactShape { ty, said: None }
}

impl Shape for FactShape {
    fn form(&self) -> Form {
        let said = |f: fn(&Field) -> &'static str| self.said.map_or("", f);
        match (self.ty.form, said(|f| f.list_type), said(|f| f.map_type)) {
            (Form::List(_), "map", _) => Form::List(ListForm::Map),
            (Form::List(_), "set", _) => Form::List(ListForm::Set),
            (Form::Struct | Form::Map, _, "atomic") => Form::AtomicMap,
            (Form::AtomicMap, _, "granular") => Form::Struct,
            (form, _, _) => form,
        }
    }

    fn field(&self, name: &str) -> Option<Self> {
        let at = self.ty.fields.binary_search_by(|(own, _)| (*own).cmp(name));
        let said = &self.ty.fields.get(at.ok()?)?.1;
        let ty = said.of.get_or_init(|| &TYPES[said.ty]);
        let said = Some(said);
        Some(Self { ty, said })
    }

    fn element(&self) -> Option<Self> {
        let item = self.ty.item?;
        let ty = self.ty.of.get_or_init(|| &TYPES[item]);
        Some(Self { ty, said: None })
    }

    fn list_keys(&self) -> Vec<&'static str> {
        self.said.map_or("", |f| f.keys).split(',').collect()
    }

    fn default_value(&self) -> Option<Value> {
        serde_json::from_str(self.said?.default?).ok()
    }

    fn strategy(&self) -> Strategy<'_> {
        let Some(said) = self.said else {
            return Strategy::default();
        };
        let key = Some(said.merge_key).filter(|k| !k.is_empty());
        Strategy::new(said.strategies.split(','), key)
    }
}

#[test]
fn the_shapes_match_the_recorded_facts() {
    let deployment = kind("apps.v1.Deployment");
    let at = |path: &str| {
        path.split('.').fold(deployment, |shape, name| match name {
            "*" => shape.element().unwrap(),
            name => shape.field(name).unwrap(),
        })
    };
    let pod = "spec.template.spec";
    assert_eq!(at("spec.selector").form(), Form::AtomicMap);
    assert_eq!(at("spec.replicas").form(), Form::Scalar(Scalar::Number));
    assert_eq!(at("metadata.labels").form(), Form::Map);
    let ports = at(&format!("{pod}.containers.*.ports"));
    assert_eq!(ports.form(), Form::List(ListForm::Map));
    assert_eq!(ports.list_keys(), ["containerPort", "protocol"]);
    assert_eq!(ports.strategy().merge_key, Some("containerPort"));
    let protocol = ports.element().unwrap().field("protocol").unwrap();
    assert_eq!(protocol.default_value(), Some(json!("TCP")));
    let limits = at(&format!("{pod}.containers.*.resources.limits"));
    assert_eq!(limits.element().unwrap().form(), Form::Scalar(Scalar::Any));
    let volumes = at(&format!("{pod}.volumes"));
    assert!(volumes.strategy().retain_keys && volumes.strategy().merge);
}
