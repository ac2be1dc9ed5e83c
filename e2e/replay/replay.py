"""A replay: applies steps to both clusters, waits until both schedulers have come to rest, and judges what they did."""
import collections
import concurrent.futures
import datetime
import time

from e2e.replay.judge import Judge, Outcome
from e2e.replay.side import Side, Unsettled, bare, gated, kube_metrics, waiting
from e2e.replay.steps import Steps, Write, beginning, merge_patch
from e2e.support import oracle, podium
from e2e.support.control_plane import wait_until
from e2e.support.oracle import State, full_name, path_of

PATIENCE = 30        # seconds for messages to be written
RENEWED_AFTER = 200  # seconds; both schedulers try again what has been pending for five minutes, whatever happens
BACKOFF = {"podInitialBackoffSeconds": 1, "podMaxBackoffSeconds": 1}
STARTED = datetime.datetime(2020, 1, 1)
KINDS = {"pods": "Pod", "nodes": "Node", "persistentvolumes": "PersistentVolume",
         "persistentvolumeclaims": "PersistentVolumeClaim"}


class Difference(Exception):
    """A scheduler did what it must not, or not what it must."""


def key_of(path):
    parts = path.removesuffix("/status").split("/")[3:]
    namespace = parts[1] if parts[0] == "namespaces" else ""
    return KINDS[parts[-2]], namespace, parts[-1]


