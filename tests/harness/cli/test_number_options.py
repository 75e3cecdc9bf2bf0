"""Numbers on the command line are finite in every range."""

import click
import pytest

from harness.cli.command_line import main
from harness.cli.number_options import NumberRange, SecondsRange, ShareRange


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-inf", "1e999"])
def test_a_number_that_is_not_finite_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        NumberRange(min=0).convert(text, None, None)


def test_a_number_in_the_range_is_returned() -> None:
    assert NumberRange(0, 3).convert("1.5", None, None) == 1.5
    with pytest.raises(click.BadParameter):
        NumberRange(0, 3).convert("4", None, None)


def test_seconds_may_have_a_unit() -> None:
    time = SecondsRange(0.1, 3600)
    times = [time.convert(text, None, None) for text in ("30", "30s", "2m", "500ms", 5.0)]
    assert times == [30, 30, 120, 0.5, 5]
    for text in ("30x", "-1s", "nan", "2h", ""):
        with pytest.raises(click.BadParameter):
            time.convert(text, None, None)


def test_a_share_may_be_in_percent() -> None:
    share = ShareRange(0.001, 1)
    assert [share.convert(text, None, None) for text in ("0.05", "5%", "100 %")] == [0.05, 0.05, 1]
    for text in ("101%", "x%", "nan%", "%"):
        with pytest.raises(click.BadParameter):
            share.convert(text, None, None)


@pytest.mark.parametrize(
    "words",
    [
        ("cstates", "show", "--interval", "nan"),
        ("cstates", "record", "--duration", "nan"),
        ("cstates", "latency", "--seconds", "nan"),
        ("cstates", "compare", "--load", "--rate", "nan"),
        ("io", "probe", ".", "--duration", "nan"),
        ("io", "curve", ".", "--warmup", "nan"),
        ("io", "mix", ".", "--duration", "nan"),
        ("io", "queue", ".", "--interval", "nan"),
        ("io", "watch", "--duration", "nan"),
        ("load", "127.0.0.1:1", "--rate", "nan"),
        ("lab", "stages", "--duration", "nan"),
    ],
)
def test_commands_reject_numbers_that_are_not_finite(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(list(words)) == 2
    assert "is not a finite number" in capsys.readouterr().err
