"""podium with a CRD of another version: an older one, a newer one, and none.

helm never changes an existing CRD, so podium finds the one that was installed first.
"""
import copy
import json
import pathlib
import unittest

from e2e.support import podium
from e2e.support.authorization import await_rights
from e2e.support.control_plane import ControlPlane, wait_until
from e2e.tests.base import REPORTS, Live, node, pod, what_if

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
NAME = "schedulingreports.podium.dev"
FORMS = pathlib.Path(__file__).resolve().parents[2] / "unit" / "controller" / "report" / "forms"


def own_crd(plane):
    """Returns the CRD of this version, as JSON."""
    path = podium.CRDS / f"{NAME}.yaml"
    return json.loads(plane.kubectl("create", "--dry-run=client", "--validate=false", "-o", "json", "-f", path))


def status_fields(crd):
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]


def older(plane):
    crd = own_crd(plane)
    fields = status_fields(crd)
    del fields["strategies"], fields["preemption"], fields["nodeCounts"]["properties"]["evaluated"]
    selectable = crd["spec"]["versions"][0]["selectableFields"]
    selectable.remove({"jsonPath": ".status.preemption.nodeName"})
    return crd


def catalogue(count):
    """Returns the shapes of a cloud."""
    return [{"name": f"m{n}.4xlarge", "price": 0.01 * n, "allocatable": {"cpu": n % 96 + 1, "memory": f"{4 * (n % 96 + 1)}Gi"},
             "labels": {"node.kubernetes.io/instance-type": f"m{n}.4xlarge", "topology.kubernetes.io/zone": f"zone-{n % 3}"}}
            for n in range(count)]


def newer(plane):
    crd = own_crd(plane)
    status_fields(crd)["cost"] = {"type": "string"}
    status_fields(crd)["nodeCounts"]["properties"]["tainted"] = {"type": "integer"}
    extra = copy.deepcopy(crd["spec"]["versions"][0])
    extra.update(name="v1beta1", storage=False)
    crd["spec"]["versions"].append(extra)
    return crd


class Crd(Live):
    """A control plane whose CRD a test creates before podium starts."""

    crd = staticmethod(own_crd)
    nodes = [node("n1")]

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane().start()
        cls.addClassCleanup(cls.plane.stop)
        crd = cls.crd(cls.plane)
        if crd:
            cls.plane.create(crd)
            wait_until(lambda: cls.plane.request("GET", "/apis/podium.dev/v1alpha1/schedulingreports")[0] == 200,
                       "the CRD is served")
        cls.plane.kubectl("create", "namespace", podium.NAMESPACE)
        cls.plane.kubectl("apply", "--server-side", "-f", "-", stdin=podium.render([*cls.values, *podium.STEADY], crds=False))
        await_rights(cls.plane)
        for n in cls.nodes:
            cls.plane.create(n)
        cls.podium = podium.Podium(cls.plane).start()
        cls.addClassCleanup(lambda: cls.podium.stop())

    def replace(self, crd):
        crd["metadata"]["resourceVersion"] = self.plane.get(f"{CRDS}/{NAME}")["metadata"]["resourceVersion"]
        status, body = self.plane.request("PUT", f"{CRDS}/{NAME}", crd)
        self.assertEqual(status, 200, body)

    def lines(self, words):
        return [line for line in self.podium.log().splitlines() if words in line]

    def crd_ready(self, value):
        return lambda: f"podium_report_crd_ready {value}\n" in self.podium.get("/metrics")[1]


