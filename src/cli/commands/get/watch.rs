//! `ctl get -w`: prints the existing objects and then each change, until the command is interrupted.

use std::process::ExitCode;
use std::time::Duration;

use super::table::Options;
use super::{GetArgs, builder, human, show};
use crate::api::json::Value;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::write;
use crate::cli::resource::NamedObjects;
use crate::cluster::{Cluster, Place, Revision, WatchEvent};
use crate::kinds::Kind;
use crate::kinds::rbac::AccessAttributes;
use crate::print::Format;
use crate::print::table::Table;
use crate::sys::clock::Stopwatch;

/// The longest sleep of a watch without a change.
const PATIENCE: Duration = Duration::from_secs(60);

/// Prints objects as they arrive, in columns that only grow.
struct Screen<'a> {
    args: &'a GetArgs,
    context: &'a Context,
    cluster: &'a Cluster,
    format: Format,
    options: Options,
    kind: &'static Kind,
    widths: Vec<usize>,
    headed: bool,
}

pub(super) fn run(
    args: &GetArgs,
    format: Result<Format, CliError>,
    cluster: &Cluster,
    context: &Context,
) -> Outcome {
    context.exit_on_signal()?;
    // As in kubectl, a watch ignores the subresource.
    let asked = builder(args, cluster, context)?.subresource("");
    // The revision is read before the look-up, so that no change is lost in between.
    let before = cluster.stored().revision()?;
    let whole = builder(args, cluster, context)?.subresource("");
    let mut found = whole.without_lists().find()?;
    let target = match args.files.is_empty() {
        true => Some(target(&asked)?),
        false => None,
    };
    // Errors of the look-up end the command before the first row is printed; a watch stops at the first error.
    if let Some(at) = found.items.iter().position(Result::is_err) {
        found.items.swap_remove(at)?;
    }
    let format = format?;
    let Target {
        kind,
        name,
        namespace,
    } = match target {
        Some(WatchTarget::One(kind, name)) => Target {
            kind,
            name,
            namespace: match args.all_namespaces {
                true => String::new(),
                false => context.namespace()?,
            },
        },
        Some(WatchTarget::Names) => return Err(refused(args, format, found, cluster, context)?),
        None => match in_files(&found) {
            Some(target) => target,
            None => return Err(refused(args, format, found, cluster, context)?),
        },
    };
    let selection = asked.selection(kind)?;
    let place = Place::new(kind, &namespace);
    let wanted = |object: &Value| {
        let named = name
            .as_ref()
            .is_none_or(|n| object["metadata"]["name"] == n.as_str());
        named && selection.matches(object)
    };
    let mut screen = Screen {
        args,
        context,
        cluster,
        options: human::options(args, &format),
        format,
        kind,
        widths: Vec::new(),
        headed: args.no_headers,
    };
    // kubectl reads a named object with a get, and others with a list.
    let (first, at) = match &name {
        Some(_) => {
            let found = found.items.into_iter().flatten().map(|info| info.object);
            (found.filter(&wanted).collect(), before)
        }
        None => {
            let list = cluster.list(&place, &wanted, None)?;
            (list.items, list.revision)
        }
    };
    let known = first.iter().map(revision).max();
    if !args.watch_only {
        screen.show(first.into_iter().map(|o| ("ADDED", o)).collect())?;
    }
    if let Some(name) = &name {
        // Roles and the error may refer to the object by name.
        let access = AccessAttributes::Resource {
            verb: "watch",
            group: kind.group,
            resource: kind.plural,
            name,
        };
        let rights = cluster.rights();
        let _ = rights.authorize(&context.user(), &access, &place.namespace)?;
    }
    let since = Since { at, known };
    screen.follow(&place, &wanted, since)
}

/// The state that the watch starts from.
struct Since {
    at: Revision,
    /// The revision of the newest object that was printed.
    known: Option<u64>,
}

/// Returns the revision of the last write of an object.
fn revision(object: &Value) -> u64 {
    let version = object["metadata"]["resourceVersion"].as_str();
    version.and_then(|v| v.parse().ok()).unwrap_or_default()
}

/// The watched object, or the watched objects of one kind.
struct Target {
    kind: &'static Kind,
    name: Option<String>,
    namespace: String,
}

