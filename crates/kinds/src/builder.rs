//! Methods that build the row of a kind. Each sets one of its hooks.

use super::admission::scope::Scope;
use super::client_facts::{Grant, PodSelector, RolloutHistory};
use super::columns::omit::OmittedFields;
use super::hooks::{
    Admit, Cells, Change, ChangeFrom, Create, DefaultClass, Dependents, Fields, Generation,
    Protected, Review, Update, WarnedUpdates,
};
use super::kind::{Column, Kind};
use super::pod::resources::ResourceList;
use super::strategy::deletion_step::{Request, Step};
use super::strategy::write_context::WriteContext;
use crate::api::json::Value;

/// Builds the parts that most kinds have: fields, columns and rules.
impl Kind {
    // Every method is `const`: a row of the registry is a constant, so no code runs when the program starts.

    /// Sets the fields, in the format of `table/schemas.tsv`.
    pub const fn fields(mut self, lines: &'static str) -> Self {
        self.hooks.fields = Some(lines);
        self
    }

    /// Sets the function that sets the defaults of the spec. They depend on the spec alone, so it is not called for the
    /// spec of a stored object, which has them.
    pub const fn spec_defaults(mut self, defaults: Change) -> Self {
        self.hooks.spec_defaults = Some(defaults);
        self
    }

    /// Sets the function that sets defaults, after those of the spec.
    pub const fn defaults(mut self, defaults: Change) -> Self {
        self.hooks.defaults = Some(defaults);
        self
    }

    /// Sets the columns of the table and the function that fills them.
    pub const fn table(mut self, columns: &'static [Column], cells: Cells) -> Self {
        self.columns = columns;
        self.hooks.cells = Some(cells);
        self
    }

    /// Sets the validation of a new object and of an update.
    pub const fn rules(mut self, create: Create, update: Update) -> Self {
        self.hooks.create = Some(create);
        self.hooks.update = Some(update);
        self
    }

    /// Sets the validation of a new object. An update may change everything but the object's identity.
    pub const fn create_rules(mut self, create: Create) -> Self {
        self.hooks.create = Some(create);
        self
    }

    /// Sets the validation of a status update.
    pub const fn status_rules(mut self, status: Update) -> Self {
        self.hooks.status = Some(status);
        self
    }

    /// Sets the group that errors name instead of the kind's own.
    pub const fn refused_as(mut self, group: &'static str) -> Self {
        self.hooks.error_group = Some(group);
        self
    }

    /// Sets the warning that every request gets, including reads.
    pub const fn deprecated(mut self, warning: &'static str) -> Self {
        self.hooks.deprecation = Some(warning);
        self
    }

    /// Sets the warnings about an object whose defaults are set.
    pub const fn warnings(mut self, warnings: fn(&Value, &mut Vec<String>)) -> Self {
        self.hooks.warnings = Some(warnings);
        self
    }

    /// Sets the updates that repeat these warnings.
    pub(crate) const fn warned_updates(mut self, updates: WarnedUpdates) -> Self {
        self.hooks.warned_updates = updates;
        self
    }

    /// Sets the parts of a stored object that neither columns nor selectors use.
    pub const fn omitted_fields(mut self, without: &'static OmittedFields) -> Self {
        self.hooks.omitted_fields = Some(without);
        self
    }

    /// Sets the values of field selectors that cannot be read directly from a field.
    pub const fn selector_values(mut self, value: fn(&Value, &str) -> Option<String>) -> Self {
        self.hooks.selector = Some(value);
        self
    }

    /// Sets the path of the Pod, or of the template for Pods.
    pub const fn pod_template(mut self, path: Fields) -> Self {
        self.hooks.pod_template = Some(path);
        self
    }
}

/// Builds the behavior of objects when they are written and deleted.
impl Kind {
    /// Sets the changes that raise the generation.
    pub const fn generation(mut self, generation: Generation) -> Self {
        self.hooks.generation = generation;
        self
    }

    /// Allows a new object to contain a status.
    pub const fn with_own_status(mut self) -> Self {
        self.hooks.empties_status = false;
        self
    }

