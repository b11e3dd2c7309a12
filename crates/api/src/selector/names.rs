//! The rules for label keys and values, with the API server's messages.

const NAME: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const SUBDOMAIN: &str = r"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// Checks a label key and returns the problems.
pub(super) fn key_problems(key: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut parts = key.split('/');
    let (first, second, third) = (parts.next().unwrap_or(""), parts.next(), parts.next());
    let name = match (second, third) {
        (None, _) => first,
        (Some(name), None) => {
            prefix_problems(first, &mut wrong);
            name
        }
        _ => {
            wrong.push(format!(
                "a qualified name {NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            ));
            return wrong;
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".into());
    } else if name.len() > 63 {
        wrong.push("name part must be no more than 63 bytes".into());
    }
    if !is_name(name) {
        wrong.push(format!("name part {NAME}"));
    }
    wrong
}

fn prefix_problems(prefix: &str, wrong: &mut Vec<String>) {
    if prefix.is_empty() {
        wrong.push("prefix part must be non-empty".into());
        return;
    }
    if prefix.len() > 253 {
        wrong.push("prefix part must be no more than 253 characters".into());
    }
    let lower = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    let label = |label: &str| {
        let bytes = label.as_bytes();
        matches!((bytes.first(), bytes.last()), (Some(a), Some(b)) if lower(*a) && lower(*b))
            && bytes.iter().all(|c| lower(*c) || *c == b'-')
    };
    if !prefix.split('.').all(label) {
        wrong.push(format!("prefix part {SUBDOMAIN}"));
    }
}

/// Checks a label value and returns the problems.
pub(super) fn value_problems(value: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if value.len() > 63 {
        wrong.push("must be no more than 63 bytes".into());
    }
    if !value.is_empty() && !is_name(value) {
        wrong.push(LABEL.into());
    }
    wrong
}

fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let outer = |c: Option<&u8>| c.is_some_and(u8::is_ascii_alphanumeric);
    let inner = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.');
    outer(bytes.first()) && outer(bytes.last()) && bytes.iter().all(inner)
}
