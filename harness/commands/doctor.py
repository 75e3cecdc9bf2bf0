"""`stallscope doctor`: shows what this machine can measure, and how to enable more."""

from pathlib import Path

import click

from harness.cli.json_option import json_option
from harness.cli.machine_options import roots_options

EXAMPLES = """\b
Examples:
  stallscope doctor
  stallscope doctor --fix                               (print the commands that allow more)
  stallscope doctor --json | jq -r '.checks[] | select(.status != "available") | .remedy'
  sudo stallscope doctor                                (as root)
  stallscope doctor -p 4711                             (runtimes whose functions can be named)
  stallscope doctor --proc-root box/proc --sysfs-root box/sys      (a recorded machine)
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--fix",
    is_flag=True,
    help="Print commands that allow more, with the fewest rights, and how to undo them. "
    "Nothing is run.",
)
@click.option(
    "-p",
    "--pid",
    type=click.IntRange(min=1),
    metavar="PID",
    help="Show the runtimes (Node, Java, Python, Ruby, PHP, ...) of this process, and whether "
    "their functions can be named.",
)
@json_option
@roots_options
def command(fix: bool, pid: int | None, as_json: bool, proc_root: Path, sysfs_root: Path) -> None:
    """Show what this machine can measure, and how to allow more.

    Each check is available, limited or unavailable for this user, with a remedy. Nothing is
    changed: events are opened as a test and closed immediately. Settings that other tools may have
    left behind are listed after the checks.
    """
    from harness.cli.brief import document_text  # noqa: PLC0415
    from harness.cli.terminal import colours, width  # noqa: PLC0415
    from harness.doctor.checks import run_checks  # noqa: PLC0415 - start-up stays light
    from harness.doctor.fixes import find_fixes  # noqa: PLC0415
    from harness.doctor.leftovers import find_leftovers  # noqa: PLC0415
    from harness.doctor.result import DoctorResult, FixResult  # noqa: PLC0415
    from harness.doctor.text import fix_lines, lines  # noqa: PLC0415
    from harness.machine_checks.machine import gather  # noqa: PLC0415
    from stallscope.programs import FOLDER as PROGRAMS  # noqa: PLC0415
    from stallscope.system_files import Roots  # noqa: PLC0415

    if pid is not None:
        from harness.doctor.runtimes import check_runtimes, runtime_lines  # noqa: PLC0415

        runtimes = check_runtimes(pid, PROGRAMS / "stallscope-collect")
        click.echo(document_text(runtimes) if as_json else "\n".join(runtime_lines(runtimes)))
        return
    files = Path("/") if proc_root == Path("/proc") else proc_root.parent
    machine = gather(Roots(proc_root, sysfs_root, files), PROGRAMS / "stallscope-collect")
    checks, leftovers = run_checks(machine), find_leftovers(machine)
    result = (
        FixResult(fixes=find_fixes(machine, checks, leftovers))
        if fix
        else DoctorResult(checks=checks, leftovers=leftovers)
    )
    if as_json:
        click.echo(document_text(result))
        return
    printed = (
        fix_lines(result, width()) if isinstance(result, FixResult) else lines(result, width())
    )
    for line in printed:
        click.echo(line, color=colours())
