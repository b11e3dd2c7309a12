//! Checks the formats of names and labels, with Kubernetes' error messages.
//!
//! Each function returns a list of error messages, which is empty if the input is well-formed.

/// Returns a format error that quotes examples and the regular expression for the text.
fn format_error(message: &str, expression: &str, examples: &[&str]) -> String {
    // Go joins the examples with ` or ` and leaves a comma before the expression.
    let examples: Vec<_> = examples.iter().map(|e| format!("'{e}', ")).collect();
    match examples.is_empty() {
        true => format!("{message} (regex used for validation is '{expression}')"),
        false => format!(
            "{message} (e.g. {}regex used for validation is '{expression}')",
            examples.join(" or ")
        ),
    }
}

/// Returns the message for a number outside an inclusive range.
pub fn range(low: i64, high: i64) -> String {
    format!("must be between {low} and {high}, inclusive")
}

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

fn is_label(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    bounded(text, inner, |b| inner(b) || b == b'-')
}

fn is_subdomain(text: &str) -> bool {
    // Kubernetes limits only the total length, so a part of a subdomain may exceed 63 characters.
    text.split('.').all(is_label)
}

fn is_qualified_part(text: &str) -> bool {
    bounded(
        text,
        |b| b.is_ascii_alphanumeric(),
        |b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'),
    )
}

fn bounded(text: &str, ends: impl Fn(u8) -> bool, all: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(first), Some(last)) => ends(*first) && ends(*last) && bytes.iter().all(|b| all(*b)),
        _ => false,
    }
}

fn too_long(text: &str, max: usize) -> Option<String> {
    (text.len() > max).then(|| format!("must be no more than {max} characters"))
}

/// Checks a DNS label (RFC 1123), at most 63 characters.
pub fn dns1123_label(text: &str) -> Vec<String> {
    let mut wrong: Vec<String> = too_long(text, 63).into_iter().collect();
    if !is_label(text) {
        // A valid subdomain that contains dots gets the shorter message, as in newer versions.
        wrong.push(match is_subdomain(text) {
            true => "must not contain dots".to_owned(),
            false => format_error(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', \
                 and must start and end with an alphanumeric character",
                LABEL,
                &["my-name", "123-abc"],
            ),
        });
    }
    wrong
}

/// Checks a DNS subdomain (RFC 1123), at most 253 characters.
pub fn dns1123_subdomain(text: &str) -> Vec<String> {
    let mut wrong: Vec<String> = too_long(text, 253).into_iter().collect();
    if !is_subdomain(text) {
        wrong.push(format_error(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
             '.', and must start and end with an alphanumeric character",
            SUBDOMAIN,
            &["example.com"],
        ));
    }
    wrong
}

/// Checks a DNS search domain: a subdomain whose labels may contain or start with underscores.
pub fn search_domain(text: &str) -> Vec<String> {
    let mut wrong: Vec<String> = too_long(text, 253).into_iter().collect();
    let is_label = |label: &str| {
        let masked = label.strip_prefix('_').unwrap_or(label).replace('_', "-");
        !masked.is_empty() && is_subdomain(&masked)
    };
    if !text.split('.').all(is_label) {
        wrong.push(format_error(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
             '.', and must start and end with an alphanumeric character",
            r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*",
            &["example.com"],
        ));
    }
    wrong
}

/// Checks a DNS label (RFC 1035), which starts with a letter.
pub fn dns1035_label(text: &str) -> Vec<String> {
    let mut wrong: Vec<String> = too_long(text, 63).into_iter().collect();
    if !is_label(text) || !text.starts_with(|c: char| c.is_ascii_lowercase()) {
        wrong.push(format_error(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
             alphabetic character, and end with an alphanumeric character",
            "[a-z]([-a-z0-9]*[a-z0-9])?",
            &["my-name", "abc-123"],
        ));
    }
    wrong
}

/// Checks a wildcard subdomain, whose first label is `*`.
pub fn wildcard_subdomain(text: &str) -> Vec<String> {
    let mut wrong: Vec<String> = too_long(text, 253).into_iter().collect();
    if !text.strip_prefix("*.").is_some_and(is_subdomain) {
        wrong.push(format_error(
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, \
             which must consist of lower case alphanumeric characters, '-' or '.' and end with an \
             alphanumeric character",
            &format!(r"\*\.{SUBDOMAIN}"),
            &["*.example.com"],
        ));
    }
    wrong
}

