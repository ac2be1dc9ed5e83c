"""The objects of a replay's cluster: a third of the demo's nodes, with CSI drivers; the kinds of pods, the demo's and more; storage
classes, claims and volumes; budgets. Pure: steps.py has everything that depends on chance."""
import collections

from e2e.demo import cluster
from e2e.support.oracle import full_name

# How often each kind of pod comes, by its label; other pods want to be near to or away from "db" and "cache".
SHARES = {"db": 8, "web": 14, "api": 10, "cache": 8, "job": 14, "agent": 6, "index": 6, "train": 12, "big": 10, "huge": 2,
          "h100": 2, "gated": 7, "spike": 24, "store": 60, "even": 8, "guest": 7}
CLASSES = {"low": (-10, None), "urgent": (2000, None), "patient": (1500, "Never")}  # and "important", the demo's: 1000
# Each pod of some kinds has the first of these classes, and pods of others have one of several; None: no class.
IMPORTANCE = {"job": ["low"], "db": ["important"], "index": ["important"], "big": ["urgent"], "spike": ["urgent", "important"],
              "h100": ["patient"], "agent": ["patient"], "store": [None, None, "low", "important", "urgent"],
              "even": [None, "low", "important"], "guest": [None, "important"]}
PATIENT_VICTIMS = ("train", "job")  # with a long grace period, which Side.settle ends
BUDGETED = {"job": "batch", "train": "ml", "web": "shop", "store": "shop"}
MAINTENANCE = {"key": "maintenance", "value": "true"}
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
DRIVER, PLAIN_DRIVER = "disks.example.com", "plain.example.com"  # the first reports capacity
SPARES = 6  # nodes that may join

# By class: the maximum number of its claims, whether its volumes are created when a pod's node is known, and where they are.
Kind = collections.namedtuple("Kind", "claims provisioner mode key")
STORAGE = {"local": Kind(8, "kubernetes.io/no-provisioner", "WaitForFirstConsumer", HOST),
           "fast": Kind(8, DRIVER, "WaitForFirstConsumer", ZONE),
           "picky": Kind(4, PLAIN_DRIVER, "WaitForFirstConsumer", ZONE),
           "now": Kind(6, DRIVER, "Immediate", ZONE)}


def some_nodes():
    """Returns a third of the demo's nodes, with every kind."""
    seen = collections.Counter()
    for node in cluster.nodes():
        kind = node["metadata"]["name"].split("-")[0]
        seen[kind] += 1
        if seen[kind] <= {"general": 12, "memory": 4, "gpu": 4, "spot": 3}.get(kind, 1):
            yield node


def beginning():
    """The objects before the first step."""
    yield from cluster.others()
    yield from some_nodes()
    for i, name in enumerate([n["metadata"]["name"] for n in some_nodes()] + [f"spare-{i + 1}" for i in range(SPARES)]):
        yield csi_node(name, 1 + i % 3)
    for name, (value, policy) in CLASSES.items():
        more = {"preemptionPolicy": policy} if policy else {}
        yield {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value, **more}
    for driver in (DRIVER, PLAIN_DRIVER):
        yield {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": driver},
               "spec": {"storageCapacity": driver == DRIVER, "attachRequired": False}}
    for name, kind in STORAGE.items():
        topologies = [{"matchLabelExpressions": [{"key": ZONE, "values": list(cluster.ZONES[:2])}]}]
        yield {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
               "provisioner": kind.provisioner, "volumeBindingMode": kind.mode,
               **({"allowedTopologies": topologies} if name == "picky" else {})}
    for i, zone in enumerate(cluster.ZONES):
        yield {"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity", "storageClassName": "fast",
               "metadata": {"name": f"fast-{zone}", "namespace": "shop"}, "capacity": f"{2 * i}Gi",
               "nodeTopology": {"matchLabels": {ZONE: zone}}}
    for app, namespace in BUDGETED.items():
        yield {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": app, "namespace": namespace},
               "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": app}}}}
    yield from old_pods()


def old_pods():
    """Returns placed pods, so that capacity is scarce from the first step on."""
    by_app = makers()
    for node in some_nodes():
        app, count = {"general": ("job", 3), "memory": ("job", 6), "gpu": ("train", 3)}.get(
            node["metadata"]["name"].split("-")[0], ("", 0))
        for i in range(count):
            made = by_app[app](0)
            made["metadata"]["name"] = f"old-{node['metadata']['name']}-{i}"
            made["spec"] |= {"nodeName": node["metadata"]["name"], "terminationGracePeriodSeconds": 30,
                             **({"priorityClassName": IMPORTANCE[app][0]} if app in IMPORTANCE else {})}
            yield made


