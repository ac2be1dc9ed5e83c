"""A user with kube-controller-manager and the manifests of Kubernetes' example driver for devices.

The driver's slices are written as it would publish them. podium binds its demos' pods, allocates each device once, names the devices in
reports, and counts in what-ifs how many more pods with a device fit.
"""
import collections
import json
import unittest

from e2e.support import controllers, example_driver, podium
from e2e.support.control_plane import wait_until
from e2e.tests.base import Live, node, what_if

DEMOS = {  # the pods of each, and how many devices their claims take
    "basic-resourceclaimtemplate": 2, "basic-multiple-requests": 2, "basic-shared-claim-across-containers": 1,
    "basic-shared-claim-across-pods": 1, "basic-resourceclaim-opaque-config": 2, "cel-selector": 1, "initcontainer-shared-gpu": 1}
GPUS = 6  # of each node
WITH_A_GPU = {"spec": {"containers": [{"name": "c", "image": "app:v1", "resources": {"claims": [{"name": "gpu"}]}}],
                       "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "single-gpu"}]}}
NAMESPACE = "basic-resourceclaimtemplate"  # has the template "single-gpu"


class WithTheDriver(Live):
    nodes = [node("n1"), node("n2")]

    @classmethod
    def publish(cls):
        return [each for name in ("n1", "n2") for each in example_driver.slices(name, GPUS)]

    @classmethod
    def setUpClass(cls):
        controllers.build()
        super().setUpClass()
        podium.apply(cls.plane, example_driver.device_class())
        for each in cls.publish():
            cls.plane.create(each)
        running = controllers.controllers(cls.plane, ("resourceclaim", "serviceaccount"))
        cls.addClassCleanup(running.stop)

    def apply(self, demo):
        podium.apply(self.plane, example_driver.demo(demo))

    def pods(self, namespace):
        return self.plane.get(f"/api/v1/namespaces/{namespace}/pods")["items"]

    def await_bound(self, namespace):
        def are_bound():
            pods = self.pods(namespace)
            return pods if pods and all(each["spec"].get("nodeName") for each in pods) else None
        return wait_until(are_bound, f"the pods of {namespace} are bound")

    def results(self, namespace):
        """Returns {claim: its devices} of a namespace."""
        listed = self.plane.get(f"/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims")["items"]
        return {each["metadata"]["name"]: each.get("status", {}).get("allocation", {}).get("devices", {}).get("results", [])
                for each in listed}

    def claims_of(self, pod):
        made = {each["name"]: each["resourceClaimName"] for each in pod["status"].get("resourceClaimStatuses", [])}
        return [each.get("resourceClaimName") or made[each["name"]] for each in pod["spec"]["resourceClaims"]]

    def status_of_report(self, namespace, name, outcome):
        def there():
            status = (podium.report_of(self.plane, namespace, name) or {}).get("status", {})
            return status if status.get("outcome") == outcome else None
        return wait_until(there, f"report of {namespace}/{name}: {outcome}")

    def check_report(self, namespace, pod):
        """Checks that the report names the devices of the pod's claims, in order."""
        results = self.results(namespace)
        want = [{"claimName": name, "request": one["request"], "driver": one["driver"], "pool": one["pool"], "device": one["device"],
                 **({"adminAccess": True} if one.get("adminAccess") else {})}
                for name in self.claims_of(pod) for one in results[name]]
        status = self.status_of_report(namespace, pod["metadata"]["name"], "Scheduled")
        self.assertEqual(status["devices"], want)
        self.assertEqual(status["devicesTotal"], len(want))
        return want

    def ask(self, namespace, name, **spec):
        asked = what_if(name, WITH_A_GPU, **spec)
        asked["metadata"]["namespace"] = namespace
        self.plane.create(asked)
        return podium.status_of(self.plane, namespace, name)


class Demos(WithTheDriver):
    def test_pods_reports_and_questions(self):
        given = collections.Counter()
        for demo in DEMOS:
            self.apply(demo)
        for demo, devices in DEMOS.items():
            with self.subTest(demo):
                pods = self.await_bound(demo)
                for pod in pods:
                    self.check_report(demo, pod)
                results = [one for each in self.results(demo).values() for one in each]
                self.assertEqual(len(results), devices)
                given.update((one["pool"], one["device"]) for one in results)
                self.assertEqual({one["pool"] for one in results}, {pod["spec"]["nodeName"] for pod in pods})
        self.assertEqual(set(given.values()), {1}, given)
        self.check_admin_access()
        free = 2 * GPUS - sum(DEMOS.values())
        self.check_how_many_more(free)
        self.check_nothing_left(free)

    def check_admin_access(self):
        """Checks that admin access gets all devices of a node, in addition to the pods that use them."""
        self.apply("admin-access")
        (pod,) = self.await_bound("admin-access")
        devices = self.check_report("admin-access", pod)
        self.assertEqual([each["device"] for each in devices], [f"gpu-{i}" for i in range(GPUS)])
        self.assertTrue(all(each["adminAccess"] for each in devices))

    def check_how_many_more(self, free):
        """Asks how many more pods with one GPU each fit."""
        answer = self.ask(NAMESPACE, "how-many", room=True)
        self.assertEqual(answer["outcome"], "Fits")
        self.assertEqual(answer["room"]["count"], free - 1, "beside the one that was asked for")
        self.assertEqual(answer["devices"][0]["request"], "gpu")
        (why,) = answer["room"]["firstFailure"]["rejections"]
        self.assertEqual(why["code"], "InsufficientDevices")
        (counts,) = why["devices"]
        self.assertEqual({key: counts[key] for key in ("matched", "inUse", "tainted", "tooSmall")},
                         {"matched": 2 * GPUS, "inUse": 2 * GPUS, "tainted": 0, "tooSmall": 0})
        answer = self.ask(NAMESPACE, "too-many", replicas=free + 2)
        self.assertEqual((answer["outcome"], answer["replicas"]), ("PartlyFits", {"asked": free + 2, "fitting": free}))

    def check_nothing_left(self, free):
        """Checks that the answer comes true."""
        for i in range(free + 1):
            self.plane.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"more-{i}", "namespace": NAMESPACE}, **WITH_A_GPU})
        def left():
            waiting = [pod for pod in self.pods(NAMESPACE) if not pod["spec"].get("nodeName")]
            return waiting if len(waiting) == 1 else None
        (pod,) = wait_until(left, "all devices are given")
        name = pod["metadata"]["name"]
        status = self.status_of_report(NAMESPACE, name, "Unschedulable")
        # Read again: the pod may have been listed before its claim was made.
        (pod,) = [one for one in self.pods(NAMESPACE) if one["metadata"]["name"] == name]
        (why,) = status["rejections"]
        (counts,) = why["devices"]
        self.assertEqual((counts["claimName"], counts["request"]), (self.claims_of(pod)[0], "gpu"))
        self.assertEqual((counts["matched"], counts["inUse"]), (2 * GPUS, 2 * GPUS))


