"""A control plane that runs controllers and lets nodes join, as an installer sets it up."""
import pathlib

from e2e.support.control_plane import ADMIN_TOKEN, BIN, ControlPlane, environment
from e2e.support.oracle import kube_scheduler
from e2e.support.ports import free_ports
from e2e.support.processes import Process

NODE = "node"
NODE_TOKEN, PROXY_TOKEN, SCHEDULER_TOKEN = "node-token", "proxy-token", "scheduler-token"
# It releases the lease when it is stopped, and does not lose it on a slow machine.
ELECTION = {"leaderElect": True, "leaseDuration": "60s", "renewDeadline": "40s", "retryPeriod": "1s"}


class Cluster(ControlPlane):
    """etcd, kube-apiserver, kube-controller-manager, and kube-scheduler as the default scheduler. `address` is where
    nodes reach the API server; None: it serves the loopback only."""

    admission_off = ()
    users = ((ADMIN_TOKEN, "admin", "system:masters"), (NODE_TOKEN, f"system:node:{NODE}", "system:nodes"),
             (PROXY_TOKEN, "system:kube-proxy", "system:authenticated"),
             (SCHEDULER_TOKEN, "system:kube-scheduler", "system:authenticated"))

    def __init__(self, directory, address=None):
        flags = ["--client-ca-file", pathlib.Path(directory) / "ca.crt"]
        if address:
            self.names = (*ControlPlane.names, f"IP:{address}", "IP:10.0.0.1")
            flags += ["--bind-address", "0.0.0.0", "--advertise-address", address, "--authorization-mode", "Node",
                     "--enable-admission-plugins", "NodeRestriction",
                     "--kubelet-preferred-address-types", "InternalIP"]
        super().__init__(directory, keep=True, api_flags=flags)
        self.address = address or "127.0.0.1"
        self.controllers = self.scheduler = None
        self.schedulers = 0

    @property
    def url(self):
        return f"https://{self.address}:{self.api_port}"

    def _start(self):
        super()._start()
        d = self.dir
        self.controllers = Process([
            BIN / "kube-controller-manager", "--kubeconfig", self.kubeconfig, "--leader-elect=false",
            "--root-ca-file", d / "ca.crt", "--service-account-private-key-file", d / "sa.key",
            "--use-service-account-credentials", "--flex-volume-plugin-dir", d / "flex",
            "--cert-dir", d / "controllers", "--bind-address", "127.0.0.1", "--secure-port", free_ports(1)[0]],
            d / "controllers.log", env=environment())
        self.start_scheduler()

    def start_scheduler(self):
        self.schedulers += 1
        name = f"kube-scheduler-{self.schedulers}"
        self.scheduler = kube_scheduler(self, name=name, leaderElection=ELECTION)

    def stop_scheduler(self):
        self.scheduler.stop()

    def stop(self):
        for process in (self.scheduler, self.controllers):
            if process:
                process.stop()
        super().stop()
