//! Builds the tables of `ctl get`: columns and cells.

use crate::api::json::Value;
use crate::cli::output::type_and_name;
use crate::kinds::{Kind, columns};

/// The options of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    pub(super) wide: bool,
    pub(super) show_labels: bool,
    pub(super) show_kind: bool,
    pub(super) with_namespace: bool,
    /// True to include the namespace even for cluster-scoped kinds.
    pub(super) namespace_of_all: bool,
    pub(super) label_columns: Vec<String>,
    /// True for only the name and the age, as for a kind without columns.
    pub(super) plain: bool,
}

impl Options {
    fn shown(&self, kind: &Kind) -> Vec<usize> {
        let columns = kind.columns;
        let wanted = |at: &usize| !self.plain && (self.wide || columns[*at].priority == 0);
        (0..columns.len()).filter(wanted).collect()
    }

    fn has_namespace(&self, kind: &Kind) -> bool {
        self.with_namespace && (kind.namespaced || self.namespace_of_all)
    }

    /// Returns the headers of a kind's table.
    pub(super) fn headers(&self, kind: &Kind) -> Vec<String> {
        let mut headers = Vec::new();
        if self.has_namespace(kind) {
            headers.push("NAMESPACE".to_owned());
        }
        let name = |at: usize| kind.columns[at].name.to_uppercase();
        headers.extend(self.shown(kind).into_iter().map(name));
        if self.plain {
            headers.extend(["NAME", "AGE"].map(str::to_owned));
        }
        headers.extend(self.label_columns.iter().map(|l| label_header(l)));
        if self.show_labels {
            headers.push("LABELS".to_owned());
        }
        headers
    }

    /// Returns the cells of an object.
    pub(super) fn row(&self, kind: &Kind, object: &Value, now: jiff::Timestamp) -> Vec<String> {
        let cells = columns::cells(kind, object, now);
        let metadata = &object["metadata"];
        let mut row = Vec::new();
        if self.has_namespace(kind) {
            row.push(text(&metadata["namespace"]));
        }
        for at in self.shown(kind) {
            let cell = cells.get(at).map(text).unwrap_or_default();
            // The definition of a column marks the name, as in the API's `Table`: it is not always the first column.
            let is_name = kind.columns[at].format == "name";
            row.push(match is_name && self.show_kind {
                true => type_and_name(kind, &cell),
                false => cell,
            });
        }
        if self.plain {
            let name = text(&metadata["name"]);
            row.push(match self.show_kind {
                true => type_and_name(kind, &name),
                false => name,
            });
            // Many kinds, such as custom ones, have no age column.
            row.push(columns::age(object, now));
        }
        let labels = &metadata["labels"];
        let label = |name: &String| text(&labels[name]);
        row.extend(self.label_columns.iter().map(label));
        if self.show_labels {
            row.push(columns::labels(metadata, "labels"));
        }
        row
    }
}

fn label_header(label: &str) -> String {
    // As in kubectl, the header omits the label's prefix.
    label.rsplit('/').next().unwrap_or(label).to_uppercase()
}

fn text(cell: &Value) -> String {
    match cell {
        Value::String(text) => text.to_string(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
