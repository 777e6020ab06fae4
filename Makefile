# Every target first makes .venv (see .ci/environment): once with network, afterwards without.
# make PYTHON=/path/to/python3 ... chooses the interpreter.

PYTHON ?=
export PYTHON

BIN := .venv/bin
SOURCES := checker impl spec model
# One more than there are cores, because some tests wait for other processes.
WORKERS ?= $(shell $(BIN)/python -c "import os; print(os.cpu_count() + 1)")
ARGS ?=
GENERATIONS := truncate_to_high_watermark kip101 kip279 kip320_first_try kip320

# Folders with tests that only `make long` runs, or that do more there.
LONG := $(addprefix tests/,museum catalogue replication cluster producer transactions classic_group consumer_group programs \
	kafka project checker/change checker/liveness checker/model checker/proofs checker/symbolic checker/distributed \
	checker/graphs)

.PHONY: help check catalogue test every-test long quick kafka kafka-all findings lint format bench lock clean environment

help:
	@echo 'make environment  make .venv, and nothing else'
	@echo 'make check      explore the five generations of the replication protocol'
	@echo 'make catalogue  explore every model of the catalogue at its default bounds'
	@echo 'make test       lint, then every test; the last line tells how long all of it took'
	@echo 'make long       the largest bugs of the museum, 100,000 steps of every model, each by Spark, more proofs'
	@echo 'make quick      only the fast tests'
	@echo "make kafka      Kafka's own classes beside the models (KAFKA=4.1.2: that release; KAFKA_LIBS=DIR: these jars)"
	@echo 'make kafka-all  the same for every release from 4.0 on'
	@echo "make findings   what we found wrong in Kafka, reproduced on its own classes"
	@echo 'make lint       ruff and mypy'
	@echo 'make format     let ruff reformat the sources'
	@echo 'make bench      measure speed and memory (ARGS=--help tells more)'
	@echo 'make lock       pin anew what the pins of pyproject.toml need (network)'
	@echo 'make clean      remove .venv and what tools keep'

environment:
	@.ci/environment

check: environment
	@$(BIN)/python -m checker check $(GENERATIONS)

catalogue: environment
	@$(BIN)/python -m checker check --all

test: environment
	@$(BIN)/python .ci/timed.py $(MAKE) --no-print-directory lint every-test

every-test: environment
	@$(BIN)/python -m pytest --all -q -rsfE -n $(WORKERS) --maxprocesses 8 --dist worksteal

long: environment
	@$(BIN)/python -m pytest --all --long -q -n $(WORKERS) --maxprocesses 8 --dist worksteal \
		$(LONG)

quick: environment
	@$(BIN)/python -m pytest -q -n $(WORKERS) --maxprocesses 8 --dist worksteal

kafka: environment
	@$(BIN)/python -m tests.kafka $(if $(KAFKA),--kafka $(KAFKA)) $(if $(KAFKA_LIBS),--libs "$(KAFKA_LIBS)") $(ARGS)

kafka-all: environment
	@$(BIN)/python -m tests.kafka --every-release $(ARGS)

findings: environment
	@$(BIN)/python -m tests.kafka.findings $(if $(KAFKA),--kafka $(KAFKA)) $(if $(KAFKA_LIBS),--libs "$(KAFKA_LIBS)") $(ARGS)

lint: environment
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo 'error: these files are not formatted; run make format' >&2; exit 1; }
	@mkdir -p .mypy_cache/names/kafkacheck
	@for each in $(SOURCES); do ln -sfn ../../../$$each .mypy_cache/names/kafkacheck/$$each; done
	@$(BIN)/mypy

format: environment
	@$(BIN)/ruff check --quiet --select I --fix .
	@$(BIN)/ruff format .

bench: environment
	@$(BIN)/python -m tests.bench $(ARGS)

lock:
	@$(or $(PYTHON),python3) .ci/lock.py

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
