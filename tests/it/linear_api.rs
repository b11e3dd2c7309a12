//! Runs the race of `linear.rs` on the API itself: six clients call the library as a controller does, six send requests
//! over HTTP, and four are commands that are killed. Their results fit into a single order.

use std::sync::Mutex;

use crate::linear::{Question, Race, Victims, check_races, race_through, write};
use crate::support::http::{Client, Server};
use crate::support::linear::{Answer, Expect, What};
use crate::support::race::{Random, open};
use crate::support::{CommandOutput, World, count, key};
use ctl::api::json::{Value, json};
use ctl::cluster::{
    ApiError, Cluster, DeleteOptions, ListOptions, Part, PatchType, Place, WriteOptions,
};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// The label of the clients' objects; only these are checked, because others exist.
const OURS: &str = "race=yes";

fn map(name: &str, value: &str, at: Expect) -> Value {
    let mut map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"v": value},
        "metadata": {"name": name, "namespace": "default", "labels": {"race": "yes"}}});
    if let Expect::At(revision) = at {
        map["metadata"]["resourceVersion"] = json!(revision.to_string());
    }
    map
}

fn name(key: &str) -> &str {
    key.rsplit('/').next().unwrap()
}

fn version(object: &Value) -> u64 {
    let version = object["metadata"]["resourceVersion"].as_str();
    version
        .unwrap_or_else(|| panic!("{object}"))
        .parse()
        .unwrap()
}

fn seen(object: &Value) -> (u64, String) {
    (
        version(object),
        object["data"]["v"].as_str().unwrap().to_owned(),
    )
}

fn listed(revision: u64, items: &[Value]) -> What {
    let item = |object: &Value| {
        (
            key(object["metadata"]["name"].as_str().unwrap()),
            seen(object),
        )
    };
    What::List {
        revision,
        items: items.iter().map(item).collect(),
    }
}

/// Returns the write in the form of the API, in which a write without a revision has no precondition.
fn as_api(question: Question) -> Question {
    match question {
        Question::Put(key, Expect::Any, value) => Question::Put(key, Expect::Present, value),
        other => other,
    }
}

/// Sends the request to the cluster in this process.
fn ask_here(cluster: &Cluster, question: Question) -> What {
    let kind = ctl::kinds::find("", "v1", "ConfigMap").unwrap();
    let place = Place::new(kind, "default");
    let options = WriteOptions::default();
    let told = |answer: Result<ctl::cluster::Response, ApiError>| match answer {
        Ok(answer) => Answer::Done(version(&answer.object)),
        Err(e) => match e.status().unwrap_or_else(|| panic!("{e}")).code {
            404 | 409 => Answer::Refused,
            _ => panic!("{e}"),
        },
    };
    match question {
        Question::Get(key) => {
            let found = match cluster.get(&place, name(&key)) {
                Ok(object) => Some(seen(&object)),
                Err(e) => {
                    assert_eq!(e.status().unwrap().code, 404);
                    None
                }
            };
            What::Get { key, found }
        }
        Question::List => {
            let options = ListOptions {
                labels: OURS.to_owned(),
                ..ListOptions::default()
            };
            let page = cluster.select(&place, &options).unwrap();
            listed(page.revision, &page.items)
        }
        Question::Put(key, expect, Some(value)) => {
            let object = map(name(&key), &value, expect);
            let answer = match expect {
                Expect::Absent => cluster.create(&place, &object, &options),
                _ => cluster.replace(&place, name(&key), &object, Part::Whole, &options),
            };
            write(&key, expect, Some(value), told(answer))
        }
        Question::Put(key, expect, None) => {
            let delete = DeleteOptions {
                resource_version: match expect {
                    Expect::At(revision) => Some(revision.to_string()),
                    _ => None,
                },
                ..DeleteOptions::default()
            };
            let answer = match told(cluster.delete(&place, name(&key), &delete)) {
                Answer::Done(_) => Answer::Sometime,
                other => other,
            };
            write(&key, expect, None, answer)
        }
        Question::Merge(key, value) => {
            let patch = json!({"data": {"v": value}});
            let how = (PatchType::Merge, &patch);
            let answer = cluster.patch(&place, name(&key), how, Part::Whole, &options);
            write(&key, Expect::Present, Some(value), told(answer))
        }
    }
}

