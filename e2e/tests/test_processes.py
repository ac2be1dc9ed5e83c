"""Processes that tests and the demo start end with them, however they end."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

from e2e.support.control_plane import ROOT, free_ports, wait_until

RUNNER = """
import sys, threading
sys.path.insert(0, {root!r})
from e2e.support.processes import Process, Service, run_program

class Sleeper(Service):
    def _start(self):
        self.process = Process(["sleep", "1000"], {log!r})
    def stop(self):
        self.process.stop()

def main():
    thread = threading.Thread(target=lambda: Sleeper().start())
    thread.start()
    thread.join()  # the child outlives the thread that asked for it
    print("started", flush=True)
    threading.Event().wait()

run_program(main)
"""


def identity(pid):
    """Returns a process's identity: pid and start time. None if it does not exist or is a zombie."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else (pid, fields[19])


def children_of(task):
    try:
        return task.read_text().split()
    except (FileNotFoundError, ProcessLookupError):  # the thread has ended in the meantime
        return []


def descendants(pid):
    """Returns the descendants of a process: {identity: command}."""
    found = {}
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, children_of(task)):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended in the meantime
                if who := identity(child):
                    found[who] = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")[0].decode().rpartition("/")[2]
                    found |= descendants(child)
    return found


def wait_gone(processes):
    wait_until(lambda: not any(identity(pid) == (pid, start) for pid, start in processes), f"the end of {processes}")


class Runners(unittest.TestCase):
    def run_until_started(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        text = RUNNER.format(root=str(ROOT), log=self.dir.name + "/log")
        runner = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
        self.addCleanup(runner.stdout.close)
        self.addCleanup(runner.wait)
        self.addCleanup(runner.kill)
        self.assertEqual(runner.stdout.readline(), "started\n")
        children = wait_until(lambda: {k: v for k, v in descendants(runner.pid).items() if v == "sleep"}, "its child")
        self.assertEqual(list(children.values()), ["sleep"])
        return runner, children

    def test_a_runner_that_is_terminated_stops_its_processes(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                runner, children = self.run_until_started()
                runner.send_signal(number)
                self.assertEqual(runner.wait(120), 128 + number)
                wait_gone(children)

    def test_a_runner_that_is_killed_ends_its_children(self):
        runner, children = self.run_until_started()
        runner.kill()
        runner.wait()
        wait_gone(children)


class LiveTests(unittest.TestCase):
    """Interrupts a file of live tests while its control plane runs."""

    def interrupt(self, number):
        argv = [sys.executable, "-m", "unittest", "e2e.tests.test_faults"]
        # Further processes of a killed runner may still write while they end.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
            runner = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                      env={**os.environ, "TMPDIR": directory})
            try:
                def started():
                    processes = descendants(runner.pid)
                    return processes if {"etcd", "kube-apiserver"} <= set(processes.values()) else None
                processes = wait_until(started, "its control plane", 300)
                runner.send_signal(number)
                code = runner.wait(180)
            finally:
                runner.kill()
                runner.wait()
            wait_gone(processes)
            left = [path.name for path in pathlib.Path(directory).iterdir()]
        return code, left

    def test_interrupted(self):
        code, left = self.interrupt(signal.SIGINT)
        self.assertNotEqual(code, 0)
        self.assertEqual(left, [])

    def test_killed(self):
        self.assertEqual(self.interrupt(signal.SIGKILL)[0], -signal.SIGKILL)


class Ports(unittest.TestCase):
    def test_no_two_callers_get_the_same_port(self):
        ask = "from e2e.support.ports import free_ports; print(*free_ports(50), flush=True); input()"
        others = [subprocess.Popen([sys.executable, "-c", ask], cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                  for _ in range(4)]
        ports = free_ports(50)
        for other in others:
            ports += map(int, other.stdout.readline().split())
        for other in others:
            other.communicate("\n")
        self.assertEqual(len(set(ports)), 250)


if __name__ == "__main__":
    unittest.main()
