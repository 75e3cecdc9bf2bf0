"""Cases, bars and the raw files."""

from pathlib import Path

import pytest

from benchmarks import cases
from benchmarks.cases import (
    PEER_RANGE,
    BenchmarkSession,
    Case,
    difference,
    ours,
    ratio,
    save,
    sessions,
)


def session_on(host: str, date: str = "2026-01-02 03:04 UTC") -> BenchmarkSession:
    case = Case(
        name="c", metric="s", ours_command="a", peer_command="b", bar=(ratio(at_most=1.5),),
        ours=(1.0, 2.0), peer=(2.0, 3.0),
    )  # fmt: skip
    return BenchmarkSession(
        benchmark="b", date=date, host=host, command="./dev bench b", cases=(case,)
    )


def test_a_session_survives_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "RAW", tmp_path)
    session = session_on("Intel(R) Xeon(R) Processor, 2 CPUs, Linux 6")
    path = save(session)
    assert path == tmp_path / "b" / "intel-xeon-processor.json"
    assert list(sessions(tmp_path)) == [session]


def test_every_machine_model_keeps_its_newest_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cases, "RAW", tmp_path)
    for host, date in (("A, 2 CPUs", "2026-01-01"), ("B, 2 CPUs", "2026-01-02"),
                       ("A, 4 CPUs", "2026-01-03")):  # fmt: skip
        save(session_on(host, date))
    assert [session.host for session in sessions(tmp_path)] == ["A, 4 CPUs", "B, 2 CPUs"]


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (ratio(at_least=1.1), "ratio at least 1.1"),
        (difference(at_most=0.5), "difference at most 0.5"),
        (ours(at_most=1000), "ours at most 1,000"),
        (PEER_RANGE, "within the peer's range"),
    ],
)
def test_a_bound_is_written_as_a_phrase(bound: cases.Bound, text: str) -> None:
    assert str(bound) == text
