"""The result of a storm on a simulated disk, whose answers are known."""

from dataclasses import replace

import msgspec
import pytest

from harness.labs.storm.measurement import StormMeasurement
from harness.labs.storm.options import REFERENCE_LIMIT
from harness.labs.storm.result import StormResult, storm_result
from harness.labs.storm.trial import KEPT_SHARE
from stallscope.documents import decode, encode
from stallscope.errors import RecordingError
from tests.harness.labs.storm.storms import (
    OPTIONS,
    SERVERS,
    SERVICE_NS,
    row_of,
    with_values,
)


def test_the_limit_decides_how_long_the_reader_waits(result: StormResult) -> None:
    """With shares a read waits only for the requests that are already on the disk."""
    for limit in (128, 8):
        row = row_of(result.rows, limit)
        assert row.reader_ns.p50 == pytest.approx(limit / SERVERS * SERVICE_NS, rel=0.02)
        assert row.in_flight == pytest.approx(limit, rel=0.01)
        assert row.pending == pytest.approx(257 - limit, rel=0.01)
    alone = result.reader_alone
    assert alone is not None
    assert alone.reader_ns.max == pytest.approx(SERVICE_NS, rel=0.01)
    assert alone.writer_bytes_per_s is None


def test_in_arrival_order_a_read_waits_equally_long_at_any_limit(result: StormResult) -> None:
    times = [row.reader_ns.p50 or 0.0 for row in result.first_come]
    assert len(times) == 4
    assert min(times) == pytest.approx(257 / SERVERS * SERVICE_NS, rel=0.05)
    assert max(times) == pytest.approx(min(times), rel=0.05)


def kept_share(limit: int) -> float:
    """The writer's share of all servers; the reader always has a request on the disk."""
    own = min(limit - 1, SERVERS * (1 - 1 / limit))
    return own / (SERVERS * (1 - 1 / REFERENCE_LIMIT))


def test_the_recommended_limit_keeps_the_writers_bandwidth(result: StormResult) -> None:
    assert result.recommended.limit == 32
    assert row_of(result.rows, 32).recommended
    for trial in result.recommended.tried:
        assert trial.bandwidth_share == pytest.approx(kept_share(trial.limit), rel=0.02)
        assert trial.rounds == OPTIONS.trial.rounds
        assert (trial.limit == 32) == (kept_share(trial.limit) > KEPT_SHARE)
    assert result.ratios.p99.median == pytest.approx(1 / 4, rel=0.1)
    assert result.ratios.p99.n == 5
    assert result.ratios.writer_bytes_per_s.median == pytest.approx(kept_share(32), rel=0.02)
    assert result.verdict == "gain"


def test_rounds_that_fail_their_checks_are_masked(storm: StormMeasurement) -> None:
    failed = with_values(storm, storm.recommended_setting, failed=("its thread waited",))
    masked = row_of(storm_result(failed).rows, 32)
    assert masked.masked == ("its thread waited",) * 5
    assert masked.reader_ns.p99 is None


def test_an_interruption_keeps_finished_runs(storm: StormMeasurement) -> None:
    result = storm_result(replace(storm, rounds=storm.rounds[:3], complete=False))
    assert result.rows == ()
    assert result.reader_alone is not None
    assert result.reader_alone.rounds == 1
    assert "interrupted: only finished runs are shown" in result.warnings


def test_decoding_the_encoded_result_returns_it(result: StormResult) -> None:
    assert decode(encode(result), StormResult, "storm.json") == result


@pytest.mark.parametrize(
    ("key", "value"),
    [("rows", 3), ("verdict", None), ("rows", [{"limit": -1}]), ("facts", 1)],
)
def test_a_damaged_document_is_rejected(result: StormResult, key: str, value: object) -> None:
    damaged = msgspec.json.encode(msgspec.to_builtins(result) | {key: value})
    with pytest.raises(RecordingError, match=rf"storm.json: .*\$\.{key}"):
        decode(damaged, StormResult, "storm.json")
