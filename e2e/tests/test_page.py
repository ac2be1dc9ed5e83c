"""The page at /ui/, as people use it: in a browser, by keyboard, with the rights of their token."""
import concurrent.futures
import http.client
import json
import re
import ssl
import unittest

from e2e.support.control_plane import ROOT, wait_until
from e2e.tests.base import Live, pod
from e2e.tests.page import MANIFEST, PageLive, ZONE
from e2e.tests.test_http_api import api_call

CROWD = 620  # pods that wait for the same reason: more than one request can list
WORKLOAD = """apiVersion: apps/v1
kind: %s
metadata: {name: shop}
spec:
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec: {containers: [{name: main, image: app:v1, resources: {requests: {cpu: 750m}}}]}
"""
ROWS = """[...document.querySelectorAll('table.heat tbody tr')].map((row) => ({
  node: row.querySelector('th').firstChild.textContent, chosen: !!row.querySelector('.mark'),
  total: Number(row.querySelector('.total b').innerText),
  points: [...row.querySelectorAll('.points')].map((one) => [Number(one.querySelector('b').innerText), one.querySelector('small').innerText])}))"""


def ranked(status, moved):
    """Returns [(node, total)] of a report with other weights, best first; computed like the page, but from the API's report."""
    weights = [moved.get(one["name"], one["weight"]) for one in status["strategies"]]
    totals = [(one["nodeName"], sum(w * s for w, s in zip(weights, one["strategyScores"]))) for one in status["topNodes"]]
    return sorted(totals, key=lambda one: -one[1])


