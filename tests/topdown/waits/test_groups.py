import pytest

from topdown.waits.groups import group_name, thread_groups
from topdown.waits.records import WaitingThread


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("worker-12", "worker"),
        ("io_thd_3", "io_thd"),
        ("C2 CompilerThre0", "C2 CompilerThre"),
        ("pool[7]", "pool"),
        ("redis-server", "redis-server"),
        ("123", "123"),
    ],
)
def test_a_group_has_the_name_without_the_number(name: str, group: str) -> None:
    assert group_name(name) == group


def test_threads_of_other_programs_are_other_groups() -> None:
    threads = [
        WaitingThread(1, 1, "w-1", "a", target=True),
        WaitingThread(2, 2, "w-1", "b", target=True),
        WaitingThread(1, 3, "w-2", "a", target=True),
    ]
    groups = thread_groups(threads, [0, 1, 2])
    assert [(group.process_name, group.threads) for group in groups] == [("a", (0, 2)), ("b", (1,))]
