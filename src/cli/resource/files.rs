//! Reads manifests from files, directories, patterns and standard input, and splits them into documents.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::args::FileArgs;
use super::kinds::Kinds;
use super::paths::{clean, paths, walk};
use crate::api::go::quoted;
use crate::api::json::{Value, json};
use crate::api::yaml::{self, Mode};
use crate::cli::error::CliError;
use crate::cli::kustomize;
use crate::cli::ui::Ui;
use crate::kinds::Kind;
use crate::kinds::schema::decode;
use crate::print::json::one_line;
use crate::serve::live::{LiveError, download};
use crate::sys::bounded;

/// kubectl's error about a list in a manifest to watch.
const LIST_TO_WATCH: &str = "watch is only supported on individual resources and resource collections, but a list of \
    resources is found";

/// Go's error about a list in a list, which kubectl splits only if it decodes objects into structs.
const LIST_IN_LIST: &str =
    "*unstructured.Unstructured is not a list: no Items field in this object";

/// kubectl's error about a document, or an item of a list, that is not an object.
const NO_OBJECT: &str = "invalid object to validate";

/// kubectl's log message about a document that the server cannot validate.
const UNVALIDATED: &str = "cannot perform warn validation if server-side field validation is unsupported, skipping \
    validation";

/// The source of a stream of documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Stdin,
    File(PathBuf),
    Url(String),
    /// The kustomization in a directory.
    Kustomization(String),
    /// A name, and a text under that name.
    Text(String, String),
}

/// The streams that the flags refer to, and the errors in the flags.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub(super) streams: Vec<Source>,
    pub(super) errors: Vec<CliError>,
}

impl Sources {
    /// Returns true if the only stream is a file, in which kubectl expects one object.
    pub(super) fn is_one_file(&self) -> bool {
        matches!(
            self.streams.as_slice(),
            [Source::File(_) | Source::Kustomization(_)]
        )
    }

    /// Replaces standard input by a text, for a command that another one runs.
    pub(super) fn with_input(mut self, input: Option<String>) -> Self {
        let stdin = self.streams.iter_mut().filter(|s| **s == Source::Stdin);
        for (stream, text) in stdin.zip(input) {
            *stream = Source::Text("STDIN".to_owned(), text);
        }
        self
    }
}

/// A document with its kind.
pub(super) struct Document {
    pub(super) source: String,
    pub(super) kind: &'static Kind,
    pub(super) object: Value,
}

/// The options of reading documents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// Rejects objects without a kind or a version, as kubectl's validation does.
    pub(super) validate: bool,
    /// Skips the validation of kinds that the server does not validate, as `--validate=warn` does.
    pub(super) lenient: bool,
    /// Skips the logs in a dump.
    pub(super) skip_logs: bool,
    /// Decodes objects into Go structs, which causes other errors.
    pub(super) typed: bool,
    /// Only roles and bindings are used, and none of an old version.
    pub(super) grants: bool,
    /// Rejects lists instead of splitting them, as `get --watch` does.
    pub(super) no_lists: bool,
    pub(super) mode: Mode,
}

/// Finds the streams of `-f` and `-R`.
pub(super) fn sources(args: &FileArgs) -> Sources {
    let mut found = Sources::default();
    for name in &args.filename {
        if name == "-" {
            found.streams.push(Source::Stdin);
            continue;
        }
        if name.starts_with("http://") || name.starts_with("https://") {
            found.streams.push(Source::Url(name.clone()));
            continue;
        }
        match paths(name) {
            Err(e) => found.errors.push(e),
            Ok(paths) => add(&paths, args.recursive, &mut found),
        }
    }
    found
}

fn add(paths: &[PathBuf], recursive: bool, found: &mut Sources) {
    let before = found.streams.len();
    for path in paths {
        let mut files = Vec::new();
        if path.is_dir() {
            if let Err(e) = walk(path, recursive, &mut files) {
                let text = format!("error reading {:?}: {e}", path.display().to_string());
                found.errors.push(CliError::text(text));
            }
            files = files.iter().map(|file| clean(file)).collect();
        } else {
            files.push(path.clone());
        }
        found.streams.extend(files.into_iter().map(Source::File));
    }
    // An empty directory is an error, because a misspelled extension must not look like success.
    if found.streams.len() == before && found.errors.is_empty() {
        let names: Vec<_> = paths.iter().map(|p| p.display().to_string()).collect();
        found.errors.push(CliError::text(format!(
            "error reading [{}]: recognized file extensions are [.json .yaml .yml]",
            names.join(" ")
        )));
    }
}

