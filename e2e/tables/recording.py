"""Runs upstream's plugin tests with a recorder between tests and plugins, which writes each question and its answer."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = ROOT / "e2e/tables/overlay"
OUT = ROOT / "build/tables"
UPSTREAM = "k8s.io/kubernetes/pkg/scheduler/framework/plugins/"


def go_environment():
    """The settings of tools/go-env.sh, so that packages compiled by other builds can be reused."""
    script = 'root=$1; . "$root/tools/go-env.sh"; env -0'
    listed = subprocess.run(["bash", "-c", script, "bash", ROOT], capture_output=True, text=True, check=True).stdout
    return dict(line.split("=", 1) for line in listed.split("\0") if line)


def stamp(packages):
    """Returns a hash of everything that a recording depends on."""
    digest = hashlib.sha256(" ".join(packages).encode())
    for file in sorted([*MODULE.rglob("*.go"), MODULE / "go.mod"]):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def record(packages):
    """Writes build/tables/recorded/PACKAGE.jsonl and events.jsonl, unless they are up to date."""
    recorded, mark = OUT / "recorded", OUT / ".recorded.stamp"
    wanted = stamp(packages)
    if mark.exists() and mark.read_text() == wanted:
        return
    subprocess.run([ROOT / "tools/go-build.sh", "e2e/tables/overlay", "build/tables", ".", "./events"], cwd=ROOT, check=True)
    shutil.rmtree(recorded, ignore_errors=True)
    recorded.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="podium-tables-") as directory:
        build(packages, pathlib.Path(directory))
        for package in packages:
            run(pathlib.Path(directory), package, recorded / f"{package}.jsonl")
    with open(recorded / "events.jsonl", "wb") as lines:
        subprocess.run([OUT / "events"], stdout=lines, check=True)
    mark.write_text(wanted)


def build(packages, directory):
    environment = go_environment()
    subprocess.run([OUT / "overlay", directory / "overlay", *(UPSTREAM + package for package in packages)],
                   cwd=MODULE, env=environment, check=True)
    subprocess.run(["go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", directory / "overlay/overlay.json",
                    "-o", f"{directory}/bin/", *(f"podium.dev/e2e/tables/upstream/{package}" for package in packages)],
                   cwd=MODULE, env=environment, check=True)


def run(directory, package, lines):
    """Runs the tests, which have to pass: then the recorder has not changed their behaviour."""
    done = subprocess.run([directory / f"bin/{package}.test"], cwd=directory, env={**os.environ, "PODIUM_TABLES": str(lines)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"upstream's tests of {package} fail with the recorder:\n{done.stdout[-4000:]}")


def questions(package):
    with open(OUT / "recorded" / f"{package}.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
