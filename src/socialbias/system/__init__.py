"""The machine: threads, processes and pipes."""
