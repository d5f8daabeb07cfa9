"""Antoniak and Mimno 2021, Bad Seeds: a module for each artefact."""
