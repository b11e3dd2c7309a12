//! Tests `docs/controllers`: each controller's page is generated from the docs of its module, and every rule in a
//! cluster's history is on the page of its controller.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::layers::rust_files;
use crate::support::World;

/// Each page, the module that it is generated from, and the controllers in that module.
pub(crate) const PAGES: &[(&str, &str, &[&str])] = &[
    (
        "deployment",
        "crates/controllers/src/deployment/mod.rs",
        &["deployment"],
    ),
    (
        "replicaset",
        "crates/controllers/src/replica_set/mod.rs",
        &["replicaset", "replicationcontroller"],
    ),
    (
        "statefulset",
        "crates/controllers/src/stateful_set/mod.rs",
        &["statefulset"],
    ),
    (
        "daemonset",
        "crates/controllers/src/daemon_set/mod.rs",
        &["daemonset"],
    ),
    ("job", "crates/controllers/src/job/mod.rs", &["job"]),
    (
        "cronjob",
        "crates/controllers/src/cronjob/mod.rs",
        &["cronjob"],
    ),
    (
        "ttl-after-finished",
        "crates/controllers/src/ttl_after_finished.rs",
        &["ttl-after-finished"],
    ),
    (
        "scheduler",
        "crates/controllers/src/scheduler/mod.rs",
        &["scheduler"],
    ),
    (
        "kubelet",
        "crates/kubelet/src/lib.rs",
        &["kubelet", "kubelet-node", "kubelet-stages"],
    ),
    (
        "endpoints",
        "crates/controllers/src/endpoints.rs",
        &["endpoints"],
    ),
    (
        "endpointslice",
        "crates/controllers/src/endpointslice/mod.rs",
        &["endpointslice"],
    ),
    (
        "endpointslice-mirroring",
        "crates/controllers/src/endpointslice_mirroring.rs",
        &["endpointslice-mirroring"],
    ),
    (
        "disruption",
        "crates/controllers/src/disruption.rs",
        &["disruption"],
    ),
    (
        "node-lifecycle",
        "crates/controllers/src/node_lifecycle.rs",
        &["node-lifecycle"],
    ),
    (
        "taint-eviction",
        "crates/controllers/src/taint_eviction.rs",
        &["taint-eviction"],
    ),
    (
        "autoscaler",
        "crates/controllers/src/hpa/mod.rs",
        &["horizontalpodautoscaler"],
    ),
    (
        "load-balancer",
        "crates/controllers/src/load_balancer.rs",
        &["service-lb", "ingress"],
    ),
    (
        "volumes",
        "crates/controllers/src/pv_binder.rs",
        &[
            "persistentvolume-binder",
            "persistentvolume",
            "ephemeral-volume",
            "volumeattributesclass-protection",
        ],
    ),
    (
        "resource-claims",
        "crates/controllers/src/resource_claims.rs",
        &["resourceclaim-template", "resourceclaim"],
    ),
    (
        "resourcequota",
        "crates/controllers/src/resource_quota.rs",
        &["resourcequota"],
    ),
    (
        "kubernetes-service",
        "crates/controllers/src/api_server.rs",
        &["kubernetes-service"],
    ),
    (
        "service-cidr",
        "crates/controllers/src/service_ranges.rs",
        &["service-cidr"],
    ),
    (
        "ipallocator-repair",
        "crates/controllers/src/address_repair.rs",
        &["ipallocator-repair"],
    ),
    (
        "namespace-contents",
        "crates/controllers/src/namespace_contents.rs",
        &["serviceaccount", "root-ca"],
    ),
    (
        "namespace",
        "crates/controllers/src/namespace.rs",
        &["namespace"],
    ),
    (
        "clusterrole-aggregation",
        "crates/controllers/src/cluster_role_aggregation.rs",
        &["clusterrole-aggregation"],
    ),
    (
        "certificate-requests",
        "crates/controllers/src/certificate_requests.rs",
        &["csr-signing", "csr-cleaner"],
    ),
    (
        "service-account-tokens",
        "crates/controllers/src/service_account_tokens.rs",
        &["serviceaccount-token"],
    ),
    (
        "validatingadmissionpolicy-status",
        "crates/controllers/src/admission_policies.rs",
        &["validatingadmissionpolicy-status"],
    ),
    (
        "garbage-collector",
        "crates/controllers/src/garbage_collector.rs",
        &["garbage-collector"],
    ),
    ("pod-gc", "crates/controllers/src/pod_gc.rs", &["pod-gc"]),
    (
        "event-ttl",
        "crates/controllers/src/event_ttl.rs",
        &["event-ttl"],
    ),
];

