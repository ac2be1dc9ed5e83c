#!/usr/bin/env bash
# build.sh PRESET TARGET…: configures once and builds, with ninja's progress. With PODIUM_WERROR=ON (continuous
# integration) it fails after a build with warnings. The compiler's flags stay the same, so that the cache still serves.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
# All clones share the compiler cache, whatever their path.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
if [ ! -f "build/$preset/build.ninja" ]; then
  echo "== configuring $preset"
  log=$(mktemp)
  cmake --preset "$preset" >"$log" 2>&1 || { cat "$log"; rm -f "$log"; exit 1; }
  rm -f "$log"
fi
echo "== building $* ($preset)"
export NINJA_STATUS="[%f/%t %es] "
ninja=(ninja -C "build/$preset" -j "${JOBS:-$(nproc)}" "$@")
[ "${PODIUM_WERROR:-OFF}" = ON ] || exec "${ninja[@]}"
setpriv --pdeathsig TERM -- "${ninja[@]}" 2>&1 | tee "build/$preset/build.log"
# TSan does not support std::atomic_thread_fence, and GCC warns wherever a library header uses it.
if grep 'warning:' "build/$preset/build.log" | grep -qv '\[-Wtsan\]'; then
  echo "podium: warnings are errors here:" >&2
  grep 'warning:' "build/$preset/build.log" | grep -v '\[-Wtsan\]' | sort -u >&2
  exit 1
fi
