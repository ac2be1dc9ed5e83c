"""podium's image: its contents, two builds that are equal, and a podium that runs only from its files."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from e2e.node import image as archives
from e2e.support import image, podium
from e2e.support.control_plane import ROOT, ControlPlane, wait_until
from e2e.support.extender import Extender
from e2e.support.in_root import USER, has_user
from e2e.support.name_server import NameServer, may_use_port_53
from e2e.tests.base import node, pod

MEBIBYTE = 1 << 20
# Debian 13's OpenSSL is larger and brings two compressors, its RE2 Abseil; some of its mirrors lack mimalloc's sources.
WITH_COMPRESSORS = any(
    "-lzstd" in path.read_text() for path in pathlib.Path("/usr/lib").glob("*/pkgconfig/libcrypto.pc")
)
WITH_ABSEIL = "absl_" in subprocess.run(
    ["pkg-config", "--print-requires", "re2"], capture_output=True, text=True, check=True
).stdout
WITH_MIMALLOC = (ROOT / ".cache/sources/mimalloc/src/static.c").is_file()
LARGEST = (24 if WITH_COMPRESSORS else 20) * MEBIBYTE
FILES = {
    "etc/group",
    "etc/passwd",
    "etc/ssl/certs/ca-certificates.crt",
    "usr/lib/ssl/cert.pem",
    "usr/local/bin/kube-scheduler",
    "usr/local/bin/podium",
    "usr/share/doc/podium/LICENSE",
    "usr/share/doc/podium/NOTICES",
}
LINKED = {
    "Boost",
    "CLI11",
    "fmt",
    "GCC runtime libraries",
    "GNU C Library",
    "OpenSSL",
    "prometheus-cpp",
    "RE2",
    "spdlog",
    "yaml-cpp",
}
LINKED |= {"Abseil"} if WITH_ABSEIL else set()
LINKED |= {"mimalloc"} if WITH_MIMALLOC else set()
LINKED |= {"Zstandard", "zlib"} if WITH_COMPRESSORS else set()


DIRECTORY = pathlib.Path()


def setUpModule():
    global DIRECTORY
    may_use_port_53()
    DIRECTORY = pathlib.Path(tempfile.mkdtemp(prefix="podium-image-"))
    unittest.addModuleCleanup(shutil.rmtree, DIRECTORY, ignore_errors=True)
    build(DIRECTORY / "out")


def tool(*argv):
    return subprocess.run(list(map(str, argv)), check=True, capture_output=True, text=True).stdout


def build(directory, **environment):
    """Builds the image of build/release/podium. Returns the archive's path."""
    done = subprocess.run(
        [ROOT / "tools/image/build.sh"],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "OUT": str(directory), **environment},
    )
    if done.returncode:
        raise RuntimeError(f"tools/image/build.sh: {done.stdout}")
    [archive] = pathlib.Path(directory).glob("podium-*.oci.tar")
    return archive


class Built(unittest.TestCase):
    """The image, and a root file system of its own for each class."""

    @classmethod
    def setUpClass(cls):
        [cls.path] = (DIRECTORY / "out").glob("*.oci.tar")
        cls.archive = image.Archive(cls.path)
        cls.root = cls.archive.unpack(DIRECTORY / cls.__name__)


