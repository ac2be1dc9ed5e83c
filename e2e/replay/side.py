"""One of a replay's two clusters: its API server, its scheduler, and the harness as its kubelets."""
import collections
import json

from e2e.replay.claims import DEALLOCATED, Claims, done, lacks_claims
from e2e.replay.storage import Storage
from e2e.replay.world import claims_of
from e2e.replay.writes import events_of, merge_patch, post
from e2e.support import podium
from e2e.support.connections import Connections
from e2e.support.control_plane import ADMIN_TOKEN, ControlPlane, collection, wait_until
from e2e.support.oracle import full_name, path_of

PATIENCE = 180  # seconds for a scheduler to settle
POLL = 0.02    # seconds; see Side.settle
# The metrics that are read, and the label that distinguishes their samples.
EVENTS, QUEUES, VICTIMS, ATTEMPTS = ("scheduler_event_handling_duration_seconds_count", "scheduler_pending_pods",
                                     "scheduler_preemption_victims_sum", "scheduler_schedule_attempts_total")
LABELS = {EVENTS: 'event="', QUEUES: 'queue="', VICTIMS: 'queue="', ATTEMPTS: 'result="'}


class Unsettled(Exception):
    """A scheduler did not settle."""


def uid_of(deleted):
    """Returns the UID in a DELETE's reply, which is the object or a Status; None if the object did not exist."""
    return deleted["metadata"].get("uid") or deleted.get("details", {}).get("uid")


def gated(pod):
    return bool(pod["spec"].get("schedulingGates"))


def waiting(pod):
    return not pod["spec"].get("nodeName") and not gated(pod)


def tried(pod):
    scheduled = podium.condition(pod, "PodScheduled")
    return scheduled and scheduled.get("reason") != "SchedulingGated" and DEALLOCATED not in scheduled.get("message", "")


def fails(pod):
    """Whether its last attempt failed with an error, so that it is tried again and again."""
    return not pod["spec"].get("nodeName") and (podium.condition(pod, "PodScheduled") or {}).get("reason") == "SchedulerError"


