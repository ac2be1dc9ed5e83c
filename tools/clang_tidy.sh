#!/usr/bin/env bash
# clang_tidy.sh [PATH…]: checks the C++ files below these paths, or all, against .clang-tidy. JOBS processes. clang-tidy comes from PyPI
# in a pinned release, since each release has other checks. Needs no build: it compiles several files as one, as the builds do.
set -euo pipefail
cd "$(dirname "$0")/.."

clang_tidy=$(tools/pypi.sh clang-tidy 22.1.8)
cmake --preset tidy >/dev/null
ninja -C build/tidy page_assets.cc >/dev/null  # a source that CMake writes
# The compilations that have one of these files.
units=$(python3 - "${@:-.}" <<'PYTHON'
import json, pathlib, re, sys
root = pathlib.Path.cwd()
paths = [(root / path).resolve() for path in sys.argv[1:]]
for compilation in json.loads((root / "build/tidy/compile_commands.json").read_text()):
    unit = pathlib.Path(compilation["file"])
    files = re.findall('#include "(.*)"', unit.read_text()) if "Unity" in unit.parts else [unit]
    if any(pathlib.Path(file).is_relative_to(path) for file in files for path in paths):
        print(unit)
PYTHON
)
[ -n "$units" ] || { echo "clang_tidy.sh: no C++ files below $*" >&2; exit 2; }
tidy() {
  found=$("$1" -p build/tidy --quiet --header-filter="^$PWD/" --exclude-header-filter="^$PWD/build/" "$2" 2>/dev/null) ||
    { [ -z "$found" ] && "$1" -p build/tidy --quiet "$2"; printf '%s\n' "$found"; return 1; }
}
export -f tidy
xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'tidy "$@"' tidy "$clang_tidy" {} <<<"$units"
