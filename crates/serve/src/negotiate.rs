//! How a response is wanted: in which format, and as which kind.

use crate::api::status::Status;

/// The kinds of returns that objects can be turned into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Shape {
    /// As they are.
    #[default]
    Object,
    /// Their metadata alone.
    Metadata,
    /// The rows of a table.
    Table,
}

/// How a response is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Media {
    pub(super) yaml: bool,
    pub(super) shape: Shape,
}

/// The first range of an `Accept` header that can be returned.
///
/// # Errors
/// The server's 406.
pub(super) fn media(accept: &str) -> Result<Media, Status> {
    if accept.is_empty() {
        return Ok(Media::default());
    }
    let known = |range: &&str| {
        let kinds = [
            "*/*",
            "application/*",
            "application/json",
            "application/yaml",
        ];
        kinds.contains(&name(range))
    };
    let mut ranges = accept.split(',').filter(known).peekable();
    if ranges.peek().is_none() {
        return Err(not_acceptable(
            "406: Not Acceptable\n\nAvailable representations: application/json, \
             application/yaml, application/vnd.kubernetes.protobuf",
        ));
    }
    let fits = |range: &str| {
        let shape = match parameter(range, "as") {
            None => Shape::Object,
            Some("PartialObjectMetadata" | "PartialObjectMetadataList") => Shape::Metadata,
            Some("Table") => Shape::Table,
            Some(_) => return None,
        };
        let is_meta = parameter(range, "g") == Some("meta.k8s.io")
            && matches!(parameter(range, "v"), Some("v1" | "v1beta1"));
        (shape == Shape::Object || is_meta).then(|| Media {
            yaml: name(range) == "application/yaml",
            shape,
        })
    };
    ranges.find_map(fits).ok_or_else(|| {
        not_acceptable(
            "only the following media types are accepted: application/json, application/yaml, \
             application/vnd.kubernetes.protobuf",
        )
    })
}

/// Returns true if a range asks for the groups with all their resources at once, before it asks for
/// less.
pub(super) fn wants_all_groups(accept: &str) -> bool {
    let first = accept.split(',').find(|range| {
        let wanted = parameter(range, "as");
        wanted.is_none() || parameter(range, "v") == Some("v2")
    });
    first.is_some_and(|range| {
        name(range) == "application/json"
            && parameter(range, "g") == Some("apidiscovery.k8s.io")
            && parameter(range, "as") == Some("APIGroupDiscoveryList")
    })
}

pub(super) fn not_acceptable(message: &str) -> Status {
    Status {
        code: 406,
        reason: "NotAcceptable",
        ..Status::bad_request(message)
    }
}

fn name(range: &str) -> &str {
    range.split(';').next().unwrap_or_default().trim()
}

fn parameter<'a>(range: &'a str, name: &str) -> Option<&'a str> {
    let mut parameters = range
        .split(';')
        .skip(1)
        .filter_map(|p| p.trim().split_once('='));
    parameters
        .find(|(own, _)| *own == name)
        .map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KUBECTL: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,\
        application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

    #[test]
    fn the_first_range_that_can_be_answered_is() {
        let of = |yaml, shape| Ok(Media { yaml, shape });
        let got = |accept: &str| media(accept).map_err(|status| status.code);
        for (accept, wanted) in [
            ("", of(false, Shape::Object)),
            ("*/*", of(false, Shape::Object)),
            ("text/html, application/yaml;q=0.9", of(true, Shape::Object)),
            (
                "application/vnd.kubernetes.protobuf,application/json",
                of(false, Shape::Object),
            ),
            ("application/json;stream=watch", of(false, Shape::Object)),
            (KUBECTL, of(false, Shape::Table)),
            (
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
                of(false, Shape::Metadata),
            ),
            (
                "application/json;as=Table;g=meta.k8s.io;v=v9,application/yaml",
                of(true, Shape::Object),
            ),
            ("application/vnd.kubernetes.protobuf", Err(406)),
            ("application/json;as=Row;g=meta.k8s.io;v=v1", Err(406)),
            ("text/plain", Err(406)),
        ] {
            assert_eq!(got(accept), wanted, "{accept}");
        }
    }

    #[test]
    fn all_groups_are_told_to_those_who_ask_for_them_first() {
        let v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        let old = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
        assert!(wants_all_groups(&format!("{v2},{old},application/json")));
        assert!(wants_all_groups(&format!("{old},{v2}")));
        assert!(!wants_all_groups(&format!("{old},application/json")));
        assert!(!wants_all_groups(&format!("application/json,{v2}")));
        assert!(!wants_all_groups("*/*") && !wants_all_groups(""));
    }
}
