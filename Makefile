# Each target is one line that a person could type. Set CORES=N to use more than two cores.
CORES ?= 2
PYTHON ?= python3
BIN := .venv/bin
# On a terminal the rich logger draws progress bars; elsewhere plain lines come out.
LOGGER := $(shell test -t 2 && echo "--logger rich")
RUN := $(BIN)/snakemake --cores $(CORES) $(LOGGER)

# Each job is its own process. Without bytecode on disk, each would compile its imports again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: quickstart public-files reference reproduce plan doctor test test-long test-slurm verify-gpu rehearsal rehearsal-all bench referee error-rates release lint format generate lock clean targets crate same-numbers kinds docs

UNCHANGED := $(BIN)/python workflow/unchanged.py
PUBLIC_FILES := $(BIN)/python -m socialbias.pipeline.public_files --configfile

# PUBLIC=no fetches no public files before the run.
quickstart: .venv/installed
	@$(UNCHANGED) results/quickstart || { \
	$(if $(filter no,$(PUBLIC)),,$(PUBLIC_FILES) config.quickstart.yaml &&) \
	$(RUN) --profile profiles/quickstart && $(UNCHANGED) --record results/quickstart; }

# Fetches up to 100 MB of small public files into data/, where the next run finds them. If the hosts
# do not answer within two seconds, it says so and does nothing. CONFIG names another configuration.
public-files: .venv/installed
	@$(PUBLIC_FILES) $(or $(CONFIG),config.quickstart.yaml)

# The published run: planned at half an hour on two idle cores. A stopped run continues where it was.
# PUBLIC=no is as above. At the end, its numbers are copied to results/reference.
reference: .venv/installed
	@$(if $(filter no,$(PUBLIC)),,$(PUBLIC_FILES) config.reference.yaml)
	$(RUN) --profile profiles/reference
	$(BIN)/python -m socialbias.commands.maintenance.reference results/reference-run

# Fetches first, then runs without what no host gave.
reproduce: .venv/installed
	$(RUN) --until fetch || true
	$(RUN)

# Shows what a run would fetch and cost, and which source fills each role. Use
# CONFIG=config.quickstart.yaml for the quickstart and LOOK=--look to ask the servers. TARGET plans one
# table, figure or paper, and GPU=1 a run with GPUs.
plan: .venv/installed
	$(BIN)/python -m socialbias.pipeline.preview $(addprefix --configfile ,$(CONFIG)) $(addprefix --gpu ,$(GPU)) -- $(TARGET)

doctor: .venv/installed
	$(BIN)/python -m socialbias.pipeline.doctor $(LOOK) $(addprefix --configfile ,$(CONFIG))

# Lists the targets for: snakemake --cores N TARGET.
targets: .venv/installed
	@$(BIN)/python -m socialbias.pipeline.targets

# Describes the last run, or RUN_FOLDER=results/NAME, as an RO-Crate: see docs/running.md.
crate: .venv/installed
	$(BIN)/python -m socialbias.reporting.crate $(RUN_FOLDER)

# Checks that the present code makes the numbers of a finished run: the last one, or
# RUN_FOLDER=results/NAME. ONLY="trustworthy_weat ..." selects artefacts; FROM=sources also makes
# their evidence again. Lists each cell that differs, and then fails.
same-numbers: .venv/installed
	OMP_NUM_THREADS=1 $(BIN)/python -m socialbias.commands.maintenance.same_numbers $(RUN_FOLDER) --cores $(CORES) $(addprefix --from ,$(FROM)) $(if $(ONLY),--only $(ONLY))

# Counts the printed numbers by kind, and what came of them: in the reference run, in
# RUN_FOLDER=results/NAME if given, and as a forecast in the paper run (or that of CONFIG).
kinds: .venv/installed
	@$(BIN)/python -m socialbias.commands.maintenance.kinds $(RUN_FOLDER) $(addprefix --configfile ,$(CONFIG))

test: .venv/installed-dev
	$(BIN)/python -m pytest

# Runs in full what `make test` shortens: simulations of error rates, whole corpora and many examples
# of every property.
test-long: .venv/installed-dev
	$(BIN)/python -m pytest -m "long or hypothesis" --hypothesis-profile=long --cache-clear

# Tests on a live Slurm: the one that answers, or one that is installed, started and stopped for it.
# PART="not long" is what CI does.
PART ?= long or not long
test-slurm: .venv/installed-dev
	tests/slurm/slurm-local.sh run $(BIN)/python -m pytest tests/slurm -m "$(PART)"

