//! Edits objects: opens the editor, reads the result, and opens the editor again if the result is invalid.

use crate::api::go::GoSyntax;
use crate::api::json::{Value, json};
use crate::api::yaml::{self, Mode as Reading};
use crate::cli::context::Context;
use crate::cli::editor::{Edited, Editor};
use crate::cli::error::{CliError, FAILURE};
use crate::cli::options::{OutputArgs, RecordArgs, ResultPrinter};
use crate::cli::resource::{Info, to_create};
use crate::cluster::{Cluster, Part, PatchType, Response, WriteOptions};
use crate::kinds::last_applied::{self, Patch};
use crate::print::{InOrder, json as print_json, objects};

/// The comment above objects in the editor.
const HEADER: &str = "# Please edit the object below. Lines beginning with a '#' will be ignored,\n\
    # and an empty file will abort the edit. If an error occurs while saving this file will be\n\
    # reopened with the relevant failures.\n#\n";

/// The comment above annotations in the editor.
const HEADER_OF_ANNOTATIONS: &str = "# Please edit the 'last-applied-configuration' annotations \
    below.\n# Lines beginning with a '#' will be ignored, and an empty file will abort the edit.\n#\n";

/// The part that is edited, and the request that saves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Objects, saved by a patch.
    Objects,
    /// A subresource of the objects.
    Part(Part),
    /// The last-applied configuration, saved in its annotation.
    LastApplied,
    /// New objects, saved by a create.
    Create,
}

/// The format of an edited file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EditFormat {
    Yaml,
    Json,
    Kyaml,
}

impl EditFormat {
    /// Returns the format that `-o` selects.
    pub(crate) fn from_args(args: &OutputArgs) -> Result<Self, CliError> {
        match args.output.as_deref().unwrap_or_default() {
            "" | "yaml" => Ok(Self::Yaml),
            "json" => Ok(Self::Json),
            "kyaml" => Ok(Self::Kyaml),
            other => Err(CliError::text(format!(
                "unable to match a printer suitable for the output format {other:?}, allowed formats are: \
                 json,kyaml,yaml"
            ))),
        }
    }
}

/// The settings of an edit.
pub(crate) struct Session<'a> {
    pub(crate) context: &'a Context,
    pub(crate) cluster: &'a Cluster,
    pub(crate) mode: Mode,
    pub(crate) format: EditFormat,
    pub(crate) output_patch: bool,
    pub(crate) save_config: bool,
    pub(crate) windows: bool,
    pub(crate) validate: bool,
    pub(crate) options: WriteOptions,
    pub(crate) record: RecordArgs,
}

/// A reason to open the editor again: a line, and the lines below it.
type Reason = (String, Vec<String>);

/// The outcome of saving an edited file.
#[derive(Default)]
struct Attempt {
    /// The reasons to open the editor again.
    reasons: Vec<Reason>,
    retryable: bool,
    missing: bool,
}

