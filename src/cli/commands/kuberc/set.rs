//! `ctl kuberc set`.

use std::process::ExitCode;

use clap::Args;

use crate::api::json::{Value, json};
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::kuberc::{VERSION, read};
use crate::cli::options::StructuredOutputArgs;
use crate::kinds::tree::{ensure, list, set_default, text};

/// The policies for credential plugins.
const POLICIES: [&str; 3] = ["AllowAll", "DenyAll", "Allowlist"];

/// Set a default of a command's flags, or create an alias
///
/// Examples:
///   ctl kuberc set --section defaults --command get --option output=wide
///   ctl kuberc set --section aliases --name getn --command get --prependarg nodes
///   ctl kuberc set --section defaults --command 'set env' --option output=yaml --overwrite
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct SetArgs {
    #[arg(hide = true)]
    words: Vec<String>,
    /// Section to set: defaults, aliases or credentialplugin
    #[arg(long, value_name = "SECTION", required = true)]
    section: String,
    /// Command, such as get or 'set env'
    #[arg(
        long,
        value_name = "COMMAND",
        default_value = "",
        hide_default_value = true
    )]
    command: String,
    /// Name of the alias
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    name: String,
    /// Default of a flag, such as output=wide
    #[arg(long, value_name = "FLAG=VALUE")]
    option: Vec<String>,
    /// Argument to insert before those given to the alias
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    prependarg: Vec<String>,
    /// Argument to append to those given to the alias
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    appendarg: Vec<String>,
    /// Policy for credential plugins: AllowAll, DenyAll or Allowlist; none runs here
    #[arg(
        long,
        value_name = "POLICY",
        default_value = "",
        hide_default_value = true
    )]
    policy: String,
    /// Credential plugin that may run, as command=NAME
    #[arg(long, value_name = "FIELD=VALUE")]
    allowlist_entry: Vec<String>,
    /// Overwrite an existing default or alias
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    answer: StructuredOutputArgs,
}

/// A section of the preferences.
struct Section {
    /// The field that holds the list.
    list: &'static str,
    /// The field that identifies an entry.
    key: &'static str,
}

const DEFAULTS: Section = Section {
    list: "defaults",
    key: "command",
};

const ALIASES: Section = Section {
    list: "aliases",
    key: "name",
};

pub(super) fn run(args: &SetArgs, context: &Context) -> Outcome {
    args.answer.check()?;
    let place = super::file(context)?;
    args.check()?;
    let found =
        read(&place).map_err(|why| CliError::text(format!("error parsing kuberc file: {why}")))?;
    let fresh = || json!({"apiVersion": VERSION, "kind": "Preference"});
    let mut preferences = found.unwrap_or_else(fresh);
    let options = args.options()?;
    match args.section.as_str() {
        "defaults" => {
            let mut entry = json!({"command": args.command, "options": options});
            // kubectl writes an empty list as null.
            if args.option.is_empty() {
                entry["options"] = Value::Null;
            }
            let taken = format!("defaults for command {:?} already exist", args.command);
            args.put(&mut preferences, &DEFAULTS, entry, &taken)?;
        }
        "aliases" => {
            let mut entry = json!({"name": args.name, "command": args.command});
            if !args.option.is_empty() {
                entry["options"] = options;
            }
            for (field, words) in [
                ("prependArgs", &args.prependarg),
                ("appendArgs", &args.appendarg),
            ] {
                if !words.is_empty() {
                    entry[field] = json!(words);
                }
            }
            let taken = format!("alias {:?} already exists", args.name);
            args.put(&mut preferences, &ALIASES, entry, &taken)?;
        }
        _ => {
            preferences["credentialPluginPolicy"] = json!(args.policy);
            // The list is kept under another policy, so that switching back loses nothing.
            if args.policy == "Allowlist" {
                preferences["credentialPluginAllowlist"] = args.allowed()?;
            }
        }
    }
    for list in ["aliases", "defaults"] {
        set_default(&mut preferences, list, Value::Null);
    }
    super::save(&preferences, &place)?;
    let sentence = format!("Updated {}", place.file.display());
    args.answer.print(context, sentence, &preferences)?;
    Ok(ExitCode::SUCCESS)
}

