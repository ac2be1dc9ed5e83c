"""A feature gate that podium honours, on an API server that has it too, beside kube-scheduler with the same flag."""
import json
import unittest

from e2e.support import podium
from e2e.support.control_plane import BIN, ControlPlane, Process, environment, free_ports, wait_until
from e2e.tests.base import node, pod

GATES = "TaintTolerationComparisonOperators=true"


def rated(name, rating):
    return node(name, taints=[{"key": "example.com/failures", "value": rating, "effect": "NoSchedule"}])


def tolerant(name, operator, value, **spec):
    return pod(name, tolerations=[{"key": "example.com/failures", "operator": operator, "value": value, "effect": "NoSchedule"}],
               **spec)


def configuration(scheduler, **more):
    return json.dumps({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                       "leaderElection": {"leaderElect": False}, **more,
                       "profiles": [{"schedulerName": scheduler, "plugins": {"postFilter": {"disabled": [{"name": "*"}]}}}]})


class ComparisonOperators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane(api_flags=["--feature-gates", GATES]).start()
        cls.addClassCleanup(cls.plane.stop)
        podium.install(cls.plane)
        for each in (rated("good", "2"), rated("fair", "20"), rated("unrated", "unknown")):
            cls.plane.create(each)
        for name, flags in (("with", ["--feature-gates", GATES]), ("without", [])):
            running = podium.Podium(cls.plane, configuration(f"podium-{name}"), f"podium-{name}", flags=flags).start()
            cls.addClassCleanup(running.stop)
        directory = cls.plane.dir / "kube-scheduler"
        directory.mkdir()
        config = directory / "config.json"
        connection = {"kubeconfig": str(cls.plane.write_kubeconfig(directory / "kubeconfig"))}
        config.write_text(configuration("upstream", clientConnection=connection))
        theirs = Process([BIN / "kube-scheduler", "--config", config, "--feature-gates", GATES, "--bind-address", "127.0.0.1",
                          "--secure-port", free_ports(1)[0], "--cert-dir", directory], directory / "log", env=environment())
        cls.addClassCleanup(theirs.stop)

    def outcome(self, name):
        def decided():
            live = self.plane.get(f"/api/v1/namespaces/default/pods/{name}")
            found = podium.condition(live, "PodScheduled") or {}
            return live["spec"].get("nodeName") or (found.get("reason") and found["message"].strip())
        return wait_until(decided, f"a decision about {name}")

    def test_decisions(self):
        none = "0/3 nodes are available: 3 node(s) had untolerated taint(s)."
        cases = {"few": ("Lt", "10", "good"), "many": ("Gt", "10", "fair"), "negative": ("Lt", "-1", none)}
        for name, (operator, value, want) in cases.items():
            for scheduler, wanted in (("podium-with", want), ("upstream", want), ("podium-without", none)):
                with self.subTest(name, scheduler=scheduler):
                    self.plane.create(tolerant(f"{name}-{scheduler}", operator, value, schedulerName=scheduler))
                    self.assertEqual(self.outcome(f"{name}-{scheduler}"), wanted)
