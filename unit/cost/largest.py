#!/usr/bin/env python3
"""Prints what the largest objects cost that the API server takes, the dearest first: a Markdown table for docs/limits.md.

Time is of the release build, bytes are of the build that counts them (asan), which also checks that the cost is linear.
"""
import os
import re
import subprocess
import sys

ROW = re.compile(r"\s*([\d.]+) ms\s+([\d.]+) kept for a byte\s+(\d+) bytes of JSON  (.+)")


def measured(preset):
    """Returns {row: (ms, bytes kept for a byte, bytes)}. Ends the program if a row fails."""
    done = subprocess.run([f"build/{preset}/unit/unit_cost", "--gtest_filter=*AreLinear*"], text=True, capture_output=True,
                          env={**os.environ, "PODIUM_COST": "largest"})
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    found = (ROW.match(line) for line in done.stdout.splitlines())
    return {row[4]: (float(row[1]), float(row[2]), int(row[3])) for row in found if row}


def main():
    kept, times = measured("asan"), measured("release")
    print("| What has the entries | JSON (MB) | Time (ms) | Memory for a byte |\n|---|---|---|---|")
    for name, (ms, _, size) in sorted(times.items(), key=lambda row: -row[1][0]):
        print(f"| {name} | {size / 1e6:.1f} | {ms:.0f} | {kept[name][1]:.1f} |")


if __name__ == "__main__":
    main()
