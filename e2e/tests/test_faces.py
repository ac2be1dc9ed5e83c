"""One question, one answer: generated workloads, each asked about by a SchedulingReport, over HTTPS, with the plugin, and with the plugin
on a dump of the cluster. The four answers are equal in every field but those of DIFFER, which says why. kube-scheduler's own framework
judges where the pods go (e2e/faces/judge.py).

PODIUM_FACES=500 asks about so many workloads; PODIUM_TEST_SEED repeats a seed.
"""
import copy
import json
import os
import re
import subprocess
import unittest

import yaml

from e2e.faces import judge, workloads
from e2e.support import oracle, podium, seeds
from e2e.support.control_plane import ADMIN_TOKEN, collection, environment, wait_until
from e2e.tests.base import Live, what_if
from e2e.tests.test_http_api import api_call
from e2e.truth import shapes

NAMESPACE = shapes.NAMESPACE
COUNT = int(os.environ.get("PODIUM_FACES", "24"))
# Fields of the status that are not compared, and why.
DIFFER = {
    "timing": "how long it took",
    "decidedAt": "when it was asked",
    "expiresAt": "only a SchedulingReport is kept",
    "snapshot": "when it was asked",
    "observedGeneration": "only a SchedulingReport has generations",
    "notModelled": "a dump without a kind does not say whether the cluster has none of it; the plugin asks about what admission has "
                   "made of the pod, its scheduler among it",
}

# Fields of a Job's spec, by name: policies that the API server accepts, and that it refuses.
INDEXED = {"completionMode": "Indexed", "completions": 3}


def on_codes(action, operator, *values, **more):
    return {"podFailurePolicy": {"rules": [{"action": action, "onExitCodes": {"operator": operator, "values": list(values), **more}}]}}


