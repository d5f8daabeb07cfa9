"""What jobs ask for, as one process of a run sees it: `python requested.py SETTINGS TARGET...`.

Prints threads and resources by job. SETTINGS is JSON: `mode` of Snakemake (`DEFAULT` in the process
that a person starts, `REMOTE` in those of a job), `nodes` and `resources` as the command line has
them.
"""

import json
import sys
from pathlib import Path

from snakemake.api import SnakemakeApi
from snakemake.settings.enums import Quietness
from snakemake.settings.types import (
    ConfigSettings,
    DAGSettings,
    OutputSettings,
    ResourceSettings,
    WorkflowSettings,
)
from snakemake_interface_executor_plugins.settings import ExecMode

SHOWN = ("mem_mb", "runtime", "gpu")
settings, targets = json.loads(sys.argv[1]), set(sys.argv[2:])
with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
    run = api.workflow(
        resource_settings=ResourceSettings(
            cores=16, nodes=settings["nodes"], resources=settings["resources"]
        ),
        config_settings=ConfigSettings(
            configfiles=[Path("config.quickstart.yaml")],
            config={"stereoset": {"score_jobs": 4}},
        ),
        workflow_settings=WorkflowSettings(exec_mode=getattr(ExecMode, settings["mode"])),
    )
    run.dag(DAGSettings(targets=targets)).execute_workflow(executor="dryrun")
    jobs = run._workflow.dag.jobs  # there is no public way to them
    asked = {
        f"{job.rule.name} {sorted(job.wildcards_dict.items())}": [
            job.threads,
            *(job.resources.get(name) for name in SHOWN),
        ]
        for job in jobs
    }
print(json.dumps(asked))
