//! For tests: the shapes of the built-in kinds, read from the recorded facts.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::shape::{Form, ListForm, Scalar, Shape, Strategy};

const SCHEMAS: &str = include_str!("../../../testdata/facts/schemas.tsv");
const MERGE: &str = include_str!("../../../testdata/facts/list-merge.tsv");

#[derive(Debug, Default)]
struct Field {
    ty: &'static str,
    default: Option<&'static str>,
    list_type: &'static str,
    keys: &'static str,
    map_type: &'static str,
    strategies: &'static str,
    merge_key: &'static str,
}

type Fields = HashMap<&'static str, Field>;

static FACTS: LazyLock<HashMap<&'static str, Fields>> = LazyLock::new(|| {
    let mut facts: HashMap<_, Fields> = HashMap::new();
    for row in SCHEMAS.lines().skip(1) {
        let cell: Vec<_> = row.split('\t').collect();
        let default = cell.get(5).copied().filter(|d| !d.is_empty());
        let field = facts
            .entry(cell[0])
            .or_default()
            .entry(cell[1])
            .or_default();
        (field.ty, field.default) = (cell[2], default);
    }
    for row in MERGE.lines().skip(1) {
        let cell: Vec<_> = row.split('\t').collect();
        if let Some(field) = facts.entry(cell[0]).or_default().get_mut(cell[1]) {
            (field.list_type, field.keys, field.map_type) = (cell[2], cell[3], cell[4]);
            (field.strategies, field.merge_key) = (cell[5], cell[6]);
        }
    }
    facts
});

static PLAIN: Field = Field {
    ty: "",
    default: None,
    list_type: "",
    keys: "",
    map_type: "",
    strategies: "",
    merge_key: "",
};

/// A type of the recorded schemas, with what its field says.
#[derive(Debug, Clone, Copy)]
pub(in crate::api) struct FactShape {
    ty: &'static str,
    said: &'static Field,
}

/// The shape of a kind by the name of its schema, such as `apps.v1.Deployment`.
pub(in crate::api) fn kind(name: &str) -> FactShape {
    let name = format!("io.k8s.api.{name}");
    let (ty, _) = FACTS.get_key_value(name.as_str()).unwrap();
    FactShape { ty, said: &PLAIN }
}

impl FactShape {
    fn fields(&self) -> Option<&'static Fields> {
        FACTS.get(self.ty)
    }

    fn own_form(&self) -> Form {
        match self.ty {
            "string" | "string:byte" => Form::Scalar(Scalar::String),
            "integer:int32" | "integer:int64" | "number:double" => Form::Scalar(Scalar::Number),
            "boolean" => Form::Scalar(Scalar::Boolean),
            "any" | "object" => Form::Any,
            _ => match self.fields() {
                None => Form::Scalar(Scalar::Any),
                Some(fields) if fields.len() > 1 => Form::Struct,
                Some(fields) => match fields.get("").map_or("", |f| f.ty) {
                    "object" if self.ty.ends_with("FieldsV1") => Form::Any,
                    "object" => Form::Struct,
                    _ => Form::Scalar(Scalar::Any),
                },
            },
        }
    }
}

impl Shape for FactShape {
    fn form(&self) -> Form {
        if self.ty.starts_with("[]") {
            return Form::List(match self.said.list_type {
                "map" => ListForm::Map,
                "set" => ListForm::Set,
                _ => ListForm::Atomic,
            });
        }
        let own = self.fields().and_then(|f| f.get(""));
        let map_type = [self.said.map_type, own.map_or("", |f| f.map_type)];
        match map_type.into_iter().find(|t| !t.is_empty()) {
            Some("atomic") => Form::AtomicMap,
            _ if self.ty.starts_with("map:") => Form::Map,
            _ => self.own_form(),
        }
    }

    fn field(&self, name: &str) -> Option<Self> {
        let said = self.fields()?.get(name).filter(|_| !name.is_empty())?;
        Some(Self { ty: said.ty, said })
    }

    fn element(&self) -> Option<Self> {
        let item = self.ty.strip_prefix("[]");
        let ty = match item.or_else(|| self.ty.strip_prefix("map:")) {
            Some(ty) => ty,
            None if self.own_form() == Form::Any => self.ty,
            None => return None,
        };
        Some(Self { ty, said: &PLAIN })
    }

    fn list_keys(&self) -> Vec<&str> {
        self.said.keys.split(',').collect()
    }

    fn default_value(&self) -> Option<Value> {
        serde_json::from_str(self.said.default?).ok()
    }

    fn strategy(&self) -> Strategy<'_> {
        let key = Some(self.said.merge_key).filter(|k| !k.is_empty());
        Strategy::new(self.said.strategies.split(','), key)
    }
}

#[test]
fn the_facts_say_what_the_shapes_say() {
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
