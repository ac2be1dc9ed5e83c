"""podium's decisions, reports, events and conditions on a real API server under the chart's RBAC."""
import datetime
import json
import time
import unittest

from e2e.support import podium
from e2e.support.control_plane import wait_until
from e2e.tests.base import REPORTS, Live, node, pod, what_if


class Decisions(Live):
    nodes = [node("small", cpu="2", labels={"size": "s"}), node("large", cpu="8", memory="32Gi", labels={"size": "l"}),
             node("closed", cpu="8", taints=[{"key": "team", "value": "a", "effect": "NoSchedule"}])]

    def test_report_equals_binding(self):
        self.plane.create(pod("placed"))
        where = self.bound("placed")
        report = self.report("placed", "Scheduled")
        status = report["status"]
        live = self.live_pod("placed")
        self.assertEqual(report["spec"], {"dryRun": False, "ttlSeconds": 86400, "podRef": {"name": "placed", "uid": live["metadata"]["uid"]}})
        self.assertEqual((status["choice"]["nodeName"], status["attempts"], status["profile"]), (where, 1, "default-scheduler"))
        self.assertEqual(status["nodeCounts"], {"total": 3, "evaluated": 3, "feasible": 2})
        labels = report["metadata"]["labels"]
        self.assertEqual((labels["podium.dev/report"], labels["podium.dev/outcome"]), ("decision", "Scheduled"))
        expires = datetime.datetime.strptime(labels["podium.dev/expires"] + "+0000", "%Y%m%d%H%M%z")
        late = expires - datetime.datetime.fromisoformat(status["expiresAt"])
        # The label is the next full minute; expiresAt has whole seconds, without the fraction.
        self.assertTrue(datetime.timedelta(0) <= late <= datetime.timedelta(minutes=1), late)
        self.assertGreater(int(status["snapshot"]["resourceVersion"]), 0)
        self.assertEqual(podium.condition(report, "Complete")["status"], "True")
        self.assertEqual(status["rejections"], [{"plugin": "TaintToleration", "code": "UntoleratedTaint", "nodeCount": 1,
                                                 "reason": "node(s) had untolerated taint(s)", "preemptionMayHelp": False,
                                                 "taints": ["team=a:NoSchedule"], "taintsTotal": 1,
                                                 "examples": ["closed"]}])
        weights = [strategy["weight"] for strategy in status["strategies"]]
        for row in status["topNodes"]:
            self.assertEqual(sum(w * score for w, score in zip(weights, row["strategyScores"], strict=True)), row["score"], row)
        first, second = status["topNodes"]
        self.assertEqual((first["nodeName"], first["score"]), (where, status["choice"]["score"]))
        tied = 1 + (first["score"] == second["score"])
        self.assertEqual((status["choice"]["tiedNodes"], status["choice"].get("margin")),
                         (tied, None if tied == 2 else first["score"] - second["score"]))

    def test_events_and_condition_have_kube_schedulers_words(self):
        self.plane.create(pod("told"))
        where = self.bound("told")
        event = wait_until(lambda: self.events("told", "Scheduled"), "the event")[0]
        self.assertEqual((event["note"], event["type"], event["action"], event["reportingController"]),
                         (f"Successfully assigned default/told to {where}", "Normal", "Binding", "default-scheduler"))
        self.plane.create(pod("huge", cpu="64"))
        words = "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu."
        report = self.report("huge", "Unschedulable")
        self.assertTrue(report["status"]["message"].startswith(words), report["status"]["message"])
        event = wait_until(lambda: self.events("huge", "FailedScheduling"), "the event")[0]
        self.assertTrue(event["note"].startswith(words), event["note"])
        condition = wait_until(lambda: podium.condition(self.live_pod("huge"), "PodScheduled"), "the condition")
        self.assertEqual((condition["status"], condition["reason"], condition["message"]),
                         ("False", "Unschedulable", report["status"]["message"]))
        self.plane.kubectl("delete", "pod", "huge", "--wait=false")

    def test_a_pod_that_is_being_deleted_at_its_attempt_gets_an_event(self):
        late = pod("late", schedulingGates=[{"name": "example.com/quota"}])
        late["metadata"]["finalizers"] = ["example.com/keep"]
        self.plane.create(late)
        path, patch = "/api/v1/namespaces/default/pods/late", "application/strategic-merge-patch+json"
        self.plane.request("DELETE", path)
        self.plane.request("PATCH", path, {"spec": {"schedulingGates": None}}, content_type=patch)
        event = wait_until(lambda: self.events("late", "FailedScheduling"), "the event")[0]
        self.assertEqual((event["note"], event["type"], event["action"], event["reportingController"]),
                         ("skip schedule deleting pod: default/late", "Warning", "Scheduling", "default-scheduler"))
        self.plane.request("PATCH", path, {"metadata": {"finalizers": None}}, content_type=patch)

    def test_pending_pod_is_placed_when_a_node_comes(self):
        self.plane.create(pod("waiting", nodeSelector={"size": "xl"}))
        self.addCleanup(self.plane.kubectl, "delete", "pod", "waiting", "--wait=false")
        self.report("waiting", "Unschedulable")
        self.plane.create(node("xlarge", cpu="16", labels={"size": "xl"}))
        self.addCleanup(self.knows, "nodes", 3)  # before another test depends on it
        self.addCleanup(self.plane.kubectl, "delete", "node", "xlarge")
        self.assertEqual(self.bound("waiting"), "xlarge")
        report = self.report("waiting", "Scheduled")
        self.assertEqual(report["status"]["choice"]["nodeName"], "xlarge")
        before = report["status"]["history"][0]
        self.assertEqual((before["outcome"], before["reason"]), ("Unschedulable", "node(s) didn't match Pod's node affinity/selector"))
        self.assertEqual(report["metadata"]["labels"]["podium.dev/outcome"], "Scheduled")
        self.assertGreaterEqual(report["status"]["attempts"], 2)
        self.assertNotIn("message", report["status"])

    def test_gated_pod_waits_for_its_gate(self):
        self.plane.create(pod("gated", schedulingGates=[{"name": "example.com/quota"}]))
        self.plane.create(pod("after-gated"))
        self.bound("after-gated")
        self.assertNotIn("nodeName", self.live_pod("gated")["spec"])
        report = self.report("gated", "Gated")
        self.assertEqual(report["status"]["schedulingGates"], ["example.com/quota"])
        self.assertEqual(podium.condition(report, "Complete")["status"], "False")
        self.plane.kubectl("patch", "pod", "gated", "--type=json", "-p", '[{"op":"remove","path":"/spec/schedulingGates"}]')
        self.bound("gated")
        self.assertNotIn("schedulingGates", self.report("gated", "Scheduled")["status"])

    def test_pods_of_others_count(self):
        self.plane.create(pod("theirs", cpu="7", nodeName="large"))
        self.plane.create(pod("ours", cpu="3"))
        self.report("ours", "Unschedulable")  # small has 2, large has 1 left
        self.plane.kubectl("delete", "pod", "theirs", "--wait=false", "--grace-period=0", "--force")
        self.assertEqual(self.bound("ours"), "large")
        self.plane.kubectl("delete", "pod", "ours", "--wait=false", "--grace-period=0", "--force")

    def test_node_name_clash_gets_a_suffix(self):
        self.plane.create(what_if("taken", {"spec": {"containers": [{"name": "c", "image": "i"}]}}))
        self.answer("taken")
        uid = self.plane.create(pod("taken"))["metadata"]["uid"]
        def of_the_pod():
            return [r for r in self.plane.get(REPORTS)["items"] if r["spec"].get("podRef", {}).get("uid") == uid
                    and r.get("status", {}).get("outcome") == "Scheduled"]
        name = wait_until(of_the_pod, "a report under another name")[0]["metadata"]["name"]
        self.assertRegex(name, r"^taken-[0-9a-f]{6}$")

    def test_nothing_was_forbidden(self):
        self.plane.create(pod("last"))
        self.report("last", "Scheduled")
        self.assertNotIn("forbidden", self.podium.log())

    def test_kubectl_explains_the_strategies(self):
        explain = lambda: self.plane.kubectl("explain", "sr.status.strategies", check=False)
        wait_until(lambda: explain().returncode == 0, "kubectl explain")
        self.assertIn("Every scoring strategy that ran", explain().stdout)

    def test_metrics_have_kube_schedulers_names(self):
        self.plane.create(pod("counted"))
        self.bound("counted")
        count = lambda: self.podium.metric('scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"}')
        self.assertGreaterEqual(wait_until(count, "the metric"), 1)
        wait_until(lambda: self.podium.metric('scheduler_cache_size{type="nodes"}') >= 3, "the cache's size")


