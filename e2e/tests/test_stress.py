"""Load on one podium: unusual what-ifs, pods, and manual edits and deletions at the same time."""
import concurrent.futures
import random
import time
import unittest

from e2e.support import podium, seeds
from e2e.support.control_plane import BUSY, wait_until
from e2e.tests.base import Live, node, pod, what_if

NODES, PODS, QUESTIONS, NAMESPACES, HANDS = 60, 2000, 1000, 8, 8
API = "/apis/podium.dev/v1alpha1"


def deep(levels):
    value = {}
    for _ in range(levels):
        value = {"a": value}
    return value


def template(**spec):
    return {"spec": {"containers": [{"name": "main", "image": "app:v1",
                                     "resources": {"requests": {"cpu": "10m", "memory": "8Mi"}}}], **spec}}


def odd_question(name, number, rng):
    """Returns a what-if, and the number of replicas that must fit, if known."""
    replicas = 1 + number % 7
    shapes = [
        (what_if(name, template(), replicas=replicas), replicas),
        (what_if(name, {**template(), "metadata": {"annotations": {"note": "x" * 60_000}}}, replicas=replicas), replicas),
        (what_if(name, template(nodeSelector={"no": "such"}), replicas=2), 0),
        (what_if(name, template(priorityClassName="no-such-class")), None),
        (what_if(name, template(schedulerName="nobody")), None),
        (what_if(name, {"spec": {"containers": [{"name": "m", "image": "a", "resuorces": {}}]}}), None),
        (what_if(name, template(affinity=deep(140))), None),
        (what_if(name, {"spec": {"containers": [{"name": "m", "resources": {"requests": {"cpu": "4 cores"}}}]}}), None),
        (what_if(name, template(topologySpreadConstraints=[{"maxSkew": 0, "topologyKey": "", "whenUnsatisfiable": "?"}])), None),
        (what_if(name, podRef={"name": f"p{rng.randrange(PODS)}"}), None),
        (what_if(name, podRef={"name": "nobody"}), None),
        (what_if(name, profile="none"), None),
    ]
    return shapes[number % len(shapes)]


class Stress(Live):
    nodes = [node(f"n{i:02}", cpu="8", memory="32Gi", labels={"topology.kubernetes.io/zone": f"z{i % 3}"})
             for i in range(NODES)]

    def send(self, method, path, body=None, content_type="application/json"):
        for pause in (0.05, 0.2, 0.8, 2, None):
            status, reply = self.plane.request(method, path, body, content_type=content_type)
            if status not in BUSY or pause is None:
                return status, reply
            time.sleep(pause)  # the API server asks for it

    def test_all_together(self):
        seed = seeds.drawn()
        namespaces = [f"ns{i}" for i in range(NAMESPACES)]
        for namespace in namespaces:
            self.plane.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        rng = random.Random(seed)
        expected, work = {}, []
        for i in range(PODS):
            namespace = namespaces[i % NAMESPACES]
            made = pod(f"p{i}", cpu="100m", memory="32Mi")
            made["metadata"]["namespace"] = namespace
            work.append(("POST", f"/api/v1/namespaces/{namespace}/pods", made))
        for i in range(QUESTIONS):
            namespace = namespaces[i % NAMESPACES]
            question, replicas = odd_question(f"q{i}", i, rng)
            question["metadata"]["namespace"] = namespace
            expected[namespace, f"q{i}"] = replicas
            work.append(("POST", f"{API}/namespaces/{namespace}/schedulingreports", question))
        rng.shuffle(work)
        deleted = set()

        def by_hand(job):
            method, path, body = job
            status, reply = self.send(method, path, body)
            name, namespace = body["metadata"]["name"], body["metadata"]["namespace"]
            is_question = body["kind"] == "SchedulingReport"
            if status == 422 and is_question:  # the schema refuses it
                expected.pop((namespace, name))
                return
            self.assertIn(status, (200, 201), reply)
            chance = random.Random(f"{seed}/{namespace}/{name}").random()
            if chance < 0.05:
                self.send("DELETE", f"{path}/{name}")
                deleted.add((namespace, name))
            elif chance < 0.15 and is_question:
                self.send("PATCH", f"{path}/{name}", {"spec": {"ttlSeconds": 1800}}, "application/merge-patch+json")
            elif chance < 0.2 and is_question:
                forged = {"status": {"observedGeneration": 2**63 - 1, "outcome": "Fits"}}
                self.send("PATCH", f"{path}/{name}/status", forged, "application/merge-patch+json")
            elif chance < 0.15:
                self.send("PATCH", f"{path}/{name}", {"metadata": {"labels": {"edited": "yes"}}}, "application/merge-patch+json")

        with concurrent.futures.ThreadPoolExecutor(HANDS) as hands:
            for done in concurrent.futures.as_completed([hands.submit(by_hand, job) for job in work]):
                done.result()

        def unbound():
            self.assertTrue(self.podium.process.alive(), self.podium.process.tail(80))
            pods = self.plane.get("/api/v1/pods")["items"]
            return [p["metadata"]["name"] for p in pods if not p["spec"].get("nodeName")]
        wait_until(lambda: not unbound(), f"all pods bound (seed {seed})", 500)

        def unanswered():
            self.assertTrue(self.podium.process.alive(), self.podium.process.tail(80))
            left, there = [], set()
            for report in self.plane.get(f"{API}/schedulingreports")["items"]:
                there.add((report["metadata"]["namespace"], report["metadata"]["name"]))
                if (report["metadata"]["namespace"], report["metadata"]["name"]) in deleted:
                    continue  # a pod that was deleted while it was placed
                complete = podium.condition(report, "Complete")
                is_question = report["spec"].get("dryRun")
                if not complete or complete["status"] != "True" or (
                        is_question and report["status"].get("observedGeneration") != report["metadata"]["generation"]):
                    left.append(f'{report["metadata"]["namespace"]}/{report["metadata"]["name"]}')
            for p in self.plane.get("/api/v1/pods")["items"]:
                key = p["metadata"]["namespace"], p["metadata"]["name"]
                if key not in there and key not in deleted:
                    left.append(f"{key} has no report")
            return left
        try:
            wait_until(lambda: not unanswered(), f"everything answered (seed {seed})", 500, interval=1)
        except TimeoutError:
            self.fail(f"seed {seed}: unanswered: {unanswered()[:20]}")

        reports = {(r["metadata"]["namespace"], r["metadata"]["name"]): r
                   for r in self.plane.get(f"{API}/schedulingreports")["items"]}
        for key, replicas in expected.items():
            if key in deleted:
                continue
            status = reports[key]["status"]
            if replicas is not None:  # its own answer, and no other
                placed = status["replicas"]["fitting"]
                self.assertEqual(placed, replicas, (seed, key, status))
        for p in self.plane.get("/api/v1/pods")["items"]:
            key = p["metadata"]["namespace"], p["metadata"]["name"]
            if p["metadata"].get("deletionTimestamp") or key in deleted:
                continue
            self.assertIn(key, reports, seed)
            self.assertEqual(reports[key]["status"]["choice"]["nodeName"], p["spec"]["nodeName"], (seed, key))
        self.assertEqual(self.podium.stop(), 0)


if __name__ == "__main__":
    unittest.main()
