"""Preemption on a real API server: victims, conditions and events, and pods that stay."""
import json
import unittest

from e2e.support import podium
from e2e.support.control_plane import wait_until
from e2e.tests.base import node, pod
from e2e.tests.kubectl_plugin import Plugin

CLASSES = {"low": 10, "medium": 100, "high": 1000, "patient": 1000}


def priority_class(name):
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name},
            "value": CLASSES[name], "preemptionPolicy": "Never" if name == "patient" else "PreemptLowerPriority"}


def pair(name):
    """Creates two nodes with two CPUs for one test."""
    return [node(f"{name}{i}", cpu="2", labels={"pair": name}) for i in (1, 2)]


# Created before podium starts, because nothing shows when podium has seen it.
BUDGET = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "guard", "namespace": "default"},
          "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "guarded"}}}}


class Preemption(Plugin):
    nodes = [*map(priority_class, CLASSES), BUDGET, *pair("simple"), *pair("budget"), *pair("guards"), *pair("never"),
             node("crowd", cpu="8", labels={"crowd": "true"})]

    def runs(self, name, where, priority, grace=0, labels=None):
        """Creates a pod that fills the node, bound by podium."""
        self.plane.create(pod(name, cpu="1500m", labels=labels, priorityClassName=priority,
                              terminationGracePeriodSeconds=grace, nodeSelector={"kubernetes.io/hostname": where}))
        self.assertEqual(self.bound(name), where)

    def arrives(self, name, pair_name, priority="high"):
        return self.plane.create(pod(name, cpu="1500m", priorityClassName=priority, nodeSelector={"pair": pair_name}))

    def is_gone(self, name):
        return not self.plane.kubectl("get", "pod", name, "--ignore-not-found", "-o", "name").strip()

    def test_the_least_important_pod_makes_room(self):
        self.runs("victim", "simple1", "low", grace=300)  # no kubelet runs here: the pod stays terminating until it is deleted
        self.runs("bystander", "simple2", "medium")
        arrived = self.arrives("urgent", "simple")

        victim = wait_until(lambda: self.terminating("victim"), "the victim's deletion")
        self.assertEqual(podium.condition(victim, "PodScheduled")["status"], "True")  # others' conditions stay
        condition = podium.condition(victim, "DisruptionTarget")
        self.assertEqual((condition["status"], condition["reason"], condition["message"]),
                         ("True", "PreemptionByScheduler",
                          "default-scheduler: preempting to accommodate a higher priority pod"))
        wait_until(lambda: self.live_pod("urgent")["status"].get("nominatedNodeName") == "simple1", "the nomination")
        report = self.report("urgent", "Unschedulable")
        self.assertEqual(report["status"]["preemption"],
                         {"nodeName": "simple1", "victims": [{"namespace": "default", "name": "victim"}], "victimsTotal": 1,
                          "decidedAt": report["status"]["preemption"]["decidedAt"]})
        event = wait_until(lambda: self.events("victim", "Preempted"), "the event")[0]
        self.assertEqual((event["type"], event["action"], event["note"], event["related"]["name"]),
                         ("Normal", "Preempting", f"Preempted by pod {arrived['metadata']['uid']} on node simple1", "urgent"))
        self.assertNotIn("nodeName", self.live_pod("urgent")["spec"])
        evicted = r"evicted \d+s ago to make room for default/urgent"
        hint = "\nWhy was it evicted? kubectl podium why urgent -n default\n"
        self.assertRegex(self.ask("why", "victim"), rf"^default/victim is on simple1 \(.*\); it terminates, {evicted}\.\n")

        self.arrives("latecomer", "simple", "medium")  # the capacity is kept
        self.report("latecomer", "Unschedulable")
        self.plane.kubectl("delete", "pod", "victim", "--grace-period=0", "--force")
        self.assertEqual(self.bound("urgent"), "simple1")
        self.report("urgent", "Scheduled")
        said = self.ask("why", "victim")
        self.assertRegex(said, rf"^default/victim was on simple1 \(.*\); {evicted}\.\n")
        self.assertTrue(said.endswith(hint), said)
        self.assertRegex(self.ask("why", "victim", "bystander"), rf"default/victim .* {evicted}\n")
        self.assertNotIn("nodeName", self.live_pod("latecomer")["spec"])
        self.assertNotIn("deletionTimestamp", self.live_pod("bystander")["metadata"])
        for counted in ("scheduler_preemption_attempts_total", "scheduler_preemption_victims_count"):
            wait_until(lambda: self.podium.metric(counted) >= 1, counted)
        # The API server keeps events for an hour. After that podium's memory has the eviction.
        self.plane.kubectl("delete", "events", "--all")
        memory = ("--podium", f"https://127.0.0.1:{self.podium.port}", "--podium-insecure")
        for _ in range(2):
            said = self.ask("why", "victim", *memory)
            self.assertRegex(said, rf"^default/victim was on simple1 \(.*\); {evicted}\.\n")
            self.assertTrue(said.endswith(hint), said)
            self.plane.kubectl("delete", "schedulingreports.podium.dev", "victim", "--ignore-not-found")
        # Another podium has no memory of it. The report of the pod that got the room stays.
        self.podium.stop()
        gone = f"A pod of this name, on simple1, was {evicted}"
        self.assertRegex(self.ask("why", "victim", code=1), gone)
        type(self).podium = podium.Podium(self.plane, name="next").start()
        for flags in ((), ("--podium", f"https://127.0.0.1:{self.podium.port}", "--podium-insecure")):
            self.assertRegex(self.ask("why", "victim", *flags, code=1), gone)
        said = lambda: json.loads(self.podium.get("/v1/namespaces/default/pods/victim/report")[1])["details"]["causes"]
        wait_until(lambda: {"reason": "EvictedFor", "message": "default/urgent"} in said(), "the eviction in the next podium's memory")

    def test_each_of_many_victims_has_its_reason(self):
        """Pods with the names of a Deployment's, which exists: a name like its is not a mistyped one."""
        web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
            "replicas": 0, "selector": {"matchLabels": {"app": "web"}}, "template": {
                "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "app:v1"}]}}}}
        self.plane.kubectl("apply", "-f", "-", stdin=json.dumps(web))
        names = [f"web-7d8f9c6b54-{number:05}" for number in range(40)]
        for name in names:
            self.plane.create(pod(name, cpu="200m", priorityClassName="low", nodeSelector={"crowd": "true"}))
        for name in names:
            self.bound(name)
        self.plane.create(pod("whole", cpu="8", priorityClassName="high", nodeSelector={"crowd": "true"}))
        self.assertEqual(self.bound("whole"), "crowd")
        preemption = self.report("whole", "Scheduled")["status"]["preemption"]
        self.assertEqual(preemption["victimsTotal"], len(names))
        self.assertEqual(sorted(each["name"] for each in preemption["victims"]), names)
        said = self.ask("why", "whole")
        self.assertRegex(said, r"\nEvicted to make room: (default/web-\S+, ){3}default/web-\S+ and 36 more\.\n")
        # Neither the events nor the reports of the victims stay for ever.
        self.plane.kubectl("delete", "events", "--all")
        self.plane.kubectl("delete", "schedulingreports.podium.dev", *names, "--ignore-not-found")
        memory = ("--podium", f"https://127.0.0.1:{self.podium.port}", "--podium-insecure")
        evicted = r"evicted \d+s ago to make room for default/whole\.\n"
        for name in (preemption["victims"][0]["name"], preemption["victims"][-1]["name"]):
            self.assertRegex(self.ask("why", name, code=1), rf"A pod of this name, on crowd, was {evicted}")
        self.plane.kubectl("delete", "schedulingreports.podium.dev", "whole")
        self.assertRegex(self.ask("why", preemption["victims"][-1]["name"], *memory), rf"was on crowd \(.*\); {evicted}")

    def terminating(self, name):
        found = self.live_pod(name)
        return found if "deletionTimestamp" in found["metadata"] else None

    def test_a_budget_guards_its_pods(self):
        self.runs("guarded", "budget1", "low", labels={"app": "guarded"})
        self.runs("unguarded", "budget2", "medium")
        self.arrives("guest", "budget")
        self.assertEqual(self.bound("guest"), "budget2")
        self.assertTrue(self.is_gone("unguarded"))
        self.assertNotIn("deletionTimestamp", self.live_pod("guarded")["metadata"])

    def test_a_violated_budget_is_named(self):
        for number in (1, 2):  # no node would do without an eviction that violates the budget
            self.runs(f"last{number}", f"guards{number}", "low", grace=300, labels={"app": "guarded"})
        words = "violating the PodDisruptionBudget default/guard"
        asked = pod("asked", cpu="1500m", priorityClassName="high", nodeSelector={"pair": "guards"})
        said = self.ask("whatif", "-f", "-", stdin=json.dumps(asked), code=4)
        self.assertRegex(said, rf"\nPreemption: default/last\d on guards\d would be evicted to make room, {words}\.\n")
        self.arrives("breaks", "guards")
        preemption = self.report("breaks", "Unschedulable")["status"]["preemption"]
        self.assertEqual((preemption["violatedBudgets"], preemption["violatedBudgetsTotal"]),
                         ([{"namespace": "default", "name": "guard"}], 1))
        self.assertRegex(self.ask("why", "breaks"), rf"\nEvicted to make room: default/last\d, {words}\.\n")

    def test_a_pod_without_preemption_evicts_no_pod(self):
        self.runs("tenant1", "never1", "low")
        self.runs("tenant2", "never2", "low")
        self.arrives("waits", "never", "patient")
        report = self.report("waits", "Unschedulable")
        self.assertTrue(report["status"]["message"].endswith("preemption: not eligible due to preemptionPolicy=Never."),
                        report["status"]["message"])
        self.assertNotIn("preemption", report["status"])
        for name in ("tenant1", "tenant2"):
            self.assertNotIn("deletionTimestamp", self.live_pod(name)["metadata"])
        self.plane.kubectl("delete", "pod", "tenant2", "--wait=false")
        self.assertEqual(self.bound("waits"), "never2")

    def test_nothing_was_forbidden(self):
        self.assertNotIn("forbidden", self.podium.log())


if __name__ == "__main__":
    unittest.main()
