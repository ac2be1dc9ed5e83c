"""What a what-if says about a rolling update is what then happens: a real Deployment controller makes the pods of the changed template."""
import json

from e2e.support import controllers
from e2e.support.control_plane import wait_until
from e2e.tests.base import Live, node, pod, what_if

PODS = "/api/v1/namespaces/default/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
APART = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
    {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}}]}}
# The CPUs of the old and the new pods, maxSurge and maxUnavailable, whether a node takes one pod, and the new pods that get a place.
CASES = {"surge-has-room": ("1", "1500m", 1, 0, False, 3),
         "surge-has-no-room": ("3", "3500m", 1, 0, False, 0),
         "one-is-deleted-first": ("3", "3500m", 0, 1, False, 3),
         "one-for-each-node": ("1", "1500m", 1, 0, True, 0),
         "one-for-each-node-and-one-is-deleted-first": ("1", "1500m", 0, 1, True, 3)}


def deployment(cpu, surge, unavailable, is_apart, replicas=3):
    spec = pod("web", cpu=cpu, **({"affinity": APART} if is_apart else {}))["spec"]
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}},
                     "strategy": {"rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}},
                     "template": {"metadata": {"labels": {"app": "web"}}, "spec": spec}}}


class Rollouts(Live):
    nodes = [node("n1"), node("n2"), node("n3")]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        controllers.build()
        cls.plane.kubectl("delete", "deployment", "--all", "-n", "podium-system")  # podium's own
        process = controllers.controllers(cls.plane, ("deployment", "replicaset", "statefulset", "garbage-collector"))
        cls.addClassCleanup(process.stop)

    def pods(self):
        return [each for each in self.plane.get(PODS)["items"] if not each["metadata"].get("deletionTimestamp")]

    def run_placed_pods(self):
        """Marks pods that have a node as running, as their kubelets would, so that the controller continues. True: all are."""
        idle = [each["metadata"]["name"] for each in self.pods() if each["spec"].get("nodeName") and each["status"]["phase"] == "Pending"]
        for name in idle:
            self.plane.mark_running("default", name, may_be_gone=True)
        return not idle

    def of_cpu(self, cpu):
        """The numbers of pods with this request that have a node, and that have none."""
        nodes = [each["spec"].get("nodeName") for each in self.pods()
                 if each["spec"]["containers"][0]["resources"]["requests"]["cpu"] == cpu]
        return sum(map(bool, nodes)), nodes.count(None)

    def settles(self, cpu, placed, waiting):
        def settled():
            counts = self.of_cpu(cpu)
            return self.run_placed_pods() and counts == (placed, waiting)
        wait_until(settled, f"{placed} pods with {cpu} CPUs have a node, {waiting} have none")

    def test_what_is_said_happens(self):
        for name, (old, new, surge, unavailable, is_apart, updated) in CASES.items():
            with self.subTest(name):
                self.plane.create(deployment(old, surge, unavailable, is_apart))
                self.settles(old, 3, 0)
                changed = deployment(new, surge, unavailable, is_apart)
                self.plane.create(what_if(name, changed))
                said = self.answer(name)
                self.assertEqual((said["outcome"], said["podsIgnored"]), ("Fits", 3))
                stuck = said.get("stuckRollout")
                self.assertEqual(stuck["updated"] if stuck else 3, updated)
                self.plane.request("PUT", f"{DEPLOYMENTS}/web", changed)
                self.settles(new, updated, 1 if stuck else 0)
                if stuck:
                    waits = next(each for each in self.pods() if not each["spec"].get("nodeName"))
                    reported = self.report(waits["metadata"]["name"], "Unschedulable")["status"]["message"]
                    self.assertEqual(stuck["firstFailure"]["message"], reported)
                self.plane.kubectl("delete", "deployment", "web", "-n", "default")
                wait_until(lambda: not self.plane.get(PODS)["items"], "the pods are gone")
                self.knows("pods", 0)

    def test_old_pods_stay_where_few_new_ones_fit(self):
        """Without the old pods, two of the new ones would fit, next to a pod that takes most of n3."""
        self.plane.create(pod("other", cpu="2", nodeName="n3"))
        self.plane.mark_running("default", "other")
        self.plane.create(deployment("2", 1, 0, False))
        self.settles("2", 4, 0)  # with the other pod
        changed = deployment("3", 1, 0, False)
        self.plane.create(what_if("few", changed))
        said = self.answer("few")
        self.assertEqual((said["outcome"], said["replicas"]["fitting"], said["stuckRollout"]["updated"]), ("PartlyFits", 2, 0))
        self.assertEqual(said["notes"], [
            "where it gets stuck, the update leaves 3 old pods, 0 new ones that run and 1 new one that waits."])
        self.plane.request("PUT", f"{DEPLOYMENTS}/web", changed)
        self.settles("3", 0, 1)
        self.assertEqual(self.of_cpu("2"), (4, 0))
        self.plane.kubectl("delete", "deployment", "web", "-n", "default")
        self.plane.kubectl("delete", "pod", "other", "-n", "default", "--force")
        wait_until(lambda: not self.plane.get(PODS)["items"], "the pods are gone")
        self.knows("pods", 0)

    def test_old_pods_are_added_first(self):
        """The file has more replicas and another template. A new pod would fit on the third node, but an old one takes it."""
        self.plane.create(deployment("2", 1, 0, False, replicas=2))
        self.settles("2", 2, 0)
        self.knows("pods", 2)
        changed = deployment("3", 1, 0, False, replicas=4)
        self.plane.create(what_if("scaled", changed))
        said = self.answer("scaled")
        self.assertEqual((said["outcome"], said["replicas"]["fitting"], said["stuckRollout"]["updated"]), ("PartlyFits", 3, 0))
        self.assertEqual(said["notes"], [
            "where it gets stuck, the update leaves 4 old pods, 0 new ones that run and 1 new one that waits."])
        self.plane.request("PUT", f"{DEPLOYMENTS}/web", changed)
        self.settles("3", 0, 1)
        self.assertEqual(self.of_cpu("2"), (4, 0))
        self.plane.kubectl("delete", "deployment", "web", "-n", "default")
        wait_until(lambda: not self.plane.get(PODS)["items"], "the pods are gone")
        self.knows("pods", 0)

    def test_old_pods_without_a_place_are_added_too(self):
        """The nodes have room for one of the three old pods that come first. The others wait, and are part of the surge."""
        self.plane.create(deployment("3", 1, 0, False, replicas=2))
        self.settles("3", 2, 0)
        self.knows("pods", 2)
        changed = deployment("3500m", 1, 0, False, replicas=5)
        self.plane.create(what_if("waits", changed))
        self.assertEqual(self.answer("waits")["notes"], [
            "where it gets stuck, the update leaves 5 old pods, 0 new ones that run and 1 new one that waits."])
        self.plane.request("PUT", f"{DEPLOYMENTS}/web", changed)
        self.settles("3500m", 0, 1)
        self.assertEqual(self.of_cpu("3"), (3, 2))
        self.plane.kubectl("delete", "deployment", "web", "-n", "default")
        wait_until(lambda: not self.plane.get(PODS)["items"], "the pods are gone")
        self.knows("pods", 0)

    def test_the_pods_go_in_the_order_of_the_controller(self):
        """Pods of one rollout are about as old, so their UIDs say which one goes first. Only the one on n1 leaves room for a new pod."""
        others = {"n1": "1900m", "n2": "2900m", "n3": "2900m"}
        for name, cpu in others.items():
            self.plane.create(pod(f"other-{name}", cpu=cpu, nodeName=name))
            self.plane.mark_running("default", f"other-{name}")
        for number in range(4):
            self.plane.create(deployment("1", 0, 1, True))
            wait_until(lambda: self.of_cpu("1") == (3, 0), "the old pods have nodes")
            for second, each in enumerate(each for each in self.pods() if not each["metadata"]["name"].startswith("other")):
                since = f"2026-01-01T00:00:0{second}Z"
                ready = {"type": "Ready", "status": "True", "lastTransitionTime": since}
                code, body = self.plane.request("PATCH", f"{PODS}/{each['metadata']['name']}/status",
                                                {"status": {"phase": "Running", "startTime": since, "conditions": [ready]}},
                                                content_type="application/strategic-merge-patch+json")
                self.assertEqual(code, 200, body)
            self.knows("pods", 6)
            changed = deployment("2", 0, 1, False)
            self.plane.create(what_if(f"order-{number}", changed))
            updated = self.answer(f"order-{number}")["stuckRollout"]["updated"]
            self.plane.request("PUT", f"{DEPLOYMENTS}/web", changed)
            self.settles("2", updated, 1)
            self.plane.kubectl("delete", "deployment", "web", "-n", "default")
            wait_until(lambda: len(self.pods()) == len(others), "the pods are gone")
            self.knows("pods", len(others))
        for name in others:
            self.plane.kubectl("delete", "pod", f"other-{name}", "-n", "default", "--force")
        wait_until(lambda: not self.plane.get(PODS)["items"], "the pods are gone")
        self.knows("pods", 0)

    def test_a_stateful_set_stops_at_the_pod_that_does_not_fit(self):
        def stateful_set(cpu):
            made = deployment(cpu, 1, 0, True)
            del made["spec"]["strategy"]
            return {**made, "kind": "StatefulSet", "spec": {**made["spec"], "serviceName": "web"}}

        self.plane.create(stateful_set("2"))
        self.settles("2", 3, 0)
        crowded = next(each["spec"]["nodeName"] for each in self.pods() if each["metadata"]["name"] == "web-1")
        self.plane.create(pod("other", cpu="1", nodeName=crowded))
        self.plane.mark_running("default", "other")
        self.knows("pods", 4)
        changed = stateful_set("3500m")
        self.plane.create(what_if("stops", changed))
        said = self.answer("stops")
        self.assertEqual((said["outcome"], said["stuckRollout"]["updated"]), ("PartlyFits", 1))
        self.assertEqual(said["stuckRollout"]["firstFailure"]["replica"], 2)
        self.assertIn("here web-1; where it gets stuck, the update leaves 1 old pod, 1 new one that runs and 1 new one that waits.",
                      said["notes"][0])
        self.plane.request("PUT", "/apis/apps/v1/namespaces/default/statefulsets/web", changed)
        self.settles("3500m", 1, 1)
        self.assertEqual(sorted(each["metadata"]["name"] for each in self.pods() if each["metadata"]["name"].startswith("web")),
                         ["web-0", "web-1", "web-2"])
        waits = next(each for each in self.pods() if not each["spec"].get("nodeName"))
        self.assertEqual(waits["metadata"]["name"], "web-1")
        self.plane.kubectl("delete", "statefulset", "web", "-n", "default")
        self.plane.kubectl("delete", "pod", "other", "-n", "default", "--force")
        wait_until(lambda: not self.plane.get(PODS)["items"], "the pods are gone")
        self.knows("pods", 0)

    def test_an_ordered_stateful_set_does_not_replace_a_pod_that_waits(self):
        def stateful_set(cpu):
            made = deployment(cpu, 1, 0, False)
            del made["spec"]["strategy"]
            return {**made, "kind": "StatefulSet", "spec": {**made["spec"], "serviceName": "web"}}

        self.plane.create(stateful_set("5"))
        waits = self.report("web-0", "Unschedulable")["spec"]["podRef"]["uid"]
        self.plane.create(what_if("mended", stateful_set("1")))
        said = self.answer("mended")
        self.assertEqual(said["outcome"], "Fits")
        self.assertIn("After the change, delete the pod web-0.", said["notes"][0])
        self.plane.kubectl("patch", "statefulset", "web", "-n", "default", "--type=json", "-p", json.dumps(
            [{"op": "replace", "path": "/spec/template/spec/containers/0/resources/requests/cpu", "value": "1"}]))
        path = "/apis/apps/v1/namespaces/default/statefulsets/web"

        def seen():
            made = self.plane.get(path)
            return made["status"].get("observedGeneration") == made["metadata"]["generation"]
        wait_until(seen, "the controller has seen the change")
        self.assertEqual([each["metadata"]["uid"] for each in self.pods()], [waits])
        self.plane.kubectl("delete", "pod", "web-0", "-n", "default")
        self.settles("1", 3, 0)
        self.plane.kubectl("delete", "statefulset", "web", "-n", "default")
        wait_until(lambda: not self.plane.get(PODS)["items"], "the pods are gone")
        self.knows("pods", 0)
