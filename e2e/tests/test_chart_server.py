"""The chart on a real API server: the server accepts every rendering, its pods meet the restricted Pod Security Standard, and the real
helm installs, upgrades, tests and removes releases."""
import concurrent.futures
import contextlib
import json
import os
import re
import subprocess
import unittest

import yaml

from e2e.chart.manifests import VALUE_FILES, of_kind, one, rendered
from e2e.support import podium
from e2e.support.authorization import await_rights
from e2e.support.control_plane import BIN, ControlPlane, environment, wait_until
from e2e.tests import base
from e2e.tests.base import Live

# Stand-ins for the CRDs of prometheus-operator and cert-manager, with the fields that the chart sets.
OF_OTHERS = (("monitoring.coreos.com", "ServiceMonitor", "servicemonitors"),
             ("monitoring.coreos.com", "PrometheusRule", "prometheusrules"),
             ("cert-manager.io", "Certificate", "certificates"))
CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/schedulingreports.podium.dev"


def stand_in(group, kind, plural):
    schema = {"type": "object", "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": plural}, "versions": [version]}}


class Taken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane().start()
        cls.addClassCleanup(cls.plane.stop)
        for crd in OF_OTHERS:
            cls.plane.create(stand_in(*crd))
        podium.install(cls.plane)
        cls.plane.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {
            "name": "restricted", "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})

    def test_every_rendering_is_valid(self):
        for group, _, plural in OF_OTHERS:
            wait_until(lambda: self.plane.request("GET", f"/apis/{group}/v1/{plural}")[0] == 200, f"{plural} are served")

        def refused(file):
            manifests = podium.render(files=[file], hooks=True)
            done = self.plane.kubectl("apply", "--server-side", "--force-conflicts", "--dry-run=server",
                                      "--validate=strict", "-f", "-", stdin=manifests, check=False)
            return done.stderr if done.returncode or "unknown field" in done.stderr else ""
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for file, trouble in zip(VALUE_FILES, pool.map(refused, VALUE_FILES)):
                with self.subTest(file.name):
                    self.assertEqual(trouble, "")

    def pods(self, file):
        manifests = rendered(files=[file], hooks=True)
        yield {**one(manifests, "Deployment")["spec"]["template"], "apiVersion": "v1", "kind": "Pod"}
        yield from of_kind(manifests, "Pod")

    def in_restricted(self, made):
        """Returns the API server's reply to a pod in a restricted namespace."""
        made["metadata"] = {"name": "podium", "labels": made["metadata"].get("labels", {})}
        return self.plane.request("POST", "/api/v1/namespaces/restricted/pods?dryRun=All", made)

    def test_pods_are_restricted(self):
        for file in VALUE_FILES:
            for made in self.pods(file):
                with self.subTest(file.name, pod=made["metadata"].get("name")):
                    self.assertEqual(self.in_restricted(made)[0], 201)
        for change in ({"allowPrivilegeEscalation": True}, {"capabilities": {}}):  # the namespace does check
            loose = next(self.pods(VALUE_FILES[0]))
            loose["spec"]["containers"][0]["securityContext"] |= change
            self.assertEqual(self.in_restricted(loose)[0], 403)


class Releases(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane().start()
        cls.addClassCleanup(cls.plane.stop)
        cls.plane.create(base.node("n1", cpu="64"))

    def helm(self, *args, plane=None, fails=False):
        """Returns standard output, or standard error if helm fails."""
        plane = plane or self.plane
        home = {f"HELM_{kind}_HOME": str(plane.dir / "helm") for kind in ("CACHE", "CONFIG", "DATA")}
        done = subprocess.run([BIN / "helm", *args], capture_output=True, text=True,
                              env=environment(KUBECONFIG=str(plane.kubeconfig), **home))
        self.assertEqual(done.returncode != 0, fails, done.stderr)
        return done.stderr if fails else done.stdout

    def run_release(self, namespace):
        """Starts a podium as the release in this namespace runs it."""
        get = lambda *args: self.plane.kubectl("-n", namespace, *args)
        await_rights(self.plane)
        one_podium = podium.Podium(self.plane, get("get", "configmap", "podium", "-o", r"jsonpath={.data.config\.yaml}"),
                                   f"podium-{namespace}", token=get("create", "token", "podium").strip())
        self.addCleanup(one_podium.stop)
        return one_podium.start()

    def placed(self, name, scheduler):
        """Returns a pod that this scheduler has placed and reported."""
        self.plane.create(base.pod(name, schedulerName=scheduler))
        report = lambda: podium.report_of(self.plane, "default", name) or {}
        wait_until(lambda: report().get("status", {}).get("profile") == scheduler, f"the report of {name}")

    def left(self, manifests):
        """Returns the objects of a release that still exist."""
        done = self.plane.kubectl("get", "--ignore-not-found", "-o", "name", "-f", "-", stdin=manifests)
        return done.split()

    def test_two_side_by_side_and_their_ends(self):
        chart = podium.CHART
        notes = self.helm("install", "podium", chart, "-n", "one", "--create-namespace", "--set", "schedulerName=first")
        self.assertNotIn("was there before", notes)
        notes = self.helm("install", "podium", chart, "-n", "two", "--create-namespace", "--set", "schedulerName=second")
        self.assertIn("was there before, of release one/podium", notes)
        manifests = self.helm("get", "manifest", "podium", "-n", "one")
        self.assertIn("kind: CustomResourceDefinition", manifests)
        self.assertNotIn("kind: CustomResourceDefinition", self.helm("get", "manifest", "podium", "-n", "two"))

        refused = self.helm("install", "podium", chart, "-n", "three", "--create-namespace", "--set", "schedulerName=second",
                            fails=True)
        self.assertIn('the release podium in namespace two already serves "second"', refused)

        first, second = self.run_release("one"), self.run_release("two")
        self.placed("of-first", "first")
        self.placed("of-second", "second")

        uid = self.plane.get(CRD)["metadata"]["uid"]
        deployment = "/apis/apps/v1/namespaces/one/deployments/podium"
        checksum = lambda: self.plane.get(deployment)["spec"]["template"]["metadata"]["annotations"]["checksum/config"]
        before = checksum()
        self.helm("upgrade", "podium", chart, "-n", "one", "--reuse-values", "--set", "podium.whatIf.workers=2")
        self.assertNotEqual(checksum(), before)
        self.helm("rollback", "podium", "1", "-n", "one")
        self.assertEqual(checksum(), before)
        self.assertEqual(self.plane.get(CRD)["metadata"]["uid"], uid)

        first.stop()
        self.helm("uninstall", "podium", "-n", "one")
        wait_until(lambda: self.left(manifests) == ["customresourcedefinition.apiextensions.k8s.io/schedulingreports.podium.dev"],
                   "all but the CRD has gone")
        self.assertIsNotNone(podium.report_of(self.plane, "default", "of-first"))
        self.placed("later", "second")

        notes = self.helm("install", "podium", chart, "-n", "one", "--set", "schedulerName=first")
        self.assertNotIn("was there before", notes)
        self.assertEqual(self.plane.get(CRD)["metadata"]["uid"], uid)
        second.stop()

    def test_a_crd_that_no_release_has(self):
        plane = ControlPlane().start()
        self.addCleanup(plane.stop)
        plane.kubectl("apply", "--server-side", "-f", podium.CRDS)
        notes = self.helm("install", "podium", podium.CHART, "-n", "one", "--create-namespace", plane=plane)
        self.assertIn("was there before, of no release", notes)


class HelmTest(Live):
    """The hooks of `helm test`, with the real kubectl in place of its image."""

    values = []
    nodes = (base.node("n1"),)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        hooks = [m for m in yaml.safe_load_all(podium.render(hooks=True, crds=False))
                 if m and m["metadata"].get("annotations", {}).get("helm.sh/hook") == "test"]
        cls.pods = {m["metadata"]["name"]: m for m in hooks if m["kind"] == "Pod"}
        podium.apply(cls.plane, yaml.safe_dump_all(hooks))

    def test_podium_places_a_pod(self):
        path = f"/api/v1/namespaces/{podium.NAMESPACE}/pods/podium-test-schedules"
        wait_until(lambda: self.plane.get(path)["spec"].get("nodeName"), "the pod placed")
        [container] = self.pods["podium-test-schedules"]["spec"]["containers"]
        self.assertEqual(subprocess.run([podium.PROGRAM, *container["args"]], stdout=subprocess.DEVNULL).returncode, 0)

    def test_podium_answers_a_what_if(self):
        spec = self.pods["podium-test-what-if"]["spec"]
        token = self.plane.kubectl("create", "token", spec["serviceAccountName"], "-n", podium.NAMESPACE).strip()
        config = json.loads(self.plane.write_kubeconfig(self.plane.dir / "test.kubeconfig", token=token).read_text())
        config["contexts"][0]["context"]["namespace"] = podium.NAMESPACE
        (self.plane.dir / "test.kubeconfig").write_text(json.dumps(config))
        done = self.plane.kubectl(*spec["containers"][0]["args"], kubeconfig=self.plane.dir / "test.kubeconfig")
        self.assertIn("condition met", done)


class Watched(Live):
    nodes = (base.node("n1"),)

    def test_alerts_and_the_dashboard_ask_for_metrics_that_podium_has(self):
        self.plane.create(base.pod("one"))
        self.report("one", "Scheduled")
        served = lambda: set(re.findall(r"^# TYPE (\S+)", self.podium.get("/metrics")[1], re.M))
        manifests = podium.render(["prometheusRule.enabled=true", "dashboard.enabled=true"], crds=False)
        names = re.findall(r"\b((?:podium|scheduler|leader_election|rest_client|process)_[a-z_]+?)(?:_bucket)?\{", manifests)
        self.assertGreater(len(set(names)), 12)
        with contextlib.suppress(TimeoutError):  # the comparison reports what is missing
            wait_until(lambda: set(names) <= served(), "all metrics", 60)
        self.assertEqual(set(names) - served(), set())


class OnKubeSchedulersLease(Live):
    nodes = (base.node("n1"),)

    def test_it_leads_and_schedules(self):
        self.plane.create(base.pod("web"))
        self.bound("web")
        lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"
        self.assertIn(os.uname().nodename, wait_until(lambda: self.plane.get(lease)["spec"].get("holderIdentity"), "a holder"))


if __name__ == "__main__":
    unittest.main()
