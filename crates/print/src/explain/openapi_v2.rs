//! The older layout, `-o plaintext-openapiv2`: every object has the type Object, and text is indented by five spaces.

use super::node::{Node, Property};
use super::{NoSuchField, Question};

/// The maximum line length.
const WIDTH: usize = 80;

/// Explains a kind or a field in the older layout.
///
/// # Errors
/// Returns an error if the kind does not have the field.
pub fn explain_v2(question: &Question<'_>) -> Result<String, NoSuchField> {
    let kind = question.kind;
    let missing = |name: &str| NoSuchField {
        shown: String::new(),
        message: format!("error: field \"{name}\" does not exist"),
    };
    let mut node = Node::of_kind(kind).ok_or_else(|| missing(kind.kind))?;
    let mut field: Option<Property<'_>> = None;
    for name in question.path {
        let properties = node.plain_properties();
        // The older layout stops at a scalar and ignores the rest of the path.
        if properties.is_empty() {
            break;
        }
        let found = properties
            .into_iter()
            .find(|property| property.name == *name);
        let property = found.ok_or_else(|| missing(name))?;
        node = property.node.clone();
        field = Some(property);
    }
    let properties = node.plain_properties();
    let mut out = format!(
        "KIND:     {}\nVERSION:  {}\n\n",
        kind.kind,
        kind.api_version()
    );
    // The older layout has no title for a value of any type, nor for lists and maps of such values.
    let is_typed = |of_type: &String| !of_type.is_empty() && !of_type.ends_with(']');
    let of_type = Some(node.plain_type_name()).filter(is_typed);
    if let Some((field, of_type)) = field.as_ref().zip(of_type) {
        let title = if properties.is_empty() {
            "FIELD:    "
        } else {
            "RESOURCE: "
        };
        out.push_str(&format!("{title}{} <{of_type}>\n\n", field.name));
    }
    out.push_str("DESCRIPTION:\n");
    let own = field.as_ref().and_then(|field| field.words.clone());
    let about_type = node.words();
    out.push_str(&match (own, about_type) {
        (None, None) => wrapped("<empty>", 5),
        (Some(own), None) => wrapped(&own, 5),
        (None, Some(about)) if field.is_none() => wrapped(&about, 5),
        (own, about) => {
            let own = own.map(|own| wrapped(&own, 5)).unwrap_or_default();
            format!(
                "{own}\n{}",
                about.map(|about| wrapped(&about, 5)).unwrap_or_default()
            )
        }
    });
    if properties.is_empty() {
        return Ok(out);
    }
    out.push_str("\nFIELDS:\n");
    match question.recursive {
        true => recursive(&mut out, &node, 3, &mut Vec::new()),
        false => {
            for property in properties {
                let required = if property.required { " -required-" } else { "" };
                let type_name = property.node.plain_type_name();
                out.push_str(&format!("   {}\t<{type_name}>{required}\n", property.name));
                out.push_str(&wrapped(property.words.as_deref().unwrap_or_default(), 5));
                out.push('\n');
            }
        }
    }
    Ok(out)
}

fn recursive(out: &mut String, node: &Node<'_>, indent: usize, above: &mut Vec<&'static str>) {
    let schema = node.schema_name();
    if schema.is_some_and(|schema| above.contains(&schema)) {
        return;
    }
    above.extend(schema);
    for property in node.plain_properties() {
        let type_name = property.node.plain_type_name();
        out.push_str(&format!(
            "{}{}\t<{type_name}>\n",
            " ".repeat(indent),
            property.name
        ));
        recursive(out, &property.node, indent + 3, above);
    }
    if schema.is_some() {
        above.pop();
    }
}

