"""What every command prints and writes, compared with the files beside this module.

`GOLDEN=1 pytest tests/golden` writes them anew: look at the difference before you commit it.
"""

import math
import os
import re
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from gensim.test.utils import datapath

from socialbias.commands.audit import run, verify
from socialbias.commands.cli import COMMANDS, cli
from socialbias.measures.passport import FIELDS, Known, Passport
from tests import tiny_audit, tiny_models
from tests.commands.conftest import FILMS
from tests.commands.test_over_time import OTHERS, records
from tests.commands.test_tables import written
from tests.commands.test_verdict import OURS, PRINT

KEPT = Path(__file__).parent
ENDS = ("json", "csv", "html", "tex", "md", "svg", "xml")
# What differs between machines, days and versions; and a new line before a tag.
MASKS = {
    r"/[^\s'\"<>)]*/(?=[\w.-]+)": "",  # folders
    r"socialbias,? (version )?\d+\.\d+\.\d+": "socialbias VERSION",
    r'("?[Vv]ersion"?:? )"?\d+\.\d+\.\d+"?': r"\1VERSION",
    r", about \d+:\d\d left": "",
    r'(sha256 |sha256": "|SHA-256 |"code": "|"subject": "(?=[0-9a-f]{16}"))[0-9a-f]+': r"\1DIGEST",
    r'"bytes": \d+': '"bytes": SIZE',
    r"<style>[^<]*": "<style>",
    r"(?<!\n)(?=<(?:tr|p|h\d|d[lt]|table|details|style|main)\b)": "\n",
}
MEASURED = dict.fromkeys(FIELDS, Known("", math.nan, *[math.nan] * 3, "", "", (), "", ""))
for field in ("split-half", "false-alarms", "power"):
    MEASURED[field] = Known(field, 0.8, 0.7, 0.9, 58, "words", "", ("one", "two"), "weak", "")
