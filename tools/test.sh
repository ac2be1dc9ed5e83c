#!/usr/bin/env bash
# The whole suite: unit tests under ASan and UBSan, those of threads under TSan, then everything against the real control
# plane, and a sample of the parity seeds. ctest prints what ran.
set -euo pipefail
cd "$(dirname "$0")/.."
threaded='unit_client|unit_scheduler_cluster|unit_scheduler_cycle|unit_controller|unit_server|unit_app'

tools/build.sh asan all
ctest --test-dir build/asan --output-on-failure -j "$(nproc)" -L unit
[ -f build/tsan/build.ninja ] || cmake --preset tsan >/dev/null
tools/build.sh tsan $(ninja -C build/tsan -t targets all | grep -oE "^($threaded):" | tr -d : | sort -u)
ctest --test-dir build/tsan --output-on-failure -j "$(nproc)" -L unit -R "^($threaded)$"
tools/build.sh release all
tools/kube.sh
ctest --test-dir build/release --output-on-failure -L e2e
