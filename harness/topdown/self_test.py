"""`stallscope topdown --self-test`: the CPU's events held to known programs, and the file of it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.outputs import write_whole
from harness.cli.terminal import LiveLine, colours, printable, width, wrapped
from harness.machine_checks.check import Status
from harness.topdown.engine import pmu_check
from stallscope.errors import UnableError, UsageError
from stallscope.system_files import Roots

if TYPE_CHECKING:
    from topdown.slots.self_test.session import SelfTest

SelfTests = Callable[..., "SelfTest"]
_TAKEN = ("cpu", "output", "as_json", "source", "multiplex")
_SEND = "send it in with what machine it is: then slots of this CPU are no longer unverified"


def run_self_test(values: dict[str, Any], *, roots: Roots = Roots()) -> int:  # noqa: B008 - immutable
    """Return the exit code, after testing this CPU's events and writing the file."""
    others = [name for name, value in values.items() if name not in _TAKEN and value]
    if others or values["source"] not in ("auto", "pmu") or not values["multiplex"]:
        raise UsageError(
            "--self-test runs programs of its own: it takes no target and no way of showing",
            "stallscope topdown --self-test [--cpu NAME] [-o FILE] [--json]",
        )
    check = pmu_check(roots)
    if check.status is Status.UNAVAILABLE:
        raise UnableError(check.detail, check.remedy)
    from topdown.slots.self_test.session import self_test  # noqa: PLC0415 - loads numpy

    show_self_test(values, roots, self_test)
    return 0


def show_self_test(values: dict[str, Any], roots: Roots, self_test: SelfTests) -> None:
    """Run the test, write its file, print what it found."""
    line = LiveLine()
    try:
        test = self_test(
            cpu=values["cpu"],
            roots=roots,
            on_kernel=lambda name: line.show(f"self-test: {name}"),
        )
    finally:
        line.clear()
    output = values["output"] or Path(f"stallscope-self-test-{test.model.key}.json")
    write_whole(output, [json.dumps(test.document, indent=1, allow_nan=False) + "\n"])
    if values["as_json"]:
        click.echo(json.dumps(test.document, allow_nan=False))
        return
    for text in _lines(test, width()):
        click.echo(text, color=colours())
    click.echo(f"file       {printable(str(output))}: {_SEND}")


def _lines(test: "SelfTest", columns: int) -> Iterator[str]:
    yield click.style(test.summary(), bold=True)
    for name in test.broken:
        yield from wrapped(f"broken: {name}: {test.events[name].reason}", columns, "  ")
    for each in test.programs:
        found = "/".join(each.bottleneck) or "nothing marked"
        yield f"{each.work.kernel:<22} expected {each.work.expected}, found {found}"