/// The mark at the end of the generated part of a page.
const END: &str = "<!-- CTL_UPDATE=1 cargo test controller_pages generates the page up to here from the docs \
                   of the module. -->\n";

const INDEX: &str = "# The controllers

This page lists the controllers of a cluster in the order in which they run. Each is a pure function that computes a plan from
the observed state ([lesson 4](../learn/4-reconcile.md)). Every write contains the name of its rule, which `ctl controllers -v 1`
shows and the journal keeps. Each page lists the rules of one controller.

`ctl controllers` and `ctl settle` run all of them; `--only NAMES` and `--except NAMES` select some.

In addition to the kinds on its page, each controller watches the objects that decide on admission (ResourceQuotas, LimitRanges,
ServiceAccounts and admission policies). If one of them changes, it retries the rejected writes of the namespace.

| page | does |
|---|---|
";

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The docs of a module: its paragraphs, and its rules with their meaning.
pub(crate) struct About {
    pub(crate) paragraphs: Vec<String>,
    pub(crate) rules: Vec<(Vec<String>, String)>,
}

pub(crate) fn about(source: &str) -> About {
    let text = fs::read_to_string(root(source)).unwrap();
    let lines = text.lines().map_while(|l| l.strip_prefix("//!"));
    let text: String = lines.map(|l| format!("{}\n", l.trim())).collect();
    let name = Regex::new("`([a-z-]+)`").unwrap();
    let annotation = Regex::new(r"\[`fake::([A-Z_]+)`\]").unwrap();
    let link = Regex::new(r"\[(`[^`]+`)\]").unwrap();
    let readable = |text: &str| {
        let text = annotation.replace_all(text, |found: &regex::Captures<'_>| {
            format!("`ctl.dev/{}`", found[1].to_lowercase().replace('_', "-"))
        });
        link.replace_all(&text, "$1").into_owned()
    };
    let (mut paragraphs, mut rules) = (Vec::new(), Vec::new());
    for part in text.trim().split("\n\n") {
        if let Some(list) = part.strip_prefix("Rules:\n") {
            for item in list.trim_start_matches("- ").split("\n- ") {
                let (names, means) = item.split_once(':').unwrap();
                let names = name.captures_iter(names).map(|n| n[1].to_owned()).collect();
                rules.push((names, readable(&means.trim().replace('\n', " "))));
            }
        } else if !part.starts_with("Must not know") {
            paragraphs.push(readable(part));
        }
    }
    About { paragraphs, rules }
}

/// Returns the kinds that each controller watches, by the controller's name.
fn watched() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut all = ctl::controllers::wanted(&|_| true);
    all.extend(ctl::kubelet::controllers());
    let kinds = |controller: &dyn ctl::runtime::Controller| {
        let mut kinds = Vec::new();
        for watch in controller.watches() {
            let kind = watch.kind.map_or("every kind", |kind| kind.kind);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds
    };
    all.iter().map(|c| (c.name(), kinds(&**c))).collect()
}

fn page(title: &str, source: &str, names: &[&str]) -> String {
    let about = about(source);
    let mut text = format!("# {title}\n\n{}\n", about.paragraphs.join("\n\n"));
    if !about.rules.is_empty() {
        text += "\n| rule | when, and what is done |\n|---|---|\n";
        for (names, means) in &about.rules {
            let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
            writeln!(text, "| {} | {means} |", names.join(", ")).unwrap();
        }
    }
    text += "\n| controller | watches |\n|---|---|\n";
    let watched = watched();
    for name in names {
        writeln!(text, "| `{name}` | {} |", watched[name].join(", ")).unwrap();
    }
    write!(text, "\nSource: [{source}](../../{source})\n\n{END}").unwrap();
    text
}

/// Compares the beginning of a file with the generated text, or writes it. Text after the mark is kept.
fn hold(path: &str, generated: &str) {
    let file = root("docs/controllers").join(path);
    let old = fs::read_to_string(&file).unwrap_or_default();
    let by_hand = old.split_once(END).map_or("", |(_, rest)| rest);
    if std::env::var_os("CTL_UPDATE").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        crate::support::state::write_file(&file, format!("{generated}{by_hand}").as_bytes());
    }
    let now = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        now.starts_with(generated),
        "{path} is old: CTL_UPDATE=1 cargo test controller_pages"
    );
}

