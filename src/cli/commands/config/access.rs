//! Writes the kubeconfig entries that connect to one cluster.

use std::iter;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use super::file::{File, List};
use crate::api::json::{Map, Value, json};
use crate::api::yaml;
use crate::cli::error::CliError;
use crate::sys::net;

/// The field that identifies a cluster, because each cluster has its own authority.
const AUTHORITY: &str = "certificate-authority-data";

/// The entries with the cluster's name that its new entry replaces. All others belong to different clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplacePolicy {
    /// All entries, in a file that belongs to the cluster.
    All,
    /// Entries with the cluster's authority.
    Signed,
    /// Also entries of servers on this machine that no longer run: a cluster without files is new at each start.
    Stopped,
}

/// A kubeconfig context that connects to one cluster as one user.
pub(crate) struct Access<'a> {
    /// The name of the user, if the file may hold several users of the cluster.
    pub(crate) user_name: Option<&'a str>,
    /// The preferred name of the cluster.
    pub(crate) cluster_name: &'a str,
    pub(crate) cluster: Map,
    pub(crate) user: Map,
    pub(crate) replaces: ReplacePolicy,
}

impl Access<'_> {
    /// Adds this to a file as the current context.
    pub(super) fn put_into(self, file: &mut File) {
        let cluster = self.free_name(file);
        let name = self.name(&cluster);
        let context = [("cluster", cluster.as_str()), ("user", &name)];
        let context = context.map(|(key, value)| (key.to_owned(), json!(value)));
        let mut context = Map::from_iter(context);
        // The namespace is the user's choice and does not depend on the server.
        let earlier = file.get(List::Contexts, &name);
        if let Some(namespace) = earlier.and_then(|earlier| earlier.get("namespace")) {
            context.insert("namespace".to_owned(), namespace.clone());
        }
        for (list, name, entry) in [
            (List::Clusters, &cluster, self.cluster),
            (List::Contexts, &name, context),
            (List::Users, &name, self.user),
        ] {
            // The entry is replaced as a whole, because leftover fields of an earlier one, such as a client
            // certificate, would still be used.
            if let Some(place) = file.entry(list, name) {
                *place = entry;
            }
        }
        file.tree["current-context"] = json!(name.as_str());
    }

    /// Returns the text of a kubeconfig with this context alone.
    pub(crate) fn into_text(self) -> Result<String, CliError> {
        let mut file = File::empty()?;
        self.put_into(&mut file);
        Ok(yaml::to_string(&file.tree))
    }

    /// Writes this to a file. With `merge`, the rest of the file is kept, and a name that belongs to another cluster
    /// gets a number. Without it, a file that contains anything else is rejected.
    pub(crate) fn write_to(self, path: &Path, merge: bool) -> Result<(), CliError> {
        let mut file = File::load_from(path.to_owned())?;
        let (path, own) = (path.display(), self.name(self.cluster_name));
        let mut names = file.names(List::Contexts).into_iter();
        // A file with other contexts is most likely the user's own kubeconfig.
        let other = names.find(|name| *name != own);
        if let Some(other) = other.filter(|_| !merge) {
            let text =
                format!("{path} has other contexts, such as \"{other}\"; --merge keeps them");
            return Err(CliError::text(text));
        }
        if !merge && !self.is_free(&file, self.cluster_name) {
            let name = self.cluster_name;
            let text = format!("{path} has another cluster \"{name}\"; --merge keeps it");
            return Err(CliError::text(text));
        }
        self.put_into(&mut file);
        file.save()
    }

    /// Returns the URL of the cluster in a file, if the file has one.
    pub(crate) fn server_in(&self, path: &Path) -> Result<Option<String>, CliError> {
        let file = File::load_from(path.to_owned())?;
        let entry = file.get(List::Clusters, &self.free_name(&file));
        let server = entry.and_then(|entry| entry["server"].as_str());
        Ok(server.map(str::to_owned))
    }

    /// Returns the name of the context and the user.
    fn name(&self, cluster: &str) -> String {
        match self.user_name {
            // kubeadm names users this way; one file can have several users of a cluster.
            Some(user) => format!("{user}@{cluster}"),
            None => cluster.to_owned(),
        }
    }

    /// Returns the name for the cluster in a file, with a number if another cluster has the name.
    fn free_name(&self, file: &File) -> String {
        let numbered = (2..).map(|number| format!("{}-{number}", self.cluster_name));
        let mut names = iter::once(self.cluster_name.to_owned()).chain(numbered);
        let free = names.find(|name| self.is_free(file, name));
        // The numbers never run out, because a file has fewer entries.
        free.unwrap_or_default()
    }

    /// Returns true if no other cluster has the name.
    fn is_free(&self, file: &File, name: &str) -> bool {
        match file.get(List::Clusters, name) {
            Some(entry) => self.is_earlier(entry),
            None => {
                let own = self.name(name);
                let lists = [List::Contexts, List::Users];
                lists.iter().all(|list| file.get(*list, &own).is_none())
            }
        }
    }

    /// Returns true if an entry is an earlier one of this cluster.
    fn is_earlier(&self, entry: &Value) -> bool {
        let own = |field: &str| self.cluster.get(field).and_then(Value::as_str);
        let is_signed = own(AUTHORITY).is_some() && entry[AUTHORITY].as_str() == own(AUTHORITY);
        let server = entry["server"].as_str();
        match self.replaces {
            ReplacePolicy::All => true,
            ReplacePolicy::Signed => is_signed,
            ReplacePolicy::Stopped => {
                is_signed || server == own("server") || server.is_some_and(is_down)
            }
        }
    }
}

