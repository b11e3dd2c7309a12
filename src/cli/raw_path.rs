//! `--raw`: what a path of the API answers.

use serde_json::{Value, json};

use super::error::CliError;
use super::resource::Kinds;
use crate::api::status::Status;
use crate::cluster::{Cluster, Place, Selection};
use crate::kinds::Kind;
use crate::print::json::one_line;

/// What a path answers: JSON in one line, or a word.
pub(crate) fn get(cluster: &Cluster, path: &str) -> Result<String, CliError> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    if let ["healthz" | "livez" | "readyz", ..] = parts.as_slice() {
        return Ok("ok".to_owned());
    }
    let kinds = Kinds::of(Some(cluster))?;
    let (group, version, rest) = match parts.as_slice() {
        ["version"] => return Ok(one_line(&super::commands::version::server())),
        ["api"] => {
            let versions = json!({"kind": "APIVersions", "versions": ["v1"]});
            return Ok(one_line(&versions));
        }
        ["apis"] => return Ok(one_line(&groups(&kinds))),
        ["api", version, rest @ ..] => ("", *version, rest),
        ["apis", group, version, rest @ ..] => (*group, *version, rest),
        _ => return Err(unknown()),
    };
    let mut served = kinds.served();
    served.retain(|k| k.group == group && k.version == version);
    if served.is_empty() {
        return Err(unknown());
    }
    if rest.is_empty() {
        return Ok(one_line(&resources(&served)));
    }
    let find = |plural: &str| served.iter().find(|k| k.plural == plural).copied();
    let (namespace, rest) = match rest {
        ["namespaces", namespace, inner @ ..] if !inner.is_empty() && *inner != ["status"] => {
            (*namespace, inner)
        }
        rest => ("", rest),
    };
    let kind = find(rest[0]).ok_or_else(unknown)?;
    let place = Place::new(kind, namespace);
    match rest {
        [_] => list(cluster, &place, query),
        [_, name] | [_, name, "status"] => Ok(one_line(&cluster.get(&place, name)?)),
        _ => Err(unknown()),
    }
}

fn list(cluster: &Cluster, place: &Place, query: &str) -> Result<String, CliError> {
    let (mut labels, mut fields) = (String::new(), String::new());
    for (name, value) in query.split('&').filter_map(|p| p.split_once('=')) {
        match name {
            "labelSelector" => labels = decoded(value),
            "fieldSelector" => fields = decoded(value),
            _ => {}
        }
    }
    let selection = Selection::parse(place.kind, &labels, &fields)?;
    let list = cluster.list(place, &|object| selection.matches(object), None)?;
    Ok(one_line(&json!({
        "apiVersion": place.kind.api_version(),
        "kind": place.kind.list_kind(),
        "metadata": {"resourceVersion": list.revision.to_string()},
        "items": list.items,
    })))
}

/// Text of a URL with its `%20`s.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes
            .get(at + 1..at + 3)
            .and_then(|h| std::str::from_utf8(h).ok());
        let code = hex.and_then(|h| u8::from_str_radix(h, 16).ok());
        match (bytes[at], code) {
            (b'%', Some(code)) => {
                out.push(code);
                at += 2;
            }
            (b'+', _) => out.push(b' '),
            (other, _) => out.push(other),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn unknown() -> CliError {
    let mut status = Status::not_found("", "");
    "the server could not find the requested resource".clone_into(&mut status.message);
    status.into()
}

fn groups(kinds: &Kinds) -> Value {
    let mut names: Vec<&str> = Vec::new();
    for kind in kinds.served() {
        if !kind.group.is_empty() && !names.contains(&kind.group) {
            names.push(kind.group);
        }
    }
    let group = |name: &&str| {
        let mut versions: Vec<&str> = Vec::new();
        for kind in kinds.served().iter().filter(|k| k.group == *name) {
            if !versions.contains(&kind.version) {
                versions.push(kind.version);
            }
        }
        let shown = |version: &&str| json!({"groupVersion": format!("{name}/{version}"), "version": version});
        let all: Vec<Value> = versions.iter().map(shown).collect();
        json!({"name": name, "versions": all, "preferredVersion": all.first()})
    };
    let groups: Vec<Value> = names.iter().map(group).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

fn resources(kinds: &[&'static Kind]) -> Value {
    let resource = |kind: &&Kind| {
        json!({
            "name": kind.plural, "singularName": kind.singular, "namespaced": kind.namespaced,
            "kind": kind.kind, "verbs": kind.verbs, "shortNames": kind.short_names,
            "categories": kind.categories,
        })
    };
    let all: Vec<Value> = kinds.iter().map(resource).collect();
    let version = kinds.first().map(|k| k.api_version()).unwrap_or_default();
    json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": all})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_come_out_of_urls() {
        assert_eq!(decoded("app%3Dweb+x%"), "app=web x%");
    }
}
