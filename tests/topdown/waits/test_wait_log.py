"""The log of a recording of waits: lines by type, damage, limits."""

import json
from pathlib import Path

import pytest

from topdown.waits import wait_log
from topdown.waits.wait_log import FILE, WaitLog, read_wait_log

THREAD = {"type": "thread", "moment": "start", "at_ns": 5, "pid": 1, "tid": 2, "state": "S"}


def write(folder: Path, *lines: object, rest: str = "") -> WaitLog:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / FILE).write_text("".join(text + "\n" for text in texts) + rest)
    log = read_wait_log(folder)
    assert log is not None
    return log


def test_lines_are_read_by_their_types(tmp_path: Path) -> None:
    log = write(
        tmp_path,
        {"type": "source", "name": "sched_waking", "available": False, "reason": "no right"},
        {**THREAD, "run_ns": 7, "queue_ns": None, "syscall": [202, 2**64 - 1, 0, 0, 0, 0, 0]},
        {"type": "descriptor", "moment": "end", "pid": 1, "fd": 3, "kind": "pipe", "target": "p"},
        {"type": "cgroup", "moment": "start", "at_ns": 9, "path": "/x", "throttled_ns": 4},
        {"type": "cpus", "moment": "end", "at_ns": 9, "steal_ns": None},
        {"type": "owner", "at_ns": 8, "late_ns": 1, "pid": 1, "waiter": 2, "address": 2**63,
         "kind": "mutex", "owner_tid": None, "reason": "changed"},
    )  # fmt: skip
    assert log.sources[0].reason == "no right"
    assert log.threads[0].syscall == (202, 2**64 - 1, 0, 0, 0, 0, 0)
    assert (log.threads[0].run_ns, log.threads[0].queue_ns) == (7, None)
    assert log.descriptors[0].kind == "pipe"
    assert log.cgroups[0].throttled_ns == 4
    assert log.cpus[0].steal_ns is None
    assert log.owners[0].address == 2**63
    assert log.warnings == ()


def test_a_recording_without_a_log_has_none(tmp_path: Path) -> None:
    assert read_wait_log(tmp_path) is None


def test_an_unfinished_last_line_is_left_out(tmp_path: Path) -> None:
    log = write(tmp_path, THREAD, rest='{"type":"thread","mom')
    assert len(log.threads) == 1
    assert log.warnings == ()


def test_bad_lines_are_named_and_left_out(tmp_path: Path) -> None:
    log = write(tmp_path, THREAD, "{]", {**THREAD, "pid": "\u202ex"}, "[]", "", THREAD)
    (warning,) = log.warnings
    assert len(log.threads) == 2
    assert warning.code == "wait-log-damaged"
    assert f"{tmp_path}/{FILE}: line 2 is damaged" in warning.message
    assert "4 lines" in warning.message


@pytest.mark.parametrize("content", ["[" * 100_000, '{"type":"thread","at_ns":-1}', "\0", "null"])
def test_hostile_lines_are_bad_lines(tmp_path: Path, content: str) -> None:
    assert write(tmp_path, content).warnings[0].code == "wait-log-damaged"


def test_lines_of_newer_versions_are_ignored(tmp_path: Path) -> None:
    log = write(tmp_path, {"type": "future", "x": 1}, {**THREAD, "more": 1})
    assert len(log.threads) == 1
    assert log.warnings == ()


def test_lines_beyond_the_limits_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wait_log, "MAX_LINES", 2)
    monkeypatch.setattr(wait_log, "MAX_LINE_BYTES", 200)
    log = write(tmp_path, {**THREAD, "cgroup": "x" * 300}, THREAD, THREAD, THREAD)
    assert len(log.threads) == 1
    assert [warning.code for warning in log.warnings] == ["wait-log-damaged", "wait-log-cut"]


def test_a_link_to_another_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).symlink_to("/proc/self/status")
    log = read_wait_log(tmp_path)
    assert log is None or log.warnings[0].code == "wait-log-refused"
