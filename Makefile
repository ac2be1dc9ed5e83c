# Every target does its own set-up. Start with `make demo` and `make test`.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
SEEDS ?= 1..1000
STEPS ?= 300
# Programs that start servers get SIGTERM when make is killed, and stop them.
DIES_WITH_MAKE := setpriv --pdeathsig TERM --

.PHONY: help setup build dev unit live image image-arm64 images kube test fuzz chart-test e2e-node demo parity tables place replay bench format clean

help:            ## lists the targets
	@grep -hE '^[a-z0-9-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## +/\1\t/' | expand -t 14

setup:           ## installs what is missing (Debian packages, Go)
	@tools/setup.sh

build: setup     ## builds the program: build/release/podium
	@tools/build.sh release podium

dev: setup       ## builds the program without optimisation, for a debugger: build/debug/podium; compile_commands.json for editors
	@tools/build.sh debug podium
	@ln -sf build/debug/compile_commands.json compile_commands.json

unit: setup      ## builds and runs the unit tests of one room under ASan and UBSan (ROOM=scheduler/queue, FILTER=Queue.*)
	@tools/unit.sh $(ROOM) $(if $(FILTER),'$(FILTER)')

live: build kube ## runs one file of live tests, or one test of it (TEST=test_reports, TEST=test_reports.Reports.test_name)
	@$(DIES_WITH_MAKE) python3 -m unittest -v e2e.tests.$(TEST)

image: build     ## builds podium's image: build/image/podium-VERSION-ARCH.oci.tar (IMAGE=REGISTRY/NAME)
	@tools/setup.sh tools/image/packages.txt
	@tools/image/build.sh
	@tools/image/smoke.py

image-arm64: setup ## the same for arm64, cross-compiled: build/image-arm64
	@tools/setup.sh tools/image/packages.txt tools/image/packages-arm64.txt
	@tools/build.sh arm64 podium
	@BUILD=build/arm64 OUT=build/image-arm64 tools/image/build.sh
	@tools/image/smoke.py build/image-arm64/podium-*.oci.tar

images: image image-arm64 ## one image for amd64 and arm64: build/images/podium-VERSION.oci.tar
	@tools/image/index.py build/images build/image/layout build/image-arm64/layout

kube: setup      ## builds the real control plane that tests and the demo run: build/kube/bin
	@tools/kube.sh

test: setup      ## the whole test suite, as continuous integration runs it
	@$(DIES_WITH_MAKE) tools/test.sh

.PHONY: cost
cost: setup      ## measures what the largest objects cost that the API server takes, and that the cost is linear
	@tools/build.sh asan unit_cost
	@tools/build.sh release unit_cost
	@unit/cost/largest.py

fuzz: setup      ## fuzzes with AFL++, under ASan and UBSan (MINUTES=1 of each fuzzer; FUZZER=name: of this one; PODIUM_TEST_SEED)
	@$(DIES_WITH_MAKE) tools/fuzz/run.sh $(FUZZER)

chart-test: build ## the Helm chart: its values, on a real API server, its rights taken away one by one
	@tools/kube.sh etcd kube-apiserver kubectl helm
	@$(DIES_WITH_MAKE) python3 -m unittest -v $(patsubst e2e/tests/%.py,e2e.tests.%,$(wildcard e2e/tests/test_chart_*.py))

demo: build      ## podium on a real API server, and what its users ask (KEEP=1 leaves it running)
	@tools/kube.sh etcd kube-apiserver kubectl
	@$(DIES_WITH_MAKE) e2e/demo/run $(if $(KEEP),--keep)

parity: build kube ## compares podium's decisions with kube-scheduler's own (SEEDS=1..1000)
	@e2e/parity/run --seeds $(SEEDS)

tables: setup    ## puts the questions of kube-scheduler's plugin tests to podium's plugins
	@tools/build.sh release podium_tables
	@e2e/tables/run

place: build     ## places a trace pod after pod and compares with kube-scheduler's framework (OPENB=DIR: Alibaba's; else generated)
	@e2e/parity/place $(if $(OPENB),--openb $(OPENB))

replay: build kube ## steps podium and kube-scheduler through a random cluster life, with devices, and judges each step (STEPS=300, SEED)
	@e2e/replay/run --devices --steps $(STEPS) $(if $(SEED),--seed $(SEED))

.PHONY: simulate
simulate: setup  ## lives of podium on virtual time, with faults, against a modelled API server (SEEDS=1..1000)
	@tools/build.sh release simulate
	@$(DIES_WITH_MAKE) build/release/simulate/podium_simulate --jobs $(JOBS) --also simulate/failed_seeds.txt --seeds $(SEEDS)

e2e-node: image  ## podium's image and chart on a real node: install, upgrade, drain, static pod, rollback, uninstall
	@$(DIES_WITH_MAKE) e2e/node/run

bench: setup     ## measures the core, and podium next to kube-scheduler on one API server
	@bench/run

format: setup    ## formats all C++ with .clang-format
	@tools/format.sh

clean:           ## removes build/, but not the caches of Go and ccache
	rm -rf build
