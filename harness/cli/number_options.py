"""Numbers on the command line: within a range, and never "nan", which lies in every range."""

import math
from collections.abc import Callable
from typing import Any

import click


class Number(click.FloatRange):
    """A finite number in a range; what is none is refused as any other wrong number."""

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Return the number; click's BadParameter otherwise."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is no finite number.", param, ctx)
        return number


def number_option(
    *names: str, least: float, default: float, unit: str, text: str, most: float | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return an option of a number within a range, bounds among it, which has a default."""
    return click.option(
        *names,
        type=Number(least, most),
        default=default,
        show_default=True,
        metavar=unit,
        help=text,
    )
