# The commands of the project. Each sets the machine up first (Scripts/setup), which prints nothing if it is ready. `make help` lists
# those marked with `##` first: most changes need no others.

.DEFAULT_GOAL := help
.PHONY: help $(shell sed -n 's/^\([a-z-]*\):.*\#[\#-] .*/\1/p' $(firstword $(MAKEFILE_LIST)))

SWIFT ?= swift
# An import across the layers of Package.swift fails the build.
BUILD := $(SWIFT) build --explicit-target-dependency-import-check error

# Homebrew's headers and libraries, for those without a .pc file.
ifeq ($(shell uname),Darwin)
export CPATH := $(shell brew --prefix 2>/dev/null)/include$(if $(CPATH),:$(CPATH))
export LIBRARY_PATH := $(shell brew --prefix 2>/dev/null)/lib$(if $(LIBRARY_PATH),:$(LIBRARY_PATH))
endif

help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@awk -F ':.*\#- ' '/^[a-z-]+:.*\#- / { printf "  make %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: #- check the Swift toolchain, install missing libraries
	@Scripts/setup

build: setup #- build everything with the tests (debug)
	@Scripts/quietly "build" $(BUILD) --build-tests

# Swift's libraries are linked into the command, so that it runs on machines without a toolchain.
COMMAND := $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)
COMMAND_PROGRAM := .build/release/calotype

demo: setup ## fetch, cache, decode and show images
	@Scripts/quietly "build (release)" $(BUILD) -c release $(COMMAND) --product calotype
	@$(COMMAND_PROGRAM) demo

command: setup #- build only the command, stripped, and print its path; docs/Deployment.md lists its run-time libraries
	@Scripts/quietly "build (release)" $(BUILD) -c release $(COMMAND) --product calotype
	@strip $(COMMAND_PROGRAM) -o .build/calotype
	@echo .build/calotype

# The progress of tests, line by line.
BY_LINE := $(if $(filter Linux,$(shell uname)),stdbuf -oL)

test: build ## run all tests, compile the snippets, build and run the examples
	@TIME_LIMIT=1800 Scripts/quietly "tests" $(BY_LINE) $(SWIFT) test --skip-build --disable-xctest --no-parallel
	@Scripts/snippets
	@Scripts/examples

# The parts behind package traits, with their tests and the examples that use them, are a package with a build folder of its own, so
# that the default build does not change. The package manager writes the traits into each command in the order of a set: without the
# variable, another order would build everything again.
OPTIONAL := --package-path Tests/Optional --scratch-path .build/optional
optional: export SWIFT_DETERMINISTIC_HASHING = 1
optional: #- build and test the optional parts: GTK, Redis, OpenCombine, and examples with more dependencies
	@Scripts/setup --optional
	@Scripts/quietly "1/3 build (optional parts, examples)" $(BUILD) --build-tests $(OPTIONAL)
	@TIME_LIMIT=1200 Scripts/quietly "2/3 tests (optional parts)" $(BY_LINE) $(SWIFT) test --skip-build --disable-xctest --no-parallel $(OPTIONAL)
	@Scripts/quietly "3/3 Examples/SignedRequests (tests)" Scripts/consume Examples/SignedRequests test --disable-xctest

GALLERY := --package-path Examples/GalleryGTK --scratch-path .build/gallery

gallery: #- an image viewer in GTK; IMAGES=folder, or a .txt file with one URL per line
	@Scripts/setup --optional
	@Scripts/quietly "build (gallery, release)" $(SWIFT) build -c release $(GALLERY) --product GalleryGTK
	@.build/gallery/release/GalleryGTK $(if $(IMAGES),"$(IMAGES)",Sources/Command/Demo/Images --serve)

LAB := --package-path Examples/Lab --scratch-path .build/lab

lab: #- a GTK application of five screens to try each part of the framework
	@Scripts/setup --optional
	@Scripts/quietly "build (lab, release)" $(SWIFT) build -c release $(LAB) --product Lab
	@.build/lab/release/Lab

lab-screens: #- test the lab, press its buttons on a virtual screen, and save images of all states in .build/lab-screens
	@Scripts/setup --optional
	@Scripts/lab screens

lab-soak: #- use the lab on a virtual screen, and check that memory does not grow; MINUTES=10
	@Scripts/setup --optional
	@Scripts/lab soak $(or $(MINUTES),10)

gtk-soak: #- scroll a grid of 2,000 images with 50 animations for a minute (release); SECONDS=60
	@Scripts/setup --optional
	@Scripts/gtk-soak $(or $(SECONDS),60)

check-apple: build #- type-check the Apple sources against stubs, and run their logic
	@Scripts/check-apple

portability: #- build and test on Debian 13 and sid, in separate folders; needs root; SUITES="trixie sid"
	@Scripts/portability $(SUITES)

check-musl: setup #- type-check the only module that imports the C library against Musl's headers
	@Scripts/check-musl

docs: ## build the site of the API reference and the guides; a missing comment or a broken link fails
	@Scripts/setup --optional --docs
	@Scripts/docs

snippets: setup #- compile the Swift code in the documentation
	@Scripts/snippets

examples: setup #- build and run the examples
	@Scripts/examples

# The variables of the command line are in the environment of commands, where no shell reads their text as code.
plugin: #- write a package for a plug-in with its conformance test: NAME=Posterize KIND=processor DIR=folder
	@Scripts/plugin "$$NAME" "$$KIND" "$$DIR"

format: setup ## format the sources
	@Scripts/lint --format

lint: setup ## check format and house rules
	@Scripts/lint

# In release mode the programs run ten times as fast. The folder is separate because of the flag.
MODEL := --scratch-path .build/model -c release -Xswiftc -enable-testing

