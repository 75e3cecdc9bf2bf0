"""The result of the waits lab."""

from harness.labs.waits.measurement import compared
from harness.labs.waits.result import WaitsLabResult
from tests.harness.labs.waits.diagnoses import HOG, account, diagnosis, thread


def lab_result(*causes: tuple[str, str]) -> WaitsLabResult:
    """A lab with one row, right in its shares."""
    row = compared(
        HOG, diagnosis(thread(2, "victim", lock=100), causes=causes), account(lock=100),
        look_alike=False,
    )  # fmt: skip
    return WaitsLabResult(settings=None, duration_s=1.0, tolerance=0.03, rows=(row,))


def test_a_lab_passes_if_every_cause_and_share_is_right() -> None:
    assert lab_result(("thread", "hog")).passed
    assert not lab_result(("thread", "victim")).passed
