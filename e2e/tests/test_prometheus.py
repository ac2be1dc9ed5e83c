"""A real Prometheus scrapes podium and kube-scheduler side by side: podium also answers the queries of stock dashboards and alerts for
kube-scheduler; and the chart's own alerts."""
import itertools
import json
import math
import threading
import unittest

import yaml

from e2e.support import oracle, podium
from e2e.support.control_plane import ControlPlane, wait_until
from e2e.support.prometheus import Prometheus, promtool

# The queries of public dashboards and rules for kube-scheduler, one for each panel or rule; `{}` is the instance.
QUANTILE = 'histogram_quantile(0.99, sum by (instance, le) (rate({name}_bucket{{{{job="kube-scheduler", instance="{{}}"}}}}[30s])))'
STOCK = {
    "instances that are up": 'sum(up{{job="kube-scheduler", instance="{}"}})',
    "attempts by result": 'sum by (result) (rate(scheduler_schedule_attempts_total{{job="kube-scheduler", instance="{}"}}[30s]))',
    "rate of attempts": 'sum(rate(scheduler_scheduling_attempt_duration_seconds_count{{job="kube-scheduler", instance="{}"}}[30s]))',
    "duration of an attempt": QUANTILE.format(name="scheduler_scheduling_attempt_duration_seconds"),
    "duration of the algorithm": QUANTILE.format(name="scheduler_scheduling_algorithm_duration_seconds"),
    "time from queue to binding": QUANTILE.format(name="scheduler_pod_scheduling_sli_duration_seconds"),
    "duration of extension points": QUANTILE.format(name="scheduler_framework_extension_point_duration_seconds"),
    "attempts that a pod needed": QUANTILE.format(name="scheduler_pod_scheduling_attempts"),
    "pending pods by queue": 'sum by (queue) (scheduler_pending_pods{{job="kube-scheduler", instance="{}"}})',
    "incoming pods by event": 'sum by (event) (rate(scheduler_queue_incoming_pods_total{{job="kube-scheduler", instance="{}"}}[30s]))',
    "unschedulable pods by plugin": 'sum by (plugin) (scheduler_unschedulable_pods{{job="kube-scheduler", instance="{}"}})',
    "size of the cache": 'sum by (type) (scheduler_cache_size{{job="kube-scheduler", instance="{}"}})',
    "requests to the API server": 'sum(rate(rest_client_requests_total{{job="kube-scheduler", code=~"2..", instance="{}"}}[30s]))',
    "duration of POST requests":
        'histogram_quantile(0.99, sum by (verb, le) (rate(rest_client_request_duration_seconds_bucket{{verb="POST", instance="{}"}}[30s])))',
    "memory": 'sum by (instance) (process_resident_memory_bytes{{job="kube-scheduler", instance="{}"}})',
    "processor": 'sum by (instance) (rate(process_cpu_seconds_total{{job="kube-scheduler", instance="{}"}}[30s]))',
}


SCHEDULERS = ("podium", "default-scheduler")


def alert_rules():
    """Returns the groups of the chart's PrometheusRule."""
    rendered = yaml.safe_load_all(podium.render(["prometheusRule.enabled=true"]))
    return next(one for one in rendered if one and one["kind"] == "PrometheusRule")["spec"]["groups"]


# The dashboard's panels that have a line in any cluster where a pod waits and others are placed.
SHOWN = ("Waiting pods by reason", "Waiting pods by namespace", "Waiting pods by missing resource", "Attempts", "Pending pods",
         "Room by probe", "Nodes to add", "Nodes that can be removed", "Decisions by strategy",
         "Leader", "Duration of an attempt", "Reports", "Reports kept", "Requests to the API server", "Memory", "CPU")

PROBES = {"room": {"template": {"spec": {"containers": [{"name": "c", "image": "x"}]}}, "replicas": 3},
          "wanted": {"search": {"forPending": {}}}, "spare": {"search": {"couldGo": {}}}}


def dashboard():
    """Returns the chart's dashboard for Grafana."""
    rendered = yaml.safe_load_all(podium.render(["dashboard.enabled=true"]))
    [text] = [one["data"]["podium.json"] for one in rendered if one and "podium.json" in one.get("data", {})]
    return json.loads(text)


def pod(name, cpu="10m", **spec):
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": cpu}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
            "spec": {"containers": [container], **spec}}


