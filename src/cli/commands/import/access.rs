//! Reads the address and credentials of a live cluster from a kubeconfig.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::api::json::{Value, from_bytes, json};
use crate::cli::commands::config::file::{File, List};
use crate::cli::error::CliError;
use crate::serve::live::Access;
use crate::sys::bounded;

/// A kubeconfig, and the folder that paths in it are relative to.
struct Kubeconfig {
    file: File,
    folder: PathBuf,
}

/// Reads the access to the cluster of a context, by default the current one.
pub(super) fn read(file: &str, context: Option<&str>) -> Result<Access, CliError> {
    let config = File::load_from(file.into())?;
    // ctl's own configuration may be missing, but a file that is named here must exist.
    if !config.exists() {
        return Err(CliError::text(format!(
            "open {file}: no such file or directory"
        )));
    }
    let folder = config.folder()?;
    let kubeconfig = Kubeconfig {
        file: config,
        folder,
    };
    let access = kubeconfig.access(context);
    access.map_err(|why| CliError::text(format!("{file}: {why}")))
}

/// Returns a field if it is a text and not empty.
fn text<'v>(part: &'v Value, field: &str) -> Option<&'v str> {
    part[field].as_str().filter(|text| !text.is_empty())
}

impl Kubeconfig {
    fn access(&self, context: Option<&str>) -> Result<Access, String> {
        let current = Some(self.file.current()).filter(|name| !name.is_empty());
        let name = context.or(current).ok_or("current-context is not set")?;
        let context = self
            .file
            .get(List::Contexts, name)
            .ok_or_else(|| format!("context {name:?} does not exist"))?;
        let cluster = text(context, "cluster").unwrap_or_default();
        let cluster = self
            .file
            .get(List::Clusters, cluster)
            .ok_or_else(|| format!("cluster {cluster:?} does not exist"))?;
        let server = text(cluster, "server")
            .ok_or_else(|| format!("context {name:?} has no server address"))?;
        if server.starts_with("file://") {
            return Err(format!(
                "context {name:?} is a directory, not a live cluster: copy it with ctl cluster fork"
            ));
        }
        let mut access = Access {
            server: server.to_owned(),
            insecure: cluster["insecure-skip-tls-verify"] == true,
            server_name: text(cluster, "tls-server-name").map(str::to_owned),
            ..Access::default()
        };
        let authorities = self.content(cluster, "certificate-authority")?;
        access.authorities = authorities.unwrap_or_default();
        if let Some(user) = text(context, "user") {
            let user = self
                .file
                .get(List::Users, user)
                .ok_or_else(|| format!("auth info {user:?} does not exist"))?;
            self.log_in(user, &mut access)?;
        }
        Ok(access)
    }

    /// Returns the content of a field, which is encoded in `FIELD-data` or in a file.
    fn content(&self, part: &Value, field: &str) -> Result<Option<Vec<u8>>, String> {
        if let Some(data) = text(part, &format!("{field}-data")) {
            let data = BASE64_STANDARD.decode(data);
            return data.map(Some).map_err(|e| format!("{field}-data: {e}"));
        }
        let Some(file) = text(part, field) else {
            return Ok(None);
        };
        let content = bounded::read(self.folder.join(file), bounded::SETTINGS);
        let content = content.map_err(|e| format!("unable to read {field} {file}: {e}"))?;
        Ok(Some(content))
    }

    fn log_in(&self, user: &Value, access: &mut Access) -> Result<(), String> {
        let certificate = self.content(user, "client-certificate")?;
        access.identity = certificate.zip(self.content(user, "client-key")?);
        // As in client-go, a token takes precedence over a password, and a plugin runs only if there is neither.
        if let Some(file) = text(user, "tokenFile") {
            let token = bounded::read_text(self.folder.join(file), bounded::SETTINGS);
            let token = token.map_err(|e| format!("failed to read token file {file:?}: {e}"))?;
            access.authorization = Some(format!("Bearer {}", token.trim()));
        } else if let Some(token) = text(user, "token") {
            access.authorization = Some(format!("Bearer {token}"));
        } else if let Some(name) = text(user, "username") {
            let pair = format!("{name}:{}", text(user, "password").unwrap_or_default());
            access.authorization = Some(format!("Basic {}", BASE64_STANDARD.encode(pair)));
        } else if user["exec"].is_object() {
            self.ask_plugin(&user["exec"], access)?;
        } else if let Some(name) = text(&user["auth-provider"], "name") {
            return Err(format!("no Auth Provider found for name {name:?}"));
        }
        Ok(())
    }

