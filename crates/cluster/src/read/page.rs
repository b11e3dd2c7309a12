//! Pages of lists: the options of clients, and the tokens that lead to the next page.
//!
//! A token contains the revision that all pages show and the position of the next one. Its content is private to the
//! server.

use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD, URL_SAFE_NO_PAD};
use base64::{DecodeError, Engine as _};

use crate::api::json::{Value, json};
use crate::api::selector::FieldSelector;
use crate::api::status::{Cause, CauseReason, Details, Status};
use crate::store::Revision;

const VERSION: &str = "meta.k8s.io/v1";

const EXPIRED: &str = "The resourceVersion for the provided list is too old.";

const EXPIRED_TOKEN: &str = "The provided continue parameter is too old to display a consistent list \
    result. You can start a new list without the continue parameter, or use the continue token in \
    this response to retrieve the remainder of the results. Continuing with the provided token \
    results in an inconsistent list - objects that were created, modified, or deleted between the \
    time the first chunk was returned and now may show up in the list.";

/// The options of a list or a watch in a client's request.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::{ListOptions, Page, Place};
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// let pods = Place::new(cluster.kind("pods")?, "default");
/// for name in ["a", "b", "c"] {
///     let pod = json!({"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}});
///     cluster.create(&pods, &pod, &Default::default())?;
/// }
/// let mut options = ListOptions { limit: 2, ..ListOptions::default() };
/// let first: Page = cluster.select(&pods, &options)?;
/// assert_eq!((first.items.len(), first.remaining), (2, Some(1)));
/// options.continue_token = first.continue_token;
/// assert_eq!(cluster.select(&pods, &options)?.items.len(), 1);
/// # Ok::<(), ctl_cluster::ApiError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// Label selector.
    pub labels: String,
    /// Field selector.
    pub fields: String,
    /// The most objects that a list returns; all if it is not above 0.
    pub limit: i64,
    /// The token of the page before.
    pub continue_token: String,
    /// The requested revision; empty for the newest.
    pub resource_version: String,
    /// `Exact` or `NotOlderThan`, or empty.
    pub resource_version_match: String,
    /// True if a watch begins with the existing objects.
    pub send_initial_events: Option<bool>,
}

/// The revision that a list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListRevision {
    /// The newest revision, which must not be before this one.
    Newest(Revision),
    /// Exactly this revision.
    Exactly(Revision),
}

/// The position at which the next page of a list begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// The revision of the page before; `None` continues at the newest.
    pub(crate) revision: Option<Revision>,
    /// The last key of the page before, within the range of the list.
    pub(crate) after: String,
}

impl Token {
    pub(crate) fn encode(&self) -> String {
        // The format is kube-apiserver's, so that its errors about invalid tokens apply.
        let revision = self.revision.map_or(json!(-1), |r| json!(r));
        // The smallest key after the last one, where etcd would start the next range.
        let start = format!("{}\0", self.after);
        let token = json!({"v": VERSION, "rv": revision, "start": start});
        URL_SAFE_NO_PAD.encode(token.to_string())
    }

    /// Reads a token.
    ///
    /// # Errors
    /// The server's 400 if it is not a token.
    pub(crate) fn decode(text: &str) -> Result<Self, Status> {
        let refuse = |why: String| {
            Status::bad_request(format!(
                "invalid continue token: continue key is not valid: {why}"
            ))
        };
        let bytes = LENIENT.decode(text);
        let bytes = bytes.map_err(|e| refuse(not_base64(text, &e)))?;
        let token: Value = serde_json::from_slice(&bytes).map_err(|_| refuse(no_json(&bytes)))?;
        match token["v"].as_str() {
            Some(VERSION) => {}
            other => {
                let version = other.unwrap_or_default();
                let why = format!("server does not recognize this encoded version {version:?}");
                return Err(refuse(why));
            }
        }
        let revision = match token["rv"].as_i64() {
            // -1 marks the token of an inconsistent continuation, which kube-apiserver offers with `410`.
            Some(-1) => None,
            Some(revision) if revision > 0 => u64::try_from(revision).ok(),
            _ => {
                let why = format!("incorrect encoded start resourceVersion (version {VERSION})");
                return Err(refuse(why));
            }
        };
        let start = token["start"].as_str().unwrap_or_default();
        if start.is_empty() {
            return Err(refuse(format!(
                "encoded start key empty (version {VERSION})"
            )));
        }
        let after = start.strip_suffix('\0').unwrap_or(start);
        Ok(Self {
            revision,
            after: after.to_owned(),
        })
    }
}

