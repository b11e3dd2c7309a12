//! Negotiates the format and shape of a response.

use std::cmp::Reverse;

use crate::api::status::Status;
use crate::kinds::Kind;
use crate::protobuf;

/// The shapes to which objects can be converted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Shape {
    /// The objects themselves.
    #[default]
    Object,
    /// Only the metadata of the objects.
    Metadata {
        /// True for the metadata of a list.
        list: bool,
    },
    /// The rows of a table.
    Table,
}

/// The requested format and shape of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Media {
    pub(super) format: Format,
    pub(super) shape: Shape,
}

/// The encoding of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Format {
    #[default]
    Json,
    Yaml,
    Protobuf,
}

/// Returns the best acceptable media range of an `Accept` header. `binary` is true if the objects can be encoded in
/// protobuf, which custom resources cannot; `tabular` is true if they have table rows, which reviews do not.
///
/// # Errors
/// Returns the API server's 406.
pub(super) fn media(accept: &str, binary: bool, tabular: bool) -> Result<Media, Status> {
    if accept.is_empty() {
        return Ok(Media::default());
    }
    let known = |range: &&str| {
        let kinds = [
            "*/*",
            "application/*",
            "application/json",
            "application/yaml",
            protobuf::MEDIA_TYPE,
        ];
        kinds.contains(&name(range))
    };
    // There are two kinds of 406, depending on whether any range is known.
    let mut ranges = ranges(accept).into_iter().filter(known).peekable();
    if ranges.peek().is_none() {
        return Err(not_acceptable(
            "406: Not Acceptable\n\nAvailable representations: application/json, \
             application/yaml, application/vnd.kubernetes.protobuf",
        ));
    }
    let fits = |range: &str| {
        // `as=` requests another shape of the objects. kubectl requests tables first and plain JSON last.
        let shape = match parameter(range, "as") {
            None => Shape::Object,
            Some("PartialObjectMetadata") => Shape::Metadata { list: false },
            Some("PartialObjectMetadataList") => Shape::Metadata { list: true },
            Some("Table") => Shape::Table,
            Some(_) => return None,
        };
        // Only in the group of the metadata types, because `Table` could mean something else in other groups.
        let is_meta = parameter(range, "g") == Some("meta.k8s.io")
            && matches!(parameter(range, "v"), Some("v1" | "v1beta1"));
        let format = match name(range) {
            "application/yaml" => Format::Yaml,
            protobuf::MEDIA_TYPE => Format::Protobuf,
            _ => Format::Json,
        };
        // Table cells have no types, so there is no message for them. For custom resources, only metadata has a
        // message.
        let fits = match (format, shape) {
            (Format::Protobuf, Shape::Object) => binary,
            (Format::Protobuf, Shape::Table) => false,
            (_, Shape::Table) => tabular,
            _ => true,
        };
        (fits && (shape == Shape::Object || is_meta)).then_some(Media { format, shape })
    };
    ranges.find_map(fits).ok_or_else(|| {
        let unstructured = accept.contains(protobuf::MEDIA_TYPE) && !binary;
        not_acceptable(match unstructured {
            true => {
                "object *unstructured.Unstructured does not implement the protobuf marshalling \
                 interface and cannot be encoded to a protobuf message"
            }
            false => {
                "only the following media types are accepted: application/json, application/yaml, \
                 application/vnd.kubernetes.protobuf"
            }
        })
    })
}

/// Returns true if the first acceptable range is aggregated discovery.
pub(super) fn wants_all_groups(accept: &str) -> bool {
    // Skips ranges for versions of the document that are not served.
    let first = ranges(accept).into_iter().find(|range| {
        let wanted = parameter(range, "as");
        wanted.is_none() || parameter(range, "v") == Some("v2")
    });
    first.is_some_and(|range| {
        name(range) == "application/json"
            && parameter(range, "g") == Some("apidiscovery.k8s.io")
            && parameter(range, "as") == Some("APIGroupDiscoveryList")
    })
}

/// Returns the ranges of an `Accept` header by weight. Of ranges with equal weight, specific ones come first.
pub(super) fn ranges(accept: &str) -> Vec<&str> {
    let mut ranges: Vec<&str> = accept.split(',').collect();
    // The sort is stable, because clients list ranges of equal weight in their order of preference.
    ranges.sort_by_key(|range| {
        (
            Reverse(thousandths(range)),
            name(range).matches('*').count(),
        )
    });
    ranges
}

/// Returns the weight of a range in thousandths; weights have at most three decimals.
fn thousandths(range: &str) -> i32 {
    let Some(weight) = parameter(range, "q") else {
        return 1000;
    };
    // As in Go's negotiation, a weight that is not a number counts as 0.
    let (whole, decimals) = weight.split_once('.').unwrap_or((weight, ""));
    let digits = format!("{whole}{decimals:0<3.3}");
    digits.parse().unwrap_or(0)
}

