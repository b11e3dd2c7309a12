//! The schema table as the patch engines read it.

use super::table::{Field, ListType, Schema, Type, Unset, named, of_kind};
use crate::api::json::Value;
use crate::api::patch::shape::{Form, ListForm, Scalar, Shape, Strategy};
use crate::custom::patch_shape::{CustomField, CustomShape};
use crate::kind::Kind;

/// The type of a kind or of a value inside it, as patches see it.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_api::patch::strategic;
/// use ctl_kinds::find;
/// use ctl_kinds::schema::{KindShape, strategic_shape};
///
/// let pods: KindShape = strategic_shape(find("", "v1", "Pod").unwrap()).unwrap();
/// let pod = json!({"spec": {"containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]}});
/// let patch = json!({"spec": {"containers": [{"name": "b", "image": "z"}]}});
/// let patched = strategic::apply(pod, &patch, &pods).unwrap();
/// assert_eq!(patched["spec"]["containers"][1]["image"], "z");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KindShape {
    of: ShapeSource,
    said: Option<&'static Field>,
}

#[derive(Clone, Copy, Debug)]
enum ShapeSource {
    Schema(&'static Schema),
    Type(&'static Type),
    Custom(CustomShape),
}

/// Returns the shape of a kind's objects, or `None` if the table does not have it.
///
/// Only built-in kinds have strategic merge patches: see [`strategic_shape`].
pub fn patch_shape(kind: &Kind) -> Option<KindShape> {
    if let Some(custom) = kind.custom {
        return Some(ShapeSource::Custom(CustomShape::root(&custom.schema)).into());
    }
    let schema = of_kind(kind.group, kind.version, kind.kind)?;
    Some(ShapeSource::Schema(schema).into())
}

/// Returns the shape for strategic merge patches, which custom resources do not have.
pub fn strategic_shape(kind: &Kind) -> Option<KindShape> {
    patch_shape(kind).filter(|_| kind.custom.is_none())
}

impl From<ShapeSource> for KindShape {
    fn from(of: ShapeSource) -> Self {
        Self { of, said: None }
    }
}

impl KindShape {
    fn schema(&self) -> Option<&'static Schema> {
        match self.of {
            ShapeSource::Schema(schema) => Some(schema),
            ShapeSource::Type(Type::Object(named)) => named.schema(),
            ShapeSource::Type(_) | ShapeSource::Custom(_) => None,
        }
    }

    fn own_form(&self) -> Form {
        match self.of {
            ShapeSource::Schema(_) => Form::Struct,
            ShapeSource::Custom(shape) => shape.form(),
            ShapeSource::Type(ty) => match ty {
                Type::String | Type::Bytes | Type::Time | Type::MicroTime => {
                    Form::Scalar(Scalar::String)
                }
                Type::Int32 | Type::Int64 | Type::Number => Form::Scalar(Scalar::Number),
                Type::Boolean => Form::Scalar(Scalar::Boolean),
                // Both may be numbers or strings. Server-side apply compares them as written.
                Type::Quantity | Type::IntOrString => Form::Scalar(Scalar::Any),
                Type::Any => Form::Atomic,
                Type::Map(_) => Form::Map,
                Type::List(_) => Form::List(ListForm::Atomic),
                Type::Object(named) if named.schema().is_some() => Form::Struct,
                Type::Object(_) => Form::Any,
            },
        }
    }
}

impl Shape for KindShape {
    fn form(&self) -> Form {
        if let ShapeSource::Type(Type::List(_)) = self.of {
            return Form::List(match self.said.and_then(|f| f.list_type) {
                Some(ListType::Map) => ListForm::Map,
                Some(ListType::Set) => ListForm::Set,
                // As in OpenAPI, a list without a type is atomic.
                Some(ListType::Atomic) | None => ListForm::Atomic,
            });
        }
        let atomic = match self.said {
            Some(said) => said.is_atomic_map(),
            None => self.schema().is_some_and(|schema| schema.atomic),
        };
        if atomic {
            Form::AtomicMap
        } else {
            self.own_form()
        }
    }

    fn field(&self, name: &str) -> Option<Self> {
        if let ShapeSource::Custom(shape) = self.of {
            return Some(match shape.field(name)? {
                // The metadata of a custom resource always has the API server's schema, whatever the definition says.
                CustomField::Metadata => ShapeSource::Schema(named("meta.v1.ObjectMeta")?).into(),
                CustomField::Own(shape) => ShapeSource::Custom(shape).into(),
            });
        }
        let said = self.schema()?.field(name)?;
        Some(Self {
            of: ShapeSource::Type(&said.ty),
            said: Some(said),
        })
    }

