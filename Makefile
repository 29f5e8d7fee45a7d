# Every target creates its own .venv; only Python 3.11+ and make are needed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check -c constraints.txt
PYTEST := $(BIN)/python -m pytest -q -n 2 --dist worksteal
# Tests that run kernels; everything else is the same with and without the compiler.
KERNEL_TESTS := tests/criteria tests/geometry tests/pruning tests/robust tests/smoothing tests/models tests/tree
BOUNDSCHECK_CACHE := $(CURDIR)/.cache/numba-boundscheck

.PHONY: demo test test-compiled test-interpreted test-boundscheck coverage bench fuzz lint format warm clean

demo: $(VENV)/.installed
	$(BIN)/roctree demo

test: test-compiled test-interpreted

test-compiled: $(VENV)/.test
	$(PYTEST)

test-interpreted: $(VENV)/.test
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "not slow" $(KERNEL_TESTS)

# The same with a coverage report, which takes twice as long.
coverage: $(VENV)/.test
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "not slow" --cov --cov-report=term:skip-covered $(KERNEL_TESTS)

# A warm cache ignores the flag, hence a separate cache. Distributing whole files to the workers
# compiles fewer kernels twice.
test-boundscheck: $(VENV)/.test
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(BOUNDSCHECK_CACHE) $(PYTEST) --dist loadfile -m "not slow" $(KERNEL_TESTS)

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

FUZZ_SECONDS ?= 60
fuzz: $(VENV)/.fuzz
	mkdir -p .cache/fuzz
	$(BIN)/python fuzz/load.py -max_total_time=$(FUZZ_SECONDS) .cache/fuzz

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

format: $(VENV)/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

warm: $(VENV)/.installed
	$(BIN)/roctree warm-up

clean:
	rm -rf $(VENV) .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache build dist
	find src tests benchmarks studies -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e .
	touch $@

$(VENV)/.test $(VENV)/.lint $(VENV)/.bench $(VENV)/.fuzz: $(VENV)/.%: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[$*]'
	touch $@
