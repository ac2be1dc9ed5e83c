# Every target does its own set-up. Start with `make demo` and `make test`.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
SEEDS ?= 1..1000
STEPS ?= 300
# Programs that start servers get SIGTERM when make is killed, and stop them.
DIES_WITH_MAKE := setpriv --pdeathsig TERM --

.PHONY: help setup build kube test demo parity tables place replay bench format clean

help:            ## lists the targets
	@grep -hE '^[a-z0-9-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## +/\1\t/' | expand -t 14

setup:           ## installs what is missing (Debian packages, Go)
	@tools/setup.sh

build: setup     ## builds the program: build/release/podium
	@tools/build.sh release podium

kube: setup      ## builds the real control plane that tests and the demo run: build/kube/bin
	@tools/kube.sh

test: setup      ## the whole test suite, as continuous integration runs it
	@$(DIES_WITH_MAKE) tools/test.sh

demo: build      ## podium on a real API server, ending on its reports (KEEP=1 leaves it running)
	@tools/kube.sh etcd kube-apiserver kubectl
	@$(DIES_WITH_MAKE) e2e/demo/run $(if $(KEEP),--keep)

parity: build kube ## compares podium's decisions with kube-scheduler's own (SEEDS=1..1000)
	@e2e/parity/run --seeds $(SEEDS)

tables: setup    ## puts the questions of kube-scheduler's plugin tests to podium's plugins
	@tools/build.sh release podium_tables
	@e2e/tables/run

place: build     ## places a trace pod after pod, beside kube-scheduler's framework (OPENB=DIR: Alibaba's; else generated)
	@e2e/parity/place $(if $(OPENB),--openb $(OPENB))

replay: build kube ## steps podium and kube-scheduler through a random cluster life and judges each step (STEPS=300, SEED)
	@e2e/replay/run --steps $(STEPS) $(if $(SEED),--seed $(SEED))

bench: setup     ## measures the core, and podium beside kube-scheduler on one API server
	@bench/run

format: setup    ## formats all C++ with .clang-format
	@tools/format.sh

clean:           ## removes build/, but not the caches of Go and ccache
	rm -rf build
