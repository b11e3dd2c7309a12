//! `ctl get` for people: prints a table for each run of objects of one kind.

use super::generic::unsorted;
use super::table::Options;
use super::{GetArgs, apart};
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::resource::{Builder, Info, NamedObjects};
use crate::cli::ui::log_line;
use crate::cluster::Cluster;
use crate::kinds::Kind;
use crate::kinds::scale::SCALE;
use crate::print::sort::SortError;
use crate::print::table::Table;
use crate::print::{Format, sort};

/// A run of consecutive objects of one kind.
struct Group {
    kind: &'static Kind,
    /// True for manifests without a name. The client formats these, because no server has them.
    nameless: bool,
    objects: Vec<Value>,
}

/// The rows of the table of one kind.
pub(super) struct Rows {
    kind: &'static Kind,
    rows: Vec<Vec<String>>,
}

/// Returns the rows of a plain list. They are formatted while the objects are read, so that no object is kept. Returns
/// `None` if the flags need whole objects, or after an error that the general code reports.
pub(super) fn rows(
    args: &GetArgs,
    format: &Format,
    builder: &Builder<'_>,
    cluster: &Cluster,
) -> Option<Rows> {
    let sorted = args.sort_by.as_deref().is_some_and(|p| !p.is_empty());
    // Sorting and printers need whole objects rather than cells.
    if sorted || args.subresource.is_some() || matches!(format, Format::Printer(_)) {
        return None;
    }
    let (place, selection) = builder.whole_list()?;
    let (options, now) = (options(args, format), cluster.now().ok()?);
    let mut row = |object: &Value| options.row(place.kind, object, now);
    let rows = cluster
        .feed()
        .map_fields(&place, &selection, &mut row)
        .ok()?;
    builder.warn(place.kind);
    Some(Rows {
        kind: place.kind,
        rows,
    })
}

/// Prints rows. Returns true if there are none.
pub(super) fn show_rows(
    args: &GetArgs,
    format: &Format,
    Rows { kind, rows }: Rows,
    context: &Context,
) -> Result<bool, CliError> {
    if rows.is_empty() {
        if !args.ignore_not_found {
            tell_nothing(args, &[kind], context)?;
        }
        return Ok(true);
    }
    let headers = match args.no_headers {
        true => Vec::new(),
        false => options(args, format).headers(kind),
    };
    context.ui.out_table(&Table { headers, rows }.render())?;
    Ok(false)
}

