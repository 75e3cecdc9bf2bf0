"""Results of `cstates show` on generated machines."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from cstates.observation import observe
from cstates.sysfs import present_cpus
from harness.cli.command_line import main
from harness.cstates.show.result import ShowResult, show_result
from harness.cstates.show.text import lines
from stallscope.system_files import Roots

Machines = Callable[[str], Roots]


def result_of(roots: Roots) -> ShowResult:
    return show_result(observe(roots, present_cpus(roots)))


def text_of(roots: Roots) -> str:
    return "\n".join(lines(result_of(roots), 100)) + "\n"


def of_command(capsys: pytest.CaptureFixture[str], roots: Roots, *options: str) -> dict[str, Any]:
    arguments = ["--json", "--sysfs-root", str(roots.sys), "--proc-root", str(roots.proc), *options]
    assert main(["cstates", "show", *arguments]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document
