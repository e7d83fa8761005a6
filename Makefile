# gatefield: `make tour` runs the main job, `make test` the tests. Both set everything up first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready

# Without bytecode caches every import compiles again (3-4 times slower).
unexport PYTHONDONTWRITEBYTECODE
unexport PYTHONPATH

.PHONY: help setup tour test slow lint types check index map lock clean

help: ## what can be made
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: $(STAMP) ## make .venv with the locked packages and gatefield itself

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "gatefield needs Python 3.11 or newer; point to one with: make setup PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Python could not make $(VENV); on Debian install its venv module: apt-get install python3-venv"; exit 1; }
	@echo "Installing the locked packages into $(VENV); this takes a minute or two."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

tour: setup ## the main job: two trainings beside their theory, verdicts, and a report page
	$(BIN)/gatefield tour

# Most of the tests' time goes into compiling; code that is optimised less compiles in a third of the time.
# (All are flags of the locked jaxlib; a jaxlib that does not know one stops at once and says so.)
QUICK_COMPILE := XLA_FLAGS="--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true --xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"

test: setup ## the tests (slow ones are left out; `make slow` runs those)
	$(QUICK_COMPILE) $(BIN)/python -m pytest -n auto --dist loadgroup -q

slow: setup ## the slow tests, and the cases of costly ones that `make test` leaves out
	$(QUICK_COMPILE) $(BIN)/python -m pytest -n auto --dist loadgroup -q -m "slow and costly"
	$(BIN)/python -m pytest -n auto --dist loadgroup -q -m "slow and not costly"

lint: setup ## style and import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: setup ## types
	$(BIN)/basedpyright

check: test lint types ## everything that has to pass

index: setup ## write what `gatefield list` shows anew, after an experiment is added or renamed
	$(BIN)/python -m gatefield.experiments.index

map: setup ## write the reproduction map anew, after its inventory, the ledger or results at full size have changed
	$(BIN)/python -m gatefield.show.map.quoted benchmarks/results/full/verdicts.json
	$(BIN)/gatefield map --output docs/reproduction.md

lock: ## write requirements.lock anew (needs uv)
	uv pip compile --universal --fork-strategy fewest --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --upgrade --group dev pyproject.toml -o requirements.lock

clean: ## remove what was made here
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis
