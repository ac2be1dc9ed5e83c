"""Large objects of every kind, by the fifty: podium lives within the chart's memory, restarts, and binds others' pods.

One object of each kind has a list of LARGEST bytes; the others have LARGE ones. What single lists cost at most: unit/cost.
"""
import concurrent.futures
import unittest

from e2e.support.control_plane import wait_until
from e2e.tests.base import Live, node, pod, what_if

COUNT, LARGE, LARGEST = 50, 20_000, 150_000
HOST = "kubernetes.io/hostname"


def filled(size, entry):
    """Entries from entry(i) on, of about so many bytes together."""
    return [entry(i) for i in range(size // len(str(entry(100_000))))]


def names(size):
    return filled(size, lambda i: f"k{i:06}")


def labels(size):
    return dict.fromkeys(names(size), "v")


def made(api_version, kind, name, more=None, **body):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **(more or {})}, **body}


def anti_affinity(size):
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": filled(
        size, lambda i: {"topologyKey": HOST, "labelSelector": {"matchLabels": {f"k{i:06}": "v"}}})}}


def tenant_pod(name, size, i):
    """A pod that nothing can place, or one that its author has placed."""
    out = pod(name, nodeSelector={"no": "node"}) if i % 2 else pod(name, nodeName="other")
    spec, container = out["spec"], out["spec"]["containers"][0]
    kinds = (
        lambda: out["metadata"].update(labels=labels(size)),
        lambda: spec.update(tolerations=filled(size, lambda k: {"key": f"k{k:06}", "operator": "Exists"})),
        lambda: spec.update(affinity=anti_affinity(size)),
        lambda: container["resources"].update(
            {each: {"cpu": "100m", **{f"e.c/{name}": "1" for name in names(size // 2)}} for each in ("requests", "limits")}),
        lambda: container.update(ports=filled(size, lambda k: {"containerPort": 1 + k, "hostPort": 1 + k})[:60_000]),
    )
    kinds[i // 2 % len(kinds)]()
    return out


def tenant_what_if(name, size, i):
    template = {"spec": {"containers": [{"name": "c", "image": "i"}], "nodeSelector": labels(min(size, 40_000))}}
    return what_if(name, template, fixes=i < 2, ttlSeconds=0 if i % 2 else 3600)


def driver(i):
    return {"name": f"k{i:06}.example.com", "nodeID": "n", "topologyKeys": ["k"], "allocatable": {"count": 5}}


KINDS = {
    "Pod": tenant_pod,
    "SchedulingReport": tenant_what_if,
    "Node": lambda name, size, i: node(name, labels=labels(size), unschedulable=True),
    "Namespace": lambda name, size, i: made("v1", "Namespace", name, {"labels": labels(size)}),
    "PodDisruptionBudget": lambda name, size, i: made(
        "policy/v1", "PodDisruptionBudget", name, spec={"minAvailable": 1, "selector": {"matchLabels": labels(size)}}),
    "StorageClass": lambda name, size, i: made(
        "storage.k8s.io/v1", "StorageClass", name, provisioner="example.com/p", volumeBindingMode="WaitForFirstConsumer",
        allowedTopologies=[{"matchLabelExpressions": [{"key": "k", "values": names(size)}]}]),
    "CSINode": lambda name, size, i: made("storage.k8s.io/v1", "CSINode", name, spec={"drivers": filled(size, driver)}),
    "PersistentVolumeClaim": lambda name, size, i: made(
        "v1", "PersistentVolumeClaim", name, spec={"accessModes": ["ReadWriteOnce"], "selector": {"matchLabels": labels(size)},
                                                   "resources": {"requests": {"storage": "1Gi"}}}),
}


class LargestObjects(Live):
    maxDiff = None
    nodes = [node("n1", cpu="8"), node("n2", cpu="8")]

    def create_all(self):
        """Returns what the API server has refused, by kind."""
        objects = [(kind, make(f"{kind.lower()}-{i}", LARGEST if i == 0 else LARGE, i))
                   for kind, make in KINDS.items() for i in range(COUNT)]

        def create(item):
            try:
                self.plane.create(item[1])
            except RuntimeError as error:
                return f"{item[0]}: {str(error)[:300]}"
            return None
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            return [problem for problem in pool.map(create, objects) if problem]

    def assert_binds(self, prefix):
        created = [self.plane.create(pod(f"{prefix}-{i}"))["metadata"]["name"] for i in range(10)]
        for name in created:
            self.bound(name)

    def test_lives_restarts_and_binds(self):
        self.assertEqual(self.create_all(), [])
        self.knows("nodes", COUNT + 2)
        self.assert_binds("while-they-are-there")
        for i in range(COUNT):
            wait_until(lambda: self.answer(f"schedulingreport-{i}"), f"an answer to what-if {i}")
        self.assert_has_stayed_within_the_charts_memory()
        self.assertEqual(self.podium.stop(), 0)
        self.podium.start()
        self.assert_binds("after-the-restart")
        self.knows("nodes", COUNT + 2)
        self.assert_has_stayed_within_the_charts_memory()


if __name__ == "__main__":
    unittest.main()
