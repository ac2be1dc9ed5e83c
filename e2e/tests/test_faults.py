"""Faults that podium survives, on the real API server. Wire faults have scripted servers in unit/client."""
import json
import os
import signal
import subprocess
import tempfile
import pathlib
import unittest

from e2e.support import podium
from e2e.support.control_plane import ROOT, environment, free_ports, wait_until
from e2e.tests.base import Live, node, pod

CRD = "schedulingreports.podium.dev"
CRASHES = 20


class Faults(Live):
    # Without election, since a leader that cannot renew its lease must end.
    values = ["schedulerName=default-scheduler", *podium.NO_ELECTION]
    nodes = [node("n1", cpu="32"), node("n2", cpu="32")]

    def test_api_server_killed_and_restarted(self):
        self.plane.create(pod("before"))
        self.report("before", "Scheduled")
        pid = self.podium.process.pid
        self.plane.api.kill()
        wait_until(lambda: self.podium.get("/readyz")[0] == 500, "podium says that it is not ready")
        self.plane.start_api()
        self.plane.create(pod("after"))
        self.bound("after")
        self.report("after", "Scheduled")
        self.podium.wait_ready()
        self.assertEqual(self.podium.process.pid, pid)
        self.assertTrue(self.podium.process.alive())

    def test_api_server_that_crashes_again_and_again(self):
        pid = self.podium.process.pid
        names = [f"through-{i}" for i in range(CRASHES)]
        for name in names:
            self.plane.api.kill()
            self.plane.start_api()
            self.plane.create(pod(name))
        for name in names:
            self.bound(name)
            self.report(name, "Scheduled")
        self.podium.wait_ready()
        self.assertEqual(self.podium.process.pid, pid)
        self.assertTrue(self.podium.process.alive())

    def test_missing_crd_pauses_reports_only(self):
        crd = json.loads(self.plane.kubectl("get", "crd", CRD, "-o", "json"))
        warning = "reports are paused, scheduling continues: the API server does not serve SchedulingReports"
        self.plane.kubectl("delete", "crd", CRD)
        names = [f"unreported-{i}" for i in range(5)]
        for name in names:
            self.plane.create(pod(name))
        for name in names:
            self.bound(name)
        wait_until(lambda: warning in self.podium.log(), "the warning")
        self.plane.kubectl("apply", "--server-side", "-f", "-", stdin=json.dumps(
            {k: crd[k] for k in ("apiVersion", "kind", "spec")} | {"metadata": {"name": CRD}}))
        for name in names:
            self.report(name, "Scheduled")
        self.assertEqual(self.podium.log().count(warning), 1)

    def test_recreated_pod_is_another_pod(self):
        first = self.plane.create(pod("phoenix"))["metadata"]["uid"]
        self.bound("phoenix")
        self.plane.kubectl("delete", "pod", "phoenix", "--grace-period=0", "--force")
        second = self.plane.create(pod("phoenix"))["metadata"]["uid"]
        self.assertNotEqual(first, second)
        self.bound("phoenix")


