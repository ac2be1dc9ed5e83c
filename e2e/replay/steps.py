"""What happens in a cluster, one write a step, from a seed: pods of the demo's kinds come and go, are labelled anew and
lose their gates; nodes join, are cordoned, drained, taken away, labelled and tainted anew. The next step depends on the
seed and on the state of the cluster alone."""
import collections
import random

from e2e.demo import cluster
from e2e.support.oracle import full_name, path_of

# How often each kind of pod comes, by its label; "db" and "cache" are what others want to be near to or away from.
SHARES = {"db": 8, "web": 14, "api": 10, "cache": 8, "job": 14, "agent": 6, "index": 6, "train": 8, "big": 4, "huge": 2,
          "h100": 2, "gated": 3}
PENDING_AT_MOST = 8
PODS = 110  # about which their number swings
NODES_LEFT = 12
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


class Steps:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.makers = {}
        for _, make in cluster.kinds():
            self.makers[make(0)["metadata"]["labels"]["app"]] = make
        self.made = collections.Counter()
        self.away = []         # nodes that may join
        self.to_do = []        # of a drain: what is to go
        self.spare = 0

    def next(self, state):
        """(what it is, the write)."""
        if self.to_do:
            step = self.drain_on(state)
            if step:
                return step
        pods = state.of_kind("Pod")
        pending = [p for p in pods if not p["spec"].get("nodeName")]
        fewer = len(pods) / PODS
        weights = {self.pod_comes: 0 if len(pending) >= PENDING_AT_MOST else 55, self.pod_goes: 25 * fewer * fewer,
                   self.pending_goes: 2 + 3 * len(pending), self.gate_opens: 6, self.pod_relabelled: 5,
                   self.node_joins: 5, self.cordon: 4, self.uncordon: 5, self.drain: 1, self.node_relabelled: 5,
                   self.node_tainted: 4, self.node_untainted: 4}
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
        pod["spec"].pop("priorityClassName", None)  # until both evict the same pods
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
        app = self.random.choice(["web", "db", "cache", "job"])
        return pod and (f"{full_name(pod)} becomes {app}",
                        merge_patch(path_of(pod), {"metadata": {"labels": {"app": app}}}))

    # --- nodes ---
    def patch(self, what, node, body):
        name = node["metadata"]["name"]
        return f"{name} {what}", merge_patch(f"/api/v1/nodes/{name}", body)

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
