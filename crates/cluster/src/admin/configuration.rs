//! Changes of the settings and of the format: the clock, and the fault rules.

use std::sync::Arc;

use jiff::SignedDuration;

use super::roles;
use crate::api::json::Value;
use crate::audit::AuditLog;
use crate::cluster::{Cluster, Result};
use crate::store::{ApiFault, ClockMode, Retention, Settings};

/// Changes the configuration of a cluster.
///
/// ```
/// use ctl_cluster::{ApiFault, ClockMode, Cluster, Configuration, StoreError};
///
/// /// Stops the clock, and lets every second update of a Pod fail.
/// fn prepare(cluster: &mut Cluster) -> Result<(), StoreError> {
///     let mut configuration: Configuration<'_> = cluster.configure();
///     configuration.set_clock(ClockMode::Virtual)?;
///     configuration.set_fault(ApiFault {
///         name: "flaky".to_owned(),
///         verbs: vec!["update".to_owned()],
///         resources: vec!["pods".to_owned()],
///         rate: 0.5,
///         code: Some(500),
///         latency: None,
///         seed: None,
///     })?;
///     configuration.pause(&["deployment".to_owned()])?;
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Configuration<'c>(&'c mut Cluster);

impl Cluster {
    /// Returns the handle that changes the configuration.
    pub fn configure(&mut self) -> Configuration<'_> {
        Configuration(self)
    }
}

impl Configuration<'_> {
    /// Returns the roles and bindings that every API server has, those of controllers and other components too. A server
    /// adds the missing ones when it starts.
    ///
    /// ```
    /// use ctl_cluster::Configuration;
    ///
    /// let roles = Configuration::default_roles();
    /// let admin = |role: &&ctl_api::json::Value| role["metadata"]["name"] == "cluster-admin";
    /// assert_eq!(roles.iter().find(admin).unwrap()["kind"], "ClusterRole");
    /// ```
    pub fn default_roles() -> Vec<Value> {
        roles::defaults()
    }

    /// Switches between the machine's clock and a virtual one.
    ///
    /// # Errors
    /// Fails if the settings cannot be written.
    pub fn set_clock(&mut self, mode: ClockMode) -> Result<()> {
        self.change(&mut |settings| settings.clock = mode)
    }

    /// Sets the name of the cluster, which lists and kubeconfig contexts show.
    ///
    /// # Errors
    /// Fails if the settings cannot be written.
    pub fn set_name(&mut self, name: &str) -> Result<()> {
        self.change(&mut |settings| name.clone_into(&mut settings.name))
    }

    /// Sets the limit of the history and deletes older commits. The newest part always stays, for watches.
    ///
    /// # Errors
    /// Fails if the settings cannot be written, or the history cannot be compacted.
    pub fn set_history(&mut self, keep: Retention) -> Result<()> {
        self.change(&mut |settings| settings.history = keep)?;
        // At once, because the user who lowers the limit needs the space, and a full disk may prevent any further commit.
        self.0.context.store.compact()
    }

    /// Sets how long events are kept after their last write; zero keeps them forever. Controllers that run use it from
    /// their next start on, and new leases on etcd at once.
    ///
    /// # Errors
    /// Fails if the settings cannot be written.
    pub fn set_event_ttl(&mut self, ttl: SignedDuration) -> Result<()> {
        self.change(&mut |settings| settings.event_ttl = Some(ttl))
    }

    /// Converts the directory to the current format; returns the format that it had, and true if anything was
    /// written.
    ///
    /// # Errors
    /// Fails if the cluster is in no directory, or something cannot be written.
    pub fn migrate(&mut self, rewrite: bool) -> Result<(u32, bool)> {
        let done = self.0.directory("migrate")?.migrate(rewrite)?;
        self.0.context.settings = self.0.context.store.settings();
        Ok(done)
    }

    /// Writes the requests of this value to an audit log from now on, or to none; returns the one before.
    pub fn audit(&mut self, log: Option<Arc<AuditLog>>) -> Option<Arc<AuditLog>> {
        std::mem::replace(&mut self.0.context.audit, log)
    }

    /// Adds a fault rule, or replaces the rule with that name; a rule without a name gets a number. Returns the name.
    ///
    /// # Errors
    /// Fails if the settings cannot be written.
    pub fn set_fault(&mut self, mut fault: ApiFault) -> Result<String> {
        let mut name = String::new();
        self.change(&mut |settings| {
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

    /// Pauses controllers; returns those that were not paused yet.
    ///
    /// # Errors
    /// Fails if the settings cannot be written.
    pub fn pause(&mut self, names: &[String]) -> Result<Vec<String>> {
        let mut new = Vec::new();
        self.change(&mut |settings| {
            new.clear();
            for name in names {
                // One by one: a name may be given twice.
                if !settings.paused.contains(name) {
                    settings.paused.push(name.clone());
                    new.push(name.clone());
                }
            }
            settings.paused.sort();
        })?;
        Ok(new)
    }

    /// Lets paused controllers run again, or all; returns those that were paused.
    ///
    /// # Errors
    /// Fails if the settings cannot be written.
    pub fn resume(&mut self, names: Option<&[String]>) -> Result<Vec<String>> {
        let mut gone = Vec::new();
        self.change(&mut |settings| {
            let goes = |name: &String| names.is_none_or(|names| names.contains(name));
            gone = settings
                .paused
                .iter()
                .filter(|name| goes(name))
                .cloned()
                .collect();
            settings.paused.retain(|name| !goes(name));
        })?;
        Ok(gone)
    }

    /// Removes the rule with this name, or all rules; returns the removed names.
    ///
    /// # Errors
    /// Fails if the settings cannot be written.
    pub fn clear_faults(&mut self, name: Option<&str>) -> Result<Vec<String>> {
        let mut gone = Vec::new();
        self.change(&mut |settings| {
            let goes = |f: &ApiFault| name.is_none_or(|name| f.name == name);
            let faults = settings.faults.iter().filter(|f| goes(f));
            gone = faults.map(|f| f.name.clone()).collect();
            settings.faults.retain(|f| !goes(f));
        })?;
        Ok(gone)
    }

    /// Changes the stored settings, which another process may have changed since they were read.
    fn change(&mut self, change: &mut dyn FnMut(&mut Settings)) -> Result<()> {
        // Read, changed and written under the lock, so that two processes cannot overwrite each other's setting.
        self.0.context.settings = self.0.context.store.update_settings(change)?;
        Ok(())
    }
}
