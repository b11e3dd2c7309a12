//! The part of a review that does not change from one decision of a request to the next.

use crate::api::json::Value;

/// Returns the text of a review without the values that the server derives from the revision. Other commits between two
/// decisions change nothing else, and would otherwise make the request call again endlessly.
pub(crate) fn text(review: &Value) -> String {
    let mut review = review.clone();
    let request = &mut review["request"];
    let mut generated = false;
    for name in ["object", "oldObject"] {
        let Some(metadata) = request[name]
            .get_mut("metadata")
            .and_then(Value::as_object_mut)
        else {
            continue;
        };
        for volatile in [
            "uid",
            "creationTimestamp",
            "resourceVersion",
            "generation",
            "managedFields",
        ] {
            metadata.remove(volatile);
        }
        if name == "object" && metadata.contains_key("generateName") {
            metadata.remove("name");
            generated = true;
        }
    }
    if generated {
        request["name"] = Value::Null;
    }
    let text = review.to_string();
    // The volume with the token of a Pod has a random name as well.
    let mut parts = text.split(TOKEN_VOLUME);
    let mut lasting = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        lasting.push_str(TOKEN_VOLUME);
        lasting.push_str(part.get(SUFFIX..).unwrap_or(part));
    }
    lasting
}

/// The name of a Pod's token volume before its suffix.
const TOKEN_VOLUME: &str = "kube-api-access-";

/// The length of that suffix.
const SUFFIX: usize = 5;
