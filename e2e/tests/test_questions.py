"""The questions of what-ifs: workloads, placed pods, named nodes, weights, changes, groups and fixes, on a real API server; their
labels and conditions, and capacity probes."""
import datetime
import json
import unittest

from e2e.support import podium
from e2e.support.control_plane import wait_until
from e2e.tests.base import REPORTS, Live, node, pod, what_if

ZONE = "topology.kubernetes.io/zone"


def template(cpu="1", memory="64Mi", labels=None, **spec):
    return {"metadata": {"labels": labels or {"app": "web"}}, "spec": {**spec, "containers": [
        {"name": "main", "image": "app:v1", "resources": {"requests": {"cpu": cpu, "memory": memory}}}]}}


def workload(kind="Deployment", name="web", replicas=1, pod_template=None, **spec):
    pod_template = pod_template or template()
    made = {"apiVersion": "batch/v1" if kind == "Job" else "apps/v1", "kind": kind, "metadata": {"name": name},
            "spec": {"template": pod_template, **spec}}
    if kind == "Job":
        made["spec"].update(parallelism=replicas, completions=replicas)
        pod_template["spec"]["restartPolicy"] = "Never"
        return made
    made["spec"]["selector"] = {"matchLabels": pod_template["metadata"]["labels"]}
    if kind != "DaemonSet":
        made["spec"]["replicas"] = replicas
    if kind == "StatefulSet":
        made["spec"].update(serviceName=name, podManagementPolicy="Parallel")
    return made


def zoned(name, zone, cpu, **more):
    return node(name, cpu=cpu, labels={ZONE: zone, **more.pop("labels", {})}, **more)


NODES = [zoned("a1", "zone-a", "4"), zoned("a2", "zone-a", "4"), zoned("b1", "zone-b", "7", labels={"disk": "ssd"}),
         zoned("b2", "zone-b", "3"), zoned("gpu", "zone-b", "8", taints=[{"key": "gpu", "value": "yes", "effect": "NoSchedule"}])]


class Asking(Live):
    asked = 0

    def counter(self):
        Asking.asked += 1
        return Asking.asked

    def ask(self, subject=None, name=None, **spec):
        """Creates a what-if. Returns its status."""
        name = name or f"ask-{self.counter()}"
        self.plane.create(what_if(name, subject, **spec))
        return self.answer(name)

    def edit(self, name, **spec):
        """Changes the spec of a what-if. Returns its status once podium has answered the change."""
        path = f"{REPORTS}/{name}"
        code, edited = self.plane.request("PATCH", path, {"spec": spec}, content_type="application/merge-patch+json")
        self.assertEqual(code, 200, edited)

        def answered():
            status = podium.report_of(self.plane, "default", name)["status"]
            return status if status["observedGeneration"] == edited["metadata"]["generation"] else None
        return wait_until(answered, f"{name} is answered again")

    def labels(self, name):
        return podium.report_of(self.plane, "default", name)["metadata"].get("labels", {})

    def complete(self, status):
        return podium.condition({"status": status}, "Complete")["message"]

    def counts(self, status):
        return {each["nodeName"]: each["count"] for each in status.get("placements", [])}


