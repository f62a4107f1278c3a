# Two commands for a newcomer: `make demo` and `make test`. Both make their own .venv with the versions of constraints.txt.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -q -c constraints.txt
NEEDS := pyproject.toml constraints.txt

.PHONY: demo run llm test suite unit measure lint bench docs wheelhouse clean
.DEFAULT_GOAL := demo

demo: $(VENV)/.core            ## watch a ready episode; plain text without a terminal
	$(BIN)/moot demo

run: $(VENV)/.core             ## the command line: make run ARGS="doctor"
	$(BIN)/moot $(ARGS)

llm: $(VENV)/.llm              ## local GGUF models; compiles llama.cpp once, about four minutes

test: $(VENV)/.dev             ## everything that must hold: lint beside the tests
	@$(MAKE) --no-print-directory -j2 lint suite

suite: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal

unit: $(VENV)/.dev             ## the quick part of the tests
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

measure: $(VENV)/.dev          ## how good the search and the rules are, on real questions and unseen cases: must not fall
	$(BIN)/python -m pytest -n auto --dist worksteal tests/measure/measure_*.py

lint: $(VENV)/.dev             ## style, types, import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check -q .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev            ## long measurements, by hand
	$(BIN)/python tests/bench/run_all.py

docs: $(VENV)/.docs            ## the documentation as a site in site/, to be read without a network
	rm -rf site
	$(BIN)/python packaging/prompts.py
	$(BIN)/sphinx-build -W --keep-going -q docs site/zh
	$(BIN)/sphinx-build -W --keep-going -q -t en docs site/en
	rm -rf site/*/.doctrees
	cp docs/_static/languages.html site/index.html
	$(BIN)/python packaging/site_check.py site

wheelhouse: $(VENV)/pyvenv.cfg ## everything pip needs to install Moot without a network; LLM=1 adds llama.cpp for any processor since 2013
	rm -rf wheelhouse
	CMAKE_ARGS="-DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF $(if $(filter x86_64,$(shell uname -m)),-DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON)" \
		$(BIN)/python -m pip wheel -q -c constraints.txt --wheel-dir wheelhouse '.$(if $(LLM),[llm])'
	cd wheelhouse && { sha256sum *.whl || shasum -a 256 *.whl; } > SHA256SUMS

clean:                         ## the environment, the site and every cache
	rm -rf $(VENV) site .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/pyvenv.cfg:
	@test -n "$(PYTHON)" || { echo "Moot needs Python 3.11 or newer, and none was found. Install one, or say: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Moot needs Python 3.11 or newer; $(PYTHON) is older. Say: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python cannot make an environment; on Debian and Ubuntu install python3-venv." >&2; rm -rf $(VENV); exit 1; }

$(VENV)/.core: $(VENV)/pyvenv.cfg $(NEEDS)
	@echo "Installing Moot into $(VENV) (once)" >&2
	@$(PIP) -e .
	@touch $@

$(VENV)/.dev: $(VENV)/pyvenv.cfg $(NEEDS)
	@echo "Installing Moot and its test tools into $(VENV) (once; llama.cpp compiles for about four minutes)" >&2
	@$(PIP) -e '.[dev]'
	@touch $@ $(VENV)/.core $(VENV)/.llm

$(VENV)/.llm: $(VENV)/pyvenv.cfg $(NEEDS)
	@echo "Installing llama-cpp-python; this compiles llama.cpp for about four minutes" >&2
	@$(PIP) -e '.[llm]'
	@touch $@ $(VENV)/.core

$(VENV)/.docs: $(VENV)/pyvenv.cfg $(NEEDS)
	@echo "Installing Moot and Sphinx into $(VENV) (once)" >&2
	@$(PIP) -e '.[docs]'
	@touch $@ $(VENV)/.core
