use clap::Parser;

use super::{DebugArgs, results};
use crate::api::json::{Value, json};
use crate::cli::testing::Shell;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: DebugArgs,
}

fn args(flags: &str) -> DebugArgs {
    let words = ["debug"].into_iter().chain(flags.split_whitespace());
    Line::try_parse_from(words).unwrap().args
}

fn pod() -> Value {
    json!({
        "metadata": {"name": "web", "namespace": "n", "labels": {"app": "web"}},
        "spec": {
            "nodeName": "node-1",
            "ephemeralContainers": [{"name": "old"}],
            "containers": [
                {"name": "c", "image": "a", "livenessProbe": {}, "args": ["x"]},
            ],
        },
    })
}

fn copied(flags: &str, words: &[&str]) -> Result<(Value, String), String> {
    let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
    let args = args(&format!("web --copy-to=copy {flags}"));
    let copy = results::copy(&pod(), &args, &words, &mut |_| Ok("new".to_owned()));
    copy.map_err(|e| e.to_string())
}

#[test]
fn pod_copy_adds_a_container_and_drops_its_node() {
    let (copy, name) = copied("--image=b", &["sleep", "1"]).unwrap();
    assert_eq!(name, "new");
    assert_eq!(
        copy["spec"],
        json!({
            "shareProcessNamespace": true,
            "containers": [
                {"name": "c", "image": "a", "args": ["x"]},
                {
                    "name": "new", "image": "b", "command": ["sleep", "1"],
                    "terminationMessagePolicy": "File",
                    "securityContext": {"capabilities": {"add": ["SYS_PTRACE"]}},
                },
            ],
        })
    );
    assert_eq!(copy["metadata"], json!({"name": "copy", "namespace": "n"}));
}

#[test]
fn a_copy_may_change_the_containers_that_are_there() {
    let (copy, name) = copied("--set-image=*=z --keep-labels --same-node", &[]).unwrap();
    assert_eq!(name, "");
    assert_eq!(copy["spec"]["containers"][0]["image"], "z");
    assert_eq!(copy["spec"]["nodeName"], "node-1");
    // The profile applies only to a copy with a debug container.
    assert_eq!(copy["metadata"]["labels"]["app"], "web");
    assert!(copy["spec"]["shareProcessNamespace"].is_null());
    assert!(copy["spec"]["containers"][0]["livenessProbe"].is_object());
    let (copy, _) = copied("--image=b --profile=legacy --keep-labels", &[]).unwrap();
    assert!(
        copy["metadata"]["labels"].is_null() && copy["spec"]["shareProcessNamespace"].is_null()
    );
    assert!(copy["spec"]["containers"][0]["livenessProbe"].is_object());
    let (copy, name) = copied("-c c", &["sh"]).unwrap();
    assert_eq!(name, "c");
    let changed = json!({
        "name": "c", "image": "a", "command": ["sh"],
        "securityContext": {"capabilities": {"add": ["SYS_PTRACE"]}},
    });
    assert_eq!(copy["spec"]["containers"], json!([changed]));
    let error = copied("-c other", &["sh"]).unwrap_err();
    assert_eq!(error, "you must specify image when creating new container");
}

#[test]
fn copied_container_gets_the_security_context_of_the_profile() {
    let own = json!({"capabilities": {"add": ["CHOWN"], "drop": ["ALL"]}, "privileged": true});
    let adding = |more: &[&str]| {
        let all: Vec<&str> = ["CHOWN"].iter().chain(more).copied().collect();
        json!({"capabilities": {"add": all, "drop": ["ALL"]}, "privileged": true})
    };
    for (profile, wanted) in [
        ("legacy", own.clone()),
        ("general", adding(&["SYS_PTRACE"])),
        ("netadmin", adding(&["NET_ADMIN", "NET_RAW"])),
        ("sysadmin", own.clone()),
        ("baseline", Value::Null),
        ("restricted", results::security("restricted").unwrap()),
    ] {
        let mut pod = pod();
        let container = &mut pod["spec"]["containers"][0];
        container["securityContext"] = own.clone();
        container["stdin"] = json!(true);
        let args = args(&format!(
            "web --copy-to=copy -c c --image=b --profile={profile}"
        ));
        let copied = results::copy(&pod, &args, &[], &mut |_| Ok(String::new())).unwrap();
        let container = &copied.0["spec"]["containers"][0];
        assert_eq!(container["securityContext"], wanted, "{profile}");
        assert!(container["stdin"].is_null(), "{profile}");
    }
}

