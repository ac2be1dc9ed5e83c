#!/usr/bin/env python3
"""package.py PROGRAM URL DIRECTORY: packs the static program for krew, kubectl's plugin manager, and writes krew's manifest.

DIRECTORY gets podium-VERSION-linux-ARCH.tar.gz, the same bytes for the same program, and podium.yaml, which says that the archive is
at URL/podium-VERSION-linux-ARCH.tar.gz. To try it: `kubectl krew install --manifest=podium.yaml --archive=podium-….tar.gz`."""
import gzip
import hashlib
import io
import pathlib
import platform
import re
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCH = {"x86_64": "amd64", "aarch64": "arm64"}
MANIFEST = """apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: podium
spec:
  version: v{version}
  shortDescription: Why is my pod there, and what if?
  description: |
    Explains the decisions of the scheduler podium, and asks it questions
    that change nothing: why a pod is on its node or waits, where a manifest's
    pods would go, how many more fit. Needs podium in the cluster; "kubectl
    podium evaluate" works offline, on a dump.
  platforms:
  - selector:
      matchLabels: {{os: linux, arch: {arch}}}
    uri: {url}/{archive}
    sha256: {sha256}
    bin: podium
    files:
    - {{from: podium, to: .}}
    - {{from: LICENSE, to: .}}
"""


def archive(files):
    """A tar.gz of {name: (bytes, mode)}, without times and owners."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, (data, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), mode
            tar.addfile(entry, io.BytesIO(data))
    return gzip.compress(plain.getvalue(), compresslevel=6, mtime=0)  # 9 takes three times as long for 1%


def version_of(program):
    said = subprocess.run([program, "version"], check=True, capture_output=True, text=True).stdout
    return re.match(r"podium (\S+)", said)[1]


def main(program, url, directory):
    version, arch = version_of(program), ARCH[platform.machine()]
    packed = archive({"podium": (pathlib.Path(program).read_bytes(), 0o755), "LICENSE": ((ROOT / "LICENSE").read_bytes(), 0o644)})
    name = f"podium-{version}-linux-{arch}.tar.gz"
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / name).write_bytes(packed)
    (directory / "podium.yaml").write_text(MANIFEST.format(version=version, arch=arch, url=url.rstrip("/"), archive=name,
                                                           sha256=hashlib.sha256(packed).hexdigest()))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
