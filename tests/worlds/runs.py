"""What a finished run says of itself."""

from socialbias.reporting.record import RunRecord

RUN_RECORD = RunRecord(
    run="mine",
    seed=7,
    command="snakemake",
    machine="a loom",
    version="socialbias 9, commit abc",
    written="2030-01-02T03:04:05+00:00",
    config={},
    inputs={},
    missing=[],
    code={},
)
