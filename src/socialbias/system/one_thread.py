"""Imported first by a script whose job may have several cores: each process computes in one thread.

Snakemake tells numerical libraries to use as many threads as a job has cores, and what they add up
then depends on how many these are. They look when they are loaded.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
