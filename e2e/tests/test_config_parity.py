"""Compares how podium and the real kube-scheduler read configurations and feature gates."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from e2e.support import podium
from e2e.support.control_plane import BIN, ROOT, environment
from e2e.support.ports import free_ports

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

CONFIGURATIONS = {
    "defaults": HEAD,
    "settings": HEAD + """
parallelism: 4
leaderElection: {leaderElect: false, leaseDuration: 60s, renewDeadline: 40s}
clientConnection: {qps: 12.5, burst: 7, acceptContentTypes: application/json}
percentageOfNodesToScore: 30
podInitialBackoffSeconds: 3
podMaxBackoffSeconds: 20
enableProfiling: false
delayCacheUntilActive: true
""",
    "plugins": HEAD + """
profiles:
- schedulerName: a
  percentageOfNodesToScore: 7
  plugins:
    score: {disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit, weight: 5}, {name: ImageLocality}]}
    multiPoint: {disabled: [{name: DynamicResources}], enabled: [{name: TaintToleration, weight: 9}]}
- schedulerName: b
  plugins:
    preFilter: {enabled: [{name: NodePorts}]}
    filter: {disabled: [{name: NodeName}]}
    bind: {enabled: [{name: DefaultBinder}]}
    multiPoint: {disabled: [{name: ImageLocality}, {name: VolumeBinding}]}
- schedulerName: c
  plugins:
    multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: DefaultBinder}, {name: NodeResourcesFit}]}
""",
    "arguments": HEAD + """
profiles:
- schedulerName: a
  pluginConfig:
  - name: NodeResourcesFit
    args:
      ignoredResourceGroups: [example.com]
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: cpu}, {name: example.com/gpu, weight: 4}]
        requestedToCapacityRatio: {shape: [{utilization: 0, score: 10}, {utilization: 100, score: 0}]}
  - name: InterPodAffinity
    args: {hardPodAffinityWeight: 5, ignorePreferredTermsOfExistingPods: true}
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: In, values: [a, b]}]}]
        preferredDuringSchedulingIgnoredDuringExecution:
        - {weight: 3, preference: {matchExpressions: [{key: disk, operator: Exists}]}}
  - name: PodTopologySpread
    args: {defaultingType: List, defaultConstraints: [{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]}
  - name: DefaultPreemption
    args: {minCandidateNodesPercentage: 20}
  - name: VolumeBinding
    args: {bindTimeoutSeconds: 60}
  - name: DynamicResources
    args: {apiVersion: kubescheduler.config.k8s.io/v1, kind: DynamicResourcesArgs, filterTimeout: 3s}
  - name: NodeResourcesBalancedAllocation
    args: {resources: [{name: cpu}, {name: nvidia.com/gpu, weight: 1}]}
""",
    "extenders": HEAD + """
extenders:
- urlPrefix: http://127.0.0.1:8888/x
  filterVerb: filter
  preemptVerb: preempt
  prioritizeVerb: prioritize
  weight: 3
  nodeCacheCapable: true
  managedResources: [{name: example.com/gpu, ignoredByScheduler: true}, {name: example.com/b}]
- urlPrefix: https://h
  bindVerb: bind
  enableHTTPS: true
  ignorable: true
  httpTimeout: 90s
  tlsConfig: {insecure: true, serverName: foo}
profiles:
- schedulerName: default-scheduler
- schedulerName: other
  pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [example.com/z]}}]
""",
}
# Arguments that the gate allows, and invalid ones.
SCORING = "StorageCapacityScoring=true"
SHAPES = HEAD + """
profiles:
- schedulerName: a
  pluginConfig: [{name: VolumeBinding, args: {shape: [{utilization: 10, score: 3}, {utilization: 70, score: 10}]}}]
- schedulerName: b
  plugins: {multiPoint: {enabled: [{name: VolumeBinding, weight: 4}]}}
  pluginConfig: [{name: VolumeBinding, args: {bindTimeoutSeconds: 60, shape: []}}]
