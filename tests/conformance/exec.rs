//! Runs commands in containers over a WebSocket.

use std::fmt::Write as _;

use serde_json::Value;

use crate::client::messages;
use crate::cluster::Api;
use crate::resource::encoded;

/// The output of a command in a container.
#[derive(Debug)]
pub struct Ran {
    pub out: String,
    pub err: String,
    pub status: Value,
}

/// Runs a command, which may fail.
#[track_caller]
pub fn try_run(api: &Api, pod: &str, container: &str, command: &[&str]) -> Ran {
    let pods = api.of("v1", "Pod").path;
    let mut path = format!("{pods}/{pod}/exec?container={container}&stdout=1&stderr=1");
    for word in command {
        write!(path, "&command={}", encoded(word)).unwrap();
    }
    let mut ran = Ran {
        out: String::new(),
        err: String::new(),
        status: Value::Null,
    };
    for message in messages(&api.address, &path, "v5.channel.k8s.io") {
        let Some((channel, text)) = message.split_first() else {
            continue;
        };
        match channel {
            1 => ran.out.push_str(&String::from_utf8_lossy(text)),
            2 => ran.err.push_str(&String::from_utf8_lossy(text)),
            3 => ran.status = serde_json::from_slice(text).unwrap(),
            _ => {}
        }
    }
    ran
}

/// Returns the output of a command that must succeed.
#[track_caller]
pub fn run(api: &Api, pod: &str, container: &str, command: &[&str]) -> String {
    let ran = try_run(api, pod, container, command);
    assert_eq!(ran.status["status"], "Success", "{ran:?}");
    ran.out
}
