"""A real etcd and kube-apiserver on free loopback ports, in a temporary directory."""
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import tempfile
import time

from .connections import Connections
from .ports import free_ports
from .processes import Process, Service, interrupted

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build/kube/bin"
ADMIN_TOKEN = "admin-token"
BUSY = (429, 500, 502, 503, 504)  # the answers of an API server while it or etcd cannot keep up
PATIENCE = 60                     # seconds in which a busy API server is asked again


def wait_until(true, what, seconds=120, interval=0.05):
    """Polls until true() is truthy and returns its value. Raises TimeoutError with `what`. The deadline is far away: it costs nothing
    if the state comes, and other processes of a busy machine may delay it. What takes longer is asked less often."""
    began = time.monotonic()
    deadline = began + seconds
    while True:
        value = true()
        if value:
            return value
        if interrupted.is_set():
            raise RuntimeError(f"{what}: interrupted")
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {seconds} s")
        # Polls, since not everything can notify.
        time.sleep(max(interval, min(0.25, (time.monotonic() - began) / 10)))


class ControlPlane(Service):
    """etcd and kube-apiserver (RBAC on)."""

    # Objects that a cluster with nodes and controllers would have.
    names = ("IP:127.0.0.1", "DNS:localhost", "DNS:kubernetes.default.svc")    # in the API server's certificate
    users = ((ADMIN_TOKEN, "admin", "system:masters"),)                       # token, user, group
    admission_off = ("ServiceAccount", "TaintNodesByCondition")                # pods do not need accounts, nodes do not need to be ready
    api_environment = {"GOGC": "1000", "GOMEMLIMIT": "1GiB"}                   # a quarter of a start's CPU for 100 MiB more

    def __init__(self, directory=None, keep=False, api_flags=(), etcd_quota=8 << 30, api_server=BIN / "kube-apiserver"):
        self.keep, self.etcd_quota = keep, etcd_quota  # bytes
        self.api_server = api_server  # the program
        self.dir = pathlib.Path(directory or tempfile.mkdtemp(prefix="podium-"))
        self.dir.mkdir(parents=True, exist_ok=True)
        self.api_flags = list(api_flags)
        self.etcd_port, self.etcd_peer, self.api_port = free_ports(3)
        self.etcd = self.api = None
        self.kubeconfig = self.dir / "kubeconfig"

    # --- life ---
    def _start(self):
        self._certificates()
        self._tokens()
        self.start_etcd()
        self.start_api()

    def start_etcd(self):
        url, peer = f"http://127.0.0.1:{self.etcd_port}", f"http://127.0.0.1:{self.etcd_peer}"
        self.etcd = Process([BIN / "etcd", "--data-dir", self.dir / "etcd", "--unsafe-no-fsync",
                             "--listen-client-urls", url, "--advertise-client-urls", url, "--listen-peer-urls", peer,
                             "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}",
                             "--heartbeat-interval", 20, "--election-timeout", 200,  # ms: the only member elects itself sooner
                             "--log-level", "error", "--quota-backend-bytes", self.etcd_quota], self.dir / "etcd.log")

    def start_api(self):
        d = self.dir
        self.api = Process([self.api_server, "--etcd-servers", f"http://127.0.0.1:{self.etcd_port}",
                            "--secure-port", self.api_port, "--bind-address", "127.0.0.1",
                            "--tls-cert-file", d / "server.crt", "--tls-private-key-file", d / "server.key",
                            "--cert-dir", d / "certs", "--service-account-issuer", "https://podium.test",
                            "--service-account-key-file", d / "sa.key", "--service-account-signing-key-file", d / "sa.key",
                            "--service-cluster-ip-range", "10.0.0.0/24", "--authorization-mode", "RBAC",
                            "--token-auth-file", d / "tokens.csv",
                            "--disable-admission-plugins", ",".join(self.admission_off),
                            "--max-requests-inflight", "2000", "--max-mutating-requests-inflight", "1000",
                            *self.api_flags], self.dir / "apiserver.log",
                           env=environment(**self.api_environment))
        self.wait_ready()

    def wait_ready(self, seconds=300):
        def ready():
            if not (self.api.alive() and self.etcd.alive()):
                raise RuntimeError(f"the control plane did not start:\n{self.etcd.tail(8)}\n{self.api.tail()}")
            try:
                return self.request("GET", "/readyz")[0] == 200
            except OSError:
                return False
        wait_until(ready, "kube-apiserver ready", seconds)
        wait_until(lambda: self.request("GET", "/api/v1/namespaces/default")[0] == 200, "the default namespace", seconds)

    def stop(self):
        for process in (self.api, self.etcd):
            if process and self.keep:
                process.stop(20)
            elif process:
                process.kill()  # kube-apiserver takes a second to stop in order, and the data is thrown away
        if not self.keep:
            shutil.rmtree(self.dir, ignore_errors=True)

    # --- access ---
    @property
    def url(self):
        return f"https://127.0.0.1:{self.api_port}"

    def write_kubeconfig(self, path, token=ADMIN_TOKEN, server=None):
        config = {"apiVersion": "v1", "kind": "Config", "current-context": "podium",
                  "clusters": [{"name": "podium", "cluster": {"server": server or self.url,
                                                              "certificate-authority": str(self.dir / "ca.crt")}}],
                  "users": [{"name": "podium", "user": {"token": token}}],
                  "contexts": [{"name": "podium", "context": {"cluster": "podium", "user": "podium"}}]}
        pathlib.Path(path).write_text(json.dumps(config))
        return pathlib.Path(path)

    def kubectl(self, *args, stdin=None, check=True, kubeconfig=None):
        """Returns kubectl's standard output; a failure raises with its standard error. Without check: the completed process."""
        done = subprocess.run([BIN / "kubectl", "--kubeconfig", kubeconfig or self.kubeconfig, *map(str, args)],
                              input=stdin, text=True, capture_output=True)
        if check and done.returncode:
            raise RuntimeError(f"kubectl {' '.join(map(str, args))}: {done.stderr.strip()}")
        return done.stdout if check else done

    def request(self, method, path, body=None, token=ADMIN_TOKEN, content_type="application/json"):
        """Returns (status, JSON or text); an HTTP error is a status, not an exception. No answer is an OSError or HTTPException."""
        status, text = self._connections.request(method, path, body, content_type, token)
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text.decode(errors="replace")

    def patiently(self, method, path, body=None, **how):
        """Like request(), but retries while the API server is busy. Returns (status, reply, whether it was busy)."""
        deadline, was_busy = time.monotonic() + PATIENCE, False
        while True:
            status, reply = self.request(method, path, body, **how)
            if status not in BUSY or time.monotonic() > deadline:
                return status, reply, was_busy
            was_busy = True
            time.sleep(0.5)  # it asks for it

    def get(self, path):
        status, body, _ = self.patiently("GET", path)
        if status != 200:
            raise RuntimeError(f"GET {path}: {status}: {body}")
        return body

    def create(self, obj, namespace=None):
        """Creates one object through the API; the path comes from its kind. After a PriorityClass, pods may name it."""
        path = collection(obj, namespace)
        status, body, was_busy = self.patiently("POST", path, obj)
        if status == 409 and was_busy:  # the first try created it
            return self.get(f"{path}/{obj['metadata']['name']}")
        if status not in (200, 201):
            raise RuntimeError(f"create {obj['kind']} {obj['metadata'].get('name')}: {status}: {body}")
        if obj["kind"] == "PriorityClass":
            self.await_priority_class(obj["metadata"]["name"])
        return body

    def mark_running(self, namespace, name, may_be_gone=False):
        """Marks a pod as running and ready, as its kubelet would. Disruption budgets protect only such pods."""
        status = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
        code, body = self.request("PATCH", f"/api/v1/namespaces/{namespace}/pods/{name}/status", status,
                                  content_type="application/strategic-merge-patch+json")
        if code != 200 and not (may_be_gone and code == 404):
            raise RuntimeError(f"mark {namespace}/{name} as running: {code}: {body}")

    def await_priority_class(self, name):
        """Waits until the cache of admission has the class."""
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"names-{name}"},
               "spec": {"priorityClassName": name, "containers": [{"name": "main", "image": "app:v1"}]}}
        wait_until(lambda: self.request("POST", "/api/v1/namespaces/default/pods?dryRun=All", pod)[0] == 201, f"pods may name {name}")

    # --- files ---
    def _certificates(self):
        d = self.dir
        run = lambda *argv: subprocess.run(argv, check=True, capture_output=True)
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        run("openssl", "req", "-x509", *key, "-subj", "/CN=podium-test-ca", "-days", "30",
            "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout", d / "ca.key", "-out", d / "ca.crt")
        run("openssl", "req", *key, "-subj", "/CN=kube-apiserver", "-keyout", d / "server.key", "-out", d / "server.csr")
        (d / "san.cnf").write_text(f"subjectAltName={','.join(self.names)}\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n"
                                   "basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=serverAuth\n")
        run("openssl", "x509", "-req", "-in", d / "server.csr", "-CA", d / "ca.crt", "-CAkey", d / "ca.key",
            "-CAcreateserial", "-days", "30", "-extfile", d / "san.cnf", "-out", d / "server.crt")
        run("openssl", "ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", d / "sa.key")
        self._tls = ssl.create_default_context(cafile=d / "ca.crt")
        self._tls.verify_flags |= ssl.VERIFY_X509_STRICT  # the default from Python 3.13 on, which Debian 13 has
        self._connections = Connections(self.api_port, self._tls)

    def _tokens(self):
        (self.dir / "tokens.csv").write_text("".join(f'{token},{user},{user},"{group}"\n' for token, user, group in self.users))
        self.write_kubeconfig(self.kubeconfig)


