"""The answer of a what-if comes true.

For each workload the test first asks podium. Then kube-controller-manager creates its pods, podium places them, and the test compares
the whole answer with the result, in a cluster in which nothing else happens.

1. *Before*: the first pod is decided as in the answer: the same feasible nodes, scores, scores of each strategy, ties and rejections.
Its node is among the best of the answer. Among equal nodes the pod's UID decides, which is not known before.
2. *The number*: the same number of pods fit as in the answer. Another draw may leave capacity for another number only if hard spread
constraints or required affinity tie the pods to each other. The test counts those shapes with a draw, and step 4 judges them. The same
applies to the pods of a DaemonSet that depend on each other, since its controller creates them in no order.
3. *Without a draw*: each node got the number of pods in the answer, and the pending pods have the message of the answer.
4. *After*: the test asks about each pod again (podRef), as if it and the pods decided after it did not exist (DeletePods). The answer
equals the decision in all its fields: the UID decides the same way. podium's log has the order of decisions.

So a later pod's choice is judged in exactly the state after the draws before it.

By default, the test runs the whole shop of e2e/truth/shop.yaml and a sample of generated shapes. PODIUM_TRUTH_SHAPES=100 tests that
number of shapes; PODIUM_TEST_SEED repeats a seed.
"""
import collections
import os
import re
import unittest

from e2e.support import controllers, podium, seeds
from e2e.support.control_plane import collection, wait_until
from e2e.support.ledger import Ledger
from e2e.tests.base import Live
from e2e.truth import shapes

NAMESPACE = shapes.NAMESPACE
REPORTS = f"/apis/podium.dev/v1alpha1/namespaces/{NAMESPACE}/schedulingreports"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
SHAPES = int(os.environ.get("PODIUM_TRUTH_SHAPES", "40"))
ORDER = "decided"  # the label that numbers a shape's pods
NODES = shapes.nodes()
SPREAD_BY = ("Deployment", "ReplicaSet", "StatefulSet")  # default spreading uses the selectors of these
DECISION = re.compile(r"decision pod=\S+ uid=(\S+) attempt=(\d+) ")
# The fields that are the same in a decision and an answer.
OF_A_CHOICE = ("choice", "nodeCounts", "strategies", "topNodes", "rejections", "rejectionsTotal")
OF_A_FAILURE = ("message", "nodeCounts", "rejections", "rejectionsTotal")


def fields(status, names):
    return {name: status.get(name) for name in names}


def without(number, said, verdicts, chosen):
    """Returns who would win without a strategy, and by how much, if `chosen` is the node; None if it still wins. Among equal nodes the
    answer may have chosen another one, which has other scores per strategy."""
    def rest(verdict):
        return verdict["score"] - said["strategies"][number]["weight"] * verdict["strategyScores"][number]
    leads = {name: rest(verdict) - rest(verdicts[chosen]) for name, verdict in verdicts.items() if verdict["fits"]}
    name = min(leads, key=lambda name: (-leads[name], name))
    return {"nodeName": name, "lead": leads[name]} if leads[name] > 0 else None


def is_decided(pod):
    scheduled = podium.condition(pod, "PodScheduled") or {}
    return bool(pod["spec"].get("nodeName")) or scheduled.get("reason") == "Unschedulable"


