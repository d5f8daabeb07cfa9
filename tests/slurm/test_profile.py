"""The Slurm profile, without a Slurm."""

import logging
from types import SimpleNamespace

from snakemake_executor_plugin_slurm.partitions import get_best_partition, read_partition_file

from tests.paths import REPOSITORY


def test_snakemake_takes_every_key_of_the_profile(fresh, forked):
    plan = ["--profile", "profiles/slurm", "--configfile", "config.quickstart.yaml", "--dry-run"]
    code, said = forked.run(fresh.path, fresh.environment(), *plan)
    assert code == 0, said
    assert "align_embedding" in said


def test_jobs_with_a_gpu_go_to_the_partition_that_has_some():
    partitions = read_partition_file(REPOSITORY / "profiles/slurm/partitions.yaml")

    def chosen(**asked):
        job = SimpleNamespace(resources={"mem_mb": 4000, "runtime": 60, **asked}, threads=1)
        job.name = "represent"
        return get_best_partition(partitions, job, logging.getLogger(__name__))

    assert chosen(gpu=1) == "gpu"
    assert chosen(gpu=0) == "main"
