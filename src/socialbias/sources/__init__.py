"""External data sources: where to find them, how to verify and fetch them."""
