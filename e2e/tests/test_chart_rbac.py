"""The chart's ClusterRole and lease Role have exactly the rights that podium uses. The API server's audit log shows the rights that a
podium uses when it does everything. The tests also remove each right in turn: podium names it in one clear log line, and its other work
continues."""
import concurrent.futures
import contextlib
import re
import time
import unittest

from e2e.rbac import exercises, rights
from e2e.support import podium
from e2e.support.control_plane import ControlPlane, wait_until
from e2e.support.fault_proxy import FaultProxy
from e2e.tests.base import node

ADMISSION = {("", "limitranges", "list"), ("", "resourcequotas", "list")}
CLIENT_CA = ("", "configmaps", "get")  # of the cluster's own Role in kube-system
MOST_LINES = 2  # and one more per minute
ANSWER = 120  # seconds until the log names a missing right
AT_A_TIME = 6
# Without the right to renew its lease podium ends at the deadline, which is set far away.
VALUES = ["podium.whatIf.enabled=false", "configuration.leaderElection.leaseDuration=180s",
          "configuration.leaderElection.renewDeadline=150s", "configuration.leaderElection.retryPeriod=500ms"]

# The exercise that makes podium use a right. Its start uses all others.
USED_BY = {
    ("", "pods/binding", "create"): exercises.place,
    ("", "pods/status", "patch"): exercises.pend_once,
    ("", "pods", "delete"): exercises.preempt,
    ("", "persistentvolumes", "patch"): exercises.volume_there,
    ("", "persistentvolumes", "get"): exercises.volume_in_doubt,
    ("", "persistentvolumeclaims", "patch"): exercises.volume_to_come,
    ("", "persistentvolumeclaims", "get"): exercises.claim_in_doubt,
    ("resource.k8s.io", "resourceclaims", "patch"): exercises.device_kept,
    ("resource.k8s.io", "resourceclaims/status", "patch"): exercises.device_given,
    rights.BINDING: exercises.device_given,
    ("resource.k8s.io", "resourceclaims", "get"): exercises.device_in_doubt,
    ("resource.k8s.io", "resourceclaims", "create"): exercises.claim_made,
    ("resource.k8s.io", "resourceclaims", "delete"): exercises.claim_taken_back,
    ("events.k8s.io", "events", "create"): exercises.place,
    ("events.k8s.io", "events", "patch"): exercises.pend,
    ("authentication.k8s.io", "tokenreviews", "create"): exercises.metrics,
    ("authorization.k8s.io", "subjectaccessreviews", "create"): exercises.metrics,
    ("podium.dev", "schedulingreports", "create"): exercises.report,
    ("podium.dev", "schedulingreports", "patch"): exercises.relabel,
    ("podium.dev", "schedulingreports", "get"): exercises.report_whose_name_is_taken,
    ("podium.dev", "schedulingreports", "record"): exercises.report,
    ("podium.dev", "schedulingreports/status", "patch"): exercises.report,
    ("podium.dev", "schedulingreports", "delete"): exercises.expire,
    ("podium.dev", "schedulingreports", "deletecollection"): exercises.expire_together,
}
# They need a podium that answers what-ifs, and two podiums would answer each other's what-ifs; or another podium would delete the
# reports.
ONE_BY_ONE = {("", "pods", "get"): exercises.ask_about_a_pod,
              ("apps", "deployments", "get"): exercises.ask_about_a_deployment,
              ("apps", "statefulsets", "get"): exercises.ask_about_a_stateful_set,
              ("apps", "replicasets", "get"): exercises.ask_about_a_replica_set,
              ("apps", "daemonsets", "get"): exercises.ask_about_a_daemon_set,
              ("batch", "jobs", "get"): exercises.ask_about_a_job,
              ("", "limitranges", "list"): exercises.ask_under_limits,
              ("", "resourcequotas", "list"): exercises.ask_under_quotas,
              ("node.k8s.io", "runtimeclasses", "get"): exercises.ask_with_a_runtime_class,
              ("resource.k8s.io", "resourceclaimtemplates", "get"): exercises.ask_with_a_claim,
              ("scheduling.k8s.io", "podgroups", "get"): exercises.ask_with_a_group,
              ("scheduling.x-k8s.io", "podgroups", "get"): exercises.ask_with_a_coscheduling_group,
              ("podium.dev", "schedulingreports", "watch"): exercises.start,
              ("podium.dev", "schedulingreports", "list"): exercises.start,
              ("podium.dev", "schedulingreports", "delete"): exercises.expire,
              ("podium.dev", "schedulingreports", "deletecollection"): exercises.expire_together}
