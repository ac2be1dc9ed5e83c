#!/usr/bin/env bash
# pypi.sh NAME VERSION: prints the path of a program from PyPI in this release, and installs it into .cache/NAME if it is not there.
set -euo pipefail
cd "$(dirname "$0")/.."

name=$1 want=$2
program=.cache/$name/bin/$name
if ! "$program" --version 2>/dev/null | grep -q " $want"; then
  echo "== installing $name $want into .cache/$name" >&2
  rm -rf ".cache/$name"
  python3 -m venv ".cache/$name" >&2
  ".cache/$name/bin/pip" install -q --disable-pip-version-check "$name==$want" >&2
fi
echo "$program"
