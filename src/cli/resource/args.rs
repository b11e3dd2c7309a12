//! Flags that name or select objects.

use clap::Args;

use crate::cli::error::CliError;

/// The flags that name manifests.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct FileArgs {
    /// File or directory with the objects; - reads standard input
    #[arg(short, long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) filename: Vec<String>,
    /// Directory with a kustomization file
    #[arg(short, long, value_name = "DIR")]
    pub(crate) kustomize: Option<String>,
    /// Read directories recursively
    #[arg(short = 'R', long)]
    pub(crate) recursive: bool,
}

impl FileArgs {
    /// Returns true if no manifest is named.
    pub(crate) fn is_empty(&self) -> bool {
        self.filename.is_empty() && self.kustomize().is_none()
    }

    pub(crate) fn kustomize(&self) -> Option<&str> {
        self.kustomize.as_deref().filter(|k| !k.is_empty())
    }

    /// Requires exactly one way to name manifests, with kubectl's errors.
    pub(crate) fn require(&self) -> Result<(), CliError> {
        let text = match (self.filename.is_empty(), self.kustomize()) {
            // kubectl checks this before it reads any file.
            (true, None) => "must specify one of -f and -k",
            (false, Some(_)) => "only one of -f or -k can be specified",
            _ => return Ok(()),
        };
        Err(CliError::text(text))
    }
}

/// The flags that select objects.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct SelectorArgs {
    /// Label selector, separated by commas: a=b, a!=b, a in (b,c), a, !a
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    pub(crate) selector: Option<String>,
    /// Field selector, such as metadata.name=a,status.phase!=Running
    #[arg(long, value_name = "SELECTOR")]
    pub(crate) field_selector: Option<String>,
}
