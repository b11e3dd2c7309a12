//! `/statusz` and `/flagz`: the version, the age and the flags of a server, for people who debug it.

use jiff::Timestamp;

use super::negotiate::{Format, name, not_acceptable, parameter, ranges};
use super::{Response, VERSION};
use crate::api::json::{Map, Value, json};
use crate::api::status::Status;
use crate::api::yaml;
use crate::kinds::moment;

/// The name that the server has on these pages.
const COMPONENT: &str = "kube-apiserver";

/// The group of the structured pages.
const GROUP: &str = "config.k8s.io";

/// The other paths for debugging, as listed at `/`.
const PATHS: [&str; 7] = [
    "/flagz", "/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/version",
];

const WARNING: &str = "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility \
    guarantees and is for debugging purposes only.\n";

/// The process of a server, as `/statusz` and `/flagz` show it.
///
/// ```
/// use ctl_cluster::administrator;
/// use ctl_serve::{Body, Process, Request, respond};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let started = "2026-01-02T12:00:00Z".parse()?;
/// let process = Process { started, flags: vec![("controllers", "true".to_owned())] };
/// let request = Request { process: Some(&process), ..Request::get("/flagz", administrator()) };
/// let Body::Text(page) = respond(&cluster, &request).body else {
///     panic!("without an Accept header, the page is a text");
/// };
/// assert!(page.ends_with("\ncontrollers=true\n"));
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// The time of its start.
    pub started: Timestamp,
    /// The flags with their values.
    pub flags: Vec<(&'static str, String)>,
}

/// Serves a page; returns `None` for any other path.
pub(super) fn answer(
    path: &str,
    accept: &str,
    process: &Process,
    now: Timestamp,
) -> Option<Result<Response, Status>> {
    let kind = match path {
        "/statusz" => "Statusz",
        "/flagz" => "Flagz",
        _ => return None,
    };
    Some(negotiated(kind, accept).map(|page| {
        let Some((format, version)) = page else {
            return Response::text(200, process.text(kind, now));
        };
        let object = process.object(kind, version, now);
        match format {
            Format::Yaml => {
                let mut bytes = Vec::new();
                yaml::emit(&object, &mut bytes);
                Response::encoded("application/yaml", bytes)
            }
            _ => Response::object(200, object, Vec::new()),
        }
    }))
}

/// Returns the format and the version of a structured page, or `None` for a text.
fn negotiated<'a>(kind: &str, accept: &'a str) -> Result<Option<(Format, &'a str)>, Status> {
    if accept.trim().is_empty() {
        return Ok(None);
    }
    let fits = |range: &'a str| {
        let version = parameter(range, "v").filter(|v| matches!(*v, "v1alpha1" | "v1beta1"));
        let is_typed = parameter(range, "as") == Some(kind) && parameter(range, "g") == Some(GROUP);
        let is_plain = ["as", "g", "v"]
            .iter()
            .all(|p| parameter(range, p).is_none());
        // JSON without a type is not served, although kubectl requests it: it also accepts anything else.
        match (name(range), version) {
            ("application/json" | "application/*" | "*/*", Some(version)) if is_typed => {
                Some(Some((Format::Json, version)))
            }
            ("application/yaml", Some(version)) if is_typed => Some(Some((Format::Yaml, version))),
            ("text/plain" | "text/*" | "*/*", _) if is_plain => Some(None),
            _ => None,
        }
    };
    ranges(accept).into_iter().find_map(fits).ok_or_else(|| {
        not_acceptable(
            "only the following media types are accepted: application/json, application/yaml, \
             application/vnd.kubernetes.protobuf, text/plain",
        )
    })
}

impl Process {
    fn age(&self, now: Timestamp) -> i64 {
        moment::since(self.started, now).as_secs().max(0)
    }

