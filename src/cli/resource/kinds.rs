//! The kinds that a command line can name.

use std::sync::Arc;

use crate::api::json::Value;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::suggest;
use crate::cluster::Cluster;
use crate::kinds::{Catalogue, Kind, custom, shape};

/// The served kinds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds(Arc<Catalogue>);

impl Kinds {
    /// Returns the kinds of a cluster, or the built-in kinds without a cluster.
    pub(crate) fn from_cluster(cluster: Option<&Cluster>) -> Result<Self, CliError> {
        Ok(match cluster {
            Some(cluster) => Self(cluster.kinds()?),
            None => Self::default(),
        })
    }

    /// Returns these kinds together with those of definitions, which take precedence.
    pub(crate) fn with_defined(&self, definitions: impl Iterator<Item = Value>) -> Self {
        let definition =
            crate::kinds::find("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
        let mut custom = Vec::new();
        for mut object in definitions {
            if let Some(kind) = definition {
                shape::normalize(kind, &mut object);
            }
            // An API server serves a definition only after it has accepted the names in it.
            custom::condition(&mut object, ["NamesAccepted", "True", "", ""], "");
            custom::condition(&mut object, ["Established", "True", "", ""], "");
            custom.extend(custom::kinds_of(&object));
        }
        if custom.is_empty() {
            return self.clone();
        }
        let own = Catalogue::new(custom);
        // Other kinds of the cluster remain, because a definition need not come with its objects.
        let is_other = |kind: &&'static Kind| {
            let is_defined = own.find_by_api_version(&kind.api_version(), kind.kind);
            kind.custom.is_some() && is_defined.is_none()
        };
        let others: Vec<_> = self.0.all().filter(is_other).collect();
        Self(Arc::new(own.with(&others)))
    }

    /// Resolves a word to its kind.
    pub(crate) fn find(&self, word: &str) -> Result<&'static Kind, CliError> {
        self.0.resolve(word).ok_or_else(|| {
            let plain = word.split('.').next().unwrap_or_default();
            CliError::text(format!(
                "the server doesn't have a resource type \"{plain}\""
            ))
            .hinted(self.hint(word))
        })
    }

    /// Resolves a resource with or without its group to its kind. Unlike in [`Self::find`], a version is taken for a part
    /// of the group, as by kubectl's commands that parse a `GroupResource`; the error names the group.
    pub(crate) fn find_in_group(&self, word: &str) -> Result<&'static Kind, CliError> {
        let (plain, group) = word.split_once('.').unwrap_or((word, ""));
        let found = self
            .0
            .resolve(word)
            .filter(|kind| kind.group.starts_with(group));
        found.ok_or_else(|| {
            let unknown = format!("the server doesn't have a resource type \"{plain}\"");
            CliError::Bare(match group {
                "" => unknown,
                group => format!("{unknown} in group {group:?}"),
            })
        })
    }

    /// Resolves a word to its kind. Warns if the word is ambiguous.
    pub(crate) fn find_and_warn(
        &self,
        word: &str,
        context: &Context,
    ) -> Result<&'static Kind, CliError> {
        let kind = self.find(word)?;
        self.warn_of_others(word, kind, context);
        Ok(kind)
    }

    /// Warns about each other kind with this short name.
    pub(crate) fn warn_of_others(&self, word: &str, kind: &Kind, context: &Context) {
        // A full name is unambiguous: `events` is the older group, but `ev` could mean either.
        if !kind.short_names.contains(&word) {
            return;
        }
        let is_other = |k: &&Kind| k.short_names.contains(&word) && k.group != kind.group;
        for other in self.0.preferred().filter(is_other) {
            let resource = other.qualified_resource();
            context.ui.warn(&format!(
                "short name {word:?} could also match lower priority resource {resource}"
            ));
        }
    }

    /// Returns a suggestion for an unknown kind.
    pub(crate) fn hint(&self, word: &str) -> Option<String> {
        let (plain, group) = word.split_once('.').unwrap_or((word, ""));
        let kinds = self.preferred();
        let kinds = kinds.iter().filter(|kind| kind.verbs.contains(&"get"));
        let mut known: Vec<String> = Vec::new();
        for kind in kinds {
            let short = kind.short_names.iter().copied();
            let names = short.chain([kind.plural, kind.singular]);
            match group {
                "" => known.extend(names.map(str::to_owned)),
                _ => known.push(format!("{}.{}", kind.plural, kind.group)),
            }
        }
        let typed = if group.is_empty() { plain } else { word };
        let near = suggest::hint(typed, &known);
        // The group may be wrong even if the name is right.
        near.or_else(|| Some(format!("Did you mean {:?}?", self.0.resolve(plain)?.plural)))
    }

    /// Finds the kind of an object. As in kubectl, the kind may be in lower case, which the server then rejects.
    pub(crate) fn of_object(&self, api_version: &str, kind: &str) -> Option<&'static Kind> {
        let in_lower_case = |k: &&Kind| {
            k.kind.to_ascii_lowercase() == kind && k.served && k.api_version() == api_version
        };
        let exact = self.0.find_by_api_version(api_version, kind);
        exact
            .or_else(|| self.0.all().find(in_lower_case))
            .or_else(|| self.without_version(api_version, kind))
    }

    /// Returns the kind of an object whose `apiVersion` has no version. kubectl treats that as any version, and
    /// requests a path that no server has.
    fn without_version(&self, api_version: &str, kind: &str) -> Option<&'static Kind> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let is_it = |k: &&Kind| k.group == group && k.kind == kind;
        let found = self
            .0
            .preferred()
            .find(is_it)
            .filter(|_| version.is_empty());
        let unversioned = |kind: &Kind| Kind {
            version: "",
            verbs: &[],
            ..*kind
        };
        found.map(|kind| &*Box::leak(Box::new(unversioned(kind))))
    }

    /// Returns the preferred version of each kind, according to discovery.
    pub(crate) fn preferred(&self) -> Vec<&'static Kind> {
        self.0.preferred().collect()
    }

    /// Returns all served kinds, in the order of discovery.
    pub(crate) fn served(&self) -> Vec<&'static Kind> {
        self.0.all().filter(|kind| kind.served).collect()
    }

    /// Returns the catalogue.
    pub(crate) fn catalogue(&self) -> &Catalogue {
        &self.0
    }

    /// Returns the members of a category such as `all`.
    pub(crate) fn category(&self, word: &str) -> Vec<&'static Kind> {
        self.0.category(word)
    }
}
