"""Generated workloads of every kind for e2e/tests/test_faces.py: those of e2e/truth, with claims, volumes, devices, deadlines and odd files.

No two nodes are equal to any of their pods: a pod prefers each node by another weight, which counts for more than all else. So nothing
is drawn, and where the pods go does not follow from the UID that a face gives them."""
import json

import yaml

from e2e.truth import shapes

KINDS = ("Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicationController")
WEIGHTS = {"NodeAffinity": 1000}
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
DRIVER, DEVICES = "gpu.example.com", "resource.k8s.io/v1"
# By node: the memory of each of its devices.
ON_NODES = {"a1": (40, 40), "a3": (80,), "b1": (40, 80, 80), "b4": (40,), "c1": (80, 80), "x1": (40, 40, 40, 40)}


def _wants(count=1, least=0):
    selectors = [{"cel": {"expression": f'device.capacity["{DRIVER}"].memory.compareTo(quantity("{least}Gi")) >= 0'}}] if least else []
    return {"devices": {"requests": [{"name": "gpu", "exactly": {
        "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count, **({"selectors": selectors} if selectors else {})}}]}}


CLAIM_TEMPLATES = {"one": _wants(), "two": _wants(2), "large": _wants(1, 80)}
CLAIMS = {"shared": _wants()}


def devices():
    """The class, the slices of the nodes, the claim templates and the claims."""
    made = [{"apiVersion": DEVICES, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {"selectors": [
        {"cel": {"expression": f"device.driver == '{DRIVER}'"}}]}}]
    for node, memories in ON_NODES.items():
        made.append({"apiVersion": DEVICES, "kind": "ResourceSlice", "metadata": {"name": f"{node}-gpus"}, "spec": {
            "driver": DRIVER, "nodeName": node, "pool": {"name": node, "generation": 1, "resourceSliceCount": 1}, "devices": [
                {"name": f"gpu-{i}", "capacity": {"memory": {"value": f"{memory}Gi"}}} for i, memory in enumerate(memories)]}})
    made += [{"apiVersion": DEVICES, "kind": "ResourceClaimTemplate", "metadata": {"name": name}, "spec": {"spec": spec}}
             for name, spec in CLAIM_TEMPLATES.items()]
    made += [{"apiVersion": DEVICES, "kind": "ResourceClaim", "metadata": {"name": name}, "spec": spec} for name, spec in CLAIMS.items()]
    return made


def nodes():
    """Those of e2e/truth, each with its rank as a label."""
    made = shapes.nodes()
    for rank, node in enumerate(made, 1):
        node["metadata"]["labels"]["rank"] = str(rank)
        for amounts in (node["status"]["capacity"], node["status"]["allocatable"]):
            amounts["ephemeral-storage"] = "100Gi"
    return made


def storage_classes():
    return [{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "example.com/none",
             "volumeBindingMode": "WaitForFirstConsumer", "metadata": {"name": name, "annotations": {
                 "storageclass.kubernetes.io/is-default-class": "true"} if name == "usual" else {}}} for name in ("usual", "fast")]


class Workload(shapes.Drawn):
    """One workload; `number` chooses its kind, the seed all else."""

    def __init__(self, seed, number):
        super().__init__(seed, number)
        self.kind = KINDS[number % len(KINDS)]
        self.name = f"w{number}"
        self.replicas = self.pick(1, 2, 3, 5, 8, 14)
        labels = {"app": self.pick("web", "cache", "rival", self.name), "shape": self.name}
        self.template = {"metadata": {"labels": labels}, "spec": self.spec(labels)}
        self.manifest = self.make()
        # What the question asks besides.
        self.nodes = self.random.sample([node["metadata"]["name"] for node in nodes()], self.pick(0, 1, 2))
        self.fixes = self.chance(0.3)

    def spec(self, labels):
        spec = self.pod_spec(labels, self.kind)
        affinity = spec.setdefault("affinity", {}).setdefault("nodeAffinity", {})
        affinity[PREFERRED] = [{"weight": 100 - 5 * rank, "preference": {"matchExpressions": [
            {"key": "rank", "operator": "In", "values": [str(rank)]}]}} for rank in range(1, len(nodes()) + 1)]
        volumes = []
        if self.chance(0.2):
            volumes.append({"name": "scratch", "emptyDir": {}})
        if self.chance(0.2):
            volumes.append({"name": "data", "ephemeral": {"volumeClaimTemplate": {"spec": self.claim()}}})
        if self.chance(0.15):
            volumes.append({"name": "given", "persistentVolumeClaim": {"claimName": self.pick("there", "missing")}})
        if volumes:
            spec["volumes"] = volumes
        if self.chance(0.25):
            source = self.pick(*({"resourceClaimTemplateName": name} for name in CLAIM_TEMPLATES), {"resourceClaimName": "shared"},
                               {"resourceClaimName": "absent"})
            spec["resourceClaims"] = [{"name": "gpus", **source}]
            spec["containers"][0]["resources"]["claims"] = [{"name": "gpus"}]
        if self.kind in ("Pod", "Job", "CronJob") and self.chance(0.4):
            spec["activeDeadlineSeconds"] = 60
        if self.kind in ("Job", "CronJob"):
            spec["restartPolicy"] = "Never"
        return spec

    def claim(self):
        return {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": self.pick("1Gi", "3Gi")}},
                **({"storageClassName": "fast"} if self.chance(0.3) else {})}

    def make(self):
        head = {"kind": self.kind, "metadata": {"name": self.name}}
        selector = {"matchLabels": {"shape": self.name}}
        if self.kind == "Pod":
            self.replicas = 1
            return {"apiVersion": "v1", **head, **self.template, "metadata": {**self.template["metadata"], "name": self.name}}
        if self.kind == "ReplicationController":
            return {"apiVersion": "v1", **head, "spec": {"replicas": self.replicas, "selector": {"shape": self.name},
                                                         "template": self.template}}
        job = {"parallelism": self.replicas, "completions": self.replicas + self.pick(0, 3),
               "completionMode": self.pick("Indexed", "NonIndexed"), "template": self.template}
        if self.kind == "Job":
            return {"apiVersion": "batch/v1", **head, "spec": job}
        if self.kind == "CronJob":
            return {"apiVersion": "batch/v1", **head, "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": job}}}
        spec = {"selector": selector, "template": self.template}
        if self.kind != "DaemonSet":
            spec["replicas"] = self.replicas
        if self.kind == "StatefulSet":
            spec.update(serviceName=self.name, volumeClaimTemplates=[
                {"metadata": {"name": "store"}, "spec": self.claim()}] if self.chance(0.5) else [])
        return {"apiVersion": "apps/v1", **head, "spec": spec}

    def file(self):
        """The manifest as people have it: JSON or YAML, with a byte order mark, an empty document, a kind that makes no pods."""
        text = json.dumps(self.manifest) if self.chance(0.3) else yaml.safe_dump(self.manifest)
        if self.chance(0.2):
            text = "---\n---\n" + yaml.safe_dump(self.manifest) + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
        return "\ufeff" + text if self.chance(0.2) else text
