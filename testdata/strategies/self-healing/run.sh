#!/usr/bin/env bash
# Self-healing: what dies comes back, and what is lost with a node is made on another.
. "$(dirname "$0")/../common.sh"

pods() {
    kubectl get pods -l app=web --no-headers \
        -o custom-columns='N:.spec.nodeName,P:.status.phase,R:.status.containerStatuses[0].restartCount,D:.metadata.deletionTimestamp' |
        sed 's/ *<none>$//; s/20[0-9-]*T.*$/(deleted)/' | sort
}
on() {
    kubectl get pods -l app=web --field-selector "spec.nodeName=$1" -o jsonpath='{.items[0].metadata.name}'
}

say 'Three Pods on three nodes.'
run kubectl apply -f web.yaml
run ctl settle
run pods

say 'A container crashes: the kubelet starts it again.'
ctl fault pod "$(on node-0)" --crash 137 >/dev/null
run ctl settle
run pods

say 'A Pod is deleted: the ReplicaSet makes another.'
kubectl delete pod "$(on node-0)" --wait=false >/dev/null
run ctl settle
run pods

say 'A node goes down. After 50 s it is Unknown, 300 s later its Pod is evicted and another made.
# The evicted one stays until its node can say that it has ended.'
run ctl fault node node-1 --down
run ctl settle --for 60s || true
run kubectl get node node-1 --no-headers -o custom-columns='NAME:.metadata.name,TAINTS:.spec.taints[*].key'
run ctl settle --for 6m
run pods
run kubectl get deployment web

say 'The node is back: it has no taint, and takes Pods again.'
run ctl fault node node-1 --up
run ctl settle
run kubectl scale deployment web --replicas=6
run ctl settle
run pods
