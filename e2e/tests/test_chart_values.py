"""What the chart renders for its values, and which values it refuses. Needs helm, but no API server."""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import yaml

from e2e.chart.manifests import (CLUSTER_WIDE, VALUE_FILES, configuration, container, of_kind, one, pod_spec, rendered)
from e2e.support import podium
from e2e.support.control_plane import BIN, ROOT, environment
from e2e.support.podium import RenderError

NO_ELECTION = ("leaderElection.leaderElect=false", "replicas=1")

REFUSED = (
    # podium's pods would wait for podium
    (("podSchedulerName=podium",), 'podium itself serves "podium", so its first pod would wait for itself forever'),
    (("configuration.profiles[0].schedulerName=a", "configuration.profiles[1].schedulerName=b", "podSchedulerName=b"),
     'podium itself serves "b"'),
    (("schedulerName=default-scheduler", *NO_ELECTION), "without kube-scheduler's lease: its first pod would wait for itself"),
    (("schedulerName=default-scheduler", "configuration.leaderElection.resourceName=podium"), "without kube-scheduler's lease"),
    (("configuration.profiles[0].schedulerName=default-scheduler", "configuration.leaderElection.resourceNamespace=other"),
     "without kube-scheduler's lease"),
    (("configuration.profiles[0].plugins.score.disabled[0].name=ImageLocality", *NO_ELECTION), 'podium itself serves "default-'),
    # values that contradict each other
    (("replicas=3", "leaderElection.leaderElect=false"), "several replicas need leader election"),
    (("configuration.profiles[0].schedulerName=a", "configuration.profiles[1].schedulerName=a"), "the same schedulerName: a, a"),
    (("certificate.source=secret",), "certificate.source=secret needs the name of a Secret"),
    (("certificate.secretName=tls",), "has no meaning with certificate.source=selfSigned"),
    (("certificate.source=certManager",), "certificate.source=certManager needs an Issuer"),
    (("affinity.nodeAffinity=null", "affinity.podAffinity.x=y"), "set antiAffinity=none too"),
    (("serviceMonitor.prometheus.serviceAccount=prometheus",), "needs both serviceAccount and namespace"),
    # flags that the chart sets
    (("extraArgs={--config=/etc/x}",), "the chart sets --config=/etc/x itself: use configuration and podium"),
    (("extraArgs={-v=3}",), "the chart sets -v=3 itself: use verbosity"),
    (("extraArgs={--leader-elect-resource-name=x}",), "would change the lease without its RBAC"),
    (("extraArgs={--secure-port=0}",), "the chart sets --secure-port=0 itself"),
    (("extraArgs={profiling}",), "'profiling' does not match pattern"),
    # typos and wrong types
    (("replica=2",), "additional properties 'replica' not allowed"),
    (("podium.report.enabled=false",), "additional properties 'report' not allowed"),
    (("configuration.percentageOfNodesToScor=30",), "additional properties 'percentageOfNodesToScor' not allowed"),
    (("podium.reports.ttl=soon",), "'soon' does not match pattern"),
    (("podium.reports.enabled=perhaps",), "got string, want boolean"),
    (("podium.reports.sampling=2",), "maximum: got 2, want 1"),
    (("replicas=-1",), "minimum: got -1, want 0"),
    (("configuration.leaderElection.resourceLock=endpoints",), "'leases'"),
    (("configuration.leaderElection=null",), "got null, want object"),
    (("certificate=null",), "missing property 'certificate'"),
    (("certificate.source=magic",), "'selfSigned', 'secret', 'certManager'"),
    (("schedulerName=My_Scheduler",), "does not match pattern"),
    (("image.repository=",), "minLength: got 0, want 1"),
    (("image.digest=sha256:12",), "does not match pattern"),
    (("extraVolumes[0].name=config",), "not"),
    (("antiAffinity=sometimes",), "'preferred', 'required', 'none'"),
    (("featureGates.VolumeLimitScaling=yes",), "got string, want boolean"),
)


def value_paths(values, path=""):
    """Returns {path: value} of everything that values.yaml sets."""
    if isinstance(values, dict) and values:
        return {p: v for key, value in values.items() for p, v in value_paths(value, f"{path}.{key}" if path else key).items()}
    return {path: values}


class Refused(unittest.TestCase):
    def test_values_that_cannot_work(self):
        for values, words in REFUSED:
            with self.subTest(values):
                with self.assertRaisesRegex(RenderError, re.escape(words)):
                    rendered(*values)


