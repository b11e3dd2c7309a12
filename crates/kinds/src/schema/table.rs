//! The table of schemas, by name or by kind. Each schema is parsed on first use.

use std::sync::{LazyLock, OnceLock};

use super::known::StoredFields;
use super::names::Names;
use crate::api::json::Value;
use crate::registry;

/// One line per schema (`>name`, `group/version/kind` if it is a kind, `atomic` if apply replaces it as a whole),
/// then one line per field: name, type and marks. Marks: `r` required, `p` a pointer in Kubernetes' types (its zero
/// value is kept), `v` a struct that is always written, `n` written as null if unset, `z` written as zero if unset,
/// `e=` enum, `d=` default, `l=` list type, `k=` list map keys, `m=` map type, `s=` patch strategies, `g=` patch
/// merge key.
const TABLE: &str = include_str!("../table/schemas.tsv");

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let own = registry::all().filter_map(|kind| kind.hooks.fields);
    let texts = std::iter::once(TABLE).chain(own);
    // Read only the first line of each schema here: most commands need only a handful of schemas.
    let blocks = texts.flat_map(|text| text.split('>').skip(1));
    let mut entries: Vec<Entry> = blocks.map(Entry::new).collect();
    // The fields of kinds are appended unsorted. The table itself is sorted, so sorting costs a single pass.
    entries.sort_by_key(|entry| entry.name);
    entries
});

/// The schemas of kinds with their group, version and kind, and their index by name.
static KINDS: LazyLock<(Vec<KindEntry>, Names)> = LazyLock::new(|| {
    let entries: &'static [Entry] = &ENTRIES;
    let of_kind = |entry: &'static Entry| {
        let mut parts = entry.gvk.rsplit('/');
        // Split from the end, because kinds of the core group have no group part.
        let (kind, version) = (parts.next()?, parts.next()?);
        Some(((parts.next().unwrap_or(""), version, kind), entry))
    };
    let kinds: Vec<KindEntry> = entries.iter().filter_map(of_kind).collect();
    let names = Names::new(kinds.iter().map(|((.., kind), _)| *kind));
    (kinds, names)
});

type KindEntry = ((&'static str, &'static str, &'static str), &'static Entry);

struct Entry {
    name: &'static str,
    gvk: &'static str,
    atomic: bool,
    body: &'static str,
    schema: OnceLock<Schema>,
}

/// The fields of an object type.
///
/// ```
/// use ctl_kinds::schema::{Field, ListType, Schema, Type, of_kind};
///
/// let pod: &Schema = of_kind("", "v1", "Pod").unwrap();
/// let containers: &Field = pod.at(&["spec", "containers"]).unwrap();
/// assert_eq!(containers.list_type, Some(ListType::Map));
/// assert_eq!(containers.list_map_keys().collect::<Vec<_>>(), ["name"]);
/// assert!(matches!(containers.ty, Type::List(_)));
/// ```
#[derive(Debug)]
pub struct Schema {
    /// Name, such as `core.v1.Container`.
    pub name: &'static str,
    /// True if a patch replaces objects of this type as a whole.
    pub atomic: bool,
    fields: Vec<Field>,
    names: Names,
    always_written: Vec<usize>,
    empty: OnceLock<Value>,
}

/// One field of an object type.
#[derive(Debug)]
pub struct Field {
    /// Name in JSON.
    pub name: &'static str,
    /// Type of the value.
    pub ty: Type,
    /// True if the schema requires the field.
    pub required: bool,
    /// The allowed values, comma-separated in the table; `None` allows any.
    enum_values: Option<&'static str>,
    /// The default that the schema states, as JSON.
    pub default: Option<&'static str>,
    /// The merge type of a list.
    pub list_type: Option<ListType>,
    list_map_keys: Option<&'static str>,
    map_type: Option<&'static str>,
    strategies: Option<&'static str>,
    /// The key by which a strategic merge patch identifies list items.
    pub patch_merge_key: Option<&'static str>,
    pub(super) unset: Unset,
}

/// The value that the API server writes for an unset field, and its treatment of zero values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unset {
    /// Writes nothing, and drops zero values.
    Omit,
    /// Writes nothing, but keeps zero values.
    Pointer,
    /// Writes an empty object with its own unset fields, or the zero of a quantity or port.
    Struct,
    /// Writes `null`.
    Null,
    /// Writes the zero value of the type.
    Zero,
}

