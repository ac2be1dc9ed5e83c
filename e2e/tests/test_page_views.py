"""Every view of the page: for people who see little or use the keyboard alone, on a narrow screen, live, and with many nodes."""
import json
import subprocess
import unittest

from e2e.support.authorization import account, await_rights
from e2e.support.control_plane import ROOT
from e2e.tests.base import pod
from e2e.tests.page import MANIFEST, PageLive

# The address of a view, and what it has once it is drawn.
VIEWS = {
    "#/now": "#room",
    "#/pod": "form.line",
    "#/pod/default/web": "table.heat",
    "#/pod/default/huge": "#rejections",
    "#/pod/default/huge?node=gpu-0": ".node-verdict",
    "#/pod/default/web?now": "#now",
    "#/pod/default/picky": "#selector",
    "#/pod/default/nobody": "[role=alert]",
    "#/ask": "#manifest",
    "#/ask/default/huge": "#answer-verdict",
    "#/ask/default/huge/n00": ".node-verdict",
    "#/ask/default/huge/gpu-0": ".node-verdict",
    "#/ask/default/picky": "#answer-verdict",
    "#/waiting": "#waiting",
    "#/pods": "#decisions",
    "#/topology": ".bars",
    "#/topology/memory/n03": "#node",
    "#/find/n0": "#verdict",
    "#/find/web": "#decisions",
    "#/drain": "#nodes",
    "#/drain/n00,n03": "#verdict",
    "#/drain?selector=topology.kubernetes.io/zone=eu-1a&rolling=2&spare=1": "#steps",
    "#/drain/n00?fail": "#verdict",
    "#/nodes": "nav.resources",
    "#/nodes/missing": "#verdict",
    "#/nodes/spare": "#verdict",
    "#/capacity": "#pods",
    "#/capacity?pods=cpu=500m,memory=1Gi": "#capacity",
}
# Replaces what a path of the API answers, before the page asks.
REPLACE = """(() => {
  const real = window.fetch;
  window.fetch = async (address, options) => {
    const reply = await real(address, options);
    if (!reply.ok || !String(address).includes("/v1/")) return reply;
    const body = await reply.json();
    const changed = (%s)(String(address), body);
    return new Response(JSON.stringify(changed), { status: reply.status, headers: { "Content-Type": "application/json" } });
  };
})()"""


