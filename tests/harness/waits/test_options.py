from pathlib import Path
from typing import Any

import pytest

from harness.waits.options import waits_options
from stallscope.errors import UsageError


def values(**changes: Any) -> dict[str, Any]:
    return {
        "pids": (),
        "words": (),
        "duration": None,
        "output": None,
        "force": False,
        "graph": False,
        "max_size_mib": None,
        "max_cost": None,
        "as_json": False,
        "compared": (),
        **changes,
    }


def test_a_process_is_recorded_with_its_waits() -> None:
    options = waits_options(values(pids=((123,),), output=Path("run")))
    assert options.collector is not None
    assert options.collector.pids == (123,)
    assert options.collector.waits
    assert "--waits" in options.collector.arguments()


def test_a_target_is_needed() -> None:
    with pytest.raises(UsageError, match="name a process"):
        waits_options(values())


def test_a_process_and_a_command_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="exactly one"):
        waits_options(values(pids=((1,),), words=("work",)))


def test_cost_and_size_are_limited_by_the_recorder() -> None:
    options = waits_options(values(pids=((1,),), max_cost=0.5, max_size_mib=10))
    assert options.collector is not None
    words = options.collector.arguments()
    assert "--max-cost=0.5" in words
    assert "--max-size=10" in words


def test_a_comparison_excludes_a_target() -> None:
    compared = (Path("a"), Path("b"))
    assert waits_options(values(compared=compared)).compared == compared
    with pytest.raises(UsageError, match="--compare"):
        waits_options(values(compared=compared, pids=((1,),)))


def test_a_directory_or_a_file_of_perf_is_shown_and_not_run(tmp_path: Path) -> None:
    capture = tmp_path / "perf.data"
    capture.write_bytes(b"PERFILE2" + bytes(16))
    for path in (tmp_path, capture):
        options = waits_options(values(words=(str(path),), period="1.2-1.5"))
        assert (options.recording, options.collector) == (path, None)
        assert options.period is not None
        assert options.period.end_s == 1.5
    program = tmp_path / "work"
    program.write_bytes(b"\x7fELF")
    program.chmod(0o755)
    assert waits_options(values(words=(str(program),))).recording is None


def test_a_name_of_no_recording_and_no_command_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no recording and no command"):
        waits_options(values(words=(str(tmp_path / "mistyped"),)))
    text = tmp_path / "notes.txt"
    text.write_text("no program")
    with pytest.raises(UsageError, match="neither a recording nor a command"):
        waits_options(values(words=(str(text),)))


def test_two_recordings_are_compared_and_not_shown(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="one recording is shown"):
        waits_options(values(words=(str(tmp_path), str(tmp_path))))


def test_options_for_recording_do_not_fit_a_shown_recording(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--max-cost is for recording"):
        waits_options(values(words=(str(tmp_path),), max_cost=0.5))


def test_a_period_needs_a_recording() -> None:
    with pytest.raises(UsageError, match="--period shows a part of a recording"):
        waits_options(values(pids=((1,),), period="1-2"))


def test_options_that_have_no_effect_are_refused() -> None:
    with pytest.raises(UsageError, match="--no-page is for a shown recording"):
        waits_options(values(pids=((1,),), no_page=True))
    with pytest.raises(UsageError, match="--compare excludes --period"):
        waits_options(values(compared=(Path("a"), Path("b")), period="1-2"))


def test_a_page_is_no_name_of_a_directory() -> None:
    with pytest.raises(UsageError, match="directory of the recording"):
        waits_options(values(pids=((1,),), output=Path("page.html")))
