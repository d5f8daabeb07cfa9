"""What the papers declare, read once for all tests."""

from socialbias.pipeline.declarations import load_declarations
from tests.paths import REPOSITORY

DECLARATIONS = load_declarations(REPOSITORY / "src/socialbias/papers")