/// Wraps a text and indents its lines. Returns nothing for an empty text.
fn wrapped(text: &str, indent: usize) -> String {
    let limit = WIDTH - indent;
    let mut lines: Vec<String> = Vec::new();
    let mut fresh = true;
    for line in text.split('\n') {
        // Code and the blank lines between paragraphs stay as they are; other lines are joined. As in kubectl, a blank
        // line after a first paragraph of one line is lost.
        let finished = lines.len() - usize::from(!fresh);
        let is_blank = line.trim().is_empty();
        if line.starts_with("    ") || is_blank {
            if !is_blank {
                lines.push(line.to_owned());
            } else if finished > 0 {
                lines.push(String::new());
            }
            fresh = true;
            continue;
        }
        fresh |= lines.last().is_some_and(|last| last.ends_with(':')) || begins_item(line.trim());
        for word in line.split_whitespace() {
            match lines.last_mut() {
                Some(last) if !fresh && last.len() + 1 + word.len() <= limit => {
                    last.push(' ');
                    last.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
            fresh = false;
        }
    }
    let pad = " ".repeat(indent);
    let shown = lines.iter().map(|line| match line.is_empty() {
        true => "\n".to_owned(),
        false => format!("{pad}{line}\n"),
    });
    shown.collect()
}

/// Returns true if a line starts a list item: `- `, `* ` or `1. `.
fn begins_item(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match digits.len() < line.len() {
        true => digits.strip_prefix('.').unwrap_or(digits),
        false => line.strip_prefix(['-', '*']).unwrap_or(""),
    };
    rest.starts_with(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Catalogue;

    fn of(name: &str, path: &[&str], recursive: bool) -> Result<String, NoSuchField> {
        explain_v2(&Question {
            kind: Catalogue::default().resolve(name).unwrap(),
            path,
            recursive,
        })
    }

    #[test]
    fn fields_are_explained_in_the_older_layout() {
        assert_eq!(
            of("deploy", &["spec", "replicas"], false).unwrap(),
            "KIND:     Deployment\nVERSION:  apps/v1\n\nFIELD:    replicas <integer>\n\nDESCRIPTION:\n     Number of \
             desired pods. This is a pointer to distinguish between explicit\n     zero and not specified. Defaults \
             to 1.\n"
        );
        let spec = of("pod", &["spec"], false).unwrap();
        let head = "KIND:     Pod\nVERSION:  v1\n\nRESOURCE: spec <Object>\n\nDESCRIPTION:\n";
        assert!(spec.starts_with(head), "{spec}");
        assert!(
            spec.contains("\n   containers\t<[]Object> -required-\n"),
            "{spec}"
        );
        assert!(
            spec.contains("\n   overhead\t<map[string]string>\n"),
            "{spec}"
        );
        let all = of("cm", &[], true).unwrap();
        assert!(all.contains("     ConfigMap holds configuration data for pods to consume.\n\nFIELDS:\n   apiVersion\t<string>\n"), "{all}");
        assert!(all.contains("      managedFields\t<[]Object>\n         apiVersion\t<string>\n         fieldsType\t<string>\n         fieldsV1\t<map[string]>\n"), "{all}");
        assert_eq!(
            of("cm", &["nope", "x"], false).unwrap_err().message,
            "error: field \"nope\" does not exist"
        );
        assert!(
            of("cm", &["immutable", "x"], false)
                .unwrap()
                .contains("FIELD:    immutable <boolean>")
        );
    }

    #[test]
    fn paragraphs_lists_and_code_keep_their_shape() {
        assert_eq!(wrapped("a\nb", 1), " a b\n");
        assert_eq!(wrapped("a\n\nb\n\nc", 0), "a\nb\n\nc\n");
        assert_eq!(
            wrapped("a:\nb\n\n- c\n1. d\n    code\ne", 0),
            "a:\nb\n\n- c\n1. d\n    code\ne\n"
        );
        assert_eq!(
            wrapped(&"word ".repeat(20), 60),
            format!("{p}word word word word\n", p = " ".repeat(60)).repeat(5)
        );
        assert_eq!(wrapped("", 5), "");
    }
}
