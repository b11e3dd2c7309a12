//! The file of `--token-auth-file`: a table of tokens and their users, as `kube-apiserver` reads it.

use crate::cluster::impersonated;
use crate::kinds::admission::User;

/// The content of the file.
#[derive(Debug)]
pub(super) struct Tokens {
    /// The users with their tokens.
    pub(super) users: Vec<(String, User)>,
    /// One message for each line that is ignored or that replaces an earlier one.
    pub(super) warnings: Vec<String>,
}

/// Parses lines of `TOKEN,USER,UID,"GROUP,GROUP"`; the groups are optional.
///
/// # Errors
/// The text is not a table, or a line has too few columns.
pub(super) fn parse(text: &str) -> Result<Tokens, String> {
    let (mut users, mut warnings) = (Vec::<(String, User)>::new(), Vec::new());
    for (at, record) in records(text)?.into_iter().enumerate() {
        let number = at + 1;
        let mut columns = record.into_iter();
        let (Some(token), Some(name), Some(uid)) = (columns.next(), columns.next(), columns.next())
        else {
            return Err(format!(
                "record {number} must have at least 3 columns (token, user name, user uid)"
            ));
        };
        if token.is_empty() {
            warnings.push(format!("record {number} has an empty token; ignoring it"));
            continue;
        }
        let groups = columns.next().unwrap_or_default();
        let groups = groups.split(',').filter(|group| !group.is_empty());
        let user = impersonated(&name, &uid, groups.map(str::to_owned).collect());
        match users.iter_mut().find(|(known, _)| *known == token) {
            // kube-apiserver keeps the last entry too.
            Some((_, known)) => {
                warnings.push(format!(
                    "record {number} has the token of an earlier one, and replaces it"
                ));
                *known = user;
            }
            None => users.push((token, user)),
        }
    }
    Ok(Tokens { users, warnings })
}

/// Parses comma-separated values. A quoted field may hold commas, line ends, and quotes that are written twice.
fn records(text: &str) -> Result<Vec<Vec<String>>, String> {
    let (mut all, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut is_quoted, mut was_quoted) = (false, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.next_if_eq(&'"').is_some() => field.push('"'),
            '"' if is_quoted => is_quoted = false,
            _ if is_quoted => field.push(c),
            '"' if field.is_empty() && !was_quoted => (is_quoted, was_quoted) = (true, true),
            ',' => {
                record.push(std::mem::take(&mut field));
                was_quoted = false;
            }
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' => {
                record.push(std::mem::take(&mut field));
                was_quoted = false;
                all.push(std::mem::take(&mut record));
            }
            // Go's reader is equally strict: a quote inside a field mostly means that a quoted column was not closed.
            '"' => return Err(format!("record {}: bare \" in a field", all.len() + 1)),
            _ if was_quoted => {
                return Err(format!(
                    "record {}: text after a quoted field",
                    all.len() + 1
                ));
            }
            _ => field.push(c),
        }
    }
    if is_quoted {
        return Err(format!("record {}: a quote is not closed", all.len() + 1));
    }
    record.push(field);
    all.push(record);
    // Blank lines are not records.
    all.retain(|record| record.iter().any(|field| !field.is_empty()) || record.len() > 1);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_have_names_uids_and_groups() {
        let text = "t1,ann,1\n\nt2,\"bob, the \"\"builder\"\"\",2,\"dev,ops\"\r\n,nobody,3\nt1,eve,4,dev\n";
        let Tokens { users, warnings } = parse(text).unwrap();
        let shown: Vec<String> = users
            .iter()
            .map(|(token, user)| {
                format!(
                    "{token} {} {} {}",
                    user.name,
                    user.uid,
                    user.groups.join("+")
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "t1 eve 4 dev+system:authenticated",
                "t2 bob, the \"builder\" 2 dev+ops+system:authenticated"
            ]
        );
        assert_eq!(
            warnings,
            [
                "record 3 has an empty token; ignoring it",
                "record 4 has the token of an earlier one, and replaces it"
            ]
        );
    }

    #[test]
    fn invalid_token_file_is_rejected() {
        for (text, why) in [
            (
                "t,ann",
                "record 1 must have at least 3 columns (token, user name, user uid)",
            ),
            (
                "t,ann,1\nt",
                "record 2 must have at least 3 columns (token, user name, user uid)",
            ),
            ("t,a\"b,1", "record 1: bare \" in a field"),
            ("t,\"a\"b,1", "record 1: text after a quoted field"),
            ("t,\"a,1", "record 1: a quote is not closed"),
        ] {
            assert_eq!(parse(text).unwrap_err(), why, "{text}");
        }
        assert!(parse("").unwrap().users.is_empty());
    }
}
