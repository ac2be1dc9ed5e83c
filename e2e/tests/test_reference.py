"""Cases in which kube-scheduler depends on history. The oracle does not: it judges one state. The replay (e2e/replay) relies on this.
podium does not depend on history and decides as the oracle does."""
import unittest

from e2e.demo import cluster
from e2e.replay.side import Side
from e2e.support import oracle, podium
from e2e.support.oracle import State

IMAGE = [("big:v1", 1000 << 20)]


def pod(name, on=None):
    where = {"nodeSelector": {"kubernetes.io/hostname": on}} if on else {}
    return cluster.pod("default", name, "x", "1", "1Gi", "big:v1", **where)


class Memory(unittest.TestCase):
    nodes = ()

    def setUp(self):
        oracle.build()
        self.sides = []
        for name in ("podium", "kube-scheduler"):
            side = Side(name, False, self.nodes)
            self.addCleanup(side.plane.stop)
            if name == "podium":
                podium.install(side.plane, ["schedulerName=default-scheduler", "podium.reports.enabled=false"])
                ours = podium.Podium(side.plane).start()
                self.addCleanup(ours.stop)
                side.begin(ours)
            else:
                theirs = oracle.kube_scheduler(side.plane, percentageOfNodesToScore=100)
                self.addCleanup(theirs.stop)
                side.begin(theirs)
            self.sides.append(side)
        self.ours, self.theirs = self.sides

    def place(self, side, made):
        side.create(made, "/api/v1/namespaces/default/pods")
        return side.settle()[f"default/{made['metadata']['name']}"]["spec"].get("nodeName")

    def best(self, side, made):
        state = State.of(side.plane)
        state.put(made)
        name = f"default/{made['metadata']['name']}"
        return oracle.best_nodes(oracle.evaluate(state, [name], side.plane.dir)[name])


class ImageCounts(Memory):
    """The count of an image's nodes is as old as the last change of each node that has the image."""
    nodes = (cluster.node("a", "z", "8", "32Gi", images=IMAGE), cluster.node("n0", "z", "4", "16Gi"))

    def test_kube_scheduler_counts_a_node_s_images_when_that_node_changes(self):
        for side in self.sides:
            self.assertEqual(self.place(side, pod("first", on="n0")), "n0")
            for i in range(20):
                side.create(cluster.node(f"b{i}", "z", "4", "16Gi", images=IMAGE), "/api/v1/nodes")
            side.settle()
            self.assertEqual(self.best(side, pod("second")), {"a"})
        self.assertEqual(self.place(self.ours, pod("second")), "a")
        self.assertIn(self.place(self.theirs, pod("second")), {f"b{i}" for i in range(20)})
        self.theirs.patch("/api/v1/nodes/a/status", {"status": {"allocatable": {"replay.example.com/changes": "1"}}})
        self.theirs.settle()
        self.assertEqual(self.best(self.theirs, pod("third")), {"a"})
        self.assertEqual(self.place(self.theirs, pod("third")), "a")


if __name__ == "__main__":
    unittest.main()
