"""What artefacts declare, what they read and where it lies, and digests of their code."""
