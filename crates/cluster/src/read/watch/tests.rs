//! Lists in parts and watches: the selected objects, their order, and the behavior when the past is no longer
//! retained.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::api::status::Status;
use crate::read::list::Page;
use crate::request::PatchType;
use crate::request::Request;
use crate::request::options::{DeleteOptions, WriteOptions};
use crate::testing::{Scratch, fresh, open, place};
use crate::{Cluster, Retention};

const SESSION: &str = include_str!("../../../../../testdata/facts/http-errors.tsv");

const NOW: Duration = Duration::ZERO;

fn map(name: &str, labels: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels}})
}

fn create(cluster: &Cluster, name: &str, labels: Value) -> Revision {
    let options = WriteOptions::default();
    let answer = cluster.create(&place("configmaps"), &map(name, labels), &options);
    revision(&answer.unwrap().object)
}

fn label(cluster: &Cluster, name: &str, labels: Value) -> Revision {
    let patch = json!({"metadata": {"labels": labels}});
    let how = (PatchType::Merge, &patch);
    let options = WriteOptions::default();
    let answer = cluster.patch(&place("configmaps"), name, how, false, &options);
    revision(&answer.unwrap().object)
}

fn delete(cluster: &Cluster, name: &str) {
    let options = DeleteOptions::default();
    cluster
        .delete(&place("configmaps"), name, &options)
        .unwrap();
}

fn revision(object: &Value) -> Revision {
    objects::meta(object, "resourceVersion").parse().unwrap()
}

fn labeled(selector: &str) -> ListOptions {
    ListOptions {
        labels: selector.to_owned(),
        ..ListOptions::default()
    }
}

fn select(cluster: &Cluster, options: &ListOptions) -> Result<Page, Status> {
    cluster
        .select(&place("configmaps"), options)
        .map_err(|e| e.status().unwrap().clone())
}

fn names(items: &[Value]) -> Vec<&str> {
    items.iter().map(|o| objects::meta(o, "name")).collect()
}

fn told(events: &[WatchEvent]) -> Vec<String> {
    let one = |event: &WatchEvent| match event {
        WatchEvent::Added(o) => format!("+{}", objects::meta(o, "name")),
        WatchEvent::Modified(o) => format!("~{}", objects::meta(o, "name")),
        WatchEvent::Deleted(o) => format!("-{}", objects::meta(o, "name")),
        WatchEvent::Bookmark(_) => "|".to_owned(),
    };
    events.iter().map(one).collect()
}

/// Returns a cluster that retains little of its past.
fn forgetful() -> Scratch {
    let cluster = fresh();
    cluster
        .cluster
        .context
        .store
        .update_settings(&mut |settings| settings.history = Retention::Size(0))
        .unwrap();
    cluster
}

fn forget(cluster: &Cluster) {
    for name in ["x1", "x2", "x3"] {
        create(cluster, name, json!({}));
        delete(cluster, name);
        cluster.stored().compact().unwrap();
    }
}

