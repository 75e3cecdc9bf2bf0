"""A watch of block requests: what it needs of the kernel, and its own counters."""

from pathlib import Path

import pytest

from ioprobe.watch import tracing
from ioprobe.watch.tracing import WatchScope, watch
from stallscope.errors import UnableError
from stallscope.tracing.instance import TraceInstance


def test_a_kernel_without_tracepoints_is_an_error_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracing, "tracefs", lambda: tmp_path)
    scope = WatchScope(known=(), devices=(), pids=frozenset(), duration_s=1.0)
    with pytest.raises(UnableError) as error:
        watch(scope, lambda _: True, lambda _: None)
    assert error.value.remedy


@pytest.mark.parametrize("has_option", [True, False])
@pytest.mark.parametrize("has_file", [True, False])
def test_processes_of_threads_come_from_the_kernel_if_it_saves_them(
    tmp_path: Path, has_option: bool, has_file: bool
) -> None:
    if has_option:
        (tmp_path / "options").mkdir()
        (tmp_path / "options" / "record-tgid").write_text("0")
    saved = tmp_path / "saved_tgids"
    if has_file:
        saved.write_text("")
    path = tracing._enable_saved_tgids(tmp_path, TraceInstance(tmp_path))
    assert path == (saved if has_option and has_file else None)


def test_increments_need_both_readings() -> None:
    counts = {"reads": 10, "writes": 4}
    assert tracing._increments(counts, {"reads": 15, "writes": 4}) == {"reads": 5, "writes": 0}
    assert tracing._increments(None, counts) is None
    assert tracing._increments(counts, None) is None
