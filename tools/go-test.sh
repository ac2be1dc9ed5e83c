#!/usr/bin/env bash
# go-test.sh MODULE_DIR: runs the tests of one Go module.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
[ -x "$root/.cache/go/bin/go" ] && PATH=$root/.cache/go/bin:$PATH
export CGO_ENABLED=0 GOFLAGS="-buildvcs=false -trimpath -mod=readonly" GOTOOLCHAIN=local
cd "$1"
exec go test -vet=off -count=1 ./...