class Questions(Asking):
    nodes = NODES

    def test_a_deployment_by_manifest(self):
        status = self.ask(workload(replicas=8))
        self.assertEqual(status["outcome"], "Fits")
        self.assertEqual(status["replicas"], {"asked": 8, "fitting": 8})
        self.assertEqual(sum(self.counts(status).values()), 8)
        self.assertIn("PodTopologySpread", [s["name"] for s in status["strategies"]], "its ReplicaSet selects its pods")
        self.assertEqual(status["choice"]["nodeName"], status["topNodes"][0]["nodeName"])
        too_many = self.ask(workload(replicas=100))
        self.assertEqual((too_many["outcome"], too_many["replicas"]["fitting"]), ("PartlyFits", 18))
        self.assertEqual(too_many["firstFailure"]["replica"], 19)
        self.assertEqual(too_many["firstFailure"]["nodeCounts"]["feasible"], 0)
        self.assertIn("Insufficient cpu", [r["reason"] for r in too_many["firstFailure"]["rejections"]])

    def test_a_workload_by_reference_and_a_placed_pod(self):
        self.plane.kubectl("apply", "-f", "-", stdin=json.dumps(workload("StatefulSet", "db", 3, template(labels={"app": "db"}))))
        status = self.ask(workloadRef={"kind": "StatefulSet", "name": "db"})
        self.assertEqual((status["outcome"], status["replicas"]["asked"]), ("Fits", 3))
        self.assertEqual(self.ask(workloadRef={"kind": "Job", "name": "db"})["message"], "spec.workloadRef.name: Job db not found")
        self.plane.create(pod("large", cpu="7"))
        self.assertEqual(self.bound("large"), "b1")
        wait_until(lambda: self.ask(template("7"))["outcome"] == "DoesNotFit", "b1 is taken")
        placed = self.ask(podRef={"name": "large"})
        self.assertEqual((placed["outcome"], placed["choice"]["nodeName"]), ("Fits", "b1"))
        self.assertIn("(as if it were not on b1)", self.complete(placed))
        self.plane.kubectl("delete", "pod", "large", "--force", "--grace-period=0")
        wait_until(lambda: self.ask(template("7"))["outcome"] == "Fits", "b1 is free")

    def test_named_nodes_and_their_fixes(self):
        status = self.ask(template("4"), nodes=["a1", "b2", "gpu", "nowhere"], fixes=True)
        a1, b2, gpu, nowhere = status["verdicts"]
        self.assertTrue(a1["fits"])
        self.assertEqual(a1["score"], sum(s["weight"] * score for s, score in zip(status["strategies"], a1["strategyScores"])))
        self.assertEqual((b2["plugin"], b2["code"], b2["reasons"]), ("NodeResourcesFit", "InsufficientResource", ["Insufficient cpu"]))
        self.assertEqual(b2["wouldFitWith"], "request at most 3 of cpu in container main, not 4")
        self.assertEqual((gpu["code"], gpu["wouldFitWith"]), ("UntoleratedTaint", "tolerate the taint gpu=yes:NoSchedule"))
        self.assertEqual(nowhere["code"], "UnknownNode")

    def test_fixes_hold(self):
        status = self.ask(template("8"), fixes=True)
        self.assertEqual(status["outcome"], "DoesNotFit")
        by_type = {fix["type"]: fix for fix in status["fixes"]}
        self.assertEqual(by_type["TolerateTaint"]["taint"], {"key": "gpu", "value": "yes", "effect": "NoSchedule"})
        self.assertEqual(by_type["RequestLess"]["atMost"], "7")
        self.assertEqual(self.ask(template("7"))["outcome"], "Fits")
        tolerant = template("8", tolerations=[{"key": "gpu", "operator": "Exists"}])
        self.assertEqual(self.ask(tolerant)["choice"]["nodeName"], by_type["TolerateTaint"]["nodeName"])
        status = self.ask(template("8"), replicas=2, fixes=True)
        less = next(fix for fix in status["fixes"] if fix["type"] == "RequestLess")
        self.assertEqual((less["atMost"], less["fitting"]), ("4", 2))
        self.assertEqual(self.ask(template(less["atMost"]), replicas=2)["outcome"], "Fits")

    def test_changes(self):
        status = self.ask(template("6"), replicas=3, changes=[
            {"type": "UntaintNode", "nodeName": "gpu", "key": "gpu"}, {"type": "DrainNode", "nodeName": "a1"},
            {"type": "AddNodes", "count": 1, "like": "b1"}])
        self.assertEqual(status["outcome"], "Fits", status)
        self.assertEqual(self.counts(status), {"gpu": 1, "b1": 1, "b1-new-1": 1})
        self.assertEqual([c["type"] for c in status["changes"]], ["UntaintNode", "DrainNode", "AddNodes"])
        self.assertEqual(status["changes"][1]["podsPending"], 0)
        self.assertEqual(self.ask(template("6"), changes=[{"type": "RemoveNode", "nodeName": "b1"}])["outcome"], "DoesNotFit")
        self.assertEqual(self.ask(template("6"))["choice"]["nodeName"], "b1", "the cluster has not changed")

    def test_weights_and_groups(self):
        prefers = template(affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 1, "preference": {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}}]}})
        strong = self.ask(prefers, strategies=[{"name": "NodeAffinity", "weight": 100}])
        self.assertEqual(strong["choice"]["nodeName"], "b1")
        off = self.ask(prefers, strategies=[{"name": "NodeAffinity", "weight": 0}])
        self.assertNotIn("NodeAffinity", [s["name"] for s in off["strategies"]])
        group = self.ask(template(), minCount=9, topologyKey=ZONE)["group"]
        self.assertEqual((group["fits"], group["domain"]), (True, "zone-b"))
        self.assertIn({"name": "zone-a", "fitting": 8, "missing": 1}, group["domains"])

    def test_labels_are_those_of_the_answer(self):
        status = self.ask(template(), "labelled", replicas=2)
        expires = datetime.datetime.strptime(status["expiresAt"], "%Y-%m-%dT%H:%M:%SZ") + datetime.timedelta(seconds=59)
        self.assertEqual(self.labels("labelled"), {"podium.dev/report": "question", "podium.dev/outcome": "Fits",
                                                   "podium.dev/expires": expires.strftime("%Y%m%d%H%M")})
        self.assertEqual(self.edit("labelled", replicas=99)["outcome"], "PartlyFits")
        self.assertEqual(self.labels("labelled")["podium.dev/outcome"], "PartlyFits")
        self.ask(template(), "kept-one", ttlSeconds=0)
        self.assertEqual(self.labels("kept-one"), {"podium.dev/report": "question", "podium.dev/outcome": "Fits"})
        selected = self.plane.kubectl("get", "sr", "-n", "default", "-l", "podium.dev/report=question,podium.dev/outcome=PartlyFits",
                                      "-o", "name")
        self.assertIn("/labelled\n", selected)
        self.assertNotIn("/kept-one\n", selected)

    def test_a_condition_keeps_its_time_until_its_status_changes(self):
        first = self.ask(template(), "steady")
        times = {each["type"]: each["lastTransitionTime"] for each in first["conditions"]}

        def later():
            status = self.edit("steady", nonce=str(self.counter()))
            return status if status["decidedAt"] != first["decidedAt"] else None
        again = wait_until(later, "an answer in another second")
        self.assertEqual({each["type"]: each["lastTransitionTime"] for each in again["conditions"]}, times)
        refused = self.edit("steady", profile="nobody")
        self.assertEqual(podium.condition({"status": refused}, "Accepted")["lastTransitionTime"], refused["decidedAt"])
        self.assertEqual(podium.condition({"status": refused}, "Complete")["lastTransitionTime"], times["Complete"])

    def test_a_capacity_probe(self):
        series = 'podium_what_if_fitting{namespace="default",name="probe"}'

        def shows(count):
            fitting = podium.report_of(self.plane, "default", "probe")["status"]["replicas"]["fitting"]
            return fitting == count and f"{series} {count}\n" in self.podium.get("/metrics")[1]
        self.ask(template("2"), "probe", replicas=50, ttlSeconds=0, refreshSeconds=10)
        wait_until(lambda: shows(8), "eight fit")
        self.plane.create(pod("takes-room", cpu="2"))
        self.bound("takes-room")
        wait_until(lambda: shows(7), "seven fit")
        self.assertEqual(podium.report_of(self.plane, "default", "probe")["metadata"]["generation"], 1, "nobody has asked again")
        self.plane.kubectl("delete", "pod", "takes-room", "--force", "--grace-period=0")
        wait_until(lambda: shows(8), "eight fit again")
        self.plane.kubectl("delete", "sr", "probe", "-n", "default")
        wait_until(lambda: series not in self.podium.get("/metrics")[1], "the series ends")
        brief = self.ask(template(), ttlSeconds=60, refreshSeconds=31)
        self.assertIn("spec.refreshSeconds: must be at most half", brief["message"])

    def test_probes_are_bounded(self):
        names = [f"bounded-{i}" for i in range(11)]
        items = [what_if(name, template(), refreshSeconds=3600) for name in names]
        self.plane.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        reasons = sorted(podium.condition({"status": self.answer(name)}, "Accepted")["reason"] for name in names)
        self.assertEqual(reasons, ["Accepted"] * 10 + ["TooManyRefreshed"])
        self.plane.kubectl("delete", "sr", "-n", "default", *names)

    def test_what_is_invalid_is_reported_with_its_path(self):
        wrong = self.ask(template(), nodes=["a1"], changes=[{"type": "CordonNode", "nodeName": "nowhere"}])
        self.assertEqual((wrong["outcome"], wrong["message"]), ("Refused", 'spec.changes[0].nodeName: there is no node nowhere'))
        misspelt = workload()
        misspelt["spec"]["replica"] = 3
        self.assertEqual(self.ask(misspelt)["message"], "spec.template.spec.replica: unknown field")


