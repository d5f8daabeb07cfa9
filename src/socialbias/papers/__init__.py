"""How each paper's artefacts are put together from the measures: evidence, then values."""
