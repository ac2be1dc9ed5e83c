"""Faults of etcd behind the real API server: it crashes, is suspended, or has no space."""
import signal
import time
import unittest

from e2e.support import etcd, podium
from e2e.support.control_plane import wait_until
from e2e.tests.base import Live, node, pod

QUOTA = 24 << 20  # bytes


class Crash(Live):
    values = ["schedulerName=default-scheduler", "configuration.leaderElection.leaseDuration=20s",
              "configuration.leaderElection.renewDeadline=15s", "configuration.leaderElection.retryPeriod=1s"]
    nodes = [node("n1", cpu="8")]

    def test_the_lease_is_lost_and_the_next_leader_continues(self):
        self.plane.create(pod("before"))
        self.bound("before")
        following = podium.Podium(self.plane, name="next")
        self.plane.etcd.kill()
        self.assertEqual(self.podium.process.wait(), 1, self.podium.process.tail())
        self.assertIn("was not renewed within 15000 ms", self.podium.log())
        # Restarts it as a kubelet would, while etcd is still down.
        following.start(wait=False)
        self.addCleanup(following.stop)
        wait_until(lambda: following.get("/livez")[0], "its HTTPS port answers")
        self.plane.start_etcd()
        self.plane.wait_ready()
        self.plane.create(pod("after"))
        self.bound("after")
        self.report("after", "Scheduled")
        self.assertTrue(following.process.alive())


class StandsStill(Live):
    values = ["schedulerName=default-scheduler", "configuration.leaderElection.leaseDuration=60s",
              "configuration.leaderElection.renewDeadline=45s", "configuration.leaderElection.retryPeriod=1s"]
    nodes = [node("n1", cpu="8")]

    def test_the_leader_stays(self):
        self.plane.create(pod("before"))
        self.bound("before")
        before = self.plane.get(podium.LEASE)["spec"]
        self.plane.etcd.signal(signal.SIGSTOP)
        try:
            time.sleep(6)
        finally:
            self.plane.etcd.signal(signal.SIGCONT)
        self.plane.create(pod("after"))
        self.bound("after")
        after = self.plane.get(podium.LEASE)["spec"]
        self.assertEqual([after[key] for key in ("holderIdentity", "leaseTransitions")],
                         [before[key] for key in ("holderIdentity", "leaseTransitions")])
        self.assertTrue(self.podium.process.alive())


class NoSpace(Live):
    values = ["schedulerName=default-scheduler", *podium.NO_ELECTION]
    nodes = [node("n1", cpu="1")]
    plane_options = {"etcd_quota": QUOTA}

    def fill(self):
        """Writes until etcd accepts no more data. Returns the names of the ConfigMaps."""
        names = []
        while True:
            name = f"ballast-{len(names)}"
            status, reply = self.plane.request("POST", "/api/v1/namespaces/default/configmaps", {
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"text": "x" * 900_000}})
            if status != 201:
                self.assertIn("database space exceeded", str(reply))
                return names
            names.append(name)
            self.assertLess(len(names), 2 * QUOTA // 900_000, "etcd has a quota")

    def test_it_continues_once_there_is_space(self):
        errors = 'scheduler_schedule_attempts_total{profile="default-scheduler",result="error"}'
        before = self.podium.metric(errors)
        self.podium.process.signal(signal.SIGSTOP)  # so that its first try happens while there is no space
        try:
            self.plane.create(pod("waits"))
            ballast = self.fill()
        finally:
            self.podium.process.signal(signal.SIGCONT)
        wait_until(lambda: self.podium.metric(errors) > before, "a binding was refused")
        self.assertFalse(self.live_pod("waits")["spec"].get("nodeName"))
        self.assertTrue(self.podium.process.alive())
        for name in ballast:  # etcd accepts deletions
            self.plane.kubectl("delete", "configmap", name)
        etcd.make_space(self.plane)
        self.assertEqual(self.bound("waits"), "n1")
        report = self.report("waits", "Scheduled")
        self.assertEqual(report["status"]["choice"]["nodeName"], "n1")


if __name__ == "__main__":
    unittest.main()