OF_JOBS = {
    "fails": on_codes("FailJob", "In", 1, 42), "fails an index": on_codes("FailIndex", "In", 1), "retries": on_codes("Retry", "In", 1),
    "fails an index of some": {**INDEXED, "backoffLimitPerIndex": 1, **on_codes("FailIndex", "NotIn", 0)},
    "no code": on_codes("Count", "In"), "code 0": on_codes("Count", "In", 0), "codes in no order": on_codes("Count", "In", 2, 1),
    "a code twice": on_codes("Count", "In", 1, 1), "codes of nothing": on_codes("Count", "In", 1, containerName="other"),
    "condition": {"podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}},
    "no condition": {"podFailurePolicy": {"rules": [{"action": "Ignore"}]}},
    "status No": {"podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "Ready", "status": "No"}]}]}},
    "replaced with a policy": {**on_codes("FailJob", "In", 1), "podReplacementPolicy": "TerminatingOrFailed"},
    "succeeds without indexes": {"successPolicy": {"rules": [{"succeededCount": 1}]}},
    **{f"succeeds with {rules}": {**INDEXED, "successPolicy": {"rules": rules}} for rules in (
        [], [{}], [{"succeededIndexes": "0,2", "succeededCount": 2}], [{"succeededCount": 4}], [{"succeededIndexes": "0-3"}],
        [{"succeededIndexes": "1,0"}], [{"succeededIndexes": "0,"}], [{"succeededIndexes": "0", "succeededCount": 2}])},
    "sometimes": {"completionMode": "Sometimes"}, "many indexes": {**INDEXED, "completions": 200_000, "backoffLimitPerIndex": 1},
    "limits without indexes": {"backoffLimitPerIndex": 1, "maxFailedIndexes": 1}, "managed": {"managedBy": "manager"},
    "managed by one": {"managedBy": "example.com/manager"},
}


def comparable(status, name, workload):
    """Without what differs. `name`: of the question, which is that of a bare pod, too; a report is named like its workload here."""
    status = {key: value for key, value in copy.deepcopy(status).items() if key not in DIFFER}
    status["conditions"] = [{key: condition[key] for key in ("type", "status", "reason", "message")}
                            for condition in status.get("conditions", [])]
    for fix in status.get("fixes", []):
        if fix["type"] == "AddNodes" and "nodeName" in fix:  # the UID decides between a node and its copy
            fix["nodeName"] = re.sub(r"-new-\d+$", "", fix["nodeName"])
    return json.loads(re.sub(rf"\b({re.escape(name)}|{re.escape(workload)})\b", "QUESTION", json.dumps(status)))


class Faces(Live):
    maxDiff = 3000
    values = [*Live.values, "podium.reports.enabled=false"]
    nodes = tuple(workloads.nodes())

    @classmethod
    def setUpClass(cls):
        oracle.build()
        super().setUpClass()
        plane = cls.plane
        plane.kubectl("create", "namespace", NAMESPACE)
        for made in [*shapes.priority_classes(), *shapes.placed_pods(), *workloads.storage_classes(), *workloads.devices()]:
            plane.create(made, NAMESPACE)
        plane.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "there"}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}, NAMESPACE)
        plane.create({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "usual"}, "spec": {"limits": [
            {"type": "Container", "defaultRequest": {"ephemeral-storage": "1Mi"}}]}}, NAMESPACE)
        for name, hard in {"many": {"pods": "21", "requests.storage": "12Gi"}, "few": {"pods": "14"}}.items():
            more = {"scopes": ["Terminating"]} if name == "few" else {}
            plane.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": {"hard": hard, **more}}, NAMESPACE)
            status = {"hard": hard, "used": {each: "10" if each == "pods" else "0" for each in hard}}  # no controller counts here
            plane.request("PATCH", f"/api/v1/namespaces/{NAMESPACE}/resourcequotas/{name}/status", {"status": status},
                          content_type="application/merge-patch+json")
        plugins = plane.dir / "plugins"
        plugins.mkdir()
        (plugins / "kubectl-podium").symlink_to(podium.PROGRAM)
        cls.plugin = plugins / "kubectl-podium"
        cls.knows(cls(), "nodes", len(cls.nodes))
        cls.knows(cls(), "pods", len(shapes.placed_pods()))
        cls.dump = plane.dir / "dump.yaml"
        cls.dump.write_text(cls.run_plugin("dump").stdout)
        # An empty list says that the cluster has none of a kind.
        cls.judge = judge.Judge(plane.dir / "judged", [each for each in yaml.safe_load_all(cls.dump.read_text())
                                                       if each and "items" not in each])

    @classmethod
    def run_plugin(cls, *argv, stdin=None):
        return subprocess.run([cls.plugin, *map(str, argv)], input=stdin, text=True, capture_output=True, timeout=180,
                              env=environment(KUBECONFIG=str(cls.plane.kubeconfig)))

    # --- the four faces: (status, name of the question) ---
    def options(self, made):
        """The fields of spec that all faces ask with. The plugin asks for room where there are several pods."""
        return {"strategies": [{"name": name, "weight": weight} for name, weight in workloads.WEIGHTS.items()],
                **({"nodes": made.nodes} if made.nodes else {}), **({"fixes": True} if made.fixes else {}),
                **({"room": True} if made.kind not in ("Pod", "DaemonSet") else {})}

    def template(self, made):
        """A CronJob is asked about with one Job of it, a pod by its own template."""
        return made.template if made.kind == "Pod" else made.manifest

    def by_report(self, made):
        self.plane.create({**what_if(made.name, self.template(made), **self.options(made)), "metadata": {"name": made.name}}, NAMESPACE)
        return podium.status_of(self.plane, NAMESPACE, made.name), made.name

    def post(self, body):
        """Asks over HTTPS, again where podium says that this user asks too often."""
        def answered():
            code, _, answer = api_call(self.podium.port, f"/v1/namespaces/{NAMESPACE}/whatif/report", ADMIN_TOKEN, body)
            return (code, answer) if code != 429 else None
        return wait_until(answered, "podium takes the question")

    def over_https(self, made):
        body = {**what_if(made.name, self.template(made), **self.options(made)), "metadata": {"name": made.name}}
        code, answer = self.post(body)
        self.assertEqual(code, 200, answer)
        return answer["status"], answer["metadata"].get("name", made.name)

    def with_plugin(self, made, *flags):
        weights = ",".join(f"{name}={weight}" for name, weight in workloads.WEIGHTS.items())
        argv = ["whatif", "-n", NAMESPACE, "-f", "-", "-o", "json", "--weights", weights, *flags]
        argv += ["--fixes"] if made.fixes else []
        done = self.run_plugin(*argv, stdin=made.file())
        self.assertTrue(done.stdout, done.stderr)
        answer = json.loads(done.stdout)
        return answer["status"], answer["metadata"]["name"]

    def on_dump(self, made):
        return self.with_plugin(made, "--cluster", self.dump)

    def test_all_say_the_same(self):
        seed = seeds.drawn()
        print(f"\nseed {seed}: PODIUM_TEST_SEED={seed} repeats it", flush=True)
        asked, outcomes = 0, {}
        for number in range(COUNT):
            made = workloads.Workload(seed, number)
            made.nodes = []  # the plugin names nodes in `why` only
            with self.subTest(f"{made.kind} {number}"):
                first = comparable(*self.by_report(made), made.name)
                for face in (self.over_https, self.with_plugin, self.on_dump):
                    self.assertEqual(comparable(*face(made), made.name), first, f"{face.__name__}: {json.dumps(made.manifest)}")
                self.judge.add(made, first)
                asked += 1
                outcomes[first["outcome"]] = outcomes.get(first["outcome"], 0) + 1
        print(f"{asked} workloads: {outcomes}", flush=True)
        self.assertGreater(len(outcomes), 1, "some fit, and some do not")
        for name, differences in self.judge.differences().items():
            with self.subTest(f"{name}, judged by kube-scheduler"):
                self.assertEqual(differences, [], json.dumps(self.judge.asked[name][0].manifest))

    def test_the_other_objects_of_a_file(self):
        """A chart's class, account and Deployment in one file: the cluster has none of them yet, and all three answer with them."""
        pod = {"priorityClassName": "of-the-file", "runtimeClassName": "of-the-file", "serviceAccountName": "of-the-file",
               "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m"}}}]}
        deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "chart"}, "spec": {
            "replicas": 1, "selector": {"matchLabels": {"app": "chart"}},
            "template": {"metadata": {"labels": {"app": "chart"}}, "spec": pod}}}
        meta = {"metadata": {"name": "of-the-file"}}

        def file(overhead):
            runtime = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "handler": "x", "overhead": {"podFixed": {"cpu": overhead}}}
            priority = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 7}
            account = {"apiVersion": "v1", "kind": "ServiceAccount"}
            return yaml.safe_dump_all([{**each, **meta} for each in (priority, runtime, account)] + [deployment])
        for overhead, outcome in (("100m", "Fits"), ("500", "DoesNotFit")):
            with self.subTest(outcome):
                answers = []
                for flags in ((), ("--cluster", self.dump)):
                    done = self.run_plugin("whatif", "-n", NAMESPACE, "-f", "-", "-o", "json", *flags, stdin=file(overhead))
                    self.assertTrue(done.stdout, done.stderr)
                    answer = json.loads(done.stdout)
                    answers.append(comparable(answer["status"], answer["metadata"]["name"], "chart"))
                self.assertEqual(answers[0], answers[1])
                self.assertEqual(answers[0]["outcome"], outcome)
                self.assertEqual(answers[0]["changes"][0]["type"], "AddObjects")
                path = self.plane.dir / "file.yaml"
                path.write_text(file(overhead))
                done = self.run_plugin("evaluate", "--cluster", self.dump, "-n", NAMESPACE, "--pod", path, "--exit-code")
                self.assertEqual(done.returncode, {"Fits": 0, "DoesNotFit": 4}[outcome], done.stdout + done.stderr)

    def test_what_the_api_server_refuses_is_refused(self):
        """Each template with one field that some kinds may have: podium and the API server say yes or no together."""
        changes = {"as it is": {}, "a deadline": {"activeDeadlineSeconds": 60}, "a deadline of 0": {"activeDeadlineSeconds": 0},
                   "never restarts": {"restartPolicy": "Never"}, "restarts on failure": {"restartPolicy": "OnFailure"},
                   "always restarts": {"restartPolicy": "Always"}, "a debugger": {"ephemeralContainers": [{"name": "debug", "image": "i"}]},
                   "a node and a gate": {"nodeName": "a1", "schedulingGates": [{"name": "example.com/gate"}]}}
        of_workload = {"no selector": {"selector": {}}, "another selector": {"selector": {"app": "other"}}, "fewer than none": {"replicas": -1,
                       "parallelism": -1}, "indexed": {"completionMode": "Indexed", "completions": None}}
        of_kind = {"CronJob": {"no minute 61": {"schedule": "61 * * * *"}, "names": {"schedule": "0 3 * jan-Mar MON"}, "every": {"schedule": "@every 5m"},
                               "often": {"schedule": "@often"}, "no policy": {"concurrencyPolicy": "Never"},
                               **{f"every {each}": {"schedule": f"@every {each}"} for each in ("5", "5d", "1.5.5s", "9999999h")},
                               **{f"zone {each}": {"timeZone": each} for each in ("Local", "local", "Europe/Berlin", "Europe/Berln", "Europe",
                                                                                  "PST", "europe/berlin", "GMT+5", "Asia/Calcutta")}},
                   "Job": {"no index": {"backoffLimitPerIndex": 1}, "replaced": {"podReplacementPolicy": "Failed"},
                           "not replaced": {"podReplacementPolicy": "Never"}, **OF_JOBS},
                   "Deployment": {"no time": {"progressDeadlineSeconds": 5, "minReadySeconds": 10}, "no history": {"revisionHistoryLimit": -1}},
                   "StatefulSet": {"no history": {"revisionHistoryLimit": -1}, "no order": {"podManagementPolicy": "Bad"},
                                   "on delete": {"updateStrategy": {"type": "OnDelete", "rollingUpdate": {"partition": 1}}},
                                   "on delete alone": {"updateStrategy": {"type": "OnDelete", "rollingUpdate": None}},
                                   "recreate": {"updateStrategy": {"type": "Recreate"}}, "none away": {"updateStrategy": {
                                       "rollingUpdate": {"maxUnavailable": 0}}},
                                   "kept": {"persistentVolumeClaimRetentionPolicy": {"whenScaled": "Keep"}}},
                   "DaemonSet": {"no history": {"revisionHistoryLimit": -1}}}
        for number, kind in enumerate(workloads.KINDS):
            made = workloads.Workload(0, number)
            cases = [(name, change, {}) for name, change in changes.items()] + [(name, {}, more) for name, more in of_workload.items()]
            cases += [(name, {"restartPolicy": "Never"} if kind == "Job" else {}, {None: more}) for name, more in of_kind.get(kind, {}).items()]
            for name, of_pod, of_spec in cases:
                manifest = copy.deepcopy(made.manifest)
                spec = manifest["spec"]["jobTemplate"]["spec"] if kind == "CronJob" else manifest["spec"]
                if None in of_spec:
                    manifest["spec"].update(of_spec[None])
                elif kind != "Pod":
                    fields = {key: value for key, value in of_spec.items() if key in spec}
                    if of_spec and not fields:
                        continue
                    if "selector" in fields and kind != "ReplicationController" and fields["selector"]:
                        fields["selector"] = {"matchLabels": fields["selector"]}
                    spec.update(fields)
                    if "completions" in fields:
                        spec.pop("completions")
                elif of_spec:
                    continue
                pod_spec = spec if kind == "Pod" else spec["template"]["spec"]
                pod_spec.pop("activeDeadlineSeconds", None)
                pod_spec.update(of_pod)
                with self.subTest(f"{kind}, {name}"):
                    status, reply = self.plane.request("POST", f"{collection(manifest, NAMESPACE)}?dryRun=All", manifest)
                    is_quota = "exceeded quota" in json.dumps(reply)
                    code, answer = self.post(manifest)
                    self.assertEqual(code == 200, status == 201 or is_quota, f"API server {status} {reply}\npodium {code} {answer}")


if __name__ == "__main__":
    unittest.main()
