"""The print audit: where the printed numbers of a paper contradict each other."""