class Truth(Live):
    maxDiff = 1500
    nodes = NODES

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        controllers.build()
        cls.plane.kubectl("delete", "deployment", "--all", "-n", podium.NAMESPACE)  # podium's own
        cls.plane.kubectl("create", "namespace", NAMESPACE)
        cls.services, cls.shop = shapes.shop()
        for obj in [*shapes.priority_classes(), *cls.services, *shapes.placed_pods()]:
            cls.plane.create(obj, NAMESPACE)
        process = controllers.controllers(cls.plane)
        cls.addClassCleanup(process.stop)
        cls.ledger = Ledger(cls.plane).start()
        cls.addClassCleanup(cls.ledger.stop)
        cls.count = collections.Counter()

    @classmethod
    def tearDownClass(cls):
        count = cls.count
        print(f"\n{count['shapes']} shapes: {count['placed']} pods placed, {count['pending']} pending; {count['drawn']} shapes with a "
              f"draw, on which the number may depend for {count['judged after']}; {count['questions']} questions", flush=True)

    @classmethod
    def connect(cls):
        return podium.Podium(cls.plane, flags=["-v=5"])  # it logs each decision

    # --- asking ---
    def ask(self, **spec):
        """Creates a what-if; returns its name."""
        self.count["questions"] += 1
        name = f"ask-{self.count['questions']}"
        self.plane.create({"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
                           "metadata": {"name": name, "namespace": NAMESPACE}, "spec": {"dryRun": True, **spec}})
        return name

    def answer_of(self, name):
        status = podium.status_of(self.plane, NAMESPACE, name)
        self.assertNotEqual(status["outcome"], "Refused", status.get("message"))
        return status

    # --- the cluster ---
    def is_quiet(self):
        """Whether podium has all existing pods, and is not about to try any."""
        there = [bool(p["spec"].get("nodeName")) for p in self.plane.get("/api/v1/pods")["items"]]
        placed, pending = there.count(True), there.count(False)
        expected = {'cache_size{type="pods"}': placed, 'cache_size{type="assumed_pods"}': 0,
                    'pending_pods{queue="unschedulable"}': pending, "pending_pods": pending}
        samples = [line.rsplit(" ", 1) for line in self.podium.get("/metrics")[1].splitlines() if line.startswith("scheduler_")]
        return all(sum(float(value) for name, value in samples if name.startswith(f"scheduler_{metric}")) == number
                   for metric, number in expected.items())

    def pods_of(self, shape):
        return self.plane.get(f"{PODS}?labelSelector=shape={shape.name}")["items"]

    def create(self, shape):
        """Creates the shape's objects, in the form of the question."""
        if shape.way != "reference" and shape.kind not in SPREAD_BY:
            for obj in shape.objects():
                self.plane.create(obj, NAMESPACE)
            return
        if shape.way != "reference":
            self.plane.create(shape.scaled(0), NAMESPACE)
        if shape.kind in SPREAD_BY:
            self.make_known(shape)
        change = {"suspend": False} if shape.kind == "Job" else {"replicas": shape.replicas}
        status, reply = self.plane.request("PATCH", self.path_of(shape), {"spec": change}, content_type="application/merge-patch+json")
        self.assertEqual(status, 200, reply)

    def make_known(self, shape):
        """Lets podium see the owner of the pods before the pods. They have separate watches: a pod that arrives before its ReplicaSet
        is spread only by its Services, as by kube-scheduler, and no answer predicts that."""
        if shape.kind == "Deployment":
            replica_sets = f"/apis/apps/v1/namespaces/{NAMESPACE}/replicasets?labelSelector=shape={shape.name}"
            wait_until(lambda: self.plane.get(replica_sets)["items"], f"the ReplicaSet of {shape.name}")
        self.answer_of(self.ask(**shape.question()))  # the question comes after the owner, and its answer includes the owner

    def path_of(self, shape):
        return f"{collection(shape.manifest, NAMESPACE)}/{shape.name}"

    def decided(self, shape, number):
        """Returns the shape's pods, once all decisions are made."""
        ordered = shape.kind == "StatefulSet" and shape.manifest["spec"].get("podManagementPolicy") != "Parallel"

        def all_decided():
            pods = self.pods_of(shape)
            if ordered:
                for pod in pods:
                    self.run_pod(pod)
                if any(is_decided(pod) and not pod["spec"].get("nodeName") for pod in pods):
                    return pods  # the controller waits for this one
            return pods if len(pods) == number and all(map(is_decided, pods)) else None
        try:
            pods = wait_until(all_decided, "", 180)
        except TimeoutError:
            pods = [(p["metadata"]["name"], p["spec"].get("nodeName"), podium.condition(p, "PodScheduled")) for p in self.pods_of(shape)]
            raise AssertionError(f"{number} pods of {shape.name} are to be decided, and there are: {pods}") from None
        return pods

    def in_order(self, pods, reports):
        """Returns pods and reports in the order of the decisions in the reports, which is that of podium's log."""
        order = {}

        def key(pair):
            return pair[0]["metadata"]["uid"], str(pair[1]["attempts"])

        def are_logged():
            order.update({decision: number for number, decision in enumerate(DECISION.findall(self.podium.log()))})
            return all(key(pair) in order for pair in pairs)
        pairs = list(zip(pods, reports))
        wait_until(are_logged, "the log has all decisions")
        pairs.sort(key=lambda pair: order[key(pair)])
        return [pod for pod, _ in pairs], [report for _, report in pairs]

    def run_pod(self, pod):
        """Sets a bound pod to running, as its kubelet would: the next pod of an ordered StatefulSet waits for that."""
        if pod["spec"].get("nodeName") and pod["status"]["phase"] == "Pending":
            ready = [{"type": "Ready", "status": "True"}]
            kept = [c for c in pod["status"].get("conditions", []) if c["type"] == "PodScheduled"]
            self.plane.request("PATCH", f"{PODS}/{pod['metadata']['name']}/status", {
                "status": {"phase": "Running", "conditions": kept + ready}}, content_type="application/merge-patch+json")

    def report_of(self, pod):
        """Returns the status of the pod's own report."""
        outcome = "Scheduled" if pod["spec"].get("nodeName") else "Unschedulable"

        def there():
            report = podium.report_of(self.plane, NAMESPACE, pod["metadata"]["name"]) or {}
            is_its = report.get("spec", {}).get("podRef", {}).get("uid") == pod["metadata"]["uid"]
            return report["status"] if is_its and report.get("status", {}).get("outcome") == outcome else None
        return wait_until(there, f"report of {pod['metadata']['name']}")

    def delete(self, shape):
        paths = [self.path_of(shape)] if shape.kind != "Pods" else [f"{PODS}/{p['metadata']['name']}" for p in self.pods_of(shape)]
        if shape.kind == "CronJob":
            paths.append(f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs/{shape.name}-run")
        for path in paths:
            status, reply = self.plane.request("DELETE", path, {"propagationPolicy": "Background"})
            self.assertIn(status, (200, 202, 404), reply)  # 404: it could not be made
        wait_until(lambda: not self.pods_of(shape), f"the pods of {shape.name} are gone")

    # --- the four statements ---
    def check_before(self, said, first, report):
        """Checks statement 1: the first decision."""
        if not first["spec"].get("nodeName"):
            self.assertEqual(fields(report, OF_A_FAILURE), fields({**said["firstFailure"], "message": said["message"]}, OF_A_FAILURE))
            return
        verdicts = {v["nodeName"]: v for v in said["verdicts"]}
        best = {name for name, v in verdicts.items() if v["fits"] and v.get("score") == said["choice"].get("score")}
        self.assertIn(first["spec"]["nodeName"], best)
        self.assertEqual(len(best), said["choice"]["tiedNodes"])
        self.assertEqual({**report["choice"], "nodeName": ""}, {**said["choice"], "nodeName": ""})
        for name in ("nodeCounts", "rejections", "rejectionsTotal"):
            self.assertEqual(report.get(name), said.get(name), name)
        expected = [{**strategy, "without": without(number, said, verdicts, first["spec"]["nodeName"])}
                    for number, strategy in enumerate(said["strategies"])]
        self.assertEqual([{"without": None, **strategy} for strategy in report["strategies"]], expected)
        for row in report["topNodes"]:
            self.assertEqual(row, {key: verdicts[row["nodeName"]][key] for key in row})

    def check_number(self, shape, said, pods, reports):
        """Checks statements 2 and 3: how many pods fit, and where."""
        placed = [p["spec"]["nodeName"] for p in pods if p["spec"].get("nodeName")]
        draws = any(r["choice"]["tiedNodes"] > 1 for r in reports if r["outcome"] == "Scheduled")
        self.count["drawn"] += draws
        if draws and shape.number_may_depend_on_draws:
            self.count["judged after"] += 1
            return
        self.assertEqual(len(placed), said["replicas"]["fitting"])
        if draws:
            return
        self.assertEqual({name: placed.count(name) for name in set(placed)},
                         {each["nodeName"]: each["count"] for each in said.get("placements", [])})
        if len(placed) < said["replicas"]["asked"]:
            first = next(r for r in reports if r["outcome"] == "Unschedulable")
            self.assertEqual(first["message"], said["firstFailure"]["message"])

    def check_after(self, pods, reports):
        """Checks statement 4: each decision again, in the state in which it was made."""
        placed = [number for number, pod in enumerate(pods) if pod["spec"].get("nodeName")]
        for number in placed:
            status, reply = self.plane.request("PATCH", f"{PODS}/{pods[number]['metadata']['name']}", {
                "metadata": {"labels": {ORDER: str(number)}}}, content_type="application/merge-patch+json")
            self.assertEqual(status, 200, reply)

        def question(number, pod):
            later = [str(i) for i in placed if i > number]
            changes = [{"type": "DeletePods", "selector": {"matchExpressions": [
                {"key": "shape", "operator": "In", "values": [pod["metadata"]["labels"]["shape"]]},
                {"key": ORDER, "operator": "In", "values": later}]}}] if later else []
            return {"podRef": {"name": pod["metadata"]["name"]}, **({"changes": changes} if changes else {})}, len(later)

        def answer(name, spec, later):
            """Returns the answer of a podium that has seen all labels."""
            def seen():
                status = self.answer_of(name[0])
                if later and status["changes"][0]["message"] != f"{later} {'pod' if later == 1 else 'pods'} deleted":
                    name[0] = self.ask(**spec)
                    return None
                return status
            return wait_until(seen, "podium has seen the labels")

        questions = [question(number, pod) for number, pod in enumerate(pods)]
        names = [[self.ask(**spec)] for spec, _ in questions]
        for pod, report, (spec, later), name in zip(pods, reports, questions, names):
            again = answer(name, spec, later)
            what = OF_A_CHOICE if report["outcome"] == "Scheduled" else OF_A_FAILURE
            self.assertEqual(fields(again, what), fields(report, what), pod["metadata"]["name"])

    def check(self, shape):
        wait_until(self.is_quiet, "the cluster is quiet")
        if shape.way == "reference":
            self.plane.create(shape.scaled(0), NAMESPACE)
        said = self.answer_of(self.ask(nodes=[n["metadata"]["name"] for n in NODES], **shape.question()))
        asked = said["replicas"]["asked"]
        if shape.kind != "DaemonSet":
            self.assertEqual(asked, shape.replicas)
        self.create(shape)
        pods = self.decided(shape, asked) if asked else []
        pods, reports = self.in_order(pods, [self.report_of(pod) for pod in pods])
        self.count["shapes"] += 1
        self.count.update("placed" if r["outcome"] == "Scheduled" else "pending" for r in reports)
        if shape.kind == "DaemonSet":
            self.check_daemons(shape, said, pods)
        elif pods:
            self.check_before(said, pods[0], reports[0])
            self.check_number(shape, said, pods, reports)
        self.check_after(pods, reports)
        self.assertEqual(self.ledger.findings, [])

    def check_daemons(self, shape, said, pods):
        """Checks the pods of a DaemonSet. Each has a node of its own, so there is no draw. But if the pods depend on each other, their
        order matters, and the real controller creates them in no order."""
        placed = [p["spec"]["nodeName"] for p in pods if p["spec"].get("nodeName")]
        if shape.pods_depend_on_each_other:
            self.count["judged after"] += 1
            return
        self.assertEqual(len(placed), said["replicas"]["fitting"])
        self.assertEqual(sorted(placed), sorted(each["nodeName"] for each in said.get("placements", [])))

    # --- the tests ---
    def test_a_whole_application(self):
        """The shop's workloads one by one; each runs with those before it."""
        try:
            for shape in self.shop:
                with self.subTest(shape.name):
                    self.check(shape)
        finally:
            for shape in self.shop:
                self.delete(shape)

    def test_generated_shapes(self):
        seed = seeds.drawn()
        print(f"\n{SHAPES} shapes of seed {seed}; again: PODIUM_TEST_SEED={seed} PODIUM_TRUTH_SHAPES={SHAPES} "
              "python3 -m unittest e2e.tests.test_truth", flush=True)
        for number in range(SHAPES):
            shape = shapes.generated(seed, number)
            with self.subTest(f"seed {seed}, {shape.kind} {shape.name}, by {shape.way}"):
                try:
                    self.check(shape)
                finally:
                    self.delete(shape)


if __name__ == "__main__":
    unittest.main()