/// The objects of a stream before their kinds are looked up, and the error that ended it.
pub(super) struct Parsed {
    name: String,
    typed: bool,
    grants: bool,
    /// The number of lists.
    lists: usize,
    /// The objects, with errors in the places of invalid ones.
    objects: Vec<Result<Parts, CliError>>,
}

/// An object of a stream.
struct Parts {
    object: Value,
    /// True if it is an item of a list, which has different errors.
    is_item: bool,
}

/// Reads a stream. Returns each document with its kind, or its error.
pub(super) fn read(
    source: &Source,
    kinds: &Kinds,
    reading: Reading,
    ui: &Ui,
) -> Vec<Result<Document, CliError>> {
    let parsed = parse(source, reading);
    if reading.lenient {
        for _ in 0..parsed.unvalidated(kinds) {
            ui.log("schema.go:145", UNVALIDATED);
        }
    }
    parsed.documents(kinds)
}

/// Parses the documents of a stream without looking up their kinds, which other documents may define. A syntax error
/// ends the stream.
pub(super) fn parse(source: &Source, reading: Reading) -> Parsed {
    let (name, text) = match source {
        Source::Stdin => ("STDIN".to_owned(), stdin()),
        Source::File(path) => (path.display().to_string(), file(path)),
        Source::Url(url) => (url.clone(), download(url).map_err(|e| unread(url, e))),
        Source::Kustomization(directory) => {
            let text = kustomize::render(directory).map(String::into_bytes);
            (directory.clone(), text)
        }
        Source::Text(name, text) => (name.clone(), Ok(text.clone().into_bytes())),
    };
    let mut parsed = Parsed {
        name,
        typed: reading.typed,
        grants: reading.grants,
        lists: 0,
        objects: Vec::new(),
    };
    match text {
        Ok(text) if reading.skip_logs => parsed.fill(&without_logs(text), reading),
        Ok(text) => parsed.fill(&text, reading),
        Err(e) => parsed.objects.push(Err(e)),
    }
    parsed
}

impl Parsed {
    fn fill(&mut self, text: &[u8], reading: Reading) {
        let name = &self.name;
        if ends_early(text) {
            let text = format!("error parsing {name}: unexpected EOF");
            self.objects.push(Err(CliError::text(text)));
            return;
        }
        // The documents before a syntax error are still used, because kubectl decodes a stream incrementally.
        let (documents, error) = yaml::parse_until_error(text, reading.mode);
        for document in documents {
            let is_list = item_kind(&document.value).is_some();
            if reading.validate
                && let Err(why) = match reading.lenient && is_list {
                    true => joined(&without_type(&document.value)),
                    false => check_type(&document.value),
                }
            {
                // As in kubectl, a document that fails validation ends the stream, but one of an unknown kind does not.
                self.objects.push(Err(CliError::text(format!(
                    "error validating {}: error validating data: {why}; if you choose to ignore these \
                     errors, turn validation off with --validate=false",
                    quoted(name)
                ))));
                return;
            }
            self.lists += usize::from(is_list);
            if reading.no_lists && is_list {
                self.objects.push(Err(CliError::text(LIST_TO_WATCH)));
                return;
            }
            match self.typed || !holds_list(&document.value) {
                true => flatten(document.value, false, &mut self.objects),
                false => self.objects.push(Err(CliError::text(LIST_IN_LIST))),
            }
        }
        let error = error.map(|e| CliError::text(format!("error parsing {name}: {e}")));
        self.objects.extend(error.map(Err));
    }

    /// Returns the objects that define kinds. Objects with errors are skipped, because `documents` reports them.
    pub(super) fn definitions(&self, kinds: &Kinds) -> Vec<Value> {
        let is_definition = |parts: &&Parts| {
            let kind = self.kind_of(parts, kinds);
            kind.is_ok_and(Kind::defines_kinds)
        };
        let definitions = self.objects.iter().flatten().filter(is_definition);
        definitions.map(|parts| parts.object.clone()).collect()
    }

