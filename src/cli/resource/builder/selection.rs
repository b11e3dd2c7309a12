//! Finds the objects that selectors select.

use super::{Builder, NamedObjects};
use crate::api::go::quoted;
use crate::api::selector::LabelSelector;
use crate::cli::error::CliError;
use crate::cli::resource::Info;
use crate::cluster::{Place, Selection};
use crate::kinds::Kind;

impl Builder<'_> {
    /// Finds the objects that selectors select, or all objects of the types.
    pub(super) fn by_selector(&self) -> Result<NamedObjects, CliError> {
        let refuse = |text: &str| Err(CliError::text(text));
        if !self.words.names.is_empty() {
            return refuse("name cannot be provided when a selector is specified");
        }
        if !self.words.pairs.is_empty() {
            return refuse(
                "selectors and the all flag cannot be used when passing resource/name arguments",
            );
        }
        if self.words.types.is_empty() {
            return refuse("at least one resource must be specified to use a selector");
        }
        if !self.subresource.is_empty() {
            return refuse("subresource cannot be used when bulk resources are specified");
        }
        let mut found = NamedObjects::default();
        for kind in self.all_types()? {
            match self.selected(kind) {
                Ok(infos) => {
                    found.kinds.push(kind);
                    found.items.extend(infos.into_iter().map(Ok));
                }
                // The other types are still listed, because kubectl prints the objects it found and then the joined
                // errors.
                Err(e) => found.add_unread(e),
            }
        }
        Ok(found)
    }

    /// Returns the selector for manifests: `apply -l` selects among the objects in files.
    pub(super) fn selector_of_manifests(&self) -> Result<Option<LabelSelector>, CliError> {
        let selector = self.labels.as_deref().map(|text| {
            LabelSelector::parse(text).map_err(|e| {
                let text = quoted(text);
                CliError::text(format!("the provided selector {text} is not valid: {e}"))
            })
        });
        selector.transpose()
    }

    /// Returns the selected objects of a kind.
    fn selected(&self, kind: &'static Kind) -> Result<Vec<Info>, CliError> {
        let Some(cluster) = self.cluster else {
            return Err(CliError::text("there is no cluster to select from"));
        };
        let namespace = if self.all_namespaces {
            ""
        } else {
            &self.namespace
        };
        let place = Place::new(kind, namespace);
        let list = self.selection(kind).and_then(|selection| {
            // Objects are filtered while they are read, so that those not selected are never copied.
            let list = cluster.list(&place, &|object| selection.matches(object), None);
            list.map_err(CliError::from)
        });
        let list = self.warned(kind, list)?;
        self.check_typed(kind, &kind.list_kind())?;
        let infos = list.items.into_iter();
        Ok(infos.map(|object| Info::at(&place, object)).collect())
    }

    /// Parses the selectors for a kind.
    pub(crate) fn selection(&self, kind: &'static Kind) -> Result<Selection, CliError> {
        let text = |selector: &Option<String>| selector.clone().unwrap_or_default();
        let (labels, fields) = (text(&self.labels), text(&self.fields));
        Selection::parse(kind, &labels, &fields).map_err(|mut status| {
            let api = format!("{}/{}, Resource={}", kind.group, kind.version, kind.plural);
            // kubectl wraps only this error with the resource and both selectors.
            status.message = format!(
                "Unable to find \"{api}\" that match label selector {labels:?}, field selector \
                 {fields:?}: {}",
                status.message
            );
            status.into()
        })
    }
}
