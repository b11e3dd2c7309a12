//! CEL selectors of devices. They are compiled when they are written and evaluated when devices are allocated.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::json::Value as Json;
use crate::cel::value::{Key, Map};
use crate::cel::{BINDS, Program, Scope, Type, Value};
use crate::pod::resources::quantity;
use crate::tree::{entries, field, flag, text};

/// A compiled selector.
#[derive(Clone, Debug)]
pub struct Selector(Program);

impl Selector {
    /// Compiles the expression of a selector.
    ///
    /// # Errors
    /// Returns the reason why the expression is rejected, in the API server's words.
    ///
    /// ```
    /// use ctl_kinds::resource::selector::Selector;
    ///
    /// let wrong = Selector::compile("device.wattage > 1").unwrap_err();
    /// assert!(wrong.contains("undefined field 'wattage'"));
    /// ```
    pub fn compile(expression: &str) -> Result<Self, String> {
        let failed = |wrong| format!("compilation failed: {wrong}");
        let program = Program::parse(expression).map_err(failed)?;
        match program
            .check(&[("device", device_type()), (BINDS, Type::Bool)])
            .map_err(failed)?
        {
            // Attributes have no static type. The type of a selector that is just an attribute is known only at run
            // time.
            Type::Bool | Type::Dyn => Ok(Self(program)),
            other => Err(format!(
                "must evaluate to bool or the unknown type, not {other}"
            )),
        }
    }

    /// Returns true if the selector matches a device from a ResourceSlice of this driver.
    ///
    /// # Errors
    /// Returns the reason why the evaluation failed, such as an attribute that the device lacks.
    pub fn matches(&self, driver: &str, device: &Json) -> Result<bool, String> {
        let value = device_value(driver, device, &self.0.texts());
        match self.0.eval(&mut Scope::new(vec![("device", value)]))? {
            Value::Bool(matches) => Ok(matches),
            other => Err(format!(
                "expression evaluated to {} instead of the expected bool",
                other.type_name()
            )),
        }
    }
}

fn device_type() -> Type {
    let by_domain = |inner: Type| Type::map(Type::map(inner));
    let fields = [
        ("driver", Type::Text),
        ("attributes", by_domain(Type::Dyn)),
        ("capacity", by_domain(Type::Opaque("kubernetes.Quantity"))),
        ("allowMultipleAllocations", Type::Bool),
    ];
    let fields = fields.map(|(name, ty)| (name.to_owned(), ty));
    Type::Object(Arc::new(BTreeMap::from(fields)))
}

/// Returns a device in the form that expressions use. As in the API server, every domain that the expression may name
/// has a map, so that a missing attribute is an error but a missing domain is not.
fn device_value(driver: &str, device: &Json, domains: &[&str]) -> Value {
    let attributes = by_domain(driver, device, "attributes", domains, attribute);
    let amount = |value: &Json| Some(Value::Quantity(quantity(field(value, "value"))));
    let capacity = by_domain(driver, device, "capacity", domains, amount);
    let several = flag(device, "allowMultipleAllocations");
    map([
        ("driver", Value::text(driver)),
        ("attributes", attributes),
        ("capacity", capacity),
        ("allowMultipleAllocations", Value::Bool(several)),
    ])
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    let entries = entries.map(|(name, value)| (Key::Text(Arc::from(name)), value));
    Value::Map(Arc::new(Map::from(entries)))
}

fn by_domain(
    driver: &str,
    device: &Json,
    name: &str,
    domains: &[&str],
    read: impl Fn(&Json) -> Option<Value>,
) -> Value {
    let mut all: BTreeMap<&str, Map> = domains.iter().map(|domain| (*domain, Map::new())).collect();
    for (full, value) in entries(device, name) {
        // A name without a domain belongs to the domain of the driver.
        let (domain, id) = full.split_once('/').unwrap_or((driver, full));
        if let Some(value) = read(value) {
            let own = all.entry(domain).or_default();
            own.insert(Key::Text(Arc::from(id)), value);
        }
    }
    let all = all.into_iter().map(|(domain, own)| {
        let domain = Key::Text(Arc::from(domain));
        (domain, Value::Map(Arc::new(own)))
    });
    Value::Map(Arc::new(all.collect()))
}

fn attribute(value: &Json) -> Option<Value> {
    // API validation ensures that an attribute has exactly one of four fields.
    if let Some(number) = field(value, "int").as_i64() {
        return Some(Value::Int(number));
    }
    if let Some(flag) = field(value, "bool").as_bool() {
        return Some(Value::Bool(flag));
    }
    match text(value, "version") {
        "" => field(value, "string").as_str().map(Value::text),
        version => Value::version(version),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn matches(expression: &str) -> Result<bool, String> {
        let device = json!({
            "name": "white",
            "attributes": {"colour": {"string": "white"}, "watts": {"int": 9}, "example.org/model": {"version": "1.2.0"}},
            "capacity": {"lumen": {"value": "900"}},
        });
        Selector::compile(expression)?.matches("lamps.example.com", &device)
    }

    #[test]
    fn device_selectors_read_attributes_and_capacity_by_domain() {
        let own = "device.attributes['lamps.example.com']";
        for (expression, expected) in [
            ("device.driver == 'lamps.example.com'".to_owned(), true),
            (format!("{own}.watts > 6"), true),
            (format!("{own}.colour == 'black'"), false),
            (
                "device.capacity['lamps.example.com'].lumen.compareTo(quantity('500')) > 0"
                    .to_owned(),
                true,
            ),
            (
                "device.attributes['example.org'].model.isGreaterThan(semver('1.0.0'))".to_owned(),
                true,
            ),
            (
                "'x' in device.attributes['nowhere.example.org']".to_owned(),
                false,
            ),
            (format!("cel.bind(own, {own}, own.watts == 9)"), true),
        ] {
            assert_eq!(matches(&expression), Ok(expected), "{expression}");
        }
    }

    #[test]
    fn a_missing_attribute_stops_the_evaluation() {
        let wrong = matches("device.attributes['lamps.example.com'].height > 1").unwrap_err();
        assert_eq!(wrong, "no such key: height");
    }

    #[test]
    fn device_selector_must_compile_and_return_bool() {
        let wrong = matches("device.wattage > 1").unwrap_err();
        let told = "compilation failed: ERROR: <input>:1:7: undefined field 'wattage'\n | \
                    device.wattage > 1\n | ......^";
        assert_eq!(wrong, told);
        let wrong = matches("device.driver").unwrap_err();
        assert_eq!(
            wrong,
            "must evaluate to bool or the unknown type, not string"
        );
    }
}
