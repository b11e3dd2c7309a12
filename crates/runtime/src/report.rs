//! The report of each reconcile.

use jiff::Timestamp;

use super::cache::Cache;
use super::object::Key;
use super::plan::Plan;
use crate::cluster::Revision;

/// One reconcile of one key.
///
/// ```
/// use ctl_runtime::{Config, Manager, Reconciled};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// # let controllers = Vec::new();
/// let mut manager = Manager::new(&cluster, controllers, &|_| Config::default());
/// manager.observe(Box::new(|reconciled: &Reconciled<'_>| {
///     if let Some(error) = reconciled.error {
///         println!("{} {}: {error}", reconciled.controller, reconciled.key);
///     }
/// }));
/// # manager.load()?;
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Debug)]
pub struct Reconciled<'a> {
    /// The name of the controller.
    pub controller: &'static str,
    /// The reconciled key.
    pub key: &'a Key,
    /// The revision of the change that caused the reconcile.
    pub trigger: Option<Revision>,
    /// The plan: its rules and names; the objects themselves have moved into the requests.
    pub plan: &'a Plan,
    /// The error, if the plan was rejected.
    pub error: Option<&'a str>,
    /// The cluster's time.
    pub now: Timestamp,
    /// The informer cache, so that progress can be shown without reading the store.
    pub cache: &'a Cache,
}

/// The receiver of reports.
pub type Observer = Box<dyn FnMut(&Reconciled<'_>)>;
