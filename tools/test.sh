#!/usr/bin/env bash
# The whole suite: unit tests under ASan and UBSan, those of some rooms with threads of their own under TSan too, then
# everything against the real control plane with the release program, a sample of the parity seeds and of the replay, and
# what kube-scheduler's own plugin tests ask. ctest prints what ran.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/format.sh --check
tools/build.sh asan all
ctest --test-dir build/asan --output-on-failure -j "$(nproc)" -L unit
# The rooms whose tests have several threads. Of the pure core that is the snapshot, whose forks what-ifs read while it goes on
# changing.
# Without randomised addresses where that may be asked for, since TSan's fixed ones may be taken otherwise.
tools/build.sh tsan unit_base unit_async unit_client unit_server unit_controller unit_scheduler_cluster unit_scheduler_cycle
fixed_addresses=()
if setarch -R true 2>/dev/null; then fixed_addresses=(setarch -R); fi
"${fixed_addresses[@]}" ctest --test-dir build/tsan --output-on-failure -j "$(nproc)" -R '^unit_(base|async|client|server|controller|scheduler_cluster|scheduler_cycle)$'
tools/build.sh release podium podium_tables
tools/kube.sh
ctest --test-dir build/release --output-on-failure -L e2e
