# Hopscope's commands. Each sets up what it needs: on a fresh machine with Swift, `make run` and `make test` need nothing before them.

SHELL := /bin/sh
SWIFT ?= swift
PREFIX ?= /usr/local
ARGS ?=

export SWIFT

# What people run and measure is optimised: with its dependencies it builds in little more time than a debug build does, and an inspector
# that lags is none. Tests and checks use the debug build.
RELEASE := .build/release/hopscope
TEST := Scripts/test
# The end-to-end tests run the program in a terminal of its own; the sanitizers are for the code inside one process.
SANITIZE := $(TEST) --skip '^HopscopeCLITests\.' --skip '^CConcurrencyProbeTests\.'
# The thread sanitizer does not know Synchronization's locks: -DTHREAD_SANITIZER makes TaskEvents' Guarded describe each one to it.
# How hard the tests try there that get better with time.
OPERATIONS ?= 1000000
SANITIZE_THREADS := $(SANITIZE) --sanitize=thread --scratch-path .build-tsan -Xswiftc -DTHREAD_SANITIZER
# What is recorded into stays for threads that may still write there, so it is no leak; and Swift's own key paths copy between places that overlap.
ASAN_OPTIONS ?= detect_leaks=0:replace_intrin=0

.DEFAULT_GOAL := help
.PHONY: help run build release test check sanitize bench timed ledger screens docs agree kills tally install clean packages test-packages

help: ## Lists these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

run: release ## Opens the inspector on a demo; ARGS="kinesis-save-fails --speed 2" are the demo's arguments
	@exec $(RELEASE) demo $(ARGS)

build: packages ## Builds everything for debugging, tests included
	$(SWIFT) build --build-tests
	@Scripts/link-probe .build/debug

test: check build test-packages ## Checks, builds, and runs all tests
	@$(TEST) --skip-build

check: ## Checks formatting, imports and the rules of the house
	@Scripts/check

sanitize: packages ## Runs the tests with the thread sanitizer (a million racing operations, or OPERATIONS=N), then with the address sanitizer
	HOPSCOPE_STRESS_OPERATIONS=$(OPERATIONS) $(SANITIZE_THREADS)
	ASAN_OPTIONS=$(ASAN_OPTIONS) $(SANITIZE) --sanitize=address --scratch-path .build-asan -Xswiftc -DADDRESS_SANITIZER

bench: packages ## Runs the benchmarks; ARGS="--filter REGEX" picks some
	cd Benchmarks && $(SWIFT) package --disable-sandbox benchmark $(ARGS)

agree: release ## Holds the reports of live runs, recordings and killed processes of every scenario against one another
	@Scripts/agree $(RELEASE) $(ARGS)

kills: packages ## Kills the load demo at 200 random moments and reads what it left
	HOPSCOPE_KILLS=200 $(TEST) --filter '^ScenariosTests\.KilledLoadTests'

timed: build test-packages ## Runs the tests that measure time; for a machine that does nothing else
	HOPSCOPE_TIMED_TESTS=1 $(TEST) --skip-build --filter 'RecipeHazardTests|RunInspectorTests'

ledger: packages ## Compares the reports of SEEDS=1000 random programs, debug and release, with the programs' own ledgers
	$(SWIFT) build --build-tests
	@Scripts/link-probe .build/debug
	HOPSCOPE_LEDGER_SEEDS=$(or $(SEEDS),1000) $(TEST) --skip-build --filter '^CConcurrencyProbeTests\.LedgerTests'

tally: packages ## Holds the probe's books against those of a program of 100,000 tasks, ten times by each way in (RUNS=N), and prints them
	$(SWIFT) build --build-tests
	@Scripts/link-probe .build/debug
	HOPSCOPE_TALLY_RUNS=$(or $(RUNS),10) HOPSCOPE_TALLY_ROUNDS=3700 $(TEST) --skip-build --filter '^CConcurrencyProbeTests\.StressTests'

screens: release ## Makes the README's pictures of the screens anew
	@Scripts/screens $(RELEASE) Assets/screens

# With a build folder of its own: the plugin that it needs is no part of an ordinary build (see the end of Package.swift).
docs: ## Builds the documentation of the modules that programs import, and says where it is
	HOPSCOPE_DOCS=1 $(SWIFT) package --scratch-path .build-docs generate-documentation --warnings-as-errors --transform-for-static-hosting \
		$(foreach module,Hopscope TaskRuntime AWSTasks SwiftTasks AlecrimTasks,--target $(module))

install: release ## Installs hopscope in PREFIX/bin (PREFIX=/usr/local)
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(RELEASE) "$(DESTDIR)$(PREFIX)/bin/hopscope"
	install -d "$(DESTDIR)$(PREFIX)/lib"
	install -m 755 .build/release/libhopscope-probe.so "$(DESTDIR)$(PREFIX)/lib/libhopscope-probe.so"

clean: ## Removes everything that was built
	rm -rf .build .build-tsan .build-asan .build-docs Benchmarks/.build

# What follows is what the commands above need. What it prints goes to standard error, so that `make run | …` has the report alone.

release: packages
	@$(SWIFT) build -c release --product hopscope >&2
	@$(SWIFT) build -c release --target CConcurrencyProbe >&2
	@Scripts/link-probe .build/release

packages:
	@Scripts/setup libncurses-dev

test-packages:
	@Scripts/setup libncurses-dev tmux