/// The way in which server-side apply merges a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListType {
    /// Replaced as a whole.
    Atomic,
    /// Scalar items, each at most once.
    Set,
    /// Objects identified by [`Field::list_map_keys`].
    Map,
}

/// The type of a field's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// A string.
    String,
    /// Bytes, as a base64 string.
    Bytes,
    /// A 32-bit integer.
    Int32,
    /// A 64-bit integer.
    Int64,
    /// A floating-point number.
    Number,
    /// True or false.
    Boolean,
    /// A quantity such as `500m`.
    Quantity,
    /// An integer or a string.
    IntOrString,
    /// A time in seconds.
    Time,
    /// A time in microseconds.
    MicroTime,
    /// Any value.
    Any,
    /// An object with its own schema.
    Object(NamedSchema),
    /// A list.
    List(Box<Type>),
    /// A map with string keys.
    Map(Box<Type>),
}

/// A schema by its name, looked up on first use.
///
/// ```
/// use ctl_kinds::schema::table::NamedSchema;
/// use ctl_kinds::schema::{Type, of_kind};
///
/// let pod = of_kind("", "v1", "Pod").unwrap();
/// let Type::Object(spec) = &pod.field("spec").unwrap().ty else {
///     panic!("a Pod's spec is an object");
/// };
/// let spec: &NamedSchema = spec;
/// assert!(spec.schema().unwrap().field("nodeName").is_some());
/// ```
#[derive(Debug, Clone)]
pub struct NamedSchema {
    /// The name, such as `core.v1.Container`.
    pub name: &'static str,
    // Schemas refer to each other in cycles, so references cannot be resolved while parsing.
    schema: OnceLock<Option<&'static Schema>>,
}

impl NamedSchema {
    pub(super) fn new(name: &'static str) -> Self {
        Self {
            name,
            schema: OnceLock::new(),
        }
    }

    /// Returns the schema. The table contains every schema that it refers to.
    pub fn schema(&self) -> Option<&'static Schema> {
        *self.schema.get_or_init(|| named(self.name))
    }
}

impl PartialEq for NamedSchema {
    fn eq(&self, other: &Self) -> bool {
        // Schemas form cycles, so a comparison by content would not end.
        self.name == other.name
    }
}

impl Eq for NamedSchema {}

/// Returns the schema called `name`, such as `core.v1.Container`.
pub fn named(name: &str) -> Option<&'static Schema> {
    let entries: &'static [Entry] = &ENTRIES;
    let at = entries.binary_search_by(|e| e.name.cmp(name)).ok()?;
    Some(entries[at].schema())
}

/// Returns the schema of a kind.
pub fn of_kind(group: &str, version: &str, kind: &str) -> Option<&'static Schema> {
    // Kinds of different groups may share a name: the index finds candidates, and the whole triple decides.
    let (kinds, names) = &*KINDS;
    let is = |at: usize| kinds[at].0 == (group, version, kind);
    names.find(kind, is).map(|at| kinds[at].1.schema())
}

/// Returns all schemas, sorted by name.
pub fn all() -> impl Iterator<Item = &'static Schema> {
    let entries: &'static [Entry] = &ENTRIES;
    entries.iter().map(Entry::schema)
}

impl Entry {
    fn new(block: &'static str) -> Self {
        let (head, body) = block.split_once('\n').unwrap_or((block, ""));
        let (name, marks) = head.split_once('\t').unwrap_or((head, ""));
        let mut marks = marks.split('\t');
        Self {
            name,
            gvk: marks.clone().find(|m| m.contains('/')).unwrap_or(""),
            atomic: marks.any(|m| m == "atomic"),
            body,
            schema: OnceLock::new(),
        }
    }

