//! The structs of a kubeconfig, as client-go reads and writes them.

use crate::api::go_base64;
use crate::api::json::{Map, Value, json};
use crate::kinds::schema::decode::json_name;

/// A struct of client-go's `clientcmd/api/v1`.
struct Struct {
    name: &'static str,
    fields: &'static [Field],
}

struct Field {
    name: &'static str,
    of: Type,
    /// True if the field is written even if it is empty.
    always: bool,
}

#[derive(Clone, Copy)]
enum Type {
    Text,
    Switch,
    Bytes,
    /// Any value, which another program keeps in the file.
    Any,
    List(&'static Type),
    Map(&'static Type),
    Of(&'static Struct),
    /// A struct that may be absent.
    Maybe(&'static Struct),
}

/// Returns a field that is omitted if it is empty.
const fn field(name: &'static str, of: Type) -> Field {
    Field {
        name,
        of,
        always: false,
    }
}

/// Returns a field that is always written.
const fn always(name: &'static str, of: Type) -> Field {
    Field {
        name,
        of,
        always: true,
    }
}

const TEXTS: Type = Type::List(&Type::Text);
static NAMED_EXTENSION: Type = Type::Of(&EXTENSION);
const EXTENSIONS: Field = field("extensions", Type::List(&NAMED_EXTENSION));

static EXTENSION: Struct = Struct {
    name: "NamedExtension",
    fields: &[always("name", Type::Text), always("extension", Type::Any)],
};

static CLUSTER: Struct = Struct {
    name: "Cluster",
    fields: &[
        always("server", Type::Text),
        field("tls-server-name", Type::Text),
        field("insecure-skip-tls-verify", Type::Switch),
        field("certificate-authority", Type::Text),
        field("certificate-authority-data", Type::Bytes),
        field("proxy-url", Type::Text),
        field("disable-compression", Type::Switch),
        EXTENSIONS,
    ],
};

static CONTEXT: Struct = Struct {
    name: "Context",
    fields: &[
        always("cluster", Type::Text),
        always("user", Type::Text),
        field("namespace", Type::Text),
        EXTENSIONS,
    ],
};

static PROVIDER: Struct = Struct {
    name: "AuthProviderConfig",
    fields: &[
        always("name", Type::Text),
        always("config", Type::Map(&Type::Text)),
    ],
};

static VARIABLE: Struct = Struct {
    name: "ExecEnvVar",
    fields: &[always("name", Type::Text), always("value", Type::Text)],
};

static EXEC: Struct = Struct {
    name: "ExecConfig",
    fields: &[
        always("command", Type::Text),
        always("args", TEXTS),
        always("env", Type::List(&Type::Of(&VARIABLE))),
        field("apiVersion", Type::Text),
        field("installHint", Type::Text),
        always("provideClusterInfo", Type::Switch),
        field("interactiveMode", Type::Text),
    ],
};

static USER: Struct = Struct {
    name: "AuthInfo",
    fields: &[
        field("client-certificate", Type::Text),
        field("client-certificate-data", Type::Bytes),
        field("client-key", Type::Text),
        field("client-key-data", Type::Bytes),
        field("token", Type::Text),
        field("tokenFile", Type::Text),
        field("as", Type::Text),
        field("as-uid", Type::Text),
        field("as-groups", TEXTS),
        field("as-user-extra", Type::Map(&TEXTS)),
        field("username", Type::Text),
        field("password", Type::Text),
        field("auth-provider", Type::Maybe(&PROVIDER)),
        field("exec", Type::Maybe(&EXEC)),
        EXTENSIONS,
    ],
};

static NAMED_CLUSTER: Struct = Struct {
    name: "NamedCluster",
    fields: &[
        always("name", Type::Text),
        always("cluster", Type::Of(&CLUSTER)),
    ],
};

static NAMED_CONTEXT: Struct = Struct {
    name: "NamedContext",
    fields: &[
        always("name", Type::Text),
        always("context", Type::Of(&CONTEXT)),
    ],
};

static NAMED_USER: Struct = Struct {
    name: "NamedAuthInfo",
    fields: &[always("name", Type::Text), always("user", Type::Of(&USER))],
};

static PREFERENCES: Struct = Struct {
    name: "Preferences",
    fields: &[field("colors", Type::Switch), EXTENSIONS],
};

static CONFIG: Struct = Struct {
    name: "Config",
    fields: &[
        field("kind", Type::Text),
        field("apiVersion", Type::Text),
        field("preferences", Type::Of(&PREFERENCES)),
        always("clusters", Type::List(&Type::Of(&NAMED_CLUSTER))),
        always("users", Type::List(&Type::Of(&NAMED_USER))),
        always("contexts", Type::List(&Type::Of(&NAMED_CONTEXT))),
        always("current-context", Type::Text),
        EXTENSIONS,
    ],
};

/// Returns a kubeconfig as client-go reads it: with the known fields only, and with lists sorted by name, because
/// client-go keeps them as maps.
pub(super) fn read(tree: &Value) -> Result<Value, String> {
    let mut tree = written(tree)?;
    for user in tree["users"].as_array_mut().into_iter().flatten() {
        let Some(exec) = user.pointer_mut("/user/exec") else {
            continue;
        };
        let version = exec["apiVersion"].as_str().unwrap_or_default();
        let old = ["v1alpha1", "v1beta1"].map(|v| format!("client.authentication.k8s.io/{v}"));
        // Plugins with these versions have always been allowed to prompt.
        if exec["interactiveMode"].is_null() && old.iter().any(|old| old == version) {
            exec["interactiveMode"] = json!("IfAvailable");
        }
    }
    Ok(tree)
}

/// Returns a kubeconfig as client-go writes it.
pub(super) fn written(tree: &Value) -> Result<Value, String> {
    let place = Place {
        owner: CONFIG.name,
        path: String::new(),
    };
    Type::Of(&CONFIG).decoded(tree, &place)
}

/// The position of a value, for errors.
struct Place {
    /// The enclosing struct.
    owner: &'static str,
    path: String,
}

impl Type {
    /// Returns a value in the form in which client-go writes its type.
    fn decoded(self, value: &Value, place: &Place) -> Result<Value, String> {
        match (self, value) {
            (Self::Any, value) => Ok(value.clone()),
            (Self::Maybe(_), Value::Null) => Ok(Value::Null),
            (Self::Of(of) | Self::Maybe(of), Value::Object(map)) => of.decoded(map, &place.path),
            (Self::Of(of), Value::Null) => of.decoded(&Map::new(), &place.path),
            (_, Value::Null) => Ok(self.zero()),
            (Self::Text, Value::String(_)) | (Self::Switch, Value::Bool(_)) => Ok(value.clone()),
            (Self::Bytes, Value::String(text)) => go_base64::decode(text).map(|_| value.clone()),
            (Self::List(inner), Value::Array(items)) => {
                let items = items.iter().map(|item| inner.decoded(item, place));
                let mut items = items.collect::<Result<Vec<_>, _>>()?;
                if items.iter().all(|item| item["name"].is_string()) && !inner.is_variable() {
                    items.sort_by_cached_key(|item| item["name"].as_str().map(str::to_owned));
                }
                Ok(Value::Array(items.into()))
            }
            (Self::Map(inner), Value::Object(map)) => {
                let entries = map.iter().map(|(key, value)| {
                    let value = inner.decoded(value, place)?;
                    Ok((key.clone(), value))
                });
                Ok(Value::Object(entries.collect::<Result<_, String>>()?))
            }
            (_, value) => Err(format!(
                "json: cannot unmarshal {} into Go struct field {}.{} of type {}",
                json_name(value),
                place.owner,
                place.path,
                self.go_name()
            )),
        }
    }

    /// Returns true for the environment variables of a command, which are a list in client-go instead of a map.
    fn is_variable(self) -> bool {
        matches!(self, Self::Of(of) if std::ptr::eq(of, &raw const VARIABLE))
    }

    /// Returns the value of an absent field.
    fn zero(self) -> Value {
        match self {
            Self::Text | Self::Bytes => json!(""),
            Self::Switch => json!(false),
            _ => Value::Null,
        }
    }

    fn go_name(self) -> String {
        match self {
            Self::Text => "string".to_owned(),
            Self::Switch => "bool".to_owned(),
            Self::Bytes => "[]uint8".to_owned(),
            Self::Any => "runtime.RawExtension".to_owned(),
            Self::List(inner) => format!("[]{}", inner.go_name()),
            Self::Map(inner) => format!("map[string]{}", inner.go_name()),
            Self::Of(of) | Self::Maybe(of) => format!("v1.{}", of.name),
        }
    }
}

impl Struct {
    fn decoded(&self, map: &Map, path: &str) -> Result<Value, String> {
        let mut decoded = Map::new();
        // The fields are decoded in the order of the file, which is sorted, because the first error is reported.
        for (name, value) in map {
            let Some(field) = self.fields.iter().find(|field| field.name == name) else {
                continue;
            };
            let path = match path {
                "" => name.to_string(),
                path => format!("{path}.{name}"),
            };
            let owner = self.name;
            let value = field.of.decoded(value, &Place { owner, path })?;
            if field.always || !is_empty(&value) {
                decoded.insert(name.clone(), value);
            }
        }
        for field in self.fields.iter().filter(|field| field.always) {
            if !decoded.contains_key(field.name) {
                let place = Place {
                    owner: self.name,
                    path: String::new(),
                };
                let zero = field.of.decoded(&Value::Null, &place)?;
                decoded.insert(field.name.to_owned(), zero);
            }
        }
        Ok(Value::Object(decoded))
    }
}

/// Returns true if Go's `omitempty` omits a value.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::yaml::{Mode, parse_one};

    fn tree(text: &str) -> Value {
        parse_one(text.as_bytes(), Mode::Lenient).unwrap().unwrap()
    }

    #[test]
    fn fields_of_other_types_have_the_errors_of_client_go() {
        for (text, field) in [
            (
                "preferences: x",
                "string into Go struct field Config.preferences of type v1.Preferences",
            ),
            (
                "clusters: {}",
                "object into Go struct field Config.clusters of type []v1.NamedCluster",
            ),
            (
                "contexts: [5]",
                "number into Go struct field Config.contexts of type v1.NamedContext",
            ),
            (
                "clusters: [{name: 5}]",
                "number into Go struct field NamedCluster.clusters.name of type string",
            ),
            (
                "users: [{user: {client-key-data: 5}}]",
                "number into Go struct field AuthInfo.users.user.client-key-data of type []uint8",
            ),
            (
                "users: [{user: {password: y}}]",
                "bool into Go struct field AuthInfo.users.user.password of type string",
            ),
            (
                "users: [{user: {exec: {args: [1]}}}]",
                "number into Go struct field ExecConfig.users.user.exec.args of type string",
            ),
            (
                "users: [{user: {exec: {env: [{name: 1}]}}}]",
                "number into Go struct field ExecEnvVar.users.user.exec.env.name of type string",
            ),
            (
                "users: [{user: {auth-provider: {config: {a: 1}}}}]",
                "number into Go struct field AuthProviderConfig.users.user.auth-provider.config of type string",
            ),
            (
                "users: [{user: {as-user-extra: {a: x}}}]",
                "string into Go struct field AuthInfo.users.user.as-user-extra of type []string",
            ),
        ] {
            let why = format!("json: cannot unmarshal {field}");
            assert_eq!(read(&tree(text)).unwrap_err(), why);
        }
        let why = "illegal base64 data at input byte 0";
        let wrong = tree("users: [{user: {client-key-data: '*'}}]");
        assert_eq!(read(&wrong).unwrap_err(), why);
    }

    #[test]
    fn unknown_and_empty_fields_are_left_out_and_others_are_filled_in() {
        let read = read(&tree(
            "foo: bar\npreferences: {}\nclusters: [{name: b}, {name: a, cluster: {server: s, tls-server-name: ''}}]\n\
             users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: c}}}]\n\
             extensions: [{name: e}]\n",
        ));
        assert_eq!(
            read.unwrap(),
            json!({
                "clusters": [
                    {"name": "a", "cluster": {"server": "s"}},
                    {"name": "b", "cluster": {"server": ""}},
                ],
                "contexts": null,
                "current-context": "",
                "extensions": [{"name": "e", "extension": null}],
                "users": [{"name": "u", "user": {"exec": {
                    "apiVersion": "client.authentication.k8s.io/v1beta1",
                    "args": null,
                    "command": "c",
                    "env": null,
                    "interactiveMode": "IfAvailable",
                    "provideClusterInfo": false,
                }}}],
            })
        );
    }
}