impl SetArgs {
    fn check(&self) -> Result<(), CliError> {
        let refuse = |text: String| Err(CliError::text(text));
        let (aliases, defaults) = (self.section == "aliases", self.section == "defaults");
        let plugins = self.section == "credentialplugin";
        // A default has no arguments to move.
        let moved = !(self.prependarg.is_empty() && self.appendarg.is_empty());
        match () {
            // As in kubectl, the section is checked first, because it decides which other flags make sense.
            () if !(aliases || defaults || plugins) => refuse(format!(
                "--section must be \"defaults\", \"aliases\", or \"credentialplugin\", got: {}",
                self.section
            )),
            () if aliases && self.name.is_empty() => {
                refuse("--name is required when --section=aliases".to_owned())
            }
            () if defaults && !self.name.is_empty() => {
                refuse("--name should not be specified when --section=defaults".to_owned())
            }
            () if defaults && moved => refuse(
                "--prependarg and --appendarg are only valid for --section=aliases".to_owned(),
            ),
            () if !plugins && self.command.is_empty() => refuse(
                "--command is required when --section=aliases or --section=defaults".to_owned(),
            ),
            () if plugins => self.check_policy(),
            () => Ok(()),
        }
    }

    fn check_policy(&self) -> Result<(), CliError> {
        let section = "--section=credentialplugin";
        let listed = !self.allowlist_entry.is_empty();
        let text = match self.policy.as_str() {
            "" => format!("--policy is required when {section}"),
            "Allowlist" if !listed => {
                format!("--allowlist-entry is required when {section} and --policy=Allowlist")
            }
            "AllowAll" | "DenyAll" if listed => {
                format!("--allowlist-entry may only be used when {section} and --policy=Allowlist")
            }
            known if POLICIES.contains(&known) => return Ok(()),
            other => format!(
                " --policy must be  \"AllowAll\", \"DenyAll\", or \"Allowlist\", got: {other}"
            ),
        };
        Err(CliError::text(text))
    }

    fn options(&self) -> Result<Value, CliError> {
        let option = |option: &String| match option.split_once('=') {
            Some((name, value)) => Ok(json!({
                // A kuberc file names flags without dashes, but the command accepts both spellings.
                "name": name.trim_start_matches('-'), "default": value,
            })),
            None => Err(CliError::text(format!(
                "invalid option format {option:?}, expected flag=value"
            ))),
        };
        let options: Result<Vec<Value>, CliError> = self.option.iter().map(option).collect();
        Ok(Value::from(options?))
    }

    fn allowed(&self) -> Result<Value, CliError> {
        let (mut entries, mut wrong) = (Vec::new(), Vec::new());
        for pair in self
            .allowlist_entry
            .iter()
            .flat_map(|pairs| pairs.split(','))
        {
            let text = match pair.split_once('=') {
                Some(("command", value)) if !value.trim().is_empty() => {
                    entries.push(json!({"command": value}));
                    continue;
                }
                Some(("command", _)) => {
                    "empty value in allowlist entry for field \"command\"".to_owned()
                }
                Some(("name", _)) => {
                    "allowlist entry field \"name\" is deprecated, use \"command\" instead"
                        .to_owned()
                }
                Some((field, _)) => format!("unrecognized allowlist entry field: {field:?}"),
                None => format!("improperly formatted allowlist entry: {pair:?}"),
            };
            wrong.push(CliError::text(text));
        }
        // All malformed entries are reported at once, before the file is changed.
        CliError::all(wrong)?;
        Ok(Value::from(entries))
    }

