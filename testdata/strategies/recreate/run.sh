#!/usr/bin/env bash
# Recreate: the old version ends before the new one begins. Nothing serves in between.
. "$(dirname "$0")/../common.sh"

say 'Version 1 runs.'
run kubectl apply -f web.yaml
run ctl settle
run kubectl get deployment web

say 'Version 2: all old Pods go first. Five seconds later nothing is ready.'
run kubectl set image deployment/web web=shop:2.0
run ctl settle --for 5s || true
run kubectl get deployment web
run versions replicasets

say 'The Pods take ten seconds to become ready; then version 2 serves.'
run ctl settle
run kubectl rollout status deployment/web
run versions replicasets
