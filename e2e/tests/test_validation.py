"""A what-if refuses the pods that the API server refuses, names the same fields, and takes all others."""
import copy
import unittest

from e2e.support.control_plane import ADMIN_TOKEN, wait_until
from e2e.tests.base import Live, node
from e2e.tests.test_http_api import api_call

BASE = {
    "containers": [{"name": "main", "image": "app:v1", "resources": {"requests": {"cpu": "100m"}}}],
    "terminationGracePeriodSeconds": 0,
}
TERM = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "zone"}
SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
          "labelSelector": {"matchLabels": {"app": "web"}}}
REQUIRED, PREFERRED = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"


def first(**fields):
    """Returns a spec whose first container has these fields."""
    spec = copy.deepcopy(BASE)
    spec["containers"][0].update(fields)
    return spec


def second(**fields):
    return {**copy.deepcopy(BASE), "containers": [*BASE["containers"], {"name": "side", "image": "side:v1", **fields}]}


def init(**fields):
    return {**BASE, "initContainers": [{"name": "first", "image": "first:v1", **fields}]}


def with_spec(**fields):
    return {**copy.deepcopy(BASE), **fields}


def resources(requests=None, limits=None):
    return first(resources={"requests": requests or {}, "limits": limits or {}})


def port(number, **more):
    return {"containerPort": number, **more}


def expression(key, operator, *values):
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def node_terms(*expressions, fields=()):
    term = {"matchExpressions": list(expressions), "matchFields": list(fields)}
    return with_spec(affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}})


def affinity(term, kind="podAffinity"):
    return with_spec(affinity={kind: {REQUIRED: [term]}})


def spread(**more):
    return with_spec(topologySpreadConstraints=[{**SPREAD, **more}])


def volume(*volumes):
    return with_spec(volumes=list(volumes))


def claim(**more):
    return with_spec(resourceClaims=[{"name": "gpu", **more}])


