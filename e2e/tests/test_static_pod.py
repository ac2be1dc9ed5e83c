"""podium as a static pod in kube-scheduler's place: the manifest of examples/static-pod, under kube-scheduler's own user with the
rights of its rbac.yaml."""
import unittest

import yaml

from e2e.support import podium
from e2e.support.authorization import await_rights
from e2e.support.control_plane import ROOT, ControlPlane, Process, environment, free_ports, wait_until
from e2e.tests import base

EXAMPLE = ROOT / "examples/static-pod"
USER, TOKEN = "system:kube-scheduler", "scheduler-token"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


class WithTheUser(ControlPlane):
    def _tokens(self):
        super()._tokens()
        with (self.dir / "tokens.csv").open("a") as file:
            file.write(f"{TOKEN},{USER},scheduler\n")


def asked(rule):
    """Yields (verb, group, resource, subresource, name) of everything that a rule allows."""
    for group in rule.get("apiGroups", ()):
        for resource in rule["resources"]:
            plain, _, sub = resource.partition("/")
            for verb in rule["verbs"]:
                for name in rule.get("resourceNames", [""]):
                    yield verb, group, plain, sub, name


class StaticPod(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = WithTheUser().start()
        cls.addClassCleanup(cls.plane.stop)
        cls.plane.kubectl("apply", "--server-side", "-f", f"{ROOT}/crds/")
        cls.plane.kubectl("apply", "-f", EXAMPLE / "rbac.yaml")
        wait_until(lambda: cls.plane.request("GET", base.REPORTS)[0] == 200, "the CRD is served")
        await_rights(cls.plane)

    def start(self):
        """Starts podium with the manifest's arguments, its kubeconfig and port replaced."""
        [container] = yaml.safe_load((EXAMPLE / "kube-scheduler.yaml").read_text())["spec"]["containers"]
        kubeconfig = self.plane.write_kubeconfig(self.plane.dir / "scheduler.conf", token=TOKEN)
        args = [arg.replace("/etc/kubernetes/scheduler.conf", str(kubeconfig)) for arg in container["args"]]
        [port] = free_ports(1)
        process = Process([podium.PROGRAM, *args, f"--secure-port={port}"], self.plane.dir / "static.log", env=environment())
        self.addCleanup(process.stop)
        wait_until(lambda: podium.https_get(port, "/readyz")[0] == 200, "podium ready", 180)
        return process

    def test_it_places_and_reports_under_kube_schedulers_user(self):
        process = self.start()
        self.plane.create(base.node("n1"))
        self.plane.create(base.pod("web"))
        bound = lambda: self.plane.get("/api/v1/namespaces/default/pods/web")["spec"].get("nodeName")
        self.assertEqual(wait_until(bound, "web bound"), "n1")
        self.plane.create(base.what_if("one-more", {"spec": base.pod("x")["spec"]}))
        for name, outcome in (("web", "Scheduled"), ("one-more", "Fits")):
            podium.status_of(self.plane, "default", name, outcome)
        self.assertTrue(self.plane.get(podium.LEASE)["spec"]["holderIdentity"])
        self.assertEqual(process.stop(), 0)
        self.assertNotIn("forbidden", process.log.read_text())

    def test_the_user_has_all_that_the_chart_grants(self):
        manifests = [m for m in yaml.safe_load_all(podium.render(crds=False)) if m]
        [role] = [m for m in manifests if m["kind"] == "ClusterRole" and m["metadata"]["name"] == "podium-system:podium"]
        missing, checked = [], 0
        for rule in role["rules"]:
            for verb, group, resource, sub, name in asked(rule):
                review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {
                    "user": USER, "resourceAttributes": {"verb": verb, "group": group, "resource": resource, "subresource": sub,
                                                         "name": name}}}
                code, answer = self.plane.request("POST", REVIEWS, review)
                self.assertEqual(code, 201, answer)
                checked += 1
                if not answer["status"]["allowed"]:
                    missing.append((verb, group, resource, sub, name))
        self.assertGreater(checked, 50)
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
