"""`stallscope report` of a recording of idle intervals: its page and its summary."""

from pathlib import Path

import click
from msgspec import structs

from harness.cli.brief import document_text
from harness.cli.terminal import printable, width
from harness.cstates.record.files import PAGE, read_result
from harness.cstates.record.panel import write_idle_page
from harness.cstates.record.text import lines
from stallscope.recordings import Recording


def report_idle(
    recording: Recording, *, output: Path | None, with_page: bool, as_json: bool
) -> None:
    """Write the page of a recording of idle intervals, and print its summary."""
    result = read_result(recording.path)
    page = output or recording.path / PAGE
    if with_page:
        write_idle_page(page, recording.path, result)
    if as_json:
        paths = {"recording": str(recording.path), "report": str(page) if with_page else None}
        click.echo(document_text(structs.replace(result, **paths)))
        return
    click.echo("\n".join(lines(result, width())))
    click.echo(f"\nrecording  {printable(str(recording.path))}")
    if with_page:
        click.echo(f"page       {printable(str(page))}")