/// Returns the object in the files, or nothing if they hold several.
fn in_files(found: &NamedObjects) -> Option<Target> {
    let [Ok(only)] = found.items.as_slice() else {
        return None;
    };
    Some(Target {
        kind: only.kind,
        name: Some(only.name.clone()),
        namespace: only.namespace.clone(),
    })
}

/// Prints objects that cannot be watched together, and returns the reason.
fn refused(
    args: &GetArgs,
    format: Format,
    found: NamedObjects,
    cluster: &Cluster,
    context: &Context,
) -> Result<CliError, CliError> {
    let count = found.items.len();
    if !args.watch_only {
        show(args, Ok(format), found, cluster, context)?;
    }
    Ok(CliError::text(match args.files.filename.len() {
        1 => format!(
            "watch is only supported on individual resources and resource collections - {count} \
             resources were found"
        ),
        _ => "you may only watch a single resource or type of resource at a time".to_owned(),
    }))
}

/// The objects that the arguments name.
enum WatchTarget {
    /// All objects of a kind, or a named one.
    One(&'static Kind, Option<String>),
    /// Several names of one kind, which are printed but not watched.
    Names,
}

/// Returns the objects that the arguments name.
fn target(builder: &crate::cli::resource::Builder<'_>) -> Result<WatchTarget, CliError> {
    let named = builder.names()?;
    let mut kinds: Vec<&'static Kind> = named.iter().map(|(kind, _)| *kind).collect();
    // A watch accepts one type only, so adjacent arguments of one type are merged.
    kinds.dedup();
    match (kinds.as_slice(), named.as_slice()) {
        ([_], [(kind, name)]) => Ok(WatchTarget::One(kind, name.clone())),
        ([_], _) => Ok(WatchTarget::Names),
        _ => Err(CliError::text(
            "you may only specify a single resource type",
        )),
    }
}

impl Screen<'_> {
    /// Prints changes until the timeout of `--request-timeout`.
    fn follow(
        &mut self,
        place: &Place,
        wanted: &dyn Fn(&Value) -> bool,
        Since { mut at, known }: Since,
    ) -> Outcome {
        let (limit, since) = (self.context.request_timeout()?, Stopwatch::start());
        loop {
            let (events, seen) = self.cluster.feed().changes(place, wanted, at)?;
            for event in events {
                let (word, object) = match event {
                    WatchEvent::Added(object) => ("ADDED", object),
                    WatchEvent::Modified(object) => ("MODIFIED", object),
                    WatchEvent::Deleted(object) => ("DELETED", object),
                    // A bookmark has only a revision, which `seen` already contains.
                    WatchEvent::Bookmark(_) => continue,
                };
                let is_new = known.is_none_or(|known| known < revision(&object));
                if is_new || word == "DELETED" {
                    self.show(vec![(word, object)])?;
                }
            }
            at = seen;
            let left = limit.map_or(PATIENCE, |limit| limit.saturating_sub(since.elapsed()));
            // As in kubectl, the request timeout ends the watch without an error.
            if left.is_zero() {
                return Ok(ExitCode::SUCCESS);
            }
            self.cluster.wait(at, left.min(PATIENCE))?;
        }
    }

    fn show(&mut self, events: Vec<(&'static str, Value)>) -> Result<(), CliError> {
        let tells = self.args.output_watch_events;
        if let Format::Printer(printer) = &mut self.format {
            for (event, object) in events {
                let made = match tells {
                    true => printer.print_event(event, &object),
                    false => printer.print(&object),
                };
                write(made, self.context)?;
            }
            return Ok(());
        }
        if events.is_empty() {
            return Ok(());
        }
        let now = self.cluster.now()?;
        let mut table = Table::default();
        if !self.headed {
            self.headed = true;
            table.headers = self.options.headers(self.kind);
            if tells {
                table.headers.insert(0, "EVENT".to_owned());
            }
        }
        for (event, object) in &events {
            let mut row = self.options.row(self.kind, object, now);
            if tells {
                // kubectl pads the shorter words, so that the columns keep their widths when an object changes.
                row.insert(0, format!("{event:8}"));
            }
            table.rows.push(row);
        }
        // The widths are kept between events, because rows that were already printed cannot be realigned.
        let text = table.render_within(&mut self.widths);
        self.context.ui.out(&text)
    }
}