class Forms(Crd):
    """unit/explain/report/forms has a status of each form, as podium writes it."""

    def test_each_form_comes_back_as_it_was_written(self):
        self.podium.stop()
        token = self.plane.kubectl("create", "token", "podium", "-n", podium.NAMESPACE, "--duration", "1h").strip()
        for path in sorted(FORMS.glob("*.json")):
            with self.subTest(path.stem):
                status = json.loads(path.read_text())
                report = what_if(path.stem, {"spec": pod("x")["spec"]})
                self.plane.create(report)
                done, body = self.plane.request("PATCH", f"{REPORTS}/{path.stem}/status",
                                                {"status": status}, token=token, content_type="application/merge-patch+json")
                self.assertEqual(done, 200, body)
                self.assertEqual(self.plane.get(f"{REPORTS}/{path.stem}")["status"], status)
                where = status.get("choice", {}).get("nodeName", "")
                chosen = self.plane.get(f"{REPORTS}?fieldSelector=status.choice.nodeName%3D{where}")["items"]
                self.assertIn(path.stem, [r["metadata"]["name"] for r in chosen])
        shown = [row.split() for row in self.plane.kubectl("get", "sr").splitlines()]
        forms = [row for row in shown if (FORMS / f"{row[0]}.json").exists()]
        self.assertEqual(len(forms), len(list(FORMS.glob("*.json"))))
        for row in forms:
            self.assertGreaterEqual(len(row), 8, f"a blank column: {row}")

    def test_a_question_that_is_invalid_is_refused_by_the_schema(self):
        template = {"spec": pod("x")["spec"]}
        taint = {"key": "k", "effect": "NoSchedule"}
        cases = (({}, "exactly one of podRef, template, workloadRef and search"),
                 ({"template": template, "podRef": {"name": "p"}}, "exactly one of podRef, template, workloadRef and search"),
                 ({"template": template, "dryRun": False}, "podRef and ttlSeconds are the fields of a decision"),
                 ({"podRef": {"name": "p"}, "dryRun": False, "nonce": "n"}, "podRef and ttlSeconds are the fields"),
                 ({"template": template, "replicas": 10001}, "spec.replicas"),
                 ({"template": template, "ttlSeconds": -1}, "spec.ttlSeconds"),
                 ({"template": template, "ttl": "1h"}, None),
                 ({"template": template, "replicas": 2, "minCount": 3}, "minCount must not be larger than replicas"),
                 ({"workloadRef": {"kind": "CronJob", "name": "c"}}, "spec.workloadRef.kind"),
                 ({"template": template, "nodes": ["a", "a"]}, "Duplicate value"),
                 ({"template": template, "nodes": [f"n{i}" for i in range(17)]}, "spec.nodes"),
                 ({"template": template, "strategies": [{"name": "a", "weight": 1}, {"name": "a", "weight": 2}]}, "Duplicate value"),
                 ({"template": template, "changes": [{"type": "Explode"}]}, "spec.changes[0].type"),
                 ({"template": template, "changes": [{"type": "AddNodes", "count": 1}]}, "exactly one of like and template"),
                 ({"template": template, "changes": [{"type": "AddNodes", "like": "n"}]}, "count is required for AddNodes"),
                 ({"template": template, "changes": [{"type": "CordonNode"}]}, "nodeName is required"),
                 ({"template": template, "changes": [{"type": "CordonNode", "nodeName": "n", "taint": taint}]}, "taint is required for"),
                 ({"template": template, "changes": [{"type": "DeletePods", "namespace": "n"}]}, "selector is required"),
                 ({"template": template, "changes": [{"type": "FailNodes"}]}, "exactly one of nodeNames and selector"),
                 ({"template": template, "changes": [{"type": "FailNodes", "nodeNames": ["n"], "thenUncordon": True}]}, "thenUncordon is for"),
                 ({"template": template, "changes": [{"type": "DrainNodes"}]}, "nodeNames is required"),
                 ({"template": template, "changes": [{"type": "LabelNode", "nodeName": "n", "labels": {"a": "b"}, "selector": {}}]},
                  "selector is for"),
                 ({"template": template, "changes": [{"type": "FailNodes", "selector": {"matchLabels": {"zone": "a"}}},
                                                     {"type": "FailNodes", "nodeNames": ["n"]}]}, None),
                 ({"template": template, "changes": [
                     {"type": "AddNodes", "count": 2, "like": "n"}, {"type": "DrainNode", "nodeName": "n"},
                     {"type": "TaintNode", "nodeName": "n", "taint": taint}, {"type": "UntaintNode", "nodeName": "n", "key": "k"},
                     {"type": "LabelNode", "nodeName": "n", "labels": {"a": "", "b": None}},
                     {"type": "DeletePods", "namespace": "default", "selector": {"matchLabels": {"a": "b"}}}]}, None),
                 ({"search": {}}, "exactly one of forPending, couldGo and compareWeights"),
                 ({"search": {"couldGo": {}}, "replicas": 2}, "a search has no fields about pods"),
                 ({"search": {"forPending": {"shapes": [{"name": "a"}]}}}, "exactly one of allocatable and like"),
                 ({"search": {"forPending": {"shapes": [{"name": "a", "like": "n", "labels": {}}]}}}, "has the labels, taints, devices and CSI limits of that node"),
                 ({"search": {"forPending": {"shapes": [{"name": "a", "allocatable": {"cpu": 16, "memory": "1Gi"}, "price": 0.5, "max": 3}]}}}, None),
                 ({"search": {"forPending": {"shapes": [{"name": "a", "allocatable": {"cpu": 16}, "devices": [{"count": 2}]}]}}}, "devices[0].driver"),
                 ({"search": {"forPending": {"shapes": [{"name": "a", "allocatable": {"cpu": 16}, "csiLimits": {"ebs.csi.aws.com": -1}}]}}}, "csiLimits"),
                 ({"search": {"forPending": {"shapes": [{"name": "a", "allocatable": {"cpu": 16}, "devices": [
                     {"driver": "gpu.example.com", "count": 2, "attributes": {"model": {"string": "a100"}, "nvlink": {"bool": True}},
                      "capacity": {"memory": {"value": "40Gi"}}}]}]}}}, None),
                 ({"search": {"forPending": {"shapes": catalogue(512)}}}, None),
                 ({"search": {"forPending": {"shapes": catalogue(513)}}}, "must have at most 512 items"),
                 ({"search": {"couldGo": {}, "compareWeights": {"strategies": [{"name": "ImageLocality", "weight": 0}]}}},
                  "exactly one of forPending, couldGo and compareWeights"),
                 ({"search": {"couldGo": {}}}, None),
                 ({"search": {"compareWeights": {"strategies": [{"name": "ImageLocality", "weight": 0}]}}}, None),
                 ({"template": template, "refreshSeconds": 9}, "must be 0 or at least 10"),
                 ({"template": template, "refreshSeconds": 86401}, "spec.refreshSeconds"),
                 ({"template": template, "refreshSeconds": 0}, None),
                 ({"workloadRef": {"kind": "Deployment", "name": "d"}, "fixes": True, "refreshSeconds": 10, "nonce": "x",
                   "minCount": 2, "topologyKey": "zone", "nodes": ["a"], "strategies": [{"name": "a", "weight": 0}]}, None))
        for number, (spec, words) in enumerate(cases):
            with self.subTest(spec):
                report = what_if(f"sense-{number}")
                report["spec"].update(spec)
                status, body = self.plane.request("POST", REPORTS, report)
                if words is None:
                    self.assertEqual(status, 201, body)
                    changed = [change["labels"] for change in body["spec"].get("changes", []) if "labels" in change]
                    self.assertEqual(changed, [change["labels"] for change in spec.get("changes", []) if "labels" in change],
                                     "a label that is null is removed by the change, and must stay")
                else:
                    self.assertEqual(status, 422, body)
                    self.assertIn(words, body["message"])