    fn schema(&'static self) -> &'static Schema {
        self.schema.get_or_init(|| {
            let fields: Vec<Field> = self.body.lines().filter_map(Field::parse).collect();
            let written = |field: &Field| !matches!(field.unset, Unset::Omit | Unset::Pointer);
            Schema {
                name: self.name,
                atomic: self.atomic,
                always_written: (0..fields.len())
                    .filter(|at| written(&fields[*at]))
                    .collect(),
                names: Names::new(fields.iter().map(|field| field.name)),
                fields,
                empty: OnceLock::new(),
            }
        })
    }
}

impl Schema {
    /// Returns the field called `name`.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let is = |at: usize| self.fields.get(at).is_some_and(|field| field.name == name);
        self.fields.get(self.names.find(name, is)?)
    }

    /// Returns an empty object in the API server's form, with the fields that are always written.
    pub fn empty(&'static self) -> &'static Value {
        // Built once and shared, because most objects have many empty parts.
        self.empty.get_or_init(|| {
            let mut object = Value::Object(crate::api::json::Map::new());
            super::canonical::apply(self, &mut object, StoredFields::NOTHING);
            object
        })
    }

    /// Returns the fields that the API server writes even if they are not set.
    pub(super) fn always_written(&self) -> impl Iterator<Item = &Field> {
        self.always_written.iter().map(|at| &self.fields[*at])
    }

    /// Returns all fields, sorted by name.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the field at a path of names, which skips list items and map values.
    pub fn at(&'static self, path: &[&str]) -> Option<&'static Field> {
        let (first, rest) = path.split_first()?;
        let field = self.field(first)?;
        match rest {
            [] => Some(field),
            rest => field.ty.object()?.at(rest),
        }
    }

    /// Returns the name of Kubernetes' Go type, such as `Container`.
    pub fn go_name(&self) -> &'static str {
        self.name.rsplit('.').next().unwrap_or(self.name)
    }
}

impl Field {
    fn parse(line: &'static str) -> Option<Self> {
        let mut parts = line.split('\t');
        let name = parts.next().filter(|name| !name.is_empty())?;
        let mut field = Self {
            name,
            ty: Type::parse(parts.next()?),
            required: false,
            enum_values: None,
            default: None,
            list_type: None,
            list_map_keys: None,
            map_type: None,
            strategies: None,
            patch_merge_key: None,
            unset: Unset::Omit,
        };
        parts.for_each(|mark| field.mark(mark));
        Some(field)
    }

    fn mark(&mut self, mark: &'static str) {
        match mark.split_once('=') {
            None => match mark {
                "r" => self.required = true,
                "p" => self.unset = Unset::Pointer,
                "v" => self.unset = Unset::Struct,
                "n" => self.unset = Unset::Null,
                "z" => self.unset = Unset::Zero,
                _ => {}
            },
            Some(("e", values)) => self.enum_values = Some(values),
            Some(("d", json)) => self.default = Some(json),
            Some(("l", "map")) => self.list_type = Some(ListType::Map),
            Some(("l", "set")) => self.list_type = Some(ListType::Set),
            Some(("l", _)) => self.list_type = Some(ListType::Atomic),
            Some(("k", keys)) => self.list_map_keys = Some(keys),
            Some(("m", kind)) => self.map_type = Some(kind),
            Some(("s", names)) => self.strategies = Some(names),
            Some(("g", key)) => self.patch_merge_key = Some(key),
            Some(_) => {}
        }
    }

    /// Returns the allowed values; empty if any value is allowed.
    pub fn enum_values(&self) -> impl Iterator<Item = &'static str> {
        self.item_values()
            .filter(move |_| !matches!(self.ty, Type::List(_)))
    }

