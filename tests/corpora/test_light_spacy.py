import subprocess
import sys


def loaded(code, *modules):
    """Which of some modules are there when other code has run, in a Python of its own."""
    shown = f"import sys; print(*[m for m in {modules} if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", f"{code}\n{shown}"], capture_output=True, text=True, check=True
    )
    return result.stdout.split()


def test_spacy_comes_without_torch_which_can_be_imported_afterwards():
    spacy = "from socialbias.corpora.light_spacy import English; English()"
    assert loaded(spacy, "spacy", "torch") == ["spacy"]
    assert loaded(f"{spacy}\nimport torch; torch.zeros(1)", "torch") == ["torch"]


def test_spacy_comes_without_its_commands_which_can_be_imported_afterwards():
    spacy = "from socialbias.corpora.light_spacy import English; English()"
    assert loaded(spacy, "spacy", "spacy.cli") == ["spacy"]
    later = f"{spacy}\nimport spacy.cli; assert spacy.cli.download"
    assert loaded(later, "spacy.cli.info") == ["spacy.cli.info"]


def test_torch_that_is_there_already_stays():
    assert loaded("import torch\nimport socialbias.corpora.light_spacy", "torch") == ["torch"]


def test_text_that_is_cut_at_blanks_needs_no_spacy(tmp_path):
    code = f"""
from pathlib import Path
from socialbias.corpora.documents import Document
from socialbias.corpora.prepare import prepare
report = prepare([Document("1", "a b . c , d !")], Path({str(tmp_path)!r}), tokenizer="whitespace")
assert (report["tokens"], report["sentences"]) == (7, 2)
"""
    assert loaded(code, "spacy") == []
