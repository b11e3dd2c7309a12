//! Finds the objects that flags and words name.

mod selection;

use std::collections::BTreeSet;

use super::args::{FileArgs, SelectorArgs};
use super::files::{self, Reading};
use super::found::NamedObjects;
use super::info::Info;
use super::kinds::Kinds;
use super::missing::{check_name, check_place, inside, missing};
use super::words::{self, Words};
use crate::api::go::quoted;
use crate::api::json::{Value, json};
use crate::api::yaml::Mode;
use crate::cli::api_path::SubresourceTarget;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cluster::{Cluster, FieldValidation, Place, Selection};
use crate::kinds::schema::StoredFields;
use crate::kinds::{self, Kind};

/// The error if the command line names no objects.
const NOTHING_NAMED: &str = "You must provide one or more resources by argument or filename.\n\
    Example resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   \
    '<resource> <name>'\n   '<resource>'";

/// Finds the objects that a command line names.
pub(crate) struct Builder<'a> {
    context: &'a Context,
    cluster: Option<&'a Cluster>,
    kinds: Kinds,
    namespace: String,
    all_namespaces: bool,
    /// True if objects in files are not changed: nothing is sent, so they need no namespace.
    local: bool,
    /// True if objects in files are only in namespaces that they name themselves.
    own_namespaces: bool,
    files: Option<FileArgs>,
    words: Words,
    labels: Option<String>,
    fields: Option<String>,
    allow_no_selector: bool,
    fetch: bool,
    latest: bool,
    reads_later: bool,
    tables: bool,
    single_type: bool,
    subresource: String,
    own_definitions: bool,
    reading: Reading,
    errors: Vec<CliError>,
}

impl<'a> Builder<'a> {
    /// Returns a builder for a cluster, or for files alone.
    pub(crate) fn new(
        context: &'a Context,
        cluster: Option<&'a Cluster>,
    ) -> Result<Self, CliError> {
        Ok(Self {
            context,
            cluster,
            kinds: Kinds::from_cluster(cluster)?,
            namespace: context.namespace()?,
            all_namespaces: false,
            local: false,
            own_namespaces: false,
            files: None,
            words: Words::default(),
            labels: None,
            fields: None,
            allow_no_selector: false,
            fetch: true,
            latest: false,
            reads_later: false,
            tables: false,
            single_type: false,
            subresource: String::new(),
            own_definitions: false,
            reading: Reading {
                validate: false,
                lenient: false,
                skip_logs: false,
                typed: false,
                grants: false,
                no_lists: false,
                mode: Mode::Lenient,
            },
            errors: Vec::new(),
        })
    }

    /// Leaves the namespaces of objects in files as they are.
    pub(crate) fn local(mut self, local: bool) -> Self {
        self.local = local;
        self
    }

    /// Adds no namespace to objects in files that have none.
    pub(crate) fn own_namespaces(mut self) -> Self {
        self.own_namespaces = true;
        self
    }

    /// Selects objects of every namespace.
    pub(crate) fn all_namespaces(mut self, all: bool) -> Self {
        self.all_namespaces = all;
        self
    }

    /// Sets the manifests of `-f` and `-k`.
    pub(crate) fn files(mut self, args: &FileArgs) -> Self {
        self.files = Some(args.clone());
        self
    }

    /// Sets the words after the command. If `all_of_type` is true, a type alone selects all of its objects.
    pub(crate) fn words(mut self, args: &[String], all_of_type: bool) -> Self {
        match words::parse(args, &self.context.program) {
            Ok(words) => self.words = words,
            Err(e) => self.errors.push(e),
        }
        self.allow_no_selector = all_of_type;
        self
    }

    /// Sets the names after a command for one type. A `TYPE/NAME` among them may name an object of another type.
    pub(crate) fn names_of(mut self, kind: &str, args: &[String]) -> Self {
        match words::named(kind, args) {
            Ok(words) => self.words = words,
            Err(e) => self.errors.push(e),
        }
        self
    }

    /// Sets the selectors.
    pub(crate) fn selectors(mut self, args: &SelectorArgs) -> Self {
        // As in kubectl, an empty selector counts as absent, so that a script can pass an empty variable.
        self.labels = args.selector.clone().filter(|s| !s.is_empty());
        self.fields = args.field_selector.clone().filter(|s| !s.is_empty());
        self
    }

