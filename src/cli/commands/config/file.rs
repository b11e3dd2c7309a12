//! The configuration file as a tree, its lists sorted by name.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use crate::api::json::{Map, Value, json};
use crate::api::yaml;
use crate::cli::client_config::{tree_of, unloaded, written};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::state_dir;
use crate::sys::bounded;
use crate::sys::entropy::kernel_random;

/// A list of named things in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    Clusters,
    Contexts,
    Users,
}

impl List {
    /// Returns the names of the list and of its entries.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Clusters => ("clusters", "cluster"),
            Self::Contexts => ("contexts", "context"),
            Self::Users => ("users", "user"),
        }
    }
}

/// The configuration and its source.
#[derive(Debug)]
pub(crate) struct File {
    pub(super) path: PathBuf,
    pub(super) tree: Value,
}

impl File {
    /// Loads the configuration; empty if there is no file.
    pub(super) fn load(context: &Context) -> Result<Self, CliError> {
        Self::load_from(state_dir::config_file(&context.global)?)
    }

    /// Loads a file; an empty configuration if there is none.
    pub(crate) fn load_from(path: PathBuf) -> Result<Self, CliError> {
        let text = match bounded::read_text(&path, bounded::SETTINGS) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(CliError::text(format!("{}: {e}", path.display()))),
        };
        let tree = tree_of(&text).map_err(|e| unloaded(&path, &e))?;
        Ok(Self { path, tree })
    }

    /// Returns an empty configuration without a path.
    pub(super) fn empty() -> Result<Self, CliError> {
        Ok(Self {
            path: PathBuf::new(),
            tree: tree_of("").map_err(CliError::text)?,
        })
    }

    /// Returns true if the file exists.
    pub(crate) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Returns true if it has no entries.
    pub(super) fn is_empty(&self) -> bool {
        let mut lists = [List::Clusters, List::Contexts, List::Users].into_iter();
        lists.all(|list| self.names(list).is_empty()) && self.current().is_empty()
    }

    /// Returns the folder to which paths in the file are relative.
    pub(crate) fn folder(&self) -> Result<PathBuf, CliError> {
        let path = std::path::absolute(&self.path)?;
        Ok(path.parent().map(PathBuf::from).unwrap_or_default())
    }

    /// Replaces the file atomically, readable by its owner alone: it may hold tokens.
    pub(super) fn save(&mut self) -> Result<(), CliError> {
        self.tree = written(&self.tree).map_err(|why| unloaded(&self.path, &why))?;
        for list in [List::Clusters, List::Contexts, List::Users] {
            let list = &mut self.tree[list.words().0];
            // A map without entries is written as null.
            if list.as_array().is_some_and(|items| items.is_empty()) {
                *list = Value::Null;
            }
        }
        // Renaming onto a symbolic link would replace the link; dotfiles are often linked.
        let path = std::fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)?;
        }
        let mut name = path.file_name().unwrap_or_default().to_owned();
        // A random name, so that two commands at once cannot write the same temporary file.
        name.push(format!(".{:016x}.new", kernel_random()));
        let fresh = path.with_file_name(name);
        let mut options = std::fs::OpenOptions::new();
        // The mode is set at creation: between a create and a chmod the tokens would be readable.
        options.write(true).create_new(true).mode(0o600);
        let written = options.open(&fresh).and_then(|mut file| {
            file.write_all(yaml::to_string(&self.tree).as_bytes())?;
            // Without the sync, a crash after the rename could leave an empty configuration.
            file.sync_all()?;
            std::fs::rename(&fresh, &path)
        });
        if written.is_err() {
            // The error of the write is reported; a leftover file is harmless.
            let _ = std::fs::remove_file(&fresh);
        }
        Ok(written?)
    }

    /// Returns the name of the current context, empty if there is none.
    pub(crate) fn current(&self) -> &str {
        self.tree["current-context"].as_str().unwrap_or_default()
    }

    /// Returns the names in a list, sorted.
    pub(super) fn names(&self, list: List) -> Vec<String> {
        let items = self.tree[list.words().0].as_array();
        let names = items
            .into_iter()
            .flatten()
            .filter_map(|i| i["name"].as_str());
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort();
        names
    }

    /// Returns the entry of that name.
    pub(crate) fn get(&self, list: List, name: &str) -> Option<&Value> {
        let (many, one) = list.words();
        let mut items = self.tree[many].as_array().into_iter().flatten();
        items.find(|i| i["name"] == name).map(|i| &i[one])
    }

    /// Returns the entry of that name and creates it if it is missing.
    pub(super) fn entry(&mut self, list: List, name: &str) -> Option<&mut Map> {
        let (many, one) = list.words();
        if !self.tree[many].is_array() {
            self.tree[many] = json!([]);
        }
        let items = self.tree[many].as_array_mut()?;
        let at = items.iter().position(|i| i["name"] == name);
        let at = at.unwrap_or_else(|| {
            items.push(json!({"name": name, one: {}}));
            items.len() - 1
        });
        let found = items
            .get_mut(at)?
            .as_object_mut()?
            .entry(one)
            .or_insert_with(|| json!({}));
        if !found.is_object() {
            *found = json!({});
        }
        found.as_object_mut()
    }

    /// Removes a name from a list; returns false if it is not in it.
    pub(super) fn remove(&mut self, list: List, name: &str) -> bool {
        let Some(items) = self.tree[list.words().0].as_array_mut() else {
            return false;
        };
        let before = items.len();
        items.retain(|i| i["name"] != name);
        items.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_kubeconfig_has_every_section_and_editable_entries() {
        let mut file = File::empty().unwrap();
        assert_eq!(
            yaml::to_string(&file.tree),
            "apiVersion: v1\nclusters: null\ncontexts: null\ncurrent-context: \"\"\nkind: Config\nusers: null\n"
        );
        file.entry(List::Users, "b")
            .unwrap()
            .insert("token".to_owned(), json!("t"));
        file.entry(List::Users, "a").unwrap();
        assert_eq!(file.names(List::Users), ["a", "b"]);
        assert_eq!(file.get(List::Users, "b").unwrap()["token"], "t");
        assert!(file.remove(List::Users, "b"));
        assert!(!file.remove(List::Users, "b"));
    }
}