    /// Sets the preparation of a new object. Its status has already been emptied.
    pub const fn prepare_create(mut self, prepare: fn(&mut Value, &WriteContext<'_>)) -> Self {
        self.hooks.prepare_create = Some(prepare);
        self
    }

    /// Sets the preparation of an update, which runs before the generation is raised.
    pub const fn prepare_update(mut self, prepare: ChangeFrom) -> Self {
        self.hooks.prepare_update = Some(prepare);
        self
    }

    /// Sets the preparation of a status update.
    pub const fn prepare_status(mut self, prepare: ChangeFrom) -> Self {
        self.hooks.prepare_status = Some(prepare);
        self
    }

    /// Sets the fields that a write leaves unchanged, by subresource; an empty name stands for the object itself.
    pub const fn reset_fields(
        mut self,
        fields: &'static [(&'static str, &'static [Fields])],
    ) -> Self {
        self.hooks.reset_fields = fields;
        self
    }

    /// Lets an update create a missing object (`AllowCreateOnUpdate`).
    pub const fn created_by_update(mut self) -> Self {
        self.hooks.created_by_update = true;
        self
    }

    /// Sets the fields of features that are off by default, which are dropped from new objects.
    pub const fn gated(mut self, fields: &'static [Fields]) -> Self {
        self.hooks.gated = fields;
        self
    }

    /// Requires a resource version in updates (no `AllowUnconditionalUpdate`).
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

    /// Sets the function that adds the quota usage of an object, apart from its count.
    pub const fn quota_usage(mut self, usage: fn(&Value, &mut ResourceList)) -> Self {
        self.hooks.usage = Some(usage);
        self
    }

    /// Sets the test for quota scopes. No scope includes kinds without a test.
    pub(crate) const fn quota_scopes(mut self, is_in: fn(&Scope<'_>, &Value) -> bool) -> Self {
        self.hooks.scopes = Some(is_in);
        self
    }

    /// Exempts the objects from quotas.
    pub const fn uncounted(mut self) -> Self {
        self.hooks.uncounted = true;
        self
    }

    /// Sets the check of a new object against one item of a LimitRange: the item, then the object.
    pub const fn limits(mut self, limits: fn(&Value, &Value, &mut Vec<String>)) -> Self {
        self.hooks.limits = Some(limits);
        self
    }

    /// Sets the state machine of a deletion, and the test for an object that still waits for finalizers.
    pub const fn deletion(
        mut self,
        delete: fn(&Value, &Request) -> Step,
        waits: fn(&Value) -> bool,
    ) -> Self {
        self.hooks.delete = Some(delete);
        self.hooks.waits = Some(waits);
        self
    }

    /// Sets the graceful deletion, which marks the object and returns the grace period in seconds, or `None` if
    /// nothing changes.
    pub const fn grace(mut self, grace: fn(&mut Value, &Request) -> Option<i64>) -> Self {
        self.hooks.grace = Some(grace);
        self
    }

    /// Sets the treatment of dependents in a deletion without a propagation policy.
    pub const fn dependents(mut self, dependents: Dependents) -> Self {
        self.hooks.dependents = dependents;
        self
    }

    /// Sets the warning about a deletion without a propagation policy.
    pub const fn warns_of_kept_dependents(mut self, text: &'static str) -> Self {
        self.hooks.kept_dependents_warning = Some(text);
        self
    }

    /// Returns the warning about a deletion without a propagation policy.
    pub const fn kept_dependents_warning(&self) -> Option<&'static str> {
        self.hooks.kept_dependents_warning
    }

    /// Rejects the deletion of some objects, with a reason.
    pub(crate) const fn protecting(
        mut self,
        names: &'static [&'static str],
        why: &'static str,
    ) -> Self {
        self.hooks.protected = Some(Protected { names, why });
        self
    }

    /// Returns the reason why an object cannot be deleted, if the cluster needs it.
    pub fn protection(&self, name: &str) -> Option<&'static str> {
        let protected = self.hooks.protected?;
        protected.names.contains(&name).then_some(protected.why)
    }

    /// Sets the fields of the spec that the system assigns, which a restore of an earlier version keeps.
    pub const fn assigned(mut self, fields: fn(&Value, &Value) -> Fields) -> Self {
        self.hooks.assigned = Some(fields);
        self
    }

    /// Sets the group and version at which objects are stored.
    pub const fn stored_as(mut self, group: &'static str, version: &'static str) -> Self {
        self.hooks.stored_as = Some((group, version));
        self
    }

    /// Sets the conversion of an object from another version to the given `apiVersion`.
    pub const fn convert(mut self, convert: fn(&mut Value, &str)) -> Self {
        self.hooks.convert = Some(convert);
        self
    }
}

/// Builds and queries the properties by which the API server treats some kinds differently.
impl Kind {
    /// Makes a create return the object as a review without storing it.
    pub(crate) const fn reviewed(mut self, question: Review) -> Self {
        self.hooks.review = Some(question);
        self
    }

    /// Returns the question of the review that a create returns without storing it, if there is one.
    pub const fn reviews(&self) -> Option<Review> {
        self.hooks.review
    }

