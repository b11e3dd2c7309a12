//! The health of the server: `/healthz`, `/livez`, `/readyz`, and each of their checks.
//!
//! A request gets here only after the cluster was read, so a check that is named here has passed.

use super::Response;
use super::query::Query;

/// The checks of each endpoint, in the server's order; its hooks after the start have no counterpart.
const ENDPOINTS: [(&str, &[&str]); 3] = [
    ("healthz", &["ping", "log", "etcd"]),
    ("livez", &["ping", "log", "etcd"]),
    (
        "readyz",
        &[
            "ping",
            "log",
            "etcd",
            "etcd-readiness",
            "informer-sync",
            "shutdown",
        ],
    ),
];

/// Responds to a request for the health; nothing if the path is about something else.
pub(super) fn answer(words: &[String], query: &Query) -> Option<Response> {
    let (endpoint, check) = words.split_first()?;
    let (_, checks) = ENDPOINTS.iter().find(|(name, _)| name == endpoint)?;
    let text = match check {
        [] => all(endpoint, checks, query),
        // Load balancers probe a single check, and want no words beside the code.
        [check] if checks.contains(&check.as_str()) => "ok".to_owned(),
        _ => return Some(Response::text(404, "404 page not found\n")),
    };
    Some(Response::text(200, text))
}

fn all(endpoint: &str, checks: &[&str], query: &Query) -> String {
    // Present is enough, whatever its value, as for Go's handler.
    if query.opt("verbose").is_none() {
        return "ok".to_owned();
    }
    let excluded = query.all("exclude");
    let mut text = String::new();
    for check in checks {
        let state = match excluded.contains(check) {
            true => "excluded: ok",
            false => "ok",
        };
        text.push_str(&format!("[+]{check} {state}\n"));
    }
    // A misspelt name would hide that a check still counts.
    let unknown: Vec<String> = excluded
        .iter()
        .filter(|name| !checks.contains(name))
        .map(|name| format!("\"{name}\""))
        .collect();
    if !unknown.is_empty() {
        text.push_str(&format!(
            "warn: some health checks cannot be excluded: no matches for {}\n",
            unknown.join(",")
        ));
    }
    text + &format!("{endpoint} check passed\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Body;

    fn asked(path: &str, query: &str) -> (u16, String) {
        let words: Vec<String> = path.split('/').map(str::to_owned).collect();
        let response = answer(&words, &Query::parse(query)).unwrap();
        match response.body {
            Body::Text(text) => (response.code, text),
            Body::Object(object) => panic!("{object}"),
        }
    }

    #[test]
    fn checks_are_listed_for_those_who_ask_and_answer_by_name() {
        let of = |path: &str, query: &str| asked(path, query).1;
        assert_eq!(of("readyz", ""), "ok");
        assert_eq!(of("livez/ping", ""), "ok");
        assert_eq!(
            of("livez", "verbose"),
            "[+]ping ok\n[+]log ok\n[+]etcd ok\nlivez check passed\n"
        );
        assert!(of("readyz", "verbose=true").ends_with("[+]shutdown ok\nreadyz check passed\n"));
        assert_eq!(
            of("healthz", "verbose&exclude=etcd&exclude=x"),
            "[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\n\
             warn: some health checks cannot be excluded: no matches for \"x\"\nhealthz check passed\n"
        );
        assert_eq!(asked("livez/nothing", "").0, 404);
        assert!(answer(&["version".to_owned()], &Query::default()).is_none());
    }
}