class Older(Crd):
    crd = staticmethod(older)

    def test_it_logs_what_is_missing_and_continues_without_it(self):
        wait_until(lambda: self.lines("older than podium"), "it says so")
        line, = self.lines("older than podium")
        self.assertIn('missing="status.nodeCounts.evaluated, status.preemption, status.strategies"', line)
        wait_until(self.crd_ready(0), "the metric")
        self.plane.create(pod("before"))
        self.bound("before")
        status = self.report("before", "Scheduled")["status"]
        self.assertEqual(status["topNodes"][0]["nodeName"], "n1")
        self.assertNotIn("strategies", status)
        self.plane.create(what_if("asks", {"spec": pod("x")["spec"]}))
        self.assertEqual(self.answer("asks")["outcome"], "Fits")
        self.replace(own_crd(self.plane))
        token = self.plane.kubectl("create", "token", "podium", "-n", podium.NAMESPACE).strip()
        tried = {"status": {"strategies": [{"name": "NodeResourcesFit", "weight": 1}]}}
        keeps = lambda: "strategies" in self.plane.request("PATCH", f"{REPORTS}/before/status?dryRun=All", tried, token,
                                                           "application/merge-patch+json")[1].get("status", {})
        wait_until(keeps, "the API server keeps the new fields")
        wait_until(lambda: self.lines("SchedulingReport CRD is complete"), "the new CRD is seen")
        wait_until(self.crd_ready(1), "the metric")
        self.plane.create(pod("after"))
        self.assertIn("strategies", self.report("after", "Scheduled")["status"])
        self.assertEqual(len(self.lines("older than podium")), 1)