/// Rejects list metadata for a single object, and object metadata for a list.
///
/// # Errors
/// Returns the API server's 406.
pub(super) fn check_metadata(shape: Shape, kind: &Kind, is_list: bool) -> Result<(), Status> {
    let asked = match shape {
        Shape::Metadata { list } if list != is_list => list,
        _ => return Ok(()),
    };
    // Kubernetes' error contains the internal type, in the package of the group.
    let package = match kind.group.split('.').next() {
        _ if kind.custom.is_some() => "unstructured",
        // The core group stores the Events of both groups.
        None | Some("" | "events") => "core",
        Some(first) => first,
    };
    let name = match kind.custom {
        Some(_) => "Unstructured",
        None => kind.kind,
    };
    Err(not_acceptable(&match asked {
        true => format!(
            "you requested PartialObjectMetadataList, but the requested object is not a list (*{package}.{name})"
        ),
        false => format!(
            "you requested PartialObjectMetadata, but the requested object is a list (*{package}.{name}List)"
        ),
    }))
}

pub(super) fn not_acceptable(message: &str) -> Status {
    Status {
        code: 406,
        reason: "NotAcceptable",
        ..Status::bad_request(message)
    }
}

pub(super) fn name(range: &str) -> &str {
    range.split(';').next().unwrap_or_default().trim()
}

pub(super) fn parameter<'a>(range: &'a str, name: &str) -> Option<&'a str> {
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
    use crate::kinds::find;

    const KUBECTL: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,\
        application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

    #[test]
    fn best_supported_accept_range_is_used() {
        let of = |format, shape| Ok(Media { format, shape });
        let got = |accept: &str| media(accept, true, true).map_err(|status| status.code);
        use Format::{Json, Protobuf, Yaml};
        for (accept, wanted) in [
            ("", of(Json, Shape::Object)),
            ("*/*", of(Json, Shape::Object)),
            ("text/html, application/yaml;q=0.9", of(Yaml, Shape::Object)),
            (
                "application/vnd.kubernetes.protobuf,application/json",
                of(Protobuf, Shape::Object),
            ),
            ("application/json;stream=watch", of(Json, Shape::Object)),
            (KUBECTL, of(Json, Shape::Table)),
            (
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
                of(Json, Shape::Metadata { list: true }),
            ),
            (
                "application/json;as=Table;g=meta.k8s.io;v=v9,application/yaml",
                of(Yaml, Shape::Object),
            ),
            (
                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
                of(Protobuf, Shape::Metadata { list: true }),
            ),
            (
                "application/json;q=0.1, application/vnd.kubernetes.protobuf;q=0.9",
                of(Protobuf, Shape::Object),
            ),
            ("*/*,application/yaml", of(Yaml, Shape::Object)),
            ("application/yaml;q=0,*/*;q=0.5", of(Json, Shape::Object)),
            (
                "application/yaml;q=x,application/json;q=0.001",
                of(Json, Shape::Object),
            ),
            (
                "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/json",
                of(Json, Shape::Object),
            ),
            ("application/json;as=Row;g=meta.k8s.io;v=v1", Err(406)),
            ("text/plain", Err(406)),
        ] {
            assert_eq!(got(accept), wanted, "{accept}");
        }
    }

    #[test]
    fn metadata_of_an_object_and_of_a_list_are_different_types() {
        let said = |kind: (&str, &str, &str), list, is_list| {
            let kind = find(kind.0, kind.1, kind.2).unwrap();
            let checked = check_metadata(Shape::Metadata { list }, kind, is_list);
            checked.map_err(|status| format!("{} {}", status.code, status.message))
        };
        let pod = ("", "v1", "Pod");
        assert_eq!(said(pod, true, true).and(said(pod, false, false)), Ok(()));
        assert_eq!(
            said(pod, false, true).unwrap_err(),
            "406 you requested PartialObjectMetadata, but the requested object is a list (*core.PodList)"
        );
        assert_eq!(
            said(("rbac.authorization.k8s.io", "v1", "Role"), true, false).unwrap_err(),
            "406 you requested PartialObjectMetadataList, but the requested object is not a list (*rbac.Role)"
        );
    }

    #[test]
    fn custom_resources_have_no_binary_encoding() {
        let both = "application/vnd.kubernetes.protobuf,application/json";
        assert_eq!(media(both, false, true).unwrap().format, Format::Json);
        let refused = media("application/vnd.kubernetes.protobuf", false, true).unwrap_err();
        assert_eq!(refused.code, 406);
        assert!(
            refused
                .message
                .starts_with("object *unstructured.Unstructured does not")
        );
        let metadata =
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
        assert_eq!(
            media(metadata, false, true).unwrap().format,
            Format::Protobuf
        );
    }

    #[test]
    fn aggregated_discovery_requires_the_first_accept_range() {
        let v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        let old = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
        assert!(wants_all_groups(&format!("{v2},{old},application/json")));
        assert!(wants_all_groups(&format!("{old},{v2}")));
        assert!(!wants_all_groups(&format!("{old},application/json")));
        assert!(!wants_all_groups(&format!("application/json,{v2}")));
        assert!(!wants_all_groups("*/*") && !wants_all_groups(""));
    }
}
