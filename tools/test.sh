#!/usr/bin/env bash
# The whole suite: unit tests under ASan and UBSan, then everything against the real control plane with the release program,
# and a sample of the parity seeds. ctest prints what ran.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/build.sh asan all
ctest --test-dir build/asan --output-on-failure -j "$(nproc)" -L unit
tools/build.sh release podium
tools/kube.sh
ctest --test-dir build/release --output-on-failure -L e2e