class Page(PageLive):
    def rows(self):
        return self.browser.run(ROWS)

    def slide(self, strategy, to):
        """Moves a weight by keyboard, starting at 0."""
        self.browser.tab_to(f"here.id === 'weight-{strategy}'")
        self.browser.press("Home")
        self.browser.press("ArrowRight", to)

    def a_move(self, status):
        """Returns (strategy, weight) with which another node leads all others."""
        first = status["topNodes"][0]["nodeName"]
        for one in status["strategies"]:
            for weight in (0, 10):
                (best, most), (_, second) = ranked(status, {one["name"]: weight})[:2]
                if best != first and most > second and weight != one["weight"]:
                    return one["name"], weight
        self.fail(f"no weight changes the order of {status['topNodes']}")

    def test_a_placed_pod(self):
        """The chosen node, correct sums, and the rejected nodes; another weight moves the rows."""
        status = self.api("pods/web/report", self.viewer)["status"]
        self.open(self.viewer, "#/pod")
        self.browser.tab_to("here.id === 'namespace'")
        self.browser.type("default")
        self.browser.press("Tab")
        self.browser.type("web")
        self.browser.press("Enter")
        chosen, score = status["choice"]["nodeName"], status["choice"]["score"]
        self.says("#verdict", f"default/web is on {chosen}: {score} points")
        self.says("#report", "14 of 18 nodes fit.")
        self.shows(lambda: len(self.rows()), len(status["topNodes"]))
        rows = self.rows()
        self.assertEqual([one["node"] for one in rows if one["chosen"]], [chosen])
        self.assertEqual(rows[0]["node"], chosen)
        self.assertEqual(rows[0]["total"], score)
        for shown, one in zip(rows, status["topNodes"], strict=True):
            self.assertEqual((shown["node"], shown["total"]), (one["nodeName"], one["score"]))
            self.assertEqual(sum(points for points, _ in shown["points"]), shown["total"])
            products = [f"{s['weight']}×{score}" for s, score in zip(status["strategies"], one["strategyScores"], strict=True)]
            self.assertEqual([text for _, text in shown["points"]], products)
        rejected = self.browser.text("#rejections")
        self.assertIn("have a taint that the pod does not tolerate", rejected)
        self.assertIn("gpu-0, gpu-1, gpu-2", rejected)
        self.assertRegex(rejected, "(is|are) cordoned")
        self.says("#timeline", f"bound\tto {chosen}")

        strategy, weight = self.a_move(status)
        wanted = ranked(status, {strategy: weight})
        self.slide(strategy, weight)
        totals = lambda: [(one["node"], one["total"]) for one in self.rows()]
        self.shows(totals, wanted)
        self.says("#moved", f"With these weights {wanted[0][0]} leads the shown nodes with {wanted[0][1]} points")
        self.assertEqual([one["node"] for one in self.rows() if one["chosen"]], [chosen], "the mark stays with the node")
        self.browser.tab_to("here.innerText === 'Reset weights'")
        self.browser.press("Enter")
        self.shows(totals, [(one["nodeName"], one["score"]) for one in status["topNodes"]])
        self.assert_quiet()

    def test_what_ifs(self):
        """The form asks podium; a moved weight changes the shown rows, and then the question."""
        self.open(self.editor, "#/ask")
        self.browser.tab_to("here.id === 'replicas'")
        self.browser.type("3")
        self.browser.tab_to("here.id === 'manifest'")
        self.browser.type(MANIFEST % "1500m")
        self.browser.tab_to("here.id === 'ask'")
        self.browser.press("Enter")
        self.says("#answer-verdict", "All 3 fit. The first goes to ")
        self.shows(lambda: sum(map(int, self.browser.texts("#placements tbody td"))), 3)
        before = self.rows()
        self.assertEqual(len([one for one in before if one["chosen"]]), 1)
        how = {"content_type": "application/yaml"}
        manifest = (MANIFEST % "1500m").encode()
        status = self.api("whatif/report", self.editor, manifest, **how)["status"]
        self.assertEqual(sorted(one["total"] for one in before), sorted(one["score"] for one in status["topNodes"]))

        strategy, weight = "NodeResourcesBalancedAllocation", 7
        self.slide(strategy, weight)
        weights = {one["name"]: one["weight"] for one in status["strategies"]} | {strategy: weight}
        self.says("#moved", "Ask again for the real answer.")
        moved = self.rows()
        self.assertEqual([one["total"] for one in moved], sorted((one["total"] for one in moved), reverse=True))
        scores = {one["node"]: [int(text.split("×")[1]) for _, text in one["points"]] for one in before}
        for one in moved:
            self.assertEqual(one["total"], sum(w * s for w, s in zip(weights.values(), scores[one["node"]], strict=True)))

        self.browser.tab_to("here.id === 'ask-again'")
        self.browser.press("Enter")
        self.browser.wait("!document.getElementById('moved').innerText", "podium's own answer with these weights")
        answer = self.api(f"whatif/report?strategies={strategy}={weight}", self.editor, manifest, **how)["status"]
        self.shows(lambda: [one["total"] for one in self.rows()], [one["score"] for one in answer["topNodes"]])

        self.browser.run("document.getElementById('replicas').focus()")
        self.browser.type("1")
        self.browser.tab_to("here.id === 'fixes'")
        self.browser.press("Space")
        self.browser.tab_to("here.id === 'manifest'")
        self.browser.type(MANIFEST % "9")
        self.browser.tab_to("here.id === 'ask'")
        self.browser.press("Enter")
        self.browser.wait("document.getElementById('answer-verdict')?.innerText.includes('does not fit')", "the answer to a large pod")
        self.says("#answer-verdict", "It does not fit: 14 of 18 nodes do not have enough free cpu.")
        self.says("#fixes-found", "tolerate the taint gpu=true:NoSchedule")
        self.says("#rejections", "do not have enough free cpu")
        self.assert_quiet()

        self.browser.tab_to("here.id === 'manifest'", 90)
        self.browser.type("kind: Cake\n")
        self.browser.tab_to("here.id === 'ask'")
        self.browser.press("Enter")
        self.says("[role=alert]", "kind")

    def test_amounts(self):
        """The amounts of unit/app/render/amounts_test.cc."""
        wanted = [["cpu", "54250m", "54.25"], ["cpu", "500m", "500m"], ["cpu", "1", "1"], ["cpu", "1001m", "1.001"], ["cpu", "10", "10"],
                  ["memory", "2816Mi", "2.75Gi"], ["memory", "2817Mi", "2.76Gi"], ["memory", "1025Mi", "1.01Gi"],
                  ["memory", "1048575Ki", "1Gi"], ["memory", "2147483647", "2Gi"], ["memory", "1023", "1023"], ["memory", "0", "0"],
                  ["memory", "1500Gi", "1.47Ti"], ["memory", "8Ei", "8192Pi"], ["hugepages-2Mi", "1030Mi", "1.01Gi"],
                  ["memory", "128e6", "122.08Mi"], ["nvidia.com/gpu", "1024", "1024"], ["cpu", "-1500m", "-1500m"], ["cpu", "four", "four"]]
        self.open(self.editor, "#/ask")
        each = f"{json.dumps(wanted)}.map(([resource, amount]) => module.roundedUp(resource, amount))"
        got = self.browser.run(f"import('/ui/amounts.js').then((module) => {each})")
        self.assertEqual(got, [words for _, _, words in wanted])

    def test_red_nodes_are_named_only_if_there_are_some(self):
        self.open(self.editor, "#/ask")
        bars = "[{ bars: [{ node: { cordoned }, lacks: false, share }] }]"
        each = f"[[0.5, false], [0.95, true], [0.95, false]].map(([share, cordoned]) => module.wantedVerdict('cpu', 2, {bars}))"
        self.assertEqual(self.browser.run(f"import('/ui/topology.js').then((module) => {each})"),
                         ["2 pods wait for cpu.", "2 pods wait for cpu.", "2 pods wait for cpu: the red nodes have less than a tenth of it free."])

    def test_zones_and_room(self):
        """The page shows the pods of a Deployment in each zone, and how many more fit."""
        report = self.api("whatif/report?replicas=7&room=true", self.editor, (WORKLOAD % "Deployment").encode(),
                          content_type="application/yaml")["status"]
        zones = sorted((one["name"], str(one["count"])) for one in report["zones"])
        self.assertEqual(([name for name, _ in zones], report["zonesTotal"]), (["eu-1a", "eu-1b", "eu-1c"], 3))
        self.assertGreater(report["room"]["count"], 0)
        self.open(self.editor, "#/ask")
        self.browser.tab_to("here.id === 'replicas'")
        self.browser.type("7")
        self.browser.tab_to("here.id === 'room'")
        self.browser.press("Space")
        self.ask_about(WORKLOAD % "Deployment")
        self.says("#answer-verdict", "All 7 fit.")
        table = "[...document.querySelectorAll('#zones tr')].map((row) => [...row.children].map((cell) => cell.innerText))"
        self.shows(lambda: self.browser.run(table), [["Zone", "Pods"], *map(list, zones)])
        self.says("#room-left", f"Room for {report['room']['count']} more after that.")
        self.says("#room-left", "After that 14 nodes do not have enough free cpu; closest: ")
        self.assert_quiet()

        self.ask_about(WORKLOAD % "DaemonSet")
        self.says("[role=alert]", "a DaemonSet has one pod on each node that it selects")

    def test_devices(self):
        """The devices of a pod, and why the next pod gets none."""
        wanted = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}}
        named = lambda kind, name, **more: {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name}, **more}
        for obj in [named("DeviceClass", "gpu", spec={}), named("ResourceClaim", "own", spec=wanted),
                    named("ResourceClaimTemplate", "one", spec={"spec": wanted}),
                    named("ResourceSlice", "n00", spec={
                        "driver": "gpu.example.com", "nodeName": "n00", "devices": [{"name": "gpu-0"}],
                        "pool": {"name": "n00", "generation": 1, "resourceSliceCount": 1}})]:
            self.plane.create(obj)
        self.plane.create(pod("trains", resourceClaims=[{"name": "gpu", "resourceClaimName": "own"}]))
        self.bound("trains")
        self.open(self.editor, "#/pod/default/trains")
        self.says("#verdict", "default/trains is on n00")
        self.says("#devices", "gpu: n00/gpu-0 of gpu.example.com, claim own")
        self.browser.run("location.hash = '#/ask'")
        self.browser.wait("document.getElementById('manifest')", "the form")
        self.ask_about((MANIFEST % "100m").replace("containers:", "resourceClaims: [{name: gpu, resourceClaimTemplateName: one}], containers:"))
        self.says("#answer-verdict", "does not fit")
        self.says("#rejections", "gpu: 1 device matches, 1 in use")
        self.assert_quiet()

    def test_pods_that_wait(self):
        """By reason, over all pages of the list; names lead to reports."""
        # One request deletes them all, and the test does not wait for each.
        crowd = "/api/v1/namespaces/default/pods?labelSelector=app%3Dcrowd"
        self.addCleanup(self.plane.request, "DELETE", crowd + "&gracePeriodSeconds=0")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(self.plane.create, (pod(f"crowd-{i:03}", cpu="48", labels={"app": "crowd"}) for i in range(CROWD))))
        wait_until(lambda: self.podium.metric("podium_decisions_remembered ") >= CROWD + 3, "a decision on each", 300)
        self.open(self.viewer, "#/waiting/default")
        self.shows(lambda: self.browser.text("#verdict"), f"{CROWD + 1} pods wait; 1 more is gated.")
        self.shows(lambda: len(self.browser.texts("#waiting tbody tr")), 3)
        cpu, gated, huge = self.browser.texts("#waiting tbody tr")
        self.assertEqual(cpu.split("\t")[:4], [str(CROWD), "default/crowd", "48 cpu, 64Mi", "14 of 18 nodes do not have enough free cpu"])
        self.assertEqual(huge.split("\t")[:3], ["1", "default/huge", "64 cpu, 64Mi"])
        self.assertIn("gate example/quota", gated)
        self.assertIn("default/gated", gated)
        self.browser.tab_to("here.tagName === 'SUMMARY'")
        self.browser.press("Enter")
        names = "document.querySelectorAll('#waiting details li').length"
        self.shows(lambda: self.browser.run(names), 50)  # a long list begins with a part
        self.browser.tab_to("here.innerText.startsWith('Show more')", 60)
        self.browser.press("Enter")
        self.shows(lambda: self.browser.run(names), 250)
        self.browser.run("location.hash = '#/pod/default/huge'")
        self.says("#verdict", "default/huge waits: 14 of 18 nodes do not have enough free cpu.")
        self.says("#timeline", "14 of 18 nodes do not have enough free cpu")
        self.browser.run("location.hash = '#/pods/default'")
        self.browser.wait("document.querySelectorAll('#decisions tbody tr').length === 500", "the newest decisions")
        self.browser.tab_to("here.id === 'filter'")
        self.browser.type("crowd-55 unsched")
        self.browser.wait("document.querySelectorAll('#decisions tbody tr').length === 10", "those that match the filter")
        self.browser.run("location.hash = '#/ask'")
        self.browser.run("location.hash = '#/pods/default'")
        self.browser.wait("document.querySelectorAll('#decisions tbody tr').length === 500", "all of them again")
        self.browser.tab_to("here.id === 'by-name'")
        self.browser.press("Space")
        self.browser.wait("document.querySelectorAll('#decisions tbody tr').length === 100", "a page of decisions")
        self.browser.tab_to("here.innerText === 'Next'", 130)
        self.browser.press("Enter")
        self.assertIn("page 2", self.browser.wait("document.querySelector('.pages')?.innerText.includes('page 2') && "
                                                  "document.querySelector('.pages').innerText", "the next page"))
        self.assert_quiet()

    def test_the_start(self):
        """What waits, with the nearest miss, and the last decisions, the newest first."""
        self.open(self.viewer, "#/now/default")
        self.says("#verdict", "1 pod waits; 1 more is gated.")
        rows = {row.split("\t")[3]: row.split("\t") for row in self.browser.texts("#waiting tbody tr")}
        huge = rows["14 of 18 nodes do not have enough free cpu"]
        report = self.api("pods/huge/report", self.viewer)["status"]["rejections"][0]
        self.assertEqual(huge[0], "1")
        self.assertEqual(huge[2], "64 cpu, 64Mi")
        self.assertIn(f"{report['shortfall']['nodeName']}: {report['shortfall']['least']} cpu short", huge[4])
        self.assertRegex(huge[5], r"\d (sec|min)", "the age of the pod")
        self.assertIn("default/huge", huge[-1])
        self.assertIn("gate example/quota", rows)
        newest = self.api("decisions?newest=true&limit=100", self.viewer)["items"]
        times = [one["decidedAt"] for one in newest]
        self.assertEqual(times, sorted(times, reverse=True))
        shown = [row.split("\t")[0].removesuffix(" gone") for row in self.browser.texts("#decisions tbody tr")]
        self.assertEqual(shown, [f"default/{one['name']}" for one in newest[:20]])
        self.browser.tab_to("here.innerText === 'default/huge'", 60)
        self.browser.press("Enter")
        self.says("#verdict", "default/huge waits")
        self.assert_quiet()

    def test_the_users_part(self):
        """A user who may not list all namespaces starts with their own, and the page says so."""
        self.open(self.viewer, "#/now")
        self.says("#part", "You may not list the decisions of all namespaces. These are of namespace default; enter another one")
        self.says("#verdict", "1 pod waits; 1 more is gated.")
        self.assertFalse(self.browser.run("!!document.querySelector('[role=alert], #room')"))
        self.says("#where", "system:serviceaccount:default:viewer · leader ")
        self.browser.run("location.hash = '#/topology'")
        self.says("#verdict", "You may not list the nodes of this cluster.")
        self.browser.run("location.hash = '#/pods'")
        self.says("#part", "These are of namespace default")
        self.assert_quiet()

    def test_topology(self):
        """Zones and nodes as bars, the resource that pods wait for first; a node has its own address."""
        self.open(self.operator, "#/topology")
        self.says("#verdict", "1 pod waits for cpu")
        is_red = self.browser.run("[...document.querySelectorAll('.bars .full')].some((path) => path.getAttribute('d'))")
        self.assertEqual("the red nodes" in self.browser.text("#verdict"), is_red)
        self.says("#where", "18 nodes, 1 cordoned")
        self.shows(lambda: self.browser.texts(".zone h2"), ["without a zone 4 nodes, 1 cordoned", "eu-1a 5 nodes", "eu-1b 5 nodes", "eu-1c 4 nodes"])
        web = self.plane.get("/api/v1/namespaces/default/pods/web")["spec"]["nodeName"]
        size = next(one["status"]["allocatable"] for one in self.nodes if one["metadata"]["name"] == web)
        self.browser.run(f"location.hash = '#/topology/memory/{web}'")
        self.says("#node", f"{web} in eu-1")
        self.says("#node", f"cpu: 1.5 of {size['cpu']} requested")
        self.says("#node", f"memory: 3Gi of {size['memory']} requested")
        self.assertTrue(self.browser.run("!!document.querySelector('.bars .picked')"))
        self.says("#verdict", "No pod waits for memory.")
        self.browser.run("location.hash = '#/now'")
        self.browser.wait("document.querySelectorAll('#room li').length === 4", "the room by zone")
        self.browser.press("/")
        self.browser.type("n0")
        self.browser.press("Enter")
        self.says("#verdict", "0 pods, 0 workloads and 10 nodes have “n0” in their name.")
        self.assertEqual(self.browser.run("location.hash"), "#/find/n0")
        self.assert_quiet()

    def test_the_room_of_a_cordoned_node_is_not_free(self):
        self.open(self.operator, "#/topology/pods")
        self.says(".zone .sum", "pods: 0 of 440 requested, 330 free, 110 on cordoned nodes")
        self.assertTrue(self.browser.run("document.querySelector('.zone .bars .cordoned').getAttribute('d').length > 0"))
        self.browser.run("location.hash = '#/now'")
        sizes = [int(one["status"]["allocatable"]["cpu"]) for one in self.nodes if not one["metadata"]["labels"].get(ZONE)]
        free = sum(sizes) - sizes[-1]
        self.says("#room", f"{free} of {sum(sizes)} free")

    def test_search_finds_workloads(self):
        """The pods of a workload are found together; pods that are gone do not count."""
        for i in range(3):
            self.plane.create(pod(f"db-{i}"))
            self.bound(f"db-{i}")
        self.plane.kubectl("delete", "pod", "db-2", "--grace-period=0", "--force")
        wait_until(lambda: any(one.get("gone") for one in self.api("decisions", self.viewer)["items"]), "the deletion")
        self.open(self.operator, "#/find/sts%2Fdb")
        self.says("#verdict", "0 pods, 1 workload and 0 nodes have “sts/db” in their name.")
        self.says("#workloads-found", "default/db: 2 pods")
        self.assertEqual(self.browser.run("document.querySelector('#workloads-found p a').getAttribute('href')"), "#/pods/default?filter=db")
        self.browser.run("location.hash = '#/find/db'")
        self.says("#verdict", "2 pods, 1 workload and 0 nodes have “db” in their name.")
        self.says("#gone-found", "1 pod of such a name is gone")
        self.open_as_another(self.viewer, "#/pod/default/db-2")
        self.says("#verdict", "default/db-2 was on ")
        self.says("#verdict", "; it has ended or was deleted.")
        self.says("main h1", "Why was db-2 there?")
        self.assert_quiet()

    def test_a_what_if_about_a_pod(self):
        """The what-if of a waiting pod asks about the pod itself, with the user's right to read it."""
        self.open(self.editor, "#/pod/default/huge")
        self.browser.tab_to("here.id === 'ask-about'", 90)
        self.browser.press("Enter")
        self.says("#about", "About the pod default/huge, as it is in the cluster.")
        self.says("#answer-verdict", "It does not fit: 14 of 18 nodes do not have enough free cpu.")
        self.assertEqual(self.browser.run("location.hash"), "#/ask/default/huge")
        self.browser.run("location.hash = '#/ask/default/huge/gpu-0'")
        self.says(".node-verdict", "No: gpu-0 rejects default/huge.")
        self.says(".checks", "cpu 64 of 32 free")
        self.says(".checks", "it has a taint that the pod does not tolerate: gpu=true:NoSchedule")
        asked = {"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport", "spec": {"dryRun": True, "podRef": {"name": "huge"}}}
        self.assertEqual(api_call(self.podium.port, "/v1/namespaces/default/whatif/report", self.asker, json.dumps(asked).encode())[0], 403)
        self.assert_quiet()

    def test_without_rights(self):
        """The page shows the API's own words for refusals, also for an unknown token."""
        refused = api_call(self.podium.port, "/v1/namespaces/default/pods/web/report", self.nobody)[2]["message"]
        self.assertIn('cannot get resource "schedulingreports"', refused)
        self.open(self.nobody, "#/pod/default/web")
        self.says("[role=alert]", "You may not see this.")
        self.says("[role=alert]", refused)
        self.browser.run("location.hash = '#/waiting'")
        self.says("#part", "You may list the decisions neither of all namespaces nor of namespace default.")
        self.assertFalse(self.browser.run("!!document.querySelector('[role=alert]')"))
        self.assertNotIn("n00", self.browser.run("document.body.innerText"))
        for problem in self.browser.problems:
            self.assertRegex(problem, r"status of 403")

        self.browser.tab_to("here.innerText === 'Remove the token'")
        self.browser.press("Enter")
        self.browser.wait("document.querySelector('[role=alert]')?.innerText.includes('Who are you?')", "a request without a token")
        self.assertEqual(self.browser.run("sessionStorage.length + localStorage.length"), 0)

    def test_files(self):
        """Everyone can read the files, with a policy; the server does not send a known file again."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.podium.port, context=ssl._create_unverified_context(), timeout=120)
        self.addCleanup(connection.close)

        def get(path, **headers):
            connection.request("GET", path, headers=headers)
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read().decode()
        status, headers, text = get("/ui/")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("default-src 'none'; script-src 'self'", headers["Content-Security-Policy"])
        self.assertEqual(headers.get_all("X-Content-Type-Options"), ["nosniff"])
        self.assertEqual(headers.get_all("Cache-Control"), ["no-cache"])
        for name in re.findall(r'(?:src|href)="([^"]+)"', text):
            status, headers, body = get(f"/ui/{name}")
            self.assertEqual((status, body), (200, (ROOT / "app/page/assets" / name).read_text()), name)
            self.assertEqual(get(f"/ui/{name}", **{"If-None-Match": headers["ETag"]})[::2], (304, ""), name)
        self.assertEqual(get("/ui")[0], 308)
        self.assertEqual(get("/ui/../etc/passwd")[0], 404)
        self.assertEqual(get("/v1/decisions")[0], 401, "what the page shows is not open")


class Off(Live):
    values = ["schedulerName=default-scheduler", "podium.httpAPI.page=false"]

    def test_the_page_is_off(self):
        self.assertNotEqual(self.podium.get("/ui/")[0], 200)
        self.assertEqual(api_call(self.podium.port, "/v1/decisions")[0], 401, "the API is on")


if __name__ == "__main__":
    unittest.main()
