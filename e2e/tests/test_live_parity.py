"""podium and kube-scheduler side by side, each on an API server of its own, with the same nodes and the same pods in the
same order. Both break ties by chance, so the two clusters drift apart. Therefore the oracle (kube-scheduler's framework, e2e/oracle)
judges each decision on the cluster in which it was made."""
import collections
import unittest

from e2e.demo import cluster
from e2e.support import oracle, podium
from e2e.support.control_plane import ControlPlane, wait_until
from e2e.support.oracle import State, filters_message, full_name, path_of

# How many of each of the demo's kinds of pods, by their label: 64 in all, in the demo's order.
WANTED = {"db": 6, "web": 10, "api": 8, "cache": 6, "job": 8, "agent": 4, "index": 5, "train": 6, "big": 3, "huge": 3,
          "h100": 3, "gated": 2}


def some_pods():
    made = collections.Counter()
    for pod in cluster.pods():
        app = pod["metadata"]["labels"]["app"]
        if made[app] < WANTED[app]:
            made[app] += 1
            yield pod


class LiveParity(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        oracle.build()
        cls.planes = {}
        for name in ("podium", "kube-scheduler"):
            plane = cls.planes[name] = ControlPlane().start()
            cls.addClassCleanup(plane.stop)
            for obj in [*cluster.others(), *cluster.nodes()]:
                plane.create(obj)
        podium.install(cls.planes["podium"], ["schedulerName=default-scheduler"])
        ours = podium.Podium(cls.planes["podium"]).start()
        cls.addClassCleanup(ours.stop)
        theirs = oracle.kube_scheduler(cls.planes["kube-scheduler"])
        cls.addClassCleanup(theirs.stop)

    def decision(self, plane, pod):
        """Returns the pod once it is bound or has a PodScheduled condition."""
        def decided():
            live = plane.get(path_of(pod))
            scheduled = podium.condition(live, "PodScheduled") or {}
            done = live["spec"].get("nodeName") or scheduled.get("reason") in ("Unschedulable", "SchedulingGated")
            return live if done else None
        return wait_until(decided, f"a decision about {path_of(pod)}", interval=0.02)

    def place(self, plane, pod):
        """Creates the pod, waits for the decision and judges it. True if the pod stays pending."""
        state = State.of(plane)
        created = plane.create(pod)
        live = self.decision(plane, pod)
        state.put(created)
        expected = oracle.evaluate(state, [full_name(created)], plane.dir)[full_name(created)]
        node = live["spec"].get("nodeName")
        if node:
            self.assertIn(node, expected["feasible"], expected["rejected"].get(node))
            self.assertIn(node, oracle.best_nodes(expected))
            return False
        self.assertEqual(expected.get("feasible") or [], [])
        scheduled = podium.condition(live, "PodScheduled")
        if scheduled["reason"] == "SchedulingGated":
            self.assertEqual(expected["preEnqueue"]["plugin"], "SchedulingGates")
        else:
            self.assertEqual(scheduled["message"], expected["message"])
        return True

    def test_every_decision_is_one_that_kube_scheduler_could_have_made(self):
        pending = {name: set() for name in self.planes}
        for pod in some_pods():
            for name, plane in self.planes.items():
                with self.subTest(scheduler=name, pod=path_of(pod)):
                    if self.place(plane, pod):
                        pending[name].add(path_of(pod))
        self.assertEqual(pending["podium"], pending["kube-scheduler"])
        self.assertEqual(len(pending["podium"]), WANTED["huge"] + WANTED["h100"] + WANTED["gated"])
        for name, plane in self.planes.items():
            left = [p for p in plane.get("/api/v1/pods")["items"] if not p["spec"].get("nodeName")]
            self.assertEqual({path_of(p) for p in left}, pending[name], name)


if __name__ == "__main__":
    unittest.main()
