//! `ctl certificate`.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::api::json::{Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::options::{DryRun, OutputArgs, ResultPrinter, write_options};
use crate::cli::resource::{Builder, FileArgs, Info};
use crate::cluster::{Cluster, FieldValidation, Part};

/// Approve and deny certificate signing requests
///
/// Examples:
///   ctl certificate approve ann
///   ctl certificate deny ann
#[derive(Args, Debug)]
#[command(verbatim_doc_comment)]
pub(crate) struct CertificateArgs {
    #[command(subcommand)]
    command: CertificateCommand,
}

#[derive(Debug, Subcommand)]
enum CertificateCommand {
    /// Approve certificate signing requests
    ///
    /// Examples:
    ///   ctl certificate approve ann
    ///   ctl certificate approve -f request.yaml
    #[command(verbatim_doc_comment)]
    Approve(DecisionArgs),
    /// Deny certificate signing requests
    ///
    /// Examples:
    ///   ctl certificate deny ann
    ///   ctl certificate deny -f request.yaml
    #[command(verbatim_doc_comment)]
    Deny(DecisionArgs),
}

#[derive(Args, Debug)]
struct DecisionArgs {
    /// Names of certificate signing requests
    names: Vec<String>,
    #[command(flatten)]
    files: FileArgs,
    /// Update a request that already has this decision
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// A decision on a signing request.
struct Decision {
    condition: &'static str,
    opposite: &'static str,
    reason: &'static str,
    verb: &'static str,
    done: &'static str,
}

const APPROVE: Decision = Decision {
    condition: "Approved",
    opposite: "Denied",
    reason: "KubectlApprove",
    verb: "approve",
    done: "approved",
};

const DENY: Decision = Decision {
    condition: "Denied",
    opposite: "Approved",
    reason: "KubectlDeny",
    verb: "deny",
    done: "denied",
};

pub(crate) fn run(args: &CertificateArgs, context: &Context) -> Outcome {
    match &args.command {
        CertificateCommand::Approve(args) => decide(args, &APPROVE, context),
        CertificateCommand::Deny(args) => decide(args, &DENY, context),
    }
}

fn decide(args: &DecisionArgs, decision: &Decision, context: &Context) -> Outcome {
    let mut printer = ResultPrinter::new(&args.output, DryRun::None, context)?;
    if args.names.is_empty() && args.files.is_empty() {
        let text = "one or more CSRs must be specified as <name> or -f <filename>";
        return Err(CliError::text(text));
    }
    let cluster = context.api()?;
    let pair = |name: &String| match name.contains('/') {
        true => name.clone(),
        false => format!("certificatesigningrequests/{name}"),
    };
    let words: Vec<String> = args.names.iter().map(pair).collect();
    let found = Builder::new(context, Some(&cluster))?
        .files(&args.files)
        .words(&words, false)
        .own_namespaces()
        // The live object is read, because a file holds an old state and the decision extends the live conditions.
        .latest()
        .find()?;
    let (mut errors, mut count) = (Vec::new(), 0);
    for item in found.in_turn() {
        let decided = item.and_then(|info| {
            one(&info, args.force, decision, &cluster, context)?;
            Ok(info)
        });
        match decided {
            Err(e) => errors.push(e),
            Ok(info) => {
                count += 1;
                printer.print_result(&info, decision.done)?;
            }
        }
    }
    CliError::all(errors)?;
    if count == 0 {
        context.ui.line("No resources found")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn one(
    info: &Info,
    force: bool,
    decision: &Decision,
    cluster: &Cluster,
    context: &Context,
) -> Result<(), CliError> {
    // `-f` accepts any kind; kubectl rejects kinds without the approval subresource by their type.
    if info.kind.subresource("approval").is_none() {
        let (kind, group) = (info.kind.kind, info.kind.group);
        let got = if group.is_empty() {
            kind.to_owned()
        } else {
            format!("{kind}.{group}")
        };
        return Err(CliError::text(format!(
            "can only handle CertificateSigningRequest.certificates.k8s.io objects, got {got}"
        )));
    }
    info.require_name()?;
    let conditions = info.object["status"]["conditions"].as_array();
    let has = |name: &str| conditions.into_iter().flatten().any(|c| c["type"] == name);
    // Approved and Denied exclude each other, and the API server never removes either.
    if has(decision.opposite) {
        let (name, opposite) = (&info.name, decision.opposite);
        let text = format!("certificate signing request {name:?} is already {opposite}");
        return Err(CliError::text(text));
    }
    // As in kubectl, repeating an approval is reported as approved.
    if has(decision.condition) && !force {
        return Ok(());
    }
    let manager = "kubectl".to_owned();
    let options = write_options(context, DryRun::None, manager, FieldValidation::Warn);
    let program = &context.program;
    let condition = json!({
        "type": decision.condition, "status": "True", "reason": decision.reason,
        "message": format!("This CSR was {} by {program} certificate {}.", decision.done, decision.verb),
        "lastUpdateTime": cluster.now()?.to_string(),
    });
    let answer = cluster.modify(
        &info.place(),
        &info.name,
        // Only the subresource `approval` may change these conditions; an ordinary update ignores the status.
        Part::Approval,
        &options,
        &mut |old| Ok(with_condition(old, &condition)),
    )?;
    context.ui.warn_of(&answer);
    Ok(())
}

fn with_condition(request: &Value, condition: &Value) -> Value {
    let mut new = request.clone();
    let mut all = new["status"]["conditions"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    // --force repeats the request, but a second condition of one type would be invalid.
    if !all.iter().any(|own| own["type"] == condition["type"]) {
        all.push(condition.clone());
    }
    new["status"]["conditions"] = json!(all);
    new
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    fn shell() -> Shell {
        let shell = Shell::new();
        let request = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIYU1JR0JBZ0VBTUI4eERUQUxCZ05WQkFvTUJHTnlaWGN4RGpBTUJnTlZCQU1NQlhCcGJHOTBNRmt3RXdZSApLb1pJemowQ0FRWUlLb1pJemowREFRY0RRZ0FFMFZnZTFBaHVBS2EwWSt3NExwSVgzVVl4ZTlnVTRrS2x2UmwwCjNTdENRQ0V1RExvQWJuZHMyaHYvNENySWJvTUg0L212WURocUhpckYwYUxrNlJWQlY2QUFNQW9HQ0NxR1NNNDkKQkFNQ0EwZ0FNRVVDSVFEUGRvc1lMU1JFNzh2Rkk1aTNOVGpWRnhhNXY2KzJPZTc5aFdvbGhlSDI0QUlnRnpmWAprTWpzWDQ4NHc4WENBdU1ITmRicVVNTExJZkMrNldDd0pZRTNjMk09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
        let one = |name: &str| {
            format!(
                "apiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\nmetadata: {{name: {name}}}\n\
                 spec: {{request: {request}, signerName: example.com/a, usages: [client auth]}}\n---\n"
            )
        };
        shell.write("csr.yaml", format!("{}{}", one("ann"), one("bob")));
        let _ = shell.out("create -f @/csr.yaml");
        shell
    }

    fn conditions(shell: &Shell, name: &str) -> String {
        let each = "{range .status.conditions[*]}{.type}={.status},{.reason},{.message};{end}";
        shell.out(&format!("get csr {name} -o jsonpath='{each}'"))
    }

    #[test]
    fn approval_and_denial_add_a_condition() {
        let shell = shell();
        let out = shell.out("certificate approve ann");
        assert_eq!(
            out,
            "certificatesigningrequest.certificates.k8s.io/ann approved\n"
        );
        assert_eq!(
            conditions(&shell, "ann"),
            "Approved=True,KubectlApprove,This CSR was approved by kubectl certificate approve.;"
        );
        let out = shell.out("certificate deny bob");
        assert_eq!(
            out,
            "certificatesigningrequest.certificates.k8s.io/bob denied\n"
        );
        assert_eq!(
            conditions(&shell, "bob"),
            "Denied=True,KubectlDeny,This CSR was denied by kubectl certificate deny.;"
        );
    }

    #[test]
    fn approval_is_final_and_idempotent() {
        let shell = shell();
        let _ = shell.out("certificate approve -f @/csr.yaml");
        let version =
            |shell: &Shell| shell.out("get csr ann -o jsonpath={.metadata.resourceVersion}");
        let before = version(&shell);
        let _ = shell.out("certificate approve ann");
        assert_eq!(version(&shell), before);
        let _ = shell.out("certificate approve csr/ann --force");
        assert_eq!(conditions(&shell, "ann").matches("Approved").count(), 1);
        shell.refuses(&[
            (
                "certificate deny ann",
                "certificate signing request \"ann\" is already Approved",
            ),
            (
                "certificate approve",
                "one or more CSRs must be specified as <name> or -f <filename>",
            ),
        ]);
        let said = shell.run("certificate approve none bob");
        assert_eq!(
            said.out,
            "certificatesigningrequest.certificates.k8s.io/bob approved\n"
        );
        assert_eq!(
            said.err,
            "Error from server (NotFound): certificatesigningrequests.certificates.k8s.io \"none\" not found\n"
        );
    }

    #[test]
    fn other_objects_of_a_file_are_refused() {
        let shell = shell();
        let _ = shell.out("create configmap c");
        shell.write(
            "cm.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
        );
        shell.write(
            "ns.yaml",
            "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n",
        );
        shell.refuses(&[
            (
                "certificate approve -f @/ns.yaml",
                "can only handle CertificateSigningRequest.certificates.k8s.io objects, got Namespace",
            ),
            // The command sets no namespace, so kubectl cannot request a namespaced object.
            (
                "certificate approve -f @/cm.yaml",
                "no namespace set on resource /v1, Resource=configmaps \"c\"",
            ),
            (
                "certificate approve cm/c -n default",
                "namespace may not be empty when retrieving a resource by name",
            ),
        ]);
    }
}
