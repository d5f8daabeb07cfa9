"""When a line of progress is due, and the time that it estimates."""

import pytest

from socialbias.system import progress


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_a_line_is_due_after_five_seconds_and_then_every_ten(clock):
    pace, due = progress.Pace(print), []
    for clock[0] in range(30):
        due += [clock[0]] * pace.due()
    assert due == [5, 15, 25]
    assert pace.left(29, 58) == "0:29 left"
    assert progress.time_left(60, 1, 3) == "2:00 left"


def test_nothing_is_due_without_a_reader(clock):
    pace = progress.Pace(None)
    clock[0] = 100
    assert not pace.due()
    assert pace.log is None
