"""podium changes the pods of a question as the API server changes a pod before it stores it. The tests compare podium's assumption with
the stored pod, and its refusals with the API server's words."""
import unittest

from e2e.support import podium
from e2e.support.control_plane import ADMIN_TOKEN, wait_until
from e2e.support.quantity import parse
from e2e.tests.base import Live, node, what_if
from e2e.tests.test_http_api import api_call

SANDBOX = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "sandbox"}, "handler": "kata",
           "overhead": {"podFixed": {"cpu": "250m", "memory": "160Mi"}},
           "scheduling": {"nodeSelector": {"runtime": "kata"},
                          "tolerations": [{"key": "kata", "operator": "Exists", "effect": "NoSchedule"}]}}
LIMITS = [{"type": "Container", "default": {"cpu": "1", "memory": "512Mi"}, "defaultRequest": {"cpu": "300m"},
           "min": {"cpu": "100m", "memory": "32Mi"}, "max": {"cpu": "2", "memory": "1Gi"},
           "maxLimitRequestRatio": {"cpu": "4"}},
          {"type": "Pod", "max": {"cpu": "3"}},
          {"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}}]
NODES = ("plain", "kata")


def container(name="main", **resources):
    return {"name": name, "image": "app:v1", **({"resources": resources} if resources else {})}


def spec(*containers, **more):
    return {"terminationGracePeriodSeconds": 0, **more, "containers": list(containers) or [container()]}


class Admission(Live):
    values = [*Live.values, "podium.reports.enabled=false"]
    nodes = (node("plain"), node("kata", cpu="8", labels={"runtime": "kata"},
                                 taints=[{"key": "kata", "value": "yes", "effect": "NoSchedule"}]))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane.create(SANDBOX)
        for name, limits in (("bounded", LIMITS), ("free", None)):
            cls.plane.kubectl("create", "namespace", name)
            if limits:
                cls.plane.create({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "bounds"}, "spec": {"limits": limits}},
                                 name)
        wait_until(lambda: cls.create_pod("bounded", "probe", spec(), dry=True)[1]["spec"]["containers"][0].get("resources"),
                   "the API server knows the LimitRange")
        wait_until(lambda: cls.create_pod("free", "probe", spec(runtimeClassName="sandbox"), dry=True)[0] == 201,
                   "the API server knows the RuntimeClass")

    @classmethod
    def create_pod(cls, namespace, name, made, dry=False):
        """Returns (code, pod as stored)."""
        return cls.plane.request("POST", f"/api/v1/namespaces/{namespace}/pods" + ("?dryRun=All" if dry else ""),
                                 {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": made})

    def ask(self, namespace, name, made, **more):
        self.plane.create({**what_if(name, {"spec": made}, nodes=list(NODES), **more), "metadata": {"name": name}}, namespace)
        return podium.status_of(self.plane, namespace, name)

    def check(self, namespace, name, made, lands_on):
        """Asks, then creates the pod."""
        status = self.ask(namespace, name, made)
        self.assertNotIn("LimitRange", status["notModelled"])
        self.assertNotIn("RuntimeClass", status["notModelled"])
        self.assertEqual(status["outcome"], "Fits", status)
        code, stored = self.create_pod(namespace, name, made)
        self.assertEqual(code, 201, stored)
        again = self.ask(namespace, f"{name}-again", stored["spec"])  # as kubectl podium asks, after a dry run
        for verdict in [*status["verdicts"], *again["verdicts"]]:
            assumed = {each["resource"]: parse(each["requested"]) for each in verdict["resources"]}
            self.assertEqual(assumed, self.requests(stored["spec"]), verdict)
        self.assertEqual(status["choice"]["nodeName"], lands_on)
        path = f"/api/v1/namespaces/{namespace}/pods/{name}"
        self.assertEqual(wait_until(lambda: self.plane.get(path)["spec"].get("nodeName"), f"{name} bound"), lands_on)
        self.plane.request("DELETE", f"{path}?gracePeriodSeconds=0")

    @staticmethod
    def requests(stored):
        """Returns the requests of a stored pod's containers, init containers and overhead."""
        each = [{name: parse(amount) for name, amount in c["resources"].get("requests", {}).items()} for c in stored["containers"]]
        init = [{name: parse(amount) for name, amount in c["resources"].get("requests", {}).items()}
                for c in stored.get("initContainers", [])]
        overhead = {name: parse(amount) for name, amount in stored.get("overhead", {}).items()}
        names = {name for amounts in [*each, *init, overhead] for name in amounts}
        return {name: max([sum(a.get(name, 0) for a in each), *(a.get(name, 0) for a in init)]) + overhead.get(name, 0)
                for name in names}

    def test_what_it_assumes_equals_the_stored_pod(self):
        cases = {
            "defaults": ("bounded", spec(), "plain"),
            "some-defaults": ("bounded", spec(container(requests={"cpu": "500m"}), container("second", limits={"memory": "64Mi"})),
                              "plain"),
            "init": ("bounded", spec(container(requests={"cpu": "200m"}, limits={"cpu": "200m"}),
                                     initContainers=[container("first")]), "plain"),
            "sandbox": ("free", spec(container(requests={"cpu": "1", "memory": "64Mi"}), runtimeClassName="sandbox"), "kata"),
            "both": ("bounded", spec(runtimeClassName="sandbox"), "kata"),
            "tolerates": ("free", spec(container(requests={"cpu": "1", "memory": "1Gi"}), runtimeClassName="sandbox",
                                       nodeSelector={"runtime": "kata"}, tolerations=[{"operator": "Exists"}]), "kata"),
        }
        for name, (namespace, made, lands_on) in cases.items():
            with self.subTest(name):
                self.check(namespace, name, made, lands_on)

    def test_what_it_refuses_has_the_api_servers_words(self):
        amount = lambda **of: container(requests=of, limits=of)
        cases = {
            "too-little": ("bounded", spec(amount(cpu="50m", memory="64Mi"))),
            "too-much": ("bounded", spec(amount(cpu="2500m", memory="64Mi"))),
            "too-much-memory": ("bounded", spec(amount(cpu="1", memory="1025Mi"))),
            "ratio": ("bounded", spec(container(requests={"cpu": "100m"}, limits={"cpu": "1"}))),
            "twice": ("bounded", spec(amount(cpu="50m", memory="16Mi"))),
            "pod": ("bounded", spec(amount(cpu="2"), amount(cpu="2") | {"name": "second"})),
            "init": ("bounded", spec(initContainers=[amount(cpu="2500m") | {"name": "first"}])),
            "unknown": ("free", spec(runtimeClassName="unknown")),
            "conflict": ("free", spec(runtimeClassName="sandbox", nodeSelector={"runtime": "runc"})),
            "overhead": ("free", spec(overhead={"cpu": "1"})),
            "other-overhead": ("free", spec(runtimeClassName="sandbox", overhead={"cpu": "1"})),
        }
        words = lambda text: sorted(text.strip("[]").split(", "))  # the API server's order is that of a map
        for name, (namespace, made) in cases.items():
            with self.subTest(name):
                status = self.ask(namespace, f"no-{name}", made)
                code, refusal = self.create_pod(namespace, f"no-{name}", made, dry=True)
                self.assertEqual(code, 403, refusal)
                self.assertEqual(status["outcome"], "Refused", status)
                mine = podium.condition({"status": status}, "Accepted")["message"].removeprefix("spec.template: ")
                self.assertEqual(words(mine), words(refusal["message"].partition(" is forbidden: ")[2]))

    def test_a_pod_that_is_stored_is_asked_about_as_it_is(self):
        self.assertEqual(self.create_pod("bounded", "there", spec(container(requests={"cpu": "250m"}), schedulerName="nobody"))[0], 201)
        self.plane.create({**what_if("there", podRef={"name": "there"}, nodes=list(NODES), profile="default-scheduler"),
                           "metadata": {"name": "there"}}, "bounded")
        status = podium.status_of(self.plane, "bounded", "there")
        requested = {each["resource"]: each["requested"] for each in status["verdicts"][0]["resources"]}
        self.assertEqual(requested, {"cpu": "250m", "memory": "512Mi"})
        self.assertEqual(status.get("notModelled", []), [])

    def test_over_https(self):
        def ask(made):
            body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "asked"}, "spec": made}
            status, _, answer = api_call(self.podium.port, "/v1/namespaces/bounded/whatif/report?nodes=kata", ADMIN_TOKEN, body)
            return status, answer
        status, answer = ask(spec(runtimeClassName="sandbox"))
        self.assertEqual(status, 200, answer)
        requested = {each["resource"]: each["requested"] for each in answer["status"]["verdicts"][0]["resources"]}
        self.assertEqual(requested, {"cpu": "550m", "memory": "672Mi"})
        self.assertEqual(answer["status"]["choice"]["nodeName"], "kata")
        status, refusal = ask(spec(container(limits={"cpu": "3"})))
        self.assertEqual((status, refusal["message"].rpartition(": ")[2]),
                         (422, "maximum cpu usage per Container is 2, but limit is 3"), refusal)

    def test_claims_of_a_stateful_set(self):
        template = {"metadata": {"labels": {"app": "db"}}, "spec": spec()}
        claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}}}
        made = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"},
                "spec": {"replicas": 1, "serviceName": "db", "selector": {"matchLabels": {"app": "db"}}, "template": template,
                         "volumeClaimTemplates": [claim]}}
        self.plane.create({**what_if("db", made), "metadata": {"name": "db"}}, "bounded")
        status = podium.status_of(self.plane, "bounded", "db")
        code, refusal = self.plane.request("POST", "/api/v1/namespaces/bounded/persistentvolumeclaims?dryRun=All", {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data-db-0"}, "spec": claim["spec"]})
        self.assertEqual(code, 403, refusal)
        why = refusal["message"].partition(" is forbidden: ")[2]
        self.assertEqual(podium.condition({"status": status}, "Accepted")["message"], f"spec.template: persistentvolumeclaim data: {why}")


if __name__ == "__main__":
    unittest.main()