#[test]
fn list_and_watch_options_have_the_recorded_responses() {
    let cluster = fresh();
    let mut checked = 0;
    // The parser of the request's text reports limits and times that are not numbers.
    let text = ["h072", "h084"];
    let rows = SESSION
        .lines()
        .filter(|row| ("h060".."h085").contains(&&row[..4]) && !text.contains(&&row[..4]));
    for row in rows {
        let cell: Vec<_> = row.split('\t').collect();
        let (path, query) = cell[3].split_once('?').unwrap();
        let option = |name: &str| {
            let mut options = query.split('&').map(|o| o.split_once('=').unwrap());
            options.find(|(n, _)| *n == name).map_or("", |(_, v)| v)
        };
        let options = ListOptions {
            labels: option("labelSelector").to_owned(),
            fields: option("fieldSelector").to_owned(),
            limit: option("limit").parse().unwrap_or(0),
            continue_token: option("continue").to_owned(),
            resource_version: option("resourceVersion").to_owned(),
            resource_version_match: option("resourceVersionMatch").to_owned(),
            send_initial_events: option("sendInitialEvents").parse().ok(),
        };
        let place = place(path.rsplit('/').next().unwrap());
        let answer = match option("watch") {
            "true" => cluster.watch(&place, &options).map(drop),
            _ => cluster.select(&place, &options).map(drop),
        };
        let (code, message) = match &answer {
            Ok(()) => (200, String::new()),
            Err(e) => {
                let status = e.status().unwrap();
                (status.code, status.message.clone())
            }
        };
        assert_eq!(code.to_string(), cell[7], "{row}: {message}");
        if let Err(e) = answer {
            let theirs: Value = serde_json::from_str(cell[10]).unwrap();
            let current = format!("current: {}", cluster.context.store.revision().unwrap());
            assert_eq!(message.replace(&current, "current: RV"), theirs, "{row}");
            let details = e.status().unwrap().to_value()["details"].clone();
            let theirs: Value = serde_json::from_str(cell[11]).unwrap_or_default();
            assert_eq!(details, theirs, "{row}");
        }
        checked += 1;
    }
    assert_eq!(checked, 23);
}

#[test]
fn the_parts_of_a_list_show_one_revision() {
    let cluster = fresh();
    for name in ["a", "b", "c", "d", "e"] {
        create(&cluster, name, json!({}));
    }
    let mut options = ListOptions {
        limit: 2,
        ..ListOptions::default()
    };
    let first = select(&cluster, &options).unwrap();
    assert_eq!(
        (names(&first.items), first.remaining),
        (vec!["a", "b"], Some(4))
    );
    create(&cluster, "bb", json!({}));
    delete(&cluster, "c");
    label(&cluster, "d", json!({"new": "yes"}));
    options.continue_token = first.continue_token;
    let second = select(&cluster, &options).unwrap();
    assert_eq!(second.revision, first.revision);
    assert_eq!(
        (names(&second.items), second.remaining),
        (vec!["c", "d"], Some(2))
    );
    assert!(second.items[1]["metadata"]["labels"].is_null());
    options.continue_token = second.continue_token;
    let third = select(&cluster, &options).unwrap();
    assert_eq!(names(&third.items), ["e", "kube-root-ca.crt"]);
    assert_eq!((third.continue_token.as_str(), third.remaining), ("", None));
}

#[test]
fn a_list_in_parts_skips_unselected_objects() {
    let cluster = fresh();
    for name in ["a", "b", "c", "d", "e"] {
        let odd = json!({"odd": if "bd".contains(name) { "no" } else { "yes" }});
        create(&cluster, name, odd);
    }
    let mut options = ListOptions {
        limit: 2,
        ..labeled("odd=yes")
    };
    let first = select(&cluster, &options).unwrap();
    assert_eq!(
        (names(&first.items), first.remaining),
        (vec!["a", "c"], None)
    );
    options.continue_token = first.continue_token;
    let second = select(&cluster, &options).unwrap();
    assert_eq!(names(&second.items), ["e"]);
    let by_name = ListOptions {
        fields: "metadata.name!=a".to_owned(),
        ..labeled("odd")
    };
    let page = select(&cluster, &by_name).unwrap();
    assert_eq!(names(&page.items), ["b", "c", "d", "e"]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "an editor writes as it likes")]
