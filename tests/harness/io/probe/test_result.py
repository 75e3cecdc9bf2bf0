"""The result of a probe: the JSON that scripts rely on, read back without a loss."""

import pytest

from harness.io.probe.result import ProbeResult
from stallscope.documents import decode, encode
from stallscope.errors import RecordingError
from tests.harness.io.probe.results import DISK, probe_document, result


def test_the_json_has_the_fields_that_scripts_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    document = probe_document(capsys, DISK, "--count", "2000")
    assert (document["schema"], document["source"]) == ("stallscope.io.probe/1", "modelled")
    assert document["requests"] == 2000
    latency = document["latency_ns"]
    assert set(latency) >= {"min", "mean", "p50", "p90", "p99", "p99.9", "max"}
    assert latency["min"] == latency["max"] == latency["mean"] == 1_000_000
    assert latency["p50"] == pytest.approx(1_000_000, rel=1e-3)
    assert sum(count for _, _, count in document["histogram"]) == 2000
    assert all(low <= 1_000_000 <= high for low, high, _ in document["histogram"])
    assert document["self_check"]["ok"] is True
    assert document["self_check"]["littles_law_error"] == pytest.approx(0, abs=1e-3)
    assert {"littles_law_error", "cpu_delay_share"} <= set(document["self_check"])
    assert document["page_cache"] is None
    assert "has none" in document["page_cache_missing"]
    assert document["complete"] is True


def test_exponential_service_has_the_percentiles_of_the_distribution(
    capsys: pytest.CaptureFixture[str],
) -> None:
    document = probe_document(capsys, f"{DISK},exponential", "--count", "20000")
    # The error of the p-th percentile of n values is sqrt(p (1 - p) / n) / density; allow five.
    assert document["latency_ns"]["p50"] == pytest.approx(693_147, rel=5 * 0.0102)
    assert document["latency_ns"]["p99"] == pytest.approx(4_605_170, rel=5 * 0.0153)


def test_a_decoded_result_equals_the_written_result(capsys: pytest.CaptureFixture[str]) -> None:
    written = result(capsys)
    assert decode(encode(written), ProbeResult, "probe.json") == written


@pytest.mark.parametrize(
    "histogram", [[[1, 2]], [[2, 1, 3]], [[1, 2, -1]], [[5, 6, 1], [1, 2, 1]], "x", [[1, 2, "3"]]]
)
def test_a_damaged_histogram_is_refused(
    capsys: pytest.CaptureFixture[str], histogram: object
) -> None:
    with pytest.raises(RecordingError, match="histogram"):
        result(capsys, histogram=histogram)
