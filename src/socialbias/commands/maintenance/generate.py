"""Writes every file that is generated from code, or says which ones have drifted.

`python -m socialbias.commands.maintenance.generate` writes; with `--check` it compares and fails.
A test runs the latter.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import yaml
from pydantic import BaseModel

from socialbias.commands.maintenance.reference import sentences
from socialbias.config import Config, in_words, paper_value
from socialbias.embeddings.words.packaging import named_lists
from socialbias.pipeline.declarations import Declaration
from socialbias.sources.registry import Source

QUOTED = {"README.md": 3, "paper/paper.md": 5}  # sentences of the reference run that each has
HEADER = """\
# yaml-language-server: $schema=workflow/schemas/config.schema.json
# The full paper run. Generated from src/socialbias/config by `make generate`: to change a
# default, change it there; to change a setting for one run, write an overlay such as
# config.quickstart.yaml and give it with --configfile.
"""


def config_yaml(model: BaseModel, indent: int = 0) -> str:
    """Return the model's defaults as YAML, with each field's description as a comment above it.

    Where the paper has a value of its own, the comment ends with it.
    """
    pad = "  " * indent
    lines = []
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        paper = paper_value(field)
        printed = "" if paper is None else f" In the paper: {in_words(paper)}."
        lines.append(f"{pad}# {' '.join(field.description.split())}{printed}")
        if isinstance(value, BaseModel):
            lines.append(f"{pad}{name}:\n{config_yaml(value, indent + 1)}")
        else:
            lines.append(f"{pad}{name}: {json.dumps(value)}")
    return "\n".join(lines)


CONDA_HEADER = """\
# Generated from requirements.lock and torch.txt by `make generate`: a pip lock in the form in which
# Snakemake's `--sdm conda` takes it. Conda brings Python and pip, and pip installs everything else,
# without checksums (`make` and the Dockerfile check them); on Linux torch comes with CUDA.
"""


def conda_yaml(*locks: str) -> str:
    """Return a conda environment with the same pins as pip's locks, without their checksums."""
    pins = sorted(re.findall(r"^\w\S+==[^\s\\]+", "\n".join(locks), re.MULTILINE))
    dependencies = ["python=3.11", "pip", {"pip": pins}]
    content = {"name": "socialbias", "channels": ["conda-forge"], "dependencies": dependencies}
    return CONDA_HEADER + yaml.safe_dump(content, sort_keys=False)


def with_reference(page: str, count: int) -> str:
    """Return a page with so many sentences on the reference run between two comments.

    The comments are `<!-- reference run -->` and `<!-- end of reference run -->`.
    """
    lines = [f"- {sentence}\n" for sentence in sentences()[:count]]
    if not lines:
        return page
    part = r"(?<=<!-- reference run -->\n).*?(?=<!-- end of reference run -->)"
    return re.sub(part, lambda _: "".join(lines), page, flags=re.DOTALL)


def generated_files(root: Path) -> dict[Path, str]:
    """Return every generated file below the root, with the text that it must have."""
    locks = [(root / "envs" / name).read_text() for name in ("requirements.lock", "torch.txt")]
    named = named_lists(root / "resources").items()
    lists = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in named]
    files = {
        name: with_reference((root / name).read_text("utf-8"), count)
        for name, count in QUOTED.items()
    }
    files |= {
        "config.yaml": HEADER + config_yaml(Config()) + "\n",
        "envs/socialbias.yaml": conda_yaml(*locks),
        "resources/lists.json": "{\n" + ",\n".join(lists) + "\n}\n",
    }
    for name, model in {"config": Config, "source": Source, "artefact": Declaration}.items():
        schema = json.dumps(model.model_json_schema(), indent=2) + "\n"
        # A paragraph of a description is one line.
        schema = re.sub(r"(?<!\\n)\\n(?!\\n)", " ", schema)
        files[f"workflow/schemas/{name}.schema.json"] = schema
    return {root / name: text for name, text in files.items()}


def main(arguments: list[str]) -> int:
    """Write the files, or with `--check` return 1 when one of them has drifted."""
    drifted = [
        (path, text)
        for path, text in generated_files(Path.cwd()).items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
    for path, text in drifted:
        name = path.relative_to(Path.cwd())
        if "--check" in arguments:
            print(f"{name} has drifted: run `make generate`")
            continue
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        print(f"wrote {name}")
    return 1 if drifted and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