fn a_list_of_many_objects_includes_a_hand_edit() {
    let cluster = fresh();
    let request = |n: usize| {
        let object = map(&format!("m{n:04}"), json!({"app": "db"}));
        Request::create(place("configmaps"), object)
    };
    let requests: Vec<_> = (0..1200).map(request).collect();
    let answers = cluster.batch("tester", None, &requests).unwrap();
    assert!(answers.iter().all(Result::is_ok));
    assert!(
        select(&cluster, &labeled("app=web"))
            .unwrap()
            .items
            .is_empty()
    );
    let file = cluster
        .directory
        .path()
        .join("default/configmaps/m0500.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("app: db", "app: web")).unwrap();
    let page = select(&cluster, &labeled("app=web")).unwrap();
    assert_eq!(names(&page.items), ["m0500"]);
    let others = select(&cluster, &labeled("app=db")).unwrap();
    assert_eq!(others.items.len(), 1199);
}

#[test]
fn continue_token_expires_five_minutes_after_the_next_change() {
    let cluster = fresh();
    for name in ["a", "b", "c"] {
        create(&cluster, name, json!({}));
    }
    let mut options = ListOptions {
        limit: 1,
        ..ListOptions::default()
    };
    let first = select(&cluster, &options).unwrap();
    options.continue_token = first.continue_token;
    let pass = |minutes: i64| {
        let to = cluster.now().unwrap() + jiff::SignedDuration::from_mins(minutes);
        let _ = cluster
            .election()
            .move_clock("test", "test", None, to)
            .unwrap();
    };
    // Without a change, an old token cannot miss anything.
    pass(60);
    assert_eq!(names(&select(&cluster, &options).unwrap().items), ["b"]);
    delete(&cluster, "b");
    pass(4);
    assert_eq!(names(&select(&cluster, &options).unwrap().items), ["b"]);
    pass(2);
    let expired = select(&cluster, &options).unwrap_err();
    assert_eq!((expired.code, expired.reason), (410, "Expired"));
    let answer = expired.to_value();
    options.continue_token = answer["metadata"]["continue"].as_str().unwrap().to_owned();
    assert_eq!(names(&select(&cluster, &options).unwrap().items), ["c"]);
}

#[test]
fn an_expired_token_returns_one_that_continues() {
    let cluster = forgetful();
    for name in ["a", "b", "c"] {
        create(&cluster, name, json!({}));
    }
    let mut options = ListOptions {
        limit: 1,
        ..ListOptions::default()
    };
    let first = select(&cluster, &options).unwrap();
    forget(&cluster);
    options.continue_token = first.continue_token;
    let expired = select(&cluster, &options).unwrap_err();
    assert_eq!((expired.code, expired.reason), (410, "Expired"));
    assert!(
        expired
            .message
            .starts_with("The provided continue parameter is too old to display")
    );
    let answer = expired.to_value();
    assert_eq!(answer.get("details"), None);
    options.continue_token = answer["metadata"]["continue"].as_str().unwrap().to_owned();
    let second = select(&cluster, &options).unwrap();
    assert_eq!(names(&second.items), ["b"]);
    assert!(second.revision > first.revision);
    let old = ListOptions {
        resource_version: first.revision.to_string(),
        resource_version_match: "Exact".to_owned(),
        ..ListOptions::default()
    };
    let expired = select(&cluster, &old).unwrap_err();
    assert_eq!(
        expired.message,
        "The resourceVersion for the provided list is too old."
    );
}

#[test]
fn a_watch_reports_objects_that_enter_and_leave_its_selection() {
    let cluster = fresh();
    create(&cluster, "a", json!({"app": "web"}));
    create(&cluster, "b", json!({"app": "db"}));
    let configmaps = place("configmaps");
    let mut watch = cluster.watch(&configmaps, &labeled("app=web")).unwrap();
    assert_eq!(told(&watch.next(NOW).unwrap()), ["+a"]);
    assert_eq!(told(&watch.next(NOW).unwrap()), [""; 0]);
    let into = label(&cluster, "b", json!({"app": "web"}));
    label(&cluster, "b", json!({"more": "x"}));
    let out = label(&cluster, "a", json!({"app": "db"}));
    label(&cluster, "a", json!({"more": "x"}));
    delete(&cluster, "a");
    delete(&cluster, "b");
    let events = watch.next(NOW).unwrap();
    assert_eq!(told(&events), ["+b", "~b", "-a", "-b"]);
    let (WatchEvent::Added(b), WatchEvent::Deleted(a)) = (&events[0], &events[2]) else {
        panic!("{events:?}");
    };
    assert_eq!((revision(b), revision(a)), (into, out));
    // An object that stops to match is reported with its last matching state.
    assert_eq!(a["metadata"]["labels"], json!({"app": "web"}));
    let mut by_name = cluster
        .watch(
            &configmaps,
            &ListOptions {
                fields: "metadata.name=c".to_owned(),
                resource_version: watch.revision().to_string(),
                ..ListOptions::default()
            },
        )
        .unwrap();
    create(&cluster, "d", json!({}));
    create(&cluster, "c", json!({}));
    assert_eq!(told(&by_name.next(NOW).unwrap()), ["+c"]);
}

#[test]
fn a_watch_begins_with_the_state_at_its_request() {
    let cluster = fresh();
    create(&cluster, "a", json!({"app": "web"}));
    create(&cluster, "b", json!({"app": "web"}));
    let marked = ListOptions {
        resource_version_match: "NotOlderThan".to_owned(),
        send_initial_events: Some(true),
        ..labeled("app=web")
    };
    let watches = [labeled("app=web"), marked]
        .map(|options| cluster.watch(&place("configmaps"), &options).unwrap());
    create(&cluster, "c", json!({"app": "web"}));
    label(&cluster, "c", json!({"more": "x"}));
    delete(&cluster, "a");
    label(&cluster, "b", json!({"app": "db"}));
    let begun: [&[&str]; 2] = [
        &["+a", "+b", "+c", "~c", "-a", "-b"],
        &["+a", "+b", "|", "+c", "~c", "-a", "-b"],
    ];
    for (mut watch, begun) in watches.into_iter().zip(begun) {
        assert_eq!(told(&watch.next(NOW).unwrap()), begun);
        assert_eq!(told(&watch.next(NOW).unwrap()), [""; 0]);
    }
}

#[test]
fn a_watch_whose_request_is_no_longer_retained_begins_with_the_present_state() {
    let cluster = forgetful();
    create(&cluster, "a", json!({"app": "web"}));
    let mut watch = cluster
        .watch(&place("configmaps"), &labeled("app=web"))
        .unwrap();
    create(&cluster, "b", json!({"app": "web"}));
    delete(&cluster, "a");
    forget(&cluster);
    assert_eq!(told(&watch.next(NOW).unwrap()), ["+b"]);
}

#[test]
fn bookmarks_contain_the_revision_of_a_watch() {
    let cluster = fresh();
    let configmaps = place("configmaps");
    let listed = ListOptions {
        resource_version_match: "NotOlderThan".to_owned(),
        send_initial_events: Some(true),
        ..labeled("app=web")
    };
    let at = create(&cluster, "a", json!({"app": "web"}));
    let mut watch = cluster.watch(&configmaps, &listed).unwrap();
    let events = watch.next(NOW).unwrap();
    assert_eq!(told(&events), ["+a", "|"]);
    let WatchEvent::Bookmark(mark) = &events[1] else {
        panic!("{events:?}");
    };
    assert_eq!(
        *mark,
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
            "annotations": {"k8s.io/initial-events-end": "true"}, "resourceVersion": at.to_string()}})
    );
    let next = create(&cluster, "b", json!({"app": "db"}));
    assert_eq!(told(&watch.next(NOW).unwrap()), [""; 0]);
    let WatchEvent::Bookmark(mark) = watch.bookmark() else {
        panic!("no bookmark");
    };
    assert_eq!(revision(&mark), next);
    let without = ListOptions {
        send_initial_events: Some(false),
        ..listed
    };
    let mut watch = cluster.watch(&configmaps, &without).unwrap();
    assert_eq!(told(&watch.next(NOW).unwrap()), [""; 0]);
    label(&cluster, "a", json!({"x": "y"}));
    assert_eq!(told(&watch.next(NOW).unwrap()), ["~a"]);
}

