"""podium as a process, as the chart runs it."""
import json
import os
import pathlib
import re
import subprocess
import urllib.error
import urllib.request

from .authorization import await_rights
from .connections import unverified
from .control_plane import ADMIN_TOKEN, BIN, ROOT, Process, Service, environment, free_ports, wait_until

# PODIUM_PROGRAM=build/asan/podium runs the same tests with a sanitizer.
PROGRAM = ROOT / os.environ.get("PODIUM_PROGRAM", "build/release/podium")
SANITIZER_FINDING = re.compile(r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:")
NAMESPACE = "podium-system"
# kube-scheduler's, which the chart uses with schedulerName=default-scheduler.
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"
CHART = ROOT / "charts/podium"
CRDS = CHART / "files/crds"
# Values for one podium without an election. The Deployment's pods, which do not run here, must not wait for podium.
NO_ELECTION = ["leaderElection.leaderElect=false", "replicas=1", "podSchedulerName=another"]
# A lease that a leader keeps even if the machine stalls for a while. A leader that stops in order releases it immediately.
STEADY = [f"configuration.leaderElection.{field}={time}" for field, time in (
    ("leaseDuration", "120s"), ("renewDeadline", "90s"), ("retryPeriod", "1s"))]
PROBES = ("/healthz", "/livez", "/readyz")


class RenderError(Exception):
    """helm refuses the values. The message is helm's."""


def render(values=(), release="podium", crds=True, namespace=NAMESPACE, files=(), hooks=False):
    """Returns the manifests that helm renders from the chart; with hooks, also those of `helm test`."""
    argv = [BIN / "helm", "template", release, CHART, "-n", namespace, *([] if hooks else ["--no-hooks"])]
    for file in files:
        argv += ["--values", file]
    for value in [*values, *([] if crds else ["crds.install=false"])]:
        argv += ["--set", value]
    done = subprocess.run(argv, capture_output=True, text=True)
    if done.returncode:
        raise RenderError(done.stderr)
    return done.stdout


def install(plane, values=()):
    """Applies the chart to the API server: CRD, ServiceAccount, RBAC, ConfigMap (and a Deployment, which no controller runs). With a
    long lease, unless the values set the election."""
    steady = [] if any("leaderElection." in value for value in values) else STEADY
    apply(plane, render([*values, *steady]))


def install_rendered(plane, path):
    """Like install(), from the CRDs and a file with the other rendered manifests."""
    files = [*sorted(CRDS.glob("*.yaml")), pathlib.Path(path)]
    apply(plane, "\n---\n".join(file.read_text() for file in files))


def apply(plane, manifests):
    if plane.request("GET", f"/api/v1/namespaces/{NAMESPACE}")[0] == 404:
        plane.kubectl("create", "namespace", NAMESPACE)
    plane.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=manifests)
    wait_until(lambda: plane.request("GET", "/apis/podium.dev/v1alpha1/schedulingreports")[0] == 200, "the CRD is served")
    await_rights(plane)


def https_get(port, path, token=None, method="GET", certificate=None, timeout=30, accept=None):
    """Returns (status, text) of a scheduler's HTTPS port on the loopback; (0, reason) if it does not answer."""
    context = unverified(*(certificate or ()))
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if accept:
        headers["Accept"] = accept
    request = urllib.request.Request(f"https://127.0.0.1:{port}{path}", headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, context=context, timeout=timeout) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)


class Podium(Service):
    """`podium run` under the chart's ServiceAccount and configuration."""

    def __init__(self, plane, config=None, name="podium", program=PROGRAM, token=None, server=None, flags=()):
        self.plane, self.name, self.program, self.flags = plane, name, program, list(flags)
        self.dir = plane.dir / name
        self.dir.mkdir(exist_ok=True)
        self.port = free_ports(1)[0]
        self.config = self.dir / "config.yaml"
        if config is None:
            config = plane.kubectl("get", "configmap", "podium", "-n", NAMESPACE, "-o", r"jsonpath={.data.config\.yaml}")
        self.config.write_text(config)
        if token is None:
            token = plane.kubectl("create", "token", "podium", "-n", NAMESPACE, "--duration", "8h").strip()
        self.kubeconfig = plane.write_kubeconfig(self.dir / "kubeconfig", token=token, server=server)
        self.process = None

    def _start(self, wait=True):
        self.process = Process([self.program, "run", "--config", self.config, "--kubeconfig", self.kubeconfig,
                                "--secure-port", self.port, "--bind-address", "127.0.0.1", *self.flags],
                               self.dir / "log", env=environment())
        if wait:
            self.wait_ready()

    def wait_ready(self, seconds=180):
        def ready():
            if not self.process.alive():
                raise RuntimeError(f"podium has ended with {self.process.popen.returncode}:\n{self.process.tail()}")
            return self.get("/readyz")[0] == 200
        wait_until(ready, "podium ready", seconds)

    def stop(self):
        """Stops podium and returns the exit code. A sanitizer's finding raises AssertionError."""
        if not self.process:
            return None
        was_alive = self.process.alive()
        code = self.process.stop()
        if not was_alive and not self.process.log.exists():
            return code  # already stopped, and its directory is gone
        log = self.log()
        if found := SANITIZER_FINDING.search(log):
            raise AssertionError(f"{self.name}: {log[found.start():found.start() + 8000]}")
        return code

    def get(self, path):
        """Returns (status, text) of its diagnostics server, or (0, reason) without an answer. Probes send no token."""
        return https_get(self.port, path, token=None if path.partition("?")[0] in PROBES else ADMIN_TOKEN)

    def metric(self, prefix):
        """Returns the sum of the samples that start with this text."""
        def served():
            status, text = self.get("/metrics")
            return text if status == 200 else None
        lines = wait_until(served, f"the metrics of {self.name}").splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(prefix))

    def log(self):
        return pathlib.Path(self.process.log).read_text(errors="replace")


def report_of(plane, namespace, name):
    """Returns the pod's report, or None."""
    path = f"/apis/podium.dev/v1alpha1/namespaces/{namespace}/schedulingreports/{name}"
    status, body, _ = plane.patiently("GET", path)
    return body if status == 200 else None


def status_of(plane, namespace, name, outcome=None):
    """Returns the status of a report, once podium has written it: podium first creates a report and then fills it. With an outcome,
    waits for this one: the first decision on a pod may have missed objects that were created with the pod."""
    def written():
        status = (report_of(plane, namespace, name) or {}).get("status")
        return status if status and outcome in (None, status.get("outcome")) else None
    return wait_until(written, f"status of report {name}" + (f": {outcome}" if outcome else ""))


def condition(obj, kind):
    return next((c for c in (obj or {}).get("status", {}).get("conditions", []) if c["type"] == kind), None)


def show(obj):
    return json.dumps(obj, indent=1)
