//! Masks secrets in a command line, which is stored in the history and in `.ctl/holder` and appears in messages. The
//! line keeps its form, but secret values become `***`.
//!
//! Must not know: what any command does with its values.

use std::borrow::Cow;

/// The replacement for a secret.
pub(crate) const MASK: &str = "***";

/// The flags whose values are always secret.
const SECRET: &[&str] = &[
    "token",
    "password",
    "docker-password",
    "exec-arg",
    // The value is an object or a part of one, which may contain anything.
    "overrides",
];

/// The flags whose values have the form `KEY=SECRET`.
const PAIRS: &[&str] = &["env", "exec-env", "auth-provider-arg"];

/// The parts of a command that determine which of its values are secret.
pub(crate) struct Command<'l> {
    /// The names of the command and its subcommands, without the program's.
    pub(crate) path: &'l [String],
    /// The arguments that are not flags.
    pub(crate) words: &'l [String],
}

impl Command<'_> {
    fn is(&self, names: &[&str]) -> bool {
        self.path.len() >= names.len() && self.path.iter().zip(names).all(|(own, n)| own == n)
    }

    /// Returns the value of a flag with its secrets masked.
    pub(crate) fn flag<'v>(&self, flag: &str, value: &'v str) -> Cow<'v, str> {
        match flag {
            _ if SECRET.contains(&flag) => MASK.into(),
            _ if PAIRS.contains(&flag) => pair(value),
            "from-literal" if !self.is(&["create", "configmap"]) => match value.contains('=') {
                true => pair(value),
                false => MASK.into(),
            },
            // Patches of other kinds stay readable in the history, because they explain the change.
            "patch" if self.names_secrets() || holds_values(value) => MASK.into(),
            _ => without_credentials(value),
        }
    }

    /// Returns the word at a position with its secrets masked.
    pub(crate) fn word<'v>(&self, at: usize, word: &'v str) -> Cow<'v, str> {
        let first = self.words.first().map_or("", String::as_str);
        if self.is(&["set", "env"]) {
            return pair(word);
        }
        let is_value = self.is(&["config", "set"]) && at > 0 && is_secret_property(first);
        if is_value || self.is(&["raw"]) && word.starts_with('{') {
            return MASK.into();
        }
        without_credentials(word)
    }

    /// Returns true if the command names Secrets, as in `secret`, `secrets/x` or `pods,secrets`.
    fn names_secrets(&self) -> bool {
        self.words.iter().any(|word| {
            let types = word.split('/').next().unwrap_or_default();
            types.split(',').any(|name| {
                let resource = name.split('.').next().unwrap_or_default();
                matches!(resource.to_ascii_lowercase().as_str(), "secret" | "secrets")
            })
        })
    }
}

/// Masks the value of a pair, as in `KEY=***`.
fn pair(text: &str) -> Cow<'_, str> {
    match text.split_once('=') {
        Some((key, _)) => format!("{key}={MASK}").into(),
        None => text.into(),
    }
}

/// Returns true if a patch contains the data of an object or the variables of a container.
fn holds_values(patch: &str) -> bool {
    ["data", "stringData", "env"]
        .iter()
        .any(|name| patch.contains(name))
}

/// Returns true if a property of the kubeconfig belongs to a user or has the name of a secret.
fn is_secret_property(path: &str) -> bool {
    let last = path.rsplit('.').next().unwrap_or_default();
    path.starts_with("users.") || matches!(last, "token" | "password" | "client-key-data")
}

/// Returns a text with the credentials in URLs masked, as in `https://user:***@host`.
pub(crate) fn without_credentials(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        let end = after.find(|c: char| c.is_whitespace() || "/?#\"'".contains(c));
        let authority = &after[..end.unwrap_or(after.len())];
        out.push_str(before);
        out.push_str("://");
        rest = after;
        // The last `@` separates the host, because a password may contain an unencoded one.
        if let Some((who, _)) = authority.rsplit_once('@') {
            if let Some((user, _)) = who.split_once(':') {
                out.push_str(user);
                out.push(':');
            }
            out.push_str(MASK);
            rest = &after[who.len()..];
        }
    }
    match out.is_empty() {
        true => text.into(),
        false => (out + rest).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_in_urls_are_masked() {
        for (text, shown) in [
            ("https://ann:pw@host/x", "https://ann:***@host/x"),
            ("https://t0k3n@host", "https://***@host"),
            (
                "a=http://u:p@h,b=http://v:q@i/@",
                "a=http://u:***@h,b=http://v:***@i/@",
            ),
            (
                "x http://u:p@h http://v:q@i",
                "x http://u:***@h http://v:***@i",
            ),
            ("file:///a@b", "file:///a@b"),
            ("http://[::1]:80/a:b@c", "http://[::1]:80/a:b@c"),
            ("a@b:c", "a@b:c"),
        ] {
            assert_eq!(without_credentials(text), shown, "{text}");
        }
    }

    #[test]
    fn secret_flags_and_arguments_are_masked_per_command() {
        let shown = |line: &str, flag: &str, value: &str| {
            let (path, words) = line.split_once('|').unwrap_or((line, ""));
            let list = |text: &str| text.split_whitespace().map(str::to_owned).collect();
            let (path, words): (Vec<String>, Vec<String>) = (list(path), list(words));
            let command = Command {
                path: &path,
                words: &words,
            };
            match flag {
                "" => command.word(words.len() - 1, value).into_owned(),
                flag => command.flag(flag, value).into_owned(),
            }
        };
        for (line, flag, value, wanted) in [
            ("get", "token", "t", "***"),
            ("create secret generic|x", "from-literal", "p=v=w", "p=***"),
            ("create secret generic|x", "from-literal", "v", "***"),
            ("create configmap|x", "from-literal", "p=v", "p=v"),
            ("patch|secret x", "patch", "{}", "***"),
            ("patch|Secrets.v1./x", "patch", "{}", "***"),
            ("patch|cm x", "patch", "{\"data\":{}}", "***"),
            ("patch|deploy x", "patch", "{\"spec\":{}}", "{\"spec\":{}}"),
            ("run|x", "env", "A=b", "A=***"),
            ("set env|deploy/x A=b", "", "A=b", "A=***"),
            ("set env|deploy/x A-", "", "A-", "A-"),
            ("config set|users.x.token t", "", "t", "***"),
            ("config set|contexts.x.namespace n", "", "n", "n"),
            ("label|pod x a=b", "", "a=b", "a=b"),
        ] {
            assert_eq!(shown(line, flag, value), wanted, "{line} {flag} {value}");
        }
    }
}
