import pytest

from harness.diagnose.disk_waits import DiskWaits, disk_waits
from harness.waits.analysis import WaitAnalysis
from tests.harness.waits import analyses
from tests.topdown.waits.wait_records_builder import Place

MS = 1_000_000
KERNEL = {
    "tag": ("io_schedule", "blk_mq_get_tag", "submit_bio", "io_submit_one"),
    "append": ("rwsem_down_write_slowpath", "ext4_file_write_iter", "io_submit_one"),
    "flush": ("io_schedule", "jbd2_log_wait_commit", "ext4_sync_file", "do_fsync"),
    "read": ("io_schedule", "filemap_read", "vfs_read"),
}


@pytest.fixture
def analysis(monkeypatch: pytest.MonkeyPatch) -> object:
    places = {name: Place(("submit", "main"), frames) for name, frames in KERNEL.items()}
    monkeypatch.setattr(analyses, "PLACES", {**analyses.PLACES, **places})
    return analyses.analysis


def waits(analysis: object, place: str) -> DiskWaits:
    assert callable(analysis)
    made = analysis(f"main R0-100 W(disk,{place})100-300 R300-500")
    assert isinstance(made, WaitAnalysis)
    return disk_waits(made)


def test_waits_for_room_in_the_queue_are_admission(analysis: object) -> None:
    result = waits(analysis, "tag")
    assert result.admission_ns == result.submission_ns == pytest.approx(200 * MS, rel=0.01)
    assert result.functions[0] == "submit"
    assert result.threads == ("main",)


def test_other_waits_inside_of_a_submission_are_part_of_it(analysis: object) -> None:
    result = waits(analysis, "append")
    assert result.admission_ns == 0
    assert result.submission_ns == pytest.approx(200 * MS, rel=0.01)


def test_flushes_and_reads_are_no_submissions(analysis: object) -> None:
    flush = waits(analysis, "flush")
    assert flush.submission_ns == 0
    assert flush.flush_ns == pytest.approx(200 * MS, rel=0.01)
    assert waits(analysis, "read") == DiskWaits()
