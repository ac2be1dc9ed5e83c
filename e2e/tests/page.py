"""Base of the tests of the page: a cluster with pods that are placed, gated and pending, users with different rights, and a browser."""
import contextlib
import json
import tempfile

from e2e.support.authorization import account
from e2e.support.browser import Browser
from e2e.support.control_plane import wait_until
from e2e.tests.base import Live, node, pod
from e2e.tests.test_http_api import api_call

MIB = 1 << 20
ZONE = "topology.kubernetes.io/zone"
# The manifest that the page's form writes.
MANIFEST = "apiVersion: v1\nkind: Pod\nmetadata: {name: ask}\nspec: {containers: [{name: main, image: app:v1, resources: {requests: {cpu: %s}}}]}\n"


def nodes():
    for i in range(14):
        one = node(f"n{i:02}", cpu=str(4 + i % 5), memory=f"{8 + 5 * (i % 4)}Gi", labels={ZONE: f"eu-1{'abc'[i % 3]}"})
        if i % 3 == 0:
            one["status"]["images"] = [{"names": ["app:v1"], "sizeBytes": 700 * MIB}]
        yield one
    for i in range(3):
        yield node(f"gpu-{i}", cpu="32", memory="64Gi", taints=[{"key": "gpu", "value": "true", "effect": "NoSchedule"}])
    yield node("drained", unschedulable=True)


class PageLive(Live):
    nodes = tuple(nodes())

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.viewer, cls.editor, cls.nobody = (account(cls.plane, name, *roles) for name, roles in (
            ("viewer", ["view"]), ("editor", ["view", "edit"]), ("nobody", [])))
        cls.operator, cls.asker = account(cls.plane, "operator"), account(cls.plane, "asker")
        cls.plane.kubectl("create", "clusterrole", "lists-nodes", "--verb=list", "--resource=nodes,schedulingreports.podium.dev")
        cls.plane.kubectl("create", "clusterrolebinding", "operator", "--clusterrole=lists-nodes", "--serviceaccount=default:operator")
        cls.plane.kubectl("create", "role", "gets-pods", "-n", "default", "--verb=get", "--resource=pods")
        cls.plane.kubectl("create", "rolebinding", "editor-pods", "-n", "default", "--role=gets-pods", "--serviceaccount=default:editor")
        cls.plane.kubectl("create", "role", "asks", "-n", "default", "--verb=create", "--resource=schedulingreports.podium.dev")
        cls.plane.kubectl("create", "rolebinding", "asks", "-n", "default", "--role=asks", "--serviceaccount=default:asker")
        cls.plane.create(pod("web", cpu="1500m", memory="3Gi"))
        cls.bound("web")
        cls.plane.create(pod("gated", schedulingGates=[{"name": "example/quota"}]))
        cls.plane.create(pod("huge", cpu="64"))
        wait_until(lambda: len(cls.api("decisions?waiting=true", cls.viewer)["items"]) == 2, "decisions on the pods that wait")

    @classmethod
    def bound(cls, name):
        wait_until(lambda: cls.plane.get(f"/api/v1/namespaces/default/pods/{name}")["spec"].get("nodeName"), f"{name} bound")

    @classmethod
    def api(cls, path, token, body=None, **how):
        status, _, answer = api_call(cls.podium.port, f"/v1/namespaces/default/{path}", token, body, **how)
        assert status == 200, answer
        return answer

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.browser = Browser(directory.name)
        self.addCleanup(self.browser.stop)
        self.browser.start()

    def open(self, token, hash_=""):
        """Opens the page and enters the token, by keyboard."""
        address = f"https://127.0.0.1:{self.podium.port}/ui/#/ask"
        self.browser.open(address)
        self.assertEqual(self.browser.problems, [])
        self.browser.tab_to("here.id === 'token'")
        self.browser.type(token)
        self.browser.press("Enter")
        self.browser.wait("!document.getElementById('token')", "use of the token")
        if hash_:
            self.browser.run(f"location.hash = {json.dumps(hash_)}")

    def reload(self):
        self.browser.run("window.isOld = true")
        self.browser.call("Page.reload")

        def is_new():
            with contextlib.suppress(RuntimeError):  # while it is replaced
                return self.browser.run("!window.isOld && !!document.querySelector('main h1')")
            return False
        wait_until(is_new, "the page again")

    def open_as_another(self, token, hash_):
        """The same in a tab that has a token. A change of the hash alone does not load the page again."""
        self.browser.run("sessionStorage.clear()")
        self.browser.call("Page.navigate", url="about:blank")
        self.open(token, hash_)

    def assert_quiet(self):
        """Checks that the browser reports no problem, and has sent requests only to podium."""
        self.assertEqual(self.browser.problems, [])
        own = f"https://127.0.0.1:{self.podium.port}/"
        self.assertEqual([one for one in self.browser.requests if not one.startswith(own)], [])
        self.assertIn(f"{own}ui/main.js", self.browser.requests)

    def shows(self, read, wanted):
        """Waits until the page shows this: it draws a little after the answer arrives."""
        with contextlib.suppress(TimeoutError):  # the comparison reports what it shows instead
            wait_until(lambda: read() == wanted, "", 60)
        self.assertEqual(read(), wanted)

    def says(self, selector, words):
        """Returns the element's text, once it has these words: the last view may have the same element."""
        self.browser.wait(f"document.querySelector({json.dumps(selector)})?.innerText.includes({json.dumps(words)})", f"{selector}: {words}")
        return self.browser.text(selector)

    def ask_about(self, manifest):
        self.browser.tab_to("here.id === 'manifest'", 90)
        self.browser.type(manifest)
        self.browser.tab_to("here.id === 'ask'")
        self.browser.press("Enter")
