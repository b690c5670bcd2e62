# `make demo` and `make test` install what they need into .venv and run there.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --constraint constraints.txt

.PHONY: demo results bench profile test test-backends test-clusters lint docs clean

demo: $(VENV)/installed
	$(BIN)/python benchmarks/demo.py

# RESULTS.md and the README's goals, on the corpora in ../shared/data or DATA=folder: runs without a record are made.
results: $(VENV)/installed
	$(PIP) --editable '.[features]'
	$(BIN)/python benchmarks/run_results.py $(if $(DATA),--data $(DATA))

# Every speed and memory goal beside what is reached, on a quiet machine: tables and records in benchmarks/results/bench/.
bench: $(VENV)/installed-bench
	$(BIN)/python benchmarks/bench_scoring.py --large
	$(BIN)/python benchmarks/bench_streams.py --rows 100000,10000000 --json benchmarks/results/bench/streams.json
	$(BIN)/python benchmarks/bench_training.py
	$(BIN)/python benchmarks/bench_training.py --pairs 2000000
	$(BIN)/python benchmarks/bench_vectors.py

profile: $(VENV)/installed-bench
	$(BIN)/python benchmarks/bench_scoring.py --profile --models abcnn-3
	$(BIN)/python benchmarks/profile_training.py

test: $(VENV)/installed-test
	$(BIN)/python -m pytest

# What must be equal on every backend: layers, one training step, the scores of a saved model.
test-backends: $(VENV)/installed-backends
	KERAS_BACKEND=tensorflow $(BIN)/python -m pytest -m backend
	KERAS_BACKEND=jax $(BIN)/python -m pytest -m backend
	KERAS_BACKEND=torch $(BIN)/python -m pytest -m backend

# Scoring on Ray and Spark clusters of this one machine; Spark needs Java.
test-clusters: $(VENV)/installed-clusters
	$(BIN)/python -m pytest -m cluster

lint: $(VENV)/installed-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The documentation as a site in site/: open site/index.html.
docs: $(VENV)/installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

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

$(VENV)/installed-bench: $(VENV)/installed
	$(PIP) --editable '.[bench]'
	touch $@

$(VENV)/installed-clusters: $(VENV)/installed-test
	$(PIP) --editable '.[ray,spark]'
	touch $@

$(VENV)/installed-docs: $(VENV)/installed
	$(PIP) --editable '.[docs]'
	touch $@

clean:
	rm -rf $(VENV) runs site
