# Two commands: `make demo` and `make test`. Each sets up its own virtual environment.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
SOURCES := $(shell find src core -name '*.py' -o -name '*.pyi' -o -name '*.hpp' -o -name '*.cpp') CMakeLists.txt pyproject.toml

.PHONY: help demo test lint types check fuzz bench bench-against docs clean

help:
	@echo "make demo    train trees on bundled data and show them"
	@echo "make test    lint, types and tests"
	@echo "make fuzz    the tests on new random data"
	@echo "make bench   speed and memory beside scikit-learn, as ratios"
	@echo "make bench-against BASE=revision   speed beside another revision; the commit before by default"
	@echo "make docs    build the documentation into site/"
	@echo "make clean   remove everything that make made"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# One stamp a set of extras; the compiled core is built once for each.
$(VENV)/.for-%: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet ".[$*]" $(if $(filter test,$*),-Ccmake.define.ASKEW_DEV=ON)
	@touch $@

demo: $(VENV)/.for-all
	$(BIN)/python examples/demo.py

test: lint types check

lint: $(VENV)/.for-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.for-test
	$(BIN)/mypy

check: $(VENV)/.for-test
	$(BIN)/python -m pytest -n auto -q

# The properties on new random data each time; what fails is printed with a way to repeat it.
fuzz: $(VENV)/.for-test
	ASKEW_FUZZ=1 $(BIN)/python -m pytest -n auto -q

bench: $(VENV)/.for-bench
	$(BIN)/python -m benchmarks

docs: $(VENV)/.for-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) build site demo .mypy_cache .ruff_cache .pytest_cache .hypothesis

# This checkout beside another revision, in turns: is anything slower, is any tree another?
BASE ?= HEAD~1
bench-against: $(VENV)/.for-bench
	$(BIN)/python -m benchmarks.against $(BASE)
