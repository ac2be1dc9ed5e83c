"""The page's drain: by labels, in steps, with spare nodes; what it says is what the API says."""
import json
import unittest
import urllib.parse

from e2e.support.control_plane import wait_until
from e2e.tests.base import pod
from e2e.tests.page import PageLive, ZONE

OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "shop", "uid": "8b0e9c3c-0000-4000-8000-000000000001", "controller": True}
ZONE_A = [f"n{i:02}" for i in range(14) if i % 3 == 0]
TABLE = "[...document.querySelectorAll('%s tbody tr')].map((row) => [...row.children].map((cell) => cell.innerText))"


class Drain(PageLive):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane.create({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "shop", "namespace": "default"},
                          "spec": {"minAvailable": "100%", "selector": {"matchLabels": {"app": "shop"}}}})
        for i, name in enumerate(ZONE_A):
            one = pod(f"shop-{i}", cpu="3", labels={"app": "shop"}, nodeSelector={ZONE: "eu-1a"})
            one["metadata"]["ownerReferences"] = [OWNER]
            one["spec"]["nodeName"] = name
            cls.plane.create(one)
            cls.plane.mark_running("default", f"shop-{i}")
        one = pod("alone", cpu="100m")
        one["spec"]["nodeName"] = ZONE_A[1]
        cls.plane.create(one)
        cls.plane.kubectl("create", "clusterrole", "asks", "--verb=create", "--resource=schedulingreports.podium.dev")
        cls.plane.kubectl("create", "clusterrolebinding", "operator-asks", "--clusterrole=asks", "--serviceaccount=default:operator")

    def asked(self, *changes):
        """Returns the API's answer to these changes, with its words."""
        template = {"spec": {"nodeSelector": {"no": "node"}, "containers": [{"name": "none", "image": "none"}]}}
        body = {"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
                "spec": {"dryRun": True, "template": template, "changes": list(changes)}}
        return self.api("whatif/report?words=true", self.operator, json.dumps(body).encode())

    def table(self, selector):
        return self.browser.run(TABLE % selector)

    def fill(self, **fields):
        """By keyboard, in the order of the form."""
        for name, value in fields.items():
            self.browser.tab_to(f"here.id === '{name}'", 90)
            self.browser.type(value)
        self.browser.press("Enter")

    def test_in_steps_with_a_spare_node(self):
        """By labels: the steps, what moves and waits, budgets, and the pods of each step."""
        steps = [{"type": "DrainNodes", "nodeNames": ZONE_A[i:i + 4], "thenUncordon": True} for i in range(0, len(ZONE_A), 4)]
        answer = self.asked({"type": "AddNodes", "count": 1, "like": "n03"}, *steps, {"type": "DrainNodes", "nodeNames": ["n03-new-1"]})
        words, changes = answer["words"], answer["status"]["changes"][1:]
        self.open(self.operator, "#/drain")
        self.says("main h1", "What if nodes are drained?")
        self.browser.run("document.getElementById('how').value = 'rolling';"
                         "document.getElementById('how').dispatchEvent(new Event('input', {bubbles: true}))")
        self.fill(selector=f"{ZONE}=eu-1a", rolling="4", spare="1", like="n03")
        self.says("#verdict", words["rolling"]["verdict"])
        self.assertEqual(self.browser.run("location.hash"), f"#/drain?selector={ZONE}=eu-1a&rolling=4&spare=1&like=n03")
        self.assertIn("5 nodes in 2 steps of 4, with 1 spare node like n03; ", words["rolling"]["verdict"])
        self.assertTrue(any(one["podsPending"] for one in changes), changes)
        rows = self.table("#steps")
        self.assertEqual([row[:2] for row in rows], [[one["name"], one["nodes"]] for one in words["rolling"]["steps"]])
        self.assertEqual([row[2:4] for row in rows], [[str(one["podsMoved"]), str(one.get("podsPendingSoFar", 0))] for one in changes])
        self.assertEqual([row[4] for row in rows], [str(one.get("podsGone", 0)) for one in changes], "the pod without a controller")
        self.says("#steps", "budget default/shop allows 0 disruptions")
        self.says("#budgets", "budget default/shop allows 0 disruptions: default/shop-0")
        self.says("#notes", words["rolling"]["notes"][-1])
        self.says("main details summary", f"Pods of step 1: {words['changes'][1]['verdict']}")
        self.browser.run("document.querySelector('main details').open = true")
        self.says("main details table", "default/shop-0")
        self.reload()
        self.says("#verdict", words["rolling"]["verdict"])
        self.assertEqual(self.browser.run("document.getElementById('rolling').value"), "4")
        self.assertEqual(self.browser.run("document.getElementById('how').value"), "rolling")
        self.says("main", f"kubectl podium drain -l '{ZONE}=eu-1a' --rolling 4 --spare 1 --like n03")
        self.assert_quiet()

    def test_the_fewest_spare_nodes(self):
        """The button leads to the address with which nothing waits; with one less something does."""
        self.open(self.operator, f"#/drain/{','.join(ZONE_A)}?rolling=4")
        self.says("#verdict", "would wait at some point")
        self.browser.tab_to("here.id === 'find-spare'", 120)
        self.browser.press("Enter")
        self.browser.wait("location.hash.includes('&spare=')", "the number of spare nodes")
        spare = int(self.browser.run("location.hash").split("spare=")[1])
        self.says("#verdict", f"with {spare} spare node")
        self.assertNotIn("would wait", self.browser.text("#verdict"))
        self.browser.run(f"location.hash = '#/drain/{','.join(ZONE_A)}?rolling=4&spare={spare - 1}'")
        self.says("#verdict", "would wait at some point")
        self.browser.run("history.back()")
        self.says("#verdict", f"with {spare} spare node")

    def test_at_the_same_time_and_lost(self):
        """Protected pods are shown with their budget; a failure asks no budget."""
        answer = self.asked({"type": "DrainNodes", "nodeNames": ["n00", "n03"]})
        words = answer["words"]["changes"][0]
        self.open(self.operator, "#/drain/n00,n03")
        self.says("#verdict", words["verdict"])
        self.shows(lambda: self.browser.texts("#budgets li"), words["budgets"])
        protected = {row[0]: row[-1] for row in self.table("#moves")}
        self.assertEqual(protected["default/shop-0"], "budget shop allows 0 disruptions")
        self.assertEqual(protected["default/alone"], "")
        self.browser.run("location.hash = '#/drain/n00,n03?fail'")
        self.browser.wait("!document.getElementById('budgets') && !!document.getElementById('moves')", "the answer to a failure")
        self.says("#verdict", "have a new place")
        self.assertEqual(self.browser.run("document.getElementById('how').value"), "fail")

    def test_a_waiting_pod_takes_the_spare_node(self):
        """Pods that wait go first: the answer counts and names them."""
        self.open(self.editor, "#/drain/n00?rolling=1&spare=3&like=gpu-0")
        self.says("#verdict", "1 node in 1 step of 1, with 3 spare nodes like gpu-0")
        waits = pod("waits", cpu="20", tolerations=[{"key": "gpu", "operator": "Exists"}], nodeSelector={"kubernetes.io/hostname": "gpu-0-new-1"})
        self.plane.create(waits)
        self.addCleanup(self.plane.request, "DELETE", "/api/v1/namespaces/default/pods/waits?gracePeriodSeconds=0")
        wait_until(lambda: any(one["name"] == "waits" for one in self.api("decisions?waiting=true", self.viewer)["items"]), "its decision")
        self.browser.run("document.querySelector('main form button').click()")
        self.says("#notes", "1 pending pod gets a node during the drain, in the order of the queue: default/waits → gpu-0-new-1")
        self.says("#steps thead", "Waited before")

    def test_what_is_not_possible(self):
        """Labels that no node has, and a user who may not list nodes."""
        self.open(self.operator, f"#/drain?selector={urllib.parse.quote('pool in (none, other)')}")
        self.says("[role=alert]", "No node matches the selector pool in (none, other).")
        self.browser.run("location.hash = '#/drain?selector=pool+in'")
        self.says("[role=alert]", "selector: ")
        self.browser.problems.clear()  # the reply 400
        self.open_as_another(self.editor, f"#/drain?selector={ZONE}=eu-1a")
        self.says("[role=alert]", "cannot list resource \"nodes\"")


if __name__ == "__main__":
    unittest.main()
