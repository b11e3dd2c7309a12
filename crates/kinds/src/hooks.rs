//! The behavior of a kind: functions and facts that the steps of a write, a read or a deletion use.
//!
//! A step calls the hook of the kind and has a general rule for kinds without one, so no step names a kind. A
//! kind sets
//! its hooks in its own folder, with the methods of [`Kind`] below; without hooks it has metadata rules, a name
//! and an age.

use jiff::Timestamp;

use super::admission::Surroundings;
use super::client::ClientFacts;
use super::columns::Without;
use super::kind::{Column, Kind};
use super::pod::resources::Amounts;
use super::strategy::Outside;
use super::strategy::deletion::{Request, Step};
use super::validate::Errors;
use crate::api::json::Value;
use crate::api::status::Status;

/// Changes an object.
pub type Change = fn(&mut Value);
/// Changes the new state of an object, given the stored one.
pub type ChangeFrom = fn(&mut Value, &Value);
/// Makes the cells of an object, in the order of the columns.
pub type Cells = fn(&Value, Timestamp) -> Vec<Value>;
/// Validates a new object.
pub type Create = fn(&Value, &mut Errors);
/// Validates an update: the new object, then the old one.
pub type Update = fn(&Value, &Value, &mut Errors);
/// Admits a new object to a namespace, or rejects it.
pub type Admit = fn(&mut Value, &str, &Surroundings<'_>) -> Result<(), Status>;
/// A path of field names.
pub type Fields = &'static [&'static str];

/// The changes that raise the generation of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// None: its objects have no generation.
    Absent,
    /// A change of anything but metadata and status.
    Content,
    /// A change of the content or of the annotations.
    ContentAndAnnotations,
}

/// The treatment of dependents if a deletion does not specify it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependents {
    /// They are collected in the background.
    Collected,
    /// They lose their owner, as in the first versions of the API.
    Orphaned,
    /// There are none, and the policy in a deletion is ignored.
    Ignored,
}

/// The class that an object gets if it names none and the cluster has a default one.
#[derive(Debug)]
pub struct DefaultClass {
    /// The resource of the classes.
    pub resource: &'static str,
    /// Returns true if an object leaves its class to the default.
    pub wants: fn(&Value) -> bool,
    /// Gives an object the default class of a list, if there is one.
    pub set: fn(&mut Value, &[Value]),
}

/// The hooks of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    pub(crate) fields: Option<&'static str>,
    pub(crate) defaults: Option<Change>,
    pub(crate) create: Option<Create>,
    pub(crate) update: Option<Update>,
    pub(crate) status: Option<Update>,
    pub(crate) deprecation: Option<&'static str>,
    pub(crate) warnings: Option<fn(&Value, &mut Vec<String>)>,
    pub(crate) cells: Option<Cells>,
    pub(crate) unseen: Option<&'static Without>,
    pub(crate) selector: Option<fn(&Value, &str) -> Option<String>>,
    pub(crate) pod_template: Option<Fields>,
    pub(crate) generation: Generation,
    pub(crate) empties_status: bool,
    pub(crate) prepare_create: Option<fn(&mut Value, &Outside<'_>)>,
    pub(crate) prepare_update: Option<ChangeFrom>,
    pub(crate) prepare_status: Option<ChangeFrom>,
    pub(crate) untouched: &'static [(&'static str, &'static [Fields])],
    pub(crate) created_by_update: bool,
    pub(crate) conditional: bool,
    pub(crate) admit: Option<Admit>,
    pub(crate) admit_update: Option<Change>,
    pub(crate) usage: Option<fn(&Value, &mut Amounts)>,
    pub(crate) limits: Option<fn(&Value, &Value, &mut Vec<String>)>,
    pub(crate) delete: Option<fn(&Value, &Request) -> Step>,
    pub(crate) grace: Option<fn(&mut Value, &Request) -> Option<i64>>,
    pub(crate) waits: Option<fn(&Value) -> bool>,
    pub(crate) dependents: Dependents,
    pub(crate) assigned: Option<fn(&Value, &Value) -> Fields>,
    pub(crate) stored_as: Option<(&'static str, &'static str)>,
    pub(crate) convert: Option<fn(&mut Value, &str)>,
    pub(crate) error_group: Option<&'static str>,
    pub(crate) default_class: Option<&'static DefaultClass>,
    pub(crate) reviewed: bool,
    pub(crate) confidential: bool,
    pub(crate) addressed: bool,
    pub(crate) defines_kinds: bool,
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
    /// No hooks: the general rules hold.
    pub const NONE: Self = Self {
        fields: None,
        defaults: None,
        create: None,
        update: None,
        status: None,
        deprecation: None,
        warnings: None,
        cells: None,
        unseen: None,
        selector: None,
        pod_template: None,
        generation: Generation::Absent,
        // Nearly every kind has a status that only its controller may set.
        empties_status: true,
        prepare_create: None,
        prepare_update: None,
        prepare_status: None,
        untouched: &[],
        created_by_update: false,
        conditional: false,
        admit: None,
        admit_update: None,
        usage: None,
        limits: None,
        delete: None,
        grace: None,
        waits: None,
        dependents: Dependents::Collected,
        assigned: None,
        stored_as: None,
        convert: None,
        error_group: None,
        default_class: None,
        reviewed: false,
        confidential: false,
        addressed: false,
        defines_kinds: false,
        client: ClientFacts::NONE,
    };
}

