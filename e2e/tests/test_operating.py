"""Situations of an operator: missing rights, logs, signals, and what the HTTPS port shows."""
import json
import os
import signal
import subprocess
import unittest

from e2e.support import podium
from e2e.support.authorization import await_rights
from e2e.support.control_plane import ADMIN_TOKEN, ControlPlane, Process, free_ports, wait_until
from e2e.tests.base import Live, node, pod

ROLES = "/apis/rbac.authorization.k8s.io/v1"


class Rights(Live):
    """Removes rights while podium runs."""

    nodes = [node("n1")]

    def roles(self):
        for path in (f"{ROLES}/clusterroles", f"{ROLES}/roles"):
            for role in self.plane.get(path)["items"]:
                if role["metadata"]["name"].startswith("podium"):
                    namespace = role["metadata"].get("namespace")
                    scope = f"/namespaces/{namespace}/roles" if namespace else "/clusterroles"
                    yield f"{ROLES}{scope}/{role['metadata']['name']}", role

    def take(self, verb, resource):
        """Removes the verb on the resource from every role, and restores it at the end of the test."""
        taken = False
        for path, role in list(self.roles()):
            before = json.dumps(role["rules"])
            for rule in role["rules"]:
                if resource in rule.get("resources", []):
                    others = [one for one in rule["resources"] if one != resource]
                    left = {**rule, "resources": [resource], "verbs": [one for one in rule["verbs"] if one != verb]}
                    rule["resources"] = others
                    role["rules"] = [r for r in [*role["rules"], left] if r.get("resources", True) and r["verbs"]]
            if json.dumps(role["rules"]) != before:
                taken = True
                role["metadata"].pop("resourceVersion")
                self.assertEqual(self.plane.request("PUT", path, role)[0], 200)
                self.addCleanup(self.give_back, path, json.loads(before))
        self.assertTrue(taken, f"{verb} {resource}")
        await_rights(self.plane)

    def give_back(self, path, rules):
        role = self.plane.get(path)
        role["rules"] = rules
        self.assertEqual(self.plane.request("PUT", path, role)[0], 200)

    def lines(self, *words):
        return [line for line in self.podium.log().splitlines() if all(word in line for word in words)]

    def refused(self, verb, resource):
        """Returns the only log line about it, once it is written."""
        words = f"verb={verb} resource={resource} "
        found = wait_until(lambda: self.lines(words, "cannot"), f"a line with {words}")
        self.assertEqual(len(found), 1, found)
        self.assertIn(f'cannot {verb} resource \\"{resource}\\"', found[0])
        failures = f'podium_api_request_failures_total{{code="403",resource="{resource}",verb="{verb}"}}'
        wait_until(lambda: self.podium.metric(failures) > 0, failures)

    def test_without_the_right_to_bind_it_is_not_ready(self):
        self.take("create", "pods/binding")
        self.plane.create(pod("waits"))
        self.refused("create", "pods/binding")
        withheld = lambda: "[-]bindings failed: reason withheld" in self.podium.get("/readyz?verbose")[1].splitlines()
        wait_until(withheld, "it is not ready")
        self.assertEqual(self.podium.get("/readyz?verbose")[0], 500)
        self.assertEqual(podium.https_get(self.podium.port, "/readyz/bindings")[0], 403, "reasons are not for anybody")
        status, text = podium.https_get(self.podium.port, "/readyz/bindings", token=ADMIN_TOKEN)
        self.assertEqual(status, 500)
        self.assertIn('cannot create resource "pods/binding"', text)
        wait_until(lambda: self.podium.get("/livez") == (200, "ok"), "it lives: a restart would not help")
        wait_until(lambda: self.podium.metric('podium_bindings_total{result="rejected"}') > 0, "it is counted")
        wait_until(lambda: self.lines("health check failed check=bindings"), "it says so")
        self.doCleanups()
        self.bound("waits")
        self.ready()
        wait_until(lambda: self.lines("health check passes again check=bindings"), "it says so")
        self.assertEqual(len(self.lines("health check failed check=bindings")), 1)

    def test_without_the_right_to_write_events_pods_are_bound(self):
        self.take("create", "events")
        self.plane.create(pod("quiet"))
        self.bound("quiet")
        self.refused("create", "events")
        wait_until(lambda: self.podium.metric("podium_events_dropped_total") > 0, "it is counted")
        self.ready()

    def test_without_the_right_to_report_pods_are_bound(self):
        self.take("create", "schedulingreports")
        self.plane.create(pod("unreported"))
        self.bound("unreported")
        self.refused("create", "schedulingreports")
        wait_until(lambda: self.podium.metric("podium_reports_retried_total") > 0, "it is counted")
        self.doCleanups()
        self.report("unreported", "Scheduled")

    def test_without_the_right_to_write_conditions_it_says_so(self):
        self.take("patch", "pods/status")
        self.plane.create(pod("large", cpu="100"))
        self.refused("patch", "pods/status")


