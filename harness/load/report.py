"""`stallscope report` of a load: its page and its numbers."""

import json
from pathlib import Path

import click

from harness.cli.outputs import write_whole
from harness.cli.terminal import colours, printable, width
from harness.load.page import render_latency_page
from harness.load.recording import LoadRecording, read_load
from harness.load.text import rate_text, result_lines
from harness.page.latency_panel import Series
from harness.recordings.host_facts import host_facts
from harness.recordings.settings_text import settings_facts, settings_lines
from stallscope.recordings import MANIFEST, Recording, read_manifest

_NAMES = {
    "latency": "latency, from the intended start",
    "service": "service time, from sending",
    "send lag": "send lag",
}


def write_load_page(directory: Path, output: Path | None = None) -> Path:
    """Return the path of a load's page, written whole; the default is RUN/report.html."""
    found = read_load(directory)
    manifest = read_manifest(directory / MANIFEST)
    facts = {label: text for label, text in host_facts(manifest).items() if text}
    page = output or directory / "report.html"
    write_whole(
        page,
        [
            render_latency_page(
                [
                    Series(_NAMES[what], log, counts_requests=what == "latency")
                    for what, log in found.logs.items()
                ],
                title=f"Load on {manifest.target.command[-1] if manifest.target.command else '?'}",
                recording_name=directory.resolve().name,
                facts=facts | _facts(found),
            )
        ],
    )
    return page


def report_load(
    recording: Recording, *, output: Path | None, with_page: bool, as_json: bool
) -> None:
    """Write the page of a load's recording, and print its numbers."""
    from harness.load.session import load_document  # noqa: PLC0415 - it uses this module

    found = read_load(recording.path)
    page = write_load_page(recording.path, output) if with_page else None
    document = load_document(found.result, found.settings, recording.path, page)
    if as_json:
        click.echo(json.dumps(document, allow_nan=False))
        return
    told = [*result_lines(found.result, width()), *settings_lines(found.settings, width())]
    click.echo("\n".join(told), color=colours())
    click.echo(f"\nrecording  {printable(str(recording.path))}")
    if page is not None:
        click.echo(f"page       {printable(str(page))}")


def _facts(found: LoadRecording) -> dict[str, str]:
    result = found.result
    asked = "closed loop" if result.rate_asked is None else f"asked {result.rate_asked:,.0f}/s"
    facts = {
        "rate": f"achieved {rate_text(result.rate_achieved)}, {asked}",
        "requests": f"{result.requests:,}, of which {result.errors:,} were answered by errors",
    }
    if result.limited_by_loader:
        facts["limit"] = f"the loader itself: {result.why}"
    return facts | settings_facts(found.settings)
