//! Validates the CEL rules of a new CustomResourceDefinition.

use super::adapt;
use super::cost::{Sizes, Total, exceeded};
use super::rules::{RULES, program};
use crate::api::json::Value;
use crate::cel::Type;
use crate::tree::{field, flag, has, list, text};
use crate::validate::errors::Errors;
use crate::validate::go;
use crate::validate::path::Path;

/// The largest estimated cost of one expression.
const RULE_LIMIT: u64 = 10_000_000;

const REASONS: &[&str] = &[
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
];

/// The circumstances under which the rules of a schema run.
pub(crate) struct RuleContext<'a> {
    /// True for the schema of the whole object.
    pub(crate) root: bool,
    /// The path below which values have no counterpart in the old object.
    pub(crate) lost: Option<&'a str>,
    /// The largest number of values of the schema in an object, or `None` without a limit.
    pub(crate) most: Option<u64>,
    /// True if expensive rules are stored already, and stay.
    pub(crate) stored: bool,
}

/// Checks the rules of one schema, without those of nested schemas, and adds their costs to `total`.
pub(crate) fn rules(
    path: &Path<'_>,
    schema: &Value,
    context: &RuleContext<'_>,
    total: &mut Total,
    errors: &mut Errors,
) {
    let all = list(schema, RULES);
    if all.is_empty() {
        return;
    }
    let path = path.child(RULES);
    let compiler = Compiler {
        this: adapt::type_of(schema, context.root),
        sizes: Sizes::from_schema(schema, context.root),
        context,
    };
    for (index, rule) in all.iter().enumerate() {
        compiler.rule(&path.index(index), rule, total, errors);
    }
}

/// Checks the form of a rule except for its `fieldPath`.
pub(crate) fn form(path: &Path<'_>, rule: &Value, errors: &mut Errors) {
    let message = text(rule, "message");
    let trimmed = message.trim();
    let breaks = |text: &str| text.contains(['\n', '\r']);
    let at = path.child("message");
    // This is a single chain because upstream reports at most one of these errors for a rule.
    if text(rule, "rule").trim().is_empty() {
        errors.required(&path.child("rule"), "rule is not specified");
    } else if !message.is_empty() && trimmed.is_empty() {
        let detail = "message must be non-empty if specified";
        errors.invalid_shown(&at, &go::quoted(message), detail);
    } else if breaks(trimmed) {
        let detail = "message must not contain line breaks";
        errors.invalid_shown(&at, &go::quoted(message), detail);
    } else if breaks(text(rule, "rule").trim()) && trimmed.is_empty() {
        let detail = "message must be specified if rule contains line breaks";
        errors.required(&at, detail);
    }
    let expression = text(rule, "messageExpression");
    if !expression.is_empty() && expression.trim().is_empty() {
        let detail = "messageExpression must be non-empty if specified";
        errors.required(&path.child("messageExpression"), detail);
    }
    let reason = field(rule, "reason");
    if reason.is_string() && !REASONS.contains(&text(rule, "reason")) {
        errors.not_supported(&path.child("reason"), reason, REASONS);
    }
}

/// An expression that was compiled.
struct Compiled {
    result: Type,
    uses_old: bool,
    cost: u64,
}

/// Compiles the rules of one schema.
struct Compiler<'a> {
    this: Type,
    sizes: Option<Sizes>,
    context: &'a RuleContext<'a>,
}

impl Compiler<'_> {
    fn compile(&self, expression: &str, optional: bool) -> Result<Compiled, String> {
        let old = match optional {
            // With an optional `oldSelf`, the rule also runs on a create, with an empty value.
            true => Type::optional(self.this.clone()),
            false => self.this.clone(),
        };
        let names = [("self", self.this.clone()), ("oldSelf", old)];
        let program = program(expression)?;
        let result = program.check(&names)?;
        let size = |path: &[String]| self.sizes.as_ref().and_then(|sizes| sizes.at(path));
        Ok(Compiled {
            result,
            uses_old: program.uses("oldSelf"),
            cost: program.worst_cost(&names, &size),
        })
    }

    fn rule(&self, path: &Path<'_>, rule: &Value, total: &mut Total, errors: &mut Errors) {
        let shown = go::shown_as("ValidationRule", rule);
        let optional = flag(rule, "optionalOldSelf");
        let at = path.child("rule");
        match self.compile(text(rule, "rule"), optional) {
            Err(wrong) => {
                let detail = format!("compilation failed: {wrong}");
                errors.invalid_shown(&at, &shown, &detail);
            }
            // Like upstream, reject a rule whose type is known only when it runs.
            Ok(compiled) if compiled.result == Type::Bool => {
                let most = self.context.most;
                let most = most.or_else(|| self.sizes.as_ref().map(Sizes::most_in_request));
                let cost = compiled.cost.saturating_mul(most.unwrap_or(1));
                self.charge(&at, "estimated rule cost", cost, total, errors);
                self.old_self(path, rule, compiled.uses_old, errors);
            }
            Ok(_) => errors.invalid_shown(&at, &shown, "cel expression must evaluate to a bool"),
        }
        let expression = text(rule, "messageExpression");
        if expression.trim().is_empty() {
            return;
        }
        let at = path.child("messageExpression");
        match self.compile(expression, optional) {
            Err(wrong) => {
                let detail = format!("messageExpression compilation failed: {wrong}");
                errors.invalid_shown(&at, &shown, &detail);
            }
            // The message is computed once, for the first value that violates the rule.
            Ok(compiled) if compiled.result == Type::Text => {
                let what = "estimated messageExpression cost";
                self.charge(&at, what, compiled.cost, total, errors);
            }
            Ok(_) => {
                let detail = "messageExpression must evaluate to a string";
                errors.invalid_shown(&at, &shown, detail);
            }
        }
    }

    /// Adds the cost of an expression to the total, and rejects one that is too expensive by itself.
    fn charge(
        &self,
        path: &Path<'_>,
        what: &str,
        cost: u64,
        total: &mut Total,
        errors: &mut Errors,
    ) {
        if let Some(detail) = exceeded(what, cost, RULE_LIMIT).filter(|_| !self.context.stored) {
            errors.forbidden(path, &detail);
        }
        total.add(path, cost);
    }

    fn old_self(&self, path: &Path<'_>, rule: &Value, uses_old: bool, errors: &mut Errors) {
        // Items of a list without keys have no counterpart in the old object, so there is no `oldSelf`.
        if let Some(lost) = self.context.lost.filter(|_| uses_old) {
            let detail = format!(
                "oldSelf cannot be used on the uncorrelatable portion of the schema within {lost}"
            );
            // Upstream shows only the expression in this error, but the rule with all its fields in the others.
            let shown = go::quoted(text(rule, "rule"));
            errors.invalid_shown(&path.child("rule"), &shown, &detail);
        }
        if has(rule, "optionalOldSelf") && !uses_old {
            let detail = "may not be set if oldSelf is not used in rule";
            let value = field(rule, "optionalOldSelf");
            errors.invalid(&path.child("optionalOldSelf"), value, detail);
        }
    }
}
