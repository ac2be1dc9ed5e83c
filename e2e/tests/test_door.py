"""Access control of podium's HTTPS port, compared with kube-scheduler on the same API server; and probes, which podium answers under
any load."""
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import time
import unittest

from e2e.support import oracle, podium
from e2e.support.authorization import await_rights
from e2e.support.control_plane import ADMIN_TOKEN, BIN, ControlPlane, Process, environment, free_ports, wait_until

PATHS = ("/healthz", "/livez", "/readyz", "/healthz?verbose", "/readyz/shutdown", "/livez/ping", "/metrics",
         "/metrics/resources", "/metrics/slis", "/configz", "/statusz", "/flagz", "/", "/no/such/path", "/metrics/")


def certificates(plane, name, subject, ca=None):
    """Creates the (certificate, key) files of a client, signed by the given CA or self-signed."""
    key, request, certificate = (plane.dir / f"{name}.{end}" for end in ("key", "csr", "crt"))
    run = lambda *argv: subprocess.run(list(map(str, argv)), check=True, capture_output=True)
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", subject, "-keyout", key]
    if ca is None:
        run("openssl", "req", "-x509", *new, "-days", 2, "-out", certificate)
    else:
        run("openssl", "req", *new, "-out", request)
        run("openssl", "x509", "-req", "-in", request, "-CA", ca[0], "-CAkey", ca[1], "-CAcreateserial", "-days", 2,
            "-out", certificate)
    return certificate, key


def service_account(plane, name, *paths):
    """Returns a token of a ServiceAccount that may get these paths."""
    plane.kubectl("create", "serviceaccount", name, "-n", "default")
    if paths:
        plane.kubectl("create", "clusterrole", name, "--verb=get", *(f"--non-resource-url={path}" for path in paths))
        plane.kubectl("create", "clusterrolebinding", name, f"--clusterrole={name}", f"--serviceaccount=default:{name}")
    await_rights(plane)
    return plane.kubectl("create", "token", name, "-n", "default", "--duration", "1h").strip()


