//! The finalizer and the annotations by which a Job counts its Pods.

/// The finalizer that keeps a Pod until it is counted.
pub(super) const TRACKING: &str = "batch.kubernetes.io/job-tracking";
/// The index of a Pod of an indexed Job.
pub(super) const INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// The number of earlier failures of an index that did not count.
pub(super) const IGNORED: &str = "batch.kubernetes.io/job-index-ignored-failure-count";
pub(super) const FAILURES: &str = "batch.kubernetes.io/job-index-failure-count";
