"""Out-of-tree plugins: installs podium, builds examples/zone-budget with find_package, and runs it."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from e2e.support import podium
from e2e.support.control_plane import ROOT, ControlPlane, wait_until
from e2e.tests.base import node, pod

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nleaderElection: {leaderElect: false}\n"
CONFIG = HEAD + """profiles:
- schedulerName: default-scheduler
  plugins:
    multiPoint: {enabled: [{name: ZoneBudget, weight: 7}, {name: StartTogether}]}
  pluginConfig:
  - name: ZoneBudget
    args: {label: example.com/licence, perZone: {cad: 2, render: 10}}
"""


def in_zone(name, zone):
    return node(name, labels={"topology.kubernetes.io/zone": zone})


def holder(name, licence, **spec):
    return pod(name, labels={"example.com/licence": licence}, **spec)


NODES = [in_zone("a1", "a"), in_zone("a2", "a"), in_zone("b1", "b"), in_zone("c1", "c")]
HOLDERS = [("a1", "cad"), ("a2", "cad"), ("b1", "cad"), ("a1", "render")]


class Example(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix="podium-example-"))
        cls.addClassCleanup(shutil.rmtree, cls.dir, ignore_errors=True)
        cls.config = cls.dir / "config.yaml"
        cls.config.write_text(CONFIG)
        run = lambda *argv: subprocess.run([str(a) for a in argv], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        prefix, build = cls.dir / "prefix", cls.dir / "build"
        source = shutil.copytree(ROOT / "examples/zone-budget", cls.dir / "source")  # nothing of the repository is near
        try:
            run("cmake", "--install", podium.PROGRAM.resolve().parent, "--prefix", prefix)
            run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Debug")
            run("cmake", "--build", build)
        except subprocess.CalledProcessError as error:
            raise RuntimeError(error.stdout.decode()) from None
        cls.program = build / "zone-budget"

    def run_it(self, *argv):
        done = subprocess.run([self.program, *map(str, argv)], text=True, capture_output=True)
        return done.returncode, done.stdout, done.stderr

    def write(self, name, *objects):
        path = self.dir / name
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
        return path


class Offline(Example):
    def evaluate(self, incoming, *flags):
        placed = [holder(f"holder-{i}", licence, nodeName=where) for i, (where, licence) in enumerate(HOLDERS)]
        code, out, err = self.run_it("evaluate", "--cluster", self.write("cluster.json", *NODES, *placed), "--pod",
                                     self.write("pod.json", incoming), "--config", self.config, "-o", "nodes", *flags)
        self.assertEqual(code, 0, err)
        for line in err.splitlines():
            self.assertRegex(line, "^warning: --cluster has no ")  # the dump has nodes and pods only
        return json.loads(out)["results"][0]

    def test_filter_and_score(self):
        result = self.evaluate(holder("new", "cad"))
        verdict = {"plugin": "ZoneBudget", "code": "Unschedulable", "reasons": ["zone(s) had no cad licence left"]}
        self.assertEqual(result["rejected"], {"a1": verdict, "a2": verdict})
        self.assertEqual(result["weights"]["ZoneBudget"], 7)
        scores = {name: score["plugins"]["ZoneBudget"] for name, score in result["scores"].items()}
        self.assertEqual(scores, {"b1": 50, "c1": 100}, "one of two is left in b, both are in c")

    def test_a_pod_that_the_plugin_ignores(self):
        result = self.evaluate(pod("plain"))
        self.assertIn("ZoneBudget", result["skippedScorePlugins"])
        self.assertEqual(result["rejected"], {})

    def test_arguments_that_are_invalid_are_named_with_their_path(self):
        self.config.with_suffix(".bad.yaml").write_text(CONFIG.replace("cad: 2", "cad: many").replace("label:", "lable:"))
        code, _, err = self.run_it("config", "validate", self.config.with_suffix(".bad.yaml"))
        place = f"{self.config.with_suffix('.bad.yaml')}:10: profiles[0].pluginConfig[0].args"
        self.assertEqual((code, sorted(err.splitlines())),
                         (2, [f"{place}.label: Required value",
                              f"{place}.lable: unknown field, or of a wrong type",
                              f"{place}.perZone.cad: Invalid value: must be a whole number above zero"]))

    def test_view_prints_them(self):
        code, out, _ = self.run_it("config", "view", self.config)
        self.assertEqual(code, 0)
        again = self.dir / "view.yaml"
        again.write_text(out)
        self.assertEqual(self.run_it("config", "view", again)[1], out)
        self.assertIn("name: ZoneBudget\n", out)

    def test_podium_itself_does_not_know_the_plugin(self):
        done = subprocess.run([podium.PROGRAM, "config", "validate", self.config], text=True, capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn('plugin "ZoneBudget" does not exist', done.stderr)


class Live(Example):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane = ControlPlane().start()
        cls.addClassCleanup(cls.plane.stop)
        podium.install(cls.plane)
        for each in NODES:
            cls.plane.create(each)
        cls.podium = podium.Podium(cls.plane, CONFIG, program=cls.program).start()
        cls.addClassCleanup(lambda: cls.podium.stop())

    def node_of(self, name):
        return self.plane.get(f"/api/v1/namespaces/default/pods/{name}")["spec"].get("nodeName")

    def test_reports_show_it_as_any_other(self):
        for i in range(6):
            self.plane.create(holder(f"cad-{i}", "cad"))
        for i in range(6):
            wait_until(lambda: self.node_of(f"cad-{i}"), f"cad-{i} bound")
        self.plane.create(holder("cad-late", "cad"))
        status = podium.status_of(self.plane, "default", "cad-late", "Unschedulable")
        [rejection] = status["rejections"]
        self.assertEqual({field: rejection[field] for field in ("plugin", "code", "reason", "nodeCount", "examples")},
                         {"plugin": "ZoneBudget", "code": "Other", "reason": "zone(s) had no cad licence left", "nodeCount": 4,
                          "examples": ["a1", "a2", "b1"]})
        self.plane.kubectl("delete", "pod", "cad-0", "--grace-period=0", "--force")
        wait_until(lambda: self.node_of("cad-late"), "a licence that was given back")
        first = podium.status_of(self.plane, "default", "cad-1", "Scheduled")
        self.assertIn({"name": "ZoneBudget", "weight": 7}, [{k: s[k] for k in ("name", "weight")} for s in first["strategies"]])

    def test_a_group_starts_together(self):
        labels = {"example.com/start-group": "g", "example.com/start-size": "3"}
        for name in ("g-0", "g-1"):
            self.plane.create(pod(name, labels=labels))
        self.plane.create(pod("other"))
        wait_until(lambda: self.node_of("other"), "a pod of no group")
        self.assertEqual([self.node_of("g-0"), self.node_of("g-1")], [None, None])
        self.plane.create(pod("g-2", labels=labels))
        for name in ("g-0", "g-1", "g-2"):
            wait_until(lambda: self.node_of(name), f"{name} bound")