/// Reads base64 as Go's decoder does, which ignores the bits after the last byte.
const LENIENT: GeneralPurpose =
    GeneralPurpose::new(&URL_SAFE, NO_PAD.with_decode_allow_trailing_bits(true));

/// Returns the error of Go's decoder.
fn not_base64(text: &str, error: &DecodeError) -> String {
    let at = match error {
        DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => *at,
        // A single character is left over.
        DecodeError::InvalidLength(length) => length.saturating_sub(1),
        DecodeError::InvalidPadding => text.find('=').unwrap_or(0),
    };
    format!("illegal base64 data at input byte {at}")
}

/// Returns the reason why bytes are not JSON, with the text of Go's decoder.
fn no_json(bytes: &[u8]) -> String {
    match bytes.first() {
        None => "unexpected end of JSON input".to_owned(),
        Some(first) => format!(
            "invalid character {:?} looking for beginning of value",
            char::from(*first)
        ),
    }
}

impl ListOptions {
    /// Returns the name of the only object that the fields select, as roles see it: a rule for one name also admits its list
    /// and its watch.
    pub fn only_name(&self) -> String {
        let fields = FieldSelector::parse(&self.fields).unwrap_or_default();
        fields.exact("metadata.name").unwrap_or_default().to_owned()
    }

    /// Checks the combination of options of a list.
    ///
    /// # Errors
    /// The server's 422.
    pub(crate) fn check_list(&self) -> Result<(), Status> {
        let mut causes = Causes::default();
        let how = self.resource_version_match.as_str();
        if !how.is_empty() {
            if self.resource_version.is_empty() {
                causes.forbid("is forbidden unless resourceVersion is provided");
            }
            if !self.continue_token.is_empty() {
                causes.forbid("is forbidden when continue is provided");
            }
            if !matches!(how, "Exact" | "NotOlderThan") {
                causes.unsupported(how, "\"Exact\", \"NotOlderThan\", \"\"");
            }
            if how == "Exact" && self.resource_version == "0" {
                causes.forbid("\"exact\" is forbidden for resourceVersion \"0\"");
            }
        }
        // Only watches can stream a list; the real server rejects the option here with this text.
        if self.send_initial_events.is_some() {
            causes.add(
                CauseReason::Forbidden,
                "sendInitialEvents",
                "Forbidden: sendInitialEvents is forbidden for list".to_owned(),
            );
        }
        causes.refuse()
    }

    /// Checks the combination of options of a watch.
    ///
    /// # Errors
    /// The server's 422.
    pub(crate) fn check_watch(&self) -> Result<(), Status> {
        let mut causes = Causes::default();
        let how = self.resource_version_match.as_str();
        if self.send_initial_events.is_some() && how != "NotOlderThan" {
            causes.add(
                CauseReason::Forbidden,
                FIELD,
                "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
                    .to_owned(),
            );
        }
        if !how.is_empty() {
            if self.send_initial_events.is_none() {
                causes.forbid("is forbidden for watch unless sendInitialEvents is provided");
            }
            if how != "NotOlderThan" {
                causes.unsupported(how, "\"NotOlderThan\"");
            }
            if !self.continue_token.is_empty() {
                causes.forbid("is forbidden when continue is provided");
            }
        }
        causes.refuse()
    }

    /// Returns the revision that a list shows.
    ///
    /// # Errors
    /// The server's 400 for an invalid resource version.
    pub(crate) fn at(&self) -> Result<ListRevision, Status> {
        let asked = revision(&self.resource_version)
            .map_err(|why| Status::bad_request(format!("invalid resource version: {why}")))?;
        // Without a match rule, a page with a resource version is exact: clients relied on that before there were
        // rules.
        let exact = match self.resource_version_match.as_str() {
            "Exact" => true,
            "" => self.limit > 0 && asked > 0,
            _ => false,
        };
        Ok(match exact {
            true => ListRevision::Exactly(asked),
            false => ListRevision::Newest(asked),
        })
    }

