"""The one way of measuring: from words and a subject's vectors, counts or scores to estimates."""