impl Session<'_> {
    /// Edits objects until they are valid or the user gives up.
    pub(crate) fn run(
        &self,
        infos: Vec<Info>,
        printer: &mut ResultPrinter<'_>,
    ) -> Result<(), CliError> {
        if self.mode != Mode::Create {
            return self.edit(&infos, printer);
        }
        // As in kubectl, the editor opens for each new object separately.
        let edited = infos.into_iter().map(|info| self.edit(&[info], printer));
        CliError::all(edited.filter_map(Result::err).collect())
    }

    /// Edits objects in one file.
    fn edit(&self, infos: &[Info], printer: &mut ResultPrinter<'_>) -> Result<(), CliError> {
        let editor = Editor::from_context(self.context);
        let name = format!("{}-edit-", self.context.program);
        let ending = match self.format {
            EditFormat::Json => ".json",
            EditFormat::Yaml | EditFormat::Kyaml => ".yaml",
        };
        let original = self.shown(infos);
        let mut reasons: Vec<Reason> = Vec::new();
        // The file of the previous round, which is kept for the user if the edit fails.
        let mut last: Option<Edited> = None;
        loop {
            let body = last
                .as_ref()
                .map_or(original.clone(), |before| without_comments(&before.text));
            let mut text = self.header(&reasons) + &body;
            if self.windows {
                text = text.replace('\n', "\r\n");
            }
            let mut edited = match editor.edit(&name, ending, &text) {
                Ok(edited) => edited,
                Err(e) => {
                    if let Some(before) = last {
                        self.kept(before);
                    }
                    return Err(e);
                }
            };
            // Some editors save CRLF, and a different line ending is not a change.
            edited.text = edited.text.replace("\r\n", "\n");
            let now = compared(&edited.text);
            // The user saved the rejected text again, so opening the editor once more would never end.
            if last.is_some_and(|before| compared(&before.text) == now) {
                self.kept(edited);
                let text = "Edit cancelled, no valid changes were saved.";
                return Err(CliError::text(text));
            }
            if now == compared(&original) {
                self.context.ui.note("Edit cancelled, no changes made.");
                return Ok(());
            }
            // With validation, kubectl rejects an empty file before it checks for an empty edit.
            if without_comments(&edited.text).trim().is_empty() && !self.validate {
                let text = "Edit cancelled, saved file was empty.";
                self.context.ui.note(text);
                return Ok(());
            }
            let attempt = match self.read(&edited.text, infos) {
                Err(why) => Attempt {
                    reasons: vec![why],
                    ..Attempt::default()
                },
                Ok(mut changed) => {
                    let placed = self.check_namespaces(&mut changed);
                    match placed.and_then(|()| self.send(infos, &changed, printer)) {
                        Ok(attempt) => attempt,
                        Err(e) => {
                            self.kept(edited);
                            return Err(e);
                        }
                    }
                }
            };
            // Another round would not help: the text is valid, but the cluster rejected it or no longer has the object.
            if attempt.retryable || attempt.missing {
                self.left(&attempt, edited);
                return Err(CliError::Exit(FAILURE));
            }
            if attempt.reasons.is_empty() {
                return Ok(());
            }
            (reasons, last) = (attempt.reasons, Some(edited));
        }
    }

    fn kept(&self, edited: Edited) {
        self.context.ui.note(&format!(
            "A copy of your changes has been stored to {:?}",
            edited.keep().display().to_string()
        ));
    }

    /// Keeps the edited file and prints how to continue.
    fn left(&self, attempt: &Attempt, edited: Edited) {
        let (program, path) = (&self.context.program, edited.keep());
        let path = path.display().to_string();
        self.context.ui.note(&match attempt.retryable {
            true => format!("You can run `{program} replace -f {path}` to try this update again."),
            false => {
                format!("The edits you made on deleted resources have been saved to {path:?}")
            }
        });
    }

    /// Returns the text to edit.
    fn shown(&self, infos: &[Info]) -> String {
        let mut shown: Vec<Value> = infos.iter().map(|info| self.part(info)).collect();
        // Managed fields are always hidden: kubectl 1.36 ignores `--show-managed-fields` here.
        shown.iter_mut().for_each(objects::strip_managed_fields);
        let value = match shown.len() {
            1 => shown.remove(0),
            _ => json!({"apiVersion": "v1", "kind": "List", "items": shown, "metadata": {}}),
        };
        match self.format {
            EditFormat::Json => print_json::to_string(&value),
            EditFormat::Yaml => yaml::to_string(&value),
            EditFormat::Kyaml => InOrder(&value, &[]).to_kyaml(),
        }
    }

    /// Returns the edited part of an object.
    fn part(&self, info: &Info) -> Value {
        if self.mode != Mode::LastApplied {
            return info.object.clone();
        }
        let text = last_applied::of(&info.object).unwrap_or_default();
        serde_json::from_str(text).unwrap_or_default()
    }

    fn header(&self, reasons: &[Reason]) -> String {
        // JSON has no comments, so a header would make the file invalid.
        if self.format == EditFormat::Json {
            return String::new();
        }
        let mut header = match self.mode {
            Mode::LastApplied => HEADER_OF_ANNOTATIONS.to_owned(),
            _ => HEADER.to_owned(),
        };
        for (head, more) in reasons {
            let colon = if more.is_empty() { "" } else { ":" };
            // Every line of an error must be commented out.
            let commented = |text: &str| text.replace('\n', "\n# ");
            header.push_str(&format!("# {}{colon}\n", commented(head)));
            for line in more {
                header.push_str(&format!("# * {}\n", commented(line)));
            }
            header.push_str("#\n");
        }
        header
    }

    /// Parses an edited text into objects. Returns the reason if it is invalid.
    fn read(&self, edited: &str, infos: &[Info]) -> Result<Vec<Value>, Reason> {
        let syntax = |why: String| {
            let text = format!("The edited file had a syntax error: {why}");
            Err((text, Vec::new()))
        };
        // kubectl validates the file without the comments but decodes it with them, so the line numbers differ.
        let text = match self.validate {
            true => without_comments(edited),
            false => edited.to_owned(),
        };
        let documents = match yaml::parse(text.as_bytes(), Reading::Lenient) {
            Ok(documents) => documents,
            Err(e) if self.validate => {
                let why = e.message.strip_prefix("error converting YAML to JSON: ");
                return Err(self.invalid(infos, why.unwrap_or(&e.message)));
            }
            Err(e) => return syntax(format!("error parsing edited-file: {}", e.message)),
        };
        let mut changed = Vec::new();
        for document in documents {
            match objects::is_list(&document.value) {
                true => changed.extend(objects::items(&document.value).iter().cloned()),
                false => changed.push(document.value),
            }
        }
        if changed.is_empty() {
            return Err(self.invalid(infos, "invalid object to validate"));
        }
        if let Some(why) = changed.iter().find_map(|object| self.unknown(object)) {
            return syntax(why);
        }
        for object in &changed {
            let names = ["apiVersion", "kind"];
            let mut missing = names.into_iter().filter(|name| !object[*name].is_string());
            let why = match (missing.next(), missing.next()) {
                (None, _) => continue,
                (Some(name), None) => format!("{name} not set"),
                _ => "[apiVersion not set, kind not set]".to_owned(),
            };
            if self.validate {
                return Err(self.invalid(infos, &why));
            }
            let name = if object["kind"].is_string() {
                "apiVersion"
            } else {
                "Kind"
            };
            let object = print_json::one_line(object);
            return syntax(format!(
                "unable to decode \"edited-file\": Object '{name}' is missing in '{object}'"
            ));
        }
        Ok(changed)
    }

    /// Reports an edited file that validation rejects. Returns the reason for the next header.
    fn invalid(&self, infos: &[Info], why: &str) -> Reason {
        let info = &infos[0];
        let resource = info.kind.qualified_resource();
        let name = &info.name;
        self.context
            .ui
            .note(&format!("error: {resource} {name:?} is invalid"));
        let value = "Invalid value: \"The edited file failed validation\"";
        (
            format!("{resource} {name:?} was not valid"),
            vec![format!("<nil>: {value}: {why}")],
        )
    }

    /// Rejects an object that the edit moves to another namespace. An object without a namespace gets that of the
    /// command.
    fn check_namespaces(&self, changed: &mut [Value]) -> Result<(), CliError> {
        let kinds = self.cluster.kinds()?;
        let asked = self.context.namespace()?;
        for object in changed {
            let text = |name: &str| object[name].as_str().unwrap_or_default();
            let kind = kinds.find_by_api_version(text("apiVersion"), text("kind"));
            if !kind.is_some_and(|kind| kind.namespaced) {
                continue;
            }
            match object["metadata"]["namespace"].as_str() {
                None | Some("") => object["metadata"]["namespace"] = json!(asked),
                Some(own) if own == asked => {}
                Some(own) => {
                    return Err(CliError::text(format!(
                        "the namespace from the provided object {own:?} does not match the namespace {asked:?}. \
                         You must pass '--namespace={own}' to perform this operation."
                    )));
                }
            }
        }
        Ok(())
    }

    /// Returns the error about an object of an unknown kind.
    fn unknown(&self, object: &Value) -> Option<String> {
        let (version, kind) = (object["apiVersion"].as_str()?, object["kind"].as_str()?);
        let kinds = self.cluster.kinds().ok()?;
        if kinds.find_by_api_version(version, kind).is_some() {
            return None;
        }
        let text = |name: &str| object["metadata"][name].as_str().unwrap_or_default();
        Some(format!(
            "resource mapping not found for name: {:?} \
             namespace: {:?} from \"edited-file\": no matches for kind {kind:?} in version \
             {version:?}\nensure CRDs are installed first",
            text("name"),
            text("namespace"),
        ))
    }

    /// Sends the changed objects.
    fn send(
        &self,
        infos: &[Info],
        changed: &[Value],
        printer: &mut ResultPrinter<'_>,
    ) -> Result<Attempt, CliError> {
        let mut attempt = Attempt::default();
        for (at, object) in changed.iter().enumerate() {
            let whole = self.unhidden(infos, object.clone());
            let marked = self.record.mark(self.context, whole);
            if self.mode == Mode::Create {
                self.create(infos, at, &marked, printer)?;
                continue;
            }
            let info = self.original(infos, at, object)?;
            let object = marked;
            let (before, after) = match self.mode {
                Mode::LastApplied => {
                    let mut after = info.object.clone();
                    let text = print_json::one_line(&object) + "\n";
                    after["metadata"]["annotations"][last_applied::LAST_APPLIED] = json!(text);
                    (info.object.clone(), after)
                }
                _ => {
                    let kept = match self.save_config {
                        true => last_applied::annotated(&object),
                        // Unlike other commands, `edit` does not update the annotation.
                        false => object.clone(),
                    };
                    (info.object.clone(), kept)
                }
            };
            if before == after {
                printer.print_result(info, "skipped")?;
                continue;
            }
            // The patch is sent to the original name; a renamed object would be a new one.
            let identity = |o: &Value| {
                [&o["apiVersion"], &o["kind"], &o["metadata"]["name"]].map(Value::clone)
            };
            if identity(&before) != identity(&after) {
                let text = "At least one of apiVersion, kind and name was changed";
                return Err(CliError::text(text));
            }
            let patch = last_applied::two_way(info.kind, &before, &after);
            let patch = patch.map_err(CliError::text)?;
            if self.output_patch {
                let patch = print_json::one_line(patch.value());
                self.context.ui.line(format_args!("Patch: {patch}"))?;
            }
            let patched = match self.mode {
                Mode::LastApplied => self
                    .named_by(info, &object)
                    .and_then(|target| self.patched(&target, &patch)),
                _ => self.patched(info, &patch),
            };
            match patched {
                Ok(answer) => {
                    printer.warn(&answer);
                    let shown = match self.mode {
                        // kubectl prints the edited part, which is the annotation.
                        Mode::LastApplied => object,
                        _ => answer.object,
                    };
                    printer.print_result(&info.with(shown), "edited")?;
                }
                // kubectl does not reopen the editor for a rejected configuration.
                Err(e) if self.mode == Mode::LastApplied => return Err(e),
                Err(e) => self.refused(info, &e, &mut attempt),
            }
        }
        Ok(attempt)
    }

    /// Returns the object that an edited configuration names, to which kubectl sends the change.
    fn named_by(&self, info: &Info, configuration: &Value) -> Result<Info, CliError> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (version, kind) = (
            text(&configuration["apiVersion"]),
            text(&configuration["kind"]),
        );
        let kind = self.cluster.kinds()?.find_by_api_version(&version, &kind);
        let target = Info {
            kind: kind.unwrap_or(info.kind),
            name: text(&configuration["metadata"]["name"]),
            ..info.clone()
        };
        target.require_name()?;
        Ok(target)
    }

    /// Returns an edited object with the managed fields that were hidden from the editor. The patch would otherwise
    /// remove them. The original is found by its uid.
    fn unhidden(&self, infos: &[Info], mut object: Value) -> Value {
        let uid = object["metadata"].get("uid").cloned();
        let mut parts = infos.iter().map(|info| self.part(info));
        let original = parts.find(|part| part["metadata"].get("uid") == uid.as_ref());
        let mut original = original.unwrap_or_default();
        let hidden = original["metadata"]["managedFields"].take();
        let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
            return object;
        };
        match hidden {
            Value::Null => drop(metadata.remove("managedFields")),
            fields => drop(metadata.insert("managedFields".to_owned(), fields)),
        }
        object
    }

    fn create(
        &self,
        infos: &[Info],
        at: usize,
        object: &Value,
        printer: &mut ResultPrinter<'_>,
    ) -> Result<(), CliError> {
        let info = infos.get(at).or(infos.last());
        let info = info
            .ok_or_else(|| CliError::text("nothing to create"))?
            .with(object.clone());
        let sent = to_create(&info.object);
        let answer = self.cluster.create(&info.place(), &sent, &self.options)?;
        printer.warn(&answer);
        printer.print_result(&info.with(answer.object), "created")
    }

    /// Finds the original of an edited object by its uid. A configuration has none, so its name or position decides.
    fn original<'i>(
        &self,
        infos: &'i [Info],
        at: usize,
        object: &Value,
    ) -> Result<&'i Info, CliError> {
        let uid = &object["metadata"]["uid"];
        let same = |info: &&Info| match self.mode {
            Mode::LastApplied => {
                object["metadata"]["name"] == info.name.as_str() && object["kind"] == info.kind.kind
            }
            _ => info.object["metadata"]["uid"] == *uid,
        };
        let found = infos.iter().find(same);
        // The user may have renamed a configuration, but with one object the original is certain.
        let only = (self.mode == Mode::LastApplied && infos.len() == 1)
            .then(|| infos.get(at))
            .flatten();
        found.or(only).ok_or_else(|| {
            let object = GoSyntax(object);
            CliError::text(format!(
                "no original object found for &unstructured.Unstructured{{Object:{object}}}"
            ))
        })
    }

    fn patched(&self, info: &Info, patch: &Patch) -> Result<Response, CliError> {
        let how = match patch {
            Patch::Strategic(value) => (PatchType::Strategic, value),
            Patch::Merge(value) => (PatchType::Merge, value),
        };
        let part = match self.mode {
            Mode::Part(part) => part,
            _ => Part::Whole,
        };
        Ok(self
            .cluster
            .patch(&info.place(), &info.name, how, part, &self.options)?)
    }

    /// Reports a rejected change and records how the edit continues.
    fn refused(&self, info: &Info, error: &CliError, attempt: &mut Attempt) {
        let resource = info.kind.qualified_resource();
        let name = &info.name;
        let tell = |text: String| self.context.ui.note(&text);
        match error.status() {
            Some(status) if status.reason == "Invalid" => {
                tell(format!("error: {resource} {name:?} is invalid"));
                let causes = status.details.iter().flat_map(|d| &d.causes);
                let causes = causes
                    .map(|c| format!("{}: {}", c.field, c.message))
                    .collect();
                attempt
                    .reasons
                    .push((format!("{resource} {name:?} was not valid"), causes));
            }
            Some(status) if status.reason == "NotFound" => {
                tell(format!(
                    "error: {resource} {name:?} could not be found on the server"
                ));
                attempt.missing = true;
            }
            _ => {
                let why = error.in_one_line();
                tell(format!(
                    "error: {resource} {name:?} could not be patched: {why}"
                ));
                attempt.retryable = true;
            }
        }
    }
}

/// Returns a text in the form that kubectl compares: as JSON, or without its comments if it is not YAML.
fn compared(text: &str) -> String {
    let Ok(documents) = yaml::parse(text.as_bytes(), Reading::Lenient) else {
        return without_comments(text);
    };
    // The reasons of an earlier round and blank lines do not count as changes.
    let values = documents.into_iter().map(|document| document.value);
    print_json::one_line(&Value::from(values.collect::<Vec<_>>()))
}

/// Returns a text without the lines that begin with `#`.
fn without_comments(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines
        .filter(|line| !line.trim_start().starts_with('#'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_do_not_count() {
        assert_eq!(without_comments("# a\nb\n  # c\nd"), "b\nd");
    }
}
