//! `ctl events`.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::Outcome;
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::history::AtArgs;
use crate::cli::options::{OutputArgs, write};
use crate::cli::resource::Kinds;
use crate::cluster::{Cluster, ListOptions, Place, WatchEvent};
use crate::kinds;
use crate::kinds::tree::text;
use crate::print::{Format, event};
use crate::sys::clock::Stopwatch;

/// The longest sleep of a watch without a change.
const PATIENCE: Duration = Duration::from_secs(60);

/// List events, newest last
///
/// Examples:
///   ctl events
///   ctl events --for deployment/web --types=Warning
///   ctl events -A --watch
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct EventsArgs {
    #[arg(hide = true)]
    words: Vec<String>,
    /// Only events about this object: TYPE/NAME
    #[arg(long = "for", value_name = "TYPE/NAME")]
    about: Option<String>,
    /// Only events of these types: Normal, Warning
    #[arg(long, value_name = "TYPE,..", value_delimiter = ',')]
    types: Vec<String>,
    /// Select objects in all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,
    /// Watch for further events after listing them
    #[arg(short, long)]
    watch: bool,
    /// Do not print headers
    #[arg(long)]
    no_headers: bool,
    /// Has no effect on a cluster in a directory
    #[arg(long, value_name = "COUNT", default_value_t = 500, hide = true)]
    chunk_size: i64,
    #[command(flatten)]
    at: AtArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl EventsArgs {
    fn wants(&self, event: &Value) -> bool {
        let own = text(event, "type");
        // As in kubectl, types are filtered here: a field selector cannot express "one of these types".
        self.types.is_empty() || self.types.iter().any(|t| t.eq_ignore_ascii_case(own))
    }

    /// Returns the field selector of `--for`.
    fn selector(&self, kinds: &Kinds) -> Result<String, CliError> {
        let Some(about) = self.about.as_deref().filter(|about| !about.is_empty()) else {
            return Ok(String::new());
        };
        let refuse = |text: &str| Err(CliError::text(text));
        match about.split('/').collect::<Vec<_>>().as_slice() {
            [_] => refuse("--for must be in resource/name form"),
            ["", _] => refuse("a resource must be present, got: /, Resource="),
            [kind, name] => {
                // kubectl ignores the case here, unlike in other commands.
                let word = kind.to_lowercase();
                let found = match word.splitn(3, '.').count() {
                    // RESOURCE.VERSION.GROUP, or else a group with a dot.
                    3 => kinds.find(&word).or_else(|_| kinds.find_in_group(&word))?,
                    _ => kinds.find_in_group(&word)?,
                };
                let (kind, version) = (found.kind, found.api_version());
                Ok(match *name {
                    // As in kubectl, a type without a name selects nothing.
                    "" => String::new(),
                    name => format!(
                        "involvedObject.kind={kind},involvedObject.apiVersion={version},involvedObject.name={name}"
                    ),
                })
            }
            _ => refuse("arguments in resource/name form may not have more than one slash"),
        }
    }
}

pub(crate) fn run(args: &EventsArgs, context: &Context) -> Outcome {
    args.at.without(&[("--watch", args.watch)], context)?;
    let cluster = args.at.api(context)?;
    let fields = args.selector(&Kinds::from_cluster(Some(&cluster))?)?;
    // Only -o counts here: kubectl ignores --template without it.
    let format = match args.output.output.as_deref().unwrap_or_default() {
        "" => Format::Human,
        _ => match args.output.format(false, args.no_headers)? {
            Format::Printer(printer) => Format::Printer(printer.typed()),
            format => format,
        },
    };
    let known = |t: &String| ["normal", "warning"].contains(&t.to_lowercase().as_str());
    if !args.types.iter().all(known) {
        return Err(CliError::text("valid --types are Normal or Warning"));
    }
    let namespace = match args.all_namespaces {
        true => String::new(),
        false => context.namespace()?,
    };
    let Some(kind) = kinds::find("", "v1", "Event") else {
        return Err(CliError::text("there are no events"));
    };
    let place = Place::new(kind, &namespace);
    let options = ListOptions {
        fields,
        ..ListOptions::default()
    };
    if args.watch {
        return watch(args, format, &cluster, &place, &options, context);
    }
    let mut events = cluster.select(&place, &options)?.items;
    events.retain(|event| args.wants(event));
    if events.is_empty() {
        context.ui.note(&match args.all_namespaces {
            true => "No events found.".to_owned(),
            false => format!("No events found in {namespace} namespace."),
        });
        return Ok(ExitCode::SUCCESS);
    }
    // As in kubectl, events are sorted by their last occurrence, so a repeated event counts as new.
    let events = event::sorted(events);
    match format {
        // kubectl prints the name of the list, which has none.
        Format::Printer(printer) if printer.is_name() => {}
        Format::Printer(mut printer) => {
            let list = json!({
                "apiVersion": "v1", "kind": "EventList", "metadata": {}, "items": events,
            });
            write(printer.print(&list), context)?;
        }
        Format::Human | Format::Wide => {
            let now = cluster.now()?;
            let table = event::table(&events, !args.no_headers, args.all_namespaces, now);
            context.ui.out(&table.render_lines(&mut Vec::new()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the existing events and then new ones, until the command is interrupted.
fn watch(
    args: &EventsArgs,
    mut format: Format,
    cluster: &Cluster,
    place: &Place,
    options: &ListOptions,
    context: &Context,
) -> Outcome {
    let mut watching = cluster.watch(place, options)?;
    let mut headers = !args.no_headers;
    let mut widths = Vec::new();
    context.exit_on_signal()?;
    let (limit, since) = (context.request_timeout()?, Stopwatch::start());
    loop {
        let left = limit.map_or(PATIENCE, |limit| limit.saturating_sub(since.elapsed()));
        // The request timeout ends the watch without an error.
        if left.is_zero() {
            return Ok(ExitCode::SUCCESS);
        }
        for happened in watching.next(left.min(PATIENCE))? {
            // Deletions are not printed, because an event that expires says nothing about its object.
            let (WatchEvent::Added(event) | WatchEvent::Modified(event)) = happened else {
                continue;
            };
            if !args.wants(&event) {
                continue;
            }
            if let Format::Printer(printer) = &mut format {
                write(printer.print(&event), context)?;
                continue;
            }
            let now = cluster.now()?;
            let table = event::table(&[event], headers, args.all_namespaces, now);
            // The header is printed once, above the first event of the watch.
            headers = false;
            context.ui.out(&table.render_lines(&mut widths))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn event(name: &str, kind: &str, at: &str, of: &str) -> String {
        let version = if of == "Pod" { "v1" } else { "apps/v1" };
        format!(
            "apiVersion: v1\nkind: Event\nmetadata: {{name: {name}}}\ntype: {kind}\nreason: R{name}\nmessage: M\n\
             lastTimestamp: {at}\nfirstTimestamp: {at}\ncount: 1\n\
             involvedObject: {{apiVersion: {version}, kind: {of}, name: web, namespace: default}}\n---\n"
        )
    }

    fn shell() -> Shell {
        let shell = Shell::new();
        let text = event("late", "Normal", "2026-01-02T11:59:00Z", "Pod")
            + &event("early", "Warning", "2026-01-02T11:00:00Z", "Pod")
            + &event("other", "Normal", "2026-01-02T11:30:00Z", "Deployment");
        shell.write("events.yaml", text);
        let _ = shell.out("create -f @/events.yaml");
        shell
    }

    fn reasons(shell: &Shell, flags: &str) -> Vec<String> {
        let out = shell.out(&format!("events --no-headers {flags}"));
        let reason = |line: &str| line.split_whitespace().nth(2).unwrap().to_owned();
        out.lines().map(reason).collect()
    }

    #[test]
    fn events_are_printed_as_a_list_of_structs() {
        let shell = Shell::new();
        shell.all(&["create deployment web --image=nginx", "settle"]);
        let out = shell.out("events --for deployment/web -o json");
        assert!(
            out.starts_with("{\n    \"kind\": \"EventList\",\n"),
            "{out}"
        );
        // The list has no name.
        assert_eq!(shell.out("events -o name"), "");
        assert_eq!(
            shell.out("events --template={{.kind}}"),
            shell.out("events")
        );
        assert_eq!(shell.out("events --for pod/"), shell.out("events"));
        shell.refuses(&[(
            "events --for /web",
            "a resource must be present, got: /, Resource=",
        )]);
    }

    #[test]
    fn events_are_sorted_oldest_first() {
        let shell = shell();
        let out = shell.out("events");
        let head: Vec<&str> = out.lines().next().unwrap().split_whitespace().collect();
        assert_eq!(
            head,
            ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
        );
        assert_eq!(reasons(&shell, ""), ["Rearly", "Rother", "Rlate"]);
        let all = shell.out("events -A");
        assert!(all.starts_with("NAMESPACE "), "{all}");
        let json = shell.json("events");
        assert_eq!(json["kind"], "EventList");
        assert_eq!(json["items"][0]["reason"], "Rearly");
    }

    #[test]
    fn events_are_filtered_by_type_and_object() {
        let shell = shell();
        assert_eq!(reasons(&shell, "--types=warning"), ["Rearly"]);
        assert_eq!(reasons(&shell, "--types=Warning,NORMAL").len(), 3);
        assert_eq!(reasons(&shell, "--for=pod/web"), ["Rearly", "Rlate"]);
        assert_eq!(reasons(&shell, "--for deploy/web"), ["Rother"]);
        assert_eq!(reasons(&shell, "--for Deploy/web"), ["Rother"]);
        assert_eq!(reasons(&shell, "--for Deploy.v1.apps/web"), ["Rother"]);
        assert_eq!(reasons(&shell, "--for deploy/").len(), 3);
        assert_eq!(
            shell.fails("events --for deployment.foo/web"),
            "the server doesn't have a resource type \"deployment\" in group \"foo\""
        );
        let said = shell.run("events -n kube-public");
        assert_eq!((said.code, said.out.as_str()), (0, ""));
        assert_eq!(said.err, "No events found in kube-public namespace.\n");
        assert_eq!(
            shell.run("events -A --for pod/none").err,
            "No events found.\n"
        );
        shell.refuses(&[
            ("events --types=Odd", "valid --types are Normal or Warning"),
            ("events --for web", "--for must be in resource/name form"),
            (
                "events --for /web",
                "a resource must be present, got: /, Resource=",
            ),
            (
                "events --for a/b/c",
                "arguments in resource/name form may not have more than one slash",
            ),
        ]);
    }

    #[test]
    fn watch_ends_with_its_request_and_prints_headers_once() {
        let shell = shell();
        let out = shell.out("events --watch --request-timeout=50ms");
        assert_eq!(out.matches("LAST SEEN").count(), 1);
        assert_eq!(out.lines().count(), 4);
    }
}
