"""A small cluster of different nodes, and its workloads: those of shop.yaml, and generated ones."""
import pathlib
import random

import yaml

from e2e.tests.base import node, pod

NAMESPACE = "shop"
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
GPU = "example.com/gpu"
# No class evicts, so the cluster does not change. A pod that names no class has "normal".
PRIORITIES = {"low": -10, "normal": 1_000, "patient": 200_000}


def _node(name, zone, cpu, memory, pods=110, gpus=0, images=(), taints=(), cordoned=False, **labels):
    made = node(name, cpu=cpu, memory=memory, labels={**({ZONE: zone} if zone else {}), **labels}, taints=list(taints),
                **({"unschedulable": True} if cordoned else {}))
    for amount in (made["status"]["capacity"], made["status"]["allocatable"]):
        amount.update({"pods": str(pods), **({GPU: str(gpus)} if gpus else {})})
    made["status"]["images"] = [{"names": [image], "sizeBytes": size} for image, size in images]
    return made


def nodes():
    gpu = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
    spot = {"key": "spot", "value": "yes", "effect": "PreferNoSchedule"}
    return [
        _node("a1", "zone-a", "4", "8Gi", disk="ssd", pool="general", size="4"),
        _node("a2", "zone-a", "4", "8Gi", disk="hdd", pool="general", size="4"),
        _node("a3", "zone-a", "8", "8Gi", disk="ssd", pool="spot", size="8", taints=[spot]),
        _node("a4", "zone-a", "2", "4Gi", pods=3, disk="hdd", pool="general", size="2"),
        _node("b1", "zone-b", "4", "16Gi", disk="ssd", pool="general", size="4", images=[("shop/frontend:v3", 900 << 20)]),
        _node("b2", "zone-b", "6", "6Gi", disk="hdd", pool="general", size="6"),
        _node("b3", "zone-b", "8", "32Gi", gpus=2, pool="gpu", size="8", taints=[gpu]),
        # Equal nodes, among which podium draws.
        *(_node(name, "zone-b", "5", "10Gi", disk="hdd", pool="general", size="5") for name in ("b4", "b5")),
        _node("c1", "zone-c", "4", "8Gi", disk="ssd", pool="general", size="4"),
        _node("c2", "zone-c", "4", "8Gi", disk="hdd", pool="general", size="4"),
        _node("c3", "zone-c", "16", "64Gi", disk="ssd", pool="general", size="16", cordoned=True),
        _node("c4", "zone-c", "3", "3Gi", pool="spot", size="3", taints=[spot]),
        _node("x1", None, "4", "8Gi", disk="hdd", pool="general", size="4"),
    ]


def placed_pods():
    """Returns the pods that already run, some of them with rules about other pods."""
    def anti(key, **labels):
        return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": key, "labelSelector": {"matchLabels": labels}}]}}

    def likes(weight, **labels):
        return {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": weight, "podAffinityTerm": {"topologyKey": ZONE, "labelSelector": {"matchLabels": labels}}}]}}
    rows = [("a1", "1", "1Gi", {"app": "db"}, {}), ("a2", "500m", "2Gi", {"app": "cache"}, {"affinity": likes(40, tier="web")}),
            ("a3", "2", "1Gi", {"app": "batch"}, {}), ("b1", "1500m", "1Gi", {"app": "db"}, {"affinity": anti(HOST, tier="noisy")}),
            ("b2", "250m", "512Mi", {"app": "cache"}, {}), ("b2", "1", "2Gi", {"app": "proxy"}, {}),
            ("c1", "100m", "4Gi", {"app": "cache"}, {"affinity": anti(ZONE, app="rival")}), ("c2", "3", "1Gi", {"app": "batch"}, {}),
            ("c4", "500m", "256Mi", {"app": "proxy"}, {}), ("x1", "250m", "256Mi", {"app": "db"}, {})]
    made = []
    for number, (where, cpu, memory, labels, spec) in enumerate(rows):
        each = pod(f"placed-{number}", cpu, memory, labels, nodeName=where, **spec)
        each["metadata"]["namespace"] = NAMESPACE
        made.append(each)
    return made


def priority_classes():
    return [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value,
             "preemptionPolicy": "Never", "globalDefault": name == "normal"} for name, value in PRIORITIES.items()]


