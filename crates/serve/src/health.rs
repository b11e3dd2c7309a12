//! The server's health: `/healthz`, `/livez`, `/readyz`, and their checks.
//!
//! When a request gets here, the cluster has been read, so a check passes unless it concerns the store and the store
//! has failed.

use super::Response;
use super::query::Query;
use crate::cluster::StoreError;

/// The checks of each endpoint before and after [`HOOKS`], in the API server's order.
const ENDPOINTS: [(&str, &[&str], &[&str]); 3] = [
    ("healthz", ALIVE, &[]),
    ("livez", ALIVE, &[]),
    (
        "readyz",
        &["ping", "log", "etcd", "etcd-readiness", "informer-sync"],
        &["shutdown"],
    ),
];

const ALIVE: &[&str] = &["ping", "log", "loopback-serving-certificate", "etcd"];

/// The hooks that a kube-apiserver of kubeadm runs after its start. They have no counterpart here and always pass, but
/// scripts look for some of them.
const HOOKS: [&str; 31] = [
    "start-apiserver-admission-initializer",
    "generic-apiserver-start-informers",
    "priority-and-fairness-config-consumer",
    "priority-and-fairness-filter",
    "storage-object-count-tracker-hook",
    "start-apiextensions-informers",
    "start-apiextensions-controllers",
    "crd-informer-synced",
    "start-system-namespaces-controller",
    "peer-endpoint-reconciler-controller",
    "start-cluster-authentication-info-controller",
    "start-kube-apiserver-identity-lease-controller",
    "start-kube-apiserver-identity-lease-garbage-collector",
    "storage-readiness",
    "start-legacy-token-tracking-controller",
    "start-service-ip-repair-controllers",
    "rbac/bootstrap-roles",
    "scheduling/bootstrap-system-priority-classes",
    "priority-and-fairness-config-producer",
    "bootstrap-controller",
    "start-kubernetes-service-cidr-controller",
    "aggregator-reload-proxy-client-cert",
    "start-kube-aggregator-informers",
    "apiservice-status-local-available-controller",
    "apiservice-status-remote-available-controller",
    "apiservice-registration-controller",
    "apiservice-discovery-controller",
    "kube-apiserver-autoregistration",
    COMPLETION,
    "apiservice-openapi-controller",
    "apiservice-openapiv3-controller",
];

/// The only one that is no hook.
const COMPLETION: &str = "autoregister-completion";

/// The checks that fail if the cluster cannot be read.
const OF_THE_STORE: [&str; 2] = ["etcd", "etcd-readiness"];

/// Responds to a health request; returns `None` for any other path.
pub(super) fn answer(words: &[String], query: &Query) -> Option<Response> {
    respond(words, query, None)
}

/// Responds to a health request about a cluster that cannot be read.
pub(super) fn unwell(path: &str, query: &Query, why: &StoreError) -> Option<Response> {
    // Resolving a resource path requires a readable cluster, but these paths are never resources.
    let words = path.split('/').filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_owned).collect();
    respond(&words, query, Some(why))
}

/// Returns the paths of the endpoints and of their checks.
pub(super) fn paths() -> Vec<String> {
    let mut paths = Vec::new();
    for (endpoint, first, last) in ENDPOINTS {
        paths.push(format!("/{endpoint}"));
        let checks = checks(first, last).into_iter();
        paths.extend(checks.map(|check| format!("/{endpoint}/{check}")));
    }
    paths
}

/// Returns the checks of an endpoint that has these before and after the hooks.
fn checks(first: &[&str], last: &[&str]) -> Vec<String> {
    // Scripts match the whole list, so the one name without a prefix stays as it is.
    let hooks = HOOKS.iter().map(|name| match *name {
        COMPLETION => COMPLETION.to_owned(),
        name => format!("poststarthook/{name}"),
    });
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let (mut checks, last): (Vec<String>, Vec<String>) = (own(first), own(last));
    checks.extend(hooks);
    checks.extend(last);
    checks
}

fn respond(words: &[String], query: &Query, broken: Option<&StoreError>) -> Option<Response> {
    let (endpoint, check) = words.split_first()?;
    let (_, first, last) = ENDPOINTS.iter().find(|(name, ..)| name == endpoint)?;
    let checks = checks(first, last);
    // The name of a hook may have several segments.
    let check = check.join("/");
    Some(match check.as_str() {
        "" => all(endpoint, &checks, query, broken.is_some()),
        // Load balancers probe single checks and need only the status code.
        check if checks.iter().any(|name| name == check) => {
            match broken.filter(|_| OF_THE_STORE.contains(&check)) {
                Some(why) => Response::text(500, format!("internal server error: {why}\n")),
                None => Response::text(200, "ok"),
            }
        }
        _ => Response::text(404, "404 page not found\n"),
    })
}