# Without these podium does not place a pod; without the others it does.
NEEDED = {("", "pods/binding", "create"), ("coordination.k8s.io", "leases", "get"), ("coordination.k8s.io", "leases", "create"),
          ("coordination.k8s.io", "leases", "update")}


def is_of_caches(right):
    """Whether podium, like kube-scheduler, makes no decision without this right, because it lacks a part of the cluster's state."""
    return right[2] in ("list", "watch") and right[0] != "podium.dev" and right not in ADMISSION


def names_it(line, right):
    """Whether a warning or an error of podium's log names the right."""
    _, resource, verb = right
    words = {rights.RECORD: "only podium", rights.BINDING: rf'requires resource=\\*"{resource}\\*", verb=\\*"{verb}\\*"'}.get(
        right, rf'cannot {verb} resource \\*"{resource}\\*"')
    return re.match(r"\S+ [WE] ", line) and re.search(words, line)


class Rbac(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane()
        cls.addClassCleanup(cls.plane.stop)
        cls.audit = cls.plane.dir / "audit.log"
        policy = cls.plane.dir / "audit-policy.yaml"
        policy.write_text(rights.AUDIT_POLICY)
        cls.plane.api_flags += ["--audit-policy-file", policy, "--audit-log-path", cls.audit,
                                "--feature-gates=WatchList=false"]  # so that podium lists, as if there were no such watches
        cls.plane.start()
        podium.apply(cls.plane, podium.render(VALUES))
        for made in exercises.shared_objects():
            cls.plane.create(made)
        manifests = rights.objects(*VALUES, "podium.whatIf.enabled=true")
        cls.role, cls.lease = rights.scheduler_role(manifests), rights.election_role(manifests)
        cls.rights = [*rights.each_of(cls.role), *rights.each_of(cls.lease)]

    def world(self, stack, name, missing=None, *values):
        """Starts a podium with all of the chart's rights except one, behind a proxy of its own."""
        account = {"kind": "ServiceAccount", "name": name, "namespace": podium.NAMESPACE}
        self.plane.create({"apiVersion": "v1", "kind": "ServiceAccount",
                           "metadata": {"name": name, "namespace": podium.NAMESPACE}})
        lease = [{**rule, "resourceNames": [name]} if "resourceNames" in rule else rule for rule in self.lease["rules"]]
        for kind, rules in (("Role", lease), ("ClusterRole", self.role["rules"])):
            where = {"name": name, **({"namespace": podium.NAMESPACE} if kind == "Role" else {})}
            kept = rights.without({"rules": rules}, missing) if missing else rules
            about = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": where}
            self.plane.create({**about, "kind": kind, "rules": kept})
            self.plane.create({**about, "kind": f"{kind}Binding", "subjects": [account],
                               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name}})
        self.plane.create(node(f"node-{name}", cpu="4", labels={"world": name}))
        own = [f"schedulerName={name}", f"configuration.leaderElection.resourceName={name}"]
        [config] = [d for d in rights.objects(*VALUES, *own, *values) if d["kind"] == "ConfigMap"]
        self.plane.create({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "subjects": [account],
                           "metadata": {"name": f"{name}-ca", "namespace": "kube-system"},
                           "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role",
                                       "name": "extension-apiserver-authentication-reader"}})
        proxy = stack.enter_context(FaultProxy(self.plane))
        token = self.plane.request("POST", f"/api/v1/namespaces/{podium.NAMESPACE}/serviceaccounts/{name}/token",
                                   {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})[1]
        running = podium.Podium(self.plane, config["data"]["config.yaml"], name, token=token["status"]["token"], server=proxy.url)
        self.effective(name, missing)
        if "podium.whatIf.enabled=true" in values:
            exercises.leave_expired_reports(self.plane, name, token["status"]["token"])
        running.start(wait=False)
        stack.callback(running.process.popen.kill)
        return exercises.World(self.plane, name, proxy, running, token["status"]["token"])

    def effective(self, name, missing):
        """Waits until the roles take effect on the API server."""
        asked = [{"group": "", "resource": "services", "verb": "list"}, {"group": "apps", "resource": "replicasets", "verb": "list"},
                 *({"group": "coordination.k8s.io", "resource": "leases", "namespace": podium.NAMESPACE, "name": name, "verb": verb}
                   for verb in ("get", "update")),
                 {"group": "", "resource": "configmaps", "namespace": "kube-system", "name": "extension-apiserver-authentication",
                  "verb": "get"}]
        for one in asked:
            if (one["group"], one["resource"], one["verb"]) == missing:
                continue
            review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {
                "user": f"system:serviceaccount:{podium.NAMESPACE}:{name}", "resourceAttributes": one}}
            ask = lambda: self.plane.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)[1]["status"]
            wait_until(lambda: ask()["allowed"], f"{name} may {one}")

    def test_each_right_is_used(self):
        with contextlib.ExitStack() as stack:
            world = self.world(stack, "all", None, "podium.whatIf.enabled=true", "podium.reports.ttl=2s")
            world.podium.wait_ready()
            for exercise in dict.fromkeys([*USED_BY.values(), *ONE_BY_ONE.values(), exercises.ask]):
                with self.subTest(exercise.__name__):
                    exercise(world)
            expected = {*self.rights, CLIENT_CA} - rights.NO_REQUESTS
            user = f"system:serviceaccount:{podium.NAMESPACE}:all"
            with contextlib.suppress(TimeoutError):  # the comparison reports what is missing
                wait_until(lambda: set(rights.used(self.audit, user)) >= expected, "every right used", ANSWER)
        used = rights.used(self.audit, user)
        self.assertEqual({right for right, decision in used.items() if decision != "allow"}, set())
        self.assertEqual(set(used), expected)

    def without(self, number, right):
        """Returns what is wrong when podium runs without this right; None if nothing is wrong."""
        values = ["podium.whatIf.enabled=true"] if right in ONE_BY_ONE else []
        values += ["podium.reports.ttl=2s"] if ONE_BY_ONE.get(right) == exercises.expire else []
        exercise = USED_BY.get(right) or ONE_BY_ONE.get(right, exercises.start)
        began = time.monotonic()
        with contextlib.ExitStack() as stack:
            world = self.world(stack, f"without-{number}", right, *values)
            lines = lambda: [line for line in world.podium.log().splitlines() if names_it(line, right)]
            try:
                if not is_of_caches(right):
                    world.podium.wait_ready()
                exercise(world)
                wait_until(lines, "a line of the log", ANSWER)
                if is_of_caches(right) or right in NEEDED:
                    wait_until(lambda: world.podium.get("/livez")[0] == 200, "it lives")
                else:
                    world.create(world.pod("next"))
                    world.bound("next")
            except (TimeoutError, RuntimeError) as error:
                return f"{error}; lines that name it: {lines()}; the log:\n{world.podium.process.tail(12)}"
            if len(lines()) > MOST_LINES + (time.monotonic() - began) // 60:
                return "said too often:\n" + "\n".join(lines())
            return None if world.podium.process.alive() else f"it has ended:\n{world.podium.process.tail()}"

    def test_each_right_taken_away_is_named_in_one_line(self):
        numbered = list(enumerate(self.rights))
        with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
            results = {right: pool.submit(self.without, number, right)
                       for number, right in numbered if right not in ONE_BY_ONE}
        wrong = {right: result.result() for right, result in results.items()}
        wrong |= {right: self.without(number, right) for number, right in numbered if right in ONE_BY_ONE}
        for right, trouble in wrong.items():
            with self.subTest(right):
                self.assertIsNone(trouble, trouble)


if __name__ == "__main__":
    unittest.main()
