# One command per habit. Every one sets the machine up first (Scripts/setup), which is silent when all is there.

.DEFAULT_GOAL := help
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' $(firstword $(MAKEFILE_LIST)))

SWIFT ?= swift
# An import across the layers of Package.swift fails the build.
BUILD := $(SWIFT) build --explicit-target-dependency-import-check error

# Homebrew's headers and libraries, for those that have no .pc file there.
ifeq ($(shell uname),Darwin)
export CPATH := $(shell brew --prefix 2>/dev/null)/include$(if $(CPATH),:$(CPATH))
export LIBRARY_PATH := $(shell brew --prefix 2>/dev/null)/lib$(if $(LIBRARY_PATH),:$(LIBRARY_PATH))
endif

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## check the Swift toolchain, install missing libraries
	@Scripts/setup

build: setup ## build everything, tests too (debug)
	@Scripts/quietly "build" $(BUILD) --build-tests

# Swift's libraries are linked into the command, so that it runs on machines without a toolchain.
COMMAND := $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)
COMMAND_PROGRAM := .build/release/calotype

demo: setup ## fetch, cache, decode and show real pictures
	@Scripts/quietly "build (release)" $(BUILD) -c release $(COMMAND) --product calotype
	@$(COMMAND_PROGRAM) demo

command: setup ## build the command alone, stripped, and print its path; docs/Deployment.md lists what it needs to run
	@Scripts/quietly "build (release)" $(BUILD) -c release $(COMMAND) --product calotype
	@strip $(COMMAND_PROGRAM) -o .build/calotype
	@echo .build/calotype

test: build ## run all tests, compile the snippets, build and run the examples
	@Scripts/quietly "tests" $(SWIFT) test --skip-build --disable-xctest --no-parallel
	@Scripts/snippets
	@Scripts/examples

# The parts behind package traits, and the suites that test them. They are built in a folder of their own, so that the
# plain build stays what it is.
TRAITS := GTK,Redis,OpenCombine
OPTIONAL_TESTS := ImageTargetsGTKTests|ImageCachingRedisTests|CalotypeCombineTests
OPTIONAL := --scratch-path .build/optional --traits $(TRAITS)

# A client of others' as the network layer, held to every check: a minute of its own packages to build, and more.
OTHER_CLIENT := --package-path Examples/AsyncHTTPClientLayer --scratch-path .build/async-http-client

# The gallery as it is used; a test among the optional parts' clicks and types in it.
GALLERY := -c release --package-path Examples/GalleryGTK --scratch-path .build/gallery
GALLERY_PROGRAM := .build/gallery/release/GalleryGTK

optional: ## build and test the optional parts: GTK, Redis, OpenCombine, and a network layer on AsyncHTTPClient
	@Scripts/setup --optional
	@Scripts/quietly "build (optional parts)" $(BUILD) --build-tests $(OPTIONAL)
	@Scripts/quietly "build (gallery, release)" $(SWIFT) build $(GALLERY)
	@CALOTYPE_GALLERY=$(CURDIR)/$(GALLERY_PROGRAM) Scripts/quietly "tests (optional parts)" $(SWIFT) test --skip-build --disable-xctest --no-parallel $(OPTIONAL) --filter '$(OPTIONAL_TESTS)'
	@Scripts/quietly "build (Examples/AsyncHTTPClientLayer)" $(SWIFT) build $(OTHER_CLIENT)
	@Scripts/quietly "Examples/AsyncHTTPClientLayer" $(SWIFT) run --skip-build $(OTHER_CLIENT)

gallery: ## a GTK window with thousands of images; IMAGES=folder, or a .txt file with one URL per line
	@Scripts/setup --optional
	@Scripts/quietly "build (gallery, release)" $(SWIFT) build $(GALLERY)
	@$(GALLERY_PROGRAM) $(if $(IMAGES),"$(IMAGES)",Sources/C/Gallery/Images --serve)

check-apple: build ## type-check the Apple sources against stubs, and run their logic
	@Scripts/check-apple

portability: ## build and test on Debian 13 and sid, in folders of their own; needs root; SUITES="trixie sid"
	@Scripts/portability $(SUITES)

