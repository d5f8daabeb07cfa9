import pytest

from socialbias.pipeline.digest import code_digest, reached

LIBRARY = {
    "__init__.py": "",
    "measures/__init__.py": '"""Measures."""',
    "measures/near.py": "SMALLEST = 1e-8\n",
    "measures/prior.py": (
        "from socialbias.measures.near import SMALLEST\n"
        'def measure(x):\n    """Doc."""\n    return 2 * x + SMALLEST\n'
    ),
    "measures/other.py": "def measure(x):\n    return 3 * x\n",
    "measures/several.py": (
        "from typing import TYPE_CHECKING\n"
        "from socialbias.measures import other, prior\n"
        "if TYPE_CHECKING:\n    from socialbias.reporting.page import write\n"
        "TABLE = {1: prior.measure}\n"
        "TABLE[2] = other.measure\n"
        "LIMIT = 3\n"
        "class Measure:\n    limit: LIMIT = 4\n    def run(self, x: TABLE):\n"
        "        return x + self.limit\n"
        "def both(x):\n    return [f(x) for f in TABLE.values()]\n"
        "def one(x: Measure) -> LIMIT:\n    return x\n"
        "if __name__ == '__main__':\n    print(both(1))\n"
    ),
    "measures/looked_up.py": "NAME = 'socialbias.measures.prior:measure'\n",
    "reporting/__init__.py": "",
    "reporting/page.py": "def write():\n    pass\n",
    "reporting/page.html.j2": "<p>{{ number }}</p>\n",
    "reporting/page.css": "p { color: red }\n",
    "reporting/pager.css": "p { color: red }\n",
}
DIRECT = "from socialbias.measures.prior import measure\nmeasure(1)\n"
AS_MODULE = "from socialbias.measures import prior\nprior.measure(1)\n"
PLAIN = "import socialbias.measures.prior\nsocialbias.measures.prior.measure(1)\n"
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
        return code_digest(folder, folder / "script.py")

    return of


def change(name, old, new):
    """A keyword for `digest` that changes a file of the library."""
    assert old in LIBRARY[name]
    return {name: LIBRARY[name].replace(old, new)}


@pytest.mark.parametrize(
    ("script", "counts"),
    [
        ("# why\n" + DIRECT, False),
        ('"""What it does."""\n\n\n' + DIRECT, False),
        (DIRECT.replace("measure(1)", "measure(  1 )  # one"), False),
        (DIRECT.replace("import measure", "import (\n    measure,\n)"), False),
        (DIRECT.replace("(1)", "('one')"), True),
        (DIRECT.replace("(1)", "(2)"), True),
    ],
)
def test_comments_docstrings_and_layout_of_a_script_do_not_count(digest, script, counts):
    assert (digest(script) != digest(DIRECT)) == counts


@pytest.mark.parametrize("script", [DIRECT, AS_MODULE, PLAIN, INSIDE])
def test_an_edit_counts_for_who_imports_it_directly_or_not(digest, script):
    for name, old, new, counts in (
        ("measures/prior.py", "2 *", "4 *", True),
        ("measures/near.py", "1e-8", "1e-9", True),
        ("measures/other.py", "3 *", "4 *", False),
    ):
        assert (digest(script, **change(name, old, new)) != digest(script)) == counts, name


SEVERAL = "measures/several.py"
ONE = "from socialbias.measures.several import one\none(1)\n"
BOTH = "from socialbias.measures import several\nseveral.both(1)\n"
CLASS = "from socialbias.measures.several import Measure\nMeasure().run(1)\n"


@pytest.mark.parametrize(
    ("old", "new", "who"),
    [
        ("return x\n", "return -x\n", {ONE}),
        ("LIMIT = 3", "LIMIT = 4", set()),  # in annotations alone
        ("TABLE[2] = other.measure", "TABLE[2] = prior.measure", {BOTH}),
        ("for f in TABLE", "for f in sorted(TABLE)", {BOTH}),
        ("x + self.limit", "x - self.limit", {CLASS}),
        ("limit: LIMIT = 4", "limit: LIMIT = 5", {CLASS}),
        ("x: TABLE", "x: int", set()),
        ("print(both(1))", "print(both(2))", set()),
        ("    from socialbias.reporting.page", "    from socialbias.measures.other", set()),
    ],
)
def test_of_a_module_only_the_definitions_that_are_reached_count(digest, old, new, who):
    changed = change(SEVERAL, old, new)
    assert {s for s in (ONE, BOTH, CLASS) if digest(s, **changed) != digest(s)} == who


def test_two_modules_may_import_each_other_and_one_may_be_handed_on_or_be_named(digest):
    near = "from socialbias.measures import prior\nSMALLEST = 1\n"
    assert digest(DIRECT, **{"measures/near.py": near}) != digest(DIRECT)
    text = {SEVERAL: LIBRARY[SEVERAL] + "print('imported')\n"}
    for script in (ONE, BOTH, CLASS):
        assert digest(script, **text) != digest(script)
    script = "from socialbias.measures import several\nprint(several)\n"
    assert digest(script, **change(SEVERAL, "return x\n", "return -x\n")) != digest(script)
    script = "from socialbias.measures.looked_up import NAME\nprint(NAME)\n"
    assert digest(script, **change("measures/prior.py", "2 *", "4 *")) != digest(script)


RAISING = """
def made(x, say):
    if x < 0:
        raise ValueError(f"{x!r} is below 0, as {LEAST} says: take another"[:80])
    say(f"{x:.2f} is made", "now")
    print("made", x, file=sys.stderr)
    print("x", x, file=OUTPUT)
    return made_of(x, "column") + 1
LEAST = 0
"""


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("is below 0, as", "is negative", False),
        (": take another", "", False),
        ("80", "90", False),
        ("!r} is", "} is", True),
        ("{LEAST} says", "{x} says", True),
        ("ValueError", "KeyError", True),
        ("x < 0", "x < 1", True),
        (" is made", " has been made", False),
        (".2f", ".3f", False),
        ('"now"', '"then"', False),
        ('"made", x', '"ready", x', False),
        ('"x", x', '"y", x', True),
        ('"column"', '"row"', True),
        ("LEAST = 0", "LEAST = 1", True),
    ],
)
def test_the_wording_of_errors_and_logs_does_not_count(digest, old, new, counts):
    script = "from socialbias.measures.prior import made\nmade(1, print)\n"
    assert RAISING.count(old) == 1
    before, after = ({"measures/prior.py": each} for each in (RAISING, RAISING.replace(old, new)))
    assert (digest(script, **before) != digest(script, **after)) == counts


def test_a_function_can_be_named_instead_of_a_script(digest, tmp_path):
    digest("")
    found = reached(tmp_path / "0", "socialbias.measures.several:both")
    assert {name for _, name in found if name} == {"both", "TABLE", "measure", "SMALLEST"}
    with pytest.raises(LookupError, match=r"no function socialbias\.measures\.several:none"):
        code_digest(tmp_path / "0", "socialbias.measures.several:none")


@pytest.mark.parametrize(
    ("old", "new"), [("x[1:]", "x[:1]"), ("x[:1]", "x[1]"), ("not x", "-x"), ("x < 1", "x > 1")]
)
def test_expressions_that_differ_in_shape_alone_are_told_apart(digest, old, new):
    assert digest(f"x = [1]\ny = {old}\n") != digest(f"x = [1]\ny = {new}\n")
