//! An object, and the way it was named.

use crate::api::json::Value;
use crate::cli::error::CliError;
use crate::cli::output::type_and_name;
use crate::cluster::Place;
use crate::kinds::Kind;
use crate::print::objects;

/// An object and the way it was named.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Info {
    /// The kind.
    pub(crate) kind: &'static Kind,
    /// The namespace; empty for cluster-scoped kinds.
    pub(crate) namespace: String,
    /// The name; empty if the server generates it.
    pub(crate) name: String,
    /// The file as the user named it, `STDIN` for standard input, or empty if it comes from no file.
    pub(crate) source: String,
    /// The object; null if only its name is needed.
    pub(crate) object: Value,
}

impl Info {
    /// Returns the kind and the namespace.
    pub(crate) fn place(&self) -> Place {
        Place::new(self.kind, &self.namespace)
    }

    /// Rejects an object without a name, as client-go does before it sends a request.
    pub(crate) fn require_name(&self) -> Result<(), CliError> {
        match self.name.as_str() {
            "" => Err(CliError::text("resource name may not be empty")),
            _ => Ok(()),
        }
    }

    /// Returns the type and the name, as in `deployment.apps/web`.
    pub(crate) fn shown(&self) -> String {
        let name = self.object["metadata"]["name"]
            .as_str()
            .unwrap_or(&self.name);
        match self.object["kind"].as_str() {
            // A subresource such as `scale` has a kind of its own and is printed with that.
            Some(own) if own != self.kind.kind => objects::type_and_name(&self.object),
            _ => type_and_name(self.kind, name),
        }
    }

    /// Returns the info for an object in a place.
    pub(crate) fn at(place: &Place, object: Value) -> Self {
        let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
        Self {
            kind: place.kind,
            namespace: text("namespace").to_owned(),
            name: text("name").to_owned(),
            source: String::new(),
            object,
        }
    }

