//! Finds existing names: types, objects and containers of the cluster, and contexts of the kubeconfig.
//!
//! Nothing here fails or creates anything, because a completion has nowhere to print an error.

use std::cell::OnceCell;
use std::ffi::OsString;

use clap::Parser as _;

use crate::cli::args::Cli;
use crate::cli::commands::config_names;
use crate::cli::context::Context;
use crate::cli::flags::{Line, PartialCommandLine};
use crate::cli::resource::Kinds;
use crate::cli::ui::Ui;
use crate::cluster::{Cluster, Place};
use crate::kinds::tree::{list, text};

/// The cluster that the flags of an unfinished command line select.
pub(super) struct Live {
    context: Option<Context>,
    cluster: OnceCell<Option<Cluster>>,
}

impl Live {
    pub(super) fn new(command_line: &PartialCommandLine<'_>, program: &str) -> Self {
        let globals = command_line
            .flags
            .iter()
            .filter(|(flag, _)| flag.is_global_set());
        let token = |(flag, value): &(&clap::Arg, String)| {
            let long = flag.get_long().unwrap_or_default();
            OsString::from(format!("--{long}={value}"))
        };
        let worth = |(flag, _): &&(&clap::Arg, String)| {
            // Only flags that select a cluster matter; a switch takes no value.
            let leads = [
                "state",
                "namespace",
                "context",
                "cluster",
                "user",
                "kubeconfig",
                "server",
            ];
            leads.contains(&flag.get_long().unwrap_or_default())
        };
        let given: Vec<String> = globals
            .clone()
            .filter_map(|(flag, _)| flag.get_long().map(str::to_owned))
            .collect();
        let tokens = globals.filter(worth).map(token);
        let line = [OsString::from(program)].into_iter().chain(tokens);
        // `options` replaces the unfinished command, whose own words could not be parsed.
        let cli = Cli::try_parse_from(line.chain([OsString::from("options")]));
        let context = cli.ok().map(|cli| {
            let line = Line {
                given,
                ..Line::default()
            };
            Context::new(
                cli.global,
                program.to_owned(),
                line,
                String::new(),
                Ui::new(),
            )
        });
        Self {
            context,
            cluster: OnceCell::new(),
        }
    }

    fn cluster(&self) -> Option<&Cluster> {
        // The cluster is opened only if one of its names is needed, and never created: a Tab must not have side
        // effects.
        let open = || self.context.as_ref()?.api_if_exists().ok().flatten();
        self.cluster.get_or_init(open).as_ref()
    }

    fn kinds(&self) -> Option<Kinds> {
        Kinds::from_cluster(self.cluster()).ok()
    }

    /// Returns the types of objects with their groups, as in `api-resources`.
    pub(super) fn types(&self) -> Vec<String> {
        let Some(kinds) = self.kinds() else {
            return Vec::new();
        };
        let mut all = kinds.preferred();
        all.retain(|kind| kind.verbs.contains(&"get"));
        all.sort_by_cached_key(|kind| (kind.group, kind.plural));
        let mut names: Vec<String> = all.iter().map(|kind| kind.qualified_resource()).collect();
        names.dedup();
        names
    }

    /// Returns the names of the objects of a type, in the namespace of the command.
    pub(super) fn names(&self, word: &str) -> Vec<String> {
        self.objects(word).unwrap_or_default()
    }

    fn objects(&self, word: &str) -> Option<Vec<String>> {
        let (cluster, context) = (self.cluster()?, self.context.as_ref()?);
        let kind = self.kinds()?.find(word).ok()?;
        let namespace = match kind.namespaced {
            true => context.namespace().ok()?,
            false => String::new(),
        };
        let found = cluster.list(&Place::new(kind, &namespace), &|_| true, None);
        let name = |object: &crate::api::json::Value| text(&object["metadata"], "name").to_owned();
        Some(found.ok()?.items.iter().map(name).collect())
    }

    /// Returns the containers of the Pod that the words name.
    pub(super) fn containers(&self, words: &[String]) -> Vec<String> {
        let find = || {
            let pod = words.first()?;
            // Both `pod/web` and `web` are accepted, and only the name matters.
            let pod = pod.rsplit('/').next()?;
            let kind = crate::kinds::find("", "v1", "Pod")?;
            let namespace = self.context.as_ref()?.namespace().ok()?;
            let place = Place::new(kind, &namespace);
            let pod = self.cluster()?.get(&place, pod).ok()?;
            let kinds = ["containers", "initContainers", "ephemeralContainers"];
            let all = kinds.iter().flat_map(|name| list(&pod["spec"], name));
            Some(all.map(|c| text(c, "name").to_owned()).collect())
        };
        find().unwrap_or_default()
    }

    /// Returns the names in a list of the kubeconfig.
    pub(super) fn configured(&self, list: &str) -> Vec<String> {
        let context = self.context.as_ref();
        context.map(|c| config_names(c, list)).unwrap_or_default()
    }
}
