//! Groups of flags that several commands share: output, dry run, validation, and field managers.

use clap::Args;

use super::context::Context;
use super::error::CliError;
use super::resource::Info;
use crate::api::json::{Value, json};
use crate::cluster::{Cluster, FieldValidation, PatchType, Response, WriteOptions};
use crate::kinds::Kind;
use crate::kinds::tree::ensure;
use crate::print::{Failure, Format, Request};
use crate::sys::bounded;

/// `-o` and its flags.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct OutputArgs {
    /// Output format: json, yaml, kyaml, name, jsonpath=.., jsonpath-file=.., go-template=.. or
    /// go-template-file=..
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) output: Option<String>,
    /// Template or template file for -o go-template, go-template-file, jsonpath or jsonpath-file
    #[arg(long, value_name = "TEMPLATE")]
    pub(crate) template: Option<String>,
    /// Ignore fields and map keys in templates that do not exist
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    pub(crate) allow_missing_template_keys: bool,
    /// Keep managedFields in JSON and YAML output
    #[arg(long)]
    pub(crate) show_managed_fields: bool,
}

impl OutputArgs {
    /// Returns true if the output is sentences.
    pub(crate) fn is_human(&self) -> bool {
        let given = |text: &Option<String>| text.as_deref().is_some_and(|t| !t.is_empty());
        !given(&self.output) && !given(&self.template)
    }

    /// Returns the requested format. `is_get` allows the formats that only `get` has.
    pub(crate) fn format(&self, is_get: bool, no_headers: bool) -> Result<Format, CliError> {
        self.parsed(is_get, no_headers).map_err(CliError::text)
    }

    fn parsed(&self, is_get: bool, no_headers: bool) -> Result<Format, String> {
        let read = |path: &str| {
            let text = bounded::read_text(path, bounded::SETTINGS);
            text.map_err(|e| CliError::unread(path, &e).to_string())
        };
        let request = Request {
            output: self.output.as_deref().unwrap_or_default(),
            template: self.template.as_deref().unwrap_or_default(),
            allow_missing_keys: self.allow_missing_template_keys,
            managed_fields: self.show_managed_fields,
            no_headers,
            is_get,
            read: &read,
        };
        Format::parse(&request)
    }
}

/// `-o` of commands that kubectl does not have, or has no `-o` for: the result as data.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct StructuredOutputArgs {
    /// Output format: json or yaml
    #[arg(short, long, value_name = "FORMAT")]
    output: Option<String>,
}

impl StructuredOutputArgs {
    /// Returns the options for a command that prints an object and something else.
    pub(crate) fn from_output(output: &OutputArgs) -> Self {
        Self {
            output: output.output.clone(),
        }
    }

    /// Rejects an unknown format.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        match self.output.as_deref().unwrap_or_default() {
            // The format is checked before the command acts, because an error after the change would be too late.
            "" | "json" | "yaml" => Ok(()),
            other => Err(CliError::text(format!(
                "unable to match a printer suitable for the output format {other:?}, allowed \
                 formats are: json,yaml"
            ))),
        }
    }

    /// Returns true if the output is sentences.
    pub(crate) fn is_human(&self) -> bool {
        self.output.as_deref().unwrap_or_default().is_empty()
    }

    /// Prints the result as a sentence or as structured output.
    pub(crate) fn print(
        &self,
        context: &Context,
        sentence: impl std::fmt::Display,
        data: &Value,
    ) -> Result<(), CliError> {
        match Format::parse(&Request::parse(self.output.as_deref().unwrap_or_default())) {
            Ok(Format::Printer(mut printer)) => write(printer.print(data), context),
            _ => context.ui.line(sentence),
        }
    }
}

/// Prints the output of a printer, including the part before an error.
pub(crate) fn write(made: Result<String, Failure>, context: &Context) -> Result<(), CliError> {
    match made {
        Ok(text) => context.ui.out(&text),
        Err(failure) => {
            // kubectl prints while it executes a template, so one that fails midway has printed its beginning.
            context.ui.out(&failure.shown)?;
            Err(CliError::text(failure.message))
        }
    }
}

/// The mode of a dry run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DryRun {
    /// The write is committed.
    #[default]
    None,
    /// Nothing is sent.
    Client,
    /// The request is processed but not committed.
    Server,
}

impl DryRun {
    /// Returns the suffix that messages have in this mode.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Client => " (dry run)",
            Self::Server => " (server dry run)",
        }
    }
}

/// `--dry-run`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct DryRunArgs {
    /// none, client (print what would be sent) or server (process the request without storing the
    /// result)
    #[arg(long, value_name = "HOW", default_value = "none", default_missing_value = "unchanged",
        num_args = 0..=1, require_equals = true)]
    pub(crate) dry_run: String,
}

