"""Czarnowska et al. 2021, Generalized Fairness Metrics: its print audit."""