    /// Makes a create bind the Pod with the object's name, without storing the object.
    pub const fn binding(mut self) -> Self {
        self.hooks.binds = true;
        self
    }

    /// Returns true if a create binds the Pod with the object's name, without storing the object.
    pub const fn is_binding(&self) -> bool {
        self.hooks.binds
    }

    /// Marks the data of objects as secret, so that messages and diffs mask it.
    pub const fn confidential(mut self) -> Self {
        self.hooks.confidential = true;
        self
    }

    /// Returns true if messages and diffs mask the data of objects.
    pub const fn is_confidential(&self) -> bool {
        self.hooks.confidential
    }

    /// Makes the cluster allocate addresses and node ports for objects.
    pub const fn addressed(mut self) -> Self {
        self.hooks.addressed = true;
        self
    }

    /// Sets the objects that always exist but are never stored.
    pub(crate) const fn synthetic(mut self, objects: fn() -> Vec<Value>) -> Self {
        self.hooks.synthetic_objects = Some(objects);
        self
    }

    /// Returns the objects that always exist but are never stored, if the kind has any.
    pub fn synthetic_objects(&self) -> Option<Vec<Value>> {
        self.hooks.synthetic_objects.map(|objects| objects())
    }

    /// Returns true if the cluster allocates addresses and node ports for objects.
    pub const fn is_addressed(&self) -> bool {
        self.hooks.addressed
    }

    /// Makes quotas count an object again on each update.
    pub(crate) const fn counted_again(mut self) -> Self {
        self.hooks.counted_again = true;
        self
    }

    /// Returns true if an update may change the quota usage of an object.
    pub const fn is_counted_again(&self) -> bool {
        self.hooks.counted_again
    }

    /// Makes the class of an object decide if the object may grow.
    pub(crate) const fn growing_by_class(mut self) -> Self {
        self.hooks.grows_by_class = true;
        self
    }

    /// Returns true if the class of an object decides if the object may grow.
    pub const fn grows_by_class(&self) -> bool {
        self.hooks.grows_by_class
    }

    /// Marks objects of the kind as definitions of other kinds.
    pub const fn defining_kinds(mut self) -> Self {
        self.hooks.defines_kinds = true;
        self
    }

    /// Returns true if objects of the kind define other kinds.
    pub const fn defines_kinds(&self) -> bool {
        self.hooks.defines_kinds
    }

    /// Marks objects of the kind as namespaces.
    pub const fn holding_objects(mut self) -> Self {
        self.hooks.namespace = true;
        self
    }

    /// Returns true if objects of the kind are namespaces.
    pub const fn is_namespace(&self) -> bool {
        self.hooks.namespace
    }

    /// Marks objects of the kind as machines that run Pods.
    pub const fn hosting_pods(mut self) -> Self {
        self.hooks.hosts_pods = true;
        self
    }

    /// Returns true if Pods run on objects of the kind.
    pub const fn hosts_pods(&self) -> bool {
        self.hooks.hosts_pods
    }

    /// Sets the default class for objects that name none.
    pub const fn with_default_class(mut self, class: &'static DefaultClass) -> Self {
        self.hooks.default_class = Some(class);
        self
    }

    /// Returns the default class, if objects of the kind have one.
    pub const fn default_class(&self) -> Option<&'static DefaultClass> {
        self.hooks.default_class
    }

    /// Returns true if LimitRanges apply to new objects.
    pub const fn is_limited(&self) -> bool {
        self.hooks.limits.is_some()
    }
}

/// Sets the facts that only clients use.
impl Kind {
    /// Sets the form of the kind's Pod selector.
    pub const fn pod_selector(mut self, form: PodSelector) -> Self {
        self.hooks.client.pod_selector = Some(form);
        self
    }

    /// Sets the objects in which `rollout history` and `rollout undo` find earlier revisions.
    pub const fn rollout_history(mut self, history: RolloutHistory) -> Self {
        self.hooks.client.rollout_history = Some(history);
        self
    }

    /// Sets the part of RBAC that objects of the kind define.
    pub const fn grant(mut self, grant: Grant) -> Self {
        self.hooks.client.grant = Some(grant);
        self
    }

    /// Sets the field of `valueFrom` that refers to a key in objects of the kind.
    pub const fn key_reference(mut self, field: &'static str) -> Self {
        self.hooks.client.key_reference = Some(field);
        self
    }

    /// Lets `kubectl expose` create a Service for objects of the kind.
    pub const fn exposable(mut self) -> Self {
        self.hooks.client.exposable = true;
        self
    }
}
