"""The process ends in its bound, whatever it computes: by a signal, a stolen lease, and an API server that has gone."""
import datetime
import signal
import unittest

from e2e.support import podium
from e2e.support.control_plane import wait_until
from e2e.tests.base import Live, node, pod, what_if

NODES = 150
QUESTIONS = 8
# The process's own bound of a stop is 32 s; a lease is given up after 10 s without a renewal. A busy machine takes longer.
END = 120  # seconds


def hostile_pods():
    """Returns the spec of a pod that is costly to place 10,000 times: each copy counts all others."""
    spread = {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
              "labelSelector": {"matchLabels": {"app": "many"}}}
    return {"metadata": {"labels": {"app": "many"}},
            "spec": pod("many", cpu="1m", memory="1Mi", topologySpreadConstraints=[spread])["spec"]}


class Ends(Live):
    values = ["schedulerName=default-scheduler", *(f"configuration.leaderElection.{field}={time}" for field, time in (
        ("leaseDuration", "15s"), ("renewDeadline", "10s"), ("retryPeriod", "1s")))]
    nodes = [node(f"n{i}", cpu="64", memory="256Gi") for i in range(NODES)]

    def setUp(self):
        if not self.podium.process.alive():
            type(self).podium = self.connect().start()
        by = self.id().rsplit("_", 1)[1]
        for i in range(60):
            self.plane.create(pod(f"waits-for-{by}-{i}", cpu=str(65 + i)))
        self.questions = [f"asks-{by}-{i}" for i in range(QUESTIONS)]
        shapes = [{"name": f"s{i}", "allocatable": {"cpu": str(70 + 4 * i), "memory": "64Gi"}} for i in range(16)]
        for i, name in enumerate(self.questions):
            ask = {"search": {"forPending": {"shapes": shapes}}} if i % 4 == 1 else {"search": {"couldGo": {}}} if i % 4 == 2 else {
                "template": hostile_pods(), "replicas": 10_000}
            self.plane.create(what_if(name, **ask))
        wait_until(self.answered, "the first answer")

    def answered(self):
        return [name for name in self.questions if (podium.report_of(self.plane, "default", name) or {}).get("status")]

    def ended(self, code):
        """Waits until podium has ended, and checks that it ended in order while it had questions."""
        self.assertEqual(self.podium.process.wait(END), code, self.podium.process.tail())
        log = self.podium.log()
        self.assertIn(f"podium stopped exit_code={code}", log)
        self.assertLess(len(self.answered()), QUESTIONS, "the questions were over before the end")
        for words in ("did not end in time", "the stop took too long", "cannot be reached"):
            self.assertNotIn(words, log)

    def test_by_a_signal(self):
        self.podium.process.signal(signal.SIGTERM)
        self.ended(0)
        self.assertFalse(self.plane.get(podium.LEASE)["spec"].get("holderIdentity"))

    def test_by_a_thief(self):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        stolen = {"spec": {"holderIdentity": "thief", "leaseDurationSeconds": 3600, "acquireTime": now, "renewTime": now}}
        self.assertEqual(self.plane.request("PATCH", podium.LEASE, stolen, content_type="application/merge-patch+json")[0], 200)
        self.ended(1)
        self.assertIn("leader election lost", self.podium.log())
        self.assertEqual(self.plane.get(podium.LEASE)["spec"]["holderIdentity"], "thief")
        self.plane.request("DELETE", podium.LEASE)  # for the next podium

    def test_without_api_server(self):
        self.plane.api.kill()
        self.addCleanup(self.plane.start_api)
        self.assertEqual(self.podium.process.wait(END), 1, self.podium.process.tail())
        self.assertIn("leader election lost", self.podium.log())
        self.assertIn("podium stopped exit_code=1", self.podium.log())


if __name__ == "__main__":
    unittest.main()
