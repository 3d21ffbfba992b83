# A fresh machine needs Python 3.11 or later, a C compiler and make; everything else goes into .venv.
PYTHON ?= python3
BIN := .venv/bin
# One process per core; more threads inside each would only get in each other's way.
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto --dist worksteal
NATIVE := $(wildcard src/linkwork/integrate/native/*.[ch])

.PHONY: demo test crosscheck slow coverage golden support papers lint gallery docs clean

demo: .venv/installed ## run the slider-crank and plot it
	$(BIN)/linkwork run slider-crank

test: .venv/installed-test ## the tests that take seconds
	$(PYTEST) -m "not slow and not ci"

crosscheck: .venv/installed-test ## what CI adds: 120 random mechanisms, networks, odd calls, all code of the docs, pages in a browser
	$(PYTEST) -m "ci and not slow"

slow: .venv/installed-test ## the tests that take minutes
	$(PYTEST) -m slow

coverage: .venv/installed-test ## lines and branches of the package that the tests of `make test` reach
	rm -f .coverage*
	$(PYTEST) -m "not slow" --cov --cov-report=term --cov-report=html:build/coverage

support: .venv/installed-test ## write the tables of docs/support.md anew
	$(BIN)/python -W ignore -m tests.contracts.support

papers: .venv/installed-test ## run every item of the five source papers and write docs/papers.md anew
	$(BIN)/python -W ignore -m tests.papers

golden: .venv/installed-test ## write the golden files anew where they differ; then read the difference
	$(PYTEST) tests/golden --renew-golden

lint: .venv/installed-test ## style, types, and who may import whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports

gallery: .venv/installed-test ## a page with every example: picture, animation, plot, code
	$(BIN)/linkwork gallery -o gallery

docs: .venv/installed-docs ## the documentation as a site, in site/; a broken link is an error
	test -s build/gallery/index.html || $(BIN)/linkwork gallery --quiet -o build/gallery
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf .venv build site src/*.egg-info src/linkwork/integrate/native/_native*.so

# The stamps make a second call install nothing; a change of the C sources or of the packaging builds again.
.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Linkwork needs Python 3.11 or later.")'
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml setup.py $(NATIVE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/installed-test: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $@

.venv/installed-docs: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	touch $@
