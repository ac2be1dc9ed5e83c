"""One of a replay's two clusters: its API server, its scheduler, and the harness as its kubelets and volume controller."""
import collections
import ssl
import time
import urllib.request

from e2e.replay.steps import Write
from e2e.support import podium
from e2e.support.control_plane import ControlPlane, wait_until
from e2e.support.oracle import full_name, path_of

PATIENCE = 40  # seconds for a scheduler to do what it has to
MERGE = "application/merge-patch+json"
BIND_COMPLETED, BY_CONTROLLER = "pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller"
COUNTED = ("AssignedPodAdd", "AssignedPodDelete", "AssignedPodUpdate", "NodeAdd", "NodeDelete", "NodeUpdateNodeAllocatable",
           "PersistentVolumeAdd", "PersistentVolumeUpdate", "PersistentVolumeClaimAdd", "PersistentVolumeClaimUpdate")


class Unsettled(Exception):
    """A scheduler did not come to rest."""


def uid_of(deleted):
    """Of what a DELETE answered: the object, or a status about it."""
    return deleted["metadata"].get("uid") or deleted.get("details", {}).get("uid")


def gated(pod):
    return bool(pod["spec"].get("schedulingGates"))


def waiting(pod):
    return not pod["spec"].get("nodeName") and not gated(pod)


def tried(pod):
    scheduled = podium.condition(pod, "PodScheduled")
    return scheduled and scheduled.get("reason") != "SchedulingGated"


def volume_path(name):
    return f"/api/v1/persistentvolumes/{name}"


def claim_path(claim):
    return f"/api/v1/namespaces/{claim['metadata']['namespace']}/persistentvolumeclaims/{claim['metadata']['name']}"


