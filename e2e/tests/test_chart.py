"""The chart: what it renders for which values, what it refuses, and podium on kube-scheduler's own lease under its RBAC."""
import re
import subprocess
import tempfile
import unittest

import yaml

from e2e.support import podium
from e2e.support.control_plane import environment
from e2e.support.podium import RenderError

from . import base
from .base import Live, wait_until

CLUSTER_WIDE = {"ClusterRole", "ClusterRoleBinding"}


def rendered(*values, **where):
    """{(kind, name): manifest}."""
    documents = yaml.safe_load_all(podium.render(values, crds=False, **where))
    return {(d["kind"], d["metadata"]["name"]): d for d in documents if d}


def of_kind(manifests, kind):
    return [m for (k, _), m in manifests.items() if k == kind]


class Values(unittest.TestCase):
    def lease_rule(self, *values):
        """(namespace, lease names) of the right to the lease; None: no right."""
        roles = of_kind(rendered(*values), "Role")
        if not roles:
            return None
        [role] = roles
        [names] = [rule["resourceNames"] for rule in role["rules"] if "resourceNames" in rule]
        return role["metadata"]["namespace"], names

    def test_rbac_follows_the_lease(self):
        self.assertEqual(self.lease_rule(), ("podium-system", ["podium"]))
        self.assertEqual(self.lease_rule("configuration.leaderElection.resourceName=kube-scheduler",
                                         "configuration.leaderElection.resourceNamespace=kube-system"),
                         ("kube-system", ["kube-scheduler"]))
        self.assertIsNone(self.lease_rule("leaderElection.leaderElect=false"))
        self.assertEqual(self.lease_rule("leaderElection.leaderElect=false", "configuration.leaderElection.leaderElect=true"),
                         ("podium-system", ["podium"]))

    def test_without_reports_expired_ones_can_still_be_deleted(self):
        [role] = of_kind(rendered("podium.reports.enabled=false", "podium.whatIf.enabled=false"), "ClusterRole")
        self.assertEqual([rule["verbs"] for rule in role["rules"] if rule["apiGroups"] == ["podium.dev"]],
                         [["get", "list", "delete"]])

    def test_two_releases_share_no_cluster_wide_name(self):
        one, other = rendered(namespace="one"), rendered(namespace="other")
        # The bindings in kube-system are as good as cluster-wide.
        names = [{key for key, m in manifests.items() if key[0] in CLUSTER_WIDE or m["metadata"].get("namespace") == "kube-system"}
                 for manifests in (one, other)]
        self.assertEqual(len(names[0]), 3)
        self.assertFalse(names[0] & names[1])

    def test_values_that_make_no_sense_are_refused(self):
        for values, words in ((("replicas=3", "leaderElection.leaderElect=false"), "several replicas need leader election"),
                              (("podium.report.enabled=false",), "additional properties 'report' not allowed"),
                              (("podium.reports.ttl=soon",), "'soon' does not match pattern"),
                              (("replica=2",), "additional properties 'replica' not allowed"),
                              (("podium.reports.enabled=perhaps",), "got string, want boolean")):
            with self.subTest(values):
                with self.assertRaisesRegex(RenderError, re.escape(words)):
                    rendered(*values)

    def test_podium_takes_what_is_rendered(self):
        for values in ((), ("podium.reports=null",), ("podium=null",), ("configuration.percentageOfNodesToScore=30",),
                       ("podium.whatIf.deadline=10s",)):
            with self.subTest(values), tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                [config] = of_kind(rendered(*values), "ConfigMap")
                file.write(config["data"]["config.yaml"])
                file.flush()
                done = subprocess.run([podium.PROGRAM, "config", "view", file.name], capture_output=True, text=True,
                                      env=environment())
                self.assertEqual(done.returncode, 0, done.stderr)


class OnKubeSchedulersLease(Live):
    values = ["schedulerName=default-scheduler", "configuration.leaderElection.resourceName=kube-scheduler",
              "configuration.leaderElection.resourceNamespace=kube-system"]
    nodes = (base.node("n1"),)

    def test_it_leads_and_schedules(self):
        self.plane.create(base.pod("web"))
        self.bound("web")
        lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"
        self.assertTrue(wait_until(lambda: self.plane.get(lease)["spec"].get("holderIdentity"), "a holder"))


if __name__ == "__main__":
    unittest.main()
