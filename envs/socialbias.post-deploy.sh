#!/usr/bin/env bash
# Run by Snakemake inside the new conda environment, from the workflow's folder: the library of
# this checkout, editable, so that scripts run the code that the digests were taken from.
set -euo pipefail
python -m pip install --no-deps --no-build-isolation --editable .
