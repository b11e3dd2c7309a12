//! Prints objects, one after the other, in a machine-readable format.

use super::columns::CustomColumns;
use super::jsonpath::JsonPath;
use super::template::Template;
use super::{go_order, json as print_json, kyaml, objects};
use crate::api::go::{GoSyntax, GoValue, quoted};
use crate::api::json::{Value, json};

/// Prints objects in one format. Keeps state between objects, because `---` separates YAML documents.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_print::{Failure, Format, Printer, Request};
///
/// /// Prints objects as YAML documents.
/// fn yaml(objects: Vec<ctl_api::json::Value>) -> Result<String, Failure> {
///     let Ok(Format::Printer(printer)) = Format::parse(&Request::parse("yaml")) else {
///         return Err(Failure::default());
///     };
///     let mut printer: Printer = printer;
///     let texts = objects.iter().map(|object| printer.print(object));
///     texts.collect()
/// }
///
/// let documents = yaml(vec![json!({"kind": "A"}), json!({"kind": "B"})])?;
/// assert_eq!(documents, "kind: A\n---\nkind: B\n");
/// # Ok::<(), Failure>(())
/// ```
#[derive(Clone, Debug)]
pub struct Printer {
    how: PrintFormat,
    printed: bool,
    managed_fields: bool,
}

/// The machine-readable formats.
#[derive(Clone, Debug)]
pub(super) enum PrintFormat {
    Json,
    /// JSON with the fields in the order of Kubernetes' structs.
    Struct,
    Yaml,
    Kyaml,
    /// KYAML with the fields in the order of Kubernetes' structs.
    StructKyaml,
    /// JSON of a list that is a struct whose items are trees.
    StructList,
    /// KYAML of a list that is a struct whose items are trees.
    StructListKyaml,
    Name,
    JsonPath {
        text: String,
        path: JsonPath,
        allow_missing: bool,
        as_json: bool,
    },
    Columns(CustomColumns),
    Template {
        text: String,
        parsed: Template,
        allow_missing: bool,
    },
}

/// The error for an object that cannot be printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// The output before the failure.
    pub shown: String,
    /// The sentence after `error: `, without a final newline.
    pub message: String,
}

impl Printer {
    pub(super) fn new(how: PrintFormat) -> Self {
        Self {
            how,
            printed: false,
            managed_fields: false,
        }
    }

    /// Shows or hides the managed fields in JSON and YAML. Other formats can always access them.
    #[must_use]
    pub(super) fn with_managed_fields(mut self, shown: bool) -> Self {
        self.managed_fields = shown;
        self
    }

    /// Prints objects as structs: in JSON and KYAML, the fields have the order of the struct.
    #[must_use]
    pub fn typed(mut self) -> Self {
        self.how = match self.how {
            PrintFormat::Json => PrintFormat::Struct,
            PrintFormat::Kyaml => PrintFormat::StructKyaml,
            other => other,
        };
        self
    }

    /// Prints lists as structs, with the objects in them sorted by name.
    #[must_use]
    pub fn of_lists(mut self) -> Self {
        self.how = match self.how {
            PrintFormat::Json => PrintFormat::StructList,
            PrintFormat::Kyaml => PrintFormat::StructListKyaml,
            other => other,
        };
        self
    }

    /// Returns true if this prints names, which replace the command's own sentence.
    pub fn is_name(&self) -> bool {
        matches!(self.how, PrintFormat::Name)
    }

    /// Formats an object or a list of objects, with a final newline.
    ///
    /// # Errors
    /// Returns an error if a template cannot be applied to the object.
    pub fn print(&mut self, value: &Value) -> Result<String, Failure> {
        // Clones the object only if there are fields to hide; most objects have lost them by now.
        if self.hides_managed_fields() && objects::has_managed_fields(value) {
            let mut bare = value.clone();
            objects::strip_managed_fields(&mut bare);
            return self.print_whole(&bare);
        }
        self.print_whole(value)
    }

    /// Returns true if kubectl omits the managed fields in this format.
    fn hides_managed_fields(&self) -> bool {
        let document = matches!(
            self.how,
            PrintFormat::Json
                | PrintFormat::Struct
                | PrintFormat::StructList
                | PrintFormat::Yaml
                | PrintFormat::Kyaml
                | PrintFormat::StructKyaml
                | PrintFormat::StructListKyaml
        );
        document && !self.managed_fields
    }