def listening(pid):
    """Returns the inodes of the TCP sockets on which the process listens."""
    tables = [pathlib.Path(f"/proc/net/{name}") for name in ("tcp", "tcp6")]
    rows = [line.split() for table in tables if table.exists() for line in table.read_text().splitlines()]
    inodes = {row[9] for row in rows if row[3] == "0A"}
    links = []
    for one in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed in the meantime
            links.append(os.readlink(one))
    return {inode for inode in inodes if f"socket:[{inode}]" in links}


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = pathlib.Path(ControlPlane().dir)
        cls.plane = ControlPlane(directory)
        cls.client_ca = certificates(cls.plane, "client-ca", "/CN=client-ca")
        cls.plane.api_flags += ["--client-ca-file", str(cls.client_ca[0])]
        cls.plane.start()
        cls.addClassCleanup(cls.plane.stop)
        authentication = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication"
        wait_until(lambda: "client-ca-file" in cls.plane.patiently("GET", authentication)[1].get("data", {}),
                   "the API server publishes its CA of clients")
        podium.install(cls.plane, ["schedulerName=default-scheduler"])
        cls.nobody = service_account(cls.plane, "nobody")
        cls.scraper = service_account(cls.plane, "scraper", "/metrics", "/metrics/*")
        cls.ours = podium.Podium(cls.plane).start()
        cls.addClassCleanup(lambda: cls.ours.stop())
        cls.theirs = cls.kube_scheduler()
        cls.addClassCleanup(cls.theirs.stop)

    @classmethod
    def kube_scheduler(cls):
        directory = cls.plane.dir / "upstream"
        directory.mkdir()
        kubeconfig = cls.plane.write_kubeconfig(directory / "kubeconfig")
        port = free_ports(1)[0]
        process = Process([BIN / "kube-scheduler", "--kubeconfig", kubeconfig, "--authentication-kubeconfig", kubeconfig,
                           "--authorization-kubeconfig", kubeconfig, "--bind-address", "127.0.0.1", "--secure-port", port,
                           "--leader-elect-resource-name", "upstream"], directory / "log", env=environment())
        process.port = port
        wait_until(lambda: podium.https_get(port, "/readyz")[0] == 200, "kube-scheduler ready")
        return process

    def both(self, path, **how):
        return tuple(podium.https_get(port, path, **how) for port in (self.ours.port, self.theirs.port))

    def test_statuses_are_kube_schedulers(self):
        by_name = {"no token": None, "a bad token": "bad", "a token without rights": self.nobody,
                   "a token that may read metrics": self.scraper, "an administrator's": ADMIN_TOKEN}
        for name, token in by_name.items():
            for path in PATHS:
                with self.subTest(name, path=path):
                    ours, theirs = self.both(path, token=token)
                    if path == "/" and theirs[0] == 200:
                        continue  # kube-scheduler lists its paths there
                    if path == "/livez/ping" and theirs[0] == 404:
                        continue
                    self.assertEqual(ours[0], theirs[0], ours[1][:200])

    def test_what_each_token_may_read(self):
        ask = lambda path, token: podium.https_get(self.ours.port, path, token=token)[0]
        self.assertEqual([ask("/metrics", token) for token in (None, "bad", self.nobody, self.scraper, ADMIN_TOKEN)],
                         [403, 401, 403, 200, 200])
        self.assertEqual([ask("/configz", token) for token in (None, "bad", self.nobody, self.scraper, ADMIN_TOKEN)],
                         [403, 401, 403, 403, 200])

    def test_refusals_read_the_same(self):
        for path, token in (("/metrics", None), ("/metrics", "bad"), ("/configz", self.nobody), ("/a<b>", None)):
            with self.subTest(path=path, token=token):
                ours, theirs = self.both(path, token=token)
                self.assertEqual(json.loads(ours[1]), json.loads(theirs[1]))

    def test_verbose_health_has_the_same_form(self):
        ours, theirs = self.both("/readyz?verbose")
        for line in theirs[1].splitlines():
            self.assertIn(line, ours[1].splitlines())
        self.assertEqual(ours[1].splitlines()[-1], theirs[1].splitlines()[-1])

    def test_pages_for_people_have_the_same_form(self):
        for path, keys in (("/statusz", ("Started", "Up", "Go version", "Binary version", "Emulation version", "Paths")),
                           ("/flagz", ("config", "leader-elect", "secure-port", "v"))):
            for (status, text), name in zip(self.both(path, token=ADMIN_TOKEN), ("podium", "kube-scheduler")):
                with self.subTest(path, of=name):
                    self.assertEqual(status, 200)
                    lines = text.splitlines()
                    self.assertEqual(lines[:2], ["", f"{name} {path[1:]}"])
                    self.assertTrue(lines[2].startswith("Warning: This endpoint is not meant to be machine parseable"))
                    for key in keys:
                        self.assertTrue([line for line in lines if re.match(f"{key}[:= ]", line)], key)

    def test_flags_and_their_defaults_are_the_same(self):
        def flags(port):
            accept = "application/json;as=Flagz;v=v1beta1;g=config.k8s.io"
            return json.loads(podium.https_get(port, "/flagz", token=ADMIN_TOKEN, accept=accept)[1])["flags"]
        ours, theirs = flags(self.ours.port), flags(self.theirs.port)
        self.assertEqual(set(theirs) - set(ours), set())
        given = {"kubeconfig", "config", "secure-port", "bind-address", "leader-elect-resource-name",
                 "authentication-kubeconfig", "authorization-kubeconfig"}
        differ = {name: (ours[name], theirs[name]) for name in theirs if name not in given and ours[name] != theirs[name]}
        self.assertEqual(differ, {})

    def test_client_certificates(self):
        known = {"masters": "/O=system:masters/CN=root", "somebody": "/CN=somebody"}
        root = certificates(self.plane, "root", known["masters"], self.client_ca)
        wait_until(lambda: [status for status, _ in self.both("/metrics", certificate=root)] == [200, 200], "both know the CA of clients")
        for name, subject in known.items():
            pair = certificates(self.plane, name, subject, self.client_ca)
            ours, theirs = self.both("/metrics", certificate=pair)
            self.assertEqual(ours[0], theirs[0], name)
            self.assertEqual(ours[0], 200 if name == "masters" else 403)
        stranger = certificates(self.plane, "stranger", "/O=system:masters/CN=root")
        self.assertEqual([status for status, _ in self.both("/metrics", certificate=stranger)], [401, 401])
        self.assertEqual([status for status, _ in self.both("/healthz", certificate=stranger)], [401, 401])


