"""`kubectl podium` as a plain user with the view and edit roles runs it: its output, its exit codes, and that no what-if stays."""
import hashlib
import json
import pathlib
import signal
import subprocess
import tarfile
import tempfile
import unittest

from e2e.support import podium
from e2e.support.control_plane import BIN, ROOT, wait_until
from e2e.tests.base import node, pod
from e2e.tests.kubectl_plugin import Plugin

def deployment(name, replicas, **requests):
    template = {"metadata": {"labels": {"app": name}}, "spec": pod(name, **requests)["spec"]}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}}


def document_of(stream):
    """The next document of a stream of them: its last line is a single brace."""
    lines = []
    while not lines or lines[-1] not in ("", "}\n"):
        lines.append(stream.readline())
    return json.loads("".join(lines))


class KubectlPodium(Plugin):
    nodes = [node("n1", cpu="4"), node("n2", cpu="2"),
             node("gpu", cpu="8", taints=[{"key": "gpu", "value": "true", "effect": "NoSchedule"}])]

    def file(self, *objects):
        return "\n---\n".join(json.dumps(o) for o in objects)

    def test_why_a_pod_is_there(self):
        self.plane.create(pod("web"))
        where = self.bound("web")
        self.report("web", "Scheduled")
        said = self.ask("why", "web")
        self.assertRegex(said, rf"\Adefault/web is on {where}: \d+ points?")
        self.assertIn("2 of 3 nodes fit.  points = weight × score\n", said)
        self.assertIn(f" {where}*", said)
        self.assertRegex(said, r"Rejected nodes:\n +1 node +has a taint that the pod does not tolerate: gpu=true:NoSchedule +gpu\n")
        self.assertNotIn("\033", said)
        self.assertIn("\033[1m", self.ask("why", "web", "--color", "always"))
        self.assertIn("TaintToleration: ", self.ask("why", "web", "-o", "wide"))
        self.assertEqual(json.loads(self.ask("why", "pod/web", "-o", "json"))["status"]["choice"]["nodeName"], where)

    def test_why_a_pod_waits(self):
        self.plane.create(pod("huge", cpu="64"))
        self.report("huge", "Unschedulable")
        said = self.ask("why", "huge")
        self.assertTrue(said.startswith("default/huge is pending: no node fits (3 nodes).\n"), said)
        self.assertRegex(said, "do(es)? not have enough free cpu; (closest: )?[0-9]")
        self.assertIn("What would help? kubectl podium whatif pod/huge -n default --fixes\n", said)
        table = self.ask("pending")
        self.assertRegex(table, r"default/huge +\d+[sm] +64 cpu, 64Mi +\d of 3 nodes .* n1: \d+(\.\d+)? cpu short\n")
        self.assertIn("Next: kubectl podium why huge -n default\n", table)
        self.assertRegex(self.ask("pending", "-A", code=1), r"kubectl podium pending: .*cannot list resource")
        self.assertIn("default/huge", self.ask("pending", "-A", kubeconfig=self.plane.kubeconfig))

    def test_why_has_the_cause_of_the_last_attempt(self):
        self.plane.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "default"},
                           "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "later",
                                    "resources": {"requests": {"storage": "1Gi"}}}})
        claimant = pod("claimant")
        claimant["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
        self.plane.create(claimant)
        self.report("claimant", "Unschedulable")
        self.assertIn("its claim data names the StorageClass later, which does not exist.\n", self.ask("why", "claimant"))
        self.plane.create({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "later"},
                           "provisioner": "kubernetes.io/no-provisioner"})
        # kube-scheduler's text is the same.
        wait_until(lambda: "its claim data matches no available volume of the class later, and no provisioner creates one.\n"
                   in self.ask("why", "claimant"), "the report of the second attempt")

    def test_why_a_pod_of_another_scheduler_waits(self):
        self.plane.create(pod("theirs", cpu="64", schedulerName="other"))
        self.assertIn('no scheduler has tried it yet: is there one named "other"?', self.ask("why", "theirs", code=1))
        message = "0/3 nodes are available: 3 Insufficient cpu."
        status, reply = self.plane.request("PATCH", "/api/v1/namespaces/default/pods/theirs/status", {"status": {"conditions": [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}]}},
            content_type="application/strategic-merge-patch+json")
        self.assertEqual(status, 200, reply)
        said = self.ask("why", "theirs")
        self.assertTrue(said.startswith("default/theirs is pending. podium has no report of this pod. Scheduler \"other\" says: " + message +
                                        "\npodium would decide now: default/theirs does not fit (3 nodes).\n"), said)
        self.assertRegex(said, "2 nodes +do not have enough free cpu; closest: ")
        self.assertIn("podium does not model: scheduler other (evaluated with profile default-scheduler).\n", said)
        self.assertIn("What would help? kubectl podium whatif pod/theirs -n default --fixes\n", said)
        self.assertEqual(self.questions(), [])

    def test_a_gated_pod(self):
        gated = pod("gated", schedulingGates=[{"name": "example/quota"}])
        self.plane.create(gated)
        self.assertRegex(self.ask("pending"), r"default/gated +\d+[sm] .* gate example/quota ")
        self.report("gated", "Gated")
        self.assertEqual(self.ask("why", "gated"),
                         "default/gated waits for its scheduling gate: example/quota. No node was evaluated.\n"
                         "Without its gate? kubectl podium whatif pod/gated -n default\n")
        self.assertRegex(self.ask("whatif", "pod/gated"), r"\Adefault/gated would go to n")
        self.plane.kubectl("patch", "pod", "gated", "--type=json", "-p", '[{"op": "remove", "path": "/spec/schedulingGates"}]')
        self.report("gated", "Scheduled")
        self.assertRegex(self.ask("why", "gated", "--timeline"),
                         r"(?s) created\n.* gated +by example/quota\n.* ungated\n.* chose .* bound ")

    def test_missing_pods_and_wrong_arguments(self):
        self.assertIn("There is no pod default/nobody, and podium has no report of such a pod.\n", self.ask("why", "nobody", code=1))
        self.assertIn("give POD, TYPE/NAME or -l SELECTOR", self.ask("why", code=2))
        self.assertIn('kubectl podium: unknown command "wy"\nDid you mean why?\n', self.ask("wy", "web", code=2))
        self.assertIn("is not a valid duration", self.ask("why", "web", "--request-timeout", "soon", code=2))
        self.assertIn('"svc" is not a type that makes pods', self.ask("whatif", "svc/web", code=2))
        self.assertIn("needs either -f FILE or TYPE/NAME", self.ask("whatif", code=2))
        self.assertIn("there is no pod default/nobody", self.ask("whatif", "pod/nobody", code=1))
        said = self.ask("whatif", "-f", "-", "--weights", "Nobody=1", stdin=self.file(pod("asked")), code=2)
        self.assertIn('--weights: unknown strategy "Nobody"', said)
        self.assertIn('--drain: there is no node n9', self.ask("whatif", "-f", "-", "--drain", "n9", stdin=self.file(pod("asked")), code=2))
        self.assertIn("There is no namespace nonesuch.",
                      self.ask("nodes", "--could-go", "-n", "nonesuch", code=1, kubeconfig=self.plane.kubeconfig))
        self.assertTrue(self.ask("--version").startswith("podium "))

    def test_whatif_says_how_many_fit_and_leaves_nothing(self):
        for cpu, code, words in (("100m", 0, "all 3 fit; room for "), ("3", 3, "1 of 3 fits.\n"), ("64", 4, "none of 3 fits.\n")):
            with self.subTest(cpu):
                asked = pod("asked", cpu=cpu)
                said = self.ask("whatif", "-f", "-", "--replicas", 3, stdin=self.file(asked), code=code)
                self.assertTrue(said.startswith(f"default/asked: {words}"), said)
                self.assertRegex(said, r"\nNothing was created\. Compare: --weights NodeResourcesFit=5, --drain .*\n\Z")
        self.assertEqual(self.questions(), [])
        self.assertEqual(self.plane.request("GET", "/api/v1/namespaces/default/pods/asked")[0], 404)

    def test_keys_that_the_api_server_merges_into_selectors(self):
        """The dry run of the pod returns its selectors with matchLabelKeys merged, as no manifest may have them."""
        web = deployment("keyed", 2, cpu="100m")
        web["spec"]["template"]["metadata"]["labels"]["rev"] = "1"
        own = {"labelSelector": {"matchLabels": {"app": "keyed"}}, "matchLabelKeys": ["rev"], "topologyKey": "kubernetes.io/hostname"}
        web["spec"]["template"]["spec"] |= {
            "topologySpreadConstraints": [{**own, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}],
            "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [own]}}}
        said = self.ask("whatif", "-f", "-", stdin=self.file(web))
        self.assertTrue(said.startswith("default/keyed: all 2 fit; "), said)
        twice = json.loads(json.dumps(web))
        twice["spec"]["template"]["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0][
            "labelSelector"]["matchLabels"]["rev"] = "1"
        self.assertIn("exists in both matchLabelKeys and labelSelector", self.ask("whatif", "-f", "-", stdin=self.file(twice), code=2))

    def test_a_kept_question(self):
        said = self.ask("whatif", "-f", "-", "--keep", stdin=self.file(pod("kept")))
        self.assertTrue(said.startswith("default/kept would go to n"), said)
        name = self.questions()[0]
        self.assertIn(f"Kept: kubectl get sr {name} -n default\n", said)
        self.plane.kubectl("delete", "sr", name, "-n", "default")

    def test_capacity(self):
        said = self.ask("capacity", "-f", "-", "--up-to", 50, stdin=self.file(pod("asked", cpu="1800m")))
        self.assertRegex(said, r"\Adefault/asked: room for [23]\.\n")

    def test_refusals_of_the_api_server_come_first(self):
        typo = pod("typo")
        typo["spec"]["containers"][0]["resuorces"] = {}
        self.assertIn('unknown field "spec.containers[0].resuorces"', self.ask("whatif", "-f", "-", stdin=self.file(typo), code=2))
        self.assertIn("contains no pod and no object with a pod template; it has ConfigMap",
                      self.ask("whatif", "-f", "-", stdin='{"apiVersion": "v1", "kind": "ConfigMap"}', code=2))
        hard = {"requests.cpu": "1"}
        self.plane.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "small", "namespace": "default"},
                           "spec": {"hard": hard}})
        self.addCleanup(self.quota_ends)
        # No controller runs here that would count.
        self.plane.kubectl("patch", "resourcequota", "small", "-n", "default", "--subresource=status", "--type=merge", "-p",
                           json.dumps({"status": {"hard": hard, "used": {"requests.cpu": "0"}}}))

        def limited():
            """The pod is answered: only the quota has no room for it, and podium says so."""
            done = subprocess.run(["kubectl", "podium", "whatif", "-f", "-"], input=self.file(pod("greedy", cpu="2")), text=True,
                                  capture_output=True, env=self.environment(None))
            return done.stdout if done.returncode == 4 and "quota" in done.stdout else None
        said = wait_until(limited, "the quota holds")
        self.assertIn("a quota refuses it.", said)
        self.assertIn("Quota small", said)
        # A workload whose own pods use the quota up.
        self.plane.create({**deployment("full", 2, cpu="500m"), "apiVersion": "apps/v1"}, "default")
        self.addCleanup(self.plane.kubectl, "delete", "deployment", "full", "-n", "default")
        self.plane.kubectl("patch", "resourcequota", "small", "-n", "default", "--subresource=status", "--type=merge", "-p",
                           json.dumps({"status": {"hard": hard, "used": {"requests.cpu": "1"}}}))

        def is_used_up():
            return self.plane.request("POST", "/api/v1/namespaces/default/pods?dryRun=All", pod("more"))[0] == 403
        wait_until(is_used_up, "the quota is used up")
        said = self.ask("whatif", "deploy/full", code=4)
        self.assertIn("Quota small", said)
        self.assertEqual(self.questions(), [])

    def test_the_last_decisions(self):
        for name in ("first", "second"):
            self.plane.create(pod(name))
            self.report(name, "Scheduled")
        self.plane.create(pod("third", cpu="64"))
        self.report("third", "Unschedulable")
        lines = self.ask("decisions").splitlines()
        self.assertRegex(lines[0], r"\AAGO +POD +OUTCOME +WHERE OR WHY\Z")
        third = next(line for line in lines if "default/third" in line)
        self.assertRegex(third, r"\A +\d+s  default/third +Unschedulable +\d of 3 nodes ")
        self.assertTrue(any("default/second" in line for line in lines), lines)
        self.assertNotIn("default/first", self.ask("decisions", "second"))
        self.assertEqual(self.ask("decisions", "third", "--outcome", "Unschedulable", "-o", "name", "--limit", 1),
                         "schedulingreport.podium.dev/third\n")
        self.assertEqual(len(self.ask("decisions", "--since", "1h").splitlines()), len(lines))
        self.assertIn("There is no namespace nonesuch.",
                      self.ask("decisions", "-n", "nonesuch", code=1, kubeconfig=self.plane.kubeconfig))
        self.assertIn("There is no pod in namespace default whose name begins with nosuchpod.",
                      self.ask("decisions", "nosuchpod", code=1))
        self.assertEqual(self.ask("decisions", "--since", "1ms"), "No decisions of the last 1ms are reported.\n")
        self.assertIn('--since: "soon" is not a valid duration', self.ask("decisions", "--since", "soon", code=2))
        watching = subprocess.Popen(["kubectl", "podium", "decisions", "fourth", "-w"], stdout=subprocess.PIPE, text=True,
                                    env=self.environment(None))
        try:
            self.assertEqual(watching.stdout.readline(), "No decisions are reported.\n")
            self.plane.create(pod("fourth"))
            self.assertRegex(watching.stdout.readline(), r"default/fourth +Scheduled +n\d, \d+ points")
        finally:
            watching.send_signal(signal.SIGINT)
            self.assertEqual(watching.wait(20), 0)
            watching.stdout.close()
        self.stream_of_decisions()

    def stream_of_decisions(self):
        """A document for each decision, until Ctrl-C, the normal end."""
        watching = subprocess.Popen(["kubectl", "podium", "decisions", "f", "-w", "-o", "json"], stdout=subprocess.PIPE, text=True,
                                    env=self.environment(None))
        try:
            self.plane.create(pod("fifth"))
            seen = [document_of(watching.stdout) for _ in range(3)]
        finally:
            watching.send_signal(signal.SIGINT)
            rest = watching.communicate(timeout=20)[0]
        self.assertEqual(watching.returncode, 0)
        self.assertEqual(rest, "")
        self.assertEqual([each["kind"] for each in seen], ["SchedulingReport"] * 3)
        self.assertEqual([each["metadata"]["name"] for each in seen], ["first", "fourth", "fifth"])

    def quota_ends(self):
        """Deletes the quota, and waits until the cache of admission lets large pods pass."""
        self.plane.kubectl("delete", "resourcequota", "small", "-n", "default")
        large = pod("tried", cpu="2")
        wait_until(lambda: self.plane.request("POST", "/api/v1/namespaces/default/pods?dryRun=All", large)[0] == 201, "the quota ends")

    def test_ctrl_c_and_a_podium_that_is_not_there(self):
        self.podium.stop()
        try:
            said = self.ask("whatif", "-f", "-", "--request-timeout", "10s", stdin=self.file(pod("asked")), code=1)
            self.assertIn("no answer within 10 s. Is podium running?", said)
            self.assertEqual(self.questions(), [])
            asking = subprocess.Popen(["kubectl", "podium", "whatif", "-f", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True, env=self.environment(None))
            asking.stdin.write(self.file(pod("asked")))
            asking.stdin.close()
            wait_until(self.questions, "the question is there")
            asking.send_signal(signal.SIGINT)
            self.assertEqual(asking.wait(120), 1, asking.stderr.read())
            asking.stderr.close()
            self.assertEqual(self.questions(), [])
        finally:
            type(self).podium = self.connect().start()

    def test_completion(self):
        self.plane.create(pod("complete-me"))
        done = subprocess.run([BIN / "kubectl", "get", "pods"], capture_output=True, text=True, env=self.environment(None))
        self.assertIn("complete-me", done.stdout)
        words = lambda *typed: subprocess.run([podium.PROGRAM, "__complete", *typed], capture_output=True, text=True, timeout=120,
                                              env=self.environment(None)).stdout
        self.assertEqual(words("why", "complete-"), "complete-me\n:4\n")
        self.assertEqual(words("whatif", "pod/complete-"), "pod/complete-me\n:4\n")
        self.assertEqual(words("whatif", "-f", ""), ":0\n")
        self.assertEqual(words("why", "--node", ""), ":4\n", "the user may not list nodes")
        self.assertEqual(words("drain", ""), ":4\n")
        self.assertEqual(words("diff", "complete-"), "complete-me\n:4\n")
        self.assertEqual(words("top", ""), ":4\n")
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("podium __complete", self.ask("completion", shell))


class Krew(unittest.TestCase):
    def test_the_archive_is_what_the_manifest_says(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            for directory in (one, two):
                subprocess.run([ROOT / "tools/krew/package.py", podium.PROGRAM, "https://example.com/", directory], check=True)
            manifest = (pathlib.Path(one) / "podium.yaml").read_text()
            archive = next(pathlib.Path(one).glob("*.tar.gz"))
            packed = archive.read_bytes()
            self.assertIn(f"sha256: {hashlib.sha256(packed).hexdigest()}\n", manifest)
            self.assertIn(f"uri: https://example.com/{archive.name}\n", manifest)
            self.assertEqual(packed, (pathlib.Path(two) / archive.name).read_bytes(), "the same bytes each time")
            with tarfile.open(archive) as tar:
                self.assertEqual([(m.name, m.mode) for m in tar], [("LICENSE", 0o644), ("podium", 0o755)])


if __name__ == "__main__":
    unittest.main()
