"""Whether a device computes what the CPU computes in float64, and how fast: `make verify-gpu`.

`checks` runs each path that a card takes, on small models with random weights, and compares it with
the definitions in `reference`; `rates` measures models of real shapes. Nothing is downloaded, and
nothing is needed but numpy, scipy, torch and transformers.
"""