    fn element(&self) -> Option<Self> {
        match self.of {
            ShapeSource::Custom(shape) => shape
                .element()
                .map(|shape| ShapeSource::Custom(shape).into()),
            ShapeSource::Type(Type::List(item) | Type::Map(item)) => {
                Some(ShapeSource::Type(item).into())
            }
            _ if self.own_form() == Form::Any => Some(Self {
                said: None,
                ..*self
            }),
            _ => None,
        }
    }

    fn name(&self) -> Option<&'static str> {
        self.said.map(|field| field.name)
    }

    fn list_keys(&self) -> Vec<&'static str> {
        if let ShapeSource::Custom(shape) = self.of {
            return shape.list_keys();
        }
        self.said
            .map(|f| f.list_map_keys().collect())
            .unwrap_or_default()
    }

    fn default_value(&self) -> Option<Value> {
        if let ShapeSource::Custom(shape) = self.of {
            return shape.default_value();
        }
        let said = self.said?;
        match (said.default, said.unset, &said.ty) {
            (Some(default), _, _) => serde_json::from_str(default).ok(),
            // If the zero value is always written, it is the default in the schema.
            (None, Unset::Zero, Type::String) => Some("".into()),
            (None, Unset::Zero, Type::Int32 | Type::Int64) => Some(0.into()),
            _ => None,
        }
    }

    fn strategy(&self) -> Strategy<'_> {
        match self.said {
            Some(said) => Strategy::new(said.patch_strategies(), said.patch_merge_key),
            None => Strategy::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::api::patch::strategic;
    use crate::find;

    #[test]
    fn containers_merge_by_name_and_labels_key_by_key() {
        let shape = patch_shape(find("apps", "v1", "Deployment").unwrap()).unwrap();
        let live = json!({"metadata": {"labels": {"a": "1"}}, "spec": {"template": {"spec": {
            "containers": [{"name": "x", "image": "1"}, {"name": "y", "image": "2"}],
        }}}});
        let patch = json!({"metadata": {"labels": {"b": "2"}}, "spec": {"template": {"spec": {
            "containers": [{"name": "y", "image": "3"}],
        }}}});
        let merged = strategic::apply(live, &patch, &shape).unwrap();
        assert_eq!(merged["metadata"]["labels"], json!({"a": "1", "b": "2"}));
        let containers = &merged["spec"]["template"]["spec"]["containers"];
        assert_eq!(
            *containers,
            json!([{"name": "x", "image": "1"}, {"name": "y", "image": "3"}])
        );
    }

    #[test]
    fn patch_forms_match_the_schema_table() {
        let pod = patch_shape(find("", "v1", "Pod").unwrap()).unwrap();
        let at = |path: &[&str]| {
            path.iter()
                .try_fold(pod, |shape, name| shape.field(name))
                .unwrap()
        };
        assert_eq!(
            at(&["spec", "containers"]).form(),
            Form::List(ListForm::Map)
        );
        assert_eq!(at(&["spec", "containers"]).list_keys(), ["name"]);
        assert_eq!(
            at(&["spec", "tolerations"]).form(),
            Form::List(ListForm::Atomic)
        );
        assert_eq!(
            at(&["metadata", "finalizers"]).form(),
            Form::List(ListForm::Set)
        );
        assert_eq!(at(&["metadata", "labels"]).form(), Form::Map);
        assert_eq!(at(&["spec", "nodeSelector"]).form(), Form::AtomicMap);
        // A missing key gets the default of the schema.
        let container = at(&["spec", "containers"]).element().unwrap();
        let default = |shape: KindShape, name: &str| shape.field(name).unwrap().default_value();
        assert_eq!(default(container, "name"), Some(json!("")));
        let port = container.field("ports").unwrap().element().unwrap();
        assert_eq!(default(port, "containerPort"), Some(json!(0)));
        assert_eq!(default(port, "protocol"), Some(json!("TCP")));
        let owner = at(&["metadata", "managedFields"]).element().unwrap();
        assert_eq!(default(owner, "manager"), None);
        // A reference merges as a whole, unless the field overrides it.
        let volume = patch_shape(find("", "v1", "PersistentVolume").unwrap()).unwrap();
        let claim = volume.field("spec").unwrap().field("claimRef").unwrap();
        assert_eq!(claim.form(), Form::Struct);
        assert_eq!(
            at(&["spec", "priority"]).form(),
            Form::Scalar(Scalar::Number)
        );
    }
}
