"""A replay: applies steps to both clusters, waits until both schedulers have settled, and judges their decisions."""
import collections
import concurrent.futures
import datetime
import re
import time

from e2e.replay import devices_world, tolerated
from e2e.replay.chance import Chance
from e2e.replay.claims import allocation_of, lives, comparable_claims
from e2e.replay.judge import Judge, Outcome
from e2e.replay.side import Side, Unsettled, fails, waiting
from e2e.replay.steering import Steering
from e2e.replay.steps import Steps
from e2e.replay.world import beginning, claims_of
from e2e.replay.writes import delete, merge_patch
from e2e.support import oracle, podium
from e2e.support.control_plane import wait_until
from e2e.support.oracle import State, full_name, path_of

MESSAGE_PATIENCE = 10  # seconds, for messages that the oracle explains
PATIENCE = 120       # seconds for messages to be written
POLL = 0.02          # seconds; see Replay.compare
RENEWED_AFTER = 200  # seconds; both schedulers flush pods that have been pending for five minutes
BACKOFF = {"podInitialBackoffSeconds": 1, "podMaxBackoffSeconds": 1}  # the smallest valid values
STARTED = datetime.datetime(2020, 1, 1)
REFRESHED = ("Pod", "PersistentVolume", "PersistentVolumeClaim", "ResourceClaim")  # changed by schedulers, and on their behalf
# Errors that fail an attempt on one node, and on others with other words: kube-scheduler reports any one of them.
FATAL = [re.compile(pattern) for pattern in (
    r"claim \S+?: (claim \S+: )?(class \S+: )?selector #\d+: CEL runtime error: .+",
    r"class \S+: selector #\d+: CEL runtime error: .+",
    r"claim \S+, request \S+: asks for all devices, but resource pool \S+ is currently being updated",
    r"claim \S+, request \S+: asks for all devices, but resource pool \S+ is currently invalid",
    r"claim \S+, request \S+: cannot add device \S+ because a claim constraint would not be satisfied",
    r"claim \S+: number of requested devices \d+ exceeds the claim limit of 32")]


class Difference(Exception):
    """A scheduler made a wrong decision, or did not make a required one."""


