#!/usr/bin/env python3
"""Writes scheduler/config/gates/feature_gate_table.cc: the gates that kube-scheduler of tools/kube/go.mod registers (tools/gates), and those
that it no longer registers. `git diff` then shows what a release has changed. `--check` only compares, and exits with 1 if the
table is out of date."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = ROOT / "scheduler/config/gates/feature_gate_table.cc"
GATES, GONE = "kGates = std::to_array<GateSpec>({\n", "kGone = std::to_array<GoneGate>({\n"
END = "});\n"
ROW = re.compile(r'\{"(\w+)",\s*(\w+),\s*(true|false)')


def registered():
    env = ". tools/go-env.sh && cd tools/gates && go run -modfile ../kube/go.mod ."
    return subprocess.run(["bash", "-c", f"root={ROOT}; {env}"], cwd=ROOT, check=True, text=True, capture_output=True).stdout


def release():
    return re.search(r"k8s.io/kubernetes v(\d+\.\d+)\.", (ROOT / "tools/kube/go.mod").read_text()).group(1)


def replaced(text, begin, rows):
    head, rest = text.split(begin)
    old, tail = rest.split(END, 1)
    return old, head + begin + rows + END + tail


def main():
    before, now = TABLE.read_text(), registered()
    old, text = replaced(before, GATES, now)
    names = {name for name, _, _ in ROW.findall(now)}
    gone = {name: f'    {{"{name}", "{release()}", {on}}},\n' for name, _, on in ROW.findall(old) if name not in names}
    earlier, _ = replaced(text, GONE, "")
    for row in earlier.splitlines(keepends=True):
        name = re.search(r'"(\w+)"', row).group(1)
        if name not in names:
            gone[name] = row
    _, text = replaced(text, GONE, "".join(gone[name] for name in sorted(gone)))
    TABLE.write_text(text)
    subprocess.run([ROOT / "tools/format.sh"], check=True)
    if "--check" in sys.argv[1:]:
        is_same = TABLE.read_text() == before
        TABLE.write_text(before)
        sys.exit(not is_same)


if __name__ == "__main__":
    main()
