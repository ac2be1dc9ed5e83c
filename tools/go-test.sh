#!/usr/bin/env bash
# go-test.sh MODULE_DIR: runs the tests of one Go module.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/go-env.sh"
cd "$1"
exec go test -vet=off -count=1 ./...
