#!/usr/bin/env bash
# Shadow: the new version gets a copy of the traffic, and nobody sees its answers.
. "$(dirname "$0")/../common.sh"

say 'Live and shadow run, each behind its own Service; a proxy in front copies requests to web-shadow.'
run kubectl apply -f live.yaml -f shadow.yaml
run ctl settle
behind web
behind web-shadow

say 'The shadow is out of memory again and again: that is what it is for. Nobody notices.'
run kubectl patch deployment shadow -p '{"spec":{"template":{"metadata":{"annotations":{"ctl.dev/oom-after":"20s"}}}}}'
run ctl settle --for 3m || echo "exit code $?"
run kubectl get pods -l role=shadow -o jsonpath='{.items[0].status.containerStatuses[0].lastState.terminated.reason}{"\n"}'
behind web

say 'Mended, it takes over: the live version is set to the image that was proved in the shadow.'
run kubectl rollout undo deployment shadow
run kubectl set image deployment/live web=shop:2.0
run ctl settle
run kubectl delete -f shadow.yaml
run ctl settle
run versions deployments
behind web
