//! SIG Apps: Jobs, CronJobs and PodDisruptionBudgets.

use serde_json::{Value, json};

use crate::cluster::{Api, Server, namespace};
use crate::objects::{
    BUSYBOX, HTTPD, PAUSE, pod, script, spec, until_ready, until_ready_pods, workload,
};
use crate::operations::{discovered, supported};
use crate::resource::{condition, is_true, name};

const BATCH: &str = "batch/v1";

fn space(name: &str) -> Api {
    namespace("jobs", name)
}

/// Returns a Job whose Pods run a script.
fn job(name: &str, text: &str, parallelism: u32, completions: u32) -> Value {
    json!({
        "metadata": {"name": name},
        "spec": {
            "parallelism": parallelism, "completions": completions, "backoffLimit": 6,
            "template": {"metadata": {"labels": {"job": name}}, "spec": script(text)},
        },
    })
}

#[test]
fn job_completes_after_local_restarts() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("job-restarts");
    let jobs = api.of(BATCH, "Job");
    let mut made = job("fails-once", "exit 0", 2, 4);
    made["spec"]["template"]["spec"]["restartPolicy"] = json!("OnFailure");
    made["spec"]["template"]["metadata"]["annotations"] = json!({"ctl.dev/crash": "1@0"});
    jobs.create(made);
    let done = jobs.until("fails-once", "is complete", |job| is_true(job, "Complete"));
    assert_eq!(done["status"]["succeeded"], 4);
    for pod in api.of("v1", "Pod").list("job=fails-once") {
        assert_eq!(
            pod["status"]["containerStatuses"][0]["restartCount"], 1,
            "{pod}"
        );
    }
}

#[test]
fn indexed_job_has_indexes() {
    let api = space("job-indexed");
    let jobs = api.of(BATCH, "Job");
    let mut made = job("indexed-job", "echo $JOB_COMPLETION_INDEX; exit 0", 2, 4);
    made["spec"]["completionMode"] = json!("Indexed");
    jobs.create(made);
    let done = jobs.until("indexed-job", "is complete", |job| is_true(job, "Complete"));
    assert_eq!(done["status"]["completedIndexes"], "0-3");
    let pods = api.of("v1", "Pod");
    let mut seen = Vec::new();
    for pod in pods.list("job=indexed-job") {
        let index =
            pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"].clone();
        let index = index.as_str().unwrap().to_owned();
        assert_eq!(
            pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"],
            index
        );
        assert_eq!(pod["spec"]["hostname"], format!("indexed-job-{index}"));
        let log = api.get(&format!("{}/{}/log", pods.path, name(&pod))).body;
        assert_eq!(log, format!("{index}\n"));
        seen.push(index);
    }
    seen.sort();
    assert_eq!(seen, ["0", "1", "2", "3"]);
}

