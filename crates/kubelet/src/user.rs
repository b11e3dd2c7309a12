//! The user of a container: with `runAsNonRoot`, a container does not start if its user is root or known only by name.

use super::image;
use crate::api::json::Value;
use crate::kinds::tree::{at, field, flag, has, opt_int, text};

/// Official images that run as root. The user of any other image is unknown, and its containers start.
const ROOT: &[&str] = &[
    "alpine",
    "bash",
    "busybox",
    "caddy",
    "centos",
    "debian",
    "docker",
    "fedora",
    "golang",
    "httpd",
    "mariadb",
    "mongo",
    "mysql",
    "nginx",
    "node",
    "openjdk",
    "perl",
    "php",
    "postgres",
    "python",
    "rabbitmq",
    "redis",
    "ruby",
    "rust",
    "tomcat",
    "ubuntu",
    "wordpress",
];

/// Official images whose user has a name that only the image can resolve.
const NAMED: &[(&str, &str)] = &[("haproxy", "haproxy"), ("memcached", "memcache")];

/// Returns the reason why a container must not run as its user.
pub(super) fn problem(pod: &Value, container: &Value) -> Option<String> {
    // The container's own context takes precedence, field by field.
    let own = field(container, "securityContext");
    let shared = at(pod, &["spec", "securityContext"]);
    let effective = |name: &str| if has(own, name) { own } else { shared };
    if !flag(effective("runAsNonRoot"), "runAsNonRoot") {
        return None;
    }
    let why = match opt_int(effective("runAsUser"), "runAsUser") {
        Some(0) => "container's runAsUser breaks non-root policy".to_owned(),
        Some(_) => return None,
        None => of_image(text(container, "image"))?,
    };
    let metadata = field(pod, "metadata");
    Some(format!(
        "{why} (pod: \"{}_{}({})\", container: {})",
        text(metadata, "name"),
        text(metadata, "namespace"),
        text(metadata, "uid"),
        text(container, "name")
    ))
}

/// Returns the reason if an image's user may be root.
fn of_image(image: &str) -> Option<String> {
    // An image from another registry may have any user, even under an official name.
    let reference = image::reference(image);
    let official = reference.strip_prefix("docker.io/library/")?;
    let name = official.split([':', '@']).next().unwrap_or_default();
    if ROOT.contains(&name) {
        return Some("container has runAsNonRoot and image will run as root".to_owned());
    }
    let (_, user) = NAMED.iter().find(|(image, _)| *image == name)?;
    Some(format!(
        "container has runAsNonRoot and image has non-numeric user ({user}), cannot verify user is non-root"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn run_as_non_root_refuses_root_and_names() {
        let told = |shared: Value, own: Value, image: &str| {
            let pod = json!({"metadata": {"name": "p", "namespace": "ns", "uid": "u"}, "spec": {"securityContext": shared}});
            let container = json!({"name": "c", "image": image, "securityContext": own});
            problem(&pod, &container)
                .map(|why| why.replace(" (pod: \"p_ns(u)\", container: c)", ""))
        };
        let strict = json!({"runAsNonRoot": true});
        let root = Some("container has runAsNonRoot and image will run as root".to_owned());
        let none = json!({});
        assert_eq!(told(strict.clone(), none.clone(), "nginx:1.27"), root);
        assert_eq!(
            told(none.clone(), strict.clone(), "docker.io/library/busybox"),
            root
        );
        assert_eq!(told(none.clone(), none.clone(), "nginx"), None);
        assert_eq!(
            told(strict.clone(), json!({"runAsNonRoot": false}), "nginx"),
            None
        );
        assert_eq!(
            told(strict.clone(), none.clone(), "ghcr.io/own/nginx"),
            None
        );
        assert_eq!(
            told(strict.clone(), json!({"runAsUser": 1000}), "nginx"),
            None
        );
        let policy = "container's runAsUser breaks non-root policy";
        let both = json!({"runAsNonRoot": true, "runAsUser": 0});
        assert_eq!(
            told(both, none.clone(), "own/image").as_deref(),
            Some(policy)
        );
        let named = told(strict, none, "memcached").unwrap();
        assert!(named.contains("non-numeric user (memcache)"), "{named}");
    }
}