class Scraped(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane().start()
        cls.addClassCleanup(cls.plane.stop)
        podium.install(cls.plane)
        cls.podium = podium.Podium(cls.plane).start()
        cls.addClassCleanup(cls.podium.stop)
        reference = oracle.kube_scheduler(cls.plane)
        cls.addClassCleanup(reference.stop)
        # The labels that the chart's ServiceMonitor adds to the series.
        labels = {"namespace": podium.NAMESPACE, "service": "podium", "metrics_path": "/metrics"}
        targets = {"podium": (cls.podium.port, labels), "reference": (reference.port, {})}
        cls.prometheus = Prometheus(cls.plane.dir / "prometheus", targets, alert_rules()).start()
        cls.addClassCleanup(cls.prometheus.stop)
        room = {"cpu": "4", "memory": "8Gi", "pods": "110"}
        # Without TaintToleration, the other node would win as often.
        for name, taints in (("n1", []), ("n2", [{"key": "spare", "effect": "PreferNoSchedule"}])):
            cls.plane.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": {"taints": taints},
                              "status": {"allocatable": room, "capacity": room}})
        wait_until(lambda: len(cls.prometheus.query("up == 1")) == 2, "both are scraped")
        for scheduler in SCHEDULERS:
            cls.plane.create(pod(f"{scheduler}-large", cpu="64", schedulerName=scheduler))
        for name, question in PROBES.items():
            cls.plane.create({"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
                              "metadata": {"name": name, "namespace": "default"},
                              "spec": {"dryRun": True, "refreshSeconds": 10, **question}})
        ended = threading.Event()
        load = threading.Thread(target=cls.keep_busy, args=(ended,))
        load.start()
        cls.addClassCleanup(load.join)
        cls.addClassCleanup(ended.set)

    @classmethod
    def keep_busy(cls, ended):
        """Places a pod with each scheduler twice a second, since rates need continuous activity."""
        for number in itertools.count():
            names = [f"{scheduler}-{number}" for scheduler in SCHEDULERS]
            for name, scheduler in zip(names, SCHEDULERS):
                cls.plane.create(pod(name, schedulerName=scheduler))
            if ended.wait(0.5):
                return
            for name in names:
                cls.plane.request("DELETE", f"/api/v1/namespaces/default/pods/{name}?gracePeriodSeconds=0")

    def answers(self, query, instance):
        return [(labels, value) for labels, value in self.prometheus.query(query.format(instance)) if not math.isnan(value)]

    def test_stock_queries(self):
        for name, query in STOCK.items():
            with self.subTest(name):
                theirs = wait_until(lambda: self.answers(query, "reference"), f"kube-scheduler answers: {name}")
                ours = wait_until(lambda: self.answers(query, "podium"), f"podium answers: {name}")
                self.assertEqual({frozenset(labels) for labels, _ in ours}, {frozenset(labels) for labels, _ in theirs})

    def test_the_metrics_are_in_order(self):
        code, said = promtool("check", "metrics", stdin=self.podium.get("/metrics")[1])
        ours = [line for line in said.splitlines() if line.startswith("podium_")]
        self.assertEqual(ours, [])
        self.assertIn(code, (0, 3), said)  # 3: findings, here about upstream's names

    def test_the_charts_dashboard(self):
        """Each panel's query is one that Prometheus takes, and what waits here is on it."""
        labels = {"$job": "kube-scheduler", "$namespace": podium.NAMESPACE, "$__rate_interval": "30s"}
        for panel in dashboard()["panels"]:
            for target in panel["targets"]:
                query = target["expr"]
                for name, value in labels.items():
                    query = query.replace(name, value)
                with self.subTest(panel["title"]):
                    answered = self.prometheus.query(query)
                    if panel["title"] in SHOWN:
                        wait_until(lambda: self.prometheus.query(query), f"a line of {panel['title']}")
                    self.assertIsInstance(answered, list)

    def test_the_charts_alerts(self):
        names = {rule["alert"] for group in alert_rules() for rule in group["rules"]}
        self.assertGreaterEqual(len(names), 10)
        # Only the pod that fits nowhere and a slow, busy machine may cause alerts. (A pending alert counts.)
        alerts = lambda: self.prometheus.alerts() - {"PodiumSchedulingSlow"}
        wait_until(lambda: alerts() == {"PodiumPodsPending"}, "the alert on pending pods, alone", 240)
        self.podium.stop()
        wait_until(lambda: {"PodiumDown", "PodiumNoLeader"} <= self.prometheus.alerts(), "the alerts on its end", 240)
        self.podium.start()
        wait_until(lambda: alerts() == {"PodiumPodsPending"}, "the alerts end", 240)


if __name__ == "__main__":
    unittest.main()
