"""Feature gates that podium supports, compared with kube-scheduler with the same flags. The API server has the gates that need it."""
import json
import unittest

from e2e.support import podium
from e2e.support.control_plane import BIN, ControlPlane, Process, environment, free_ports, wait_until
from e2e.tests.base import node, pod
from e2e.tests.test_volumes import SELECTED_NODE, claim, storage_class, user_of


def rated(name, rating):
    return node(name, taints=[{"key": "example.com/failures", "value": rating, "effect": "NoSchedule"}])


def tolerant(name, operator, value, **spec):
    return pod(name, tolerations=[{"key": "example.com/failures", "operator": operator, "value": value, "effect": "NoSchedule"}],
               **spec)


def driver(name, **spec):
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": name}, "spec": spec}


def room(host, size):
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity", "metadata": {"name": f"on-{host}"},
            "storageClassName": "counted", "capacity": size,
            "nodeTopology": {"matchLabels": {"kubernetes.io/hostname": host}}}


def configuration(scheduler, **more):
    return json.dumps({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                       "leaderElection": {"leaderElect": False}, **more,
                       "profiles": [{"schedulerName": scheduler, "plugins": {"postFilter": {"disabled": [{"name": "*"}]}}}]})


class TwoSchedulers(unittest.TestCase):
    """podium and kube-scheduler with these gates and with the defaults, each for the pods with its schedulerName."""

    gates = api_gates = ""
    objects = ()

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane(api_flags=["--feature-gates", cls.api_gates]).start()
        cls.addClassCleanup(cls.plane.stop)
        podium.install(cls.plane)
        for each in cls.objects:
            cls.plane.create(each)
        for name, flags in (("with", ["--feature-gates", cls.gates]), ("without", [])):
            running = podium.Podium(cls.plane, configuration(f"podium-{name}"), f"podium-{name}", flags=flags).start()
            cls.addClassCleanup(running.stop)
            cls.start_upstream(f"upstream-{name}", flags)

    @classmethod
    def start_upstream(cls, name, flags):
        directory = cls.plane.dir / name
        directory.mkdir()
        config = directory / "config.json"
        connection = {"kubeconfig": str(cls.plane.write_kubeconfig(directory / "kubeconfig"))}
        config.write_text(configuration(name, clientConnection=connection))
        theirs = Process([BIN / "kube-scheduler", "--config", config, *flags, "--bind-address", "127.0.0.1",
                          "--secure-port", free_ports(1)[0], "--cert-dir", directory], directory / "log", env=environment())
        cls.addClassCleanup(theirs.stop)

    def outcome(self, name, waits_for=None):
        """Returns the pod's node, or the selected node of its claim, or its message."""
        def decided():
            live = self.plane.get(f"/api/v1/namespaces/default/pods/{name}")
            if waits_for:
                meta = self.plane.get(f"/api/v1/namespaces/default/persistentvolumeclaims/{waits_for}")["metadata"]
                if SELECTED_NODE in meta.get("annotations", {}):
                    return meta["annotations"][SELECTED_NODE]
            found = podium.condition(live, "PodScheduled") or {}
            if "persistentvolumeclaim" in found.get("message", "") and "not found" in found["message"]:
                return None  # the claim came with the pod, and is seen a little later
            return live["spec"].get("nodeName") or (found.get("reason") and found["message"].strip())
        return wait_until(decided, f"a decision about {name}")


WITH, WITHOUT = ("podium-with", "upstream-with"), ("podium-without", "upstream-without")


class ComparisonOperators(TwoSchedulers):
    gates = api_gates = "TaintTolerationComparisonOperators=true"
    objects = (rated("good", "2"), rated("fair", "20"), rated("unrated", "unknown"))

    def test_decisions(self):
        none = "0/3 nodes are available: 3 node(s) had untolerated taint(s)."
        cases = {"few": ("Lt", "10", "good"), "many": ("Gt", "10", "fair"), "negative": ("Lt", "-1", none)}
        for name, (operator, value, want) in cases.items():
            for scheduler in WITH + WITHOUT:
                with self.subTest(name, scheduler=scheduler):
                    self.plane.create(tolerant(f"{name}-{scheduler}", operator, value, schedulerName=scheduler))
                    self.assertEqual(self.outcome(f"{name}-{scheduler}"), want if scheduler in WITH else none)


class PodLevelResources(TwoSchedulers):
    gates = ("PodLevelResources=false,PodLevelResourcesFixDefaulting=false,PodLevelResourcesFixKubeletQOSClass=false,"
             "InPlacePodLevelResourcesVerticalScaling=false")
    objects = (node("small"), node("large"))

    def test_pod_level_requests_do_not_count(self):
        none = "0/2 nodes are available: 2 Insufficient cpu."
        for scheduler in WITH + WITHOUT:
            with self.subTest(scheduler):
                self.plane.create(pod(f"whole-{scheduler}", schedulerName=scheduler, resources={"requests": {"cpu": "100"}}))
                outcome = self.outcome(f"whole-{scheduler}")
                self.assertIn(outcome, (none,) if scheduler in WITHOUT else ("small", "large"))


class Storage(TwoSchedulers):
    gates = "StorageCapacityScoring=false,VolumeLimitScaling=false"
    objects = (node("small"), node("large"),
               driver("picky.example.com", preventPodSchedulingIfMissing=True), storage_class("picky", "picky.example.com"),
               driver("counting.example.com", storageCapacity=True), storage_class("counted", "counting.example.com"),
               room("small", "10Gi"), room("large", "100Gi"))

    def with_claim(self, scheduler, storage_class, size="1Gi"):
        name = f"{storage_class}-{scheduler}"
        self.plane.create(claim(name, storage_class, size))
        self.plane.create(user_of(name, name, schedulerName=scheduler))
        return self.outcome(name, name)

    def test_nodes_without_the_driver(self):
        none = "0/2 nodes are available: 2 picky.example.com CSI driver is not installed on the node."
        for scheduler in WITH + WITHOUT:
            with self.subTest(scheduler):
                self.assertIn(self.with_claim(scheduler, "picky"), (none,) if scheduler in WITHOUT else ("small", "large"))

    def test_the_node_with_the_most_room(self):
        for scheduler in WITHOUT:
            with self.subTest(scheduler):
                self.assertEqual(self.with_claim(scheduler, "counted", "5Gi"), "large")