/// Builds the parts that most kinds have: fields, columns, rules.
impl Kind {
    /// Sets its fields, in the format of `table/schemas.tsv`.
    pub const fn fields(mut self, lines: &'static str) -> Self {
        self.hooks.fields = Some(lines);
        self
    }

    /// Sets the defaults of its fields.
    pub const fn defaults(mut self, defaults: Change) -> Self {
        self.hooks.defaults = Some(defaults);
        self
    }

    /// Sets the columns of its table, and the function that fills them.
    pub const fn table(mut self, columns: &'static [Column], cells: Cells) -> Self {
        self.columns = columns;
        self.hooks.cells = Some(cells);
        self
    }

    /// Sets the rules of a new object and of an update.
    pub const fn rules(mut self, create: Create, update: Update) -> Self {
        self.hooks.create = Some(create);
        self.hooks.update = Some(update);
        self
    }

    /// Sets the rules of a new object; an update may change anything but what the object is.
    pub const fn create_rules(mut self, create: Create) -> Self {
        self.hooks.create = Some(create);
        self
    }

    /// Sets the rules of an update of the status.
    pub const fn status_rules(mut self, status: Update) -> Self {
        self.hooks.status = Some(status);
        self
    }

    /// Sets the group that refusals name instead of its own.
    pub const fn refused_as(mut self, group: &'static str) -> Self {
        self.hooks.error_group = Some(group);
        self
    }

    /// Sets the warning of every request, reads included.
    pub const fn deprecated(mut self, warning: &'static str) -> Self {
        self.hooks.deprecation = Some(warning);
        self
    }

    /// Sets the warnings about an object that is defaulted.
    pub const fn warnings(mut self, warnings: fn(&Value, &mut Vec<String>)) -> Self {
        self.hooks.warnings = Some(warnings);
        self
    }

    /// Sets the parts of a stored object that neither its columns nor its selectors look at.
    pub const fn unseen(mut self, without: &'static Without) -> Self {
        self.hooks.unseen = Some(without);
        self
    }

    /// Sets the values of field selectors that are not plain fields.
    pub const fn selector_values(mut self, value: fn(&Value, &str) -> Option<String>) -> Self {
        self.hooks.selector = Some(value);
        self
    }

    /// Sets where the Pod or the template of its Pods is.
    pub const fn pod_template(mut self, path: Fields) -> Self {
        self.hooks.pod_template = Some(path);
        self
    }
}

/// Builds the treatment of its objects when they are written and deleted.
impl Kind {
    /// Sets the changes that raise the generation.
    pub const fn generation(mut self, generation: Generation) -> Self {
        self.hooks.generation = generation;
        self
    }

    /// Lets a new object bring its status along.
    pub const fn with_own_status(mut self) -> Self {
        self.hooks.empties_status = false;
        self
    }

