"""A run of `stallscope topdown --self-test`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from harness.cli.brief import document_text
from harness.cli.outputs import write_whole
from harness.cli.terminal import LiveLine, colours, printable, width
from harness.machine_checks.check import Status
from harness.topdown.self_test.text import lines
from harness.topdown.sources import pmu_check
from stallscope.documents import encode
from stallscope.errors import UnableError, UsageError
from stallscope.system_files import Roots
from topdown.slots.self_test.result import SelfTestResult

SelfTest = Callable[..., SelfTestResult]
_SUPPORTED = ("cpu", "output", "as_json", "source", "multiplex")
_CONTRIBUTE = "contribute it with the name of the machine to verify slots of this CPU"


def run_self_test(values: dict[str, Any], *, roots: Roots = Roots()) -> int:  # noqa: B008 - immutable
    """Return the exit code, after testing this CPU's events and writing the result to a file."""
    unsupported = [name for name, value in values.items() if name not in _SUPPORTED and value]
    if unsupported or values["source"] not in ("auto", "pmu") or not values["multiplex"]:
        raise UsageError(
            "--self-test runs its own programs: it supports neither a target nor output options",
            "stallscope topdown --self-test [--cpu NAME] [-o FILE] [--json]",
        )
    check = pmu_check(roots)
    if check.status is Status.UNAVAILABLE:
        raise UnableError(check.detail, check.remedy)
    from topdown.slots.self_test.session import self_test  # noqa: PLC0415 - loads numpy

    show_self_test(values, roots, self_test)
    return 0


def show_self_test(values: dict[str, Any], roots: Roots, self_test: SelfTest) -> None:
    """Run the test, write its file and print its result."""
    line = LiveLine()
    try:
        result = self_test(
            cpu=values["cpu"],
            roots=roots,
            on_kernel=lambda name: line.show(f"self-test: {name}"),
        )
    finally:
        line.clear()
    output = values["output"] or Path(f"stallscope-self-test-{result.cpu}.json")
    write_whole(output, [encode(result, indent=1) + "\n"])
    if values["as_json"]:
        click.echo(document_text(result))
        return
    for text in lines(result, width()):
        click.echo(text, color=colours())
    click.echo(f"file       {printable(str(output))}: {_CONTRIBUTE}")