class Side:
    def __init__(self, name, keep, objects, counts=None, with_devices=False):
        """objects: the initial cluster."""
        self.claims = Claims(self)
        self.with_devices = with_devices
        self.name, self.plane = name, ControlPlane(keep=keep).start()
        self.api = Connections(self.plane.api_port, self.plane._tls, ADMIN_TOKEN)
        self.expected = collections.Counter()  # events that the scheduler must have handled
        self.known = set()                     # UIDs of pods
        self.placed = set()                    # UIDs of pods with a node
        self.deleted = set()                   # UIDs of objects that the replay deleted
        self.evicted = 0                       # pods that were removed in another way
        self.storage = Storage(self, collections.Counter() if counts is None else counts)
        for obj in objects:
            self.ask("POST", collection(obj), obj)
            if obj["kind"] == "PriorityClass":
                self.plane.await_priority_class(obj["metadata"]["name"])

    def begin(self, scheduler):
        """Takes a started scheduler and waits for its metrics and first events."""
        self.scheduler, self.metrics_server = scheduler, Connections(scheduler.port, token=ADMIN_TOKEN)
        wait_until(self.serves, f"{self.name} serves its metrics")
        self.expect(*["NodeAdd"] * len(self.get("/api/v1/nodes")["items"]))
        self.settle()

    def serves(self):
        """Whether the scheduler serves its metrics; nothing announces that it listens."""
        try:
            return self.metrics_server.request("GET", "/metrics")[0] == 200
        except OSError:
            return False

    def stop(self):
        self.scheduler.stop()
        self.plane.stop()

    # --- writes ---
    def ask(self, method, path, body=None, content_type="application/json", fine=(200, 201)):
        status, text = self.api.request(method, path, body, content_type)
        if status not in fine:
            raise RuntimeError(f"{self.name}: {method} {path}: {status}: {text.decode(errors='replace')}")
        return json.loads(text)

    def apply(self, write, fine=(200, 201)):
        """Returns the object; None if the answer is an accepted status but not a success."""
        body = self.ask(*write, fine=fine)
        if body["kind"] == "Status" and body["status"] == "Failure":
            return None
        self.expect(*events_of(write, body))
        if write.method == "DELETE":
            self.deleted.add(uid_of(body))
        elif write.method == "POST" and body["kind"] == "Pod":
            self.known.add(body["metadata"]["uid"])
        return body

    def expect(self, *events):
        """Adds events that the scheduler must handle."""
        self.expected.update(events)

    def patch(self, path, body):
        return self.apply(merge_patch(path, body))

    def create(self, obj, path):
        return self.apply(post(obj, path))

    def remove(self, pod):
        """Deletes a pod by name: `pod` may be the other cluster's, with another UID."""
        self.deleted.add(uid_of(self.force_delete(pod)))

    def force_delete(self, pod):
        return self.ask("DELETE", path_of(pod), {"gracePeriodSeconds": 0}, fine=(200, 404))

    # --- reads ---
    def get(self, path):
        return self.ask("GET", path)

    def find(self, path):
        """Returns None if it does not exist."""
        status, text = self.api.request("GET", path)
        if status not in (200, 404):
            raise RuntimeError(f"{self.name}: GET {path}: {status}: {text.decode(errors='replace')}")
        return json.loads(text) if status == 200 else None

    def listed(self, path, kind):
        return [{"apiVersion": "v1", "kind": kind, **item} for item in self.get(path)["items"]]

    def pods(self):
        """{full name: pod}."""
        return {full_name(pod): pod for pod in self.listed("/api/v1/pods", "Pod")}

    # --- settling ---
    def metrics(self):
        """{metric: {label value: sum of samples}}."""
        found = {metric: collections.Counter() for metric in LABELS}
        for line in self.metrics_text().splitlines():
            name = line.partition(" ")[0].partition("{")[0]
            if name in found:
                labels, _, value = line.rpartition(" ")
                label = labels.partition(LABELS[name])[2].partition('"')[0]
                found[name][label] += int(float(value))
        return found

    def metrics_text(self):
        """Retries on a new connection, since schedulers close idle ones."""
        for attempt in (1, 2):
            try:
                return self.metrics_server.request("GET", "/metrics")[1].decode()
            except OSError as error:
                process = getattr(self.scheduler, "process", self.scheduler)
                if not process.alive():
                    raise Unsettled(f"{self.name} {process.how_it_ended()}:\n{process.tail()}") from error
                if attempt == 2:
                    raise
        return ""

    def missing_events(self, metrics):
        """Returns {label: (expected, handled)} of events that the scheduler has not handled yet."""
        seen = metrics[EVENTS]
        return {label: (count, seen[label]) for label, count in self.expected.items() if seen[label] < count}

    def pause(self):
        """Waits until the scheduler has handled all writes and has tried the pods that they woke. Each kind has its own watch, so the
        next write could overtake them."""
        def quiet():
            metrics = self.metrics()
            return not (self.missing_events(metrics) or metrics[QUEUES]["active"] or metrics[QUEUES]["backoff"])
        wait_until(quiet, f"{self.name} has tried what was woken", PATIENCE, POLL)

    def settle(self):
        """Waits until the scheduler has handled all events and has nothing to try: every pod without a node waits in its queue for
        an event, or fails again and again, and has done so since everything else is at rest. In the meantime it plays kubelet (ends
        victims in their grace period), volume controller and provisioner. Returns the pods.

        Polls, since only kube-scheduler's metrics show which events it has handled and the contents of its queues."""
        why, failing = "", (frozenset(), 0)  # pods that fail, and the number of failed attempts that shows that all were tried again

        def at_rest():
            nonlocal why, failing
            pods = self.pods()
            claims = self.claims.all() if self.with_devices else {}
            pending = [p for p in pods.values() if not p["spec"].get("nodeName")]
            if any(claims_of(pod) for pod in pending):
                self.storage.run_controllers()
            for pod in pods.values():
                if pod["metadata"].get("deletionTimestamp"):
                    self.force_delete(pod)
            self.count_moves(pods)
            metrics = self.metrics()
            seen, queued, late = metrics[EVENTS], metrics[QUEUES], self.missing_events(metrics)
            untried = [full_name(p) for p in pending if not (gated(p) or tried(p) or lacks_claims(p, claims))]
            victims = metrics[VICTIMS][""] - self.evicted
            failed = frozenset(full_name(p) for p in pending if fails(p) and not lacks_claims(p, claims))
            # A failing pod is in a queue to be tried, or is being tried.
            resting, restless = queued["unschedulable"] + queued["gated"], queued["active"] + queued["backoff"]
            if not (late or untried or victims or restless > len(failed)) and resting + restless == len(pending):
                attempts = metrics[ATTEMPTS]["error"]
                if failed != failing[0]:
                    failing = failed, attempts + 2 * len(failed)
                if attempts >= failing[1] and self.claims.mark(claims):
                    self.expected |= collections.Counter({label: seen[label] for label in self.expected})
                    return [pods]
            elif late or untried:
                failing = frozenset(), 0
            why = (f"events expected and seen: {late}, pods of the queue: {dict(queued)}, untried: {untried}, "
                   f"pending: {sorted(map(full_name, pending))}, victims less those that have gone: {victims}")
            return None
        try:
            [pods] = wait_until(at_rest, "", PATIENCE, POLL)
        except TimeoutError:
            raise Unsettled(f"{self.name} does not settle: {why}") from None
        return pods

    def count_moves(self, pods):
        """Expects an event for each pod that got a node, left its node, or is done."""
        placed = {p["metadata"]["uid"] for p in pods.values() if p["spec"].get("nodeName") and not done(p)}
        self.expect(*["AssignedPodAdd"] * len(placed - self.placed), *["AssignedPodDelete"] * len(self.placed - placed))
        self.placed = placed
        now = {p["metadata"]["uid"] for p in pods.values()}
        self.evicted += len(self.known - now - self.deleted)
        self.known = now
