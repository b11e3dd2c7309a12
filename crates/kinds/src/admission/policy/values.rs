//! The names that the expressions of a policy can use, with their values.

use std::sync::{Arc, OnceLock};

use super::attributes::Attributes;
use super::authorizer::{self, Roles};
use crate::api::json::{Value as Json, json};
use crate::cel::value::NativeObject;
use crate::cel::{Scope, Value};
use crate::custom::{program, untyped};
use crate::kind::Kind;
use crate::tree::{field, list, text};

/// The cost limit for all expressions of one policy.
const BUDGET: u64 = 10_000_000;

/// The value of an expression, or the error that stopped it.
pub(super) type Outcome = Result<Value, String>;

/// The names that expressions can use, with their values.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::admission::User;
/// use ctl_kinds::admission::policy::{Attributes, Constraints, Decision, Inputs, Operation, Validation, validate};
/// use ctl_kinds::find;
///
/// let user = User { name: "ann".to_owned(), ..User::default() };
/// let object = json!({"metadata": {"name": "web"}, "spec": {"replicas": 6}});
/// let at = Attributes {
///     kind: find("apps", "v1", "Deployment").unwrap(),
///     subresource: "",
///     body: None,
///     namespace: "default",
///     name: "web",
///     operation: Operation::Create,
///     object: Some(&object),
///     old: None,
///     user: &user,
///     dry_run: false,
///     options: &json!({}),
/// };
/// let resources = json!({"resourceRules": [
///     {"apiGroups": ["apps"], "apiVersions": ["*"], "operations": ["*"], "resources": ["deployments"]},
/// ]});
/// let matched = Constraints::of_policy(&resources).matched(&at, &[], &|| None).unwrap();
///
/// let spec = json!({"validations": [
///     {"expression": "object.spec.replicas <= 5", "message": "too many replicas"},
/// ]});
/// let inputs = Inputs::new(&at, matched, None).in_namespace(None).with_params(None);
/// let Validation { failures, .. } = validate(&spec, inputs);
/// let first: &Decision = &failures[0];
/// assert_eq!(first.message, "too many replicas");
/// ```
#[derive(Clone, Debug)]
pub struct Inputs {
    names: Vec<(&'static str, Value)>,
    spent: u64,
}

impl Inputs {
    /// Creates the names that every expression can use: the objects, the request and the authorizer.
    pub fn new(at: &Attributes<'_>, matched: &'static Kind, roles: Option<Arc<dyn Roles>>) -> Self {
        let object = |object: Option<&Json>| object.map_or(Value::Null, untyped);
        let names = vec![
            ("object", object(at.object)),
            ("oldObject", object(at.old)),
            ("request", untyped(&at.request(matched))),
            (
                "authorizer",
                roles.map_or(Value::Null, |roles| authorizer::of(roles, at)),
            ),
        ];
        Self { names, spent: 0 }
    }

    /// Adds the namespace of the request.
    #[must_use]
    pub fn in_namespace(mut self, namespace: Option<&Json>) -> Self {
        let value = namespace.map_or(Value::Null, |namespace| untyped(&shown(namespace)));
        self.names.push(("namespaceObject", value));
        self
    }

    /// Adds the parameters.
    #[must_use]
    pub fn with_params(mut self, params: Option<&Json>) -> Self {
        self.names
            .push(("params", params.map_or(Value::Null, untyped)));
        self
    }

    /// Adds the variables of a policy, each computed on first use.
    #[must_use]
    pub fn with_variables(mut self, spec: &Json) -> Self {
        let all = list(spec, "variables").iter();
        let all = all.map(|variable| Variable {
            name: text(variable, "name").to_owned(),
            expression: text(variable, "expression").to_owned(),
            value: OnceLock::new(),
        });
        let inputs = self.names.clone();
        // Variables refer to earlier ones, so their host needs a reference to itself. A strong reference would keep
        // it from ever being freed.
        let variables = Arc::new_cyclic(|own| Variables {
            own: std::sync::Weak::clone(own),
            all: all.collect(),
            inputs,
        });
        self.names
            .push(("variables", Value::NativeObject(variables)));
        self
    }

    /// Evaluates an expression.
    ///
    /// # Errors
    /// Returns the API server's error if the evaluation fails.
    pub(super) fn eval(&mut self, expression: &str) -> Outcome {
        let names = self.names.clone();
        let mut scope = Scope::new(names);
        let outcome = program(expression).and_then(|program| program.eval(&mut scope));
        self.spent += scope.cost();
        // The budget is shared: a failed expression leaves less for the later ones.
        if self.spent > BUDGET {
            return Err(
                "validation failed due to running out of cost budget, no further validation rules \
                 will be run"
                    .to_owned(),
            );
        }
        outcome.map_err(|e| format!("expression '{expression}' resulted in error: {e}"))
    }
}

/// Returns the namespace with only the fields that expressions may read.
fn shown(namespace: &Json) -> Json {
    let mut shown = json!({"metadata": {}});
    for (name, value) in field(namespace, "metadata")
        .as_object()
        .into_iter()
        .flatten()
    {
        if !matches!(name.as_str(), "managedFields" | "ownerReferences") {
            shown["metadata"][name.as_str()] = value.clone();
        }
    }
    for name in ["spec", "status"] {
        shown[name] = field(namespace, name).clone();
    }
    shown
}

#[derive(Debug)]
struct Variable {
    name: String,
    expression: String,
    value: OnceLock<Outcome>,
}

/// The variables of a policy. If a variable fails, so does the expression that uses it.
#[derive(Debug)]
struct Variables {
    own: std::sync::Weak<Self>,
    all: Vec<Variable>,
    inputs: Vec<(&'static str, Value)>,
}

impl Variables {
    fn compute(&self, variable: &Variable) -> Outcome {
        let mut names = self.inputs.clone();
        // Cycles are impossible: a policy is rejected if a variable uses a later one.
        if let Some(own) = self.own.upgrade() {
            names.push(("variables", Value::NativeObject(own)));
        }
        let outcome =
            program(&variable.expression).and_then(|program| program.eval(&mut Scope::new(names)));
        let name = &variable.name;
        outcome.map_err(|e| format!("composited variable {name:?} fails to evaluate: {e}"))
    }
}

impl NativeObject for Variables {
    fn type_name(&self) -> &'static str {
        "kubernetes.variables"
    }

    fn field(&self, name: &str) -> Option<Outcome> {
        let at = self.all.iter().position(|variable| variable.name == name)?;
        let variable = &self.all[at];
        if let Some(known) = variable.value.get() {
            return Some(known.clone());
        }
        let value = self.compute(variable);
        Some(variable.value.get_or_init(|| value).clone())
    }

    fn call(&self, _: &str, _: &[Value]) -> Option<Outcome> {
        None
    }
}

/// Returns true if all match conditions are true. A false condition outweighs any error.
///
/// # Errors
/// Returns the errors if they prevent a decision.
pub fn conditions(conditions: &[Json], inputs: &mut Inputs) -> Result<bool, String> {
    let mut failed = Vec::new();
    for condition in conditions {
        match inputs.eval(text(condition, "expression")) {
            Ok(Value::Bool(true)) => {}
            // A single false condition excludes the request, so errors in other conditions do not matter.
            Ok(_) => return Ok(false),
            Err(e) => failed.push(e),
        }
    }
    match failed.as_slice() {
        [] => Ok(true),
        [one] => Err(one.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}