fn tell_nothing(
    args: &GetArgs,
    kinds: &[&'static Kind],
    context: &Context,
) -> Result<(), CliError> {
    // kubectl names the namespace only if all requested kinds are namespaced; only the server's tables tell that.
    let is_namespaced = !args.server_print || kinds.iter().all(|k| k.namespaced);
    let inside = !args.all_namespaces && is_namespaced;
    context.ui.note(&match inside {
        true => format!("No resources found in {} namespace.", context.namespace()?),
        false => "No resources found".to_owned(),
    });
    context.tell_directory("looked in")
}

/// Prints the objects that were found.
pub(super) fn show(
    args: &GetArgs,
    format: &Format,
    found: NamedObjects,
    cluster: &Cluster,
    context: &Context,
) -> Result<(), CliError> {
    let mut kinds = found.kinds.clone();
    // The server sends a table for each requested type, or for each object if objects are named.
    let tables = found.kinds.len();
    let (mut infos, errors, _) = apart(found);
    let path = args.sort_by.as_deref().filter(|p| !p.is_empty());
    // Without the server's tables, only kinds of which there are objects count, and these are sorted as a whole.
    if !args.server_print {
        if let Some(path) = path {
            infos = sorted(infos, path)?;
        }
        kinds = infos.iter().map(|info| info.kind).collect();
    }
    let mut groups = grouped(infos);
    if let Some(path) = path.filter(|_| args.server_print) {
        sort_tables(&mut groups, path, tables)?;
    }
    let now = cluster.now()?;
    let mut options = options(args, format);
    // As in kubectl, names have a prefix if there are several kinds, so that the tables can be told apart, but not
    // before a watch.
    options.show_kind |= !args.watch && kinds.iter().any(|k| *k != kinds[0]);
    let (mut out, mut together) = (String::new(), Table::default());
    let mut last = None;
    for group in groups.iter().filter(|g| !g.objects.is_empty()) {
        // kubectl separates tables by an empty line only if they have headers.
        let is_other = last != Some(group.kind);
        if !out.is_empty() && !args.no_headers && is_other {
            out.push('\n');
        }
        last = Some(group.kind);
        // Scales have equal columns for all kinds.
        let kind = match args.subresource.as_deref() {
            Some("scale") if args.files.is_empty() => &SCALE,
            _ => group.kind,
        };
        // kubectl's printers share a flag: every table after one with a namespace has that column, too.
        let mut earlier = kinds.iter().take_while(|k| **k != group.kind);
        options.namespace_of_all |= earlier.any(|k| k.namespaced);
        options.plain = !args.server_print || group.nameless;
        let row = |object: &Value| options.row(kind, object, now);
        let table = Table {
            headers: match args.no_headers {
                true => Vec::new(),
                false => options.headers(kind),
            },
            rows: group.objects.iter().map(row).collect(),
        };
        if args.watch {
            // Before a watch, kubectl aligns all tables together, and headers that it makes itself are printed once.
            let is_new = args.server_print || together.rows.is_empty();
            let headers = Some(table.headers).filter(|h| is_new && !h.is_empty());
            together.rows.extend(headers.into_iter().chain(table.rows));
        } else {
            out.push_str(&table.render());
        }
    }
    out.push_str(&together.render());
    context.ui.out_table(&out)?;
    if out.is_empty() && errors.is_empty() && !args.ignore_not_found {
        tell_nothing(args, &kinds, context)?;
    }
    CliError::all(errors)
}

/// Returns the table options that the flags select.
pub(super) fn options(args: &GetArgs, format: &Format) -> Options {
    Options {
        wide: matches!(format, Format::Wide),
        show_labels: args.show_labels,
        show_kind: args.show_kind,
        with_namespace: args.all_namespaces,
        namespace_of_all: false,
        label_columns: args.label_columns.clone(),
        plain: !args.server_print,
    }
}

fn grouped(infos: Vec<Info>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for info in infos {
        // Only neighbors form a table: as in kubectl, `get pod/a svc/b pod/c` prints three.
        let nameless = info.name.is_empty();
        let alike = |g: &&mut Group| g.kind == info.kind && g.nameless == nameless;
        match groups.last_mut().filter(alike) {
            Some(group) => group.objects.push(info.object),
            None => groups.push(Group {
                kind: info.kind,
                nameless,
                objects: vec![info.object],
            }),
        }
    }
    groups
}

/// Sorts objects of any kinds. As in kubectl, a single one needs no sorting.
fn sorted(infos: Vec<Info>, path: &str) -> Result<Vec<Info>, CliError> {
    if infos.len() < 2 {
        return Ok(infos);
    }
    let objects: Vec<Value> = infos.iter().map(|info| info.object.clone()).collect();
    let order = sort::order(&objects, path).map_err(|e| unsorted(&e))?;
    let mut infos: Vec<_> = infos.into_iter().map(Some).collect();
    Ok(order.iter().filter_map(|at| infos[*at].take()).collect())
}

/// Sorts a single table. As in kubectl, several tables are sorted as a whole instead, by the few fields of a table.
fn sort_tables(groups: &mut [Group], path: &str, tables: usize) -> Result<(), CliError> {
    let table = json!({"apiVersion": "meta.k8s.io/v1", "kind": "Table", "metadata": {"resourceVersion": "1"}});
    if tables > 1 {
        sort::order(&vec![table; tables], path).map_err(|e| unsorted(&e))?;
        return Ok(());
    }
    groups
        .iter_mut()
        .try_for_each(|group| sort_group(group, path))
}

/// Sorts a table. As in kubectl, a table without the field is omitted, and a single row needs no sorting.
fn sort_group(group: &mut Group, path: &str) -> Result<(), CliError> {
    if group.objects.len() == 1 {
        return Ok(());
    }
    group.objects = match sort::order(&group.objects, path) {
        Ok(order) => order.iter().map(|at| group.objects[*at].take()).collect(),
        Err(SortError::Path(_)) => Vec::new(),
        Err(e) => {
            let text = e.text("[][][]reflect.Value");
            return Err(CliError::Bare(log_line('F', "sorter.go:375", &text)));
        }
    };
    Ok(())
}
