"""The output of a command: its result as JSON or as text."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import click

from harness.cli.brief import document_text
from harness.cli.terminal import colours, width
from stallscope.documents import Document

Result = TypeVar("Result", bound=Document)


def print_result(
    result: Result, lines: Callable[[Result, int], Iterable[str]], *, as_json: bool
) -> None:
    """Print a result; ``lines`` returns its text for a number of columns."""
    text = document_text(result) if as_json else "\n".join(lines(result, width()))
    click.echo(text, color=colours())
