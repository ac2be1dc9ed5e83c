"""ResourceQuotas: what a what-if says that a quota allows is what the API server then admits, with the quota controller of a real
kube-controller-manager. The same question on a dump has the same quotas in its answer."""
import json
import subprocess
import unittest

from e2e.support import controllers, podium
from e2e.support.control_plane import environment, wait_until
from e2e.support.quantity import parse
from e2e.tests.base import Live, node, what_if

MOST = 12  # pods that a case tries


def spec(cpu=None, memory=None, limits=None, **more):
    requests = {name: amount for name, amount in (("cpu", cpu), ("memory", memory)) if amount}
    resources = {"resources": {**({"requests": requests} if requests else {}), **({"limits": limits} if limits else {})}}
    return {"terminationGracePeriodSeconds": 0, "schedulerName": "nobody",
            "containers": [{"name": "main", "image": "app:v1", **resources}], **more}


def scope(name, operator, *values):
    return {"scopeSelector": {"matchExpressions": [{"scopeName": name, "operator": operator, **({"values": values} if values else {})}]}}


AFFINITY = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
    {"topologyKey": "kubernetes.io/hostname", "namespaces": ["default"], "labelSelector": {"matchLabels": {"app": "none"}}}]}}
GPU = {"example.com/gpu": "2"}
# Name: hard, more of the quota's spec, the pod, pods that are there before.
CASES = {
    "pods": ({"pods": "5"}, {}, spec("100m"), 2),
    "count": ({"count/pods": "3"}, {}, spec(), 0),
    "cpu": ({"cpu": "1", "pods": "50"}, {}, spec("300m"), 1),
    "requests": ({"requests.cpu": "2", "requests.memory": "100Mi"}, {}, spec("100m", "30Mi"), 0),
    "limits": ({"limits.cpu": "1", "limits.memory": "1Gi"}, {}, spec("100m", "1Mi", {"cpu": "250m", "memory": "10Mi"}), 0),
    "storage": ({"requests.ephemeral-storage": "10Gi"}, {},
                spec(limits={"ephemeral-storage": "3Gi"}), 0),
    "extended": ({"requests.example.com/gpu": "7"}, {}, spec("1m", limits=GPU), 1),
    "missing": ({"limits.memory": "1Gi", "requests.cpu": "1"}, {}, spec("10m"), 0),
    "best-effort": ({"pods": "2"}, {"scopes": ["BestEffort"]}, spec(), 0),
    "not-best-effort": ({"pods": "2"}, {"scopes": ["NotBestEffort"]}, spec(), 0),
    "terminating": ({"pods": "2"}, {"scopes": ["Terminating"]}, spec("1m", activeDeadlineSeconds=60), 0),
    "not-terminating": ({"pods": "2"}, {"scopes": ["NotTerminating"]}, spec("1m", activeDeadlineSeconds=60), 0),
    "class": ({"pods": "3"}, scope("PriorityClass", "In", "high"), spec("1m", priorityClassName="high"), 1),
    "no-class": ({"pods": "3"}, scope("PriorityClass", "NotIn", "high"), spec("1m"), 0),
    "any-class": ({"pods": "3"}, scope("PriorityClass", "Exists"), spec("1m"), 0),
    "across": ({"pods": "1"}, {"scopes": ["CrossNamespacePodAffinity"]}, spec("1m", affinity=AFFINITY), 0),
    "init": ({"requests.cpu": "1"}, {}, spec("100m", initContainers=[
        {"name": "first", "image": "app:v1", "resources": {"requests": {"cpu": "400m"}}}]), 0),
    "pod-level": ({"requests.cpu": "1", "limits.memory": "1Gi"}, {},
                  spec(resources={"requests": {"cpu": "300m"}, "limits": {"memory": "200Mi"}}), 0),
}


