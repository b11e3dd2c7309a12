//! Workloads, and the autoscaler that sets their replicas.

use jiff::Timestamp;

use crate::api::json::Value;
use crate::kinds::moment::read as time;
use crate::kinds::tree::{field, flag, int, list, opt_int, text};

/// A Deployment, ReplicaSet, ReplicationController, StatefulSet or DaemonSet.
#[derive(Clone, Copy)]
pub(crate) struct Workload<'a>(&'a Value);

/// Reads a workload.
pub(crate) fn workload(object: &Value) -> Workload<'_> {
    Workload(object)
}

impl<'a> Workload<'a> {
    /// Returns the time that a Pod must be ready to count as available.
    pub(crate) fn min_ready_seconds(self) -> i64 {
        int(field(self.0, "spec"), "minReadySeconds")
    }

    /// Returns the number of old revisions to keep.
    pub(crate) fn revision_history_limit(self) -> Option<i64> {
        // 0 keeps no old revision, so an absent value must stay distinguishable from it.
        opt_int(field(self.0, "spec"), "revisionHistoryLimit")
    }

    /// Returns the selector in its stored form.
    pub(crate) fn selector(self) -> &'a Value {
        field(field(self.0, "spec"), "selector")
    }

    /// Returns the Pod template.
    pub(crate) fn template(self) -> &'a Value {
        field(field(self.0, "spec"), "template")
    }

    /// Returns the labels of the Pod template.
    pub(crate) fn template_labels(self) -> &'a Value {
        field(
            field(field(field(self.0, "spec"), "template"), "metadata"),
            "labels",
        )
    }

    /// Returns true if a Deployment is paused.
    pub(crate) fn is_paused(self) -> bool {
        flag(field(self.0, "spec"), "paused")
    }

    /// Returns the `maxSurge` of a Deployment: a number or a percentage.
    pub(crate) fn max_surge(self) -> &'a Value {
        field(
            field(field(field(self.0, "spec"), "strategy"), "rollingUpdate"),
            // Unresolved, because a percentage refers to the replicas at the time of use, and maxSurge rounds up
            // while maxUnavailable rounds down.
            "maxSurge",
        )
    }

    /// Returns the `maxUnavailable` of a Deployment: a number or a percentage.
    pub(crate) fn max_unavailable(self) -> &'a Value {
        field(
            field(field(field(self.0, "spec"), "strategy"), "rollingUpdate"),
            "maxUnavailable",
        )
    }

    /// Returns the seconds without progress after which a rollout has failed.
    pub(crate) fn progress_deadline_seconds(self) -> Option<i64> {
        opt_int(field(self.0, "spec"), "progressDeadlineSeconds")
    }

    /// Returns the type of the update strategy of a StatefulSet or DaemonSet.
    pub(crate) fn update_strategy(self) -> &'a str {
        text(field(field(self.0, "spec"), "updateStrategy"), "type")
    }

    /// Returns the parameters of a rolling update of a StatefulSet or DaemonSet.
    pub(crate) fn rolling_update(self) -> &'a Value {
        field(
            field(field(self.0, "spec"), "updateStrategy"),
            "rollingUpdate",
        )
    }

    /// Returns the first ordinal of a StatefulSet.
    pub(crate) fn first_ordinal(self) -> i64 {
        // Without `ordinals` a StatefulSet counts from 0.
        int(field(field(self.0, "spec"), "ordinals"), "start")
    }

    /// Returns the `podManagementPolicy` of a StatefulSet.
    pub(crate) fn pod_management_policy(self) -> &'a str {
        text(field(self.0, "spec"), "podManagementPolicy")
    }

    /// Returns the governing Service of a StatefulSet.
    pub(crate) fn service_name(self) -> &'a Value {
        field(field(self.0, "spec"), "serviceName")
    }

    /// Returns the `volumeClaimTemplates` of a StatefulSet.
    pub(crate) fn claim_templates(self) -> &'a [Value] {
        list(field(self.0, "spec"), "volumeClaimTemplates")
    }

    /// Returns the `persistentVolumeClaimRetentionPolicy` of a StatefulSet.
    pub(crate) fn claim_retention_policy(self) -> &'a Value {
        field(
            field(self.0, "spec"),
            "persistentVolumeClaimRetentionPolicy",
        )
    }

    /// Returns the revision that a StatefulSet updates from.
    pub(crate) fn current_revision(self) -> &'a str {
        text(field(self.0, "status"), "currentRevision")
    }

    /// Returns the number of Pods that the status reports.
    pub(crate) fn current_replicas(self) -> i64 {
        int(field(self.0, "status"), "replicas")
    }

    /// Returns the number of reported Pods with the current template.
    pub(crate) fn updated_replicas(self) -> i64 {
        int(field(self.0, "status"), "updatedReplicas")
    }

    /// Returns the number of reported Pods that are ready.
    pub(crate) fn ready_replicas(self) -> i64 {
        int(field(self.0, "status"), "readyReplicas")
    }

    /// Returns the number of reported Pods that are available.
    pub(crate) fn available_replicas(self) -> i64 {
        int(field(self.0, "status"), "availableReplicas")
    }

    /// Returns the number of reported Pods that are terminating.
    pub(crate) fn terminating_replicas(self) -> i64 {
        int(field(self.0, "status"), "terminatingReplicas")
    }

    /// Returns the ordinals below which a StatefulSet keeps the current revision, counted from the first.
    pub(crate) fn partition(self) -> i64 {
        int(
            field(
                field(field(self.0, "spec"), "updateStrategy"),
                "rollingUpdate",
            ),
            "partition",
        )
    }

    /// Returns the desired number of Pods; 0 if absent.
    pub(crate) fn replicas(self) -> i64 {
        // Defaulting enters 1 into stored objects, so a user cannot omit the number.
        int(field(self.0, "spec"), "replicas")
    }

    /// Returns the desired number of Pods, with Kubernetes' default of 1.
    pub(crate) fn desired_replicas(self) -> i64 {
        opt_int(field(self.0, "spec"), "replicas").unwrap_or(1)
    }

    /// Returns true if a Deployment stops its old Pods before it starts new ones.
    pub(crate) fn is_recreate(self) -> bool {
        text(field(field(self.0, "spec"), "strategy"), "type") == "Recreate"
    }
}

