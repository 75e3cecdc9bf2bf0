"""A run of `stallscope load`: recording, live line, page, output."""

import time
from pathlib import Path

import click
from msgspec import structs

from cstates.fingerprint import Fingerprint
from harness.cli.brief import document_text
from harness.cli.outputs import write_whole
from harness.cli.terminal import LiveLine, colours, note, printable, report_command, width
from harness.load.options import LoadCommandOptions
from harness.load.panel import write_page
from harness.load.recording import make_directory, read_load, write_manifest
from harness.load.text import lines, second_line
from harness.recordings.directory import remove_empty
from harness.recordings.settings_text import settings_lines, settings_now, settings_since
from harness.workload.loader import run_load
from harness.workload.results import LoadResult
from stallscope.errors import ExitCode


def run_load_command(options: LoadCommandOptions, *, as_json: bool) -> int:
    """Return the exit code after the load has run, its page is written and its result printed."""
    load = options.load
    make_directory(load.output, force=options.force)
    before = settings_now()
    begin_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    write_manifest(load, begin_ns, None)
    live = LiveLine()
    live.show(f"load: warming up for {load.warmup_s:g} s")
    try:
        result, _ = run_load(
            load,
            lambda second: live.show(
                second_line(second), done=second.time_s, whole=load.duration_s
            ),
        )
    except BaseException:
        remove_empty(load.output)
        raise
    finally:
        live.clear()
    settings = settings_since(before)
    write_manifest(load, begin_ns, result, settings)
    page = write_page(load.output)
    show_result(result, settings, load.output, page, as_json=as_json)
    if not as_json:
        note(f"to see it again: {report_command(load.output)}")
    _write_pictures(options)
    return int(ExitCode.DONE)


def show_result(
    result: LoadResult,
    settings: Fingerprint | None,
    recording: Path,
    page: Path | None,
    *,
    as_json: bool,
) -> None:
    """Print a result as JSON or as text, with the machine's settings and the paths."""
    if as_json:
        report = None if page is None else str(page)
        printed = structs.replace(
            result, settings=settings, recording=str(recording), report=report
        )
        click.echo(document_text(printed))
        return
    output = [*lines(result, width()), *settings_lines(settings, width())]
    click.echo("\n".join(output), color=colours())
    click.echo(f"\nrecording  {printable(str(recording))}")
    if page is not None:
        click.echo(f"page       {printable(str(page))}")


def _write_pictures(options: LoadCommandOptions) -> None:
    for path in options.pictures:
        from harness.load.picture import load_picture  # noqa: PLC0415 - loads matplotlib

        recording = read_load(options.load.output)
        write_whole(path, [load_picture(recording, path.suffix.lower().lstrip("."))])
        note(f"wrote {path}")
