//! The hooks of a kind: its behavior in the steps of a write, a read or a deletion.
//!
//! A step calls the hook of the kind and follows a general rule if there is none, so no step names a kind. A kind
//! sets its hooks in its own folder, with the methods of [`Kind`](crate::Kind) in `builder.rs`. A kind without hooks
//! has only the rules for metadata, and the columns Name and Age.

use jiff::Timestamp;

use super::admission::context::AdmissionContext;
use super::admission::scope::Scope;
use super::client_facts::ClientFacts;
use super::columns::omit::OmittedFields;
use super::pod::resources::ResourceList;
use super::strategy::deletion_step::{Request, Step};
use super::strategy::write_context::WriteContext;
use super::validate::errors::Errors;
use crate::api::json::Value;
use crate::api::status::Status;

/// The question that a review asks. The API server returns the result in the status of the object, which it does not
/// store.
///
/// ```
/// use ctl_kinds::{Review, find};
///
/// let kind = find("authentication.k8s.io", "v1", "TokenReview").unwrap();
/// assert_eq!(kind.reviews(), Some(Review::Token));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Review {
    /// The access of the user that the object names.
    Access,
    /// The access of the user who sends the request.
    OwnAccess,
    /// The rules that apply to the user who sends the request.
    OwnRules,
    /// The user who sends the request.
    OwnUser,
    /// The user of a token.
    Token,
}

/// Changes an object.
pub(crate) type Change = fn(&mut Value);
/// Changes the new state of an object, given the stored state.
pub(crate) type ChangeFrom = fn(&mut Value, &Value);
/// Returns the table cells of an object, in the order of the columns.
pub(crate) type Cells = fn(&Value, Timestamp) -> Vec<Value>;
/// Validates a new object.
pub(crate) type Create = fn(&Value, &mut Errors);
/// Validates an update: the new object, then the old one.
pub(crate) type Update = fn(&Value, &Value, &mut Errors);
/// Admits a new object to a namespace, or rejects it.
pub(crate) type Admit = fn(&mut Value, &str, &AdmissionContext<'_>) -> Result<(), Status>;
/// A path of field names.
pub(crate) type Fields = &'static [&'static str];

/// The changes that raise the generation of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// None: the objects have no generation.
    Absent,
    /// A change of anything but metadata and status.
    Content,
    /// A change of the content or of the annotations.
    ContentAndAnnotations,
    /// A change of the content or of the labels.
    ContentAndLabels,
    /// No change: the generation stays at its initial value.
    Created,
}

/// The treatment of dependents if a deletion does not specify a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependents {
    /// The garbage collector deletes them in the background.
    Collected,
    /// They lose their owner, as in the first API versions.
    Orphaned,
    /// There are none, so the policy of a deletion is ignored.
    Ignored,
}

/// The default class for objects that name none.
#[derive(Debug)]
pub struct DefaultClass {
    /// The resource of the class, such as `storageclasses`.
    pub resource: &'static str,
    /// Returns true if an object leaves the choice of its class to the default.
    pub wants: fn(&Value) -> bool,
    /// Sets the default class of an object if the list of classes contains one.
    pub set: fn(&mut Value, &[Value]),
}

/// Objects that the cluster needs and that cannot be deleted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Protected {
    pub(crate) names: &'static [&'static str],
    /// The reason that the error about a deletion states.
    pub(crate) why: &'static str,
}

/// The updates that repeat the warnings of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WarnedUpdates {
    /// All updates.
    Always,
    /// Updates of the desired state. Warnings about an old object are not repeated for a change of labels or
    /// replicas.
    NewGeneration,
    /// Updates for which the function of the new and the old object returns true.
    If(fn(&Value, &Value) -> bool),
    /// All updates, but only with warnings that the old object does not cause.
    NewWarnings,
    /// No updates.
    Never,
}