    /// Prints a value with all its fields.
    fn print_whole(&mut self, value: &Value) -> Result<String, Failure> {
        let again = std::mem::replace(&mut self.printed, true);
        let failure = |message: String| Failure {
            shown: String::new(),
            message,
        };
        match &self.how {
            PrintFormat::Yaml => {
                objects::check_yaml(value).map_err(|why| failure(why.to_owned()))?;
            }
            PrintFormat::Kyaml | PrintFormat::StructKyaml | PrintFormat::StructListKyaml => {
                let checked = objects::check_yaml(value);
                checked.map_err(|why| failure(format!("error decoding: {why}")))?;
            }
            _ => {}
        }
        Ok(match &self.how {
            PrintFormat::Json => print_json::to_string(value),
            PrintFormat::Struct => go_order::to_string(value),
            PrintFormat::Yaml if again => "---\n".to_owned() + &objects::yaml(value),
            PrintFormat::Yaml => objects::yaml(value),
            PrintFormat::Kyaml => kyaml::to_string(value),
            PrintFormat::StructKyaml => go_order::kyaml(value),
            PrintFormat::StructList => go_order::list_to_string(value),
            PrintFormat::StructListKyaml => go_order::list_to_kyaml(value),
            // A list has no name, so `-o name` prints the names of its items.
            PrintFormat::Name => objects::items(value)
                .iter()
                .map(|object| objects::type_and_name(object) + "\n")
                .collect(),
            PrintFormat::JsonPath {
                text,
                path,
                allow_missing,
                as_json,
            } => {
                let filled = match as_json {
                    true => path.fill_as_json(value, *allow_missing),
                    false => path.fill(value, *allow_missing),
                };
                return filled.map_err(|error| jsonpath_failure(text, &error, value));
            }
            PrintFormat::Template {
                text,
                parsed,
                allow_missing,
            } => {
                let filled = parsed.fill(value, *allow_missing);
                return filled
                    .map_err(|(shown, error)| template_failure(shown, text, &error, value));
            }
            PrintFormat::Columns(columns) => {
                return columns
                    .print(value, !again)
                    .map_err(|(shown, message)| Failure { shown, message });
            }
        })
    }

    /// Formats several objects: as a single object if one was requested by name, as a list otherwise.
    ///
    /// # Errors
    /// Returns an error if a template cannot be applied to them.
    pub fn print_all(&mut self, mut objects: Vec<Value>, single: bool) -> Result<String, Failure> {
        if self.hides_managed_fields() {
            // Done in place, to avoid cloning a list of thousands of objects.
            objects.iter_mut().for_each(objects::strip_managed_fields);
        }
        match <[Value; 1]>::try_from(objects) {
            // A single match of a selector is still a list, so that scripts can rely on `.items`.
            Ok([object]) if single => self.print_whole(&object),
            Ok(objects) => self.print_whole(&objects::list(objects.into())),
            Err(objects) => self.print_whole(&objects::list(objects)),
        }
    }

    /// Prints a change of a watched object (`ADDED`, ..) with the object, as `--output-watch-events` does. The event
    /// is not an API object, so kubectl keeps the managed fields in it.
    ///
    /// # Errors
    /// Returns an error if a template cannot be applied to it.
    pub fn print_event(&mut self, event: &str, object: &Value) -> Result<String, Failure> {
        match &self.how {
            PrintFormat::Name => self.print(object),
            PrintFormat::Json => {
                // kubectl's only JSON that is on one line and unsorted: the type comes first.
                let kind = print_json::one_line(&json!(event));
                let object = print_json::one_line(object);
                Ok(format!("{{\"type\":{kind},\"object\":{object}}}\n"))
            }
            PrintFormat::Kyaml => {
                // Likewise the only unsorted map in KYAML.
                let whole = self.print_whole(&json!({"object": object}))?;
                let kind = print_json::one_line(&json!(event));
                Ok(whole.replacen("{\n", &format!("{{\n  type: {kind},\n"), 1))
            }
            _ => self.print_whole(&json!({"type": event, "object": object})),
        }
    }
}

/// Returns kubectl's output for a template that fails, for both streams.
fn template_failure(shown: String, template: &str, error: &str, object: &Value) -> Failure {
    let shown = format!(
        // kubectl prints the debugging text to standard output, after the output that the template has written.
        "{shown}Error executing template: {error}. Printing more information for debugging the template:\n\
         \ttemplate was:\n\t\t{template}\n\traw data was:\n\t\t{}\n\tobject given to template engine was:\n\
         \t\t{}\n\n",
        print_json::one_line(object),
        GoValue(object)
    );
    let message = format!("error executing template {}: {error}", quoted(template));
    Failure { shown, message }
}