check-musl: setup ## type-check the one module that names the C library against Musl's headers
	@Scripts/check-musl

docs: ## build the site of the API reference and the guides; a missing comment or a broken link fails
	@Scripts/setup --docs
	@Scripts/docs

snippets: setup ## compile every piece of Swift in the documentation
	@Scripts/snippets

examples: setup ## build and run the examples
	@Scripts/examples

format: setup ## format the sources
	@Scripts/lint --format

lint: setup ## check format and house rules
	@Scripts/lint

modeltest: build ## random programs against the engine's model; STEPS=5000000 sets how many steps
	@CALOTYPE_MODEL_STEPS=$(or $(STEPS),2000000) Scripts/quietly "model test" $(SWIFT) test --skip-build --disable-xctest --filter ImageLoadingTests.Model

soak: setup ## a million loads of every kind, and flat memory; LOADS=1000000
	@Scripts/quietly "build (release)" $(BUILD) -c release --product EngineSoak
	@GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1 .build/release/EngineSoak $(LOADS)

storm: setup ## ten minutes of loads from a server that misbehaves in every way it knows; SECONDS=600 SEED=1
	@Scripts/quietly "build (release)" $(BUILD) -c release --product NetworkStorm
	@.build/release/NetworkStorm SECONDS=$(or $(SECONDS),600) SEED=$(or $(SEED),1)

sanitize: setup ## races in engine, network, caches and decoders; memory errors and leaks in decoders and network; the decoders alone take eight to ten minutes; ONLY=thread
	@Scripts/sanitize $(ONLY)

crashtest: build ## kill a process that writes the disk cache, again and again, and share it for a minute; ROUNDS=500
	@CALOTYPE_CRASH_ROUNDS=$(or $(ROUNDS),500) CALOTYPE_SHARING_SECONDS=60 Scripts/quietly "crash test" $(SWIFT) test --skip-build --disable-xctest --no-parallel --filter 'DiskCacheCrashTests|DiskCacheTwoProcessTests'

fuzz: setup ## feed the decoders and the disk cache mutated files; SECONDS_PER_TARGET=60 each, the same ones each time with SEED=1
	@SECONDS_PER_TARGET=$(or $(SECONDS_PER_TARGET),60) SEED=$(SEED) Scripts/fuzz

kernelpaths: build ## the tests of pixels, once for each instruction set that this processor has
	@for path in swift baseline avx2 avx512; do \
	  CALOTYPE_SIMD=$$path Scripts/quietly "tests ($$path)" $(SWIFT) test --skip-build --disable-xctest --no-parallel \
	    --filter 'ImageKernelsTests|ImageProcessingTests' || exit 1; \
	done

compare-kernels: ## every compiled variant of the kernels, arm64 under qemu too, against the x86-64 baseline; SEED=1 ROUNDS=300
	@Scripts/setup --arm64
	@SEED=$(SEED) ROUNDS=$(ROUNDS) Scripts/compare-kernels

bench: setup ## measure beside peers (release); SUITE="decode process" EFFORT=smoke|full JSON=figures.json
	@Scripts/setup --bench || echo "bench: what is missing leaves its cells empty." >&2
	@Scripts/bench-peers $(SUITE)
	@Scripts/quietly "build (release)" $(BUILD) -c release $(COMMAND) --product calotype
	@Scripts/quietly "build (benchmarks, release)" Scripts/consume Benchmarks build -c release $(COMMAND)
	@.build/release/Benchmarks $(SUITE) $(if $(EFFORT),--effort $(EFFORT)) $(if $(JSON),--json $(JSON))

bench-smoke: build ## run every benchmark once, briefly (debug): shows that they work
	@Scripts/setup --bench || echo "bench-smoke: suites whose programs are missing are skipped." >&2
	@Scripts/quietly "build (benchmarks)" Scripts/consume Benchmarks build --build-tests
	@Scripts/quietly "benchmarks" Scripts/consume Benchmarks test --skip-build --disable-xctest --no-parallel

bench-instructions: setup ## instructions and allocations of each operation of the engine, by callgrind; SUITE="cold join"
	@Scripts/bench-instructions $(SUITE)