#[test]
fn watch_from_an_expired_or_future_revision_is_rejected() {
    let cluster = forgetful();
    let at = create(&cluster, "a", json!({}));
    let from = |revision: Revision| ListOptions {
        resource_version: revision.to_string(),
        ..ListOptions::default()
    };
    let mut watch = cluster.watch(&place("configmaps"), &from(at)).unwrap();
    forget(&cluster);
    let gone = watch.next(NOW).unwrap_err();
    let gone = gone.status().unwrap();
    assert_eq!((gone.code, gone.reason), (410, "Expired"));
    assert!(
        gone.message
            .starts_with(&format!("too old resource version: {at} ("))
    );
    let ahead = cluster.watch(&place("configmaps"), &from(at + 1000));
    assert_eq!(ahead.unwrap_err().status().unwrap().code, 504);
}

/// Writes from one of several processes: creates, labels and removes its own objects, `rounds` times.
fn write(path: &std::path::Path, writer: usize, rounds: usize) {
    let cluster = Cluster::open(path, open()).unwrap();
    for round in 0..rounds {
        let name = format!("w{writer}-{}", round % 5);
        let kept = match round / 5 % 3 {
            0 => create(&cluster, &name, json!({"app": "web"})),
            1 => label(&cluster, &name, json!({"app": "db"})),
            _ => {
                delete(&cluster, &name);
                0
            }
        };
        if kept > 0 && round % 20 == 7 {
            cluster.stored().compact().unwrap();
        }
    }
}