    /// Returns the number of documents that the server cannot validate: lists, and objects that do not support patches.
    pub(super) fn unvalidated(&self, kinds: &Kinds) -> usize {
        let is_unvalidated = |parts: &&Parts| {
            let text = |field: &str| parts.object[field].as_str().unwrap_or_default();
            let kind = kinds.of_object(text("apiVersion"), text("kind"));
            !parts.is_item && kind.is_none_or(|kind| !kind.verbs.contains(&"patch"))
        };
        self.lists + self.objects.iter().flatten().filter(is_unvalidated).count()
    }

    /// Returns definitions for the unknown kinds.
    pub(super) fn assumed(&self, kinds: &Kinds) -> Vec<Value> {
        let mut seen = BTreeSet::new();
        let mut assumed = Vec::new();
        for Parts { object, .. } in self.objects.iter().flatten() {
            let text = |field: &str| object[field].as_str().unwrap_or_default().to_owned();
            let (api_version, kind) = (text("apiVersion"), text("kind"));
            let is_known = kinds.of_object(&api_version, &kind).is_some();
            if kind.is_empty() || is_known || !seen.insert((api_version.clone(), kind.clone())) {
                continue;
            }
            let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
            let singular = kind.to_lowercase();
            let plural = format!("{singular}s");
            let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
            assumed.push(json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": format!("{plural}.{group}")},
                "spec": {
                    "group": group, "scope": "Namespaced",
                    "names": {"kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": singular},
                    "versions": [{"name": version, "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
                },
            }));
        }
        assumed
    }

    /// Returns each object with its kind, or its error.
    pub(super) fn documents(mut self, kinds: &Kinds) -> Vec<Result<Document, CliError>> {
        let objects = std::mem::take(&mut self.objects);
        let document = |parts: Result<Parts, CliError>| {
            let parts = parts?;
            let kind = self.kind_of(&parts, kinds)?;
            Ok(Document {
                source: self.name.clone(),
                kind,
                object: parts.object,
            })
        };
        objects.into_iter().map(document).collect()
    }

    /// Returns the kind of an object, or the error.
    fn kind_of(&self, parts: &Parts, kinds: &Kinds) -> Result<&'static Kind, CliError> {
        let (source, object) = (&self.name, &parts.object);
        let undecodable =
            |why: String| CliError::text(format!("unable to decode {}: {why}", quoted(source)));
        if !object.is_object() {
            return Err(undecodable(no_object(object, self.typed)));
        }
        let text = |field: &str| object[field].as_str().unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let version = check_version(api_version);
        if self.typed {
            version.clone().map_err(undecodable)?;
        }
        if parts.is_item && !self.typed {
            return kind_of_item(object, kinds);
        }
        // kubectl's tree of an object has no kind if its version cannot be parsed.
        if kind.is_empty() || version.is_err() {
            let why = format!("Object 'Kind' is missing in '{}'", one_line(object));
            return Err(undecodable(why));
        }
        let known = kinds.of_object(api_version, kind);
        // kubectl still has the structs of the old versions of roles and bindings.
        let old = api_version.strip_prefix("rbac.authorization.k8s.io/");
        let old = old.filter(|v| matches!(*v, "v1beta1" | "v1alpha1"));
        let old = old.filter(|_| {
            kinds
                .of_object("rbac.authorization.k8s.io/v1", kind)
                .is_some()
        });
        // kubectl chooses the struct by the kind before it decodes any field.
        if self.typed && known.is_none() && old.is_none() {
            return Err(undecodable(no_kind(api_version, kind)));
        }
        let metadata = &object["metadata"];
        // kubectl decodes the metadata of every manifest into a struct before it sends anything.
        let mistyped = match metadata {
            Value::Object(_) | Value::Null => decode::mistyped_metadata(metadata),
            other => Some(format!(
                "json: cannot unmarshal {} into Go struct field metadataOnlyObject.metadata of type v1.ObjectMeta",
                decode::json_name(other)
            )),
        };
        if let Some(why) = mistyped {
            return Err(undecodable(why));
        }
        let meta = |field: &str| quoted(metadata[field].as_str().unwrap_or_default());
        known.ok_or_else(|| {
            CliError::text(match old.filter(|_| self.grants) {
                Some(version) => format!(
                    "only rbac.authorization.k8s.io/v1 is supported: not *{version}.{kind}"
                ),
                None => format!(
                    "resource mapping not found for name: {} namespace: {} from {}: no matches for kind {} \
                     in version {}\nensure CRDs are installed first",
                    meta("name"),
                    meta("namespace"),
                    quoted(source),
                    quoted(kind),
                    quoted(api_version),
                ),
            })
        })
    }
}

