"""Two podiums on one lease: the follower is warm. Whatever happens to the leader in the middle of its work, each pod is bound once and
no node gets more than its capacity.

test_lease has an API server that is silent for longer than the lease, test_silence a leader that was frozen and has no follower.
"""
import collections
import concurrent.futures
import random
import signal
import time
import unittest

from e2e.support import podium, seeds
from e2e.support.audit import BindingAudit
from e2e.support.control_plane import ControlPlane, wait_until
from e2e.support.fault_proxy import FaultProxy
from e2e.support.ledger import Ledger
from e2e.tests.base import node, pod, what_if

NODES, PODS_A_NODE = 20, 40
PODS = NODES * PODS_A_NODE - 20  # the nodes are nearly full, so a capacity that is given twice is detected
CLIENTS = 8
ON_THE_WIRE = 16 * 8  # a leader's connections for bindings, and the bindings per connection
LEASE_PATTERN = "/leases(/kube-scheduler)?$"
HIT_BY = PODS - 100  # bindings; if the fault comes late, the others wait at the proxy until then


class Replicas(unittest.TestCase):
    """A control plane behind a fault proxy; the tests start podiums."""

    # A leader that stops in order releases its lease. On a slow machine no other leader may lose it.
    election = {"leaseDuration": "60s", "renewDeadline": "40s", "retryPeriod": "400ms"}

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane()
        cls.addClassCleanup(cls.plane.stop)
        cls.audit = BindingAudit(cls.plane)
        cls.plane.start()
        podium.install(cls.plane, ["schedulerName=default-scheduler",
                                   *(f"configuration.leaderElection.{field}={time}" for field, time in cls.election.items())])

    def start(self, name, server=None, wait=True):
        replica = podium.Podium(self.plane, name=f"{self._testMethodName}-{name}", server=server).start(wait=wait)
        self.addCleanup(replica.stop)
        return replica

    def proxy(self):
        proxy = FaultProxy(self.plane).start()
        self.addCleanup(proxy.stop)
        return proxy

    def nodes(self, pods):
        """Creates nodes only for the pods of this test, with capacity for this number of pods in total."""
        for i in range(NODES):
            self.plane.create(node(f"{self.group}-{i:02}", cpu=f"{pods // NODES * 100}m", labels={"group": self.group}))

    def pod(self, name):
        return pod(f"{self.group}-{name}", nodeSelector={"group": self.group})

    @property
    def group(self):
        return self._testMethodName.removeprefix("test_").replace("_", "-")[:30].rstrip("-")

    def holder(self):
        status, lease = self.plane.request("GET", podium.LEASE)
        return lease["spec"].get("holderIdentity", "") if status == 200 else ""

    def leads(self, other_than=""):
        """Returns the holder of the lease, once it is another one than this."""
        return wait_until(lambda: self.holder() not in ("", other_than) and self.holder(), "a leader", interval=0.02)

    def pair(self, proxy):
        """Returns (leader behind the proxy, its name in the lease, a warm follower)."""
        leader = self.start("leader", server=proxy.url)
        name = self.leads()
        follower = self.start("follower")  # ready: its caches are synced
        self.assertEqual(self.holder(), name)
        return leader, name, follower

    def is_answered(self, name):
        """Creates a what-if and waits until the leader answers it."""
        template = {"spec": {"containers": [{"name": "main", "image": "app:v1",
                                             "resources": {"requests": {"cpu": "1m"}}}]}}
        self.plane.create(what_if(name, template))
        answer = lambda: podium.report_of(self.plane, "default", name)
        wait_until(lambda: podium.condition(answer(), "Complete"), f"the what-if {name} is answered")
        self.assertEqual(answer()["status"].get("outcome"), "Fits", answer())