    /// Selects all objects of the types, for `--all`.
    pub(crate) fn select_all(mut self, all: bool) -> Self {
        if all && (self.labels.is_some() || self.fields.is_some()) {
            // kubectl's message has the trailing space.
            let text = "setting 'all' parameter but found a non empty selector. ";
            self.errors.push(CliError::text(text));
        } else if all {
            // An empty selector matches everything; kubectl implements --all this way.
            self.labels = Some(String::new());
        }
        self
    }

    /// Skips the look-up of named objects.
    pub(crate) fn names_only(mut self) -> Self {
        self.fetch = false;
        self
    }

    /// Rejects custom resources, because kubectl has no Go struct to decode them into.
    pub(crate) fn typed(mut self) -> Self {
        self.reading.typed = true;
        self
    }

    /// Reads roles and bindings for `auth reconcile`, in the namespaces that they name.
    pub(crate) fn grants(mut self) -> Self {
        self.reading.grants = true;
        self.typed().own_namespaces()
    }

    /// Rejects objects of several types.
    pub(crate) fn single_type(mut self) -> Self {
        self.single_type = true;
        self
    }

    /// Rejects a kind without a Go struct, if the command needs one.
    fn check_typed(&self, kind: &Kind, name: &str) -> Result<(), CliError> {
        // kubectl decodes objects of these commands into Go types, which do not exist for custom resources. The text is
        // kubectl's, including the line number.
        if !self.reading.typed || kind.has_go_struct() {
            return Ok(());
        }
        Err(CliError::text(files::no_kind(&kind.api_version(), name)))
    }

    /// Replaces manifests by the live objects they name.
    pub(crate) fn latest(mut self) -> Self {
        self.latest = true;
        self
    }

    /// Replaces manifests by the live objects they name, after checking them, as a command does that reads the objects
    /// itself.
    pub(crate) fn latest_later(mut self) -> Self {
        self.reads_later = true;
        self.latest()
    }

    /// Reads live objects of manifests as tables of the server, which have no labels to select by.
    pub(crate) fn tables(mut self, tables: bool) -> Self {
        self.tables = tables;
        self
    }

    /// Looks up a subresource of the objects, such as `scale`.
    pub(crate) fn subresource(mut self, name: &str) -> Self {
        name.clone_into(&mut self.subresource);
        self
    }

    /// Lets manifests define kinds for the other manifests.
    pub(crate) fn with_own_definitions(mut self) -> Self {
        self.own_definitions = true;
        self
    }

    /// Reads the output of `cluster-info dump`, which contains logs after the objects.
    pub(crate) fn without_logs(mut self) -> Self {
        self.reading.skip_logs = true;
        self
    }

    /// Rejects lists in manifests, because `get --watch` does not split them.
    pub(crate) fn without_lists(mut self) -> Self {
        self.reading.no_lists = true;
        self
    }

    /// Rejects manifests without a kind or a version, unless validation is off.
    pub(crate) fn validated(mut self, validation: FieldValidation) -> Self {
        self.reading.validate = validation != FieldValidation::Ignore;
        self.reading.lenient = validation == FieldValidation::Warn;
        self
    }

    /// Returns the only kind if all words select objects of one kind; `None` if there are other words, files, or an
    /// error, which [`Builder::find`] reports.
    pub(crate) fn whole_list(&self) -> Option<(Place, Selection)> {
        let words = &self.words;
        // A single type may still be a category such as `all`, which `all_types` expands below.
        let plain = words.types.len() == 1 && words.names.is_empty() && words.pairs.is_empty();
        let files = self.files.as_ref().is_some_and(|files| !files.is_empty());
        if !plain || files || !self.allow_no_selector || !self.errors.is_empty() {
            return None;
        }
        let [kind] = self.all_types().ok()?[..] else {
            return None;
        };
        let selection = self.selection(kind).ok()?;
        let namespace = if self.all_namespaces {
            ""
        } else {
            &self.namespace
        };
        Some((Place::new(kind, namespace), selection))
    }

