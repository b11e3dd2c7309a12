#!/usr/bin/env bash
# A/B by labels: two variants at once, each with its own Service; who gets which is decided in front of them.
. "$(dirname "$0")/../common.sh"

say 'Variants a and b run; most people come to a, those of beta.shop.example.com to b.'
run kubectl apply -f web.yaml
run ctl settle
run kubectl get pods -L variant --no-headers -o custom-columns='VARIANT:.metadata.labels.variant,IMAGE:.spec.containers[0].image' --sort-by=.metadata.labels.variant
behind web-a
behind web-b
run kubectl get ingress web -o jsonpath='{range .spec.rules[*]}{.host}{" -> "}{.http.paths[0].backend.service.name}{"\n"}{end}'

say 'The variants are scaled by what the measurement needs.'
run kubectl scale deployment web-b --replicas=4
run ctl settle
behind web-b

say 'Variant b won: everybody gets it.'
run kubectl patch ingress web --type=json -p '[{"op":"replace","path":"/spec/rules/0/http/paths/0/backend/service/name","value":"web-b"}]'
run kubectl delete deployment/web-a service/web-a
run ctl settle
run kubectl get ingress web -o jsonpath='{range .spec.rules[*]}{.host}{" -> "}{.http.paths[0].backend.service.name}{"\n"}{end}'
run versions deployments
