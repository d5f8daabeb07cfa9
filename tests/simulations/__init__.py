"""How often verdicts err and intervals cover, in simulated worlds of which the truth is known."""
