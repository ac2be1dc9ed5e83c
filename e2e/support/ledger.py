"""Judges the actions of schedulers while they run: no pod changes its node, and no node gets more than its capacity."""
import collections
import dataclasses
import http.client
import json
import ssl
import threading
import time

from .control_plane import ADMIN_TOKEN, BUSY, Service, wait_until
from .quantity import parse

RESOURCES = ("cpu", "memory", "pods")
OVER = ("Succeeded", "Failed")
WATCHED = 2  # seconds of one watch, so that stop() does not wait long
GONE = 410   # the API server no longer has the events after this version


@dataclasses.dataclass
class Entry:
    """A pod as the watch shows it."""
    namespace: str
    name: str
    seen_at: float           # time.monotonic() of its first event
    node: str = ""
    bound_at: float = 0.0
    gone: bool = False

    @property
    def waited(self):
        return self.bound_at - self.seen_at


def requests_of(pod):
    """Returns the requests of a pod of these tests: the sum of its containers. Such pods have no init containers and no overhead."""
    total = {"cpu": 0, "memory": 0, "pods": 1}
    for container in pod["spec"]["containers"]:
        for resource, amount in container.get("resources", {}).get("requests", {}).items():
            total[resource] = total.get(resource, 0) + parse(amount)
    return total


class Ledger(Service):
    """Watches all pods from when it starts. Reads a node's allocatable, which must not change, with its first pod. The events come in
    the order of etcd's revisions, so the sums are correct at every moment. Threads: one of its own; the
    methods from any."""

    def __init__(self, plane):
        self.plane = plane
        self.pods = {}      # by UID
        self.allocatable = {}
        self.findings = []  # descriptions of violations
        self.used = collections.defaultdict(collections.Counter)
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.thread = None

    def _start(self):
        listed = self.plane.get("/api/v1/pods")
        for pod in listed["items"]:
            self._take("ADDED", pod)
        self.version = listed["metadata"]["resourceVersion"]
        self.thread = threading.Thread(target=self._watch, name="ledger", daemon=True)
        self.thread.start()

    def stop(self):
        self.stopping.set()
        if self.thread:
            self.thread.join(2 * WATCHED)

    # --- its state ---
    def entries(self, namespace=None):
        with self.lock:
            return [dataclasses.replace(e) for e in self.pods.values() if namespace in (None, e.namespace)]

    def waiting(self, namespace=None):
        """Returns the names of the pods that exist and have no node."""
        return [e.name for e in self.entries(namespace) if not e.node and not e.gone]

    def bound(self, namespace=None):
        return [e for e in self.entries(namespace) if e.node]

    def settle(self, namespace, pods, seconds=180):
        """Waits until this number of pods was seen, and each has a node."""
        def settled():
            entries = self.entries(namespace)
            return len(entries) == pods and all(e.node for e in entries)
        try:
            wait_until(settled, "", seconds)
        except TimeoutError:
            entries = self.entries(namespace)
            left = [e.name for e in entries if not e.node]
            raise TimeoutError(f"{pods} pods of {namespace} are to be bound within {seconds} s: {len(entries)} were seen, "
                               f"{len(left)} have no node: {left[:10]}") from None

    # --- the watch ---
    def _watch(self):
        while not self.stopping.is_set():
            connection = http.client.HTTPSConnection("127.0.0.1", self.plane.api_port, timeout=60, context=ssl.create_default_context(
                cafile=self.plane.dir / "ca.crt"))
            try:
                connection.request("GET", f"/api/v1/pods?watch=true&timeoutSeconds={WATCHED}&resourceVersion={self.version}",
                                   headers={"Authorization": f"Bearer {ADMIN_TOKEN}"})
                self._read(connection.getresponse())
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)  # the API server is away
            finally:
                connection.close()

    def _read(self, reply):
        if reply.status in BUSY:
            time.sleep(0.5)  # it asks for it
            return
        if reply.status != 200:
            self._find(f"the watch is refused: {reply.status}: {reply.read()[:200]!r}")
            self.stopping.set()
        while not self.stopping.is_set():
            line = reply.readline()
            if not line:
                return
            event = json.loads(line)
            if event["type"] == "ERROR" and event["object"].get("code") != GONE:
                return  # the next watch continues where this one ends
            if event["type"] == "ERROR":
                self._find(f"the watch has a gap: {event['object'].get('message')}")
                self.stopping.set()
                return
            self.version = event["object"]["metadata"]["resourceVersion"]
            self._take(event["type"], event["object"])

    def _take(self, kind, pod):
        with self.lock:
            meta, node = pod["metadata"], pod["spec"].get("nodeName", "")
            entry = self.pods.get(meta["uid"])
            if entry is None:
                entry = self.pods[meta["uid"]] = Entry(meta["namespace"], meta["name"], time.monotonic())
            if entry.node and node != entry.node:
                self._find(f"{meta['name']} went from {entry.node} to {node or 'no node'}")
            if node and not entry.node and not entry.gone:
                entry.node, entry.bound_at = node, time.monotonic()
                self._add(node, requests_of(pod), entry)
            if not entry.gone and (kind == "DELETED" or pod.get("status", {}).get("phase") in OVER):
                entry.gone = True
                if entry.node:
                    self.used[entry.node].subtract(requests_of(pod))

    def _add(self, node, requests, entry):
        if node not in self.allocatable and not self._meet(node):
            self._find(f"{entry.name} is on {node}, which is no node")
            return
        self.used[node].update(requests)
        for resource in RESOURCES:
            has, given = self.allocatable[node][resource], self.used[node][resource]
            if given > has:
                self._find(f"{node} has {has} of {resource} and was given {given}, at last to {entry.name}")

    def _meet(self, name):
        """Reads the allocatable of a node. False if no node has this name."""
        status, node, _ = self.plane.patiently("GET", f"/api/v1/nodes/{name}")
        if status == 200:
            self.allocatable[name] = {r: parse(node["status"]["allocatable"][r]) for r in RESOURCES}
        return status == 200

    def _find(self, words):
        self.findings.append(words)
