"""Reading the workflow takes few packages: jobs may have the others in an environment of theirs."""

import os
import re
import subprocess
import sys
import tomllib

import pytest

from tests.paths import REPOSITORY

# What the extra `launch` does not install cannot be imported. Snakemake loads every plugin that it
# finds: that for Slurm, which it would not find there, imports pandas.
OF_SNAKEMAKE = {"jinja2", "requests", "tenacity", "urllib3"}
DRY_RUN = """
import pkgutil, sys
sys.modules.update(dict.fromkeys({absent!r}))
modules = pkgutil.iter_modules
pkgutil.iter_modules = lambda *given: (m for m in modules(*given) if "_plugin_" not in m.name)
from snakemake.cli import main
main({arguments!r})
"""


@pytest.mark.long
def test_a_dry_run_takes_no_more_than_the_extra_for_it(tmp_path):
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    full = {package(each) for name in ("text", "models", "workflow") for each in extras[name]}
    light = {package(each) for each in extras["launch"]} | OF_SNAKEMAKE
    absent = full - light
    assert {"torch", "spacy", "gensim", "pandas", "transformers", "matplotlib"} <= absent
    code = DRY_RUN.format(
        absent=sorted(absent | {"scipy", "sklearn"}),
        arguments=[
            "--dry-run", "--profile", str(REPOSITORY / "profiles/quickstart"),
            "--configfile", str(REPOSITORY / "config.quickstart.yaml"),
            "--snakefile", str(REPOSITORY / "Snakefile"), "--directory", str(tmp_path),
            "--", "trustworthy_special_cases",
        ],
    )  # fmt: skip
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SOCIALBIAS")}
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    assert "values" in result.stdout


def package(requirement: str) -> str:
    """The name by which a required package is imported."""
    name = re.match(r"[\w-]+", requirement)[0]
    return "yaml" if name == "pyyaml" else name.replace("-", "_")
