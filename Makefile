# Everything a person types. `make demo` and `make test` set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
POSTGRES_ENGINE := $(addprefix tests/engine/test_,$(addsuffix .py,approvals crash finishing gates points projection quota_reset repeated_feedback))
POSTGRES_TESTS := tests/records tests/fleet tests/desk $(POSTGRES_ENGINE)
EXTRAS := $(VENV)/.extras
NODE := .browser/node_modules
CLIENTS := .clients/.ready
PARTS := [claude,api,charts,web]
TOOL := $(or $(XDG_DATA_HOME),$(HOME)/.local/share)/sparing/venv
COMPILE := uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate
installed = command -v $(1) >/dev/null || { echo "installing $(1) …"; apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -q $(1) >/dev/null; } || { echo "error: $(1) is not installed"; echo "fix: as root: apt-get install $(1)"; exit 1; }
# A folder of its own for the files of tests, removed at once: left to itself, pytest removes those of earlier runs file by file, which takes minutes.
# Root on Linux has it in memory, in a mount namespace that ends with the tests: thousands of small databases then wait for no disk.
in_folder = folder=$$(mktemp -d) && { $(in_memory) env $(1) --basetemp="$$folder/t"; code=$$?; [ $$code != 0 ] || rm -rf "$$folder"; exit $$code; }
in_memory = $$([ "$$(id -u)" = 0 ] && unshare --mount true 2>/dev/null && echo "unshare --mount scripts/in_memory $$folder")
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install package release postgres help setup extras demo demo-claude browser test test-long test-nightly conformance chaos mutants lint format bench bench-short bench-client bench-client-short nightly bench-own bench-fleet bench-page bench-monorepo bench-compare bench-loop bench-disk bench-corpus bench-histories bench-knowledge docs lock clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

setup: $(STAMP) ## make the virtual environment from the lock file

$(STAMP): requirements.lock pyproject.toml
	@echo "setting up $(VENV) (only once) …"
	@start=$$(date +%s); \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: Python 3.11 or newer is needed"; echo "fix: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }; \
	$(PYTHON) -m venv $(VENV) && \
	$(BIN)/python -m pip install -q --no-deps --require-hashes -r requirements.lock && \
	$(BIN)/python -m pip install -q --no-deps --no-build-isolation -e . && \
	$(BIN)/python -m compileall -q src && \
	touch $@ && echo "set-up took $$(( $$(date +%s) - start )) s"

extras: $(EXTRAS) ## add what only some need: the Claude Code client (some 160 MB), what talks to providers, charts

$(EXTRAS): $(STAMP) requirements-extras.lock
	@echo "adding the extras to $(VENV) (only once) …"
	@start=$$(date +%s); \
	$(BIN)/python -m pip install -q --no-deps --require-hashes -r requirements-extras.lock && \
	touch $@ && echo "extras took $$(( $$(date +%s) - start )) s"

install: ## install the command sparing for you, with the Claude Code client, providers, the page and charts (with uv, pipx, or a virtual environment)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: Python 3.11 or newer is needed"; echo "fix: make PYTHON=python3.12 install"; exit 1; }
	@echo "installing sparing and the Claude Code client (about 160 MB): this takes a few minutes …"
	@if command -v uv >/dev/null; then uv tool install --force '$(CURDIR)$(PARTS)'; \
	elif command -v pipx >/dev/null; then pipx install --force '$(CURDIR)$(PARTS)'; \
	else $(PYTHON) -m venv '$(TOOL)' && '$(TOOL)/bin/python' -m pip install --upgrade '$(CURDIR)$(PARTS)' && mkdir -p '$(HOME)/.local/bin' && ln -sf '$(TOOL)/bin/sparing' '$(HOME)/.local/bin/sparing'; fi
	@command -v sparing >/dev/null || { echo "note: sparing is in a folder that is not on your PATH"; echo "fix: export PATH=\"\$$HOME/.local/bin:\$$PATH\""; }
	@echo "installed; try: sparing doctor"

package: $(STAMP) ## build wheel and sdist into dist/, install the wheel into an empty folder and run it
	@$(BIN)/python -m scripts.package

