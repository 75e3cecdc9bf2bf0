"""Numbers on the command line: finite, and within a range."""

import math
from collections.abc import Sequence
from typing import Any

import click

from harness.cli.option_group import Option
from harness.cli.quantity_options import parse_seconds
from harness.cli.renamed_option import RenamedOption


class NumberRange(click.FloatRange):
    """A finite number in a range. NaN, which click accepts in any range, is refused."""

    name = "number"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Return the number; click.BadParameter if it is not one."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


class SecondsRange(NumberRange):
    """A time in seconds in a range, or with a unit: 30, 30s, 2m, 500ms."""

    name = "time"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Return the seconds; click.BadParameter if the value is not a time."""
        seconds = parse_seconds(value) if isinstance(value, str) else None
        return super().convert(value if seconds is None else seconds, param, ctx)


class ShareRange(NumberRange):
    """A share in a range, as 0.05 or 5%."""

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Return the share; click.BadParameter if the value is not a share."""
        text = str(value).strip()
        if not text.endswith("%"):
            return super().convert(value, param, ctx)
        try:
            share = float(text[:-1]) / 100
        except ValueError:
            self.fail(f"{value!r} is not a share such as 0.05 or 5%.", param, ctx)
        return super().convert(share, param, ctx)


def count_option(
    *names: str, minimum: int = 0, maximum: int | None = None, default: int | None = None, text: str
) -> Option:
    """Return an option for a whole number in an inclusive range; a default is shown."""
    return click.option(
        *names,
        type=click.IntRange(minimum, maximum),
        default=default,
        show_default=default is not None,
        metavar="N",
        help=text,
    )


def number_option(
    *names: str,
    minimum: float,
    default: float,
    unit: str,
    text: str,
    maximum: float | None = None,
    former: Sequence[str] = (),
) -> Option:
    """Return an option for a number in an inclusive range, with a default and former names."""
    return click.option(
        *names,
        cls=RenamedOption,
        former=former,
        type=(SecondsRange if unit == "S" else NumberRange)(minimum, maximum),
        default=default,
        show_default=True,
        metavar=unit,
        help=text,
    )
