"""`stallscope doctor`: says what this machine can measure, and how to allow more."""

import json
from pathlib import Path

import click

EXAMPLES = """\b
Examples:
  stallscope doctor
  stallscope doctor --json | jq -r '.checks[] | select(.status != "available") | .remedy'
  sudo stallscope doctor                                (what root may measure)
  stallscope doctor --proc-root box/proc --sysfs-root box/sys      (a recorded machine)
"""
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(epilog=EXAMPLES)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
@click.option(
    "--proc-root",
    type=FOLDER,
    default=Path("/proc"),
    help="Look at a recorded machine's /proc; other files are sought beside it.",
)
@click.option(
    "--sysfs-root", type=FOLDER, default=Path("/sys"), help="Look at a recorded machine's /sys."
)
def command(as_json: bool, proc_root: Path, sysfs_root: Path) -> None:
    """Show what this machine can measure, and how to allow more.

    Every line is available, limited or unavailable to this user, with the remedy. Nothing is
    changed: events are opened for trial and closed at once.
    """
    from harness.cli.terminal import colours, width  # noqa: PLC0415
    from harness.doctor.checks import run_checks  # noqa: PLC0415 - start-up stays light
    from harness.doctor.text import closing_lines, document, lines  # noqa: PLC0415
    from harness.machine_checks.machine import gather  # noqa: PLC0415
    from stallscope.programs import FOLDER as PROGRAMS  # noqa: PLC0415
    from stallscope.system_files import Roots  # noqa: PLC0415

    files = Path("/") if proc_root == Path("/proc") else proc_root.parent
    machine = gather(Roots(proc_root, sysfs_root, files), PROGRAMS / "stallscope-collect")
    checks = run_checks(machine)
    if as_json:
        click.echo(json.dumps(document(checks)))
        return
    for line in [*lines(checks, width()), "", *closing_lines(checks)]:
        click.echo(line, color=colours())