#[test]
fn job_is_deleted_with_its_pods() {
    let api = space("job-delete");
    let (jobs, pods) = (api.of(BATCH, "Job"), api.of("v1", "Pod"));
    let mut made = job("foo", "sleep 1000000", 2, 4);
    made["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = json!(0);
    jobs.create(made);
    until_ready_job_pods(&api, "foo", 2);
    jobs.delete_as("foo", "Foreground");
    jobs.until_gone("foo");
    pods.until_all("job=foo", "are gone", <[Value]>::is_empty);
}

fn until_ready_job_pods(api: &Api, job: &str, count: usize) -> Vec<Value> {
    let pods = api.of("v1", "Pod");
    pods.until_all(&format!("job={job}"), "run", |pods| {
        pods.len() == count && pods.iter().all(|pod| is_true(pod, "Ready"))
    })
}

#[test]
fn job_adopts_and_releases_pods() {
    let api = space("job-adopt");
    let pods = api.of("v1", "Pod");
    api.of(BATCH, "Job")
        .create(job("adopt-release", "sleep 1000000", 2, 4));
    let running = until_ready_job_pods(&api, "adopt-release", 2);
    let orphan = name(&running[0]);
    pods.merge(orphan, "", json!({"metadata": {"ownerReferences": null}}));
    let adopted = pods.until(orphan, "is adopted again", |pod| {
        pod["metadata"]["ownerReferences"][0]["name"] == "adopt-release"
    });
    assert_eq!(adopted["metadata"]["uid"], running[0]["metadata"]["uid"]);
    let labels = running[0]["metadata"]["labels"].as_object().unwrap();
    let none: serde_json::Map<String, Value> =
        labels.keys().map(|k| (k.clone(), Value::Null)).collect();
    pods.merge(orphan, "", json!({"metadata": {"labels": none}}));
    pods.until(orphan, "is released", |pod| {
        pod["metadata"]["ownerReferences"].is_null()
    });
}

#[test]
fn failure_policy_fails_a_job_early() {
    let api = space("job-fail");
    let jobs = api.of(BATCH, "Job");
    let mut made = job("pod-failure-failjob", "exit 1", 2, 4);
    made["spec"]["backoffLimit"] = json!(6);
    made["spec"]["podFailurePolicy"] = json!({"rules": [{
        "action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]},
    }]});
    jobs.create(made);
    let failed = jobs.until("pod-failure-failjob", "failed", |job| {
        is_true(job, "Failed")
    });
    assert_eq!(
        condition(&failed, "Failed").unwrap()["reason"],
        "PodFailurePolicy"
    );
}

#[test]
fn failure_policy_ignores_disruptions() {
    let api = space("job-ignore");
    let (jobs, pods) = (api.of(BATCH, "Job"), api.of("v1", "Pod"));
    let mut made = job("pod-disruption", "sleep 1000000", 2, 2);
    made["spec"]["completionMode"] = json!("Indexed");
    made["spec"]["backoffLimit"] = json!(0);
    made["spec"]["podFailurePolicy"] = json!({"rules": [{
        "action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
    }]});
    made["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = json!(1);
    jobs.create(made);
    for pod in until_ready_job_pods(&api, "pod-disruption", 2) {
        let eviction = json!({
            "apiVersion": "policy/v1", "kind": "Eviction",
            "metadata": {"name": name(&pod), "namespace": "job-ignore"},
        });
        pods.try_post(name(&pod), "eviction", &eviction).ok();
        pods.until_gone(name(&pod));
    }
    // The replacements run, although the Job allows no failure.
    let again = until_ready_job_pods(&api, "pod-disruption", 2);
    for pod in &again {
        pods.merge(
            name(pod),
            "status",
            json!({"status": {"phase": "Succeeded"}}),
        );
    }
    let done = jobs.until("pod-disruption", "is complete", |job| {
        is_true(job, "Complete")
    });
    assert_eq!(done["status"]["failed"].as_u64().unwrap_or(0), 0);
}

#[test]
fn job_executes_all_indexes_despite_failures() {
    let api = space("job-per-index");
    let jobs = api.of(BATCH, "Job");
    let text = "if [ $(($JOB_COMPLETION_INDEX % 2)) -eq 0 ]; then exit 1; fi; exit 0";
    let mut made = job("with-backoff-limit-per-index", text, 2, 4);
    made["spec"]["completionMode"] = json!("Indexed");
    made["spec"]["backoffLimitPerIndex"] = json!(0);
    made["spec"].as_object_mut().unwrap().remove("backoffLimit");
    jobs.create(made);
    let failed = jobs.until("with-backoff-limit-per-index", "failed", |job| {
        is_true(job, "Failed")
    });
    assert_eq!(
        condition(&failed, "Failed").unwrap()["reason"],
        "FailedIndexes"
    );
    assert_eq!(failed["status"]["failedIndexes"], "0,2");
    assert_eq!(failed["status"]["completedIndexes"], "1,3");
    assert_eq!(
        (&failed["status"]["failed"], &failed["status"]["succeeded"]),
        (&json!(2), &json!(2))
    );
}

#[test]
fn success_policy_completes_a_job() {
    let api = space("job-success");
    let jobs = api.of(BATCH, "Job");
    let mut made = job("success-policy", "exit 0", 2, 2);
    made["spec"]["completionMode"] = json!("Indexed");
    made["spec"]["successPolicy"] = json!({"rules": [{"succeededCount": 2}]});
    jobs.create(made);
    let done = jobs.until("success-policy", "is complete", |job| {
        is_true(job, "Complete")
    });
    let met = condition(&done, "SuccessCriteriaMet").unwrap();
    assert_eq!(
        (&met["status"], &met["reason"]),
        (&json!("True"), &json!("SuccessPolicy"))
    );
    assert_eq!(done["status"]["completedIndexes"], "0,1");
}

#[test]
fn job_status_changes() {
    let api = space("job-status");
    let jobs = api.of(BATCH, "Job");
    jobs.create(job("suspended", "sleep 1000000", 2, 4));
    jobs.until("suspended", "is active", |job| job["status"]["active"] == 2);
    let now = "2026-01-01T00:00:00Z";
    let started = jobs.get("suspended")["status"]["startTime"].clone();
    let patch = json!({"metadata": {"annotations": {"patchedstatus": "true"}}, "status": {"startTime": started}});
    let patched = jobs.merge("suspended", "status", patch);
    assert_eq!(patched["metadata"]["annotations"]["patchedstatus"], "true");
    let new = json!({"type": "StatusUpdate", "status": "True", "lastTransitionTime": now, "reason": "E2E"});
    let updated = jobs.edit("suspended", "status", |job| {
        let mut conditions = job["status"]["conditions"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        conditions.push(new.clone());
        job["status"]["conditions"] = json!(conditions);
    });
    assert!(is_true(&updated, "StatusUpdate"), "{updated}");
    assert!(is_true(&jobs.part("suspended", "status"), "StatusUpdate"));
}

#[test]
fn job_has_a_lifecycle() {
    let api = space("job-life");
    let jobs = api.of(BATCH, "Job");
    let mut watch = jobs.watch("");
    let mut made = job("e2e", "exit 0", 2, 4);
    made["metadata"]["labels"] = json!({"e2e-job": "life"});
    made["spec"]["suspend"] = json!(true);
    jobs.create(made);
    watch.expect("ADDED");
    watch.find("MODIFIED", |job| is_true(job, "Suspended"));
    let patched = jobs.merge(
        "e2e",
        "",
        json!({"metadata": {"labels": {"e2e": "patched"}}}),
    );
    assert_eq!(patched["metadata"]["labels"]["e2e"], "patched");
    jobs.edit("e2e", "", |job| {
        job["spec"]["suspend"] = json!(false);
        job["metadata"]["annotations"]["updated"] = json!("true");
    });
    watch.find("MODIFIED", |job| {
        job["spec"]["suspend"] == false && job["metadata"]["annotations"]["updated"] == "true"
    });
    let found = api.global(BATCH, "Job").list("e2e-job=life,e2e=patched");
    assert_eq!(found.len(), 1);
    let path = format!(
        "{}?labelSelector=e2e%3Dpatched&propagationPolicy=Background",
        jobs.path
    );
    api.ask("DELETE", &path, "", "").ok();
    watch.find("DELETED", |_| true);
    api.of("v1", "Pod")
        .until_all("job=e2e", "are gone", <[Value]>::is_empty);
}

/// Returns a CronJob for every minute.
fn cron(name: &str, policy: &str, text: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {
        "schedule": "*/1 * * * ?", "concurrencyPolicy": policy,
        "jobTemplate": {"spec": {"parallelism": 1, "completions": 1, "template": {"spec": {
            "restartPolicy": "OnFailure",
            "containers": [{"name": "c", "image": BUSYBOX, "command": ["sh", "-c", text]}],
        }}}},
    }})
}

/// A script that ends at no time, so that the virtual clock does not jump to its end.
const FOREVER: &str = "tail -f /dev/null";

#[test]
fn cron_jobs_run_concurrently() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("cron-allow");
    let crons = api.of(BATCH, "CronJob");
    crons.create(cron("concurrent", "Allow", FOREVER));
    for active in 1..=2 {
        server.advance("61s");
        crons.until("concurrent", "has active Jobs", |cron| {
            count(&cron["status"]["active"]) == active
        });
    }
}

