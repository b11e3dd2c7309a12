//! NetworkPolicies.

use super::meta::{labels_and_annotations, name_and_namespace, or, or_none, parse, plain};
use super::related::Related;
use super::writer::Writer;
use crate::api::json::Value;
use crate::kinds::columns::label_selector;
use crate::kinds::tree::{field, has, len, list, opt_int, text, texts};

/// A direction of traffic: its fields, and kubectl's words for it.
struct Direction {
    word: &'static str,
    rules: &'static str,
    policy: &'static str,
    peers: &'static str,
    title: &'static str,
    end: &'static str,
}

const DIRECTIONS: [Direction; 2] = [
    Direction {
        word: "ingress",
        rules: "ingress",
        policy: "Ingress",
        peers: "from",
        title: "From",
        end: "source",
    },
    Direction {
        word: "egress",
        rules: "egress",
        policy: "Egress",
        peers: "to",
        title: "To",
        end: "destination",
    },
];

pub(super) fn network_policy(w: &mut Writer, policy: &Value, related: &Related) {
    let (metadata, spec) = (field(policy, "metadata"), field(policy, "spec"));
    name_and_namespace(w, policy);
    let created = match parse(field(metadata, "creationTimestamp")) {
        Some(stamp) => {
            let zoned = stamp.to_zoned(related.zone.clone());
            // Unlike in all other descriptions, kubectl uses Go's default time format here.
            zoned.strftime("%Y-%m-%d %H:%M:%S %z %Z").to_string()
        }
        None => "0001-01-01 00:00:00 +0000 UTC".to_owned(),
    };
    w.field(0, "Created on", created);
    labels_and_annotations(w, policy);
    w.line(0, "Spec:");
    let pods = field(spec, "podSelector");
    let selector = match len(pods, "matchLabels") + len(pods, "matchExpressions") {
        0 => "<none> (Allowing the specific traffic to all pods in this namespace)".to_owned(),
        _ => label_selector(pods),
    };
    // kubectl indents the selector once more, although it is on the same line.
    w.line(1, format!("PodSelector:     {selector}"));
    for direction in &DIRECTIONS {
        let word = direction.word;
        // A policy does not restrict a direction that it does not list; an empty list of rules forbids all traffic.
        if texts(spec, "policyTypes").any(|policy| policy == direction.policy) {
            w.line(1, format!("Allowing {word} traffic:"));
            traffic(w, spec, direction);
        } else {
            w.line(1, format!("Not affecting {word} traffic"));
        }
    }
    let types = texts(spec, "policyTypes").collect::<Vec<_>>().join(", ");
    w.line(1, format!("Policy Types: {}", or_none(&types)));
}

fn traffic(w: &mut Writer, spec: &Value, direction: &Direction) {
    let rules = list(spec, direction.rules);
    if rules.is_empty() {
        let word = direction.word;
        w.line(
            2,
            format!("<none> (Selected pods are isolated for {word} connectivity)"),
        );
    }
    for (at, rule) in rules.iter().enumerate() {
        if at > 0 {
            w.line(2, "----------");
        }
        if len(rule, "ports") == 0 {
            w.line(2, "To Port: <any> (traffic allowed to all ports)");
        }
        for port in list(rule, "ports") {
            let protocol = or(text(port, "protocol"), "TCP");
            let number = match field(port, "port") {
                Value::Null => "<nil>".to_owned(),
                number => plain(number),
            };
            w.line(
                2,
                match opt_int(port, "endPort") {
                    None => format!("To Port: {number}/{protocol}"),
                    Some(end) => format!("To Port Range: {number}-{end}/{protocol}"),
                },
            );
        }
        if len(rule, direction.peers) == 0 {
            let (title, end) = (direction.title, direction.end);
            w.line(
                2,
                format!("{title}: <any> (traffic not restricted by {end})"),
            );
        }
        for peer in list(rule, direction.peers) {
            w.line(2, format!("{}:", direction.title));
            one_peer(w, peer);
        }
    }
}

fn one_peer(w: &mut Writer, peer: &Value) {
    for (title, name) in [
        ("NamespaceSelector", "namespaceSelector"),
        ("PodSelector", "podSelector"),
    ] {
        if has(peer, name) {
            w.line(3, format!("{title}: {}", label_selector(field(peer, name))));
        }
    }
    let block = field(peer, "ipBlock");
    if !block.is_null() {
        w.line(3, "IPBlock:");
        w.line(4, format!("CIDR: {}", text(block, "cidr")));
        w.line(
            4,
            format!(
                "Except: {}",
                texts(block, "except").collect::<Vec<_>>().join(", ")
            ),
        );
    }
}