/// Follows the objects with `app=web` by watch events alone; lists again if it must.
fn follow(path: &std::path::Path, done: &AtomicBool) -> (BTreeMap<String, Revision>, usize) {
    let cluster = Cluster::open(path, open()).unwrap();
    let configmaps = place("configmaps");
    let mut relists = 0;
    'list: loop {
        let mut known: BTreeMap<String, Revision> = BTreeMap::new();
        let mut watch = cluster.watch(&configmaps, &labeled("app=web")).unwrap();
        let mut seen = 0;
        loop {
            let over = done.load(Ordering::Acquire);
            let events = match watch.next(Duration::from_millis(5)) {
                Ok(events) => events,
                Err(e) if e.status().is_some_and(|s| s.code == 410) => {
                    relists += 1;
                    continue 'list;
                }
                Err(e) => panic!("{e}"),
            };
            let quiet = events.is_empty();
            let begun = seen > 0;
            for event in events {
                match event {
                    WatchEvent::Added(o) | WatchEvent::Modified(o) => {
                        assert!(!begun || revision(&o) > seen, "in order");
                        seen = seen.max(revision(&o));
                        known.insert(objects::meta(&o, "name").to_owned(), revision(&o));
                    }
                    WatchEvent::Deleted(o) => {
                        assert!(revision(&o) > seen, "in order");
                        seen = revision(&o);
                        let was = known.remove(objects::meta(&o, "name"));
                        assert!(was.is_some(), "a leaving object was selected: {o}");
                    }
                    WatchEvent::Bookmark(_) => {}
                }
            }
            seen = seen.max(watch.revision());
            if over && quiet {
                return (known, relists);
            }
        }
    }
}

