#!/usr/bin/env bash
# build.sh PRESET TARGET…: configures once and builds, with ninja's progress. With PODIUM_WERROR=ON, as continuous integration
# has it, it fails after a build with warnings: the compiler's flags stay the same, so that nothing is compiled twice for it.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
# The compiler's cache serves every clone, whatever its folder is called.
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
# TSan does not know std::atomic_thread_fence, and GCC says so wherever a header of the libraries has one.
if grep 'warning:' "build/$preset/build.log" | grep -qv '\[-Wtsan\]'; then
  echo "podium: warnings are errors here:" >&2
  grep 'warning:' "build/$preset/build.log" | grep -v '\[-Wtsan\]' | sort -u >&2
  exit 1
fi
