# Needs only Python 3.11+, git and a package index. Everything else is built in .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: test test-long test-agents demo bench quality check docs clean

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $(STAMP)

test: $(STAMP)
	$(BIN)/python -m pytest -n auto -m "not long"

test-long: $(STAMP)
	EVO_TEST_LONG=1 $(BIN)/python -m pytest -n auto

# The real coding agents against a scripted model, without a network: ONLY=claude for one of them (docs/agents.md).
test-agents: $(STAMP)
	EVO_TEST_HOSTS=1 $(BIN)/python -m pytest -rs tests/hosts -k "$(ONLY)"

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy

demo: $(STAMP)
	$(BIN)/python docs/demo.py

bench: $(STAMP)
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/scale.py

# The measuring sets stand beside the project; without them this says so and stops.
quality: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[semantic]' rapidfuzz
	$(BIN)/python benchmarks/quality.py
	$(BIN)/python benchmarks/signals.py
	$(BIN)/python benchmarks/attacks.py

docs: $(STAMP)
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) build dist *.egg-info