#[test]
fn watchers_of_a_selection_end_with_the_result_of_a_list() {
    const ROUNDS: usize = 30;
    let scratch = forgetful();
    let path = scratch.directory.path();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watchers: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| follow(path, &done)))
            .collect();
        let writers: Vec<_> = (0..8)
            .map(|writer| scope.spawn(move || write(path, writer, ROUNDS)))
            .collect();
        // Lists in parts, meanwhile: each shows one revision, sorted, without duplicates.
        let cluster = Cluster::open(path, open()).unwrap();
        while !writers.iter().all(|w| w.is_finished()) {
            let mut options = ListOptions {
                limit: 3,
                ..labeled("app=web")
            };
            let mut all: Vec<String> = Vec::new();
            let mut at = None;
            loop {
                match select(&cluster, &options) {
                    Ok(page) => {
                        assert_eq!(*at.get_or_insert(page.revision), page.revision);
                        let own = page
                            .items
                            .iter()
                            .map(|o| objects::meta(o, "name").to_owned());
                        all.extend(own);
                        assert!(page.items.iter().all(|o| revision(o) <= page.revision));
                        options.continue_token = page.continue_token;
                    }
                    Err(status) => {
                        assert_eq!(status.code, 410);
                        break;
                    }
                }
                if options.continue_token.is_empty() {
                    break;
                }
            }
            assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
        }
        writers.into_iter().for_each(|w| w.join().unwrap());
        done.store(true, Ordering::Release);
        let page = select(&cluster, &labeled("app=web")).unwrap();
        let listed: BTreeMap<String, Revision> = page
            .items
            .iter()
            .map(|o| (objects::meta(o, "name").to_owned(), revision(o)))
            .collect();
        for watcher in watchers {
            let (known, _) = watcher.join().unwrap();
            assert_eq!(known, listed);
        }
    });
    assert_eq!(scratch.files().fsck(true).unwrap().problems, [""; 0]);
}

#[test]
fn a_watch_reads_from_memory_what_it_would_read_from_the_store() {
    let cluster = fresh();
    let mut follower = cluster.feed().follower();
    follower.next(NOW).unwrap();
    for (options, prefix) in [(ListOptions::default(), "a"), (labeled("x=y"), "b")] {
        let begun = || {
            let mut watching = cluster.watch(&place("configmaps"), &options).unwrap();
            watching.next(NOW).unwrap();
            watching
        };
        let [mut by_store, mut by_memory] = [begun(), begun()];
        let [one, two] = [format!("{prefix}-1"), format!("{prefix}-2")];
        create(&cluster, &one, json!({"x": "y"}));
        create(&cluster, &two, json!({}));
        label(&cluster, &one, json!({"x": null}));
        label(&cluster, &two, json!({"x": "y"}));
        delete(&cluster, &one);
        follower.next(NOW).unwrap();
        let (mut events, mut out) = (Vec::new(), Vec::new());
        let read = by_memory.recent(false, None, &mut out, &mut |event, _| events.push(event));
        assert!(read.unwrap());
        assert_eq!(events, by_store.next(NOW).unwrap());
        assert_eq!(by_memory.revision(), by_store.revision());
    }
}

#[test]
fn watches_of_everything_share_an_encoding_and_others_do_not() {
    let cluster = fresh();
    let mut follower = cluster.feed().follower();
    follower.next(NOW).unwrap();
    let begun = |options: &ListOptions| {
        let mut watching = cluster.watch(&place("configmaps"), options).unwrap();
        watching.next(NOW).unwrap();
        watching
    };
    let everything = ListOptions::default();
    let watches = [
        begun(&everything),
        begun(&everything),
        begun(&labeled("x=y")),
    ];
    create(&cluster, "a", json!({"x": "y"}));
    follower.next(NOW).unwrap();
    let mut encoded = 0;
    for mut watching in watches {
        let mut out = Vec::new();
        let mut encode = |event, out: &mut Vec<u8>| {
            encoded += 1;
            out.extend(told(&[event])[0].as_bytes());
        };
        assert!(
            watching
                .recent(false, Some("name"), &mut out, &mut encode)
                .unwrap()
        );
        assert_eq!(out, b"+a");
    }
    assert_eq!(encoded, 2);
    drop(follower);
    let read = begun(&everything).recent(false, None, &mut Vec::new(), &mut |_, _| {});
    assert!(!read.unwrap(), "nothing is known without a follower");
}