- schedulerName: c
"""
WRONG_SHAPES = {
    "[{utilization: 30, score: 1}, {utilization: 20, score: 2}, {utilization: 10, score: 3}]":
        ["args.shape[1].utilization: Invalid value: 20: values must be sorted in increasing order"],
    "[{utilization: -1, score: 3}, {utilization: 101, score: 11}]":
        ["args.shape[0].utilization: Invalid value: -1: not in valid range [0, 100]",
         "args.shape[1].utilization: Invalid value: 101: not in valid range [0, 100]",
         "args.shape[1].score: Invalid value: 11: not in valid range [0, 10]"],
}
GATES = {
    "none": "",
    "storage is scored": SCORING,
    "storage is not scored": "StorageCapacityScoring=false",
}
WRONG_GATES = ("Nonsense=true", "DynamicResourceAllocation=false", "GangScheduling", "GangScheduling=maybe",
               "MatchLabelKeysInPodTopologySpread=false", "GangScheduling=true", "SidecarContainers=true", "kubelet:NodeSwap=true")


class ConfigParity(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix="podium-config-"))
        cls.addClassCleanup(shutil.rmtree, cls.dir, ignore_errors=True)

    def write(self, text):
        path = self.dir / "config.yaml"
        path.write_text(text)
        return path

    def kube_scheduler(self, *flags):
        return subprocess.run([BIN / "kube-scheduler", "--master", "http://127.0.0.1:1", "--authentication-skip-lookup",
                               "--cert-dir", self.dir, "--secure-port", str(free_ports(1)[0]), *map(str, flags)],
                              text=True, capture_output=True, env=environment(), timeout=180)

    def podium(self, *argv):
        return subprocess.run([podium.PROGRAM, *map(str, argv)], text=True, capture_output=True)

    def written(self, config, gates=""):
        out = self.dir / "out.yaml"
        out.unlink(missing_ok=True)
        done = self.kube_scheduler("--config", config, "--feature-gates", gates, "--write-config-to", out)
        self.assertTrue(out.exists(), done.stderr)
        return out.read_text()

    def test_view_prints_what_kube_scheduler_writes(self):
        for name, text in CONFIGURATIONS.items():
            for gates_name, gates in GATES.items():
                with self.subTest(name, gates=gates_name):
                    config = self.write(text)
                    done = self.podium("config", "view", config, "--feature-gates", gates)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(done.stdout.split("---\n")[0], self.written(config, gates))

    def test_the_shape_of_volume_binding(self):
        config = self.write(SHAPES)
        self.assertEqual(self.podium("config", "view", config, "--feature-gates", SCORING).stdout.split("---\n")[0],
                         self.written(config, SCORING))
        wrong = {("StorageCapacityScoring=false", "[{utilization: 0, score: 0}]"): ["remove it or turn on the feature gate StorageCapacityScoring"],
                 **{(SCORING, shape): words for shape, words in WRONG_SHAPES.items()}}
        for (gates, shape), words in wrong.items():
            with self.subTest(shape, gates=gates):
                config = self.write(HEAD + f"profiles: [{{pluginConfig: [{{name: VolumeBinding, args: {{shape: {shape}}}}}]}}]\n")
                theirs = self.kube_scheduler("--config", config, "--feature-gates", gates, "--write-config-to", self.dir / "x")
                ours = self.podium("config", "validate", config, "--feature-gates", gates)
                self.assertEqual(ours.returncode, 2)
                self.assertNotEqual(theirs.returncode, 0)
                for each in words:
                    self.assertIn(each, ours.stderr)
                    self.assertIn(each, theirs.stderr)

    def test_what_is_written_can_be_read_by_both(self):
        for name, text in CONFIGURATIONS.items():
            with self.subTest(name):
                view = self.podium("config", "view", self.write(text)).stdout.split("---\n")[0]
                self.assertEqual(self.written(self.write(view)), view)
                self.assertEqual(self.podium("config", "view", self.write(view)).stdout.split("---\n")[0], view)

    def test_a_policy_is_refused_with_what_to_write_instead(self):
        config = self.write("apiVersion: v1\nkind: Policy\npredicates: [{name: PodFitsResources}]\n"
                            "priorities: [{name: LeastRequestedPriority, weight: 2}]\n")
        self.assertNotEqual(self.kube_scheduler("--config", config, "--write-config-to", self.dir / "x").returncode, 0)
        done = self.podium("config", "validate", config)
        self.assertEqual(done.returncode, 2)
        for words in ("Kubernetes 1.23", "kind: KubeSchedulerConfiguration", "apiVersion: kubescheduler.config.k8s.io/v1",
                      "predicates[0]: PodFitsResources is the plugin NodeResourcesFit",
                      "priorities[0]: LeastRequestedPriority is the plugin NodeResourcesFit", "weight: 2"):
            self.assertIn(words, done.stderr)
        for flag in ("--policy-config-file", "--policy-configmap", "--use-legacy-policy-config"):
            done = self.podium("run", flag, config)
            self.assertEqual(done.returncode, 2, flag)
            self.assertIn("KubeSchedulerConfiguration", done.stderr, flag)

    def test_wrong_gates_fail_in_both_except_the_unsupported_ones(self):
        config = self.write(HEAD)
        for gates in WRONG_GATES:
            with self.subTest(gates):
                theirs = self.kube_scheduler("--config", config, "--feature-gates", gates, "--write-config-to", self.dir / "x")
                ours = self.podium("config", "validate", config, "--feature-gates", gates)
                self.assertEqual(ours.returncode, 2)
                self.assertNotEqual(theirs.returncode, 0, theirs.stderr)
                words = [line.removeprefix("--feature-gates: ").split(" (removed in")[0] for line in ours.stderr.splitlines()]
                self.assertTrue(any(w in theirs.stderr.replace('\\"', '"') for w in words), (words, theirs.stderr[-500:]))

    def test_the_table_of_gates_is_kube_schedulers(self):
        table = (ROOT / "scheduler/config/gates/feature_gate_table.cc").read_text()
        ours = {name: (stage, on == "true")
                for name, stage, on in re.findall(r'\{"(\w+)", (\w+), (true|false)', table)}
        helped = self.kube_scheduler("--help").stdout
        # After ", or": the default at another minimal compatibility version.
        listed = re.findall(r"(?<!or )\b(?:kube:)?(\w+)=true\|false \((ALPHA|BETA) - default=(true|false)\)", helped)
        theirs = {name: (stage.lower(), on == "true") for name, stage, on in listed if name not in ("AllAlpha", "AllBeta")}
        self.assertEqual({n: v for n, v in ours.items() if v[0] in ("alpha", "beta")}, theirs)
        # --help does not list gates that are GA or deprecated: the test tries each. All are accepted with their default. With the other
        # value, only gates that are not locked are accepted.
        config = self.write(HEAD)
        rest = [n for n, (stage, _) in ours.items() if stage in ("ga", "deprecated")]
        defaults = ",".join(f"{n}={str(ours[n][1]).lower()}" for n in rest)
        self.assertIn("profiles:", self.written(config, defaults))
        flipped = ",".join(f"{n}={str(not ours[n][1]).lower()}" for n in rest)
        said = self.kube_scheduler("--config", config, "--feature-gates", flipped, "--write-config-to", self.dir / "x").stderr
        locked = {n for n, _, _ in re.findall(r'\{"(\w+)", (\w+), (?:true|false), (true)', table)}
        self.assertEqual(set(re.findall(r"cannot set feature gate (\w+) to", said)), locked)
