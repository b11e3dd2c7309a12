//! The formats of values that drivers set: their data, the identifiers of shares, the addresses of interfaces.

use super::validate::{limited, unique};
use crate::api::json::Value;
use crate::tree::{as_text, field, has, text};
use crate::validate::addresses::parse_cidr;
use crate::validate::errors::Errors;
use crate::validate::go;
use crate::validate::path::Path;

/// The maximum length of a driver's data as JSON.
const LONGEST_DATA: usize = 10 * 1024;
const MOST_ADDRESSES: usize = 16;

/// Requires a JSON object in the field `name`. Only the driver understands it, so nothing else can be checked.
pub(crate) fn driver_data(path: &Path<'_>, holder: &Value, name: &str, errors: &mut Errors) {
    let (path, data) = (path.child(name), field(holder, name));
    if data.is_null() {
        errors.required(&path, "");
    } else if data.to_string().len() > LONGEST_DATA {
        errors.too_long(&path, LONGEST_DATA);
    } else if data.as_object().is_none() {
        errors.invalid_shown(&path, "\"<value omitted>\"", "must be a valid JSON object");
    }
}

/// Validates the identifier of a share of a device.
pub(crate) fn share_id(path: &Path<'_>, holder: &Value, errors: &mut Errors) {
    if !has(holder, "shareID") {
        return;
    }
    let id = text(holder, "shareID");
    let detail = match uuid_error(id) {
        Some(wrong) => format!("error validating uid: {wrong}"),
        None if id.len() == 36 && !id.bytes().any(|b| b.is_ascii_uppercase()) => return,
        None => "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase \
                 hexadecimal characters"
            .to_owned(),
    };
    errors.invalid_shown(&path.child("shareID"), &go::quoted(id), &detail);
}

/// Returns what is wrong with a UUID, which may be in braces or without hyphens.
fn uuid_error(id: &str) -> Option<String> {
    let core = match id.len() {
        36 | 32 => id,
        38 => match id.strip_prefix('{').and_then(|id| id.strip_suffix('}')) {
            Some(core) => core,
            None => return Some("invalid bracketed UUID format".to_owned()),
        },
        length => return Some(format!("invalid UUID length: {length}")),
    };
    let hyphens = core.len() == 36;
    let fits = core.bytes().enumerate().all(|(index, byte)| match index {
        8 | 13 | 18 | 23 if hyphens => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    (!fits).then(|| "invalid UUID format".to_owned())
}

/// Validates the network interface that a device is.
pub(crate) fn network_data(path: &Path<'_>, device: &Value, errors: &mut Errors) {
    let (path, data) = (path.child("networkData"), field(device, "networkData"));
    for (name, most) in [("interfaceName", 256), ("hardwareAddress", 128)] {
        if text(data, name).len() > most {
            errors.too_long(&path.child(name), most);
        }
    }
    let path = path.child("ips");
    let addresses = limited(&path, data, "ips", MOST_ADDRESSES, errors);
    for (index, address) in addresses.iter().enumerate() {
        interface_address(&path.index(index), as_text(address), errors);
    }
    unique(&path, addresses.iter().map(as_text), errors);
}

/// Validates an address of an interface, with the length of its network's prefix.
fn interface_address(path: &Path<'_>, address: &str, errors: &mut Errors) {
    let shown = go::quoted(address);
    let Some((ip, length)) = parse_cidr(address) else {
        let detail = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";
        return errors.invalid_shown(path, &shown, detail);
    };
    let ip = ip.to_canonical();
    let length = match ip.is_ipv4() && length > 32 {
        true => length.saturating_sub(96),
        false => length,
    };
    let canonical = format!("{ip}/{length}");
    if address != canonical {
        let detail = format!("must be in canonical form (\"{canonical}\")");
        errors.invalid_shown(path, &shown, &detail);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn told(check: impl Fn(&Path<'_>, &mut Errors)) -> Vec<String> {
        let mut errors = Errors::default();
        check(&Path::root("x"), &mut errors);
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn data_of_drivers_are_objects() {
        let told = |data: Value| {
            let holder = json!({"data": data});
            told(|path, errors| driver_data(path, &holder, "data", errors))
        };
        assert_eq!(told(json!({"a": 1})), [""; 0]);
        assert_eq!(told(Value::Null), ["x.data: Required value"]);
        assert_eq!(
            told(json!([1])),
            ["x.data: Invalid value: \"<value omitted>\": must be a valid JSON object"]
        );
        assert_eq!(
            told(json!({"a": "b".repeat(10_233)})),
            ["x.data: Too long: may not be more than 10240 bytes"]
        );
    }

    #[test]
    fn shares_have_a_normalized_uuid() {
        let told = |id: &str| {
            let holder = json!({"shareID": id});
            told(|path, errors| share_id(path, &holder, errors))
        };
        let id = "a671734a-e8e5-11e4-8fde-42010af09327";
        assert_eq!(told(id), [""; 0]);
        for (id, wanted) in [
            (
                id.to_uppercase(),
                "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase \
                 hexadecimal characters",
            ),
            (
                "1".to_owned(),
                "error validating uid: invalid UUID length: 1",
            ),
            (
                id.replace('-', "."),
                "error validating uid: invalid UUID format",
            ),
        ] {
            let wanted = format!("x.shareID: Invalid value: \"{id}\": {wanted}");
            assert_eq!(told(&id), [wanted]);
        }
    }

    #[test]
    fn addresses_of_interfaces_are_canonical() {
        let device = json!({"networkData": {"interfaceName": "x".repeat(257), "ips": [
            "10.1.2.3/24", "2001:db8::1/64", "10.1.2.3", "2001:DB8::1/64", "10.1.2.3/24"]}});
        let path = "x.networkData";
        assert_eq!(
            told(|path, errors| network_data(path, &device, errors)),
            [
                format!("{path}.interfaceName: Too long: may not be more than 256 bytes"),
                format!(
                    "{path}.ips[2]: Invalid value: \"10.1.2.3\": must be a valid address in CIDR form, (e.g. \
                     10.9.8.7/24 or 2001:db8::1/64)"
                ),
                format!(
                    "{path}.ips[3]: Invalid value: \"2001:DB8::1/64\": must be in canonical form (\"2001:db8::1/64\")"
                ),
                format!("{path}.ips[4]: Duplicate value: \"10.1.2.3/24\""),
            ]
        );
    }
}
