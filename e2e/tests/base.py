"""Base of the live tests: a control plane and a podium for each class, and builders of objects."""
import unittest

from e2e.support import podium
from e2e.support.control_plane import ROOT, ControlPlane, wait_until
from e2e.support.usage import peak_mib

REPORTS = "/apis/podium.dev/v1alpha1/namespaces/default/schedulingreports"


def node(name, cpu="4", memory="8Gi", labels=None, **spec):
    amount = {"cpu": cpu, "memory": memory, "pods": "110"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}}, "spec": spec,
            "status": {"capacity": amount, "allocatable": amount}}


def pod(name, cpu="100m", memory="64Mi", labels=None, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "labels": labels or {}},
            "spec": {"terminationGracePeriodSeconds": 0, **spec, "containers": [
                {"name": "main", "image": "app:v1", "resources": {"requests": {"cpu": cpu, "memory": memory}}}]}}


def what_if(name, template=None, **spec):
    return {"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"dryRun": True, **({"template": template} if template else {}), **spec}}


class Live(unittest.TestCase):
    """Each class has its own control plane and podium, installed from the chart."""

    values = ["schedulerName=default-scheduler"]
    nodes = ()
    plane_options = {}  # of its ControlPlane

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane(**cls.plane_options).start()
        cls.addClassCleanup(cls.plane.stop)
        podium.install(cls.plane, cls.values)
        for n in cls.nodes:
            cls.plane.create(n)
        cls.podium = cls.connect().start()
        cls.addClassCleanup(lambda: cls.podium.stop())

    @classmethod
    def connect(cls):
        """Returns a podium that is not started yet."""
        return podium.Podium(cls.plane)

    def live_pod(self, name):
        return self.plane.get(f"/api/v1/namespaces/default/pods/{name}")

    def bound(self, name):
        """Returns the node of the pod, once it is bound."""
        return wait_until(lambda: self.live_pod(name)["spec"].get("nodeName"), f"{name} bound")

    def report(self, name, outcome, words=""):
        """Returns the pod's report once it has this outcome, and these words in its message."""
        def there():
            found = podium.report_of(self.plane, "default", name)
            status = (found or {}).get("status", {})
            return found if status.get("outcome") == outcome and words in status.get("message", "") else None
        return wait_until(there, f"report of {name}: {outcome} {words}")

    def answer(self, name):
        """Returns the status of a what-if, once podium has written it."""
        return podium.status_of(self.plane, "default", name)

    def ready(self):
        """Waits until podium reports that it is ready. After a stall of the machine it may report that it is not."""
        wait_until(lambda: self.podium.get("/readyz") == (200, "ok"), "podium ready")

    def assert_has_stayed_within_the_charts_memory(self):
        factor = 1 if podium.PROGRAM == ROOT / "build/release/podium" else 8  # a sanitizer's program takes more
        self.assertLess(peak_mib(self.podium.process.pid), factor * 512)

    def knows(self, kind, number):
        """Waits until podium's cache has this number of nodes or pods: a deletion reaches it a little after the API server."""
        size = f'scheduler_cache_size{{type="{kind}"}}'
        wait_until(lambda: self.podium.metric(size) == number, f"podium knows of {number} {kind}")

    def events(self, name, reason):
        """Returns the events about an object. kube-apiserver writes events of its own, which may not name an object."""
        listed = self.plane.get("/apis/events.k8s.io/v1/namespaces/default/events")["items"]
        return [e for e in listed if e["regarding"].get("name") == name and e["reason"] == reason]
