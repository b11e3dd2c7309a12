//! The Pod Security Standards: which Pods the labels of a namespace forbid or warn about.

mod baseline;
mod restricted;

pub use baseline::SAFE_SYSCTLS;

use std::collections::{BTreeMap, BTreeSet};

use crate::api::json::Value;
use crate::kind::Kind;
use crate::tree::{at, field, list, text};
use crate::validate::go;

/// A level that restricts Pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum Level {
    Baseline,
    Restricted,
}

/// The label with the version of the standards that a namespace enforces.
const ENFORCED_VERSION: &str = "pod-security.kubernetes.io/enforce-version";

/// The violation of a rule: the name of the rule, and the details.
type Finding = (String, String);

/// Returns the reason why the `enforce` label of a namespace rejects a Pod, or `None` if it accepts it.
///
/// The text follows `is forbidden: ` in the API server's 403.
pub fn refusal(namespace: &Value, pod: &Value) -> Option<String> {
    // Only Pods are rejected. The template of a workload only causes a warning, because admission may still change
    // its Pods.
    let standard = wanted(namespace, "enforce")?;
    let found = findings(&standard, pod);
    let shown = standard.shown;
    (!found.is_empty()).then(|| format!("violates PodSecurity {shown}: {}", text_of(&found)))
}

/// Returns the warning that the `warn` label of a namespace requires about a Pod, or about the Pods that an object
/// creates.
pub fn warning(namespace: &Value, kind: &Kind, object: &Value) -> Option<String> {
    violations("warn", namespace, kind, object)
}

/// Returns the text that the `audit` label of a namespace requires in the audit log.
pub fn audit(namespace: &Value, kind: &Kind, object: &Value) -> Option<String> {
    violations("audit", namespace, kind, object)
}

/// Returns true if a namespace enforces more than before, so its existing Pods must be checked.
pub fn is_stricter(old: &Value, new: &Value) -> bool {
    let Some(standard) = wanted(new, "enforce") else {
        return false;
    };
    let version = |namespace| match text(at(namespace, &["metadata", "labels"]), ENFORCED_VERSION) {
        "" => "latest",
        version => version,
    };
    match wanted(old, "enforce") {
        Some(before) if before.shown == standard.shown => false,
        // A lower level admits at least the same Pods, unless the version changes as well.
        Some(before) => before.level < standard.level || version(old) != version(new),
        None => true,
    }
}

/// Returns the warnings about existing Pods that the `enforce` label of their namespace would reject.
pub fn of_existing(namespace: &Value, pods: &[Value]) -> Vec<String> {
    let Some(standard) = wanted(namespace, "enforce") else {
        return Vec::new();
    };
    // The key is the list of violated rules, the value the first Pod and the number of Pods.
    let mut broken: BTreeMap<String, (&str, usize)> = BTreeMap::new();
    for pod in first_of_each_controller(pods) {
        let found = findings(&standard, pod);
        let rules: Vec<&str> = found.iter().map(|(rule, _)| rule.as_str()).collect();
        if !rules.is_empty() {
            let name = text(field(pod, "metadata"), "name");
            broken.entry(rules.join(", ")).or_insert((name, 0)).1 += 1;
        }
    }
    if broken.is_empty() {
        return Vec::new();
    }
    let name = go::quoted(text(field(namespace, "metadata"), "name"));
    let head = format!(
        "existing pods in namespace {name} violate the new PodSecurity enforce level {}",
        standard.shown
    );
    let mut lines: Vec<String> = broken
        .into_iter()
        .map(|(rules, (first, count))| match count {
            1 => format!("{first}: {rules}"),
            2 => format!("{first} (and 1 other pod): {rules}"),
            _ => format!("{first} (and {} other pods): {rules}", count - 1),
        })
        .collect();
    lines.sort();
    lines.insert(0, head);
    lines
}

/// Returns the Pods in the order of the checks: first one Pod of each controller, then its replicas.
fn first_of_each_controller(pods: &[Value]) -> impl Iterator<Item = &Value> {
    let mut seen = BTreeSet::new();
    let (first, replicas): (Vec<&Value>, Vec<&Value>) = pods.iter().partition(|pod| {
        let owners = list(field(pod, "metadata"), "ownerReferences");
        let controller = owners.iter().find(|owner| owner["controller"] == true);
        controller.is_none_or(|owner| seen.insert(text(owner, "uid")))
    });
    first.into_iter().chain(replicas)
}

