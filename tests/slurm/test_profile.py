"""The Slurm profile, without a Slurm."""


def test_snakemake_takes_every_key_of_the_profile(fresh):
    plan = ["--profile", "profiles/slurm", "--configfile", "config.quickstart.yaml", "--dry-run"]
    result = fresh.snakemake(*plan)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "align_embedding" in result.stdout
