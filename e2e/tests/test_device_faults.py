"""Faults while podium writes a pod's claims: lost replies, conflicts, a claim that is deleted, a podium that dies between the writes.

No device is ever given to two claims, and the devices of a pod that failed are free again.
"""
import collections
import unittest

from e2e.support import podium
from e2e.support.control_plane import wait_until
from e2e.support.fault_proxy import FaultProxy
from e2e.tests.base import Live, node
from e2e.tests.test_devices import CLAIMS, DEVICES, asking, bound_once_woken, cel, claim, requests, using


class DeviceFaults(Live):
    nodes = [node("n1")]

    @classmethod
    def connect(cls):
        cls.proxy = FaultProxy(cls.plane).start()
        cls.addClassCleanup(cls.proxy.stop)
        return podium.Podium(cls.plane, server=cls.proxy.url)

    def tearDown(self):
        self.no_device_is_in_two_claims()

    # --- the cluster ---
    def devices(self, kind, count):
        """Creates a class of its own with this number of devices on n1."""
        driver = f"{kind}.example.com"
        self.plane.create({"apiVersion": DEVICES, "kind": "DeviceClass", "metadata": {"name": kind},
                           "spec": {"selectors": cel(f'device.driver == "{driver}"')}})
        self.plane.create({"apiVersion": DEVICES, "kind": "ResourceSlice", "metadata": {"name": kind}, "spec": {
            "driver": driver, "nodeName": "n1", "devices": [{"name": f"device-{i}"} for i in range(count)],
            "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1}}})

    def wanting(self, name, kind):
        """Creates a claim for a device of the class, and a pod with it."""
        self.plane.create(self.claim_for(name, kind))
        self.plane.create(using(name, claim=name))

    def claim_for(self, name, kind):
        return claim(name, requests({"name": "one", "exactly": {"deviceClassName": kind}}))

    def live_claim(self, name):
        return self.plane.get(f"{CLAIMS}/{name}")

    def has_its_device(self, name):
        """Checks that the pod is bound, and that its claim is allocated and reserved for it. Returns the device."""
        self.assertEqual(self.bound(name), "n1")
        status = self.live_claim(name)["status"]
        self.assertEqual([user["uid"] for user in status["reservedFor"]], [self.live_pod(name)["metadata"]["uid"]])
        [result] = status["allocation"]["devices"]["results"]
        return result["device"]

    def no_device_is_in_two_claims(self):
        given = collections.defaultdict(list)
        for each in self.plane.get(CLAIMS)["items"]:
            for result in each.get("status", {}).get("allocation", {}).get("devices", {}).get("results", []):
                given[result["driver"], result["pool"], result["device"]].append(each["metadata"]["name"])
        self.assertEqual({device: claims for device, claims in given.items() if len(claims) > 1}, {})

    def crash(self):
        """Kills podium; another one takes over. The test does not wait until the lease expires."""
        self.podium.process.popen.kill()
        self.podium.process.popen.wait()
        self.plane.kubectl("delete", "leases", "--all", "-n", "kube-system")
        type(self).podium = podium.Podium(self.plane, server=self.proxy.url).start()

    # --- faults ---
    def test_lost_replies(self):
        self.devices("unheard", 2)
        for name, at in (("kept", "/resourceclaims/kept(\\?|$)"), ("given", "/resourceclaims/given/status")):
            fault = self.proxy.lose_reply("PATCH", at)
            self.wanting(name, "unheard")
            self.has_its_device(name)
            self.assertTrue(fault.seen)
        self.wanting("too-many", "unheard")
        self.report("too-many", "Unschedulable", "cannot allocate all claims")

    def test_a_lost_reply_creates_no_second_claim(self):
        """podium creates the claim of an extended resource, and finds the one that it has made."""
        self.devices("ghost", 1)
        fault = self.proxy.lose_reply("POST", "/namespaces/default/resourceclaims(\\?|$)")
        self.plane.create(asking("ghost", "deviceclass.resource.kubernetes.io/ghost"))
        self.assertEqual(self.bound("ghost"), "n1")
        self.assertTrue(fault.seen)
        self.has_one_claim_of_its_own("ghost")

    def owned_by(self, name):
        """Returns the names of the claims that were created for the pod."""
        uid = self.live_pod(name)["metadata"]["uid"]
        return [c["metadata"]["name"] for c in self.plane.get(CLAIMS)["items"]
                if any(owner["uid"] == uid for owner in c["metadata"].get("ownerReferences", []))]

    def has_one_claim_of_its_own(self, name):
        self.assertEqual(self.owned_by(name), [self.live_pod(name)["status"]["extendedResourceClaimStatus"]["resourceClaimName"]])

    def test_a_claim_that_is_written_by_another_client(self):
        self.devices("changed", 1)
        for name, at in (("before", "/resourceclaims/before(\\?|$)"), ("between", "/resourceclaims/between/status")):
            with self.subTest(name):
                fault = self.proxy.hold("PATCH", at)
                self.wanting(name, "changed")
                wait_until(lambda: fault.seen, "the write")
                self.plane.kubectl("annotate", "resourceclaim", name, "example.com/seen=yes")
                fault.release()
                self.has_its_device(name)
                self.assertEqual(self.live_claim(name)["metadata"]["annotations"], {"example.com/seen": "yes"})
                self.free(name)

    def free(self, name):
        """Does what the claim controller does after the pod is deleted."""
        self.plane.kubectl("delete", "pod", name, "--grace-period=0", "--force")
        freed = [{"op": "remove", "path": "/status/reservedFor"}, {"op": "remove", "path": "/status/allocation"}]
        status, reply = self.plane.request("PATCH", f"{CLAIMS}/{name}/status", freed, content_type="application/json-patch+json")
        self.assertEqual(status, 200, reply)

    def test_a_claim_that_is_deleted_between_the_writes(self):
        self.devices("only", 1)
        fault = self.proxy.hold("PATCH", "/resourceclaims/gone(\\?|$)")
        self.wanting("gone", "only")
        wait_until(lambda: fault.seen, "the write")
        self.wanting("early", "only")
        self.report("early", "Unschedulable", "cannot allocate all claims")  # the device is promised
        self.plane.kubectl("delete", "resourceclaim", "gone")
        fault.release()
        self.report("gone", "Gated")
        self.has_its_device("early")  # not as in kube-scheduler: the binding that failed gives the device back, which wakes it
        self.wanting("next", "only")
        self.report("next", "Unschedulable", "cannot allocate all claims")
        self.plane.create(self.claim_for("gone", "only"))
        self.report("gone", "Unschedulable", "cannot allocate all claims")
        self.free("early")
        wait_until(lambda: any(self.live_pod(name)["spec"].get("nodeName") for name in ("next", "gone")), "one of them is bound")

    def test_a_podium_that_dies_between_the_writes(self):
        self.devices("crash", 3)
        for name, method, at in (("at-finalizer", "PATCH", "/resourceclaims/at-finalizer(\\?|$)"),
                                 ("at-status", "PATCH", "/resourceclaims/at-status/status"),
                                 ("at-binding", "POST", "/pods/at-binding/binding$")):
            with self.subTest(name):
                fault = self.proxy.hold(method, at)
                self.wanting(name, "crash")
                wait_until(lambda: fault.seen, "the write")
                self.crash()
                fault.drop()
                self.has_its_device(name)
        self.wanting("too-late", "crash")
        self.report("too-late", "Unschedulable", "cannot allocate all claims")

    def test_a_podium_that_dies_with_a_claim_that_it_has_made(self):
        """The next podium deletes the claim, as kube-scheduler does; then another event requeues the pod."""
        self.devices("orphan", 2)
        for name, method, at in (("made", "PATCH", "/resourceclaims/made-extended-resources-[a-z0-9]+(\\?|$)"),
                                 ("given-away", "POST", "/pods/given-away/binding$")):
            with self.subTest(name):
                fault = self.proxy.hold(method, at)
                self.plane.create(asking(name, "deviceclass.resource.kubernetes.io/orphan"))
                wait_until(lambda: fault.seen, "the write")
                [first] = self.owned_by(name)
                self.crash()
                fault.drop()
                wait_until(lambda: first not in self.owned_by(name), "the claim is gone")
                self.assertEqual(bound_once_woken(self, name), "n1")
                self.has_one_claim_of_its_own(name)


if __name__ == "__main__":
    unittest.main()
