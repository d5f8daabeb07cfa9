#!/usr/bin/env bash
# Run by Snakemake inside the new conda environment, from the workflow's folder: the library of
# this checkout, editable, so that scripts run the code that the digests were taken from.
set -euo pipefail
if [ ! -f pyproject.toml ]; then
  echo "$PWD: conda environments take a checkout: run Snakemake without them, where socialbias is installed" >&2
  exit 1
fi
python -m pip install --no-deps --no-build-isolation --editable .
