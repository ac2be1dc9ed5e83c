"""Pods with devices. The real kube-controller-manager creates their claims.

Two nodes have a driver, whose slices this test writes as the driver would; no kubelet prepares a device. kube-scheduler runs the same
tests, which shows that the expectations are right.
"""
import itertools
import unittest

from e2e.support import controllers, oracle, podium
from e2e.support.control_plane import wait_until
from e2e.tests.base import Live, node, pod, what_if

DRIVER = "gpu.example.com"
DEVICES = "resource.k8s.io/v1"
CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"


def gpu(name, memory, **more):
    return {"name": name, "attributes": {"model": {"string": "large" if memory == "80Gi" else "small"}},
            "capacity": {"memory": {"value": memory}}, **more}


def resource_slice(where, *devices):
    return {"apiVersion": DEVICES, "kind": "ResourceSlice", "metadata": {"name": f"{where}-gpus"},
            "spec": {"driver": DRIVER, "nodeName": where, "pool": {"name": where, "generation": 1, "resourceSliceCount": 1},
                     "devices": list(devices)}}


def requests(*wanted, **more):
    return {"devices": {"requests": list(wanted), **more}}


def exactly(name="gpu", **more):
    return {"name": name, "exactly": {"deviceClassName": "gpu", **more}}


def cel(expression):
    return [{"cel": {"expression": expression}}]


def with_memory(amount):
    return cel(f'device.capacity["{DRIVER}"].memory.compareTo(quantity("{amount}")) >= 0')


def template(name, spec):
    return {"apiVersion": DEVICES, "kind": "ResourceClaimTemplate", "metadata": {"name": name, "namespace": "default"}, "spec": {"spec": spec}}


