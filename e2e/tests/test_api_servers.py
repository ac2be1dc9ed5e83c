"""podium on API servers of several releases of Kubernetes: the reference's, and the two before it, which do not serve all kinds that
podium reads (DeviceTaintRules)."""
import collections
import json
import re
import subprocess
import time
import unittest

from e2e.support import podium
from e2e.support.audit import lines_of
from e2e.support.control_plane import BIN, ROOT, ControlPlane, wait_until
from e2e.tests.base import Live, node, pod, what_if
from e2e.tests.test_devices import claim, exactly, gpu, requests, resource_slice, using

USER = f"system:serviceaccount:{podium.NAMESPACE}:podium"
POLICY = f"""apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {{level: Metadata, users: ["{USER}"], verbs: [get, list, watch]}}
- {{level: None}}
"""
# A reader that asks again and again for a kind that is not served does so more often in this time than MISSES.
WATCHED, MISSES = 20, 2  # seconds, requests
# A line of the log: a warning or an error. /readyz may be asked before the lists are there.
TROUBLE = re.compile(r"\S+ [WE] (?!health check failed)")


class ApiServer:
    """What a scheduler and its users need of an API server."""

    nodes = (node("n1", cpu="2"), node("n2", cpu="2", memory="16Gi"))
    release = None  # "1.37"
    program = BIN / "kube-apiserver"

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane(api_server=cls.program)
        cls.addClassCleanup(cls.plane.stop)
        cls.audit, policy = cls.plane.dir / "audit.log", cls.plane.dir / "audit-policy.yaml"
        policy.write_text(POLICY)
        cls.plane.api_flags += ["--audit-policy-file", policy, "--audit-log-path", cls.audit,
                                "--client-ca-file", cls.plane.dir / "ca.crt"]  # which the API server publishes for podium
        cls.plane.start()
        podium.install(cls.plane, cls.values)
        devices = {"metadata": {"name": "gpu"}, "spec": {"selectors": [{"cel": {"expression": 'device.driver == "gpu.example.com"'}}]}}
        for made in (*cls.nodes, {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", **devices},
                     resource_slice("n1", gpu("gpu-0", "40Gi")),
                     {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}):
            cls.plane.create(made)
        cls.podium = podium.Podium(cls.plane).start()
        cls.addClassCleanup(cls.podium.stop)
        cls.began = time.monotonic()

    def tearDown(self):
        self.plane.kubectl("delete", "pods", "--all", "--grace-period=0", "--force", "--wait=false")
        self.knows("pods", 0)

    def test_the_server_is_of_this_release(self):
        version = self.plane.get("/version")
        self.assertEqual(f"{version['major']}.{version['minor']}", self.release)

    def test_pods_are_placed_and_reported(self):
        self.plane.create(pod("fits"))
        self.plane.create(pod("selects", nodeSelector={"kubernetes.io/hostname": "n2"}))
        self.plane.create(pod("big", cpu="64"))
        self.assertIn(self.bound("fits"), ("n1", "n2"))
        self.assertEqual(self.bound("selects"), "n2")
        self.assertEqual(self.report("selects", "Scheduled")["status"]["choice"]["nodeName"], "n2")
        self.report("big", "Unschedulable", "0/2 nodes are available: 2 Insufficient cpu.")

    def test_a_pod_with_a_claim_gets_its_device(self):
        self.plane.create(claim("mine", requests(exactly())))
        self.plane.create(using("uses", claim="mine"))
        self.assertEqual(self.bound("uses"), "n1")
        status = self.plane.get("/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/mine")["status"]
        self.assertEqual([r["device"] for r in status["allocation"]["devices"]["results"]], ["gpu-0"])
        self.assertEqual([user["name"] for user in status["reservedFor"]], ["uses"])

    def test_a_more_important_pod_evicts(self):
        for name in ("n1", "n2"):
            self.plane.create(pod(f"fills-{name}", cpu="1500m", nodeSelector={"kubernetes.io/hostname": name}))
            self.bound(f"fills-{name}")
        self.plane.create(pod("vip", cpu="1500m", priorityClassName="high"))
        self.bound("vip")

    def test_a_what_if_is_answered(self):
        self.plane.create(what_if("asked", {"spec": pod("asked")["spec"]}, replicas=3))
        answer = self.answer("asked")
        self.assertEqual(answer["outcome"], "Fits", answer)

    def test_nothing_is_asked_for_again_and_again(self):
        wait_until(lambda: time.monotonic() - self.began > WATCHED, "podium has run for a while")
        # A watch has an event when it begins and one when it ends.
        replies = {e["auditID"]: (e["requestURI"].partition("?")[0], e["responseStatus"]["code"])
                   for e in map(json.loads, lines_of(self.audit))}
        self.assertIn(("/api/v1/nodes", 200), replies.values())
        missed = collections.Counter(path for path, code in replies.values() if code == 404)
        self.assertEqual({path: times for path, times in missed.items() if times > MISSES}, {})

    def test_the_log_has_no_trouble(self):
        self.ready()
        self.assertEqual([line for line in self.podium.log().splitlines() if TROUBLE.match(line)], [])


class Reference(ApiServer, Live):
    release = "1.37"


class Older(ApiServer):
    @classmethod
    def setUpClass(cls):
        subprocess.run([ROOT / "tools/kube.sh", f"kube-apiserver-{cls.release}"], cwd=ROOT, check=True)
        cls.program = ROOT / f"build/kube-{cls.release}/bin/kube-apiserver"
        super().setUpClass()


class OneBefore(Older, Live):
    release = "1.36"


class TwoBefore(Older, Live):
    release = "1.35"


if __name__ == "__main__":
    unittest.main()
