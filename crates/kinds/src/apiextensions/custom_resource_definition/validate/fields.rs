//! Field paths in a schema, such as `.spec.replicas` and `['a.b']`.

use crate::api::json::Value;
use crate::tree::{field, has, len};

/// Returns the names on a path and the schema of its field.
///
/// # Errors
/// Returns the API server's error if the path does not lead to a field.
pub(super) fn resolve<'s>(
    path: &str,
    mut schema: &'s Value,
    with_brackets: bool,
) -> Result<(Vec<String>, &'s Value), String> {
    let mut tokens = tokens(path).into_iter();
    let mut names = Vec::new();
    let next = |tokens: &mut std::vec::IntoIter<String>| {
        tokens
            .next()
            .ok_or_else(|| "unexpected end of JSON path".to_owned())
    };
    while let Some(token) = tokens.next() {
        let name = match token.as_str() {
            "[" if !with_brackets => return Err("array notation is not allowed".to_owned()),
            "[" => {
                let quoted = next(&mut tokens)?;
                let inner = quoted.strip_prefix('\'').and_then(|t| t.strip_suffix('\''));
                let name = inner
                    .ok_or_else(|| format!("expected single quoted string but got {quoted}"))?
                    .replace("\\'", "'")
                    .replace("\\\\", "\\");
                match next(&mut tokens)?.as_str() {
                    "]" => name,
                    other => return Err(format!("expected ] but got {other}")),
                }
            }
            "." => next(&mut tokens)?,
            other => return Err(format!("expected [ or . but got: {other}")),
        };
        let own = field(schema, "properties");
        let more = field(schema, "additionalProperties");
        schema = match len(schema, "properties") {
            // A structural schema has either properties or additional properties, never both.
            0 if more.is_object() => more,
            1.. if has(own, &name) => field(own, &name),
            _ => return Err("does not refer to a valid field".to_owned()),
        };
        names.push(name);
    }
    Ok((names, schema))
}

/// Splits a path into the delimiters `.`, `[` and `]` and the strings between them. A quoted string is one token.
fn tokens(path: &str) -> Vec<String> {
    let (mut all, mut current) = (Vec::new(), String::new());
    let (mut quoted, mut escaped) = (false, false);
    for c in path.chars() {
        if !quoted && matches!(c, '.' | '[' | ']') {
            if !current.is_empty() {
                all.push(std::mem::take(&mut current));
            }
            all.push(c.to_string());
            continue;
        }
        // Within quotes, dots and brackets are part of the name, as in `['a.b']`.
        if c == '\'' && !escaped {
            quoted = !quoted;
        }
        escaped = c == '\\' && !escaped;
        current.push(c);
    }
    if !current.is_empty() {
        all.push(current);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn a_path_resolves_to_a_field_or_an_error() {
        let schema = json!({"properties": {"spec": {"properties": {
            "a.b": {"type": "string"},
            "map": {"additionalProperties": {"type": "integer"}}}}}});
        let kind = |path: &str| {
            resolve(path, &schema, true)
                .map(|(_, found)| found["type"].as_str().unwrap_or("").to_owned())
        };
        assert_eq!(kind(".spec['a.b']"), Ok("string".to_owned()));
        assert_eq!(kind(".spec.map.any"), Ok("integer".to_owned()));
        assert_eq!(kind(".spec.map['any']"), Ok("integer".to_owned()));
        for (path, why) in [
            ("spec", "expected [ or . but got: spec"),
            (".", "unexpected end of JSON path"),
            (".spec.none", "does not refer to a valid field"),
            (".spec.map.any.more", "does not refer to a valid field"),
            (".spec[map]", "expected single quoted string but got map"),
            (".spec['map'", "unexpected end of JSON path"),
        ] {
            assert_eq!(kind(path), Err(why.to_owned()), "{path}");
        }
        let refused = resolve(".spec['a.b']", &schema, false);
        assert_eq!(refused, Err("array notation is not allowed".to_owned()));
    }
}
