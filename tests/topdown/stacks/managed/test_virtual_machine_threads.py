"""Work of the own threads of a Java virtual machine, by their names."""

from typing import NamedTuple

import pytest

from topdown.stacks.managed.virtual_machine_threads import work_of_threads


class Thread(NamedTuple):
    pid: int
    name: bytes


def works(*names: bytes) -> list[str]:
    return work_of_threads([Thread(1, name) for name in names], frozenset({1}))


@pytest.mark.parametrize(
    ("collector", "names"),
    [
        ("G1", (b"GC Thread#0", b"G1 Conc#0", b"G1 Refine#0", b"G1 Service")),
        ("parallel", (b"GC Thread#0", b"GC Thread#12")),
        ("ZGC", (b"ZWorker#0", b"ZDriverMinor", b"XWorker#1", b"ZWorkerYoung#0", b"ZDirector")),
        ("Shenandoah", (b"Shenandoah GC T", b"Shenandoah Cont")),
    ],
)
def test_threads_of_every_collector_are_distinguished(
    collector: str, names: tuple[bytes, ...]
) -> None:
    assert set(works(*names)) == {f"[garbage collection: {collector}]"}


def test_compilers_are_distinguished() -> None:
    assert works(b"C1 CompilerThre", b"C2 CompilerThre") == ["[compiling: C1]", "[compiling: C2]"]


def test_the_vm_thread_may_be_the_serial_collector_only_without_another() -> None:
    assert works(b"VM Thread", b"GC Thread#0")[0] == "[VM operation at a safepoint]"
    assert works(b"VM Thread") == ["[VM operation at a safepoint or serial garbage collection]"]


def test_threads_of_the_program_and_of_other_processes_have_no_work() -> None:
    assert works(b"main", b"Zebra", b"G1-worker") == ["", "", ""]
    assert work_of_threads([Thread(2, b"VM Thread")], frozenset({1})) == [""]
