//! The words that kubectl's commands take, in kubectl's notation. clap knows them only as a list, because kubectl also
//! checks them only when a command runs.

/// The commands and their words. kubectl prints `[flags]` for some of them.
const WORDS: &[(&str, &str)] = &[
    (
        "annotate",
        "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
    ),
    ("api-resources", "[flags]"),
    ("api-versions", ""),
    ("apply", "(-f FILENAME | -k DIRECTORY)"),
    ("apply edit-last-applied", "(RESOURCE/NAME | -f FILENAME)"),
    ("apply set-last-applied", "-f FILENAME"),
    (
        "apply view-last-applied",
        "(TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)",
    ),
    ("attach", "(POD | TYPE/NAME) -c CONTAINER"),
    ("auth", "[flags]"),
    ("auth can-i", "VERB [TYPE | TYPE/NAME | NONRESOURCEURL]"),
    ("auth reconcile", "-f FILENAME"),
    ("auth whoami", ""),
    (
        "autoscale",
        "(-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu=CPU] [--memory=MEMORY]",
    ),
    ("certificate", "SUBCOMMAND"),
    ("certificate approve", "(-f FILENAME | NAME)"),
    ("certificate deny", "(-f FILENAME | NAME)"),
    ("cluster-info", "[flags]"),
    ("cluster-info dump", "[flags]"),
    ("completion", "SHELL"),
    ("config", "SUBCOMMAND"),
    ("config current-context", "[flags]"),
    ("config delete-cluster", "NAME"),
    ("config delete-context", "NAME"),
    ("config delete-user", "NAME"),
    ("config get-clusters", "[flags]"),
    ("config get-contexts", "[(-o|--output=)name)]"),
    ("config get-users", "[flags]"),
    ("config rename-context", "CONTEXT_NAME NEW_NAME"),
    ("config set", "PROPERTY_NAME PROPERTY_VALUE"),
    (
        "config set-cluster",
        "NAME [--server=server] [--certificate-authority=path/to/certificate/authority] [--insecure-skip-tls-verify=true] [--tls-server-name=example.com]",
    ),
    (
        "config set-context",
        "[NAME | --current] [--cluster=cluster_nickname] [--user=user_nickname] [--namespace=namespace]",
    ),
    (
        "config set-credentials",
        "NAME [--client-certificate=path/to/certfile] [--client-key=path/to/keyfile] [--token=bearer_token] [--username=basic_user] [--password=basic_password] [--auth-provider=provider_name] [--auth-provider-arg=key=value] [--exec-command=exec_command] [--exec-api-version=exec_api_version] [--exec-arg=arg] [--exec-env=key=value]",
    ),
    ("config unset", "PROPERTY_NAME"),
    ("config use-context", "CONTEXT_NAME"),
    ("config view", "[flags]"),
    ("cordon", "NODE"),
    ("cp", "<file-spec-src> <file-spec-dest>"),
    ("create", "-f FILENAME"),
    (
        "create clusterrole",
        "NAME --verb=verb --resource=resource.group [--resource-name=resourcename] [--dry-run=server|client|none]",
    ),
    (
        "create clusterrolebinding",
        "NAME --clusterrole=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    ),
    (
        "create configmap",
        "NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
    ),
    (
        "create cronjob",
        "NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...] [flags]",
    ),
    (
        "create deployment",
        "NAME --image=image -- [COMMAND] [args...]",
    ),
    (
        "create ingress",
        "NAME --rule=host/path=service:port[,tls[=secret]]",
    ),
    (
        "create job",
        "NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]",
    ),
    ("create namespace", "NAME [--dry-run=server|client|none]"),
    (
        "create poddisruptionbudget",
        "NAME --selector=SELECTOR --min-available=N [--dry-run=server|client|none]",
    ),
    (
        "create priorityclass",
        "NAME --value=VALUE --global-default=BOOL [--dry-run=server|client|none]",
    ),
    (
        "create quota",
        "NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none]",
    ),
    (
        "create role",
        "NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename] [--dry-run=server|client|none]",
    ),
    (
        "create rolebinding",
        "NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    ),
    ("create secret", "(docker-registry | generic | tls)"),
    (
        "create secret docker-registry",
        "NAME --docker-username=user --docker-password=password --docker-email=email [--docker-server=string] [--from-file=[key=]source] [--dry-run=server|client|none]",
    ),
    (
        "create secret generic",
        "NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
    ),
    (
        "create secret tls",
        "NAME --cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none]",
    ),
    ("create service", "[flags]"),
    (
        "create service clusterip",
        "NAME [--tcp=<port>:<targetPort>] [--dry-run=server|client|none]",
    ),
    (
        "create service externalname",
        "NAME --external-name external.name [--dry-run=server|client|none]",
    ),
    (
        "create service loadbalancer",
        "NAME [--tcp=port:targetPort] [--dry-run=server|client|none]",
    ),
    (
        "create service nodeport",
        "NAME [--tcp=port:targetPort] [--dry-run=server|client|none]",
    ),
    (
        "create serviceaccount",
        "NAME [--dry-run=server|client|none]",
    ),
    ("create token", "SERVICE_ACCOUNT_NAME"),
    (
        "debug",
        "(POD | TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ]",
    ),
    (
        "delete",
        "([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])",
    ),
    (
        "describe",
        "(-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)",
    ),
    ("diff", "-f FILENAME"),
    ("drain", "NODE"),
    ("edit", "(RESOURCE/NAME | -f FILENAME)"),
    (
        "events",
        "[(-o|--output=)json|yaml|kyaml|name|go-template|go-template-file|template|templatefile|jsonpath|jsonpath-as-json|jsonpath-file] [--for TYPE/NAME] [--watch] [--types=Normal,Warning]",
    ),
    (
        "exec",
        "(POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]",
    ),
    (
        "explain",
        "TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group] [-o|--output=plaintext|plaintext-openapiv2]",
    ),
    (
        "expose",
        "(-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] [--name=name] [--external-ip=external-ip-of-service] [--type=type]",
    ),
    (
        "get",
        "[(-o|--output=)json|yaml|kyaml|name|go-template|go-template-file|template|templatefile|jsonpath|jsonpath-as-json|jsonpath-file|custom-columns|custom-columns-file|wide] (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...) [flags]",
    ),
    ("kuberc", "SUBCOMMAND"),
    (
        "kuberc set",
        "--section (defaults|aliases) --command COMMAND",
    ),
    ("kuberc view", ""),
    ("kustomize", "DIR [flags]"),
    (
        "label",
        "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
    ),
    ("logs", "[-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]"),
    ("options", ""),
    (
        "patch",
        "(-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]",
    ),
    ("plugin", "[flags]"),
    ("plugin list", "[flags]"),
    (
        "port-forward",
        "TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N]",
    ),
    (
        "proxy",
        "[--port=PORT] [--www=static-dir] [--www-prefix=prefix] [--api-prefix=prefix]",
    ),
    ("replace", "-f FILENAME"),
    ("rollout", "SUBCOMMAND"),
    ("rollout history", "(TYPE NAME | TYPE/NAME) [flags]"),
    ("rollout pause", "RESOURCE"),
    ("rollout restart", "RESOURCE"),
    ("rollout resume", "RESOURCE"),
    ("rollout status", "(TYPE NAME | TYPE/NAME) [flags]"),
    ("rollout undo", "(TYPE NAME | TYPE/NAME) [flags]"),
    (
        "run",
        r#"NAME --image=image [--env="key=value"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] [--command] -- [COMMAND] [args...]"#,
    ),
    (
        "scale",
        "[--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)",
    ),
    ("set", "SUBCOMMAND"),
    ("set env", "RESOURCE/NAME KEY_1=VAL_1 ... KEY_N=VAL_N"),
    (
        "set image",
        "(-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N",
    ),
    (
        "set resources",
        "(-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS]",
    ),
    (
        "set selector",
        "(-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version]",
    ),
    (
        "set serviceaccount",
        "(-f FILENAME | TYPE NAME) SERVICE_ACCOUNT",
    ),
    (
        "set subject",
        "(-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    ),
    (
        "taint",
        "NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N",
    ),
    ("top", "[flags]"),
    ("top node", "[NAME | -l label]"),
    ("top pod", "[NAME | -l label]"),
    ("uncordon", "NODE"),
    ("version", "[flags]"),
    (
        "wait",
        "([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) [--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]]",
    ),
];

/// Returns the words of a command if kubectl has the command.
pub(super) fn of(path: &str) -> Option<&'static str> {
    let at = WORDS.binary_search_by(|(command, _)| (*command).cmp(path));
    at.ok().map(|at| WORDS[at].1)
}