class LongNames(Live):
    nodes = [node("n" + str(i).zfill(2) + "x" * 250, cpu=str(2 + i % 3), labels={"kubernetes.io/hostname": f"n{i}"})
             for i in range(15)]
    values = ["schedulerName=default-scheduler", "podium.events.bestNodes=true"]

    def test_a_report_takes_8_kibibytes_at_most(self):
        name = "p" * 253
        self.plane.create(pod("filler", cpu="1"))
        self.bound("filler")
        for n, cpu in ((name, "1"), ("h" * 253, "64")):
            self.plane.create(pod(n, cpu=cpu))
        for n, outcome in ((name, "Scheduled"), ("h" * 253, "Unschedulable")):
            report = self.report(n, outcome)
            size = len(json.dumps(report, separators=(",", ":")))
            self.assertLessEqual(size, 8192)
            self.assertGreater(size, 3000)

    def test_an_event_names_the_best_three_nodes_and_the_report(self):
        self.plane.create(pod("told"))
        self.bound("told")
        note = wait_until(lambda: self.events("told", "BestNodes"), "the event")[0]["note"]
        best = [f"{n['nodeName']} ({n['score']})" for n in self.report("told", "Scheduled")["status"]["topNodes"][:3]]
        self.assertEqual(note, f"best nodes: {', '.join(best)}; report: told")