fn count(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

/// Returns the Jobs of a CronJob.
fn jobs_of(api: &Api, cron: &str) -> usize {
    let own = |job: &&Value| job["metadata"]["ownerReferences"][0]["name"] == cron;
    api.of(BATCH, "Job").list("").iter().filter(own).count()
}

/// Moves the clock until another CronJob has run twice.
fn two_minutes_later(server: &Server, api: &Api) {
    api.of(BATCH, "CronJob")
        .create(cron("marker", "Allow", FOREVER));
    let jobs = api.of(BATCH, "Job");
    for count in 1..=2 {
        server.advance("61s");
        jobs.until_all("", "those of the marker", |jobs| {
            let own = |job: &&Value| job["metadata"]["ownerReferences"][0]["name"] == "marker";
            jobs.iter().filter(own).count() >= count
        });
    }
}

#[test]
fn suspended_cron_job_creates_no_job() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("cron-suspend");
    let crons = api.of(BATCH, "CronJob");
    let mut made = cron("suspended", "Allow", FOREVER);
    made["spec"]["suspend"] = json!(true);
    crons.create(made);
    two_minutes_later(&server, &api);
    assert_eq!(jobs_of(&api, "suspended"), 0);
    assert_eq!(count(&crons.get("suspended")["status"]["active"]), 0);
}

