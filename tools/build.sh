#!/usr/bin/env bash
# build.sh PRESET TARGET…: configures once and builds, with ninja's progress. With PODIUM_WERROR=ON (continuous
# integration) it fails after a build with warnings. The compiler's flags stay the same, so that the cache still serves.
# With PODIUM_STATIC=OFF the release program links shared libraries; it serves everything but the image. The preset arm64 is the
# release for that machine, cross-compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
# All clones share the compiler cache, whatever their path.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
configured() { [ -f "build/$preset/build.ninja" ]; }
options=()
if [ "$preset" = arm64 ]; then
  tools/static/sysroot.sh arm64
  tools/static/sources.sh .cache/sysroot/arm64
elif [ "$preset" = release ]; then
  static=${PODIUM_STATIC:-ON}
  if [ "$static" = ON ] && ! tools/static/sources.sh; then
    [ -z "${PODIUM_STATIC:-}" ] || exit 1
    echo "== without these sources podium links shared libraries, and make image does not work" >&2
    static=OFF
  fi
  # Configures again, without the libraries that were found for the other way of linking.
  options=("-DPODIUM_STATIC=$static" --fresh)
  configured() { grep -qs "^PODIUM_STATIC:BOOL=$static$" build/release/CMakeCache.txt && [ -f build/release/build.ninja ]; }
fi
if ! configured; then
  echo "== configuring $preset"
  log=$(mktemp)
  cmake --preset "$preset" "${options[@]}" >"$log" 2>&1 || { cat "$log"; rm -f "$log"; exit 1; }
  rm -f "$log"
fi
echo "== building $* ($preset)"
export NINJA_STATUS="[%f/%t %es] "
ninja=(ninja -C "build/$preset" -j "${JOBS:-$(nproc)}" "$@")
[ "${PODIUM_WERROR:-OFF}" = ON ] || exec "${ninja[@]}"
setpriv --pdeathsig TERM -- "${ninja[@]}" 2>&1 | tee "build/$preset/build.log"
if grep -q 'warning:' "build/$preset/build.log"; then
  echo "podium: warnings are errors here:" >&2
  grep 'warning:' "build/$preset/build.log" | sort -u >&2
  exit 1
fi
