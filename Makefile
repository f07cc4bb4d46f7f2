# Everything is set up by itself, in .venv, with the versions in constraints.txt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# uv installs in seconds what takes pip a minute. Where it is missing pip brings it; where it fails, as in
# networks whose settings only pip knows, pip does all. Modules are compiled when they are first used.
EXTRAS = '.[dev,cluster,large,map]'
UV := $(or $(shell command -v uv),$(BIN)/uv)
QUIETLY := install --quiet --disable-pip-version-check --no-compile -c constraints.txt
PIP := $(BIN)/python -m pip $(QUIETLY)
install = @$(UV) pip install --quiet --python $(BIN)/python -c constraints.txt $(1) || $(PIP) $(1)

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow check check-scripts format bench docs pictures release-check clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

demo: $(VENV)/ready ## Find the modes in the sample recordings and make their gallery
	PYTHONDONTWRITEBYTECODE= $(BIN)/birdmodes demo

# Modules are compiled once, even where the shell forbids to keep them: the demo and the tests start
# many programs. The order of files is that of tests/conftest.py. There is a process for each core, so
# that more threads would only wait for each other.
test: $(VENV)/ready-dev ## Run the tests (BIRDMODES_SHARED=folder adds those on real recordings)
	PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m "not slow" \
	  -n auto --dist loadfile --no-loadscope-reorder

test-slow: $(VENV)/ready-dev ## Run the tests that take longer
	$(BIN)/python -m pytest -m slow

check: $(VENV)/ready-dev check-scripts ## Check style, format, types and directions of imports, scripts too
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# Who has no node can do without, as the scripts need no build; the continuous integration cannot.
SCRIPTS := birdmodes/gallery/assets birdmodes/app/assets
NPM := $(shell command -v npm)
check-scripts: $(if $(NPM),tests/scripts_check/node_modules/ready)
ifeq ($(NPM),)
	@echo "npm is not installed: the gallery's scripts are not checked; install node 18.18 or newer with npm"
	@test -z "$(CI)$(BIRDMODES_REQUIRE_NODE)"
else
	tests/scripts_check/node_modules/.bin/eslint --config tests/scripts_check/eslint.config.mjs $(SCRIPTS)
	tests/scripts_check/node_modules/.bin/tsc --project tests/scripts_check
endif

tests/scripts_check/node_modules/ready: tests/scripts_check/package.json tests/scripts_check/package-lock.json
	npm ci --prefix tests/scripts_check --no-progress --loglevel=error
	touch $@

format: $(VENV)/ready-dev ## Mend style and format where that can be done by a program
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/ready-dev ## Time the parts that are meant to be fast, each against a baseline
	$(call install,--no-build-isolation --editable '.[bench]')
	for script in benchmarks/bench_*.py benchmarks/segment.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

docs: $(VENV)/ready-docs ## Make the documentation a site, in site/; links that lead nowhere are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html"

pictures: $(VENV)/ready-dev ## Make the pictures in docs/ and the outputs of its notebook anew
	$(BIN)/python docs/make_pictures.py
	$(BIN)/python docs/make_notebook.py

release-check: $(VENV)/ready ## Install the release on three Pythons with oldest and newest libraries, compare what they find
	UV='$(UV)' $(BIN)/python .ci/release_check.py

clean: ## Remove what the other targets made
	rm -rf $(VENV) tests/scripts_check/node_modules build dist birdmodes-demo site .mypy_cache .ruff_cache .pytest_cache .hypothesis

# pip of the Python that is there installs pip and uv in half the time in which venv installs pip alone;
# venv does it where there is no such pip, or an old one.
BRINGS := $(if $(filter $(BIN)/uv,$(UV)),uv)
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "birdmodes needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	$(PYTHON) -m venv --without-pip $(VENV)
	@$(PYTHON) -m pip --python $(BIN)/python $(QUIETLY) pip $(BRINGS) 2>/dev/null \
	  || $(PYTHON) -m venv --clear $(VENV) || { rm -rf $(VENV); exit 1; }

# The build backend is installed first, so that its version is pinned too.
$(VENV)/ready: pyproject.toml constraints.txt | $(BIN)/python
	@test "$(UV)" != $(BIN)/uv -o -x $(BIN)/uv || $(PIP) uv || true
	$(call install,hatchling editables)
	$(call install,--no-build-isolation --editable .)
	touch $@

$(VENV)/ready-dev: $(VENV)/ready
	$(call install,--no-build-isolation --editable $(EXTRAS))
	touch $@

$(VENV)/ready-docs: $(VENV)/ready
	$(call install,--no-build-isolation --editable '.[docs]')
	touch $@
