"""Slow and obvious implementations that the fast ones are compared with."""
