"""The referee's table: this package and others, in worlds of known bias (`make referee`).

`worlds` makes the worlds, `ours` and the peers of `bench` measure them, `attempts` has packages
that cannot, and `table` counts. Peers run unchanged, with their own defaults. Results go to
`results/referee`, which is in git, and from there to `docs/field.md`.
"""
