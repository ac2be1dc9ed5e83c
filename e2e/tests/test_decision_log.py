"""`podium run --decision-log`: a line of JSON for each attempt that ends, also where reports are off; a reader that does not read
delays no binding."""
import json
import os
import re
import tempfile
import unittest

from e2e.support import podium
from e2e.support.control_plane import wait_until
from e2e.tests import base


class ToAFile(base.Live):
    values = ["schedulerName=default-scheduler", "podium.reports.enabled=false", "podium.httpAPI.enabled=false"]
    nodes = (base.node("n1", cpu="2"),)

    @classmethod
    def connect(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.file = f"{directory.name}/decisions"
        return podium.Podium(cls.plane, flags=[f"--decision-log={cls.file}"])

    def lines(self, name):
        with open(self.file) as lines:
            return [each for each in map(json.loads, lines) if each["name"] == name]

    def test_a_line_for_each_attempt(self):
        self.plane.create(base.pod("small"))
        self.plane.create(base.pod("large", cpu="3"))
        [placed] = wait_until(lambda: self.lines("small"), "the line of a placed pod")
        self.assertEqual((placed["namespace"], placed["outcome"], placed["node"]), ("default", "Scheduled", "n1"))
        self.assertGreater(placed["bindMicroseconds"], 0)
        waits = wait_until(lambda: self.lines("large"), "the line of a waiting pod")[0]
        self.assertEqual(waits["outcome"], "Unschedulable")
        self.assertEqual(waits["rejection"]["code"], "InsufficientResource")
        written = r'podium_decision_log_lines_total\{result="written"\} (\d+)'
        self.assertGreaterEqual(int(re.search(written, self.podium.get("/metrics")[1])[1]), 2)


class WithoutAReader(base.Live):
    nodes = (base.node("n1", cpu="8"),)

    @classmethod
    def connect(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        pipe = f"{directory.name}/pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        cls.addClassCleanup(os.close, reader)
        # A full pipe: each further line has to wait.
        writer = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        try:
            while True:
                os.write(writer, b"x" * 4096)
        except BlockingIOError:
            os.close(writer)
        return podium.Podium(cls.plane, flags=[f"--decision-log={pipe}"])

    def test_pods_are_placed_and_podium_stops(self):
        for number in range(5):
            self.plane.create(base.pod(f"p{number}"))
        for number in range(5):
            self.bound(f"p{number}")
        self.assertEqual(self.podium.stop(), 0)


if __name__ == "__main__":
    unittest.main()
