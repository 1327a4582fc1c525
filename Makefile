# make demo: bots play Odyssey and a report is written; make test: everything that CI checks. Both set everything up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-slow clean

demo: $(VENV)/.ready
	$(BIN)/python scripts/play.py --seats clip,clip,greedy,greedy,random,random --games 3 --seed 7 --out runs/demo

test: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -m "not slow"

test-slow: $(VENV)/.ready
	$(BIN)/pytest -m slow

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV) || (echo "python3 needs its venv module: apt-get install python3-venv" && false)
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) runs
