#!/usr/bin/env bash
# The whole suite: unit tests under ASan and UBSan, those of some rooms with threads of their own under TSan too, then
# everything against the real control plane with the release program, or the sanitizers' where others send what they like, a
# sample of the parity seeds and of the replay, and what kube-scheduler's own plugin tests ask. ctest prints what ran. Ctrl-C stops all that runs.
set -euo pipefail
cd "$(dirname "$0")/.."

# Runs a step that is told to end when this script ends, however it does; ctest's tests when ctest does (e2e/CMakeLists.txt).
# In the background, since a shell does not react to signals while it waits for what is in the foreground.
step() {
  echo "== $*"
  setpriv --pdeathsig TERM -- "$@" &
  wait $!
}
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

step tools/format.sh --check
step tools/build.sh asan all
step ctest --test-dir build/asan --output-on-failure -j "$(nproc)" -L unit
# The rooms whose tests have several threads. Of the pure core that is the snapshot, whose forks what-ifs read while it goes on
# changing.
# Without randomised addresses where that may be asked for, since TSan's fixed ones may be taken otherwise.
step tools/build.sh tsan podium unit_base unit_async unit_client unit_server unit_controller unit_scheduler_cluster \
  unit_scheduler_cycle unit_app_engine
fixed_addresses=()
if setarch -R true 2>/dev/null; then fixed_addresses=(setarch -R); fi
step "${fixed_addresses[@]}" ctest --test-dir build/tsan --output-on-failure -j "$(nproc)" \
  -R '^unit_(base|async|client|server|controller|scheduler_cluster|scheduler_cycle|app_engine)$'
step tools/build.sh release podium podium_tables
step tools/kube.sh
step tools/go-build.sh e2e/oracle build/oracle .
# Two live tests at a time where they do not disturb each other; see e2e/CMakeLists.txt.
step "${fixed_addresses[@]}" ctest --test-dir build/release --output-on-failure -j 2 -L e2e
