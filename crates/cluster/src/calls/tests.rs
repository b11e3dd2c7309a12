//! Batches: requests that are committed together.

use super::*;
use crate::api::json::json;
use crate::kinds::admission::User;
use crate::testing::{fresh, place, pod};
use crate::{ApiFault, CausingChange, HistoryQuery, Range as Keys, administrator};

/// Returns a request with a reason.
fn because(request: Request, rule: &str, trigger: Option<Revision>) -> Request {
    let options = WriteOptions {
        rule: rule.to_owned(),
        trigger: trigger.map(CausingChange::from),
        ..WriteOptions::default()
    };
    request.with(options)
}

#[test]
fn a_batch_is_one_commit_with_a_reason_for_each_change() {
    let cluster = fresh();
    let before = cluster.stored().revision().unwrap();
    let bad = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bad"}});
    let requests = [
        because(
            Request::create(place("pods"), pod("a")),
            "scale-up",
            Some(3),
        ),
        because(Request::create(place("pods"), bad), "scale-up", Some(3)),
        because(
            Request::create(place("pods"), pod("b")),
            "replace: it was lost",
            Some(4),
        ),
        because(Request::create(place("pods"), pod("a")), "again", None),
    ];
    let answers = cluster.batch("tester", None, &requests).unwrap();
    let reasons: Vec<&str> = answers
        .iter()
        .map(|a| {
            a.as_ref()
                .map_or_else(|e| e.status().unwrap().reason, |_| "done")
        })
        .collect();
    assert_eq!(reasons, ["done", "Invalid", "done", "AlreadyExists"]);
    let past = HistoryQuery {
        after: before,
        range: Keys::resource("pods", None),
        ..HistoryQuery::default()
    };
    let history = cluster.stored().history(&past).unwrap();
    let [change] = history.as_slice() else {
        panic!("{} commits", history.len())
    };
    assert_eq!(change.cause.writer, "tester");
    assert_eq!(
        (&*change.cause.rule, change.cause.trigger.clone()),
        ("scale-up", Some(3.into()))
    );
    let own: Vec<_> = change.events.iter().map(|e| e.why.clone()).collect();
    let second = crate::store::ChangeReason {
        trigger: Some(4.into()),
        rule: "replace: it was lost".to_owned(),
    };
    assert_eq!(own, [None, Some(second)]);
    let revisions: Vec<u64> = change.events.iter().map(|e| e.revision).collect();
    assert_eq!(revisions, [before + 1, before + 2]);
}

#[test]
fn a_request_observes_the_results_of_earlier_ones() {
    let cluster = fresh();
    let mut namespace = because(
        Request::create(
            place("namespaces"),
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "new"}}),
        ),
        "",
        None,
    );
    namespace.place.namespace.clear();
    let mut within = because(
        Request::create(
            place("configmaps"),
            json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"generateName": "c-", "namespace": "new"}}),
        ),
        "",
        None,
    );
    within.place.namespace = "new".to_owned();
    let requests = [namespace, within.clone(), within];
    let answers = cluster.batch("tester", None, &requests).unwrap();
    let names: Vec<String> = answers
        .into_iter()
        .map(|a| a.unwrap().object["metadata"]["name"].to_string())
        .collect();
    assert_ne!(names[1], names[2]);
}

#[test]
fn second_change_of_an_object_needs_another_commit() {
    let cluster = fresh();
    let labels = |value: &str| json!({"metadata": {"labels": {"step": value}}});
    let patch = |value: &str| {
        let verb = Verb::Patch {
            part: Part::Whole,
            how: PatchType::Merge,
            patch: labels(value),
        };
        because(Request::new(place("pods"), "a", verb), value, None)
    };
    let requests = [
        because(Request::create(place("pods"), pod("a")), "make", None),
        patch("one"),
        because(Request::create(place("pods"), pod("b")), "make", None),
        patch("two"),
    ];
    let answers = cluster.batch("tester", None, &requests).unwrap();
    let last = answers[3].as_ref().unwrap();
    assert_eq!(last.object["metadata"]["labels"]["step"], "two");
    let revision = |i: usize| {
        let object = &answers[i].as_ref().unwrap().object;
        object["metadata"]["resourceVersion"]
            .as_str()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    assert_eq!(revision(2), revision(0) + 1);
    assert_eq!(revision(1), revision(0) + 2);
    assert_eq!(revision(3), revision(0) + 3);
}

#[test]
fn a_request_is_skipped_if_a_required_one_was_rejected() {
    let cluster = fresh();
    let bad = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bad"}});
    let make =
        |object: &Value| because(Request::create(place("pods"), object.clone()), "make", None);
    let requests = [
        make(&pod("a")),
        make(&bad),
        make(&pod("b")),
        make(&pod("c")),
        make(&pod("d")),
    ];
    let needs = [0..0, 0..1, 0..2, 0..1, 2..3];
    let answers = cluster
        .batch_in_order("tester", None, &requests, &needs)
        .unwrap();
    let done: Vec<Option<bool>> = answers.iter().map(|a| Some(a.as_ref()?.is_ok())).collect();
    assert_eq!(done, [Some(true), Some(false), None, Some(true), None]);
}

#[test]
fn a_writer_of_an_earlier_epoch_changes_nothing() {
    let cluster = fresh();
    let first = cluster.election().lead().unwrap();
    let second = cluster.election().lead().unwrap();
    assert!(second > first);
    let requests = [because(
        Request::create(place("pods"), pod("a")),
        "make",
        None,
    )];
    let refused = cluster.batch("one", Some(first), &requests).unwrap_err();
    assert!(matches!(refused, StoreError::Fenced { .. }), "{refused}");
    assert!(cluster.get(&place("pods"), "a").is_err());
    assert!(cluster.batch("two", Some(second), &requests).unwrap()[0].is_ok());
}

#[test]
fn batch_over_the_commit_limit_is_split() {
    let cluster = fresh();
    let make = |i: usize| {
        let object =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("c{i}")}});
        because(Request::create(place("configmaps"), object), "make", None)
    };
    let requests: Vec<Request> = (0..5100).map(make).collect();
    let answers = cluster.batch("tester", None, &requests).unwrap();
    assert!(answers.iter().all(Result::is_ok));
    let listed = cluster
        .context
        .store
        .list(&Keys::resource("configmaps", Some("default")));
    assert_eq!(listed.unwrap().items.len(), 5101);
}

#[test]
fn read_is_prompt_only_for_administrators_without_commits_and_faults() {
    let mut scratch = fresh();
    let (admin, other) = (administrator(), User::default());
    let feed = scratch.cluster.feed();
    assert!(feed.is_prompt(&admin) && !feed.is_prompt(&other));
    let (mut during, options) = (true, WriteOptions::default());
    let namespaces = place("namespaces");
    let changed = scratch.modify(&namespaces, "default", false, &options, &mut |old| {
        during = feed.is_prompt(&admin);
        Ok(old.clone())
    });
    assert!(changed.is_ok() && !during && feed.is_prompt(&admin));
    let fault = ApiFault {
        name: "slow".to_owned(),
        rate: 1.0,
        code: Some(503),
        ..ApiFault::default()
    };
    scratch.cluster.configure().set_fault(fault).unwrap();
    assert!(!scratch.feed().is_prompt(&admin));
}
