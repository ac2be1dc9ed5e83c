"""A score plugin that fails on a pod: podium compared with kube-scheduler, each on an API server of its own."""
import unittest

from e2e.support import oracle, podium
from e2e.support.control_plane import ControlPlane, wait_until
from e2e.tests.base import node, pod, what_if

TERM = {"weight": 1, "preference": {"matchExpressions": [{"key": "example.com/cores", "operator": "Gt", "values": ["few"]}]}}
AFFINITY = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [TERM]}}


def run_scenario(plane):
    """Returns the outcome for a pod with an unparsable preferred term: with several nodes, and with one node left."""
    def get(name):
        return plane.get(f"/api/v1/namespaces/default/pods/{name}")

    def event():
        listed = plane.get("/apis/events.k8s.io/v1/namespaces/default/events")["items"]
        return next((e["note"] for e in listed if e["regarding"].get("name") == "chooses" and e["reason"] == "FailedScheduling"), None)
    for name in ("n1", "n2"):
        plane.create(node(name))
    # On the node that was created last: a scheduler that places it there has seen both.
    plane.create(pod("one-node", affinity=AFFINITY, nodeSelector={"kubernetes.io/hostname": "n2"}))
    wait_until(lambda: get("one-node")["spec"].get("nodeName"), "one-node is bound")
    plane.create(pod("chooses", affinity=AFFINITY))
    condition = wait_until(lambda: podium.condition(get("chooses"), "PodScheduled"), "chooses has failed")
    return {"one-node": get("one-node")["spec"]["nodeName"], "event": wait_until(event, "the event"),
            "condition": (condition["status"], condition["reason"], condition["message"]),
            "chooses": get("chooses")["spec"].get("nodeName")}


class PluginErrors(unittest.TestCase):
    maxDiff = None

    def test_a_preferred_term_that_cannot_be_parsed(self):
        with ControlPlane() as plane:
            kube_scheduler = oracle.kube_scheduler(plane)
            try:
                theirs = run_scenario(plane)
            finally:
                kube_scheduler.stop()
        with ControlPlane() as plane:
            podium.install(plane, ["schedulerName=default-scheduler"])
            with podium.Podium(plane):
                self.assertEqual(run_scenario(plane), theirs)
                self.assertEqual(theirs["condition"][:2], ("False", "SchedulerError"))
                failed = self.status(plane, "chooses", "Failed")
                self.assertEqual(failed["message"], theirs["condition"][2])
                self.assertNotIn("strategies", self.status(plane, "one-node", "Scheduled"))
                plane.create(what_if("ask", {"spec": pod("ask", affinity=AFFINITY)["spec"]}))
                self.assertEqual(self.status(plane, "ask", "DoesNotFit")["message"], theirs["condition"][2])

    def status(self, plane, name, outcome):
        """Returns the report's status once it has this outcome."""
        def there():
            status = (podium.report_of(plane, "default", name) or {}).get("status", {})
            return status if status.get("outcome") == outcome else None
        return wait_until(there, f"report of {name}: {outcome}")


if __name__ == "__main__":
    unittest.main()
