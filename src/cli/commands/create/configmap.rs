//! `ctl create configmap`.

use base64::Engine as _;
use clap::Args;

use super::common::{NewArgs, name, require};
use super::sources::{Pair, SourceArgs, with_hash};
use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;

/// Create a ConfigMap
///
/// Example: ctl create configmap conf --from-literal=a=1 --from-file=conf.d
#[derive(Args, Debug)]
pub(super) struct ConfigmapArgs {
    /// NAME
    words: Vec<String>,
    #[command(flatten)]
    sources: SourceArgs,
    /// Append a hash of the content to the name
    #[arg(long)]
    append_hash: bool,
    #[command(flatten)]
    new: NewArgs,
}

pub(super) fn run(args: &ConfigmapArgs, context: &Context) -> Outcome {
    let name = name(&args.words, context)?;
    args.new.check()?;
    require(name)?;
    let mut object = config_map(name, args.sources.read("ConfigMap")?)?;
    if args.append_hash {
        object = with_hash(object);
    }
    args.new
        .create(object, "failed to create configmap: ", context)
}

fn config_map(name: &str, pairs: Vec<Pair>) -> Result<Value, CliError> {
    let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    for (key, bytes) in pairs {
        let (field, value) = match String::from_utf8(bytes) {
            Ok(text) => ("data", text),
            // `data` holds only UTF-8, so kubectl puts any other content into `binaryData`.
            Err(e) => {
                let engine = base64::engine::general_purpose::STANDARD;
                ("binaryData", engine.encode(e.as_bytes()))
            }
        };
        // A key may be in one of the maps only. The error names the Go field, as in kubectl.
        let mut taken = [("data", "Data"), ("binaryData", "BinaryData")].into_iter();
        if let Some((_, shown)) = taken.find(|(field, _)| object[field].get(&key).is_some()) {
            return Err(CliError::text(format!(
                "cannot add key \"{key}\", another key by that name already exists in {shown} for \
                 ConfigMap \"{name}\""
            )));
        }
        object[field][&key] = json!(value);
    }
    Ok(object)
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn non_utf8_files_become_binary_data() {
        let shell = Shell::empty();
        shell.write("conf/a.txt", "one\n");
        shell.write("conf/b.bin", b"\xff\x00");
        shell.write("conf/below/c.txt", "not looked at");
        let made = shell.made("create configmap c --from-file=@/conf --from-literal=d=e=f");
        assert_eq!(made["data"], json!({"a.txt": "one\n", "d": "e=f"}));
        assert_eq!(made["binaryData"], json!({"b.bin": "/wA="}));
        let made = shell.made("create cm c --from-file=k=@/conf/a.txt");
        assert_eq!(made["data"], json!({"k": "one\n"}));
    }

    #[test]
    fn env_file_lines_become_keys_and_values() {
        let shell = Shell::empty();
        shell.write("env", "\u{feff}# no\n\n  A=1 2\r\nB=\"x\"\nCTL_NOT_SET\n");
        let made = shell.made("create configmap c --from-env-file=@/env");
        assert_eq!(
            made["data"],
            json!({"A": "1 2", "B": "\"x\"", "CTL_NOT_SET": ""})
        );
    }

    #[test]
    fn duplicate_and_invalid_keys_are_rejected() {
        let shell = Shell::empty();
        shell.write("bin", b"\xff");
        shell.write("bad", "a\tb=3\n");
        shell.write("odd", b"B=1\nA=\xff\r\n");
        shell.refuses(&[
            (
                "create configmap c --from-literal=a=1 --from-literal=a=2",
                "cannot add key \"a\", another key by that name already exists in Data for ConfigMap \"c\"",
            ),
            (
                "create configmap c --from-file=a=@/bin --from-literal=a=2",
                "cannot add key \"a\", another key by that name already exists in BinaryData for \
                 ConfigMap \"c\"",
            ),
            (
                "create configmap c --from-literal=a=2 --from-env-file=@/bin",
                "from-env-file cannot be combined with from-file or from-literal",
            ),
            (
                "create configmap c --from-env-file=@/odd",
                "env file @/odd contains invalid utf8 bytes at line 2: [65 61 255]",
            ),
            (
                "create configmap c --from-literal==b",
                "invalid literal source =b, expected key=value",
            ),
            (
                "create secret generic c --from-literal=b --dry-run=odd",
                "Invalid dry-run value (odd). Must be \"none\", \"server\", or \"client\".",
            ),
            (
                "create secret generic c --from-literal=b --from-file=@/none",
                "invalid literal source b, expected key=value",
            ),
            (
                "create secret generic c --from-literal=b",
                "invalid literal source b, expected key=value",
            ),
            ("create configmap c --from-file=@/gone", "error reading @/gone: no such file or directory"),
            (
                "create configmap --from-literal=a=b",
                "exactly one NAME is required, got 0\n\
                 See 'kubectl create configmap -h' for help and examples",
            ),
        ]);
        let wrong = shell.fails("create configmap c --from-env-file=@/bad");
        assert!(
            wrong.starts_with("error: \"a\\tb\" is not a valid key name: "),
            "{wrong}"
        );
        for (line, told) in [
            ("configmap", "not a valid key name for a ConfigMap: a"),
            // kubectl's text lacks an article and the colon.
            ("secret generic", "not valid key name for a Secret a"),
        ] {
            let wrong = shell.fails(&format!(
                "create {line} c --from-literal=a/b=1 --from-literal=b"
            ));
            let told = format!("error: \"a/b\" is {told} valid config key must");
            assert!(wrong.starts_with(&told), "{wrong}");
        }
    }

    #[test]
    fn append_hash_adds_a_content_hash_to_the_name() {
        let shell = Shell::new();
        let out = shell.out("create configmap foo --append-hash");
        assert_eq!(out, "configmap/foo-867km9574f created\n");
        let taken = shell.fails("create configmap foo --append-hash");
        assert_eq!(
            taken,
            "error: failed to create configmap: configmaps \"foo-867km9574f\" already exists"
        );
        let line = "create configmap foo --append-hash --exit-codes";
        assert_eq!(shell.run(line).code, 5);
        let line = "create configmap Foo --exit-codes";
        assert_eq!(shell.run(line).code, 6);
    }
}
