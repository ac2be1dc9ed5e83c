#!/usr/bin/env bash
# go-build.sh MODULE_DIR OUTPUT_DIR PACKAGE…: builds Go programs of one of e2e/'s modules, once; a change of the module or of
# its sources builds them again. Says how far it is and how long each took.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
module=$1 out=$(mkdir -p "$2" && cd "$2" && pwd)
shift 2
[ -x "$root/.cache/go/bin/go" ] && PATH=$root/.cache/go/bin:$PATH
export CGO_ENABLED=0 GOFLAGS="-buildvcs=false -trimpath -mod=readonly" GOTOOLCHAIN=local

cd "$module"
stamp=$(find . -type f \( -name '*.go' -o -name 'go.*' \) -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c1-16)
version=$(awk '$1 == "k8s.io/kubernetes" {print $2; exit}' go.mod)
flags="-s -w"
if [ -n "$version" ]; then
  minor=${version#v1.} minor=${minor%%.*}
  base=k8s.io/component-base/version
  flags="$flags -X $base.gitVersion=$version -X $base.gitMajor=1 -X $base.gitMinor=$minor"
fi
for package in "$@"; do
  name=$(basename "${package%/v[0-9]}")
  [ "$package" = . ] && name=$(basename "$PWD")
  [ "$package" = go.etcd.io/etcd/server/v3 ] && name=etcd
  [ -x "$out/$name" ] && [ "$(cat "$out/.$name.stamp" 2>/dev/null)" = "$stamp" ] && continue
  printf '== building %s (minutes when cold, seconds when warm) ' "$name"
  began=$SECONDS
  go build -o "$out/$name" -ldflags "$flags" "$package" 2> >(grep -v '^go: downloading' >&2) &
  pid=$!
  for ((i = 1; ; i++)); do kill -0 $pid 2>/dev/null || break; sleep 0.5; ((i % 10)) || printf '.'; done
  wait $pid
  echo "$stamp" > "$out/.$name.stamp"
  printf ' %ss\n' $((SECONDS - began))
done
