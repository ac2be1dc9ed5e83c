#!/usr/bin/env bash
# build.sh PRESET TARGET…: configures once and builds, with ninja's progress.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
# The compiler's cache serves every clone, whatever its folder is called.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" >"build-$preset.log" 2>&1 ||
  { cat "build-$preset.log"; rm -f "build-$preset.log"; exit 1; }
rm -f "build-$preset.log"
echo "== building $* ($preset)"
NINJA_STATUS="[%f/%t %es] " ninja -C "build/$preset" -j "${JOBS:-$(nproc)}" "$@"
