"""Python lists as strings."""

import pytest

from socialbias.datasets import parsing
from socialbias.errors import UserError


def test_literal_lists():
    assert parsing.literal_list("['a', \"it's\", 'naïve']", "x") == ["a", "it's", "naïve"]
    assert parsing.literal_list("[['a'], [], ['b', 'c']]", "x") == [["a"], [], ["b", "c"]]
    assert parsing.literal_list("[]", "x") == []


@pytest.mark.parametrize(
    "text",
    [
        "('a',)", "{'a'}", "'a'", "[None]", "[{}]", "[('a',)]", "[b'a']", "['a'", "", "nan",
        "[__import__('os').mkdir('it-ran')]", "[open('it-ran', 'w')]", "[[[[['too deep']]]]]",
        "[" * 2000, "['" + "x" * 1_000_001 + "']", "[" + "-" * 50_000 + "1]",
    ],
)  # fmt: skip
def test_what_is_no_list_of_strings_is_refused(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"^here: ") as caught:
        parsing.literal_list(text, "here")
    assert len(str(caught.value)) < 120
    assert not list(tmp_path.iterdir())
