"""Threads and their processes: while they run, and when they have ended."""

from pathlib import Path

from ioprobe.watch.processes import Process, Processes


def test_a_thread_that_ended_is_of_the_process_that_the_kernel_kept(tmp_path: Path) -> None:
    (tmp_path / "40").mkdir()
    (tmp_path / "40" / "comm").write_text("database\n")
    kept = tmp_path / "saved_tgids"
    kept.write_text("40 40\n41 40\n70 69\nnonsense\n80 0\n")
    processes = Processes(tmp_path, kept)
    assert processes.of(41, b"worker") == Process(40, "database")
    assert processes.of(70, b"gone") == Process(69, "gone")
    assert processes.of(80, b"zero") == Process(80, "zero")
    assert processes.of(99, b"unheard") == Process(99, "unheard")


def test_a_thread_that_came_later_is_looked_up_anew(tmp_path: Path) -> None:
    kept = tmp_path / "saved_tgids"
    kept.write_text("41 40\n")
    processes = Processes(tmp_path, kept)
    assert processes.of(41, b"first").pid == 40
    kept.write_text("41 40\n43 42\n")
    assert processes.of(43, b"second").pid == 42


def test_without_the_kernels_file_a_thread_stands_for_itself(tmp_path: Path) -> None:
    for processes in (Processes(tmp_path), Processes(tmp_path, tmp_path / "none")):
        assert processes.of(41, b"worker") == Process(41, "worker")
