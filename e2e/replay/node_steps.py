"""Steps on nodes: they join, are cordoned, drained and removed, change their labels and taints, and attach more or fewer volumes. Part
of Steps, which has the random numbers.

For each image of a node, kube-scheduler's snapshot keeps the number of nodes with the image at the time when the node changed last
(NodeInfo.Snapshot, UpdateSnapshot). So ImageLocality scores by old counts after a node was added or removed. The oracle and podium do
not have such a history. A change of every other node updates the counts.
"""
from e2e.demo import cluster
from e2e.replay.world import MAINTENANCE, SPARES, ZONE, csi_node
from e2e.replay.writes import delete, merge_patch, post

NODES_LEFT = 12


class NodeSteps:
    def __init__(self):
        self.away = []   # nodes that may join
        self.to_do = []  # remaining writes of a drain
        self.spare = 0

    def patch(self, what, node, body):
        name = node["metadata"]["name"]
        return f"{name} {what}", [merge_patch(f"/api/v1/nodes/{name}", body), self.touch(node)]

    def nodes(self, state, which=lambda n: True):
        return [n for n in state.of_kind("Node") if which(n)]

    def node_joins(self, state):
        if self.away:
            node = self.away.pop(self.random.randrange(len(self.away)))
        elif self.spare < SPARES:
            self.spare += 1
            node = cluster.node(f"spare-{self.spare}", self.random.choice(cluster.ZONES),
                                str(self.random.choice([2, 4, 8])), "16Gi", {"disk": self.random.choice(["ssd", "hdd"])})
        else:
            return None
        return f"{node['metadata']['name']} joins", [post(node, "/api/v1/nodes"), *map(self.touch, self.nodes(state))]

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
        """Removes the pods of the node one by one, then the node."""
        name = self.to_do[0]
        pod = self.one(self.pods(state, lambda p: p["spec"].get("nodeName") == name))
        if pod:
            return self.delete(pod)
        self.to_do = []
        node = next(n for n in self.nodes(state) if n["metadata"]["name"] == name)
        self.away.append({**node, "metadata": {"name": name, "labels": node["metadata"]["labels"]}, "spec": {}})
        return f"{name} leaves", [delete(f"/api/v1/nodes/{name}"), *(self.touch(n) for n in self.nodes(state) if n is not node)]

    def node_relabelled(self, state):
        key, values = self.random.choice([("disk", ["ssd", "hdd"]), (ZONE, cluster.ZONES), ("gpu-model", ["a100", "h100"])])
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

    def driver_changes(self, state):
        """Changes the number of volumes that a node's driver attaches."""
        known = self.one(n for n in state.of_kind("CSINode"))
        name, now = known["metadata"]["name"], known["spec"]["drivers"][0]["allocatable"]["count"]
        count = self.random.choice([n for n in range(4) if n != now])
        return f"{name} attaches {count}", merge_patch(f"/apis/storage.k8s.io/v1/csinodes/{name}",
                                                       {"spec": csi_node(name, count)["spec"]})
