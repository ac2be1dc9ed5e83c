"""Devices with binding conditions: a pod is bound once the driver has made its device ready. The test plays the driver.

kube-scheduler runs the same tests, which shows that the expectations are right. Both check every five seconds.
"""
import itertools
import unittest

from e2e.support import oracle, podium
from e2e.support.control_plane import wait_until
from e2e.support.fault_proxy import FaultProxy
from e2e.tests.base import Live, node
from e2e.tests.test_devices import CLAIMS, DEVICES, cel, claim, requests, using

READY, BROKEN = "example.com/attached", "example.com/broken"
MERGE = "application/merge-patch+json"
SLICES = "/apis/resource.k8s.io/v1/resourceslices"
# With a short timeout a scheduler checks twice before it.
PROFILES = [{"schedulerName": "default-scheduler"},
            {"schedulerName": "hasty", "pluginConfig": [{"name": "DynamicResources", "args": {"bindingTimeout": "12s"}}]}]


class Conditions:
    nodes = [node("n1"), node("n2")]
    numbers = itertools.count()

    def device(self, kind, where="n1", ready=False):
        """Creates a device of a class of its own; unless it is ready immediately, it has conditions."""
        driver = f"{kind}.example.com"
        made = {"name": f"{kind}-{where}", **({} if ready else {"bindingConditions": [READY], "bindingFailureConditions": [BROKEN]})}
        self.plane.create({"apiVersion": DEVICES, "kind": "ResourceSlice", "metadata": {"name": f"{where}-{kind}"}, "spec": {
            "driver": driver, "nodeName": where, "devices": [made],
            "pool": {"name": where, "generation": 1, "resourceSliceCount": 1}}})

    def prepare(self, name, kind):
        """Creates a class of devices, and a claim of one."""
        self.plane.create({"apiVersion": DEVICES, "kind": "DeviceClass", "metadata": {"name": kind},
                           "spec": {"selectors": cel(f'device.driver == "{kind}.example.com"')}})
        self.plane.create(claim(name, requests({"name": "one", "exactly": {"deviceClassName": kind}})))

    def settle(self):
        """Waits until the scheduler has seen all slices, classes and claims so far: it has seen those that are created now."""
        probe = f"probe-{next(self.numbers)}"
        self.device(probe, ready=True)
        self.prepare(probe, probe)
        self.plane.create(using(probe, claim=probe))
        self.bound(probe)

    def wanting(self, name, kind, **spec):
        """Creates a pod with a claim of a device. Everything exists at its first attempt."""
        self.prepare(name, kind)
        self.settle()
        made = using(name, claim=name)
        self.plane.create({**made, "spec": {**made["spec"], **spec}})

    def status(self, name):
        return self.plane.get(f"{CLAIMS}/{name}").get("status", {})

    def results(self, name):
        return self.status(name).get("allocation", {}).get("devices", {}).get("results", [])

    def awaited(self, name):
        """Returns the claim's device, once it has one and the pod waits for it."""
        def there():
            results = self.results(name)
            return results and self.events(name, "BindingConditionsPending") and results[0]
        return wait_until(there, f"{name} waits for its device")

    def say(self, name, kind, message=""):
        """Sets this condition of the claim's device to true, as the driver would; False if the claim no longer has a device."""
        results = self.results(name)
        conditions = [{"type": kind, "status": "True", "reason": "Said", "message": message,
                       "lastTransitionTime": "2026-01-01T00:00:00Z"}]
        devices = [{**{key: each[key] for key in ("driver", "pool", "device")}, "conditions": conditions} for each in results]
        status, _ = self.plane.request("PATCH", f"{CLAIMS}/{name}/status", {"status": {"devices": devices}}, content_type=MERGE)
        return bool(results) and status == 200

    def failure(self, name, words):
        """Waits until the pod's first failed attempt has these words; the same event counts later attempts."""
        [event] = wait_until(lambda: self.events(name, "FailedScheduling"), f"{name} fails")
        self.assertIn(words, event["note"])

    def reported(self, name):
        """Waits for the report of the wait. Only podium writes one."""

    def test_a_device_that_becomes_ready(self):
        self.device("slow")
        self.wanting("ready", "slow")
        device = self.awaited("ready")
        self.reported("ready")
        self.assertEqual((device["bindingConditions"], device["bindingFailureConditions"]), ([READY], [BROKEN]))
        [event] = self.events("ready", "BindingConditionsPending")
        self.assertEqual((event["type"], event["action"], event["note"]),
                         ("Normal", "Scheduling", "waiting for binding conditions for device on node n1"))
        self.assertFalse(self.live_pod("ready")["spec"].get("nodeName"))
        self.assertTrue(self.status("ready")["allocation"]["allocationTimestamp"])
        self.assertTrue(self.say("ready", READY))
        self.assertEqual(self.bound("ready"), "n1")

    def test_a_device_that_breaks_is_given_back(self):
        self.device("frail")
        self.wanting("unlucky", "frail")
        self.awaited("unlucky")
        self.device("frail", "n2", ready=True)
        self.plane.request("DELETE", f"{SLICES}/n1-frail")
        self.settle()
        self.assertTrue(self.say("unlucky", BROKEN, 'it "smokes"'))
        self.failure("unlucky", 'running PreBind plugin "DynamicResources": device binding failed: claim=unlucky, reason=Said, '
                                'message="it \\"smokes\\""')
        self.assertEqual(self.bound("unlucky"), "n2")
        self.assertEqual([each["device"] for each in self.results("unlucky")], ["frail-n2"])
        self.assertNotIn("devices", self.status("unlucky"))

    def test_a_device_that_takes_too_long(self):
        self.device("late")
        self.wanting("patient", "late", schedulerName="hasty")
        given = wait_until(lambda: self.status("patient").get("allocation"), "it is allocated")["allocationTimestamp"]
        self.failure("patient", 'running PreBind plugin "DynamicResources": device binding timeout: ')

        def is_given_again():
            return self.status("patient").get("allocation", {}).get("allocationTimestamp", given) != given
        wait_until(is_given_again, "the allocation is taken back and made anew")

        def is_bound():
            self.say("patient", READY)
            return self.live_pod("patient")["spec"].get("nodeName")
        self.assertEqual(wait_until(is_bound, "it is bound", interval=0.5), "n1")


