#!/usr/bin/env bash
# Canary: a few Pods of the new version behind the same Service, then more and more.
. "$(dirname "$0")/../common.sh"

say 'Ten Pods of the stable version.'
run kubectl apply -f stable.yaml
run ctl settle
behind web

say 'One canary: a tenth of the traffic.'
run kubectl apply -f canary.yaml
run kubectl scale deployment stable --replicas=9
run ctl settle
behind web

say 'The next build of it dies at once: its rollout stops there, and the first build goes on serving.'
run kubectl patch deployment canary -p '{"spec":{"template":{"metadata":{"annotations":{"ctl.dev/exit-code":"1"}}}}}'
run ctl settle || echo "exit code $?"
behind web

say 'Back to the first build, and more of it.'
run kubectl rollout undo deployment canary
run kubectl scale deployment stable --replicas=5
run kubectl scale deployment canary --replicas=5
run ctl settle
behind web

say 'The canary becomes the stable version.'
run kubectl set image deployment/stable web=shop:2.0
run kubectl scale deployment stable --replicas=10
run kubectl scale deployment canary --replicas=0
run ctl settle
run versions deployments
behind web
