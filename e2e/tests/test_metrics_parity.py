"""Compares podium's /metrics with kube-scheduler's on the same objects, and checks docs/parity-metrics.md against both."""
import re
import ssl
import unittest
import urllib.request

from e2e.support import oracle, podium
from e2e.support.control_plane import ROOT, ControlPlane, free_ports, wait_until

ROW = re.compile(r"^\| ([a-z_]+) \| ([a-z_, ]*)\| (equal|different|missing)\b", re.MULTILINE)
SAMPLE = re.compile(r'^([a-zA-Z0-9_:]+)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
OURS = ("scheduler_", "dynamic_resource_allocation_", "informer_", "rest_client_", "leader_election_", "process_", "kubernetes_", "version_info")
# Numbers that do not depend on timing.
SAME_NUMBERS = ("scheduler_schedule_attempts_total", "scheduler_pending_pods", "scheduler_queued_entities", "scheduler_unschedulable_pods",
                "scheduler_preemption_attempts_total", "scheduler_preemption_victims_sum",
                "scheduler_pod_scheduling_attempts_count", "scheduler_preemption_goroutines_execution_total",
                "leader_election_master_status", "kubernetes_feature_enabled")
# Changes of the cluster whose number does not depend on timing; the number of status updates does.
SAME_CHANGES = ("NodeAdd", "NodeUpdateNodeCondition", "NodeUpdateNodeAnnotation", "UnscheduledPodAdd", "UnscheduledPodDelete",
                "AssignedPodAdd", "AssignedPodDelete")


def rows():
    text = (ROOT / "docs/parity-metrics.md").read_text()
    return {name: (frozenset(labels.replace(",", " ").split()), state) for name, labels, state in ROW.findall(text)}


class Families:
    """Parsed metrics: type, label names and buckets of each family, and all samples."""

    def __init__(self, text):
        self.types, self.labels, self.buckets, self.samples = {}, {}, {}, {}
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split()
                self.types[name] = kind
            elif line and not line.startswith("#"):
                self.add(line)

    def add(self, line):
        name, inner, value = SAMPLE.match(line).groups()
        labels = dict(LABEL.findall(inner or ""))
        family = next((n for n in (name, re.sub("_(bucket|sum|count)$", "", name)) if n in self.types), None)
        if family is None:
            return
        bound = labels.pop("le", None)
        if bound is not None:
            self.buckets.setdefault(family, set()).add(float(bound))
        self.labels.setdefault(family, set()).update(labels)
        if bound is None:
            self.samples[name, tuple(sorted(labels.items()))] = float(value)

    def numbers(self, names):
        return {key: value for key, value in self.samples.items() if key[0] in names and value}


def pod(name, cpu, **spec):
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": cpu}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
            "spec": {"containers": [container], **spec}}


def populate(plane):
    room = {"cpu": "2", "memory": "4Gi", "pods": "20"}
    plane.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000})
    for name in ("n1", "n2"):
        plane.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"name": name}},
                      "status": {"allocatable": room, "capacity": room}})


