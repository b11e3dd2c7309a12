//! `ctl auth whoami`.

use std::process::ExitCode;

use clap::Args;

use crate::api::json::json;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, OutputArgs, ResultPrinter};
use crate::cluster::Place;
use crate::kinds;
use crate::kinds::tree::{field, text, texts};
use crate::print::tabwriter::TABLE;

/// Show the current user
///
/// Examples:
///   ctl auth whoami
///   ctl auth whoami --as=ann -o yaml
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(super) struct WhoamiArgs {
    /// kubectl ignores words.
    #[arg(id = "words", value_name = "WORDS", hide = true)]
    _words: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &WhoamiArgs, context: &Context) -> Outcome {
    // An incomplete impersonation is reported before an unknown format.
    let cluster = context.api()?;
    // As in kubectl, only `-o` replaces the table, and an empty format stands for the name.
    let is_table = !context.given("output");
    let mut output = args.output.clone();
    if !is_table && output.output.as_deref() == Some("") {
        output.output = Some("name".to_owned());
    }
    let mut printer = ResultPrinter::typed(&output, DryRun::None, context)?;
    let kind = kinds::find("authentication.k8s.io", "v1", "SelfSubjectReview")
        .ok_or_else(|| CliError::text("there is no kind SelfSubjectReview"))?;
    let object = json!({"apiVersion": kind.api_version(), "kind": kind.kind});
    let place = Place::new(kind, "");
    let rights = cluster.rights();
    let review = rights.review(&place, &object, &context.user())?;
    if !is_table {
        printer.print(&review)?;
        return Ok(ExitCode::SUCCESS);
    }
    // kubectl shows only attributes that are set; most users have no uid.
    let user = &review["status"]["userInfo"];
    let mut lines = format!("ATTRIBUTE\tVALUE\nUsername\t{}\n", text(user, "username"));
    if !text(user, "uid").is_empty() {
        lines.push_str(&format!("UID\t{}\n", text(user, "uid")));
    }
    let groups: Vec<&str> = texts(user, "groups").collect();
    if !groups.is_empty() {
        lines.push_str(&format!("Groups\t[{}]\n", groups.join(" ")));
    }
    for (key, _) in field(user, "extra").as_object().into_iter().flatten() {
        let values: Vec<&str> = texts(field(user, "extra"), key).collect();
        lines.push_str(&format!("Extra: {key}\t[{}]\n", values.join(" ")));
    }
    context.ui.out(&TABLE.apply(&lines))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn whoami_prints_name_groups_and_optional_uid() {
        let shell = Shell::new();
        assert_eq!(
            shell.out("auth whoami"),
            "ATTRIBUTE   VALUE\nUsername    admin\nGroups      [system:masters system:authenticated]\n"
        );
        assert_eq!(
            shell.out("auth whoami --template={{.kind}}"),
            shell.out("auth whoami")
        );
        assert_eq!(
            shell.out("auth whoami -o ''"),
            "selfsubjectreview.authentication.k8s.io/<unknown>\n"
        );
        assert_eq!(
            shell.out("auth whoami --as=ann --as-uid=7 --as-group=devs"),
            "ATTRIBUTE   VALUE\nUsername    ann\nUID         7\nGroups      [devs system:authenticated]\n"
        );
        assert_eq!(
            shell.out(
                "auth whoami --as=ann --as-user-extra=Scopes=view --as-user-extra=scopes=edit"
            ),
            "ATTRIBUTE       VALUE\nUsername        ann\nGroups          [system:authenticated]\n\
             Extra: scopes   [view edit]\n"
        );
        let review = shell.json("auth whoami --as=ann");
        assert_eq!(review["kind"], "SelfSubjectReview");
        assert_eq!(
            review["status"]["userInfo"],
            json!({"groups": ["system:authenticated"], "username": "ann"})
        );
    }
}
