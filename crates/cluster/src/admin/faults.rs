//! The fault rules in the settings of a cluster.

use std::sync::Arc;

use crate::cluster::{Cluster, Result};
use crate::store::ApiFault;

impl Cluster {
    /// The rules by which requests go wrong.
    pub fn faults(&self) -> Arc<[ApiFault]> {
        self.context.store.faults()
    }

    /// Adds a rule by which requests go wrong, in the place of one of the same name; one without a name
    /// gets a number. Returns the name.
    ///
    /// # Errors
    /// Fails if the settings cannot be written.
    pub fn set_fault(&mut self, mut fault: ApiFault) -> Result<String> {
        let mut name = String::new();
        self.change_settings(&mut |settings| {
            let faults = &mut settings.faults;
            if fault.name.is_empty() {
                let free = |n: &u64| faults.iter().all(|f| f.name != n.to_string());
                fault.name = (1..).find(free).unwrap_or_default().to_string();
            }
            fault.name.clone_into(&mut name);
            match faults.iter_mut().find(|f| f.name == fault.name) {
                Some(old) => *old = fault.clone(),
                None => faults.push(fault.clone()),
            }
        })?;
        Ok(name)
    }

    /// Removes the rules of this name, or all; returns the names of those that there were.
    ///
    /// # Errors
    /// Fails if the settings cannot be written.
    pub fn clear_faults(&mut self, name: Option<&str>) -> Result<Vec<String>> {
        let mut gone = Vec::new();
        self.change_settings(&mut |settings| {
            let goes = |f: &ApiFault| name.is_none_or(|name| f.name == name);
            let faults = settings.faults.iter().filter(|f| goes(f));
            gone = faults.map(|f| f.name.clone()).collect();
            settings.faults.retain(|f| !goes(f));
        })?;
        Ok(gone)
    }
}
