//! Upstream's descriptions of the types and fields of built-in kinds.
//!
//! The table is generated from the sources of the `k8s-openapi` crate, which has one generic list, and for the lists
//! and the allowed values from other packages (`NOTICE` has versions and licenses). Only `explain` and `/openapi` use
//! it, so nothing is decompressed or indexed before one of them runs.

use std::io::Read as _;
use std::sync::LazyLock;

use flate2::read::DeflateDecoder;

use super::{Field, Schema};

/// One line per type (`>name`, a tab, the description), then one line per field: name and description. Newlines, tabs
/// and backslashes are escaped. The type `*` has the fields that every kind has; a kind repeats them only if its
/// description differs.
///
/// After a zero byte follow the descriptions of allowed values: one line per type (`>`, its values, and the schema or
/// the field that has it if other types have the same values), then one line per value.
static TABLE: LazyLock<String> = LazyLock::new(|| {
    let mut bytes = vec![0; LENGTH.parse().unwrap_or(0)];
    let read = DeflateDecoder::new(COMPRESSED).read_exact(&mut bytes);
    debug_assert!(read.is_ok(), "the build script compressed it: {read:?}");
    String::from_utf8(bytes).unwrap_or_default()
});

/// The length of the table and its compressed form, both made by the build script.
const LENGTH: &str = env!("CTL_DESCRIPTIONS_LENGTH");
const COMPRESSED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptions.deflate"));

/// The blocks of the table by the name of their type, sorted.
static BLOCKS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let (fields, _) = TABLE.rsplit_once('\0').unwrap_or_default();
    let blocks = fields.trim_start_matches('>').split("\n>");
    blocks.filter_map(|block| block.split_once('\t')).collect()
});

/// Returns the description of a type, such as `core.v1.Container`, `Quantity` or `meta.v1.Time`.
pub fn of_type(name: &str) -> Option<String> {
    let text = block(name)?.split('\n').next()?;
    (!text.is_empty()).then(|| unescaped(text))
}

/// Returns the description of a field, followed by the allowed values.
pub fn of_field(schema: &Schema, field: &Field) -> Option<String> {
    // The own description comes first: some kinds describe their metadata differently, and one list not at all.
    let text = match line(schema.name, field.name) {
        Some(own) => (!own.is_empty()).then(|| unescaped(own)),
        None => {
            let is_kind = schema.field("apiVersion").is_some() && schema.field("kind").is_some();
            is_kind.then(|| of_common(field.name)).flatten()
        }
    };
    let mut values = field.enum_values().peekable();
    if values.peek().is_none() {
        return text;
    }
    let mut text = text.unwrap_or_default();
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str("Possible enum values:");
    for value in values {
        text.push_str(&format!("\n - `\"{value}\"`"));
        if let Some(described) = of_enum_value(schema, field, value) {
            text.push_str(&format!(" {described}"));
        }
    }
    Some(text)
}

/// Returns the description of an allowed value, or `None` if upstream has none or it is not known.
fn of_enum_value(schema: &Schema, field: &Field, value: &str) -> Option<&'static str> {
    let all: Vec<&str> = field.enum_values().collect();
    let all = all.join(",");
    let place = format!("{}.{}", schema.name, field.name);
    // From the end, because the table of fields is much longer.
    let (_, described) = TABLE.rsplit_once('\0')?;
    let blocks = described.trim_start_matches('>').split("\n>");
    let block = blocks
        .filter_map(|block| block.split_once('\n'))
        .find(|(head, _)| match head.split_once('\t') {
            // Two types with the same values describe them differently.
            Some((values, only)) => values == all && place.starts_with(only),
            None => *head == all,
        });
    let mut lines = block?.1.lines();
    lines.find_map(|line| line.strip_prefix(value)?.strip_prefix('\t'))
}

/// Returns the description of a field that every kind has: `apiVersion`, `kind` or `metadata`.
pub fn of_common(field: &str) -> Option<String> {
    line("*", field).map(unescaped)
}

/// Returns the description of a field of a type, without its allowed values.
pub fn of_member(schema: &str, field: &str) -> Option<String> {
    line(schema, field).map(unescaped)
}

fn line(schema: &str, field: &str) -> Option<&'static str> {
    let mut lines = block(schema)?.split('\n').skip(1);
    lines.find_map(|line| line.strip_prefix(field)?.strip_prefix('\t'))
}

