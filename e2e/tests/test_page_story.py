"""The story of a pod on one screen, and addresses that show again what was shown."""
import json
import unittest
import urllib.parse

from e2e.support.control_plane import wait_until
from e2e.tests.base import node, pod
from e2e.tests.page import MANIFEST, PageLive

PRIORITIES = {"low": 1, "high": 1000}


class Story(PageLive):
    nodes = (*PageLive.nodes, node("tiny", cpu="2", memory="4Gi", taints=[{"key": "only", "value": "tiny", "effect": "NoSchedule"}]))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, value in PRIORITIES.items():
            cls.plane.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value})
        there = {"nodeSelector": {"kubernetes.io/hostname": "tiny"}, "tolerations": [{"key": "only", "operator": "Exists"}]}
        cls.plane.kubectl("create", "clusterrole", "asks", "--verb=create", "--resource=schedulingreports.podium.dev")
        cls.plane.kubectl("create", "clusterrolebinding", "operator-asks", "--clusterrole=asks", "--serviceaccount=default:operator")
        cls.plane.create(pod("low", cpu="1500m", priorityClassName="low", **there))
        cls.bound("low")
        cls.plane.create(pod("high", cpu="1500m", priorityClassName="high", **there))
        cls.bound("high")
        wait_until(lambda: any(one["name"] == "low" and one.get("gone") for one in cls.api("decisions", cls.viewer)["items"]), "the eviction")

    def timeline(self):
        return self.browser.run("[...document.querySelectorAll('#timeline tbody tr')].map((row) => "
                                "[...row.children].slice(2).map((cell) => cell.innerText))")

    def hash(self):
        return self.browser.run("location.hash")

    def test_a_pod_that_waits(self):
        """Why it waits, what would help, each filter's verdict on a node, and the timeline, without another view."""
        self.open(self.editor, "#/pod/default/huge")
        self.says("#verdict", "default/huge waits: 14 of 19 nodes do not have enough free cpu.")
        self.says("#now", "It does not fit: 14 of 19 nodes do not have enough free cpu.")
        body = json.dumps({"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
                           "spec": {"dryRun": True, "podRef": {"name": "huge"}}}).encode()
        fixes = self.api("whatif/report?words=true&fixes=true", self.editor, body)["words"]["fixes"]
        self.says("#fixes-found", fixes[0]["what"])
        self.assertEqual(self.timeline()[0], ["created", ""])
        self.assertEqual(self.timeline()[-1][0], "tried")
        self.browser.tab_to("here.innerText === 'gpu-0'", 90)
        self.browser.press("Enter")
        self.says(".node-verdict", "No: gpu-0 rejects default/huge.")
        self.says(".checks", "cpu 64 of 32 free")
        self.says(".checks", "it has a taint that the pod does not tolerate: gpu=true:NoSchedule")
        self.assertEqual(self.hash(), "#/pod/default/huge?node=gpu-0")
        self.assertTrue(self.browser.run("document.activeElement.innerText === 'gpu-0'"), "the focus stays where it was")
        self.browser.tab_to("here.id === 'why-not'")
        self.browser.type("n00")
        self.browser.press("Enter")
        self.says(".node-verdict", "No: n00 rejects default/huge.")
        self.browser.run("history.back()")
        self.says(".node-verdict", "No: gpu-0")
        self.browser.run("history.back()")
        self.browser.wait("!document.querySelector('.node-verdict')", "the pod without a node")
        self.browser.run("history.go(2)")
        self.says(".node-verdict", "No: n00")
        self.reload()
        self.says(".node-verdict", "No: n00")
        self.assert_quiet()

    def test_the_rank_with_a_fix(self):
        """The words are those of `kubectl podium why --node`."""
        self.open(self.editor, "#/pod/default/web?node=gpu-0")
        said = self.says(".node-verdict", "No: gpu-0 rejects default/web.")
        self.assertRegex(said, r'With "tolerate the taint gpu=true:NoSchedule", gpu-0 ranks \d+ of \d+: (it would|as good as) ')

    def test_a_pod_that_is_placed(self):
        """Where it would go now is one click away, in place; with other weights the answer names the pod."""
        self.open(self.editor, "#/pod/default/web")
        self.says("#timeline", "bound")
        self.assertEqual([what for what, _ in self.timeline()], ["created", "chose", "bound"])
        self.assertFalse(self.browser.run("!!document.getElementById('now')"), "it is not asked by itself")
        self.browser.tab_to("here.id === 'ask-now'", 90)
        self.browser.press("Enter")
        self.says("#now", "It fits, and would go to ")
        self.assertEqual(self.hash(), "#/pod/default/web?now")
        self.browser.run("location.hash = '#/pod/default/web'")
        self.browser.wait("!document.getElementById('now')", "no question")
        for strategy in ("ImageLocality", "NodeResourcesFit"):
            self.browser.tab_to(f"here.id === 'weight-{strategy}'", 90)
            self.browser.press("Home")
        self.assertEqual(self.hash(), "#/pod/default/web?weights=ImageLocality:0,NodeResourcesFit:0")
        self.browser.wait("!!document.getElementById('ask-weights')", "the link to ask")
        self.browser.run("document.getElementById('ask-weights').click()")
        self.says("#compared", "With image present 0, cpu and memory 0: default/web ")
        self.reload()
        self.says("#compared", "default/web ")
        self.assertEqual(self.browser.run("document.getElementById('weight-ImageLocality').value"), "0")
        self.assert_quiet()

    def test_a_pod_that_is_gone(self):
        """That it is gone, and its evictor, whose own story has the nomination."""
        self.open(self.editor, "#/pod/default/low")
        self.says("#verdict", "default/low was on tiny")
        self.says("#verdict", "; it was evicted to make room for default/high.")
        self.assertEqual(self.timeline()[-2:], [["evicted", "to make room for default/high"], ["gone", ""]])
        self.assertEqual(self.timeline()[0][0], "created")
        self.assertFalse(self.browser.run("!!document.querySelector('#why-not, #ask-now')"), "nothing can be asked about it")
        self.browser.tab_to("here.id === 'evictor'", 60)
        self.browser.press("Enter")
        self.says("#verdict", "default/high is on tiny")
        self.says("#timeline", "nominated\ttiny; one pod is evicted there: default/low")
        self.assert_quiet()

    def test_without_the_right_to_ask(self):
        self.open(self.viewer, "#/pod/default/huge")
        self.says("#may-not-ask", "You may not ask what-ifs about the pods of namespace default.")
        self.says("#rejections", "do not have enough free cpu")
        self.assert_quiet()

    def test_a_new_decision_leaves_what_is_typed(self):
        self.open(self.editor, "#/pod/default/huge")
        self.says("#live", "live")
        self.browser.tab_to("here.id === 'why-not'", 90)
        self.browser.type("n0")
        before = len([one for one in self.browser.requests if "/pods/huge/report" in one])
        self.plane.create(pod("another", cpu="48"))
        self.addCleanup(self.plane.request, "DELETE", "/api/v1/namespaces/default/pods/another?gracePeriodSeconds=0")
        self.browser.wait("true", "the page")
        wait_until(lambda: self.browser.run("1") and len([one for one in self.browser.requests if "/pods/huge/report" in one]) > before,
                   "another reading")
        self.assertEqual(self.browser.run("document.getElementById('why-not').value"), "n0")

    def test_an_address_has_the_question(self):
        """All fields of a what-if are in its address, also after a reload; the way back leads to the question before."""
        manifest = urllib.parse.quote(MANIFEST % "1500m", safe="")
        self.open(self.editor, f"#/ask?ns=default&nodes=gpu-0&replicas=3&room&fixes&weights=NodeResourcesFit:5&manifest={manifest}")
        self.says("#answer-verdict", "All 3 fit.")
        self.says("#compared", "With cpu and memory 5: ")
        self.says("#room-left", "Room for ")
        self.says(".node-verdict", "No: gpu-0 rejects default/ask.")
        value = lambda id_: self.browser.run(f"(({{ value, checked, type }}) => type === 'checkbox' ? checked : value)(document.getElementById('{id_}'))")
        fields = {"ask-namespace": "default", "replicas": "3", "ask-nodes": "gpu-0", "room": True, "fixes": True,
                  "manifest": MANIFEST % "1500m", "weight-NodeResourcesFit": "5"}
        self.assertEqual({id_: value(id_) for id_ in fields}, fields)
        self.browser.run("document.getElementById('replicas').focus()")
        self.browser.type("7")
        self.browser.run("document.getElementById('ask').click()")
        self.says("#answer-verdict", "All 7 fit.")
        self.assertIn("replicas=7", self.hash())
        self.browser.run("history.back()")
        self.says("#answer-verdict", "All 3 fit.")
        self.assertEqual({id_: value(id_) for id_ in fields}, fields)
        self.assert_quiet()

    def test_addresses_of_lists(self):
        """A filter, the order and the page of the decisions; the namespace of a search for nodes."""
        self.open(self.operator, "#/pods/default?filter=huge")
        self.shows(lambda: len(self.browser.texts("#decisions tbody tr")), 1)
        self.browser.tab_to("here.id === 'filter'", 60)
        self.browser.type("web")
        self.browser.press("Enter")
        self.browser.wait("location.hash === '#/pods/default?filter=web'", "the filter in the address")
        self.browser.tab_to("here.id === 'by-name'", 90)
        self.browser.press("Space")
        self.browser.wait("location.hash === '#/pods/default?filter=web&by-name'", "the order in the address")
        self.browser.run("location.hash = '#/pods/default?by-name&after=default/huge'")
        self.browser.wait("document.querySelector('.pages')?.innerText.includes('First page')", "a page in the middle")
        self.shows(lambda: [row.split("\t")[0] for row in self.browser.texts("#decisions tbody tr")], ["default/low gone", "default/web"])
        self.browser.run("history.back()")
        self.browser.wait("document.getElementById('filter').value === 'web'", "the filter again")
        self.browser.run("location.hash = '#/nodes/spare?ns=kube-system'")
        self.says("#spare", "Those of kube-system")
        self.browser.tab_to("here.id === 'asked-namespace'", 60)
        self.browser.type("default")
        self.browser.press("Enter")
        self.says("#spare", "Those of default")
        self.browser.run("history.back()")
        self.says("#spare", "Those of kube-system")


if __name__ == "__main__":
    unittest.main()
