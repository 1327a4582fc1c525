# Everything sets itself up: a virtual environment in .venv, and for the page's tests a browser.
#   make demo    bots play Dixit Odyssey with the embedded deck and CLIP; standings, records and a picture in runs/demo
#   make test    lint, types, import directions and tests: what CI checks
#   make nightly the slow tests, and other libraries that train on the environments
#   make docs    the API reference, in build/api
#   make gpu     on a machine with a GPU: what runs there compared with the CPU, and how fast it is
#   make serve   the table in the browser
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# On few cores the threads of torch only wait for one another.
export OMP_NUM_THREADS ?= 1
export OMP_WAIT_POLICY ?= PASSIVE

.PHONY: demo serve test coverage nightly test-slow test-integrations gpu docs browser firefox database clean

demo: $(VENV)/.ready
	$(BIN)/python scripts/play.py --seats clip,clip,greedy,greedy,random,random --games 3 --seed 7 --out runs/demo

serve: $(VENV)/.ready
	$(BIN)/python scripts/serve.py

test:
	$(MAKE) --jobs 2 $(VENV)/.ready-dev browser database
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/pytest -m "not slow" -n auto --dist worksteal

nightly: test-slow test-integrations coverage

# What the tests reach; counting it takes time, so `make test` does not.
coverage: $(VENV)/.ready-dev
	$(BIN)/pytest -m "not slow" -n auto --cov --cov-report=term:skip-covered

test-slow: $(VENV)/.ready-dev firefox
	$(BIN)/pip install --quiet --editable ".[local-llm]"
	$(BIN)/pytest -m slow

# Other libraries train on the environments, or evaluate models. RLlib pins an older gymnasium, so it has its own virtual
# environment.
test-integrations: $(VENV)/.ready-dev
	$(BIN)/pip install --quiet --editable ".[inspect,sb3,torchrl]"
	$(BIN)/pytest tests/integrations/test_inspect.py tests/integrations/test_sb3.py tests/integrations/test_torchrl.py tests/test_envs_vector.py
	[ -d $(VENV)-rllib ] || $(PYTHON) -m venv $(VENV)-rllib
	$(VENV)-rllib/bin/pip install --quiet --editable ".[dev,rllib]"
	$(VENV)-rllib/bin/pytest tests/integrations/test_rllib.py

# Installs nothing, for machines without a network: $(PYTHON) brings a torch that sees the GPU and what
# docs/environments.md lists. Libraries of other versions warn of other things, so warnings are no errors here.
gpu:
	PYTHONPATH=. $(PYTHON) -m pytest -m gpu -W default -rs tests/agents/training/test_gpu.py
	PYTHONPATH=. $(PYTHON) scripts/benchmark.py speed --device cuda --out runs/gpu

# A browser and its accessibility checker, where they can be installed; without them those tests say why they skip.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } \
	  || echo "no chromium: the tests of the page will be skipped (apt-get install chromium)"
	@[ -d build/node_modules/axe-core ] || npm install --silent --no-save --prefix build axe-core@4 \
	  || echo "no axe-core: the accessibility tests will be skipped (install npm)"

# The other browser, for the slow tests.
firefox:
	@command -v firefox-esr >/dev/null || command -v firefox >/dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get update -qq && apt-get install -y -qq firefox-esr >/dev/null; } \
	  || echo "no Firefox: its test of the page will be skipped (apt-get install firefox-esr)"

# A PostgreSQL server for the tests of the store, where it can be installed; after the browser, for apt-get runs once at
# a time.
database: browser
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get update -qq && apt-get install -y -qq postgresql >/dev/null; } \
	  || echo "no PostgreSQL: its tests will be skipped (apt-get install postgresql)"

# The API reference, from the docstrings; a warning is an error. (TorchRL's base class has annotations that can't be read.)
ROOMS := game table decks bench web models agents $(addprefix envs.,aec batch clip_table solo spaces vector)
docs: $(VENV)/.ready-dev
	$(BIN)/python -m pip install --quiet --editable ".[docs,inspect]"
	$(BIN)/python -W error -m pdoc --docformat google --output-directory build/api dixit_env $(ROOMS:%=dixit_env.%)

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV) || { echo "python3 needs its venv module: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --editable ".[arena,web]"
	touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) runs
