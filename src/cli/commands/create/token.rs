//! `ctl create token`.

use std::process::ExitCode;

use clap::Args;

use super::common::name;
use crate::api::json::json;
use crate::cli::commands::Outcome;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::flags::Span;
use crate::cli::options::{DryRun, OutputArgs, ResultPrinter};
use crate::cluster::Place;
use crate::kinds;

/// Request a token for a ServiceAccount
///
/// Example: ctl create token robot --duration=1h
#[derive(Args, Debug)]
pub(super) struct TokenArgs {
    /// The ServiceAccount
    words: Vec<String>,
    /// Audience of the token
    #[arg(long, value_name = "NAME")]
    audience: Vec<String>,
    /// Lifetime of the token; 0 uses the cluster's default
    #[arg(long, value_name = "TIME", default_value = "0s")]
    duration: Span,
    /// Kind of the object to bind the token to: Node, Pod or Secret
    #[arg(long, value_name = "KIND")]
    bound_object_kind: Option<String>,
    /// Name of the object to bind the token to
    #[arg(long, value_name = "NAME")]
    bound_object_name: Option<String>,
    /// UID of the object to bind the token to
    #[arg(long, value_name = "UID")]
    bound_object_uid: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &TokenArgs, context: &Context) -> Outcome {
    let name = name(&args.words, context)?;
    let mut printer = ResultPrinter::typed(&args.output, DryRun::None, context)?;
    let mut spec = json!({"audiences": args.audience});
    if args.duration.is_negative() {
        let text = "--duration must be greater than or equal to 0";
        return Err(CliError::text(text));
    }
    let time = args.duration.duration();
    // `expirationSeconds` has whole seconds, and rounding would change the requested lifetime.
    if time.subsec_nanos() != 0 {
        let text = "--duration cannot be expressed in units less than seconds";
        return Err(CliError::text(text));
    }
    if args.audience.iter().any(String::is_empty) {
        return Err(CliError::text("--audience must not be an empty string"));
    }
    // Without the field, the API server chooses its default of an hour.
    if !args.duration.is_zero() {
        spec["expirationSeconds"] = json!(time.as_secs());
    }
    bind(args, &mut spec)?;
    let request = json!({"metadata": {}, "spec": spec});
    let kind = kinds::find("", "v1", "ServiceAccount")
        .ok_or_else(|| CliError::text("there are no service accounts"))?;
    let place = Place::new(kind, &context.namespace()?);
    let answer = context
        .api()?
        .subresources()
        .token(&place, name, &request)
        .map_err(|e| match CliError::from(e) {
            e if e.status().is_some() => CliError::text(format!("failed to create token: {e}")),
            e => e,
        })?;
    if printer.is_human() {
        let token = answer["status"]["token"].as_str().unwrap_or_default();
        // A script reads only the token, but a terminal needs a line break.
        let end = if context.ui.shows_out() { "\n" } else { "" };
        context.ui.out(&format!("{token}{end}"))?;
    } else {
        printer.print(&answer)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Binds the token to an object whose deletion invalidates it.
fn bind(args: &TokenArgs, spec: &mut crate::api::json::Value) -> Result<(), CliError> {
    let given = |text: &Option<String>| text.clone().filter(|t| !t.is_empty());
    let (name, uid) = (
        given(&args.bound_object_name),
        given(&args.bound_object_uid),
    );
    let Some(kind) = given(&args.bound_object_kind) else {
        let flag = match (name, uid) {
            (Some(_), _) => "name",
            (None, Some(_)) => "uid",
            (None, None) => return Ok(()),
        };
        return Err(CliError::text(format!(
            "--bound-object-{flag} can only be set if --bound-object-kind is provided"
        )));
    };
    // The token authenticator can check only objects of these kinds.
    if !["Node", "Pod", "Secret"].contains(&kind.as_str()) {
        let text = "supported --bound-object-kind values are Node, Pod, Secret";
        return Err(CliError::text(text));
    }
    let Some(name) = name else {
        let text = "--bound-object-name is required if --bound-object-kind is provided";
        return Err(CliError::text(text));
    };
    spec["boundObjectRef"] = json!({"apiVersion": "v1", "kind": kind, "name": name});
    if let Some(uid) = uid {
        spec["boundObjectRef"]["uid"] = json!(uid);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cli::testing::Shell;

    #[test]
    fn create_token_prints_only_the_token() {
        let shell = Shell::new();
        let token = shell.out("create token default");
        assert_eq!(token.split('.').count(), 3, "{token}");
        assert!(!token.ends_with('\n'));
        let made = shell.json("create token default --duration=2h --audience=a --audience=b,c");
        assert_eq!(made["kind"], "TokenRequest");
        assert_eq!(made["spec"]["audiences"], json!(["a", "b,c"]));
        assert_eq!(made["spec"]["expirationSeconds"], 7200);
        assert!(
            made["spec"]
                .as_object()
                .unwrap()
                .contains_key("boundObjectRef")
        );
    }

    #[test]
    fn token_is_bound_to_an_object() {
        let shell = Shell::new();
        let _ = shell.out("create secret generic s");
        let bound = "create token default --bound-object-kind=Secret --bound-object-name=s";
        let made = shell.json(bound);
        let wanted = json!({"apiVersion": "v1", "kind": "Secret", "name": "s"});
        let uid = &shell.json("get secret s")["metadata"]["uid"];
        let mut answered = made["spec"]["boundObjectRef"].clone();
        if let Some(answered) = answered["uid"].as_str() {
            assert_eq!(answered, uid.as_str().unwrap());
        }
        answered.as_object_mut().unwrap().remove("uid");
        assert_eq!(answered, wanted);
    }

    #[test]
    fn invalid_token_flags_are_rejected() {
        let shell = Shell::new();
        let bound = "create token default --bound-object";
        shell.refuses(&[
            (
                "create token default --duration=-1s",
                "--duration must be greater than or equal to 0",
            ),
            (
                "create token default --duration=-1s -o odd",
                "unable to match a printer suitable for the output format \"odd\", allowed formats are: go-template,\
                 go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,yaml",
            ),
            (
                "create token default --duration=1ms",
                "--duration cannot be expressed in units less than seconds",
            ),
            (
                "create token default --audience=a --audience=",
                "--audience must not be an empty string",
            ),
            (
                &format!("{bound}-name=a"),
                "--bound-object-name can only be set if --bound-object-kind is provided",
            ),
            (
                &format!("{bound}-uid=a"),
                "--bound-object-uid can only be set if --bound-object-kind is provided",
            ),
            (
                &format!("{bound}-kind=Service --bound-object-name=a"),
                "supported --bound-object-kind values are Node, Pod, Secret",
            ),
            (
                &format!("{bound}-kind=Pod"),
                "--bound-object-name is required if --bound-object-kind is provided",
            ),
            (
                "create token nobody",
                "failed to create token: serviceaccounts \"nobody\" not found",
            ),
        ]);
    }
}
