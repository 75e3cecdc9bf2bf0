"""Modules that a report of a profile imports."""

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
from harness.cli.command_line import main
main(["report", sys.argv[1], "--no-page"])
print("modules:", *sys.modules)
"""
# Code of other verbs, and libraries that take tens of milliseconds.
FOREIGN = tuple(
    f"{name}." for name in (
    "harness.cstates", "harness.io", "harness.labs", "harness.load", "harness.page",
    "harness.serve", "harness.topdown", "cstates", "ioprobe", "topdown.slots",
    "elftools", "jinja2", "numpy.ma", "pandas", "rich",
    )
)  # fmt: skip


def test_a_report_without_a_page_imports_only_the_code_of_profiles(checkout: Path) -> None:
    recorded = checkout / "tests/captures/pipe.perf"
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(recorded)], capture_output=True, text=True, check=True
    )
    modules = run.stdout.rpartition("modules: ")[2].split()
    assert "harness.profile.text" in modules
    assert [name for name in modules if f"{name}.".startswith(FOREIGN)] == []
