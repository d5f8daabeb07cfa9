"""Static word embeddings: reading, lookup, training, restriction to word lists."""
