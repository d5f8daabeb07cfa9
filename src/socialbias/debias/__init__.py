"""Methods that take a bias out of word vectors."""
