"""The two clusters of a replay: applies steps to both, waits until both schedulers have done what there was to do, judges."""
import collections
import concurrent.futures
import time

from e2e.demo import cluster
from e2e.replay.steps import Steps, some_nodes
from e2e.support import oracle, podium
from e2e.support.control_plane import ControlPlane, wait_until
from e2e.support.oracle import State, filters_message, full_name, path_of

PATIENCE = 30        # seconds for a scheduler to do what it has to
RENEWED_AFTER = 200  # seconds; kube-scheduler tries again what has been pending for five minutes, whatever happens
BACKOFF = {"podInitialBackoffSeconds": 1, "podMaxBackoffSeconds": 1}


class Difference(Exception):
    """A scheduler did what it must not, or not what it must."""


def gated(pod):
    return bool(pod["spec"].get("schedulingGates"))


class Side:
    """One scheduler's cluster."""

    def __init__(self, name, keep):
        self.name, self.plane = name, ControlPlane(keep=keep).start()
        for obj in [*cluster.others(), *some_nodes()]:
            self.plane.create(obj)

    def apply(self, write):
        status, body = self.plane.request(write.method, write.path, write.body, content_type=write.content_type)
        if status not in (200, 201):
            raise RuntimeError(f"{self.name}: {write.method} {write.path}: {status}: {body}")
        return body

    def pods(self):
        listed = self.plane.get("/api/v1/pods")
        return {full_name(p): {"apiVersion": "v1", "kind": "Pod", **p} for p in listed["items"]}

    def remove(self, pod):
        self.plane.request("DELETE", path_of(pod), {"gracePeriodSeconds": 0})

    def stop(self):
        self.scheduler.stop()
        self.plane.stop()


