//! The requests of a claim, with the selectors of their classes compiled.

use std::cell::RefCell;
use std::collections::HashMap;

use super::inventory::Device;
use crate::api::json::{Text, Value, json};
use crate::kinds::pod::node_rules::Taint;
use crate::kinds::resource::selector::Selector;
use crate::runtime::Object;
use crate::scheduler::world::World;
use crate::views;
use crate::watched;

/// A claim that has no devices yet.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) uid: Text,
    pub(super) requests: Vec<Request>,
    pub(super) constraints: Vec<Constraint>,
    /// The configuration of the classes and of the claim, for the driver.
    pub(super) config: Vec<Value>,
}

/// A request: the first alternative that can be met.
#[derive(Debug)]
pub(super) struct Request(pub(super) Vec<ClassRequest>);

/// Devices of one class.
#[derive(Debug)]
pub(super) struct ClassRequest {
    /// The name in the result: `request`, or `request/alternative`.
    pub(super) name: String,
    /// The number of devices; `None` for all.
    pub(super) count: Option<usize>,
    /// True if the devices may be in use by others.
    pub(super) admin: bool,
    tolerations: Vec<Taint>,
    selectors: Vec<Sourced>,
    /// The verdicts by the number of the device: nodes share most of the devices of a network.
    verdicts: RefCell<HashMap<usize, bool>>,
}

/// A selector with the text that begins its errors.
#[derive(Debug)]
struct Sourced {
    source: String,
    selector: Result<Selector, String>,
}

/// Devices of these requests must agree on an attribute, or differ in it.
#[derive(Debug)]
pub(super) struct Constraint {
    requests: Vec<String>,
    pub(super) attribute: String,
    pub(super) distinct: bool,
}

impl Constraint {
    /// Returns true if the constraint is about a result.
    pub(super) fn covers(&self, result: &str) -> bool {
        let request = result.split('/').next().unwrap_or(result);
        // A constraint that names a request applies to all of its subrequests; `request/subrequest` applies to one.
        let named = |name: &String| name == result || name == request;
        self.requests.is_empty() || self.requests.iter().any(named)
    }
}

impl Open {
    /// # Errors
    /// The class that does not exist.
    pub(super) fn read(claim: &Object, world: &World<'_>) -> Result<Self, String> {
        let view = views::device_claim(claim);
        let constraints = view.constraints().map(|constraint| Constraint {
            requests: constraint.requests().map(str::to_owned).collect(),
            attribute: constraint.attribute().to_owned(),
            distinct: constraint.is_distinct(),
        });
        let mut open = Self {
            uid: Text::from(claim.uid()),
            requests: Vec::new(),
            constraints: constraints.collect(),
            config: Vec::new(),
        };
        for request in view.requests() {
            let mut wanted = Vec::new();
            for (name, way) in request.ways() {
                wanted.push(open.wanted(name, way, claim, world)?);
            }
            open.requests.push(Request(wanted));
        }
        let own = view.config().iter();
        // After the classes: a driver applies the entries in order, so the claim overrides its class.
        open.config
            .extend(own.map(|c| sourced(c, "FromClaim", None)));
        Ok(open)
    }

    fn wanted(
        &mut self,
        name: String,
        request: views::DeviceRequest<'_>,
        claim: &Object,
        world: &World<'_>,
    ) -> Result<ClassRequest, String> {
        let class_name = request.class();
        let class = world.object(watched::device_classes(), "", class_name);
        let Some(class) = class.map(|class| views::device_class(class)) else {
            return Err(format!(
                "request {name}: device class {class_name} does not exist"
            ));
        };
        let config = class.config().iter();
        self.config
            .extend(config.map(|c| sourced(c, "FromClass", Some(&name))));
        // The class comes first, as in kube-scheduler: of two failing selectors the first one is reported.
        let mut selectors = compiled(class.selectors(), &format!("class {class_name}"));
        let source = format!("claim {}/{}", claim.namespace(), claim.name());
        selectors.extend(compiled(request.selectors(), &source));
        Ok(ClassRequest {
            name,
            count: request.count(),
            admin: request.is_admin(),
            tolerations: request.tolerations().iter().map(Taint::read).collect(),
            selectors,
            verdicts: RefCell::default(),
        })
    }
}

/// Returns an entry of a configuration with its source; an entry of a class applies to one request.
fn sourced(config: &Value, source: &str, request: Option<&str>) -> Value {
    let mut entry = config.clone();
    if let Some(map) = entry.as_object_mut() {
        map.insert("source", json!(source));
        if let Some(request) = request {
            map.insert("requests", json!([request]));
        }
    }
    entry
}

fn compiled<'e>(expressions: impl Iterator<Item = &'e str>, source: &str) -> Vec<Sourced> {
    let numbered = expressions.enumerate();
    numbered
        .map(|(number, expression)| Sourced {
            source: format!("{source}: selector #{number}: CEL"),
            selector: Selector::compile(expression),
        })
        .collect()
}

impl ClassRequest {
    /// Returns true if the selectors match a device.
    ///
    /// # Errors
    /// The selector that could not be evaluated.
    pub(super) fn accepts(&self, number: usize, device: &Device) -> Result<bool, String> {
        // Selectors do not depend on the node, and devices of the network are tried on each of them.
        if let Some(known) = self.verdicts.borrow().get(&number) {
            return Ok(*known);
        }
        let verdict = self.look_at(device)?;
        self.verdicts.borrow_mut().insert(number, verdict);
        Ok(verdict)
    }

    /// Returns true if no taint of a device keeps the request away.
    pub(super) fn tolerates(&self, device: &Device) -> bool {
        // Taints with the effect None only inform.
        let repels = |taint: &&Taint| matches!(taint.effect.as_str(), "NoSchedule" | "NoExecute");
        let tolerated = |taint: &Taint| self.tolerations.iter().any(|t| t.tolerates(taint));
        device.taints.iter().filter(repels).all(tolerated)
    }

    fn look_at(&self, device: &Device) -> Result<bool, String> {
        for Sourced { source, selector } in &self.selectors {
            let selector = selector.as_ref();
            let selector = selector.map_err(|why| format!("{source} compile error: {why}"))?;
            let matches = selector.matches(&device.driver, device.value());
            if !matches.map_err(|why| format!("{source} runtime error: {why}"))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
