# Every target creates its own .venv; only Python 3.11+ and make are needed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check -c constraints.txt
PYTEST := $(BIN)/python -m pytest -q -n 2 --dist worksteal
# Tests that run kernels; everything else is the same with and without the compiler.
KERNEL_TESTS := tests/criteria tests/geometry tests/pruning tests/robust tests/smoothing tests/models tests/tree
# What the library promises, without optional dependencies.
LOWEST_TESTS := tests/criteria tests/estimator tests/files tests/pruning tests/smoothing tests/tree tests/test_import.py
CHECK_SCHEMA := $(BIN)/check-jsonschema --quiet --builtin-schema vendor
BOUNDSCHECK_CACHE := $(CURDIR)/.cache/numba-boundscheck

.PHONY: demo test test-compiled test-interpreted test-boundscheck test-reruns test-lowest test-interop coverage bench
.PHONY: fuzz mutate lint format docs package warm clean

demo: $(VENV)/.installed
	$(BIN)/roctree demo

test: test-compiled test-interpreted

test-compiled: $(VENV)/.test
	$(PYTEST) -m "not rerun"

test-interpreted: $(VENV)/.test
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "not slow" $(KERNEL_TESTS)

# The same with a coverage report, which takes twice as long.
coverage: $(VENV)/.test
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "not slow" --cov --cov-report=term:skip-covered $(KERNEL_TESTS)

# A warm cache ignores the flag, hence a separate cache. Distributing whole files to the workers
# compiles fewer kernels twice.
test-boundscheck: $(VENV)/.test
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(BOUNDSCHECK_CACHE) $(PYTEST) --dist loadfile -m "not slow" $(KERNEL_TESTS)

# Parts of the suite without Numba, with spawned processes, and collected without names that Windows lacks.
test-reruns: $(VENV)/.test
	$(PYTEST) -m rerun

# The core on the lowest versions that pyproject.toml declares, and snippets with other libraries, each
# in an environment of its own.
LOWEST := .cache/lowest
test-lowest:
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -e . $$($(PYTHON) .ci/lowest.py)
	NUMBA_CACHE_DIR=$(CURDIR)/.cache/numba-lowest $(LOWEST)/bin/python -m pytest -q -n 2 -m "not slow" $(LOWEST_TESTS)

INTEROP := .cache/interop
test-interop: $(INTEROP)/.installed
	$(INTEROP)/bin/python -m pytest -q tests/test_interoperability.py

# Put small faults into the library and count those that the tests find; resumable, an hour or two.
mutate: $(VENV)/.test
	$(BIN)/python -m tests.mutation

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
	$(CHECK_SCHEMA).github-workflows .github/workflows/*.yml
	$(CHECK_SCHEMA).citation-file-format CITATION.cff
	$(CHECK_SCHEMA).github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/feature.yml

format: $(VENV)/.lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The site: warnings are errors, examples run, links between pages are checked.
docs: $(VENV)/.docs
	rm -rf docs/reference/generated
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html

# Source distribution and wheel in dist/; the wheel is tried in a fresh environment.
package: $(VENV)/.release
	rm -rf dist .cache/wheel
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv .cache/wheel
	.cache/wheel/bin/python -m pip install --quiet --disable-pip-version-check pandas "$$(ls dist/*.whl)[cli,plot]"
	cd .cache && wheel/bin/python ../docs/follow.py ../README.md ../docs/start/tutorial.md
	cd examples/gallery && MPLBACKEND=Agg ../../.cache/wheel/bin/python costs_after_training.py
	.cache/wheel/bin/roctree --version

warm: $(VENV)/.installed
	$(BIN)/roctree warm-up

clean:
	rm -rf $(VENV) .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache build dist
	rm -rf docs/_build docs/gallery docs/reference/generated
	find src tests benchmarks studies -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# Dependency groups need pip 25.1; Python 3.11 ships an older one.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade 'pip>=25.1'

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[cli]'
	touch $@

GROUPS := test lint bench fuzz docs release
$(GROUPS:%=$(VENV)/.%): $(VENV)/.%: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e . --group $*
	touch $@

$(INTEROP)/.installed: pyproject.toml
	$(PYTHON) -m venv --clear $(INTEROP)
	$(INTEROP)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(INTEROP)/bin/python -m pip install --quiet -e . --group interop
	touch $@
