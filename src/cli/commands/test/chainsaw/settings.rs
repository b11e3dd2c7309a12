//! The settings of chainsaw's cases, from `.chainsaw.yaml`, a test or a step.

use std::path::Path;
use std::sync::Arc;

use jiff::SignedDuration;

use super::super::files::text_of;
use super::super::own::parsed;
use super::GROUP;
use crate::api::json::Value;
use crate::api::yaml::{Document, PathStep};
use crate::cli::durations::span;
use crate::cluster::Propagation;

/// The settings of one level, which the levels below inherit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) assert: SignedDuration,
    pub(super) error: SignedDuration,
    pub(super) delete: SignedDuration,
    /// A limit on real time.
    pub(super) exec: SignedDuration,
    /// True if expressions in resources are evaluated before the resources are written.
    pub(super) template: bool,
    pub(super) propagation: Option<Propagation>,
}

impl Default for Settings {
    /// Returns chainsaw's defaults.
    fn default() -> Self {
        Self {
            assert: SignedDuration::from_secs(30),
            error: SignedDuration::from_secs(30),
            delete: SignedDuration::from_secs(15),
            exec: SignedDuration::from_secs(5),
            template: true,
            propagation: None,
        }
    }
}

impl Settings {
    /// Returns the settings, overridden by those of a test, a step or an operation.
    pub(super) fn with(self, value: &Value) -> Self {
        let times = &value["timeouts"];
        let time = |name: &str, other| time(&times[name]).unwrap_or(other);
        let propagation = match value["deletionPropagationPolicy"].as_str() {
            Some("Orphan") => Some(Propagation::Orphan),
            Some("Background") => Some(Propagation::Background),
            Some("Foreground") => Some(Propagation::Foreground),
            _ => self.propagation,
        };
        Self {
            assert: time("assert", self.assert),
            error: time("error", self.error),
            delete: time("delete", self.delete),
            exec: time("exec", self.exec),
            template: value["template"].as_bool().unwrap_or(self.template),
            propagation,
        }
    }
}

/// Parses the duration in a field.
pub(super) fn time(value: &Value) -> Option<SignedDuration> {
    span(value.as_str()?).ok()
}

/// The contents of a `.chainsaw.yaml`.
pub(super) struct Configuration {
    pub(super) file: Arc<str>,
    pub(super) document: Document,
}

impl Configuration {
    /// Reads the nearest `.chainsaw.yaml` in a directory or its ancestors.
    pub(super) fn read(directory: &Path) -> Result<Option<Self>, String> {
        // The path is made absolute, because a relative one has too few ancestors.
        let absolute = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
        let mut files = absolute
            .ancestors()
            .map(|above| above.join(".chainsaw.yaml"));
        let Some(path) = files.find(|file| file.is_file()) else {
            return Ok(None);
        };
        let file: Arc<str> = path.display().to_string().into();
        // The file may also contain documents of other tools.
        let documents = parsed(&text_of(&path)?, &file)?.into_iter();
        let is_own = |document: &Document| {
            let version = document.value["apiVersion"].as_str().unwrap_or_default();
            document.value["kind"] == "Configuration" && version.starts_with(GROUP)
        };
        let document = documents.into_iter().find(is_own);
        Ok(document.map(|document| Self { file, document }))
    }

    fn spec(&self) -> &Value {
        &self.document.value["spec"]
    }

    /// Returns the settings of all cases. v1alpha2 groups the fields that v1alpha1 has directly in `spec`.
    pub(super) fn settings(&self) -> Settings {
        let spec = self.spec();
        // The fields of v1alpha1 are read first.
        let settings = Settings::default().with(spec);
        let propagation = spec["deletion"]["propagation"].clone();
        let group = Value::from_iter(
            [
                ("template", spec["templating"]["enabled"].clone()),
                ("deletionPropagationPolicy", propagation),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        settings.with(&group)
    }

    /// Returns the namespace that all cases share, if one is set.
    pub(super) fn namespace(&self) -> Option<&str> {
        let namespace = &self.spec()["namespace"];
        namespace.as_str().or(namespace["name"].as_str())
    }

    /// Returns the template for the namespace of each case.
    pub(super) fn namespace_template(&self) -> &Value {
        let own = &self.spec()["namespaceTemplate"];
        match own.is_null() {
            true => &self.spec()["namespace"]["template"],
            false => own,
        }
    }

    /// Returns the operations that run after the failure of any step, and their path.
    pub(super) fn catch(&self) -> (&Value, Vec<PathStep>) {
        let path = |names: &[&str]| -> Vec<PathStep> {
            let names = names.iter();
            names
                .map(|name| PathStep::Key((*name).to_owned()))
                .collect()
        };
        let own = &self.spec()["catch"];
        match own.is_null() {
            true => (
                &self.spec()["error"]["catch"],
                path(&["spec", "error", "catch"]),
            ),
            false => (own, path(&["spec", "catch"])),
        }
    }
}
