#!/usr/bin/env bash
# run.sh [FUZZER…]: AFL++, which follows coverage, fuzzes each of them, or all, for MINUTES, JOBS at a time. It begins with
# fuzz/corpus, or continues from where the last run of the fuzzer ended (build/fuzz). Prints a line for each, and each finding
# with the command that runs it again (tools/build.sh asan podium_fuzz builds that). Exit code 1: there are findings.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/setup.sh tools/fuzz/packages.txt
tools/build.sh afl podium_fuzz_afl
tools/build.sh release podium_fuzz_mutator

export seconds=$((60 * ${MINUTES:-1})) seed=${PODIUM_TEST_SEED:-$RANDOM}
export AFL_CUSTOM_MUTATOR_LIBRARY=$PWD/build/release/fuzz/libpodium_fuzz_mutator.so
export AFL_MAP_SIZE=262144 # kPlaces in fuzz/afl/coverage.cc
export AFL_AUTORESUME=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1

fuzz() {
  local fuzzer=$1 out=build/fuzz${PODIUM_FUZZ_PLANTED:+/planted}/$1 words=fuzz/words/$1.dict found
  mkdir -p "$out"
  PODIUM_FUZZER=$fuzzer setpriv --pdeathsig TERM -- afl-fuzz -i "fuzz/corpus/$fuzzer" -o "$out" -V "$seconds" -s "$seed" -t 10000 \
    -m none -x "$words" -- build/afl/fuzz/podium_fuzz_afl >"$out/log" 2>&1 || { tail -20 "$out/log"; return 1; }
  awk -v name="$fuzzer" '{of[$1] = $3} END {printf "%s: %d s, %d inputs, corpus %d, edges %s, %d crashes, %d hangs\n", name,
    of["run_time"], of["execs_done"], of["corpus_count"], of["edges_found"], of["saved_crashes"], of["saved_hangs"]}' \
    "$out/default/fuzzer_stats"
  found=$(find "$out"/default/{crashes,hangs} -name 'id:*')
  [ -z "$found" ] || { sed "s|^|  build/asan/fuzz/podium_fuzz run $fuzzer |" <<<"$found"; return 1; }
}
export -f fuzz
echo "== fuzzing, seed $seed"
[ $# -gt 0 ] || set -- $(ls fuzz/corpus)
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'fuzz {}'