fn jsonpath_failure(template: &str, error: &str, object: &Value) -> Failure {
    let message = format!(
        "error executing jsonpath {}: Error executing template: {error}. Printing more information for debugging the \
         template:\n\ttemplate was:\n\t\t{template}\n\tobject given to jsonpath engine was:\n\t\t{}\n\n\n",
        quoted(template),
        GoSyntax(object)
    );
    Failure {
        shown: String::new(),
        message,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Request};
    use super::*;

    fn printer(output: &str) -> Printer {
        match Format::parse(&Request::parse(output)).unwrap() {
            Format::Printer(printer) => printer,
            other => panic!("{other:?}"),
        }
    }

    fn pod(name: &str) -> Value {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}})
    }

    #[test]
    fn yaml_documents_are_divided_and_json_is_not() {
        let mut yaml = printer("yaml");
        assert_eq!(
            yaml.print(&pod("a")).unwrap(),
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n"
        );
        assert!(
            yaml.print(&pod("b"))
                .unwrap()
                .starts_with("---\napiVersion")
        );
        let mut json = printer("json");
        assert!(json.print(&pod("a")).unwrap().starts_with("{\n    \"api"));
        assert!(json.print(&pod("a")).unwrap().starts_with("{\n    \"api"));
        let mut kyaml = printer("kyaml");
        assert!(kyaml.print(&pod("a")).unwrap().starts_with("---\n{\n  api"));
    }

    #[test]
    fn several_objects_are_a_list() {
        let shown = printer("yaml").print_all(vec![pod("a")], false).unwrap();
        assert_eq!(
            shown,
            "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: a\nkind: List\n\
             metadata:\n  resourceVersion: \"\"\n"
        );
        let names = printer("name").print_all(vec![pod("a"), pod("b")], false);
        assert_eq!(names.unwrap(), "pod/a\npod/b\n");
        let single = printer("name").print_all(vec![pod("a")], true).unwrap();
        assert_eq!(single, "pod/a\n");
    }

    #[test]
    fn managed_fields_are_hidden_only_in_json_and_yaml() {
        let mut owned = pod("a");
        owned["metadata"]["managedFields"] = json!([{"manager": "m"}]);
        let shows = |output: &str, objects: Vec<Value>, single| {
            let text = printer(output).print_all(objects, single).unwrap();
            text.contains("m")
        };
        for document in ["json", "yaml", "kyaml"] {
            let bare = printer(document).print(&pod("a"));
            assert_eq!(printer(document).print(&owned), bare);
            assert_eq!(
                printer(document)
                    .typed()
                    .print(&owned)
                    .unwrap()
                    .matches("manage")
                    .count(),
                0
            );
            let all = printer(document).print_all(vec![owned.clone()], false);
            assert_eq!(all, printer(document).print_all(vec![pod("a")], false));
            let request = Request {
                managed_fields: true,
                ..Request::parse(document)
            };
            let Ok(Format::Printer(mut shown)) = Format::parse(&request) else {
                panic!("{document} has no printer");
            };
            assert!(shown.print(&owned).unwrap().contains("managedFields"));
        }
        for (program, found) in [
            ("jsonpath={.metadata.managedFields[*].manager}", true),
            (
                "go-template={{(index .metadata.managedFields 0).manager}}",
                true,
            ),
            ("jsonpath={.metadata.labels}", false),
        ] {
            assert_eq!(
                shows(program, vec![owned.clone()], true),
                found,
                "{program}"
            );
        }
        let listed = "jsonpath={.items[*].metadata.managedFields[*].manager}";
        assert!(shows(listed, vec![owned.clone()], false));
        let event = printer("json").print_event("ADDED", &owned).unwrap();
        assert!(event.contains("managedFields"), "{event}");
    }

    #[test]
    fn control_characters_cannot_be_printed_as_yaml() {
        let told = |format: &str, text: &str| {
            let printed = printer(format).print(&json!({"a": [{"k": text}]}));
            printed.map_or_else(|failure| failure.message, |_| String::new())
        };
        let why = "yaml: control characters are not allowed";
        for text in ["x\u{7f}", "\u{80}", "\u{9f}b", "\u{fffe}", "a\u{ffff}"] {
            assert_eq!(told("yaml", text), why);
            assert_eq!(told("kyaml", text), format!("error decoding: {why}"));
            assert_eq!(told("json", text), "");
        }
        for text in [
            "\u{1b}",
            "\u{85}",
            "\u{a0}",
            "\u{feff}",
            "é",
            "\u{fffd}",
            "\u{10ffff}",
        ] {
            assert_eq!(told("yaml", text), "", "{text:?}");
        }
    }

    #[test]
    fn events_name_their_type_first() {
        let shown = printer("json").print_event("ADDED", &json!({"a": 1}));
        assert_eq!(
            shown.unwrap(),
            "{\"type\":\"ADDED\",\"object\":{\"a\":1}}\n"
        );
        let shown = printer("yaml").print_event("ADDED", &json!({"a": 1}));
        assert_eq!(shown.unwrap(), "object:\n  a: 1\ntype: ADDED\n");
        let shown = printer("kyaml").print_event("ADDED", &json!({"a": 1}));
        let text = "---\n{\n  type: \"ADDED\",\n  object: {\n    a: 1,\n  },\n}\n";
        assert_eq!(shown.unwrap(), text);
        let shown = printer("name").print_event("ADDED", &pod("a"));
        assert_eq!(shown.unwrap(), "pod/a\n");
    }

    #[test]
    fn unknown_output_format_lists_the_allowed_formats() {
        let request = Request {
            is_get: true,
            ..Request::parse("table")
        };
        assert_eq!(
            Format::parse(&request).unwrap_err(),
            "unable to match a printer suitable for the output format \"table\", allowed formats are: \
             custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,\
             jsonpath-file,kyaml,name,template,templatefile,wide,yaml"
        );
        assert!(Format::parse(&Request::parse("")).unwrap().is_human());
        let wide = Format::parse(&Request::parse("wide")).unwrap_err();
        assert!(wide.ends_with("formats are: go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml"));
    }
}