#[test]
fn controller_pages_match_the_module_documentation() {
    let mut index = INDEX.to_owned();
    for (title, source, names) in PAGES {
        let about = about(source);
        let first = about.paragraphs[0].replace('\n', " ");
        writeln!(index, "| [{title}]({title}.md) | {first} |").unwrap();
        hold(&format!("{title}.md"), &page(title, source, names));
    }
    write!(index, "\n{END}").unwrap();
    hold("README.md", &index);
    let named: BTreeSet<&str> = PAGES
        .iter()
        .flat_map(|(_, _, names)| *names)
        .copied()
        .collect();
    assert_eq!(
        named,
        watched().into_keys().collect(),
        "every controller is on a page"
    );
    let files = fs::read_dir(root("docs/controllers")).unwrap();
    let pages = files.filter(|f| f.as_ref().unwrap().path().extension().unwrap() == "md");
    assert_eq!(
        pages.count(),
        PAGES.len() + 1,
        "every page is of a controller"
    );
}

/// Returns the source of a module (its file or its whole folder) and of the code that controllers share.
fn code(source: &str) -> String {
    let path = root(source);
    let folder = path.parent().unwrap().to_owned();
    let mut files = vec![path];
    if source.ends_with("/mod.rs") || source.ends_with("/lib.rs") {
        files = rust_files(&folder);
    }
    files.extend(["workload.rs", "revisions.rs"].map(|f| root("crates/controllers/src").join(f)));
    let files = files
        .iter()
        .filter(|f| f.extension().is_some_and(|e| e == "rs"));
    let text: Vec<String> = files.map(|f| fs::read_to_string(f).unwrap()).collect();
    let text = text.join("\n");
    let lines = text.lines().filter(|l| !l.starts_with("//!"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn every_rule_of_a_page_is_in_the_code() {
    let mut count = 0;
    for (_, source, _) in PAGES {
        let code = code(source);
        for name in about(source).rules.into_iter().flat_map(|(names, _)| names) {
            count += 1;
            assert!(code.contains(&format!("\"{name}")), "{source}: {name}");
        }
    }
    assert!(count > 60, "{count}");
}

/// Returns the rules in a cluster's journal, by controller.
fn history(world: &World) -> BTreeMap<String, BTreeSet<String>> {
    let mut rules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in fs::read_dir(world.path(".ctl/journal")).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text.lines() {
            let head = line
                .splitn(5, ' ')
                .nth(4)
                .unwrap()
                .split('\t')
                .next()
                .unwrap();
            let head: ctl::api::json::Value = serde_json::from_str(head).unwrap();
            for entry in head["ops"].as_array().into_iter().flatten() {
                let rule = entry.get("rule").unwrap_or(&head["rule"]).as_str();
                let rule = rule.unwrap_or_default().split(':').next().unwrap();
                let writer = head["writer"].as_str().unwrap_or_default();
                rules
                    .entry(writer.to_owned())
                    .or_default()
                    .insert(rule.to_owned());
            }
        }
    }
    rules
}

#[test]
fn every_rule_of_a_busy_history_is_on_a_page() {
    let world = World::fresh();
    let run = |command: &str| world.run(&command.split(' ').collect::<Vec<_>>()).ok();
    let manifest = root("testdata/busy.yaml");
    let _ = run(&format!("apply -f {}", manifest.display()));
    for command in [
        "settle --for 1h",
        "set image deployment/web web=nginx:2 -n busy",
        "set image statefulset/db db=postgres:17 -n busy",
        "set image daemonset/agent agent=agent:2 -n busy",
        "settle --for 10m",
        "rollout undo deployment/web -n busy",
        "scale statefulset/db --replicas 1 -n busy",
        "fault node node-1 --down",
        "settle --for 15m",
        "fault clear node node-1",
        "delete deployment web -n busy --cascade=foreground --wait=false",
        "delete statefulset db -n busy --cascade=orphan --wait=false",
        "delete pvc scratch -n busy --wait=false",
        "settle --for 10m",
        "delete namespace busy --wait=false",
        "settle --for 10m",
    ] {
        // Some objects cannot reach their desired state yet, so exit code 1 is allowed, too.
        let ran = world.run(&command.split(' ').collect::<Vec<_>>());
        assert!(
            ran.code <= 1 && !ran.err.contains("error:"),
            "{command}: {ran:?}"
        );
    }
    let seen = history(&world);
    let mut unknown = Vec::new();
    let mut count = 0;
    for (_, source, names) in PAGES.iter().filter(|(page, ..)| *page != "kubelet") {
        let told: BTreeSet<String> = about(source)
            .rules
            .into_iter()
            .flat_map(|(names, _)| names)
            .collect();
        for rule in names.iter().filter_map(|name| seen.get(*name)).flatten() {
            count += 1;
            if !told.contains(rule) {
                unknown.push(format!("{source}: {rule}"));
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
    assert!(count > 40, "{count} rules: {seen:#?}");
}
