"""A fault proxy between podium and a real API server loses replies, and holds or refuses requests."""
import unittest

from e2e.support import podium
from e2e.support.control_plane import wait_until
from e2e.support.fault_proxy import FaultProxy
from e2e.tests.base import Live, node, pod


class WireFaults(Live):
    nodes = [node("n1", cpu="16", labels={"group": "a"}), node("n2", cpu="1", labels={"group": "b"})]

    @classmethod
    def connect(cls):
        cls.proxy = FaultProxy(cls.plane).start()
        cls.addClassCleanup(cls.proxy.stop)
        return podium.Podium(cls.plane, server=cls.proxy.url)

    def bindings(self, name):
        return f"/pods/{name}/binding$"

    def test_a_binding_whose_reply_is_lost_stands(self):
        fault = self.proxy.lose_reply("POST", self.bindings("unheard"))
        small = dict(cpu="600m", nodeSelector={"group": "b"})
        self.plane.create(pod("unheard", **small))
        self.assertEqual(self.bound("unheard"), "n2")
        self.report("unheard", "Scheduled")
        self.plane.create(pod("no-room-left", **small))  # the first one counts
        self.report("no-room-left", "Unschedulable")
        # podium sends the same binding again, and the API server refuses it: it binds a UID once.
        self.assertLessEqual(len(fault.seen), 2)
        wait_until(lambda: self.events("unheard", "Scheduled"), "the event")
        self.assertEqual(len(self.events("unheard", "Scheduled")), 1)
        self.assertEqual(len(self.events("unheard", "FailedScheduling")), 0)

    def test_a_binding_that_never_arrived_is_made_again(self):
        fault = self.proxy.answer("POST", self.bindings("refused"), 500, times=1)
        self.plane.create(pod("refused", nodeSelector={"group": "a"}))
        self.assertEqual(self.bound("refused"), "n1")
        self.report("refused", "Scheduled")
        self.assertGreaterEqual(len(fault.seen), 2)

    def test_podium_respects_retry_after(self):
        fault = self.proxy.answer("POST", self.bindings("throttled"), 429, headers=["Retry-After: 2"], times=2)
        self.plane.create(pod("throttled", nodeSelector={"group": "a"}))
        self.bound("throttled")
        times = [when for when, _ in fault.seen]
        self.assertGreaterEqual(len(times), 3)
        for earlier, later in zip(times[:3], times[1:3]):
            self.assertGreaterEqual(later - earlier, 2)  # the server's value, and not a guess of ours

    def test_a_binding_that_comes_late_does_not_bind_another_pod_of_the_name(self):
        fault = self.proxy.hold("POST", self.bindings("phoenix"))
        first = self.plane.create(pod("phoenix", nodeSelector={"group": "a"}))["metadata"]["uid"]
        wait_until(lambda: fault.seen, "the first pod's binding")
        self.plane.kubectl("delete", "pod", "phoenix", "--grace-period=0", "--force")
        # The second pod belongs on another node, so the first one's binding would be visible.
        second = self.plane.create(pod("phoenix", cpu="100m", nodeSelector={"group": "b"}))["metadata"]["uid"]
        self.assertNotEqual(first, second)
        fault.release()
        self.assertEqual(self.bound("phoenix"), "n2")
        self.assertEqual(self.live_pod("phoenix")["metadata"]["uid"], second)

    def test_a_node_that_is_recreated_while_a_binding_to_it_is_in_flight(self):
        reborn = node("n3", cpu="1", labels={"group": "c"})
        self.plane.create(reborn)
        fault = self.proxy.hold("POST", self.bindings("held"))
        self.plane.create(pod("held", cpu="600m", nodeSelector={"group": "c"}))
        wait_until(lambda: fault.seen, "the pod's binding")
        self.plane.kubectl("delete", "node", "n3")
        self.knows("nodes", 2)
        self.plane.create(reborn)
        self.knows("nodes", 3)
        fault.release()
        self.assertEqual(self.bound("held"), "n3")
        self.report("held", "Scheduled")
        self.plane.create(pod("too-large", cpu="600m", nodeSelector={"group": "c"}))  # the held one counts on the new node
        self.report("too-large", "Unschedulable", "Insufficient cpu")
        self.plane.create(pod("small", cpu="400m", nodeSelector={"group": "c"}))
        self.assertEqual(self.bound("small"), "n3")

    def test_a_late_status_does_not_follow_the_binding(self):
        fault = self.proxy.hold("PATCH", "/pods/late/status")
        written = self.podium.metric("podium_pod_statuses_written_total")
        self.plane.create(pod("late", nodeSelector={"group": "late"}))
        wait_until(lambda: fault.seen, "the status of the failed attempt")
        self.plane.create(node("late", labels={"group": "late"}))
        self.assertEqual(self.bound("late"), "late")
        fault.release()
        wait_until(lambda: self.podium.metric("podium_pod_statuses_written_total") > written, "the late write")
        self.assertEqual(podium.condition(self.live_pod("late"), "PodScheduled")["status"], "True")
        self.plane.kubectl("delete", "node", "late")

    def test_connections_that_are_reset_again_and_again(self):
        for i in range(20):
            self.plane.create(pod(f"through-{i}", nodeSelector={"group": "a"}))
            self.proxy.cut()
        for i in range(20):
            self.bound(f"through-{i}")
        self.podium.wait_ready()


if __name__ == "__main__":
    unittest.main()