class Life(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane().start()
        cls.addClassCleanup(cls.plane.stop)
        podium.install(cls.plane, ["schedulerName=default-scheduler"])

    def test_idle_connections_do_not_silence_probes(self):
        with podium.Podium(self.plane, name="idle") as ours:
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            held = []
            try:
                for i in range(150):
                    held.append(socket.create_connection(("127.0.0.1", ours.port), 60))
                    if i % 3 == 0:
                        held[-1] = context.wrap_socket(held[-1])
                answers = [ours.get("/livez") for _ in range(5)]
            finally:
                for one in held:
                    one.close()
            self.assertEqual(answers, [(200, "ok")] * 5)
            self.assertEqual(ours.stop(), 0)

    def test_it_continues_without_file_descriptors(self):
        few = self.plane.dir / "few"
        few.write_text(f'#!/bin/sh\nulimit -n 60\nexec {podium.PROGRAM} "$@"\n')
        few.chmod(0o755)
        with podium.Podium(self.plane, name="descriptors", program=few) as ours:
            held = [socket.create_connection(("127.0.0.1", ours.port), 60) for _ in range(80)]
            try:
                began = time.monotonic()
                wait_until(lambda: "cannot accept a connection" in ours.log(), "it says so")
                self.assertEqual([ours.get("/livez") for _ in range(5)], [(200, "ok")] * 5)
                minutes = (time.monotonic() - began) // 60
                self.assertLessEqual(ours.log().count("cannot accept a connection"), 1 + minutes, "once a minute")
            finally:
                for one in held:
                    one.close()

    def test_the_certificate_is_reloaded(self):
        pair = certificates(self.plane, "serving", "/CN=before")
        ours = podium.Podium(self.plane, name="reload", flags=["--tls-cert-file", pair[0], "--tls-private-key-file", pair[1]])
        shown = lambda: ssl.get_server_certificate(("127.0.0.1", ours.port))
        with ours:
            self.assertEqual(shown(), pair[0].read_text())
            certificates(self.plane, "serving", "/CN=after")
            wait_until(lambda: shown() == pair[0].read_text(), "the new certificate is served")

    def test_the_api_server_is_down(self):
        plane = ControlPlane().start()
        try:
            # Without election, since a leader that cannot renew its lease must end.
            podium.install(plane, ["schedulerName=default-scheduler", *podium.NO_ELECTION])
            with podium.Podium(plane) as ours:
                plane.api.signal(signal.SIGKILL)
                plane.api.wait()
                self.assertEqual(podium.https_get(ours.port, "/metrics", token=ADMIN_TOKEN, timeout=120)[0], 401)
                self.assertEqual(podium.https_get(ours.port, "/metrics", timeout=120)[0], 500)
                wait_until(lambda: ours.get("/livez") == (200, "ok"), "it lives")
        finally:
            plane.stop()

    def test_signals_and_ports(self):
        ours = podium.Podium(self.plane, name="signals").start()
        try:
            for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE):
                ours.process.signal(number)
            wait_until(lambda: ours.get("/readyz") == (200, "ok"), "podium ready")
        finally:
            self.assertEqual(ours.stop(), 0)

    def test_port_zero_serves_nothing(self):
        ours = podium.Podium(self.plane, name="closed")
        ours.port = 0
        ours.start(wait=False)
        try:
            wait_until(lambda: "scheduling started" in ours.log(), "it schedules")
            self.assertEqual(listening(ours.process.pid), set())
        finally:
            self.assertEqual(ours.stop(), 0)

    def test_kubeadms_command_line(self):
        directory = self.plane.dir / "kubeadm"
        directory.mkdir()
        token = self.plane.kubectl("create", "token", "podium", "-n", podium.NAMESPACE).strip()
        kubeconfig = self.plane.write_kubeconfig(directory / "scheduler.conf", token=token)
        port = free_ports(1)[0]
        by_its_name = directory / "kube-scheduler"  # as the image has it
        by_its_name.symlink_to(podium.PROGRAM)
        process = Process([by_its_name, f"--authentication-kubeconfig={kubeconfig}",
                           f"--authorization-kubeconfig={kubeconfig}", "--bind-address=127.0.0.1",
                           f"--kubeconfig={kubeconfig}", "--leader-elect=true", "--leader-elect-resource-name=podium",
                           f"--leader-elect-resource-namespace={podium.NAMESPACE}", "-v=2", "--config=",
                           "--feature-gates=", "--profiling=false", f"--secure-port={port}"],
                          directory / "log", env=environment())
        try:
            wait_until(lambda: podium.https_get(port, "/readyz")[0] == 200, "ready")
            wait_until(lambda: "--profiling" in process.log.read_text(), "it names what it does not know")
        finally:
            self.assertEqual(process.stop(), 0)


if __name__ == "__main__":
    unittest.main()