SELECTOR = lambda *expressions: {"labelSelector": {"matchExpressions": list(expressions)}, "topologyKey": "zone"}
CLAIM_SPEC = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
PODS = {
    # --- containers ---
    "as it is": BASE,
    "no containers": with_spec(containers=[]),
    "no name": first(name=""),
    "a name that is not a label": first(name="Main"),
    "the same name twice": second(name="main"),
    "the same name in init": init(name="main"),
    "no image": first(image=""),
    "a blank image": first(image=" app"),
    "pull policy": first(imagePullPolicy="Sometimes"),
    "message policy": first(terminationMessagePolicy="Log"),
    "env without a name": first(env=[{"value": "1"}]),
    "container restart policy": first(restartPolicy="Sometimes"),
    "container restart policy that is known": first(restartPolicy="Never"),
    "restart rules": first(restartPolicy="Never", restartPolicyRules=[{"action": "Restart", "exitCodes": {"operator": "In", "values": [3]}}]),
    "restart rules without a policy": first(restartPolicyRules=[{"action": "Restart", "exitCodes": {"operator": "In", "values": [3]}}]),
    "restart rules without codes": first(restartPolicy="Never", restartPolicyRules=[{"action": "Restart"}]),
    "sidecar": init(restartPolicy="Always"),
    "an init container's lifecycle": init(lifecycle={"preStop": {"sleep": {"seconds": 1}}}),
    "an init container's probe": init(readinessProbe={"exec": {"command": ["true"]}}),
    # --- ports ---
    "port": first(ports=[port(80)]),
    "port 0": first(ports=[port(0)]),
    "port 70000": first(ports=[port(70000)]),
    "host port 70000": first(ports=[port(80, hostPort=70000)]),
    "protocol": first(ports=[port(80, protocol="HTTP")]),
    "host port twice": first(ports=[port(80, hostPort=80), port(81, hostPort=80)]),
    "host port for two protocols": first(ports=[port(80, hostPort=80), port(80, hostPort=80, protocol="UDP")]),
    "host port at two addresses": first(ports=[port(80, hostPort=80, hostIP="10.0.0.1"), port(81, hostPort=80, hostIP="10.0.0.2")]),
    "host port in two containers": {**second(ports=[port(80, hostPort=80)]),
                                    "containers": [{**BASE["containers"][0], "ports": [port(80, hostPort=80)]},
                                                   {"name": "side", "image": "s", "ports": [port(81, hostPort=80)]}]},
    "host port in two init containers": with_spec(initContainers=[
        {"name": name, "image": "i", "ports": [port(80, hostPort=80)]} for name in ("one", "two")]),
    "host port of an init container": {**init(ports=[port(80, hostPort=80)]),
                                       "containers": [{**BASE["containers"][0], "ports": [port(80, hostPort=80)]}]},
    "host network": {**first(ports=[port(80)]), "hostNetwork": True},
    "host network with another port": {**first(ports=[port(80, hostPort=81)]), "hostNetwork": True},
    "port name": first(ports=[port(80, name="http")]),
    "port name of 16": first(ports=[port(80, name="a" * 16)]),
    "port name of digits": first(ports=[port(80, name="80")]),
    "port name in capitals": first(ports=[port(80, name="HTTP")]),
    "port name twice": first(ports=[port(80, name="http"), port(81, name="http")]),
    # --- resources ---
    "negative": resources({"cpu": "-1"}),
    "request above the limit": resources({"cpu": "2"}, {"cpu": "1"}),
    "unknown resource": resources({"cpus": "1"}),
    "domain resource": resources({"example.com/a": "1"}, {"example.com/a": "1"}),
    "domain resource without a limit": resources({"example.com/a": "1"}),
    "domain resource in parts": resources({"example.com/a": "500m"}, {"example.com/a": "500m"}),
    "domain resource with another limit": resources({"example.com/a": "1"}, {"example.com/a": "2"}),
    "reserved domain": resources({"kubernetes.io/a": "1"}, {"kubernetes.io/a": "1"}),
    "requests. prefix": resources({"requests.example.com/a": "1"}, {"requests.example.com/a": "1"}),
    "resource name with a blank": resources({"example.com/a b": "1"}, {"example.com/a b": "1"}),
    "huge pages": resources({"cpu": "1", "hugepages-2Mi": "4Mi"}, {"hugepages-2Mi": "4Mi"}),
    "huge pages alone": resources({"hugepages-2Mi": "4Mi"}, {"hugepages-2Mi": "4Mi"}),
    "huge pages of 3Mi": resources({"cpu": "1", "hugepages-2Mi": "3Mi"}, {"hugepages-2Mi": "3Mi"}),
    "huge pages without a size": resources({"cpu": "1", "hugepages-": "4Mi"}, {"hugepages-": "4Mi"}),
    "huge pages of a word": resources({"cpu": "1", "hugepages-x": "4Mi"}, {"hugepages-x": "4Mi"}),
    "pod level": with_spec(resources={"requests": {"cpu": "1"}}),
    "pod level below its containers": with_spec(resources={"requests": {"cpu": "50m"}}),
    "pod level of another resource": with_spec(resources={"requests": {"ephemeral-storage": "1Gi"}}),
    "pod level request above the limit": with_spec(resources={"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}),
    "pod level claims": {**claim(resourceClaimName="shared"), "resources": {"claims": [{"name": "gpu"}]}},
    # --- claims ---
    "claim": claim(resourceClaimName="shared"),
    "claim of a template": claim(resourceClaimTemplateName="gpu"),
    "claim of neither": claim(),
    "claim of both": claim(resourceClaimName="shared", resourceClaimTemplateName="gpu"),
    "claim with a bad name": claim(resourceClaimName="Shared"),
    "claim entry with a bad name": with_spec(resourceClaims=[{"name": "G P U", "resourceClaimName": "shared"}]),
    "claim entry twice": with_spec(resourceClaims=[{"name": "gpu", "resourceClaimName": "shared"}] * 2),
    "claim used": {**claim(resourceClaimName="shared"), **first(resources={"claims": [{"name": "gpu"}]}),
                   "resourceClaims": [{"name": "gpu", "resourceClaimName": "shared"}]},
    "claim used that is not there": first(resources={"claims": [{"name": "gpu"}]}),
    "claim used twice": {**first(resources={"claims": [{"name": "gpu"}, {"name": "gpu"}]}),
                         "resourceClaims": [{"name": "gpu", "resourceClaimName": "shared"}]},
    "claim used in part and whole": {**first(resources={"claims": [{"name": "gpu", "request": "a"}, {"name": "gpu"}]}),
                                     "resourceClaims": [{"name": "gpu", "resourceClaimName": "shared"}]},
    # --- volumes ---
    "volume": volume({"name": "data", "emptyDir": {}}),
    "volume without a source": volume({"name": "data"}),
    "volume of two sources": volume({"name": "data", "emptyDir": {}, "hostPath": {"path": "/data"}}),
    "volume without a name": volume({"emptyDir": {}}),
    "volume name with a dot": volume({"name": "a.b", "emptyDir": {}}),
    "volume twice": volume({"name": "data", "emptyDir": {}}, {"name": "data", "emptyDir": {}}),
    "claim volume": volume({"name": "data", "persistentVolumeClaim": {"claimName": "data"}}),
    "claim volume without a claim": volume({"name": "data", "persistentVolumeClaim": {"claimName": ""}}),
    "ephemeral": volume({"name": "data", "ephemeral": {"volumeClaimTemplate": {"spec": CLAIM_SPEC}}}),
    "ephemeral without a template": volume({"name": "data", "ephemeral": {}}),
    "ephemeral without a mode": volume({"name": "data", "ephemeral": {"volumeClaimTemplate": {"spec": {"resources": CLAIM_SPEC["resources"]}}}}),
    "ephemeral without a size": volume({"name": "data", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}}),
    "ephemeral that is also claimed": volume({"name": "data", "ephemeral": {"volumeClaimTemplate": {"spec": CLAIM_SPEC}}},
                                             {"name": "other", "persistentVolumeClaim": {"claimName": "asked-data"}}),
    "mount": {**first(volumeMounts=[{"name": "data", "mountPath": "/data"}]), "volumes": [{"name": "data", "emptyDir": {}}]},
    "mount of no volume": first(volumeMounts=[{"name": "data", "mountPath": "/data"}]),
    "mount without a path": {**first(volumeMounts=[{"name": "data", "mountPath": ""}]), "volumes": [{"name": "data", "emptyDir": {}}]},
    "two mounts at a path": {**first(volumeMounts=[{"name": "data", "mountPath": "/data"}] * 2),
                             "volumes": [{"name": "data", "emptyDir": {}}]},
    # --- constraints ---
    "node selector": with_spec(nodeSelector={"zone": "a"}),
    "node selector with a bad key": with_spec(nodeSelector={"z o": "a"}),
    "node selector with a bad value": with_spec(nodeSelector={"zone": "a b"}),
    "node affinity": node_terms(expression("zone", "In", "a")),
    "node affinity without values": node_terms(expression("zone", "In")),
    "node affinity with values": node_terms(expression("zone", "Exists", "a")),
    "node affinity, Gt of two": node_terms(expression("size", "Gt", "1", "2")),
    "node affinity, Gt of a word": node_terms(expression("size", "Gt", "large")),
    "node affinity, operator": node_terms(expression("zone", "Is", "a")),
    "node affinity, bad value": node_terms(expression("zone", "In", "a b")),
    "node affinity, bad key": node_terms(expression("z o", "In", "a")),
    "node affinity without terms": with_spec(affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": []}}}),
    "node field": node_terms(fields=[expression("metadata.name", "In", "plain")]),
    "node field, bad name": node_terms(fields=[expression("metadata.name", "In", "Plain")]),
    "node field of two": node_terms(fields=[expression("metadata.name", "In", "a", "b")]),
    "node field of another key": node_terms(fields=[expression("spec.name", "In", "a")]),
    "preferred node, bad value": with_spec(affinity={"nodeAffinity": {PREFERRED: [
        {"weight": 1, "preference": {"matchExpressions": [expression("zone", "In", "a b")]}}]}}),
    "preferred node, weight": with_spec(affinity={"nodeAffinity": {PREFERRED: [
        {"weight": 101, "preference": {"matchExpressions": [expression("zone", "In", "a")]}}]}}),
    "affinity": affinity(TERM),
    "affinity without a key": affinity({**TERM, "topologyKey": ""}),
    "affinity, bad namespace": affinity({**TERM, "namespaces": ["A B"]}),
    "affinity, bad value": affinity(SELECTOR(expression("app", "In", "a b"))),
    "affinity, Gt": affinity(SELECTOR(expression("app", "Gt", "1"))),
    "affinity, keys": affinity({**TERM, "matchLabelKeys": ["version"]}),
    "affinity, bad keys": affinity({**TERM, "matchLabelKeys": ["a b"]}),
    "affinity, keys without a selector": affinity({"topologyKey": "zone", "mismatchLabelKeys": ["version"]}),
    "affinity, keys in both": affinity({**TERM, "matchLabelKeys": ["version"], "mismatchLabelKeys": ["version"]}),
    "affinity, key in the selector": affinity({**TERM, "matchLabelKeys": ["app"]}),
    "anti-affinity, both bad": affinity({"topologyKey": "z o", "labelSelector": {"matchLabels": {"a b": "c d"}}}, "podAntiAffinity"),
    "spread": spread(),
    "spread, skew": spread(maxSkew=0),
    "spread, key": spread(topologyKey=""),
    "spread, action": spread(whenUnsatisfiable="Never"),
    "spread, domains": spread(minDomains=0),
    "spread, domains of a preference": spread(minDomains=2, whenUnsatisfiable="ScheduleAnyway"),
    "spread, policy": spread(nodeAffinityPolicy="Maybe"),
    "spread, taints": spread(nodeTaintsPolicy="Honor"),
    "spread twice": with_spec(topologySpreadConstraints=[SPREAD, SPREAD]),
    "spread, keys": spread(matchLabelKeys=["version"]),
    "spread, bad keys": spread(matchLabelKeys=["a b"]),
    "spread, key in the selector": spread(matchLabelKeys=["app"]),
    "toleration": with_spec(tolerations=[{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30}]),
    "toleration, seconds of NoSchedule": with_spec(tolerations=[{"key": "a", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 30}]),
    "toleration, seconds without effect": with_spec(tolerations=[{"key": "a", "operator": "Exists", "tolerationSeconds": 30}]),
    "toleration, operator": with_spec(tolerations=[{"key": "a", "operator": "In"}]),
    "toleration, Gt": with_spec(tolerations=[{"key": "a", "operator": "Gt", "value": "1"}]),
    "toleration, no key": with_spec(tolerations=[{"value": "a"}]),
    "toleration, value with Exists": with_spec(tolerations=[{"key": "a", "operator": "Exists", "value": "b"}]),
    "toleration, bad value": with_spec(tolerations=[{"key": "a", "value": "b c"}]),
    "toleration, effect": with_spec(tolerations=[{"key": "a", "operator": "Exists", "effect": "Never"}]),
    "gate": with_spec(schedulingGates=[{"name": "example.com/a"}]),
    "gate, bad name": with_spec(schedulingGates=[{"name": "a b"}]),
    "gate without a name": with_spec(schedulingGates=[{"name": ""}]),
    "gate twice": with_spec(schedulingGates=[{"name": "a"}, {"name": "a"}]),
    "gate and a node": with_spec(schedulingGates=[{"name": "a"}], nodeName="plain"),
    # --- the pod ---
    "node name": with_spec(nodeName="Plain"),
    "priority class": with_spec(priorityClassName="system-cluster-critical"),
    "priority class, bad name": with_spec(priorityClassName="A B"),
    "runtime class, bad name": with_spec(runtimeClassName="A B"),
    "preemption policy": with_spec(preemptionPolicy="Sometimes"),
    "restart policy": with_spec(restartPolicy="Sometimes"),
    "deadline": with_spec(activeDeadlineSeconds=0),
    "grace period": with_spec(terminationGracePeriodSeconds=-1),
    "DNS policy": with_spec(dnsPolicy="Sometimes"),
    "host name": with_spec(hostname="A"),
    "subdomain": with_spec(subdomain="a.b"),
    "service account": with_spec(serviceAccountName="A B"),
    "host users": with_spec(hostUsers=False),
    "host users and network": with_spec(hostUsers=False, hostNetwork=True),
    "host users and processes": with_spec(hostUsers=False, hostPID=True),
    "overhead": with_spec(overhead={"cpu": "-1"}),
    "ephemeral containers": with_spec(ephemeralContainers=[{"name": "debug", "image": "d"}]),
    "several": {**first(image="", ports=[port(0)]), "nodeSelector": {"a b": ""}, "schedulingGates": [{"name": "a b"}]},
}
LABELS = {"app": "web", "version": "1"}
# Fields as the API server names them, and as they are called.
CALLED = {"spec.HostPID": "spec.hostPID",
          "spec.overhead.limits[cpu]": "Overhead",  # podium refuses any overhead that is not of a RuntimeClass
          "spec.topologySpreadConstraints[0][0]": "spec.topologySpreadConstraints[0].matchLabelKeys[0]",
          f"spec.affinity.podAffinity.{REQUIRED}[0][0]": f"spec.affinity.podAffinity.{REQUIRED}[0].matchLabelKeys[0]"}


class Validation(Live):
    values = [*Live.values, "podium.reports.enabled=false"]
    nodes = (node("plain"),)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane.kubectl("create", "namespace", "shop")
        wait_until(lambda: cls.create(BASE)[0] == 201, "pods may be created")

    @staticmethod
    def pod(spec):
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "asked", "labels": LABELS}, "spec": spec}

    @classmethod
    def create(cls, spec):
        """Returns (code, reply) of a creation that stores nothing."""
        return cls.plane.request("POST", "/api/v1/namespaces/shop/pods?dryRun=All", cls.pod(spec))

    def ask(self, spec):
        """Returns (code, reply); waits where podium asks to."""
        def answered():
            status, _, answer = api_call(self.podium.port, "/v1/namespaces/shop/whatif/report", ADMIN_TOKEN, self.pod(spec))
            return (status, answer) if status != 429 else None
        return wait_until(answered, "an answer")

    def test_each_pod_as_the_api_server(self):
        for name, spec in PODS.items():
            with self.subTest(name):
                code, reply = self.create(spec)
                status, answer = self.ask(spec)
                self.assertEqual(status == 200, code == 201, (code, reply.get("message"), status, answer))
                if code == 201:
                    continue
                said = answer["message"]
                for cause in reply.get("details", {}).get("causes", []):
                    self.assertIn(CALLED.get(cause["field"], cause["field"]), said, (name, reply["message"]))


if __name__ == "__main__":
    unittest.main()