/// A Job.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a>(&'a Value);

/// Reads a Job.
pub(crate) fn job(object: &Value) -> Job<'_> {
    Job(object)
}

impl<'a> Job<'a> {
    /// Returns the number of Pods that must succeed.
    pub(crate) fn completions(self) -> Option<i64> {
        // Without completions a Job is a work queue: no new Pods start after the first success.
        opt_int(field(self.0, "spec"), "completions")
    }

    /// Returns the number of Pods that run at a time.
    pub(crate) fn parallelism(self) -> Option<i64> {
        opt_int(field(self.0, "spec"), "parallelism")
    }

    /// Returns `Indexed` or `NonIndexed`.
    pub(crate) fn completion_mode(self) -> &'a str {
        text(field(self.0, "spec"), "completionMode")
    }

    /// Returns the number of failures before the Job fails.
    pub(crate) fn backoff_limit(self) -> Option<i64> {
        opt_int(field(self.0, "spec"), "backoffLimit")
    }

    /// Returns the number of failures before an index fails, if they are counted per index.
    pub(crate) fn backoff_limit_per_index(self) -> Option<i64> {
        opt_int(field(self.0, "spec"), "backoffLimitPerIndex")
    }

    /// Returns the number of failed indexes that the Job tolerates.
    pub(crate) fn max_failed_indexes(self) -> Option<i64> {
        opt_int(field(self.0, "spec"), "maxFailedIndexes")
    }

    /// Returns the time that the Job may be active.
    pub(crate) fn active_deadline_seconds(self) -> Option<i64> {
        opt_int(field(self.0, "spec"), "activeDeadlineSeconds")
    }

    /// Returns the time that the finished Job is kept.
    pub(crate) fn ttl_seconds_after_finished(self) -> Option<i64> {
        // 0 deletes the Job as soon as it has finished; absent keeps it.
        opt_int(field(self.0, "spec"), "ttlSecondsAfterFinished")
    }

    /// Returns true if the Job is suspended.
    pub(crate) fn is_suspended(self) -> bool {
        flag(field(self.0, "spec"), "suspend")
    }

    /// Returns the controller that manages the Job; empty for this one.
    pub(crate) fn managed_by(self) -> &'a str {
        // Empty and `kubernetes.io/job-controller` both name the built-in controller; the caller compares.
        text(field(self.0, "spec"), "managedBy")
    }

    /// Returns the Pod template.
    pub(crate) fn template(self) -> &'a Value {
        field(field(self.0, "spec"), "template")
    }

    /// Returns the rules of `podFailurePolicy`.
    pub(crate) fn pod_failure_policy_rules(self) -> &'a [Value] {
        list(field(field(self.0, "spec"), "podFailurePolicy"), "rules")
    }

    /// Returns the rules of `successPolicy`.
    pub(crate) fn success_policy_rules(self) -> &'a [Value] {
        list(field(field(self.0, "spec"), "successPolicy"), "rules")
    }

    /// Returns the start time.
    pub(crate) fn started(self) -> Option<Timestamp> {
        time(field(field(self.0, "status"), "startTime"))
    }

    /// Returns the succeeded indexes as ranges, such as `1,3-5`.
    pub(crate) fn completed_indexes(self) -> &'a str {
        text(field(self.0, "status"), "completedIndexes")
    }

    /// Returns the failed indexes as ranges.
    pub(crate) fn failed_indexes(self) -> &'a str {
        text(field(self.0, "status"), "failedIndexes")
    }

    /// Returns the number of succeeded Pods.
    pub(crate) fn succeeded(self) -> i64 {
        int(field(self.0, "status"), "succeeded")
    }

    /// Returns the number of failed Pods.
    pub(crate) fn failed(self) -> i64 {
        int(field(self.0, "status"), "failed")
    }

    /// Returns the ended Pods that are not in the counts yet, by outcome.
    pub(crate) fn uncounted_pods(self) -> &'a Value {
        field(field(self.0, "status"), "uncountedTerminatedPods")
    }

    /// Returns the start time as text, or null.
    pub(crate) fn start_time(self) -> &'a Value {
        field(field(self.0, "status"), "startTime")
    }

    /// Returns the completion time as text, or null.
    pub(crate) fn completion_time(self) -> &'a Value {
        field(field(self.0, "status"), "completionTime")
    }

    /// Returns `TerminatingOrFailed` or `Failed`.
    pub(crate) fn pod_replacement_policy(self) -> &'a str {
        text(field(self.0, "spec"), "podReplacementPolicy")
    }

    /// Returns the spec of the Pod template.
    pub(crate) fn template_spec(self) -> &'a Value {
        field(field(field(self.0, "spec"), "template"), "spec")
    }
}

