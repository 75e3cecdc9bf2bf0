"""Instances of tracers: what they lost; those of killed ones, and which are somebody's."""

from pathlib import Path

import pytest

from stallscope.tracing.instance import TraceInstance, remove_left


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


STATS = "entries: 9\noverrun: 3\ncommit overrun: 1\nbytes: 400\ndropped events: 2\nread events: 5\n"


@pytest.mark.parametrize(
    ("stats", "lost"),
    [
        ([STATS], 6),
        ([STATS, STATS.replace("overrun: 3", "overrun: 0")], 9),
        (["overrun: 0\ncommit overrun: 0\ndropped events: 0\n"], 0),
        ([STATS, None], None),  # a CPU's file cannot be read: its losses are not 0
        ([STATS, ""], None),
        ([STATS.replace("dropped events: 2\n", "")], None),
        ([STATS.replace("overrun: 3", "overrun: many")], None),
        ([], None),
    ],
)
def test_losses_that_the_kernel_does_not_tell_are_not_none_at_all(
    tmp_path: Path, stats: list[str | None], lost: int | None
) -> None:
    for cpu, text in enumerate(stats):
        folder = tmp_path / "per_cpu" / f"cpu{cpu}"
        folder.mkdir(parents=True)
        if text is not None:
            (folder / "stats").write_text(text)
    assert TraceInstance(tmp_path).lost_events() == lost