/// Returns the kind of an item of a list. kubectl decodes a list as a whole and looks up the kinds afterwards.
fn kind_of_item(object: &Value, kinds: &Kinds) -> Result<&'static Kind, CliError> {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let (mut api_version, mut kind) = (text("apiVersion"), text("kind"));
    // An item whose version cannot be parsed has no kind either.
    if check_version(api_version).is_err() {
        (api_version, kind) = ("", "");
    }
    let untyped = |field: &str, text: &str| {
        CliError::text(format!(
            "unable to get type info from the object \"*unstructured.Unstructured\": Object '{field}' is missing in \
             'object has no {text} field '"
        ))
    };
    match (kind, api_version) {
        ("", _) => Err(untyped("Kind", "kind")),
        (_, "") => Err(untyped("apiVersion", "apiVersion")),
        _ => kinds.of_object(api_version, kind).ok_or_else(|| {
            CliError::text(format!(
                "unable to recognize no matches for kind {} in version {}",
                quoted(kind),
                quoted(api_version)
            ))
        }),
    }
}

/// Returns Go's error about a document that is not an object. Each of Go's decoders has a different one.
fn no_object(document: &Value, typed: bool) -> String {
    let name = decode::json_name(document);
    match typed {
        false => {
            format!("json: cannot unmarshal {name} into Go value of type unstructured.detector")
        }
        true => format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {name} into Go value of type \
             struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \
             \"json:\\\"kind,omitempty\\\"\" }}"
        ),
    }
}

/// Returns Go's error about a kind without a struct.
pub(super) fn no_kind(api_version: &str, kind: &str) -> String {
    format!(
        "no kind {kind:?} is registered for version {api_version:?} in scheme \"pkg/scheme/scheme.go:28\""
    )
}

/// Returns kubectl's error for a URL that cannot be read.
fn unread(url: &str, error: LiveError) -> CliError {
    match error {
        LiveError::Refused { message, .. } => CliError::text(message),
        LiveError::Unreachable(why) if why.ends_with("connection refused") => {
            let host = url.split('/').nth(2).unwrap_or_default();
            // The message must not contain the user and password.
            let host = host.rsplit('@').next().unwrap_or_default();
            CliError::Bare(format!(
                "The connection to the server {host} was refused - did you specify the right host or port?"
            ))
        }
        other => CliError::Bare(other.to_string()),
    }
}

/// Removes the logs that `cluster-info dump` prints, each between two lines.
fn without_logs(text: Vec<u8>) -> Vec<u8> {
    const BEGIN: &[u8] = b"==== START logs for container ";
    const END: &[u8] = b"==== END logs for container ";
    let mut is_log = false;
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let kept = lines.filter(|line| {
        is_log |= line.starts_with(BEGIN);
        let keep = !is_log;
        is_log &= !line.starts_with(END);
        keep
    });
    kept.collect::<Vec<_>>().concat()
}

/// Returns true if a text is an unfinished JSON object, which kubectl does not try to read as YAML.
fn ends_early(text: &[u8]) -> bool {
    let start = text.iter().find(|byte| !byte.is_ascii_whitespace());
    start == Some(&b'{')
        && serde_json::from_slice::<serde::de::IgnoredAny>(text).is_err_and(|e| e.is_eof())
}

/// Checks that an object, or each item of a list, has a kind and a version, with kubectl's errors.
fn check_type(object: &Value) -> Result<(), String> {
    let mut wrong = without_type(object);
    if wrong.is_empty() && object["apiVersion"] == "v1" && object["kind"] == "List" {
        wrong = match object["items"].as_array() {
            Some(items) => items.iter().flat_map(without_type).collect(),
            None => vec![NO_OBJECT.to_owned()],
        };
    }
    joined(&wrong)
}

