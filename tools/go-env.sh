# go-env.sh: Go and its settings, for the scripts in this directory, which set $root. All use the same, since compiled packages are
# shared between builds with equal settings only.
[ -x "$root/.cache/go/bin/go" ] && PATH=$root/.cache/go/bin:$PATH
# Without debug information, which the programs are linked without.
export CGO_ENABLED=0 GOFLAGS="-buildvcs=false -trimpath -mod=readonly -gcflags=all=-dwarf=false" GOTOOLCHAIN=local
# The compiler spends a quarter of its time on collecting garbage. A package compiles for seconds, and memory holds that much.
export GOGC=800 GOMEMLIMIT=1GiB
