# The front door: `make` lists what there is. Every target sets .venv up first when it is missing or stale.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
WORKERS ?= auto

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp
# -qq: errors are shown, pip's remarks about the machine it runs on are not.
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-input -c constraints.txt

# An environment works when its Python starts and finds this very checkout: one whose interpreter was
# removed or upgraded, or whose folder was moved or copied, does not, and is made anew.
WORKS := $(BIN)/python -c 'import importlib.util as u, os, sys; s = u.find_spec("logiclens"); \
	sys.exit(not (s and s.origin and os.path.samefile(s.origin, "src/logiclens/__init__.py")))' 2>/dev/null
STALE := $(shell $(WORKS) || echo FORCE)

# The report is tested in a real browser; Debian's package is installed where there is none and that is possible.
BROWSER := command -v chromium || command -v chromium-browser || command -v google-chrome || test -x "$$LOGICLENS_CHROMIUM"
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20

# Spark runs on Java 17 or newer; Debian's package is installed where there is none and that is possible.
SPARK := $(VENV)/.stamp-spark
JAVA := "$${JAVA_HOME:+$$JAVA_HOME/bin/}java" -version 2>&1 | grep -E 'version "(1[7-9]|[2-9][0-9])'

# Instructions that all processors of the kind have, so that the rules are the same on each.
REPEATABLE := MKL_CBWR=COMPATIBLE ATEN_CPU_CAPABILITY=avx2

.PHONY: help setup demo test fuzz spark check bench docs pictures clean FORCE

help: ## Show this list
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

setup: $(STAMP) ## Make .venv with the package and every development tool
	@echo "$(VENV) is ready"

demo: $(STAMP) ## Print the rules of a small data set
	@$(REPEATABLE) $(BIN)/logiclens demo

test: $(STAMP) ## Run all tests but those that need Spark
	@$(BIN)/python -m pytest -q -n $(WORKERS) --maxprocesses=8 --dist worksteal -m "not spark"

fuzz: $(STAMP) ## Run the property tests with random draws
	@LOGICLENS_FUZZ=1 $(BIN)/python -m pytest -q -n $(WORKERS) --maxprocesses=8 --dist worksteal -m "hypothesis and not spark"

spark: $(SPARK) ## Run the tests that need Spark
	@LOGICLENS_SPARK=1 $(BIN)/python -m pytest -q -n 0 tests -m spark

check: $(STAMP) ## Lint, format, types, layers, documentation
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(MAKE) --no-print-directory docs

bench: $(STAMP) ## Compare speed and size with other tools, on this machine
	@$(BIN)/python -m benchmarks

docs: $(STAMP) ## Build the documentation into build/site; warnings are errors
	@mkdir -p build
	@NO_MKDOCS_2_WARNING=true $(BIN)/mkdocs build --strict >build/mkdocs.log 2>&1 || { cat build/mkdocs.log; exit 1; }
	@echo "Documentation: build/site/index.html"

pictures: $(STAMP) ## Make the pictures of README and documentation anew, in docs/images
	@$(REPEATABLE) $(BIN)/python docs/make_pictures.py

clean: ## Remove what builds and tests leave behind; .venv stays
	rm -rf build dist site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks docs -type d -name __pycache__ -prune -exec rm -rf {} +

# The stamp is written last, so an interrupted set-up is done again. pyeda is an optional partner of
# some tests and benchmarks; it compiles C, so a machine without a compiler goes on without it.
$(STAMP): pyproject.toml constraints.txt Makefile $(STALE)
	@rm -f $@
	@$(WORKS) || { echo "Setting up $(VENV); this takes a minute or two"; $(PYTHON) -m venv --clear $(VENV); }
	@$(PIP) --upgrade pip
	@$(PIP) -e '.[dev]'
	@$(PIP) 'pyeda>=0.29' >$(VENV)/pyeda.log 2>&1 \
		|| echo "pyeda could not be installed: comparisons with it are left out"
	@{ $(BROWSER) || { $(APT) update; $(APT) install --no-install-recommends chromium; }; } >$(VENV)/chromium.log 2>&1 \
		|| echo "Chromium could not be installed: tests of the report in a browser will be skipped"
	@touch $@

$(SPARK): $(STAMP)
	@rm -f $@
	@{ $(JAVA) || { $(APT) update; $(APT) install --no-install-recommends openjdk-17-jre-headless; }; $(JAVA); } >$(VENV)/java.log 2>&1 \
		|| { echo "Spark needs Java 17, which could not be installed: install it, or set JAVA_HOME"; exit 1; }
	@$(PIP) -e '.[dev,spark]'
	@touch $@