class WithoutTheRightToLabel(Asking):
    nodes = NODES[:1]

    @classmethod
    def connect(cls):
        path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/podium-system:podium"
        role = cls.plane.get(path)
        for rule in role["rules"]:
            if "schedulingreports" in rule.get("resources", []):
                rule["verbs"].remove("patch")
        role["metadata"].pop("resourceVersion")
        code, body = cls.plane.request("PUT", path, role)
        assert code == 200, body
        account = f"system:serviceaccount:{podium.NAMESPACE}:podium"
        about = {"group": "podium.dev", "resource": "schedulingreports", "verb": "patch", "namespace": "default"}
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
                  "spec": {"user": account, "resourceAttributes": about}}
        reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
        wait_until(lambda: not cls.plane.request("POST", reviews, review)[1]["status"]["allowed"], "the right is taken away")
        return super().connect()

    def test_it_is_still_answered(self):
        self.assertEqual(self.ask(template(), "plain")["outcome"], "Fits")
        self.assertEqual(self.edit("plain", replicas=9)["outcome"], "PartlyFits")
        self.assertEqual(self.labels("plain"), {})
        lines = wait_until(lambda: [line for line in self.podium.log().splitlines() if "labels of what-ifs are not written" in line],
                           "a line tells")
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("cannot patch resource", lines[0])


if __name__ == "__main__":
    unittest.main()
