"""Groups of pods (PodGroup of scheduling.k8s.io) in the questions, on a real API server: served, and not served."""
import json
import unittest

from e2e.support.control_plane import ADMIN_TOKEN
from e2e.tests.base import node, pod, what_if
from e2e.tests.kubectl_plugin import Plugin
from e2e.tests.test_http_api import api_call

SHAPES = [{"name": "s", "allocatable": {"cpu": 4, "memory": "8Gi"}, "max": 2}]


def group(name, minimum):
    return {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": name, "namespace": "default"},
            "spec": {"schedulingPolicy": {"gang": {"minCount": minimum}}}}


def member(group_name, number, native):
    if native:
        return pod(f"{group_name}-{number}", cpu="3", schedulingGroup={"podGroupName": group_name})
    return pod(f"{group_name}-{number}", cpu="3", labels={"scheduling.x-k8s.io/pod-group": group_name})


class Groups(Plugin):
    nodes = [node("full", cpu="1")]
    native = True

    def search(self):
        """Returns the answer of the API, by CR and over HTTPS, once all of the pods wait."""
        spec = {"search": {"forPending": {"shapes": SHAPES}}}
        self.plane.create(what_if("which", **spec))
        by_report = self.answer("which")
        self.plane.kubectl("delete", "schedulingreports.podium.dev", "which")
        asked = {**what_if("asked", **spec), "metadata": {"name": "asked"}}
        code, _, answer = api_call(self.podium.port, "/v1/namespaces/default/whatif/report", ADMIN_TOKEN, asked)
        self.assertEqual(code, 200, answer)
        for field in ("outcome", "nodesWanted", "replicas", "notModelled"):
            self.assertEqual(by_report.get(field), answer["status"].get(field), field)
        return by_report


class PodGroups(Groups):
    plane_options = {"api_flags": ["--feature-gates=GenericWorkload=true", "--runtime-config=scheduling.k8s.io/v1beta1=true"]}

    def test_the_minimum_counts(self):
        self.plane.create(group("train", 2))
        self.plane.create(group("large", 3))
        # The first group in the queue takes the room: that is "large" also if a second begins between two pods.
        for name in ("large", "train"):
            for number in range(3):
                self.plane.create(member(name, number, True))
        for name in ("train-2", "large-2"):
            self.report(name, "Unschedulable")
        found = self.search()
        self.assertEqual(found["replicas"], {"asked": 6, "fitting": 2}, found)
        self.assertEqual([(a["shape"], a["nodes"], a["workloads"][0]["name"]) for a in found["nodesWanted"]["added"]],
                         [("s", 2, "train-0")])
        self.assertNotIn("minimums of groups without a PodGroup: all of their pods count", found.get("notModelled", []))
        reasons = {each["reason"].split(";")[0] for each in found["nodesWanted"]["unplaced"]}
        self.assertIn("group large: 2 of 3 fit", reasons)
        shapes = self.plane.dir / "shapes.json"
        shapes.write_text(json.dumps({"shapes": SHAPES}))
        self.assertIn("group large: 2 of 3 fit", self.ask("nodes", "--for-pending", "--shapes", shapes, code=3))
        # A what-if about pods of a group says whether as many fit as the group needs.
        template = {"spec": {"schedulingGroup": {"podGroupName": "large"}, "containers": [
            {"name": "main", "image": "app", "resources": {"requests": {"cpu": "100m"}}}]}}
        self.plane.create(what_if("more", template, replicas=4))
        self.assertEqual(self.answer("more")["group"], {"minCount": 3, "fits": True})


class WithoutPodGroups(Groups):
    """The API server does not serve the kind."""

    def test_all_pods_of_a_group_count(self):
        for number in range(3):
            self.plane.create(member("train", number, False))
        self.report("train-2", "Unschedulable")
        found = self.search()
        self.assertEqual(found["replicas"], {"asked": 3, "fitting": 0})
        self.assertEqual(found["notModelled"], ["minimums of groups without a PodGroup: all of their pods count"])
        self.assertNotIn("PodGroup", self.podium.log())
        self.ready()


if __name__ == "__main__":
    unittest.main()
