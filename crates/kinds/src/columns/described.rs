//! The descriptions of the columns of a table.

use std::borrow::Cow;

use crate::kind::Kind;
use crate::schema::descriptions;
use crate::tree::text;

/// The fields whose descriptions upstream uses for columns. Each line has kind, column, type and field.
const FIELDS: &str = include_str!("../table/columns.tsv");

/// The type of the fields that every object has.
const METADATA: &str = "meta.v1.ObjectMeta";

/// Returns the descriptions of a kind's columns, in their order. A description is empty if it comes from no field.
pub fn descriptions(kind: &Kind) -> Vec<Cow<'static, str>> {
    let own = kind.custom.map(|custom| custom.columns.as_slice());
    let of_field = |schema: &str, field: &str| {
        descriptions::of_member(schema, field)
            .map(Cow::Owned)
            .unwrap_or_default()
    };
    let described = kind.columns.iter().enumerate().map(|(at, column)| {
        // The first column of a custom resource is always the name.
        let own = own.and_then(|own| own.get(at.checked_sub(1)?));
        match (own, column.name) {
            (Some(own), _) => of_custom(text(own, "description"), text(own, "jsonPath")),
            (None, "Name") => of_field(METADATA, "name"),
            (None, "Age") => of_field(METADATA, "creationTimestamp"),
            (None, name) => source(kind.kind, name)
                .map(|(schema, field)| of_field(schema, field))
                .unwrap_or_default(),
        }
    });
    described.collect()
}

fn of_custom(description: &'static str, path: &str) -> Cow<'static, str> {
    match description {
        "" => Cow::Owned(format!(
            "Custom resource definition column (in JSONPath format): {path}"
        )),
        text => Cow::Borrowed(text),
    }
}

/// Returns the type and the field whose description a column uses.
fn source(kind: &str, column: &str) -> Option<(&'static str, &'static str)> {
    let mut lines = FIELDS.lines();
    lines.find_map(|line| {
        let rest = line.strip_prefix(kind)?.strip_prefix('\t')?;
        let rest = rest.strip_prefix(column)?.strip_prefix('\t')?;
        rest.split_once('\t')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn every_described_column_and_field_exists() {
        for line in FIELDS.lines() {
            let [kind, column, schema, field]: [&str; 4] =
                line.split('\t').collect::<Vec<_>>().try_into().unwrap();
            let mut kinds = registry::all().filter(|own| own.kind == kind);
            let has = |own: &Kind| own.columns.iter().any(|one| one.name == column);
            assert!(kinds.any(has), "{line}");
            assert!(descriptions::of_member(schema, field).is_some(), "{line}");
        }
    }

    #[test]
    fn columns_are_described_by_fields() {
        let mut kinds = registry::all();
        let pods = kinds.find(|kind| kind.kind == "Pod").unwrap();
        let all = descriptions(pods);
        assert_eq!(all.len(), pods.columns.len());
        assert!(all[0].starts_with("Name must be unique within a namespace."));
        assert_eq!(all[1], "");
        assert!(all[5].starts_with("podIP address allocated to the pod."));
    }
}
