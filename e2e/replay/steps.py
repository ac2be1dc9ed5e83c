"""What happens in a cluster, step by step, from a seed: pods of the demo's kinds and some more come and go, are labelled anew
and lose their gates; some are more important than others and evict them; nodes join, are cordoned, drained, taken away,
labelled and tainted anew; local volumes and claims come, and claims are made anew. The next step depends on the seed and on
the state of the cluster alone."""
import collections
import random

from e2e.demo import cluster
from e2e.support.oracle import full_name, path_of

# How often each kind of pod comes, by its label; "db" and "cache" are what others want to be near to or away from.
SHARES = {"db": 8, "web": 14, "api": 10, "cache": 8, "job": 14, "agent": 6, "index": 6, "train": 12, "big": 6, "huge": 2,
          "h100": 2, "gated": 5, "spike": 9, "store": 14}
CLASSES = {"low": (-10, None), "urgent": (2000, None), "patient": (1500, "Never")}  # and "important", the demo's: 1000
IMPORTANCE = {"job": "low", "db": "important", "index": "important", "big": "urgent", "spike": "urgent", "h100": "patient",
              "agent": "patient"}
PENDING_AT_MOST = 8
PODS = 110  # about which their number swings
NODES_LEFT = 12
CLAIMS, VOLUMES = 8, 16
MAINTENANCE = {"key": "maintenance", "value": "true"}

Write = collections.namedtuple("Write", "method path body content_type")


def merge_patch(path, body):
    return Write("PATCH", path, body, "application/merge-patch+json")


def some_nodes():
    """A third of the demo's, of every kind."""
    seen = collections.Counter()
    for node in cluster.nodes():
        kind = node["metadata"]["name"].split("-")[0]
        seen[kind] += 1
        if seen[kind] <= {"general": 12, "memory": 4, "gpu": 4, "spot": 3}.get(kind, 1):
            yield node


def beginning():
    """What is there before the first step."""
    yield from cluster.others()
    yield from some_nodes()
    for name, (value, policy) in CLASSES.items():
        more = {"preemptionPolicy": policy} if policy else {}
        yield {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value, **more}
    yield {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "local"},
           "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"}
    yield from old_pods()


def old_pods():
    """Pods that are there already, so that room is scarce from the first step on."""
    makers = {make(0)["metadata"]["labels"]["app"]: make for _, make in cluster.kinds()}
    for node in some_nodes():
        app, count = {"general": ("job", 3), "memory": ("job", 6), "gpu": ("train", 3)}.get(
            node["metadata"]["name"].split("-")[0], ("", 0))
        for i in range(count):
            made = makers[app](0)
            made["metadata"]["name"] = f"old-{node['metadata']['name']}-{i}"
            made["spec"] |= {"nodeName": node["metadata"]["name"], "terminationGracePeriodSeconds": 30,
                             **({"priorityClassName": IMPORTANCE[app]} if app in IMPORTANCE else {})}
            yield made


def spike(i):
    """Hardly any node has that much left."""
    return cluster.pod("batch", f"spike-{i}", "spike", "6", "6Gi", "batch/worker:v1")


def store(i):
    return cluster.pod("shop", f"store-{i}", "store", "250m", "512Mi", cluster.DB)


def claim(i):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": f"data-{i}", "namespace": "shop"},
            "spec": {"storageClassName": "local", "accessModes": ["ReadWriteOnce"],
                     "resources": {"requests": {"storage": f"{1 + i % 3}Gi"}}}}


def volume(name, host, gib):
    affinity = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [host]}]}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": {"storageClassName": "local", "capacity": {"storage": f"{gib}Gi"}, "accessModes": ["ReadWriteOnce"],
                     "persistentVolumeReclaimPolicy": "Retain", "local": {"path": "/data"},
                     "nodeAffinity": {"required": {"nodeSelectorTerms": [affinity]}}}}


