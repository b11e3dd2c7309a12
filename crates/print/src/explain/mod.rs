//! `kubectl explain`: the fields of a kind, their types and their descriptions.
//!
//! Built-in kinds come from the table of schemas and from upstream's descriptions, custom ones from their definitions.

mod layout;
mod node;
mod openapi_v2;

use crate::kinds::Kind;
use layout::{indented, wrapped};
use node::{Node, Property};
pub use openapi_v2::explain_v2;

/// The arguments of `explain`.
///
/// ```
/// use ctl_kinds::find;
/// use ctl_print::explain::{NoSuchField, Question, explain};
///
/// let pod = find("", "v1", "Pod").unwrap();
/// let question = Question { kind: pod, path: &["spec", "nodeName"], recursive: false };
/// assert!(explain(&question)?.contains("FIELD: nodeName <string>"));
///
/// let error = explain(&Question { path: &["specs"], ..question }).unwrap_err();
/// assert!(error.message.contains("specs"));
/// # Ok::<(), NoSuchField>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The kind.
    pub kind: &'a Kind,
    /// The path of a field of the kind.
    pub path: &'a [&'a str],
    /// True to list fields at any depth.
    pub recursive: bool,
}

/// The error for a missing field, with the output before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchField {
    /// The output to print despite the error.
    pub shown: String,
    /// `error: field "x" does not exist`.
    pub message: String,
}

/// Explains a kind or a field.
///
/// # Errors
/// Returns an error if the kind does not have the field.
pub fn explain(question: &Question<'_>) -> Result<String, NoSuchField> {
    let kind = question.kind;
    let mut out = String::new();
    if !kind.group.is_empty() {
        out.push_str(&format!("GROUP:      {}\n", kind.group));
    }
    out.push_str(&format!(
        "KIND:       {}\nVERSION:    {}\n\n",
        kind.kind, kind.version
    ));
    let missing = |out: String| NoSuchField {
        // kubectl's template prints the head before it notices that the field is missing.
        shown: out,
        message: format!(
            "error: field \"{}\" does not exist",
            question.path.last().copied().unwrap_or_default()
        ),
    };
    let Some(mut node) = Node::of_kind(kind) else {
        return Err(missing(out));
    };
    let mut field: Option<Property<'_>> = None;
    for name in question.path {
        match node
            .properties()
            .into_iter()
            .find(|property| property.name == *name)
        {
            Some(property) => {
                node = property.node.clone();
                field = Some(property);
            }
            None => return Err(missing(out)),
        }
    }
    if let Some(field) = &field {
        out.push_str(&format!(
            "FIELD: {} <{}>\n",
            field.name,
            field.node.type_name()
        ));
        if !field.values.is_empty() {
            out.push_str("ENUM:");
            field
                .values
                .iter()
                .for_each(|value| out.push_str(&format!("\n    {}", shown(value))));
        }
        out.push_str("\n\n");
    }
    let own = field.as_ref().and_then(|field| field.words.clone());
    // A field's own description precedes that of its type, which may be more general.
    let words: String = own
        .into_iter()
        .chain(node.words())
        .map(|words| words + "\n")
        .collect();
    let words = if words.is_empty() {
        "<empty>".to_owned()
    } else {
        words
    };
    out.push_str(&format!(
        "DESCRIPTION:\n{}\n",
        indented(&wrapped(&words, 76), 4)
    ));
    let fields = fields(&node, 1, question.recursive, &mut Vec::new());
    if !fields.is_empty() {
        out.push_str(&format!("FIELDS:\n{fields}"));
    }
    out.push('\n');
    Ok(out)
}

/// Returns an allowed value; makes an empty one visible.
fn shown(value: &str) -> &str {
    if value.is_empty() { "\"\"" } else { value }
}

/// The maximum number of allowed values to list next to a field.
const MOST_VALUES: usize = 4;

/// Lists the fields of an object, of a list's items or of a map's values.
fn fields(node: &Node<'_>, level: usize, recursive: bool, above: &mut Vec<&'static str>) -> String {
    // A recursive type, such as a JSON schema, is listed only once; otherwise, the output would never end.
    let schema = node.schema_name();
    if schema.is_some_and(|schema| above.contains(&schema)) {
        return String::new();
    }
    above.extend(schema);
    let indent = level * 2;
    let mut out = String::new();
    for property in node.listed_properties() {
        let required = if property.required { " -required-" } else { "" };
        let name = indented(&property.name, indent);
        out.push_str(&format!(
            "{name}\t<{}>{required}",
            property.node.type_name()
        ));
        if !property.values.is_empty() {
            let values: Vec<&str> = property
                .values
                .iter()
                .take(MOST_VALUES)
                .map(|value| shown(value))
                .collect();
            let more = if property.values.len() > MOST_VALUES {
                ", ...."
            } else {
                ""
            };
            out.push_str(&format!(
                "\n{}enum: {}{more}",
                " ".repeat(indent),
                values.join(", ")
            ));
        }
        out.push('\n');
        if recursive {
            out.push_str(&fields(&property.node, level + 1, recursive, above));
            continue;
        }
        let words = property.words.as_deref().unwrap_or("<no description>");
        out.push_str(&indented(&wrapped(words, 78 - indent), indent + 2));
        out.push_str("\n\n");
    }
    if schema.is_some() {
        above.pop();
    }
    out
}

#[cfg(test)]
mod tests;
