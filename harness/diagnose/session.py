"""A run of `stallscope diagnose`: records, analyzes, writes the page and prints the findings."""

import resource
import sys
from pathlib import Path

import click

from harness.cli.brief import document_text
from harness.cli.outputs import check_place
from harness.cli.target_status import exit_code, explain
from harness.cli.terminal import colours, width
from harness.diagnose.build import diagnose_result
from harness.diagnose.cpu_functions import cpu_functions
from harness.diagnose.options import DiagnoseOptions
from harness.diagnose.result import DiagnoseResult
from harness.diagnose.text import lines
from harness.profile.recorder import interrupted_once, record
from harness.waits.page_place import page_path
from harness.waits.result import WaitsResult
from harness.waits.session import result_with_page
from stallscope.collector import CollectorOptions
from stallscope.errors import ExitCode
from stallscope.recordings import Recording, open_recording


def run_diagnose(options: DiagnoseOptions) -> int:
    """Return the exit code after the findings of a target or a recording were printed."""
    if options.collector is None:
        assert options.recording is not None
        recording = open_recording(options.recording)
        check_place(options.page or page_path(recording))
        show(_diagnose(recording, options.page), as_json=options.as_json)
        return int(ExitCode.DONE)
    with interrupted_once(options.collector):
        before_s = _children_s()
        recording, end = record(options.collector, sys.stderr if options.as_json else None)
        recorder_s = _children_s() - before_s
        result = _diagnose(recording, None, options.collector, recorder_s)
    show(result, as_json=options.as_json)
    assert recording.manifest is not None
    explain(recording.manifest, end)
    return exit_code(recording.manifest, end)


def _children_s() -> float:
    """Return the CPU time of processes that have ended: the collector, and its command if any."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _diagnose(
    recording: Recording,
    page: Path | None,
    collector: CollectorOptions | None = None,
    recorder_s: float = 0.0,
) -> DiagnoseResult:
    waits = result_with_page(recording, output=page)
    overhead = None
    if collector is not None:
        overhead = overhead_share(waits, recorder_s, with_command=bool(collector.command))
    return diagnose_result(waits, cpu_functions(recording), overhead)


def overhead_share(waits: WaitsResult, recorder_s: float, *, with_command: bool) -> float | None:
    """Return the recorder's CPU time per CPU time of the target; None if the target did not run.

    ``with_command``: the collector started the target, so its time includes that of the target.
    """
    target_s = sum(thread.run_ns or 0 for thread in waits.threads) / 1e9
    if not target_s:
        return None
    return max(0.0, recorder_s - (target_s if with_command else 0.0)) / target_s


def show(result: DiagnoseResult, *, as_json: bool) -> None:
    """Print the findings, or the result as one line of JSON."""
    if as_json:
        click.echo(document_text(result))
        return
    for line in lines(result, width()):
        click.echo(line, color=colours())