def run_scenario(plane):
    """Runs the scenario: a pod that is bound and one that is gated, both deleted; changes of a node's condition and annotation; two
    pods that are bound to n1, one with a choice of nodes, one that fits nowhere, one that is gated, and one that preempts another."""
    pods = "/api/v1/namespaces/default/pods"
    on_n1 = {"nodeSelector": {"name": "n1"}}

    def is_true(name, true):
        return lambda: true(plane.get(f"{pods}/{name}"))
    plane.create(pod("short", "100m", **on_n1))
    wait_until(is_true("short", lambda p: p["spec"].get("nodeName")), "short is bound")
    plane.create(pod("never", "100m", schedulingGates=[{"name": "x.io/y"}]))
    for name in ("short", "never"):
        plane.request("DELETE", f"{pods}/{name}?gracePeriodSeconds=0")
    merge = {"content_type": "application/merge-patch+json"}
    plane.request("PATCH", "/api/v1/nodes/n2/status", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, **merge)
    plane.request("PATCH", "/api/v1/nodes/n2", {"metadata": {"annotations": {"note": "x"}}}, **merge)
    for name, cpu in (("a", "1"), ("b", "500m")):
        plane.create(pod(name, cpu, **on_n1))
        wait_until(is_true(name, lambda p: p["spec"].get("nodeName")), f"{name} is bound")
    chooses = pod("chooses", "100m")
    chooses["spec"]["containers"][0]["resources"]["limits"] = {"cpu": "1", "memory": "1Gi"}
    plane.create(chooses)
    wait_until(is_true("chooses", lambda p: p["spec"].get("nodeName")), "chooses is bound")
    plane.create(pod("others", "1", schedulerName="other"))
    plane.create(pod("big", "8"))
    wait_until(is_true("big", lambda p: podium.condition(p, "PodScheduled")), "big is turned down")
    plane.create(pod("gated", "1", schedulingGates=[{"name": "x.io/y"}]))
    plane.create(pod("vip", "1500m", priorityClassName="high", **on_n1))
    wait_until(is_true("vip", lambda p: p["status"].get("nominatedNodeName")), "vip is nominated")


# Rows that kube-scheduler may or may not serve after this scenario, and why. It has to serve all others.
NOT_ALWAYS = {
    "scheduler_inflight_events": "only of events that come while a pod is being scheduled",
    "scheduler_plugin_execution_duration_seconds": "upstream samples a tenth of the attempts",
    "scheduler_permit_wait_duration_seconds": "no in-tree plugin waits at Permit",
    "scheduler_dra_bindingconditions_allocations_total": "no pod waits for a device here: test_device_conditions.py",
    "scheduler_dra_bindingconditions_wait_duration_seconds": "the same",
    "dynamic_resource_allocation_resourceclaim_creates_total": "no pod asks for an extended resource of devices here: test_devices.py",
    "scheduler_preemption_goroutines_duration_seconds": "hidden, because 1.37 deprecates it",
    "rest_client_request_retries_total": "only of requests that are sent again",
}