impl DryRunArgs {
    /// Returns the selected mode, with kubectl's warnings about deprecated spellings.
    pub(crate) fn get(&self, context: &Context) -> Result<DryRun, CliError> {
        let dry_run = self.check()?;
        let value = self.dry_run.as_str();
        match value {
            "none" | "client" | "server" => {}
            "unchanged" => {
                let text = "--dry-run is deprecated and can be replaced with --dry-run=client.";
                context.ui.log("helpers.go:719", text);
            }
            _ => {
                let (new, source) = match dry_run {
                    DryRun::Client => ("client", "helpers.go:733"),
                    _ => ("none", "helpers.go:736"),
                };
                let text = format!(
                    "--dry-run={value} is deprecated (boolean value) and can be replaced with \
                     --dry-run={new}."
                );
                context.ui.log(source, &text);
            }
        }
        if dry_run == DryRun::Client {
            // A client-side dry run must not create the cluster that it reads.
            context.forbid_creation();
        }
        Ok(dry_run)
    }

    /// Returns the selected mode without warnings.
    pub(crate) fn check(&self) -> Result<DryRun, CliError> {
        match self.dry_run.as_str() {
            "none" => Ok(DryRun::None),
            "client" | "unchanged" => Ok(DryRun::Client),
            "server" => Ok(DryRun::Server),
            // `--dry-run` was a boolean until kubectl 1.18, so the spellings of Go's `ParseBool` are valid.
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(DryRun::Client),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(DryRun::None),
            other => Err(invalid_dry_run(other)),
        }
    }
}

fn invalid_dry_run(value: &str) -> CliError {
    CliError::text(format!(
        "Invalid dry-run value ({value}). Must be \"none\", \"server\", or \"client\"."
    ))
}

/// `--validate`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ValidateArgs {
    /// Unknown fields: strict (true) fails, warn warns, ignore (false) accepts them
    #[arg(long, value_name = "HOW", default_value = "strict", default_missing_value = "strict",
        num_args = 0..=1, require_equals = true)]
    pub(crate) validate: String,
}

impl ValidateArgs {
    /// Returns the selected level.
    pub(crate) fn get(&self) -> Result<FieldValidation, CliError> {
        match self.validate.as_str() {
            // `--validate` used to be a boolean in kubectl, so booleans are still valid.
            "strict" | "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(FieldValidation::Strict),
            "warn" => Ok(FieldValidation::Warn),
            "ignore" | "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(FieldValidation::Ignore),
            other => Err(CliError::text(format!(
                "invalid - validate option {other:?}; must be one of: strict (or true), warn, \
                 ignore (or false)"
            ))),
        }
    }
}

/// `--field-manager`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ManagerArgs {
    /// Name of the manager that owns the changed fields
    #[arg(long, value_name = "NAME")]
    pub(crate) field_manager: Option<String>,
}

impl ManagerArgs {
    /// Returns the field manager, by default `own`. An empty one is not sent, and the API server chooses one.
    pub(crate) fn get(&self, own: &str) -> String {
        self.field_manager.as_deref().unwrap_or(own).to_owned()
    }
}

/// The annotation with the command that changed an object, which `rollout history` shows.
const CHANGE_CAUSE: &str = "kubernetes.io/change-cause";

/// The old `--record`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RecordArgs {
    /// Record this command in an annotation of the object
    #[arg(long, hide = true)]
    record: bool,
}

impl RecordArgs {
    /// Returns the object with the command in this annotation, if `--record` is given.
    pub(crate) fn mark(&self, context: &Context, mut object: Value) -> Value {
        if self.record {
            let annotations = ensure(&mut object["metadata"], "annotations");
            annotations[CHANGE_CAUSE] = context.change_cause().into();
        }
        object
    }

    /// Records the command as the change cause of a changed object, if `--record` is given. Returns the updated object.
    /// Like kubectl, ignores a cause that cannot be written.
    pub(crate) fn send(
        &self,
        context: &Context,
        cluster: &Cluster,
        info: &Info,
        options: &WriteOptions,
    ) -> Option<Value> {
        // As in kubectl, a second request records the annotation, after the command's own change has succeeded.
        let cause = self
            .record
            .then(|| self.mark(context, json!({"metadata": {}})))?;
        let how = (PatchType::Merge, &cause);
        let answer = cluster.patch(&info.place(), &info.name, how, false, options);
        // kubectl ignores a failure, because the change itself has been made.
        let answer = answer.ok()?;
        context.ui.warn_of(&answer);
        Some(answer.object)
    }
}

/// Returns the options of a write.
pub(crate) fn write_options(
    context: &Context,
    dry_run: DryRun,
    manager: String,
    field_validation: FieldValidation,
) -> WriteOptions {
    WriteOptions {
        // A client-side dry run sends no write. A command that needs the server's result sets the option itself.
        dry_run: dry_run == DryRun::Server,
        field_validation,
        field_manager: manager,
        user: context.user(),
        ..WriteOptions::default()
    }
}

