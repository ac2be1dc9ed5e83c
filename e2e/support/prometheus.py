"""A real Prometheus (tools/unpack.sh puts it into build/packages), on a free loopback port."""
import json
import subprocess
import urllib.parse
import urllib.request

from .control_plane import ADMIN_TOKEN, ROOT, Process, Service, free_ports, wait_until

PROGRAMS = ROOT / "build/packages/usr/bin"


def promtool(*argv, stdin=None):
    """Returns (exit code, output) of promtool."""
    done = subprocess.run([PROGRAMS / "promtool", *map(str, argv)], input=stdin, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Prometheus(Service):
    """Scrapes the HTTPS ports of `targets` ({instance: (port, further labels)}) every second as job kube-scheduler, as an
    administrator."""

    def __init__(self, directory, targets, rules=()):
        self.dir, self.targets, self.rules = directory, targets, list(rules)
        self.dir.mkdir()
        self.port = free_ports(1)[0]
        self.process = None

    def _start(self):
        (self.dir / "rules.json").write_text(json.dumps({"groups": self.rules}))
        (self.dir / "prometheus.json").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": ["rules.json"],
            "scrape_configs": [{
                "job_name": "kube-scheduler", "scheme": "https", "tls_config": {"insecure_skip_verify": True},
                "authorization": {"credentials": ADMIN_TOKEN},
                "static_configs": [{"targets": [f"127.0.0.1:{port}"], "labels": {"instance": name, **labels}}
                                   for name, (port, labels) in self.targets.items()]}]}))
        self.process = Process([PROGRAMS / "prometheus", "--config.file", self.dir / "prometheus.json",
                                "--storage.tsdb.path", self.dir / "data", "--web.listen-address", f"127.0.0.1:{self.port}",
                                "--log.level", "warn"], self.dir / "log")
        wait_until(self.ready, "Prometheus ready")

    def ready(self):
        if not self.process.alive():
            raise RuntimeError(f"Prometheus did not start:\n{self.process.tail()}")
        try:
            return self.get("/-/ready")
        except OSError:
            return None

    def stop(self):
        return self.process and self.process.stop()

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60) as reply:
            return reply.read().decode()

    def query(self, expression):
        """Returns the result of an instant query: [(labels, value)]."""
        answer = json.loads(self.get("/api/v1/query?" + urllib.parse.urlencode({"query": expression})))
        return [(one["metric"], float(one["value"][1])) for one in answer["data"]["result"]]

    def alerts(self):
        """Returns the names of the alerts that are pending or firing."""
        return {one["labels"]["alertname"] for one in json.loads(self.get("/api/v1/alerts"))["data"]["alerts"]}
