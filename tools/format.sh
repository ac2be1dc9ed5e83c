#!/usr/bin/env bash
# Formats all C++ with .clang-format; --check only reports files that are not formatted. clang-format comes from PyPI in a
# pinned release, since releases format differently.
set -euo pipefail
cd "$(dirname "$0")/.."

clang_format=$(tools/pypi.sh clang-format 20.1.8)
mode=(-i)
[ "${1:-}" != --check ] || mode=(--dry-run --Werror)
git ls-files -z --cached --others --exclude-standard '*.cc' '*.h' | xargs -0 "$clang_format" "${mode[@]}"
