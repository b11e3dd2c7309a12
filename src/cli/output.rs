//! `-o`: how objects are shown.

use serde_json::{Value, json};

use super::error::CliError;
use crate::api::yaml;
use crate::kinds::{Kind, columns};
use crate::print::json as print_json;
use crate::print::table::Table;

/// What `-o` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Table,
    Wide,
    Yaml,
    Json,
    Name,
}

impl Format {
    /// Reads the flag's value.
    pub(crate) fn parse(text: Option<&str>) -> Result<Self, CliError> {
        match text {
            None | Some("") => Ok(Self::Table),
            Some("wide") => Ok(Self::Wide),
            Some("yaml") => Ok(Self::Yaml),
            Some("json") => Ok(Self::Json),
            Some("name") => Ok(Self::Name),
            Some(other) => Err(CliError::text(format!(
                "unable to match a printer suitable for the output format \"{other}\", allowed \
                 formats are: json,name,wide,yaml"
            ))),
        }
    }
}

/// `deployment.apps/web`.
pub(crate) fn type_and_name(kind: &Kind, name: &str) -> String {
    match kind.group {
        "" => format!("{}/{name}", kind.singular),
        group => format!("{}.{group}/{name}", kind.singular),
    }
}

/// One object, or several as a list, in YAML or JSON; who owns which fields is left out.
pub(crate) fn objects(format: Format, objects: &[Value], single: bool) -> String {
    let mut objects = objects.to_vec();
    for object in &mut objects {
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
        }
    }
    let value = match objects.as_slice() {
        [object] if single => object.clone(),
        objects => json!({
            "apiVersion": "v1", "kind": "List", "items": objects, "metadata": {"resourceVersion": ""},
        }),
    };
    match format {
        Format::Json => print_json::to_string(&value),
        _ => yaml::to_string(&value),
    }
}

/// How a table is made.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableOptions {
    pub(crate) wide: bool,
    pub(crate) no_headers: bool,
    pub(crate) show_labels: bool,
    pub(crate) show_kind: bool,
    pub(crate) with_namespace: bool,
    pub(crate) label_columns: Vec<String>,
}

/// The table of a kind's objects.
pub(crate) fn table(
    kind: &Kind,
    objects: &[Value],
    now: jiff::Timestamp,
    options: &TableOptions,
) -> Table {
    let shown: Vec<usize> = (0..kind.columns.len())
        .filter(|index| options.wide || kind.columns[*index].priority == 0)
        .collect();
    let mut headers = Vec::new();
    if options.with_namespace {
        headers.push("NAMESPACE".to_owned());
    }
    headers.extend(shown.iter().map(|i| kind.columns[*i].name.to_uppercase()));
    headers.extend(options.label_columns.iter().map(|l| label_header(l)));
    if options.show_labels {
        headers.push("LABELS".to_owned());
    }
    let rows = objects
        .iter()
        .map(|object| row(kind, object, now, &shown, options))
        .collect();
    Table {
        headers: if options.no_headers {
            Vec::new()
        } else {
            headers
        },
        rows,
    }
}

fn label_header(label: &str) -> String {
    label.rsplit('/').next().unwrap_or(label).to_uppercase()
}

fn row(
    kind: &Kind,
    object: &Value,
    now: jiff::Timestamp,
    shown: &[usize],
    options: &TableOptions,
) -> Vec<String> {
    let cells = columns::cells(kind, object, now);
    let metadata = &object["metadata"];
    let mut row = Vec::new();
    if options.with_namespace {
        row.push(
            metadata["namespace"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        );
    }
    for index in shown {
        let cell = cells.get(*index).map(text).unwrap_or_default();
        if kind.columns[*index].format == "name" && options.show_kind {
            row.push(type_and_name(kind, &cell));
        } else {
            row.push(cell);
        }
    }
    let label = |name: &String| {
        metadata["labels"][name]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    row.extend(options.label_columns.iter().map(label));
    if options.show_labels {
        row.push(columns::labels(metadata, "labels"));
    }
    row
}

fn text(cell: &Value) -> String {
    match cell {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