class Stopping(Live):
    nodes = [node("n1")]

    def lease(self):
        return self.plane.get(podium.LEASE)["spec"]

    def ends_well(self, running, name, stop):
        """Stops podium after it has placed a pod, and checks that nothing is left behind."""
        self.plane.create(pod(name))
        self.bound(name)
        self.assertTrue(self.lease()["holderIdentity"])
        stop(running.process)
        self.assertEqual(running.process.wait(), 0, running.process.tail())
        self.assertFalse(self.lease().get("holderIdentity"))
        self.assertIsNotNone(podium.report_of(self.plane, "default", name))  # drained before the end

    def test_a_signal_ends_it_well_and_the_next_takes_over(self):
        self.ends_well(self.podium, "first", lambda process: process.signal(signal.SIGTERM))
        with podium.Podium(self.plane, name="second") as second:
            # To the whole group, like a terminal's Ctrl-C.
            self.ends_well(second, "second", lambda process: os.killpg(process.pid, signal.SIGINT))
        with podium.Podium(self.plane, name="third") as third:
            self.ends_well(third, "third", lambda process: process.signal(signal.SIGHUP))  # its terminal is closed
            self.assertIn("stopping signal=SIGHUP", third.log())

    def test_ctrl_c_ends_it_before_it_has_found_an_api_server(self):
        nowhere = f"https://127.0.0.1:{free_ports(1)[0]}"
        lost = podium.Podium(self.plane, name="lost", server=nowhere).start(wait=False)
        self.addCleanup(lost.stop)
        wait_until(lambda: lost.get("/livez")[0], "its HTTPS port answers")
        os.killpg(lost.process.pid, signal.SIGINT)
        self.assertEqual(lost.process.wait(), 0, lost.process.tail())


class BadInput(unittest.TestCase):
    """Invalid input gives exit code 2 before anything starts, with all findings: file, path and reason."""

    def run_podium(self, config=None, kubeconfig=None, *flags, before=(), program=podium.PROGRAM):
        with tempfile.TemporaryDirectory() as directory:
            argv = [*before, program, "run", *flags]
            for flag, text in (("--config", config), ("--kubeconfig", kubeconfig)):
                if text is not None:
                    path = pathlib.Path(directory) / flag.strip("-")
                    path.write_text(text)
                    argv += [flag, path]
            return subprocess.run(argv, capture_output=True, text=True, timeout=120, env=environment(HOME=directory))

    def test_configuration(self):
        done = self.run_podium("""apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 0
profles: []
percentageOfNodesToScore: 101
---
apiVersion: config.podium.dev/v1alpha1
kind: PodiumConfiguration
reports: {ttl: -5m, enabld: true}
""")
        self.assertEqual(done.returncode, 2, done.stderr)
        for words in ("profles", "reports.enabld", "reports.ttl", "config:4"):
            self.assertIn(words, done.stderr)

    def test_kubeconfig(self):
        done = self.run_podium(None, "clusters: [")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("kubeconfig", done.stderr)

    def test_too_few_file_descriptors(self):
        user = ("clusters: [{name: c, cluster: {server: 'http://127.0.0.1:9'}}]\nusers: [{name: u, user: {}}]\n"
                "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n")
        # Not a sanitizer's program: without descriptors these have findings of their own.
        done = self.run_podium(None, user, before=["prlimit", "--nofile=8"], program=ROOT / "build/release/podium")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Too many open files", done.stderr)

    def test_wrong_command_lines(self):
        for line, words in {
            "run --secure-prot=1": 'podium run: unknown flag "--secure-prot"\nDid you mean --secure-port?\nRun "podium run --help"',
            "run --confg x": 'podium run: unknown flag "--confg"\nDid you mean --config?\n',
            "run x": 'podium run: unexpected argument "x"\n',
            "--confg x": 'podium: unknown flag "--confg"\n',
            "wy web": 'podium: unknown command "wy"\nDid you mean why?\n',
            "config vew x": 'podium config: unknown command "vew"\nDid you mean view?\n',
            "config --foo view x": 'podium config: unknown flag "--foo"\n',
            "why --namespce x": 'podium why: unknown flag "--namespce"\nDid you mean --namespace?\n',
            "-n prod why web": 'podium: unknown flag "-n"\nPut -n after the command: podium why -n\n',
            "diff": "podium diff: A is required\n",
            "": "podium: A subcommand is required\n",
        }.items():
            with self.subTest(line):
                done = subprocess.run([podium.PROGRAM, *line.split()], capture_output=True, text=True, timeout=120)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr.startswith(words), done.stderr)
                self.assertRegex(done.stderr, r'\nRun "podium.* --help" for usage\.\n\Z')


if __name__ == "__main__":
    unittest.main()
