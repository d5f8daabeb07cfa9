"""What models this process has loaded, and on what they run: for a job to write down.

A module of its own, so that a job without a model need not load PyTorch to know that.
"""

LOADED: list[dict[str, str]] = []  # each once: `model` (its folder's name), `device`, `dtype`
