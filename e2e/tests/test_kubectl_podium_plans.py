"""`kubectl podium` plans and compares, as a plain user: drains, zones, room for more, one node's verdict, differences, the live view."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import tempfile
import termios
import unittest

from e2e.support.control_plane import wait_until
from e2e.tests.base import node, pod
from e2e.tests.kubectl_plugin import Plugin

ZONE = "topology.kubernetes.io/zone"

# The pod is placed on the tainted node if it fits there, and elsewhere if not.
PREFERS_FULL = {
    "tolerations": [{"key": "full", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "preference": {
        "matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["full"]}]}}]}}}


def owned(name, kind="ReplicaSet", namespace="default", owner="owner", **more):
    made = pod(name, **more)
    made["metadata"].update(namespace=namespace, ownerReferences=[
        {"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": "0a0a0a0a-0000-4000-8000-000000000000", "controller": True}])
    return made


def on(name, **more):
    """Returns a node selector for this node."""
    return {"nodeSelector": {"kubernetes.io/hostname": name}, **more}


def deployment(name, replicas, **requests):
    template = {"metadata": {"labels": {"app": name}}, "spec": pod(name, **requests)["spec"]}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "default"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}}


class Plans(Plugin):
    nodes = [node("a1", cpu="4", labels={ZONE: "zone-a"}), node("b1", cpu="4", labels={ZONE: "zone-b"}),
             node("full", cpu="2", labels={ZONE: "zone-b"}, taints=[{"key": "full", "effect": "NoSchedule"}])]

    def tearDown(self):
        self.assertEqual(self.questions(), [], "no question stays")
        self.plane.kubectl("delete", "pods,deployments,replicasets,pdb", "--all", "-n", "default", "--grace-period=0", "--force")
        self.plane.kubectl("delete", "pods", "--all", "-n", "kube-public", "--grace-period=0", "--force")

    def admin(self, *args, **more):
        return self.ask(*args, kubeconfig=self.plane.kubeconfig, **more)

    def eventually(self, text, ask, *args, **more):
        """Returns the command's output once it has this text: podium may not have seen yet that another test's pods are deleted."""
        def says():
            said = ask(*args, **more)
            return said if text in said else None
        return wait_until(says, f"{text} of {args}")

    def place(self, *pods):
        for each in pods:
            self.plane.create(each)
        for each in pods:
            namespace, name = each["metadata"]["namespace"], each["metadata"]["name"]
            wait_until(lambda: self.plane.get(f"/api/v1/namespaces/{namespace}/pods/{name}")["spec"].get("nodeName"), f"{name} bound")

    def test_drain(self):
        self.place(owned("web", labels={"app": "web"}, **PREFERS_FULL), owned("pinned", **PREFERS_FULL, **on("full")),
                   pod("bare", **PREFERS_FULL), owned("log", "DaemonSet", **PREFERS_FULL),
                   owned("other", namespace="kube-public", **PREFERS_FULL))
        for name in ("web", "pinned", "bare", "log"):
            self.assertEqual(self.live_pod(name)["spec"]["nodeName"], "full")
        self.plane.mark_running("default", "web")
        self.plane.create({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web", "namespace": "default"},
                           "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "web"}}}})

        said = self.eventually("2 of 4 pods have a new place; 1 would wait, 1 without a controller would be lost.\n",
                               self.admin, "drain", "full", code=3)
        self.assertRegex(said, r"default/bare +- +- +- +✗ no controller recreates it: it would be lost\n")
        self.assertRegex(said, r"default/pinned +- +- +- +✗ no node fits; 2 of 2 do not match the pod's node selector ")
        self.assertRegex(said, r"default/web +(a1|b1) +\d+ +2 +! budget web allows 0 disruptions\n")
        self.assertRegex(said, r"kube-public/other +(a1|b1) +\d+ +2\n")
        self.assertIn("Not evicted: 1 pod of a DaemonSet (default/log).\n", said)
        self.assertRegex(said, r"Fullest afterwards: (a1|b1) \w+ \d+%")
        self.assertTrue(said.endswith("Nothing was evicted. To do it: kubectl drain full --ignore-daemonsets --force\n"), said)
        document = json.loads(self.admin("drain", "full", "-o", "json", code=3))
        self.assertEqual({p["name"]: p.get("code") for p in document["pods"]},
                         {"web": None, "pinned": "NoNode", "bare": "NoController", "other": None})

        # A user with rights in only one namespace gets the numbers of the others, but no names.
        said = self.ask("drain", "node/full", code=3)
        self.assertIn("2 of 4 pods have a new place", said)
        self.assertIn("default/web", said)
        self.assertNotIn("kube-public", said)
        self.assertIn("1 pod of namespaces that you may not list is counted and not named.\n", said)
        for name in ("web", "pinned", "bare", "log"):
            self.assertEqual(self.live_pod(name)["spec"]["nodeName"], "full", "nothing was evicted")

    def test_drains_that_are_simple(self):
        self.eventually("b1 has no pods to evict.\n", self.ask, "drain", "b1")
        self.place(owned("web", **on("a1")))
        self.assertIn("0 of 1 pod has a new place; 1 would wait.\n", self.ask("drain", "a1", code=4))
        self.assertIn("there is no node a9", self.ask("drain", "a9", code=1))
        self.assertIn("there is no node a9", self.ask("drain", "a1,a9", code=1))
        self.assertIn('"pod/web" is not the name of a node', self.ask("drain", "pod/web", code=2))

    def test_the_only_profile_answers_for_pods_of_other_schedulers(self):
        self.plane.create(owned("foreign", schedulerName="other", nodeName="a1", cpu="1"))
        said = self.eventually("1 of 1 pod has a new place; nothing would wait.\n", self.admin, "drain", "a1")
        self.assertIn("1 pod has another scheduler; podium answers with its only profile.\n", said)
        self.assertEqual(json.loads(self.admin("drain", "a1", "-o", "json"))["podsOfOtherSchedulers"], 1)
        self.assertIn("1 pod has another scheduler; podium answers", self.admin("drain", "a1", "--rolling", "1"))
        said = self.admin("nodes", "--could-go")
        self.assertIn("podium does not model: schedulers other than default-scheduler (their pods are evaluated with its profile)", said)
        self.plane.create(owned("waits-1", schedulerName="other", cpu="4"))
        self.plane.create(owned("waits-2", schedulerName="other", cpu="4"))
        said = self.eventually("2 pods wait", self.admin, "nodes", "--for-pending")
        self.assertIn("podium does not model: schedulers other than default-scheduler (their pods are evaluated with its profile)", said)

    def test_a_pod_file_that_the_cluster_has(self):
        edge = {**pod("edge", **on("a1")), "apiVersion": "v1"}
        edge["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 80}]
        self.place(edge)
        self.assertIn("default/edge would go to a1", self.ask("whatif", "-f", "-", stdin=json.dumps(edge)))

    def test_files_as_kubectl_prints_them(self):
        """`kubectl get all -o yaml` has the pods of its workloads too, and Jobs with the selector that the API server made."""
        spec = {**pod("sum", cpu="1")["spec"], "restartPolicy": "Never"}
        self.plane.create({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "sum", "namespace": "default"},
                           "spec": {"template": {"spec": spec}}})
        self.plane.create(deployment("web", 2, cpu="1"))
        self.place(owned("web-1", kind="Deployment", owner="web", cpu="1"))
        printed = self.plane.kubectl("get", "pods,deployments,jobs", "-n", "default", "-o", "json")
        said = self.ask("whatif", "-f", "-", stdin=printed)
        self.assertTrue(said.startswith("All 2 workloads fit together"), said)
        self.assertRegex(said, r"default/web +2 +2 ")
        self.assertRegex(said, r"default/sum +1 +1 ")
        self.assertNotIn("default/web-1", said)
        self.plane.kubectl("delete", "job", "sum", "-n", "default")

    def test_a_file_that_creates_its_namespace(self):
        web = deployment("web", 1)
        web["metadata"]["namespace"] = "later"
        objects = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "later"}}, web]
        said = self.admin("whatif", "-f", "-", stdin="\n---\n".join(map(json.dumps, objects)), code=1)
        self.assertIn('namespaces "later" not found; the files create namespace later: apply that first, or ask on a dump', said)

    def test_nodes(self):
        self.place(owned("first", cpu="3"), owned("second", cpu="3"))
        self.plane.create(owned("third", cpu="3"))
        self.plane.create(owned("fourth", namespace="kube-public", cpu="3"))
        shapes = self.plane.dir / "shapes.yaml"
        shapes.write_text("shapes:\n- {name: m.8x16, allocatable: {cpu: 7.5, memory: 16Gi}}\n- {name: s.2x4, allocatable: {cpu: 2, memory: 4Gi}}\n")
        said = self.eventually("2 pods wait. Fewest additions:\n", self.admin, "nodes", "--for-pending", "--shapes", shapes)
        self.assertRegex(said, r"  m\.8x16 \(7\.5 cpu, 16Gi\) +1 +2 +(default|kube-public)/owner and (default|kube-public)/owner +1\.5 cpu, ")
        self.assertIn("Nothing was added. To do it: add 1 node of m.8x16.\n", said)
        self.assertTrue(said.endswith("Can be removed now: full (no pod moves).\n"), said)
        # A user with rights in only one namespace gets the numbers of the others, but no names.
        said = self.ask("nodes", "--for-pending")
        self.assertIn("2 pods wait. Fewest additions:\n", said)
        self.assertRegex(said, r"  like [ab]1 \(4 cpu, .*\) +2 +2 +default/owner, 1 pod of other namespaces ")
        said = self.ask("nodes", "--could-go")
        self.assertIn("1 of 3 nodes can be removed; no pod moves.\n", said)
        self.assertRegex(said, r"  2 nodes  run pods that have no other place +[ab]1: pod (first|second) has no other place: ")
        self.assertTrue(said.endswith("  kubectl podium drain full\n"), said)
        document = json.loads(self.ask("nodes", "--could-go", "-o", "json"))
        self.assertEqual(document["status"]["nodesSpare"]["nodes"], [{"nodeName": "full", "podsMoved": 0}])
        self.assertEqual(self.live_pod("first")["spec"].get("nodeName") in ("a1", "b1"), True, "nothing was drained")
        shapes.write_text("shapes:\n- {name: m, allocatable: {cpu: many}}\n- {like: a1}\n")
        said = self.ask("nodes", "--for-pending", "--shapes", shapes, code=2)
        self.assertIn(f"{shapes}:2: shapes[0].allocatable.cpu: must be a quantity", said)
        self.assertIn(f"{shapes}:3: shapes[1].name: required", said)

    def test_whatif_by_zone_and_room_for_more(self):
        asked = json.dumps(deployment("web", 3, cpu="1"))
        said = self.eventually("default/web: all 3 fit; room for 5 more after that.\n", self.admin, "whatif", "-f", "-", "-n", "default",
                               stdin=asked)
        by_zone = (r"\Adefault/web: all 3 fit; room for 5 more after that\.\n"
                   r"  ZONE +PODS\n  zone-a +[12]\n  zone-b +[12]\nNodes: [ab]1 2 and [ab]1 1\.\n"
                   r"After that 2 nodes do not have enough free cpu; closest: 1 cpu short\.\n")
        self.assertRegex(said, by_zone)
        self.assertIn("Nothing was created. Compare: --replicas N, --weights NodeResourcesFit=5, --drain ", said)
        self.assertRegex(self.ask("whatif", "-f", "-", stdin=asked), by_zone, "a user who may not list nodes gets the same")
        alone = json.dumps(deployment("alone", 1, cpu="1"))
        self.assertIn("\nRoom for 7 more after that.\nAfter that 2 nodes do not ", self.ask("whatif", "-f", "-", stdin=alone))
        self.assertNotIn("after that", self.ask("whatif", "-f", "-", stdin=json.dumps(pod("one"))), "nobody waits for a count")

        made = self.plane.create(deployment("web", 2, cpu="1"))
        replica_set = {**deployment("web-1", 2, cpu="1"), "kind": "ReplicaSet"}
        replica_set["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "controller": True,
                                                       "uid": made["metadata"]["uid"]}]
        self.plane.create(replica_set)
        self.place(*(owned(name, owner="web-1", labels={"app": "web-1"}, **on("a1")) for name in ("web-1", "web-2")))
        next_to_now = r"\n  ZONE +NOW +THEN\n  zone-a +2 +2\n  zone-b +0 +2\n"
        wait_until(lambda: re.search(next_to_now, self.ask("whatif", "deploy/web", "--replicas", 4)),
                   "podium knows the ReplicaSet, and says where its pods are now")

    def test_why_not_there_names_every_filter(self):
        self.place(pod("web", cpu="1", nodeSelector={ZONE: "zone-a"}))
        said = self.ask("why", "web", "--node", "full", code=4)
        self.assertTrue(said.startswith("No: full rejects default/web.\n"), said)
        self.assertIn("  ✗ it has a taint that the pod does not tolerate: full:NoSchedule\n", said)
        self.assertIn("  ✗ it does not match the pod's node selector or affinity: nodeSelector topology.kubernetes.io/zone=zone-a, "
                      "but it has topology.kubernetes.io/zone=zone-b\n", said)
        self.assertIn("  ✓ cpu 1 of 2 free  ✓ memory 64Mi of 8Gi free\n", said)
        self.assertIn("--node: there is no node a9", self.ask("why", "web", "--node", "a9", code=2))
        said = self.eventually("  ✓ cpu 1 of 4 free", self.ask, "why", "web", "--node", "a1")
        self.assertTrue(said.startswith("Yes: default/web fits a1 with "), said)

    def test_diff(self):
        self.place(pod("one", **on("a1")), pod("two", **on("b1")))
        for name in ("one", "two"):
            self.report(name, "Scheduled")
        said = self.ask("diff", "one", "default/two")
        self.assertRegex(said, r"\Adefault/one is on a1 with \d+ points?; default/two is on b1 with \d+ points?\.\n")
        self.assertRegex(said, r"\n  node +a1 +b1\n")
        self.assertTrue(self.ask("diff", "one", "one").startswith("No difference: "))
        with tempfile.TemporaryDirectory() as directory:
            file = f"{directory}/two.yaml"
            with open(file, "w", encoding="utf-8") as out:
                out.write(self.plane.kubectl("get", "sr", "two", "-n", "default", "-o", "yaml"))
            self.assertRegex(self.ask("diff", file, "one"), r"\n  node +b1 +a1\n")
            self.assertIn("no such file", self.ask("diff", f"{directory}/three.yaml", "one", code=2).lower())
        self.assertEqual(json.loads(self.ask("diff", "one", "two", "-o", "json"))["differences"][0], {"what": "node", "a": "a1", "b": "b1"})
        self.assertIn("there is no report default/nobody", self.ask("diff", "one", "nobody", code=1))
        self.assertIn("B is required", self.ask("diff", "one", code=2))

    def test_top_once(self):
        self.place(pod("placed"))
        self.plane.create(pod("huge", cpu="64"))
        self.report("placed", "Scheduled")
        self.report("huge", "Unschedulable")
        for flags in (["--once"], []):  # its output is not a terminal
            said = self.ask("top", *flags)
            self.assertTrue(said.startswith("1 pod waits.\n"), said)
            self.assertRegex(said, r"\n *AGO +POD +OUTCOME +WHERE OR WHY\n")
            self.assertRegex(said, r"\n *\d+s  default/placed +Scheduled +[ab]1, \d+ points?\n")
            self.assertRegex(said, r"\n *\d+s  default/huge +Unschedulable +\d of 3 nodes ")
            self.assertNotIn("\033", said)
        self.assertRegex(self.ask("top", "-A", code=1), r"kubectl podium top: .*cannot list resource")

    def test_top_on_a_terminal_restores_it(self):
        here, there = pty.openpty()
        rows, columns = 12, 120
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.addCleanup(os.close, here)
        top = subprocess.Popen(["kubectl", "podium", "top", "--every", "1"], stdin=there, stdout=there, stderr=there,
                               env=self.environment(None))
        os.close(there)
        self.addCleanup(lambda: top.poll() is None and (top.kill(), top.wait()))
        shown = bytearray()

        def read():
            while select.select([here], [], [], 0)[0]:
                try:
                    piece = os.read(here, 65536)
                except OSError:  # its other end is closed
                    return
                if not piece:
                    return
                shown.extend(piece)

        def shows(text):
            read()
            return text in shown.decode(errors="replace")
        wait_until(lambda: shows("Ctrl-C ends it."), "the first view")
        self.place(pod("late"))
        wait_until(lambda: shows("default/late"), "the decision appears")
        top.send_signal(signal.SIGINT)
        self.assertEqual(top.wait(120), 0)
        read()
        text = shown.decode(errors="replace")
        self.assertTrue(text.startswith("\033[?1049h\033[?25l"), repr(text[:40]))
        self.assertTrue(text.endswith("\033[?25h\033[?1049l"), repr(text[-40:]))
        frames = re.split(r"\033\[H", text)[1:]
        for frame in frames:
            self.assertLess(frame.count("\n"), rows, "the terminal does not scroll")
            self.assertLessEqual(max(map(len, re.sub(r"\033\[\??\w+|\r", "", frame).split("\n"))), columns)


if __name__ == "__main__":
    unittest.main()
