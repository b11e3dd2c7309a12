//! `-o custom-columns`: a table whose cells are selected by paths.

use super::jsonpath::{JsonPath, relaxed};
use super::objects;
use super::tabwriter::TABLE;
use super::terminal::escaped;
use crate::api::go::GoValue;
use crate::api::json::Value;

/// Columns with a header and a path each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CustomColumns {
    headers: Vec<String>,
    paths: Vec<String>,
    no_headers: bool,
}

impl CustomColumns {
    /// Parses `HEADER:path,HEADER:path`.
    ///
    /// # Errors
    /// Returns kubectl's error if the specification is invalid.
    pub(crate) fn parse(spec: &str, no_headers: bool) -> Result<Self, String> {
        let (mut headers, mut paths) = (Vec::new(), Vec::new());
        for part in spec.split(',') {
            let Some((header, path)) = part.split_once(':') else {
                return Err(format!(
                    "unexpected custom-columns spec: {part}, expected <header>:<json-path-expr>"
                ));
            };
            headers.push(header.to_owned());
            paths.push(relaxed(path)?);
        }
        Ok(Self {
            headers,
            paths,
            no_headers,
        })
    }

    /// Parses a file of two lines: the headers, then their paths.
    ///
    /// # Errors
    /// Returns kubectl's error if the file is invalid.
    pub(crate) fn parse_file(text: &str) -> Result<Self, String> {
        let mut lines = text.lines();
        let missing = |what: &str| {
            format!(
                "invalid template, missing {what} line. Expected format is one line of space separated headers, one \
                 line of space separated column specs."
            )
        };
        let headers = lines.next().ok_or_else(|| missing("header"))?;
        let paths = lines.next().ok_or_else(|| missing("spec"))?;
        let headers: Vec<String> = headers.split_whitespace().map(str::to_owned).collect();
        let paths: Vec<&str> = paths.split_whitespace().collect();
        if headers.len() != paths.len() {
            return Err(format!(
                "number of headers ({}) and field specifications ({}) don't match",
                headers.len(),
                paths.len()
            ));
        }
        let paths = paths.into_iter().map(relaxed).collect::<Result<_, _>>()?;
        Ok(Self {
            headers,
            paths,
            no_headers: false,
        })
    }

    /// Formats the table of an object or a list. An error comes with the rows before the failure.
    pub(super) fn print(
        &self,
        value: &Value,
        with_headers: bool,
    ) -> Result<String, (String, String)> {
        let mut text = String::new();
        if with_headers && !self.no_headers {
            text.push_str(&self.headers.join("\t"));
            text.push('\n');
        }
        let paths: Result<Vec<JsonPath>, String> = self
            .paths
            .iter()
            .map(|path| JsonPath::parse(path))
            .collect();
        let rows = paths.and_then(|paths| {
            objects::items(value).iter().try_for_each(|object| {
                let cells: Result<Vec<String>, String> =
                    paths.iter().map(|path| cell(path, object)).collect();
                text.push_str(&cells?.join("\t"));
                text.push('\n');
                Ok(())
            })
        });
        // The rows before a failure are aligned and printed, because kubectl flushes its writer in any case.
        let shown = TABLE.apply(&text);
        match rows {
            Ok(()) => Ok(shown),
            Err(error) => Err((shown, error)),
        }
    }
}

fn cell(path: &JsonPath, object: &Value) -> Result<String, String> {
    let found = path.find(object, true)?;
    let mut values = Vec::new();
    if found.first().is_none_or(Vec::is_empty) {
        values.push("<none>".to_owned());
    }
    let all = found.iter().flatten();
    // Cells may contain any data; control characters must not reach the terminal.
    values.extend(all.map(|value| escaped(&GoValue(value).to_string())));
    Ok(values.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn pods() -> Value {
        objects::list(vec![
            json!({"kind": "Pod", "metadata": {"name": "alpha"}, "n": 1, "l": ["x", "y"], "m": {"a": 1.5}}),
            json!({"kind": "Pod", "metadata": {"name": "b\u{1b}[1m"}, "n": null}),
        ])
    }

    #[test]
    fn custom_columns_print_the_values_of_their_paths() {
        let columns =
            CustomColumns::parse("NAME:.metadata.name,N:{.n},L:l[*],ALL:l,M:.m", false).unwrap();
        assert_eq!(
            columns.print(&pods(), true).unwrap(),
            "NAME     N       L        ALL      M\n\
             alpha    1       x,y      [x y]    map[a:1.5]\n\
             b^[[1m   <nil>   <none>   <none>   <none>\n"
        );
        let bare = CustomColumns::parse("N:n", true).unwrap();
        assert_eq!(bare.print(&pods(), true).unwrap(), "1\n<nil>\n");
        assert_eq!(bare.print(&json!({"n": 7}), false).unwrap(), "7\n");
    }

    #[test]
    fn a_file_holds_headers_and_paths_below_them() {
        let columns = CustomColumns::parse_file("NAME   N\nmetadata.name  {.n}\n").unwrap();
        let shown = columns.print(&pods()["items"][0], true).unwrap();
        assert_eq!(shown, "NAME    N\nalpha   1\n");
        for (text, error) in [
            ("", "invalid template, missing header line."),
            ("A B\n", "invalid template, missing spec line."),
            (
                "A B\na\n",
                "number of headers (2) and field specifications (1) don't match",
            ),
        ] {
            let got = CustomColumns::parse_file(text).unwrap_err();
            assert!(got.starts_with(error), "{got}");
        }
    }

    #[test]
    fn invalid_columns_are_rejected() {
        for (spec, error) in [
            (
                "NAME",
                "unexpected custom-columns spec: NAME, expected <header>:<json-path-expr>",
            ),
            (
                "A:a,",
                "unexpected custom-columns spec: , expected <header>:<json-path-expr>",
            ),
            (
                "A:{.a}{.b}",
                "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or \
                 '{.name1.name2}'",
            ),
        ] {
            assert_eq!(CustomColumns::parse(spec, false).unwrap_err(), error);
        }
        let columns = CustomColumns::parse("A:.metadata.name,B:l[5]", false).unwrap();
        let (shown, error) = columns.print(&pods(), true).unwrap_err();
        assert_eq!(shown, "A     B\n");
        assert_eq!(error, "array index out of bounds: index 5, length 2");
    }
}
