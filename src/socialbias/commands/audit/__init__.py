"""`socialbias audit`: every instrument of the papers that fits a model, vectors or a corpus."""
