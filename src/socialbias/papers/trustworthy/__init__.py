"""Bommasani and Liang 2022, Trustworthy Social Bias Measurement: a module for each artefact."""
