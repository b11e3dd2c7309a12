//! The kubeconfig as a tree. Its lists are sorted by name.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::api::json::{Map, Value, json};
use crate::api::yaml;
use crate::cli::client_config::{tree_of, unloaded, unreadable, written};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::state_dir;
use crate::sys::bounded;
use crate::sys::entropy::kernel_random;

/// All lists of a kubeconfig.
const LISTS: [List; 3] = [List::Clusters, List::Contexts, List::Users];

/// A list of named entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    Clusters,
    Contexts,
    Users,
}

impl List {
    /// Returns the field of the list, and the field of an entry's content.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Clusters => ("clusters", "cluster"),
            Self::Contexts => ("contexts", "context"),
            Self::Users => ("users", "user"),
        }
    }
}

/// The kubeconfig and the files it comes from.
#[derive(Debug)]
pub(crate) struct File {
    pub(super) path: PathBuf,
    pub(super) tree: Value,
    /// The files it was merged from, in order of precedence; empty for a single file.
    parts: Vec<Part>,
}

/// One file of a merged kubeconfig, as it was read.
#[derive(Debug)]
struct Part {
    path: PathBuf,
    tree: Value,
}

impl File {
    /// Loads the kubeconfig. It is empty if there is no file.
    pub(super) fn load(context: &Context) -> Result<Self, CliError> {
        Self::load_all(state_dir::config_files(&context.global)?)
    }

    /// Loads several files as one configuration. If two entries have one name, that of the first file counts.
    fn load_all(paths: Vec<PathBuf>) -> Result<Self, CliError> {
        let path = state_dir::default_file(&paths).to_owned();
        if paths.len() < 2 {
            return Self::load_from(path);
        }
        let part = |path: PathBuf| {
            let Self { path, tree, .. } = Self::load_from(path)?;
            Ok(Part { path, tree })
        };
        let parts: Vec<Part> = paths
            .into_iter()
            .map(part)
            .collect::<Result<_, CliError>>()?;
        Ok(Self {
            path,
            tree: merged(&parts),
            parts,
        })
    }

    /// Loads a file. The configuration is empty if there is none.
    pub(crate) fn load_from(path: PathBuf) -> Result<Self, CliError> {
        let text = match bounded::read_text(&path, bounded::SETTINGS) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(unreadable(&path, &e)),
        };
        let tree = tree_of(&text).map_err(|e| unloaded(&path, &e))?;
        Ok(Self {
            path,
            tree,
            parts: Vec::new(),
        })
    }

    /// Returns an empty configuration without a path.
    pub(super) fn empty() -> Result<Self, CliError> {
        Ok(Self {
            path: PathBuf::new(),
            tree: tree_of("").map_err(CliError::text)?,
            parts: Vec::new(),
        })
    }

    /// Returns true if the file exists.
    pub(crate) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Returns true if the configuration has no entries.
    pub(super) fn is_empty(&self) -> bool {
        let mut lists = LISTS.into_iter();
        lists.all(|list| self.names(list).is_empty()) && self.current().is_empty()
    }

    /// Returns the folder that paths in the file are relative to.
    pub(crate) fn folder(&self) -> Result<PathBuf, CliError> {
        let path = std::path::absolute(&self.path)?;
        Ok(path.parent().map(PathBuf::from).unwrap_or_default())
    }

    /// Writes the changed files. Each entry stays in the file that it comes from.
    pub(super) fn save(&mut self) -> Result<(), CliError> {
        if self.parts.is_empty() {
            let mut before = Self::load_from(self.path.clone())?.tree;
            normalize(&self.path, &mut before)?;
            normalize(&self.path, &mut self.tree)?;
            // As in kubectl, a command that changes nothing writes no file.
            return match before == self.tree {
                true => Ok(()),
                false => replace(&self.path, &self.tree),
            };
        }
        let before = merged(&self.parts);
        let has_current = |part: &Part| {
            !part.tree["current-context"]
                .as_str()
                .unwrap_or_default()
                .is_empty()
        };
        let is_default = |part: &Part| part.path == self.path;
        // As in client-go, the current context stays in the first file that has one.
        let current = self.parts.iter().position(has_current);
        let current = current.or(self.parts.iter().position(is_default));
        for (at, part) in self.parts.iter().enumerate() {
            let mut tree = part.tree.clone();
            let earlier = &self.parts[..at];
            for list in LISTS {
                let share = self.share(list, earlier, part, is_default(part));
                if !entries(&part.tree, list).eq(share.iter()) {
                    tree[list.words().0] = share.into();
                }
            }
            if current == Some(at) {
                tree["current-context"] = self.tree["current-context"].clone();
            }
            let others = self
                .tree
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(name, value)| {
                    let is_own = LISTS.iter().any(|list| list.words().0 == name.as_str())
                        || *name == "current-context";
                    !is_own && before[name.as_str()] != **value
                });
            if is_default(part) {
                others.for_each(|(name, value)| tree[name.as_str()] = value.clone());
            }
            if tree != part.tree {
                normalize(&part.path, &mut tree)?;
                replace(&part.path, &tree)?;
            }
        }
        Ok(())
    }

    /// Returns the entries of a list that belong in one of the files. `takes_new` marks the file for new entries.
    fn share(&self, list: List, earlier: &[Part], part: &Part, takes_new: bool) -> Vec<Value> {
        let now = entries(&self.tree, list);
        let is_in =
            |part: &Part, name: &Value| entries(&part.tree, list).any(|i| i["name"] == *name);
        let own = entries(&part.tree, list).filter_map(|item| {
            // An entry that another file hides was not visible to the command, so it stays as it is.
            let is_hidden = earlier.iter().any(|part| is_in(part, &item["name"]));
            match is_hidden {
                true => Some(item.clone()),
                false => now.clone().find(|i| i["name"] == item["name"]).cloned(),
            }
        });
        let is_new =
            |item: &&Value| takes_new && !self.parts.iter().any(|part| is_in(part, &item["name"]));
        own.chain(now.clone().filter(is_new).cloned()).collect()
    }

    /// Returns the name of the current context, or an empty text if there is none.
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

    /// Returns the entry with a name.
    pub(crate) fn get(&self, list: List, name: &str) -> Option<&Value> {
        let (many, one) = list.words();
        let mut items = self.tree[many].as_array().into_iter().flatten();
        items.find(|i| i["name"] == name).map(|i| &i[one])
    }

    /// Returns the entry with a name, and creates it if it is missing.
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

    /// Removes a name from a list. Returns false if the list does not contain it.
    pub(super) fn remove(&mut self, list: List, name: &str) -> bool {
        let Some(items) = self.tree[list.words().0].as_array_mut() else {
            return false;
        };
        let before = items.len();
        items.retain(|i| i["name"] != name);
        items.len() < before
    }
}

