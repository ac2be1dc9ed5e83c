"""Helpers for the steps of steps.py: helm and kubectl, podium's pods, the leader, pods under load."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import urllib.error
import urllib.request

from e2e.node import image
from e2e.support.control_plane import BIN, environment, wait_until
from e2e.support.ledger import Ledger
from e2e.support.processes import Process
from e2e.support.stream import Stream

RELEASE, NAMESPACE, SCHEDULER = "podium", "podium-system", "podium"
# The names of the imported images.
SANDBOX, APP, PODIUM, KUBECTL = (f"localhost/{name}:e2e" for name in ("sandbox", "app", "podium", "kubectl"))
STAND_IN = "stand-in"  # a node without a kubelet: pods of a load are bound to it and never run
PER_SECOND = 20


class Failed(Exception):
    """A step did not see the required result."""


def expect(true, words):
    if not true:
        raise Failed(words)


class World:
    def __init__(self, cluster, node, chart, values, archive):
        self.cluster, self.node, self.chart, self.values, self.archive = cluster, node, chart, values, archive
        self.values_file = cluster.dir / "values.json"  # JSON is YAML
        self.loads = 0

    # --- helm and kubectl ---
    def helm(self, *args, check=True):
        argv = [BIN / "helm", "--kubeconfig", self.cluster.kubeconfig, "-n", NAMESPACE, *args]
        done = subprocess.run(argv, capture_output=True, text=True, env=environment())
        if check and done.returncode:
            raise Failed(f"helm {' '.join(map(str, args))}: {done.stderr.strip()}")
        return done.stdout

    def install_or_upgrade(self, verb, changes=None):
        self.values_file.write_text(json.dumps({**self.values, **(changes or {})}))
        return self.helm(verb, RELEASE, self.chart, "-f", self.values_file, "--wait", "--timeout", "300s",
                         *(["--create-namespace"] if verb == "install" else []))

    def kubectl(self, *args, stdin=None, check=True):
        return self.cluster.kubectl(*args, stdin=stdin, check=check)

    def drain(self, node, *flags):
        """A running `kubectl drain`. It retries evictions that a disruption budget refuses, until it is stopped."""
        return Process([BIN / "kubectl", "--kubeconfig", self.cluster.kubeconfig, "drain", node, *flags],
                       self.cluster.dir / "drain.log", env=environment())

    def get(self, path):
        return self.cluster.get(path)

    # --- podium's pods ---
    def podiums(self):
        """Returns podium's pods that are not terminating."""
        selected = "labelSelector=app.kubernetes.io/name=podium"
        pods = self.get(f"/api/v1/namespaces/{NAMESPACE}/pods?{selected}")["items"]
        return [p for p in pods if not p["metadata"].get("deletionTimestamp")]

    def are_ready(self, number):
        def ready():
            pods = self.podiums()
            return len(pods) == number and all(is_ready(p) for p in pods)
        wait_until(ready, f"{number} pods of podium are ready", 300)

    def leader(self):
        """The pod of podium that schedules, once there is one. A podium schedules until it ends."""
        leads = lambda pod: "scheduling started" in self.node.log_of(pod)
        return wait_until(lambda: next(filter(leads, self.podiums()), None), "a leader", 180)

    def configuration(self):
        """The configuration in the cluster."""
        return self.get(f"/api/v1/namespaces/{NAMESPACE}/configmaps/{RELEASE}")["data"]["config.yaml"]

    # --- users and the plugin ---
    @contextlib.contextmanager
    def user(self, name):
        """Returns the kubeconfig of a ServiceAccount with the roles view and edit in its namespace, which may forward ports to podium."""
        account = f"--serviceaccount=default:{name}"
        self.kubectl("create", "serviceaccount", name)
        for role in ("view", "edit"):
            self.kubectl("create", "rolebinding", f"{name}-{role}", f"--clusterrole={role}", account)
        self.kubectl("-n", NAMESPACE, "create", "role", f"{name}-sees", "--verb=get,list", "--resource=services,pods")
        self.kubectl("-n", NAMESPACE, "create", "role", f"{name}-forwards", "--verb=create", "--resource=pods/portforward")
        for does in ("sees", "forwards"):
            self.kubectl("-n", NAMESPACE, "create", "rolebinding", f"{name}-{does}", f"--role={name}-{does}", account)
        token = self.kubectl("create", "token", name).strip()
        asks = ("auth", "can-i", "list", "schedulingreports.podium.dev", "-n", "default", f"--as=system:serviceaccount:default:{name}")
        wait_until(lambda: self.kubectl(*asks, check=False).stdout.strip() == "yes", f"{name} has the rights of view")
        yield self.cluster.write_kubeconfig(self.cluster.dir / f"{name}.kubeconfig", token=token)
        self.kubectl("delete", f"serviceaccount/{name}", f"rolebinding/{name}-view", f"rolebinding/{name}-edit")
        self.kubectl("-n", NAMESPACE, "delete", *(f"{kind}/{name}-{does}" for kind in ("role", "rolebinding")
                                                  for does in ("sees", "forwards")))

    def plugin(self, kubeconfig, *args):
        """Runs `kubectl podium` with the program from podium's image. A context manager."""
        programs = self.cluster.dir / "programs"
        if not programs.exists():
            image.unpack(self.archive, programs)
            (programs / "kubectl-podium").symlink_to(programs / "usr/local/bin/podium")
        return Plugin(self.cluster.dir, programs, kubeconfig, args)

    def forwards(self):
        """Command lines of the port-forwards that run."""
        lines = (path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
                 for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"))
        return [line for line in lines if "port-forward" in line]

    # --- other pods ---
    def app(self, name, scheduler, replicas, namespace="default"):
        """Creates a Deployment of pods that sleep, and waits until they run."""
        labels = {"app": name}
        spec = {"containers": [{"name": "main", "image": APP, "imagePullPolicy": "IfNotPresent",
                                "resources": {"requests": {"cpu": "10m", "memory": "8Mi"}}}],
                "schedulerName": scheduler, "terminationGracePeriodSeconds": 1}
        self.cluster.create({"apiVersion": "apps/v1", "kind": "Deployment",
                             "metadata": {"name": name, "namespace": namespace},
                             "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                                      "template": {"metadata": {"labels": labels}, "spec": spec}}})
        self.kubectl("-n", namespace, "rollout", "status", f"deployment/{name}", "--timeout=300s")
        return self.get(f"/api/v1/namespaces/{namespace}/pods?labelSelector=app={name}")["items"]

    def load(self):
        """Pods for podium, one after the other, until finish(). A context manager."""
        self.loads += 1
        return Load(self, f"load-{self.loads}")

    def add_stand_in(self):
        amount = {"cpu": "64", "memory": "64Gi", "pods": "5000"}
        self.cluster.create({"apiVersion": "v1", "kind": "Node",
                             "metadata": {"name": STAND_IN, "labels": {"role": STAND_IN}},
                             "spec": {"taints": [{"key": STAND_IN, "effect": "NoSchedule"}]},
                             "status": {"capacity": amount, "allocatable": amount}})


class Plugin:
    """A running `kubectl podium` that prints the address of its page."""

    def __init__(self, directory, programs, kubeconfig, args):
        env = environment(KUBECONFIG=str(kubeconfig), PATH=f"{programs}:{BIN}:{os.environ['PATH']}")
        self.process = Process([BIN / "kubectl", "podium", *args], directory / "plugin.log", env=env)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stop()

    def address(self):
        def printed():
            found = re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/ui/", self.process.log.read_text())
            if not found and not self.process.alive():
                raise Failed(self.process.tail())
            return found and found[0]
        return wait_until(printed, "the page's address")

    @staticmethod
    def get(url):
        """(status, text)"""
        try:
            with urllib.request.urlopen(url, timeout=60) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def interrupt(self):
        """Ctrl-C. Returns the exit code."""
        self.process.signal(signal.SIGINT)
        return self.process.wait()


class Load:
    """A stream of pods that podium binds to the stand-in, judged by a ledger."""

    def __init__(self, world, namespace):
        self.world, self.namespace = world, namespace

    def __enter__(self):
        self.world.kubectl("create", "namespace", self.namespace)
        account = f"/api/v1/namespaces/{self.namespace}/serviceaccounts/default"
        wait_until(lambda: self.world.cluster.request("GET", account)[0] == 200, "the namespace's account")
        self.ledger = Ledger(self.world.cluster).start()
        self.stream = Stream(self.world.cluster, self.pods(), PER_SECOND).start()
        self.bound(PER_SECOND)
        return self

    def pods(self):
        number = 0
        while True:
            number += 1
            yield {"apiVersion": "v1", "kind": "Pod",
                   "metadata": {"name": f"p{number}", "namespace": self.namespace},
                   "spec": {"schedulerName": SCHEDULER, "nodeSelector": {"role": STAND_IN},
                            "tolerations": [{"operator": "Exists"}], "terminationGracePeriodSeconds": 0,
                            "automountServiceAccountToken": False, "containers": [
                                {"name": "main", "image": APP, "resources": {"requests": {"cpu": "1m"}}}]}}

    def bound(self, pods):
        """Waits until this number of further pods is bound."""
        bound = lambda: len(self.ledger.bound(self.namespace))
        before = bound()
        wait_until(lambda: bound() >= before + pods, f"{pods} more pods are bound", 180)

    def finish(self):
        """Ends the stream; all its pods must be bound. Returns a description of the result."""
        self.bound(PER_SECOND)  # by the current leader
        self.stream.stop()
        self.stream.finish()
        self.ledger.settle(self.namespace, self.stream.created)
        expect(not self.ledger.findings, "; ".join(self.ledger.findings[:3]))
        waits = [e.waited for e in self.ledger.entries(self.namespace)]
        return f"{len(waits)} pods, each bound; the longest waited {max(waits):.1f} s"

    def __exit__(self, *_):
        self.stream.stop()
        self.ledger.stop()
        # No kubelet ends the stand-in's pods.
        self.world.cluster.request("DELETE", f"/api/v1/namespaces/{self.namespace}/pods?gracePeriodSeconds=0")
        self.world.kubectl("delete", "namespace", self.namespace, "--wait=false")


def is_ready(obj):
    """Whether a pod or a node is ready."""
    conditions = obj.get("status", {}).get("conditions", [])
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
