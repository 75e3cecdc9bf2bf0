"""The entry point: where modules come from, and room for the frames of all calls."""

import os
import subprocess
import sys
from pathlib import Path

from stallscope.__main__ import run, safe_path

HOME = Path(__file__).resolve().parents[2]


def test_a_module_in_the_current_directory_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise SystemExit('a stranger is root')\n")
    run = subprocess.run(
        [sys.executable, "-m", "stallscope", "--version"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{HOME}:"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    assert run.stdout.startswith("stallscope ")


def test_only_absolute_directories_are_searched() -> None:
    assert safe_path([str(Path.cwd()), "", "lib", "/usr/lib/python3"]) == (
        ["/usr/lib/python3"] if Path.cwd() != HOME else [str(HOME), "/usr/lib/python3"]
    )


def test_the_first_frame_is_larger_than_a_block_of_frames() -> None:
    block, slot = 16 * 1024, 8
    assert run.__code__.co_stacksize * slot > 8 * block


def test_calls_below_a_large_frame_map_no_memory_each_time() -> None:
    # At some depth, each call of leaf() crosses the end of a block of 16 KiB.
    program = """
import resource, sys
def leaf(): return 0
def calls(depth):
    if depth:
        return calls(depth - 1)
    for _ in range(500): leaf()
def faults(): return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def most():
    most = 0
    for depth in range(150):
        before = faults()
        calls(depth)
        most = max(most, faults() - before)
    return most
large = most.__code__.replace(co_stacksize=20_000)
small = most()
most.__code__ = large
print(small, most())
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    small, large = map(int, run.stdout.split())
    assert large < 100
    assert large < small
