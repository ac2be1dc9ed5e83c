"""Retention on a real API server: TTLs, budgets, expiry by label, and changes of switches in the running program's file."""
import datetime
import itertools
import json
import time
import unittest

from e2e.support import podium
from e2e.support.control_plane import wait_until
from e2e.tests.base import Live, node, pod

REPORTS = "/apis/podium.dev/v1alpha1/schedulingreports"
OWN = "/apis/podium.dev/v1alpha1/namespaces/default/schedulingreports"
UID = "0b0c1d2e-3f40-5162-7384-95a6b7c8d9e0"


def small(name, namespace="default", cpu="1m"):
    made = pod(name, cpu=cpu, memory="1Mi")
    made["metadata"]["namespace"] = namespace
    return made


class Retained(Live):
    nodes = [node("large", cpu="64", memory="256Gi")]

    def names(self, namespace=None):
        return {r["metadata"]["name"] for r in self.plane.get(REPORTS)["items"]
                if namespace in (None, r["metadata"]["namespace"])}

    def namespace(self, name, **labels):
        self.plane.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})

    def rewrite(self, old, new):
        """Changes podium's file as a kubelet does: atomically."""
        text = self.podium.config.read_text()
        self.assertIn(old, text)
        following = self.podium.config.with_suffix(".next")
        following.write_text(text.replace(old, new))
        following.replace(self.podium.config)


class Budgets(Retained):
    values = ["schedulerName=default-scheduler", "podium.reports.maxReports=40", "podium.reports.maxReportsPerNamespace=20"]

    def test_a_namespace_that_floods_keeps_its_part_and_failures_stay(self):
        self.namespace("quiet")
        self.plane.create(small("quiet-1", "quiet"))
        self.plane.create(small("too-large", cpu="1000"))
        self.report("too-large", "Unschedulable")
        wait_until(lambda: "quiet-1" in self.names("quiet"), "its report")
        for i in range(100):
            self.plane.create(small(f"p-{i:03}"))
        limit = 'podium_reports_deleted_total{reason="limit"}'
        wait_until(lambda: self.podium.metric(limit) >= 81 and len(self.names("default")) == 20, "the oldest 81 of 101 have gone")
        self.assertIn("too-large", self.names())
        self.assertIn("quiet-1", self.names())
        self.assertEqual(self.podium.metric(limit), 81)
        self.assertEqual(self.podium.metric("podium_reports_dropped_total"), 0)
        used = self.podium.metric('podium_reports_stored_bytes{kind="decision"}')
        stored = sum(len(json.dumps(r, separators=(",", ":"))) for r in self.plane.get(REPORTS)["items"])
        self.assertLess(abs(used - stored), 0.25 * stored, "what podium counts is about what is there")


class Expiry(Retained):
    values = ["schedulerName=default-scheduler", "podium.reports.ttl=3s"]

    @classmethod
    def connect(cls):
        """Finds reports at its start that expired together, while it did not run, and one that did not."""
        token = cls.plane.kubectl("create", "token", "podium", "-n", podium.NAMESPACE).strip()
        def left(name, expires):
            made = {"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
                    "metadata": {"name": name, "labels": {"podium.dev/report": "decision",
                                                          "podium.dev/expires": f"{expires:%Y%m%d%H%M}"}},
                    "spec": {"podRef": {"name": name, "uid": UID}, "dryRun": False}}
            status, body = cls.plane.request("POST", OWN, made, token=token)
            assert status == 201, body
        now = datetime.datetime.now(datetime.UTC)
        for i in range(60):
            left(f"old-{i}", now - datetime.timedelta(hours=1))
        left("orphan", now + datetime.timedelta(hours=1))
        return super().connect()

    def test_reports_expire(self):
        wait_until(lambda: self.names() <= {"orphan"}, "those that were left are gone")
        self.assertEqual(self.names(), {"orphan"}, "its pod is gone, its TTL has not passed")
        self.plane.create(small("brief"))
        # This test may be too late to see its report.
        wait_until(lambda: self.podium.metric('podium_reports_deleted_total{reason="expired"}') >= 61, "it is reported, and expires")
        self.assertEqual(self.names(), {"orphan"})
        self.assertNotIn("not deleted by label", self.podium.log())


class Switches(Retained):
    def test_a_changed_file_counts_without_a_restart(self):
        self.plane.create(small("first"))
        self.report("first", "Scheduled")
        self.namespace("selected", team="shop")
        self.rewrite("reports:\n", "reports:\n  namespaceSelector: {matchLabels: {team: shop}}\n")
        wait_until(lambda: "configuration reloaded" in self.podium.log(), "it reads the file")
        self.plane.create(small("second"))
        self.bound("second")
        self.plane.create(small("third", "selected"))
        wait_until(lambda: "third" in self.names("selected"), "the report in the selected namespace")
        self.assertNotIn("second", self.names())

        self.rewrite("enabled: true", "enabld: true")
        wait_until(lambda: "configuration not reloaded" in self.podium.log(), "it refuses the file")
        wait_until(lambda: "enabld: unknown field" in self.podium.log(), "it says why")
        self.rewrite("enabld: true", "enabled: true")
        self.plane.create(small("fourth", "selected"))
        wait_until(lambda: "fourth" in self.names("selected"), "the settings are as before")
        self.assertEqual(self.podium.log().count("configuration not reloaded"), 1)

        self.rewrite("onlyFailures: false", "onlyFailures: true")
        wait_until(lambda: self.podium.log().count("configuration reloaded") >= 2, "it reads the file again")
        self.plane.create(small("fifth", "selected"))
        wait_until(lambda: self.plane.get("/api/v1/namespaces/selected/pods/fifth")["spec"].get("nodeName"), "bound")
        self.plane.create(small("too-large", "selected", cpu="1000"))
        wait_until(lambda: "too-large" in self.names("selected"), "the report of a failure")
        time.sleep(1)  # a report that is written against the rule would exist by now
        self.assertNotIn("fifth", self.names())

        self.rewrite("PodiumConfiguration", "PodiumConfiguration\nadaptiveSearch: true")
        wait_until(lambda: "take effect at the next start settings=adaptiveSearch" in self.podium.log(), "it says so")

        self.rewrite("ttl: 24h", "ttl: 2h")
        self.rewrite("bestNodes: false", "bestNodes: true")
        numbers = itertools.count()

        def follows_the_file():
            number = next(numbers)
            self.plane.create(small(f"told-{number}", "selected"))
            self.plane.create(small(f"kept-{number}", "selected", cpu="1000"))
            status = podium.status_of(self.plane, "selected", f"kept-{number}", "Unschedulable")
            kept = datetime.datetime.fromisoformat(status["expiresAt"]) - datetime.datetime.fromisoformat(status["decidedAt"])
            events = self.plane.get("/apis/events.k8s.io/v1/namespaces/selected/events")["items"]
            return kept < datetime.timedelta(hours=3) and any(one["reason"] == "BestNodes" for one in events)
        wait_until(follows_the_file, "TTL and events are those of the file", 120, 1)


if __name__ == "__main__":
    unittest.main()