class Replay:
    def __init__(self, seed, keep=False):
        """keep: the logs stay, kube-scheduler's with the reasons of its queue."""
        self.steps = Steps(seed)
        self.counts = collections.Counter()
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.ours, self.theirs = self.sides = list(self.pool.map(lambda name: Side(name, keep, beginning()),
                                                                 ("podium", "kube-scheduler")))
        podium.install(self.ours.plane, ["schedulerName=default-scheduler", "podium.reports.enabled=false",
                                         *(f"configuration.{k}={v}" for k, v in BACKOFF.items())])
        ours = podium.Podium(self.ours.plane).start()
        self.ours.begin(ours, lambda: ours.get("/metrics")[1])
        theirs = oracle.kube_scheduler(self.theirs.plane, *(["-v=5"] if keep else []), percentageOfNodesToScore=100, **BACKOFF)
        self.theirs.begin(theirs, kube_metrics(theirs.port))
        self.state = State.of(self.ours.plane)
        self.since = {}    # pending pods: when they were made last
        self.started = 0   # pods that have got a start time
        self.refresh()

    def stop(self):
        for side in self.sides:
            side.stop()
        self.pool.shutdown()

    def both(self, work):
        return list(self.pool.map(work, self.sides))

    # --- one step ---
    def step(self):
        """Makes one step in both clusters; what it was, or Difference."""
        what, writes = self.steps.next(self.state)
        self.counts["step: " + self.kind(what)] += 1
        try:
            for write in writes:
                self.write(write)
            if writes[0].path.startswith("/api/v1/nodes") and writes[0].method in ("POST", "DELETE"):
                self.touch_nodes()
            self.judge()
            self.renew()
        except (Difference, Unsettled, TimeoutError) as error:
            raise Difference(f"{what}: {error}") from error
        return what

    @staticmethod
    def kind(what):
        """Of "general-02 has disk=ssd": "has disk"."""
        words = what.split("=")[0].split(" ")[1:]
        return " ".join(words if words[0] in ("is", "has") else words[:1])

    def write(self, write):
        body, _ = self.both(lambda side: side.apply(write))
        if write.method == "DELETE":
            self.state.objects.pop(key_of(write.path), None)
        else:
            self.state.put(body)

    def touch_nodes(self):
        """kube-scheduler's snapshot keeps of each node on how many nodes its images are, as it was when that node changed last
        (NodeInfo.Snapshot, UpdateSnapshot), so that ImageLocality scores by old counts once a node has come or gone. The oracle
        has no such past, and podium neither; a change of every node makes the counts new."""
        for node in self.state.of_kind("Node"):
            self.write(self.steps.touch(node))

    def judge(self):
        """Both have come to rest, could have done what they did by the oracle, and are the same again."""
        pending = {full_name(p) for p in self.state.of_kind("Pod") if waiting(p)}
        before = {full_name(p) for p in self.state.of_kind("Pod")}
        judge = Judge(self.state, pending, self.ours.plane.dir, self.counts)
        outcomes = self.both(lambda side: self.outcome(side, before, pending))
        left = []
        for side, outcome in zip(self.sides, outcomes):
            self.counts[f"placed by {side.name}"] += len(outcome.placed)
            self.counts[f"evicted by {side.name}"] += len(outcome.evicted)
            if not judge.explains(outcome):
                raise Difference(f"{side.name}: no order of decisions explains this: {judge.words(outcome)}")
            left.append(judge.left(outcome))
        if left[0] != left[1]:
            raise Difference(f"podium leaves {sorted(left[0])} pending that could be placed, kube-scheduler {sorted(left[1])}\n"
                             + "\n".join(judge.words(outcome) for outcome in outcomes))
        self.counts["pods that could be placed, that nothing woke in either"] += len(left[0])
        ours, theirs = outcomes
        if ours.same_as(theirs) and self.bindings(self.ours) == self.bindings(self.theirs):
            self.refresh()
        else:
            self.steer(ours, theirs, pending)
        self.compare()

    def outcome(self, side, before, pending):
        pods = side.settle()
        placed = {name: pods[name]["spec"]["nodeName"] for name in pending
                  if name in pods and pods[name]["spec"].get("nodeName")}
        claims, volumes = side.claims(), side.volumes()
        objects = {}
        for name in placed:
            for claim in Steps.claims_of(pods[name]):
                objects[name] = [claims[claim], volumes[claims[claim]["spec"]["volumeName"]]]
                self.counts[f"placed by {side.name} with a volume"] += 1
        return Outcome(placed, before - pods.keys(), objects)

    def bindings(self, side):
        return {name: claim["spec"].get("volumeName") for name, claim in side.claims().items()}

    # --- the clusters become the same again ---
    def steer(self, ours, theirs, pending):
        """Gives kube-scheduler's cluster what podium did, with nothing pending that could take the room meanwhile. Then all that
        is pending is made anew in both, since it was tried in states that differ."""
        self.counts["steps in which they did different things"] += 1
        for pod in self.theirs.pods().values():
            if waiting(pod):
                self.theirs.remove(pod)
        claims = self.bindings(self.ours), self.bindings(self.theirs)
        odd = {name for name in claims[0] if claims[0][name] != claims[1][name]}
        there, here = self.ours.pods(), self.theirs.pods()
        for name, pod in here.items():
            wanted = there.get(name)
            if not wanted or wanted["spec"].get("nodeName") != pod["spec"].get("nodeName") or Steps.claims_of(pod) & odd:
                self.theirs.remove(pod)
                self.wait_gone(self.theirs, name)
        if odd:
            self.theirs.remake_claims(self.ours.claims(), self.ours.volumes())
        here = self.theirs.pods()
        for name, pod in there.items():
            if name not in here and pod["spec"].get("nodeName"):
                self.theirs.plane.create(self.bare(pod))
                if "startTime" in pod["status"]:
                    self.theirs.patch(path_of(pod) + "/status", {"status": {"startTime": pod["status"]["startTime"]}})
        anew = {name: pod for name, pod in there.items() if waiting(pod)}
        for pod in anew.values():
            self.ours.remove(pod)
        for name in anew:
            self.wait_gone(self.ours, name)
        self.both(lambda side: side.settle())
        self.refresh()
        self.make(anew)

    def wait_gone(self, side, name):
        path = path_of({"metadata": dict(zip(("namespace", "name"), name.split("/")))})
        wait_until(lambda: side.plane.request("GET", path)[0] == 404, f"{name} is gone", PATIENCE, 0.01)

    def make(self, pods):
        """Makes these again, one after the other, and judges each."""
        for name in sorted(pods):
            self.counts["pending pods made anew"] += 1
            self.write(Write("POST", path_of(pods[name]).rpartition("/")[0], self.bare(pods[name], placed=False),
                             "application/json"))
            self.judge()

    def bare(self, pod, placed=True):
        fresh = bare(pod)
        if not placed:
            fresh["spec"].pop("nodeName", None)
        return fresh

    def renew(self):
        """Pods that have waited for long are made anew, before time wakes them."""
        names = {full_name(p) for p in self.state.of_kind("Pod") if waiting(p)}
        self.since = {name: self.since.get(name, time.monotonic()) for name in names}
        old = [name for name, when in self.since.items() if time.monotonic() - when > RENEWED_AFTER]
        for name in old:
            pod = self.state.objects["Pod", *name.split("/")]
            self.both(lambda side: side.remove(pod))
            self.state.remove(pod)
            del self.since[name]
            self.judge()
            self.make({name: pod})

    def refresh(self):
        """The state as podium's API server has it, when both are the same; then pods that have come to a node start there."""
        for key in [k for k in self.state.objects if k[0] in ("Pod", "PersistentVolume", "PersistentVolumeClaim")]:
            del self.state.objects[key]
        for objects in (self.ours.pods(), self.ours.claims(), self.ours.volumes()):
            for obj in objects.values():
                self.state.put(obj)
        for pod in sorted(self.state.of_kind("Pod"), key=full_name):
            if pod["spec"].get("nodeName") and "startTime" not in pod["status"]:
                self.started += 1
                when = (STARTED + datetime.timedelta(seconds=self.started)).isoformat() + "Z"
                self.write(merge_patch(path_of(pod) + "/status", {"status": {"startTime": when, "phase": "Running"}}))

    # --- messages ---
    def reasons(self):
        """Of the pods that are pending, on both sides: {full name: (reason, message, nominated node)}."""
        def of(side):
            out = {}
            for name, pod in side.pods().items():
                if not pod["spec"].get("nodeName"):
                    scheduled = podium.condition(pod, "PodScheduled") or {}
                    out[name] = (scheduled.get("reason"), scheduled.get("message"), pod["status"].get("nominatedNodeName"))
            return out
        return self.both(of)

    def differing(self):
        """{full name: the reasons of both}, of the pods where they are not the same."""
        ours, theirs = self.reasons()
        return {name: (ours.get(name), theirs.get(name)) for name in ours.keys() | theirs.keys()
                if ours.get(name) != theirs.get(name)}

    def compare(self):
        """Each pending pod is pending in both, for the same reasons; and the clusters are the same."""
        try:
            wait_until(lambda: not self.differing(), "", PATIENCE, 0.05)
        except TimeoutError:
            lines = [f"\n  {name}:\n    podium:         {ours}\n    kube-scheduler: {theirs}"
                     for name, (ours, theirs) in sorted(self.differing().items())]
            raise Difference("they are pending for different reasons:" + "".join(lines)) from None
        where = [{name: pod["spec"].get("nodeName") for name, pod in pods.items()} for pods in self.both(lambda s: s.pods())]
        if where[0] != where[1]:
            raise Difference(f"the clusters are not the same any more: {set(where[0].items()) ^ set(where[1].items())}")
        self.counts["reasons compared"] += sum(node is None for node in where[0].values())
