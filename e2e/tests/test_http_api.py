"""The HTTPS API, as plain users of the cluster call it: with curl, with the rights of the chart's roles, and as attackers."""
import collections
import concurrent.futures
import json
import os
import re
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from e2e.support.authorization import account, await_rights
from e2e.support.control_plane import BIN, ROOT, wait_until
from e2e.tests.base import Live, node, pod, what_if

POD = "/v1/namespaces/default/pods/web"
WHAT_IF = "/v1/namespaces/default/whatif"
PAGE = ROOT / "docs/http-api.md"


def api_call(port, path, token=None, body=None, method=None, content_type="application/json"):
    """Returns (status, headers, JSON or text)."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    data = None
    if body is not None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers["Content-Type"] = content_type
    request = urllib.request.Request(f"https://127.0.0.1:{port}{path}", data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, context=context, timeout=120) as reply:
            status, reply_headers, text = reply.status, reply.headers, reply.read().decode()
    except urllib.error.HTTPError as error:
        status, reply_headers, text = error.code, error.headers, error.read().decode()
    try:
        return status, reply_headers, json.loads(text)
    except ValueError:
        return status, reply_headers, text


def block_of(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


class HttpApi(Live):
    values = ["schedulerName=default-scheduler", "podium.reports.enabled=false"]
    nodes = tuple(node(f"n{i}", cpu=str(4 + i)) for i in range(12))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.viewer, cls.editor, cls.crowd, cls.nobody = (account(cls.plane, name, *roles) for name, roles in (
            ("viewer", ["view"]), ("editor", ["view", "edit"]), ("crowd", ["edit"]), ("nobody", [])))
        cls.plane.kubectl("create", "clusterrole", "lists-nodes", "--verb=list", "--resource=nodes")
        cls.plane.kubectl("create", "clusterrolebinding", "editor-nodes", "--clusterrole=lists-nodes", "--serviceaccount=default:editor")
        cls.plane.create(pod("web"))
        wait_until(lambda: cls.ask(f"{POD}/scores", cls.viewer)[0] == 200, "the decision on web")

    @classmethod
    def ask(cls, path, token=None, body=None, **how):
        return api_call(cls.podium.port, path, token, body, **how)

    def assert_status(self, answer, code, reason, words=""):
        status, _, body = answer
        self.assertEqual((status, body["kind"], body["apiVersion"], body["code"], body["reason"]),
                         (code, "Status", "v1", code, reason), body)
        self.assertIn(words, body["message"])

    def test_scores_and_strategies_have_the_form_of_the_exercises(self):
        scores = self.ask(f"{POD}/scores", self.viewer)[2]
        self.assertEqual(len(scores), 10)
        self.assertEqual({frozenset(one) for one in scores}, {frozenset({"Host", "Score"})})
        strategies = self.ask(f"{POD}/strategies", self.viewer)[2]
        for one in strategies:
            self.assertEqual(set(one), {"Strategy", "Weight", "HostPriority"})
            self.assertLessEqual(len(one["HostPriority"]), 5)
        self.assertIn("NodeResourcesFit", {one["Strategy"] for one in strategies})
        report = self.ask(f"{POD}/report", self.viewer)[2]
        self.assertEqual(report["kind"], "SchedulingReport")
        self.assertEqual(report["spec"]["podRef"]["uid"], self.live_pod("web")["metadata"]["uid"])
        self.assertEqual(report["status"]["outcome"], "Scheduled")
        self.assertEqual(self.plane.get("/apis/podium.dev/v1alpha1/schedulingreports")["items"], [], "storage is off")

    def test_a_what_if_has_the_same_answer_as_an_object(self):
        """The same question as an object of the cluster gets the same answer, and podium creates nothing."""
        asked = pod("ask", cpu="3500m")
        del asked["metadata"]["namespace"]
        body = self.ask(f"{WHAT_IF}/report?replicas=30", self.editor, asked)[2]["status"]
        self.plane.create(what_if("same", {"metadata": {"labels": {}}, "spec": asked["spec"]}, replicas=30))
        self.addCleanup(self.plane.kubectl, "delete", "sr", "same", "-n", "default")
        stored = self.answer("same")
        for field in ("outcome", "strategies", "rejections"):
            self.assertEqual(body.get(field), stored.get(field), field)
        self.assertEqual(body["outcome"], "PartlyFits")
        self.assertEqual(len(self.plane.get("/api/v1/pods")["items"]), 1)

    def test_a_whole_question(self):
        """A SchedulingReport as the body asks what the same object of the cluster asks."""
        spec = {"replicas": 3, "changes": [{"type": "CordonNode", "nodeName": "n11"}, {"type": "AddNodes", "count": 1, "like": "n11"}],
                "strategies": [{"name": "NodeResourcesFit", "weight": 3}], "nodes": ["n11"], "fixes": True}
        asked = what_if("whole", {"spec": pod("x", cpu="15")["spec"]}, **spec)
        code, _, answer = self.ask(f"{WHAT_IF}/report", self.editor, asked)
        self.assertEqual(code, 200, answer)
        self.plane.create(asked)
        self.addCleanup(self.plane.kubectl, "delete", "sr", "whole", "-n", "default")
        stored, status = self.answer("whole"), answer["status"]
        for field in ("outcome", "replicas", "placements", "strategies", "changes", "verdicts"):
            self.assertEqual(status.get(field), stored.get(field), field)
        self.assertEqual([fix["type"] for fix in status.get("fixes", [])], [fix["type"] for fix in stored.get("fixes", [])])
        self.assertEqual(status["placements"], [{"nodeName": "n11-new-1", "count": 1}])
        self.assertEqual(self.ask(f"{WHAT_IF}/scores", self.editor, asked)[2][0]["Host"], "n11-new-1")
        wrong = what_if("wrong", {"spec": pod("x")["spec"]}, changes=[{"type": "CordonNode", "nodeName": "nowhere"}])
        self.assert_status(self.ask(f"{WHAT_IF}/report", self.editor, wrong), 422, "Invalid", "spec.changes[0].nodeName: there is no node")

    def test_a_pod_of_the_cluster(self):
        """A question about a stored pod has the answer of the same object, for a user who may get the pod."""
        asked = what_if("ref", podRef={"name": "web"}, nodes=["n3"])
        self.assert_status(self.ask(f"{WHAT_IF}/report", self.editor, asked), 403, "Forbidden", 'cannot get resource "pods"')
        self.plane.kubectl("create", "role", "gets-pods", "-n", "default", "--verb=get", "--resource=pods")
        self.plane.kubectl("create", "rolebinding", "reader", "-n", "default", "--role=gets-pods", "--serviceaccount=default:reader")
        reader = account(self.plane, "reader", "edit")
        status, _, answer = self.ask(f"{WHAT_IF}/report", reader, asked)
        self.assertEqual(status, 200, answer)
        self.plane.create(asked)
        self.addCleanup(self.plane.kubectl, "delete", "sr", "ref", "-n", "default")
        stored = self.answer("ref")
        for field in ("outcome", "choice", "topNodes", "strategies", "verdicts"):
            self.assertEqual(answer["status"].get(field), stored.get(field), field)
        self.assert_status(self.ask(f"{WHAT_IF}/report", reader, what_if("none", podRef={"name": "none"})), 404, "NotFound",
                           "spec.podRef.name: pod none not found")

    def test_rights(self):
        reads, asks = f"{POD}/scores", f"{WHAT_IF}/scores"
        codes = {}
        for name, token in {"none": None, "bad": "bad", "nobody": self.nobody, "viewer": self.viewer, "editor": self.editor}.items():
            codes[name] = (self.ask(reads, token)[0], self.ask(asks, token, pod("ask"))[0])
        self.assertEqual(codes, {"none": (401, 401), "bad": (401, 401), "nobody": (403, 403), "viewer": (200, 403),
                                 "editor": (200, 200)})
        self.assert_status(self.ask(asks, self.viewer, pod("ask")), 403, "Forbidden",
                           'cannot create resource "schedulingreports" in API group "podium.dev" in the namespace "default"')
        self.assert_status(self.ask("/v1/namespaces/kube-system/pods/web/scores", self.editor), 403, "Forbidden")
        self.assertEqual(self.ask("/openapi/v3", self.nobody)[0], 200)
        self.assertEqual(self.ask("/metrics", self.editor)[0], 403)

    def test_lists(self):
        path = "/v1/namespaces/default/decisions"
        status, _, listed = self.ask(path, self.viewer)
        self.assertEqual(status, 200)
        [web] = [one for one in listed["items"] if one["name"] == "web"]
        [best, *_] = self.ask(f"{POD}/scores", self.viewer)[2]
        self.assertEqual((web["namespace"], web["outcome"], web["node"], web["score"], web["uid"]),
                         ("default", "Scheduled", best["Host"], best["Score"], self.live_pod("web")["metadata"]["uid"]))
        self.assertNotIn("web", [one["name"] for one in self.ask(f"{path}?waiting=true", self.viewer)[2]["items"]])
        self.assertEqual(self.ask(path, self.nobody)[0], 403)
        self.assert_status(self.ask("/v1/decisions", self.viewer), 403, "Forbidden",
                           'cannot list resource "schedulingreports" in API group "podium.dev" at the cluster scope')
        self.plane.kubectl("create", "serviceaccount", "all", "-n", "default")
        self.plane.kubectl("create", "clusterrolebinding", "all", "--serviceaccount=default:all", "--clusterrole=podium-system:podium:view")
        await_rights(self.plane)
        token = self.plane.kubectl("create", "token", "all", "-n", "default", "--duration", "1h").strip()
        names = []
        after = ""
        while True:
            page = self.ask(f"/v1/decisions?limit=1{after}", token)[2]
            names += [f"{one['namespace']}/{one['name']}" for one in page["items"]]
            if "continue" not in page["metadata"]:
                break
            after = "&continue=" + urllib.parse.quote(page["metadata"]["continue"])
        self.assertIn("default/web", names)
        self.assertEqual(names, sorted(set(names)))

    def test_wrong_requests_are_explained(self):
        ask = pod("ask")
        self.assert_status(self.ask(f"{POD}x/scores", self.viewer), 404, "NotFound", "not decided since this process began")
        self.assert_status(self.ask("/v1/namespaces/%2E%2E%2Fx/pods/web/scores", self.viewer), 400, "BadRequest", "namespace")
        self.assert_status(self.ask("/v1/namespaces/default/pods/w%00b/scores", self.viewer), 400, "BadRequest", "pod")
        self.assert_status(self.ask(f"{POD}/scores?a=b", self.viewer), 400, "BadRequest", 'unknown query parameter "a"')
        self.assert_status(self.ask(f"{WHAT_IF}/scores?replicas=many", self.editor, ask), 400, "BadRequest", "replicas")
        self.assert_status(self.ask(f"{WHAT_IF}/scores?profile=none", self.editor, ask), 422, "Invalid", "profile: unknown")
        self.assert_status(self.ask(f"{WHAT_IF}/scores", self.editor, ask, content_type="text/plain"), 415,
                           "UnsupportedMediaType")
        self.assert_status(self.ask(f"{WHAT_IF}/scores", self.editor, b"{"), 400, "BadRequest", "body")
        ask["spec"]["colour"] = "red"
        self.assert_status(self.ask(f"{WHAT_IF}/scores", self.editor, ask), 400, "BadRequest", "spec.colour: unknown field")
        answer = self.ask(f"{WHAT_IF}/scores", self.editor, method="PUT", body={})
        self.assert_status(answer, 405, "MethodNotAllowed")
        self.assertEqual(answer[1]["Allow"], "POST")

    def test_the_document_is_served(self):
        self.assertEqual(self.ask("/openapi/v3", self.viewer)[2], json.loads((ROOT / "docs/openapi.json").read_text()))

    def test_the_commands_of_the_page(self):
        directory = self.plane.dir / "page"
        directory.mkdir()
        (directory / "pod.yaml").write_text(block_of(PAGE, "yaml")[0])
        commands = block_of(PAGE, "sh")
        self.assertGreaterEqual(len(commands), 5)
        env = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "KUBECONFIG": str(self.plane.kubeconfig),
               "PODIUM": f"https://127.0.0.1:{self.podium.port}", "TOKEN": self.editor}
        for command in commands:
            with self.subTest(command):
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=directory, env=env, text=True,
                                      capture_output=True, timeout=180)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                json.loads(done.stdout)

    def test_a_huge_body_is_refused_before_it_is_read(self):
        with self.connection() as client:
            client.sendall(f"POST {WHAT_IF}/scores HTTP/1.1\r\nHost: podium\r\nAuthorization: Bearer {self.editor}\r\n"
                           "Content-Type: application/json\r\nContent-Length: 1000000000000\r\n\r\n".encode())
            reply = ""
            while "RequestEntityTooLarge" not in reply and (piece := client.recv(65536)):
                reply += piece.decode()
        self.assertIn("413", reply.splitlines()[0])
        self.assertIn("RequestEntityTooLarge", reply)

    def test_aliases_that_expand_to_gigabytes_are_refused(self):
        bomb = "a: &a " + 400_000 * "x" + "\nb:\n" + 90_000 * "- *a\n"
        for _ in range(3):
            answer = self.ask(f"{WHAT_IF}/scores", self.editor, bomb.encode(), content_type="application/yaml")
            self.assert_status(answer, 400, "BadRequest", "excessive aliasing")
        self.assert_has_stayed_within_the_charts_memory()

    def test_slow_bodies_do_not_delay_other_requests(self):
        slow = [self.connection() for _ in range(20)]
        for client in slow:
            self.addCleanup(client.close)
            client.sendall(f"POST {WHAT_IF}/scores HTTP/1.1\r\nHost: podium\r\nAuthorization: Bearer {self.crowd}\r\n"
                           "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{".encode())
        self.ready()
        self.assertEqual(self.ask(f"{WHAT_IF}/scores", self.editor, pod("ask"))[0], 200)
        self.assertEqual(self.ask(f"{POD}/scores", self.viewer)[0], 200)
        wait_until(lambda: self.podium.get("/metrics")[0] == 200, "metrics")

    def test_a_crowd_of_what_ifs(self):
        """A thousand what-ifs at the same time, and more until podium asks some to wait: it answers others, and scheduling continues."""
        answers, codes, deadline = [], collections.Counter(), time.monotonic() + 300
        with concurrent.futures.ThreadPoolExecutor(24) as pool:
            while not (codes[200] and codes[429]) and time.monotonic() < deadline:
                asked = [pool.submit(self.ask, f"{WHAT_IF}/scores?replicas=100", self.crowd, pod("ask", cpu="10m")) for _ in range(1000)]
                if not answers:
                    self.plane.create(pod("meanwhile"))
                    self.bound("meanwhile")
                    self.addCleanup(self.knows, "pods", 1)
                    self.addCleanup(self.plane.kubectl, "delete", "pod", "meanwhile", "-n", "default")
                answers += [one.result() for one in asked]
                codes = collections.Counter(status for status, _, _ in answers)
        self.assertEqual(set(codes) - {200, 429, 503}, set(), codes)
        self.assertGreater(codes[200], 0)
        self.assertGreater(codes[429], 0)
        for status, headers, _ in answers:
            if status != 200:
                self.assertGreaterEqual(int(headers["Retry-After"]), 1)
        self.ready()
        wait_until(lambda: self.podium.metric("podium_http_api_requests_total") > 100, "they are counted")

    def connection(self):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context.wrap_socket(socket.create_connection(("127.0.0.1", self.podium.port), timeout=120))