class Steps:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.makers = {}
        for _, make in cluster.kinds():
            self.makers[make(0)["metadata"]["labels"]["app"]] = make
        self.makers |= {"spike": spike, "store": store}
        self.made = collections.Counter()
        self.volumes_made = 0
        self.away = []         # nodes that may join
        self.to_do = []        # of a drain: what is to go
        self.spare = self.changes = 0

    def next(self, state):
        """(what it is, the writes)."""
        what, writes = self.step(state)
        return what, [writes] if isinstance(writes, Write) else writes

    def step(self, state):
        if self.to_do:
            step = self.drain_on(state)
            if step:
                return step
        pods = state.of_kind("Pod")
        pending = [p for p in pods if not p["spec"].get("nodeName")]
        fewer = len(pods) / PODS
        weights = {self.pod_comes: 0 if len(pending) >= PENDING_AT_MOST else 55, self.pod_goes: 25 * fewer * fewer,
                   self.pending_goes: 2 + 3 * len(pending), self.gate_opens: 8, self.pod_relabelled: 5,
                   self.node_joins: 5, self.cordon: 4, self.uncordon: 5, self.drain: 3, self.node_relabelled: 7,
                   self.node_tainted: 4, self.node_untainted: 4, self.volume_comes: 6, self.claim_comes: 6,
                   self.claim_made_anew: 8}
        while True:
            kind = self.random.choices(list(weights), list(weights.values()))[0]
            step = kind(state)
            if step:
                return step

    # --- pods ---
    def pod_comes(self, state):
        app = self.random.choices(list(SHARES), list(SHARES.values()))[0]
        pod = self.makers[app](self.made[app])
        self.made[app] += 1
        if app in IMPORTANCE:
            pod["spec"]["priorityClassName"] = IMPORTANCE[app]
        if app in ("train", "job"):
            pod["spec"]["terminationGracePeriodSeconds"] = 30  # what no kubelet cuts short; see Side.settle
        if app == "store":
            used = set().union(*map(self.claims_of, state.of_kind("Pod")))
            free = sorted(f"data-{i}" for i in range(CLAIMS) if f"shop/data-{i}" not in used)
            if not free:
                return None
            use = {"claimName": self.random.choice(free)}
            pod["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": use}]
        return f"{full_name(pod)} comes", Write("POST", path_of(pod).rpartition("/")[0], pod, "application/json")

    def one(self, things):
        things = sorted(things, key=lambda o: (o["metadata"].get("namespace", ""), o["metadata"]["name"]))
        return self.random.choice(things) if things else None

    def pods(self, state, which):
        return [p for p in state.of_kind("Pod") if which(p)]

    def delete(self, pod):
        return f"{full_name(pod)} goes", Write("DELETE", path_of(pod), {"gracePeriodSeconds": 0}, "application/json")

    def pod_goes(self, state):
        pod = self.one(self.pods(state, lambda p: p["spec"].get("nodeName")))
        return pod and self.delete(pod)

    def pending_goes(self, state):
        pod = self.one(self.pods(state, lambda p: not p["spec"].get("nodeName")))
        return pod and self.delete(pod)

    def gate_opens(self, state):
        pod = self.one(self.pods(state, lambda p: p["spec"].get("schedulingGates")))
        return pod and (f"{full_name(pod)} loses its gate", merge_patch(path_of(pod), {"spec": {"schedulingGates": []}}))

    def pod_relabelled(self, state):
        pod = self.one(self.pods(state, lambda p: p["spec"].get("nodeName")))
        app = pod and self.random.choice([a for a in ("web", "db", "cache", "job") if a != pod["metadata"]["labels"]["app"]])
        return pod and (f"{full_name(pod)} becomes {app}",
                        merge_patch(path_of(pod), {"metadata": {"labels": {"app": app}}}))

    # --- volumes ---
    @staticmethod
    def claims_of(pod):
        return {f"{pod['metadata']['namespace']}/{v['persistentVolumeClaim']['claimName']}"
                for v in pod["spec"].get("volumes", []) if "persistentVolumeClaim" in v}

    def volume_comes(self, state):
        if len(state.of_kind("PersistentVolume")) >= VOLUMES:
            return None
        self.volumes_made += 1
        host = self.one(self.nodes(state))["metadata"]["name"]
        made = volume(f"disk-{self.volumes_made}", host, self.random.choice([1, 2, 4]))
        path = "/api/v1/persistentvolumes"
        return f"{made['metadata']['name']} arrives on {host}", [
            Write("POST", path, made, "application/json"),
            merge_patch(f"{path}/{made['metadata']['name']}/status", {"status": {"phase": "Available"}})]

    def claim_comes(self, state):
        there = {c["metadata"]["name"] for c in state.of_kind("PersistentVolumeClaim")}
        missing = [i for i in range(CLAIMS) if f"data-{i}" not in there]
        if not missing:
            return None
        made = claim(self.random.choice(missing))
        return f"{made['metadata']['name']} arrives", Write("POST", "/api/v1/namespaces/shop/persistentvolumeclaims", made,
                                                            "application/json")

    def claim_made_anew(self, state):
        """A claim that is bound goes with its volume, and comes back without; before that, the pod that uses it."""
        old = self.one([c for c in state.of_kind("PersistentVolumeClaim") if c["spec"].get("volumeName")])
        if not old:
            return None
        user = self.one(self.pods(state, lambda p: full_name(old) in self.claims_of(p)))
        if user:
            return self.delete(user)
        name, host = old["metadata"]["name"], old["spec"]["volumeName"]
        path, volumes = "/api/v1/namespaces/shop/persistentvolumeclaims", "/api/v1/persistentvolumes"
        gone = [step for target in (f"{path}/{name}", f"{volumes}/{host}")
                for step in (merge_patch(target, {"metadata": {"finalizers": None}}), Write("DELETE", target, {}, "application/json"))]
        _, comes = self.volume_comes(state) or ("", [])
        return f"{name} is made anew", [*gone, Write("POST", path, claim(int(name.rpartition("-")[2])), "application/json"), *comes]

    # --- nodes ---
    def patch(self, what, node, body):
        name = node["metadata"]["name"]
        return f"{name} {what}", [merge_patch(f"/api/v1/nodes/{name}", body), self.touch(node)]

    def touch(self, node):
        """A change that is an event to wait for, whatever else changes, and that wakes no pod: nobody asks for that resource."""
        self.changes += 1
        amount = {"replay.example.com/changes": str(self.changes)}
        return merge_patch(f"/api/v1/nodes/{node['metadata']['name']}/status",
                           {"status": {"allocatable": amount, "capacity": amount}})

    def nodes(self, state, which=lambda n: True):
        return [n for n in state.of_kind("Node") if which(n)]

    def node_joins(self, state):
        if self.away:
            node = self.away.pop(self.random.randrange(len(self.away)))
        elif self.spare < 6:
            self.spare += 1
            node = cluster.node(f"spare-{self.spare}", self.random.choice(cluster.ZONES),
                                str(self.random.choice([2, 4, 8])), "16Gi", {"disk": self.random.choice(["ssd", "hdd"])})
        else:
            return None
        return f"{node['metadata']['name']} joins", Write("POST", "/api/v1/nodes", node, "application/json")

    def cordon(self, state):
        open_nodes = self.nodes(state, lambda n: not n["spec"].get("unschedulable"))
        node = self.one(open_nodes)
        if len(open_nodes) <= NODES_LEFT:
            return None
        return self.patch("is cordoned", node, {"spec": {"unschedulable": True}})

    def uncordon(self, state):
        node = self.one(self.nodes(state, lambda n: n["spec"].get("unschedulable") and not n["spec"].get("taints")))
        return node and self.patch("is uncordoned", node, {"spec": {"unschedulable": None}})

    def drain(self, state):
        step = self.cordon(state)
        if step:
            self.to_do = [step[0].split()[0]]
        return step

    def drain_on(self, state):
        """The pods of the node one after the other, then the node itself."""
        name = self.to_do[0]
        pod = self.one(self.pods(state, lambda p: p["spec"].get("nodeName") == name))
        if pod:
            return self.delete(pod)
        self.to_do = []
        node = next(n for n in self.nodes(state) if n["metadata"]["name"] == name)
        fresh = {**node, "metadata": {"name": name, "labels": node["metadata"]["labels"]}, "spec": {}}
        self.away.append(fresh)
        return f"{name} leaves", Write("DELETE", f"/api/v1/nodes/{name}", {}, "application/json")

    def node_relabelled(self, state):
        key, values = self.random.choice([("disk", ["ssd", "hdd"]), ("topology.kubernetes.io/zone", cluster.ZONES),
                                          ("gpu-model", ["a100", "h100"])])
        node, value = self.one(self.nodes(state)), self.random.choice(values)
        return self.patch(f"has {key}={value}", node, {"metadata": {"labels": {key: value}}})

    def node_tainted(self, state):
        node = self.one(self.nodes(state, lambda n: not n["spec"].get("taints")))
        effect = self.random.choice(["NoSchedule", "PreferNoSchedule"])
        return node and self.patch(f"is tainted {effect}", node, {"spec": {"taints": [{**MAINTENANCE, "effect": effect}]}})

    def node_untainted(self, state):
        tainted = lambda n: any(t["key"] == MAINTENANCE["key"] for t in n["spec"].get("taints", []))
        node = self.one(self.nodes(state, tainted))
        return node and self.patch("is untainted", node, {"spec": {"taints": None}})
