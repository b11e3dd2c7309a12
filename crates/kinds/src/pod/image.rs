//! Image references.

/// Returns true if the image has the tag `latest`, explicitly or by default. The default policy always pulls such
/// images.
pub fn is_latest(image: &str) -> bool {
    let (name, digest) = image.split_once('@').unwrap_or((image, ""));
    // A colon further left separates the port of the registry.
    let last = name.rsplit('/').next().unwrap_or(name);
    match last.split_once(':') {
        Some((_, tag)) => tag == "latest",
        // A digest identifies one image forever, so no tag is needed.
        None => digest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_latest;

    #[test]
    fn an_image_without_tag_and_digest_is_latest() {
        for image in ["nginx", "nginx:latest", "registry.example:5000/a/b"] {
            assert!(is_latest(image), "{image}");
        }
        for image in [
            "nginx:1.27",
            "nginx@sha256:aa",
            "registry.example:5000/a/b:v1",
        ] {
            assert!(!is_latest(image), "{image}");
        }
    }
}