def claim(name, spec):
    return {"apiVersion": DEVICES, "kind": "ResourceClaim", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def using(name, template=None, claim=None, **spec):  # pylint: disable=redefined-outer-name
    """Returns a pod with one claim, which comes from a template or already exists."""
    source = {"resourceClaimTemplateName": template} if template else {"resourceClaimName": claim}
    made = pod(name, resourceClaims=[{"name": "gpus", **source}], **spec)
    made["spec"]["containers"][0]["resources"]["claims"] = [{"name": "gpus"}]
    return made


def asking(name, resource, amount="1", **spec):
    """Returns a pod with an extended resource."""
    made = pod(name, **spec)
    resources = made["spec"]["containers"][0]["resources"]
    resources["limits"] = {resource: amount}
    resources["requests"][resource] = amount
    return made


def with_device_plugin(made, resource):
    made["status"]["capacity"][resource] = "1"
    return made


def bound_once_woken(test, name):
    """Waits until the pod is bound; a node's change wakes it. The deletion of a claim wakes no pod, and a scheduler may see a node's
    change before that deletion."""
    numbers = itertools.count()

    def there():
        test.plane.kubectl("label", "node", "n1", f"example.com/changed={name}-{next(numbers)}", "--overwrite")
        return test.live_pod(name)["spec"].get("nodeName")
    return wait_until(there, f"{name} bound")


class Devices:
    """n1 has two small devices, n2 a large one, n3 none. n3 has a device plugin that serves a resource of its own."""

    nodes = [node("n1"), node("n2"), with_device_plugin(node("n3"), "example.com/plugged")]

    @classmethod
    def setUpClass(cls):
        controllers.build()
        super().setUpClass()
        for obj in [{"apiVersion": DEVICES, "kind": "DeviceClass", "metadata": {"name": "gpu"},
                     "spec": {"selectors": cel(f'device.driver == "{DRIVER}"'), "extendedResourceName": "example.com/gpu"}},
                    {"apiVersion": DEVICES, "kind": "DeviceClass", "metadata": {"name": "plugged"},
                     "spec": {"extendedResourceName": "example.com/plugged"}},
                    resource_slice("n1", gpu("gpu-0", "40Gi"), gpu("gpu-1", "40Gi")), resource_slice("n2", gpu("gpu-0", "80Gi")),
                    template("one", requests(exactly())), template("large", requests(exactly(selectors=with_memory("60Gi")))),
                    template("two", requests(exactly(count=2))), template("three", requests(exactly(count=3)))]:
            cls.plane.create(obj)
        cls.controllers = controllers.controllers(cls.plane, ("resourceclaim",))
        cls.addClassCleanup(cls.controllers.stop)

    def tearDown(self):
        self.plane.kubectl("delete", "pods", "--all", "--grace-period=0", "--force", "--wait=false")
        wait_until(lambda: not self.plane.get("/api/v1/namespaces/default/pods")["items"], "the pods are gone")
        self.plane.kubectl("delete", "resourceclaims", "--all", "--wait=false")
        wait_until(lambda: not self.claims(), "the claims are gone")

    def claims(self):
        return self.plane.get(CLAIMS)["items"]

    def given(self, name):
        """Returns the devices of a bound pod's claims, as (pool, device)."""
        made = self.live_pod(name)
        by_template = {s["name"]: s["resourceClaimName"] for s in made["status"].get("resourceClaimStatuses", [])}
        names = [c.get("resourceClaimName") or by_template[c["name"]] for c in made["spec"]["resourceClaims"]]
        allocations = [self.plane.get(f"{CLAIMS}/{each}")["status"] for each in names]
        for status in allocations:
            self.assertIn(made["metadata"]["uid"], [user["uid"] for user in status["reservedFor"]])
        return sorted((r["pool"], r["device"]) for status in allocations for r in status["allocation"]["devices"]["results"])

    def pending_message(self, name):
        """Returns the message of a pod that is pending."""
        def message():
            condition = podium.condition(self.live_pod(name), "PodScheduled")
            return condition and condition["reason"] == "Unschedulable" and condition["message"]
        return wait_until(message, f"{name} is pending")

    def test_each_device_is_given_once(self):
        for i in range(3):
            self.plane.create(using(f"p{i}", template="one"))
            self.bound(f"p{i}")
        self.assertEqual(sorted(sum((self.given(f"p{i}") for i in range(3)), [])),
                         [("n1", "gpu-0"), ("n1", "gpu-1"), ("n2", "gpu-0")])
        self.plane.create(using("p3", template="one"))
        self.assertEqual(self.pending_message("p3"), "0/3 nodes are available: 3 cannot allocate all claims. "
                         "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.")
        freed = self.given("p1")
        self.plane.kubectl("delete", "pod", "p1", "--grace-period=0", "--force")  # the claim controller frees its device then
        self.assertEqual(self.bound("p3"), freed[0][0])
        self.assertEqual(self.given("p3"), freed)

    def test_selectors_and_counts(self):
        self.plane.create(using("selects", template="large"))
        self.assertEqual(self.bound("selects"), "n2")
        self.plane.create(using("counts", template="two"))
        self.assertEqual(self.bound("counts"), "n1")
        self.assertEqual(self.given("counts"), [("n1", "gpu-0"), ("n1", "gpu-1")])
        self.plane.create(using("too-many", template="three"))
        self.assertIn("3 cannot allocate all claims", self.pending_message("too-many"))

    def test_a_rule_taints_devices_until_it_is_deleted(self):
        rule = {"apiVersion": DEVICES, "kind": "DeviceTaintRule", "metadata": {"name": "broken"},
                "spec": {"deviceSelector": {"pool": "n2"}, "taint": {"key": "example.com/broken", "effect": "NoSchedule"}}}
        self.plane.create(rule)
        self.plane.create(using("waits", template="large"))
        self.assertIn("3 cannot allocate all claims", self.pending_message("waits"))
        self.plane.kubectl("delete", "devicetaintrule", "broken")
        self.assertEqual(self.bound("waits"), "n2")

    def test_a_claim_that_pods_share(self):
        self.plane.create(claim("shared", requests(exactly(selectors=with_memory("60Gi")))))
        for name in ("first", "second"):
            self.plane.create(using(name, claim="shared"))
        self.assertEqual({self.bound("first"), self.bound("second")}, {"n2"})
        self.assertEqual(self.given("first"), self.given("second"))

    def test_a_pod_waits_for_its_claim(self):
        self.plane.create(using("early", claim="late"))
        self.plane.create(pod("other"))
        self.bound("other")
        self.assertFalse(self.live_pod("early")["spec"].get("nodeName"))
        self.plane.create(claim("late", requests(exactly())))
        self.bound("early")

    def test_the_first_that_is_available(self):
        wanted = {"name": "gpu", "firstAvailable": [
            {"name": "large", "deviceClassName": "gpu", "selectors": with_memory("60Gi"), "count": 2},
            {"name": "small", "deviceClassName": "gpu", "selectors": with_memory("1Gi"), "count": 2}]}
        self.plane.create(claim("either", requests(wanted)))
        self.plane.create(using("picky", claim="either"))
        self.assertEqual(self.bound("picky"), "n1")
        results = self.plane.get(f"{CLAIMS}/either")["status"]["allocation"]["devices"]["results"]
        self.assertEqual([r["request"] for r in results], ["gpu/small", "gpu/small"])

    def test_devices_that_must_match(self):
        self.plane.create(claim("pair", requests(exactly("a"), exactly("b"), constraints=[
            {"requests": ["a", "b"], "matchAttribute": f"{DRIVER}/model"}])))
        self.plane.create(using("matching", claim="pair"))
        self.assertEqual(self.bound("matching"), "n1")

    def claims_of_extended_resources(self):
        return [c for c in self.claims() if "resource.kubernetes.io/extended-resource-claim" in c["metadata"].get("annotations", {})]

    def test_an_extended_resource(self):
        """It is the second of the container's requests by name, after cpu."""
        self.plane.create(asking("extended", "example.com/gpu", "2"))
        self.assertEqual(self.bound("extended"), "n1")
        [made], owner = self.claims_of_extended_resources(), self.live_pod("extended")
        meta = made["metadata"]
        self.assertTrue(meta["name"].startswith("extended-extended-resources-"), meta)
        self.assertEqual(meta["annotations"], {"resource.kubernetes.io/extended-resource-claim": "true"})
        self.assertEqual(meta["ownerReferences"], [{"apiVersion": "v1", "kind": "Pod", "name": "extended", "controller": True,
                                                    "uid": owner["metadata"]["uid"]}])
        self.assertEqual(meta["finalizers"], ["resource.kubernetes.io/delete-protection"])
        self.assertEqual(made["spec"], requests({"name": "container-0-request-1", "exactly": {
            "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2}}))
        results = made["status"]["allocation"]["devices"]["results"]
        self.assertEqual([(r["request"], r["pool"], r["device"]) for r in results],
                         [("container-0-request-1", "n1", "gpu-0"), ("container-0-request-1", "n1", "gpu-1")])
        self.assertEqual(made["status"]["reservedFor"], [{"resource": "pods", "name": "extended", "uid": owner["metadata"]["uid"]}])
        self.assertEqual(owner["status"]["extendedResourceClaimStatus"], {
            "resourceClaimName": meta["name"], "requestMappings": [
                {"containerName": "main", "resourceName": "example.com/gpu", "requestName": "container-0-request-1"}]})

        self.plane.create(asking("by-class", "deviceclass.resource.kubernetes.io/gpu"))
        self.assertEqual(self.bound("by-class"), "n2")
        self.plane.create(asking("no-more", "example.com/gpu"))
        self.assertIn("0/3 nodes are available: 3 cannot allocate all claims.", self.pending_message("no-more"))
        self.plane.kubectl("delete", "pod", "by-class", "--grace-period=0", "--force")
        self.assertEqual(self.bound("no-more"), "n2")

    def test_an_extended_resource_of_a_device_plugin(self):
        self.plane.create(asking("plugged", "example.com/plugged", nodeSelector={"kubernetes.io/hostname": "n3"}))
        self.assertEqual(self.bound("plugged"), "n3")
        self.assertEqual(self.claims_of_extended_resources(), [])
        self.assertNotIn("extendedResourceClaimStatus", self.live_pod("plugged")["status"])
        self.plane.create(asking("full", "example.com/plugged", nodeSelector={"kubernetes.io/hostname": "n3"}))
        self.assertIn("1 Insufficient example.com/plugged", self.pending_message("full"))

    def test_the_claim_of_an_earlier_attempt(self):
        """The claim is deleted, and the pod gets another one. A second pod uses it, which shows that the scheduler has it."""
        gated = asking("again", "example.com/gpu", "2", schedulingGates=[{"name": "example.com/wait"}])
        uid = self.plane.create(gated)["metadata"]["uid"]
        left = claim("left", requests(exactly("container-0-request-0")))
        left["metadata"].update(annotations={"resource.kubernetes.io/extended-resource-claim": "true"}, ownerReferences=[
            {"apiVersion": "v1", "kind": "Pod", "name": "again", "uid": uid, "controller": True}])
        self.plane.create(left)
        self.plane.create(using("other", claim="left", nodeSelector={"kubernetes.io/hostname": "n2"}))
        self.assertEqual(self.bound("other"), "n2")
        self.plane.kubectl("patch", "pod", "again", "--type=json", "-p", '[{"op": "remove", "path": "/spec/schedulingGates"}]')
        wait_until(lambda: all(c["metadata"]["name"] != "left" for c in self.claims()), "the claim is gone")
        self.assertEqual(bound_once_woken(self, "again"), "n1")
        [made] = self.claims_of_extended_resources()
        self.assertEqual(self.live_pod("again")["status"]["extendedResourceClaimStatus"]["resourceClaimName"], made["metadata"]["name"])


class ByKubeScheduler(Devices, Live):
    @classmethod
    def connect(cls):
        class Theirs:
            def start(self):
                self.process = oracle.kube_scheduler(cls.plane)
                return self

            def stop(self):
                self.process.stop()
        return Theirs()


class ByPodium(Devices, Live):
    def test_claims_made_for_extended_resources_are_counted(self):
        def counted():
            return self.podium.metric('dynamic_resource_allocation_resourceclaim_creates_total{admin_access="false",owner_api_group="",'
                                      'owner_api_kind="Pod",status="success"}')
        before = counted()
        self.plane.create(asking("extended", "example.com/gpu"))
        self.bound("extended")
        self.assertEqual(counted(), before + 1)

    def test_room_for_extended_resources(self):
        """Three devices are free, and the question asks for one. podium sees a little later that a claim has lost its devices."""
        names = itertools.count()

        def answer():
            name = f"many-{next(names)}"
            self.plane.create(what_if(name, {"spec": asking("x", "example.com/gpu")["spec"]}, room=True))
            said = self.answer(name)
            return said if said.get("room", {}).get("count") == 2 else None
        said = wait_until(answer, "room for two more")
        [given] = said["devices"]
        self.assertEqual((given["claimName"], given["request"], given["device"]), ("<extended-resources>", "container-0-request-1", "gpu-0"))
        [why] = said["room"]["firstFailure"]["rejections"]
        self.assertEqual(why["reason"], "cannot allocate all claims")


if __name__ == "__main__":
    unittest.main()
