#!/usr/bin/env bash
# Blue/green: two whole versions beside each other; the Service is switched from one to the other.
. "$(dirname "$0")/../common.sh"

say 'Blue serves.'
run kubectl apply -f blue.yaml
run ctl settle
behind web

say 'Green runs beside it and gets no traffic: it can be looked at in peace.'
run kubectl apply -f green.yaml
run ctl settle
run versions deployments
behind web

say 'The switch is one change of one selector.'
run kubectl set selector service web app=web,colour=green
run ctl settle
behind web

say 'Blue is still there: the way back is the same change.'
run kubectl set selector service web app=web,colour=blue
run ctl settle
behind web

say 'For good: green serves, blue goes.'
run kubectl set selector service web app=web,colour=green
run kubectl delete deployment blue
run ctl settle
run versions deployments
behind web
