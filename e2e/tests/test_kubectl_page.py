"""kubectl podium page: podium's page on the loopback with a plain user's own rights, over kubectl port-forward or directly."""
import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import ssl
import tempfile
import threading
import unittest
import urllib.parse

from e2e.support import podium
from e2e.support.browser import Browser
from e2e.support.control_plane import Process, wait_until
from e2e.tests.base import REPORTS, node, pod
from e2e.tests.kubectl_plugin import Plugin

URL = re.compile(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/ui/")
FAKE_KUBECTL = """#!/bin/sh
echo "$@" > "{directory}/arguments"
echo $$ > "{directory}/pid"
echo "Forwarding from 127.0.0.1:{port} -> 10259"
exec sleep 1000
"""


FAKE_KUBECTL_OF_TWO = """#!/bin/sh
echo "$@" >> "{directory}/arguments"
case "$*" in *" pod/"*) port={leader} ;; *) port={follower} ;; esac
echo "Forwarding from 127.0.0.1:$port -> 10259"
exec sleep 1000
"""


class Follower:
    """An HTTPS server that answers like a podium that does not lead."""

    def __init__(self, directory):
        self.asked = []
        asked = self.asked

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                leader = {"reason": "Leader", "message": "podium-5c9-abcde_0a1b2c3d"}
                reply = json.dumps({"kind": "Status", "details": {"causes": [leader]}}).encode()
                self.send_response(503)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(directory / "server.crt", directory / "server.key")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class KubectlPage(Plugin):
    nodes = (node("n1"), node("n2", cpu="2"))
    started = 0

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane.create(pod("web"))

    def begin(self, *args, path="", **environment):
        """Starts `podium page` as a process."""
        KubectlPage.started += 1
        env = {**self.environment(None), **environment}
        env["PATH"] = f"{path}:{env['PATH']}" if path else env["PATH"]
        process = Process([podium.PROGRAM, "page", *args], self.plane.dir / f"page-{self.started}.log", env=env)
        self.addCleanup(process.stop)
        return process

    def url_of(self, process):
        def printed():
            found = URL.search(process.log.read_text())
            if not found and not process.alive():
                raise RuntimeError(process.tail())
            return found and found[0]
        return wait_until(printed, "the page's address")

    def direct(self):
        return self.begin("--podium", f"https://127.0.0.1:{self.podium.port}", "--podium-insecure")

    def get(self, url, path="", method="GET", body=None, host=None):
        """Returns (status, headers, text); `path` follows the secret."""
        parts = urllib.parse.urlsplit(url)
        target = parts.path if not path else parts.path.removesuffix("/ui/") + path
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
        try:
            headers = {"Content-Type": "application/json"} if body else {}
            connection.request(method, target, body, {**headers, **({"Host": host} if host else {})})
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read().decode()
        finally:
            connection.close()

    def test_the_page_and_the_users_own_rights(self):
        process = self.direct()
        url = self.url_of(process)
        status, headers, page = self.get(url)
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        for name in re.findall(r'(?:src|href)="([^"]+)"', page):
            self.assertEqual(self.get(url, f"/ui/{name}")[0], 200, name)
        report = "/v1/namespaces/default/pods/web/report"
        wait_until(lambda: self.get(url, report)[0] == 200, "the decision on web")
        self.assertEqual(json.loads(self.get(url, report)[2])["status"]["outcome"], "Scheduled")
        asked = json.dumps({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "c", "image": "i"}]}})
        status, _, answer = self.get(url, "/v1/namespaces/default/whatif/report?replicas=2", "POST", asked)
        self.assertEqual((status, json.loads(answer)["status"]["replicas"]), (200, {"asked": 2, "fitting": 2}))
        status, _, refusal = self.get(url, "/v1/namespaces/kube-system/decisions")
        self.assertEqual(status, 403)
        self.assertIn("system:serviceaccount:default:developer", json.loads(refusal)["message"])

    def test_in_a_browser(self):
        """The page does not ask for a token, and sends no requests to other servers."""
        url = self.url_of(self.direct())
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        browser = Browser(directory.name)
        self.addCleanup(browser.stop)
        browser.start()
        wait_until(lambda: self.get(url, "/v1/namespaces/default/pods/web/report")[0] == 200, "the decision on web")
        browser.open(f"{url}#/pod/default/web")
        self.assertIn("default/web is on n", browser.text("#verdict"))
        self.assertEqual(browser.text("#known"), "podium answers with the rights of your kubeconfig's user.")
        self.assertFalse(browser.run("!!document.getElementById('token')"))
        browser.wait("document.getElementById('where')?.innerText.includes('leader ')", "the header")
        context = self.plane.kubectl("config", "current-context", kubeconfig=self.user).strip()
        self.assertRegex(browser.text("#where"), f"^context {context} · [^ ]+ · leader ")
        self.assertEqual(browser.problems, [])
        self.assertEqual([one for one in browser.requests if not one.startswith(url.removesuffix("ui/"))], [])

    def test_other_processes_are_refused(self):
        url = self.url_of(self.direct())
        parts = urllib.parse.urlsplit(url)
        for path in ("/", "/ui/", "/v1/decisions", "/" + "0" * 32 + "/ui/"):
            self.assertEqual(self.get(f"http://{parts.netloc}{path}")[0], 404, path)
        for path in ("/metrics", "/configz", "/v1/../configz", "/apis", "/"):
            self.assertIn(self.get(url, path)[0], (400, 404), path)
        self.assertEqual(self.get(url, host=f"attacker.example:{parts.port}")[0], 403)
        self.assertEqual(self.get(url, "/v1/decisions", "DELETE")[0], 405)

    def test_it_ends_immediately(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.direct()
            self.url_of(process)
            process.signal(number)
            self.assertEqual(process.wait(), 0)

    def test_over_a_port_forward(self):
        directory = self.plane.dir / "fake"
        directory.mkdir()
        fake = directory / "kubectl"
        fake.write_text(FAKE_KUBECTL.format(directory=directory, port=self.podium.port))
        fake.chmod(0o700)
        context = self.plane.kubectl("config", "current-context", kubeconfig=self.user).strip()
        process = self.begin("--podium", "elsewhere/scheduler", "--context", context, path=directory)
        url = self.url_of(process)
        wait_until(lambda: self.get(url, "/v1/namespaces/default/pods/web/report")[0] == 200, "the decision on web")
        arguments = (directory / "arguments").read_text().split()
        self.assertEqual(arguments, ["port-forward", "--address=127.0.0.1", "-n", "elsewhere", "service/scheduler", ":10259",
                                     f"--context={context}"])
        forwarder = int((directory / "pid").read_text())
        os.kill(forwarder, signal.SIGKILL)
        self.assertEqual(process.wait(), 1)
        self.assertIn("kubectl port-forward has ended", process.tail())

    def test_a_service_that_leads_to_a_follower(self):
        """Only the leader has decisions. A follower names it, and the page uses the leader."""
        follower = Follower(self.plane.dir)
        self.addCleanup(follower.stop)
        directory = self.plane.dir / "followed"
        directory.mkdir()
        fake = directory / "kubectl"
        fake.write_text(FAKE_KUBECTL_OF_TWO.format(directory=directory, leader=self.podium.port, follower=follower.port))
        fake.chmod(0o700)
        process = self.begin(path=directory)
        url = self.url_of(process)
        wait_until(lambda: self.get(url, "/v1/namespaces/default/pods/web/report")[0] == 200, "the decision on web")
        asked = (directory / "arguments").read_text().splitlines()
        self.assertEqual([next(word for word in line.split() if "/" in word) for line in asked],
                         ["service/podium", "pod/podium-5c9-abcde"])
        self.assertEqual(follower.asked, ["/v1/namespaces/default/decisions?limit=1"])
        process.signal(signal.SIGINT)
        self.assertEqual(process.wait(), 0)

    def test_without_the_right_to_forward(self):
        """kubectl itself prints the reason."""
        process = self.begin()
        self.assertEqual(process.wait(60), 1)
        self.assertIn("page: kubectl port-forward: ", process.tail())
        self.assertIn('services "podium" is forbidden', process.tail())

    def test_why_asks_the_process_if_there_is_no_report(self):
        """With the user's rights: the decision of a pod whose report was deleted, and of a deleted pod."""
        podium_at = ("--podium", f"https://127.0.0.1:{self.podium.port}", "--podium-insecure")
        self.plane.create(pod("forgotten"))
        wait_until(lambda: any(report["metadata"]["name"] == "forgotten" and "status" in report
                               for report in self.plane.get(REPORTS)["items"]), "its report")
        why = lambda: re.sub(r"Decided \d+ seconds? ago", "", self.ask("why", "forgotten", *podium_at))
        said = why()
        self.plane.kubectl("delete", "schedulingreport", "forgotten")
        self.assertEqual(why(), said)
        self.plane.kubectl("delete", "pod", "forgotten", "--force", "--grace-period=0")
        self.assertRegex(self.ask("why", "forgotten", *podium_at), r"^default/forgotten was on \S+ .*; it no longer exists\.\n")
        self.assertIn("podium's own memory could not be read: kubectl port-forward: ", self.ask("why", "forgotten", code=1))
        self.assertIn("There is no pod default/never", self.ask("why", "never", *podium_at, code=1))

    def test_it_is_opened_without_its_address_among_the_arguments(self):
        directory = self.plane.dir / "browser"
        directory.mkdir()
        browser = directory / "xdg-open"
        browser.write_text(f'#!/bin/sh\ncp "$1" "{directory}/page.new" && stat -c %a "$1" > "{directory}/mode" && '
                           f'echo "$1" > "{directory}/file" && mv "{directory}/page.new" "{directory}/page"\n')
        browser.chmod(0o700)
        process = self.begin("--open", "--podium", f"https://127.0.0.1:{self.podium.port}", "--podium-insecure",
                             path=directory, XDG_RUNTIME_DIR=str(directory))
        url = self.url_of(process)
        wait_until((directory / "page").exists, "the browser")
        self.assertIn(f"url={url}", (directory / "page").read_text())
        self.assertEqual((directory / "mode").read_text().strip(), "600")
        opened = pathlib.Path((directory / "file").read_text().strip())
        self.assertNotIn(urllib.parse.urlsplit(url).path.split("/")[1], str(opened))
        process.signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 0)
        self.assertFalse(opened.exists())

    def test_bad_input(self):
        cases = {("--podium", "podium"): "is neither NAMESPACE/NAME nor an address",
                 ("--podium", "http://x"): "must begin with https://", ("--podium-insecure",): "need an address"}
        for args, words in cases.items():
            self.assertIn(words, self.ask("page", *args, code=2))
        self.assertIn("podium does not answer", self.ask("page", "--podium", "https://127.0.0.1:1", code=1))
        self.assertIn("not trusted", self.ask("page", "--podium", f"https://127.0.0.1:{self.podium.port}", code=1))


if __name__ == "__main__":
    unittest.main()