# Checks whether a device computes what a CPU computes in float64, and how fast (docs/cluster.md).
# Writes results/verify-gpu.json. Takes a few minutes on a GPU, at most two on a CPU (DEVICE=cpu).
DEVICE ?= auto
verify-gpu: .venv/installed-dev
	$(BIN)/python -m pytest -c tests/gpu/pytest.ini tests/gpu --device $(DEVICE)

# Rehearses the paper run, the light run and a part of the workstation run, on small files of the real
# formats. This machine plays the hosts. Seven minutes. With -all: all of the workstation run.
rehearsal: .venv/installed-dev
	$(BIN)/python -m tests.rehearsal

rehearsal-all: .venv/installed-dev
	$(BIN)/python -m tests.rehearsal --all

# Compares speed with other libraries in one run; they are installed in .venv-bench.
bench: .venv/installed-dev
	$(BIN)/python -m bench

# Measures planted biases with this package and with others, into results/referee. Under half an hour
# on two idle cores; the first time, ten minutes more to install the others in .venv-bench.
referee: .venv/installed-dev
	$(BIN)/python -m bench.referee
	$(BIN)/python -m bench.referee.attempts

# Builds the site in docs/_build/html, with the pages that are generated. Runs the commands of the
# tutorials and the notebook. About three minutes; DOCS='-D run_commands=0' runs nothing.
docs: .venv/installed-docs
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going $(DOCS) docs docs/_build/html
	@echo "the site: docs/_build/html/index.html"

# Simulates error rates of verdicts and coverage of intervals (docs/error-rates.md): about an hour.
error-rates: .venv/installed-dev
	$(BIN)/python -m tests.simulations

# Wheel and sdist of the last commit in build/release/dist: built twice with the same bytes, installed
# by checksum in an empty environment, and used from an empty folder. Downloads what the lock pins.
release: .venv/installed
	.ci/release

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

format: .venv/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

# Writes config.yaml, the JSON schemas, the conda file and parts of README from their single source.
generate: .venv/installed
	$(BIN)/python -m socialbias.commands.maintenance.generate

# Resolves the newest versions that pyproject.toml admits and pins them, with the checksums of every
# platform's files (uv asks its own default index; UV_DEFAULT_INDEX names another). torch has a file of
# its own, without checksums: which build is right depends on the machine. Its version stays, unless
# TORCH=version says otherwise: it has to be a build for CPUs, which the newest may not have here.
TORCH ?= $(shell sed -n 's/^torch==//p' envs/torch.txt)
FREEZE := .venv-lock/bin/pip freeze --all $(addprefix --exclude ,socialbias pip uv torch)
HASHES := .venv-lock/bin/uv pip compile --quiet --no-deps --generate-hashes --no-annotate --no-header
lock:
	rm -rf .venv-lock && $(PYTHON) -m venv .venv-lock
	.venv-lock/bin/pip install -q 'uv>=0.5' 'hatchling>=1.27' '.[all]' torch==$(TORCH)
	echo torch==$(TORCH) > envs/torch.txt
	$(FREEZE) > .venv-lock/all && $(HASHES) .venv-lock/all -o envs/requirements.lock
	.venv-lock/bin/pip install -q '.[dev]'
	$(FREEZE) | grep -vxFf .venv-lock/all > .venv-lock/dev
	$(HASHES) .venv-lock/dev -o envs/requirements-dev.lock
	.venv-lock/bin/pip install -q '.[docs]'
	$(FREEZE) | grep -vxF -f .venv-lock/all -f .venv-lock/dev > .venv-lock/docs
	$(HASHES) .venv-lock/docs -o envs/requirements-docs.lock
	rm -rf .venv-lock

clean:
	rm -rf docs/_build docs/_made results/quickstart results/paper logs benchmarks .snakemake

# The stamps are keyed on the locks: a second call of make installs nothing.
.venv/installed: envs/requirements.lock envs/torch.txt pyproject.toml
	$(PYTHON) envs/install.py envs/requirements.lock --torch envs/torch.txt --editable .
	touch $@

.venv/installed-dev: .venv/installed envs/requirements-dev.lock
	$(PYTHON) envs/install.py envs/requirements-dev.lock
	touch $@

.venv/installed-docs: .venv/installed-dev envs/requirements-docs.lock
	$(PYTHON) envs/install.py envs/requirements-docs.lock
	touch $@
