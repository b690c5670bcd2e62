# `make demo` and `make test` install what they need into .venv and run there.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --constraint constraints.txt

.PHONY: demo corpora test test-backends lint clean

demo: $(VENV)/installed
	$(BIN)/python benchmarks/demo.py

# The README's figures on the real corpora, in ../shared/data or DATA=folder; runs already recorded are kept.
corpora: $(VENV)/installed
	$(BIN)/python benchmarks/corpora.py $(if $(DATA),--data $(DATA))

test: $(VENV)/installed-test
	$(BIN)/python -m pytest

# What must be equal on every backend: layers, one training step, the scores of a saved model.
test-backends: $(VENV)/installed-backends
	KERAS_BACKEND=tensorflow $(BIN)/python -m pytest -m backend
	KERAS_BACKEND=jax $(BIN)/python -m pytest -m backend
	KERAS_BACKEND=torch $(BIN)/python -m pytest -m backend

lint: $(VENV)/installed-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(VENV)/installed: setup.cfg constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(PIP) --editable '.[test]'
	touch $@

$(VENV)/installed-lint: $(VENV)/installed
	$(PIP) --editable '.[lint]'
	touch $@

$(VENV)/installed-backends: $(VENV)/installed-test
	$(PIP) --editable '.[jax,torch]'
	touch $@

clean:
	rm -rf $(VENV) runs
