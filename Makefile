# Responsible for: every way to set up, run, test and measure the program from a clone.
# Needs python3 (3.11 or newer), the venv module and make; on Debian: python3 python3-venv make git.
# Not responsible for: what other tests need (tests/needs/needs.toml names it, .ci/run installs it)
# and for installing a table's machine (see docs/installation.md).

SHELL       := /bin/bash
.SHELLFLAGS := -o pipefail -c
# Hundreds of processes would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV   := .venv
RUN    := $(VENV)/bin/python
# labgrid's own: it brings a pyserial of its own, which would overwrite the program's.
LABGRID := .venv-labgrid
PIP    := $(RUN) -m pip --disable-pip-version-check install
# One line: each package as it is fetched.
SHOWN  := sed -un 's/^Collecting \([^= ]*\).*/ \1/p; s/^Installing collected.*/; unpacking/p' \
  | while IFS= read -r name; do printf '%s' "$$name"; done
ARGS   ?=
# The table's distribution first: an older one, which held all, takes the others' programs with it.
EDITABLE = $(PIP) --quiet --no-deps --no-build-isolation --editable . \
  && $(PIP) --quiet --no-deps --no-build-isolation $(addprefix --editable ./,$(OTHERS))
OTHERS := deploy/distributions/office deploy/distributions/hil
PROJECTS := pyproject.toml $(addsuffix /pyproject.toml,$(OTHERS))
# Tests run on so many processes at once: more than two cores, as the long ones mostly wait for
# emulated devices.
JOBS   ?= 4
PYTEST  = $(RUN) -m pytest -n $(JOBS) --dist worksteal
# The long runs soak a window of seeds that moves with the day; the tests have fixed ones.
SOAK_FIRST ?= $(shell date +%Y%m%d)
export SOAK_FIRST
SOAK_SEEDS ?= 300

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-services quick check full gate bench pictures docs firmware deb register generate house mutants labgrid lock clean

help: ## Print this list.
	@echo 'make <target> [ARGS="..."] [PYTHON=python3.12]'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile

demo: $(VENV)/.installed-run ## Play the demonstration: an emulated shoe and the unchanged program.
	@"$(VENV)/bin/smartshoe-hil" demo $(ARGS)

test: $(VENV)/.installed-test ## Run the tests that need nothing beside the program.
	@echo 'test: what needs nothing beside the program; the rest: make test-services'
	@$(PYTEST) --services none $(ARGS)

test-services: $(VENV)/.installed-dev ## Run the tests that need more: programs of Debian, other accounts, heavy libraries.
	@echo 'test-services: what is absent is left out, and named with what brings it'
	@$(PYTEST) --services only $(ARGS)

quick: $(VENV)/.installed-dev ## Run the tests of the rooms that a change touches, in a minute.
	@$(RUN) tests/quick/changed_rooms.py $(ARGS)

check: $(VENV)/.installed-dev ## Lint, format, types, import contracts, coverage of the rules, wheels, Debian packages.
	@echo 'check: ruff';             $(RUN) -m ruff check --quiet .
	@echo 'check: ruff format';      $(RUN) -m ruff format --quiet --check .
	@echo 'check: mypy (strict)';    $(RUN) -m mypy --no-error-summary
	@echo 'check: import contracts'; out=$$("$(VENV)/bin/lint-imports" --no-logo --config contracts.toml 2>&1) || { echo "$$out"; exit 1; }
	@echo 'check: rules, procedure and settlement wholly covered'; out=$$($(COVERED) 2>&1) || { echo "$$out"; exit 1; }
	@echo 'check: locks are whole';   out=$$($(RUN) -m pip --disable-pip-version-check check) || { echo "$$out"; exit 1; }
	@echo 'check: wheel';            $(RUN) tests/packaging/smoke.py
	@echo 'check: Debian packages';  $(RUN) tests/packaging/debian_package.py

# Every branch of the rules, the procedure and settlement is walked by their own tests; the
# exhaustive walks, random runs and threads are left to the other tests: a tracer takes minutes, and
# Python installs no two at once.
COVERED = $(RUN) -m pytest -q -n $(JOBS) tests/controller/rules tests/controller/procedure -k "not every_coup and not by_chance and not test_model and not test_random_scripts and not twenty_thousand and not every_event_in_every and not four_threads" \
  --cov=controller.rules --cov=controller.procedure --cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=100

full: $(VENV)/.installed-dev $(LABGRID)/.installed ## Run all tests, the long ones too, and soak; SOAK_FIRST=N plays seeds from N.
	@echo 'full: $(SOAK_SEEDS) soak seeds, the first is $(SOAK_FIRST); the same again: make full SOAK_FIRST=$(SOAK_FIRST)'
	@"$(VENV)/bin/smartshoe-hil" soak --seeds $(SOAK_SEEDS) --first $(SOAK_FIRST) --jobs $(JOBS) --out build/soak
	@$(PYTEST) --full $(ARGS)

gate: $(VENV)/.installed-dev ## What must hold before a release; SOAK_FIRST=N plays soak seeds from N.
	@echo 'gate: covers every check, USB, lines and power cuts on a real kernel, sixty runs of the firmware rig, the package on a clean Debian, ARM64 under emulation, every point of crash and damage, all tests with the long ones, ten minutes of changed evidence for the verifier and of each flood in 256 MB, and the measurements.'
	@echo 'gate: does not cover real devices.'
	@$(RUN) -m hil.gate
	@$(MAKE) --no-print-directory check
	@$(MAKE) --no-print-directory full
	@$(RUN) tests/evidence/fuzz_verifier.py --seconds 600
	@$(RUN) -m hil.bench.process.floods --seconds 600
	@$(MAKE) --no-print-directory bench
	@$(RUN) -m hil.run_record 'make gate'

