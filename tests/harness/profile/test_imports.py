"""Modules that a report of a profile imports."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from stallscope.recordings import MANIFEST, SAMPLES
from tests.harness.profile.test_analysis import MANIFEST_OF

SCRIPT = """
import sys
from harness.cli.command_line import main
main(["report", *sys.argv[1:]])
print("modules:", *sys.modules)
"""
# Libraries for plots, tables and statistics; and the tree of slots, which was not counted.
NEVER = tuple(
    f"{name}." for name in (
    "harness.topdown.panel", "importlib.resources", "matplotlib", "pandas", "scipy",
    "topdown.slots", "topdown.stacks.python", "zipfile",
    )
)  # fmt: skip
# Code of other verbs, and libraries that take tens of milliseconds.
FOREIGN = tuple(
    f"{name}." for name in (
    "harness.cstates", "harness.io", "harness.labs", "harness.load", "harness.page",
    "harness.serve", "harness.topdown", "cstates", "ioprobe", "topdown.slots",
    "difflib", "elftools", "hashlib", "jinja2", "numpy.ma", "pandas", "rich", "secrets",
    )
)  # fmt: skip


def imported_by_report(recording: Path, *options: str) -> list[str]:
    """The modules that a report of a recording imports."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(recording), *options],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    modules = run.stdout.rpartition("modules: ")[2].split()
    assert "harness.profile.text" in modules
    return modules


def test_a_report_without_a_page_imports_only_the_code_of_profiles(checkout: Path) -> None:
    modules = imported_by_report(checkout / "tests/captures/pipe.perf", "--no-page")
    assert [name for name in modules if f"{name}.".startswith(FOREIGN)] == []


def test_a_recording_without_python_frames_needs_no_code_for_them(
    checkout: Path, tmp_path: Path
) -> None:
    shutil.copy(checkout / "tests/captures/pipe.perf", tmp_path / SAMPLES)
    (tmp_path / MANIFEST).write_text(json.dumps(MANIFEST_OF))
    modules = imported_by_report(tmp_path, "--no-page")
    assert [name for name in modules if name.startswith("topdown.stacks.python.")] == []


def test_the_page_imports_neither_slots_nor_libraries_for_tables_and_plots(
    checkout: Path, tmp_path: Path
) -> None:
    shutil.copy(checkout / "tests/captures/pipe.perf", tmp_path / SAMPLES)
    (tmp_path / MANIFEST).write_text(json.dumps(MANIFEST_OF))
    modules = imported_by_report(tmp_path)
    assert "harness.profile.page" in modules
    assert [name for name in modules if f"{name}.".startswith(NEVER)] == []
