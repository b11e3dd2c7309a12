//! The options of a request: how a write is done, and in whose name.

use crate::api::go::{is_printable, quoted};
use crate::api::json::Value;
use crate::api::status::{Cause, CauseReason, Status};
use crate::audit::Notes;
use crate::components::Component;
use crate::kinds::admission::User;
pub use crate::kinds::strategy::deletion::Propagation;
use crate::store::{CausingChange, Revision};
use crate::webhooks::Replies;

/// The treatment of fields that the kind does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldValidation {
    /// They are dropped in silence.
    Ignore,
    /// They are dropped with a warning.
    #[default]
    // The default of kube-apiserver and of kubectl's `--validate=warn`; kubectl itself requests Strict.
    Warn,
    /// They are an error.
    Strict,
}

/// The author of a write, with its options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Author<'a> {
    pub(crate) user: &'a User,
    pub(crate) options: &'a WriteOptions,
    /// The component that makes the request, if it is none of a user.
    pub(crate) component: Option<Component<'a>>,
    /// True if the author's Pods need no service account.
    pub(crate) without_accounts: bool,
    /// The calls of webhooks; `None` if the author calls none.
    pub(crate) consult: Option<Consult<'a>>,
}

impl<'a> Author<'a> {
    /// Returns the user whom webhooks and policies see.
    pub(crate) fn shown(&self) -> &'a User {
        // A user who is named is not a component, whatever program sends the request.
        let component = self.component.filter(|_| self.user.is_master());
        let user = component.and_then(|component| component.user());
        user.unwrap_or(self.user)
    }

    /// Notes an annotation for the audit log, if there is one.
    pub(crate) fn annotate(&self, key: &str, value: impl FnOnce() -> String) {
        if let Some(notes) = &self.options.notes {
            notes.annotate(key.to_owned(), value());
        }
    }
}

/// The context of a request's calls of webhooks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Consult<'a> {
    /// Their replies about the request.
    pub(crate) replies: &'a Replies,
    /// True on a copy of a cluster, whose calls must have no side effects.
    pub(crate) on_a_copy: bool,
}

/// The options of a write.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::{FieldValidation, Place, WriteOptions};
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// let pods = Place::new(cluster.kind("pods")?, "default");
/// let web = json!({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
/// let strict = WriteOptions {
///     dry_run: true,
///     field_validation: FieldValidation::Strict,
///     ..WriteOptions::default()
/// };
/// let mut misspelled = web.clone();
/// misspelled["spec"]["restartpolicy"] = "Never".into();
/// assert!(cluster.create(&pods, &misspelled, &strict).is_err());
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WriteOptions {
    /// Processes the request without a commit.
    pub dry_run: bool,
    /// The treatment of unknown fields.
    pub field_validation: FieldValidation,
    /// Problems in the text of a patch, which are an error together with unknown fields.
    pub complaints: Vec<String>,
    /// The change that triggered the write, if any.
    pub trigger: Option<CausingChange>,
    /// The rule that led to the write; if it is empty, the verb is the rule.
    pub rule: String,
    /// The leader's epoch under which the writer acts.
    pub epoch: Option<u64>,
    /// The user, for admission.
    pub user: User,
    /// The manager that becomes the owner of the fields, such as `kubectl-create` or a controller's name.
    pub field_manager: String,
    /// The object that the writer has read, with its revision. If the revision is still current, the object is not read
    /// again.
    pub seen: Option<(Revision, Value)>,
    /// The notes for the audit log, if the request is in one.
    pub notes: Option<Notes>,
    /// The client of a server, which the history names as the writer; empty for the program that opened the cluster.
    pub client: String,
}

/// The field manager of a caller without one: the first part of kubectl's user agent.
const ANYONE: &str = "kubectl";

/// The longest field manager.
// `FieldManagerMaxLength` of apimachinery.
const MAX_MANAGER: usize = 128;

impl WriteOptions {
    /// Returns the field manager, or kubectl's name if none is given.
    pub fn manager(&self) -> &str {
        match self.field_manager.as_str() {
            "" => ANYONE,
            manager => manager,
        }
    }

