"""Volume behaviour of podium and kube-scheduler that neither verdicts nor the oracle show. Each runs the same tests on its own API
server."""
import unittest

from e2e.support import oracle
from e2e.support.control_plane import wait_until
from e2e.tests.base import node, pod
from e2e.tests.test_volumes import SELECTED_NODE, WithStorage, claim, user_of, volume

CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"


class Alike:
    nodes = [node("n1"), node("n2"), node("n3", labels={"lonely": "yes"})]

    def priority(self, name, value):
        self.plane.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name},
                           "value": value})

    def noted(self, name, reason, words):
        """Waits for an event about the pod with this text."""
        wait_until(lambda: words in [e["note"] for e in self.events(name, reason)], f"{reason} of {name}: {words}")

    def give_up_on(self, name):
        self.selected(name)
        self.patch(f"{CLAIMS}/{name}", {"metadata": {"annotations": {SELECTED_NODE: None}}})

    def test_a_provisioner_that_gives_up(self):
        says = 'running PreBind plugin "VolumeBinding": binding volumes: '
        reported = claim("reported", "fast")
        reported["metadata"]["annotations"] = {"volume.kubernetes.io/storage-provisioner": "disks.example.com"}
        for made, words in ((reported, 'provisioning failed for PVC "reported"'),
                            (claim("bare", "fast"), 'selectedNode annotation reset for PVC "bare"')):
            name = made["metadata"]["name"]
            self.plane.create(made)
            self.plane.create(user_of(f"of-{name}", name))
            self.give_up_on(name)
            self.noted(f"of-{name}", "FailedScheduling", says + words)

    def test_a_victim_that_waits_for_its_volume(self):
        """The victim returns to the queue and is not deleted."""
        self.priority("low", 1)
        self.priority("high", 100)
        self.plane.create(claim("slow", "fast"))
        on_n3 = {"nodeSelector": {"lonely": "yes"}, "cpu": "3"}
        self.plane.create(user_of("victim", "slow", priorityClassName="low", **on_n3))
        self.assertEqual(self.selected("slow"), "n3")
        self.nominated("victim")
        uid = self.plane.create(pod("urgent", priorityClassName="high", **on_n3))["metadata"]["uid"]
        self.assertEqual(self.bound("urgent"), "n3")
        self.noted("victim", "Preempted", f"Preempted by pod {uid} on node n3 (in kube-scheduler memory).")
        self.noted("victim", "FailedScheduling", 'running PreBind plugin "VolumeBinding": preempted by DefaultPreemption')
        victim = self.live_pod("victim")
        self.assertNotIn("deletionTimestamp", victim["metadata"])
        self.assertNotIn("DisruptionTarget", [c["type"] for c in victim["status"]["conditions"]])

    def test_a_volume_of_a_node_by_its_name(self):
        """Only labels count: every node can reach the volume."""
        named = volume("named", "n1", size="5Gi")
        named["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"] = [
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]
        self.plane.create(named)
        self.patch("/api/v1/persistentvolumes/named/status", {"status": {"phase": "Available"}})
        self.plane.create(claim("any", size="5Gi"))
        self.plane.create(user_of("elsewhere", "any", nodeSelector={"kubernetes.io/hostname": "n2"}))
        self.promised("named")
        self.bind("any", "named")
        self.assertEqual(self.bound("elsewhere"), "n2")


class Podium(Alike, WithStorage):
    pass


class KubeScheduler(Alike, WithStorage):
    @classmethod
    def connect(cls):
        return Starting(cls.plane)


class Starting:
    def __init__(self, plane):
        self.plane = plane

    def start(self):
        return oracle.kube_scheduler(self.plane)


if __name__ == "__main__":
    unittest.main()