/// Returns the reasons as one error, if there are any.
fn joined(wrong: &[String]) -> Result<(), String> {
    match wrong {
        [] => Ok(()),
        [one] => Err(one.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}

/// Returns the reasons why the kind of an object cannot be determined.
fn without_type(object: &Value) -> Vec<String> {
    if !object.is_object() {
        return vec![NO_OBJECT.to_owned()];
    }
    let mut wrong = Vec::new();
    for (field, name) in [("apiVersion", "apiVersion"), ("kind", "kind")] {
        match &object[field] {
            Value::Null => wrong.push(format!("{name} not set")),
            Value::String(_) => {}
            _ => wrong.push(format!("{name} isn't string type")),
        }
    }
    if wrong.is_empty() {
        let version = check_version(object["apiVersion"].as_str().unwrap_or_default());
        wrong.extend(version.err());
    }
    wrong
}

/// Adds an object, or the items of a list.
fn flatten(mut object: Value, is_item: bool, all: &mut Vec<Result<Parts, CliError>>) {
    if let Some(item_kind) = item_kind(&object).map(str::to_owned) {
        let api_version = object["apiVersion"].take();
        if let Value::Array(items) = object["items"].take() {
            for mut item in items {
                // Lists from the raw API and from `cluster-info dump` name the kind of their items only once. As in
                // kubectl, both fields come from the list if one is missing.
                let named = |field: &str| item[field].as_str().is_some_and(|own| !own.is_empty());
                if !item_kind.is_empty()
                    && item.is_object()
                    && !(named("kind") && named("apiVersion"))
                {
                    item["kind"] = item_kind.as_str().into();
                    item["apiVersion"] = api_version.clone();
                }
                flatten(item, true, all);
            }
        }
        return;
    }
    all.push(Ok(Parts { object, is_item }));
}

/// Checks that a version consists of at most a group and a version.
fn check_version(api_version: &str) -> Result<(), String> {
    match api_version.matches('/').count() {
        0 | 1 => Ok(()),
        _ => Err(format!("unexpected GroupVersion string: {api_version}")),
    }
}

/// Returns true if a list contains a list.
fn holds_list(object: &Value) -> bool {
    let inner = |item: &Value| item_kind(item).is_some() && item["items"].is_array();
    let items = object["items"]
        .as_array()
        .filter(|_| item_kind(object).is_some());
    items.is_some_and(|items| items.iter().any(inner))
}

/// Returns the kind of a list's items, which is empty for the kind `List`; none if the object is not a list.
fn item_kind(object: &Value) -> Option<&str> {
    // Every `...List` is split, not only `v1.List`, so that a `PodList` saved from the raw API can be used.
    let item_kind = object["kind"].as_str()?.strip_suffix("List")?;
    let items = object.get("items")?;
    // Go writes an empty list as null.
    (items.is_array() || items.is_null()).then_some(item_kind)
}

fn stdin() -> Result<Vec<u8>, CliError> {
    let text = bounded::stdin(bounded::MANIFESTS);
    text.map_err(|e| CliError::text(format!("STDIN: {e}")))
}

fn file(path: &Path) -> Result<Vec<u8>, CliError> {
    let text = bounded::read(path, bounded::MANIFESTS);
    text.map_err(|e| CliError::text(format!("{}: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_that_is_cut_off_ends_early() {
        for text in ["{", " {\"a\"", "{\"a\": [1, {"] {
            assert!(ends_early(text.as_bytes()), "{text}");
        }
        for text in ["", "a: {", "{}", "{a: b", "{\"a\": 1}\n---\n{", "{a"] {
            assert!(!ends_early(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn objects_of_no_kind_are_refused_as_kubectl_does() {
        let check = |text: &str| check_type(&serde_json::from_str(text).unwrap());
        assert_eq!(check("[]").unwrap_err(), "invalid object to validate");
        assert_eq!(
            check("{}").unwrap_err(),
            "[apiVersion not set, kind not set]"
        );
        assert_eq!(
            check(r#"{"kind":"Pod"}"#).unwrap_err(),
            "apiVersion not set"
        );
        assert_eq!(
            check(r#"{"kind":"Pod","apiVersion":"a/b/c"}"#).unwrap_err(),
            "unexpected GroupVersion string: a/b/c"
        );
        check(r#"{"kind":"Pod","apiVersion":"v1"}"#).unwrap();
        let list = |items: &str| check(&format!(r#"{{"kind":"List","apiVersion":"v1"{items}}}"#));
        for items in ["", r#","items":null"#, r#","items":[null]"#] {
            assert_eq!(list(items).unwrap_err(), "invalid object to validate");
        }
        assert_eq!(
            list(r#","items":[{"kind":"Pod"},{"apiVersion":"v1"}]"#).unwrap_err(),
            "[apiVersion not set, kind not set]"
        );
        list(r#","items":[]"#).unwrap();
    }
}
