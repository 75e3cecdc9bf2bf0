"""Instances of tracers that were killed: which are removed, and which are somebody's."""

from pathlib import Path

import pytest

from stallscope.tracing.instance import remove_left


def process(proc: Path, pid: int, state: str) -> None:
    """One that began at tick 500."""
    fields = " ".join(["1"] * 18)
    (proc / str(pid)).mkdir(parents=True)
    (proc / str(pid) / "stat").write_text(f"{pid} (a ) name) {state} {fields} 500 0 0\n")


@pytest.mark.parametrize(
    ("name", "stays"),
    [
        ("stallscope-7-500", True),  # of one that runs
        ("stallscope-7-400", False),  # its number is another's now
        ("stallscope-8-500", False),  # killed, and its parent did not ask
        ("stallscope-9-500", False),
        ("somebody", True),
        ("stallscope-9", True),
        ("stallscope-x-1", True),
    ],
)
def test_what_a_killed_tracer_left_is_removed(tmp_path: Path, name: str, stays: bool) -> None:
    process(tmp_path / "proc", 7, "S")
    process(tmp_path / "proc", 8, "Z")
    (tmp_path / "instances" / name).mkdir(parents=True)
    remove_left(tmp_path / "instances", tmp_path / "proc")
    assert (tmp_path / "instances" / name).exists() == stays