class Newer(Crd):
    crd = staticmethod(newer)

    def test_its_fields_stay_empty(self):
        wait_until(self.crd_ready(1), "the CRD is read")
        self.plane.create(pod("web"))
        status = self.report("web", "Scheduled")["status"]
        self.assertIn("strategies", status)
        self.assertNotIn("cost", status)
        self.assertEqual(self.lines("the SchedulingReport CRD"), [])
        served = self.plane.get("/apis/podium.dev/v1beta1/namespaces/default/schedulingreports/web")
        self.assertEqual(served["status"]["outcome"], "Scheduled")


class Absent(Crd):
    crd = staticmethod(lambda plane: None)

    def test_it_schedules_without_and_reports_once_it_is_there(self):
        wait_until(lambda: self.lines("the SchedulingReport CRD is not installed"), "it says so")
        self.plane.create(pod("before"))
        self.bound("before")
        self.ready()
        wait_until(self.crd_ready(0), "the metric")
        self.plane.create(own_crd(self.plane))
        wait_until(lambda: self.lines("SchedulingReport CRD is complete"), "the CRD is seen")
        self.report("before", "Scheduled")
        self.plane.create(what_if("asks", {"spec": pod("x")["spec"]}))
        self.answer("asks")
        self.assertEqual(len(self.lines("is not installed")), 1)


class Forbidden(Crd):
    def test_without_the_right_to_read_it_reports_are_written(self):
        roles = [role for role in self.plane.get("/apis/rbac.authorization.k8s.io/v1/clusterroles")["items"]
                 if role["metadata"]["name"].startswith("podium")]
        for role in roles:
            role["rules"] = [rule for rule in role.get("rules") or []
                             if "customresourcedefinitions" not in rule.get("resources", [])]
            path = f"/apis/rbac.authorization.k8s.io/v1/clusterroles/{role['metadata']['name']}"
            self.assertEqual(self.plane.request("PUT", path, role)[0], 200)
        await_rights(self.plane)
        self.podium.stop()
        type(self).podium = podium.Podium(self.plane, name="forbidden").start()
        wait_until(lambda: self.lines("cannot check the SchedulingReport CRD"), "it says so")
        line, = self.lines("cannot check the SchedulingReport CRD")
        self.assertIn("verb=get resource=customresourcedefinitions", line)
        self.plane.create(pod("web"))
        self.report("web", "Scheduled")


if __name__ == "__main__":
    unittest.main()