fn all(endpoint: &str, checks: &[String], query: &Query, is_broken: bool) -> Response {
    let excluded = query.all("exclude");
    let (mut text, mut has_failed) = (String::new(), false);
    for check in checks.iter().map(String::as_str) {
        let fails = is_broken && OF_THE_STORE.contains(&check);
        let (sign, state) = match (excluded.contains(&check), fails) {
            (true, _) => ('+', "excluded: ok"),
            (false, false) => ('+', "ok"),
            // The reason may contain file names, which clients without credentials must not see.
            (false, true) => ('-', "failed: reason withheld"),
        };
        has_failed |= sign == '-';
        text.push_str(&format!("[{sign}]{check} {state}\n"));
    }
    // Unknown names are reported, because a misspelled one excludes nothing.
    let unknown: Vec<String> = excluded
        .iter()
        .filter(|name| checks.iter().all(|check| check != *name))
        .map(|name| format!("\"{name}\""))
        .collect();
    if !unknown.is_empty() {
        text.push_str(&format!(
            "warn: some health checks cannot be excluded: no matches for {}\n",
            unknown.join(",")
        ));
    }
    if has_failed {
        return Response::text(500, text + &format!("{endpoint} check failed\n"));
    }
    // As in Go's handler, the option need not have a value.
    match query.opt("verbose") {
        None => Response::text(200, "ok"),
        Some(_) => Response::text(200, text + &format!("{endpoint} check passed\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Body;

    fn asked(path: &str, query: &str) -> (u16, String) {
        let words: Vec<String> = path.split('/').map(str::to_owned).collect();
        status_and_text(answer(&words, &Query::parse(query)).unwrap())
    }

    fn status_and_text(response: Response) -> (u16, String) {
        match response.body {
            Body::Text(text) => (response.code, text),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn verbose_lists_health_checks_served_at_separate_paths() {
        let of = |path: &str, query: &str| asked(path, query).1;
        assert_eq!(of("readyz", ""), "ok");
        assert_eq!(of("livez/ping", ""), "ok");
        let live = of("livez", "verbose");
        let (first, last) = (
            "[+]ping ok\n[+]log ok\n[+]loopback-serving-certificate ok\n[+]etcd ok\n\
             [+]poststarthook/start-apiserver-admission-initializer ok\n",
            "[+]autoregister-completion ok\n[+]poststarthook/apiservice-openapi-controller ok\n\
             [+]poststarthook/apiservice-openapiv3-controller ok\nlivez check passed\n",
        );
        assert!(live.starts_with(first) && live.ends_with(last), "{live}");
        let ready = of("readyz", "verbose=true");
        assert!(
            ready.contains("[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n")
        );
        assert!(ready.ends_with("[+]shutdown ok\nreadyz check passed\n"));
        assert_eq!(of("readyz/poststarthook/rbac/bootstrap-roles", ""), "ok");
        let excluding = of("healthz", "verbose&exclude=etcd&exclude=x");
        assert!(
            excluding.contains("\n[+]etcd excluded: ok\n"),
            "{excluding}"
        );
        assert!(excluding.ends_with(
            "warn: some health checks cannot be excluded: no matches for \"x\"\nhealthz check passed\n"
        ));
        assert_eq!(asked("livez/nothing", "").0, 404);
        assert!(answer(&["version".to_owned()], &Query::default()).is_none());
    }

    #[test]
    fn unreadable_store_fails_its_health_checks() {
        let why = StoreError::Refused("no such directory".to_owned());
        let of = |path: &str, query: &str| {
            status_and_text(unwell(path, &Query::parse(query), &why).unwrap())
        };
        let (code, text) = of("/livez", "");
        assert_eq!(code, 500);
        assert!(
            text.contains("\n[-]etcd failed: reason withheld\n"),
            "{text}"
        );
        assert!(text.ends_with("livez check failed\n"), "{text}");
        assert_eq!(of("/livez", "exclude=etcd"), (200, "ok".to_owned()));
        assert_eq!(of("/readyz/ping", ""), (200, "ok".to_owned()));
        let said = "internal server error: no such directory\n".to_owned();
        assert_eq!(of("/readyz/etcd", ""), (500, said));
        assert!(unwell("/version", &Query::default(), &why).is_none());
    }
}