/// Sends the request over HTTP.
fn ask_there(client: &mut Client, question: Question) -> What {
    let one = |key: &str| format!("{MAPS}/{}", name(key));
    let told = |answer: crate::support::http::Answer| match answer.code {
        200 | 201 if answer.json()["kind"] == "Status" => Answer::Sometime,
        200 | 201 => Answer::Done(version(&answer.json())),
        404 | 409 => Answer::Refused,
        _ => panic!("{answer:?}"),
    };
    let media = "Content-Type: application/json\r\n";
    match question {
        Question::Get(key) => {
            let answer = client.get(&one(&key));
            let found = match answer.code {
                404 => None,
                _ => Some(seen(&answer.ok())),
            };
            What::Get { key, found }
        }
        Question::List => {
            let list = client.get(&format!("{MAPS}?labelSelector=race%3Dyes")).ok();
            listed(version(&list), list["items"].as_array().unwrap())
        }
        Question::Put(key, expect, Some(value)) => {
            let object = map(name(&key), &value, expect);
            let answer = match expect {
                Expect::Absent => client.post(MAPS, &object),
                _ => client.ask("PUT", &one(&key), media, &object.to_string()),
            };
            write(&key, expect, Some(value), told(answer))
        }
        Question::Put(key, expect, None) => {
            let options = match expect {
                Expect::At(revision) => {
                    json!({"preconditions": {"resourceVersion": revision.to_string()}}).to_string()
                }
                _ => String::new(),
            };
            let answer = told(client.ask("DELETE", &one(&key), media, &options));
            write(&key, expect, None, answer)
        }
        Question::Merge(key, value) => {
            let patch = json!({"data": {"v": value}});
            let answer = told(client.patch(&one(&key), "merge", &patch));
            write(&key, Expect::Present, Some(value), answer)
        }
    }
}

/// Returns the result of a command that writes.
fn told(ran: &CommandOutput) -> Answer {
    let refusals = ["(AlreadyExists)", "(NotFound)", "(Conflict)"];
    match ran.out.trim() {
        "" if ran.code == 137 => Answer::Unknown,
        "" if refusals.iter().any(|text| ran.err.contains(text)) => Answer::Refused,
        text if text.ends_with("deleted") || text.contains("deleted from") => Answer::Sometime,
        revision => Answer::Done(revision.parse().unwrap_or_else(|_| panic!("{ran:?}"))),
    }
}

/// Sends the request through a command, which is killed at a call if `fault` names one, and at random. A killed read
/// returns no result.
fn ask_command(
    world: &World,
    (victims, client): (&Victims, usize),
    question: Question,
    fault: Option<usize>,
) -> Option<What> {
    let run = |args: &[&str], input: &str| {
        let mut command = world.command();
        command.args(args);
        if let Some(at) = fault {
            command.env("CTL_FAULT", format!("kill:any:{at}"));
        }
        victims.run(client, command, input)
    };
    let revision = ["-o", "jsonpath={.metadata.resourceVersion}"];
    Some(match question {
        Question::Get(key) => {
            let ran = run(
                &[
                    "get",
                    "configmap",
                    name(&key),
                    "-o",
                    "json",
                    "--ignore-not-found",
                ],
                "",
            );
            if ran.code == 137 {
                return None;
            }
            let text = ran.ok();
            let found = (!text.is_empty()).then(|| seen(&serde_json::from_str(&text).unwrap()));
            What::Get { key, found }
        }
        Question::List => {
            let ran = run(
                &["get", "--raw", &format!("{MAPS}?labelSelector=race%3Dyes")],
                "",
            );
            if ran.code == 137 {
                return None;
            }
            let list: Value = serde_json::from_str(&ran.ok()).unwrap();
            listed(version(&list), list["items"].as_array().unwrap())
        }
        Question::Put(key, expect @ (Expect::Absent | Expect::At(_)), Some(value)) => {
            let verb = if expect == Expect::Absent {
                "create"
            } else {
                "replace"
            };
            let object = map(name(&key), &value, expect).to_string();
            let ran = run(&[&[verb, "-f", "-"], &revision[..]].concat(), &object);
            write(&key, expect, Some(value), told(&ran))
        }
        Question::Put(key, _, None) => {
            let ran = run(&["delete", "configmap", name(&key), "--wait=false"], "");
            write(&key, Expect::Present, None, told(&ran))
        }
        Question::Put(key, _, Some(value)) | Question::Merge(key, value) => {
            let patch = json!({"data": {"v": value}}).to_string();
            let words = [
                "patch",
                "configmap",
                name(&key),
                "--type",
                "merge",
                "-p",
                &patch,
            ];
            let ran = run(&[&words, &revision[..]].concat(), "");
            write(&key, Expect::Present, Some(value), told(&ran))
        }
    })
}

fn race(seed: u64, each: usize) -> Race {
    let world = World::fresh();
    let server = Server::start(&world, &[]);
    let here: Vec<Cluster> = (0..2).map(|_| open(&world, "thread")).collect();
    let there: Vec<Mutex<Client>> = (0..6).map(|_| Mutex::new(server.client())).collect();
    let race = race_through(
        &world,
        (seed, each),
        &|client, victims, random: &mut Random, question| {
            let question = as_api(question);
            match client {
                0..6 => Some(ask_here(&here[client % 2], question)),
                6..12 => Some(ask_there(&mut there[client - 6].lock().unwrap(), question)),
                _ => {
                    let fault = (random.below(3) == 0).then(|| 1 + random.below(70));
                    ask_command(&world, (victims, client), question, fault)
                }
            }
        },
    );
    assert_eq!(server.stop().code, 0);
    race
}

#[test]
fn concurrent_api_histories_are_linearizable() {
    let (seeds, each) = (count(2, 30), count(40, 200));
    check_races("T14 through the API", seeds, |seed| race(seed, each));
}
