//! The grammar of image references, which registries and container runtimes share.

use super::digest;

/// The maximum length of a name without tag and digest.
const MAX_NAME: usize = 255;
/// The maximum length of a tag.
const MAX_TAG: usize = 128;
/// The minimum number of digits in a digest.
const MIN_DIGITS: usize = 32;

/// Returns true if a text is a valid image reference: `[HOST[:PORT]/]PATH[:TAG][@ALGORITHM:DIGITS]`.
pub(super) fn is_name(image: &str) -> bool {
    let (named, digest) = match image.split_once('@') {
        Some((named, digest)) => (named, Some(digest)),
        None => (image, None),
    };
    // A colon before the last slash precedes a port, one after it a tag.
    let last = named.rfind('/').map_or(0, |at| at + 1);
    let (name, tag) = match named[last..].find(':') {
        Some(at) => (&named[..last + at], Some(&named[last + at + 1..])),
        None => (named, None),
    };
    // As in the grammar of the `distribution` project, the first part is a host only if it looks like one.
    let path = match name.split_once('/') {
        Some((host, path)) if is_meant_as_host(host) => {
            if !is_host(host) {
                return false;
            }
            path
        }
        _ => name,
    };
    name.len() <= MAX_NAME
        && path.split('/').all(is_component)
        && tag.is_none_or(is_tag)
        && digest.is_none_or(is_digest)
}

/// Returns the full reference used in requests to a registry, with host and tag.
pub(super) fn reference(image: &str) -> String {
    let (host, path) = host_and_path(image);
    let last = path.rfind('/').map_or(0, |at| at + 1);
    // Looks for a tag or digest after the last slash, where a port cannot be.
    let is_exact = path[last..].contains([':', '@']);
    let tag = if is_exact { "" } else { ":latest" };
    format!("{host}/{path}{tag}")
}

/// Returns the name of an image in the status of a container that runs it.
pub(super) fn reported(image: &str) -> String {
    match image.contains('@') {
        // Without a tag, containerd reports the ID of the image's configuration.
        true => format!("sha256:{}", digest::hexadecimal(&["configuration", image])),
        false => reference(image),
    }
}

/// Returns the ID of an image, as a container runtime reports it.
pub(super) fn id(image: &str) -> String {
    let full = reference(image);
    let (named, exact) = full.split_once('@').unwrap_or((&full, ""));
    let last = named.rfind('/').map_or(0, |at| at + 1);
    let end = named[last..].find(':').map_or(named.len(), |at| last + at);
    let name = &named[..end];
    // A digest already identifies the image.
    match exact {
        "" => format!("{name}@sha256:{}", digest::hexadecimal(&["image", &full])),
        exact => format!("{name}@{exact}"),
    }
}

/// Returns the size in bytes that the runtime reports for an image: a made-up number that depends only on the name.
pub(super) fn size(image: &str) -> u64 {
    const SMALLEST: u64 = 20_000_000;
    const SPREAD: u64 = 180_000_000;
    let sum = |sum: u64, byte: u8| sum.wrapping_mul(31).wrapping_add(u64::from(byte));
    SMALLEST + image.bytes().fold(7, sum) % SPREAD
}

/// Returns the runtime's message for an invalid reference.
pub(super) fn problem(image: &str) -> String {
    let (_, path) = host_and_path(image);
    let name = path.split(':').next().unwrap_or_default();
    // The runtime has a message of its own for this mistake, the most common one.
    match name.contains(char::is_uppercase) {
        true => {
            format!("invalid reference format: repository name ({name}) must be lowercase")
        }
        false => "invalid reference format".to_owned(),
    }
}

/// Returns the host of an image, which defaults to the public registry, and the rest.
fn host_and_path(image: &str) -> (&str, String) {
    const PUBLIC: &str = "docker.io";
    let (host, path) = match image.split_once('/') {
        Some((host, path)) if is_meant_as_host(host) => (host, path),
        _ => (PUBLIC, image),
    };
    // A historical name of the same registry.
    let host = if host == "index.docker.io" {
        PUBLIC
    } else {
        host
    };
    match host == PUBLIC && !path.contains('/') {
        true => (host, format!("library/{path}")),
        false => (host, path.to_owned()),
    }
}

/// The number of seconds for which a failed pull is reported as such; after that, the container backs off.
const TOLD: f64 = 10.0;
/// The number of seconds by which a retry comes after its due time.
const LATE: f64 = 5.0;
/// The shortest and longest back-off between attempts.
const WAITS: (f64, f64) = (10.0, 300.0);

/// Returns the times of the last and the next attempt, in seconds after the first one; `passed` is the current time.
fn tries(passed: f64) -> (f64, f64) {
    let (first, longest) = WAITS;
    let (mut last, mut wait) = (0.0, first);
    while last + wait + LATE <= passed {
        last += wait + LATE;
        wait = (wait * 2.0).min(longest);
        // From here on, all intervals are equal, so the rest is computed directly: a Pod may have been waiting for
        // days of virtual time.
        if wait >= longest {
            let period = longest + LATE;
            last += ((passed - last) / period).floor() * period;
        }
    }
    (last, last + wait + LATE)
}

/// Returns the time, in seconds, at which a failed pull starts to back off.
pub(super) fn fails(passed: f64) -> f64 {
    tries(passed).0 + TOLD
}

/// Returns the time, in seconds, at which a waiting image is pulled again.
pub(super) fn again(passed: f64) -> f64 {
    // For ten seconds after an attempt, the pull counts as failing; after that, it backs off.
    match tries(passed) {
        (last, _) if last > 0.0 && passed < last + TOLD => last,
        (_, next) => next,
    }
}

