"""Values of click options, as a command with only these options parses them."""

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def parsed(option: Decorator, *words: str) -> dict[str, Any]:
    """Return the values by name; click.UsageError if the words are refused."""

    def ignore(**values: object) -> None:
        del values

    command = click.command()(option(ignore))
    return command.make_context("command", list(words)).params