    /// Returns the allowed values, of a list those of its items.
    pub fn item_values(&self) -> impl Iterator<Item = &'static str> {
        let values = self.enum_values.into_iter().flat_map(|v| v.split(','));
        // The empty value is quoted.
        values.map(|value| value.trim_matches('"'))
    }

    /// Returns the keys that identify an item of a list of type [`ListType::Map`].
    pub fn list_map_keys(&self) -> impl Iterator<Item = &'static str> {
        self.list_map_keys.into_iter().flat_map(|v| v.split(','))
    }

    /// Returns the strategies of a strategic merge patch: `merge`, `replace`, `retainKeys`.
    pub fn patch_strategies(&self) -> impl Iterator<Item = &'static str> {
        self.strategies.into_iter().flat_map(|v| v.split(','))
    }

    /// Returns true if apply replaces the map or object in this field as a whole.
    pub fn is_atomic_map(&self) -> bool {
        match (&self.ty, self.map_type) {
            // A mark on the field takes precedence, because a type may be atomic in one field only.
            (_, Some(kind)) => kind == "atomic",
            (Type::Object(named), None) => named.schema().is_some_and(|s| s.atomic),
            _ => false,
        }
    }
}

impl Type {
    fn parse(text: &'static str) -> Self {
        if let Some(item) = text.strip_prefix("[]") {
            return Self::List(Box::new(Self::parse(item)));
        }
        if let Some(item) = text.strip_prefix("map:") {
            return Self::Map(Box::new(Self::parse(item)));
        }
        match text {
            "string" => Self::String,
            "string:byte" => Self::Bytes,
            "integer:int32" => Self::Int32,
            "integer:int64" => Self::Int64,
            "number:double" => Self::Number,
            "boolean" => Self::Boolean,
            "Quantity" => Self::Quantity,
            "IntOrString" => Self::IntOrString,
            "Time" => Self::Time,
            "MicroTime" => Self::MicroTime,
            "any" | "object" => Self::Any,
            name => Self::Object(NamedSchema::new(name)),
        }
    }

    /// Returns the schema of the object, of the list's items or of the map's values.
    pub fn object(&self) -> Option<&'static Schema> {
        match self {
            Self::Object(named) => named.schema(),
            Self::List(item) | Self::Map(item) => item.object(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_table_is_sorted_and_complete() {
        assert!(ENTRIES.is_sorted_by_key(|e| e.name));
        for entry in ENTRIES.iter() {
            let schema = named(entry.name).unwrap();
            assert!(schema.fields.is_sorted_by_key(|f| f.name), "{}", entry.name);
            for field in schema.fields() {
                let mut ty = &field.ty;
                while let Type::List(item) | Type::Map(item) = ty {
                    ty = item;
                }
                if let Type::Object(named) = ty {
                    assert!(named.schema().is_some(), "{}.{}", entry.name, field.name);
                }
            }
        }
    }

    #[test]
    fn every_served_kind_has_a_schema() {
        for kind in crate::registry::all().filter(|k| k.served) {
            let found = of_kind(kind.group, kind.version, kind.kind);
            assert!(found.is_some(), "{}", kind.qualified_kind());
        }
    }

    #[test]
    fn merge_facts_are_read_by_path() {
        let pod = of_kind("", "v1", "Pod").unwrap();
        let ports = pod.at(&["spec", "containers", "ports"]).unwrap();
        assert_eq!(ports.list_type, Some(ListType::Map));
        let keys: Vec<_> = ports.list_map_keys().collect();
        assert_eq!(keys, ["containerPort", "protocol"]);
        assert_eq!(ports.patch_merge_key, Some("containerPort"));
        let volumes = pod.at(&["spec", "volumes"]).unwrap();
        let strategies: Vec<_> = volumes.patch_strategies().collect();
        assert_eq!(strategies, ["merge", "retainKeys"]);
        let deployment = of_kind("apps", "v1", "Deployment").unwrap();
        let selector = deployment.at(&["spec", "selector"]).unwrap();
        assert!(selector.is_atomic_map());
        let node_selector = pod.at(&["spec", "nodeSelector"]).unwrap();
        assert!(node_selector.is_atomic_map());
        assert!(
            deployment
                .at(&["spec", "strategy", "rollingUpdate", "foo"])
                .is_none()
        );
    }
}