class Follower(Live):
    values = ["schedulerName=default-scheduler", "configuration.leaderElection.leaseDuration=20s",
              "configuration.leaderElection.renewDeadline=15s", "configuration.leaderElection.retryPeriod=1s"]

    def test_it_logs_the_holder_of_the_lease_and_the_next_holder(self):
        with podium.Podium(self.plane, name="second") as second:
            def held():
                leases = self.plane.get("/apis/coordination.k8s.io/v1/leases")["items"]
                return next((one for one in leases if "leader: acquired the lease" in self.podium.log()
                             and (one["spec"].get("holderIdentity") or "none") in self.podium.log()), None)
            lease = wait_until(held, "the first leads")
            name = f'{lease["metadata"]["namespace"]}/{lease["metadata"]["name"]}'
            holder = lease["spec"]["holderIdentity"]
            wait_until(lambda: f'another process holds the lease lease={name} holder="{holder}"' in second.log(),
                       "the follower names the leader")
            wait_until(lambda: "\npodium_lease_renewal_age_seconds " in self.podium.get("/metrics")[1], "the leader counts from its renewals")
            self.assertNotIn("\npodium_lease_renewal_age_seconds ", second.get("/metrics")[1])
            self.podium.process.signal(signal.SIGSTOP)
            try:
                wait_until(lambda: "leader: acquired the lease" in second.log(), "the second leads")
            finally:
                self.podium.process.signal(signal.SIGCONT)
            self.podium.process.wait()
            self.assertRegex(self.podium.log(), r'leader election lost, stopping error="lease \S+ was (lost to|not renewed)')


class Logs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane().start()
        cls.addClassCleanup(cls.plane.stop)
        podium.install(cls.plane, ["schedulerName=default-scheduler"])
        cls.plane.create(node("n1"))

    def test_json_without_secrets(self):
        token = self.plane.kubectl("create", "token", "podium", "-n", podium.NAMESPACE, "--duration", "1h").strip()
        ours = podium.Podium(self.plane, name="json", token=token, flags=["--logging-format=json", "-v=10"])
        with ours:
            self.plane.create(pod("a"))
            wait_until(lambda: podium.report_of(self.plane, "default", "a"), "a report")
            podium.https_get(ours.port, "/metrics", token=ADMIN_TOKEN)
            podium.https_get(ours.port, "/metrics", token="wrong-token-of-somebody")
            self.assertEqual(ours.stop(), 0)
        lines = [json.loads(line) for line in ours.log().splitlines()]
        self.assertGreater(len(lines), 20)
        for line in lines:
            self.assertLessEqual({"ts", "level", "v", "msg"}, set(line))
        synced, = [line for line in lines if line["msg"] == "caches synced"]
        self.assertEqual(synced["nodes"], "1")
        for secret in (token, ADMIN_TOKEN, "wrong-token-of-somebody", "Bearer"):
            self.assertNotIn(secret, ours.log())

    def test_signals(self):
        with podium.Podium(self.plane, name="signals") as ours:
            ours.process.signal(signal.SIGUSR1)
            ours.process.signal(signal.SIGUSR2)
            for line in ("cache: summary nodes=1", "cache matches the API server nodes=1", "n1 pods="):
                wait_until(lambda: line in ours.log(), line)
            wait_until(lambda: ours.get("/readyz") == (200, "ok"), "podium ready")
            self.assertEqual(ours.stop(), 0)

    def test_a_full_disk_is_an_error(self):
        config = self.plane.dir / "config.yaml"
        config.write_text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n")
        for words in (["config", "view", config], ["version"], ["run", "--help"]):
            with self.subTest(words[0]), open("/dev/full", "w") as full:
                done = subprocess.run([podium.PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True,
                                      env=os.environ, timeout=120, check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn("cannot write to standard output", done.stderr)

    def test_it_says_that_memory_has_run_out(self):
        # The last ones: in OpenSSL, which uses malloc(), and where a thread is started.
        for kib in (*range(60_000, 130_000, 10_000), 111_000, 117_000, 121_000, 123_000):
            with self.subTest(kib):
                line = f"ulimit -v {kib}; exec {podium.PROGRAM} run --master https://127.0.0.1:1 --secure-port {free_ports(1)[0]}"
                ours = Process(["sh", "-c", line], self.plane.dir / f"with-{kib}.log")
                self.addCleanup(ours.stop)
                # The flags are enough if podium gets as far as asking for the API server, or for a thread that reads its credentials.
                words = ("127.0.0.1:1", "the system has no free thread")
                wait_until(lambda: not ours.alive() or any(each in ours.log.read_text() for each in words), "its first words or its end")
                self.assertIn(ours.stop(), (0, 1), ours.tail())
                self.assertIn("podium", ours.tail())


if __name__ == "__main__":
    unittest.main()
