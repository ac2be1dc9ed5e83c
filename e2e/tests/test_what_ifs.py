"""Many unusual what-ifs at the same time from several namespaces: each gets its own answer, and none delays another."""
import json
import unittest

from e2e.support import podium
from e2e.support.control_plane import wait_until
from e2e.tests.base import Live, node, what_if

CONTAINER = {"name": "c", "image": "app:v1", "resources": {"requests": {"cpu": "1500m"}}}


def question(namespace, name, annotation="", **spec):
    template = {"metadata": {"annotations": {"a": annotation}}, "spec": {"containers": [CONTAINER]}}
    asked = what_if(name, template, **spec)
    asked["metadata"]["namespace"] = namespace
    return asked


def nested(levels):
    value = 1
    for _ in range(levels):
        value = {"a": value}
    return value


class ManyWhatIfs(Live):
    values = [*Live.values, "admissionPolicy.enabled=false"]  # it refuses statuses that others write
    nodes = [node(f"n{i}", cpu="2") for i in range(3)]

    def namespace(self, name):
        self.plane.kubectl("create", "namespace", name)
        return name

    def answers(self, namespace, count):
        """Returns {name: status} of a namespace's complete what-ifs, once there are this many."""
        def all_complete():
            found = {r["metadata"]["name"]: r.get("status", {}) for r in
                     self.plane.get(f"/apis/podium.dev/v1alpha1/namespaces/{namespace}/schedulingreports")["items"]}
            complete = [n for n, s in found.items() if (podium.condition({"status": s}, "Complete") or {}).get("status") == "True"]
            return found if len(complete) == count else None
        return wait_until(all_complete, f"{count} answers in {namespace}")

    def check_own(self, status, number):
        """Checks the answers. Every second question has a profile that only it names; the others differ in replicas."""
        if number % 2:
            message = podium.condition({"status": status}, "Accepted")["message"]
            self.assertEqual(message, f'spec.profile: unknown profile "profile-{number}" (known: default-scheduler)')
            return
        asked = number % 5 + 2
        self.assertEqual(status["outcome"], "Fits" if asked <= 3 else "PartlyFits")
        self.assertEqual(status["replicas"], {"asked": asked, "fitting": min(asked, 3)})
        self.assertEqual([p["count"] for p in status["placements"]], [1] * min(asked, 3))

    def own(self, namespace, number, **more):
        spec = {"profile": f"profile-{number}"} if number % 2 else {"replicas": number % 5 + 2}
        return question(namespace, f"ask-{number}", **spec, **more)

    def test_two_hundred_in_one_apply(self):
        many, few = self.namespace("many"), self.namespace("few")
        items = [self.own(many, i) for i in range(200)] + [self.own(few, i) for i in range(12)]
        self.plane.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        for namespace, count in ((few, 12), (many, 200)):
            answers = self.answers(namespace, count)
            for number in range(count):
                with self.subTest(namespace, number=number):
                    self.check_own(answers[f"ask-{number}"], number)
        self.assertTrue(self.podium.process.alive())
        self.plane.kubectl("wait", "--for=condition=Complete", "schedulingreports", "--all", "-n", few, "--timeout=120s")

    def test_each_is_evaluated_once(self):
        namespace = self.namespace("once")
        before = self.podium.metric("podium_what_ifs_answered_total")
        items = [question(namespace, f"ask-{i}", replicas=i % 3 + 1) for i in range(40)]
        self.plane.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        self.answers(namespace, 40)
        # A second answer would follow the first one before the answer to a later what-if.
        self.plane.create(self.own(self.namespace("marker"), 0))
        self.answers("marker", 1)
        wait_until(lambda: self.podium.metric("podium_what_ifs_pending") == 0, "all what-ifs are answered")
        self.assertEqual(self.podium.metric("podium_what_ifs_answered_total") - before, 41)

    def test_full_size_templates(self):
        namespace = self.namespace("full-size")
        for number in range(0, 24, 2):
            self.plane.create(self.own(namespace, number, annotation=chr(97 + number) * 60_000))
        for number in range(1, 24, 2):
            self.plane.create(question(namespace, f"ask-{number}", annotation="x" * 70_000))
        answers = self.answers(namespace, 24)
        for number in range(24):
            with self.subTest(number):
                if number % 2 == 0:
                    self.check_own(answers[f"ask-{number}"], number)
                else:
                    self.assertEqual(answers[f"ask-{number}"]["message"], "spec.template: larger than 64 KiB")

    def test_large_pods_by_the_thousand_take_little_memory(self):
        namespace = self.namespace("large")
        room = {"type": "AddNodes", "count": 100, "template": {"status": {"allocatable": {"cpu": "900", "memory": "1Ti", "pods": "1000"}}}}
        for number in range(12):
            asked = question(namespace, f"ask-{number}", replicas=10_000, changes=[room])
            asked["spec"]["template"]["metadata"]["annotations"] = {f"{key:x}": "" for key in range(5000)}
            self.plane.create(asked)
        for status in self.answers(namespace, 12).values():
            complete = podium.condition({"status": status}, "Complete")
            self.assertEqual((status["outcome"], complete["reason"]), ("PartlyFits", "MemoryExceeded"), complete)
        self.assert_has_stayed_within_the_charts_memory()  # one such question took 4 GiB before it had a bound

    def test_a_template_of_any_depth_is_refused_alone(self):
        bad, good = self.namespace("bad"), self.namespace("good")
        deep = what_if("deep", nested(140))
        deep["metadata"]["namespace"] = bad
        self.plane.create(deep)
        for number in range(12):
            self.plane.create(self.own(good, number))
        answers = self.answers(good, 12)
        for number in range(12):
            with self.subTest(number):
                self.check_own(answers[f"ask-{number}"], number)
        refused = self.answers(bad, 1)["deep"]
        self.assertEqual(refused["message"], "spec.template: nested deeper than 64 levels")
        self.assertEqual(podium.condition({"status": refused}, "Accepted")["status"], "False")

    def test_a_status_that_others_write_is_not_an_answer(self):
        namespace = self.namespace("forged")
        path = f"/apis/podium.dev/v1alpha1/namespaces/{namespace}/schedulingreports/ask-2/status"
        self.plane.create(self.own(namespace, 2))
        self.answers(namespace, 1)
        forged = {"status": {"observedGeneration": 2**63 - 1, "outcome": "Failed", "conditions": []}}
        status, body = self.plane.request("PATCH", path, forged, content_type="application/merge-patch+json")
        self.assertEqual(status, 200, body)
        again = self.answers(namespace, 1)["ask-2"]
        self.check_own(again, 2)
        self.assertEqual(again["observedGeneration"], 1)

    def test_what_changes_is_answered_again(self):
        namespace = self.namespace("again")
        self.plane.create(self.own(namespace, 1))
        self.answers(namespace, 1)
        change = '[{"op": "remove", "path": "/spec/profile"}, {"op": "add", "path": "/spec/replicas", "value": 2}]'
        self.plane.kubectl("patch", "sr", "ask-1", "-n", namespace, "--type=json", "-p", change)

        def fits():
            status = podium.report_of(self.plane, namespace, "ask-1").get("status", {})
            return status if status.get("outcome") == "Fits" else None
        accepted = podium.condition({"status": wait_until(fits, "the second answer")}, "Accepted")
        self.assertEqual((accepted["status"], accepted["message"]), ("True", "request is valid"))


if __name__ == "__main__":
    unittest.main()
