#!/usr/bin/env bash
# Formats all C++ with .clang-format; --check only reports files that are not formatted. clang-format comes from PyPI in a
# pinned release, since releases format differently.
set -euo pipefail
cd "$(dirname "$0")/.."

want=20.1.8
clang_format=.cache/clang-format/bin/clang-format
if ! "$clang_format" --version 2>/dev/null | grep -q " $want"; then
  echo "== installing clang-format $want into .cache/clang-format"
  rm -rf .cache/clang-format
  python3 -m venv .cache/clang-format
  .cache/clang-format/bin/pip install -q --disable-pip-version-check "clang-format==$want"
fi
mode=(-i)
[ "${1:-}" != --check ] || mode=(--dry-run --Werror)
git ls-files -z --cached --others --exclude-standard '*.cc' '*.h' | xargs -0 "$clang_format" "${mode[@]}"
