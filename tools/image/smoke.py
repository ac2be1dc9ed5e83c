#!/usr/bin/env python3
"""smoke.py [ARCHIVE]: runs podium from the files of its image alone, as the image's user: its version, and a
decision. A program for another machine runs under QEMU's static emulator."""

import json
import os
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from e2e.support import image  # noqa: E402
from e2e.tests.base import node, pod  # noqa: E402

MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
CLUSTER = [node("small", cpu="1"), node("large", cpu="8")]


def write(root, name, objects):
    path = root / name
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    path.chmod(0o644)


def emulator(machine):
    """The emulator's file; None for this machine."""
    if machine == os.uname().machine:
        return None
    names = (f"qemu-{machine}-static", f"qemu-{machine}")
    return next(filter(None, map(shutil.which, names)), None) or sys.exit(f"podium: no {' or '.join(names)}")


def main(archive=None):
    if archive is None:
        [archive] = (ROOT / "build/image").glob("*.oci.tar")
    archive = image.Archive(archive)
    runner = emulator(MACHINES[archive.config["architecture"]])
    with tempfile.TemporaryDirectory(prefix="podium-image-") as directory:
        root = archive.unpack(pathlib.Path(directory) / "root")
        write(root, "cluster.json", CLUSTER)
        write(root, "pod.json", [pod("web", cpu="4")])
        if runner:
            shutil.copy(runner, root / "runner")
        before = ["/runner"] if runner else []
        for command in (["version"], ["evaluate", "--cluster", "/cluster.json", "--pod", "/pod.json"]):
            code, out, err = image.run(root, *command, before=before)
            print(f"$ {'/runner ' if runner else ''}podium {' '.join(command)}\n{out}{err}", end="")
            if code:
                sys.exit(f"podium: the image's program ended with {code}")


if __name__ == "__main__":
    main(*sys.argv[1:])
