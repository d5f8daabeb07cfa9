"""Measures of bias, on matrices: the DivDist framework and the prior measures beside it."""
