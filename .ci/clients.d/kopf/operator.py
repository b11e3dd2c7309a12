"""An operator of Boats: each has a ConfigMap with its color, and a finalizer of kopf."""
import kopf
from kubernetes import client, config


@kopf.on.startup()
def start(settings, **_):
    # Events of kopf itself would be one more request for each line of its log.
    settings.posting.enabled = False
    config.load_kube_config()


@kopf.on.create("example.com", "v1", "boats")
@kopf.on.update("example.com", "v1", "boats")
def painted(name, namespace, spec, body, **_):
    api = client.CoreV1Api()
    made = {"metadata": {"name": f"{name}-paint"}, "data": {"color": spec["color"]}}
    kopf.adopt(made, owner=body)
    try:
        api.create_namespaced_config_map(namespace, made)
    except client.ApiException as e:
        if e.status != 409:
            raise
        api.patch_namespaced_config_map(f"{name}-paint", namespace, made)
    return {"color": spec["color"]}


@kopf.on.delete("example.com", "v1", "boats")
def sunk(name, namespace, **_):
    api = client.CoreV1Api()
    api.create_namespaced_config_map(namespace, {"metadata": {"name": f"{name}-sunk"}})