fn block(name: &str) -> Option<&'static str> {
    let blocks: &'static [(&str, &str)] = &BLOCKS;
    // The table is generated in this order. Only the block that is found is read.
    let at = blocks.binary_search_by(|(known, _)| (*known).cmp(name));
    Some(blocks[at.ok()?].1.trim_end_matches('\n'))
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                other => other.unwrap_or(c),
            },
            c => c,
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{named, table};
    use super::*;

    #[test]
    fn description_table_is_sorted_and_has_only_existing_fields() {
        assert!(BLOCKS.is_sorted_by_key(|(name, _)| *name));
        let scalars = ["*", "IntOrString", "Quantity", "RawExtension"];
        for (name, block) in BLOCKS.iter().filter(|(name, _)| !scalars.contains(name)) {
            let schema = named(name);
            for line in block.lines().skip(1) {
                let (field, _) = line.split_once('\t').unwrap();
                assert!(schema.unwrap().field(field).is_some(), "{name}.{field}");
            }
        }
    }

    #[test]
    fn every_upstream_field_description_exists() {
        // Upstream does not describe most fields of JSON schemas and of versions, the type of watch events, and one
        // field of Ingress rules.
        let silent = [
            "apiextensions.v1.ExternalDocumentation",
            "apiextensions.v1.JSONSchemaProps",
            "meta.v1.WatchEvent",
            "networking.v1.IngressRule",
            "version.Info",
        ];
        // Kinds that exist only in tests have no upstream descriptions.
        let is_ours = |schema: &&Schema| schema.name.starts_with("dev.example.");
        let upstream = table::all().filter(|schema| !is_ours(schema));
        for schema in upstream.filter(|schema| !silent.contains(&schema.name)) {
            assert!(of_type(schema.name).is_some(), "{}", schema.name);
            for field in schema.fields() {
                let text = of_field(schema, field);
                let full = format!("{}.{}", schema.name, field.name);
                let undescribed = full == "certificates.v1.CertificateSigningRequestList.metadata";
                assert_eq!(text.is_none(), undescribed, "{full}");
            }
        }
    }

    #[test]
    fn descriptions_keep_line_breaks_and_list_enum_values() {
        let port = named("core.v1.ServicePort").unwrap();
        let protocol = of_field(port, port.field("protocol").unwrap()).unwrap();
        assert_eq!(
            protocol,
            "The IP protocol for this port. Supports \"TCP\", \"UDP\", and \"SCTP\". Default is TCP.\n\nPossible enum \
             values:\n - `\"SCTP\"` is the SCTP protocol.\n - `\"TCP\"` is the TCP protocol.\n - `\"UDP\"` is the \
             UDP protocol."
        );
        let pod = named("core.v1.PodSpec").unwrap();
        let restart = of_field(pod, pod.field("restartPolicy").unwrap()).unwrap();
        assert!(restart.ends_with("\n - `\"Always\"`\n - `\"Never\"`\n - `\"OnFailure\"`"));
        let last = |schema: &str, field: &str| {
            let schema = named(schema).unwrap();
            let text = of_field(schema, schema.field(field).unwrap()).unwrap();
            text.rsplit_once('\n').map(|(_, last)| last.to_owned())
        };
        for (schema, field, expected) in [
            (
                "core.v1.HostPathVolumeSource",
                "type",
                " - `\"Socket\"` A UNIX socket must exist at the given path",
            ),
            (
                "core.v1.AppArmorProfile",
                "type",
                " - `\"Unconfined\"` indicates that no AppArmor profile should be enforced.",
            ),
            (
                "core.v1.ServiceSpec",
                "internalTrafficPolicy",
                " - `\"Local\"` routes traffic only to endpoints on the same node as the client pod (dropping the traffic \
                 if there are no local endpoints).",
            ),
            (
                "storage.v1.StorageClass",
                "volumeBindingMode",
                " - `\"WaitForFirstConsumer\"`",
            ),
        ] {
            assert_eq!(last(schema, field).as_deref(), Some(expected));
        }
        let host_path = named("core.v1.HostPathVolumeSource").unwrap();
        let kind = of_field(host_path, host_path.field("type").unwrap()).unwrap();
        assert!(
            kind.contains("\n - `\"\"` For backwards compatible, leave it empty if unset\n"),
            "{kind}"
        );
        // The values of a list are those of its items, whose schema has no description.
        assert_eq!(
            last("core.v1.PersistentVolumeClaimSpec", "accessModes"),
            None
        );
        let app = of_field(port, port.field("appProtocol").unwrap()).unwrap();
        assert!(app.contains(" either:\n\n* Un-prefixed"), "{app}");
        assert!(of_type("meta.v1.Time").unwrap().starts_with("Time is"));
        let list = named("apps.v1.DeploymentList").unwrap();
        let of_list = |field| of_field(list, list.field(field).unwrap()).unwrap();
        assert_eq!(
            of_type(list.name).unwrap(),
            "DeploymentList is a list of Deployments."
        );
        assert_eq!(of_list("items"), "Items is the list of Deployments.");
        assert_eq!(of_list("metadata"), "Standard list metadata.");
        let event = named("meta.v1.WatchEvent").unwrap();
        let object = of_field(event, event.field("object").unwrap()).unwrap();
        assert!(
            object.starts_with("Object is:\n * If Type is Added"),
            "{object}"
        );
        assert!(
            of_type(event.name)
                .unwrap()
                .ends_with("a watched resource.")
        );
        assert_eq!((of_type("nope"), of_common("nope")), (None, None));
    }
}
