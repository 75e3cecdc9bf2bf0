"""Several options as one decorator of commands."""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

Command = TypeVar("Command", bound=Callable[..., Any])


class Option(Protocol):
    """A decorator that adds options to a command."""

    def __call__(self, command: Command, /) -> Command:
        """Return the command with the options."""


def option_group(*options: Option) -> Option:
    """Return one decorator for several options; the help lists them in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
