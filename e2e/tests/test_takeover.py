"""podium in kube-scheduler's place and back, on kube-scheduler's own lease, while pods come and go.

Both are the real processes on one real API server, whose audit log shows the bindings.
"""
import collections
import time
import unittest

from e2e.support import oracle, podium
from e2e.support.audit import BindingAudit
from e2e.support.control_plane import ControlPlane, wait_until
from e2e.support.ledger import Ledger
from e2e.support.stream import Stream
from e2e.tests.base import node, pod

PODS, PER_SECOND = 700, 50
NODES, PODS_A_NODE = 20, 16
KEPT = NODES * PODS_A_NODE - 10  # the cluster is nearly full, so a capacity that is given twice is detected
# Each leader releases its lease, and the next waits for one or two retry periods. No leader loses it on a slow machine.
ELECTION = {"leaseDuration": "60s", "renewDeadline": "40s", "retryPeriod": "1s"}


class Takeover(unittest.TestCase):
    def setUp(self):
        self.plane = ControlPlane()
        self.addCleanup(self.plane.stop)
        self.audit = BindingAudit(self.plane)
        self.plane.start()
        podium.install(self.plane, ["schedulerName=default-scheduler",
                                    "configuration.leaderElection.resourceName=kube-scheduler",
                                    "configuration.leaderElection.resourceNamespace=kube-system",
                                    *(f"configuration.leaderElection.{field}={time}" for field, time in ELECTION.items())])
        for i in range(NODES):
            self.plane.create(node(f"n{i:02}", cpu=f"{PODS_A_NODE * 100}m"))
        self.ledger = Ledger(self.plane).start()
        self.addCleanup(self.ledger.stop)

    def kube_scheduler(self, name):
        theirs = oracle.kube_scheduler(self.plane, name=name, leaderElection={"leaderElect": True, **ELECTION})
        self.addCleanup(theirs.stop)
        return theirs

    def lease(self):
        status, lease = self.plane.request("GET", podium.LEASE)
        return lease["spec"] if status == 200 else {}

    def leads(self, other_than=""):
        """Returns the holder of the lease, once it is another one than this."""
        def another():
            holder = self.lease().get("holderIdentity")
            return holder if holder and holder != other_than else None
        return wait_until(another, f"a holder of the lease other than {other_than!r}")

    def more_are_bound(self, pods):
        """Waits until this number of further pods is bound; the current leader binds them."""
        before = len(self.ledger.bound())
        wait_until(lambda: len(self.ledger.bound()) >= before + pods, f"{pods} more pods are bound", 180)

    def hand_over(self, leader, name, holder):
        """Stops the leader in order. Returns the next holder of the lease."""
        stopped = time.monotonic()
        ended = leader.stop()
        after = time.monotonic()
        following = self.leads(holder)
        print(f"  {name} ended after {after - stopped:.1f} s; the next led {time.monotonic() - stopped:.1f} s after the signal")
        return ended, following

    def test_kube_scheduler_then_podium_then_kube_scheduler(self):
        first = self.kube_scheduler("first")
        holders = [self.leads()]
        stream = Stream(self.plane, (pod(f"p{i}") for i in range(PODS)), PER_SECOND, keep=KEPT).start()
        self.addCleanup(stream.stop)
        self.more_are_bound(100)
        ours = podium.Podium(self.plane).start()  # ready: its caches are synced; it follows
        self.addCleanup(ours.stop)
        self.assertEqual(self.lease()["holderIdentity"], holders[0])

        holders.append(self.hand_over(first, "kube-scheduler", holders[0])[1])
        self.more_are_bound(150)
        self.kube_scheduler("second")
        self.more_are_bound(50)
        self.assertEqual(self.lease()["holderIdentity"], holders[1])  # kube-scheduler follows as well

        code, holder = self.hand_over(ours, "podium", holders[1])
        self.assertEqual(code, 0, ours.process.tail())
        holders.append(holder)
        stream.finish()
        self.ledger.settle("default", PODS)

        self.assertEqual(self.ledger.findings, [])
        # kube-scheduler ends with bindings in flight, and the log calls such a binding failed although it took effect.
        bound, everyone = self.audit.settle().bound(), collections.Counter({("default", f"p{i}"): 1 for i in range(PODS)})
        self.assertEqual(bound - everyone, collections.Counter(), "none is bound twice")
        self.assertLessEqual(set(everyone - bound), self.audit.ended_otherwise())
        self.assertEqual(len(set(holders)), 3)
        self.assertGreaterEqual(self.lease()["leaseTransitions"], 2)
        waits = sorted(e.waited for e in self.ledger.entries())
        print(f"  {PODS} pods bound once; the longest waited {waits[-1]:.1f} s, half of them up to {waits[PODS // 2] * 1000:.0f} ms")


if __name__ == "__main__":
    unittest.main()