/// Reports results for objects: a sentence for each, or the object in the requested format.
pub(crate) struct ResultPrinter<'a> {
    context: &'a Context,
    /// The format, or an error that its first use returns.
    format: Result<Format, String>,
    /// True if each object has a printer of its own, so that no `---` separates YAML documents.
    printer_per_object: bool,
    dry_run: DryRun,
}

impl<'a> ResultPrinter<'a> {
    /// Returns the printer for a command's flags.
    pub(crate) fn new(
        output: &OutputArgs,
        dry_run: DryRun,
        context: &'a Context,
    ) -> Result<Self, CliError> {
        Self::late(output, dry_run, context).checked()
    }

    /// Returns a printer that parses the format only when it reports the first object: the change is made even if its
    /// result cannot be printed.
    pub(crate) fn late(output: &OutputArgs, dry_run: DryRun, context: &'a Context) -> Self {
        Self {
            context,
            format: output.parsed(false, false),
            printer_per_object: false,
            dry_run,
        }
    }

    fn checked(self) -> Result<Self, CliError> {
        self.check().map(|()| self)
    }

    /// Rejects an invalid format.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        match &self.format {
            Err(error) => Err(CliError::text(&**error)),
            Ok(_) => Ok(()),
        }
    }

    /// Returns a printer that prints each object by itself, as some commands of kubectl do.
    pub(crate) fn printer_per_object(mut self) -> Self {
        self.printer_per_object = true;
        self
    }

    /// Returns a printer for objects that kubectl decodes into structs.
    pub(crate) fn of_structs(mut self) -> Self {
        self.format = self.format.map(|format| match format {
            Format::Printer(printer) => Format::Printer(printer.typed()),
            format => format,
        });
        self
    }

    /// Returns the printer for a command whose objects kubectl decodes into structs.
    pub(crate) fn typed(
        output: &OutputArgs,
        dry_run: DryRun,
        context: &'a Context,
    ) -> Result<Self, CliError> {
        Self::late(output, dry_run, context).of_structs().checked()
    }

    /// Returns the dry-run mode of the reported writes.
    pub(crate) fn dry_run(&self) -> DryRun {
        self.dry_run
    }

    /// Returns true if the output is sentences.
    pub(crate) fn is_human(&self) -> bool {
        self.format.as_ref().is_ok_and(Format::is_human)
    }

    /// Prints a sentence that does not concern a single object, if the output is sentences.
    pub(crate) fn sentence(&self, text: &str) -> Result<(), CliError> {
        match self.is_human() {
            true => self.context.ui.line(text),
            false => Ok(()),
        }
    }

    /// Prints the warnings of a response.
    pub(crate) fn warn(&self, answer: &Response) {
        self.context.ui.warn_of(answer);
    }

    /// Prints the server's warning about a deprecated kind, which comes with every response, also with a rejection.
    pub(crate) fn warn_of_kind(&self, kind: &Kind) {
        if let Some(text) = crate::kinds::warnings::deprecation(kind) {
            self.context.ui.warn(text);
        }
    }

    /// Reports the result for an object.
    pub(crate) fn print_result(&mut self, info: &Info, done: &str) -> Result<(), CliError> {
        if self.is_human() {
            let (name, suffix) = (info.shown(), self.dry_run.suffix());
            return self.context.ui.line(format_args!("{name} {done}{suffix}"));
        }
        self.print(&info.object)
    }

    /// Reports the result for one of several objects. An invalid format is an error of the object and does not end the
    /// command, because kubectl creates the printer after the change.
    pub(crate) fn print_result_of_many(
        &mut self,
        info: &Info,
        done: &str,
        errors: &mut Vec<CliError>,
    ) -> Result<(), CliError> {
        match self.print_result(info, done) {
            Err(error @ CliError::Text(_)) => {
                errors.push(error);
                Ok(())
            }
            told => told,
        }
    }

    /// Prints a list that is a struct in kubectl, but whose objects are not.
    pub(crate) fn print_list(&mut self, list: &Value) -> Result<(), CliError> {
        match &self.format {
            Ok(Format::Printer(printer)) => {
                write(printer.clone().of_lists().print(list), self.context)
            }
            _ => self.print(list),
        }
    }

    /// Prints an object or a list in the requested format.
    pub(crate) fn print(&mut self, object: &Value) -> Result<(), CliError> {
        match &mut self.format {
            Ok(Format::Printer(printer)) if self.printer_per_object => {
                write(printer.clone().print(object), self.context)
            }
            Ok(Format::Printer(printer)) => write(printer.print(object), self.context),
            Ok(Format::Human | Format::Wide) => Ok(()),
            Err(error) => Err(CliError::text(&**error)),
        }
    }
}
