//! `-o` and `--template`: which format they ask for.

use super::printer::{How, Printer};
use crate::api::go::quoted;

/// The formats that need no template, apart from a person's own.
const PLAIN: [&str; 4] = ["json", "kyaml", "name", "yaml"];

/// The formats that `kubectl get` has beyond those of every command.
const OF_GET: [&str; 3] = ["custom-columns", "custom-columns-file", "wide"];

/// The formats made by a template, which stands behind `=` or in `--template`.
const TEMPLATES: [&str; 7] = [
    "go-template",
    "go-template-file",
    "jsonpath",
    "jsonpath-as-json",
    "jsonpath-file",
    "template",
    "templatefile",
];

/// Reads a file that a format names; the error is a sentence such as `open x: no such file or directory`.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// What the command line says about the output.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// `-o`.
    pub output: &'a str,
    /// `--template`.
    pub template: &'a str,
    /// `--allow-missing-template-keys`.
    pub allow_missing_keys: bool,
    /// `--no-headers`.
    pub no_headers: bool,
    /// Whether the command is `get`, which has wide tables and custom columns.
    pub is_get: bool,
    /// How files are read.
    pub read: ReadFile<'a>,
}

/// How objects are shown.
#[derive(Clone, Debug)]
pub enum Format {
    /// Nothing was asked for: a table, or a sentence.
    Human,
    /// A table with more columns.
    Wide,
    /// Anything that a program reads.
    Printer(Printer),
}

impl<'a> Request<'a> {
    /// A request of a command other than `get`, with nothing but `-o`.
    pub fn of(output: &'a str) -> Self {
        Self {
            output,
            template: "",
            allow_missing_keys: true,
            no_headers: false,
            is_get: false,
            read: &|path| Err(format!("open {path}: no such file or directory")),
        }
    }
}

impl Format {
    /// Reads what the command line asks for.
    ///
    /// # Errors
    /// The sentence that kubectl prints behind `error: `.
    pub fn parse(request: &Request<'_>) -> Result<Self, String> {
        let asked = match request.output {
            "" if !request.template.is_empty() => "go-template",
            asked => asked,
        };
        let lower = asked.to_ascii_lowercase();
        Ok(match lower.as_str() {
            "" => Self::Human,
            "wide" if request.is_get => Self::Wide,
            "json" => Printer::new(How::Json).into(),
            "yaml" => Printer::new(How::Yaml).into(),
            "kyaml" => Printer::new(How::Kyaml).into(),
            "name" => Printer::new(How::Name).into(),
            _ => return Err(no_such_format(request)),
        })
    }

    /// Whether this is for a person: a table or a sentence, not a [`Printer`].
    pub fn is_human(&self) -> bool {
        !matches!(self, Self::Printer(_))
    }
}

impl From<Printer> for Format {
    fn from(printer: Printer) -> Self {
        Self::Printer(printer)
    }
}

fn no_such_format(request: &Request<'_>) -> String {
    let mut allowed: Vec<&str> = PLAIN.into_iter().chain(TEMPLATES).collect();
    if request.is_get {
        allowed.extend(OF_GET);
    }
    allowed.sort_unstable();
    format!(
        "unable to match a printer suitable for the output format {}, allowed formats are: {}",
        quoted(request.output),
        allowed.join(",")
    )
}