    /// Finds the objects. Returns an error only if the command line itself is invalid.
    pub(crate) fn find(mut self) -> Result<NamedObjects, CliError> {
        // The streams are determined before errors are returned, so that problems with files and words are reported
        // together.
        let of_words = std::mem::take(&mut self.errors);
        let streams = self.streams();
        self.errors.extend(of_words);
        CliError::all(std::mem::take(&mut self.errors))?;
        if let Some((streams, one_file)) = streams {
            return self.by_files(&streams, one_file);
        }
        let one_word = self.words.types.len() == 1 && self.words.names.is_empty();
        let alone = self.allow_no_selector && !self.words.types.is_empty();
        if self.labels.is_some() || self.fields.is_some() {
            return self.by_selector();
        }
        // `get pods,services` without a name lists both, but most other commands reject it.
        if alone && (one_word || self.words.names.is_empty()) {
            return self.by_selector();
        }
        if !self.words.pairs.is_empty() {
            return self.by_pairs();
        }
        if !self.words.names.is_empty() {
            return self.by_names();
        }
        for word in &self.words.types {
            self.types(word)?;
        }
        if self.words.types.is_empty() {
            return Err(CliError::text(NOTHING_NAMED));
        }
        let text = "resource(s) were provided, but no name was specified";
        Err(CliError::text(text))
    }

    /// Returns the streams that the flags refer to.
    fn streams(&mut self) -> Option<(Vec<files::Source>, bool)> {
        let args = self.files.take()?;
        if args.is_empty() {
            return None;
        }
        let found = match args.kustomize() {
            None => files::sources(&args).with_input(self.context.input()),
            // kubectl checks this before it reads any file.
            Some(_) if !args.filename.is_empty() || args.recursive => {
                let both = "only one of -f or -k can be specified";
                let also = "the -k flag can't be used with -f or -R";
                let said = [(!args.filename.is_empty(), both), (args.recursive, also)];
                let said = said.into_iter().filter(|(is_wrong, _)| *is_wrong);
                self.errors
                    .extend(said.map(|(_, text)| CliError::text(text)));
                return None;
            }
            Some(directory) => files::Sources {
                streams: vec![files::Source::Kustomization(directory.to_owned())],
                ..files::Sources::default()
            },
        };
        let is_one_file = found.is_one_file();
        self.errors.extend(found.errors);
        Some((found.streams, is_one_file))
    }

    fn by_files(
        &self,
        streams: &[files::Source],
        one_file: bool,
    ) -> Result<NamedObjects, CliError> {
        if !self.words.types.is_empty() {
            return Err(CliError::text(
                "when paths, URLs, or stdin is provided as input, you may not specify resource \
                 arguments as well",
            ));
        }
        if !self.words.pairs.is_empty() {
            let text = "resource/name arguments cannot be provided when a path is specified";
            return Err(CliError::text(text));
        }
        let selector = self.selector_of_manifests()?;
        let mut found = NamedObjects::default();
        // Without a cluster, kubectl assumes that every kind exists, unless it decodes into structs.
        let assumes = self.local && !self.reading.typed;
        let documents: Box<dyn Iterator<Item = _>> = match self.own_definitions || assumes {
            false => {
                let ui = &self.context.ui;
                let read = |stream| files::read(stream, &self.kinds, self.reading, ui);
                Box::new(streams.iter().flat_map(read))
            }
            // Everything is parsed once, because a definition may come after its objects, even in another stream.
            true => {
                let parse = |stream| files::parse(stream, self.reading);
                let parsed: Vec<_> = streams.iter().map(parse).collect();
                let definitions = parsed.iter().flat_map(|p| match assumes {
                    false => p.definitions(&self.kinds),
                    true => p.assumed(&self.kinds),
                });
                let kinds = self.kinds.with_defined(definitions);
                Box::new(parsed.into_iter().flat_map(move |p| p.documents(&kinds)))
            }
        };
        for document in documents {
            let document = match document.and_then(|d| self.decoded(d)) {
                Ok(document) => document,
                Err(e) => {
                    found.undecoded += 1;
                    found.add_unread(e);
                    continue;
                }
            };
            let info = self.placed(document);
            let is_chosen = |object: &Value| {
                let selector = selector.as_ref();
                selector.is_none_or(|selector| selector.matches_object(object))
            };
            // A command that reads the objects itself selects among the manifests.
            if self.reads_later && !is_chosen(&info.object) {
                continue;
            }
            let asked = self.context.explicit_namespace();
            let info = match self.latest {
                true if self.reads_later => inside(info, asked).and_then(|i| self.fetched(i)),
                true => self.fetched(info),
                false => Ok(info),
            };
            match info {
                // kubectl reads the live object together with the manifest, so its error counts as one of the manifest.
                Err(e) => found.add_unread(e),
                Ok(info)
                    if self.reads_later
                        || is_chosen(match self.tables {
                            true => &Value::Null,
                            false => &info.object,
                        }) =>
                {
                    found.items.push(inside(info, asked));
                }
                Ok(_) => {}
            }
        }
        // A file with several documents counts as a list.
        found.single = one_file && found.items.len() == 1;
        found.one_file = one_file;
        Ok(found.with_kinds())
    }

