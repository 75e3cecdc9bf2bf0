"""Journals are read as written, or rejected with a reason."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cstates.pinning.journal import (
    PinJournal,
    PinOwner,
    current_owner,
    file_name,
    read_journal,
    remove_journal,
    write_journal,
)
from cstates.pinning.knobs import change
from stallscope.errors import UnableError

ENTRIES = (
    change("governor", "ondemand", "performance", policy="policy0"),
    change("idle-state", "0", "1", cpu=3, state="state2"),
)
JOURNAL = PinJournal("boot", PinOwner(7, 99, "pin é\n"), ("/sys", "/proc"), ENTRIES)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def test_a_written_document_is_read_back(folder: int) -> None:
    write_journal(folder, 2, JOURNAL)
    assert read_journal(folder, 2) == JOURNAL
    assert read_journal(folder, 0) is None
    remove_journal(folder, 2)
    remove_journal(folder, 2)
    assert read_journal(folder, 2) is None


def test_a_journal_is_flushed_before_it_is_renamed(
    folder: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    for name in ("fsync", "rename"):
        real: Any = getattr(os, name)

        def noted(*words: Any, name: str = name, real: Any = real, **named: Any) -> None:
            calls.append(name)
            real(*words, **named)

        monkeypatch.setattr(os, name, noted)
    write_journal(folder, 0, JOURNAL)
    assert calls == ["fsync", "rename", "fsync"]


@pytest.mark.parametrize(
    "changes",
    [
        {"schema": "stallscope.pin.journal/2.0"},
        {"schema": "something"},
        {"owner": None},
        {"owner": {"pid": "x"}},
        {"entries": [["governor", "/sys/x", "a", "b"]]},
        {"entries": [["no-such-knob", "/sys/x", "a", "b"]]},
        {"entries": [["boost", "/sys/devices/system/cpu/cpufreq/boost", 1, "b"]]},
        {"entries": [["boost"]]},
        {"roots": ["/sys"]},
        None,
    ],
)
def test_an_invalid_journal_is_rejected(
    folder: int, tmp_path: Path, changes: dict[str, object] | None
) -> None:
    write_journal(folder, 0, JOURNAL)
    place = tmp_path / file_name(0)
    text = json.dumps(json.loads(place.read_text()) | changes) if changes else '{"schema":'
    place.write_text(text)
    with pytest.raises(UnableError, match="not a journal of a pin") as refused:
        read_journal(folder, 0)
    assert refused.value.message.startswith(f"{place}: ")


def test_a_link_is_not_followed(folder: int, tmp_path: Path) -> None:
    (tmp_path / file_name(0)).symlink_to("/etc/passwd")
    with pytest.raises(UnableError, match="symbolic link"):
        read_journal(folder, 0)


def test_the_start_time_distinguishes_processes_with_the_same_id() -> None:
    owner = current_owner("test")
    assert owner.alive
    assert not PinOwner(owner.pid, owner.start_ticks + 1, "earlier").alive