#[test]
fn forbidding_cron_job_waits() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("cron-forbid");
    let crons = api.of(BATCH, "CronJob");
    crons.create(cron("forbid", "Forbid", FOREVER));
    server.advance("61s");
    crons.until("forbid", "has one active Job", |cron| {
        count(&cron["status"]["active"]) == 1
    });
    two_minutes_later(&server, &api);
    assert_eq!(jobs_of(&api, "forbid"), 1);
    assert_eq!(count(&crons.get("forbid")["status"]["active"]), 1);
}

#[test]
fn replacing_cron_job_deletes_the_last_job() {
    let server = Server::on_virtual_clock();
    let api = server.namespace("cron-replace");
    let (crons, jobs) = (api.of(BATCH, "CronJob"), api.of(BATCH, "Job"));
    crons.create(cron("replace", "Replace", FOREVER));
    server.advance("61s");
    let first = jobs.until_all("", "the first", |jobs| jobs.len() == 1);
    let first = name(&first[0]);
    server.advance("61s");
    jobs.until_all("", "another Job replaced it", |jobs| {
        jobs.len() == 1 && name(&jobs[0]) != first
    });
    crons.until("replace", "has another active Job", |cron| {
        count(&cron["status"]["active"]) == 1 && cron["status"]["active"][0]["name"] != first
    });
}

#[test]
fn cron_jobs_support_all_operations() {
    let api = space("cron-api");
    discovered(&api, BATCH, &["cronjobs", "cronjobs/status"]);
    supported(&api, BATCH, "CronJob", false, &|number| {
        let mut made = cron(&format!("cron-{number}"), "Allow", "exit 0");
        made["spec"]["schedule"] = json!("0 0 29 2 *");
        made
    });
    let crons = api.of(BATCH, "CronJob");
    let mut made = cron("status", "Allow", "exit 0");
    made["spec"]["schedule"] = json!("0 0 29 2 *");
    crons.create(made);
    let time = "2026-01-01T00:00:00Z";
    let patch = json!({"metadata": {"annotations": {"patchedstatus": "true"}}, "status": {"lastScheduleTime": time}});
    let patched = crons.merge("status", "status", patch);
    assert_eq!(patched["status"]["lastScheduleTime"], time);
    assert_eq!(patched["metadata"]["annotations"]["patchedstatus"], "true");
    let time = "2026-01-02T00:00:00Z";
    crons.edit("status", "status", |cron| {
        cron["status"]["lastScheduleTime"] = json!(time)
    });
    assert_eq!(
        crons.part("status", "status")["status"]["lastScheduleTime"],
        time
    );
}

const POLICY: &str = "policy/v1";

fn budget(name: &str, min: Value) -> Value {
    json!({"metadata": {"name": name, "labels": {"foo": name}}, "spec": {
        "minAvailable": min, "selector": {"matchLabels": {"app": "foo"}},
    }})
}

#[test]
fn budget_is_created_changed_and_deleted() {
    let api = space("pdb-api");
    let budgets = api.of(POLICY, "PodDisruptionBudget");
    budgets.create(budget("foo", json!("1%")));
    let observed =
        |budget: &Value| budget["status"]["observedGeneration"] == budget["metadata"]["generation"];
    budgets.until("foo", "is observed", observed);
    let updated = budgets.edit("foo", "", |budget| {
        budget["spec"]["minAvailable"] = json!("2%")
    });
    assert_eq!(updated["spec"]["minAvailable"], "2%");
    budgets.until("foo", "is observed", observed);
    let patched = budgets.merge("foo", "", json!({"spec": {"minAvailable": "3%"}}));
    assert_eq!(patched["spec"]["minAvailable"], "3%");
    budgets.until("foo", "is observed", observed);
    budgets.delete("foo");
    budgets.until_gone("foo");
}

