//! Selects the output format for `-o` and `--template`.

use super::columns::CustomColumns;
use super::jsonpath::JsonPath;
use super::printer::{PrintFormat, Printer};
use super::template::Template;
use crate::api::go::quoted;

/// The formats without a template that every command supports.
const PLAIN: [&str; 4] = ["json", "kyaml", "name", "yaml"];

/// The formats that only `kubectl get` supports.
const OF_GET: [&str; 3] = ["custom-columns", "custom-columns-file", "wide"];

/// The formats that take a template, either after `=` or from `--template`.
const TEMPLATES: [&str; 7] = [
    "go-template",
    "go-template-file",
    "jsonpath",
    "jsonpath-as-json",
    "jsonpath-file",
    "template",
    "templatefile",
];

/// Reads a file named by a format. The error is a sentence such as `open x: no such file or directory`.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// The options of a command that determine its output.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// `-o`.
    pub output: &'a str,
    /// `--template`.
    pub template: &'a str,
    /// `--allow-missing-template-keys`.
    pub allow_missing_keys: bool,
    /// `--show-managed-fields`.
    pub managed_fields: bool,
    /// `--no-headers`.
    pub no_headers: bool,
    /// True if the command is `get`, which supports wide tables and custom columns.
    pub is_get: bool,
    /// Reads files.
    pub read: ReadFile<'a>,
}

/// The output format of objects.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_print::{Format, Request};
///
/// let Format::Printer(mut printer) = Format::parse(&Request::parse("jsonpath={.metadata.name}"))? else {
///     panic!("JSONPath is no table");
/// };
/// let web = json!({"metadata": {"name": "web"}});
/// assert_eq!(printer.print(&web).unwrap(), "web");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub enum Format {
    /// The default: a table or a sentence.
    Human,
    /// A table with additional columns.
    Wide,
    /// A machine-readable format.
    Printer(Printer),
}

impl<'a> Request<'a> {
    /// Returns the request of a command, other than `get`, whose only output option is `-o`.
    pub fn parse(output: &'a str) -> Self {
        Self {
            output,
            template: "",
            allow_missing_keys: true,
            managed_fields: false,
            no_headers: false,
            is_get: false,
            read: &|path| Err(format!("open {path}: no such file or directory")),
        }
    }
}

impl Format {
    /// Selects the requested format.
    ///
    /// # Errors
    /// Returns the sentence that kubectl prints after `error: `.
    pub fn parse(request: &Request<'_>) -> Result<Self, String> {
        let asked = match request.output {
            // A template by itself implies `-o go-template`.
            "" if !request.template.is_empty() => "go-template",
            asked => asked,
        };
        if let Some(printer) = by_template(request, asked)? {
            return Ok(printer.into());
        }
        // kubectl ignores the case only of formats without a template.
        let lower = asked.to_ascii_lowercase();
        let document = |how| {
            let printer = Printer::new(how);
            Self::from(printer.with_managed_fields(request.managed_fields))
        };
        Ok(match lower.as_str() {
            "" => Self::Human,
            "wide" if request.is_get && asked == "wide" => Self::Wide,
            "json" => document(PrintFormat::Json),
            "yaml" => document(PrintFormat::Yaml),
            "kyaml" => document(PrintFormat::Kyaml),
            "name" => Printer::new(PrintFormat::Name).into(),
            _ => return Err(no_such_format(request)),
        })
    }

    /// Returns true if the output is for people: a table or a sentence.
    pub fn is_human(&self) -> bool {
        !matches!(self, Self::Printer(_))
    }
}

impl From<Printer> for Format {
    fn from(printer: Printer) -> Self {
        Self::Printer(printer)
    }
}

/// Returns the printer if the format takes a template.
fn by_template(request: &Request<'_>, asked: &str) -> Result<Option<Printer>, String> {
    let (name, template) = match asked.split_once('=') {
        // `--template` takes precedence over a text after `=`.
        Some((name, template)) if request.template.is_empty() => (name, template),
        _ => (asked, request.template),
    };
    if TEMPLATES.contains(&name) {
        if template.is_empty() {
            return Err("template format specified but no template given".to_owned());
        }
        let from_file = matches!(name, "go-template-file" | "jsonpath-file" | "templatefile");
        let template = match from_file {
            false => template.to_owned(),
            true => (request.read)(template)
                .map_err(|error| format!("error reading --template {template}, {error}"))?,
        };
        return filled_in(name, template, request.allow_missing_keys).map(Some);
    }
    if request.is_get && OF_GET[..2].contains(&name) {
        if template.is_empty() {
            return Err("custom-columns format specified but no custom columns given".to_owned());
        }
        let columns = match name {
            "custom-columns" => CustomColumns::parse(template, request.no_headers)?,
            _ => {
                let text = (request.read)(template)
                    .map_err(|error| format!("error reading template {template}, {error}"))?;
                CustomColumns::parse_file(&text)?
            }
        };
        return Ok(Some(Printer::new(PrintFormat::Columns(columns))));
    }
    Ok(None)
}

fn filled_in(name: &str, text: String, allow_missing: bool) -> Result<Printer, String> {
    if !name.starts_with("jsonpath") {
        let parsed = Template::parse(&text)
            .map_err(|error| format!("error parsing template {text}, {error}"))?;
        return Ok(Printer::new(PrintFormat::Template {
            text,
            parsed,
            allow_missing,
        }));
    }
    let path = JsonPath::parse(&text)
        .map_err(|error| format!("error parsing jsonpath {text}, {error}"))?;
    Ok(Printer::new(PrintFormat::JsonPath {
        text,
        path,
        allow_missing,
        as_json: name == "jsonpath-as-json",
    }))
}

fn no_such_format(request: &Request<'_>) -> String {
    let mut allowed: Vec<&str> = PLAIN.into_iter().chain(TEMPLATES).collect();
    if request.is_get {
        allowed.extend(OF_GET);
    }
    // kubectl sorts the list in this error.
    allowed.sort_unstable();
    format!(
        "unable to match a printer suitable for the output format {}, allowed formats are: {}",
        quoted(request.output),
        allowed.join(",")
    )
}
