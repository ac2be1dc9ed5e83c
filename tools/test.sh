#!/usr/bin/env bash
# The whole suite: the format; unit tests and fuzzers under ASan and UBSan, unit tests with threads under TSan too; then the
# tests against the real control plane, samples of parity, place and replay, and kube-scheduler's plugin tests. These use the
# release program, or a sanitizer's where e2e/CMakeLists.txt says so. ctest prints what ran. Ctrl-C stops everything.
set -euo pipefail
cd "$(dirname "$0")/.."

# Runs a step that gets SIGTERM when this script ends, however it ends. In the background, since a shell does not react to
# signals while it waits for a foreground process.
minutes=()
step() {
  local began=$SECONDS
  echo "== $*"
  setpriv --pdeathsig TERM -- "$@" &
  wait $!
  minutes+=("$(printf '%5.1f  %.100s' "$((10 * (SECONDS - began) / 60))e-1" "$*")")
}
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# TSan needs fixed addresses to be free, so the tests run without address randomisation where setarch may turn it off.
fixed_addresses=()
if setarch -R true 2>/dev/null; then fixed_addresses=(setarch -R); fi

# tests PRESET OPTION…: runs ctest. What depends on other threads or processes runs once more when it fails, with the same
# seed, and is named at the end: docs/decisions/0017. What a sanitizer finds is fatal whatever the second run says.
second=()
took=()
tests() {
  local preset=$1 log=build/$1/tests.log
  shift
  step "${fixed_addresses[@]}" ctest --test-dir "build/$preset" --output-on-failure --output-log "$log" "$@"
  if grep -E 'WARNING: ThreadSanitizer|ERROR: (Address|Leak)Sanitizer|: runtime error: ' "$log"; then
    echo "podium: a sanitizer has found something; the whole output is in $log" >&2
    exit 1
  fi
  mapfile -t -O "${#second[@]}" second < <(sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: (\S+) .*\*\*\*.*/\1/p' "$log")
  mapfile -t -O "${#took[@]}" took < <(sed -nE "s/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: (\S+) .* ([0-9.]+) sec.*$/\2  \1 ($preset)/p" "$log")
}
export GTEST_BRIEF=1 # prints failures only
again=(--repeat until-pass:2)

step tools/format.sh --check
step tools/build.sh asan all
tests asan -j "$(nproc)" -L unit -LE threads
# Each tree has a seed of its own: every commit draws again, and a commit that passed passes again. Without git, any.
tree=$(git rev-parse --short=7 'HEAD^{tree}' 2>/dev/null || printf '%04x%04x' $RANDOM $RANDOM)
export PODIUM_TEST_SEED=${PODIUM_TEST_SEED:-$((10000 + 16#${tree:0:7}))}
echo "== PODIUM_TEST_SEED=$PODIUM_TEST_SEED"
tests asan -j "$(nproc)" -L fuzz
tests asan -j "$(nproc)" -L threads "${again[@]}"
step tools/build.sh tsan podium unit_threads
tests tsan -j "$(nproc)" -L threads "${again[@]}"
step tools/build.sh release podium proofs
tests release -j "$(nproc)" -L simulate
step tools/setup.sh tools/image/packages.txt tools/browser/packages.txt
step tools/image/build.sh
step tools/unpack.sh build/packages prometheus
step tools/kube.sh
# The live tests that need these would build them, within their time.
step tools/kube.sh kube-controller-manager kube-apiserver-1.36 kube-apiserver-1.35
step tools/go-build.sh e2e/oracle build/oracle .
step tools/go-build.sh tools/actionlint build/actionlint github.com/rhysd/actionlint/cmd/actionlint
step build/actionlint/actionlint .github/workflows/*.yml
# Three live tests at a time, since they mostly wait; e2e/CMakeLists.txt says which take more than one place.
tests release -j 3 -L e2e "${again[@]}"
echo "== tests that passed at the second run only: ${second[*]:-none}"
echo "== minutes of each step"
printf '%s\n' "${minutes[@]}"
echo "== seconds of the slowest tests"
printf '%s\n' "${took[@]}" | sort -rn | sed -n 1,20p
