"""Human annotation: drawing contexts, exporting them, reading the labels back."""
