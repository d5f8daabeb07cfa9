"""Static word embeddings: reading, lookup, alignment to word lists."""
