"""Nadeem et al. 2021, StereoSet: its print audit."""