class Followers(Replicas):
    def is_bound(self, name):
        self.plane.create(self.pod(name))
        path = f"/api/v1/namespaces/default/pods/{self.group}-{name}"
        wait_until(lambda: self.plane.get(path)["spec"].get("nodeName"), f"{name} is bound", interval=0.01)

    def test_a_clean_stop_hands_over(self):
        self.nodes(NODES)
        leader, name, follower = self.pair(self.proxy())
        self.is_bound("before")
        self.is_answered("asked-before")
        stopped = time.monotonic()
        leader.process.signal(signal.SIGTERM)
        following = self.leads(name)
        took = time.monotonic() - stopped
        self.is_bound("after")
        print(f"  the follower led {took:.2f} s after the leader's SIGTERM, and bound a pod after {time.monotonic() - stopped:.2f} s")
        self.assertEqual(leader.process.wait(), 0, leader.process.tail())
        self.is_answered("asked-after")
        # It took a lease that was released, and did not wait for it to expire.
        self.assertIn("released lease=", leader.log())
        self.assertEqual(self.holder(), following)
        self.assertEqual(follower.stop(), 0)

    def test_a_cold_one_does_not_win_over_a_warm_one(self):
        self.nodes(NODES)
        leader, name, follower = self.pair(self.proxy())
        slow = self.proxy()
        lists = slow.hold("GET", r"/api/v1/pods\?", times=1000)
        asks = [slow.watch(method, LEASE_PATTERN) for method in ("GET", "PUT", "POST")]
        cold = self.start("cold", server=slow.url, wait=False)
        wait_until(lambda: lists.seen, "the cold one reads the cluster")
        leader.process.signal(signal.SIGTERM)
        warm = self.leads(name)
        self.is_bound("by-the-warm-one")
        self.assertEqual([request for rule in asks for request in rule.seen], [])
        # It does not take a free lease before it has seen the cluster.
        self.assertEqual(follower.stop(), 0)
        time.sleep(1)  # nothing announces requests that do not come
        self.assertEqual(self.holder(), "")
        self.assertEqual([request for rule in asks for request in rule.seen], [])
        lists.release()
        self.leads(warm)
        self.is_bound("by-the-one-that-was-cold")
        self.assertEqual(cold.stop(), 0)


class Drain(Replicas):
    """A fault hits the leader in the middle of a drain, after a number of bindings that each run draws."""

    election = {"leaseDuration": "20s", "renewDeadline": "15s", "retryPeriod": "500ms"}

    def under_load(self, hit):
        """Runs `hit(leader)` during the bindings; then the follower binds the rest. Returns (leader, follower)."""
        self.ledger = Ledger(self.plane).start()
        self.addCleanup(self.ledger.stop)
        self.gate = self.proxy()
        leader, name, follower = self.pair(self.gate)
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            list(pool.map(self.plane.create, (self.pod(f"{i:03}") for i in range(PODS))))
        seed = seeds.drawn()
        after = random.Random(f"{seed}{self.group}").randrange(1, PODS // 3)
        last = self.gate.hold("POST", "/binding$", times=PODS, after=HIT_BY)
        self.nodes(NODES * PODS_A_NODE)  # now there is work for all pods
        wait_until(lambda: self.bound() >= after, f"{after} bindings", interval=0.001)
        hit(leader)
        before = self.bound()
        last.drop()
        self.leads(name)
        wait_until(lambda: self.bound() == PODS, "all pods are bound", 180)
        print(f"  seed {seed}: {before} of {PODS} pods were bound when it happened")
        self.is_answered(f"asked-{self.group}")
        self.assertLess(before, PODS, "the leader was hit too late to show anything")
        return leader, follower

    def bound(self):
        return sum(e.name.startswith(self.group) for e in self.ledger.bound())

    def once_each(self, unanswered=0):
        """Checks in the API server's log that every pod was bound once, and that no node has too much. For a request whose sender had
        died, the log does not say that it took effect; there are at most so many of these."""
        self.audit.settle()
        self.assertGreaterEqual(len(self.bindings()), PODS - unanswered)
        self.assertEqual(self.ledger.findings, [])
        self.assertEqual(set(self.bindings().values()), {1})
        print(f"  bindings that the API server has refused so far: {dict(self.audit.refused()) or 'none'}")

    def bindings(self):
        return collections.Counter({pod: n for pod, n in self.audit.bound().items() if pod[1].startswith(self.group)})

    def test_a_leader_that_is_killed(self):
        leader, follower = self.under_load(lambda victim: victim.process.signal(signal.SIGKILL))
        self.assertEqual(leader.process.wait(), -signal.SIGKILL)
        self.once_each(unanswered=ON_THE_WIRE)
        self.assertEqual(follower.stop(), 0)

    def test_a_leader_that_is_frozen(self):
        leader, follower = self.under_load(lambda victim: victim.process.signal(signal.SIGSTOP))
        sent = self.gate.watch("POST", "/binding$")
        leader.process.signal(signal.SIGCONT)
        self.assertEqual(leader.process.wait(), 1, leader.process.tail())
        self.assertIn("leader election lost", leader.log())
        self.assertEqual(sent.seen, [])  # it sends no binding when it wakes
        self.once_each()
        self.assertEqual(follower.stop(), 0)

    def test_a_leader_that_is_cut_off(self):
        leader, follower = self.under_load(lambda _: self.gate.part())
        self.assertEqual(leader.process.wait(), 1, leader.process.tail())
        self.assertIn("was not renewed within 15000 ms", leader.log())
        self.once_each()
        self.assertEqual(follower.stop(), 0)


if __name__ == "__main__":
    unittest.main()
