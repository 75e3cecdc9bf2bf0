"""Tracefs instances: lost events, and the removal of stale instances."""

from pathlib import Path

import pytest

from stallscope.tracing.instance import TraceInstance, remove_stale_instances


def process(proc: Path, pid: int, state: str) -> None:
    """Create the files of a process that started at tick 500."""
    fields = " ".join(["1"] * 18)
    (proc / str(pid)).mkdir(parents=True)
    (proc / str(pid) / "stat").write_text(f"{pid} (a ) name) {state} {fields} 500 0 0\n")


@pytest.mark.parametrize(
    ("name", "stays"),
    [
        ("stallscope-7-500", True),  # its process runs
        ("stallscope-7-400", False),  # its pid belongs to another process now
        ("stallscope-8-500", False),  # its process is a zombie
        ("stallscope-9-500", False),
        ("other", True),
        ("stallscope-9", True),
        ("stallscope-x-1", True),
    ],
)
def test_instances_of_ended_tracers_are_removed(tmp_path: Path, name: str, stays: bool) -> None:
    process(tmp_path / "proc", 7, "S")
    process(tmp_path / "proc", 8, "Z")
    (tmp_path / "instances" / name).mkdir(parents=True)
    remove_stale_instances(tmp_path / "instances", tmp_path / "proc")
    assert (tmp_path / "instances" / name).exists() == stays


STATS = "entries: 9\noverrun: 3\ncommit overrun: 1\nbytes: 400\ndropped events: 2\nread events: 5\n"


@pytest.mark.parametrize(
    ("stats", "lost"),
    [
        ([STATS], 6),
        ([STATS, STATS.replace("overrun: 3", "overrun: 0")], 9),
        (["overrun: 0\ncommit overrun: 0\ndropped events: 0\n"], 0),
        ([STATS, None], None),  # an unreadable file does not mean 0 losses
        ([STATS, ""], None),
        ([STATS.replace("dropped events: 2\n", "")], None),
        ([STATS.replace("overrun: 3", "overrun: many")], None),
        ([], None),
    ],
)
def test_incomplete_counts_of_losses_are_unknown_not_zero(
    tmp_path: Path, stats: list[str | None], lost: int | None
) -> None:
    for cpu, text in enumerate(stats):
        folder = tmp_path / "per_cpu" / f"cpu{cpu}"
        folder.mkdir(parents=True)
        if text is not None:
            (folder / "stats").write_text(text)
    assert TraceInstance(tmp_path).lost_events() == lost
