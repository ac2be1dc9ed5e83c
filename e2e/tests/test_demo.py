"""Runs the demo as a user does."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

from e2e.demo import cluster
from e2e.support import podium
from e2e.support.control_plane import ROOT, wait_until
from e2e.tests.test_processes import descendants, wait_gone

RENDERED = ROOT / "e2e/demo/podium.yaml"


class Demo(unittest.TestCase):
    def start(self):
        """Starts the demo with --keep and waits for its end. Returns (demo, its processes)."""
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.output = pathlib.Path(directory.name) / "output"
        with open(self.output, "wb") as output:
            demo = subprocess.Popen([sys.executable, ROOT / "e2e/demo/run", "--keep"], stdout=output, stderr=subprocess.STDOUT,
                                    env={**os.environ, "TMPDIR": directory.name})
        self.addCleanup(demo.wait)
        self.addCleanup(demo.kill)

        def shown():
            self.assertIsNone(demo.poll(), self.text())
            return "Ctrl-C stops everything" in self.text()
        wait_until(shown, "the demo's end", 600)
        processes = descendants(demo.pid)
        self.assertEqual(sorted(processes.values()), ["etcd", "kube-apiserver", "podium"])
        return demo, processes

    def text(self):
        return self.output.read_text(errors="replace")

    def test_it_shows_every_decision_and_stops_at_ctrl_c(self):
        demo, processes = self.start()
        expected = len(cluster.pods())
        self.assertIn(f"{expected} of {expected} decisions reported", self.text())
        demo.send_signal(signal.SIGINT)
        self.assertEqual(demo.wait(180), 0, self.text())
        wait_gone(processes)
        self.assertEqual([path.name for path in self.output.parent.iterdir()], ["output"])

    def test_it_sees_that_a_process_has_died(self):
        for name in ("podium", "kube-apiserver"):
            with self.subTest(name):
                demo, processes = self.start()
                [victim] = [pid for (pid, _), command in processes.items() if command == name]
                os.kill(victim, signal.SIGKILL)
                self.assertEqual(demo.wait(180), 1, self.text())
                self.assertIn(f"{name} was killed by SIGKILL", self.text())
                log = pathlib.Path(re.search(r"the last lines of (\S+):", self.text())[1])
                self.assertTrue(self.text().rstrip().endswith(log.read_text(errors="replace").splitlines()[-1]))
                wait_gone(processes)


class Manifests(unittest.TestCase):
    def test_they_are_what_the_chart_renders(self):
        rendered = podium.render(files=[RENDERED.with_name("values.yaml")], crds=False)
        self.assertEqual(RENDERED.read_text().partition("\n")[2], rendered, "run e2e/demo/render")


if __name__ == "__main__":
    unittest.main()
