"""The schedulers that benchmarks compare, each on a control plane of its own, and how the figures are taken and printed."""
import json
import os
import pathlib
import ssl
import subprocess
import sys
import time
import urllib.request

from e2e.support import podium
from e2e.support.control_plane import BIN, ControlPlane, Process, environment, free_ports, wait_until
from e2e.support.usage import cpu_seconds

SCHEDULER = "default-scheduler"


def say(text):
    print(text, file=sys.stderr, flush=True)


def output(*argv):
    return subprocess.run([str(a) for a in argv], check=True, text=True, capture_output=True).stdout.strip()


class Plane(ControlPlane):
    """A control plane whose API server collects garbage as it does everywhere: tests make it rare, to start faster."""
    api_environment = {}


class KubeScheduler:
    """kube-scheduler with its defaults, except for the client-side rate limit, which would dominate the results."""

    def __init__(self, plane):
        self.dir = plane.dir / "kube-scheduler"
        self.dir.mkdir(exist_ok=True)
        self.port = free_ports(1)[0]
        self.config = self.dir / "config.json"
        self.config.write_text(json.dumps({
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "leaderElection": {"leaderElect": False},
            "clientConnection": {"kubeconfig": str(plane.write_kubeconfig(self.dir / "kubeconfig")),
                                 "qps": 5000, "burst": 5000}}))

    def __enter__(self):
        self.process = Process([BIN / "kube-scheduler", "--config", self.config, "--bind-address", "127.0.0.1",
                                "--secure-port", self.port, "--cert-dir", self.dir], self.dir / "log", env=environment())
        wait_until(self.ready, "kube-scheduler ready", 120, 0.2)
        return self

    def __exit__(self, *_):
        self.process.stop()

    @staticmethod
    def reports_waiting():
        return 0

    def ready(self):
        if not self.process.alive():
            raise RuntimeError(f"kube-scheduler has ended:\n{self.process.tail()}")
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        try:
            with urllib.request.urlopen(f"https://127.0.0.1:{self.port}/readyz", context=context, timeout=5) as reply:
                return reply.status == 200
        except OSError:
            return False


class Podium(podium.Podium):
    def reports_waiting(self):
        return self.metric('podium_reports_pending')


def scheduler_for(part, plane):
    if part == "kube-scheduler":
        return KubeScheduler(plane)
    reports = "false" if part == "podium without reports" else "true"
    podium.install(plane, [f"schedulerName={SCHEDULER}", f"podium.reports.enabled={reports}",
                           *podium.NO_ELECTION])
    return Podium(plane)


def quiet(scheduler, seconds=300):
    """Waits until the scheduler is idle, so that the events and reports after the bindings are counted for this workload.
    Returns its CPU seconds."""
    deadline = time.monotonic() + seconds
    last = cpu_seconds(scheduler.process.pid)
    while time.monotonic() < deadline:
        time.sleep(1)  # measures CPU time over one second: no signal says that the scheduler is idle
        now = cpu_seconds(scheduler.process.pid)
        if now - last < 0.03 and scheduler.reports_waiting() == 0:
            return now
        last = now
    say(f"   still busy after {seconds} s")
    return last


def drive(plane, *flags):
    """Returns drive's result. If pods stayed unbound, drive reports it and the figures are still valid."""
    done = subprocess.run([str(a) for a in (BIN / "drive", "--kubeconfig", plane.kubeconfig, *flags)], text=True,
                          capture_output=True, env=environment())
    if done.returncode:
        say(f"   {done.stderr.strip()}")
    if done.returncode and not done.stdout:
        raise RuntimeError(f"drive {' '.join(map(str, flags))} failed")
    return json.loads(done.stdout) if done.stdout else None


def machine():
    lscpu = dict(line.split(":", 1) for line in output("lscpu").splitlines() if ":" in line)
    memory = int(pathlib.Path("/proc/meminfo").read_text().split()[1]) / 1024 / 1024
    return f"{lscpu['Model name'].strip()}, {os.cpu_count()} cores, {memory:.0f} GiB, Linux {os.uname().release}"


def versions():
    return {"podium": output(podium.PROGRAM, "version"), "kube-scheduler": output(BIN / "kube-scheduler", "--version"),
            "kube-apiserver": output(BIN / "kube-apiserver", "--version"),
            "etcd": output(BIN / "etcd", "--version").splitlines()[0]}


def table(header, rows):
    print("\n| " + " | ".join(header) + " |\n| --- |" + " ---: |" * (len(header) - 1))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
