# Each target installs what it needs, so that `make run` and `make test` work on a fresh machine with Swift.

SHELL := /bin/sh
SWIFT ?= swift
PREFIX ?= /usr/local
ARGS ?=

export SWIFT

# `make run`, `bench` and `install` use the release build, which takes little longer than a debug build. Tests and checks use the
# debug build.
RELEASE := .build/release/hopscope
# The index of the code is for editors, which make their own.
BUILD := $(SWIFT) build --build-tests --disable-index-store
TEST := Scripts/test
# Sanitized runs leave out the end-to-end tests, because these run other processes.
SANITIZE := $(TEST) --skip '^HopscopeCLITests\.' --skip '^CConcurrencyProbeTests\.' --skip '^ProbeInjectionTests\.'
# The number of operations in the stress tests; more operations find more races.
OPERATIONS ?= 1000000
# The thread sanitizer does not know Synchronization's locks: -DTHREAD_SANITIZER makes TaskEvents' Guarded describe each one to it.
SANITIZE_THREADS := --sanitize=thread -Xswiftc -DTHREAD_SANITIZER
# Regions stay mapped for threads that may still write to them, so the leak check would report them. Swift's key paths call memcpy
# with overlapping memory.
ASAN_OPTIONS ?= detect_leaks=0:replace_intrin=0

.DEFAULT_GOAL := help
.PHONY: help run build release test check sanitize bench growth timed frames fuzz soak injections clients ledger leaks mcp-client fleet swift-test examples snapshots explore screens docs agree kills mutations seeks tally time-parts traces install dist deb check-dist portability clean packages test-packages dist-packages

##@ Every day

help: ## Lists these targets
	@awk -F ':.*## ' '/^##@ / { print substr($$0, 5) } /^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

run: release ## Opens the inspector on a demo; ARGS="kinesis-save-fails --speed 2" are the demo's arguments
	@exec $(RELEASE) demo $(ARGS)

build: packages ## Builds everything for debugging, tests included
	$(BUILD)
	@Scripts/link-probe .build/debug

test: check build test-packages ## Checks, builds, and runs all tests, or those of some rooms: TESTS="TraceStore TraceAnalysis"
	@Scripts/fleet-packages --optional
	@Scripts/runtimes --optional
	@$(TEST) $(TESTS)

check: ## Checks formatting, imports and the rules of the house
	@Scripts/check

##@ Long tests, searches and measurements: minutes to hours

sanitize: packages ## Runs the tests with the thread sanitizer (OPERATIONS=N racing operations), then with the address sanitizer
	$(BUILD) --scratch-path .build-tsan $(SANITIZE_THREADS)
	HOPSCOPE_STRESS_OPERATIONS=$(OPERATIONS) $(SANITIZE) --scratch-path .build-tsan
	$(BUILD) --scratch-path .build-asan --sanitize=address -Xswiftc -DADDRESS_SANITIZER
	ASAN_OPTIONS=$(ASAN_OPTIONS) $(SANITIZE) --scratch-path .build-asan

bench: packages ## Runs the benchmarks and ends with a table of all rows; ARGS="--filter REGEX" selects some
	@rm -f Benchmarks/.build/rows.jsonl
	cd Benchmarks && $(SWIFT) package --disable-sandbox benchmark $(ARGS)
	@Benchmarks/table

growth: release ## Measures how costs grow up to TASKS=10000000, and draws Assets/growth/*.svg; half an hour
	@Scripts/setup python3-matplotlib
	@Scripts/growth $(RELEASE) $(TASKS)

agree: release ## Compares the reports of live runs, recordings and killed processes of every scenario; ARGS="load" picks some
	@Scripts/agree $(RELEASE) $(ARGS)

kills: build ## Kills the load demo at 200 random moments and reads its region
	HOPSCOPE_KILLS=200 $(TEST) --filter '^ScenariosTests\.KilledLoadTests'

fuzz: build test-packages ## Searches for inputs that break Hopscope, for MINUTES=10 in all; ARGS="keys queries" picks parts
	@Scripts/fuzz $(or $(MINUTES),10) $(ARGS)

soak: release test-packages ## Runs load with attach, and Swift tasks with ship, for MINUTES=10; nothing may grow or be lost
	@Scripts/soak.py $(RELEASE) $(or $(MINUTES),10) $(ARGS)