class MetricsParity(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = rows()
        cls.ours, cls.our_pods = cls.of_podium()
        cls.theirs, cls.their_pods = cls.of_kube_scheduler()

    @classmethod
    def settled(cls, get):
        """Returns the metrics once the queue's gauges show the end of the scenario."""
        def shown():
            families = Families(get())
            pending = {dict(labels)["queue"]: value for (name, labels), value in families.samples.items()
                       if name == "scheduler_pending_pods"}
            deleted = families.samples.get(("scheduler_preemption_goroutines_execution_total", (("result", "success"),)))
            return families if deleted and pending.get("gated") == 1 and pending.get("unschedulable") == 2 else None
        return wait_until(shown, "the metrics show it", interval=0.2)

    @classmethod
    def of_podium(cls):
        with ControlPlane() as plane:
            populate(plane)
            podium.install(plane, ["schedulerName=default-scheduler"])
            with podium.Podium(plane) as ours:
                run_scenario(plane)
                return cls.settled(lambda: ours.get("/metrics")[1]), Families(ours.get("/metrics/resources")[1])

    @classmethod
    def of_kube_scheduler(cls):
        with ControlPlane() as plane:
            populate(plane)
            port = free_ports(1)[0]
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

            def get(path="/metrics"):
                with urllib.request.urlopen(f"https://127.0.0.1:{port}{path}", context=context, timeout=60) as reply:
                    return reply.read().decode()
            process = oracle.kube_scheduler(plane, "--secure-port", port, "--authorization-always-allow-paths", "/metrics*",
                                            leaderElection={"leaderElect": True, "leaseDuration": "60s", "renewDeadline": "40s"})
            try:
                run_scenario(plane)
                return cls.settled(get), Families(get("/metrics/resources"))
            finally:
                process.stop()

    def test_every_metric_of_kube_scheduler_has_a_row(self):
        theirs = {name for name in self.theirs.types if name.startswith(OURS)}
        self.assertGreater(len(theirs), 40)
        self.assertEqual(theirs - set(self.rows), set())

    def test_rows_have_its_labels(self):
        for name, labels in self.theirs.labels.items():
            if name in self.rows:
                self.assertEqual(self.rows[name][0], labels, name)

    def test_what_the_page_lists_has_the_same_form(self):
        for name, (labels, state) in self.rows.items():
            with self.subTest(name):
                if state == "missing":
                    self.assertNotIn(name, self.ours.types)
                elif name not in self.theirs.types:
                    self.assertIn(name, NOT_ALWAYS, "kube-scheduler does not serve it")
                else:
                    self.assertEqual(self.ours.types.get(name), self.theirs.types[name])
                    self.assertEqual(self.ours.labels.get(name, set()), labels)
                    ours, theirs = (sorted(f.buckets.get(name, ())) for f in (self.ours, self.theirs))
                    self.assertEqual(len(ours), len(theirs))
                    for bound, wanted in zip(ours, theirs):
                        self.assertTrue(bound == wanted or abs(bound - wanted) < 1e-9 * wanted, (bound, wanted))

    def test_podium_has_no_other_metrics_under_these_names(self):
        ours = {name for name in self.ours.types if name.startswith(OURS)}
        self.assertEqual(ours - set(self.rows), set())

    def test_the_numbers_are_the_same(self):
        self.assertEqual(self.ours.numbers(SAME_NUMBERS), self.theirs.numbers(SAME_NUMBERS))

    def test_the_same_changes_are_counted(self):
        def counted(families):
            samples = {dict(labels).get("event"): value for (name, labels), value in families.samples.items()
                       if name == "scheduler_event_handling_duration_seconds_count"}
            return {event: samples[event] for event in SAME_CHANGES}
        self.assertEqual(counted(self.ours), counted(self.theirs))

    def test_extension_points_have_the_same_statuses(self):
        def statuses(families):
            count = "scheduler_framework_extension_point_duration_seconds_count"
            return {(labels["extension_point"], labels["status"]): value for (name, pairs), value in families.samples.items()
                    if name == count for labels in [dict(pairs)]}
        ours, theirs = statuses(self.ours), statuses(self.theirs)
        for unmeasured in (("PreEnqueue", "Success"), ("PreEnqueue", "UnschedulableAndUnresolvable"), ("Sign", "Success")):
            theirs.pop(unmeasured, None)
        self.assertIn(("PreScore", "Success"), theirs)
        self.assertEqual(ours, theirs)

    def test_plugins_were_asked_as_often(self):
        def calls(families, *points):
            return {(labels["extension_point"], labels["plugin"]): value for (name, pairs), value in families.samples.items()
                    if name == "scheduler_plugin_evaluation_total" for labels in [dict(pairs)]
                    if labels["extension_point"] in points}
        asked = ("PreFilter", "PreScore", "Score")
        self.assertEqual(calls(self.ours, *asked), calls(self.theirs, *asked))
        # The preemption has run the filters that concern the pod on n1: without its victims, and with each victim again.
        ours, theirs = calls(self.ours, "Filter"), calls(self.theirs, "Filter")
        self.assertEqual(set(ours), set(theirs))
        self.assertEqual({name: theirs[name] - ours[name] for name in ours}, {name: 3 if theirs[name] else 0 for name in theirs})

    def test_gates_are_the_same(self):
        def gates(families):
            return {pairs: value for (name, pairs), value in families.samples.items() if name == "kubernetes_feature_enabled"}
        self.assertGreater(len(gates(self.theirs)), 100)
        self.assertEqual(gates(self.ours), gates(self.theirs))

    def test_pods_resources_are_the_same(self):
        def samples(families):
            return {(name, *(pair for pair in pairs if pair[0] != "node" or dict(pairs)["pod"] != "chooses")): value
                    for (name, pairs), value in families.samples.items()}
        theirs = samples(self.their_pods)
        self.assertGreater(len(theirs), 8)
        self.assertEqual(samples(self.our_pods), theirs)
        self.assertEqual(self.our_pods.types, self.their_pods.types)


if __name__ == "__main__":
    unittest.main()