    /// Checks the options, `options` being their kind.
    ///
    /// # Errors
    /// Returns a 422 if the field manager is invalid.
    pub(crate) fn check(&self, options: &str) -> Result<(), Status> {
        let manager = &self.field_manager;
        let mut causes = Vec::new();
        let mut wrong = |reason, message| {
            causes.push(Cause {
                reason,
                field: "fieldManager".to_owned(),
                message,
            });
        };
        if manager.len() > MAX_MANAGER {
            let message = format!("Too long: may not be more than {MAX_MANAGER} bytes");
            wrong(CauseReason::TooLong, message);
        }
        // Positions count bytes, as in Go.
        for (at, odd) in manager.char_indices().filter(|(_, c)| !is_printable(*c)) {
            let (shown, odd) = (quoted(manager), u32::from(odd));
            let message =
                format!("Invalid value: {shown}: invalid character U+{odd:04X} (at position {at})");
            wrong(CauseReason::Invalid, message);
        }
        match causes.is_empty() {
            true => Ok(()),
            false => Err(Status::invalid("meta.k8s.io", options, "", causes)),
        }
    }
}

/// The options of a server-side apply.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::{ApplyOptions, Place, WriteOptions};
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// let configmaps = Place::new(cluster.kind("configmaps")?, "default");
/// let config = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1"}});
/// let options = ApplyOptions {
///     write: WriteOptions { field_manager: "example".to_owned(), ..WriteOptions::default() },
///     force: false,
///     subresource: String::new(),
/// };
/// let applied = cluster.apply(&configmaps, "c", &config, &options)?;
/// assert_eq!(applied.object["metadata"]["managedFields"][0]["manager"], "example");
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ApplyOptions {
    /// The common part; its field manager must be named.
    pub write: WriteOptions,
    /// True if fields that other managers own with other values are taken from them.
    pub force: bool,
    /// The part that is applied to: `status` or `scale`, or empty for the object itself.
    pub subresource: String,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            dry_run: false,
            field_validation: FieldValidation::default(),
            complaints: Vec::new(),
            trigger: None,
            rule: String::new(),
            epoch: None,
            // Anyone who can run a command in the directory can edit its files, so a weaker default would protect
            // nothing.
            user: administrator(),
            field_manager: String::new(),
            seen: None,
            notes: None,
            client: String::new(),
        }
    }
}

/// Returns the user of commands on the directory: anyone who can write to the directory is an
/// administrator.
pub fn administrator() -> User {
    User {
        name: "admin".to_owned(),
        groups: vec![
            "system:masters".to_owned(),
            "system:authenticated".to_owned(),
        ],
        ..User::default()
    }
}

/// Returns the user of requests without credentials.
pub fn anonymous() -> User {
    impersonated("system:anonymous", "", Vec::new())
}

/// Returns the user that an impersonating request acts as, with the groups that the server adds.
pub fn impersonated(name: &str, uid: &str, mut groups: Vec<String>) -> User {
    const AUTHENTICATED: &str = "system:authenticated";
    const UNAUTHENTICATED: &str = "system:unauthenticated";
    let account = name.strip_prefix("system:serviceaccount:");
    // Kubernetes derives the groups of an account only if the request names none.
    if let (Some((namespace, _)), true) =
        (account.and_then(|a| a.split_once(':')), groups.is_empty())
    {
        groups.push("system:serviceaccounts".to_owned());
        groups.push(format!("system:serviceaccounts:{namespace}"));
    }
    let has = |group: &str| groups.iter().any(|own| own == group);
    match name {
        "system:anonymous" if has(UNAUTHENTICATED) => {}
        "system:anonymous" => groups.push(UNAUTHENTICATED.to_owned()),
        // A request that names one of the two groups itself keeps its choice.
        _ if has(AUTHENTICATED) || has(UNAUTHENTICATED) => {}
        _ => groups.push(AUTHENTICATED.to_owned()),
    }
    User {
        name: name.to_owned(),
        uid: uid.to_owned(),
        groups,
        ..User::default()
    }
}

/// The options of a deletion.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::{DeleteOptions, Place, Propagation};
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// let pods = Place::new(cluster.kind("pods")?, "default");
/// let web = json!({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
/// cluster.create(&pods, &web, &Default::default())?;
/// let options = DeleteOptions {
///     grace_period: Some(0),
///     propagation: Some(Propagation::Background),
///     ..DeleteOptions::default()
/// };
/// cluster.delete(&pods, "web", &options)?;
/// assert!(cluster.get(&pods, "web").is_err());
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeleteOptions {
    /// The common part.
    pub write: WriteOptions,
    /// The grace period of a Pod in seconds; `None` for the Pod's own.
    pub grace_period: Option<i64>,
    /// The treatment of its dependents.
    pub propagation: Option<Propagation>,
    /// The uid that the object must have.
    pub uid: Option<String>,
    /// The resource version that the object must have.
    pub resource_version: Option<String>,
}