class Contents(Built):
    def test_its_files_are_these_and_no_others(self):
        with self.archive.layer() as layer:
            entries = layer.getmembers()
        self.assertEqual({e.name for e in entries if not e.isdir()}, FILES)
        self.assertEqual({(e.uid, e.gid) for e in entries}, {(0, 0)})
        self.assertEqual(
            [e.name for e in entries if e.mode & 0o6022 and not e.issym()],
            [],
            "only root may write; no set-user-ID",
        )

    def test_it_is_small(self):
        with self.archive.layer() as layer:
            size = sum(e.size for e in layer)
        self.assertLess(size, LARGEST)
        self.assertLess(self.path.stat().st_size, LARGEST)

    def test_the_program_needs_no_other_file(self):
        headers = tool(
            "readelf", "--wide", "--program-headers", "--dynamic", self.root / "usr/local/bin/podium"
        )
        self.assertNotIn("INTERP", headers)
        self.assertNotIn("NEEDED", headers)
        self.assertIn("DYN (", headers, "position-independent: addresses are randomised")

    def test_the_program_does_not_name_where_it_was_built(self):
        program = (self.root / "usr/local/bin/podium").read_bytes()
        folders = [f"{path}/" for path in ROOT.iterdir() if path.is_dir()]
        self.assertEqual([name for name in folders if name.encode() in program], [])

    def test_it_has_one_allocator(self):
        symbols = {}
        for line in tool("nm", "--defined-only", podium.PROGRAM).splitlines():
            address, _, name = line.split(" ", 2)
            symbols.setdefault(name, set()).add(address)
        if not WITH_MIMALLOC:
            self.assertIn("_int_malloc", symbols, "the C library's allocator")
            self.assertNotIn("mi_malloc", symbols)
            return
        for name in ("malloc", "calloc", "realloc", "free"):
            self.assertEqual(symbols[name], symbols[f"mi_{name}"], name)
        self.assertEqual(symbols["_Znwm"], symbols["mi_new"], "operator new")
        self.assertNotIn("_int_malloc", symbols, "the C library's allocator")

    def test_its_user_is_not_root(self):
        config = self.archive.config["config"]
        self.assertEqual((config["User"], config["Entrypoint"]), ("65532:65532", ["/usr/local/bin/podium"]))
        self.assertIn("nonroot:x:65532:65532:", (self.root / "etc/passwd").read_text())

    def test_labels(self):
        labels = self.archive.config["config"]["Labels"]
        version = image.run(self.root, "version")[1].split()[1]
        head = tool("git", "-C", ROOT, "log", "-1", "--format=%H %ct").split()
        self.assertEqual(labels.pop("org.opencontainers.image.revision").removesuffix("-dirty"), head[0])
        self.assertEqual(labels.pop("org.opencontainers.image.version"), version)
        self.assertEqual(labels.pop("org.opencontainers.image.licenses"), "Apache-2.0")
        self.assertRegex(labels.pop("org.opencontainers.image.created"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(
            set(labels), {f"org.opencontainers.image.{name}" for name in ("title", "description", "source")}
        )
        self.assertEqual(
            self.archive.entry["annotations"]["io.containerd.image.name"],
            f"docker.io/library/podium:{version}",
        )

    def test_the_certificates_are_those_of_the_package(self):
        bundle = (self.root / "etc/ssl/certs/ca-certificates.crt").read_text()
        found = set(re.findall(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", bundle, re.S))
        shipped = {
            path.read_text().strip()
            for path in pathlib.Path("/usr/share/ca-certificates/mozilla").glob("*.crt")
        }
        self.assertEqual(found, shipped)
        self.assertGreater(len(found), 100)

    def test_notices(self):
        notices = (self.root / "usr/share/doc/podium/NOTICES").read_text()
        wanted = [f"\n{name} (Debian source package " for name in LINKED]
        wanted += ["\nPreact (npm package preact ", "2015-present Jason Miller"]
        wanted += ["Microsoft Corporation"] if WITH_MIMALLOC else []
        wanted += [
            "Victor Zverovich",
            "Gabi Melman",
            "Jesse Beder",
            "University of Cincinnati",
            "GNU LESSER GENERAL PUBLIC LICENSE",
            "Boost Software License - Version 1.0",
        ]
        self.assertEqual([text for text in wanted if text not in notices], [])


class BillOfMaterials(Built):
    def setUp(self):
        self.layout = image.Archive(self.path.parent / "layout")
        [self.referrer] = self.layout.referrers
        self.document = json.loads(self.layout.blob(self.referrer["layers"][0]))
        self.packages = {p["SPDXID"]: p for p in self.document["packages"]}

    def related(self, subject, kind):
        return [
            self.packages[r["relatedSpdxElement"]]
            for r in self.document["relationships"]
            if (r["spdxElementId"], r["relationshipType"]) == (subject, kind)
        ]

    def test_it_refers_to_the_image(self):
        self.assertEqual(self.layout.entry, self.archive.entry)
        self.assertEqual(self.archive.referrers, [], "containerd would unpack it as an image")
        self.assertEqual(self.referrer["artifactType"], "application/spdx+json")
        self.assertEqual(
            self.referrer["subject"], {k: self.archive.entry[k] for k in ("mediaType", "digest", "size")}
        )
        self.assertEqual(self.document, json.loads((self.path.parent / "podium.spdx.json").read_text()))

    def test_it_names_what_is_linked(self):
        linked = self.related("SPDXRef-podium", "STATIC_LINK")
        self.assertEqual({p["summary"] for p in linked}, LINKED)
        for each in linked:
            self.assertTrue(each["versionInfo"] and each["licenseDeclared"], each)
        [preact] = self.related("SPDXRef-podium", "CONTAINS")
        self.assertEqual((preact["name"], preact["licenseDeclared"]), ("preact", "MIT"))
        [openssl] = [p for p in linked if p["name"] == "openssl"]
        installed = tool("dpkg-query", "-W", "-f=${source:Version}", "libssl-dev")
        self.assertEqual((openssl["versionInfo"], openssl["licenseDeclared"]), (installed, "Apache-2.0"))

    def test_it_is_about_this_program(self):
        [image_package] = self.related("SPDXRef-DOCUMENT", "DESCRIBES")
        contained = self.related(image_package["SPDXID"], "CONTAINS")
        self.assertEqual({p["name"] for p in contained}, {"podium", "ca-certificates"})
        [checksum] = self.packages["SPDXRef-podium"]["checksums"]
        program = (self.root / "usr/local/bin/podium").read_bytes()
        self.assertEqual(
            checksum, {"algorithm": "SHA256", "checksumValue": hashlib.sha256(program).hexdigest()}
        )

    def test_every_name_in_it_is_defined_once(self):
        names = [p["SPDXID"] for p in self.document["packages"]] + [self.document["SPDXID"]]
        self.assertEqual(len(set(names)), len(names))
        used = {
            r[end] for r in self.document["relationships"] for end in ("spdxElementId", "relatedSpdxElement")
        }
        self.assertEqual(used, set(names))


class Again(Built):
    def test_the_same_program_gives_the_same_bytes(self):
        again = build(DIRECTORY / "again", TZ="Asia/Tokyo", LC_ALL="C")
        self.assertEqual(again.read_bytes(), self.path.read_bytes())

    def test_another_name_changes_no_digest(self):
        other = image.Archive(build(DIRECTORY / "other", IMAGE="registry.example:5000/team/podium"))
        self.assertEqual(other.entry["digest"], self.archive.entry["digest"])
        self.assertRegex(
            other.entry["annotations"]["io.containerd.image.name"], r"^registry\.example:5000/team/podium:\d"
        )


class Index(Built):
    """The image and one for another machine, joined."""

    def setUp(self):
        self.layout = self.path.parent / "layout"

    def for_arm64(self, directory):
        """Writes a layout like the image's, with a configuration for arm64."""
        shutil.copytree(self.layout, directory)
        config = json.dumps({**self.archive.config, "architecture": "arm64"}).encode()
        manifest = json.dumps({**self.archive.manifest, "config": self.put(directory, config)}).encode()
        index = self.archive.index["manifests"][0]
        entries = [{**index, **self.put(directory, manifest)}]
        (directory / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": entries}))
        return directory

    def put(self, directory, content):
        digest = hashlib.sha256(content).hexdigest()
        (directory / "blobs/sha256" / digest).write_bytes(content)
        kind = "config" if b"rootfs" in content else "manifest"
        media_type = f"application/vnd.oci.image.{kind}.v1+json"
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}

    def test_it_has_both_and_each_machine_finds_its_own(self):
        other = self.for_arm64(DIRECTORY / "arm64")
        for name in ("joined", "joined-again"):
            tool(ROOT / "tools/image/index.py", DIRECTORY / name, self.layout, other)
        [archive] = (DIRECTORY / "joined").glob("*.oci.tar")
        [again] = (DIRECTORY / "joined-again").glob("*.oci.tar")
        self.assertEqual(archive.read_bytes(), again.read_bytes())
        with archives.Archive(archive) as joined:
            [entry] = json.loads(joined.read("index.json"))["manifests"]
            self.assertEqual(entry["annotations"], self.archive.entry["annotations"])
            found = json.loads(joined.blob(entry))["manifests"]
            machines = [each["platform"] for each in found]
            self.assertEqual(
                machines, [{"architecture": name, "os": "linux"} for name in ("amd64", "arm64")]
            )
            for each in found:
                manifest = json.loads(joined.blob(each))
                config = json.loads(joined.blob(manifest["config"]))
                self.assertEqual(config["architecture"], each["platform"]["architecture"])
                self.assertTrue(joined.blob(manifest["layers"][0]))
            mine = next(e for e in found if e["platform"]["architecture"] == archives.architecture())
            self.assertEqual(joined.manifest()[0]["digest"], mine["digest"])
        referrers = json.loads((DIRECTORY / "joined/layout/index.json").read_text())["manifests"][1:]
        self.assertEqual([each["artifactType"] for each in referrers], ["application/spdx+json"])

    def test_two_for_one_machine_are_refused(self):
        done = subprocess.run(
            [ROOT / "tools/image/index.py", DIRECTORY / "refused", self.layout, self.layout],
            capture_output=True,
            text=True,
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("two images are for the same machine", done.stderr)


class Offline(Built):
    def test_evaluate(self):
        lists = {"cluster": [node("small", cpu="1"), node("large", cpu="8")], "pod": [pod("web", cpu="4")]}
        for name, objects in lists.items():
            path = self.root / f"{name}.json"
            path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
            path.chmod(0o644)
        code, out, err = image.run(
            self.root, "evaluate", "--cluster", "/cluster.json", "--pod", "/pod.json", "-o", "nodes"
        )
        self.assertEqual(code, 0, err)
        result = json.loads(out)["results"][0]
        self.assertEqual((list(result["scores"]), list(result["rejected"])), (["large"], ["small"]))


class InACluster(Built):
    """podium from the image's files, with the chart's ServiceAccount, arguments and configuration."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane = ControlPlane().start()
        cls.addClassCleanup(cls.plane.stop)
        cls.extenders = [Extender(cls.plane, f"extender-{i}").start() for i in range(3)]
        for each in cls.extenders:
            cls.addClassCleanup(each.stop)
        # By its full name, by the first of its labels and a search domain, and by /etc/hosts.
        hosts = ["licences.shop.svc.cluster.local", "zones.shop", "rack-controller"]
        values = ["schedulerName=default-scheduler"]
        for i, (extender, host) in enumerate(zip(cls.extenders, hosts)):
            fields = {
                "urlPrefix": f"http://{host}:{extender.port}",
                "filterVerb": "filter",
                "nodeCacheCapable": "true",
                "httpTimeout": "60s",
            }
            values += [f"configuration.extenders[{i}].{key}={value}" for key, value in fields.items()]
        podium.install(cls.plane, values)
        cls.plane.create(node("n1"))
        names = {"licences.shop.svc.cluster.local": "127.0.0.1", "zones.shop.svc.cluster.local": "127.0.0.1"}
        cls.names = NameServer(names).start()
        cls.addClassCleanup(cls.names.stop)
        search = "search podium-system.svc.cluster.local svc.cluster.local"
        resolv_conf = f"nameserver {cls.names.address}\n{search}\noptions ndots:5\n"
        cls.podium = image.ImagePodium(
            cls.plane, cls.root, resolv_conf, "127.0.0.1 rack-controller\n"
        ).start()
        cls.addClassCleanup(cls.podium.stop)

    def test_it_schedules_and_reports_and_finds_extenders_by_name(self):
        self.plane.create(pod("web"))
        where = "/api/v1/namespaces/default/pods/web"
        self.assertEqual(wait_until(lambda: self.plane.get(where)["spec"].get("nodeName"), "web bound"), "n1")
        report = podium.status_of(self.plane, "default", "web", "Scheduled")
        self.assertEqual(report["choice"]["nodeName"], "n1")
        self.assertTrue(all(e.requests("filter") for e in self.extenders), "each extender was asked")
        self.assertIn(
            "zones.shop.podium-system.svc.cluster.local", self.names.asked, "the first search domain"
        )
        self.assertNotIn(
            "rack-controller.podium-system.svc.cluster.local", self.names.asked, "/etc/hosts comes first"
        )

    def test_it_is_not_root(self):
        status = pathlib.Path(f"/proc/{self.podium.process.pid}/status").read_text()
        if os.geteuid() == 0 and has_user(USER):
            self.assertRegex(status, r"\nUid:\s+65532\s+65532\s+65532\s+65532\n")
            self.assertRegex(status, r"\nCapEff:\s+0+\n")
            self.assertRegex(status, r"\nGroups:\s*\n")
        root = os.readlink(f"/proc/{self.podium.process.pid}/root")
        self.assertEqual(root, str(self.root))


class SystemCertificates(Built):
    """A kubeconfig without certificate authorities: podium uses those of the image."""

    def test_the_image_s_certificates_are_trusted(self):
        plane = ControlPlane().start()
        self.addCleanup(plane.stop)
        podium.install(plane)
        stranger = image.ImagePodium(plane, self.root)
        config = json.loads(stranger.kubeconfig.read_text())
        del config["clusters"][0]["cluster"]["certificate-authority"]
        stranger.put("kubeconfig", json.dumps(config))
        stranger.flags = ["--kubeconfig=/kubeconfig"]
        stranger.start(wait=False)
        self.addCleanup(stranger.stop)
        wait_until(
            lambda: "the server's certificate is not trusted" in stranger.log(),
            "a refusal of the certificate",
        )
        stranger.stop()
        bundle = self.root / "etc/ssl/certs/ca-certificates.crt"
        bundle.write_text(bundle.read_text() + (plane.dir / "ca.crt").read_text())
        stranger.start()