/// Checks a label key: a name with an optional subdomain and slash before it.
pub fn qualified_name(text: &str) -> Vec<String> {
    const EXPRESSION: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
    const CONSIST: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and \
                           end with an alphanumeric character";
    const EXAMPLES: &[&str] = &["MyName", "my.name", "123-abc"];
    let mut wrong = Vec::new();
    let parts: Vec<&str> = text.split('/').collect();
    let name = match parts.as_slice() {
        [name] => *name,
        // Reported in addition to errors in the name.
        ["", name] => {
            wrong.push("prefix part must be non-empty".to_owned());
            *name
        }
        [prefix, name] => {
            let messages = dns1123_subdomain(prefix);
            wrong.extend(messages.into_iter().map(|m| format!("prefix part {m}")));
            *name
        }
        // With several slashes, it is unclear which part is the prefix.
        _ => {
            let message = format_error(
                &format!("a valid label key {CONSIST}"),
                EXPRESSION,
                EXAMPLES,
            );
            return vec![format!(
                "{message} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        wrong.push("name part must be no more than 63 bytes".to_owned());
    }
    if !is_qualified_part(name) {
        wrong.push(format!(
            "name part {}",
            format_error(CONSIST, EXPRESSION, EXAMPLES)
        ));
    }
    wrong
}

/// Checks an identifier of the language C.
pub fn c_identifier(text: &str) -> Vec<String> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    if text.bytes().all(plain) && text.starts_with(|c: char| !c.is_ascii_digit()) {
        return Vec::new();
    }
    vec![format_error(
        "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric \
         characters or '_'",
        "[A-Za-z_][A-Za-z0-9_]*",
        &["my_name", "MY_NAME", "MyName"],
    )]
}

/// Checks the value of a label.
pub fn label_value(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 63 {
        wrong.push("must be no more than 63 bytes".to_owned());
    }
    if !text.is_empty() && !is_qualified_part(text) {
        wrong.push(format_error(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or \
             '.', and must start and end with an alphanumeric character",
            "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
            &["MyValue", "my_value", "12345"],
        ));
    }
    wrong
}

/// Checks the key of a ConfigMap or Secret.
pub fn config_key(text: &str) -> Vec<String> {
    let mut wrong: Vec<String> = too_long(text, 253).into_iter().collect();
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_');
    if text.is_empty() || !text.bytes().all(plain) {
        wrong.push(format_error(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            "[-._a-zA-Z0-9]+",
            &["key.name", "KEY_NAME", "key-name"],
        ));
    }
    match text {
        "." => wrong.push("must not be '.'".to_owned()),
        ".." => wrong.push("must not be '..'".to_owned()),
        // Names that begin with `..` are reserved for the kubelet's atomic writer of volumes.
        text if text.starts_with("..") => wrong.push("must not start with '..'".to_owned()),
        _ => {}
    }
    wrong
}

/// Checks the name of a container port.
pub fn port_name(text: &str) -> Vec<String> {
    // IANA service names: RFC 6335 allows 15 characters.
    let mut wrong: Vec<String> = too_long(text, 15).into_iter().collect();
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if text.is_empty() || !text.bytes().all(plain) {
        wrong.push(
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".to_owned(),
        );
    }
    if !text.bytes().any(|b| b.is_ascii_lowercase()) {
        wrong.push("must contain at least one letter (a-z)".to_owned());
    }
    if text.contains("--") {
        wrong.push("must not contain consecutive hyphens".to_owned());
    }
    if text.starts_with('-') || text.ends_with('-') {
        wrong.push("must not begin or end with a hyphen".to_owned());
    }
    wrong
}

/// Checks a port number.
pub fn port_number(number: i64) -> Vec<String> {
    match (1..=65535).contains(&number) {
        true => Vec::new(),
        false => vec![range(1, 65535)],
    }
}

/// Checks a percentage such as `25%`.
pub fn percent(text: &str) -> Vec<String> {
    let digits = text.strip_suffix('%').unwrap_or("");
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        return Vec::new();
    }
    vec![format_error(
        "a valid percent string must be a numeric string followed by an ending '%'",
        "[0-9]+%",
        &["1%", "93%"],
    )]
}

/// Checks the name of an environment variable.
pub fn environment_name(text: &str) -> Vec<String> {
    // Relaxed environment names (KEP-4369): any printable ASCII character but the equals sign.
    let plain = |c: char| (' '..='~').contains(&c) && c != '=';
    if !text.is_empty() && text.chars().all(plain) {
        return Vec::new();
    }
    vec![
        "a valid environment variable name must consist only of printable ASCII characters other than '='"
            .to_owned(),
    ]
}

/// Checks the name of an environment variable by kubectl's rule, which is stricter than the API server's.
pub fn strict_environment_name(text: &str) -> Vec<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let digit = text.starts_with(|c: char| c.is_ascii_digit());
    if text.is_empty() || digit || !text.chars().all(plain) {
        return vec![format_error(
            "a valid environment variable name must consist of alphabetic characters, digits, '_', \
             '-', or '.', and must not start with a digit",
            "[-._a-zA-Z][-._a-zA-Z0-9]*",
            &["my.env-name", "MY_ENV.NAME", "MyEnvName1"],
        )];
    }
    match text {
        "." => vec!["must not be '.'".to_owned()],
        ".." => vec!["must not be '..'".to_owned()],
        text if text.starts_with("..") => vec!["must not start with '..'".to_owned()],
        _ => Vec::new(),
    }
}

