//! `ctl get -o`: prints objects for programs, a single one as it is and several as a list.

use super::{GetArgs, apart};
use crate::api::json::Value;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::write;
use crate::cli::resource::NamedObjects;
use crate::cli::ui::log_line;
use crate::print::sort::SortError;
use crate::print::{Printer, sort};

/// Prints the objects that were found, or returns the error about an invalid format.
pub(super) fn show(
    args: &GetArgs,
    printer: Result<Printer, CliError>,
    found: NamedObjects,
    context: &Context,
) -> Result<(), CliError> {
    let one_file = found.one_file;
    let (infos, mut errors, single) = apart(found);
    if single || one_file {
        // A single object that does not exist leaves nothing to print, and `{}` would look like an object.
        CliError::all(std::mem::take(&mut errors))?;
    }
    // kubectl prints nothing here, not even an empty list.
    if infos.is_empty() && args.ignore_not_found {
        return CliError::all(errors);
    }
    // As in kubectl, the format is parsed after the objects are read, and its error replaces theirs.
    let mut printer = printer?;
    let mut shown: Vec<Value> = infos.into_iter().map(|info| info.object).collect();
    let single = single && shown.len() == 1;
    if let Some(path) = args.sort_by.as_deref().filter(|p| !p.is_empty() && !single) {
        let order = sort::order(&shown, path).map_err(|e| unsorted(&e))?;
        shown = order.iter().map(|at| shown[*at].take()).collect();
    }
    if let Err(e) = write(printer.print_all(shown, single), context) {
        errors.push(e);
    }
    CliError::all(errors)
}

/// Returns kubectl's error about objects that cannot be sorted.
pub(super) fn unsorted(error: &SortError) -> CliError {
    let text = error.text("*unstructured.Unstructured");
    match error {
        SortError::Path(_) => CliError::text(text),
        SortError::Unsortable { .. } => CliError::Bare(log_line('F', "sorter.go:329", &text)),
    }
}