    fn text(&self, kind: &str, now: Timestamp) -> String {
        // The real server draws the delimiter, so that no program relies on the format.
        if kind == "Flagz" {
            let mut flags = self.flags.clone();
            flags.sort_unstable();
            let lines = flags
                .iter()
                .map(|(name, value)| format!("{name}={value}\n"));
            return format!(
                "\n{COMPONENT} flags\n{WARNING}\n{}",
                lines.collect::<String>()
            );
        }
        let (binary, emulated) = versions();
        let age = self.age(now);
        format!(
            "\n{COMPONENT} statusz\n{WARNING}\nStarted: {}\nUp: {} hr {:02} min {:02} sec\nGo version: \n\
             Binary version: {binary}\nEmulation version: {emulated}\nPaths: {}\n",
            self.started.strftime("%a %b %e %H:%M:%S UTC %Y"),
            age / 3600,
            age / 60 % 60,
            age % 60,
            PATHS.join(" ")
        )
    }

    fn object(&self, kind: &str, version: &str, now: Timestamp) -> Value {
        let mut page = json!({
            "kind": kind, "apiVersion": format!("{GROUP}/{version}"), "metadata": {"name": COMPONENT},
        });
        if kind == "Flagz" {
            let flags = self.flags.iter();
            let flags: Map = flags
                .map(|(name, value)| ((*name).to_owned(), json!(value)))
                .collect();
            page["flags"] = flags.into();
            return page;
        }
        let (binary, emulated) = versions();
        page["startTime"] = json!(moment::text(self.started));
        page["uptimeSeconds"] = json!(self.age(now));
        page["binaryVersion"] = json!(binary);
        page["emulationVersion"] = json!(emulated);
        page["paths"] = json!(PATHS);
        page
    }
}

/// Returns the version of the program, and that of the API, which has no patch number.
fn versions() -> (&'static str, &'static str) {
    let binary = VERSION.trim_start_matches('v');
    (
        binary,
        binary.rsplit_once('.').map_or(binary, |(minor, _)| minor),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Body;

    fn page(path: &str, accept: &str) -> Result<Body, u16> {
        let process = Process {
            started: "2026-01-02T12:00:00Z".parse().unwrap(),
            flags: vec![
                ("merge", "false".to_owned()),
                ("listen", "[::1]:0".to_owned()),
            ],
        };
        let now = "2026-01-02T13:02:03.5Z".parse().unwrap();
        let answer = answer(path, accept, &process, now).unwrap();
        answer.map(|page| page.body).map_err(|status| status.code)
    }

    #[test]
    fn pages_are_texts_unless_a_type_is_requested() {
        let status = "\nkube-apiserver statusz\nWarning: This endpoint is not meant to be machine parseable, has no \
             formatting compatibility guarantees and is for debugging purposes only.\n\nStarted: Fri Jan  2 12:00:00 UTC \
             2026\nUp: 1 hr 02 min 03 sec\nGo version: \nBinary version: 1.36.2\nEmulation version: 1.36\nPaths: /flagz \
             /healthz /livez /metrics /readyz /statusz /version\n";
        for accept in ["", "text/plain", "application/json, */*"] {
            assert_eq!(
                page("/statusz", accept),
                Ok(Body::Text(status.to_owned())),
                "{accept}"
            );
        }
        let flags = format!("\nkube-apiserver flags\n{WARNING}\nlisten=[::1]:0\nmerge=false\n");
        assert_eq!(page("/flagz", ""), Ok(Body::Text(flags)));
        for accept in [
            "application/json",
            "text/html",
            "application/json;g=config.k8s.io;v=v1beta1;as=Flagz",
            "application/json;g=config.k8s.io;v=v1;as=Statusz",
            "text/plain;g=config.k8s.io;v=v1beta1;as=Statusz",
        ] {
            assert_eq!(page("/statusz", accept), Err(406), "{accept}");
        }
    }

    #[test]
    fn structured_pages_have_a_version() {
        let Ok(Body::Object(status)) = page(
            "/statusz",
            "application/json;v=v1beta1;g=config.k8s.io;as=Statusz",
        ) else {
            panic!("no object");
        };
        assert_eq!(status["apiVersion"], "config.k8s.io/v1beta1");
        assert_eq!(status["startTime"], "2026-01-02T12:00:00Z");
        assert_eq!(status["uptimeSeconds"], 3723);
        let Ok(Body::Encoded(flags)) = page(
            "/flagz",
            "application/yaml;v=v1alpha1;g=config.k8s.io;as=Flagz",
        ) else {
            panic!("no YAML");
        };
        let flags = String::from_utf8(flags).unwrap();
        assert!(flags.contains("kind: Flagz\n"), "{flags}");
    }
}