/// A CronJob.
#[derive(Clone, Copy)]
pub(crate) struct CronJob<'a>(&'a Value);

/// Reads a CronJob.
pub(crate) fn cron_job(object: &Value) -> CronJob<'_> {
    CronJob(object)
}

impl<'a> CronJob<'a> {
    /// Returns the schedule in cron syntax.
    pub(crate) fn schedule(self) -> &'a str {
        text(field(self.0, "spec"), "schedule")
    }

    /// Returns the time zone; empty for the controller's.
    pub(crate) fn time_zone(self) -> &'a str {
        text(field(self.0, "spec"), "timeZone")
    }

    /// Returns the number of succeeded Jobs to keep.
    pub(crate) fn successful_jobs_history_limit(self) -> Option<i64> {
        // 0 is valid and keeps none.
        opt_int(field(self.0, "spec"), "successfulJobsHistoryLimit")
    }

    /// Returns the number of failed Jobs to keep.
    pub(crate) fn failed_jobs_history_limit(self) -> Option<i64> {
        opt_int(field(self.0, "spec"), "failedJobsHistoryLimit")
    }

    /// Returns true if it starts no Jobs.
    pub(crate) fn is_suspended(self) -> bool {
        flag(field(self.0, "spec"), "suspend")
    }

    /// Returns `Allow`, `Forbid` or `Replace`.
    pub(crate) fn concurrency_policy(self) -> &'a str {
        text(field(self.0, "spec"), "concurrencyPolicy")
    }

    /// Returns the lateness with which a Job may still start.
    pub(crate) fn starting_deadline_seconds(self) -> Option<i64> {
        opt_int(field(self.0, "spec"), "startingDeadlineSeconds")
    }

    /// Returns the template of its Jobs.
    pub(crate) fn job_template(self) -> &'a Value {
        field(field(self.0, "spec"), "jobTemplate")
    }
}

/// A HorizontalPodAutoscaler.
#[derive(Clone, Copy)]
pub(crate) struct Autoscaler<'a>(&'a Value);

/// Reads a HorizontalPodAutoscaler.
pub(crate) fn autoscaler(object: &Value) -> Autoscaler<'_> {
    Autoscaler(object)
}

impl<'a> Autoscaler<'a> {
    /// Returns the reference to the scale target.
    pub(crate) fn target(self) -> &'a Value {
        field(field(self.0, "spec"), "scaleTargetRef")
    }

    /// Returns the lower bound.
    pub(crate) fn min_replicas(self) -> Option<i64> {
        // 0 is valid with an Object or External metric and must not be taken for the default of 1.
        opt_int(field(self.0, "spec"), "minReplicas")
    }

    /// Returns the upper bound.
    pub(crate) fn max_replicas(self) -> i64 {
        int(field(self.0, "spec"), "maxReplicas")
    }

    /// Returns the metrics.
    pub(crate) fn metrics(self) -> &'a [Value] {
        list(field(self.0, "spec"), "metrics")
    }

    /// Returns the replicas of the target at the last reconcile.
    pub(crate) fn current_replicas(self) -> i64 {
        int(field(self.0, "status"), "currentReplicas")
    }

    /// Returns the desired replicas of the last reconcile.
    pub(crate) fn desired_replicas(self) -> i64 {
        int(field(self.0, "status"), "desiredReplicas")
    }

    /// Returns the last metric values.
    pub(crate) fn current_metrics(self) -> &'a Value {
        field(field(self.0, "status"), "currentMetrics")
    }
}
