"""The demo's cluster: 66 nodes of several kinds in three zones, and 320 pods of several kinds."""
import itertools
import uuid

NAMESPACES = ("shop", "batch", "ml")
ZONES = ("eu-1a", "eu-1b", "eu-1c")
WEB, API, DB, MODEL = "shop/web:v7", "shop/api:v3", "shop/db:v12", "ml/model:v2"
MIB = 1 << 20


def node(name, zone, cpu, memory, labels=None, taints=None, images=(), extra=None, unschedulable=False):
    amount = {"cpu": cpu, "memory": memory, "pods": "110", "ephemeral-storage": "200Gi", **(extra or {})}
    spec = {}
    if taints:
        spec["taints"] = taints
    if unschedulable:
        spec["unschedulable"] = True
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {
                "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
                "topology.kubernetes.io/region": "eu-1", "topology.kubernetes.io/zone": zone, **(labels or {})}},
            "spec": spec,
            "status": {"capacity": amount, "allocatable": amount,
                       "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
                       "images": [{"names": [image], "sizeBytes": size} for image, size in images]}}


def nodes():
    spot = [{"key": "spot", "value": "true", "effect": "PreferNoSchedule"}]
    gpu = [{"key": "gpu", "value": "a100", "effect": "NoSchedule"}]
    for i in range(36):
        images = [(WEB, 420 * MIB)] if i % 2 else [(API, 310 * MIB)]
        yield node(f"general-{i:02}", ZONES[i % 3], "8", "32Gi", {"disk": "ssd" if i % 4 else "hdd"}, images=images)
    for i in range(12):
        yield node(f"memory-{i:02}", ZONES[i % 3], "16", "128Gi", {"disk": "ssd"}, images=[(DB, 980 * MIB)])
    for i in range(9):
        yield node(f"gpu-{i:02}", ZONES[i % 3], "32", "128Gi", {"gpu-model": "a100"}, taints=gpu,
                   images=[(MODEL, 6000 * MIB)], extra={"nvidia.com/gpu": "4"})
    for i in range(6):
        yield node(f"spot-{i:02}", ZONES[i % 3], "4", "16Gi", taints=spot)
    for i in range(3):
        yield node(f"drained-{i:02}", ZONES[i], "8", "32Gi", unschedulable=True,
                   taints=[{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}])


def owner(namespace, app):
    """Makes the pod look as if a controller had created it, so that a drain would have it created again."""
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": app, "controller": True,
            "uid": str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{app}.{namespace}"))}


def pod(namespace, name, app, cpu, memory, image=WEB, **spec):
    limits = spec.pop("limits", {})
    ports = spec.pop("ports", [])
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace, "labels": {"app": app}, "ownerReferences": [owner(namespace, app)]},
            "spec": {"terminationGracePeriodSeconds": 0,
                     "containers": [{"name": "main", "image": image, "ports": ports,
                                     "resources": {"requests": {"cpu": cpu, "memory": memory, **limits},
                                                   **({"limits": limits} if limits else {})}}], **spec}}


def near(app, key="topology.kubernetes.io/zone"):
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}


def kinds():
    """Returns the kinds of pods: the number of each, and a function that makes the i-th."""
    host = "kubernetes.io/hostname"
    spread = [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
               "labelSelector": {"matchLabels": {"app": "web"}}}]
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    gpu = {"tolerations": [{"key": "gpu", "operator": "Exists"}], "image": MODEL}
    return [
        (12, lambda i: pod("shop", f"db-{i}", "db", "2", "12Gi", DB, priorityClassName="important",
                           affinity={"podAntiAffinity": {required: [near("db", host)]}})),
        (60, lambda i: pod("shop", f"web-{i:02}", "web", "500m", "512Mi", topologySpreadConstraints=spread)),
        (45, lambda i: pod("shop", f"api-{i:02}", "api", "250m", "256Mi", API,
                           affinity={"podAffinity": {preferred: [{"weight": 50, "podAffinityTerm": near("db")}]}})),
        (24, lambda i: pod("shop", f"cache-{i:02}", "cache", "500m", "4Gi",
                           affinity={"podAffinity": {required: [near("web")]},
                                     "podAntiAffinity": {required: [near("cache", host)]}})),
        (90, lambda i: pod("batch", f"job-{i:02}", "job", "1", "1Gi", "batch/worker:v1")),
        (16, lambda i: pod("batch", f"agent-{i:02}", "agent", "100m", "64Mi", "batch/agent:v1",
                           ports=[{"containerPort": 9100, "hostPort": 9100}])),
        (20, lambda i: pod("batch", f"ssd-{i:02}", "index", "500m", "2Gi", nodeSelector={"disk": "ssd"})),
        (30, lambda i: pod("ml", f"train-{i:02}", "train", "4", "16Gi", limits={"nvidia.com/gpu": "1"}, **gpu)),
        (8, lambda i: pod("ml", f"big-{i}", "big", "8", "32Gi", limits={"nvidia.com/gpu": "2"}, **gpu)),
        (6, lambda i: pod("ml", f"huge-{i}", "huge", "64", "512Gi")),                    # no node is that large
        (5, lambda i: pod("ml", f"h100-{i}", "h100", "1", "1Gi", nodeSelector={"gpu-model": "h100"})),  # no such node
        (4, lambda i: pod("batch", f"gated-{i}", "gated", "1", "1Gi", schedulingGates=[{"name": "example.com/quota"}])),
    ]


def pods():
    """Returns the pods in the order in which they are created."""
    return list(itertools.chain.from_iterable(map(make, range(count)) for count, make in kinds()))


def others():
    for namespace in NAMESPACES:
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    yield {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "important"}, "value": 1000}
    yield {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "cache", "namespace": "shop"},
           "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "cache"}}}}
    for app in ("web", "api"):
        yield {"apiVersion": "v1", "kind": "Service", "metadata": {"name": app, "namespace": "shop"},
               "spec": {"selector": {"app": app}, "ports": [{"port": 80}]}}


WHAT_IF = {
    "apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
    "metadata": {"name": "what-if-three-more", "namespace": "ml"},
    "spec": {"dryRun": True, "replicas": 3, "template": {
        "metadata": {"labels": {"app": "train"}},
        "spec": {"tolerations": [{"key": "gpu", "operator": "Exists"}],
                 "containers": [{"name": "main", "image": MODEL, "resources": {
                     "requests": {"cpu": "4", "memory": "16Gi"}, "limits": {"nvidia.com/gpu": "2"}}}]}}}}