release: $(STAMP) ## prepare a release, publish nothing: make release VERSION=0.2.0
	@$(BIN)/python -m scripts.release $(VERSION)

demo: $(STAMP) ## run the whole workflow on a sample project; no key, no server
	@$(BIN)/sparing demo

test: $(STAMP) ## run the tests
	@$(call in_folder,$(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder $(PYTEST_FLAGS))

test-long: $(STAMP) ## whole runs that are killed, parked, continued and merged
	@$(call in_folder,PYTEST_LONG=1 $(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder -m "long and not nightly" $(PYTEST_FLAGS))

test-nightly: $(STAMP) ## long runs in processes of their own, other cases of them, properties with more examples
	@PYTEST_LONG=1 PYTEST_OWN_PROCESSES=1 $(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder -m "long or nightly or hypothesis" $(PYTEST_FLAGS)

.PHONY: clients
clients: $(CLIENTS) ## add the other clients that are tested, from npm into .clients (some 890 MB)

$(CLIENTS): Makefile
	@$(call installed,npm)
	@echo "adding clients to .clients (only once) …"
	@npm install --silent --no-audit --no-fund --prefix .clients @openai/codex@0.166.0 opencode-ai@1.18.33 @google/gemini-cli@0.61.0 && touch $@

conformance: $(EXTRAS) $(CLIENTS) ## every backend, with the real clients, in a network that has loopback alone; keeps what it found for docs/generated/agents.md
	@$(call in_folder,PYTEST_CLIENTS=1 $(BIN)/python -m scripts.loopback $(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder -p scripts.conformance tests/agents tests/workspace/test_real_setup.py tests/workspace/test_real_registry.py tests/report/test_html.py $(PYTEST_FLAGS))

browser: $(EXTRAS) $(NODE)/.ready ## the page in a real Chromium: gates, hostile texts, axe; types of its script; takes pictures for docs/page.md
	@$(call installed,chromium)
	@$(NODE)/.bin/tsc --project scripts/page.tsconfig.json
	@PYTEST_BROWSER=1 timeout 900 $(BIN)/python -m pytest -n 2 --dist load tests/browser $(PYTEST_FLAGS)

$(NODE)/.ready:
	@$(call installed,npm)
	@npm install --silent --no-audit --no-fund --prefix .browser axe-core@4.14.0 typescript@5.9.3 && touch $@

postgres: $(STAMP) ## the suites of records, fleet and desk and part of the engine's on a Postgres of its own; all of it in make nightly
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || { echo "installing postgresql …"; apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -q postgresql >/dev/null; } || { echo "error: postgresql is not installed"; echo "fix: as root: apt-get install postgresql"; exit 1; }
	@$(call in_folder,$(BIN)/python -m scripts.postgres $(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder $(POSTGRES_TESTS) $(PYTEST_FLAGS))

demo-claude: $(EXTRAS) ## the demo through the real Claude Code client, with a model double behind it
	@$(BIN)/sparing demo --backend claude-double

lint: $(STAMP) ## style, types, layers, dead code, generated docs
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports
	@$(BIN)/vulture
	@$(BIN)/python -m scripts.architecture
	@$(BIN)/python -m scripts.words
	@$(BIN)/python -m scripts.docs --check

format: $(STAMP) ## let ruff rewrite what it can
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

bench: $(EXTRAS) ## the grid: flows, kinds of agents and pauses, 24 draws each, against naive; tables, JSON and plots
	@$(BIN)/python -m bench.economy

bench-short: $(STAMP) ## the same with two draws a cell, in a few minutes; fails if a line is hidden or a bound is beaten
	@$(BIN)/python -m bench.economy --short

bench-client: $(EXTRAS) $(CLIENTS) ## whole features through the real Claude Code client with drawn agents, a small one through each other client; resumable, takes hours
	@$(BIN)/python -m bench.client $(BENCH_FLAGS)

bench-client-short: $(EXTRAS) ## the part of it that CI runs: one small feature, ledger against bill
	@$(BIN)/python -m bench.client --short --again

nightly: $(EXTRAS) $(CLIENTS) test-nightly ## what takes hours: the grid of features in process, and all of bench-client with each lever off
	@PYTEST_LONG=1 $(MAKE) conformance
	@$(MAKE) postgres POSTGRES_TESTS="tests/records tests/fleet tests/desk tests/engine"
	@$(BIN)/python -m bench.economy
	@$(BIN)/python -m bench.client --levers --roles --again
	@$(BIN)/python -m bench.chaos --again --stride 7
	@$(BIN)/python -m bench.mutants

chaos: $(STAMP) ## runs that are killed, stopped, hung up on, refused by their disk: each must end as if nothing had happened; resumable, takes hours
	@$(BIN)/python -m bench.chaos $(CHAOS_FLAGS)

mutants: $(STAMP) ## 300 small faults in the rooms that decide, each against the tests that call it; resumable, up to an hour
	@$(BIN)/python -m bench.mutants $(MUTANTS_FLAGS)

bench-own: $(STAMP) ## start-up, own time per dispatch, ledger, double, launcher, commits, escapes, hostile agents, waves
	@for name in startup dispatch ledger double launcher commit escapes vectors hostile replies waves; do $(BIN)/python -m bench.$$name || failed=1; done; exit $${failed:-0}

bench-fleet: $(STAMP) ## workers on a Postgres of its own: killed, lost, stopped and woken at random; rates; idle (some 20 min)
	@$(BIN)/python -m bench.fleet $(FLEET_FLAGS)

bench-page: $(EXTRAS) ## the page with 200 features and 50,000 events; twenty slow readers of one run
	@$(BIN)/python -m bench.page

bench-monorepo: $(STAMP) ## the start of a feature of one package in a repository of 50,000 files, against a small one
	@$(BIN)/python -m bench.monorepo

bench-compare: $(STAMP) ## the demo's processor time against another checkout: make bench-compare OLD=folder
	@test -n "$(OLD)" || { echo "error: no folder named"; echo "fix: make bench-compare OLD=folder"; exit 64; }
	@$(BIN)/python -m bench.compare $(OLD)

bench-loop: $(EXTRAS) ## review loops through the real Claude Code client, billed by the model double
	@$(BIN)/python -m bench.loop

bench-disk: $(STAMP) ## a hundred features at once, in git and in one engine; power cuts (needs root and loop devices)
	@for name in features engine_features powercut; do $(BIN)/python -m bench.$$name || failed=1; done; exit $${failed:-0}

bench-corpus: $(STAMP) ## read tasks and sections of real documents: make bench-corpus CORPUS=folder
	@test -n "$(CORPUS)" || { echo "error: no folder named"; echo "fix: make bench-corpus CORPUS=folder"; exit 64; }
	@$(BIN)/python -m bench.corpus $(CORPUS)

bench-histories: $(STAMP) ## read review histories of real features: make bench-histories CORPUS=folder
	@test -n "$(CORPUS)" || { echo "error: no folder named"; echo "fix: make bench-histories CORPUS=folder"; exit 64; }
	@$(BIN)/python -m bench.histories $(CORPUS)

bench-knowledge: $(STAMP) ## read a real knowledge bank and write it back: make bench-knowledge CORPUS=folder
	@test -n "$(CORPUS)" || { echo "error: no folder named"; echo "fix: make bench-knowledge CORPUS=folder"; exit 64; }
	@$(BIN)/python -m bench.knowledge $(CORPUS)

docs: $(STAMP) ## write the generated pages again
	@$(BIN)/python -m scripts.docs

.PHONY: pictures
pictures: $(STAMP) ## take the README's pictures of the terminal again, from two runs of the demo
	@$(BIN)/python -m scripts.pictures

lock: ## resolve dependencies again (needs uv)
	$(COMPILE) --extra dev pyproject.toml -o requirements.lock
	$(COMPILE) --extra dev --extra claude --extra api --extra charts --extra browser -c requirements.lock pyproject.toml -o requirements-extras.lock

clean: ## remove what the other targets made
	rm -rf $(VENV) .browser .clients docs/images/page .pytest_cache .ruff_cache .hypothesis bench/out dist build