mcp-client: build ## Talks to 'hopscope mcp' with the client of PyPI, and looks for planted problems as an agent does
	@Scripts/mcp-client .build/debug/hopscope $(ARGS)

timed: build test-packages ## Runs the tests that measure time; for a machine that does nothing else
	HOPSCOPE_TIMED_TESTS=1 $(TEST) --filter 'RecipeHazardTests|RunInspectorTests'

frames: build ## Prints what a frame costs for 1,000 to TASKS=100000 tasks of crowded shapes; SHAPE=join for one
	@HOPSCOPE_TIMED_TESTS=1 HOPSCOPE_FRAME_TASKS=$(or $(TASKS),100000) HOPSCOPE_FRAME_SHAPE='$(SHAPE)' \
		$(TEST) --filter FrameCostTests >.build/frames.log; status=$$?; grep -E 'frames:|✘' .build/frames.log; exit $$status

injections: release ## Loads the probe COUNT=1000 times into a server under load: nothing fails, no stop above 20 ms
	@Scripts/inject-loop $(RELEASE) $(or $(COUNT),1000)

clients: release ## Compares the sockets that ps tells of waiting clients with the truth, RUNS=10; CONFIGURATION=release; needs GitHub
	$(SWIFT) build --package-path Scripts/clients --scratch-path .build-clients -c $(or $(CONFIGURATION),debug) --disable-index-store
	@Scripts/clients/run $(RELEASE) .build-clients/$(or $(CONFIGURATION),debug)/Clients $(or $(RUNS),10) $(ARGS)

ledger: packages ## Compares the reports of SEEDS=1000 random programs of each kind with the programs' own ledgers
	$(BUILD)
	@Scripts/link-probe .build/debug
	HOPSCOPE_LEDGER_SEEDS=$(or $(SEEDS),1000) $(TEST) --filter '^CConcurrencyProbeTests\.LedgerTests'

swift-test: build test-packages ## Builds small packages and checks their 'swift test' as a user would; 40 tests of one hang
	HOPSCOPE_SWIFT_TEST=1 $(TEST) --filter '^HopscopeCLITests\.(SwiftTest|HungSuite|PassedStatus)Tests'

examples: build test-packages ## Builds the Examples, and runs their READMEs' commands and those of Docs that take long
	HOPSCOPE_EXAMPLES=1 $(TEST) --filter '^HopscopeCLITests\.(Example|PrintedCommand)Tests'

snapshots: packages ## Compares SNAPSHOTS=1000 snapshots of each test program with the program's ledger
	$(BUILD)
	HOPSCOPE_SNAPSHOTS=$(or $(SNAPSHOTS),1000) $(TEST) --filter '^RemoteTasksTests\.SnapshotTests'

explore: build ## Explores planted bugs and their healthy twins, in ORDERS=2000 orders, and the runtime's tests, in TEST_ORDERS=1000
	HOPSCOPE_EXPLORE_ORDERS=$(or $(ORDERS),2000) $(TEST) --filter '^(HopscopeTests\.ExploreTests|HopscopeCLITests\.PlantedOrderTests)'
	HOPSCOPE_EXPLORE_TESTS=$(or $(TEST_ORDERS),1000) $(TEST) --filter '^(TaskRuntime|AWSTasks|SwiftTasks|AlecrimTasks)Tests\.'

mutations: packages ## Looks for a false statement about MUTATIONS=500 random runtimes and layouts, from SEED=1 on
	$(BUILD)
	@Scripts/link-probe .build/debug
	@Scripts/runtimes --optional
	HOPSCOPE_MUTATIONS=$(or $(MUTATIONS),500) HOPSCOPE_FIRST_MUTATION=$(or $(SEED),1) $(TEST) --filter '^CConcurrencyProbeTests\.RandomRuntimeTests|^RemoteTasksTests\.(Generated)?LayoutTests'

seeks: build ## Goes to SEEKS=5000 events of random traces and compares each state with that of a straight fold
	HOPSCOPE_SEEKS=$(or $(SEEKS),5000) $(TEST) --filter '^TraceStoreTests\.TraceHistoryTests'

