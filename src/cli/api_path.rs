//! Sends requests to API paths: `--raw`, and subresources of objects. Responses are those of the API server.

use super::context::Context;
use super::error::CliError;
use super::nodes::NODES;
use super::resource::args::FileArgs;
use crate::api::json::Value;
use crate::api::status::Status;
use crate::cluster::{
    Cluster, FieldValidation, PatchType, Place, Response, WriteOptions, no_subresource,
};
use crate::kinds::Kind;
use crate::print::{go_order, json::one_line};
use crate::serve::{self, Body, Request};
use crate::sys::bounded;

/// Returns the response of a path as text. `file` holds the body; `-` is standard input.
pub(crate) fn raw(
    context: &Context,
    method: &str,
    path: &str,
    file: Option<&str>,
) -> Result<String, CliError> {
    let body = match file {
        None => Vec::new(),
        // The server rejects a body that is too large.
        Some("-") => bounded::stdin(bounded::BODY)?,
        Some(file) => bounded::read(file, bounded::BODY).map_err(|e| CliError::unread(file, &e))?,
    };
    // The cluster is opened before the user is determined, because opening it checks the credentials.
    let cluster = context.api()?;
    let request = Request {
        method,
        content_type: "application/json",
        user_agent: "kubectl",
        body: &body,
        impersonation: context.impersonation(),
        nodes: Some(&NODES),
        // Without a token, `context.user()` has already resolved `--as`.
        ..Request::get(path, context.user())
    };
    let response = serve::try_respond(&cluster, &request)?;
    response.warnings.iter().for_each(|w| context.ui.warn(w));
    match response.body {
        Body::Object(object) => Ok(go_order::one_line(&object) + "\n"),
        // client-go replaces a 404 without a `Status` by its own message.
        Body::Text(_) if response.code == 404 => Err(unknown()),
        Body::Text(text) => Ok(text),
        Body::Encoded(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// Rejects flags that `--raw` does not allow.
pub(crate) fn check_raw(
    path: &str,
    files: &FileArgs,
    others: &[(bool, &str)],
) -> Result<(), CliError> {
    // The checks are in kubectl's order, so the first of several mistakes is the one reported.
    let refuse = |text: String| Err(CliError::text(text));
    if let Some(file) = files.filename.first()
        && (file.starts_with("http://") || file.starts_with("https://"))
    {
        return refuse("--raw cannot read from a url".to_owned());
    }
    if files.recursive {
        return refuse("--raw and --recursive are mutually exclusive".to_owned());
    }
    if let Some((_, flag)) = others.iter().find(|(given, _)| *given) {
        return refuse(format!("--raw and --{flag} are mutually exclusive"));
    }
    if !path.starts_with('/') {
        return refuse(format!(
            // Go's `url.ParseRequestURI` rejects every path that does not begin with a slash, with this text.
            "--raw must be a valid URL path: parse {path:?}: invalid URI for request"
        ));
    }
    Ok(())
}

/// A subresource of an object.
pub(crate) struct SubresourceTarget<'a> {
    pub(crate) context: &'a Context,
    pub(crate) cluster: &'a Cluster,
    pub(crate) place: &'a Place,
    pub(crate) name: &'a str,
    pub(crate) subresource: &'a str,
}

impl SubresourceTarget<'_> {
    /// Reads the subresource.
    pub(crate) fn get(&self) -> Result<Value, CliError> {
        Ok(self.send("GET", "", &[], "")?.object)
    }

    /// Patches the subresource. Returns its new state.
    pub(crate) fn patch(
        &self,
        how: PatchType,
        patch: &Value,
        options: &WriteOptions,
    ) -> Result<Response, CliError> {
        let media = match how {
            PatchType::Json => "application/json-patch+json",
            PatchType::Merge => "application/merge-patch+json",
            PatchType::Strategic => "application/strategic-merge-patch+json",
        };
        let body = one_line(patch);
        self.send("PATCH", media, body.as_bytes(), &query(options))
    }

    /// Replaces the subresource. Returns its new state.
    pub(crate) fn replace(
        &self,
        object: &Value,
        options: &WriteOptions,
    ) -> Result<Response, CliError> {
        let body = one_line(object);
        self.send("PUT", "application/json", body.as_bytes(), &query(options))
    }

    /// Applies a configuration to the subresource. Returns its new state.
    pub(crate) fn apply(
        &self,
        object: &Value,
        options: &WriteOptions,
        force: bool,
    ) -> Result<Response, CliError> {
        let body = one_line(object);
        let query = format!("{}&force={force}", query(options));
        self.send(
            "PATCH",
            "application/apply-patch+yaml",
            body.as_bytes(),
            &query,
        )
    }

    fn send(
        &self,
        method: &str,
        content_type: &str,
        body: &[u8],
        query: &str,
    ) -> Result<Response, CliError> {
        let path = format!(
            "{}/{}?{query}",
            path(self.place, self.name),
            self.subresource
        );
        let request = Request {
            method,
            content_type,
            user_agent: "kubectl",
            body,
            ..Request::get(&path, self.context.user())
        };
        let response = serve::try_respond(self.cluster, &request)?;
        match response.body {
            Body::Object(object) => Ok(Response {
                object,
                warnings: response.warnings,
                changed: true,
                created: false,
                gone: false,
            }),
            Body::Text(_) | Body::Encoded(_) => Err(unknown()),
        }
    }
}

/// Returns the server's error if a kind lacks a subresource.
pub(crate) fn check_subresource(
    kind: &Kind,
    subresource: &str,
    name: &str,
) -> Result<(), CliError> {
    match kind.subresource(subresource) {
        Some(_) => Ok(()),
        None => Err(no_subresource(kind, name).into()),
    }
}

fn path(place: &Place, name: &str) -> String {
    let kind = place.kind;
    let root = match kind.group {
        "" => format!("/api/{}", kind.version),
        group => format!("/apis/{group}/{}", kind.version),
    };
    let inside = match place.namespace.as_str() {
        "" => String::new(),
        namespace => format!("/namespaces/{namespace}"),
    };
    format!("{root}{inside}/{}/{name}", kind.plural)
}

fn query(options: &WriteOptions) -> String {
    let validation = match options.field_validation {
        FieldValidation::Strict => "Strict",
        FieldValidation::Ignore => "Ignore",
        FieldValidation::Warn => "Warn",
    };
    let dry_run = if options.dry_run { "&dryRun=All" } else { "" };
    let manager = encoded(&options.field_manager);
    format!("fieldManager={manager}&fieldValidation={validation}{dry_run}")
}

/// Percent-encodes a text for the value of a query.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            // A field manager may contain `&` or `=`, which would end the value or begin another parameter.
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(byte.into()),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

fn unknown() -> CliError {
    let mut status = Status::not_found("", "");
    "the server could not find the requested resource".clone_into(&mut status.message);
    status.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_values_are_percent_encoded() {
        assert_eq!(encoded("a b&c=1"), "a%20b%26c%3D1");
    }

    #[test]
    fn raw_requires_a_path_and_one_local_file() {
        let files = |name: &str| FileArgs {
            filename: vec![name.to_owned()],
            ..FileArgs::default()
        };
        check_raw("/api", &files("-"), &[]).unwrap();
        let told = |path: &str, file: &str, others: &[(bool, &str)]| {
            check_raw(path, &files(file), others)
                .unwrap_err()
                .to_string()
        };
        assert!(told("api", "-", &[]).contains("parse \"api\": invalid URI for request"));
        assert!(told("/api", "http://x", &[]).contains("from a url"));
        let both = "--raw and --output are mutually exclusive";
        assert_eq!(told("/api", "-", &[(false, "x"), (true, "output")]), both);
    }
}