class WhatIfs(Live):
    nodes = [node(f"n{i}", cpu="2") for i in range(3)]
    container = {"name": "c", "image": "app:v1", "resources": {"requests": {"cpu": "1500m"}}}

    def ask(self, name, template=None, **spec):
        self.plane.create(what_if(name, template or {"spec": {"containers": [self.container]}}, **spec))
        return self.answer(name)

    def test_fits_partly_and_not(self):
        pods = lambda: [(p["metadata"]["name"], p["spec"].get("nodeName")) for p in self.plane.get("/api/v1/pods")["items"]]
        before = pods()
        cases = {"one": (1, "Fits", 1), "three": (3, "Fits", 3), "five": (5, "PartlyFits", 3)}
        for name, (replicas, outcome, placed) in cases.items():
            with self.subTest(name):
                status = self.ask(name, replicas=replicas)
                self.assertEqual(status["outcome"], outcome)
                self.assertEqual(status["replicas"], {"asked": replicas, "fitting": placed})
                self.assertEqual([p["count"] for p in status["placements"]], [1] * placed)
                self.assertEqual(status.get("firstFailure", {}).get("replica"), placed + 1 if placed < replicas else None)
        status = self.ask("too-big", {"spec": {"containers": [{**self.container, "resources": {"requests": {"cpu": "9"}}}]}})
        self.assertEqual((status["outcome"], status["nodeCounts"]["feasible"]), ("DoesNotFit", 0))
        self.assertTrue(status["message"].startswith("0/3 nodes are available: 3 Insufficient cpu."))
        self.assertEqual(pods(), before)

    def test_invalid_requests_are_refused_with_path_and_reason(self):
        bad = {"spec": {"containers": [{**self.container, "resources": {"requests": {"cpu": "lots"}}}]}}
        cases = {"bad-quantity": (dict(template=bad), "requests"),
                 "bad-profile": (dict(profile="nobody"), "spec.profile: unknown profile \"nobody\""),
                 "bad-type": (dict(template={"spec": {"containers": "none"}}), "spec.template.spec.containers"),
                 "no-container": (dict(template={"spec": {}}), "spec.template.spec.containers"),
                 "bad-class": (dict(template={"spec": {"containers": [self.container], "priorityClassName": "x"}}), "x")}
        for name, (spec, words) in cases.items():
            with self.subTest(name):
                status = self.ask(name, **spec)
                accepted = podium.condition({"status": status}, "Accepted")
                self.assertEqual(accepted["status"], "False")
                self.assertIn(words, accepted["message"])
                self.assertEqual(status["outcome"], "Refused")
                self.plane.kubectl("wait", "--for=condition=Complete", f"sr/{name}", "--timeout=120s")

    def test_about_a_pending_pod(self):
        self.plane.create(pod("undecided", schedulingGates=[{"name": "example.com/wait"}]))
        self.plane.create(what_if("about-undecided", podRef={"name": "undecided"}))
        self.assertEqual(self.answer("about-undecided")["outcome"], "Fits")
        self.plane.create(what_if("about-nobody", podRef={"name": "nobody"}))
        self.assertIn("spec.podRef.name", podium.condition({"status": self.answer("about-nobody")}, "Accepted")["message"])

    def test_changed_question_is_answered_again(self):
        self.ask("changing")
        self.plane.kubectl("patch", "sr", "changing", "--type=merge", "-p", '{"spec":{"replicas":9}}')
        again = lambda: podium.report_of(self.plane, "default", "changing")["status"]["observedGeneration"] == 2
        wait_until(again, "the second answer")
        self.assertEqual(podium.report_of(self.plane, "default", "changing")["status"]["outcome"], "PartlyFits")

    def test_expired_report_goes_and_no_earlier(self):
        began = time.monotonic()
        # The test does not read its answer: it may be too late for that.
        self.plane.create(what_if("brief", {"spec": {"containers": [self.container]}}, ttlSeconds=2))
        self.ask("lasting", ttlSeconds=3600)
        self.assertNotIn("expiresAt", self.ask("kept", ttlSeconds=0))
        wait_until(lambda: podium.report_of(self.plane, "default", "brief") is None, "the report's end")
        self.assertGreater(time.monotonic() - began, 2)
        for name in ("lasting", "kept"):
            self.assertIsNotNone(podium.report_of(self.plane, "default", name))


if __name__ == "__main__":
    unittest.main()