/// Returns true if an update must be checked again: always for a template, and for a Pod if its images change.
pub fn is_checked_again(kind: &Kind, old: &Value, new: &Value) -> bool {
    // Other changes, such as of labels, stay possible for Pods that were admitted under a laxer label.
    if !kind.is_pod() {
        return kind.hooks.pod_template.is_some();
    }
    let images = |pod: &Value| {
        let lists = ["initContainers", "containers", "ephemeralContainers"];
        lists.map(|name| {
            let containers = list(field(pod, "spec"), name).iter();
            let images = containers.map(|c| text(c, "image").to_owned());
            images.collect::<Vec<_>>()
        })
    };
    images(old) != images(new)
}

/// Returns the level that a namespace enforces, as the audit log shows it: `baseline:latest`.
pub fn enforced(namespace: &Value) -> String {
    let shown = wanted(namespace, "enforce");
    let shown = shown.map(|standard| standard.shown.trim_matches('"').to_owned());
    shown.unwrap_or_else(|| "privileged:latest".to_owned())
}

fn violations(mode: &str, namespace: &Value, kind: &Kind, object: &Value) -> Option<String> {
    let standard = wanted(namespace, mode)?;
    let found = findings(&standard, template(kind, object)?);
    let shown = standard.shown;
    (!found.is_empty()).then(|| format!("would violate PodSecurity {shown}: {}", text_of(&found)))
}

/// Returns the Pod in an object: the object itself or its template.
fn template<'a>(kind: &Kind, object: &'a Value) -> Option<&'a Value> {
    kind.hooks.pod_template.map(|path| at(object, path))
}

/// A level of the standards in a certain version.
struct Standard {
    level: Level,
    /// The minor version.
    minor: u32,
    /// The level and version as messages show them: `"baseline:latest"`.
    shown: String,
}

/// Returns the standard that a namespace sets for a mode.
fn wanted(namespace: &Value, mode: &str) -> Option<Standard> {
    let labels = at(namespace, &["metadata", "labels"]);
    let label = |name: &str| text(labels, &format!("pod-security.kubernetes.io/{name}")).to_owned();
    let name = label(mode);
    let level = match name.as_str() {
        "baseline" => Level::Baseline,
        "restricted" => Level::Restricted,
        _ => return None,
    };
    let version = match label(&format!("{mode}-version")) {
        version if version.is_empty() => "latest".to_owned(),
        version => version,
    };
    let minor = version
        .strip_prefix("v1.")
        .and_then(|minor| minor.parse().ok());
    Some(Standard {
        level,
        // The version is `latest` or invalid; validation has rejected the latter.
        minor: minor.unwrap_or(u32::MAX),
        shown: go::quoted(&format!("{name}:{version}")),
    })
}

fn findings(standard: &Standard, pod: &Value) -> Vec<Finding> {
    let pod = Parts {
        metadata: field(pod, "metadata"),
        spec: field(pod, "spec"),
        minor: standard.minor,
    };
    let restricted = standard.level == Level::Restricted;
    let replaced = |rule: &str| restricted && restricted::replaces(rule, standard.minor);
    let mut found = Vec::new();
    baseline::check(&pod, &replaced, &mut found);
    if restricted {
        restricted::check(&pod, &mut found);
    }
    found
}

fn text_of(found: &[Finding]) -> String {
    let texts = found.iter().map(|(rule, who)| match who.as_str() {
        "" => rule.clone(),
        who => format!("{rule} ({who})"),
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// A Pod or a Pod template.
struct Parts<'a> {
    metadata: &'a Value,
    spec: &'a Value,
    /// The minor version of the standards.
    minor: u32,
}

impl<'a> Parts<'a> {
    fn containers(&self) -> impl Iterator<Item = &'a Value> + use<'a> {
        let spec = self.spec;
        // Upstream visits containers in this order, which is the order of the names in messages.
        ["initContainers", "containers", "ephemeralContainers"]
            .into_iter()
            .flat_map(|kind| list(spec, kind))
    }

    fn context(&self) -> &'a Value {
        field(self.spec, "securityContext")
    }

    /// Returns the names of the containers for which `test` returns true.
    fn those(&self, test: impl Fn(&Value) -> bool) -> Vec<&'a str> {
        self.containers()
            .filter(|c| test(c))
            .map(|c| text(c, "name"))
            .collect()
    }

    fn is_windows(&self) -> bool {
        text(field(self.spec, "os"), "name") == "windows"
    }
}

