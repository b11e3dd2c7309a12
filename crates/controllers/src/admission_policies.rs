//! Type-checks the expressions of admission policies.
//!
//! Rules:
//! - `check`: the expressions of a ValidatingAdmissionPolicy are checked against the kinds that its rules
//!   name; the status contains the warnings.

use super::watched;
use super::workload::numbered;
use crate::api::json::json;
use crate::cluster::Part;
use crate::kinds::admission::policy::checked;
use crate::kinds::custom::{is_established, kinds_of};
use crate::kinds::tree::field;
use crate::kinds::{Catalogue, Kind};
use crate::runtime::{Cache, Controller, Plan, PlannedWrite, ReconcileContext, Watch};

/// Checks the types in policies.
#[derive(Debug, Default)]
pub(crate) struct AdmissionPolicies;

impl Controller for AdmissionPolicies {
    fn name(&self) -> &'static str {
        "validatingadmissionpolicy-status"
    }

    fn component(&self) -> &'static str {
        "validatingadmissionpolicy-status-controller"
    }

    fn field_manager(&self) -> &'static str {
        "validatingadmissionpolicy-status"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![
            Watch::own(watched::validating_policies()),
            // Definitions are read but trigger nothing: kube-controller-manager checks a policy only when the policy
            // changes.
            Watch::new(watched::definitions(), |_, _| Vec::new()),
        ]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let kind = watched::validating_policies();
        let Some(policy) = context.cache.by_key(kind, context.key) else {
            return plan;
        };
        let kinds = catalogue(context.cache);
        let resource = |group: &str, version: &str, name: &str| -> Option<&'static Kind> {
            kinds.find_resource(group, version, name)
        };
        let named = |version: &str, kind: &str| kinds.find_by_api_version(version, kind);
        if let Some((status, count)) = checked(policy, &resource, &named) {
            let rule = format!("check: {}", numbered(count, "warning", "warnings"));
            if field(policy, "status") != &status {
                let fields = json!({"status": status});
                let write = PlannedWrite::apply(policy, Part::Status, &fields, rule);
                plan.status.push(write);
            }
        }
        plan
    }
}

/// Returns the kinds that the cluster serves, according to the cache.
fn catalogue(cache: &Cache) -> Catalogue {
    let definitions = cache.list(watched::definitions(), "");
    let established = definitions.filter(|definition| is_established(definition));
    Catalogue::new(
        established
            .flat_map(|definition| kinds_of(definition))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{ControllerHarness, content};

    #[test]
    fn expressions_with_type_errors_are_reported_once() {
        let mut harness = ControllerHarness::new(AdmissionPolicies);
        let group = "admissionregistration.k8s.io/v1";
        let rule = json!({"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"],
            "resources": ["deployments", "*"]});
        let mut policy = json!({"metadata": {"name": "p", "generation": 2}, "spec": {
            "matchConstraints": {"resourceRules": [rule]},
            "variables": [{"name": "n", "expression": "object.spec.replicas"}],
            "validations": [
                {"expression": "object.spec.replicsa > 1"},
                {"expression": "variables.n > 1 && object.spec.template.spec.containers.size() > 0",
                    "messageExpression": "object.metadata.name + 1"},
            ],
        }});
        harness.put(group, "ValidatingAdmissionPolicy", policy.clone());
        let plan = harness.plan("", "p");
        let status = content(&plan.status[0])["status"].clone();
        assert_eq!(status["observedGeneration"], 2);
        let warnings = &status["typeChecking"]["expressionWarnings"];
        assert_eq!(warnings[0]["fieldRef"], "spec.validations[0].expression");
        assert_eq!(
            warnings[0]["warning"],
            "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replicsa'\n \
             | object.spec.replicsa > 1\n | ...........^\n"
        );
        assert_eq!(
            warnings[1]["fieldRef"],
            "spec.validations[1].messageExpression"
        );
        assert!(warnings[2].is_null());
        policy["status"] = status;
        harness.put(group, "ValidatingAdmissionPolicy", policy);
        assert_eq!(harness.plan("", "p"), Plan::done());
    }
}