    /// Adds an entry to a list, or replaces the entry with its key. Fields that the new entry omits keep their values.
    fn put(
        &self,
        preferences: &mut Value,
        section: &Section,
        mut entry: Value,
        taken: &str,
    ) -> Result<(), CliError> {
        let &Section { list: name, key } = section;
        let mut all = list(preferences, name).to_vec();
        let same = |old: &Value| text(old, key) == text(&entry, key);
        match all.iter().position(same) {
            None => all.push(entry),
            Some(_) if !self.overwrite => {
                return Err(CliError::text(format!(
                    "{taken}, use --overwrite to replace"
                )));
            }
            Some(at) => {
                for field in ["options", "prependArgs", "appendArgs"] {
                    // As in kubectl, an absent flag keeps the existing list, and a given one replaces it.
                    if list(&entry, field).is_empty() && !list(&all[at], field).is_empty() {
                        entry[field] = all[at][field].clone();
                    }
                }
                all[at] = entry;
            }
        }
        *ensure(preferences, name) = Value::from(all);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::api::json::{Value, json};
    use crate::cli::testing::Shell;

    fn preferences(shell: &Shell) -> Value {
        shell.json("kuberc view --kuberc=@/rc")
    }

    fn set(flags: &str) -> String {
        format!("kuberc set --kuberc=@/rc {flags}")
    }

    #[test]
    fn existing_alias_is_replaced_only_with_overwrite() {
        let shell = Shell::empty();
        shell.write("rc", "");
        let line = set(
            "--section aliases --name getn --command get --prependarg nodes --appendarg -A --option --output=wide",
        );
        assert_eq!(shell.out(&line), "Updated @/rc\n");
        let alias = json!([{
            "name": "getn", "command": "get", "prependArgs": ["nodes"], "appendArgs": ["-A"],
            "options": [{"name": "output", "default": "wide"}],
        }]);
        assert_eq!(preferences(&shell)["aliases"], alias);
        shell.refuses(&[(
            &set("--section aliases --name getn --command get"),
            "alias \"getn\" already exists, use --overwrite to replace",
        )]);
        let _ = shell.out(&set(
            "--section aliases --name getn --command describe --overwrite",
        ));
        let kept = &preferences(&shell)["aliases"][0];
        assert_eq!(
            (&kept["command"], &kept["prependArgs"]),
            (&json!("describe"), &json!(["nodes"]))
        );
    }

    #[test]
    fn defaults_and_the_policy_have_sections_of_their_own() {
        let shell = Shell::empty();
        shell.write("rc", "");
        let _ = shell.out(&set(
            "--section defaults --command 'set env' --option output=yaml",
        ));
        let _ = shell.out(&set(
            "--section credentialplugin --policy Allowlist --allowlist-entry command=a",
        ));
        let all = preferences(&shell);
        assert_eq!(
            all["defaults"],
            json!([{"command": "set env", "options": [{"name": "output", "default": "yaml"}]}])
        );
        assert_eq!(all["credentialPluginAllowlist"], json!([{"command": "a"}]));
        let file = std::fs::read_to_string(shell.path("rc")).unwrap();
        assert!(file.starts_with("aliases: null\n"), "{file}");
    }

    #[test]
    fn an_entry_without_options_is_written_as_by_kubectl() {
        let shell = Shell::empty();
        shell.write("rc", "");
        let _ = shell.out(&set("--section defaults --command get"));
        let _ = shell.out(&set("--section aliases --name g --command get"));
        let all = preferences(&shell);
        assert_eq!(
            all["defaults"],
            json!([{"command": "get", "options": null}])
        );
        assert_eq!(all["aliases"], json!([{"command": "get", "name": "g"}]));
        let json = shell.out("kuberc view --kuberc=@/rc -o json");
        let at = |field: &str| {
            json.find(field)
                .unwrap_or_else(|| panic!("{field}: {json}"))
        };
        assert!(at("\"kind\"") < at("\"apiVersion\"") && at("\"defaults\"") < at("\"aliases\""));
        assert!(at("\"name\": \"g\"") > at("\"options\": null"), "{json}");
    }

    #[test]
    fn flags_of_another_section_are_rejected() {
        let shell = Shell::empty();
        shell.write("rc", "");
        for (flags, why) in [
            (
                "--section odd",
                "--section must be \"defaults\", \"aliases\", or \"credentialplugin\", got: odd",
            ),
            (
                "--section aliases --command get",
                "--name is required when --section=aliases",
            ),
            (
                "--section defaults --command get --name a",
                "--name should not be specified when --section=defaults",
            ),
            (
                "--section defaults --command get --appendarg a",
                "--prependarg and --appendarg are only valid for --section=aliases",
            ),
            (
                "--section defaults",
                "--command is required when --section=aliases or --section=defaults",
            ),
            (
                "--section credentialplugin",
                "--policy is required when --section=credentialplugin",
            ),
            (
                "--section credentialplugin --policy DenyAll --allowlist-entry command=a",
                "--allowlist-entry may only be used when --section=credentialplugin and --policy=Allowlist",
            ),
            (
                "--section credentialplugin --policy Allowlist",
                "--allowlist-entry is required when --section=credentialplugin and --policy=Allowlist",
            ),
            (
                "--section defaults --command get --option output",
                "invalid option format \"output\", expected flag=value",
            ),
        ] {
            shell.refuses(&[(&set(flags), why)]);
        }
        shell.refuses(&[("kuberc set", "required flag(s) \"section\" not set")]);
    }
}
