//! The security options of containers on Windows.

use super::super::errors::Errors;
use super::super::path::Path;
use super::super::{go, names};
use crate::api::json::Value;
use crate::tree::{has, text};

const CREDENTIALS_KIB: usize = 64;
const DOMAIN_MAX: usize = 256;
const USER_MAX: usize = 104;

/// Validates the `windowsOptions` of a security context.
pub(crate) fn options(path: &Path<'_>, options: &Value, errors: &mut Errors) {
    let name = text(options, "gmsaCredentialSpecName");
    if has(options, "gmsaCredentialSpecName") {
        let wrong = names::dns1123_subdomain(name);
        errors.invalid_each(&path.child("gmsaCredentialSpecName"), name, wrong);
    }
    let credentials = text(options, "gmsaCredentialSpec");
    let path_of_spec = path.child("gmsaCredentialSpec");
    if has(options, "gmsaCredentialSpec") && credentials.is_empty() {
        let detail = "gmsaCredentialSpec cannot be an empty string";
        errors.invalid_shown(&path_of_spec, "\"\"", detail);
    } else if credentials.len() > CREDENTIALS_KIB * 1024 {
        let detail = format!("gmsaCredentialSpec size must be under {CREDENTIALS_KIB} KiB");
        errors.invalid_shown(&path_of_spec, &go::quoted(credentials), &detail);
    }
    let user = text(options, "runAsUserName");
    if has(options, "runAsUserName") {
        let wrong = user_name(user).into_iter();
        let wrong = wrong.map(|wrong| format!("runAsUserName{wrong}"));
        errors.invalid_each(&path.child("runAsUserName"), user, wrong.collect());
    }
}

/// Returns the errors of a user name, either alone or as `DOMAIN\USER`.
fn user_name(name: &str) -> Vec<String> {
    // With any of these errors, the name cannot be split into domain and user.
    let whole = match name {
        "" => " cannot be an empty string",
        name if name.contains(|c: char| c.is_ascii_control()) => {
            " cannot contain control characters"
        }
        name if name.matches('\\').count() > 1 => " cannot contain more than one backslash",
        _ => "",
    };
    if !whole.is_empty() {
        return vec![whole.to_owned()];
    }
    let mut wrong = Vec::new();
    let (domain, user) = match name.split_once('\\') {
        Some((domain, user)) => (Some(domain), user),
        None => (None, name),
    };
    if let Some(domain) = domain {
        if domain.len() >= DOMAIN_MAX {
            wrong.push(format!(
                "'s Domain length must be under {DOMAIN_MAX} characters"
            ));
        }
        if !is_net_bios(domain) && !is_dns(domain) {
            wrong.push("'s Domain doesn't match the NetBios nor the DNS format".to_owned());
        }
    }
    // The limits are those of Active Directory.
    if user.is_empty() {
        wrong.push("'s User cannot be empty".to_owned());
    } else if user.len() > USER_MAX {
        wrong.push(format!(
            "'s User length must not be longer than {USER_MAX} characters"
        ));
    }
    if !user.is_empty() && user.chars().all(|c| matches!(c, '.' | ' ')) {
        wrong.push("'s User cannot contain only periods or spaces".to_owned());
    }
    if user.contains([
        '"', '/', '\\', ':', ';', '|', '=', ',', '+', '*', '?', '<', '>', '@', '[', ']',
    ]) {
        let detail = "'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]";
        wrong.push(detail.to_owned());
    }
    wrong
}

/// Returns true if `domain` is a valid NetBIOS name.
fn is_net_bios(domain: &str) -> bool {
    let special = ['\\', '/', ':', '*', '?', '"', '<', '>', '|'];
    (1..=15).contains(&domain.chars().count())
        && !domain.starts_with('.')
        && !domain.contains(special)
}

/// Returns true if `domain` is a valid DNS name.
fn is_dns(domain: &str) -> bool {
    domain.split('.').all(|part| {
        let plain = |c: char| c.is_ascii_alphanumeric();
        part.starts_with(plain)
            && part.ends_with(plain)
            && part.chars().all(|c| plain(c) || c == '-')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn a_user_may_have_a_domain() {
        for name in [
            "NETWORK SERVICE",
            "DOMAIN\\user",
            "a.very.long.domain.example.com\\u",
        ] {
            assert_eq!(user_name(name), [""; 0], "{name}");
        }
        for (name, told) in [
            ("", " cannot be an empty string"),
            ("a\\b\\c", " cannot contain more than one backslash"),
            ("a\nb", " cannot contain control characters"),
            ("dom\\", "'s User cannot be empty"),
            ("...", "'s User cannot contain only periods or spaces"),
            (
                ".dom\\u",
                "'s Domain doesn't match the NetBios nor the DNS format",
            ),
            (
                "a@b",
                "'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]",
            ),
        ] {
            assert_eq!(user_name(name), [told], "{name}");
        }
    }

    #[test]
    fn credentials_are_named_or_given() {
        let mut errors = Errors::default();
        let given =
            json!({"gmsaCredentialSpec": "", "gmsaCredentialSpecName": "A B", "runAsUserName": ""});
        options(&Path::root("w"), &given, &mut errors);
        let causes = errors.into_causes();
        let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
        assert!(
            told[0].starts_with(
                "w.gmsaCredentialSpecName: Invalid value: \"A B\": a lowercase RFC 1123"
            )
        );
        assert_eq!(
            told[1..],
            [
                "w.gmsaCredentialSpec: Invalid value: \"\": gmsaCredentialSpec cannot be an empty string",
                "w.runAsUserName: Invalid value: \"\": runAsUserName cannot be an empty string",
            ]
        );
    }
}