/// Checks the name of an HTTP header.
pub fn http_header(text: &str) -> Vec<String> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        return Vec::new();
    }
    vec![format_error(
        "a valid HTTP header must consist of alphanumeric characters or '-'",
        "[-A-Za-z0-9]+",
        &["X-Header-Name"],
    )]
}

/// Checks a name that becomes a single segment of a URL path.
pub fn path_segment(text: &str) -> Vec<String> {
    if matches!(text, "." | "..") {
        return vec![format!("may not be '{text}'")];
    }
    ['/', '%']
        .iter()
        .filter(|c| text.contains(**c))
        .map(|c| format!("may not contain '{c}'"))
        .collect()
}

/// Checks a domain with a path, such as `acme.io/foo`.
pub fn domain_prefixed_path(text: &str) -> Vec<String> {
    let Some((domain, path)) = text
        .split_once('/')
        .filter(|(d, p)| !d.is_empty() && !p.is_empty())
    else {
        return vec!["must be a domain-prefixed path (such as \"acme.io/foo\")".to_owned()];
    };
    let mut wrong = dns1123_subdomain(domain);
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/:@%!$&'()*+,;=-._~".contains(&b);
    if !path.bytes().all(plain) {
        wrong.push(format_error(
            "Invalid path",
            r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+",
            &[],
        ));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_port_name_has_neither_a_character_nor_a_letter() {
        let wrong = [
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
            "must contain at least one letter (a-z)",
        ];
        assert_eq!(port_name(""), wrong);
        assert!(port_name("http-2").is_empty());
    }

    #[test]
    fn dns_labels_and_subdomains_are_validated() {
        assert!(dns1123_label("a-1").is_empty());
        assert_eq!(dns1123_label("a.b"), ["must not contain dots"]);
        assert_eq!(
            dns1123_label("A"),
            [
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and \
              must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex \
              used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
            ]
        );
        assert!(dns1123_subdomain("a.b-c").is_empty());
        assert_eq!(dns1123_subdomain("a..b").len(), 1);
        assert!(dns1035_label("1a").len() == 1 && dns1035_label("a1").is_empty());
    }

    #[test]
    fn search_domains_may_have_underscores() {
        for good in ["_foo.bar", "_sip._tcp.abc.com", "a_b.c"] {
            assert!(search_domain(good).is_empty(), "{good}");
        }
        for bad in ["__a", "a_", "_", "a..b", "A"] {
            assert_eq!(search_domain(bad).len(), 1, "{bad}");
        }
    }

    #[test]
    fn qualified_names_have_one_slash_at_most() {
        assert!(qualified_name("example.com/Name_1").is_empty());
        assert_eq!(qualified_name("").len(), 2);
        assert_eq!(qualified_name("a/b/c").len(), 1);
        assert_eq!(qualified_name("/a"), ["prefix part must be non-empty"]);
    }
}
