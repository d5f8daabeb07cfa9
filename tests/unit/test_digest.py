import shutil
from pathlib import Path

import pytest

import socialbias
from socialbias.digest import code_digest

LIBRARY = {
    "__init__.py": "",
    "measures/__init__.py": '"""Measures."""',
    "measures/near.py": "SMALLEST = 1e-8\n",
    "measures/prior.py": (
        "from socialbias.measures.near import SMALLEST\n"
        'def measure(x):\n    """Doc."""\n    return 2 * x + SMALLEST\n'
    ),
    "measures/other.py": "def measure(x):\n    return 3 * x\n",
    "artefacts/__init__.py": "",
    "artefacts/page.py": "def write():\n    pass\n",
    "artefacts/page.html.j2": "<p>{{ number }}</p>\n",
    "artefacts/page.css": "p { color: red }\n",
    "artefacts/pager.css": "p { color: red }\n",
}
DIRECT = "from socialbias.measures.prior import measure\nmeasure(1)\n"
AS_MODULE = "from socialbias.measures import prior\nprior.measure(1)\n"
PLAIN = "import socialbias.measures.prior\n"
INSIDE = "def later():\n    from socialbias.measures.prior import measure\n    measure(1)\n"


@pytest.fixture
def digest(tmp_path):
    """The digest of a script beside a small library of which some files are changed.

    Each tree has a folder of its own: files are cached by path and time of change.
    """
    trees = iter(range(100))

    def of(script, **changes):
        folder = tmp_path / str(next(trees))
        files = LIBRARY | changes
        for name, text in files.items():
            path = folder / "socialbias" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (folder / "script.py").write_text(script)
        return code_digest(folder / "script.py", folder)

    return of


def change(name, old, new):
    """A keyword for `digest` that changes a file of the library."""
    assert old in LIBRARY[name]
    return {name: LIBRARY[name].replace(old, new)}


def test_digest_is_16_hexadecimal_digits_and_the_same_in_another_folder(digest):
    first = digest(DIRECT)
    assert len(first) == 16
    int(first, 16)
    assert digest(DIRECT) == first


@pytest.mark.parametrize(
    "script",
    [
        "# why\n" + DIRECT,
        '"""What it does."""\n\n\n' + DIRECT,
        DIRECT.replace("measure(1)", "measure(  1 )  # one"),
        DIRECT.replace("import measure", "import (\n    measure,\n)"),
    ],
    ids=["comment", "docstring", "spaces", "parentheses"],
)
def test_comments_docstrings_and_layout_of_a_script_do_not_count(digest, script):
    assert digest(script) == digest(DIRECT)


@pytest.mark.parametrize("doc", ["Another doc.", "Two\n\n    lines."])
def test_comments_docstrings_and_blank_lines_of_the_library_do_not_count(digest, doc):
    prior = LIBRARY["measures/prior.py"].replace("Doc.", doc).replace("def ", "\n\n# why\ndef ")
    assert digest(DIRECT, **{"measures/prior.py": prior}) == digest(DIRECT)


def test_a_string_that_is_no_docstring_counts(digest):
    assert digest("x = 'a'\n") != digest("x = 'b'\n")


def test_a_changed_script_has_another_digest(digest):
    assert digest(DIRECT) != digest(DIRECT.replace("(1)", "(2)"))


@pytest.mark.parametrize("script", [DIRECT, AS_MODULE, PLAIN, INSIDE])
def test_a_changed_number_in_a_measure_changes_the_digest_of_who_imports_it(digest, script):
    assert digest(script, **change("measures/prior.py", "2 *", "4 *")) != digest(script)


@pytest.mark.parametrize("script", [DIRECT, AS_MODULE, PLAIN, INSIDE])
def test_a_change_in_what_the_measure_imports_counts_too(digest, script):
    assert digest(script, **change("measures/near.py", "1e-8", "1e-9")) != digest(script)


@pytest.mark.parametrize("script", [DIRECT, AS_MODULE, PLAIN, INSIDE])
def test_a_change_in_what_a_script_does_not_import_does_not_count(digest, script):
    assert digest(script, **change("measures/other.py", "3 *", "4 *")) == digest(script)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("artefacts/page.html.j2", True),
        ("artefacts/page.css", True),
        ("artefacts/pager.css", False),
    ],
)
def test_a_template_or_style_sheet_beside_a_module_counts_for_that_module_only(
    digest, name, counts
):
    script = "from socialbias.artefacts.page import write\n"
    changed = digest(script, **{name: LIBRARY[name] + "more\n"})
    assert (changed != digest(script)) == counts
    assert digest(DIRECT, **{name: LIBRARY[name] + "more\n"}) == digest(DIRECT)


def test_two_modules_that_import_each_other_end(digest):
    near = "from socialbias.measures import prior\nSMALLEST = 1\n"
    assert digest(DIRECT, **{"measures/near.py": near}) != digest(DIRECT)


def test_a_public_name_of_the_package_leads_to_its_module(tmp_path):
    """`from socialbias import DivDist` reaches divdist.py though the package imports it lazily."""
    digests = []
    for folder, number in ((tmp_path / "a", "1.0"), (tmp_path / "b", "2.0")):
        package = Path(socialbias.__file__).parent
        shutil.copytree(
            package, folder / "socialbias", ignore=shutil.ignore_patterns("__pycache__")
        )
        module = folder / "socialbias" / "measures" / "divdist.py"
        text = module.read_text("utf-8")
        assert "1.0 / strengths" in text
        module.write_text(text.replace("1.0 / strengths", f"{number} / strengths"), "utf-8")
        script = folder / "script.py"
        script.write_text("from socialbias import DivDist\nDivDist()\n")
        digests.append(code_digest(script, folder))
    assert digests[0] != digests[1]


def test_a_module_that_is_looked_up_counts_with_what_it_imports(tmp_path):
    for name, text in LIBRARY.items():
        path = tmp_path / "socialbias" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    script = tmp_path / "script.py"
    script.write_text("print(1)\n")
    prior, other = "socialbias.measures.prior", "socialbias.measures.other"
    before = [code_digest(script, tmp_path, name) for name in (prior, other)]
    assert len({*before, code_digest(script, tmp_path)}) == 3
    near = tmp_path / "socialbias/measures/near.py"
    near.write_text("SMALLEST = 1e-6\n")
    after = [code_digest(script, tmp_path, name) for name in (prior, other)]
    assert after[0] != before[0]
    assert after[1] == before[1]