PASSPORT = Passport("directed", "1", "2026-01-31", MEASURED)
KNOWN = ("directed", "stereotype-score", "ss")  # measures with this passport
FILES = {
    "gender.txt": "[female]\nshe\nher\nwoman\n[male]\nhe\nhis\nman\n",
    "three.txt": "[female]\nshe\nher\n[male]\nhe\nhis\n[they]\nthey\nthem\n",
    "kin.txt": "[female]\ngirl\nactress\n[male]\nson\nman\n",
    "weat.txt": "[arts]\nmusic\nlove\ndrama\n[work]\ndirector\nauthor\nfilmmaker\n",
    "films.txt": "\n".join(FILMS),
    "work.txt": "nurse\npilot\nclerk\nnosuchword\n",
    "others.txt": "\n".join(OTHERS),
} | {"print.csv": PRINT, "ours.csv": OURS, "config.yaml": "", "workflow/Snakefile": ""}
# Name, command line, and the suffixes of its outputs, or files that it writes.
CASES = f"""
vectors: measure reviews.vec --groups gender.txt --targets films.txt > EACH
explained: measure reviews.vec --groups gender.txt --targets films.txt --explain
three_groups: measure reviews.vec --groups three.txt --targets author,love,family > html tex
one_word: measure reviews.vec --groups gender.txt --targets author > md
weat: measure reviews.vec --groups gender.txt --targets weat.txt --measure weat
sets: measure reviews.vec --groups gender.txt,kin.txt --targets author,movie > EACH
texts: measure one.txt --groups gender.txt --targets work.txt > html json md
two_texts: measure one.txt two.txt --groups gender.txt --targets work.txt > html tex csv md
over: measure papers.csv --groups gender.txt --targets work.txt --over date --stratify outlet \
--baseline others.txt > csv html tex md svg
model: measure model --groups gender.txt --targets nurse,pilot,clerk --baseline others.txt > html
predictions: measure hired.csv --predictions > json csv html tex md
compare: compare reviews.vec reviews.vec --groups gender.txt --targets films.txt --margin .05 \
> EACH summary xml
compare_sets: compare reviews.vec reviews.vec --groups gender.txt,kin.txt --targets author,love \
> html summary md
no_worse: compare --decisions a.csv a.csv --margin .3 > summary
worse: compare --decisions a.csv b.csv --margin .05 > json csv html tex xml
items: compare model random --items items.csv --margin .1 > html md
audit: audit random --only stereoset,crows-pairs --n 8 -o out \
> out/audit.json out/index.html out/bundle.json
verify: verify out
audit_vectors: audit reviews.vec --only directed,weat-1-to-10 -o vec > vec/index.html
audit_seeds: audit one.txt --seeds gender.txt --replicates 0 > csv html
paper: reproduce paper trustworthy table5 --vectors reviews.vec --profile slurm
verdict: reproduce verdict print.csv ours.csv > csv html
power: power stereotype-score --bias 5
power_of_texts: power text --bias .0001 --n 100
power_of_decisions: power decisions --bias .05
lists: lists
lists_de: lists --language de
lists_kin: lists gender-kinship
help: --help
{"".join(f"help_{name}: {name} --help" + chr(10) for name in COMMANDS)}
{"".join(f"help_{name}: reproduce {name} --help" + chr(10) for name in ("paper", "verdict"))}"""
CASES = CASES.replace("EACH", "json csv html tex md svg")
CASES = dict(line.split(": ", 1) for line in CASES.split("\n") if line)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """The working folder, with the inputs of all cases; benchmarks are tiny."""
    folder = tmp_path_factory.mktemp("golden")
    (folder / "reviews.vec").symlink_to(datapath("pang_lee_polarity_fasttext.vec"))
    for name in ("data", "workflow"):
        (folder / name).mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    written(folder / "one.txt", 1, {"nurse": 0.9, "pilot": 0.2, "clerk": 0.5}, 1500)
    written(folder / "two.txt", 2, {"nurse": 0.8, "pilot": 0.6, "clerk": 0.5}, 1200)
    rows = [(i, f"t{i % 20}", i % 3 % 2, "race" if i % 20 < 9 else "gender") for i in range(100)]
    first = pd.DataFrame(rows, columns=["item", "term", "decision", "domain"])
    second = first.assign(decision=(first["item"] % 5 > 0).astype(int))
    hired = {"label": [i // 3 % 2 for i in range(240)], "group": ["women", "men"] * 120}
    hired |= {"prediction": [i // 5 % 2 for i in range(240)]}
    items = {"item": range(24), "term": [f"t{i % 6}" for i in range(24)], "context": "it is BLANK"}
    items |= {word: [f"{word}{i}" for i in range(24)] for word in ("stereotype", "anti-stereotype")}
    tables = {"papers": records(), "a": first, "b": second, "hired": hired, "items": items}
    for name, rows in tables.items():
        pd.DataFrame(rows).to_csv(folder / f"{name}.csv", index=False)
    tiny_models.write(folder / "model", "gpt2", "causal")
    tiny_audit.random_model(folder, seed=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "100")
        patch.setattr("socialbias.measurement.reliability.HALVES", 20)
        patch.setattr("socialbias.commands.measure_vectors.DRAWS", 50)
        patch.setattr(
            "socialbias.commands.result.passports", lambda: dict.fromkeys(KNOWN, PASSPORT)
        )
        patch.setattr("socialbias.commands.reproduce.run_with_jobs", workflow)
        for module in (run, verify):
            patch.setattr(module, "Benchmarks", tiny_audit.Made)
        yield folder


def workflow(command, cwd, env):
    """Write a table as a run of the workflow would."""
    [path] = (part for part in command if part.endswith("own.json"))
    (made := (Path(cwd) / path).parent / "trustworthy").mkdir(exist_ok=True)
    row = {"row": "caliskan", "column": "a", "printed": ".505", "value": 0.1, "fidelity": "own"}
    pd.DataFrame([row | {"ci_low": 0, "ci_high": 0.2}]).to_csv(made / "table5.comparison.csv")
    (made / "table5.html").touch()
    return 0


def agree(name, text):
    """Compare a text with the one that is kept, or keep it."""
    path = KEPT / name
    if path.suffix == ".svg":  # the words, and where marks are
        marks = re.findall(r'<use .*x="(.*?)" y="(.*?)"', text)
        places = [f"{float(x):.0f}, {float(y):.0f}" for x, y in marks]
        text = "\n".join([*re.findall("<!-- (.*) -->", text), *places, ""])
    for pattern, mask in MASKS.items():
        text = re.sub(pattern, mask, text)
    if os.environ.get("GOLDEN"):
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8") == text, name


@pytest.mark.parametrize("case", CASES)
def test_what_is_printed_and_written_is_what_is_kept(inputs, case):
    command, _, files = CASES[case].partition(" > ")
    outputs = {name: f"{case}.{name}" for name in files.split() if name in ENDS}
    given = [*command.split(), *(part for path in outputs.values() for part in ("-o", path))]
    if "summary" in files:
        outputs["summary"] = f"{case}.summary.md"
        given += ["--summary", outputs["summary"]]
    told = CliRunner().invoke(cli, given)
    agree(f"{case}.txt", f"{told.output}exit status {told.exit_code}\n")
    for name in files.split():
        path = outputs.get(name, name)
        kept = path if name in outputs else f"{case}.{Path(name).name}"
        agree(kept, (inputs / path).read_text())