    /// Returns a document as kubectl decodes it. Rejects one without a Go struct if the command needs one.
    fn decoded(&self, mut document: files::Document) -> Result<files::Document, CliError> {
        let named = document.object["kind"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let has_struct = document.kind.has_go_struct() && named == document.kind.kind;
        if !self.reading.typed || has_struct {
            if self.reading.typed && self.local {
                // A struct has fields that a manifest may lack, and kubectl prints them.
                kinds::shape::canonical(document.kind, &mut document.object, StoredFields::NOTHING);
            }
            return Ok(document);
        }
        let why = files::no_kind(&document.kind.api_version(), &named);
        let source = quoted(&document.source);
        Err(CliError::text(format!("unable to decode {source}: {why}")))
    }

    /// Returns a document with its namespace.
    fn placed(&self, document: files::Document) -> Info {
        let files::Document {
            source,
            kind,
            mut object,
        } = document;
        let name = object["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let mut namespace = String::new();
        if kind.namespaced && !self.local {
            let own = object["metadata"]["namespace"].as_str().unwrap_or_default();
            namespace = if own.is_empty() && !self.own_namespaces {
                self.namespace.clone()
            } else {
                own.to_owned()
            };
            if !object["metadata"].is_object() {
                object["metadata"] = json!({});
            }
            // As in kubectl, the namespace is set before the request, so that dry runs and diffs show it.
            if !namespace.is_empty() {
                object["metadata"]["namespace"] = json!(namespace);
            }
        } else if !self.local
            && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
        {
            // A cluster-scoped object is sent and recorded without a namespace.
            metadata.remove("namespace");
        }
        Info {
            kind,
            namespace,
            name,
            source,
            object,
        }
    }

    fn by_pairs(&self) -> Result<NamedObjects, CliError> {
        let mut found = NamedObjects {
            single: self.words.pairs.len() == 1,
            ..NamedObjects::default()
        };
        let mut named = Vec::new();
        for (word, name) in &self.words.pairs {
            // Unknown types are reported before anything is read.
            named.push((self.kinds.find_and_warn(word, self.context)?, name));
        }
        if self.single_type && named.iter().any(|(kind, _)| *kind != named[0].0) {
            let text = "you may only specify a single resource type";
            return Err(CliError::text(text));
        }
        for (kind, name) in named {
            self.check_namespace(kind)?;
            found.items.push(self.named(kind, name));
        }
        Ok(found.with_kinds())
    }

    /// Finds the named objects. Each name is looked up for each type.
    fn by_names(&self) -> Result<NamedObjects, CliError> {
        let kinds = self.named_types()?;
        let mut found = NamedObjects::default();
        for kind in &kinds {
            self.check_namespace(kind)?;
            let names = self.words.names.iter();
            found.items.extend(names.map(|name| self.named(kind, name)));
        }
        found.single = found.items.len() == 1;
        Ok(found.with_kinds())
    }

    /// Returns the kinds of the words whose objects are named. There is one for each word, even if two words mean one
    /// kind.
    fn named_types(&self) -> Result<Vec<&'static Kind>, CliError> {
        let words = &self.words.types;
        let is_category = |word: &&String| !self.kinds.category(word).is_empty();
        match (words.as_slice(), words.iter().find(is_category)) {
            (_, None) => {}
            ([_], Some(_)) => return Err(CliError::text("you must specify only one resource")),
            (_, Some(word)) => {
                let text = format!("the server doesn't have a resource type {word:?}");
                return Err(CliError::text(text));
            }
        }
        let mut seen = BTreeSet::new();
        let words = words.iter().filter(|word| seen.insert(*word));
        words
            .map(|word| self.kinds.find_and_warn(word, self.context))
            .collect()
    }

    /// Returns the named kinds, each with the name of an object if one is given.
    pub(crate) fn names(&self) -> Result<Vec<(&'static Kind, Option<String>)>, CliError> {
        let mut named = Vec::new();
        for (word, name) in &self.words.pairs {
            named.push((
                self.kinds.find_and_warn(word, self.context)?,
                Some(name.clone()),
            ));
        }
        for kind in self.all_types()? {
            let names = &self.words.names;
            if names.is_empty() {
                named.push((kind, None));
            }
            named.extend(names.iter().map(|name| (kind, Some(name.clone()))));
        }
        Ok(named)
    }

    fn check_namespace(&self, kind: &Kind) -> Result<(), CliError> {
        let why = match kind.namespaced {
            true if self.all_namespaces => {
                "a resource cannot be retrieved by name across all namespaces"
            }
            true if self.own_namespaces => {
                "namespace may not be empty when retrieving a resource by name"
            }
            _ => return Ok(()),
        };
        Err(CliError::text(why))
    }

    fn named(&self, kind: &'static Kind, name: &str) -> Result<Info, CliError> {
        if name.is_empty() {
            return Err(CliError::text("resource name may not be empty"));
        }
        check_name(name)?;
        let namespace = if kind.namespaced {
            self.namespace.clone()
        } else {
            String::new()
        };
        let info = Info {
            kind,
            namespace,
            name: name.to_owned(),
            source: String::new(),
            object: Value::Null,
        };
        if self.fetch {
            self.fetched(info)
        } else {
            Ok(info)
        }
    }

    /// Returns the live object.
    fn fetched(&self, info: Info) -> Result<Info, CliError> {
        let Some(cluster) = self.cluster else {
            return Ok(info);
        };
        // kubectl does not look up a manifest whose name the server will generate.
        if info.name.is_empty() {
            return Ok(info);
        }
        check_place(&info)?;
        let place = info.place();
        // As in kubectl, the object of a manifest is read as a whole.
        let subresource = match info.source.as_str() {
            "" => self.subresource.as_str(),
            _ => "",
        };
        let found = match subresource {
            "" => cluster.get(&place, &info.name).map_err(CliError::from),
            subresource => SubresourceTarget {
                context: self.context,
                cluster,
                place: &place,
                name: &info.name,
                subresource,
            }
            .get(),
        };
        match self.warned(info.kind, found) {
            Ok(object) => {
                self.check_typed(info.kind, info.kind.kind)?;
                Ok(Info { object, ..info })
            }
            Err(e) => Err(missing(cluster, &info.namespace, e)),
        }
    }

    /// Prints the server's warnings about the kind of a response, and returns the response. The server warns about an
    /// invalid request, but not about a forbidden one.
    fn warned<T>(&self, kind: &Kind, response: Result<T, CliError>) -> Result<T, CliError> {
        let refused = response.as_ref().err().and_then(CliError::status);
        if refused.is_none_or(|status| status.reason != "Forbidden") {
            self.warn(kind);
        }
        response
    }

    /// Prints the server's warnings about a kind.
    pub(crate) fn warn(&self, kind: &Kind) {
        if let Some(text) = kinds::warnings::deprecation(kind) {
            self.context.ui.warn(text);
        }
    }

    /// Returns the distinct kinds of all words, with categories expanded.
    pub(crate) fn all_types(&self) -> Result<Vec<&'static Kind>, CliError> {
        let mut all: Vec<&'static Kind> = Vec::new();
        for word in &self.words.types {
            for kind in self.types(word)? {
                // Without this, `get all,pods` would list Pods twice.
                if !all.contains(&kind) {
                    all.push(kind);
                }
            }
        }
        Ok(all)
    }

    fn types(&self, word: &str) -> Result<Vec<&'static Kind>, CliError> {
        let members = self.kinds.category(word);
        if members.is_empty() {
            return Ok(vec![self.kinds.find_and_warn(word, self.context)?]);
        }
        Ok(members)
    }
}
