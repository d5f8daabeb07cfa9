"""Words in, a bias with its uncertainty out: what `socialbias` the command does, from Python."""
