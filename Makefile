PYTHON ?= python3
WORKERS ?= auto

BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check --no-cache-dir
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links

.PHONY: help demo test lint types contracts bench torture e2e adapters docs release format requirements clean
.DELETE_ON_ERROR:

help: ## List the targets
	@sed -n 's/^\([a-z0-9]*\):.*## /\1\t/p' Makefile | expand -t 14

demo: .venv/.run ## Set up the runtime only, then run the demo
	@$(BIN)/hardwon demo

test: lint types contracts ## All checks, then the tests
	@$(BIN)/python -m pytest -n $(WORKERS)

lint: .venv/.dev ## Style and format
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --quiet --check || { echo "Badly formatted; run: make format" >&2; exit 1; }

types: .venv/.dev ## Static types
	@$(BIN)/mypy --no-error-summary

contracts: .venv/.dev ## Who may import whom
	@$(BIN)/lint-imports --no-logo

bench: .venv/.dev ## Measure speed; NAMES="foundation …" for some
	@$(BIN)/python -m bench $(NAMES)

torture: .venv/.dev ## Crash tests
	@$(BIN)/python -m pytest -m torture -s

e2e: .venv/.dev ## Drive the real coding agents (installs them into a cache)
	@$(BIN)/python -m pytest -m e2e

adapters: .venv/.dev ## Tests against real servers and frameworks, each in its own environment
	@$(BIN)/python -m pytest -m adapters -rs

docs: .venv/.docs ## Build the documentation as pages (build/site), links checked
	@NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --quiet --strict
	@echo "Open build/site/index.html; the search needs a server: python3 -m http.server -d build/site"

format: .venv/.dev ## Rewrite the code in the common format
	@$(BIN)/ruff check --quiet --fix-only
	@$(BIN)/ruff format --quiet

requirements: ## Pin the newest versions again (needs uv)
	@cd requirements && $(LOCK) --upgrade dev.in -o dev.txt
	@cd requirements && $(LOCK) --upgrade -c dev.txt run.in -o run.txt
	@cd requirements && $(LOCK) --upgrade -c dev.txt serve.in -o serve.txt
	@cd requirements && $(LOCK) --upgrade docs.in -o docs.txt
	@cd requirements && $(LOCK) --upgrade release.in -o release.txt

release: .venv/.dev ## Build the packages twice, check them, list what they need (SBOM), try them; needs a clean tree
	@sh .ci/release

clean: ## Remove all that was made here
	@rm -rf .venv .venv-docs .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.made:
	@echo "The first run sets up an environment in .venv; that takes about a minute"
	@PYTHON="$(PYTHON)" sh .ci/venv .venv
	@touch $@

.venv/.run: requirements/run.txt pyproject.toml | .venv/.made
	@echo "Installing what hardwon needs into .venv"
	@$(PIP) install --require-hashes -r requirements/run.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

# After .run, never beside it: two pips must not write to one environment.
.venv/.dev: requirements/dev.txt packages/minilm/pyproject.toml | .venv/.run
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@$(PIP) install --no-deps --no-build-isolation -e packages/minilm
	@touch $@

# The site's generator lives apart: its packages are none of the product's or the tests'.
.venv/.docs: requirements/docs.txt | .venv/.made
	@PYTHON="$(PYTHON)" sh .ci/venv .venv-docs
	@.venv-docs/bin/python -m pip --quiet --disable-pip-version-check install --require-hashes -r requirements/docs.txt
	@touch $@