class Quotas(Live):
    values = [*Live.values, "podium.reports.enabled=false"]
    nodes = tuple({**n, "status": {key: {**amounts, "ephemeral-storage": "500Gi", "example.com/gpu": "64"}
                                   for key, amounts in n["status"].items()}} for n in (node("n1", cpu="64"), node("n2", cpu="64")))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        controllers.build()
        cls.plane.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 7})
        cls.plane.create({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {
            "name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}, "provisioner": "example.com/none",
            "volumeBindingMode": "WaitForFirstConsumer"})
        process = controllers.controllers(cls.plane, names=("resourcequota",), flags=("--concurrent-resource-quota-syncs", "4"))
        cls.addClassCleanup(process.stop)

    def make_quota(self, namespace, hard, more):
        """Waits until its status is filled in and admission, which has a cache, knows it."""
        self.plane.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard, **more}},
                          namespace)
        path = f"/api/v1/namespaces/{namespace}/resourcequotas/q"
        wait_until(lambda: (self.plane.get(path)["status"].get("used") or {}).keys() == hard.keys(), f"{namespace}: the quota's status")

    def create_pod(self, namespace, name, made):
        return self.plane.request("POST", f"/api/v1/namespaces/{namespace}/pods",
                                  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": made})

    def ask(self, namespace, name, template, **more):
        self.plane.create({**what_if(name, template, **more), "metadata": {"name": name}}, namespace)
        return podium.status_of(self.plane, namespace, name)

    def dumped(self, namespace, template, **more):
        """The answer on a dump of the cluster."""
        dump = self.plane.dir / "dump.yaml"
        run = lambda *argv, **how: subprocess.run([podium.PROGRAM, *map(str, argv)], capture_output=True, text=True, env=environment(
            KUBECONFIG=str(self.plane.kubeconfig)), **how)
        done = run("dump")
        self.assertEqual(done.returncode, 0, done.stderr)
        dump.write_text(done.stdout)
        kind = template if "kind" in template else {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "asked"}, **template}
        done = run("whatif", "--cluster", dump, "-n", namespace, "-f", "-", "--replicas", more["replicas"], "-o", "json",
                   input=json.dumps(kind))
        self.assertTrue(done.stdout, done.stderr)
        return json.loads(done.stdout)["status"]

    def test_the_api_server_admits_what_was_said(self):
        for name, (hard, more, made, before) in CASES.items():
            with self.subTest(name):
                self.plane.kubectl("create", "namespace", name)
                for i in range(before):
                    code, reply = self.create_pod(name, f"before-{i}", made)
                    self.assertEqual(code, 201, reply)
                self.make_quota(name, hard, more)
                wait_until(lambda: self.used_is_counted(name, hard, made, before), f"{name}: the pods are counted")
                status = self.ask(name, "asked", {"spec": made}, replicas=MOST)
                quotas = status.get("quotas", [])
                self.assertEqual(quotas, self.dumped(name, {"spec": made}, replicas=MOST).get("quotas", []))
                said = min([MOST, *(q["allowed"] for q in quotas)])
                self.assertEqual(status["outcome"], "Fits" if said == MOST else "PartlyFits" if said else "DoesNotFit", status)
                admitted, refusal = self.create_until_refused(name, made)
                self.assertEqual(said, admitted, (quotas, refusal))
                if admitted < MOST and quotas[0].get("reason"):
                    self.assertIn(quotas[0]["reason"], refusal)
                if quotas and not quotas[0].get("reason"):
                    self.check_usage(name, quotas[0], admitted)

    def used_is_counted(self, namespace, hard, made, before):
        """Whether the quota controller has counted the pods that were there: it counts them in its own time."""
        status = self.plane.get(f"/api/v1/namespaces/{namespace}/resourcequotas/q")["status"]
        return not before or any(parse(amount) > 0 for amount in status["used"].values())

    def create_until_refused(self, namespace, made):
        for i in range(MOST):
            code, reply = self.create_pod(namespace, f"web-{i}", made)
            if code != 201:
                self.assertEqual(code, 403, reply)
                self.assertIn("quota", reply["message"])
                return i, reply["message"]
        return MOST, ""

    def check_usage(self, namespace, quota, admitted):
        """What was said to be used before, and by each pod, is what the API server has counted."""
        used = self.plane.get(f"/api/v1/namespaces/{namespace}/resourcequotas/q")["status"]["used"]
        for use in quota["resources"]:
            each = (parse(use["then"]) - parse(use["used"])) / MOST
            self.assertEqual(parse(used[use["resource"]]), parse(use["used"]) + admitted * each, use)

    def test_claims_of_a_stateful_set(self):
        self.plane.kubectl("create", "namespace", "claims")
        claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}}
        made = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"}, "spec": {
            "replicas": 6, "serviceName": "db", "selector": {"matchLabels": {"app": "db"}},
            "template": {"metadata": {"labels": {"app": "db"}}, "spec": spec("1m")},
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": claim}]}}
        post = lambda i: self.plane.request("POST", "/api/v1/namespaces/claims/persistentvolumeclaims", {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": f"data-db-{i}"}, "spec": claim})
        self.assertEqual(post(1)[0], 201)
        self.make_quota("claims", {"fast.storageclass.storage.k8s.io/requests.storage": "7Gi", "persistentvolumeclaims": "10"}, {})
        path = "/api/v1/namespaces/claims/resourcequotas/q"
        wait_until(lambda: self.plane.get(path)["status"]["used"]["persistentvolumeclaims"] == "1", "the claim is counted")
        status = self.ask("claims", "asked", made)
        codes = {i: post(i)[0] for i in (0, 2, 3)}
        self.assertEqual(codes, {0: 201, 2: 201, 3: 403})
        self.assertEqual(status["quotas"][0]["allowed"], 3, "the pods 0, 1 and 2 have their claims")
        self.assertEqual(status["outcome"], "PartlyFits")


if __name__ == "__main__":
    unittest.main()
