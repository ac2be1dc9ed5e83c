"""Reads the objects that helm renders from the chart."""
import pathlib

import yaml

from e2e.support import podium

VALUE_FILES = sorted(pathlib.Path(__file__).with_name("values").glob("*.yaml"))
CLUSTER_WIDE = {"ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "FlowSchema", "PriorityLevelConfiguration",
                "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}


def rendered(*values, **where):
    """{(kind, name): manifest}."""
    documents = yaml.safe_load_all(podium.render(values, **{"crds": False, **where}))
    return {(d["kind"], d["metadata"]["name"]): d for d in documents if d}


def of_kind(manifests, kind):
    return [m for (k, _), m in manifests.items() if k == kind]


def one(manifests, kind):
    [found] = of_kind(manifests, kind)
    return found


def pod_spec(manifests):
    return one(manifests, "Deployment")["spec"]["template"]["spec"]


def container(manifests):
    [only] = pod_spec(manifests)["containers"]
    return only


def configuration(manifests):
    """The KubeSchedulerConfiguration and the PodiumConfiguration."""
    [config] = [m for m in of_kind(manifests, "ConfigMap") if "config.yaml" in m["data"]]
    return list(yaml.safe_load_all(config["data"]["config.yaml"]))
