# Every target sets itself up. Needed: make and Python 3.11 or newer, nothing else.
# Another Python than the one found: make PYTHON=/path/to/python3.12 test

.PHONY: help demo test lint imports types docs bench venv clean
.NOTPARALLEL:

PYTHON ?=
RUN := .venv/bin/python
INSTALL := $(RUN) -m pip install --quiet --disable-pip-version-check
SUITE := $(RUN) -m pytest -q -n 2 --dist loadfile

# A .venv that was moved, or whose Python is gone, cannot install what is missing.
ifneq ($(wildcard .venv/bin/pip),)
ifneq ($(filter-out help clean,$(MAKECMDGOALS)),)
HOME_OF_PIP := import sys; sys.exit(sys.prefix not in open(".venv/bin/pip").read())
ifneq ($(shell $(RUN) -c '$(HOME_OF_PIP)' 2>/dev/null && echo whole),whole)
$(error .venv does not run (moved, or its Python is gone): rm -rf .venv, then make again)
endif
endif
endif

help:
	@echo "make demo     four force-control laws push on a moving plane; tables and plots in demo/"
	@echo "make test     the test suite, compiled and then as plain Python with coverage"
	@echo "make lint     style;  make imports: import order;  make types: pyright"
	@echo "make docs     the documentation, in site/"
	@echo "make bench    speed beside MuJoCo, Pinocchio, Drake and the Robotics Toolbox"
	@echo "make venv     only the environment in .venv;  make clean: remove what was made, not .venv"

demo: .venv/base.stamp
	@echo "-- four laws pushed by a moving plane (a first run compiles: half a minute)"
	.venv/bin/forcebench compare kr5/push --laws stiffness,impedance,admittance,hybrid --out demo/
	@echo "-- published values beside simulated ones"
	.venv/bin/forcebench verify kr5 rp
	@echo "-- plots: demo/force.png and demo/compare.png; records and metrics beside them"
	@echo "-- next: a law of your own, docs/write_a_law.md"

test: .venv/dev.stamp
	@echo "-- the suite, compiled"
	@$(SUITE)
	@echo "-- the suite as plain Python, which measures coverage"
	@NUMBA_DISABLE_JIT=1 $(SUITE) --cov --cov-report=term

lint: .venv/dev.stamp
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

imports: .venv/dev.stamp
	.venv/bin/lint-imports --no-logo

types: .venv/dev.stamp
	$(RUN) -m pyright --project pyproject.toml

docs: .venv/docs.stamp
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict

bench: .venv/peers.stamp
	$(RUN) benchmarks/run.py

venv: .venv/dev.stamp

# pip is the last thing that a new environment gets, so its presence means a whole one.
.venv/bin/pip:
	@found=; lame=; \
	for python in "$(PYTHON)" python3.13 python3.12 python3.11 python3; do \
	    "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 || continue; \
	    if "$$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then found=$$python; break; fi; \
	    lame=$$python; \
	done; \
	if [ -z "$$found" ] && [ -n "$$lame" ]; then \
	    echo "$$lame cannot make a virtual environment: install its venv package" \
	        "(Debian, Ubuntu: apt install python3-venv), or name another Python:" \
	        "make PYTHON=/path/to/python"; \
	    exit 1; \
	elif [ -z "$$found" ]; then \
	    echo "forcebench needs Python 3.11 or newer and found" \
	        "$$(python3 --version 2>/dev/null || echo none); install one, or name it:" \
	        "make PYTHON=/path/to/python"; \
	    exit 1; \
	fi; \
	echo "-- .venv with $$found ($$("$$found" --version))"; \
	"$$found" -m venv .venv

.venv/base.stamp: pyproject.toml | .venv/bin/pip
	@echo "-- installing forcebench (once; a minute or so)"
	@$(INSTALL) -e .
	@touch $@

.venv/dev.stamp: pyproject.toml | .venv/bin/pip
	@echo "-- installing forcebench and the tools of its developers (once)"
	@$(INSTALL) -e '.[dev]'
	@touch .venv/base.stamp $@

.venv/docs.stamp: pyproject.toml | .venv/bin/pip
	@echo "-- installing what builds the documentation (once)"
	@$(INSTALL) -e '.[docs]'
	@touch .venv/base.stamp $@

.venv/peers.stamp: pyproject.toml | .venv/bin/pip
	@echo "-- installing the peers of the benchmark (once)"
	@$(INSTALL) -e '.[peers]'
	@touch .venv/base.stamp $@

clean:
	rm -rf build dist site demo runs htmlcov .cache .coverage .coverage.* coverage.xml
	rm -rf .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests docs benchmarks -name __pycache__ -type d -exec rm -rf {} + 2>/dev/null || true