fn context(container: &Value) -> &Value {
    field(container, "securityContext")
}

/// Formats names as `container "a"` or `containers "a", "b"`.
fn named(what: &str, names: &[&str]) -> String {
    let plural = if names.len() == 1 { "" } else { "s" };
    format!("{what}{plural} {}", quoted(names))
}

fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| go::quoted(name))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Formats `pod`, `container "a"`, or `pod and container "a"`.
fn pod_and(pod: bool, containers: &[&str]) -> String {
    match (pod, containers) {
        (true, []) => "pod".to_owned(),
        (true, names) => format!("pod and {}", named("container", names)),
        (false, names) => named("container", names),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::find;

    fn namespace(mode: &str, level: &str) -> Value {
        json!({"metadata": {"labels": {(format!("pod-security.kubernetes.io/{mode}")): level}}})
    }

    fn refused(level: &str, spec: Value) -> String {
        let pod = json!({"metadata": {}, "spec": spec});
        refusal(&namespace("enforce", level), &pod).unwrap_or_default()
    }

    #[test]
    fn plain_pod_passes_baseline_and_violates_restricted() {
        let spec = json!({"containers": [{"name": "c"}]});
        assert_eq!(refused("baseline", spec.clone()), "");
        assert_eq!(refused("privileged", spec.clone()), "");
        assert_eq!(
            refused("restricted", spec),
            "violates PodSecurity \"restricted:latest\": allowPrivilegeEscalation != false (container \
             \"c\" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities \
             (container \"c\" must set securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != \
             true (pod or container \"c\" must set securityContext.runAsNonRoot=true), seccompProfile \
             (pod or container \"c\" must set securityContext.seccompProfile.type to \"RuntimeDefault\" \
             or \"Localhost\")"
        );
    }

    #[test]
    fn hardened_pod_passes_restricted() {
        let spec = json!({
            "securityContext": {"runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}},
            "volumes": [{"name": "v", "emptyDir": {}}],
            "containers": [{"name": "c", "securityContext": {"allowPrivilegeEscalation": false,
                "capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}}}],
        });
        assert_eq!(refused("restricted", spec), "");
    }

    #[test]
    fn baseline_rejects_access_to_the_host() {
        for (spec, words) in [
            (
                json!({"hostNetwork": true, "hostPID": true}),
                "host namespaces (hostNetwork=true, hostPID=true)",
            ),
            (
                json!({"volumes": [{"name": "a", "hostPath": {"path": "/"}}]}),
                "hostPath volumes (volume \"a\")",
            ),
            (
                json!({"containers": [{"name": "c", "securityContext": {"privileged": true}}, {"name": "d",
                "securityContext": {"privileged": true}}]}),
                "privileged (containers \"c\", \"d\" must not set securityContext.privileged=true)",
            ),
            (
                json!({"containers": [{"name": "c", "ports": [{"hostPort": 80}]}]}),
                "hostPort (container \"c\" uses hostPort 80)",
            ),
            (
                json!({"containers": [{"name": "c", "securityContext": {"capabilities":
                {"add": ["SYS_ADMIN", "CHOWN"]}}}]}),
                "non-default capabilities (container \"c\" must not include \"SYS_ADMIN\" in \
                 securityContext.capabilities.add)",
            ),
            (
                json!({"securityContext": {"sysctls": [{"name": "kernel.msgmax"}]}}),
                "forbidden sysctls (kernel.msgmax)",
            ),
            (
                json!({"securityContext": {"seccompProfile": {"type": "Unconfined"}}}),
                "seccompProfile (pod must not set securityContext.seccompProfile.type to \"Unconfined\")",
            ),
            (
                json!({"containers": [{"name": "c", "securityContext": {"procMount": "Unmasked"}}]}),
                "procMount (container \"c\" must not set securityContext.procMount to \"Unmasked\")",
            ),
            (
                json!({"containers": [{"name": "c", "livenessProbe": {"httpGet": {"host": "127.0.0.1"}}}]}),
                "probe or lifecycle host (container \"c\" uses probe or lifecycle host \"127.0.0.1\")",
            ),
            (
                json!({"containers": [
                    {"name": "c", "lifecycle": {"preStop": {"tcpSocket": {"host": "b"}}}},
                    {"name": "a", "startupProbe": {"httpGet": {"host": "localhost", "port": 1}}},
                ]}),
                "probe or lifecycle host (containers \"a\", \"c\" use probe or lifecycle hosts \"b\", \"localhost\")",
            ),
        ] {
            assert_eq!(
                refused("baseline", spec),
                format!("violates PodSecurity \"baseline:latest\": {words}")
            );
        }
    }

    #[test]
    fn a_pod_with_its_own_users_may_unmask_proc_at_the_baseline() {
        let container = json!({"name": "c", "securityContext": {"procMount": "Unmasked"}});
        let spec = json!({"hostUsers": false, "containers": [container]});
        assert_eq!(refused("baseline", spec.clone()), "");
        assert!(refused("restricted", spec).contains("procMount (container \"c\""));
    }

    #[test]
    fn a_pinned_version_has_the_rules_of_its_time() {
        let told = |version: &str, spec: Value| {
            let mut pinned = namespace("enforce", "restricted");
            pinned["metadata"]["labels"][ENFORCED_VERSION] = json!(version);
            let found = findings(&wanted(&pinned, "enforce").unwrap(), &json!({"spec": spec}));
            found.into_iter().map(|(rule, _)| rule).collect::<Vec<_>>()
        };
        let hosts = json!({"securityContext": {"runAsUser": 0, "runAsNonRoot": true,
            "seccompProfile": {"type": "RuntimeDefault"}, "sysctls": [{"name": "net.ipv4.tcp_rmem"}],
            "seLinuxOptions": {"type": "container_engine_t"}},
            "containers": [{"name": "c", "livenessProbe": {"httpGet": {"host": "a"}},
                "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}}]});
        assert_eq!(
            told("latest", hosts.clone()),
            ["probe or lifecycle host", "runAsUser=0"]
        );
        assert_eq!(told("v1.33", hosts.clone()), ["runAsUser=0"]);
        assert_eq!(
            told("v1.22", hosts),
            ["seLinuxOptions", "forbidden sysctls"]
        );
    }

    #[test]
    fn a_stricter_namespace_warns_about_its_pods() {
        let plain = json!({"metadata": {"name": "n"}});
        let (baseline, restricted) = (
            namespace("enforce", "baseline"),
            namespace("enforce", "restricted"),
        );
        assert!(is_stricter(&plain, &baseline) && is_stricter(&baseline, &restricted));
        for (old, new) in [
            (&restricted, &baseline),
            (&baseline, &baseline),
            (&baseline, &plain),
            (&plain, &namespace("warn", "restricted")),
        ] {
            assert!(!is_stricter(old, new), "{old} {new}");
        }
        let mut pinned = baseline.clone();
        pinned["metadata"]["labels"][ENFORCED_VERSION] = json!("v1.30");
        assert!(is_stricter(&restricted, &pinned));
        let pod = |name: &str, owner: &str| {
            let owners = json!([{"uid": owner, "controller": true}]);
            json!({"metadata": {"name": name, "ownerReferences": owners}, "spec": {"hostPID": true}})
        };
        let mut single = pod("z", "");
        single["metadata"]["ownerReferences"] = json!([]);
        single["spec"] =
            json!({"hostPID": true, "containers": [{"securityContext": {"privileged": true}}]});
        let mut labeled = baseline.clone();
        labeled["metadata"]["name"] = json!("n");
        assert_eq!(
            of_existing(
                &labeled,
                &[pod("b", "1"), pod("c", "1"), pod("d", "2"), single]
            ),
            [
                "existing pods in namespace \"n\" violate the new PodSecurity enforce level \"baseline:latest\"",
                "b (and 2 other pods): host namespaces",
                "z: host namespaces, privileged",
            ]
        );
        assert_eq!(of_existing(&labeled, &[json!({"spec": {}})]), [""; 0]);
    }

    #[test]
    fn violating_pod_template_prints_a_warning() {
        let kind = find("apps", "v1", "Deployment").unwrap();
        let deployment = json!({"spec": {"template": {"spec": {"hostIPC": true}}}});
        assert_eq!(
            warning(&namespace("warn", "baseline"), kind, &deployment).unwrap(),
            "would violate PodSecurity \"baseline:latest\": host namespaces (hostIPC=true)"
        );
        assert_eq!(
            warning(&namespace("audit", "baseline"), kind, &deployment),
            None
        );
    }
}