class Documented(unittest.TestCase):
    def test_each_value_has_its_line(self):
        rows = re.findall(r"^\| `([^`]+)` \| `([^`]*)` \| \S", (podium.CHART / "README.md").read_text(), re.M)
        self.assertEqual(len(rows), len(dict(rows)))
        values = value_paths(yaml.safe_load((podium.CHART / "values.yaml").read_text()))
        self.assertEqual({path: json.loads(default) for path, default in rows}, values)


class Accepted(unittest.TestCase):
    def test_helm_lint(self):
        for file in VALUE_FILES:
            with self.subTest(file.name):
                done = subprocess.run([BIN / "helm", "lint", podium.CHART, "--strict", "-f", file],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_podium_takes_its_configuration_and_its_flags(self):
        for file in VALUE_FILES:
            with self.subTest(file.name):
                self.taken(rendered(files=[file]))

    def test_null_is_the_default(self):
        for values in (("podium.reports=null",), ("podium=null",), ("resources=null",), ("tolerations=null",)):
            with self.subTest(values):
                self.taken(rendered(*values))

    def taken(self, manifests):
        """Checks that podium accepts a rendering: `podium run --write-config-to` reads the configuration and the flags, and exits."""
        [config] = [m["data"]["config.yaml"] for m in of_kind(manifests, "ConfigMap") if "config.yaml" in m["data"]]
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "config.yaml"
            file.write_text(config)
            args = [arg for arg in container(manifests)["args"] if not arg.startswith("--config=")]
            self.assertEqual(args[0], "run")
            done = subprocess.run([podium.PROGRAM, *args, f"--config={file}", f"--write-config-to={directory}/written"],
                                  capture_output=True, text=True, env=environment())
            self.assertEqual(done.returncode, 0, done.stderr)


class Lease(unittest.TestCase):
    def lease_rule(self, *values, **where):
        """Returns (namespace, lease names) of the right to the lease, or None without a right. The configuration names the same."""
        manifests = rendered(*values, **where)
        election = configuration(manifests)[0]["leaderElection"]
        roles = of_kind(manifests, "Role")
        if not roles:
            self.assertFalse(election["leaderElect"])
            return None
        [role] = roles
        [names] = [rule["resourceNames"] for rule in role["rules"] if "resourceNames" in rule]
        self.assertEqual((election["resourceNamespace"], [election["resourceName"]]), (role["metadata"]["namespace"], names))
        return role["metadata"]["namespace"], names

    def test_rbac_follows_it(self):
        kube_schedulers = ("kube-system", ["kube-scheduler"])
        self.assertEqual(self.lease_rule(), ("podium-system", ["podium"]))
        self.assertEqual(self.lease_rule(release="blue", namespace="team"), ("team", ["blue-podium"]))
        self.assertEqual(self.lease_rule("configuration.leaderElection.resourceName=other"), ("podium-system", ["other"]))
        self.assertIsNone(self.lease_rule(*NO_ELECTION))
        self.assertEqual(self.lease_rule("leaderElection.leaderElect=false", "configuration.leaderElection.leaderElect=true"),
                         ("podium-system", ["podium"]))
        self.assertEqual(self.lease_rule("schedulerName=default-scheduler"), kube_schedulers)
        self.assertEqual(self.lease_rule("configuration.profiles[0].schedulerName=default-scheduler",
                                         "configuration.profiles[1].schedulerName=podium"), kube_schedulers)

    def test_the_flow_schema_follows_it(self):
        schemas = of_kind(rendered("schedulerName=default-scheduler"), "FlowSchema")
        self.assertIn(["kube-system"], [rule.get("namespaces") for schema in schemas for each in schema["spec"]["rules"]
                                        for rule in each["resourceRules"]])


class Rights(unittest.TestCase):
    def report_verbs(self, *values):
        """Returns {resource: verbs} of podium's rights to reports."""
        [role] = [m for m in of_kind(rendered(*values), "ClusterRole") if m["metadata"]["name"] == "podium-system:podium"]
        return {resource: set(rule["verbs"]) for rule in role["rules"] if rule["apiGroups"] == ["podium.dev"]
                for resource in rule["resources"]}

    def test_each_belongs_to_a_feature(self):
        tidy, write = {"get", "list", "delete", "deletecollection"}, {"schedulingreports/status": {"patch"}}
        off = "podium.reports.enabled=false", "podium.whatIf.enabled=false"
        self.assertEqual(self.report_verbs(), {"schedulingreports": {*tidy, "create", "patch", "watch", "record"}, **write})
        self.assertEqual(self.report_verbs(off[1]), {"schedulingreports": {*tidy, "create", "patch", "record"}, **write})
        self.assertEqual(self.report_verbs(off[0]), {"schedulingreports": {*tidy, "patch", "watch", "record"}, **write})
        self.assertEqual(self.report_verbs(*off), {"schedulingreports": tidy})  # expired ones can still be deleted

    def test_nothing_is_granted_by_a_star(self):
        for file in VALUE_FILES:
            for manifest in rendered(files=[file], hooks=True).values():
                if manifest["kind"] in ("Role", "ClusterRole"):
                    self.assertNotIn("*", json.dumps(manifest["rules"]))


class Names(unittest.TestCase):
    def test_two_releases_share_no_cluster_wide_name(self):
        everything = {"files": [VALUE_FILES[0].with_name("watched.yaml")]}
        releases = (("podium", "one"), ("podium", "other"), ("blue", "one"))
        # The bindings in kube-system are as strong as cluster-wide ones.
        shared = lambda kind, m: kind in CLUSTER_WIDE or m["metadata"].get("namespace") == "kube-system"
        taken = [{key for key, m in rendered(release=release, namespace=namespace, **everything).items() if shared(key[0], m)}
                 for release, namespace in releases]
        self.assertEqual([len(names) for names in taken], [len(taken[0])] * 3)
        self.assertGreater(len(taken[0]), 8)
        self.assertEqual(len(set.union(*taken)), 3 * len(taken[0]))

    def test_a_release_with_dots(self):
        manifests = rendered(release="v1.2-" + "x" * 40)
        self.assertRegex(one(manifests, "Service")["metadata"]["name"], r"^v1-2-x+-podi\w*$")


class Pods(unittest.TestCase):
    def test_a_change_of_the_configuration_rolls_them(self):
        template = lambda *values: one(rendered(*values), "Deployment")["spec"]["template"]
        self.assertNotEqual(template(), template("podium.whatIf.workers=2"))
        self.assertNotEqual(template(), template("configuration.parallelism=2"))
        self.assertEqual(template(), template("podium.reports.ttl=5m", "podium.events.bestNodes=true"), "read again while it runs")
        self.assertEqual(template(), template("prometheusRule.enabled=true"))

    def test_they_never_name_podium_where_it_serves_its_own_name(self):
        for file in VALUE_FILES:
            manifests = rendered(files=[file])
            served = [profile["schedulerName"] for profile in configuration(manifests)[0]["profiles"]]
            spec = pod_spec(manifests)
            election = configuration(manifests)[0]["leaderElection"]
            with self.subTest(file.name):
                shared = (election["resourceNamespace"], election["resourceName"]) == ("kube-system", "kube-scheduler")
                self.assertTrue(spec["schedulerName"] not in served or spec.get("nodeName") or shared)

    def test_certificates(self):
        def of(name):
            manifests = rendered(files=[VALUE_FILES[0].with_name(name)])
            tls = [v["secret"]["secretName"] for v in pod_spec(manifests)["volumes"] if "secret" in v]
            return tls, [a for a in container(manifests)["args"] if a.startswith("--tls-")]
        files = ["--tls-cert-file=/etc/podium-tls/tls.crt", "--tls-private-key-file=/etc/podium-tls/tls.key"]
        self.assertEqual(of("defaults.yaml"), ([], []))
        self.assertEqual(of("secret.yaml"), (["podium-serving"], files))
        self.assertEqual(of("cert-manager.yaml"), (["podium-tls"], files))
        made = one(rendered(files=[VALUE_FILES[0].with_name("cert-manager.yaml")]), "Certificate")["spec"]
        self.assertEqual((made["secretName"], made["issuerRef"]), ("podium-tls", {"name": "cluster-ca", "kind": "ClusterIssuer"}))
        self.assertIn("podium.podium-system.svc", made["dnsNames"])

    def test_replicas_without_a_spare_node_replace_each_other_in_place(self):
        def strategy(name):
            manifests = rendered(files=[VALUE_FILES[0].with_name(name)])
            return one(manifests, "Deployment")["spec"]["strategy"]["rollingUpdate"]
        self.assertEqual(strategy("apart.yaml"), {"maxUnavailable": 1, "maxSurge": 0})
        self.assertEqual(strategy("defaults.yaml"), {"maxUnavailable": 0, "maxSurge": 1})


class Watched(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.manifests = rendered(files=[VALUE_FILES[0].with_name("watched.yaml")])

    def test_the_series_have_kube_schedulers_job(self):
        for endpoint in one(self.manifests, "ServiceMonitor")["spec"]["endpoints"]:
            self.assertIn({"action": "replace", "targetLabel": "job", "replacement": "kube-scheduler"}, endpoint["relabelings"])

    def test_each_alert_has_a_runbook(self):
        [group] = one(self.manifests, "PrometheusRule")["spec"]["groups"]
        self.assertEqual([rule["alert"] for rule in group["rules"]],
                         ["PodiumDown", "PodiumNoLeader", "PodiumLeaseNotRenewed", "PodiumBindingsFail", "PodiumPodsPending",
                          "PodiumSchedulingSlow", "PodiumReportsFail", "PodiumReportsOverdue", "PodiumWhatIfsRefused",
                          "PodiumEventsDropped"])
        for rule in group["rules"]:
            self.assertEqual(rule["annotations"]["runbook_url"], f"docs/operations.md#{rule['alert'].lower()}")
            self.assertIn('job="kube-scheduler",namespace="podium-system",service="podium"', rule["expr"])

    def panels(self):
        [text] = [m["data"]["podium.json"] for m in of_kind(self.manifests, "ConfigMap") if "podium.json" in m["data"]]
        panels = json.loads(text)["panels"]
        self.assertGreater(len(panels), 12)
        return panels

    def test_each_panel_of_the_dashboard_has_its_place_a_query_and_a_description(self):
        for key in ("id", "title", "description"):
            values = [panel[key] for panel in self.panels()]
            self.assertEqual(len(set(values)), len(values), f"doubles of {key}")
        places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in self.panels()}
        self.assertEqual(len(places), len(self.panels()))
        for panel in self.panels():
            with self.subTest(panel["title"]):
                self.assertRegex(panel["description"], r"^[A-Z01].{30,}[.]$")
                self.assertTrue(all(target["expr"] and target["legendFormat"] for target in panel["targets"]))

    def test_the_dashboards_queries_use_labels_that_the_metrics_have(self):
        """A query by a label that a metric lacks is one line without a name."""
        rows = re.findall(r"^\| `(podium_\S+)` \| \S+ \| ([^|]*) \|", (ROOT / "docs/metrics.md").read_text(), re.M)
        known = {name: set(labels.replace(" ", "").split(",")) for name, labels in rows}
        # Prometheus calls a metric's own label `exported_` where a label of the target has its name.
        scraped = {"job", "namespace", "pod", "instance", "service"}
        queries = [(panel, target) for panel in self.panels() for target in panel["targets"] if "podium_" in target["expr"]]
        self.assertGreater(len(queries), 8)
        for panel, target in queries:
            with self.subTest(panel["title"]):
                [name] = re.findall(r"podium_[a-z_]+", target["expr"])
                used = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
                for labels in re.findall(r"by \(([^)]*)\)", target["expr"]):
                    used |= set(labels.replace(" ", "").split(","))
                renamed = {f"exported_{label}" if label in scraped else label for label in known[name]}
                self.assertLessEqual(used, renamed | scraped)

    def test_the_dashboard_shows_what_waits_by_reason_namespace_and_resource(self):
        by = {re.search(r"by \((\w+)\)", target["expr"])[1] for panel in self.panels() for target in panel["targets"]
              if "podium_blocked_pods" in target["expr"]}
        self.assertEqual(by, {"code", "exported_namespace", "resource"})

    def test_no_alert_is_of_a_feature_that_is_off(self):
        off = ["podium.reports.enabled=false", "podium.whatIf.enabled=false", "podium.events.enabled=false", *NO_ELECTION]
        [group] = one(rendered("prometheusRule.enabled=true", *off), "PrometheusRule")["spec"]["groups"]
        self.assertEqual([rule["alert"] for rule in group["rules"]],
                         ["PodiumDown", "PodiumBindingsFail", "PodiumPodsPending", "PodiumSchedulingSlow",
                          "PodiumReportsOverdue"])


if __name__ == "__main__":
    unittest.main()
