"""stallscope-load against redis-server: loops, logs that the reference implementation reads."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from tests.live.load.conftest import Redis, Run

HOUR_NS = 3_600_000_000_000
LOGS = {"intended.hlog": "latency_us", "service.hlog": "service_us", "lag.hlog": "send_lag_us"}


def intervals(path: Path) -> Iterator[HdrHistogram]:
    reader = HistogramLogReader(str(path), HdrHistogram(1, HOUR_NS, 3))
    while (histogram := reader.get_next_interval_histogram()) is not None:
        yield histogram
    reader.input_file.close()


def calls(redis: Redis, command: str) -> int:
    statistics = redis.ask("INFO", "commandstats")
    line = next(line for line in statistics.splitlines() if line.startswith(f"cmdstat_{command}:"))
    return int(line.partition("calls=")[2].partition(",")[0])


def test_the_reference_implementation_reads_the_logs(
    load: Callable[..., Run], redis: Redis
) -> None:
    run = load(redis.target, "--duration", 1.2, "--mode", "open", "--rate", 2000)
    assert run.status == 0
    for name, key in LOGS.items():
        merged = HdrHistogram(1, HOUR_NS, 3)
        histograms = list(intervals(run.directory / name))
        assert len(histograms) == 2
        for histogram in histograms:
            merged.add(histogram)
        assert merged.get_total_count() == run.done["requests"]
        for percentile in ("50", "90", "99", "99.9"):
            reported = run.done[key][f"p{percentile}"]
            assert merged.get_value_at_percentile(float(percentile)) / 1000 == pytest.approx(
                reported
            )
        assert merged.get_max_value() / 1000 == pytest.approx(run.done[key]["max"])
    begins = [histogram.get_start_time_stamp() / 1000 for histogram in histograms]
    assert begins == pytest.approx([run.document["started_at_s"] + i for i in range(2)], abs=0.01)


def test_seconds_add_up_to_the_total(load: Callable[..., Run], redis: Redis) -> None:
    run = load(redis.target, "--duration", 1.2, "--threads", 2)
    assert [line["event"] for line in run.lines] == ["started", "second", "second", "done"]
    assert [line["t"] for line in run.lines[1:3]] == pytest.approx([1.0, 1.2])
    assert sum(line["requests"] for line in run.lines[1:3]) == run.done["requests"]
    assert run.done["rate_achieved"] * 1.2 == pytest.approx(run.done["requests"], rel=0.05)
    assert run.done["schema"] == run.document["schema"] == "stallscope.load/1"
    assert run.document["latency_us"] == run.done["latency_us"]


def test_the_warm_up_is_sent_but_not_counted(load: Callable[..., Run], redis: Redis) -> None:
    run = load(
        redis.target, "--warmup", 0.2, "--mode", "open", "--rate", 1000, "--arrivals", "fixed"
    )
    assert run.done["requests"] == 200
    assert calls(redis, "get") + calls(redis, "set") == 400


def test_the_request_limit_is_kept(load: Callable[..., Run], redis: Redis) -> None:
    run = load(redis.target, "--requests", 1001, "--duration", 30, "--threads", 3, "--pipeline", 7)
    assert run.done["requests"] == 1001
    assert calls(redis, "get") + calls(redis, "set") == 1001
    assert calls(redis, "set") == pytest.approx(100, abs=50)


def test_filling_sets_every_key(load: Callable[..., Run], redis: Redis) -> None:
    run = load(
        redis.target,
        *("--fill", "--keys", 500, "--value-bytes", "10-20", "--read-share", 1),
        *("--threads", 2, "--key-distribution", "zipf:1.1"),
    )
    assert run.done["nil_replies"] == 0
    assert redis.ask("DBSIZE") == "500"
    assert 10 <= int(redis.ask("STRLEN", "key:000000000499")) <= 20


def test_a_file_of_requests_is_sent_in_a_cycle(
    load: Callable[..., Run], redis: Redis, tmp_path: Path
) -> None:
    requests = tmp_path / "requests"
    requests.write_bytes(b"*2\r\n$4\r\nINCR\r\n$1\r\na\r\n*2\r\n$4\r\nINCR\r\n$1\r\nb\r\n" * 3)
    run = load(redis.target, "--request-file", requests, "--requests", 100, "--duration", 30)
    assert run.done["requests"] == 100
    assert (redis.ask("GET", "a"), redis.ask("GET", "b")) == ("50", "50")


def test_a_password_is_read_from_its_file(
    load: Callable[..., Run], redis: Redis, tmp_path: Path
) -> None:
    redis.ask("CONFIG", "SET", "requirepass", "open sesame")
    refused = load(redis.target)
    assert refused.status == 4
    assert "NOAUTH" in refused.messages
    assert not refused.directory.exists()
    password = tmp_path / "password"
    password.write_text("open sesame\n")
    allowed = load(redis.target, "--password-file", password)
    redis.ask("-a", "open sesame", "CONFIG", "SET", "requirepass", "")
    assert allowed.status == 0


def test_numbered_replies_arrive_in_order(load: Callable[..., Run], redis: Redis) -> None:
    run = load(redis.target, "--check", "--pipeline", 16, "--connections", 20)
    assert run.status == 0
    assert run.done["checked"] == run.done["requests"] > 0
    assert [run.done[kind] for kind in ("lost", "doubled", "reordered", "foreign")] == [0] * 4


def test_errors_are_counted_by_kind(load: Callable[..., Run], redis: Redis, tmp_path: Path) -> None:
    redis.ask("LPUSH", "list", "x")
    requests = tmp_path / "requests"
    requests.write_bytes(
        b"*2\r\n$3\r\nGET\r\n$4\r\nlist\r\n*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nNOPE\r\n"
    )
    run = load(redis.target, "--request-file", requests, "--requests", 300, "--duration", 30)
    assert run.status == 0
    assert run.done["errors_by_kind"] == {"ERR": 100, "WRONGTYPE": 100}
    assert (run.done["errors"], run.done["requests"]) == (200, 100)


def test_many_connections_are_all_served(load: Callable[..., Run], redis: Redis) -> None:
    run = load(redis.target, "--connections", 1500, "--check")
    assert run.status == 0
    assert run.done["requests"] >= 1500
    assert "unanswered" not in run.done["warnings"]
