"""Runs that are kept and diagnosed again."""

from pathlib import Path

import pytest
from msgspec import structs

from harness.labs.diagnose import kept as kept_module
from harness.labs.diagnose.judgement import KeptRun
from harness.labs.diagnose.kept import RECORDING, keep_run, kept_runs
from stallscope.errors import RecordingError
from tests.harness.diagnose.diagnoses import LOCKED, diagnosis
from tests.harness.labs.diagnose.lab_runs import HOG


def test_a_kept_run_is_diagnosed_by_the_present_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = tmp_path / "made"
    recording.mkdir()
    (recording / "samples.perf").write_bytes(b"x")
    (recording / "report.html").write_bytes(b"a large page")
    run = KeptRun(variant="program", rate_per_s=10.0, overhead_share=0.02, busy_before=0.1)
    runs = tmp_path / "known"
    keep_run(runs / HOG.name / "001" / "program", run, recording)
    failed = KeptRun(variant="cured", why="no FUSE")
    keep_run(runs / HOG.name / "001" / "cured", failed, None)
    lost = structs.replace(run, variant="look-alike")
    keep_run(runs / HOG.name / "001" / "look-alike", lost, None)
    files = (runs / HOG.name / "001" / "program" / RECORDING).iterdir()
    assert [path.name for path in files] == ["samples.perf"]

    def opened(path: Path) -> Path:
        if not path.is_dir():
            raise RecordingError(f"{path} is not a directory")
        return path

    monkeypatch.setattr(kept_module, "open_recording", opened)
    monkeypatch.setattr(kept_module, "diagnosis_of", lambda _: diagnosis(LOCKED))
    rows = {row.variant: row for row in kept_runs(runs, HOG)}
    assert rows["program"].first == "user-lock"
    assert rows["program"].rate_per_s == 10.0
    assert rows["cured"].why == "no FUSE"
    assert rows["look-alike"].why.endswith("is not a directory")
