"""The process of a thread, while it runs and after it has ended."""

from pathlib import Path

from ioprobe.watch.processes import Process, ProcessTable


def test_an_ended_thread_has_the_process_that_the_kernel_saved(tmp_path: Path) -> None:
    (tmp_path / "40").mkdir()
    (tmp_path / "40" / "comm").write_text("database\n")
    saved_tgids = tmp_path / "saved_tgids"
    saved_tgids.write_text("40 40\n41 40\n70 69\nnonsense\n80 0\n")
    processes = ProcessTable(tmp_path, saved_tgids)
    assert processes.process_of(41, b"worker") == Process(40, "database")
    assert processes.process_of(70, b"gone") == Process(69, "gone")
    assert processes.process_of(80, b"zero") == Process(80, "zero")
    assert processes.process_of(99, b"unheard") == Process(99, "unheard")


def test_an_unknown_thread_reads_the_file_again(tmp_path: Path) -> None:
    saved_tgids = tmp_path / "saved_tgids"
    saved_tgids.write_text("41 40\n")
    processes = ProcessTable(tmp_path, saved_tgids)
    assert processes.process_of(41, b"first").pid == 40
    saved_tgids.write_text("41 40\n43 42\n")
    assert processes.process_of(43, b"second").pid == 42


def test_without_the_kernel_file_a_thread_is_its_own_process(tmp_path: Path) -> None:
    for processes in (ProcessTable(tmp_path), ProcessTable(tmp_path, tmp_path / "none")):
        assert processes.process_of(41, b"worker") == Process(41, "worker")