bench: $(VENV)/.installed-dev ## Measure, and compare with the budgets.
	@$(RUN) -m hil.bench $(ARGS)

pictures: $(VENV)/.installed-dev ## Make the pictures of README and docs again; needs Debian's chromium, fonts-noto-cjk.
	@$(RUN) -m hil.demo.pictures
	@$(RUN) docs/site/page_pictures.py

docs: $(VENV)/.installed-dev ## Build the documentation's site into build/docs; it opens from there.
	@$(RUN) docs/site/build.py $(ARGS)

firmware: ## Build the reference firmware for the board and print its sizes; see hil/firmware/README.md.
	@for role in shuffler shoe; do \
	  $(MAKE) --no-print-directory --silent -C hil/firmware arm ROLE=$$role OUT="$(CURDIR)/build/firmware" || exit 1; done

deb: $(VENV)/.installed-dev ## Build the Debian packages into dist/; ARGS="--debian=13 --arch=arm64" for another machine.
	@$(RUN) deploy/debian/build_package.py $(ARGS)

register: $(VENV)/.installed-test ## Run the tests and write the register of clauses from them.
	@$(PYTEST) --services none --write-register $(ARGS)

generate: $(VENV)/.installed-dev ## Write every committed file that is generated, but the register and pictures.
	@$(RUN) tests/architecture/generate.py

house: $(VENV)/.installed-dev ## Print the size and shape of the house: files, rooms, imports, words, what a card enters.
	@PYTHONPATH=tests/architecture $(RUN) tests/architecture/house.py

# Takes hours, and measures the tests rather than a change: no part of the checks.
mutants: $(VENV)/.installed-dev ## Write the program wrongly at seeded places and see whether tests fail.
	@$(RUN) tests/mutation/seeded_mutants.py $(ARGS)

labgrid: $(LABGRID)/.installed ## Install labgrid's programs, for rigs on other machines, into an environment of their own.

# The extra is in every lock: a Debian package has none, and a table's key may be in a token.
lock: $(VENV)/.installed-dev ## Rewrite the lock files; ARGS=--upgrade takes newer versions.
	@$(COMPILE) --extra pkcs11 --group build --output-file requirements.lock $(ARGS) pyproject.toml
	@$(COMPILE) --extra pkcs11 --group test --constraints requirements.lock --output-file requirements-test.lock $(ARGS) pyproject.toml
	@$(COMPILE) --extra pkcs11 --group dev --constraints requirements-test.lock --output-file requirements-dev.lock $(ARGS) pyproject.toml
	@$(COMPILE) --group labgrid --output-file requirements-labgrid.lock $(ARGS)

clean: ## Remove the environments and everything generated.
	rm -rf $(VENV) $(LABGRID) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Hashes come from the public index alone: settings of the machine that locks do not count.
COMPILE = env -u UV_INDEX -u UV_INDEX_URL -u UV_DEFAULT_INDEX -u UV_EXTRA_INDEX_URL -u UV_FIND_LINKS \
  $(RUN) -m uv --no-config --quiet pip compile --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock'

$(VENV)/.created:
	@command -v "$(PYTHON)" >/dev/null 2>&1 \
	  || { echo '$(PYTHON) is missing; on Debian: apt-get install python3 python3-venv' >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo '$(PYTHON) is older than 3.11; on Debian 12: apt-get install python3 python3-venv' >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo 'The venv module of $(PYTHON) is missing; on Debian: apt-get install python3-venv' >&2; exit 1; }
	@echo 'Setting up $(VENV) (once; needs the network)'
	@"$(PYTHON)" -m venv $(VENV)
	@touch $@

# The build backend comes from the lock too, so nothing unlocked is fetched on the way. A lock names
# all that is needed: --no-deps, because Debian's pip looks for the newest version of a package that
# another one asks for with extras, and refuses that one for its missing hash.
$(VENV)/.installed-run: $(VENV)/.created requirements.lock $(PROJECTS)
	@printf 'Fetching what the program needs:'
	@$(PIP) --progress-bar off --no-deps --require-hashes -r requirements.lock | $(SHOWN) && echo
	@$(EDITABLE)
	@touch $@

# A larger lock contains the smaller ones, so one installation serves them too.
$(VENV)/.installed-test: $(VENV)/.created requirements-test.lock requirements.lock $(PROJECTS)
	@printf 'Fetching what the program and its tests need:'
	@$(PIP) --progress-bar off --no-deps --require-hashes -r requirements-test.lock | $(SHOWN) && echo
	@$(EDITABLE)
	@touch $(VENV)/.installed-run $@

$(VENV)/.installed-dev: $(VENV)/.created requirements-dev.lock requirements-test.lock requirements.lock $(PROJECTS)
	@printf 'Fetching what the program, all tests and the checks need:'
	@$(PIP) --progress-bar off --no-deps --require-hashes -r requirements-dev.lock | $(SHOWN) && echo
	@$(EDITABLE)
	@touch $(VENV)/.installed-run $(VENV)/.installed-test $@

# Nothing of the program is in it, and nothing of it in the program's environment.
$(LABGRID)/.installed: $(VENV)/.created requirements-labgrid.lock
	@"$(PYTHON)" -m venv --clear $(LABGRID)
	@printf 'Fetching labgrid into $(LABGRID):'
	@$(LABGRID)/bin/python -m pip --disable-pip-version-check install --progress-bar off --no-deps --require-hashes -r requirements-labgrid.lock | $(SHOWN) && echo
	@touch $@