def csi_node(name, limit):
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name},
            "spec": {"drivers": [{"name": DRIVER, "nodeID": name, "topologyKeys": [ZONE], "allocatable": {"count": limit}}]}}


# --- pods ---
def makers():
    """{label: function that makes the i-th pod of the kind}."""
    return {**{make(0)["metadata"]["labels"]["app"]: make for _, make in cluster.kinds()},
            "spike": spike, "store": store, "even": even, "guest": guest, "gated": gated}


def spike(i):
    """A pod so large that it fits on few nodes."""
    return cluster.pod("batch", f"spike-{i}", "spike", str(3 + i % 4), "6Gi", "batch/worker:v1")


def store(i):
    return cluster.pod("shop", f"store-{i}", "store", "250m", "512Mi", cluster.DB)


def even(i):
    """A pod spread over at least three zones, and over nodes."""
    own = {"labelSelector": {"matchLabels": {"app": "even"}}}
    return cluster.pod("shop", f"even-{i}", "even", "1", "1Gi", topologySpreadConstraints=[
        {"maxSkew": 1 + i % 2, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "minDomains": 3,
         "nodeTaintsPolicy": "Honor", **own},
        {"maxSkew": 1, "topologyKey": HOST, "whenUnsatisfiable": "DoNotSchedule" if i % 3 else "ScheduleAnyway", **own}])


def guest(i):
    """A pod with anti-affinity to jobs and databases of quiet namespaces and affinity to pods of any."""
    busy = {"matchExpressions": [{"key": "app", "operator": "In", "values": ["job", "db", "train"]}]}
    away = {"topologyKey": HOST, "labelSelector": busy, "namespaceSelector": {"matchLabels": {"tier": "quiet"}}}
    near = {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"app": "api"}}, "namespaceSelector": {}}
    return cluster.pod("batch", f"guest-{i}", "guest", "500m", "512Mi", affinity={
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [away]},
        "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 30, "podAffinityTerm": near}]}})


def gated(i):
    gates = ["example.com/quota", "example.com/review"][:1 + i % 2]
    return cluster.pod("batch", f"gated-{i}", "gated", "1", "1Gi", schedulingGates=[{"name": gate} for gate in gates])


def claims_of(pod):
    return {f"{pod['metadata']['namespace']}/{v['persistentVolumeClaim']['claimName']}"
            for v in pod["spec"].get("volumes", []) if "persistentVolumeClaim" in v}


def users_of(claim, pods):
    return [pod for pod in pods if full_name(claim) in claims_of(pod)]


# --- storage ---
def class_of(name):
    """The storage class of a claim, from its name."""
    return name.rpartition("-")[0]


def claim_names():
    return [f"{name}-{i}" for name, kind in STORAGE.items() for i in range(kind.claims)]


def claim(name):
    """Every third claim of a class with a driver is ReadWriteOncePod; some are provisioned only at the second attempt."""
    i, of = int(name.rpartition("-")[2]), class_of(name)
    once = of != "local" and i % 3 == 1
    fails = 1 if of in ("fast", "picky") and i % 3 == 2 else 0
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "shop", "labels": {"fails": str(fails)}},
            "spec": {"storageClassName": of, "accessModes": ["ReadWriteOncePod" if once else "ReadWriteOnce"],
                     "resources": {"requests": {"storage": f"{1 + i % 3}Gi"}}}}


def volume(name, host, gib):
    """An existing local volume."""
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": {"storageClassName": "local", "capacity": {"storage": f"{gib}Gi"}, "accessModes": ["ReadWriteOnce"],
                     "persistentVolumeReclaimPolicy": "Retain", "local": {"path": "/data"}, "nodeAffinity": only(HOST, host)}}


def only(key, value):
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}]}}


def made_for(of, zone):
    """The volume that a provisioner makes. With immediate binding its zone is a label, as in old volumes."""
    name, spec = of["metadata"]["name"], of["spec"]
    kind = STORAGE[spec["storageClassName"]]
    place = {"labels": {ZONE: zone}} if kind.mode == "Immediate" else {}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"{name}-in-{zone}", **place},
            "spec": {"storageClassName": spec["storageClassName"], "accessModes": spec["accessModes"],
                     "capacity": {"storage": spec["resources"]["requests"]["storage"]},
                     "persistentVolumeReclaimPolicy": "Retain",
                     "csi": {"driver": kind.provisioner, "volumeHandle": f"{name}-in-{zone}"},
                     **({} if place else {"nodeAffinity": only(ZONE, zone)})}}
