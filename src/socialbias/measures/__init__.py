"""Measures of bias on matrices: the DivDist framework and prior measures."""
