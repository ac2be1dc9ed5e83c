"""podium sends no write that needs the lease once another may hold the lease, however long the write has waited.

The API server's own audit log is the judge: it has the time at which each request arrived.
"""
import concurrent.futures
import signal
import time
import unittest

from e2e.support import podium
from e2e.support.audit import BindingAudit
from e2e.support.control_plane import ControlPlane, wait_until
from e2e.support.fault_proxy import FaultProxy
from e2e.tests.base import node, pod

PODS = 1500
ON_THE_WIRE = 16 * 8  # connections for bindings, and the bindings per connection
SILENT = 25           # seconds; the lease is over after 20, and must not be used after 15
HIT_BY = 1000         # bindings; if the API server falls silent late, the others wait at a proxy until then


class Lease(unittest.TestCase):
    def setUp(self):
        self.plane = ControlPlane()
        self.audit = BindingAudit(self.plane)
        self.addCleanup(self.plane.stop)
        self.plane.start()
        podium.install(self.plane, ["schedulerName=default-scheduler", "podium.reports.enabled=false",
                                    "configuration.leaderElection.leaseDuration=20s",
                                    "configuration.leaderElection.renewDeadline=15s",
                                    "configuration.leaderElection.retryPeriod=1s"])

    def fill(self):
        objects = [node(f"n{i}", cpu="64", memory="64Gi") for i in range(20)] + [
            pod(f"p{i}", cpu="10m", memory="1Mi") for i in range(PODS)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(self.plane.create, objects))

    def unbound(self):
        return [p["metadata"]["name"] for p in self.plane.get("/api/v1/namespaces/default/pods")["items"]
                if not p["spec"].get("nodeName")]

    def test_an_api_server_that_is_silent_for_longer_than_the_lease(self):
        self.fill()
        proxy = FaultProxy(self.plane).start()
        self.addCleanup(proxy.stop)
        last = proxy.hold("POST", "/binding$", times=PODS, after=HIT_BY)
        old = podium.Podium(self.plane, name="old", server=proxy.url).start(wait=False)
        self.addCleanup(old.stop)
        wait_until(lambda: len(self.audit.arrived()) >= 100, "the drain has begun", interval=0.01)
        self.plane.api.signal(signal.SIGSTOP)
        last.drop()
        try:
            time.sleep(SILENT)
        finally:
            woken = time.time()
            self.plane.api.signal(signal.SIGCONT)
        self.assertEqual(old.process.wait(), 1, old.process.tail())
        self.assertIn("was not renewed within 15000 ms", old.log())
        lines = [line for line in old.log().splitlines() if "no longer leading" in line and "event not written" not in line]
        self.assertEqual(lines, [])  # no statement about the pods

        # The requests that the old leader had sent take effect; the next leader does the rest.
        wait_until(lambda: self.plane.request("GET", "/readyz")[0] == 200, "the API server is back")
        time.sleep(2)  # nothing announces requests that do not come
        late = self.audit.arrived(woken)
        self.assertLessEqual(len(set(late)), ON_THE_WIRE)
        self.assertGreater(len(self.unbound()), 0, "the API server was stopped too late to show anything")
        with podium.Podium(self.plane, name="new"):
            wait_until(lambda: not self.unbound(), "the next leader places the rest", 180, interval=0.5)


if __name__ == "__main__":
    unittest.main()
