# What every script here begins with: a cluster of its own on a virtual clock, and a way to show commands.
set -euo pipefail
cd "$(dirname "$0")"
ctl cluster init --clock virtual --seed 7 --nodes 3 >/dev/null

# Says a command and runs it.
run() {
    echo "\$ $*"
    "$@"
}

# Says something.
say() {
    printf '\n# %s\n' "$*"
}

# How many Pods of which Deployment a Service leads to.
behind() {
    echo "\$ behind $1"
    kubectl get endpoints "$1" -o jsonpath='{range .subsets[*].addresses[*]}{.targetRef.name}{"\n"}{end}' 2>/dev/null |
        sed -E 's/-[a-z0-9]+-[a-z0-9]+$//' | sort | uniq -c | sed 's/^ */  /'
}

# The Deployments, or the ReplicaSets, with what they run.
versions() {
    kubectl get "$1" --sort-by=.metadata.creationTimestamp \
        -o custom-columns='NAME:.metadata.name,IMAGE:.spec.template.spec.containers[0].image,WANTED:.spec.replicas,READY:.status.readyReplicas'
}
