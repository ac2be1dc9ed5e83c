"""HTTP extenders on a real API server, with an extender built on upstream's types; and kube-scheduler next to podium, to compare
requests and messages."""
import contextlib
import json
import time
import unittest

from e2e.support import podium
from e2e.support.control_plane import BIN, ControlPlane, Process, environment, free_ports, wait_until
from e2e.support.extender import Extender
from e2e.tests.base import node, pod

PROFILE = "default-scheduler"


class WithExtenders(unittest.TestCase):
    """Each class has its own control plane with these objects."""
    objects, plugins = (), {}

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane().start()
        cls.addClassCleanup(cls.plane.stop)
        podium.install(cls.plane)
        for each in cls.objects:
            cls.plane.create(each)
        cls.count = 0

    @classmethod
    def configuration(cls, extenders, scheduler=PROFILE, **more):
        return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                "leaderElection": {"leaderElect": False}, "extenders": extenders,
                "profiles": [{"schedulerName": scheduler, "plugins": cls.plugins}], **more}

    def extender(self, tls=False, start=True):
        type(self).count += 1
        extender = Extender(self.plane, f"extender-{self.count}", tls)
        self.addCleanup(extender.stop)
        return extender.start() if start else extender

    def podium(self, *entries):
        running = podium.Podium(self.plane, json.dumps(self.configuration(list(entries))), f"podium-{self.count}")
        running.start()
        self.addCleanup(running.stop)
        self.addCleanup(lambda: self.plane.kubectl("delete", "pods", "--all", "--grace-period=0", "--force"))
        return running

    def create(self, name, **pod_fields):
        """Creates a pod with a unique name, since reports stay."""
        name = f"{name}-{self.count}"
        self.plane.create(pod(name, **pod_fields))
        return name

    def live(self, name):
        return self.plane.get(f"/api/v1/namespaces/default/pods/{name}")

    def bound(self, name):
        return wait_until(lambda: self.live(name)["spec"].get("nodeName"), f"{name} bound")

    def not_scheduled(self, name, reason):
        """Returns the message of the pod's condition."""
        def condition():
            found = podium.condition(self.live(name), "PodScheduled") or {}
            return found.get("message") if found.get("reason") == reason else None
        return wait_until(condition, f"{name}: {reason}")

    def report(self, name, outcome):
        def there():
            found = podium.report_of(self.plane, "default", name)
            return found if found and found.get("status", {}).get("outcome") == outcome else None
        return wait_until(there, f"report of {name}: {outcome}")["status"]

    def assert_sums(self, status):
        weights = [strategy["weight"] for strategy in status["strategies"]]
        for row in status["topNodes"]:
            self.assertEqual(sum(w * score for w, score in zip(weights, row["strategyScores"], strict=True)), row["score"], row)

    def kube_scheduler(self, entries):
        directory = self.plane.dir / f"kube-scheduler-{self.count}"
        directory.mkdir()
        connection = {"kubeconfig": str(self.plane.write_kubeconfig(directory / "kubeconfig"))}
        config = directory / "config.json"
        config.write_text(json.dumps(self.configuration(entries, "upstream", clientConnection=connection)))
        running = Process([BIN / "kube-scheduler", "--config", config, "--bind-address", "127.0.0.1",
                           "--secure-port", free_ports(1)[0], "--cert-dir", directory], directory / "log", env=environment())
        self.addCleanup(running.stop)


