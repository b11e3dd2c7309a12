//! The order of API versions.

use std::cmp::Ordering;

/// Compares versions by priority: `v2`, `v1`, `v1beta2`, `v1alpha1`, then all others by name.
pub fn by_version(a: &str, b: &str) -> Ordering {
    match (rank(a), rank(b)) {
        (Some(a), Some(b)) => b.cmp(&a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// Returns the stability, major and minor number of a version in the usual form.
fn rank(version: &str) -> Option<(u8, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (major, rest) = rest.split_at(digits);
    let number = |text: &str| {
        // Upstream's regular expression for versions permits no leading zero, so `v01` sorts by name.
        let plain = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
        text.parse().ok().filter(|_| plain)
    };
    let major = number(major)?;
    for (stability, word) in [(1, "beta"), (0, "alpha")] {
        if let Some(minor) = rest.strip_prefix(word) {
            return Some((stability, major, number(minor)?));
        }
    }
    rest.is_empty().then_some((2, major, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_versions_are_ordered_by_stability() {
        let mut versions = [
            "foo10",
            "v1beta2",
            "v10",
            "v3beta1",
            "v2",
            "v1alpha1",
            "foo1",
            "v1",
            "v12alpha1",
            "v01",
            "v11beta2",
            "v1beta10",
        ];
        versions.sort_by(|a, b| by_version(a, b));
        let expected =
            "v10 v2 v1 v11beta2 v3beta1 v1beta10 v1beta2 v12alpha1 v1alpha1 foo1 foo10 v01";
        assert_eq!(versions.join(" "), expected);
    }
}
