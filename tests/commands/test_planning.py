"""`power`, as a function and as a command."""

import pytest
from click.testing import CliRunner

import socialbias
from socialbias.commands.cli import cli
from socialbias.commands.power import DESIGNS
from socialbias.errors import UserError


@pytest.mark.parametrize("measure", DESIGNS)
def test_what_is_needed_reaches_80_percent_whichever_way_the_bias_goes(measure):
    bias = {"stereotype-score": 4.0, "decisions": 0.04, "direction": 2.5}
    bias = bias.get(measure, 2.5 if measure == "spread" else 0.3)
    found = socialbias.power(measure, bias)
    assert found.power[int(found.needed)] >= 0.8
    assert found.needed == socialbias.power(measure, -bias).needed
    assert socialbias.power(measure, 0.7 * bias).needed >= found.needed


def test_the_power_of_given_numbers_is_told():
    found = socialbias.power("weat", 1.0, n=[5, 8])
    assert list(found.power) == [5, 8]
    assert found.power[5] < found.power[8]
    assert "power 0.71" in str(found)


@pytest.mark.parametrize(
    ("measure", "bias", "n", "message"),
    [
        ("spraed", 0.3, (), "did you mean 'spread'"),
        ("text", 0.7, (), "bias: must be a number between -0.499 and 0.499 other than 0, not 0.7"),
        ("text", 0.0, (), "other than 0, not 0"),
        ("spread", float("nan"), (), "bias: must be a number other than 0"),
        ("order", 0.3, (4,), "n: must be from 5 to 1,000,000 targets, not 4"),
    ],
)
def test_errors_are_one_line(measure, bias, n, message):
    with pytest.raises(UserError, match=message):
        socialbias.power(measure, bias, n)
    given = [part for count in n for part in ("--n", str(count))]
    result = CliRunner().invoke(cli, ["power", measure, "--bias", str(bias), *given])
    assert result.exit_code == 1
    assert len(result.output.strip().splitlines()) == 1