    /// Runs a credential plugin, according to `client.authentication.k8s.io`.
    fn ask_plugin(&self, exec: &Value, access: &mut Access) -> Result<(), String> {
        let name = text(exec, "command").ok_or("exec: the command is missing")?;
        // As in client-go, a path is relative to the file, and a bare name is looked up in PATH.
        let program = if name.contains('/') {
            self.folder.join(name)
        } else {
            Path::new(name).to_owned()
        };
        let version = text(exec, "apiVersion").unwrap_or_default();
        let info = json!({
            "apiVersion": version, "kind": "ExecCredential", "spec": {"interactive": false},
        });
        let mut command = Command::new(program);
        let args = exec["args"].as_array().map_or(&[][..], |args| args);
        command
            .args(args.iter().filter_map(Value::as_str))
            .env("KUBERNETES_EXEC_INFO", info.to_string())
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        for pair in exec["env"].as_array().map_or(&[][..], |env| env) {
            if let Some(variable) = text(pair, "name") {
                command.env(variable, text(pair, "value").unwrap_or_default());
            }
        }
        let output = command.output().map_err(|e| {
            let hint = text(exec, "installHint").map(|hint| format!("\n\n{hint}"));
            let hint = hint.unwrap_or_default();
            format!("getting credentials: exec: executable {name} failed: {e}{hint}")
        })?;
        if !output.status.success() {
            let code = output.status.code().unwrap_or(-1);
            return Err(format!(
                "getting credentials: exec: executable {name} failed with exit code {code}"
            ));
        }
        let credential = from_bytes(&output.stdout, &[])
            .map_err(|e| format!("getting credentials: decoding stdout: {e}"))?;
        let status = &credential["status"];
        if let Some(token) = text(status, "token") {
            access.authorization = Some(format!("Bearer {token}"));
        }
        let pem = |field| text(status, field).map(|pem| pem.as_bytes().to_vec());
        if let Some(identity) = pem("clientCertificateData").zip(pem("clientKeyData")) {
            access.identity = Some(identity);
        }
        if access.authorization.is_none() && access.identity.is_none() {
            return Err(
                "getting credentials: exec plugin didn't return a token or cert/key pair"
                    .to_owned(),
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::cli::testing::Shell;

    const FILE: &str = r#"
current-context: a
contexts:
- {name: a, context: {cluster: secure, user: ann}}
- {name: b, context: {cluster: open, user: bot}}
- {name: c, context: {cluster: open, user: plugin}}
- {name: d, context: {cluster: here}}
- {name: e, context: {cluster: open, user: old}}
- {name: f, context: {cluster: gone}}
clusters:
- name: secure
  cluster: {server: "https://k:6443/prefix", certificate-authority: ca.pem, tls-server-name: inner}
- name: open
  cluster: {server: "https://k", insecure-skip-tls-verify: true}
- name: here
  cluster: {server: "file:///srv/dev"}
users:
- name: ann
  user: {client-certificate-data: Y2VydA==, client-key-data: a2V5, tokenFile: token}
- name: bot
  user: {username: u, password: p}
- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./login
      args: [one]
      env: [{name: WHO, value: me}]
- name: old
  user: {auth-provider: {name: gcp}}
"#;

    fn files() -> Shell {
        let shell = Shell::empty();
        shell.write("live", FILE);
        shell.write("ca.pem", "authority");
        shell.write("token", "t-1\n");
        shell
    }

    /// Installs the plugin.
    ///
    /// A separate process writes it: a child that another test starts at the same time would inherit our descriptor,
    /// and a program that is open for writing cannot be run.
    fn install(shell: &Shell, script: &str) {
        let (text, program) = (shell.path("script"), shell.path("login"));
        shell.write("script", script);
        std::fs::set_permissions(&text, std::fs::Permissions::from_mode(0o755)).unwrap();
        let copied = Command::new("cp").arg(text).arg(program).status();
        assert!(copied.unwrap().success());
    }

    fn access(shell: &Shell, context: Option<&str>) -> Result<Access, String> {
        let path = shell.path("live");
        let name = path.to_str().unwrap();
        read(name, context).map_err(|e| e.to_string().replace(&format!("{name}: "), ""))
    }

    #[test]
    fn credentials_are_read_from_files_and_inline_data() {
        let shell = files();
        let ann = access(&shell, None).unwrap();
        assert_eq!(ann.server, "https://k:6443/prefix");
        assert_eq!(ann.authorities, b"authority");
        assert_eq!(ann.server_name.as_deref(), Some("inner"));
        assert_eq!(ann.identity, Some((b"cert".to_vec(), b"key".to_vec())));
        assert_eq!(ann.authorization.as_deref(), Some("Bearer t-1"));
        assert!(!ann.insecure);
        let bot = access(&shell, Some("b")).unwrap();
        assert_eq!(bot.authorization.as_deref(), Some("Basic dTpw"));
        assert!(bot.insecure);
    }

    #[test]
    fn a_plugin_returns_a_token() {
        let shell = files();
        let script = "#!/bin/sh\necho '{\"status\": {\"token\": \"'$1-$WHO'\"}}'\n";
        install(&shell, script);
        let plugin = access(&shell, Some("c")).unwrap();
        assert_eq!(plugin.authorization.as_deref(), Some("Bearer one-me"));
        install(&shell, "#!/bin/sh\nexit 3\n");
        let failed = access(&shell, Some("c")).unwrap_err();
        let why = "getting credentials: exec: executable ./login failed with exit code 3";
        assert_eq!(failed, why);
    }

    #[test]
    fn unusable_contexts_are_rejected_with_a_reason() {
        let shell = files();
        for (context, why) in [
            (
                "d",
                "context \"d\" is a directory, not a live cluster: copy it with ctl cluster fork",
            ),
            ("e", "no Auth Provider found for name \"gcp\""),
            ("f", "cluster \"gone\" does not exist"),
            ("z", "context \"z\" does not exist"),
        ] {
            assert_eq!(access(&shell, Some(context)).unwrap_err(), why);
        }
    }
}