#[test]
fn init_container_of_a_copy_may_be_changed() {
    let mut pod = pod();
    pod["spec"]["initContainers"] = json!([{"name": "first", "image": "a"}]);
    let args = args("web --copy-to=copy -c first --image=b");
    let (copy, name) = results::copy(&pod, &args, &[], &mut |_| Ok(String::new())).unwrap();
    assert_eq!(name, "first");
    assert_eq!(copy["spec"]["initContainers"][0]["image"], "b");
    assert_eq!(copy["spec"]["containers"].as_array().unwrap().len(), 1);
}

#[test]
fn custom_file_is_a_strategic_patch_of_the_container() {
    let container = json!({"name": "d", "tty": true, "env": [{"name": "A", "value": "1"}]});
    let partial = json!({"tty": null, "env": [{"name": "B", "value": "2"}]});
    let merged = results::customized(&container, &partial).unwrap();
    let variables = merged["env"].as_array().unwrap();
    assert_eq!(variables.len(), 2, "{merged}");
    assert_eq!(merged["tty"], true);
}

#[test]
fn node_debug_pod_mounts_the_host() {
    let pod = results::on_node("node-1", "abcde", &args("node/node-1 --image=b"), &[]);
    assert_eq!(pod["metadata"]["name"], "node-debugger-node-1-abcde");
    assert_eq!(pod["spec"]["hostPID"], true);
    assert_eq!(
        pod["spec"]["containers"][0]["volumeMounts"][0]["mountPath"],
        "/host"
    );
    let flags = "node/node-1 --image=b --profile=restricted";
    let pod = results::on_node("node-1", "abcde", &args(flags), &[]);
    assert_eq!(pod["spec"]["volumes"], Value::Null);
    assert_eq!(
        pod["spec"]["containers"][0]["securityContext"]["runAsNonRoot"],
        true
    );
}

#[test]
fn custom_file_extends_the_debug_container() {
    let with = |text: &str| results::partial(text.as_bytes(), "f").map_err(|e| e.to_string());
    assert_eq!(with("tty: true"), Ok(Some(json!({"tty": true}))));
    assert_eq!(with("# nothing\n"), Ok(None));
    let head = "f does not contain a valid container spec: error";
    assert_eq!(
        with("{").unwrap_err(),
        format!("{head} converting YAML to JSON: yaml: line 1: did not find expected node content")
    );
    assert_eq!(
        with("[]").unwrap_err(),
        format!(
            "{head} unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type v1.Container"
        )
    );
    let error = results::check_partial(&json!({"image": "c"})).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("are not modifiable via custom profile")
    );
}

#[test]
fn flags_are_checked_before_the_pod_is_read() {
    let shell = Shell::new();
    let usage = "must be formatted as key=value\nSee 'kubectl debug --help' for usage.";
    let nobody = "Error from server (NotFound): pods \"none\" not found";
    shell.write("named.json", "{\"name\": \"x\"}");
    shell.refuses(&[
        (
            "debug none --image=x --env=bad",
            &format!("invalid argument \"bad\" for \"--env\" flag: bad {usage}"),
        ),
        (
            "debug none --image=x --copy-to=y --set-image=a=b,c=d,e",
            &format!("invalid argument \"a=b,c=d,e\" for \"--set-image\" flag: e {usage}"),
        ),
        ("debug none --image=x --env=a=b,c", nobody),
        (
            "debug none --image=x --profile=legacy --custom=@/none",
            "must pass a container spec json file for custom profile: open @/none: no such file or directory",
        ),
        (
            "debug none --image=x --custom=@/named.json",
            "name, command, image, lifecycle and volume devices are not modifiable via custom profile",
        ),
        (
            "debug none --image=!! --custom=@/named.json",
            "invalid image name \"!!\": invalid reference format",
        ),
    ]);
    shell.all(&["run web --image=i"]);
    let said = shell.run("debug web --image=x -c d --env=A=1,2 --env=B=3");
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(
        shell.json("get pod web")["spec"]["ephemeralContainers"][0]["env"],
        json!([{"name": "A", "value": "1,2"}, {"name": "B", "value": "3"}])
    );
}