/// The hooks of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    pub(crate) fields: Option<&'static str>,
    /// Sets the defaults of the spec, which depend on the spec alone.
    pub(crate) spec_defaults: Option<Change>,
    /// Sets the other defaults of the object.
    pub(crate) defaults: Option<Change>,
    pub(crate) create: Option<Create>,
    pub(crate) update: Option<Update>,
    pub(crate) status: Option<Update>,
    pub(crate) deprecation: Option<&'static str>,
    pub(crate) warnings: Option<fn(&Value, &mut Vec<String>)>,
    pub(crate) warned_updates: WarnedUpdates,
    pub(crate) cells: Option<Cells>,
    pub(crate) omitted_fields: Option<&'static OmittedFields>,
    pub(crate) selector: Option<fn(&Value, &str) -> Option<String>>,
    pub(crate) pod_template: Option<Fields>,
    pub(crate) gated: &'static [Fields],
    pub(crate) generation: Generation,
    pub(crate) empties_status: bool,
    pub(crate) prepare_create: Option<fn(&mut Value, &WriteContext<'_>)>,
    pub(crate) prepare_update: Option<ChangeFrom>,
    pub(crate) prepare_status: Option<ChangeFrom>,
    pub(crate) reset_fields: &'static [(&'static str, &'static [Fields])],
    pub(crate) created_by_update: bool,
    pub(crate) conditional: bool,
    pub(crate) admit: Option<Admit>,
    pub(crate) admit_update: Option<Change>,
    pub(crate) usage: Option<fn(&Value, &mut ResourceList)>,
    pub(crate) scopes: Option<fn(&Scope<'_>, &Value) -> bool>,
    pub(crate) uncounted: bool,
    pub(crate) limits: Option<fn(&Value, &Value, &mut Vec<String>)>,
    pub(crate) delete: Option<fn(&Value, &Request) -> Step>,
    pub(crate) grace: Option<fn(&mut Value, &Request) -> Option<i64>>,
    pub(crate) waits: Option<fn(&Value) -> bool>,
    pub(crate) dependents: Dependents,
    pub(crate) kept_dependents_warning: Option<&'static str>,
    pub(crate) protected: Option<Protected>,
    pub(crate) assigned: Option<fn(&Value, &Value) -> Fields>,
    pub(crate) stored_as: Option<(&'static str, &'static str)>,
    pub(crate) convert: Option<fn(&mut Value, &str)>,
    pub(crate) error_group: Option<&'static str>,
    pub(crate) default_class: Option<&'static DefaultClass>,
    pub(crate) review: Option<Review>,
    pub(crate) synthetic_objects: Option<fn() -> Vec<Value>>,
    pub(crate) binds: bool,
    pub(crate) confidential: bool,
    pub(crate) addressed: bool,
    pub(crate) counted_again: bool,
    pub(crate) grows_by_class: bool,
    pub(crate) defines_kinds: bool,
    pub(crate) namespace: bool,
    pub(crate) hosts_pods: bool,
    pub(crate) client: ClientFacts,
}

/// A kind's hooks follow from its names, so kinds with the same names are equal in all hooks.
// Comparing function pointers is unreliable: the compiler may merge or duplicate them.
impl PartialEq for Hooks {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Hooks {}

impl Hooks {
    /// No hooks, so the general rules apply.
    pub const NONE: Self = Self {
        fields: None,
        spec_defaults: None,
        defaults: None,
        create: None,
        update: None,
        status: None,
        deprecation: None,
        warnings: None,
        warned_updates: WarnedUpdates::Always,
        cells: None,
        omitted_fields: None,
        selector: None,
        pod_template: None,
        gated: &[],
        // Only kinds with a controller that reports `observedGeneration` need a generation.
        generation: Generation::Absent,
        // Nearly every kind has a status that only its controller sets.
        empties_status: true,
        prepare_create: None,
        prepare_update: None,
        prepare_status: None,
        reset_fields: &[],
        created_by_update: false,
        conditional: false,
        admit: None,
        admit_update: None,
        usage: None,
        scopes: None,
        uncounted: false,
        limits: None,
        delete: None,
        grace: None,
        waits: None,
        dependents: Dependents::Collected,
        kept_dependents_warning: None,
        protected: None,
        assigned: None,
        stored_as: None,
        convert: None,
        error_group: None,
        default_class: None,
        review: None,
        synthetic_objects: None,
        binds: false,
        confidential: false,
        addressed: false,
        counted_again: false,
        grows_by_class: false,
        defines_kinds: false,
        namespace: false,
        hosts_pods: false,
        client: ClientFacts::NONE,
    };
}
