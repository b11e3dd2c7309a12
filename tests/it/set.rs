//! Tests `set` through the real binary: its changes, the order in which it checks its arguments, and its error
//! messages.

use crate::support::World;

fn world() -> World {
    let world = World::fresh();
    world
        .run(&["create", "deployment", "web", "--image=nginx:1.25"])
        .ok();
    world
}

/// Returns the output, the errors and the exit code of a command as a single text.
fn said(world: &World, command: &str) -> String {
    let words: Vec<&str> = command.split(' ').collect();
    let ran = world.run(&words);
    format!("{}{}[{}]", ran.out, ran.err, ran.code)
}

const NAMED: &str = "error: You must provide one or more resources by argument or filename.\n";

#[test]
fn set_image_updates_matching_containers_and_reports_others() {
    let world = world();
    let said = |command: &str| said(&world, command);
    assert_eq!(
        said("set image deploy/web nginx=nginx:1.26 side=busybox"),
        "deployment.apps/web image updated\nerror: unable to find container named \"side\"\n[1]"
    );
    assert_eq!(
        said("set image deploy/web nginx="),
        "error: failed to patch image update to pod template: Deployment.apps \"web\" is invalid: \
         spec.template.spec.containers[0].image: Required value\n[1]"
    );
    assert_eq!(
        said("set image svc/kubernetes a=b"),
        "error: services/kubernetes the object is not a pod or does not have a pod template: \
         *v1.Service\n[1]"
    );
    assert!(said("set image").starts_with(NAMED));
    assert!(
        said("set image deploy/web nginx").starts_with(
            "error: there is no need to specify a resource type as a separate argument"
        )
    );
    assert_eq!(
        said("set image deploy/web deploy/none nginx=nginx:1.27"),
        "Error from server (NotFound): deployments.apps \"none\" not found\n[1]"
    );
    assert!(
        said("set image deploy/web --local nginx=x")
            .starts_with("error: you must specify resources by --filename when --local is set.\n")
    );
    let image = "jsonpath={.spec.template.spec.containers[0].image}";
    let got = world.run(&["get", "deploy", "web", "-o", image]).ok();
    assert_eq!(got, "nginx:1.26");
}

#[test]
fn set_env_sets_keeps_and_lists_variables() {
    let world = world();
    let said = |command: &str| said(&world, command);
    assert_eq!(said("set env deploy/web"), "[0]");
    assert!(said("set env deploy/web bad").starts_with("error: there is no need to specify"));
    assert_eq!(
        said("set env deploy/web A=1 x B=2"),
        "error: all resources must be specified before environment changes: deploy/web A=1 x \
         B=2\n[1]"
    );
    assert_eq!(
        said("set env deploy/web A=1"),
        "deployment.apps/web env updated\n[0]"
    );
    assert_eq!(
        said("set env deploy/web A=2 --overwrite=false"),
        "error: deployments/web 'A' already has a value (1), and --overwrite is false\n[1]"
    );
    assert_eq!(
        said("set env deploy/web --from=svc/kubernetes"),
        "error: unsupported resource specified in --from\n[1]"
    );
    assert_eq!(
        said("set env deploy/web B=2 --list"),
        "# Deployment web, container nginx\nA=1\nB=2\n[0]"
    );
    world
        .run(&["create", "cm", "one", "--from-literal=KEY=v"])
        .ok();
    assert_eq!(
        said("set env deploy/web --from=cm/one"),
        "deployment.apps/web env updated\n[0]"
    );
    world.run(&["delete", "cm", "one"]).ok();
    assert_eq!(
        said("set env deploy/web --list --resolve"),
        "# Deployment web, container nginx\nA=1\n# KEY from configmap one, key KEY\nerror retrieving \
         reference for KEY: configmaps \"one\" not found\n[0]"
    );
}

#[test]
fn set_sa_and_selector_print_updated_without_a_change() {
    let world = world();
    let said = |command: &str| said(&world, command);
    assert!(said("set serviceaccount deploy/web").starts_with(NAMED));
    for _ in 0..2 {
        assert_eq!(
            said("set sa deploy web bot"),
            "deployment.apps/web serviceaccount updated\n[0]"
        );
    }
    for _ in 0..2 {
        assert_eq!(
            said("set selector svc kubernetes a=b"),
            "service/kubernetes selector updated\n[0]"
        );
    }
    assert_eq!(
        said("set selector svc kubernetes app"),
        "error: match expression [{app Exists []}] not supported on this object\n[1]"
    );
    assert_eq!(said("set selector"), "error: one selector is required\n[1]");
    world
        .run(&["create", "role", "reader", "--verb=get", "--resource=pods"])
        .ok();
    assert_eq!(
        said("set subject role reader --user=x"),
        "error: roles/reader setting subjects is only supported for \
         RoleBinding/ClusterRoleBinding\n[1]"
    );
    assert_eq!(
        said("set resources deploy/web --limits=nope=1"),
        "error: failed to patch resources update to pod template Deployment.apps \"web\" is invalid: \
         [spec.template.spec.containers[0].resources.limits[nope]: Invalid value: \"nope\": must be a \
         standard resource type or fully qualified, \
         spec.template.spec.containers[0].resources.limits[nope]: Invalid value: \"nope\": must be a \
         standard resource for containers]\n[1]"
    );
}
