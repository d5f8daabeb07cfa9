"""How fast the library is beside what else there is, as ratios measured in one run: `make bench`.

A comparison is a `Comparison`: what we do, what a peer does for the same numbers, and the ratio or
the time that it should reach. A module with a function `comparisons` gives some of them, and
`__main__` lists the modules. Peers that want other versions than ours of anything live in an
environment of their own (`envs/bench-*.txt`) and are asked through a pipe.

Nothing here is a test: times depend on the machine and on who else is on it.
"""

import os

# One thread on both sides, set before NumPy is imported; processes of peers inherit it.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
