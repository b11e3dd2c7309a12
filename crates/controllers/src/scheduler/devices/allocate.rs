//! The search for devices that meet all requests of all claims on one node.

use super::inventory::{DeviceChoice, Inventory};
use super::request::{ClassRequest, Open};
use crate::scheduler::state::Node;

/// A depth-first search: tries devices in order and backtracks to the last choice if a request cannot be met.
pub(super) struct Search<'a> {
    open: &'a [Open],
    inventory: &'a Inventory,
    /// The numbers of the devices that the node can use.
    local: Vec<usize>,
    /// By claim.
    chosen: Vec<Vec<DeviceChoice>>,
}

/// The next request to meet.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    claim: usize,
    request: usize,
}

impl<'a> Search<'a> {
    /// Returns the devices for each claim, if the node can provide them.
    ///
    /// # Errors
    /// The selector that could not be evaluated.
    pub(super) fn on(
        node: &Node,
        open: &'a [Open],
        inventory: &'a Inventory,
    ) -> Result<Option<Vec<Vec<DeviceChoice>>>, String> {
        let mut search = Self {
            open,
            inventory,
            local: inventory.on(node),
            chosen: open.iter().map(|_| Vec::new()).collect(),
        };
        let first = Cursor {
            claim: 0,
            request: 0,
        };
        Ok(search.meet(first)?.then_some(search.chosen))
    }

    /// Meets a request and all that follow it.
    fn meet(&mut self, at: Cursor) -> Result<bool, String> {
        let Some(claim) = self.open.get(at.claim) else {
            return Ok(true);
        };
        let Some(request) = claim.requests.get(at.request) else {
            let next = at.claim + 1;
            return self.meet(Cursor {
                claim: next,
                request: 0,
            });
        };
        for wanted in &request.0 {
            // The first alternative with a complete solution is used, because the claim lists them in order of
            // preference.
            let met = match wanted.count {
                Some(count) => self.take(at, wanted, count, 0)?,
                None => self.take_all(at, wanted)?,
            };
            if met {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Chooses `left` more devices; `from` is the first that was not tried for the request.
    fn take(
        &mut self,
        at: Cursor,
        wanted: &ClassRequest,
        left: usize,
        from: usize,
    ) -> Result<bool, String> {
        if left == 0 {
            return self.meet(at.next());
        }
        for place in from..self.local.len() {
            let number = self.local[place];
            let device = &self.inventory.devices[number];
            if !self.is_free(number, wanted)
                || !wanted.accepts(number, device)?
                || !wanted.tolerates(device)
                || !self.agrees(at, wanted, number)
            {
                continue;
            }
            self.choose(at, wanted, number);
            // Devices before this one were tried for the request already, and the order within a request does not
            // matter.
            if self.take(at, wanted, left - 1, place + 1)? {
                return Ok(true);
            }
            self.chosen[at.claim].pop();
        }
        Ok(false)
    }

    /// Chooses all requested devices; all of them must be free and known.
    fn take_all(&mut self, at: Cursor, wanted: &ClassRequest) -> Result<bool, String> {
        let before = self.chosen[at.claim].len();
        let mut met = true;
        for number in self.local.clone() {
            let device = &self.inventory.devices[number];
            if !wanted.accepts(number, device)? {
                continue;
            }
            // A tainted device that matches is one of all, so the request fails with it.
            met = !device.incomplete
                && wanted.tolerates(device)
                && self.is_free(number, wanted)
                && self.agrees(at, wanted, number);
            if !met {
                break;
            }
            self.choose(at, wanted, number);
        }
        // A request for all devices fails if there are none; otherwise a claim would be met before its driver publishes
        // any.
        let some = self.chosen[at.claim].len() > before;
        if met && some && self.meet(at.next())? {
            return Ok(true);
        }
        self.chosen[at.claim].truncate(before);
        Ok(false)
    }

    fn choose(&mut self, at: Cursor, wanted: &ClassRequest, device: usize) {
        self.chosen[at.claim].push(DeviceChoice {
            request: wanted.name.clone(),
            device,
            admin: wanted.admin,
        });
    }

    /// Returns true if no other claim or request has a device. Administrative access shares it.
    fn is_free(&self, number: usize, wanted: &ClassRequest) -> bool {
        let mut all = self.chosen.iter().flatten();
        let taken = |c: &DeviceChoice| c.device == number && (!c.admin || c.request == wanted.name);
        wanted.admin || !self.inventory.is_used(number) && !all.any(taken)
    }

    /// Returns true if the constraints of the claim are still met with one more device.
    fn agrees(&self, at: Cursor, wanted: &ClassRequest, number: usize) -> bool {
        let devices = &self.inventory.devices;
        self.open[at.claim].constraints.iter().all(|constraint| {
            if !constraint.covers(&wanted.name) {
                return true;
            }
            // A device without the attribute never satisfies the constraint, even alone.
            let Some(own) = devices[number].attribute(&constraint.attribute) else {
                return false;
            };
            let others = self.chosen[at.claim].iter();
            let mut others = others.filter(|chosen| constraint.covers(&chosen.request));
            others.all(|chosen| {
                let other = devices[chosen.device].attribute(&constraint.attribute);
                (other == Some(own)) != constraint.distinct
            })
        })
    }
}

impl Cursor {
    fn next(self) -> Self {
        Self {
            request: self.request + 1,
            ..self
        }
    }
}
