"""A run of `stallscope lab diagnose`: rows are printed as they are known."""

import time
from collections.abc import Iterator

import click

from harness.cli.brief import document_text
from harness.cli.terminal import LiveLine, colours, width
from harness.labs.diagnose.entries import NOT_SHOWN, REPLAYED, Entry, entries
from harness.labs.diagnose.kept import kept_runs
from harness.labs.diagnose.measurement import measure_entry
from harness.labs.diagnose.options import DiagnoseLabOptions
from harness.labs.diagnose.replayed import replayed_entries, replayed_result
from harness.labs.diagnose.result import DiagnoseLabResult, EntryResult
from harness.labs.diagnose.scoring import calibration, scored
from harness.labs.diagnose.text import closing_lines, heading, row_line
from harness.recordings.settings_text import settings_now, settings_since
from stallscope.errors import ExitCode, UsageError


def chosen_entries(names: tuple[str, ...]) -> tuple[Entry, ...]:
    """Return the entries with these names or causes, all without names; raises UsageError."""
    rows = (*entries(), *replayed_entries())
    known = {word for row in rows for word in (row.name, row.cause) if word}
    for name in names:
        if name not in known:
            raise UsageError(f"unknown entry {name!r}", f"known: {', '.join(sorted(known))}")
    return tuple(row for row in rows if not names or {row.name, row.cause} & set(names))


def run_diagnose_lab(options: DiagnoseLabOptions) -> int:
    """Return the exit code after the entries were run and printed.

    After Ctrl-C the finished entries are printed as well.
    """
    rows = chosen_entries(options.names)
    before = settings_now()
    results: list[EntryResult] = []
    if not options.as_json:
        click.echo(heading())
    try:
        for result in _results(rows, options):
            results.append(result)
            if not options.as_json:
                click.echo(row_line(result), color=colours())
    finally:
        document = DiagnoseLabResult(
            settings=settings_since(before),
            duration_s=options.duration_s,
            runs=options.runs,
            entries=tuple(results),
            calibration=calibration(results),
            calibration_of_all=calibration(results, disturbed=True),
        )
        if options.as_json:
            click.echo(document_text(document))
        else:
            click.echo("\n".join(closing_lines(document, width())), color=colours())
    return int(ExitCode.FINDING if options.gate and not document.passed else ExitCode.DONE)


def _results(rows: tuple[Entry, ...], options: DiagnoseLabOptions) -> Iterator[EntryResult]:
    live, began_s = LiveLine(), time.monotonic()
    try:
        for number, entry in enumerate(rows):
            if entry.kind in (REPLAYED, NOT_SHOWN):
                yield replayed_result(entry) if entry.kind == REPLAYED else scored(entry, ())
                continue
            if options.recorded is not None:
                live.show(entry.name, done=number, whole=len(rows))
                if runs := list(kept_runs(options.recorded, entry)):
                    live.clear()
                    yield scored(entry, runs)
                continue
            runs = []
            for run in range(options.runs):
                left_s = (time.monotonic() - began_s) / max(1, number) * (len(rows) - number)
                left = f", {left_s:.0f} s left" if number else ""
                live.show(
                    f"{entry.name}, run {run + 1} of {options.runs}{left}",
                    done=number + run / options.runs,
                    whole=len(rows),
                )
                keep = None if options.keep is None else options.keep / entry.name / f"{run + 1:03}"
                runs += measure_entry(entry, options.duration_s, keep)
            live.clear()
            yield scored(entry, runs)
    finally:
        live.clear()
