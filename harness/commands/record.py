"""`stallscope record`: make a recording."""

from typing import Any

import click

from harness.cli.json_option import json_option
from harness.cli.recording_options import collector_options, target_options
from harness.cli.terminal import note, printable, report_command

EXAMPLES = """\b
Examples:
  stallscope record -p 4711 --duration 30 -o slow-query
  stallscope record -F 99 -a --duration 60
  stallscope record -G system.slice/nginx.service
  stallscope record -- make -j8
"""


@click.command(epilog=EXAMPLES)
@target_options
@json_option
def command(as_json: bool, **values: Any) -> int:
    """Record a process, command, CPUs or cgroup.

    The recording is a directory. Show it with `stallscope report`, or with `perf report
    --no-inline -i DIR/samples.perf`. Ctrl-C ends the measurement and keeps the samples.
    """
    from harness.cli.target_status import exit_code, explain  # noqa: PLC0415
    from harness.profile.group_recorder import record_group  # noqa: PLC0415
    from harness.profile.recorder import interrupted_once  # noqa: PLC0415 - start-up stays light
    from harness.profile.result import RecordResult  # noqa: PLC0415
    from stallscope.documents import encode  # noqa: PLC0415

    options = collector_options(values)
    with interrupted_once(options):
        recording, end = record_group(
            options, slots=values["slots"], as_json=as_json, print_warnings=True
        )
    manifest = recording.manifest
    assert manifest is not None
    if as_json:
        result = RecordResult(
            recording=str(recording.path),
            samples=manifest.samples,
            lost=manifest.lost_samples,
            complete=manifest.complete,
            end=manifest.end_reason,
            target_status=manifest.target_status or None,
        )
        click.echo(encode(result))
    else:
        click.echo(
            f"{manifest.samples:,} samples of {printable(manifest.source.event)}, "
            f"{manifest.lost_samples:,} lost, in {printable(str(recording.path))}"
        )
        note(f"show it with: {report_command(recording.path)}")
    explain(manifest, end)
    return exit_code(manifest, end)