class Extenders(WithExtenders):
    objects = [node("n1"), node("n2"), node("n3"), node("small", cpu="1")]
    plugins = {"postFilter": {"disabled": [{"name": "*"}]}}  # this test does not compare preemption's message

    # --- asking ---

    def test_filter_and_prioritize_by_name(self):
        extender = self.extender()
        self.podium(extender.entry(filterVerb="filter", prioritizeVerb="prioritize", weight=3, nodeCacheCapable=True))
        extender.behave(Failed={"n1": "n1 is full"}, Scores={"n2": 4, "n3": 7})
        web = self.create("web", cpu="2", labels={"app": "web"})
        self.assertEqual(self.bound(web), "n3")
        asked, scored = extender.requests()
        self.assertEqual((asked["Verb"], asked["Pod"], asked["PodLabels"], asked["PodImage"], asked["NodeNames"], asked["Nodes"]),
                         ("filter", f"default/{web}", {"app": "web"}, "app:v1", ["n1", "n2", "n3"], None),
                         "only nodes that the filters left, by name, and the pod as it is")
        self.assertEqual((scored["Verb"], scored["NodeNames"]), ("prioritize", ["n2", "n3"]))
        status = self.report(web, "Scheduled")
        self.assertEqual(status["rejections"],
                         [{"plugin": "NodeResourcesFit", "code": "InsufficientResource", "reason": "Insufficient cpu", "nodeCount": 1,
                           "preemptionMayHelp": False, "about": {"resource": "cpu"}, "shortfall": {"resource": "cpu", "least": "1", "nodeName": "small"},
                           "examples": ["small"]},
                          {"plugin": extender.url, "code": "Other", "reason": "n1 is full", "nodeCount": 1,
                           "preemptionMayHelp": True, "examples": ["n1"]}])
        theirs = next(s for s in status["strategies"] if s["name"] == extender.url)
        self.assertEqual(theirs, {"name": extender.url, "weight": 3,
                                  "topNodes": [{"nodeName": "n3", "score": 70}, {"nodeName": "n2", "score": 40}]})
        self.assert_sums(status)

    def test_nodes_for_an_extender_without_a_cache(self):
        extender = self.extender()
        self.podium(extender.entry(filterVerb="filter", prioritizeVerb="prioritize", weight=1, nodeCacheCapable=False))
        extender.behave(Unresolvable={"n1": "never"}, Dropped=["n2"], Scores={"small": 10})
        web = self.create("web")
        self.assertEqual(self.bound(web), "small")
        asked, scored = extender.requests()
        everywhere = ["n1", "n2", "n3", "small"]
        self.assertEqual((asked["Nodes"], asked["Labels"], asked["NodeNames"]), (everywhere, everywhere, None), "whole nodes")
        self.assertEqual(scored["Nodes"], ["n3", "small"])
        self.assert_sums(self.report(web, "Scheduled"))

    def test_a_pod_that_extenders_reject_waits_for_any_event(self):
        extender = self.extender()
        self.podium(extender.entry(filterVerb="filter", nodeCacheCapable=True))
        extender.behave(Failed={"n1": "busy", "n2": "busy"}, Unresolvable={"n3": "no licence"})
        web = self.create("web", cpu="2")
        words = "0/4 nodes are available: 1 Insufficient cpu, 1 no licence, 2 busy."
        self.assertEqual(self.not_scheduled(web, "Unschedulable").strip(), words)
        extender.behave()
        self.plane.kubectl("label", "node", "small", "touched=yes", "--overwrite")
        self.assertIn(self.bound(web), ("n1", "n2", "n3"))

    def test_managed_resources(self):
        extender = self.extender()
        self.podium(extender.entry(filterVerb="filter", nodeCacheCapable=True,
                                   managedResources=[{"name": "example.com/gpu", "ignoredByScheduler": True}]))
        extender.behave(Dropped=["n1", "n2", "small"])
        self.bound(self.create("plain"))
        self.assertEqual(extender.requests(), [], "no business of the extender's")
        wants = pod("gpu")
        wants["spec"]["containers"][0]["resources"]["limits"] = {"example.com/gpu": "1"}
        self.plane.create(wants)
        self.assertEqual(self.bound("gpu"), "n3", "no node has the resource, and nobody but the extender counts it")
        self.assertEqual([r["Pod"] for r in extender.requests()], ["default/gpu"])

    def test_https_with_and_without_a_ca(self):
        extender = self.extender(tls=True)
        entry = extender.entry(filterVerb="filter", nodeCacheCapable=True, enableHTTPS=True)
        for name, tls in (("any", {}), ("checked", {"tlsConfig": {"caFile": str(self.plane.dir / "ca.crt")}})):
            with self.subTest(name):
                running = self.podium({**entry, **tls})
                extender.behave(Dropped=["n1", "n2", "small"])
                self.assertEqual(self.bound(self.create(name)), "n3")
                running.stop()

    # --- failures ---

    def test_down_and_ignorable(self):
        extender = self.extender(start=False)
        self.podium(extender.entry(filterVerb="filter", prioritizeVerb="prioritize", weight=1, nodeCacheCapable=True,
                                   ignorable=True))
        web = self.create("web")
        self.bound(web)
        names = [s["name"] for s in self.report(web, "Scheduled")["strategies"]]
        self.assertNotIn(extender.url, names, "it gave no scores")

    def test_down_and_not_ignorable(self):
        extender = self.extender(start=False)
        running = self.podium(extender.entry(filterVerb="filter", nodeCacheCapable=True))
        web = self.create("web")
        message = self.not_scheduled(web, "SchedulerError")
        self.assertTrue(message.startswith(f'Post "{extender.url}/filter": '), message)
        self.assertEqual(self.report(web, "Failed")["message"], message)
        failed = 'scheduler_schedule_attempts_total{profile="default-scheduler",result="error"'
        wait_until(lambda: running.metric(failed) >= 1, "it is counted")
        extender.start()
        self.bound(web)

    def test_answers_that_fail_the_attempt(self):
        extender = self.extender()
        self.podium(extender.entry(filterVerb="filter", nodeCacheCapable=True))
        for name, behaviour, words in (
                ("status", {"Status": {"filter": 503}}, f"failed filter with extender at URL {extender.url}/filter, code 503"),
                ("error", {"Error": "out of licences"}, "out of licences"),
                ("invented", {"Invented": ["n9"]},
                 f'extender "{extender.url}" claims a filtered node "n9" which is not found in the input node list')):
            with self.subTest(name):
                extender.behave(**behaviour)
                wrong = self.create(name)
                self.assertEqual(self.not_scheduled(wrong, "SchedulerError"), words)
                self.plane.kubectl("delete", "pod", wrong, "--grace-period=0", "--force")

    # --- binding ---

    def test_bind(self):
        extender = self.extender()
        self.podium(extender.entry(bindVerb="bind"))
        extender.behave()
        web = self.create("web")
        where = self.bound(web)
        self.assertEqual([(r["Verb"], r["Pod"], r["Node"]) for r in extender.requests()], [("bind", f"default/{web}", where)])
        self.assertEqual(self.report(web, "Scheduled")["choice"]["nodeName"], where)

    def test_a_binding_that_the_extender_refuses(self):
        extender = self.extender()
        self.podium(extender.entry(bindVerb="bind"))
        extender.behave(Error="not today")
        web = self.create("web")
        self.assertEqual(self.not_scheduled(web, "SchedulerError"), "not today")
        extender.behave()
        self.bound(web)

    def test_without_an_ignorable_extender_the_binding_continues(self):
        extender = self.extender()
        self.podium(extender.entry(bindVerb="bind", ignorable=True))
        extender.behave(Status={"bind": 500})
        web = self.create("web")
        self.bound(web)
        self.assertEqual([r["Verb"] for r in extender.requests()], ["bind"])

    # --- compared with kube-scheduler ---

    def test_the_same_questions_and_the_same_words_as_kube_scheduler(self):
        self.next_to_kube_scheduler(cached=True)

    def test_the_same_questions_and_the_same_words_without_a_cache(self):
        self.next_to_kube_scheduler(cached=False)

    def next_to_kube_scheduler(self, cached):
        first, second = self.extender(), self.extender()
        entries = [second.entry(filterVerb="filter", nodeCacheCapable=cached, ignorable=True),
                   first.entry(filterVerb="filter", prioritizeVerb="prioritize", weight=5, nodeCacheCapable=cached)]
        self.podium(*entries)
        self.kube_scheduler(entries)
        cases = {
            "placed": ({"Scores": {"n1": 1, "n2": 9, "n3": 2}}, {}, {}),
            "narrowed": ({"Failed": {"n1": "a"}, "Scores": {"n3": 10}}, {"Unresolvable": {"small": "b"}}, {}),
            "one-left": ({"Dropped": ["n1", "n2"], "Scores": {"n3": 1}}, {"Failed": {"small": "c"}}, {}),
            "none-left": ({"Failed": {"n1": "full", "n2": "full"}, "Dropped": ["n3"]}, {"Failed": {"small": "d"}}, {}),
            "silent": ({"Dropped": ["n1", "n2", "n3", "small"]}, {}, {}),
            "affinity": ({"Dropped": ["n1"]}, {}, {"affinity": {"nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": [
                    {"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]}}}}),
            "ignorable-fails": ({}, {"Status": {"filter": 500}, "Scores": {}}, {}),
            "invented": ({"Invented": ["n9"]} if cached else {"Error": "no"}, {}, {}),
            "status": ({"Status": {"filter": 500}}, {}, {}),
            "scores-fail": ({"Status": {"prioritize": 500}}, {}, {}),
        }
        for name, (of_first, of_second, spec) in cases.items():
            with self.subTest(name):
                seen = {}
                for scheduler in (PROFILE, "upstream"):
                    first.behave(**of_first)
                    second.behave(**of_second)
                    twin = f"{name}-{str(cached).lower()}-{scheduler}"
                    self.plane.create(pod(twin, cpu="10m", schedulerName=scheduler, **spec))
                    seen[scheduler] = self.outcome(twin), self.questions(first, twin), self.questions(second, twin)
                    self.plane.kubectl("delete", "pod", twin, "--grace-period=0", "--force")
                self.assertEqual(seen[PROFILE], seen["upstream"])

    def outcome(self, name):
        """Returns whether the pod was placed, or the condition's reason and message."""
        def decided():
            live = self.live(name)
            if live["spec"].get("nodeName"):
                # In these cases the extender's scores leave no choice; in the others the scheduler chooses among equal nodes by chance.
                clear = name.startswith(("placed", "narrowed", "one-left"))
                return f"placed on {live['spec']['nodeName']}" if clear else "placed"
            found = podium.condition(live, "PodScheduled") or {}
            return (found["reason"], found["message"].strip().replace(name, "POD")) if found.get("reason") else None
        return wait_until(decided, f"a decision about {name}")

    @staticmethod
    def questions(extender, name):
        """Returns the requests of the first attempt."""
        asked = {}
        for request in extender.requests():
            if request["Pod"] == f"default/{name}":
                asked.setdefault(request["Verb"], (request["NodeNames"], request["Nodes"], request["Labels"]))
        return asked


PRIORITIES = {"low": 10, "medium": 100, "high": 1000}


class Preemption(WithExtenders):
    """Each of two nodes has one victim and a small pod that may stay. No kubelet runs, so evicted pods stay and are counted."""
    objects = [node("p1", cpu="2"), node("p2", cpu="2"),
               *({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
                 for name, value in PRIORITIES.items())]

    def test_the_same_questions_and_the_same_victims_as_kube_scheduler(self):
        self.next_to_kube_scheduler(cached=True)

    def test_the_same_questions_and_the_same_victims_without_a_cache(self):
        self.next_to_kube_scheduler(cached=False)

    def next_to_kube_scheduler(self, cached):
        first, second = self.extender(), self.extender()
        entries = [second.entry(preemptVerb="preempt", nodeCacheCapable=cached, ignorable=True),
                   first.entry(preemptVerb="preempt", nodeCacheCapable=cached)]
        self.podium(*entries)
        self.kube_scheduler(entries)
        # The extenders' answers: victims by node, if they differ from the proposed ones; and the result.
        cases = {
            "as-proposed": ({}, {}, "p1: one"),
            "dropped": ({"Dropped": ["p1"]}, {}, "p2: two"),
            "dropped-by-the-second": ({}, {"Dropped": ["p1"]}, "p2: two"),
            "none-left": ({"Dropped": ["p1", "p2"]}, {}, "no candidate node for preemption"),
            "more-victims": ({"Dropped": ["p1"], "Victims": {"p2": ["small-two", "two"]}}, {}, "p2: small-two two"),
            "more-violations": ({"Victims": {"p1": ["one"]}, "Violations": 2}, {}, "p2: two"),
            "unknown-pod": ({"Victims": {"p1": ["two"]}}, {}, "but the pod is not found on that node"),
            "unknown-node": ({"Victims": {"p9": ["one"]}}, {}, 'nodeinfo not found for node name "p9"'),
            "nobody": ({"Victims": {"p2": []}}, {}, 'expected at least one victim pod on node "p2"'),
            "status": ({"Status": {"preempt": 500}}, {}, f"failed preempt with extender at URL {first.url}/preempt, code 500"),
            "ignorable-fails": ({}, {"Status": {"preempt": 500}}, "p1: one"),
            "ignorable-names-nobody": ({}, {"Victims": {"p1": []}}, "p2: two"),
        }
        for name, (of_first, of_second, want) in cases.items():
            with self.subTest(name):
                seen = {}
                for scheduler in (PROFILE, "upstream"):
                    uids = self.occupy()
                    first.behave(**self.behaviour(of_first, uids))
                    second.behave(**self.behaviour(of_second, uids))
                    twin = f"{name}-{str(cached).lower()}-{scheduler}"
                    self.plane.create(pod(twin, cpu="1500m", schedulerName=scheduler, priorityClassName="high"))
                    names = {uid: name for name, uid in uids.items()}
                    outcome = self.outcome(twin, want)
                    for uid, victim in names.items():
                        outcome = outcome.replace(uid, victim)
                    seen[scheduler] = outcome, self.questions(first, twin, names), self.questions(second, twin, names)
                    self.plane.kubectl("delete", "pods", "--all", "--grace-period=0", "--force")
                self.assertEqual(seen[PROFILE], seen["upstream"])
                self.assertIn(want, seen[PROFILE][0])
                if not cached:
                    self.assertEqual({image for _, _, images in seen[PROFILE][1].values() for image in images}, {"app:v1"})

    def occupy(self):
        """Creates the pods on the nodes. Returns the victims' UIDs by name."""
        uids = {}
        for name, where, cpu, priority in (("one", "p1", "1500m", "low"), ("small-one", "p1", "100m", "low"),
                                           ("two", "p2", "1500m", "medium"), ("small-two", "p2", "100m", "low")):
            created = self.plane.create(pod(name, cpu=cpu, nodeName=where, priorityClassName=priority,
                                            terminationGracePeriodSeconds=300))
            uids[name] = created["metadata"]["uid"]
        return uids

    @staticmethod
    def behaviour(answer, uids):
        violations = answer.get("Violations", 0)
        victims = {where: {"UIDs": [uids[name] for name in who], "Violations": violations}
                   for where, who in answer.get("Victims", {}).items()}
        return {**{key: value for key, value in answer.items() if key != "Violations"}, "Victims": victims}

    def outcome(self, name, want):
        """Returns the evicted pods and their node, or the condition's message. Waits for the expected ones."""
        def nominated():
            live = self.live(name)
            found = podium.condition(live, "PodScheduled") or {}
            return live if live["status"].get("nominatedNodeName") or "preemption: " in found.get("message", "") else None
        live = wait_until(nominated, f"a decision about {name}")
        where = live["status"].get("nominatedNodeName")
        if not where:
            return podium.condition(live, "PodScheduled")["message"]

        def going():
            pods = self.plane.get("/api/v1/namespaces/default/pods")["items"]
            return sorted(p["metadata"]["name"] for p in pods if p["metadata"].get("deletionTimestamp"))
        expected = set(want.partition(": ")[2].split())
        with contextlib.suppress(TimeoutError):  # they are evicted one by one; the comparison reports what is missing
            wait_until(lambda: expected <= set(going()), f"victims of {name}", 60)
        time.sleep(0.5)  # nothing announces further ones
        return f"{where}: {' '.join(going())}"

    @staticmethod
    def questions(extender, name, names):
        """Returns the first request's victims by node: names, violated budgets, and images if whole pods were sent."""
        asked = next((r for r in extender.requests("preempt") if r["Pod"] == f"default/{name}"), None)
        if not asked:
            return {}
        return {where: ([names[uid] for uid in victims["UIDs"]], victims["Violations"], victims["Images"] or [])
                for where, victims in asked["Victims"].items()}
