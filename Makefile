# SPDX-License-Identifier: Apache-2.0
# A thin front for meson: what each word does is in scripts/.
BUILD        ?= build
PREFIX       ?= /usr/local
DESTDIR      ?=
FUZZ_SECONDS ?= 30
export BUILD FUZZ_SECONDS

.DEFAULT_GOAL := help
.PHONY: help build run tour test test-v2 bench lint fuzz install clean

help: ## this list
	@echo 'belljar: run the tool calls of language-model agents in a sealed box'
	@echo
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1|/p' $(firstword $(MAKEFILE_LIST)) | \
		while IFS='|' read -r word what; do printf '  make %-9s %s\n' "$$word" "$$what"; done
	@echo
	@echo 'run, tour, test, bench, lint and fuzz install missing Debian packages and say which.'

build: ## compile into build/
	@scripts/setup.sh run
	@scripts/build.sh

run: build ## compile, then serve at 127.0.0.1:8640 with the built-in policy
	@scripts/serve.sh $(BUILD)

tour: build ## compile, then a short tour of real runs
	@scripts/tour.sh $(BUILD)

test: ## everything that must hold: tests, lint, both compilers, sanitizers
	@scripts/setup.sh test
	@scripts/reachable.sh scripts/test.sh

test-v2: build ## the box on cgroup v2, in an emulated machine
	@tests/guest/run.sh --fetch $(BUILD)

bench: ## a table of times against other tools
	@scripts/setup.sh bench
	@scripts/build.sh
	@meson test -C $(BUILD) --benchmark --verbose

lint: ## the checks of the source text, with the one that takes minutes
	@scripts/setup.sh lint
	@scripts/build.sh
	@TIDY_DEEP=1 meson test -C $(BUILD) --no-rebuild --print-errorlogs --suite lint

fuzz: ## every fuzz target for FUZZ_SECONDS (30)
	@scripts/setup.sh fuzz
	@scripts/fuzz.sh

install: build ## into DESTDIR and PREFIX (/usr/local)
	@meson configure $(BUILD) -Dprefix=$(PREFIX) >/dev/null
	@scripts/build.sh
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD) --no-rebuild

clean: ## remove the build directories
	rm -rf build build-clang build-asan build-fuzz
