//! The rules of a ServiceCIDR.

use crate::api::json::Value;
use crate::tree::{field, len, list, texts};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{addresses, meta, names};

/// Validates a new ServiceCIDR.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    ranges(field(object, "spec"), errors);
}

fn ranges(spec: &Value, errors: &mut Errors) {
    let path = Path::root("spec");
    let path = path.child("cidrs");
    match len(spec, "cidrs") {
        0 => return errors.required(&path, "at least one CIDR required"),
        1 => {}
        2 => {
            let parsed = texts(spec, "cidrs").filter_map(addresses::parse_cidr);
            let families: Vec<bool> = parsed.map(|(address, _)| address.is_ipv4()).collect();
            // A range that cannot be parsed does not count as a second family.
            if !matches!(families[..], [true, false] | [false, true]) {
                let detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
                return errors.invalid(&path, field(spec, "cidrs"), detail);
            }
        }
        _ => return errors.invalid(&path, field(spec, "cidrs"), "may only hold up to 2 values"),
    }
    for (index, range) in texts(spec, "cidrs").enumerate() {
        errors.invalid_each(&path.index(index), range, addresses::canonical_cidr(range));
    }
}

/// Validates an update of a ServiceCIDR.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let path = Path::root("spec");
    let path = path.child("cidrs");
    let spec = field(object, "spec");
    let (before, after) = (list(field(old, "spec"), "cidrs"), list(spec, "cidrs"));
    // A second family may be added later, but existing ranges have addresses in use.
    let extended = before.len() == 1 && after.len() == 2;
    if before.len() != after.len() && !extended {
        return meta::immutable(
            &path,
            field(spec, "cidrs"),
            field(field(old, "spec"), "cidrs"),
            errors,
        );
    }
    for (index, (range, old)) in after.iter().zip(before).enumerate() {
        meta::immutable(&path.index(index), range, old, errors);
    }
    if extended {
        ranges(spec, errors);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn told(check: impl Fn(&mut Errors)) -> Vec<String> {
        let mut errors = Errors::default();
        check(&mut errors);
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    fn range(cidrs: &[&str]) -> Value {
        json!({"metadata": {"name": "s"}, "spec": {"cidrs": cidrs}})
    }

    #[test]
    fn ranges_are_one_or_one_of_each_family() {
        let dual = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
        for (cidrs, wrong) in [
            (&["10.0.0.0/24"][..], ""),
            (&["10.0.0.0/24", "fd00::/64"], ""),
            (&["10.0.0.0/24", "x"], dual),
            (
                &["10.0.0.0/24", "fd00::/64", "x"],
                "may only hold up to 2 values",
            ),
        ] {
            let found = told(|errors| create(&range(cidrs), errors));
            let fits = match wrong {
                "" => found.is_empty(),
                wrong => matches!(&found[..], [one] if one.ends_with(wrong)),
            };
            assert!(fits, "{cidrs:?}: {found:?}");
        }
    }

    #[test]
    fn ranges_can_only_be_completed_by_the_other_family() {
        let changed =
            |from: &[&str], to: &[&str]| told(|errors| update(&range(to), &range(from), errors));
        let dual = ["10.0.0.0/24", "fd00::/64"];
        assert_eq!(changed(&dual[..1], &dual), Vec::<String>::new());
        assert_eq!(changed(&dual, &dual[..1]).len(), 1);
        assert_eq!(changed(&dual[..1], &[]).len(), 1);
        assert_eq!(
            changed(&dual[..1], &["10.0.0.0/24", "10.1.0.0/24"]).len(),
            1
        );
    }
}