modeltest: setup #- run random programs against the engine's states, whole loaders and targets; STEPS=5000000 PROGRAMS=10000
	@Scripts/quietly "build (release, with tests)" $(BUILD) $(MODEL) --build-tests
	@CALOTYPE_MODEL_STEPS=$(or $(STEPS),5000000) CALOTYPE_PROGRAMS=$(or $(PROGRAMS),10000) \
	  Scripts/quietly "model test" $(SWIFT) test $(MODEL) --skip-build --disable-xctest --no-parallel --filter '(Engine)?Model/|Programs'

soak: setup #- run a million loads of every kind, and check that memory does not grow; LOADS=1000000
	@Scripts/quietly "build (release)" $(BUILD) -c release --product EngineSoak
	@GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1 .build/release/EngineSoak $(LOADS)

storm: setup #- load images for ten minutes from servers that misbehave in many ways; SECONDS=600 SEED=1
	@Scripts/quietly "build (release)" $(BUILD) -c release --product NetworkStorm
	@.build/release/NetworkStorm SECONDS=$(or $(SECONDS),600) SEED=$(or $(SEED),1)

sanitize: setup #- find data races, memory errors and leaks with sanitizers; takes at least eight minutes; ONLY=thread
	@Scripts/sanitize $(ONLY)

crashtest: build #- kill a process that writes the disk cache, repeatedly, and share the cache for a minute; ROUNDS=500
	@CALOTYPE_CRASH_ROUNDS=$(or $(ROUNDS),500) CALOTYPE_SHARING_SECONDS=60 Scripts/quietly "crash test" $(SWIFT) test --skip-build --disable-xctest --no-parallel --filter 'DiskCacheCrashTests|DiskCacheTwoProcessTests'

fuzz: setup #- fuzz the decoders, the disk cache and what reads URLs and responses; SECONDS_PER_TARGET=60 each; SEED=1 repeats the same inputs
	@SECONDS_PER_TARGET=$(or $(SECONDS_PER_TARGET),60) SEED=$(SEED) Scripts/fuzz

kernelpaths: build #- run the tests of the kernels and processors for each instruction set of this processor
	@for path in baseline avx2 avx512; do \
	  CALOTYPE_SIMD=$$path Scripts/quietly "tests ($$path)" $(SWIFT) test --skip-build --disable-xctest --no-parallel \
	    --filter 'ImageKernelsTests|ImageProcessingTests' || exit 1; \
	done

# Each row is printed by the test of one sampling.
fidelity: build #- print how far the colours of JPEG thumbnails differ from those of a full decode, by sampling and scale
	@echo "Cb and Cr, mean and largest difference from a full decode scaled by Lanczos, at 1/2 to 1/12:"
	@CALOTYPE_PRINT_FIDELITY=1 $(SWIFT) test --skip-build --disable-xctest --no-parallel --filter ThumbnailChromaTests \
	  | grep '^4:'

compare-kernels: #- compare all variants of the kernels, with arm64 under qemu, with the x86-64 baseline; SEED=1 ROUNDS=300
	@Scripts/setup --arm64
	@SEED=$(SEED) ROUNDS=$(ROUNDS) Scripts/compare-kernels

bench: setup #- measure beside peers (release), write a report into Benchmarks/Results; SUITE="decode process" EFFORT=smoke|full SEED=1 JSON=figures.json
	@Scripts/setup --bench || echo "bench: the cells of missing programs stay empty." >&2
	@Scripts/bench-peers $(SUITE)
	@Scripts/quietly "build (release)" $(BUILD) -c release $(COMMAND) --product calotype
	@Scripts/quietly "build (benchmarks, release)" Scripts/consume Benchmarks build -c release $(COMMAND)
	@.build/release/Benchmarks $(SUITE) $(if $(EFFORT),--effort $(EFFORT)) $(if $(SEED),--seed $(SEED)) $(if $(JSON),--json $(JSON))

BENCHMARKS := Scripts/quietly "build (benchmarks, release)" Scripts/consume Benchmarks build -c release $(COMMAND) --product Benchmarks
# The variables of the command line are in the environment of commands, where no shell reads their text as code.
report: setup #- write the report of the newest run again, and print its path; RUN=folder
	@$(BENCHMARKS) >&2
	@.build/release/Benchmarks report $${RUN:+"$$RUN"}

bench-compare: setup #- print what changed from run A to run B beyond the noise; A=folder B=folder
	@[ -n "$$A" ] && [ -n "$$B" ] || { echo "bench-compare: name two runs: make bench-compare A=Benchmarks/Results/… B=Benchmarks/Results/…" >&2; exit 2; }
	@$(BENCHMARKS) >&2
	@.build/release/Benchmarks compare "$$A" "$$B"

bench-keep: setup #- put the newest full run into Benchmarks/RESULTS.md and its plots into docs/images/benchmarks; RUN=folder
	@$(BENCHMARKS) >&2
	@.build/release/Benchmarks keep $${RUN:+"$$RUN"}

bench-smoke: build #- run each benchmark briefly to show that it works (debug)
	@Scripts/setup --bench || echo "bench-smoke: suites whose programs are missing are skipped." >&2
	@Scripts/quietly "build (benchmarks)" Scripts/consume Benchmarks build --build-tests
	@Scripts/quietly "benchmarks" Scripts/consume Benchmarks test --skip-build --disable-xctest --no-parallel

bench-instructions: setup #- count instructions and allocations of the engine's operations with callgrind; SUITE="cold join"
	@Scripts/bench-instructions $(SUITE)

check-instructions: setup #- fail if an operation of the engine takes many more instructions than Benchmarks/instructions.txt says
	@Scripts/bench-instructions --check
