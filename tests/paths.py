"""Where the tests find the repository, what it keeps and what has been fetched."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
RESOURCES = REPOSITORY / "resources"
FORKED_JOBS = REPOSITORY / "tests/forked_jobs.py"
PUBLISHED = RESOURCES / "published"
# Sources that a run has fetched: its `data` folder.
DATA = Path(os.environ.get("SOCIALBIAS_DATA", REPOSITORY / "data"))
