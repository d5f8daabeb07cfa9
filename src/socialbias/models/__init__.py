"""Language models: representations, probes, generation."""
