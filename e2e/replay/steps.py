"""The steps of a cluster's life, from a seed: pods of many kinds come and go, change their labels, get tolerations, lose gates and
shrink. Three files in this directory have the steps on nodes, storage and devices. The next step depends only on the seed and on the
state of the cluster."""
import collections
import random

from e2e.replay.claims import OnClaims, done
from e2e.replay.device_steps import DeviceSteps
from e2e.replay.node_steps import NodeSteps
from e2e.replay.storage_steps import StorageSteps
from e2e.replay.world import BUDGETED, IMPORTANCE, PATIENT_VICTIMS, SHARES, makers
from e2e.replay.writes import STRATEGIC, Provision, Write, delete, merge_patch, post
from e2e.support.oracle import full_name, path_of

PENDING_AT_MOST = 8
PENDING_WITH_DEVICES = 14
PODS = 140  # the number of pods swings around this
UNUSED_RESOURCE = "replay.example.com/changes"


class Steps(NodeSteps, StorageSteps, DeviceSteps):
    def __init__(self, seed, with_devices=False):
        self.with_devices = with_devices
        self.pending_at_most = PENDING_WITH_DEVICES if with_devices else PENDING_AT_MOST
        self.random = random.Random(seed)
        self.makers = makers()
        self.made = collections.Counter()
        self.changes = 0
        NodeSteps.__init__(self)
        StorageSteps.__init__(self)
        DeviceSteps.__init__(self)

    def next(self, state):
        """Returns (description, writes)."""
        what, writes = self.step(state)
        return what, [writes] if isinstance(writes, (Write, Provision, OnClaims)) else writes

    def step(self, state):
        if self.to_do:
            step = self.drain_on(state)
            if step:
                return step
        pods = state.of_kind("Pod")
        pending = [p for p in pods if not p["spec"].get("nodeName")]
        fewer = len(pods) / PODS
        weights = {self.pod_comes: 0 if len(pending) >= self.pending_at_most else 70, self.pod_goes: 25 * fewer * fewer,
                   self.pending_goes: 2 + 3 * len(pending), self.gate_opens: 8, self.pod_relabelled: 5,
                   self.pending_relabelled: 4, self.pending_tolerates: 2, self.pod_shrinks: 5,
                   self.budget_changes: 5, self.namespace_changes: 3,
                   self.node_joins: 5, self.cordon: 4, self.uncordon: 5, self.drain: 3, self.node_relabelled: 7,
                   self.node_tainted: 4, self.node_untainted: 4, self.driver_changes: 4,
                   self.volume_comes: 6, self.claim_comes: 20, self.recreated_claim: 16, self.claim_provided: 8,
                   self.capacity_changes: 5, **(self.device_weights(state) if self.with_devices else {})}
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
        importance = self.random.choice(IMPORTANCE.get(app, [None]))
        if importance:
            pod["spec"]["priorityClassName"] = importance
        if app in PATIENT_VICTIMS:
            pod["spec"]["terminationGracePeriodSeconds"] = 30
        if app == "store" and not self.give_claim(pod, state):
            return None
        return f"{full_name(pod)} comes", post(pod, path_of(pod).rpartition("/")[0])

    def one(self, things):
        things = sorted(things, key=lambda o: (o["metadata"].get("namespace", ""), o["metadata"]["name"]))
        return self.random.choice(things) if things else None

    def pods(self, state, which):
        return [p for p in state.of_kind("Pod") if which(p)]

    def placed(self, state):
        return self.one(self.pods(state, lambda p: p["spec"].get("nodeName") and not done(p)))

    def pending(self, state):
        return self.one(self.pods(state, lambda p: not p["spec"].get("nodeName")))

    def delete(self, pod):
        return f"{full_name(pod)} goes", delete(path_of(pod), gracePeriodSeconds=0)

    def pod_goes(self, state):
        pod = self.placed(state)
        return pod and self.delete(pod)

    def pending_goes(self, state):
        pod = self.pending(state)
        return pod and self.delete(pod)

    def gate_opens(self, state):
        """Removes the first gate of a pod."""
        pod = self.one(self.pods(state, lambda p: p["spec"].get("schedulingGates")))
        return pod and (f"{full_name(pod)} loses its gate",
                        merge_patch(path_of(pod), {"spec": {"schedulingGates": pod["spec"]["schedulingGates"][1:]}}))

    def relabelled(self, pod):
        others = [a for a in ("web", "db", "cache", "job", "even") if pod and a != pod["metadata"]["labels"]["app"]]
        app = pod and self.random.choice(others)
        return pod and (f"{full_name(pod)} becomes {app}", merge_patch(path_of(pod), {"metadata": {"labels": {"app": app}}}))

    def pod_relabelled(self, state):
        return self.relabelled(self.placed(state))

    def pending_relabelled(self, state):
        return self.relabelled(self.pending(state))

    def pending_tolerates(self, state):
        """Adds a toleration that no pod has at its creation; see node_tainted."""
        pod = self.pending(state)
        tolerated = pod and pod["spec"].get("tolerations", [])
        if not pod or any(t.get("key") == "maintenance" for t in tolerated):
            return None
        more = [*tolerated, {"key": "maintenance", "operator": "Exists"}]
        return f"{full_name(pod)} tolerates maintenance", merge_patch(path_of(pod), {"spec": {"tolerations": more}})

    def pod_shrinks(self, state):
        """Resizes a placed pod in place; not one with devices, which the API server refuses."""
        pod = self.one(self.pods(state, lambda p: p["spec"].get("nodeName") and self.cpu(p) in ("1", "2", "4", "6")
                                 and "resourceClaims" not in p["spec"]))
        fewer = {"requests": {"cpu": str(int(self.cpu(pod)) // 2) if self.cpu(pod) != "1" else "500m"}} if pod else {}
        return pod and (f"{full_name(pod)} shrinks", Write(
            "PATCH", path_of(pod) + "/resize", {"spec": {"containers": [{"name": "main", "resources": fewer}]}}, STRATEGIC))

    @staticmethod
    def cpu(pod):
        return pod["spec"]["containers"][0]["resources"]["requests"]["cpu"]

    # --- changes that no metric counts ---
    def budget_changes(self, state):
        """Writes in place of the disruption controller, which does not run."""
        budget = self.one(state.of_kind("PodDisruptionBudget"))
        name, namespace = budget["metadata"]["name"], budget["metadata"]["namespace"]
        allowed = self.random.choice([n for n in range(4) if n != budget.get("status", {}).get("disruptionsAllowed")])
        return f"{name} allows {allowed}", [
            merge_patch(f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets/{name}/status",
                        {"status": {"disruptionsAllowed": allowed, "currentHealthy": 1 + allowed, "desiredHealthy": 1,
                                    "expectedPods": 1 + allowed, "observedGeneration": 1}}), self.after(state)]

    def namespace_changes(self, state):
        namespace = self.one(n for n in state.of_kind("Namespace") if n["metadata"]["name"] in {*BUDGETED.values()})
        tier = "loud" if namespace["metadata"]["labels"].get("tier") == "quiet" else "quiet"
        name = namespace["metadata"]["name"]
        return f"{name} is {tier}", [merge_patch(f"/api/v1/namespaces/{name}", {"metadata": {"labels": {"tier": tier}}}),
                                     self.after(state)]

    def after(self, state):
        """Returns a write that the metrics count: once they do, the writes before it are handled."""
        return self.touch(self.one(self.nodes(state)))

    def touch(self, node):
        """Returns a change that the metrics count and that wakes no pod: no pod requests that resource."""
        self.changes += 1
        amount = {UNUSED_RESOURCE: str(self.changes)}
        return merge_patch(f"/api/v1/nodes/{node['metadata']['name']}/status",
                           {"status": {"allocatable": amount, "capacity": amount}})