PLURALS = {"NetworkPolicy": "networkpolicies", "PriorityClass": "priorityclasses", "StorageClass": "storageclasses",
           "CSIStorageCapacity": "csistoragecapacities", "RuntimeClass": "runtimeclasses", "DeviceClass": "deviceclasses"}
CLUSTER_SCOPED = {"Node", "Namespace", "PersistentVolume", "StorageClass", "PriorityClass", "CSINode", "CSIDriver",
                  "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "VolumeAttachment", "RuntimeClass", "DeviceClass",
                  "ResourceSlice", "DeviceTaintRule"}


def collection(obj, namespace=None):
    group = obj["apiVersion"]
    kind = obj["kind"]
    plural = PLURALS.get(kind, kind.lower() + "s")
    base = f"/api/{group}" if "/" not in group else f"/apis/{group}"
    if kind in CLUSTER_SCOPED:
        return f"{base}/{plural}"
    return f"{base}/namespaces/{namespace or obj['metadata'].get('namespace', 'default')}/{plural}"


def environment(**extra):
    """Returns the environment for child processes, without the user's proxies and kubeconfig."""
    clean = {k: v for k, v in os.environ.items() if k not in ("KUBECONFIG",) and not k.lower().endswith("_proxy")}
    return {**clean, **extra}
