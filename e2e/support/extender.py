"""The scripted HTTP extender of e2e/extender as a process."""
import json
import urllib.request

from .control_plane import ADMIN_TOKEN, BIN, Process, Service, environment, free_ports, wait_until


class Extender(Service):
    """behave() sets its next answers; requests() returns the requests since then."""

    def __init__(self, plane, name, tls=False):
        self.plane, self.name, self.tls = plane, name, tls
        self.port = free_ports(1)[0]
        self.process = None

    @property
    def url(self):
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    def entry(self, **fields):
        """Returns one entry of `extenders`."""
        return {"urlPrefix": self.url, "httpTimeout": "60s", **fields}

    def _start(self):
        argv = [BIN / "extender", "--address", f"127.0.0.1:{self.port}", "--api", self.plane.url, "--token", ADMIN_TOKEN]
        if self.tls:
            argv += ["--tls-cert-file", self.plane.dir / "server.crt", "--tls-private-key-file", self.plane.dir / "server.key"]
        self.process = Process(argv, self.plane.dir / f"{self.name}.log", env=environment())
        wait_until(self._serves, f"extender {self.name} serves")

    def stop(self):
        if self.process:
            self.process.stop()

    def behave(self, **behaviour):
        self._send("PUT", "/behaviour", behaviour)

    def requests(self, verb=None):
        asked = json.loads(self._send("GET", "/requests"))
        return [r for r in asked if verb is None or r["Verb"] == verb]

    def _serves(self):
        if not self.process.alive():
            raise RuntimeError(f"extender {self.name} has ended:\n{self.process.tail()}")
        try:
            return self.requests() is not None
        except OSError:
            return False

    def _send(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=60, context=self.plane._tls if self.tls else None) as reply:
            return reply.read()
