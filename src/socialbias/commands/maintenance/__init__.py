"""What maintainers run: comparison of two runs, the reference run, generated files."""