class Partitions(WithTheDriver):
    @classmethod
    def publish(cls):
        return example_driver.partitioned_slices("n1", 1, 4)

    def test_a_gpu_is_given_whole_or_in_parts(self):
        self.apply("partitionable-devices")
        (pod,) = self.await_bound("partitionable-devices")
        devices = [each["device"] for each in self.check_report("partitionable-devices", pod)]
        self.assertEqual(devices, ["gpu-0-partition-0", "gpu-0-partition-1"])
        whole = json.loads(json.dumps(WITH_A_GPU))
        whole["spec"]["resourceClaims"][0]["resourceClaimTemplateName"] = "whole"
        is_whole = [{"cel": {"expression": f'"full" in device.attributes["{example_driver.DRIVER}"]'}}]
        claim = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": example_driver.DRIVER, "selectors": is_whole}}]}}
        self.plane.create({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
                           "metadata": {"name": "whole", "namespace": "default"}, "spec": {"spec": claim}})
        self.plane.create(what_if("whole", whole))
        answer = podium.status_of(self.plane, "default", "whole")
        self.assertEqual(answer["outcome"], "DoesNotFit")
        (why,) = answer["rejections"]
        self.assertEqual(why["devices"], [{"claimName": why["devices"][0]["claimName"], "request": "gpu", "matched": 1, "inUse": 0,
                                           "tainted": 0, "tooSmall": 1, "wanted": 1}])


if __name__ == "__main__":
    unittest.main()