/// The kubeconfig of another server of the same cluster, kept while a newer server uses the file.
pub(crate) struct SavedKubeconfig {
    path: PathBuf,
    earlier: File,
    newer: Value,
}

impl SavedKubeconfig {
    /// Runs a function that may write a kubeconfig. Returns the earlier content if the server in it still runs.
    pub(crate) fn by<T>(path: Option<&Path>, write: impl FnOnce() -> T) -> (Option<Self>, T) {
        let earlier = path.and_then(|path| File::load_from(path.to_owned()).ok());
        let earlier = earlier.filter(|file| {
            let clusters = file.tree["clusters"].as_array().into_iter().flatten();
            let mut servers = clusters.filter_map(|own| own["cluster"]["server"].as_str());
            servers.any(is_up)
        });
        let written = write();
        let displaced = earlier.zip(path).and_then(|(earlier, path)| {
            let newer = File::load_from(path.to_owned()).ok()?.tree;
            let path = path.to_owned();
            Some(Self {
                path,
                earlier,
                newer,
            })
        });
        (displaced, written)
    }

    /// Restores the earlier content when the newer server has ended, unless the file was changed in the meantime.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn put_back(mut self) -> Result<(), CliError> {
        let now = File::load_from(self.path)?;
        match now.tree == self.newer {
            true => self.earlier.save(),
            false => Ok(()),
        }
    }
}

/// Returns true if a URL names an address of this machine on which a process listens.
fn is_up(url: &str) -> bool {
    local(url).is_some_and(net::is_listening)
}

/// Returns true if a URL names an address of this machine on which no process listens.
fn is_down(url: &str) -> bool {
    local(url).is_some_and(|at| !net::is_listening(at))
}

/// Returns the address of this machine that a URL names.
fn local(url: &str) -> Option<SocketAddr> {
    let (_, authority) = url.split_once("://")?;
    let address: SocketAddr = authority.parse().ok()?;
    address.ip().is_loopback().then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access<'a>(authority: &str, server: &str, replaces: ReplacePolicy) -> Access<'a> {
        let fields = [(AUTHORITY, authority), ("server", server)];
        let fields = fields.iter().filter(|(_, value)| !value.is_empty());
        Access {
            user_name: None,
            cluster_name: "ctl",
            cluster: fields
                .map(|(key, value)| ((*key).to_owned(), json!(value)))
                .collect(),
            user: Map::new(),
            replaces,
        }
    }

    fn merged(file: &mut File, access: Access<'_>) -> String {
        access.put_into(file);
        file.tree["current-context"].as_str().unwrap().to_owned()
    }

    #[test]
    fn entries_of_other_clusters_are_kept() {
        let mut file = File::empty().unwrap();
        let mut put = |authority: &str, server: &str, replaces| {
            merged(&mut file, access(authority, server, replaces))
        };
        let (first, second) = ("https://127.0.0.1:1", "https://127.0.0.1:2");
        assert_eq!(put("a", first, ReplacePolicy::Signed), "ctl");
        // A different cluster gets a number, even if it has the address of a stopped one.
        assert_eq!(put("b", first, ReplacePolicy::Signed), "ctl-2");
        // The clusters keep their names at other addresses.
        assert_eq!(put("a", second, ReplacePolicy::Signed), "ctl");
        assert_eq!(put("b", second, ReplacePolicy::Signed), "ctl-2");
        assert_eq!(put("", second, ReplacePolicy::Signed), "ctl-3");
        assert_eq!(put("", "https://prod", ReplacePolicy::All), "ctl");
        // A cluster without files has no authority to compare.
        assert_eq!(put("c", second, ReplacePolicy::Stopped), "ctl-2");
        assert_eq!(
            file.get(List::Clusters, "ctl").unwrap()["server"],
            "https://prod"
        );
        let context = file.entry(List::Contexts, "ctl").unwrap();
        context.insert("namespace".to_owned(), json!("blue"));
        access("", "https://prod", ReplacePolicy::All).put_into(&mut file);
        assert_eq!(
            file.get(List::Contexts, "ctl").unwrap()["namespace"],
            "blue"
        );
    }

    #[test]
    fn only_stopped_servers_of_this_machine_are_replaced() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        assert!(!is_down(&url));
        drop(listener);
        assert!(is_down(&url));
        assert!(!is_down("https://prod.example.com") && !is_down("https://192.0.2.1:1"));
    }
}