#[test]
fn budgets_are_a_collection() {
    let (api, other) = (space("pdb-list"), space("pdb-list-other"));
    let budgets = api.of(POLICY, "PodDisruptionBudget");
    for (api, name) in [(&api, "one"), (&api, "two"), (&other, "three")] {
        let mut made = budget(name, json!(1));
        made["metadata"]["labels"]["e2e"] = json!("pdb-list");
        api.of(POLICY, "PodDisruptionBudget").create(made);
    }
    let all = api.global(POLICY, "PodDisruptionBudget");
    assert_eq!(all.list("e2e=pdb-list").len(), 3);
    assert_eq!(budgets.list("").len(), 2);
    budgets.delete_all("e2e=pdb-list");
    budgets.until_all("", "are deleted", <[Value]>::is_empty);
    assert_eq!(all.list("e2e=pdb-list").len(), 1);
}

#[test]
fn budget_status_counts_pods() {
    let api = space("pdb-status");
    let budgets = api.of(POLICY, "PodDisruptionBudget");
    budgets.create(budget("foo", json!(1)));
    api.of("apps/v1", "ReplicaSet")
        .create(workload("foo", 3, HTTPD));
    until_ready_pods(&api.of("v1", "Pod"), "foo", 3);
    let counted = budgets.until("foo", "allows two", |budget| {
        budget["status"]["disruptionsAllowed"] == 2
    });
    assert_eq!(counted["status"]["currentHealthy"], 3);
    assert_eq!(counted["status"]["desiredHealthy"], 1);
}

#[test]
fn budget_status_is_updated_and_patched() {
    let api = space("pdb-write");
    let budgets = api.of(POLICY, "PodDisruptionBudget");
    budgets.create(budget("foo", json!(1)));
    budgets.until("foo", "is observed", |budget| {
        budget["status"]["observedGeneration"] == 1
    });
    let time = "2026-01-01T00:00:00Z";
    let updated = budgets.edit("foo", "status", |budget| {
        budget["status"]["disruptedPods"] = json!({"pod-1": time});
    });
    assert!(
        updated["status"]["disruptedPods"]["pod-1"].is_string(),
        "{updated}"
    );
    let generation = updated["metadata"]["generation"].clone();
    let patch =
        json!({"status": {"observedGeneration": generation, "disruptedPods": {"pod-2": time}}});
    let patched = budgets.merge("foo", "status", patch);
    assert!(
        patched["status"]["disruptedPods"]["pod-2"].is_string(),
        "{patched}"
    );
}

#[test]
fn budget_blocks_an_eviction() {
    let api = space("pdb-evict");
    let (budgets, pods) = (api.of(POLICY, "PodDisruptionBudget"), api.of("v1", "Pod"));
    budgets.create(budget("foo", json!(3)));
    for name in ["pod-1", "pod-2", "pod-3"] {
        let mut made = pod(name, spec(PAUSE));
        made["metadata"]["labels"] = json!({"app": "foo"});
        pods.create(made);
        until_ready(&pods, name);
    }
    budgets.until("foo", "counts three", |budget| {
        budget["status"]["currentHealthy"] == 3
    });
    let eviction = json!({
        "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "pod-1", "namespace": "pdb-evict"},
    });
    let refused = pods.try_post("pod-1", "eviction", &eviction);
    refused.says(
        429,
        "Cannot evict pod as it would violate the pod's disruption budget.",
    );
    assert!(refused.body.contains("DisruptionBudget"), "{refused:?}");
    budgets.merge("foo", "", json!({"spec": {"minAvailable": 2}}));
    budgets.until("foo", "allows one", |budget| {
        budget["status"]["disruptionsAllowed"] == 1
    });
    pods.try_post("pod-1", "eviction", &eviction).ok();
    pods.until_gone("pod-1");
    budgets.until("foo", "allows none", |budget| {
        budget["status"]["disruptionsAllowed"] == 0
    });
    assert_eq!(
        pods.try_post("pod-2", "eviction", &eviction_of("pod-2"))
            .code,
        429
    );
    budgets.delete("foo");
    budgets.until_gone("foo");
    pods.try_post("pod-2", "eviction", &eviction_of("pod-2"))
        .ok();
}

fn eviction_of(name: &str) -> Value {
    json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": "pdb-evict"}})
}