class Shape:
    """A workload, and the form of the question about it: `way` is "manifest", "replicas" (spec.replicas of the what-if) or
    "reference" (a workloadRef to the workload, which exists without pods)."""

    def __init__(self, manifest, way="manifest"):
        self.manifest, self.way = manifest, way
        self.kind, self.name = manifest["kind"], manifest["metadata"]["name"]
        template = self.template
        template["metadata"]["labels"]["shape"] = self.name
        template["spec"]["terminationGracePeriodSeconds"] = 0  # no kubelet ends them

    @property
    def spec(self):
        """The spec of the object that makes the pods; for a CronJob, the spec of its Jobs."""
        spec = self.manifest["spec"]
        return spec["jobTemplate"]["spec"] if self.kind == "CronJob" else spec

    @property
    def template(self):
        return self.spec["template"]

    @property
    def replicas(self):
        if self.kind not in ("Job", "CronJob"):
            return self.spec.get("replicas", 1)
        parallelism = self.spec.get("parallelism", 1)
        return min(parallelism, self.spec.get("completions", parallelism))

    def scaled(self, replicas):
        """Returns the manifest with this number of replicas. A Job or CronJob without replicas is suspended."""
        spec = {**self.manifest["spec"]}
        if self.kind in ("Job", "CronJob"):
            spec["suspend"] = replicas == 0
        else:
            spec["replicas"] = replicas
        return {**self.manifest, "spec": spec}

    def question(self):
        """Returns the spec of the what-if."""
        if self.kind == "Pods":
            return {"template": self.template, "replicas": self.replicas}
        if self.way == "reference":
            return {"workloadRef": {"kind": self.kind, "name": self.name}, "replicas": self.replicas}
        if self.way == "replicas":
            return {"template": self.scaled(1), "replicas": self.replicas}
        return {"template": self.manifest}

    def objects(self):
        """Returns the objects that the test creates."""
        if self.kind == "CronJob":  # as `kubectl create job --from` runs it
            return [self.scaled(0), {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": f"{self.name}-run"}, "spec": self.spec}]
        if self.kind != "Pods":
            return [self.manifest]
        return [{"apiVersion": "v1", "kind": "Pod", **self.template,
                 "metadata": {**self.template["metadata"], "name": f"{self.name}-{i}"}} for i in range(self.replicas)]

    def requires(self, term):
        """Whether its pods have such a required term: "podAffinity" or "podAntiAffinity"."""
        return bool(self.template["spec"].get("affinity", {}).get(term, {}).get("requiredDuringSchedulingIgnoredDuringExecution"))

    @property
    def number_may_depend_on_draws(self):
        """If podium draws among equal nodes, another draw may leave capacity for another number of pods, but only with such a rule."""
        constraints = self.template["spec"].get("topologySpreadConstraints", [])
        return any(c["whenUnsatisfiable"] == "DoNotSchedule" for c in constraints) or self.requires("podAffinity")

    @property
    def pods_depend_on_each_other(self):
        """The pods placed before a pod may decide whether and where it may run."""
        return self.number_may_depend_on_draws or self.requires("podAntiAffinity")


def shop():
    """Returns (Services, shapes) of shop.yaml, in its order."""
    objects = list(yaml.safe_load_all(pathlib.Path(__file__).with_name("shop.yaml").read_text()))
    services = [obj for obj in objects if obj["kind"] == "Service"]
    return services, [Shape(obj) for obj in objects if obj["kind"] != "Service"]


class Drawn:
    """One generated shape. Every choice depends on the seed and the number."""

    def __init__(self, seed, number):
        self.random = random.Random(f"{seed}/{number}")
        self.name = f"shape-{number}"

    def chance(self, share):
        return self.random.random() < share

    def pick(self, *options):
        return self.random.choice(options)

    def shape(self):
        kind = self.random.choices(("Deployment", "StatefulSet", "ReplicaSet", "Job", "CronJob", "DaemonSet", "Pods"),
                                   (9, 4, 2, 3, 2, 2, 1))[0]
        replicas = self.pick(1, 2, 3, 4, 5, 6, 8, 8, 14)
        labels = {"app": self.pick("web", "cache", "rival", self.name), **({"tier": self.pick("web", "noisy")} if self.chance(0.5) else {})}
        template = {"metadata": {"labels": labels}, "spec": self.pod_spec(labels, kind)}
        manifest = {"apiVersion": "batch/v1" if kind in ("Job", "CronJob") else "apps/v1", "kind": kind, "metadata": {"name": self.name},
                    "spec": {"template": template}}
        spec = manifest["spec"]
        if kind in ("Job", "CronJob"):
            template["spec"]["restartPolicy"] = "Never"
            spec.update(completions=replicas + self.pick(0, 0, 3, -1 if replicas > 1 else 0), parallelism=replicas,
                        completionMode=self.pick("Indexed", "NonIndexed"))
            if kind == "CronJob":
                manifest["spec"] = {"schedule": "0 3 1 1 *", "jobTemplate": {"spec": spec}}
        else:
            spec["selector"] = {"matchLabels": {"shape": self.name}}
            if kind != "DaemonSet":
                spec["replicas"] = replicas
        if kind == "StatefulSet":
            spec.update(serviceName=self.name, podManagementPolicy=self.pick("Parallel", "Parallel", "OrderedReady"))
        way = "manifest" if kind in ("CronJob", "DaemonSet", "Pods") else self.pick("manifest", "replicas", "reference")
        return Shape(manifest, way)

    def requests(self):
        made = {}
        if self.chance(0.9):
            made["cpu"] = self.pick("50m", "100m", "250m", "500m", "1", "1300m", "2")
        if self.chance(0.8):
            made["memory"] = self.pick("32Mi", "200Mi", "512Mi", "1Gi", "2500Mi")
        return made

    def pod_spec(self, labels, kind):
        main = {"name": "main", "image": self.pick("shop/frontend:v3", "app:v1"), "resources": {"requests": self.requests()}}
        spec = {"containers": [main]}
        if self.chance(0.25):
            spec["containers"].append({"name": "sidecar", "image": "proxy:v1", "resources": {"requests": self.requests()}})
        if self.chance(0.2):
            spec["initContainers"] = [{"name": "init", "image": "init:v1", "resources": {"requests": self.requests()}}]
        if self.chance(0.1):
            main["ports"] = [{"containerPort": 8080, "hostPort": self.pick(8080, 9090)}]
        if self.chance(0.1):
            main["resources"] = {"requests": {**main["resources"]["requests"], GPU: "1"}, "limits": {GPU: "1"}}
        if self.chance(0.3):
            spec["tolerations"] = [self.pick({"operator": "Exists"}, {"key": "gpu", "operator": "Exists"},
                                             {"key": "gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"},
                                             {"key": "spot", "operator": "Exists"})]
        if self.chance(0.25):
            spec["nodeSelector"] = self.pick({"disk": "ssd"}, {"disk": "hdd"}, {"pool": "general"}, {ZONE: "zone-b"})
        if self.chance(0.3):
            spec["priorityClassName"] = self.pick("low", "patient")
        affinity = self.affinity(labels)
        if affinity:
            spec["affinity"] = affinity
        if self.chance(0.4):
            spec["topologySpreadConstraints"] = [self.spread(labels, kind) for _ in range(self.pick(1, 1, 2))]
            keys = {(c["topologyKey"], c["whenUnsatisfiable"]) for c in spec["topologySpreadConstraints"]}
            if len(keys) < len(spec["topologySpreadConstraints"]):
                del spec["topologySpreadConstraints"][1]  # the API server takes each key once
        return spec

    def spread(self, labels, kind):
        made = {"maxSkew": self.pick(1, 1, 2), "topologyKey": self.pick(ZONE, ZONE, HOST, "pool"),
                "whenUnsatisfiable": self.pick("DoNotSchedule", "ScheduleAnyway"), "labelSelector": {"matchLabels": {"app": labels["app"]}}}
        if made["whenUnsatisfiable"] == "DoNotSchedule" and self.chance(0.3):
            made["minDomains"] = self.pick(2, 3, 5)
        if self.chance(0.3):
            made["nodeTaintsPolicy"] = self.pick("Honor", "Ignore")
        if self.chance(0.2):
            made["nodeAffinityPolicy"] = self.pick("Honor", "Ignore")
        if kind == "Deployment" and self.chance(0.3):
            made["matchLabelKeys"] = ["pod-template-hash"]
        return made

    def node_term(self):
        return {"matchExpressions": [self.pick(
            {"key": "disk", "operator": "In", "values": ["ssd"]}, {"key": "pool", "operator": "NotIn", "values": ["spot"]},
            {"key": ZONE, "operator": "Exists"}, {"key": ZONE, "operator": "DoesNotExist"},
            {"key": "size", "operator": "Gt", "values": ["3"]}, {"key": "size", "operator": "Lt", "values": ["7"]},
            {"key": HOST, "operator": "In", "values": ["a1", "b2", "c2"]})]}

    def pod_term(self, labels):
        return {"topologyKey": self.pick(ZONE, HOST, HOST, "pool"),
                "labelSelector": {"matchLabels": {"app": self.pick(labels["app"], labels["app"], "db", "cache", "proxy")}}}

    def affinity(self, labels):
        hard, soft = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"
        made = {}
        if self.chance(0.2):
            made["nodeAffinity"] = {hard: {"nodeSelectorTerms": [self.node_term() for _ in range(self.pick(1, 2))]}}
        if self.chance(0.2):
            made.setdefault("nodeAffinity", {})[soft] = [{"weight": self.pick(1, 30, 100), "preference": self.node_term()}]
        for kind in ("podAffinity", "podAntiAffinity"):
            if self.chance(0.15):
                made.setdefault(kind, {})[hard] = [self.pod_term(labels)]
            if self.chance(0.2):
                made.setdefault(kind, {})[soft] = [{"weight": self.pick(10, 100), "podAffinityTerm": self.pod_term(labels)}]
        return made


def generated(seed, number):
    return Drawn(seed, number).shape()
