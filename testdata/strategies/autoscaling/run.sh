#!/usr/bin/env bash
# Autoscaling: as many Pods as keep the load of each at half of what it asked for.
. "$(dirname "$0")/../common.sh"

# Every Pod of the Deployment uses so much.
load() {
    echo "\$ load $1"
    kubectl annotate pods -l app=web --overwrite "ctl.dev/cpu-usage=$1" >/dev/null
}
autoscaler() {
    kubectl get hpa web -o custom-columns='NAME:.metadata.name,MIN:.spec.minReplicas,MAX:.spec.maxReplicas,CURRENT:.status.currentReplicas,DESIRED:.status.desiredReplicas'
}

say 'Two Pods that ask for 100m each and use half of it: as it should be.'
run kubectl apply -f web.yaml
run ctl settle
load 50m
run ctl settle --for 1m
run autoscaler

say 'Each uses 150m, three times as much as wanted: three times as many Pods.'
load 150m
run ctl settle --for 1m
run autoscaler

say 'The same load, spread over all: the number stays.'
load 50m
run ctl settle --for 10m
run autoscaler

say 'Hardly any load. It may come back: for five minutes nothing goes. The controllers remember what
# they saw for as long as they run, so each settle begins to count anew.'
load 5m
run ctl settle --for 4m
run autoscaler
run ctl settle --for 6m
run autoscaler
run kubectl get deployment web