tally: packages ## Compares the probe's counts with those of 100,000 tasks, RUNS=10 times for each way to load it
	$(BUILD)
	@Scripts/link-probe .build/debug
	HOPSCOPE_TALLY_RUNS=$(or $(RUNS),10) HOPSCOPE_TALLY_ROUNDS=3700 HOPSCOPE_TALLY_THREADS=4096 \
		$(TEST) --filter '^CConcurrencyProbeTests\.(Stress|Threads)Tests|GrowthTests'

time-parts: release ## Compares where tasks' time went with programs that know it, ten minutes; ARGS="shares slow" picks some
	@Scripts/time-parts.py $(RELEASE) $(ARGS)

leaks: packages ## Runs the healthy twins of twelve leaks with TASKS=250000 of each, ten minutes; none may be found
	$(BUILD)
	@Scripts/link-probe .build/debug
	HOPSCOPE_LEAKS=$(or $(TASKS),250000) $(TEST) --filter '^CConcurrencyProbeTests\.LeaksTests'

fleet: release ## Sends twelve processes through a real collector, and asks SQL about exported tables; PODS=500 measures
	@Scripts/fleet-packages
	@Scripts/check-fleet $(RELEASE)
	@Scripts/check-tables $(RELEASE) $(PODS)

##@ Documents

screens: release test-packages ## Makes the documents' pictures and the demonstration, from real runs of the examples; minutes
	@Scripts/screens $(RELEASE) Assets/screens

traces: release ## Makes the recordings of Assets/traces, with their remarks, from runs of the examples; minutes
	@Scripts/traces $(RELEASE) Assets/traces

# Uses its own build folder, because ordinary builds do not have the plugin (see the end of Package.swift).
docs: ## Builds the documentation of the modules that programs import, and prints its location
	HOPSCOPE_DOCS=1 $(SWIFT) package --scratch-path .build-docs generate-documentation --warnings-as-errors --transform-for-static-hosting \
		$(foreach module,Hopscope TaskRuntime AWSTasks SwiftTasks AlecrimTasks,--target $(module))

##@ Installing and packaging

install: release ## Installs hopscope, the probe, the man page and completions in PREFIX (PREFIX=/usr/local)
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(RELEASE) "$(DESTDIR)$(PREFIX)/bin/hopscope"
	install -d "$(DESTDIR)$(PREFIX)/share/hopscope/traces"
	install -m 644 Assets/traces/*.hop "$(DESTDIR)$(PREFIX)/share/hopscope/traces"
	install -d "$(DESTDIR)$(PREFIX)/lib"
	install -m 755 .build/release/libhopscope-probe.so "$(DESTDIR)$(PREFIX)/lib/libhopscope-probe.so"
	install -m 755 .build/release/libhopscope-explore.so "$(DESTDIR)$(PREFIX)/lib/libhopscope-explore.so"
	Scripts/make-manual $(RELEASE) "$(DESTDIR)$(PREFIX)"

dist: dist-packages ## Builds an archive that needs no Swift where it is used: .build-dist/hopscope-VERSION-ARCH.tar.xz
	@Scripts/make-dist

deb: dist-packages ## Builds the archive and a Debian package of it, in .build-dist
	@Scripts/make-dist deb

check-dist: deb ## Tries the archive and the package in a bare Debian, which needs root; ARGS="trixie" picks the Debian
	@Scripts/check-dist $(ARGS)

portability: ## Runs tests with Swift 6.2 and 6.3, on x86-64 and aarch64; hours the first time; ARGS="aarch64-6.2" picks some
	@Scripts/portability $(ARGS)

clean: ## Removes all build products
	rm -rf .build .build-* Benchmarks/.build

# Targets that the ones above need. They print to standard error, so that `make run | …` contains only the report.

release: packages
	@$(SWIFT) build -c release --product hopscope >&2
	@$(SWIFT) build -c release --target CConcurrencyProbe >&2
	@Scripts/link-probe .build/release

packages:
	@Scripts/setup libncurses-dev libzstd-dev libdw-dev

dist-packages:
	@Scripts/setup libncurses-dev libzstd-dev libdw-dev zlib1g-dev liblzma-dev libbz2-dev

test-packages:
	@Scripts/setup libncurses-dev libzstd-dev libdw-dev tmux
