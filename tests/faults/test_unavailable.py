"""What is kept of sources that no place gave."""

import pytest

from socialbias.errors import UserError
from socialbias.sources.fetch import fetch_or_link
from socialbias.sources.unavailable import (
    VARIABLE,
    UnavailableError,
    note_available,
    note_unavailable,
    read_unavailable,
    unavailable_sources,
)
from tests.worlds.servers import refusing


def test_a_source_that_no_place_gave_is_noted_until_it_comes(demo):
    demo.site.faults = [refusing(404)]
    with pytest.raises(UnavailableError):
        fetch_or_link(demo.source(), demo.places, demo.log.append)
    [(name, entry)] = read_unavailable(demo.places.data).items()
    assert name == "demo"
    assert "has no such file (404)" in entry["why"]
    fetch_or_link(demo.source(), demo.places, demo.log.append)
    assert read_unavailable(demo.places.data) == {}


def test_what_a_run_knew_at_its_start_holds_for_all_of_its_processes(tmp_path):
    note_unavailable(tmp_path, "a", "no connection")
    assert unavailable_sources(tmp_path, {}) == ("a",)
    assert unavailable_sources(tmp_path, {VARIABLE: ""}) == ()
    assert unavailable_sources(tmp_path, {VARIABLE: "b,c"}) == ("b", "c")
    note_available(tmp_path, "a", "never noted")
    assert unavailable_sources(tmp_path, {}) == ()


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": {"when": "today"}}'])
def test_a_damaged_file_is_one_line(tmp_path, text):
    (tmp_path / "unavailable.json").write_text(text)
    with pytest.raises(UserError, match=r"unavailable\.json is damaged: delete it"):
        read_unavailable(tmp_path)
