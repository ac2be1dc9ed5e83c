"""Reports on a real API server with a namespace that refuses them, a clash of names, a full budget, or many at the same time."""
import unittest

from e2e.support import podium
from e2e.support.control_plane import wait_until
from e2e.tests.base import REPORTS, Live, node, pod, what_if

MERGE = "application/merge-patch+json"


def in_namespace(namespace, made):
    made["metadata"]["namespace"] = namespace
    return made


class Namespaces(Live):
    nodes = [node("large", cpu="64", memory="256Gi"), node("large-2", cpu="64", memory="256Gi")]

    def test_a_quota_that_forbids_reports_delays_no_other_namespace(self):
        self.plane.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "full"}})
        nothing = {"count/schedulingreports.podium.dev": "0"}
        self.plane.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none", "namespace": "full"},
                           "spec": {"hard": nothing}})
        quota = "/api/v1/namespaces/full/resourcequotas/none/status"  # no controller runs that would fill it in
        self.plane.request("PATCH", quota, {"status": {"hard": nothing, "used": nothing}}, content_type=MERGE)
        report = in_namespace("full", what_if("tried", {"spec": {"containers": [{"name": "c", "image": "i"}]}}))
        tried = lambda: self.plane.request("POST", "/apis/podium.dev/v1alpha1/namespaces/full/schedulingreports?dryRun=All", report)
        wait_until(lambda: tried()[0] == 403, "the quota holds")
        for i in range(12):
            self.plane.create(in_namespace("full", pod(f"full-{i}", cpu="1m", memory="1Mi")))
        wait_until(lambda: "reports of a namespace are refused" in self.podium.log(), "the refusal")
        for i in range(100):
            self.plane.create(pod(f"other-{i}", cpu="1m", memory="1Mi"))
        def written():
            return [r for r in self.plane.get(REPORTS)["items"] if r.get("status", {}).get("outcome") == "Scheduled"]
        wait_until(lambda: len(written()) >= 100, "the reports of another namespace")
        self.assertEqual(self.podium.log().count("reports of a namespace are refused"), 1)
        self.plane.request("DELETE", "/api/v1/namespaces/full/resourcequotas/none")
        wait_until(lambda: podium.report_of(self.plane, "full", "full-0"), "its reports, once they may be made")


class Names(Live):
    nodes = [node("n1")]

    def test_a_recreated_pod_has_the_report_under_its_name(self):
        for _ in range(3):
            uid = self.plane.create(pod("web-1"))["metadata"]["uid"]
            self.bound("web-1")
            wait_until(lambda: self.report("web-1", "Scheduled")["spec"]["podRef"]["uid"] == uid, "the pod's own report")
            self.plane.kubectl("delete", "pod", "web-1", "--grace-period=0", "--force")
        self.assertEqual([r["metadata"]["name"] for r in self.plane.get(REPORTS)["items"]
                          if r["metadata"]["name"].startswith("web")], ["web-1"])

    def test_a_long_name_with_a_dot_where_it_is_cut(self):
        name = ("x" * 60 + ".") * 4 + "yy." + "z" * 6
        self.plane.create(what_if(name, {"spec": {"containers": [{"name": "c", "image": "i"}]}}))
        uid = self.plane.create(pod(name))["metadata"]["uid"]
        wait_until(lambda: [r for r in self.plane.get(REPORTS)["items"] if r["spec"].get("podRef", {}).get("uid") == uid],
                   "a report under another name")


class Crowd(Live):
    nodes = [node("small", cpu="1")]

    def test_a_new_pod_does_not_wait_for_the_reports_of_many(self):
        for i in range(300):
            self.plane.create(pod(f"pending-{i}", cpu="4"))
        self.report("pending-299", "Unschedulable")
        self.plane.create(node("another", cpu="1"))
        self.plane.create(pod("first", cpu="10m"))
        self.report("first", "Scheduled")


class Budget(Live):
    values = ["schedulerName=default-scheduler", "podium.reports.maxReports=50"]
    nodes = [node("large", cpu="64", memory="256Gi")]

    def test_what_ifs_do_not_displace_decisions_and_the_newest_are_kept(self):
        for i in range(60):
            self.plane.create(what_if(f"question-{i}", {"spec": {"containers": [{"name": "c", "image": "i"}]}}, ttlSeconds=2592000))
        self.answer("question-59")
        for i in range(80):
            self.plane.create(pod(f"p-{i}", cpu="1m", memory="1Mi"))
        self.report("p-79", "Scheduled")
        decisions = lambda: [r for r in self.plane.get(REPORTS)["items"] if not r["spec"].get("dryRun")]
        wait_until(lambda: self.podium.metric('podium_reports_deleted_total{reason="limit"}') >= 30, "the oldest go")
        wait_until(lambda: 45 <= len(decisions()) <= 50, "the budget, used up")
        wait_until(lambda: "report budget reached" in self.podium.log(), "it says so")


if __name__ == "__main__":
    unittest.main()