class ByKubeScheduler(Conditions, Live):
    @classmethod
    def connect(cls):
        class Theirs:
            def start(self):
                self.process = oracle.kube_scheduler(cls.plane, profiles=PROFILES)
                return self

            def stop(self):
                self.process.stop()
        return Theirs()


class ByPodium(Conditions, Live):
    values = [*Live.values, *(f"configuration.profiles[{i}].schedulerName={each['schedulerName']}" for i, each in enumerate(PROFILES)),
              "configuration.profiles[1].pluginConfig[0].name=DynamicResources",
              "configuration.profiles[1].pluginConfig[0].args.bindingTimeout=12s"]

    @classmethod
    def connect(cls):
        cls.proxy = FaultProxy(cls.plane).start()
        cls.addClassCleanup(cls.proxy.stop)
        return podium.Podium(cls.plane, server=cls.proxy.url)

    def reported(self, name):
        self.report(name, "Binding", "its devices are not ready on the node yet")

    def test_a_reply_that_is_lost(self):
        self.device("unheard")
        fault = self.proxy.lose_reply("PATCH", "/resourceclaims/unheard/status")
        self.wanting("unheard", "unheard")
        self.awaited("unheard")
        self.assertTrue(fault.seen)
        self.assertTrue(self.say("unheard", READY))
        self.assertEqual(self.bound("unheard"), "n1")

    def test_a_podium_that_dies_while_a_pod_waits(self):
        """Another podium continues with the same device, and the result of the wait is counted."""
        self.device("orphan")
        self.wanting("orphan", "orphan")
        self.awaited("orphan")
        given = self.status("orphan")["allocation"]
        self.podium.process.popen.kill()
        self.podium.process.popen.wait()
        self.plane.kubectl("delete", "leases", "--all", "-n", "kube-system")
        type(self).podium = podium.Podium(self.plane, server=self.proxy.url).start()
        self.assertTrue(self.say("orphan", READY))
        self.assertEqual(self.bound("orphan"), "n1")
        self.assertEqual(self.status("orphan")["allocation"], given)
        labels = '{driver="orphan.example.com",profile="default-scheduler",status="success"}'
        for name in ("allocations_total", "wait_duration_seconds_count"):
            wait_until(lambda: self.podium.metric(f"scheduler_dra_bindingconditions_{name}{labels}") == 1, name)


if __name__ == "__main__":
    unittest.main()
