"""One `stallscope load`: the directory, the run with its live line, the manifest, the page."""

import json
import time
from pathlib import Path

import click

from cstates.fingerprint import Fingerprint
from harness.cli.terminal import LiveLine, colours, note, printable, report_command, width
from harness.load.recording import make_directory, write_manifest
from harness.load.report import write_load_page
from harness.load.text import result_lines, second_line
from harness.recordings.directory import forget_unbegun
from harness.recordings.settings_text import settings_lines, settings_now, settings_since
from harness.workload.loader import run_load
from harness.workload.options import LoadOptions
from harness.workload.results import SCHEMA, LoadResult
from stallscope.errors import ExitCode


def run_session(options: LoadOptions, *, force: bool, as_json: bool) -> int:
    """Return the exit code, once the load has run, its page is written and its numbers printed."""
    make_directory(options.output, force=force)
    before = settings_now()
    begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    write_manifest(options, begin_ns, None)
    line = LiveLine()
    line.show(f"load: warming up for {options.warmup_s:g} s")
    try:
        result, _ = run_load(options, lambda second: line.show(second_line(second, options)))
    except BaseException:
        forget_unbegun(options.output)
        raise
    finally:
        line.clear()
    settings = settings_since(before)
    write_manifest(options, begin_ns, result, settings)
    page = write_load_page(options.output)
    if as_json:
        click.echo(
            json.dumps(load_document(result, settings, options.output, page), allow_nan=False)
        )
    else:
        told = [*result_lines(result, width()), *settings_lines(settings, width())]
        click.echo("\n".join(told), color=colours())
        click.echo(f"\nrecording  {printable(str(options.output))}")
        click.echo(f"page       {printable(str(page))}")
        note(f"see it again with: {report_command(options.output)}")
    return int(ExitCode.DONE)


def load_document(
    result: LoadResult, settings: Fingerprint | None, recording: Path, page: Path | None
) -> dict[str, object]:
    """Return the document of a load, schema ``stallscope.load/1``: the loader's, and places."""
    document = {name: value for name, value in result.document.items() if name != "event"}
    document |= {
        "schema": SCHEMA,
        "settings": settings and settings.document(),
        "recording": str(recording),
        "report": None if page is None else str(page),
    }
    return document