    /// Returns the revision after which a watch begins; `None` if it begins with the current objects.
    ///
    /// # Errors
    /// The server's 500 for an invalid resource version.
    pub(crate) fn after(&self) -> Result<Option<Revision>, Status> {
        let asked = revision(&self.resource_version).map_err(Status::internal)?;
        // As for the real server: without a version a watch sends the existing objects first, from a version only
        // changes.
        let initial = self.send_initial_events.unwrap_or(asked == 0);
        Ok((!initial).then_some(asked))
    }
}

const FIELD: &str = "resourceVersionMatch";

#[derive(Default)]
struct Causes(Vec<Cause>);

impl Causes {
    fn add(&mut self, reason: CauseReason, field: &str, message: String) {
        self.0.push(Cause {
            reason,
            field: field.to_owned(),
            message,
        });
    }

    fn forbid(&mut self, why: &str) {
        let message = format!("Forbidden: {FIELD} {why}");
        self.add(CauseReason::Forbidden, FIELD, message);
    }

    fn unsupported(&mut self, how: &str, known: &str) {
        let message = format!("Unsupported value: {how:?}: supported values: {known}");
        self.add(CauseReason::NotSupported, FIELD, message);
    }

    fn refuse(self) -> Result<(), Status> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(Status::invalid("meta.k8s.io", "ListOptions", "", self.0)),
        }
    }
}

fn revision(text: &str) -> Result<Revision, String> {
    match text {
        "" => Ok(0),
        text => text.parse().map_err(|_| {
            let why = format!("strconv.ParseUint: parsing {text:?}: invalid syntax");
            format!("resourceVersion: Invalid value: {text:?}: {why}")
        }),
    }
}

/// Returns a 410: the revision of the list is no longer retained.
pub(crate) fn expired() -> Status {
    Status {
        code: 410,
        reason: "Expired",
        ..Status::bad_request(EXPIRED)
    }
}

/// Returns a 410: the revision of the earlier pages is no longer retained. The response has a token that continues at
/// the newest one.
pub(crate) fn expired_token(token: &Token) -> Status {
    let inconsistent = Token {
        revision: None,
        ..token.clone()
    };
    let details = Details {
        continue_token: inconsistent.encode(),
        ..Details::default()
    };
    Status {
        code: 410,
        reason: "Expired",
        details: Some(Box::new(details)),
        ..Status::bad_request(EXPIRED_TOKEN)
    }
}

/// Returns a 504: the revision does not exist yet.
pub(crate) fn too_large(asked: Revision, current: Revision) -> Status {
    let cause = Cause {
        reason: CauseReason::ResourceVersionTooLarge,
        field: String::new(),
        message: "Too large resource version".to_owned(),
    };
    let details = Details {
        retry_after_seconds: 1,
        causes: vec![cause],
        ..Details::default()
    };
    Status {
        code: 504,
        reason: "Timeout",
        message: format!("Timeout: Too large resource version: {asked}, current: {current}"),
        details: Some(Box::new(details)),
        warnings: Vec::new(),
    }
}

/// Returns a 410: the events after a revision are no longer retained.
pub(crate) fn too_old(asked: Revision, oldest: Revision) -> Status {
    Status {
        code: 410,
        reason: "Expired",
        ..Status::bad_request(format!("too old resource version: {asked} ({oldest})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_tokens_get_the_errors_of_go() {
        for (text, why) in [
            (
                "bad",
                "invalid character 'm' looking for beginning of value",
            ),
            ("ab!d", "illegal base64 data at input byte 2"),
            ("abcde", "illegal base64 data at input byte 4"),
            ("YQ==", "illegal base64 data at input byte 2"),
        ] {
            let status = Token::decode(text).unwrap_err();
            let why = format!("invalid continue token: continue key is not valid: {why}");
            assert_eq!((status.code, status.message), (400, why), "{text}");
        }
    }
}