    /// Returns a copy with another object and that object's name.
    pub(crate) fn with(&self, object: Value) -> Self {
        let name = object["metadata"]["name"].as_str();
        Self {
            // A response contains the name that the server generated for `generateName`.
            name: name.unwrap_or(&self.name).to_owned(),
            object,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::testing::Shell;

    const MISSING: &str = "error: resource name may not be empty";

    fn shell() -> Shell {
        let shell = Shell::new();
        let nameless = "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: gen-}\n";
        let named = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ok}\n";
        shell.write("g.yaml", nameless);
        shell.write(
            "none.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n",
        );
        let review = "apiVersion: authentication.k8s.io/v1\nkind: SelfSubjectReview\n";
        shell.write("review.yaml", review);
        shell.write("both.yaml", format!("{nameless}---\n{named}"));
        let _ = shell.out("create cm ok");
        shell
    }

    #[test]
    fn a_manifest_without_a_name_is_not_sent() {
        let shell = shell();
        let deleting = "error: error when deleting \"@/g.yaml\": resource name may not be empty";
        let waiting = "error: resource name must be provided";
        for (line, why) in [
            ("delete -f @/g.yaml", deleting),
            ("delete -f @/g.yaml --ignore-not-found", deleting),
            ("patch -f @/g.yaml -p {}", MISSING),
            ("apply --server-side -f @/none.yaml", MISSING),
            ("apply --server-side -f @/review.yaml", MISSING),
            ("patch -f @/both.yaml -p {}", MISSING),
            ("patch -f @/g.yaml -p {} --subresource=status", MISSING),
            ("label -f @/g.yaml a=b", MISSING),
            ("annotate -f @/g.yaml a=b", MISSING),
            ("scale -f @/g.yaml --replicas=1", MISSING),
            ("describe -f @/g.yaml", MISSING),
            ("wait -f @/g.yaml --for=create --timeout=1s", waiting),
            ("wait -f @/both.yaml --for=create --timeout=1s", waiting),
            ("wait -f @/g.yaml --for=delete --timeout=1s", waiting),
        ] {
            assert_eq!(shell.fails(line), why, "{line}");
        }
    }

    #[test]
    fn objects_that_are_only_created_allow_no_other_method() {
        let shell = shell();
        let binding =
            "apiVersion: v1\nkind: Binding\nmetadata: {name: x}\ntarget: {name: node-a}\n";
        shell.write("b.yaml", binding);
        let why = "the server does not allow this method on the requested resource";
        let current = "error when retrieving current configuration of:\nResource: \"/v1, Resource=bindings\", \
                       GroupVersionKind: \"/v1, Kind=Binding\"\nName: \"x\", Namespace: \"default\"\nfrom server for: \
                       \"@/b.yaml\": ";
        for (line, doing) in [
            ("get -f @/b.yaml", ""),
            ("describe -f @/b.yaml", ""),
            ("diff -f @/b.yaml", ""),
            ("label -f @/b.yaml a=b", ""),
            ("patch -f @/b.yaml -p {}", ""),
            ("wait -f @/b.yaml --for=delete --timeout=1s", ""),
            ("apply -f @/b.yaml", current),
            ("apply -f @/b.yaml --server-side", ""),
            ("replace -f @/b.yaml", "error when replacing \"@/b.yaml\": "),
            ("delete -f @/b.yaml", "error when deleting \"@/b.yaml\": "),
        ] {
            let text = format!("Error from server (MethodNotAllowed): {doing}{why}\n");
            // `diff` has a different exit code.
            let said = shell.run(line);
            assert_eq!((said.code > 0, said.err), (true, text), "{line}");
        }
    }

    #[test]
    fn an_object_without_a_version_is_requested_in_vain() {
        let shell = shell();
        let why = "the server could not find the requested resource";
        for version in ["apiVersion: apps/", "apiVersion: ''", "apiVersion: /", ""] {
            let kind = if version.contains("apps") {
                "Deployment"
            } else {
                "ConfigMap"
            };
            let text = format!("{version}\nkind: {kind}\nmetadata: {{name: x}}\n");
            shell.write("v.yaml", text);
            for (line, doing) in [
                ("get -f @/v.yaml", ""),
                ("diff -f @/v.yaml", ""),
                ("delete -f @/v.yaml", "error when deleting \"@/v.yaml\": "),
                (
                    "create -f @/v.yaml --validate=false",
                    "error when creating \"@/v.yaml\": ",
                ),
                (
                    "apply -f @/v.yaml --validate=false",
                    "error when creating \"@/v.yaml\": ",
                ),
            ] {
                let text = format!("Error from server (NotFound): {doing}{why}\n");
                let said = shell.run(line);
                assert_eq!((said.code > 0, said.err), (true, text), "{version} {line}");
            }
            let made = shell.out("create -f @/v.yaml --dry-run=client --validate=false -o name");
            assert!(made.ends_with("/x\n"), "{made}");
        }
    }

    #[test]
    fn a_manifest_without_a_name_is_printed_as_it_is() {
        let shell = shell();
        for (line, out) in [
            ("get -f @/g.yaml", "NAME   AGE\n       <unknown>\n"),
            ("get -f @/g.yaml -o wide", "NAME   AGE\n       <unknown>\n"),
            ("get -f @/g.yaml -o name", "configmap/<unknown>\n"),
            ("get -f @/review.yaml", "NAME   AGE\n       <unknown>\n"),
            (
                "create -f @/review.yaml --dry-run=client -o yaml",
                "apiVersion: authentication.k8s.io/v1\nkind: SelfSubjectReview\n",
            ),
            (
                "get -f @/both.yaml -o name",
                "configmap/<unknown>\nconfigmap/ok\n",
            ),
            (
                "delete -f @/both.yaml --dry-run=client",
                "configmap \"\" deleted from default namespace (dry run)\n\
                 configmap \"ok\" deleted from default namespace (dry run)\n",
            ),
            (
                "delete -f @/g.yaml --dry-run=client -o name",
                "configmap/\n",
            ),
        ] {
            assert_eq!(shell.out(line), out, "{line}");
        }
        let tables = shell.out("get -f @/both.yaml");
        let start = "NAME   AGE\n       <unknown>\nNAME   DATA   AGE\nok     0 ";
        assert!(tables.starts_with(start), "{tables}");
    }
}
