#!/usr/bin/env python3
"""Writes api/decode/known_fields_table.cc: the fields of the kinds that podium reads from manifests, from the API's Go types in the
modules of tools/kube/go.mod (tools/known_fields). `git diff` then shows what a release has changed."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = ROOT / "api/decode/known_fields_table.cc"
BEGIN, END = 'R"(\n', ')";'


def main():
    env = ". tools/go-env.sh && cd tools/known_fields && go run -modfile ../kube/go.mod ."
    lines = subprocess.run(["bash", "-c", f"root={ROOT}; {env}"], cwd=ROOT, check=True, text=True, capture_output=True).stdout
    head, rest = TABLE.read_text().split(BEGIN)
    TABLE.write_text(head + BEGIN + lines + END + rest.split(END, 1)[1])


if __name__ == "__main__":
    main()
