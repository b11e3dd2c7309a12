"""pytest-kubernetes with a cluster that is given to it."""


def test_a_config_map(k8s):
    k8s.create()
    k8s.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "by-pytest"}, "data": {"a": "b"}})
    assert k8s.kubectl(["get", "configmap", "by-pytest"])["data"] == {"a": "b"}
    k8s.wait("serviceaccount/default", "jsonpath={.metadata.name}=default", timeout=20)
    assert k8s.version() >= (1, 28)
