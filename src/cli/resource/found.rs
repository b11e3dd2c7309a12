//! The objects that a command found, with errors in the places of those it did not.

use std::collections::BTreeSet;

use super::info::Info;
use crate::cli::error::CliError;
use crate::kinds::Kind;

/// The objects that a command line names, in order, with the errors in their places.
#[derive(Debug, Default)]
pub(crate) struct NamedObjects {
    /// The objects, or errors in their places.
    pub(crate) items: Vec<Result<Info, CliError>>,
    /// The positions of errors about manifests that could not be read, or whose live objects could not.
    pub(super) unread: BTreeSet<usize>,
    /// The number of errors about invalid manifests.
    pub(super) undecoded: usize,
    /// True if a single object was named, which is printed alone instead of in a list.
    pub(crate) single: bool,
    /// True if a single file was named: an error is then reported alone if the output is structured.
    pub(crate) one_file: bool,
    /// The requested kinds that could be read, even if they have no objects.
    pub(crate) kinds: Vec<&'static Kind>,
}

impl NamedObjects {
    /// Separates the objects from the errors.
    pub(crate) fn split(self) -> (Vec<Info>, Vec<CliError>) {
        apart(self.items)
    }

    /// Separates the errors about manifests that could not be read, which kubectl joins into one error.
    pub(crate) fn readable(mut self) -> (Self, Option<CliError>) {
        let unread = std::mem::take(&mut self.unread);
        let (mut items, mut errors) = (Vec::new(), Vec::new());
        for (at, item) in self.items.into_iter().enumerate() {
            match item {
                Err(e) if unread.contains(&at) => errors.push(e),
                item => items.push(item),
            }
        }
        self.items = items;
        // Even a single error is a list, because kubectl prints it without its reason, as one of several.
        let joined = (!errors.is_empty()).then_some(CliError::Many(errors));
        (self, joined)
    }

    /// Returns the objects with their errors in the order in which most commands of kubectl find them: errors about
    /// manifests that could not be read come last, joined into one.
    pub(crate) fn in_turn(self) -> Vec<Result<Info, CliError>> {
        let (mut found, unread) = self.readable();
        found.items.extend(unread.map(Err));
        found.items
    }

    /// Separates errors of the API from errors of manifests, for a command that reads the live objects later.
    pub(crate) fn read_later(mut self) -> Self {
        let items = &self.items;
        let of_api = |at: &usize| matches!(items.get(*at), Some(Err(CliError::Server(_))));
        self.unread.retain(|at| !of_api(at));
        self
    }

    /// Drops the errors that `ignored` returns true for.
    pub(crate) fn without(mut self, ignored: fn(&CliError) -> bool) -> Self {
        let unread = std::mem::take(&mut self.unread);
        for (at, item) in std::mem::take(&mut self.items).into_iter().enumerate() {
            match item {
                Err(e) if ignored(&e) => {}
                Err(e) if unread.contains(&at) => self.add_unread(e),
                item => self.items.push(item),
            }
        }
        self
    }

    /// Adds the error about a manifest that could not be read.
    pub(super) fn add_unread(&mut self, error: CliError) {
        self.unread.insert(self.items.len());
        self.items.push(Err(error));
    }

    /// Returns the objects with errors in the form in which `get` and `describe` print them: kubectl collects the
    /// errors about manifests, and prints a single collected one as one of several. An error about a decoded object is
    /// not collected.
    pub(crate) fn collected(mut self) -> Self {
        let errors = self.items.iter().filter(|item| item.is_err()).count();
        if errors == 1 && self.undecoded == 0 {
            return self;
        }
        for item in &mut self.items {
            if let Err(CliError::Text(text)) = item {
                *item = Err(CliError::Bare(std::mem::take(text)));
            }
        }
        self
    }

    /// Records the kinds of the objects.
    pub(super) fn with_kinds(mut self) -> Self {
        self.kinds = self.items.iter().flatten().map(|info| info.kind).collect();
        self
    }

    /// Returns the objects before the first error, and that error.
    pub(crate) fn until_error(self) -> (Vec<Info>, Option<CliError>) {
        let mut infos = Vec::new();
        for item in self.items {
            match item {
                Ok(info) => infos.push(info),
                Err(e) => return (infos, Some(e)),
            }
        }
        (infos, None)
    }

    /// Returns the objects, or all errors.
    pub(crate) fn all(self) -> Result<Vec<Info>, CliError> {
        let (infos, errors) = self.split();
        CliError::all(errors)?;
        Ok(infos)
    }
}

/// Separates objects from errors.
pub(crate) fn apart(items: Vec<Result<Info, CliError>>) -> (Vec<Info>, Vec<CliError>) {
    let (mut infos, mut errors) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            Ok(info) => infos.push(info),
            Err(e) => errors.push(e),
        }
    }
    (infos, errors)
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    #[test]
    fn the_only_error_about_a_decoded_object_is_labeled() {
        let shell = Shell::new();
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: other}\n";
        shell.write("other.yaml", map);
        shell.write(
            "bad.yaml",
            "apiVersion: foo/v1\nkind: Foo\nmetadata: {name: f}\n",
        );
        shell.all(&["create ns other", "create cm c -n other"]);
        let why = "the namespace from the provided object \"other\" does not match the namespace \"n1\". You must pass \
            '--namespace=other' to perform this operation.";
        let unknown = "resource mapping not found for name: \"f\" namespace: \"\" from \"@/bad.yaml\": no matches for kind \
            \"Foo\" in version \"foo/v1\"\nensure CRDs are installed first";
        for command in ["get", "describe"] {
            let run = |files: &str| shell.fails(&format!("{command} -n n1 {files}"));
            assert_eq!(run("-f @/other.yaml"), format!("error: {why}"), "{command}");
            assert_eq!(run("-f @/bad.yaml"), unknown, "{command}");
            let both = format!("{why}\n{unknown}");
            assert_eq!(run("-f @/other.yaml -f @/bad.yaml"), both, "{command}");
        }
    }
}