class Replay:
    def __init__(self, seed, keep=False):
        """keep: the logs stay, kube-scheduler's with the reasons of its queue."""
        self.steps = Steps(seed)
        self.counts = collections.Counter()
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.ours, self.theirs = self.sides = list(self.pool.map(lambda name: Side(name, keep),
                                                                       ("podium", "kube-scheduler")))
        podium.install(self.ours.plane, ["schedulerName=default-scheduler", "podium.reports.enabled=false",
                                         *(f"configuration.{k}={v}" for k, v in BACKOFF.items())])
        self.ours.scheduler = podium.Podium(self.ours.plane).start()
        self.theirs.scheduler = oracle.kube_scheduler(self.theirs.plane, *(["-v=5"] if keep else []),
                                                      percentageOfNodesToScore=100, **BACKOFF)
        self.state = State.of(self.ours.plane)
        self.since = {}        # pending pods: when they were made last
        self.verdicts = {}     # of this step: by placements

    def stop(self):
        for side in self.sides:
            side.stop()
        self.pool.shutdown()

    # --- one step ---
    def step(self):
        """Makes one step in both clusters; what it was, or Difference."""
        what, write = self.steps.next(self.state)
        self.counts[what.split(" ", 1)[1].split("=")[0].split(" ")[0]] += 1
        try:
            self.write(write)
            self.judge(of_a_node=write.path.startswith("/api/v1/nodes"))
        except (Difference, TimeoutError) as error:
            raise Difference(f"{what}: {error}") from error
        return what

    def write(self, write):
        self.verdicts = {}
        body, _ = self.pool.map(lambda side: side.apply(write), self.sides)
        if write.method != "DELETE":
            self.state.put(body)
        elif "/pods/" in write.path:
            namespace, _, name = write.path.split("/")[-3:]
            self.state.objects.pop(("Pod", namespace, name))
        else:
            self.state.objects.pop(("Node", "", write.path.split("/")[-1]))

    def judge(self, of_a_node):
        pending = {full_name(p) for p in self.state.of_kind("Pod") if not p["spec"].get("nodeName") and not gated(p)}
        ours, theirs = [self.placements(side, pending) for side in self.sides]
        for side, placed in zip(self.sides, (ours, theirs)):
            if not self.order_of(placed, pending, {}):
                self.not_best(side, placed, pending)
            self.counts[f"placed by {side.name}"] += len(placed)
        if ours != theirs:
            self.steer(ours, theirs, pending)
        for name in pending - ours.keys():
            self.since.setdefault(name, time.monotonic())
        self.refresh()
        if of_a_node:
            self.make_stale_anew()
        self.compare_messages()

    # --- placements ---
    def verdict(self, placed, pending):
        """The oracle's, on the state with these placements, of the pods that are pending then."""
        key = frozenset(placed.items())
        if key not in self.verdicts:
            self.counts["verdicts of the oracle"] += len(pending) - len(placed)
            self.verdicts[key] = oracle.evaluate(self.state.placed(placed), sorted(pending - placed.keys()),
                                                 self.ours.plane.dir)
        return self.verdicts[key]

    def placements(self, side, pending):
        """What this scheduler has placed of the pending pods, once nothing is left that fits."""
        placed, left = {}, set()

        def settled():
            nonlocal placed, left
            pods = side.pods()
            placed = {name: pods[name]["spec"]["nodeName"] for name in pending if pods[name]["spec"].get("nodeName")}
            left = {name for name, verdict in self.verdict(placed, pending).items() if verdict.get("feasible")}
            tried = all(podium.condition(pods[name], "PodScheduled") for name in pending - placed.keys())
            return not left and tried
        try:
            wait_until(settled, "", PATIENCE, 0.02)
        except TimeoutError:
            raise Difference(f"{side.name} leaves pods pending that fit: {sorted(left)}") from None
        return placed

    def order_of(self, placed, pending, before):
        """Is there an order in which each pod went to one of the best nodes of its moment?"""
        if len(before) == len(placed):
            return True
        verdicts = self.verdict(before, pending)
        return any(node in oracle.best_nodes(verdicts[name]) and self.order_of(placed, pending, {**before, name: node})
                   for name, node in placed.items() if name not in before and verdicts[name].get("feasible"))

    def not_best(self, side, placed, pending):
        words = (f"{side.name} placed {placed}: in no order were all among the best nodes; at first:"
                 + self.verdict_words(placed, pending))
        self.counts[f"steps of {side.name} that the oracle does not explain"] += 1
        # kube-scheduler is not what is tested. It has been seen to do so once in some hundred steps, unexplained as yet; more
        # would mean that the oracle is asked about the wrong state.
        if side is self.ours or self.counts[f"steps of {side.name} that the oracle does not explain"] > 5:
            raise Difference(words)
        print(f"not explained: {words}", flush=True)

    def verdict_words(self, placed, pending):
        """Of each pod that was placed: the scores of its node and of the best ones, or why it fits nowhere."""
        words = []
        for name, node in placed.items():
            verdict = self.verdict({}, pending)[name]
            words.append(f"\n  {name} on {node}: {verdict['rejected'].get(node) or ''} {verdict['message']}")
            for host in [node, *sorted(oracle.best_nodes(verdict) if verdict.get("feasible") else ())]:
                words.append(f"\n    {host}: {verdict['scores'].get(host)}")
        return "".join(words)

    def steer(self, ours, theirs, pending):
        """Gives kube-scheduler's cluster podium's placements, with nothing pending that could take the room meanwhile. Then
        all that is pending is made anew in both, since kube-scheduler may have tried it in between."""
        self.counts["steps in which they took different nodes"] += 1
        waiting = [p for p in self.theirs.pods().values() if not p["spec"].get("nodeName") and not gated(p)]
        for pod in waiting:
            self.theirs.remove(pod)
        moved = [name for name in pending if ours.get(name) != theirs.get(name)]
        for name in moved:
            if name in theirs:
                self.theirs.remove(self.state.objects["Pod", *name.split("/")])
        for name in moved:
            if name in ours:
                pod = self.bare(name)
                pod["spec"]["nodeName"] = ours[name]
                self.theirs.plane.create(pod)
        self.make_anew(sorted(pending - ours.keys()), removed_from=self.theirs)

    def bare(self, name):
        """The pod as it was created."""
        pod = self.state.objects["Pod", *name.split("/")]
        meta = {k: v for k, v in pod["metadata"].items() if k in ("name", "namespace", "labels")}
        spec = {k: v for k, v in pod["spec"].items() if k != "nodeName"}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}

    def make_anew(self, names, removed_from=None):
        for name in names:
            pod = self.bare(name)
            for side in self.sides:
                if side is not removed_from:
                    side.remove(pod)
        for name in names:
            for side in self.sides:
                side.plane.create(self.bare(name))
                self.decided(side, name)
            self.since[name] = time.monotonic()
            self.counts["pending pods made anew"] += 1

    def decided(self, side, name):
        """Waits for the verdict on a pod that fits nowhere."""
        path = path_of(self.state.objects["Pod", *name.split("/")])
        pod = wait_until(lambda: (p := side.plane.get(path)) and (podium.condition(p, "PodScheduled") or p["spec"].get("nodeName")) and p,
                         f"{side.name}: a decision about {name}", PATIENCE, 0.02)
        if pod["spec"].get("nodeName"):
            raise Difference(f"{side.name} placed {name}, which fits nowhere, on {pod['spec']['nodeName']}")

    # --- messages ---
    def refresh(self):
        """The state as podium's API server has it; pods that have waited for long are made anew."""
        for pod in self.ours.pods().values():
            self.state.put(pod)
        self.since = {name: when for name, when in self.since.items() if ("Pod", *name.split("/")) in self.state.objects
                      and not self.state.objects["Pod", *name.split("/")]["spec"].get("nodeName")}
        old = [name for name, when in self.since.items() if time.monotonic() - when > RENEWED_AFTER]
        if old:
            self.make_anew(old)
            for pod in self.ours.pods().values():
                self.state.put(pod)

    def make_stale_anew(self):
        """Whether what happens to a node lets kube-scheduler try a pod again is not only a matter of its hints: it asks first
        whether the pod would be admitted there (preCheckForNode), and so that this loses nothing, tries pods on any change of
        taints (buildQueueingHintMap). podium does neither. So a message may be older on one side; then it is made anew."""
        try:
            wait_until(lambda: not self.differing(), "", 2, 0.05)
        except TimeoutError:
            names = sorted(self.differing())
            self.counts["pods of which one side had an older message, after a node changed"] += len(names)
            self.make_anew(names)

    def reasons(self):
        """Of the pods that are pending, on both sides: {full name: (reason, message)}."""
        def of(side):
            out = {}
            for name, pod in side.pods().items():
                if not pod["spec"].get("nodeName"):
                    scheduled = podium.condition(pod, "PodScheduled") or {}
                    out[name] = (scheduled.get("reason"), filters_message(scheduled.get("message", "")))
            return out
        return list(self.pool.map(of, self.sides))

    def differing(self):
        """{full name: the reasons of both}, of the pods where they are not the same."""
        ours, theirs = self.reasons()
        return {name: (ours.get(name), theirs.get(name)) for name in ours.keys() | theirs.keys()
                if ours.get(name) != theirs.get(name)}

    def compare_messages(self):
        """Each pending pod is pending in both, for the same reasons; and the clusters are the same."""
        try:
            wait_until(lambda: not self.differing(), "", PATIENCE, 0.05)
        except TimeoutError:
            lines = [f"\n  {name}:\n    podium:         {ours}\n    kube-scheduler: {theirs}"
                     for name, (ours, theirs) in sorted(self.differing().items())]
            raise Difference("they are pending for different reasons:" + "".join(lines)) from None
        where = [{name: pod["spec"].get("nodeName") for name, pod in side.pods().items()} for side in self.sides]
        if where[0] != where[1]:
            raise Difference(f"the clusters are not the same any more: {set(where[0].items()) ^ set(where[1].items())}")
        self.counts["reasons compared"] += sum(node is None for node in where[0].values())
