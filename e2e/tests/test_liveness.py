"""/livez fails while a thread of podium is stuck, and recovers with it."""
import ctypes
import os
import pathlib
import re
import threading
import unittest

from e2e.support import podium
from e2e.support.control_plane import ControlPlane, wait_until

PTRACE_ATTACH, PTRACE_DETACH, WAIT_ANY_THREAD = 16, 17, 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, thread, data=0):
    if LIBC.ptrace(request, thread, None, data) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")


class Stuck:
    """Stops one thread of a process, like an endless loop in it. ptrace requires one thread for attach and detach."""

    def __init__(self, pid, name):
        tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
        self.thread = next(int(task.name) for task in tasks if (task / "comm").read_text().strip() == name)
        self.held, self.release = threading.Event(), threading.Event()
        self.holder = threading.Thread(target=self.hold)

    def hold(self):
        ptrace(PTRACE_ATTACH, self.thread)
        os.waitpid(self.thread, WAIT_ANY_THREAD)
        self.held.set()
        self.release.wait()
        ptrace(PTRACE_DETACH, self.thread)

    def __enter__(self):
        self.holder.start()
        if not self.held.wait(120):
            raise AssertionError("the thread was not held")
        return self

    def __exit__(self, *_):
        self.release.set()
        self.holder.join()


class Liveness(unittest.TestCase):
    def test_a_stuck_scheduling_strand(self):
        plane = ControlPlane().start()
        self.addCleanup(plane.stop)
        podium.install(plane, ["schedulerName=default-scheduler"])
        scheduler = podium.Podium(plane).start()
        self.addCleanup(scheduler.stop)
        wait_until(lambda: scheduler.get("/livez")[0] == 200, "/livez passes")
        with Stuck(scheduler.process.pid, "scheduling"):
            wait_until(lambda: scheduler.get("/livez")[0] == 500, "/livez fails")
            wait_until(lambda: re.search(r"\[-\]\S*strand", scheduler.get("/livez?verbose")[1]), "it names the strand")
        wait_until(lambda: scheduler.get("/livez")[0] == 200, "/livez recovers")
        self.assertEqual(scheduler.stop(), 0)


if __name__ == "__main__":
    unittest.main()