class Replay(Steering):
    def __init__(self, seed, keep=False, with_devices=False):
        """keep: keeps the logs; kube-scheduler logs its queue (-v=5)."""
        self.with_devices = with_devices
        self.steps = Steps(seed, with_devices)
        self.counts = collections.Counter()
        self.chance = Chance()
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.ours, self.theirs = self.sides = list(self.pool.map(
            lambda name: Side(name, keep, self.first_objects(), self.counts, with_devices), ("podium", "kube-scheduler")))
        # Without the chart's own budget: both clusters have the same objects.
        podium.install(self.ours.plane, ["schedulerName=default-scheduler", "podium.reports.enabled=false",
                                         "podDisruptionBudget.enabled=false", *(f"configuration.{k}={v}" for k, v in BACKOFF.items())])
        self.ours.begin(podium.Podium(self.ours.plane).start())
        self.theirs.begin(oracle.kube_scheduler(self.theirs.plane, *(["-v=5"] if keep else []), percentageOfNodesToScore=100,
                                                **BACKOFF))
        self.state = State.of(self.ours.plane)
        self.since = {}    # pending pods: when they were last created
        self.started = 0   # pods with a start time
        self.refresh()

    def first_objects(self):
        yield from beginning()
        if self.with_devices:
            yield from devices_world.beginning()

    def stop(self):
        for side in self.sides:
            side.stop()
        self.pool.shutdown()

    def both(self, work):
        return list(self.pool.map(work, self.sides))

    # --- one step ---
    def step(self):
        """Applies one step to both clusters and returns its description. Raises Difference."""
        what, writes = self.steps.next(self.state)
        self.counts["step: " + self.kind(what)] += 1
        try:
            self.write(writes)
            self.judge()
            self.end_failing()
            self.renew()
        except (Difference, Unsettled, TimeoutError) as error:
            raise Difference(f"{what}: {error}") from error
        return what

    @staticmethod
    def kind(what):
        """The kind of a step: "has disk" for "general-02 has disk=ssd"."""
        words = what.split("=")[0].split(" ")[1:]
        return " ".join(words if words[0] in ("is", "has") else words[:1])

    def write(self, writes):
        """Applies these writes in order to both clusters."""
        made, _ = self.both(lambda side: [(write.gone(), write.on(side)) for write in writes])
        for gone, objects in made:
            for key in gone:
                self.state.objects.pop(key, None)
            for obj in objects:
                self.state.put(obj)

    def judge(self):
        """Waits until both have settled, lets the oracle judge their actions, and makes the clusters equal again."""
        pending = {full_name(p) for p in self.state.of_kind("Pod") if waiting(p)}
        before = {full_name(p) for p in self.state.of_kind("Pod")}
        judge = Judge(self.state, pending, self.ours.plane.dir, self.counts)
        outcomes = self.both(lambda side: self.outcome(side, before, pending))
        left, explained = [], []
        for side, outcome in zip(self.sides, outcomes):
            self.counts[f"placed by {side.name}"] += len(outcome.placed)
            self.counts[f"evicted by {side.name}"] += len(outcome.evicted)
            decisions = judge.explains(outcome)
            if decisions is None:
                raise Difference(f"{side.name}: no order of decisions explains this: {judge.describe(outcome)}")
            self.count_decisions(side, judge, outcome, decisions)
            explained.append(decisions)
            self.judge_errors(side, judge, outcome)
            left.append(judge.left(outcome))
        if left[0] != left[1]:
            raise Difference(f"podium leaves {sorted(left[0])} pending that could be placed, kube-scheduler {sorted(left[1])}\n"
                             + "\n".join(judge.describe(outcome) for outcome in outcomes))
        self.counts[tolerated.NOT_WOKEN] += len(left[0])
        same = outcomes[0].same_as(outcomes[1])
        parted = self.chance.part(judge, *zip(outcomes, explained))
        if same and not (self.with_devices and explained[0] and self.explained_by_other_moments()):
            self.refresh()
        else:
            self.counts[tolerated.OTHER_MOMENTS if same else f"{tolerated.DIFFERENT_STEPS} {parted}"] += 1
            for side, outcome, decisions in zip(self.sides, outcomes, explained):
                self.judge_messages(side, judge, outcome, decisions)
            self.steer()
        self.compare()

    def explained_by_other_moments(self):
        """Whether the messages stay different. A change of devices wakes many pods at the same time. The ends of their backoffs decide
        which is tried first, so one scheduler may try a pod before another is placed, and the other scheduler after that."""
        try:
            wait_until(lambda: self.same_standing(*self.standings()), "", MESSAGE_PATIENCE, POLL)
        except TimeoutError:
            return True
        return False

    def standings(self):
        return [{name: standing(pod) for name, pod in pods.items()} for pods in self.both(lambda side: side.pods())]

    def count_decisions(self, side, judge, outcome, decisions):
        self.counts[f"decisions of {side.name}"] += len(decisions)
        self.counts[tolerated.LATE.format(side.name)] += sum(bool(decision.late) for decision in decisions)
        for moment, name, way, _ in decisions:
            if way:
                self.counts[f"preemptions by {side.name}"] += 1
                self.counts[f"preemptions by {side.name}, otherwise without budgets"] += judge.budgets_mattered(outcome, moment,
                                                                                                              name)
                self.counts[f"preemptions by {side.name}, against a budget"] += way["pdbViolations"] > 0

    def judge_messages(self, side, judge, outcome, decisions):
        """Before steering: each pending pod's message must be the filters' at a moment of the step, or the pod's earlier one. Polls
        for MESSAGE_PATIENCE. Counts unexplained messages, which tolerated.py bounds: a pod may be tried between moments."""
        before = {full_name(pod): message_of(pod) for pod in self.state.of_kind("Pod")}

        def unexplained():
            return [name for name, pod in side.pods().items() if waiting(pod) and
                    message_of(pod) not in {before.get(name), *judge.messages(outcome, decisions, name)}]
        try:
            wait_until(lambda: not unexplained(), "", MESSAGE_PATIENCE, POLL)
        except TimeoutError:
            self.counts[tolerated.MESSAGES.format(side.name)] += len(unexplained())
        self.counts[f"messages of {side.name} judged in steered steps"] += sum(waiting(pod) for pod in side.pods().values())

    def outcome(self, side, before, pending):
        pods = side.settle()
        placed = {name: pods[name]["spec"]["nodeName"] for name in pending
                  if name in pods and pods[name]["spec"].get("nodeName")}
        claims, volumes = side.storage.claims(), side.storage.volumes()
        bound = {name: [claim, volumes[claim["spec"]["volumeName"]]] for name, claim in claims.items()
                 if claim["spec"].get("volumeName") and not self.known(claim)["spec"].get("volumeName")}
        self.counts[f"placed by {side.name} with a volume"] += sum(bool(claims_of(pods[name])) for name in placed)
        self.counts[f"placed by {side.name} with a volume bound for it"] += sum(bool(claims_of(pods[name]) & bound.keys())
                                                                              for name in placed)
        given, freed = self.devices_given_and_freed(side, pods) if self.with_devices else ({}, ())
        if self.with_devices:
            self.counts[f"claims that got devices from {side.name}"] += len(given)
            self.counts[f"claims that {side.name} deallocated"] += len(freed)
        return Outcome(placed, before - pods.keys(), bound, given, freed)

    def devices_given_and_freed(self, side, pods):
        """Returns {full name: claim} of claims that have devices now and had none, or others, before; and of claims that lost their
        devices. With the UIDs of the state's pods."""
        given, freed = {}, set()
        for name, claim in side.claims.all().items():
            known = self.known(claim)
            before, after = allocation_of(known), allocation_of(claim)
            if before and before != after:
                freed.add(name)
            if after and before != after:
                given[name] = {**known, "status": {**claim["status"], "reservedFor": [
                    self.known_user(claim, user, pods) for user in claim["status"].get("reservedFor", [])]}}
        return given, freed

    def known_user(self, claim, user, pods):
        full = f"{claim['metadata']['namespace']}/{user['name']}"
        pod = self.state.objects.get(("Pod", *full.split("/")))
        alive = lives(pods, claim["metadata"]["namespace"], user["name"], user["uid"])
        return {**user, "uid": pod["metadata"]["uid"] if pod and alive else "gone"}

    def judge_errors(self, side, judge, outcome):
        """Checks that the pods that fail again and again are those that fail in the oracle."""
        wrong = {full_name(pod) for pod in side.pods().values() if fails(pod)} - judge.errors(outcome).keys()
        if wrong:
            raise Difference(f"{side.name}: attempts fail, but should not: {sorted(wrong)}: {judge.describe(outcome)}")

    def end_failing(self):
        """Removes pods whose attempts fail: they would be tried again and again."""
        failing = [pod for pod in self.ours.pods().values() if fails(pod)]
        if failing:
            self.counts["pods that failed, taken away"] += len(failing)
            self.write([delete(path_of(pod), gracePeriodSeconds=0) for pod in failing])
            self.judge()

    def known(self, obj):
        """Returns the object before this step's decisions."""
        return self.state.objects[obj["kind"], obj["metadata"].get("namespace", ""), obj["metadata"]["name"]]

    def renew(self):
        """Recreates pods that have been pending for a long time, before the flush wakes them."""
        names = {full_name(p) for p in self.state.of_kind("Pod") if waiting(p)}
        self.since = {name: self.since.get(name, time.monotonic()) for name in names}
        old = [name for name, when in self.since.items() if time.monotonic() - when > RENEWED_AFTER]
        for name in old:
            pod = self.state.objects["Pod", *name.split("/")]
            self.both(lambda side: side.remove(pod))
            self.state.remove(pod)
            if self.with_devices:
                self.both(lambda side: side.claims.erase_made_for([name]))
                self.refresh()
            del self.since[name]
            self.judge()
            self.make({name: pod})

    def refresh(self):
        """Reads the state from podium's API server when both are equal; then newly placed pods start."""
        for key in [k for k in self.state.objects if k[0] in REFRESHED]:
            del self.state.objects[key]
        for objects in (self.ours.pods(), self.ours.storage.claims(), self.ours.storage.volumes(),
                        self.ours.claims.all() if self.with_devices else {}):
            for obj in objects.values():
                self.state.put(obj)
        for pod in sorted(self.state.of_kind("Pod"), key=full_name):
            if pod["spec"].get("nodeName") and "startTime" not in pod["status"]:
                self.started += 1
                when = (STARTED + datetime.timedelta(seconds=self.started)).isoformat() + "Z"
                self.write([merge_patch(path_of(pod) + "/status", {"status": {"startTime": when, "phase": "Running"}})])

    # --- messages ---
    def compare(self):
        """Each pending pod must be pending in both for the same reasons, and the clusters must be equal. Polls: the condition is
        written after the metrics count the pod as pending, and nothing announces the write."""
        found = []

        def same():
            found[:] = self.standings()
            return self.same_standing(*found)
        try:
            wait_until(same, "", PATIENCE, POLL)
        except TimeoutError:
            lines = [f"\n  {name}:\n    podium:         {found[0].get(name)}\n    kube-scheduler: {found[1].get(name)}"
                     for name in sorted(found[0].keys() | found[1].keys()) if found[0].get(name) != found[1].get(name)]
            raise Difference("pods differ in their node, reasons or nomination:" + "".join(lines)) from None
        self.counts["reasons compared"] += sum(isinstance(how, tuple) for how in found[0].values())
        if self.with_devices:
            self.counts[tolerated.OTHER_ERROR] += found[0] != found[1]
            self.compare_claims()

    @staticmethod
    def same_standing(ours, theirs):
        return ours.keys() == theirs.keys() and all(how == theirs[name] or both_fatal(how, theirs[name]) for name, how in ours.items())

    def compare_claims(self):
        """Polls, since the metrics do not count a scheduler's last write to a claim last."""
        found = []

        def same():
            found[:] = self.both(lambda side: comparable_claims(side.claims.all(), side.pods()))
            return found[0] == found[1]
        try:
            wait_until(same, "", PATIENCE, POLL)
        except TimeoutError:
            lines = [f"\n  {name}:\n    podium:         {found[0].get(name)}\n    kube-scheduler: {found[1].get(name)}"
                     for name in sorted(found[0].keys() | found[1].keys()) if found[0].get(name) != found[1].get(name)]
            raise Difference("claims differ:" + "".join(lines)) from None
        self.counts["claims compared"] += len(found[0])
        self.counts["claims with devices compared"] += sum(bool(claim["allocation"]) for claim in found[0].values())


def both_fatal(ours, theirs):
    """Whether both fail, each with the error of one of several nodes."""
    def is_fatal(how):
        if not isinstance(how, tuple) or how[0] != "SchedulerError":
            return False
        error = how[1].removeprefix('running "DynamicResources" filter plugin: ')
        return error != how[1] and any(each.fullmatch(error) for each in FATAL)
    return is_fatal(ours) and is_fatal(theirs)


def message_of(pod):
    """Returns the filters' part of the pod's message."""
    return oracle.filters_message((podium.condition(pod, "PodScheduled") or {}).get("message") or "")


def standing(pod):
    """Returns the pod's node, or why it has none: reason, message and nomination."""
    scheduled = podium.condition(pod, "PodScheduled") or {}
    why = scheduled.get("reason"), scheduled.get("message"), pod["status"].get("nominatedNodeName")
    return pod["spec"].get("nodeName") or why
