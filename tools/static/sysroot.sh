#!/usr/bin/env bash
# sysroot.sh ARCH: unpacks the headers and archives that podium is linked with on another machine into .cache/sysroot/ARCH. The
# packages are those that are installed here, for that machine. They are not installed: some, such as libyaml-cpp-dev, can be
# installed for one machine only.
set -euo pipefail
cd "$(dirname "$0")/../.."
packages=()
while read -r line; do
  for name in ${line//|/ }; do
    if dpkg-query -W "$name" >/dev/null 2>&1; then packages+=("$name"); break; fi
  done
done < <(grep -e '-dev' tools/packages.txt | grep -vE '^(dpkg-dev|lib(benchmark|gmock|gtest)-dev)')
tools/unpack.sh --arch "$1" ".cache/sysroot/$1" "${packages[@]}"