/// Returns the entries of a list.
fn entries(tree: &Value, list: List) -> impl Iterator<Item = &Value> + Clone {
    let items = tree[list.words().0].as_array();
    items.into_iter().flatten()
}

/// Returns the combined configuration of several files.
fn merged(parts: &[Part]) -> Value {
    let mut tree = json!({});
    for part in parts {
        for (name, value) in part.tree.as_object().into_iter().flatten() {
            let is_set = !tree[name.as_str()].is_null() && tree[name.as_str()] != "";
            match (tree[name.as_str()].as_array_mut(), value) {
                (Some(own), Value::Array(more)) => {
                    let is_new = |item: &&Value| !own.iter().any(|i| i["name"] == item["name"]);
                    let new: Vec<Value> = more.iter().filter(is_new).cloned().collect();
                    own.extend(new);
                }
                _ if is_set => {}
                (_, value) => tree[name.as_str()] = value.clone(),
            }
        }
    }
    tree
}

/// Turns a configuration into what client-go writes.
fn normalize(path: &Path, tree: &mut Value) -> Result<(), CliError> {
    *tree = written(tree).map_err(|why| unloaded(path, &why))?;
    for list in LISTS {
        let list = &mut tree[list.words().0];
        // client-go writes an empty map as null.
        if list.as_array().is_some_and(|items| items.is_empty()) {
            *list = Value::Null;
        }
    }
    Ok(())
}

/// Replaces a file atomically. Only its owner can read it, because it may hold tokens.
fn replace(path: &Path, tree: &Value) -> Result<(), CliError> {
    // Dotfiles are often symbolic links, and renaming onto a link would replace the link.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    // The random name keeps two concurrent commands from writing the same temporary file.
    name.push(format!(".{:016x}.new", kernel_random()));
    let fresh = path.with_file_name(name);
    let mut options = std::fs::OpenOptions::new();
    // The mode is set at creation, because the tokens would be readable between a create and a chmod.
    options.write(true).create_new(true).mode(0o600);
    let written = options.open(&fresh).and_then(|mut file| {
        file.write_all(yaml::to_string(tree).as_bytes())?;
        // Without the sync, a crash after the rename could leave an empty configuration.
        file.sync_all()?;
        std::fs::rename(&fresh, &path)
    });
    if written.is_err() {
        // The error of the write is the one to report; a leftover temporary file is harmless.
        let _ = std::fs::remove_file(&fresh);
    }
    Ok(written?)
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

    #[test]
    fn entries_of_several_files_stay_in_their_files() {
        let shell = crate::cli::testing::Shell::empty();
        let context = |name: &str, namespace: &str| {
            format!("- {{name: {name}, context: {{cluster: {name}, namespace: {namespace}}}}}\n")
        };
        let [both, first, second, hidden] = [
            ("both", "n1"),
            ("first", "n1"),
            ("second", "n2"),
            ("both", "n2"),
        ]
        .map(|(name, namespace)| context(name, namespace));
        shell.write("a", format!("contexts:\n{both}{first}"));
        shell.write(
            "b",
            format!("current-context: second\ncontexts:\n{second}{hidden}"),
        );
        let paths = ["none", "a", "b"].map(|name| shell.path(name)).to_vec();
        let load = || File::load_all(paths.clone()).unwrap();
        let mut all = load();
        assert_eq!(all.names(List::Contexts), ["both", "first", "second"]);
        let namespace =
            |file: &File, name: &str| file.get(List::Contexts, name).unwrap()["namespace"].clone();
        assert_eq!(
            (namespace(&all, "both"), all.current()),
            (json!("n1"), "second")
        );
        all.save().unwrap();
        assert!(!paths[0].exists());
        // One change of each kind: a changed entry of the second file, a removed one, a new one, and the current
        // context.
        all.entry(List::Contexts, "second")
            .unwrap()
            .insert("namespace".to_owned(), json!("n3"));
        assert!(all.remove(List::Contexts, "both"));
        all.entry(List::Contexts, "new").unwrap();
        all.tree["current-context"] = json!("first");
        all.save().unwrap();
        let alone = |at: usize| File::load_from(paths[at].clone()).unwrap();
        assert!(!paths[0].exists());
        assert_eq!(
            (alone(1).names(List::Contexts), alone(1).current()),
            (vec!["first".to_owned(), "new".to_owned()], "")
        );
        assert_eq!(
            (namespace(&alone(2), "second"), alone(2).current()),
            (json!("n3"), "first")
        );
        // The removal uncovers the hidden entry.
        assert_eq!(namespace(&load(), "both"), "n2");
    }
}
