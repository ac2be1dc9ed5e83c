"""The chart's admission policy: only podium writes reports of decisions, and statuses; the policy does not affect the rest of the API."""
import json
import unittest

from e2e.support import podium
from e2e.support.authorization import await_rights
from e2e.support.control_plane import wait_until
from e2e.tests.base import REPORTS, Live, node, pod, what_if

TEMPLATE = {"spec": {"containers": [{"name": "main", "image": "app"}]}}
COLLECTOR = "system:serviceaccount:kube-system:generic-garbage-collector"
NAMESPACES = "system:serviceaccount:kube-system:namespace-controller"
STATUS, DECISION, CHANGE = ("only podium writes the status of a SchedulingReport", "only podium reports decisions",
                            "only podium changes the report of a decision")


def decision(name):
    return {"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport", "metadata": {"name": name, "namespace": "default"},
            "spec": {"podRef": {"name": name}}}


class Policy(Live):
    values = ["schedulerName=default-scheduler"]
    nodes = (node("n1"),)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane.kubectl("create", "serviceaccount", "editor", "-n", "default")
        for role in ("view", "edit"):  # no controller runs here that would aggregate them
            cls.plane.kubectl("create", "rolebinding", f"editor-{role}", "-n", "default",
                              "--serviceaccount=default:editor", f"--clusterrole=podium-system:podium:{role}")
        await_rights(cls.plane)
        # A policy is enforced some moments after its creation.
        wait_until(lambda: DECISION in cls.tried(cls, "create", decision("early"), "--dry-run=server"), "the policy")

    def tried(self, verb, made, *args, user=None):
        """Returns kubectl's output for this object."""
        who = [f"--as={user}"] if user else []
        done = self.plane.kubectl(verb, *who, *args, "-f", "-", stdin=json.dumps(made), check=False)
        return done.stderr if done.returncode else "done"

    def patched(self, name, body, *args, user=None):
        who = [f"--as={user}"] if user else []
        done = self.plane.kubectl("patch", *who, "sr", name, "--type=merge", "-p", json.dumps(body), *args, check=False)
        return done.stderr if done.returncode else "done"

    def reported(self, name):
        self.plane.create(pod(name, cpu="1m"))
        return self.report(name, "Scheduled")

    def test_decisions_are_podiums(self):
        self.reported("mine")
        for user in (None, "system:serviceaccount:default:editor"):
            with self.subTest(user):
                self.assertIn(DECISION, self.tried("create", decision("forged"), user=user))
                owner = {"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "y"}
                for metadata in ({"labels": {"podium.dev/outcome": "Failed"}}, {"annotations": {"a": "b"}},
                                 {"finalizers": ["example.com/keep"]}, {"ownerReferences": [owner]}):
                    self.assertIn(CHANGE, self.patched("mine", {"metadata": metadata}, user=user))
        self.assertIn("cannot be changed", self.patched("mine", {"spec": {"podRef": {"name": "other"}}}))

    def test_statuses_are_podiums(self):
        self.reported("told")
        self.plane.create(what_if("asked", TEMPLATE))
        self.answer("asked")
        for name in ("told", "asked"):
            self.assertIn(STATUS, self.patched(name, {"status": {"outcome": "Failed"}}, "--subresource=status"))

    def test_users_ask_and_delete(self):
        editor = "system:serviceaccount:default:editor"
        self.assertEqual(self.tried("create", what_if("question", TEMPLATE), user=editor), "done")
        change = {"spec": {"replicas": 2}, "metadata": {"labels": {"a": "b"}}}
        self.assertEqual(self.patched("question", change, user=editor), "done")
        self.assertIn("cannot be changed", self.patched("question", {"spec": {"dryRun": False}}, user=editor))
        self.reported("unwanted")
        for name in ("question", "unwanted"):
            self.assertEqual(self.plane.kubectl("delete", f"--as={editor}", "sr", name, check=False).returncode, 0)

    def test_an_object_is_written_as_it_is(self):
        path = f"{REPORTS}/same"
        self.reported("same")
        status, reply = self.plane.request("PUT", path, self.plane.get(path))  # as a storage migration does
        self.assertEqual(status, 200, reply)

    def test_the_garbage_collector(self):
        self.reported("slow")
        foreground = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"}
        self.assertEqual(self.plane.request("DELETE", f"{REPORTS}/slow", foreground)[0], 200)
        self.assertEqual(self.plane.get(f"{REPORTS}/slow")["metadata"]["finalizers"], ["foregroundDeletion"])
        self.assertEqual(self.patched("slow", {"metadata": {"finalizers": None}}, user=COLLECTOR), "done")
        self.assertIsNone(podium.report_of(self.plane, "default", "slow"))

    def test_the_end_of_a_namespace(self):
        self.plane.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "brief"}})
        made = pod("last")
        made["metadata"]["namespace"] = "brief"
        self.plane.create(made)
        podium.status_of(self.plane, "brief", "last", "Scheduled")  # its last write
        self.plane.kubectl("delete", f"--as={NAMESPACES}", "sr", "--all", "-n", "brief")
        self.assertIsNone(podium.report_of(self.plane, "brief", "last"))

    def test_which_other_accounts_may_write(self):
        # The policy cannot distinguish podium from a ServiceAccount that may do everything, such as an installer's.
        robot = "system:serviceaccount:default:robot"
        self.plane.kubectl("create", "clusterrolebinding", "robot", "--clusterrole=cluster-admin", f"--user={robot}")
        await_rights(self.plane)
        self.assertEqual(self.tried("create", decision("robots"), user=robot), "done")
        scheduler = "system:kube-scheduler"
        self.assertIn("cannot create resource", self.tried("create", decision("static"), user=scheduler))
        podium.apply(self.plane, podium.render([*self.values, "rbac.users={system:kube-scheduler}"]))
        wait_until(lambda: self.tried("create", decision("static"), user=scheduler) == "done", "the static pod's user writes")


if __name__ == "__main__":
    unittest.main()
