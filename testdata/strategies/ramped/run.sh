#!/usr/bin/env bash
# Ramped (a rolling update): one Pod after the other; with maxUnavailable 0 never fewer than three serve.
. "$(dirname "$0")/../common.sh"

say 'Version 1 runs.'
run kubectl apply -f web.yaml
run ctl settle
run versions replicasets

say 'Version 2 comes Pod by Pod, every ten seconds one.'
run kubectl set image deployment/web web=shop:2.0
for step in 1 2 3; do
    run ctl settle --for 10s || true
    run versions replicasets
done
run ctl settle
run kubectl rollout status deployment/web

say 'Version 3 cannot be pulled: the rollout stops at its first Pod, and version 2 goes on serving.'
run kubectl set image deployment/web web=shop:404
run ctl settle || echo "exit code $?"
run kubectl get deployment web

say 'Back.'
run kubectl rollout undo deployment/web
run ctl settle
run versions replicasets