class Side:
    def __init__(self, name, keep, objects):
        """objects: what is there when the scheduler begins."""
        self.name, self.plane = name, ControlPlane(keep=keep).start()
        for obj in objects:
            self.plane.create(obj)
        self.expected = collections.Counter()  # events that the scheduler has to have taken in
        self.known = set()                     # UIDs of pods
        self.placed = set()                    # of those with a node
        self.deleted = set()                   # UIDs of pods that the replay deleted
        self.evicted = 0                       # pods that went without that

    def begin(self, scheduler, metrics):
        """metrics: gives the text of the scheduler's metrics."""
        self.scheduler, self._metrics = scheduler, metrics
        self.expected["NodeAdd"] = len(self.plane.get("/api/v1/nodes")["items"])
        self.settle()

    def stop(self):
        self.scheduler.stop()
        self.plane.stop()

    # --- writes ---
    def apply(self, write):
        status, body = self.plane.request(write.method, write.path, write.body, content_type=write.content_type)
        if status not in (200, 201):
            raise RuntimeError(f"{self.name}: {write.method} {write.path}: {status}: {body}")
        self.expect(write, body)
        if write.method == "DELETE":
            self.deleted.add(uid_of(body))
        elif write.method == "POST" and body["kind"] == "Pod":
            self.known.add(body["metadata"]["uid"])
        return body

    def expect(self, write, body):
        """Not every write to a node is an event; those to its status are (see Steps.touch)."""
        kind = write.path.split("/")[3] if not write.path.startswith("/api/v1/namespaces/") else write.path.split("/")[5]
        verb = {"POST": "Add", "PATCH": "Update", "DELETE": "Delete"}[write.method]
        if kind == "nodes" and verb != "Update":
            self.expected[f"Node{verb}"] += 1
        elif kind == "nodes" and write.path.endswith("/status"):
            self.expected["NodeUpdateNodeAllocatable"] += 1
        elif kind == "pods" and verb == "Update" and body["spec"].get("nodeName"):
            self.expected["AssignedPodUpdate"] += 1
        elif kind in ("persistentvolumes", "persistentvolumeclaims") and verb != "Delete":
            self.expected[("PersistentVolume" if kind == "persistentvolumes" else "PersistentVolumeClaim") + verb] += 1

    def patch(self, path, body):
        return self.apply(Write("PATCH", path, body, MERGE))

    def create(self, obj, path):
        return self.apply(Write("POST", path, obj, "application/json"))

    def remove(self, pod):
        self.deleted.add(pod["metadata"]["uid"])
        self.finish(pod)

    def finish(self, pod):
        self.plane.request("DELETE", path_of(pod), {"gracePeriodSeconds": 0})

    # --- what there is ---
    def listed(self, path, kind):
        return [{"apiVersion": "v1", "kind": kind, **item} for item in self.plane.get(path)["items"]]

    def pods(self):
        """By full name."""
        return {full_name(pod): pod for pod in self.listed("/api/v1/pods", "Pod")}

    def claims(self):
        return {full_name(claim): claim for claim in self.listed("/api/v1/persistentvolumeclaims", "PersistentVolumeClaim")}

    def volumes(self):
        return {v["metadata"]["name"]: v for v in self.listed("/api/v1/persistentvolumes", "PersistentVolume")}

    # --- coming to rest ---
    def metric(self, name, label):
        """{value of the label: the sum of the samples}."""
        found = collections.Counter()
        for line in self._metrics().splitlines():
            if line.startswith((name + "{", name + " ")):
                labels, _, value = line.rpartition(" ")
                found[labels.partition(f'{label}="')[2].partition('"')[0]] += int(float(value))
        return found

    def seen(self):
        events = self.metric("scheduler_event_handling_duration_seconds_count", "event")
        return collections.Counter({label: events[label] for label in COUNTED})

    def settle(self):
        """Waits until the scheduler has taken in all that has happened and has nothing left to try: every pod without a node
        waits in its queue for an event. Plays kubelet (victims of long grace go) and volume controller meanwhile. The pods."""
        why = ""

        def at_rest():
            nonlocal why
            self.bind_volumes()
            pods = self.pods()
            for pod in pods.values():
                if pod["metadata"].get("deletionTimestamp"):
                    self.finish(pod)
            self.count_moves(pods)
            pending = [p for p in pods.values() if not p["spec"].get("nodeName")]
            seen, queued = self.seen(), self.metric("scheduler_pending_pods", "queue")
            late = {label: (count, seen[label]) for label, count in self.expected.items() if seen[label] < count}
            untried = [full_name(p) for p in pending if not gated(p) and not tried(p)]
            why = f"events expected and seen: {late}, pods of the queue: {dict(queued)}, pending: {len(pending)}, untried: {untried}"
            victims = self.metric("scheduler_preemption_victims_sum", "")[""] - self.evicted
            why += f", victims that are still there: {victims}"
            if late or untried or victims > 0 or queued["active"] or queued["backoff"]:
                return None
            return [pods] if queued["unschedulable"] + queued["gated"] == len(pending) else None
        try:
            [pods] = wait_until(at_rest, "", PATIENCE, 0.02)
        except TimeoutError:
            raise Unsettled(f"{self.name} does not come to rest: {why}") from None
        self.expected |= self.seen()
        return pods

    def count_moves(self, pods):
        """Each pod that has come to a node, or has left one, is an event."""
        placed = {p["metadata"]["uid"] for p in pods.values() if p["spec"].get("nodeName")}
        self.expected["AssignedPodAdd"] += len(placed - self.placed)
        self.expected["AssignedPodDelete"] += len(self.placed - placed)
        self.placed = placed
        now = {p["metadata"]["uid"] for p in pods.values()}
        self.evicted += len(self.known - now - self.deleted)
        self.known = now

    # --- the volume controller ---
    def bind_volumes(self):
        for volume in self.volumes().values():
            ref = volume["spec"].get("claimRef")
            if not ref or volume.get("status", {}).get("phase") == "Bound":
                continue
            path = claim_path({"metadata": ref})
            self.patch(volume_path(volume["metadata"]["name"]) + "/status", {"status": {"phase": "Bound"}})
            self.patch(path, {"metadata": {"annotations": {BIND_COMPLETED: "yes", BY_CONTROLLER: "yes"}},
                              "spec": {"volumeName": volume["metadata"]["name"]}})
            self.patch(path + "/status", {"status": {"phase": "Bound"}})

    def remake_claims(self, claims, volumes):
        """Makes claims and volumes as they are in another cluster, where they are bound otherwise. No pod may use them now."""
        mine, my_volumes = self.claims(), self.volumes()
        target = lambda name: claims[name]["spec"].get("volumeName")
        odd = {name for name in claims if mine[name]["spec"].get("volumeName") != target(name)}
        touched = {c[name]["spec"].get("volumeName") for c in (claims, mine) for name in odd} - {None}
        for path in [claim_path(claims[name]) for name in odd] + [volume_path(name) for name in touched]:
            self.patch(path, {"metadata": {"finalizers": None}})
            self.plane.request("DELETE", path)
        uids = {}
        for name in sorted(odd):
            fresh = bare(claims[name])
            if target(name):
                fresh["metadata"]["annotations"] = {BIND_COMPLETED: "yes", BY_CONTROLLER: "yes"}
            made = self.create(fresh, claim_path(claims[name]).rpartition("/")[0])
            uids[name] = made["metadata"]["uid"]
        for name in sorted(touched):
            fresh = bare(volumes[name])
            ref = fresh["spec"].get("claimRef")
            if ref:
                of = f"{ref['namespace']}/{ref['name']}"
                fresh["spec"]["claimRef"] = {**ref, "uid": uids[of], "resourceVersion": ""}
            self.create(fresh, volume_path(name).rpartition("/")[0])
            self.patch(volume_path(name) + "/status", {"status": {"phase": "Bound" if ref else "Available"}})
        for name in odd:
            if target(name):
                self.patch(claim_path(claims[name]) + "/status", {"status": {"phase": "Bound"}})


def bare(obj):
    """The object as it was created."""
    meta = {k: v for k, v in obj["metadata"].items() if k in ("name", "namespace", "labels")}
    return {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": meta, "spec": dict(obj["spec"])}


def kube_metrics(port):
    """kube-scheduler's, which lets everybody read them here."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    def read():
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(f"https://127.0.0.1:{port}/metrics", context=context, timeout=10) as reply:
                    return reply.read().decode()
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
    return read