    /// Sets the preparation of a new object, whose status is empty by then.
    pub const fn prepare_create(mut self, prepare: fn(&mut Value, &Outside<'_>)) -> Self {
        self.hooks.prepare_create = Some(prepare);
        self
    }

    /// Sets the preparation of an update, before the generation is counted.
    pub const fn prepare_update(mut self, prepare: ChangeFrom) -> Self {
        self.hooks.prepare_update = Some(prepare);
        self
    }

    /// Sets the preparation of an update of the status.
    pub const fn prepare_status(mut self, prepare: ChangeFrom) -> Self {
        self.hooks.prepare_status = Some(prepare);
        self
    }

    /// Sets the fields that a write leaves as they are: by subresource, empty for the object itself.
    pub const fn untouched(mut self, fields: &'static [(&'static str, &'static [Fields])]) -> Self {
        self.hooks.untouched = fields;
        self
    }

    /// Lets an update create an absent object (`AllowCreateOnUpdate`).
    pub const fn created_by_update(mut self) -> Self {
        self.hooks.created_by_update = true;
        self
    }

    /// Makes updates name the resource version (no `AllowUnconditionalUpdate`).
    pub const fn conditional(mut self) -> Self {
        self.hooks.conditional = true;
        self
    }

    /// Sets the admission of a new object.
    pub const fn admit(mut self, admit: Admit) -> Self {
        self.hooks.admit = Some(admit);
        self
    }

    /// Sets the admission of an update.
    pub const fn admit_update(mut self, admit: Change) -> Self {
        self.hooks.admit_update = Some(admit);
        self
    }

    /// Sets what an object uses of a quota, besides its own count.
    pub const fn quota_usage(mut self, usage: fn(&Value, &mut Amounts)) -> Self {
        self.hooks.usage = Some(usage);
        self
    }

    /// Sets the check of a new object against one item of a limit range: the item, then the object.
    pub const fn limits(mut self, limits: fn(&Value, &Value, &mut Vec<String>)) -> Self {
        self.hooks.limits = Some(limits);
        self
    }

    /// Sets the state machine of its deletion, and what an object that is marked still waits for.
    pub const fn deletion(
        mut self,
        delete: fn(&Value, &Request) -> Step,
        waits: fn(&Value) -> bool,
    ) -> Self {
        self.hooks.delete = Some(delete);
        self.hooks.waits = Some(waits);
        self
    }

    /// Sets the grace of a deletion: marks the object and returns the seconds, or none if nothing changes.
    pub const fn grace(mut self, grace: fn(&mut Value, &Request) -> Option<i64>) -> Self {
        self.hooks.grace = Some(grace);
        self
    }

    /// Sets the treatment of dependents if a deletion does not say.
    pub const fn dependents(mut self, dependents: Dependents) -> Self {
        self.hooks.dependents = dependents;
        self
    }

    /// Sets the fields of the spec that the system assigns: a restore to an earlier state keeps them.
    pub const fn assigned(mut self, fields: fn(&Value, &Value) -> Fields) -> Self {
        self.hooks.assigned = Some(fields);
        self
    }

    /// Sets the group and version at which its objects are stored.
    pub const fn stored_as(mut self, group: &'static str, version: &'static str) -> Self {
        self.hooks.stored_as = Some((group, version));
        self
    }

    /// Sets the conversion of an object of another version to the `apiVersion` of this one.
    pub const fn convert(mut self, convert: fn(&mut Value, &str)) -> Self {
        self.hooks.convert = Some(convert);
        self
    }
}

/// The questions of the API server about kinds whose objects need something of the cluster.
impl Kind {
    /// Makes a create return the object as a review, and store nothing.
    pub const fn reviewed(mut self) -> Self {
        self.hooks.reviewed = true;
        self
    }

    /// Returns true if a create returns the object as a review, and stores nothing.
    pub const fn is_reviewed(&self) -> bool {
        self.hooks.reviewed
    }

    /// Marks its data as secret: messages and differences mask it.
    pub const fn confidential(mut self) -> Self {
        self.hooks.confidential = true;
        self
    }

    /// Returns true if messages and differences mask its data.
    pub const fn is_confidential(&self) -> bool {
        self.hooks.confidential
    }

    /// Gives its objects addresses and node ports of the cluster.
    pub const fn addressed(mut self) -> Self {
        self.hooks.addressed = true;
        self
    }

    /// Returns true if its objects get addresses and node ports of the cluster.
    pub const fn is_addressed(&self) -> bool {
        self.hooks.addressed
    }

    /// Makes its objects definitions of other kinds.
    pub const fn defining_kinds(mut self) -> Self {
        self.hooks.defines_kinds = true;
        self
    }

    /// Returns true if its objects define other kinds.
    pub const fn defines_kinds(&self) -> bool {
        self.hooks.defines_kinds
    }

    /// Gives objects that name no class the default one.
    pub const fn with_default_class(mut self, class: &'static DefaultClass) -> Self {
        self.hooks.default_class = Some(class);
        self
    }

    /// The default class of its objects, if they have one.
    pub const fn default_class(&self) -> Option<&'static DefaultClass> {
        self.hooks.default_class
    }

    /// Returns true if limit ranges bound its new objects.
    pub const fn is_limited(&self) -> bool {
        self.hooks.limits.is_some()
    }
}