/// Returns true if there has been an attempt after the first one.
pub(super) fn has_been_tried_again(passed: f64) -> bool {
    tries(passed).0 > 0.0
}

/// Returns true if the first part of a name looks like a host.
fn is_meant_as_host(first: &str) -> bool {
    let looks = |c: char| matches!(c, '.' | ':') || c.is_ascii_uppercase();
    first == "localhost" || first.contains(looks)
}

fn is_host(text: &str) -> bool {
    let (host, port) = text.split_once(':').unwrap_or((text, "0"));
    // The labels of DNS names.
    let label = |l: &str| {
        !l.is_empty()
            && !l.starts_with('-')
            && !l.ends_with('-')
            && l.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    host.split('.').all(label) && !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit())
}

/// Returns true for lower-case letters and digits, separated by `.`, `_`, `__` or dashes.
fn is_component(text: &str) -> bool {
    let sound = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let between = |s: &str| matches!(s, "" | "." | "_" | "__") || s.bytes().all(|b| b == b'-');
    text.starts_with(sound) && text.ends_with(sound) && text.split(sound).all(between)
}

fn is_tag(text: &str) -> bool {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    text.len() <= MAX_TAG
        && text.bytes().next().is_some_and(word)
        && text.bytes().all(|b| word(b) || matches!(b, b'.' | b'-'))
}

fn is_digest(text: &str) -> bool {
    let Some((algorithm, digits)) = text.split_once(':') else {
        return false;
    };
    let part = |p: &str| {
        p.starts_with(|c: char| c.is_ascii_alphabetic())
            && p.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    algorithm.split(['-', '_', '+', '.']).all(part)
        && digits.len() >= MIN_DIGITS
        // A digest with fewer digits would not identify an image.
        && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reported_images_have_full_names_and_digests() {
        for (image, name, id) in [
            (
                "nginx",
                "docker.io/library/nginx:latest",
                "docker.io/library/nginx",
            ),
            (
                "busybox:1.36",
                "docker.io/library/busybox:1.36",
                "docker.io/library/busybox",
            ),
            ("org/app:1", "docker.io/org/app:1", "docker.io/org/app"),
            (
                "registry.k8s.io/pause:3.10",
                "registry.k8s.io/pause:3.10",
                "registry.k8s.io/pause",
            ),
            (
                "localhost:5000/a/b",
                "localhost:5000/a/b:latest",
                "localhost:5000/a/b",
            ),
        ] {
            assert_eq!(reported(image), name);
            assert_eq!(super::id(image).split('@').next(), Some(id));
        }
        let exact = "nginx:1@sha256:00";
        assert_eq!(id(exact), "docker.io/library/nginx@sha256:00");
        assert!(reported(exact).starts_with("sha256:"));
        assert_eq!(id("nginx"), id("docker.io/library/nginx:latest"));
    }

    #[test]
    fn image_pull_back_off_grows_to_five_minutes() {
        for (passed, both) in [
            (0.0, (0.0, 15.0)),
            (14.9, (0.0, 15.0)),
            (15.0, (15.0, 40.0)),
            (84.0, (40.0, 85.0)),
            (335.0, (335.0, 640.0)),
            (640.0, (640.0, 945.0)),
            (10_000.0, (9790.0, 10_095.0)),
        ] {
            assert_eq!(tries(passed), both, "{passed}");
        }
        // A waiting image is pulled at the time of an attempt, and fails ten seconds later.
        assert_eq!((again(15.0), again(24.9), again(25.0)), (15.0, 15.0, 40.0));
        assert_eq!((fails(0.0), fails(15.0), fails(39.0)), (10.0, 25.0, 25.0));
        assert!(!has_been_tried_again(14.0) && has_been_tried_again(15.0));
    }

    #[test]
    fn references_are_full_names() {
        for (image, whole) in [
            ("nginx", "docker.io/library/nginx:latest"),
            ("nginx:404", "docker.io/library/nginx:404"),
            ("me/app", "docker.io/me/app:latest"),
            ("docker.io/nginx:1", "docker.io/library/nginx:1"),
            ("index.docker.io/nginx:1", "docker.io/library/nginx:1"),
            ("localhost:5000/a", "localhost:5000/a:latest"),
            (
                "registry.example/a/b@sha256:12",
                "registry.example/a/b@sha256:12",
            ),
        ] {
            assert_eq!(reference(image), whole);
        }
    }

    #[test]
    fn invalid_image_reference_error_quotes_uppercase_parts() {
        assert_eq!(problem("a//b"), "invalid reference format");
        assert_eq!(
            problem("Nginx:1"),
            "invalid reference format: repository name (library/Nginx) must be lowercase"
        );
        assert_eq!(
            problem("example.com/me/App"),
            "invalid reference format: repository name (me/App) must be lowercase"
        );
    }

    #[test]
    fn image_names_are_validated() {
        let digest = format!("sha256:{}", "0".repeat(64));
        for image in [
            "nginx",
            "nginx:1.25",
            "library/nginx:1.25-alpine",
            "localhost/x",
            "localhost:5000/x",
            "registry.example:5000/a/b__c/d-e.f:does-not-exist",
            "Registry.example/a",
            &format!("nginx@{digest}"),
            &format!("nginx:1@{digest}"),
        ] {
            assert!(is_name(image), "{image}");
        }
        for image in [
            "",
            "nginx:",
            "Nginx:1",
            "nginx:UPPER:x",
            "nginx latest",
            "a//b",
            "-a",
            "a___b",
            "a..b",
            "nginx:-1",
            "nginx@sha256:12",
            "nginx@latest",
            "example.com:port/a",
            "-x.example/a",
        ] {
            assert!(!is_name(image), "{image}");
        }
    }
}
