#!/usr/bin/env bash
# unit.sh ROOM [FILTER]: builds the unit tests of a room in the preset asan and runs them, or those that the filter of GoogleTest
# selects. A room is a folder of unit/, such as scheduler/queue; without one, prints the rooms.
set -euo pipefail
cd "$(dirname "$0")/.."
rooms() { (cd unit && find . -name '*_test.cc' -printf '%h\n' | sed 's|^\./||' | sort -u | grep -v '^tidy'); }
# The folders of client/ and of scheduler/plugins/ share one program each: unit/CMakeLists.txt.
room=${1:-} room=${room%/}
case $room in
  client/*) target=client ;;
  scheduler/plugins/*) target=scheduler/plugins ;;
  *) target=$room ;;
esac
if [ -z "$target" ] || [ ! -d "unit/$target" ]; then
  printf 'podium: ROOM must be one of:\n' >&2
  rooms | sed 's/^/  /' >&2
  exit 2
fi
program=unit_${target//\//_}
tools/build.sh asan "$program"
# ASan and TSan need addresses that are not drawn, where the kernel draws them from too many.
run=()
if setarch -R true 2>/dev/null; then run=(setarch -R); fi
exec "${run[@]}" "build/asan/unit/$program" ${2:+"--gtest_filter=$2"}