#[test]
fn profile_requiring_root_warns_for_non_root_pods() {
    let shell = Shell::new();
    let overrides = |context: &str| format!("{{\"spec\":{{\"securityContext\":{{{context}}}}}}}");
    shell.all(&[
        &format!(
            "run safe --image=i --overrides='{}'",
            overrides("\"runAsUser\":1000")
        ),
        &format!(
            "run image --image=i --overrides='{}'",
            overrides("\"runAsNonRoot\":true")
        ),
        "run web --image=i",
    ]);
    shell.write("root.yaml", "securityContext: {runAsUser: 0}\n");
    let warned = |flags: &str| {
        let said = shell.run(&format!("debug --image=i {flags}"));
        assert_eq!(said.code, 0, "{said:?}");
        said.err.starts_with("Warning: Non-root user is configured")
    };
    assert!(warned("safe --profile=netadmin -c a"));
    assert!(warned("safe --profile=sysadmin --copy-to=copy -c a"));
    assert!(!warned("safe --profile=sysadmin -c b --custom=@/root.yaml"));
    assert!(warned("safe --profile=general -c c"));
    assert!(!warned("safe --profile=baseline -c d"));
    assert!(!warned("safe --profile=restricted -c e"));
    assert!(!warned("image --profile=sysadmin -c a"));
    assert!(!warned("web --profile=sysadmin -c a"));
}

#[test]
fn debug_adds_an_ephemeral_container_or_a_copy() {
    let shell = Shell::new();
    let _ = shell.out("run web --image=i");
    let said = shell.run("debug web --image=busybox -c probe");
    assert_eq!(said.code, 0, "{said:?}");
    let made = shell.json("get pod web");
    assert_eq!(made["spec"]["ephemeralContainers"][0]["name"], "probe");
    let said = shell.run("debug web --image=busybox --copy-to=twin");
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(
        shell.json("get pod twin")["spec"]["containers"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    shell.write(
        "custom.json",
        "{\"env\": [{\"name\": \"A\", \"value\": \"b\"}]}",
    );
    let said = shell.run("debug web --image=i --copy-to=other -c probe --custom=@/custom.json");
    assert_eq!(said.code, 0, "{said:?}");
    let variable = "get pod other -o jsonpath={.spec.containers[1].env}";
    assert_eq!(shell.out(variable), "[{\"name\":\"A\",\"value\":\"b\"}]");
    let said = shell.run("debug web --image=i -c old --profile=legacy");
    assert_eq!(
        said.err,
        "--profile=legacy is deprecated and planned to be removed in v1.39. It is recommended to specify other \
         profile, for example \"--profile=general\".\n"
    );
    let none = shell.fails("debug web");
    assert!(none.contains("--image"), "{none}");
    let none = shell.fails("debug none --image=busybox");
    assert_eq!(
        none,
        "Error from server (NotFound): pods \"none\" not found"
    );
}

#[test]
fn a_container_of_the_same_name_is_refused_if_its_profile_adds_capabilities() {
    let shell = Shell::new();
    let _ = shell.out("run web --image=nginx");
    let refused = "The Pod \"web\" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers \
                   \"NAME\" may not be changed";
    for (profile, told) in [
        ("general", refused),
        ("netadmin", refused),
        ("sysadmin", ""),
        ("baseline", ""),
    ] {
        let line =
            format!("debug web --image=busybox --attach=false -c {profile} --profile={profile}");
        let _ = shell.out(&line);
        let again = shell.run(&line);
        assert_eq!(
            again.err.trim_end(),
            told.replace("NAME", profile),
            "{profile}"
        );
    }
    let other =
        shell.fails("debug web --image=busybox --attach=false -c general --profile=baseline");
    assert_eq!(other, refused.replace("NAME", "general"));
}