class Views(PageLive):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        subprocess.run([ROOT / "tools/browser/axe.sh"], check=True, timeout=300)
        cls.axe = (ROOT / "build/axe/axe.min.js").read_text()
        # A pod that asks for labels, and that nothing but several changes would help.
        cls.plane.create(pod("picky", cpu="40", memory="400Gi", nodeSelector={
            "topology.kubernetes.io/zone": "eu-1z", "example.com/a-label-with-a-very-long-name": "a-value-that-is-as-long-as-its-name-or-longer"}))
        for verb in ("create", "get"):
            cls.plane.kubectl("create", "clusterrole", f"operator-{verb}", f"--verb={verb}", "--resource=schedulingreports.podium.dev,pods")
            cls.plane.kubectl("create", "clusterrolebinding", f"operator-{verb}", f"--clusterrole=operator-{verb}",
                              "--serviceaccount=default:operator")

    def create(self, one):
        """Creates a pod for this test alone."""
        path = f"/api/v1/namespaces/default/pods/{one['metadata']['name']}"
        self.addCleanup(self.plane.request, "DELETE", path + "?gracePeriodSeconds=0")
        self.plane.create(one)

    def go(self, view, ready):
        self.browser.run(f"location.hash = {json.dumps(view)}")
        there = f"location.hash === {json.dumps(view)} && !!document.querySelector({json.dumps('main ' + ready)})"
        self.browser.wait(f"{there} && !document.querySelector('main').innerText.includes('Asking podium')", f"{view}: {ready}")

    def replace(self, function):
        """Changes the API's answers by a function of JavaScript, of the address and the answer."""
        self.browser.call("Page.addScriptToEvaluateOnNewDocument", source=REPLACE % function)

    def findings(self):
        """Returns what axe-core finds in the page as it is."""
        self.browser.run(self.axe + "; 0")
        found = self.browser.run("axe.run(document, {resultTypes: ['violations']}).then((all) => all.violations.map((one) => "
                                 "`${one.id}: ${one.nodes.map((node) => node.target.join(' ')).slice(0, 3).join('; ')}`))")
        return found

    def test_nothing_is_out_of_reach(self):
        """axe-core finds nothing, in light and dark colours, wide and narrow; nothing is wider than a narrow screen."""
        self.open(self.operator)
        for scheme in ("light", "dark"):
            for width in (1280, 420):
                self.browser.show(scheme, width)
                for view, ready in VIEWS.items():
                    with self.subTest(view=view, scheme=scheme, width=width):
                        self.go(view, ready)
                        self.browser.run("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
                        self.assertEqual(self.findings(), [])
                        self.assertLessEqual(self.browser.run("document.scrollingElement.scrollWidth"), width)

    def test_by_keyboard_alone(self):
        """From the start through all views and questions, by keys."""
        self.open(self.operator, "#/now")
        self.browser.wait("!!document.querySelector('#waiting')", "the start")
        self.browser.run("document.activeElement.blur()")
        for name, heading in (("Waiting", "Which pods wait"), ("Decisions", "Decisions"), ("Topology", "What is free"),
                              ("Drain", "What if nodes are drained?"), ("Capacity", "What could a namespace still run?"),
                              ("Nodes", "Which nodes are missing")):
            self.browser.tab_to(f"here.closest('header nav') && here.innerText === {json.dumps(name)}")
            self.browser.press("Enter")
            self.browser.wait(f"document.activeElement.tagName === 'H1' && document.activeElement.innerText.includes({json.dumps(heading)})",
                              f"focus on the heading of {name}")
            self.browser.run("scrollTo(0, 0)")
            self.browser.press("Tab", shift=True)  # back into the header
        self.browser.tab_to("here.innerText === 'Which can be removed?'")
        self.browser.press("Enter")
        self.says("#verdict", "can be removed")
        self.browser.tab_to("here.closest('#spare') && here.tagName === 'A'", 90)
        node = self.browser.run("document.activeElement.innerText")
        self.browser.press("Enter")
        self.says("main h1", "What if nodes are drained?")
        self.browser.wait(f"document.getElementById('nodes')?.value === {json.dumps(node)}", "the node of the link")
        self.says("#verdict", ".")
        self.browser.press("/")
        self.browser.type("huge")
        self.browser.press("Enter")
        self.says("#verdict", "1 pod")
        self.browser.tab_to("here.innerText === 'default/huge'", 60)
        self.browser.press("Enter")
        self.says("#verdict", "default/huge waits")
        self.assert_quiet()

    def pages(self):
        """How often the page was loaded, and which paths it has watched."""
        loads = [one for one in self.browser.requests if one.endswith("/ui/main.js")]
        return len(loads), [one for one in self.browser.requests if "/changes" in one]

    def test_decisions_appear_by_themselves(self):
        """A pod's decision appears on all views that are about it, without a reload."""
        self.open(self.viewer, "#/now/default")
        self.says("#live", "live")
        self.create(pod("late", cpu="48"))
        self.browser.wait("document.querySelector('#waiting')?.innerText.includes('default/late')", "the pod among those that wait", 20)
        self.browser.run("location.hash = '#/pod/default/later'")
        self.says("[role=alert]", "not decided")
        self.create(pod("later"))
        self.says("#verdict", "default/later is on ")
        loads, watched = self.pages()
        self.assertEqual(loads, 1)
        self.assertTrue(watched)
        self.assertIn("since=", watched[-1])

    def test_without_a_watch_it_asks_again(self):
        """Where podium cannot hold a request open, the page reads again by time."""
        self.browser.call("Network.setBlockedURLs", urls=["*/changes*"])
        self.open(self.viewer, "#/now/default")
        self.says("#live", "read every 5 seconds")
        self.create(pod("polled", cpu="48"))
        self.browser.wait("document.querySelector('#waiting')?.innerText.includes('default/polled')", "the pod among those that wait", 30)

    def test_the_words_of_reasons_are_the_apis(self):
        """Other words in the answer are other words on the page, wherever a reason is shown."""
        self.replace("""(address, body) => JSON.parse(JSON.stringify(body).replaceAll("not have enough free", "sing no songs of")
                     .replaceAll("does sing", "do sing"))""")
        self.open(self.editor, "#/now/default")
        for view, element in (("#/now/default", "#waiting"), ("#/waiting/default", "#waiting"), ("#/pod/default/huge", "#verdict"),
                              ("#/pod/default/huge", "#rejections"), ("#/pods/default", "#decisions"), ("#/ask/default/huge", "#answer-verdict")):
            self.go(view, element)
            self.says(element, "sing no songs of cpu")
            self.assertNotIn("enough free", self.browser.run("document.querySelector('main').innerText"))

    def test_nodes_with_the_same_scores_are_one_row(self):
        """The chosen node's row has those of four others, until they are asked for, by keyboard."""
        self.replace("""(address, body) => {
            const best = body.status?.topNodes;
            best?.forEach((one, i) => { if (i < 5) one.strategyScores = best[0].strategyScores; else one.strategyScores[0] = i; });
            return body; }""")
        self.open(self.editor, "#/pod/default/web")
        rows = "[...document.querySelectorAll('table.heat tbody tr')].filter((row) => row.checkVisibility()).map((row) => row.innerText)"
        self.shows(lambda: len(self.browser.run(rows)), 6)
        self.assertIn("chosen and 4 alike", self.browser.run(rows)[0])
        self.says("#unfold", "Show 4 more nodes with the same scores")
        self.browser.tab_to("here.id === 'unfold'")
        self.browser.press("Enter")
        self.shows(lambda: len(self.browser.run(rows)), 10)
        self.assertNotIn("alike", self.browser.run(rows)[0])

    def test_a_drain(self):
        """The pods of a node and their new places, as podium answers."""
        where = self.plane.get("/api/v1/namespaces/default/pods/web")["spec"]["nodeName"]
        self.open(self.editor, f"#/drain/{where}")
        self.says("#verdict", "would be lost")
        row = next(one for one in self.browser.texts("#moves tbody tr") if one.startswith("default/web"))
        self.assertIn("no controller recreates it: it would be lost", row)
        self.browser.run("location.hash = '#/drain/nonesuch'")
        self.says("main", "nonesuch")
        self.browser.run("location.hash = '#/drain/drained'")
        self.says("#verdict", "drained has no pods to evict.")

    def test_a_drain_names_the_pods_that_the_user_may_see(self):
        """Those of other namespaces are counted, or named for a user who may list them and ask there."""
        where = self.plane.get("/api/v1/namespaces/default/pods/web")["spec"]["nodeName"]
        self.plane.kubectl("create", "namespace", "elsewhere")
        guest = pod("guest", nodeName=where)
        guest["metadata"]["namespace"] = "elsewhere"
        self.plane.create(guest, "elsewhere")
        self.addCleanup(self.plane.request, "DELETE", "/api/v1/namespaces/elsewhere/pods/guest?gracePeriodSeconds=0")
        self.open(self.editor, f"#/drain/{where}")
        self.says("main", "1 pod of namespaces that you may not list is counted and not named.")
        self.assertNotIn("guest", self.browser.run("document.querySelector('main').innerText"))
        driver = account(self.plane, "driver", "view", "edit")
        self.plane.kubectl("create", "clusterrole", "lists-pods", "--verb=list", "--resource=pods")
        for role in ("lists-pods", "podium-system:podium:edit"):
            self.plane.kubectl("create", "rolebinding", f"driver-{role.replace(':', '-')}", "-n", "elsewhere", f"--clusterrole={role}",
                               "--serviceaccount=default:driver")
        await_rights(self.plane)
        self.open_as_another(driver, f"#/drain/{where}")
        self.says("#moves", "elsewhere/guest")
        self.assertNotIn("not named", self.browser.run("document.querySelector('main').innerText"))

    def test_missing_and_spare_nodes(self):
        """What waits and fits on no shape, and nodes that can be removed."""
        self.open(self.editor, "#/nodes/missing")
        self.says("#verdict", "No node of these shapes helps:")
        self.says("#unplaced", "huge")
        self.browser.run("location.hash = '#/nodes/spare'")
        self.says("#verdict", "can be removed")

    def test_shapes_with_prices(self):
        """Shapes that are typed as YAML, the cheaper one of which takes the pod that waits; a fault of the YAML is named."""
        self.open(self.editor, "#/nodes/missing")
        self.says("#unplaced", "huge")
        self.browser.tab_to("here.id === 'shapes'", 90)
        self.browser.type("- {name: dear, allocatable: {cpu: 64, memory: 9Gi, pods: 110}, price: 9}\n"
                          "- {name: fair, allocatable: {cpu: 65, memory: 9Gi, pods: 110}, price: 4.5}")
        self.browser.tab_to("here.textContent === 'Ask again'")
        self.browser.press("Enter")
        self.says("#added", "fair")
        self.assertNotIn("dear", self.browser.text("#added"))
        self.reload()
        self.says("#added", "fair")
        self.assertIn("price: 4.5", self.browser.run("document.getElementById('shapes').value"))
        self.browser.run("location.hash = '#/nodes/missing?shapes=' + encodeURIComponent('- {name: x, price: -1}')")
        self.says("[role=alert]", "must be a number from 0 to")

    def test_the_capacity_of_a_namespace(self):
        """What it could still run of given pods, and what limits it: the numbers are podium's own answers."""
        self.open(self.editor, "#/capacity?pods=cpu=500m,memory=1Gi;cpu=3,example.com/gpu=1")
        self.says("#verdict", "What default could still run, each alone:")
        rows = [row.split("\t") for row in self.browser.texts("#capacity tbody tr")]
        manifest = MANIFEST % "500m, memory: 1Gi"
        answer = self.api("whatif/report?replicas=1&room=true", self.editor, manifest.encode(), content_type="application/yaml")["status"]
        self.assertEqual(rows[0][:2], ["cpu=500m,memory=1Gi", str(1 + answer["room"]["count"])])
        self.assertIn("do not have enough free", rows[0][2])
        self.assertEqual(rows[1][:2], ["cpu=3,example.com/gpu=1", "0"])
        self.assertIn("have no example.com/gpu", rows[1][2])
        self.browser.run("location.hash = '#/capacity?pods=cpu'")
        self.says("[role=alert]", "is not a list such as cpu=500m")

    def test_weights_are_compared(self):
        """Other weights next to the profile's: the nodes that take more or fewer of the pods, from podium's own answers."""
        self.open(self.editor, "#/ask")
        self.browser.tab_to("here.id === 'replicas'")
        self.browser.type("9")
        self.ask_about(MANIFEST % "100m")
        self.browser.wait("!!document.getElementById('weight-ImageLocality')", "the weights")
        for strategy, to in (("ImageLocality", 100), ("NodeResourcesFit", 0), ("NodeResourcesBalancedAllocation", 0)):
            self.browser.run(f"""(() => {{ const one = document.getElementById('weight-{strategy}'); one.max = 100; one.value = {to};
                                 one.dispatchEvent(new Event('input', {{bubbles: true}})); }})()""")
        self.browser.run("document.getElementById('ask-again').click()")
        self.browser.wait("!!document.getElementById('compared')", "the comparison")
        asked = [one.split("/v1/namespaces/default/")[1] for one in self.browser.requests if "/whatif/report" in one][-2:]
        self.assertIn("strategies=", asked[0])
        self.assertNotIn("strategies=", asked[1])
        after, before = ({one["nodeName"]: one["count"] for one in self.api(path, self.editor, (MANIFEST % "100m").encode(), content_type=
                          "application/yaml")["status"]["placements"]} for path in asked)
        wanted = {name: [before.get(name, 0), after.get(name, 0)] for name in set(before) | set(after)
                  if before.get(name, 0) != after.get(name, 0)}
        self.assertTrue(wanted)
        moved = sum(max(0, was - now) for was, now in wanted.values())
        self.says("#compared", f"{moved} of 9 pods go elsewhere than with the profile’s weights.")
        rows = [row.split("\t") for row in self.browser.texts("#compared-nodes tbody tr")]
        self.assertEqual({name: [int(was), int(now)] for name, was, now, _ in rows}, wanted)
        self.browser.run("document.getElementById('ask-all').click()")
        self.browser.wait("document.querySelector('#in-use') !== null", "the pods of the cluster")
        question = {"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport", "spec": {"dryRun": True, "search": {"compareWeights": {
            "strategies": [{"name": "ImageLocality", "weight": 100}, {"name": "NodeResourcesFit", "weight": 0},
                           {"name": "NodeResourcesBalancedAllocation", "weight": 0}]}}}}
        found = self.api("whatif/report?allNamespaces=true", self.editor, json.dumps(question).encode(),
                         content_type="application/json")["status"]["weightsCompared"]
        self.says("#verdict", f"{found['podsMoved']} of {found['pods']} pods would be placed on another node")
        named = [row.split("\t")[0] for row in self.browser.texts("#elsewhere tbody tr")]
        self.assertEqual(named, [f"{one.get('namespace', 'default')}/{one['name']}" for one in found.get("elsewhere", [])])

    def test_thousands_of_nodes(self):
        """5,000 nodes: the first drawing and another resource, in the time from the answer to the next frame."""
        self.replace("""(address, body) => {
          if (!address.endsWith("/v1/nodes")) return body;
          const zones = ["a", "b", "c"].map((name) => ({ name, nodes: 0, cordoned: 0, allocatable: [0, 0, 0], requested: [0, 0, 0], free: [0, 0, 0] }));
          const items = Array.from({ length: 5000 }, (_, i) => {
            const zone = zones[i % 3];
            const allocatable = [64000, 2 ** 38, 110];
            const requested = [(i * 7919) % 64000, ((i * 104729) % 97) * 2 ** 31, i % 110];
            zone.nodes += 1;
            for (const j of [0, 1, 2]) {
              zone.allocatable[j] += allocatable[j];
              zone.requested[j] += requested[j];
              zone.free[j] += allocatable[j] - requested[j];
            }
            return { name: `node-${String(i).padStart(4, "0")}`, zone: zone.name, pods: i % 110, allocatable, requested };
          });
          setTimeout(() => { window.answered = performance.now(); });
          return { ...body, resources: ["cpu", "memory", "pods"], zones, items };
        }""")
        self.open(self.operator, "#/topology/cpu")
        drawn = """new Promise((done) => { const look = () => document.querySelectorAll('.bars').length === 3 %s
                   ? requestAnimationFrame(() => setTimeout(() => done(performance.now() - %s))) : setTimeout(look); look(); })"""
        first = self.browser.run(drawn % ("", "window.answered"))
        self.says("#verdict", "cpu")
        again = self.browser.run("(() => { const began = performance.now(); location.hash = '#/topology/memory/node-4321'; return " +
                                 drawn % ("&& document.querySelector('#node')?.innerText.includes('node-4321')", "began") + "; })()")
        print(f"5,000 nodes: first drawn {first:.0f} ms after the answer, again in {again:.0f} ms")
        self.assertLess(first, 1500)
        self.assertLess(again, 1000)
        self.assertLess(self.browser.run("document.querySelectorAll('main *').length"), 1500)


if __name__ == "__main__":
    unittest.main()
