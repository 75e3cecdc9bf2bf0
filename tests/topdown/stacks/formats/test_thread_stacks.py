"""Stacks by thread."""

from tests.profile_builder import ProfileBuilder
from topdown.stacks.formats.thread_stacks import thread_stacks
from topdown.stacks.profile import Thread


def test_the_heaviest_thread_comes_first() -> None:
    threads = (Thread(1, 1, "it", "main"), Thread(1, 2, "it", "worker"))
    profile = ProfileBuilder().build(
        [(["main"], 1, 0), (["main", "work"], 5, 1), ([], 1, 1)], threads=threads
    )
    first, second = thread_stacks(profile)
    assert (first.name, second.name) == ("it/worker 2", "it/main 1")
    names = [[profile.functions[number].name for number in row.functions] for row in first.rows]
    assert names == [["main", "work"], []]
    assert [row.value for row in first.rows] == [5_000_000, 1_000_000]
