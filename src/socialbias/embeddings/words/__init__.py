"""Word lists: the packaged ones, the papers' and people's own; and languages."""
