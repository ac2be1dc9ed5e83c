"""Peers that do not answer: a frozen API server, silent connections, a paused leader.

Each takes a good part of a minute of waiting, so they run side by side, each on a control plane of its own.
"""
import concurrent.futures
import signal
import time
import unittest

from e2e.support import podium
from e2e.support.control_plane import ControlPlane, wait_until
from e2e.support.fault_proxy import FaultProxy
from e2e.tests.base import node, pod

FROZEN = 20  # seconds; a leader: twice its renew deadline
LEASE = [f"configuration.leaderElection.{field}={time}" for field, time in (
    ("leaseDuration", "15s"), ("renewDeadline", "10s"), ("retryPeriod", "2s"))]  # the defaults


class World:
    """A control plane behind a fault proxy, with helpers for the scenarios."""

    def __init__(self, values=()):
        self.plane = ControlPlane().start()
        self.proxy = FaultProxy(self.plane).start()
        podium.install(self.plane, ["schedulerName=default-scheduler", *values])
        self.plane.create(node("n1", cpu="32"))

    def podium(self, name):
        return podium.Podium(self.plane, name=name, server=self.proxy.url)

    def bound(self, name):
        live = lambda: self.plane.get(f"/api/v1/namespaces/default/pods/{name}")["spec"].get("nodeName")
        return wait_until(live, f"{name} bound")

    def place(self, name):
        self.plane.create(pod(name))
        self.bound(name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.proxy.stop()
        self.plane.stop()


def api_server_frozen():
    # Without election, since a leader that cannot renew its lease must end, which shows nothing about readiness.
    with World(podium.NO_ELECTION) as world, world.podium("podium") as scheduler:
        world.place("before")
        pid = scheduler.process.pid
        world.plane.api.signal(signal.SIGSTOP)
        try:
            wait_until(lambda: scheduler.get("/readyz")[0] == 500, "podium says that it is not ready")
            alive = wait_until(lambda: scheduler.get("/livez") == (200, "ok"), "podium says that it lives")
        finally:
            world.plane.api.signal(signal.SIGCONT)
        world.place("after")
        scheduler.wait_ready()
        return {"livez while it was not ready": alive, "same process": scheduler.process.pid == pid,
                "exit code": scheduler.stop()}


def connections_that_lead_nowhere():
    with World(podium.NO_ELECTION) as world, world.podium("podium") as scheduler:
        world.place("before")
        silenced = world.proxy.go_silent()
        world.place("after")
        scheduler.wait_ready()
        return {"connections were silenced": silenced > 0, "exit code": scheduler.stop()}


def leader_frozen():
    with World(LEASE) as world, world.podium("first") as first:
        world.place("before")
        bindings = world.proxy.watch("POST", "/binding$")
        first.process.signal(signal.SIGSTOP)
        try:
            for i in range(5):
                world.plane.create(pod(f"meanwhile-{i}"))
            time.sleep(FROZEN)
        finally:
            first.process.signal(signal.SIGCONT)
        code = first.process.wait()
        bound_by_first = len(bindings.seen)
        with world.podium("second") as second:
            for i in range(5):
                world.bound(f"meanwhile-{i}")
            return {"exit code of the first": code, "bindings after it woke": bound_by_first,
                    "exit code of the second": second.stop()}


class Silence(unittest.TestCase):
    scenarios = (api_server_frozen, connections_that_lead_nowhere, leader_frozen)

    @classmethod
    def setUpClass(cls):
        pool = concurrent.futures.ThreadPoolExecutor(len(cls.scenarios))
        cls.addClassCleanup(pool.shutdown)
        cls.runs = {scenario: pool.submit(scenario) for scenario in cls.scenarios}

    def test_an_api_server_that_is_frozen_is_detected(self):
        self.assertEqual(self.runs[api_server_frozen].result(),
                         {"livez while it was not ready": True, "same process": True, "exit code": 0})

    def test_connections_that_lead_nowhere_are_given_up(self):
        self.assertEqual(self.runs[connections_that_lead_nowhere].result(),
                         {"connections were silenced": True, "exit code": 0})

    def test_a_leader_that_was_frozen_binds_nothing_when_it_wakes(self):
        self.assertEqual(self.runs[leader_frozen].result(),
                         {"exit code of the first": 1, "bindings after it woke": 0, "exit code of the second": 0})


if __name__ == "__main__":
    unittest.main()
